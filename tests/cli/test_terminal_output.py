"""What people see at a terminal: progress that comes and goes, tables that fit."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import signal
import sys
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.cells import cell_len
from rich.console import Console

from indistinct.cli import run
from indistinct.cli.live import LiveProgress
from indistinct.cli.terminal import bar, heading, note, table
from indistinct.core import progress
from indistinct.core.progress import listening, task

MOVES = re.compile(rb"\x1b\[([?0-9;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+")


def screen(written: bytes) -> tuple[list[str], bool]:
    """Return the lines that a terminal shows after all this, and whether its cursor shows."""
    lines, row, column, cursor = [""], 0, 0, True
    for found in MOVES.finditer(written):
        piece = found.group(0)
        if piece == b"\r":
            column = 0
        elif piece == b"\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif piece.startswith(b"\x1b"):
            number, letter = found.group(1).decode(), found.group(2).decode()
            if letter == "A":
                row = max(0, row - int(number or 1))
            elif letter == "K":
                lines[row] = "" if number == "2" else lines[row][:column]
            elif number == "?25":
                cursor = letter == "h"
        else:
            text = piece.decode()
            line = lines[row].ljust(column)
            lines[row] = line[:column] + text + line[column + len(text) :]
            column += len(text)
    return [line.rstrip() for line in lines], cursor


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal:
    """A terminal in memory."""

    def __init__(self, width: int = 80, encoding: str = "utf-8") -> None:
        self.bytes = io.BytesIO()
        file = io.TextIOWrapper(self.bytes, encoding=encoding, write_through=True)
        self.console = Console(
            file=file, force_terminal=True, width=width, highlight=False, color_system=None
        )

    @property
    def shown(self) -> list[str]:
        written = self.bytes.getvalue().replace(b"\n", b"\r\n")  # as a terminal's driver does
        return [line for line in screen(written)[0] if line]


@pytest.fixture
def live():
    clock, terminal = Clock(), Terminal()
    shown = LiveProgress(terminal.console, clock=clock)
    with listening(shown):
        yield clock, terminal, shown
    shown.close()


def test_nothing_is_shown_before_two_seconds(live):
    clock, terminal, shown = live
    with task("counting by age, sex", total=100, unit="records") as counting:
        counting.advance(10)
        clock.now += 1.9
        shown.tick()
        assert not terminal.bytes.getvalue()
        clock.now += 0.1
        shown.tick()
        assert terminal.shown[0].startswith("counting by age, sex")


def test_what_is_done_is_told_in_per_cent_and_the_rest_in_time(live):
    clock, terminal, shown = live
    with task("counting by age, sex", total=100, unit="records") as counting:
        counting.advance(25)
        clock.now += 30
        shown.tick()
        assert re.search(r"█{5} +25% +1:30 left$", terminal.shown[0])
        counting.advance(50)
        clock.now += 30
        shown.tick()
        assert re.search(r"█{15} +75% +0:20 left$", terminal.shown[0])
        assert len(terminal.shown) == 1
    shown.close()
    assert not terminal.shown
    assert screen(terminal.bytes.getvalue())[1]


def test_without_a_total_the_time_that_has_passed_is_told(live):
    clock, terminal, shown = live
    with task("deciding by datafly"):
        clock.now += 65
        shown.tick()
        assert re.fullmatch(r"deciding by datafly +1:05", terminal.shown[0])
    clock.now += 5
    shown.tick()
    assert terminal.shown == ["working  1:10"]


def test_nested_tasks_have_a_line_each_and_three_at_most(live):
    clock, terminal, shown = live
    with task("a", total=4), task("b"), task("c"), task("d", total=2) as inner:
        inner.advance()
        clock.now += 10
        shown.tick()
        assert [line.split()[0] for line in terminal.shown] == ["a", "c", "d"]
        with task("short"):
            clock.now += 0.2
            shown.tick()
            assert [line.split()[0] for line in terminal.shown] == ["a", "c", "d"]
    shown.tick()
    assert terminal.shown == ["working  0:10"]


def test_what_is_printed_stays_above_and_other_output_goes_between(live):
    clock, terminal, shown = live
    with task("counting", total=4) as counting:
        clock.now += 3
        shown.tick()
        terminal.console.print("hierarchy: chosen")
        assert terminal.shown[0] == "hierarchy: chosen"
        assert terminal.shown[1].startswith("counting")
        with shown.hidden():
            assert terminal.shown == ["hierarchy: chosen"]
        counting.advance()
        shown.tick()
        assert len(terminal.shown) == 2
    shown.close()
    assert terminal.shown == ["hierarchy: chosen"]


@pytest.mark.parametrize("width", [30, 60, 80, 200])
def test_lines_fit_whatever_the_width(width):
    clock, terminal = Clock(), Terminal(width)
    shown = LiveProgress(terminal.console, clock=clock)
    with listening(shown), task(f"counting by {'a_long_name, ' * 30}", total=1000, unit="records"):
        clock.now += 3600
        shown.tick()
        assert len(terminal.shown) == 1
        assert cell_len(terminal.shown[0]) < width
    shown.close()


def test_an_encoding_without_blocks_gets_plain_bars():
    clock, terminal = Clock(), Terminal(encoding="ascii")
    shown = LiveProgress(terminal.console, clock=clock)
    with listening(shown), task("x" * 100, total=2) as work:
        work.advance()
        clock.now += 3
        shown.tick()
        assert "...  ##########  " in terminal.shown[0]
    shown.close()
    assert bar(1.0, width=4, console=terminal.console) == "####"


ROWS = [("first method", 1234567, "0.5000", "a"), ("second", 3, "12.25", "b")]
COLUMNS = ("method", "records", "loss", "why")


@pytest.mark.parametrize("width", [24, 60, 80, 160])
def test_a_table_keeps_every_cell_at_every_width(width):
    terminal = Terminal(width)
    table(terminal.console, COLUMNS, ROWS, bars=[0.5, 1.0], text=("why",))
    words = terminal.bytes.getvalue().decode().split()
    for row in ROWS:
        for cell in row:
            for word in (f"{cell:,}" if isinstance(cell, int) else cell).split():
                assert word in words
    assert all(cell_len(line) <= width for line in terminal.shown)


def test_numbers_stand_to_the_right_with_their_bars():
    terminal = Terminal(60)
    table(terminal.console, COLUMNS[:3], [row[:3] for row in ROWS], bars=[0.5, 1.0])
    assert terminal.shown == [
        "  method          records    loss",
        "  first method  1,234,567  0.5000  ██████████",
        "  second                3   12.25  ████████████████████",
    ]


def test_text_is_no_markup():
    terminal = Terminal()
    heading(terminal.console, "[red]x[/red]")
    note(terminal.console, "[bold]", "[/nothing]")
    table(terminal.console, ("[i]",), [("[/i]",)])
    assert terminal.shown == ["[red]x[/red]", "  [bold]: [/nothing]", "  [i]", "  [/i]"]


VERBS = {
    "uniques": ["--key", "age_group,sex,region,marital", "--explain"],
    "risk": ["--key", "age_group,sex,marital", "--fraction", "0.1", "--suda", "2"],
    "protect": ["--key", "age_group,sex,marital", "--k", "3", "--compare"],
}


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    path = tmp_path_factory.mktemp("terminal") / "census.parquet"
    assert run(["census", "--people", "400", "--seed", "3", "--no-names", "--out", str(path)]) == 0
    return path


@pytest.mark.parametrize("verb", VERBS)
def test_standard_output_has_json_or_what_people_read(census, capfd, monkeypatch, verb):
    command = [verb, str(census), *VERBS[verb]]
    capfd.readouterr()
    for width in ("60", "80"):
        monkeypatch.setenv("COLUMNS", width)
        assert run(command) == 0
        shown = capfd.readouterr()
        assert "\x1b" not in shown.out + shown.err
        assert "█" in shown.out or width == "60"
    assert run([*command, "--json"]) == 0
    shown = capfd.readouterr()
    assert shown.out.count("\n") == 1
    assert json.loads(shown.out)


SLOW = """
import sys, time
from indistinct.core import progress
from indistinct.engine import duckdb
counted = duckdb.count_words
def slowly(*arguments, **options):
    with progress.task("counting slowly", total=30) as work:
        for _ in range(30):
            time.sleep(0.1)
            work.advance()
    return counted(*arguments, **options)
duckdb.count_words = slowly
from indistinct.cli import main
main()
"""


def at_a_terminal(*arguments: object, interrupt: bool = False, **environment: str):
    """Run a command whose counting takes three seconds at a pseudo-terminal."""
    child, terminal = pty.fork()
    if not child:
        os.environ.update({"COLUMNS": "80", "TERM": "xterm", **environment})
        os.execv(sys.executable, [sys.executable, "-c", SLOW, *map(str, arguments)])
    written = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # Linux says so when the other side has gone
            break
        if not piece:
            break
        written += piece
        if interrupt and b"counting slowly" in written:
            os.kill(child, signal.SIGINT)
            interrupt = False
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), written


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    path = tmp_path_factory.mktemp("few") / "few.parquet"
    pq.write_table(pa.table({"a": [1, 1, 2]}), path)
    return path


@pytest.mark.heavy
def test_a_verb_that_lasts_shows_progress_and_clears_it(few):
    code, written = at_a_terminal("uniques", few, "--key", "a", "--json")
    assert code == 0
    assert b"counting slowly" in written
    assert b" left" in written
    lines, cursor = screen(written)
    assert cursor
    (only,) = [line for line in lines if line]
    assert json.loads(only)["classes"] == 2


@pytest.mark.heavy
def test_an_interrupt_leaves_the_terminal_clean(few):
    code, written = at_a_terminal("uniques", few, "--key", "a", interrupt=True)
    assert code == 130
    lines, cursor = screen(written)
    assert cursor
    assert [line for line in lines if line] == ["indistinct: Interrupted. Nothing was written."]


@pytest.mark.heavy
@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"TTY_INTERACTIVE": "0"}])
def test_a_terminal_that_cannot_shows_no_progress(few, environment):
    code, written = at_a_terminal("uniques", few, "--key", "a", **environment)
    assert code == 0
    assert b"counting slowly" not in written
    assert b"2 classes" in written


@pytest.mark.heavy
def test_no_colour_is_respected(few):
    code, written = at_a_terminal("uniques", few, "--key", "a", NO_COLOR="1")
    assert code == 0
    assert b"counting slowly" in written
    assert b"\x1b[36m" not in written


def test_the_thread_ends_with_the_display(live):
    _, _, shown = live
    thread = threading.Thread(target=shown.run)
    thread.start()
    shown.close()
    thread.join(timeout=10)
    assert not thread.is_alive()


def test_the_cli_without_a_terminal_installs_no_listener(few, monkeypatch, capfd):
    heard: list[progress.Task] = []
    made = progress.Task.__init__

    def noted(self: progress.Task, *arguments: object) -> None:
        heard.append(self)
        made(self, *arguments)

    monkeypatch.setattr(progress.Task, "__init__", noted)
    assert run(["uniques", str(few), "--key", "a"]) == 0
    assert not heard
