"""Letters through the workbench: read, corrected, and written as the command line does."""

from __future__ import annotations

import json
import shlex
import stat
import subprocess
import sys

import pytest
from served import Served

JANE = "RE: Jane Longfellow\n\nDear Dr. Abernathy:\n\nMrs. Longfellow was seen on 5/26/1986.\n"
MORE = "Jane Longfellow came back. The Quexal sign <b>was</b> seen & noted.\n"
NOTES = [
    {"id": 1, "who": "p1", "text": "Mrs. Jane Longfellow was seen. The Quexal sign was absent."},
    {"id": 2, "who": "p1", "text": "The Quexal sign was there. Mrs. Longfellow is well."},
    {"id": 3, "who": "p2", "text": "The Quexal sign was absent. Mr. Peter Underhill is well."},
]

pytestmark = pytest.mark.heavy


@pytest.fixture
def lettered(begun: Served) -> Served:
    """A project with a folder of letters and a file of notes of two patients beside it."""
    folder = begun.desk.folder / "in"
    folder.mkdir()
    (folder / "a.txt").write_text(JANE)
    (folder / "b.txt").write_text(MORE)
    (begun.desk.folder / "notes.jsonl").write_text("".join(json.dumps(n) + "\n" for n in NOTES))
    return begun


def send(served: Served, path: str, **form: str) -> int:
    """Send a form of the present state of the letters."""
    page = served.get("/letters").text
    if "stamp" not in page:
        served.settle("letters")
        page = served.get("/letters").text
    stamp = page.partition('name="stamp" value="')[2].partition('"')[0]
    return served.change(path, stamp=stamp, **form).status


def read(served: Served) -> list[dict]:
    served.get("/letters")
    served.settle("letters")
    (job,) = served.desk.jobs.of("letters")[-1:]
    assert job.state == "done", job.error
    return served.desk.store.read("letters", job.key)["letters"]


def typed(served: Served, command: str, out: str) -> None:
    """Do what the foot of the page says, into another folder."""
    words = shlex.split(command)
    words[words.index("--out") + 1] = out
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=served.desk.folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def command_of(served: Served) -> str:
    from html import unescape

    page = served.get("/letters").text
    return unescape(page.rpartition("<code>")[2].partition("</code>")[0])


def written(served: Served, out: str) -> dict[str, bytes]:
    served.settle("scrubbed")
    (job,) = served.desk.jobs.of("scrubbed")[-1:]
    assert job.state == "done", job.error
    return contents(served, out)


def contents(served: Served, out: str) -> dict[str, bytes]:
    folder = served.desk.folder / out
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix in (".txt", ".jsonl")}


def test_letters_are_shown_only_when_one_is_opened(lettered: Served):
    assert send(lettered, "/letters/choose", name="in") == 303
    letters = read(lettered)
    assert [one["text"] for one in letters] == [JANE, MORE]
    page = lettered.get("/letters").text
    assert "Longfellow" not in page
    assert "Letter 2" in page
    one = lettered.get("/letters?letter=0").text
    assert "values of people" in one
    assert '<mark class="sure">' in one
    assert "Longfellow" in one
    other = lettered.get("/letters?letter=1").text
    assert "&lt;b&gt;was&lt;/b&gt;" in other
    assert "<b>was</b>" not in other
    assert lettered.get("/letters?letter=99").status == 200


def test_what_is_written_is_what_the_command_line_writes(lettered: Served):
    send(lettered, "/letters/choose", name="in")
    read(lettered)
    assert send(lettered, "/letters/export", out="ours") == 303
    ours = written(lettered, "ours")
    assert len(ours) == 2 + ("about.txt" in ours)
    assert b"Longfellow" not in b"".join(ours.values())
    typed(lettered, command_of(lettered), "theirs")
    assert ours == contents(lettered, "theirs")
    assert send(lettered, "/letters/export", out="ours") == 400


def test_what_is_said_of_a_letter_holds_for_the_patients_others(lettered: Served):
    send(lettered, "/letters/choose", name="notes.jsonl", patient_field="who")
    first = read(lettered)
    assert [one["whose"] for one in first] == ["p1", "p1", "p2"]
    status = send(lettered, "/letters/add", letter="0", words="Quexal", kind="last name")
    assert status == 303
    letters = read(lettered)
    assert ["Quexal" in one["after"] for one in letters[:2]] == [False, False]
    assert letters[2] == first[2]
    assert "by you" in lettered.get("/letters?letter=1").text
    at = next(n for n, one in enumerate(letters[0]["spans"]) if one["detector"] != "you")
    span = letters[0]["spans"][at]
    words = letters[0]["text"][span["start"] : span["end"]]
    assert send(lettered, "/letters/correct", letter="0", do=f"none.{at}") == 303
    assert words in read(lettered)[0]["after"]
    send(lettered, "/letters/export", out="ours")
    ours = written(lettered, "ours")
    typed(lettered, command_of(lettered), "theirs")
    assert ours == contents(lettered, "theirs")
    assert send(lettered, "/letters/back", letter="0", said="0") == 303
    assert "Quexal" in read(lettered)[0]["after"]


def test_a_kind_can_be_corrected_in_all_letters(lettered: Served):
    send(lettered, "/letters/choose", name="notes.jsonl")
    read(lettered)
    form = {"letter": "0", "start": "36", "end": "41", "kind": "hospital", "everywhere": "yes"}
    assert send(lettered, "/letters/add", **form) == 303
    letters = read(lettered)
    kinds = [[s["kind"] for s in one["spans"] if s["detector"] == "you"] for one in letters]
    assert kinds == [["hospital"]] * 3
    assert send(lettered, "/letters/correct", letter="1", do="is.0", **{"kind.0": "team"}) == 303


def test_the_certainty_is_that_of_the_project(lettered: Served):
    send(lettered, "/letters/choose", name="in")
    form = {"text-threshold": "0.95", "text-reduce": "yes", "text-dates": "year"}
    assert lettered.change("/letters/settings", **form).status == 303
    assert lettered.desk.content["text"] == {"threshold": 0.95, "dates": "year"}
    spans = [span for one in read(lettered) for span in one["spans"]]
    assert all(span["certainty"] >= 0.95 for span in spans)
    assert "--threshold 0.95" in command_of(lettered)


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/letters/choose", {"name": "../in"}),
        ("/letters/choose", {"name": ".indistinct"}),
        ("/letters/choose", {}),
        ("/letters/add", {"letter": "0", "words": "Nowhere", "kind": "city"}),
        ("/letters/add", {"letter": "0", "words": "Jane", "kind": "no kind"}),
        ("/letters/add", {"letter": "9", "words": "Jane", "kind": "city"}),
        ("/letters/correct", {"letter": "0", "do": "is.999"}),
        ("/letters/back", {"letter": "0", "said": "5"}),
        ("/letters/export", {"out": "../outside"}),
    ],
)
def test_what_cannot_be_is_refused(lettered: Served, path: str, form: dict[str, str]):
    send(lettered, "/letters/choose", name="in")
    read(lettered)
    kept = (lettered.desk.private / "letters.json").read_bytes()
    assert send(lettered, path, **form) == 400
    assert (lettered.desk.private / "letters.json").read_bytes() == kept


def test_two_tabs_do_not_mix_and_what_is_kept_is_private(lettered: Served):
    send(lettered, "/letters/choose", name="in")
    read(lettered)
    answer = lettered.change("/letters/choose", stamp="of before", name="notes.jsonl")
    assert answer.status == 409
    place = lettered.desk.private / "letters.json"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert json.loads(place.read_text())["names"] == ["in"]
