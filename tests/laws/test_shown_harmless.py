"""What is shown is harmless: over every verb, every option and every file that is written.

Verbs and options are those of the command line itself, so that a new one is under the law too.
"""

from __future__ import annotations

import ast
import html.parser
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import typer

import indistinct
from indistinct.cli import run
from indistinct.cli.app import app
from indistinct.core.harmless import is_harmful

SOURCE = Path(indistinct.__file__).parent
STEERING = "\x1b[2J\x9b31m\x07\x7f\u202e\u200b\u2066"
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>"
HOSTILE = f"x{STEERING}{MARKUP}`b`"
COMMANDS = typer.main.get_command(app).commands


def harmful_in(text: str) -> set[str]:
    return {repr(letter) for letter in text if letter not in "\n\t" and is_harmful(letter)}


def said_by(arguments: list[object], capfd: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run a command and return its exit code and what it said."""
    capfd.readouterr()
    code = run([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return code, out, err


# -- every verb, every option ---------------------------------------------------------------


def taking_values(verb: str) -> list:
    return [p for p in COMMANDS[verb].params if not getattr(p, "is_flag", False)]


OPTIONS = [(verb, p.name) for verb in COMMANDS for p in taking_values(verb)]


def test_there_are_options_to_try():
    assert len(OPTIONS) > 100
    assert {verb for verb, _ in OPTIONS} == set(COMMANDS)


@pytest.mark.parametrize(("verb", "name"), OPTIONS)
def test_no_option_reaches_the_terminal_raw(verb, name, tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    Path("people.csv").write_text("age,sex\n" + "30,f\n41,m\n30,f\n" * 5, encoding="utf-8")
    arguments: list[object] = [verb]
    for parameter in COMMANDS[verb].params:
        tried = parameter.name == name
        if not (tried or parameter.required):
            continue
        value = HOSTILE if tried else "people.csv"
        option = parameter.opts[0]
        arguments += [option, value] if option.startswith("--") else [value]
    if verb == "demo":
        arguments += ["--people", 1]  # refused: the whole of it takes minutes
    code, out, err = said_by(arguments, capfd)
    assert harmful_in(out + err) == set()
    assert code in (0, 1, 2)


def test_an_unknown_verb_and_an_unknown_option_are_quoted_harmlessly(capfd):
    for arguments in ([HOSTILE], ["uniques", f"--{HOSTILE}"], ["uniques", "a.csv", HOSTILE, "b"]):
        code, out, err = said_by(arguments, capfd)
        assert code == 2
        assert "\\x1b[2J" in err
        assert harmful_in(out + err) == set()


# -- every file -----------------------------------------------------------------------------

NAME = f"area{STEERING}<script>alert(1)</script>`"
FORGED = "forged: everything holds"
VALUES = [f"{x}{STEERING}<img src=x onerror=alert(1)>\n{FORGED}" for x in "NESW"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A file with a hostile name, columns and values, and a project that names them."""
    made = tmp_path_factory.mktemp("hostile")
    rows = [f'{20 + i % 7 * 10},{"fm"[i % 2]},"{VALUES[i % 4]}",{i % 3}' for i in range(240)]
    header = f'age,sex,"{NAME}",ill'
    data = made / f"people{STEERING}.csv"
    data.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    quoted = json.dumps(NAME)
    (made / "release.toml").write_text(
        f"""[data]
file = {json.dumps(data.name)}
[release]
k = 3
method = "datafly"
max_drop = 0.5
purpose = {json.dumps(HOSTILE)}
holder = {json.dumps(HOSTILE)}
recipient = {json.dumps(HOSTILE)}
format = "csv"
[variables.age]
role = "key"
[variables.sex]
role = "key"
label = {json.dumps(HOSTILE)}
[variables.{quoted}]
role = "key"
label = {json.dumps(HOSTILE)}
[variables.ill]
labels = {{ "0" = {json.dumps(HOSTILE)}, "1" = "one", "2" = "two" }}
[contract]
security = {json.dumps(HOSTILE)}
[publish]
area = {quoted}
out = "tables"
[tables.{json.dumps("by" + HOSTILE)}]
dimensions = ["sex"]
""",
        encoding="utf-8",
    )
    (made / "letter.txt").write_text(f"Dear Anna Smith,\n{HOSTILE}\n", encoding="utf-8")
    return made


class Elements(html.parser.HTMLParser):
    """Gathers the elements of a page and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.found |= {tag} | {f"@{name}" for name, _ in attrs}


def check_text(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.suffix not in (
        ".csv",
        ".txt",
    ):  # cells and letters are the data, and stay what they are
        assert harmful_in(text) == set(), path
    if path.suffix == ".html":
        page = Elements()
        page.feed(text)
        assert not page.found & {"script", "img", "@onerror"}, path
    if path.suffix == ".svg":
        tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(text).iter()}
        assert not tags & {"script", "img"}, path
    if path.suffix == ".md":
        outside = re.sub(r"(?s)(?<![`\\])(`+)(?!`)(.*?)(?<!`)\1(?!`)", "", text)
        assert not re.search(r"(?<!\\)<\w", outside), path
    if path.suffix in (".json", ".jsonl"):
        for line in [text] if path.suffix == ".json" else text.splitlines():
            json.loads(line)


WRITTEN = {".csv", ".html", ".json", ".jsonl", ".md", ".svg", ".toml", ".txt"}


@pytest.fixture(scope="module")
def commands(folder) -> list[list[str]]:
    data = next(folder.glob("people*.csv"))
    ask = f'select count(*) as "{HOSTILE}", sex from data group by sex'
    key = f"age,sex,{NAME}"
    return [
        ["init", data, "--out", "draft.toml"],
        ["uniques", data, "--key", key, "--k", 3, "--explain"],
        ["uniques", data, "--key", key, "--k", 30, "--out", "found.csv"],
        ["risk", data, "--key", key, "--fraction", 0.1],
        ["protect", data, "--key", key, "--k", 3, "--method", "mondrian", "--out", "r1"],
        ["protect", data, "--key", key, "--k", 3, "--compare", "--out", "compared"],
        ["run", "release.toml"],
        ["run", "release.toml", "--out", "release"],
        ["verify", "r1", "--private", data],
        ["verify", data, "--key", key, "--k", 60, "--register", data],
        ["utility", data, "r1"],
        ["report", "r1", "--shareable"],
        ["query", "r1", ask],
        ["query", data, ask, "--out", "answer.csv"],
        ["tables", data, "--area", "age", "--table", f"sex,{NAME}"],
        ["tables", "release.toml", "--out", "tables"],
        ["scrub", "letter.txt", "--out", "letters"],
        ["scrub", data, "--columns", NAME, "--out", "columns"],
    ]


def test_every_verb_that_reads_is_tried(commands):
    assert {command[0] for command in commands} >= set(COMMANDS) - {"demo", "census", "workbench"}


@pytest.mark.heavy
def test_hostile_files_are_shown_harmlessly(folder, commands, capfd, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    inputs = {path for path in folder.rglob("*") if path.is_file()}
    done = 0
    for command in commands:
        for more in ([], ["--json"]):
            code, out, err = said_by([*command, *more], capfd)
            assert harmful_in(out + err) == set(), command
            assert code in (0, 1, 2), (command, err)
            assert not re.search(rf"(?m)^\s*{FORGED}", out + err), command
            done += code != 2
            if more and code != 2:
                json.loads(out)
    written = {path for path in folder.rglob("*") if path.is_file()} - inputs
    for path in written:
        if path.suffix in WRITTEN:
            check_text(path)
    assert done >= len(commands), "most of them are refused: nothing is shown"
    assert {path.suffix for path in written} >= {".md", ".html", ".json", ".svg", ".csv"}


# -- no way around --------------------------------------------------------------------------


def calls_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {ast.unparse(function) for function in called}


def test_nobody_else_makes_a_console_or_escapes():
    """One place at the terminal, and one function for each kind of page."""
    around = {
        "Console",
        "rich.console.Console",
        "rich.print",
        "escape",
        "html.escape",
        "typer.echo",
    }
    own = {
        "harmless.py": {"escape"},
        "marked.py": {"escape"},  # of letters, which are to have the same signs as before
        "console.py": {"Console"},
        "app.py": {"typer.echo"},
    }
    for path in SOURCE.rglob("*.py"):
        found = calls_of(path) & around - own.get(path.name, set())
        assert not found, f"{path.relative_to(SOURCE)} calls {found}"
