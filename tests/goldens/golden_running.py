"""Running the command line from outside, and writing down whatever can be seen of it.

Nothing here knows the package: commands go through the entry point that `pyproject.toml` names,
files are read from the disk as anybody would read them. What differs from run to run and may
(times, durations, temporary folders, versions, hashes of what holds a time) is replaced by a name,
and long numbers lose the digits that differ between processors; everything else is kept byte for
byte.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import hashlib
import importlib
import importlib.metadata
import io
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from indistinct import __version__

ROOT = Path(__file__).parents[2]
EXPECTED = Path(__file__).parent / "expected"
LINES = 40
"""Lines of a long output that are kept beside its hash."""
WIDTH = 400
"""Characters of such a line."""

ENVIRONMENT = {
    "COLUMNS": "100",
    "LINES": "50",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "TZ": "UTC",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "USER": "holder",
    "LOGNAME": "holder",
}

COSTS = {"pack": 0.25, "sort": 4.5, "tally": 76.0, "cell_near": 0.95, "cell_far": 14.0}
"""What counting costs on the machine of every run: the program chooses by it, and tells."""


@dataclass(frozen=True)
class Scene:
    """Commands one after another in a folder of their own.

    Parameters
    ----------
    commands
        What is typed after `indistinct`, or a Python program that begins with `python:`.
    files
        Files that are there at the beginning, by name.
    hidden
        Names of files that are not written down: what another scene shows already.
    random
        Patterns of what is drawn anew at every run, and cannot be fixed by a seed.
    lines
        How many lines of a long output are shown beside its hash.
    """

    name: str
    commands: Sequence[str]
    files: Mapping[str, str] = field(default_factory=dict)
    hidden: Sequence[str] = ()
    random: Sequence[str] = ()
    lines: int = LINES

    def __str__(self) -> str:
        return self.name

    @property
    def expected(self) -> Path:
        """The file with what is to be seen."""
        return EXPECTED / f"{self.name}.txt"


@functools.cache
def entry_point() -> Callable[[], None]:
    """Return the function that `indistinct` calls."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        named = tomllib.load(file)["project"]["scripts"]["indistinct"]
    module, _, name = named.partition(":")
    with contextlib.suppress(ImportError):
        # a process builds its commands once; here one process runs hundreds
        import typer.main

        typer.main.get_command = functools.cache(typer.main.get_command)
    found: Callable[[], None] = getattr(importlib.import_module(module), name)
    return found


def show(scene: Scene, prepared: Path, *, apart: bool = False, whole: bool = False) -> str:
    """Run a scene and return all that can be seen of it.

    Parameters
    ----------
    prepared
        The folder whose files every scene finds.
    apart
        Whether every command gets a process of its own.
    whole
        Whether long outputs are shown to the end.
    """
    lines = None if whole else scene.lines
    with tempfile.TemporaryDirectory(prefix="golden-") as folder, _standing_in(Path(folder)):
        here = Path(folder) / "scene"
        shutil.copytree(prepared, here, copy_function=shutil.copy)
        os.chdir(here)
        for name, content in scene.files.items():
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_text(content, encoding="utf-8")
        pages = []
        before = _hashes(here)
        known = dict(before)
        for command in scene.commands:
            code, out, err = (_apart if apart else _within)(command)
            after = _hashes(here)
            known |= after
            plain = _Plain(here, known, scene.random)
            parts = [f"$ {command.strip()}", f"exit code {code}"]
            for stream, text in (("standard output", out), ("standard error", err)):
                if text:
                    parts += [f"--- {stream}", _short(plain(text), lines)]
            for path in sorted({*before, *after}):
                if path not in after:
                    parts.append(f"--- gone: {path}")
                elif before.get(path) != after[path] and not _is_hidden(path, scene.hidden):
                    mode = (here / path).stat().st_mode & 0o777
                    name = f"{plain(path)} ({mode:o})"
                    parts += [f"--- file {name}", _short(plain(_content(here / path)), lines)]
            pages.append("\n".join(parts))
            before = after
        return "\n\n".join(pages) + "\n"


def prepare(folder: Path, commands: Sequence[str]) -> Path:
    """Run commands in a new folder, for other scenes to begin with."""
    folder.mkdir(parents=True)
    with _standing_in(folder):
        for command in commands:
            code, out, err = _within(command)
            if code:
                raise AssertionError(f"indistinct {command}: {code}\n{out}{err}")
    return folder


def compare(scene: Scene, actual: str, beside: Path) -> str:
    """Return a short account of what differs, or nothing; the whole is written beside."""
    if not scene.expected.exists():
        return f"{scene.expected} is missing; python tools/goldens.py --write {scene.name}"
    expected = scene.expected.read_text(encoding="utf-8")
    if actual == expected:
        return ""
    beside.mkdir(parents=True, exist_ok=True)
    written = beside / scene.expected.name
    written.write_text(actual, encoding="utf-8")
    diff = list(
        difflib.unified_diff(
            expected.splitlines(), actual.splitlines(), "expected", "actual", lineterm="", n=2
        )
    )
    more = [f"… and {len(diff) - 60} lines more"] if len(diff) > 60 else []
    shown = [line[:WIDTH] for line in diff[:60]]
    return "\n".join([f"{scene.name} differs; all of it: {written}", *shown, *more])


@contextlib.contextmanager
def _standing_in(folder: Path) -> Iterator[None]:
    """Work in a folder, with the environment that every run has, and its own home."""
    was, environment = Path.cwd(), dict(os.environ)
    os.environ.update(ENVIRONMENT)
    home = folder.parent / f"{folder.name}-home"
    home.mkdir(exist_ok=True)
    os.environ |= {"HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
    os.environ |= {"XDG_CACHE_HOME": str(home / "cache")}
    os.environ.pop("INDISTINCT_DEBUG", None)
    cost = importlib.import_module("indistinct.engine.cost")
    known = home / "cache" / "indistinct" / "unit-costs.json"
    known.parent.mkdir(parents=True, exist_ok=True)
    known.write_text(json.dumps({cost._machine(): COSTS}), encoding="utf-8", newline="\n")
    cost.unit_costs.cache_clear()
    os.environ["PYTHONPATH"] = str(ROOT / "src")
    time.tzset()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(was)
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()
        cost.unit_costs.cache_clear()
        shutil.rmtree(home, ignore_errors=True)


def _arguments(command: str) -> list[str]:
    return shlex.split(command.replace("\\\n", " "))


def _apart(command: str) -> tuple[int, str, str]:
    program = (
        ["-c", command.removeprefix("python:").strip()]
        if command.startswith("python:")
        else ["-c", "from indistinct.cli import main; main()", *_arguments(command)]
    )
    done = subprocess.run([sys.executable, *program], capture_output=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def _within(command: str) -> tuple[int, str, str]:
    """Run a command in this process, and return its exit code and what it printed.

    Also what libraries and child processes print is caught: the streams are exchanged below Python.
    """
    entry = entry_point()
    argv, streams = sys.argv, (sys.stdout, sys.stderr)
    interrupt = signal.getsignal(signal.SIGINT)
    for stream in streams:
        stream.flush()
    kept = [os.dup(1), os.dup(2)]
    state = random.getstate()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.stdout = io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), "utf-8")
        sys.stderr = io.TextIOWrapper(os.fdopen(os.dup(2), "wb"), "utf-8", line_buffering=True)
        try:
            if command.startswith("python:"):
                program = compile(command.removeprefix("python:").strip(), "example", "exec")
                exec(program, {"__name__": "__main__"})
                code: Any = 0
            else:
                sys.argv = ["indistinct", *_arguments(command)]
                entry()
                code = 0
        except SystemExit as leaving:
            code = leaving.code
        finally:
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(ValueError):
                    stream.close()
            sys.stdout, sys.stderr = streams
            for number, old in zip((1, 2), kept, strict=True):
                os.dup2(old, number)
                os.close(old)
            sys.argv = argv
            signal.signal(signal.SIGINT, interrupt)
            random.setstate(state)
        out.seek(0)
        err.seek(0)
        return int(code or 0), out.read().decode(), err.read().decode()


def _hashes(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def _is_hidden(path: str, hidden: Sequence[str]) -> bool:
    return any(path == name or path.startswith(f"{name}/") for name in hidden)


def _content(path: Path) -> str:
    """Write what a file holds as text."""
    if path.suffix == ".parquet":
        return _table_text(pq.read_table(path))
    if path.suffix in (".dta", ".sav"):
        import pyreadstat

        read = pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav
        frame, about = read(path)
        told = {
            "labels": about.column_names_to_labels,
            "value labels": about.variable_value_labels,
        }
        return f"{json.dumps(told, default=str)}\n{frame.to_csv(index=False)}"
    content = path.read_bytes()
    try:
        return content.decode()
    except UnicodeDecodeError:
        return f"{len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}"


def _table_text(table: pa.Table) -> str:
    lines = [f"{table.num_rows} rows"]
    for column in table.schema:
        about = {k.decode(): v.decode() for k, v in (column.metadata or {}).items()}
        lines.append(f"{column.name}: {column.type} {json.dumps(about) if about else ''}".rstrip())
    about = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
    lines += [f"{name} = {value}" for name, value in sorted(about.items())]
    rows = table.to_pydict()
    lines += [",".join(map(repr, row)) for row in zip(*rows.values(), strict=True)]
    return "\n".join(lines)


def _short(text: str, most: int | None) -> str:
    """Keep a text, or of a long one the beginning and the hash of all of it."""
    lines = text.removesuffix("\n").split("\n")
    if len(lines) <= LINES and all(len(line) <= WIDTH for line in lines):
        return "\n".join(lines)
    told = f"[{len(lines)} lines, SHA-256 {hashlib.sha256(text.encode()).hexdigest()}]"
    if len(lines) == 1:
        # JSON of one line is shown as one can read it; the hash is that of the line
        told += " shown as"
        lines = re.sub(r'(?<=[\[{,]) ?(?=["\[{])', "\n", text).split("\n")
    if most is None:
        return "\n".join([told, *lines])
    styled = [number for number, line in enumerate(lines) if line.endswith("</style>")]
    if styled:
        lines = lines[styled[0] + 1 :]
    return "\n".join([told, *(line[:WIDTH] for line in lines[:most])])


_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?( ?UTC|Z|[+-]\d\d:?\d\d)?")
_DURATION = re.compile(r"\b\d[\d,]*(\.\d+)?(e-?\d+)? (seconds|second|minutes|s|ms|min)\b")
_ALIGNED = re.compile(r" {2,}<duration>")
_SECONDS = re.compile(
    r'(\\?"(?:\w*_)?(?:seconds|duration|elapsed|took)\\?": ?)-?\d+(\.\d+)?(e-?\d+)?'
)
_SALTED = re.compile(
    r'("(?:salt|secret|hash|ledger|sha256|parameters|method)": ?")(?:[0-9a-f]{16}){1,4}"'
)
"""What is drawn with a salt, so that nobody can try values, and what holds one or a time."""
_WHO = re.compile(r'("who": ?)"[^"]*@[^"]*"')
_BEGINS = re.compile(r"(?<=SHA-256 begins with )[0-9a-f]{16}")
_ASIDE = re.compile(r"(?<=\.indistinct-)\d+-[0-9a-f]{8}")
"""In the names of folders that are written aside: the process, and something drawn."""
_SIZE = re.compile(r'^(\{"entries":\d+,"hash":"<drawn>","size":)\d+')
_HASH = re.compile(r"\b[0-9a-f]{64}\b")
_FIGURE = re.compile(r"\bfigure-[0-9a-f]{8}\b")
"""The name of a figure is a sum over all of it, last digits too."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[-+]?\d+)?(?![\w.])")
_LONG = 12
"""Characters of a number with digits that depend on how a processor adds and multiplies."""


class _Plain:
    """Replaces what differs from run to run, and may, by its name."""

    def __init__(self, here: Path, hashes: Mapping[str, str], drawn: Sequence[str]) -> None:
        self._hashes = {digest: path for path, digest in sorted(hashes.items(), reverse=True)}
        self._drawn = [re.compile(pattern) for pattern in drawn]
        self._places = [(str(here), "<here>"), (str(here.parent), "<above>")]
        self._versions = _versions()

    def __call__(self, text: str) -> str:
        for place, name in self._places:
            text = text.replace(place, name)
        for pattern in self._drawn:
            text = pattern.sub("<drawn>", text)
        text = _without_columns_of_seconds(text)
        text = _TIME.sub("<time>", text)
        text = text.replace(time.strftime("%Y-%m-%d", time.gmtime()), "<today>")
        text = text.replace(time.strftime("%-d %B %Y", time.gmtime()), "<today>")
        text = _DURATION.sub("<duration>", text)
        text = _ALIGNED.sub("  <duration>", text)
        text = _SECONDS.sub(r"\1<duration>", text)
        text = _HASH.sub(self._hash, text)
        text = _SALTED.sub(r'\1<drawn>"', text)
        text = _WHO.sub(r'\1"<user>@<machine>"', text)
        text = _ASIDE.sub("<drawn>", text)
        text = _BEGINS.sub("<drawn>", text)
        text = _FIGURE.sub("figure-<sum>", text)
        text = _SIZE.sub(r"\1<size>", text)
        for pattern, name in self._versions:
            text = pattern.sub(name, text)
        return _NUMBER.sub(_without_last_digits, text)

    def _hash(self, found: re.Match[str]) -> str:
        path = self._hashes.get(found[0])
        # other hashes are of what holds a salt or a time
        return f"<SHA-256 of {path}>" if path else "<drawn>"


def _without_last_digits(found: re.Match[str]) -> str:
    """Leave of a long number the digits that are the same on every processor."""
    if len(found[0]) < _LONG:
        return found[0]
    number = float(f"{float(found[0]):.8g}")
    return repr(number if abs(number) > 1e-9 else 0.0)


@functools.cache
def _versions() -> list[tuple[re.Pattern[str], str]]:
    """Return what finds the versions of this program, of Python and of libraries where told."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    own = [(r"\b(indistinct\W+(?:version\W+)?)" + re.escape(__version__), r"\1<version>")]
    own.append((r'("(?:version|indistinct|made_by)": ")' + re.escape(__version__), r"\1<version>"))
    wanted = [re.match(r"[\w-]+", line)[0] for line in project["dependencies"]]  # type: ignore[index]
    for name in wanted:
        version = re.escape(importlib.metadata.version(name))
        own.append((rf'(\b{name}\\?"?[ :=]+\\?"?){version}\b', r"\1<version>"))
    python = re.escape(sys.version.split()[0])
    own.append((rf'([Pp]ython\\?"?[ :=]+\\?"?){python}', r"\1<version>"))
    return [(re.compile(pattern), name) for pattern, name in own]


def _without_columns_of_seconds(text: str) -> str:
    """Replace the numbers of a column headed `seconds`, in tables for people and in Markdown."""
    lines = text.split("\n")
    end = cell = None
    for number, line in enumerate(lines):
        cells = line.split("|")
        header = re.search(r"(?<=  )seconds\b", line)
        if not line.startswith("|"):
            cell = None
        if line.startswith("|") and " seconds " in cells:
            cell = cells.index(" seconds ")
        elif cell is not None and cell < len(cells):
            cells[cell] = re.sub(r"[\d.]+", "<duration>", cells[cell])
            lines[number] = "|".join(cells)
        elif header is not None:
            end = header.end()
        elif end is not None:
            value = re.search(r"[\d.,]+$", line[:end])
            if value is None:
                end = None
                continue
            line = f"{line[: value.start()].rstrip()}  <duration>{line[end:]}"
        if end is not None:  # its width is that of the longest number
            lines[number] = re.sub(r"   +", "  ", line.rstrip()) if "█" not in line else line
    return "\n".join(lines)
