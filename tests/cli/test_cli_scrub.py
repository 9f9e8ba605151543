"""`indistinct scrub` through the command line: its answer, its exit codes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indistinct.cli import run

LETTER = "RE: Philippa Ravensworth\n\nDear Dr. Oakhurst:\n\nShe is well.\n"
PRIVATE = ("Philippa", "Ravensworth", "Oakhurst")
FIXED = {"documents", "references", "replaced", "suppressed", "threshold"}

Answer = Callable[..., tuple[int, str, str]]


@pytest.fixture
def answer(capfd: pytest.CaptureFixture[str]) -> Answer:
    def ask(*arguments: object) -> tuple[int, str, str]:
        capfd.readouterr()
        code = run(["scrub", *map(str, arguments)])
        return code, *capfd.readouterr()

    return ask


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text(LETTER)
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    spans = [
        {"start": 4, "end": 24, "label": "NAME"},
        {"start": 35, "end": 43, "label": "NAME"},
    ]
    with path.open("w") as file:
        for n in range(3):
            file.write(json.dumps({"id": f"d{n}", "text": LETTER, "spans": spans}) + "\n")
    return path


def test_the_answer_has_the_fixed_fields_and_no_private_word(
    answer: Answer, letter: Path, tmp_path: Path
) -> None:
    code, out, err = answer(letter, "--out", tmp_path / "out", "--seed", 1, "--json")
    told: dict[str, Any] = json.loads(out)
    assert code == 0
    assert set(told) >= FIXED | {"withheld", "seconds", "verdict", "found"}
    assert told["documents"] == 1
    assert told["replaced"] + told["suppressed"] == sum(told["references"].values())
    assert told["verdict"] == "de-identified only, not anonymous"
    one = told["found"][0]
    fields = {
        "document",
        "start",
        "end",
        "kind",
        "label",
        "detector",
        "rule",
        "certainty",
        "action",
    }
    assert set(one) == fields
    assert LETTER[one["start"] : one["end"]] == "Philippa Ravensworth"
    for word in PRIVATE:
        assert word not in out + err


def test_people_are_told_counts_and_the_verdict(
    answer: Answer, letter: Path, tmp_path: Path
) -> None:
    code, out, err = answer(letter, "--out", tmp_path / "out", "--threshold", 0.7)
    assert code == 0
    assert "1 of 1 documents scrubbed" in out
    assert "full name" in out
    assert "verdict: de-identified only, not anonymous" in out
    assert f"written: {tmp_path / 'out'}" in out
    assert "verdict" not in err


def test_spans_alone_is_a_look(answer: Answer, corpus: Path, tmp_path: Path) -> None:
    code, out, _ = answer(corpus, "--threshold", 0.7, "--spans", tmp_path / "spans.jsonl")
    assert code == 0
    assert "a look only" in out
    lines = [json.loads(line) for line in (tmp_path / "spans.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == ["d0", "d1", "d2"]
    for span in lines[0]["spans"]:
        assert {"start", "end", "label", "certainty"} <= set(span)


def test_something_withheld_leaves_with_one_and_the_list(
    answer: Answer, letter: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "b.txt"
    bad.write_bytes(bytes(100))
    code, out, _ = answer(letter, bad, "--out", tmp_path / "out")
    assert code == 1
    assert "b.txt" in out
    assert "binary data" in out
    assert (tmp_path / "out" / "letter-000001.txt").exists()
    code, out, _ = answer(letter, bad, "--json")
    assert code == 1
    withheld = [{"document": str(bad), "reason": "is not text but binary data"}]
    assert json.loads(out)["withheld"] == withheld


def test_nothing_readable_leaves_with_two(answer: Answer, tmp_path: Path) -> None:
    bad = tmp_path / "b.txt"
    bad.write_bytes(bytes(100))
    code, out, err = answer(bad, "--out", tmp_path / "out", "--json")
    assert (code, out) == (2, "")
    assert "Nothing was written" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((), "Where are the letters to go"),
        (("--out", "."), "in use"),
        (("--out", "o", "--threshold", 70), "from 0 to 1"),
        (("--out", "o", "--seed", -1), "at least 0"),
        (("--out", "o", "--max-characters", 0), "at least 1"),
        (("--out", "o", "--identities", "nobody.csv"), "There is no table of known people"),
        (("--out", "o", "--evaluate", "gold"), "There is no annotated file"),
    ],
)
def test_wrong_requests_leave_with_two(
    answer: Answer, letter: Path, monkeypatch: pytest.MonkeyPatch, arguments: Any, word: str
) -> None:
    monkeypatch.chdir(letter.parent)
    code, _, err = answer(letter, *arguments)
    assert code == 2
    assert word in err
    assert not Path("o").exists()


def test_evaluation_prints_the_four_rows_of_figure_24(
    answer: Answer, corpus: Path, tmp_path: Path
) -> None:
    code, told, _ = answer(corpus, "--evaluate", corpus)
    assert code == 0
    for row in ("Straight search", "Search with cues", "Scrub at 0.8", "Scrub at 0.7, reduced"):
        assert row in told
    assert "NAME" in told
    code, out, _ = answer(corpus, "--evaluate", corpus, "--json")
    rows = list(json.loads(out)["evaluation"].values())
    assert len(rows) == 4
    assert rows[3]["removed"] == 1.0
    assert rows[3]["references"] == 6


def test_gold_marks_for_letters_in_files(answer: Answer, letter: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"id": "a", "spans": [{"start": 4, "end": 24, "label": "NAME"}]}))
    assert answer(letter, "--evaluate", gold)[0] == 0
    gold.write_text(json.dumps({"id": "a", "spans": [{"start": 4, "end": 2400, "label": "NAME"}]}))
    code, _, err = answer(letter, "--evaluate", gold)
    assert code == 2
    assert "line 1: the marks do not fit" in err
    for wrong in ("[]", '{"id": 1}', "{", ""):
        gold.write_text(wrong)
        assert answer(letter, "--evaluate", gold)[0] == 2
    gold.write_text(json.dumps({"id": "b", "spans": []}))
    assert "No document has marks" in answer(letter, "--evaluate", gold)[2]


def test_a_project_file_names_table_and_columns(answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('n,notes\n1,"Mrs. Philippa Ravensworth came."\n2,fine\n')
    project = tmp_path / "release.toml"
    project.write_text('[data]\nfile = "t.csv"\n[text]\ncolumns = ["notes"]\nthreshold = 0.8\n')
    code, out, _ = answer(project, "--out", tmp_path / "out", "--seed", 1, "--json")
    assert code == 0
    assert json.loads(out)["threshold"] == 0.8
    written = (tmp_path / "out" / "table.csv").read_text()
    assert "Ravensworth" not in written
    assert written.startswith("notes\n")
    # `run` does the same where a project asks for nothing else
    project.write_text(project.read_text() + '[release]\nout = "ran"\nseed = 1\n')
    assert run(["run", str(project)]) == 0
    assert (tmp_path / "ran" / "table.csv").read_text() == written
    project.write_text('[data]\nfile = "t.csv"\n')
    code, _, err = answer(project, "--out", tmp_path / "out2")
    assert code == 2
    assert "no text columns" in err
