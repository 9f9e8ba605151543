"""Standard output holds the answer, for people too; remarks go to standard error."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from indistinct.cli import run
from indistinct.cli.app import VERBS
from indistinct.cli.live import error_console
from indistinct.cli.streams import harmless_streams
from indistinct.cli.terminal import heading, note, paragraph, table

PEOPLE = "age,sex,town,ill\n" + "".join(
    f"{30 + n % 3},{'fm'[n % 2]},{'AB'[n // 30]},{n % 7 == 0:d}\n" for n in range(60)
)
KEY = "age,sex,town"
LETTER = "Dear Dr. Miller, Mr. John Smith (555-123-4567) was seen on May 3, 1994.\n"
PROTECT = f"people.csv --key {KEY} --method destroy --k 3 --seed 1"

ANSWERS = {
    "census": ("census --people 50 --out census.csv", "people"),
    "demo": ("demo --people 1000 --out shown", "records by"),
    "init": ("init people.csv --out release.toml", "written: release.toml"),
    "protect": (f"protect {PROTECT} --out first", "verdict:"),
    "query": ("query released 'select sex, count(*) from data group by sex'", "sex"),
    "report": ("report released", "written:"),
    "risk": (f"risk people.csv --key {KEY} --fraction 0.1", "records"),
    "run": ("run asked.toml --out ran", "verdict:"),
    "scrub": ("scrub letter.txt --out letters", "verdict:"),
    "tables": ("tables people.csv --table age,sex --area town", "tables with"),
    "uniques": (f"uniques people.csv --key {KEY} --k 3", "60 records by age, sex, town"),
    "utility": ("utility people.csv released", "measure"),
    "verify": ("verify released", "protected by"),
    "workbench": ("workbench people.csv --no-browser --idle 0.02", "http://127.0.0.1:"),
}
"""A command of every verb, and some words of its answer."""

ASKED = """
[data]
file = "people.csv"
[variables]
age = {role = "key"}
sex = {role = "key"}
town = {role = "key"}
[release]
k = 3
method = "destroy"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("answers")
    (place / "people.csv").write_text(PEOPLE)
    (place / "letter.txt").write_text(LETTER)
    (place / "asked.toml").write_text(ASKED)
    before = Path.cwd()
    os.chdir(place)
    try:
        assert run(["protect", *PROTECT.split(), "--out", "released", "--json"]) == 0
    finally:
        os.chdir(before)
    return place


def test_every_verb_is_tried() -> None:
    assert set(ANSWERS) == set(VERBS)


@pytest.mark.parametrize(
    "verb", [pytest.param(v, marks=pytest.mark.long) if v == "demo" else v for v in VERBS]
)
def test_the_answer_is_on_standard_output(
    verb: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    command, words = ANSWERS[verb]
    assert run(shlex.split(command)) in (0, 1)
    told = capsys.readouterr()
    assert words in told.out
    assert words not in told.err
    for line in told.err.splitlines():
        assert line not in told.out.splitlines(), "told twice"
    assert "warning:" not in told.out


def test_json_is_alone_on_standard_output(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert run([*shlex.split(ANSWERS["uniques"][0]), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["records"] == 60


def test_headings_tables_and_findings_are_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    console = error_console()
    heading(console, "a heading")
    table(console, ("name", "number"), [("a row", 1)])
    paragraph(console, "a paragraph")
    note(console, "finding", "a finding")
    note(console, "note", "a note")
    note(console, "warning", "a warning")
    console.print("progress")
    told = capsys.readouterr()
    for words in ("a heading", "a row", "a paragraph", "a finding"):
        assert words in told.out
        assert words not in told.err
    for words in ("a note", "a warning", "progress"):
        assert words in told.err
        assert words not in told.out


def test_a_reader_that_leaves_ends_the_command_without_a_traceback(folder: Path) -> None:
    code = "import sys; from indistinct.cli import main; main()"
    told = subprocess.Popen(
        [sys.executable, "-c", code, *shlex.split(ANSWERS["uniques"][0])],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert told.stdout is not None
    assert told.stderr is not None
    told.stdout.close()  # as `head` does when it has seen enough
    said = told.stderr.read()
    told.stderr.close()
    assert told.wait(timeout=120) == 2
    assert "Traceback" not in said


def test_letters_that_an_encoding_does_not_have_are_shown_by_their_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    with harmless_streams():
        print(json.dumps({"name": "é𝄞"}, ensure_ascii=False))
        sys.stdout.flush()
    assert json.loads(written.getvalue()) == {"name": "é𝄞"}
