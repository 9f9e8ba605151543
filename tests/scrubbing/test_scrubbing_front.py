"""Letters in, letters out: nothing that was found is left, and nothing is passed on unscrubbed."""

from __future__ import annotations

import csv
import json
import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.core.errors import InputError
from indistinct.scrub import ScrubResult, columns, scrub, treating
from indistinct.scrub.text.scrubber import Scrubber

LETTER = """RE: Philippa Ravensworth
DOB: 03/14/1961
MRN: 448-20-71

Dear Dr. Oakhurst:

Thank you for referring Mrs. Philippa Ravensworth, who was seen on June 3, 2019. Philippa has
Hodgkin's disease and is doing well. Reach her at philippa.ravensworth@example.org.

Sincerely,
Bartholomew Quigley, M.D.
"""
GONE = ("Philippa", "Ravensworth", "Oakhurst", "Quigley", "448-20-71", "03/14/1961", "June 3")


def everything_in(folder: Path) -> str:
    return "".join(p.read_text() for p in sorted(folder.rglob("*")) if p.is_file())


def lines(path: Path, *objects: object) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))
    return path


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "Ravensworth.txt").write_text(LETTER)
    (folder / "short.txt").write_text("Mrs. Philippa Ravensworth called.\r\n")
    return folder


def test_a_folder_of_letters(letters: Path, tmp_path: Path) -> None:
    done = scrub(letters, out=tmp_path / "out", seed=1)
    assert isinstance(done, ScrubResult)
    assert (done.documents, done.not_written, done.holds) == (2, 0, True)
    assert done.replaced + done.suppressed == sum(done.references.values()) == len(done.found)
    written = everything_in(tmp_path / "out")
    assert not [word for word in GONE if word in written]
    assert "Hodgkin's disease" in written
    names = sorted(p.name for p in (tmp_path / "out").iterdir())
    assert names == ["about.md", "certificate.json", "letter-000001.txt", "letter-000002.txt"]
    assert (tmp_path / "out" / "letter-000002.txt").read_bytes().endswith(b"\r\n")
    assert "not anonymous" in (tmp_path / "out" / "about.md").read_text()


def test_the_same_person_has_the_same_name_in_all_letters(letters: Path, tmp_path: Path) -> None:
    scrub(letters, out=tmp_path / "out", seed=1, spans=tmp_path / "spans.jsonl")
    first, second = map(json.loads, (tmp_path / "spans.jsonl").read_text().splitlines())
    assert first["id"] == "Ravensworth.txt"
    assert first["written"] == "letter-000001.txt"
    spans = first["spans"] + second["spans"]
    whole = {s["replacement"] for s in spans if s["kind"] == "full name"}
    assert second["spans"][0]["replacement"] in whole
    text = (letters / "Ravensworth.txt").read_bytes().decode()
    scrubbed = (tmp_path / "out" / "letter-000001.txt").read_bytes().decode()
    place, rebuilt = 0, ""
    for s in first["spans"]:
        assert {"label", "certainty", "detector", "rule", "person", "action"} <= set(s)
        rebuilt += text[place : s["start"]] + s["replacement"]
        place = s["end"]
    assert rebuilt + text[place:] == scrubbed


def test_the_same_seed_gives_the_same_bytes_and_without_one_another_name(
    letters: Path, tmp_path: Path
) -> None:
    for name, options in {"a": {"seed": 5}, "b": {"seed": 5}, "c": {}, "d": {}}.items():
        scrub(letters, out=tmp_path / name, **options)
    a, b, c, d = (everything_in(tmp_path / name) for name in "abcd")
    assert a == b
    assert len({a, c, d}) == 3


def test_a_secret_is_made_once_and_used_again(letters: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    scrub(letters, out=tmp_path / "a", secret=secret)
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    scrub(letters, out=tmp_path / "b", secret=secret)
    assert everything_in(tmp_path / "a") == everything_in(tmp_path / "b")
    secret.chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        scrub(letters, out=tmp_path / "c", secret=secret)
    with pytest.raises(InputError, match="not both"):
        scrub(letters, out=tmp_path / "c", secret=secret, seed=1)
    with pytest.raises(InputError, match="leave with them"):
        scrub(letters, out=tmp_path / "c", secret=tmp_path / "c" / "secret")
    assert not (tmp_path / "c").exists()


def test_names_are_kept_only_if_asked_and_if_they_name_nobody(
    letters: Path, tmp_path: Path
) -> None:
    done = scrub(letters, out=tmp_path / "out", seed=1, keep_names=True)
    names = {p.name for p in (tmp_path / "out").glob("*.txt")}
    assert names == {"letter-000001.txt", "short.txt"}
    assert any("1 file was given a number" in note for note in done.notes)


def test_json_lines_keep_id_patient_and_text_alone(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "in.jsonl",
        {"id": "a1", "who": "p-17", "text": LETTER, "people": ["Philippa"], "ward": "B"},
        {"id": "ravensworth-2", "who": "448-20-71", "text": LETTER},
        {"text": "All well."},
    )
    scrub(path, out=tmp_path / "out", seed=1, patient_field="who", keep_fields=("ward",))
    written = (tmp_path / "out" / "letters.jsonl").read_text()
    one, two, three = map(json.loads, written.splitlines())
    assert list(one) == ["id", "text", "ward", "who"]
    assert (one["id"], one["ward"]) == ("a1", "B")
    assert one["who"].startswith("patient-")
    assert two["id"].startswith("document-")  # the given ones hold what was removed
    assert two["who"].startswith("patient-")
    assert three == {"text": "All well."}
    assert not [word for word in GONE if word.lower() in written.lower()]


def test_several_files_of_json_lines_stay_apart(tmp_path: Path) -> None:
    paths = [lines(tmp_path / f"{n}.jsonl", {"id": n, "text": "All well."}) for n in "ab"]
    scrub(paths, out=tmp_path / "out", seed=1)
    scrub(paths, out=tmp_path / "kept", seed=1, keep_names=True)
    names = {p.name for p in (tmp_path / "out").iterdir()}
    assert names == {"about.md", "certificate.json", "letters.jsonl", "letters-2.jsonl"}
    assert {"a.jsonl", "b.jsonl"} < {p.name for p in (tmp_path / "kept").iterdir()}


def test_what_is_withheld_is_listed_and_the_rest_is_written(letters: Path, tmp_path: Path) -> None:
    (letters / "photo.txt").write_bytes(bytes(300))
    (letters / "empty.txt").write_bytes(b"")
    done = scrub(letters, out=tmp_path / "out", seed=1, spans=tmp_path / "s.jsonl")
    assert [one.document for one in done.withheld] == [str(letters / "photo.txt")]
    assert (done.documents, done.not_written, done.empty, done.holds) == (4, 1, 1, False)
    assert len(list((tmp_path / "out").glob("letter-*"))) == 3
    assert "1 document is empty" in done.notes[-1]
    told = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert [line["id"] for line in told if "withheld" in line] == ["photo.txt"]


def test_a_document_at_which_the_scrubber_fails_is_withheld(
    letters: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Scrubber.scrub

    def fails(self: Scrubber, text: str, **options: object) -> object:
        if "called" in text:
            raise ValueError(f"cannot do {text}")
        return whole(self, text, **options)

    monkeypatch.setattr(Scrubber, "scrub", fails)
    done = scrub(letters, out=tmp_path / "out", seed=1)
    assert done.withheld[0].reason.endswith("failed (ValueError)")
    assert not (tmp_path / "out" / "letter-000002.txt").exists()


def test_a_document_that_takes_too_long_is_withheld(
    letters: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Scrubber.scrub

    def never(self: Scrubber, text: str, **options: object) -> object:
        while "Ravensworth" in text:
            pass
        return whole(self, text)

    monkeypatch.setattr(Scrubber, "scrub", never)
    monkeypatch.setattr(treating, "seconds_for", lambda text: 0.05)
    with pytest.raises(InputError, match="took more than 0 processor seconds"):
        scrub(letters, out=tmp_path / "out", seed=1)
    assert not (tmp_path / "out").exists()


def test_nothing_readable_is_an_error_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(bytes(10))
    with pytest.raises(InputError, match="No document could be scrubbed") as caught:
        scrub(tmp_path / "a.txt", out=tmp_path / "out", spans=tmp_path / "s")
    assert "binary" in str(caught.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no documents"):
        scrub(tmp_path / "empty", out=tmp_path / "out")


def test_places_that_cannot_be_are_refused_before_any_work(letters: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("x")
    for options, word in (
        ({"out": tmp_path / "full"}, "not empty"),
        ({"out": tmp_path / "no" / "out"}, "does not exist"),
        ({"out": tmp_path / "out.jsonl"}, "names a folder"),
        ({"out": letters / "out"}, "among the letters"),
        ({"spans": letters / "spans.jsonl"}, "among the letters"),
        ({"spans": tmp_path / "no" / "s"}, "cannot be written"),
        ({"out": tmp_path / "o", "spans": tmp_path / "o" / "s"}, "private"),
        ({"identifiers": tmp_path / "i.xlsx"}, "csv or .parquet"),
        ({"threads": 0, "out": tmp_path / "o"}, "at least 1"),
        ({"threshold": 7}, "from 0 to 1"),
        ({"treshold": 0.7}, "Did you mean 'threshold'"),
        ({"dates": "week"}, "month, year or shift"),
        ({"encoding": "klingon"}, "no character encoding"),
        ({"master": "spark://x:1", "out": tmp_path / "o"}, "only for the spark engine"),
        ({"identities": tmp_path / "none.csv"}, "no file"),
    ):
        with pytest.raises(InputError, match=word):
            scrub(letters, **options)
    assert not (tmp_path / "o").exists()


def test_looking_only_writes_nothing_else(letters: Path, tmp_path: Path) -> None:
    scrub(letters, spans=tmp_path / "s.jsonl", seed=1)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["letters", "s.jsonl"]


def test_known_people_are_found_where_nothing_else_tells_them(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("we spoke about mossback brindle again, file 9917-QX.")
    (tmp_path / "who.csv").write_text("first_name,last_name,mrn\nMossback,Brindle,9917-QX\n")
    scrub(tmp_path / "a.txt", out=tmp_path / "out", seed=1, identities=str(tmp_path / "who.csv"))
    written = (tmp_path / "out" / "letter-000001.txt").read_text()
    assert "brindle" not in written
    assert "9917" not in written


def test_a_patients_letters_share_what_is_known(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "a.jsonl",
        {"id": 1, "p": "x", "text": "Discussed with brindlewick; she agrees."},
        {"id": 2, "p": "x", "text": "RE: Ottoline Brindlewick\n\nMrs. Brindlewick is well."},
    )
    scrub(path, out=tmp_path / "out", seed=1, patient_field="p")
    assert "brindlewick" not in (tmp_path / "out" / "letters.jsonl").read_text().lower()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_identifiers_become_a_table_to_attack_with(
    letters: Path, tmp_path: Path, suffix: str
) -> None:
    place = tmp_path / f"who{suffix}"
    done = scrub(letters, identifiers=place, seed=1)
    assert done.identifiers == place
    if suffix == ".csv":
        with place.open(newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        rows = pq.read_table(place).to_pylist()
    assert {row["last"] for row in rows} >= {"Ravensworth", "Oakhurst", "Quigley"}
    patient = next(row for row in rows if row["first"] == "Philippa")
    assert (patient["birth_date"], str(patient["document"])) == ("1961-03-14", "1")


@pytest.mark.heavy
def test_several_processes_give_the_same_bytes(tmp_path: Path) -> None:
    notes = [
        {
            "id": n,
            "p": n // 3,
            "text": f"Mrs. {'ABCDEFGH'[n % 8]}xworthy was seen on 3/{n % 28 + 1}/2019.",
        }
        for n in range(150)
    ]
    path = lines(tmp_path / "a.jsonl", *notes)
    for threads in (1, 2):
        place = tmp_path / str(threads)
        scrub(
            path,
            out=place,
            spans=tmp_path / f"{threads}s",
            seed=1,
            threads=threads,
            patient_field="p",
        )
    assert everything_in(tmp_path / "1") == everything_in(tmp_path / "2")
    assert (tmp_path / "1s").read_bytes() == (tmp_path / "2s").read_bytes()


# Tables


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "visits.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["name", "age", "notes", "plan"])
        rows.writerow(["Philippa Ravensworth", 58, LETTER, "See Dr. Oakhurst."])
        rows.writerow(["Ann", 40, "", "Mrs. Philippa Ravensworth called."])
    return path


def test_the_text_columns_of_a_table(table: Path, tmp_path: Path) -> None:
    done = scrub(
        table, columns=("notes", "plan"), keep_fields=("age",), out=tmp_path / "out", seed=1
    )
    written = (tmp_path / "out" / "table.csv").read_text()
    with (tmp_path / "out" / "table.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert list(first) == ["age", "notes", "plan"]
    assert (first["age"], second["age"], second["notes"]) == ("58", "40", "")
    assert not [word for word in GONE if word in written]
    assert "columns that were left out: name" in done.notes[0]


def test_cells_that_cannot_be_treated_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "BATCH", 5)
    path = tmp_path / "t.parquet"
    texts = ["Mrs. Oakhurst is well.", "x" * 50 + " Mrs. Oakhurst", None, "fine"] * 4
    pq.write_table(pa.table({"notes": texts, "n": range(16)}), path)
    done = scrub(
        path, columns="notes", keep_fields="n", out=tmp_path / "o", seed=1, max_characters=40
    )
    written = pq.read_table(tmp_path / "o" / "table.parquet")
    assert written.column("n").to_pylist() == list(range(16))
    column = written.column("notes").to_pylist()
    assert column[1::4] == column[2::4] == [None] * 4
    assert column[3::4] == ["fine"] * 4
    assert not any("Oakhurst" in text for text in column[0::4])
    assert (done.documents, done.not_written) == (12, 4)
    assert done.withheld[0].document == f"{path}, record 2, notes"


def test_tables_need_the_names_of_their_text_columns(table: Path, tmp_path: Path) -> None:
    for options, word in (
        ({}, "Which columns"),
        ({"columns": ("note",)}, "Did you mean 'notes'"),
        ({"columns": ("age",)}, "not text"),
        ({"columns": ("notes", "notes")}, "twice"),
    ):
        with pytest.raises(InputError, match=word):
            scrub(table, out=tmp_path / "o", **options)
    with pytest.raises(InputError, match="one table"):
        scrub([table, table], columns=("notes",), out=tmp_path / "o")


# Results


def test_the_result_shows_itself_without_a_private_word(letters: Path, tmp_path: Path) -> None:
    (letters / "Ravensworth.txt").rename(letters / "one.txt")
    done = scrub(letters, seed=1)
    shown = repr(done) + done.details() + done._repr_html_() + json.dumps(done.to_dict())
    assert not [word for word in GONE if word in shown]
    assert done.to_frame().documents[0] == 2
    assert done.plot().startswith("<svg")


def test_many_references_are_counted_and_not_listed(
    letters: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from indistinct.scrub import result, tallying

    for module in (result, tallying):
        monkeypatch.setattr(module, "MOST_FOUND", 3)
    done = scrub(letters, seed=1)
    assert done.found is None
    assert "found" not in done.to_dict()
    assert "too many to list" in done.notes[-1]
