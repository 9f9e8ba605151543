"""Ways by which what is private could leave, or what is there be lost: all of them closed."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.core.errors import InputError
from indistinct.files import parquet_writer, written_whole
from indistinct.protect import Context
from indistinct.scrub import ScrubResult, scrub
from indistinct.scrub.decoding import NotText, decoded
from indistinct.scrub.reading import Letters
from indistinct.scrub.treating import encoded_reason

NOTE = "Mrs. Philippa Ravensworth is well. File 448-20-71."


def lines(path: Path, *objects: object) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))
    return path


def written(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "letters.jsonl").read_text().splitlines()]


def reasons(done: ScrubResult) -> dict[str, str]:
    return {Path(one.document).name: one.reason for one in done.withheld}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "letters"
    place.mkdir()
    (place / "a.txt").write_text("All is well.")
    return place


@pytest.mark.parametrize(
    "options",
    [{"keep_fields": ("text",)}, {"id_field": "text"}, {"patient_field": "text"}],
)
def test_the_text_is_never_kept_as_another_field(
    tmp_path: Path, options: dict[str, object]
) -> None:
    path = lines(tmp_path / "a.jsonl", {"id": 1, "text": NOTE})
    with pytest.raises(InputError, match="holds the text"):
        scrub(path, out=tmp_path / "out", seed=1, **options)
    assert not (tmp_path / "out").exists()


def test_a_patient_is_always_replaced_and_by_the_same(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "a.jsonl",
        {"id": "a", "p": "Ottoline Brindlewick", "text": "All is well."},
        {"id": "b", "p": 17, "text": "All is well."},
        {"id": "c", "p": "Ottoline Brindlewick", "text": "All is well again."},
    )
    scrub(path, out=tmp_path / "out", seed=1, patient_field="p")
    one, two, three = (line["p"] for line in written(tmp_path / "out"))
    assert one == three != two
    assert str(one).startswith("patient-")
    assert str(two).startswith("patient-")
    scrub(path, out=tmp_path / "kept", seed=1, patient_field="p", keep_fields=("p",))
    assert written(tmp_path / "kept")[1]["p"] == 17


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("brindlewick_ottoline", True),  # a name, though not of the text
        ("Räventhorpe", True),  # in the text without its accent
        (4482071, True),  # a number of the text, without its signs
        ("0004482071", True),
        ("44820", True),  # a part of it
        ("p9/3", True),  # whom it is about
        ("a3", False),
        (12, False),
    ],
)
def test_an_id_that_tells_somebody_is_replaced(tmp_path: Path, given: object, told: bool) -> None:
    text = "Mrs. Philippa Raventhorpe is well. MRN: 448-20-71."
    path = lines(tmp_path / "a.jsonl", {"id": given, "p": "p9", "text": text})
    scrub(path, out=tmp_path / "out", seed=1, patient_field="p")
    found = written(tmp_path / "out")[0]["id"]
    assert str(found).startswith("document-") if told else found == given


def noted_table(path: Path) -> Path:
    field = pa.field("notes", pa.large_string(), metadata={"source": "Philippa Ravensworth"})
    table = pa.table([pa.array([NOTE, "fine"], pa.large_string())], schema=pa.schema([field]))
    pq.write_table(table, path)
    assert b"source" in pq.read_schema(path).field("notes").metadata
    return path


def test_what_is_noted_beside_a_column_does_not_leave(tmp_path: Path) -> None:
    path = noted_table(tmp_path / "t.parquet")
    scrub(path, columns="notes", out=tmp_path / "out", seed=1)
    place = tmp_path / "out" / "table.parquet"
    assert not pq.read_schema(place).field("notes").metadata
    assert b"Ravensworth" not in place.read_bytes()
    assert "Ravensworth" not in pq.read_table(place).column("notes")[0].as_py()
    read = pq.read_table(path)
    with parquet_writer(tmp_path / "w.parquet", read.schema) as writer:
        writer.write(read)
    again = pq.read_table(tmp_path / "w.parquet")
    assert not again.schema.field("notes").metadata
    assert again.equals(read)


def test_a_plan_scrubs_large_text_and_leaves_no_note(tmp_path: Path) -> None:
    from indistinct.engine import start_engine
    from indistinct.files import open_data
    from indistinct.scrub.step import ScrubText

    source = open_data(noted_table(tmp_path / "t.parquet"), workspace=tmp_path)
    with start_engine("duckdb", workspace=tmp_path, threads=1) as engine:
        done, _ = ScrubText(("notes",)).apply(engine, source, Context(seed=1))
    assert "Ravensworth" not in pq.read_table(done.path).column("notes")[0].as_py()
    assert not pq.read_schema(done.path).field("notes").metadata


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_only_regular_files_are_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="not a regular file"), written_whole(pipe):
        pass
    assert pipe.is_fifo()


def test_nothing_is_written_over_what_is_read(tmp_path: Path, folder: Path) -> None:
    who = tmp_path / "who.csv"
    who.write_text("last_name\nBrindle\n")
    secret, gold = tmp_path / "secret", lines(tmp_path / "g.jsonl", {"id": "a", "spans": []})
    link = tmp_path / "link.csv"
    link.symlink_to(who)
    for options, word in (
        ({"identities": who, "spans": who}, "written over"),
        ({"identities": who, "identifiers": link}, "written over"),
        ({"secret": secret, "spans": secret}, "written over"),
        ({"evaluate": gold, "spans": gold}, "written over"),
        ({"spans": tmp_path / "x.csv", "identifiers": tmp_path / "." / "x.csv"}, "two things"),
    ):
        with pytest.raises(InputError, match=word):
            scrub(folder, **options)
    assert not secret.exists()
    assert who.read_text() == "last_name\nBrindle\n"
    (tmp_path / "t.csv").write_text("notes\nfine\n")
    project = tmp_path / "p.toml"
    project.write_text('[data]\nfile = "t.csv"\n[text]\ncolumns = ["notes"]\n')
    for name in ("t.csv", "p.toml"):
        with pytest.raises(InputError, match=r"written over|among the letters"):
            scrub(project, spans=tmp_path / name)


def test_neither_the_secret_nor_those_who_are_known_are_letters(
    tmp_path: Path, folder: Path
) -> None:
    for place in (folder / "secret.txt", folder / "a.txt"):
        with pytest.raises(InputError, match="among the letters"):
            scrub(folder, out=tmp_path / "out", secret=place)
    assert not (folder / "secret.txt").exists()
    (folder / "who.csv").write_text("last_name\nBrindle\n")
    done = scrub(folder, out=tmp_path / "out", seed=1, identities=folder / "who.csv")
    assert (done.documents, done.holds) == (1, True)


def test_tables_in_a_folder_and_links_out_of_it_are_withheld(tmp_path: Path, folder: Path) -> None:
    (folder / "t.csv").write_text("name\nBrindle\n")
    (folder / "u.tsv.gz").write_bytes(b"\x1f\x8b")
    (tmp_path / "elsewhere.txt").write_text(NOTE)
    (folder / "link.txt").symlink_to(tmp_path / "elsewhere.txt")
    told = reasons(scrub(folder, seed=1))
    assert set(told) == {"t.csv", "u.tsv.gz", "link.txt"}
    assert told["t.csv"] == told["u.tsv.gz"] == "is a table. Name its text columns with --columns"
    assert "outside of the folder" in told["link.txt"]


def test_a_link_within_the_folder_is_read_once(folder: Path) -> None:
    (folder / "b.txt").symlink_to(folder / "a.txt")
    letters = Letters([folder])
    assert [one.reason for one in letters.documents()] == [""]
    assert list(letters.notes()) == ["1 file was given more than once, and read once"]


def test_utf_8_is_not_misread_as_something_else() -> None:
    for encoding in ("latin-1", "cp1252"):
        with pytest.raises(NotText, match=f"is UTF-8, not {encoding}"):
            decoded("Zoë".encode(), encoding)
    assert decoded("Zoë".encode("latin-1"), "latin-1") == "Zoë"
    assert decoded(b"Zoe", "latin-1") == "Zoe"
    assert decoded("Zoë".encode(), "utf8") == "Zoë"


def wrapped(text: str, width: int = 76) -> str:
    whole = base64.b64encode(text.encode()).decode()
    return "\n".join(whole[at : at + width] for at in range(0, len(whole), width))


@pytest.mark.parametrize(
    "text",
    [
        wrapped(NOTE, 1000),
        wrapped(NOTE * 5),
        wrapped(NOTE, 20),
        "See below.\n" + wrapped(NOTE * 5),
        wrapped("Пациентка Ольга Петрова здорова."),
        wrapped(NOTE, 1000).rstrip("=").replace("+", "-").replace("/", "_"),
        "Content-Transfer-Encoding: Quoted-Printable\n\nMrs. Ra=\nvensworth",
    ],
)
def test_encoded_text_is_known(text: str) -> None:
    assert "Decode it first" in encoded_reason(text)


@pytest.mark.parametrize(
    "text",
    [
        NOTE,
        "",
        "Aspirin\nWarfarin\nMetoprolol\nLisinopril\nSimvastatin",
        "a" * 1000,
        "A" * 1000,
        "da39a3ee5e6b4b0d3255bfef95601890afd80709 is a checksum",
        "-" * 79 + "\nNEUROLOGY\n" + "_" * 79,
        "pneumonoultramicroscopicsilicovolcanoconiosis",
        "https://example.org/patients/information/leaflets/about/hypertension/treatment",
    ],
)
def test_ordinary_text_is_not_taken_for_encoded(text: str) -> None:
    assert encoded_reason(text) == ""


def test_encoded_letters_are_withheld(tmp_path: Path, folder: Path) -> None:
    (folder / "mail.txt").write_text(wrapped(NOTE * 5))
    told = reasons(scrub(folder, out=tmp_path / "out", seed=1))
    assert list(told) == ["mail.txt"]
    assert "base64" in told["mail.txt"]
    assert len(list((tmp_path / "out").glob("letter-*"))) == 1


def test_the_answer_names_documents_by_number(tmp_path: Path) -> None:
    path = tmp_path / "Ravensworth.txt"
    path.write_text(NOTE)
    told = scrub(path, seed=1).to_dict()
    assert {one["document"] for one in told["found"]} == {1}


def test_kept_names_are_never_written_over(tmp_path: Path) -> None:
    given = []
    for n, name in enumerate(("x/letters-2.jsonl", "y/a.jsonl", "z/letters-2.jsonl")):
        place = tmp_path / name
        place.parent.mkdir()
        given.append(lines(place, {"id": n, "text": f"Number {n}."}))
    scrub(given, out=tmp_path / "out", seed=1, keep_names=True)
    names = {path.name for path in (tmp_path / "out").glob("*.jsonl")}
    assert names == {"letters-2.jsonl", "a.jsonl", "letters-3.jsonl"}
    told = "".join(path.read_text() for path in (tmp_path / "out").glob("*.jsonl"))
    assert all(f"Number {n}." in told for n in range(3))


def test_our_note_has_its_name_for_itself(tmp_path: Path, folder: Path) -> None:
    (folder / "About.md").write_text("All about it.")
    (folder / "letter-000001.md").write_text("Another.")
    scrub(folder, out=tmp_path / "out", seed=1, keep_names=True)
    texts = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert len(texts) == 5
    assert texts["about.md"].startswith("# About these documents")
    assert {"All about it.", "All is well.", "Another."} < set(texts.values())


def test_private_files_appear_only_with_the_letters(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from indistinct.core.doors import going

    def fails(aside: Path, place: Path) -> None:
        raise OSError(28, "full")

    monkeypatch.setattr(going, "put_in_place", fails)
    with pytest.raises(InputError, match="disk is full"):
        scrub(
            folder,
            out=tmp_path / "out",
            spans=tmp_path / "s.jsonl",
            identifiers=tmp_path / "i.csv",
            seed=1,
        )
    assert [path.name for path in tmp_path.iterdir()] == ["letters"]
