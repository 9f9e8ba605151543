"""Letters that LibreOffice makes while the tests run, and what it reads of those that we write."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from email.message import EmailMessage
from pathlib import Path

import pytest
from built_letters import everything_said

from indistinct.scrub import Letters, scrub

HERE = Path(__file__).resolve().parent / "letters"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "text" / "letters.jsonl"
_SPEC = importlib.util.spec_from_file_location("by_office", HERE / "by_office.py")
office = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(office)

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(not office.has_office(), reason="LibreOffice (soffice) is not installed"),
]
SHARE_OF_PDF = 0.98


@pytest.mark.parametrize("kind", office.KINDS)
def test_letters_that_are_made_anew_hold_the_same_text(tmp_path, kind):
    """The files beside this one are those of a LibreOffice; others may form them differently."""
    office.converted([HERE / "halden.fodt"], kind, tmp_path)
    anew, kept = (
        next(Letters([folder / f"halden.{kind}"]).documents()) for folder in (tmp_path, HERE)
    )
    assert anew.text.split() == kept.text.split()


@pytest.mark.parametrize("kind", ["docx", "odt", "html"])
def test_libreoffice_reads_what_was_written(tmp_path, kind):
    scrub(HERE / f"halden.{kind}", out=tmp_path / "out", seed=1, threads=1)
    written = tmp_path / "out" / f"letter-000001.{kind}"
    (text,) = office.converted([written], "txt:Text (encoded):UTF8", tmp_path)
    (page,) = office.converted([written], "pdf", tmp_path)
    shown = next(Letters([page]).documents()).text
    for words in ("methimazole", "Graves' disease", "0.02", "Sincerely"):
        assert words in text.read_text("utf-8")
        assert words in shown
    # headers, footers and notes are shown on the page, with the number of the page
    assert "page 1" in " ".join(shown.split())
    for name in ("Halden", "Perrault", "Okafor", "Nakamura", "Vandermeer", "Quillfeather"):
        assert name not in shown


@pytest.fixture(scope="module")
def letters(tmp_path_factory) -> Path:
    """Forty letters of others, as files of every kind."""
    if not SHARED.exists():
        pytest.skip(f"{SHARED} is not there")
    folder = tmp_path_factory.mktemp("letters")
    for kind in (*office.KINDS, "txt", "eml"):
        (folder / kind).mkdir()
    for number, line in enumerate(SHARED.read_text("utf-8").splitlines()[:40]):
        text = json.loads(line)["text"]
        (folder / "txt" / f"{number:03}.txt").write_text(text)
        mail = EmailMessage()
        mail["Subject"] = "letter"
        mail.set_content(text, cte="base64")
        (folder / "eml" / f"{number:03}.eml").write_bytes(bytes(mail))
    texts = sorted((folder / "txt").iterdir())
    papers = office.converted(texts, "odt", folder / "odt")
    for kind in office.KINDS:
        if kind != "odt":
            office.converted(papers, kind, folder / kind)
    return folder


def removed(folder: Path, out: Path) -> dict[str, Counter[str]]:
    """Return by letter what was removed from it."""
    scrub(folder, out=out, spans=out.with_suffix(".jsonl"), seed=1)
    texts = {one.id: one.text for one in Letters([folder]).documents()}
    found = {}
    for line in out.with_suffix(".jsonl").read_text().splitlines():
        told = json.loads(line)
        assert "withheld" not in told
        text = texts[told["id"]]
        spans = (" ".join(text[one["start"] : one["end"]].split()) for one in told["spans"])
        found[Path(told["id"]).stem] = Counter(spans)
    return found


@pytest.mark.shared
@pytest.mark.parametrize("kind", [*office.KINDS, "eml"])
def test_what_is_removed_from_every_kind_is_what_is_removed_from_the_text(letters, tmp_path, kind):
    wanted = removed(letters / "txt", tmp_path / "txt")
    found = removed(letters / kind, tmp_path / kind)
    total = sum(map(Counter.total, wanted.values()))
    missing = sum((wanted[name] - found[name]).total() for name in wanted)
    assert total > 500
    if kind == "pdf":  # lines are those of the page
        assert missing <= (1 - SHARE_OF_PDF) * total
    else:
        assert found == wanted
    for path in (tmp_path / kind).glob("letter-*"):
        said = everything_said(path.read_bytes())
        name = sorted((letters / "txt").iterdir())[int(path.stem[-6:]) - 1].stem
        numbers = [one for one in wanted[name] if sum(map(str.isdigit, one)) > 6]
        assert not [one for one in numbers if one.casefold() in said]
