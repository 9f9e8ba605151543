"""All that can be wrong with what is read: told and withheld, and the rest goes on."""

from __future__ import annotations

import json
import os
import tracemalloc

import pytest

from indistinct.core.errors import InputError
from indistinct.scrub import Letters
from indistinct.scrub import reading as room

NAME = "Zebulon Quackenbush"


def read(*paths, **options):
    letters = Letters(list(paths), **options)
    return list(letters.documents()), list(letters.notes())


def lines(path, *objects):
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))
    return path


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (bytes(range(256)) * 20, "binary"),
        (b"\x00\x01\x02 text", "binary"),
        (b"\x7fELF" + bytes(100), "binary"),
        (b"caf\xe9 with " + NAME.encode(), "UTF-8"),
        (b"\xff\xfe\x00\xd8\x00", "UTF-16"),
        (b"{\\rtf1\\ansi Dear " + NAME.encode(), "RTF"),
        (b"%PDF-1.7\n" + NAME.encode(), "PDF"),
        (b"PK\x03\x04word/document.xml", "zipped"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "old Word file"),
        (b"\x1f\x8b\x08\x00", "compressed"),
        ("\x01\x02\x03\x04\x05 " * 30, "binary"),
    ],
)
def test_what_is_no_text_is_withheld_with_a_word(tmp_path, raw, word):
    (tmp_path / "a.txt").write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    (tmp_path / "b.txt").write_text("fine")
    (bad, good), _ = read(tmp_path)
    assert bad.text is None
    assert word in bad.reason
    assert NAME not in bad.reason
    assert good.text == "fine"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings_that_can_be_told_are_read(tmp_path, encoding):
    (tmp_path / "a.txt").write_bytes("Zoë has a cold.\r\nShe is well.".encode(encoding))
    (only,), _ = read(tmp_path / "a.txt")
    assert only.text == "Zoë has a cold.\r\nShe is well."


def test_a_declared_encoding_is_used(tmp_path):
    (tmp_path / "a.txt").write_bytes("Zoë".encode("latin-1"))
    (only,), _ = read(tmp_path / "a.txt", encoding="latin-1")
    assert only.text == "Zoë"


def test_markup_is_read_as_text_and_json_is_not(tmp_path):
    (tmp_path / "a.xml").write_text("<note>Dear</note>")
    (tmp_path / "b.json").write_text('{"text": "x"}')
    (one, two), _ = read(tmp_path)
    assert one.text == "<note>Dear</note>"
    assert two.text is None
    assert ".jsonl" in two.reason


def test_an_empty_file_is_an_empty_document(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"")
    (only,), _ = read(tmp_path)
    assert only.text == ""


def test_folders_are_read_in_order_without_hidden_files(tmp_path):
    for name in ("b/two.txt", "a/one.note", "three", ".hidden/x.txt", ".DS_Store"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    documents, _ = read(tmp_path)
    assert [d.id for d in documents] == ["three", "a/one.note", "b/two.txt"]
    assert [d.number for d in documents] == [1, 2, 3]


def test_a_file_given_twice_is_read_once_and_told(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("x")
    documents, notes = read(path, tmp_path, path)
    assert len(documents) == 1
    assert "more than once" in notes[0]


def test_what_is_no_file_is_withheld(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "fine.txt").write_text("x")
    documents, _ = read(tmp_path)
    found = {d.id: d.reason for d in documents}
    assert found["fine.txt"] == ""
    assert "regular" in found["pipe.txt"]
    assert "cannot be read" in found["gone.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_withheld(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "a.txt").chmod(0)
    (only,), _ = read(tmp_path)
    assert "permission denied" in only.reason.lower()


def test_a_long_document_is_withheld_without_being_read(tmp_path, monkeypatch):
    with (tmp_path / "a.txt").open("wb") as file:
        file.truncate(50_000_000_000)  # a file with a hole
    (tmp_path / "b.txt").write_text("x" * 101)
    (tmp_path / "c.txt").write_text("ë" * 100)
    documents, _ = read(tmp_path, max_characters=100)
    assert [d.text is None for d in documents] == [True, True, False]
    assert "more than 100 characters" in documents[1].reason


def test_a_long_line_is_skipped_in_little_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(room, "LONGEST_LINE", 100_000)
    path = tmp_path / "a.jsonl"
    with path.open("w") as file:
        file.write('{"id": 1, "text": "one"}\n{"id": 2, "text": "')
        for _ in range(300):
            file.write("x" * 100_000)
        file.write('"}\n{"id": 3, "text": "three"}\n')
    tracemalloc.start()
    documents, _ = read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [d.text for d in documents] == ["one", None, "three"]
    assert documents[1].place.endswith("line 2")
    assert peak < 5_000_000  # of 30 MB


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (b'{"text": "' + NAME.encode(), "valid JSON"),
        (b'["' + NAME.encode() + b'"]', "JSON object"),
        (b"{" * 100_000, "valid JSON"),
        (b'{"id": ' + b"9" * 10_000 + b', "text": "x"}', "valid JSON"),
        (b'{"id": "' + NAME.encode() + b'", "txt": "x"}', "no field 'text'"),
        (b'{"text": null}', "something else than text"),
        (b'{"text": 7}', "something else than text"),
        (b'{"text": ["' + NAME.encode() + b'"]}', "something else than text"),
        (b'{"text": "\\ud800"}', "halves of characters"),
        (b'{"text": "a\\u0000b"}', "zeros"),
        (b'{"text": "caf\xe9"}', "UTF-8"),
    ],
)
def test_a_wrong_line_is_withheld_by_its_number_and_the_rest_goes_on(tmp_path, line, word):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "one"}\n\n' + line + b'\n{"text": "four"}\n')
    documents, _ = read(path)
    assert [d.text for d in documents] == ["one", None, "four"]
    assert documents[1].place == f"{path}, line 3"
    assert word in documents[1].reason
    assert NAME not in documents[1].reason


def test_json_lines_in_utf_16_are_withheld_whole(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "one"}\n', encoding="utf-16")
    (only,), _ = read(path)
    assert only.text is None
    assert "UTF-16" in only.reason


def test_a_folder_named_as_a_file_is_a_folder(tmp_path):
    folder = tmp_path / "letters.jsonl"
    folder.mkdir()
    (folder / "a.txt").write_text("x")
    (only,), _ = read(folder)
    assert only.text == "x"


def test_the_second_of_two_equal_ids_is_withheld(tmp_path):
    path = lines(tmp_path / "a.jsonl", {"id": 1, "text": "a"}, {"id": 1, "text": "b"})
    documents, _ = read(path, lines(tmp_path / "b.jsonl", {"id": "1", "text": "c"}))
    assert [d.text for d in documents] == ["a", None, "c"]
    assert "earlier" in documents[1].reason


def test_fields_that_nobody_asked_for_are_left_out(tmp_path):
    record = {"id": "a", "patient": 7, "text": "x", "people": [NAME], "spans": [], "ward": "B"}
    path = lines(tmp_path / "a.jsonl", record)
    (only,), notes = read(path, patient_field="patient", keep_fields=("ward",))
    assert dict(only.kept) == {"id": "a", "patient": 7, "ward": "B"}
    assert only.patient == "7"
    assert notes == ["fields that were left out: people, spans; keep them with --keep-fields"]


def test_an_id_that_is_no_id_is_neither_used_nor_kept(tmp_path):
    path = lines(tmp_path / "a.jsonl", {"id": {"name": NAME}, "text": "x"})
    (only,), _ = read(path)
    assert (only.id, dict(only.kept)) == (1, {})


def test_patients_that_come_back_are_told(tmp_path):
    path = lines(tmp_path / "a.jsonl", *({"p": p, "text": "x"} for p in "abab"))
    _, notes = read(path, patient_field="p")
    assert "2 times a patient came back" in notes[-1]


def test_what_is_not_there_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("x")
    with pytest.raises(InputError, match=r"Did you mean 'letter\.txt'"):
        Letters([tmp_path / "leter.txt"])
    with pytest.raises(InputError, match="Name the letters"):
        Letters([])
