"""Letters of word processors, mails and pages: what is in them is found, and nothing of it is left.

The files of `letters/` were made by LibreOffice from `halden.fodt`; `letters/by_office.py` makes
them anew.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from email.message import EmailMessage
from pathlib import Path

import pytest
from built_letters import W, everything_said, open_document, packed, paragraph, relation, run, word
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.cli import run as run_verb
from indistinct.core.errors import InputError
from indistinct.scrub import Letters, scrub
from indistinct.scrub.documents import Document, Found, Outcome, Treated
from indistinct.scrub.formats import docx, every, odt
from indistinct.scrub.formats.every import all_formats, format_of
from indistinct.scrub.formats.sheet import Sheet
from indistinct.scrub.laying import laid_out

HERE = Path(__file__).resolve().parent / "letters"
MADE = ("docx", "odt", "rtf", "pdf", "html")
SAME_KIND = ("docx", "odt", "html")
PEOPLE = (
    "rosalind", "halden", "perrault", "okafor", "nakamura", "vandermeer", "brindle", "quillfeather",
    "valdorf", "ximena", "55-20817", "555-0142", "07/19/", "brigid",
)  # fmt: skip
NAME = "Zebulon Quackenbush"
NOTE = f"Mr. {NAME} was seen. Mr. Quackenbush is well."


def text_of(raw: bytes, suffix: str) -> str:
    return sheet_of(raw, suffix).text


def parts_of(raw: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(raw)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def sheet_of(raw: bytes, suffix: str) -> Sheet:
    form = format_of(raw[:1024], suffix)
    assert form is not None
    return form.read(raw, "utf-8")


def scrubbed(tmp_path: Path, raw: bytes, name: str, **options: object):
    """Scrub one letter beside another; return the result and what was written of it, if it was."""
    folder = tmp_path / "in"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(raw)
    (folder / "zz.txt").write_text("All is well.")
    done = scrub(folder, out=tmp_path / "out", seed=1, threads=1, **options)
    written = [p for p in (tmp_path / "out").glob("letter-*") if p.name.startswith("letter-000001")]
    return done, (written[0] if written else None)


# Files made by LibreOffice ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", MADE)
def test_nothing_of_anybody_is_left_in_what_libreoffice_made(tmp_path, kind):
    raw = (HERE / f"halden.{kind}").read_bytes()
    assert kind == "pdf" or "halden" in everything_said(raw)
    done, written = scrubbed(tmp_path, raw, f"rosalind-halden.{kind}", keep_names=False)
    assert done.not_written == 0
    assert written.suffix == (f".{kind}" if kind in SAME_KIND else ".txt")
    said = everything_said(written.read_bytes())
    assert [name for name in PEOPLE if name in said] == []
    for kept in ("graves' disease", "methimazole", "54-year-old", "0.02", "10 mg", "07/1968"):
        assert kept in said


@pytest.mark.parametrize("kind", MADE)
def test_what_is_removed_is_the_same_in_every_kind(tmp_path, kind):
    """References of each kind, by what stood there, against those of the same words as text."""
    (tmp_path / f"a.{kind}").write_bytes((HERE / f"halden.{kind}").read_bytes())
    (document,) = Letters([HERE / f"halden.{kind}"]).documents()
    (tmp_path / "b.txt").write_text(document.text)
    found = {}
    for name in (f"a.{kind}", "b.txt"):
        scrub(tmp_path / name, spans=tmp_path / f"{name}.jsonl", seed=1, threads=1)
        found[name] = json.loads((tmp_path / f"{name}.jsonl").read_text())["spans"]
    assert found[f"a.{kind}"] == found["b.txt"]
    assert len(found["b.txt"]) > 10


@pytest.mark.parametrize("kind", ["docx", "odt"])
def test_layout_is_kept_and_styles_lose_their_names(tmp_path, kind):
    done, written = scrubbed(tmp_path, (HERE / f"halden.{kind}").read_bytes(), f"a.{kind}")
    said = everything_said(written.read_bytes())
    for mark in {"docx": ("<w:tbl>", "<w:b/>", "ff0000", "<w:footnotereference", "<w:ind"),
                 "odt": ("<table:table ", "fo:font-weight", "#ff0000", "<text:note ", "fo:margin"),
                 }[kind]:  # fmt: skip
        assert mark in said
    again = sheet_of(written.read_bytes(), f".{kind}")
    assert not +again.left_out
    (note,) = [note for note in done.notes if note.startswith("left out")]
    for words in ("comments: 1", "hidden text: 1", "pictures: 1", "tracked deletions: 1"):
        assert words in note


def test_the_same_letter_gives_the_same_bytes(tmp_path):
    raw = (HERE / "halden.docx").read_bytes()
    written = []
    for name in "12":
        (tmp_path / name).mkdir()
        written.append(scrubbed(tmp_path / name, raw, "a.docx")[1].read_bytes())
    assert written[0] == written[1]


def test_a_folder_of_all_kinds_by_several_processes_is_the_same(tmp_path):
    for number, kind in enumerate(MADE):
        (tmp_path / f"{number}.{kind}").write_bytes((HERE / f"halden.{kind}").read_bytes())
    texts = [one.text for one in Letters([tmp_path]).documents()]
    assert len(texts) == 5
    assert all(text and "Rosalind" in text for text in texts)
    # one process is enough for so few; the words that go there and back are those of a document
    from indistinct.scrub.on_spark import _packed, _unpacked

    chunk = [[one] for one in Letters([tmp_path]).documents()]
    assert _unpacked(_packed(chunk)) == chunk


# Text that is cut in pieces ---------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.text("Müler n\n\t", min_size=0, max_size=6), st.booleans()), max_size=8),
    st.data(),
)
def test_changes_of_pieces_are_changes_of_the_whole(pieces, data):
    """Brute force: the changed text of the pieces is the changed text, wherever it is cut."""
    sheet, paper = Sheet(), {}
    for number, (text, is_mark) in enumerate(pieces):
        text = text.replace("\n", "").replace("\t", "")
        paper[number] = text
        sheet.add(text, lambda now, at=number: paper.__setitem__(at, now))
        if is_mark:
            sheet.mark("\n")
            paper[f"{number}m"] = "\n"
    text = sheet.text
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    changes = [
        (start, end, data.draw(st.text("XY ", max_size=3)))
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        if text[start:end].strip("\n") and "\n" not in text[start:end]
    ]
    wanted, place = [], 0
    for start, end, made in changes:
        wanted += [text[place:start], made]
        place = end
    wanted.append(text[place:])
    assert sheet.change(changes) == "".join(wanted) == "".join(paper.values())


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        ("9 Elm Road\nAustin, TX", ["9 Elm Road", "Austin, TX"]),
        ("7 Oak Road, Reno", ["7 Oak Road, Reno", ""]),
        ("7 Oak\nRoad\nReno", ["7 Oak Road Reno", ""]),
    ],
)
def test_what_has_lines_is_written_line_by_line(made, wanted):
    sheet, paper = Sheet(), []
    for number, line in enumerate(("41 Mill Street", "Salem, MA")):
        paper.append(line)
        sheet.add(line, lambda now, at=number: paper.__setitem__(at, now))
        sheet.mark("\n")
    sheet.change([(0, 24, made)])
    assert paper == wanted


@pytest.mark.parametrize("kind", ["docx", "odt", "html", "rtf"])
def test_a_name_of_which_every_letter_is_formed_by_itself_is_one_name(tmp_path, kind):
    text = "Mr. Zebulon Quackenbush was seen in May."
    if kind == "docx":
        raw = word(
            paragraph(*(run(sign, "<w:b/>" if n % 2 else "") for n, sign in enumerate(text)))
        )
    elif kind == "odt":
        spans = (f"<text:span>{sign if sign != ' ' else '<text:s/>'}</text:span>" for sign in text)
        raw = open_document(f"<text:p>{''.join(spans)}</text:p>")
    elif kind == "rtf":
        raw = b"{\\rtf1\\ansi " + b"".join(b"{\\b %c}" % ord(sign) for sign in text) + b"\\par}"
    else:
        raw = f"<p>{''.join(f'<b>{sign}</b>' for sign in text)}</p>".encode()
    assert text_of(raw, f".{kind}").strip() == text
    done, written = scrubbed(tmp_path, raw, f"a.{kind}")
    assert done.references["full name"] == 1
    said = everything_said(written.read_bytes())
    assert "zebulon" not in said
    assert "quackenbush" not in said
    assert "wasseeninmay." in said.replace(" ", "")


# What Word writes and LibreOffice does not ------------------------------------------------------

SECRET = "Quackenbush"
HIDING = {
    "alternative text": (
        f'<w:drawing><wp:docPr xmlns:wp="urn:x" id="1" descr="{SECRET}"/></w:drawing>'
    ),
    "a field's code": (
        '<w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK '
        f'"http://{SECRET}.example"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/>'
    ),
    "an unknown element": f"<w14:thing>{SECRET}</w14:thing>",
    "an embedded object": f'<w:object><o:OLEObject ProgID="{SECRET}"/></w:object>',
    "text of a drawing": f'<w:pict><v:shape><v:textpath string="{SECRET}"/></v:shape></w:pict>',
    "an attribute": f'<w:br w:clear="{SECRET}" w:halden="1"/>',
    "a symbol": f'<w:sym w:font="{SECRET}" w:char="F0FC"/>',
}
AROUND = {
    "a deletion": '<w:del w:author="{0}" w:date="2023-01-01T00:00:00Z"><w:r>'
    "<w:delText>{0}</w:delText></w:r></w:del>",
    "a move": '<w:moveFrom w:author="{0}"><w:r><w:t>{0}</w:t></w:r></w:moveFrom>',
    "hidden text": "<w:r><w:rPr><w:vanish/></w:rPr><w:t>{0}</w:t></w:r>",
    "a bookmark": '<w:bookmarkStart w:id="1" w:name="{0}"/><w:bookmarkEnd w:id="1"/>',
    "an author": '<w:ins w:author="{0}" w:date="2023-01-01T00:00:00Z"><w:r><w:t>seen</w:t></w:r>'
    "</w:ins>",
    "a content control": '<w:sdt><w:sdtPr><w:alias w:val="{0}"/><w:tag w:val="{0}"/></w:sdtPr>'
    "<w:sdtContent><w:r><w:t>seen</w:t></w:r></w:sdtContent></w:sdt>",
    "a link": '<w:hyperlink r:id="hyperlink" w:tooltip="{0}"><w:r><w:t>here</w:t></w:r>'
    "</w:hyperlink>",
    "a format's history": '<w:pPr><w:rPr><w:rPrChange w:author="{0}"><w:rPr><w:b/></w:rPr>'
    "</w:rPrChange></w:rPr></w:pPr>",
    "a font": '<w:r><w:rPr><w:rFonts w:ascii="{0}"/></w:rPr><w:t>seen</w:t></w:r>',
    "how it is read aloud": "<w:r><w:ruby><w:rt><w:r><w:t>{0}</w:t></w:r></w:rt><w:rubyBase><w:r>"
    "<w:t>seen</w:t></w:r></w:rubyBase></w:ruby></w:r>",
}


@pytest.mark.parametrize("where", [*HIDING, *AROUND])
def test_names_in_the_corners_of_a_letter_of_word_are_gone(tmp_path, where):
    inside = f"<w:r>{HIDING[where]}</w:r>" if where in HIDING else AROUND[where].format(SECRET)
    more = {
        "docProps__core.xml": f"<a>{SECRET}</a>",
        "docProps__custom.xml": f"<a>{SECRET}</a>",
        "docProps__thumbnail.jpeg": SECRET,
        "word__vbaProject.bin": SECRET,
        "word__media__Quackenbush.png": SECRET,
        "customXml__item1.xml": f"<a>{SECRET}</a>",
        "word__people.xml": f"<a>{SECRET}</a>",
    }
    link = relation("hyperlink", f"http://{SECRET}.example/", 'TargetMode="External"')
    raw = word(paragraph(run("He was "), inside, run(" well.")), related=link, **more)
    assert SECRET.casefold() in everything_said(raw)
    done, written = scrubbed(tmp_path, raw, "a.docm")
    assert done.not_written == 0
    said = everything_said(written.read_bytes())
    assert SECRET.casefold() not in said
    assert "he was" in said
    assert "00a1b2c3" not in said
    assert written.suffix == ".docx"
    assert any("macros: 1" in note for note in done.notes)


def test_a_text_box_is_text(tmp_path):
    box = f"<w:txbxContent>{paragraph(run('Copy to Mr. Zebulon Quackenbush'))}</w:txbxContent>"
    drawn = (
        f"<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing>"
        f"</mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    raw = word(paragraph(run("Sincerely,"), drawn))
    assert text_of(raw, ".docx") == "Sincerely,\nCopy to Mr. Zebulon Quackenbush"
    _, written = scrubbed(tmp_path, raw, "a.docx")
    assert "quackenbush" not in everything_said(written.read_bytes())


def test_headers_that_a_section_of_word_refers_to_are_text(tmp_path):
    header = f'<w:hdr xmlns:w="{W}">{paragraph(run("Patient: Zebulon Quackenbush"))}</w:hdr>'
    section = (
        '<w:sectPr w:rsidR="00A1B2C3"><w:headerReference w:type="default" r:id="header"/>'
        '<w:pgSz w:w="11906" w:h="16838"/></w:sectPr>'
    )
    raw = word(
        paragraph(run("Seen.", '<w:bdr w:val="quackenbush" w:sz="4"/>')),
        section,
        related=relation("header", "header7.xml"),
        **{"word__header7.xml": header},
    )
    assert text_of(raw, ".docx") == "Patient: Zebulon Quackenbush\n\nSeen."
    _, written = scrubbed(tmp_path, raw, "a.docx")
    said = everything_said(written.read_bytes())
    assert "quackenbush" not in said
    assert '<w:headerreference w:type="default" r:id="r-header1"/>' in said
    assert '<w:pgsz w:w="11906" w:h="16838"/>' in said


def test_files_that_word_keeps_beside_an_open_letter_are_no_letters(tmp_path):
    (tmp_path / "~$tter.docx").write_bytes(b"\x0bQuackenbush" + bytes(150))
    (tmp_path / "letter.docx").write_bytes(word(paragraph(run(NOTE))))
    assert [one.id for one in Letters([tmp_path]).documents()] == ["letter.docx"]


def test_numbers_of_pages_are_still_counted_and_other_fields_are_text():
    def fields(code: str) -> str:
        return (
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
            f"<w:r><w:instrText>{code}</w:instrText></w:r>"
            '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>7</w:t></w:r>'
            '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )

    sheet = sheet_of(word(paragraph(run("page "), fields(" PAGE \\* X "), run(" of")),
                          paragraph(fields("AUTHOR Quackenbush"))), ".docx")  # fmt: skip
    assert sheet.text == "page  of\n7"
    said = everything_said(sheet.save())
    assert 'w:fldsimple w:instr="page"' in said
    assert "quackenbush" not in said


def test_text_of_the_strict_form_of_the_standard_is_found():
    raw = word(paragraph(run(NOTE)))
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    parts = {name: part.decode() for name, part in parts_of(raw).items()}
    parts["word/document.xml"] = parts["word/document.xml"].replace(W, strict)
    assert text_of(packed(parts), ".docx") == NOTE


# Documents that cannot be treated whole ---------------------------------------------------------

BOMB = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE a SYSTEM "http://example.org/quackenbush.dtd">'


def pdf(text: str = "", *, picture: bool = False, password: str = "") -> bytes:
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject, NumberObject

    writer = PdfWriter()
    page = writer.add_blank_page(300, 300)
    shown = DecodedStreamObject()
    shown.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode())
    page[NameObject("/Contents")] = writer._add_object(shown)
    names = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font = DictionaryObject({NameObject(k): NameObject(v) for k, v in names.items()})
    resources = DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})})
    if picture:
        image = DecodedStreamObject()
        image.set_data(b"\0")
        told = {"/Type": "/XObject", "/Subtype": "/Image", "/ColorSpace": "/DeviceGray"}
        image.update({NameObject(k): NameObject(v) for k, v in told.items()})
        for name, number in (("/Width", 1), ("/Height", 1), ("/BitsPerComponent", 8)):
            image[NameObject(name)] = NumberObject(number)
        held = DictionaryObject({NameObject("/Im1"): writer._add_object(image)})
        resources[NameObject("/XObject")] = held
    page[NameObject("/Resources")] = resources
    if password:
        writer.encrypt(password, algorithm="AES-256")
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def locked(raw: bytes) -> bytes:
    """Set the sign of a password in every entry of a zip file."""
    return raw.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")


def mail(**parts: str) -> bytes:
    head = parts.get("head", "Content-Type: text/plain; charset=utf-8")
    return f"From: {NAME} <z@example.org>\n{head}\n\n{parts.get('body', NOTE)}\n".encode()


DEEP = "<w:sdt><w:sdtContent>" * 200 + "</w:sdtContent></w:sdt>" * 200
BAD = {
    "password.docx": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "protected by a password"),
    "locked.docx": (locked(word(paragraph(run(NOTE)))), "protected by a password"),
    "bomb.docx": (word(paragraph(run("a" * 40_000_000))), "reading was stopped"),
    "outside.docx": (word(paragraph(run(NOTE)), **{"..__..__x.xml": "a"}), "outside of itself"),
    "entities.docx": (word(paragraph(run(NOTE)), before=BOMB), "not followed"),
    "dtd.docx": (word(paragraph(run(NOTE)), before=OUTSIDE), "not followed"),
    "chunk.docx": (word(paragraph(run(NOTE)), related=relation("aFChunk", "a.htm")), "another doc"),
    "deep.docx": (word(DEEP), "deep"),
    "cut.docx": (word(paragraph(run(NOTE)))[:700], "not a whole zip file"),
    "other.docx": (open_document(f"<text:p>{NOTE}</text:p>"), "no letter of Word"),
    "broken.docx": (word("<w:p>"), "XML that is not whole"),
    "locked.odt": (open_document("", **{"META-INF__manifest.xml": "<manifest:encryption-data/>"}),
                   "protected by a password"),
    "other.odt": (word(paragraph(run(NOTE))), "no letter of OpenDocument"),
    "cut.rtf": (b"{\\rtf1\\ansi Mr. " + NAME.encode(), "not a whole RTF"),
    "page.rtf": (b"{\\rtf1\\ansi\\ansicpg12345 Mr. \\'e4\\'f6}", "code page"),
    "deep.rtf": (b"{\\rtf1" + b"{" * 5000 + b"}" * 5001, "deep"),
    "scan.pdf": (pdf(picture=True), "such as a scan"),
    "blank.pdf": (pdf(), "without text"),
    "password.pdf": (pdf(NOTE, password="secret"), "protected by a password"),
    "cut.pdf": (pdf(NOTE)[:200], "PDF"),
    "entities.html": (b"<!DOCTYPE a [<!ENTITY x 'Quackenbush'>]><p>Mr. &x;</p>", "not followed"),
    "cut.html": (b"<p>Mr. Quackenbush<div hidden><p>is well.", "not a whole page"),
    "charset.html": (b"<meta charset='klingon'><p>Mr. Quackenbush</p>", "encoding"),
    "wrong.html": (b"<meta charset='utf-8'><p>Mr. Qu\xe4ckenbush</p>", "UTF-8"),
    "locked.eml": (mail(head="Content-Type: application/pkcs7-mime"), "encrypted"),
    "charset.eml": (mail(head="Content-Type: text/plain; charset=klingon"), "encoding"),
    "empty.eml": (mail(body=""), "without text"),
    "base64.eml": (
        mail(head="Content-Type: text/plain\nContent-Transfer-Encoding: base64", body="ab!!c"),
        "a part that is not whole",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_treated_whole_is_withheld_with_a_word(tmp_path, name):
    raw, words = BAD[name]
    done, written = scrubbed(tmp_path, raw, name)
    assert written is None
    assert done.not_written == 1
    (withheld,) = done.withheld
    assert words in withheld.reason
    assert "uackenbush" not in withheld.reason
    assert len(list((tmp_path / "out").glob("letter-*"))) == 1  # the letter beside it


def test_a_zip_that_grows_without_end_is_stopped_early(monkeypatch):
    """What is unpacked is counted while it comes, whatever the file says of it."""
    from indistinct.scrub.decoding import NotText
    from indistinct.scrub.formats.zipped import ZippedLetter

    raw = word(paragraph(run(NOTE)), **{"word__big.xml": b" " * 30_000_000})
    read = 0
    real = zipfile.ZipExtFile.read

    def counted(self, n=-1):
        nonlocal read
        piece = real(self, n)
        read += len(piece)
        return piece

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)
    with pytest.raises(NotText, match="reading was stopped"):
        ZippedLetter(raw).part("word/big.xml")
    assert read < 9_000_000


def test_elements_without_end_are_not_gathered(monkeypatch):
    from indistinct.scrub.decoding import NotText
    from indistinct.scrub.formats import html, marked

    for module in (html, marked):
        monkeypatch.setattr(module, "MOST_ELEMENTS", 50)
    for raw, suffix in (
        (word(paragraph(run(NOTE)) * 20), ".docx"),
        (b"<p>a</p>" * 60, ".html"),
    ):
        with pytest.raises(NotText, match="more than 50 elements"):
            sheet_of(raw, suffix)


def test_pictures_and_objects_are_never_unpacked(tmp_path):
    more = {"word__media__a.png": b" " * 60_000_000, "word__embeddings__a.bin": b" " * 60_000_000}
    done, written = scrubbed(tmp_path, word(paragraph(run(NOTE)), **more), "a.docx")
    assert done.not_written == 0
    assert written.stat().st_size < 10_000
    assert any("embedded objects: 1" in note for note in done.notes)


# The law ----------------------------------------------------------------------------------------


def leaking(where: str, raw: bytes) -> bytes:
    """Return a written letter with a name put back into it."""
    parts = parts_of(raw)
    main = "word/document.xml"
    put = {
        "a part": lambda: parts.update({"docProps/core.xml": b"<a>Quackenbush</a>"}),
        "a name of a part": lambda: parts.update({"word/Quackenbush.xml": b"<a/>"}),
        "an attribute": lambda: parts.update(
            {main: parts[main].replace(b"<w:p>", b'<w:p w:x="QUACKENBUSH">', 1)}
        ),
        "an attribute in escapes": lambda: parts.update(
            {main: parts[main].replace(b"<w:p>", b'<w:p w:x="Quacken&#98;ush">', 1)}
        ),
        "a comment": lambda: parts.update({main: parts[main] + b"<!-- Mr. Quackenbush -->"}),
        "runs": lambda: parts.update(
            {main: parts[main].replace(
                b"</w:p>", b"<w:r><w:t>Quacken</w:t></w:r><w:r><w:t>bush</w:t></w:r></w:p>", 1)}
        ),
        "text that is hidden": lambda: parts.update(
            {main: parts[main].replace(
                b"</w:p>", b"<w:r><w:rPr><w:vanish/></w:rPr><w:t>Qu</w:t></w:r></w:p>", 1)}
        ),
    }  # fmt: skip
    put[where]()
    return packed(parts)


@pytest.mark.parametrize(
    "where",
    ["a part", "a name of a part", "an attribute", "an attribute in escapes", "a comment", "runs",
     "text that is hidden"],
)  # fmt: skip
def test_what_is_written_is_read_again_and_withheld_if_a_name_is_in_it(
    tmp_path, monkeypatch, where
):
    real = docx._Builder.save
    monkeypatch.setattr(docx._Builder, "save", lambda self: leaking(where, real(self)))
    done, written = scrubbed(tmp_path, word(paragraph(run(NOTE))), "a.docx")
    assert written is None
    assert done.not_written == 1
    assert "could not be written safely" in done.withheld[0].reason


def test_a_part_that_loses_text_is_withheld_too(tmp_path, monkeypatch):
    real = odt._Builder.save

    def lossy(self):
        for element in self.made["content.xml"].iter():
            element.text = None
        return real(self)

    monkeypatch.setattr(odt._Builder, "save", lossy)
    done, _ = scrubbed(tmp_path, open_document(f"<text:p>{NOTE}</text:p>"), "a.odt")
    assert "not what was scrubbed" in done.withheld[0].reason


def test_a_whole_name_that_stands_there_once_more_withholds_the_letter(tmp_path):
    """Of a letter the scrubber left one of two: brute force on the text alone."""
    path = tmp_path / "a.rtf"
    path.write_bytes(b"{\\rtf1 Zebulon Quackenbush, Zebulon Quackenbush}")
    text = "Zebulon Quackenbush, Zebulon Quackenbush"
    found = Found(0, 19, "NAME", "full name", 0.9, "a", "", 0, "Ann Lee", "replaced")
    document = Document(1, str(path), "a.rtf", text, form="rtf")
    left = Treated(document, Outcome("Ann Lee, Zebulon Quackenbush", (found,)))
    assert "once more" in laid_out(left, "utf-8").reason
    part = Treated(document, Outcome("Ann Lee, and Mr QUACKENBUSH", (found,)))
    assert "once more" in laid_out(part, "utf-8").reason
    other = Treated(document, Outcome("Ann Lee, somebody", (found,)))
    assert laid_out(other, "utf-8").text == "Ann Lee, somebody"


def test_a_letter_that_changes_while_it_is_read_is_withheld(tmp_path):
    path = tmp_path / "a.docx"
    path.write_bytes(word(paragraph(run("Another text."))))
    document = Document(1, str(path), "a.docx", NOTE, form="docx")
    done = laid_out(Treated(document, Outcome("He was seen.")), "utf-8")
    assert done.text is None
    assert "changed while it was read" in done.reason
    path.unlink()
    assert "changed while it was read" in laid_out(
        Treated(document, Outcome("He was seen.")), "utf-8").reason  # fmt: skip


def test_a_fault_of_the_program_withholds_and_says_nothing_of_the_letter(tmp_path, monkeypatch):
    def fails(self):
        raise KeyError(NAME)

    monkeypatch.setattr(docx._Builder, "save", fails)
    done, _ = scrubbed(tmp_path, word(paragraph(run(NOTE))), "a.docx")
    assert done.withheld[0].reason == "could not be written: the program failed (KeyError)"


def test_names_that_are_words_of_the_format_do_not_withhold(tmp_path):
    """Mr. Page and Mrs. Black are people, and words of every file of Word."""
    text = "Mr. Orville Page and Mrs. Wilma Black saw Dr. Style Bold. Mr. Page is well."
    raw = (HERE / "halden.docx").read_bytes()
    parts = parts_of(raw)
    main = "word/document.xml"
    parts[main] = parts[main].replace(b"Dear Dr. Perrault:", text.encode())
    done, written = scrubbed(tmp_path, packed(parts), "a.docx")
    assert done.not_written == 0
    assert "orville" not in everything_said(written.read_bytes())


# Rich text, pages, mails ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (rb"{\rtf1\ansi\ansicpg1252 M\'fcller}", "Müller"),
        (rb"{\rtf1\ansi M\u252\'fcller \u8364?}", "Müller €"),
        (rb"{\rtf1\ansi\uc2 M\u252 xxller}", "Müller"),
        (rb"{\rtf1\ansi\uc0 M\u252 ller}", "Müller"),
        (rb"{\rtf1\ansi \u-10179?\u-8704?}", "\U0001f600"),
        (rb"{\rtf1\ansi{\fonttbl{\f1\fcharset204 A;}}\f1 \'c8\'e2\'e0\'ed}", "Иван"),
        (rb"{\rtf1\ansi{\fonttbl{\f1\fcharset128 A;}}{\f1 \'8e\'52\'93\'63}}", "山田"),
        (rb"{\rtf1\mac M\'9fller}", "Müller"),
        (rb"{\rtf1{\*\unknown Quackenbush}{\info{\author Quackenbush}}seen}", "seen"),
        (rb"{\rtf1{\upr{Mueller}{\*\ud{M\u252?ller}}}}", "Müller"),
        (rb"{\rtf1{\field{\*\fldinst HYPERLINK Quackenbush}{\fldrslt here}}}", "here"),
        (rb"{\rtf1 a\bin5 {{}}}b}", "ab"),
        (rb"{\rtf1 a\{b\}\\c\~d\par e\tab f\cell}", "a{b}\\c\u00a0d\ne\tf\t"),
        (b"{\\rtf1 Mu\r\nel{\\b ler}}", "Mueller"),
        (rb"{\rtf1 {\v Quackenbush}{\deleted Quackenbush}seen}", "seen"),
    ],
)  # fmt: skip
def test_rich_text_is_read_as_the_standard_says(raw, text):
    assert text_of(raw, ".rtf") == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>a<p>b<br>c", "a\nb\nc"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "a\tb\nc"),
        ("<p>a&nbsp;b &amp; c&#233;", "a\u00a0b & cé"),
        ("<pre>a\n b</pre>", "a\n b"),
        ("<p>a\n   b</p>", "a b"),
        ("<head><title>Q</title></head><body>a<script>Q</script><style>Q</style><!-- Q -->", "a"),
        ("<p hidden>Q</p><p style='display: none'>Q</p><p>a", "a"),
        ("<p>a<img alt=Q src=Q><input value=Q><a href=Q title=Q>b</a><q-q>c</q-q>", "abc"),
        ("<svg><text>Q</text></svg><p onclick=Q class='Q' data-x=Q style='color:url(Q)'>a", "a"),
        ("<![if !mso]><p>a<![endif]><?php Q ?>", "a"),
        ("<p hidden>Q<p>a<ruby>b<rt>Q</ruby><style>.q{display:none}</style><i class=q>Q</i>", "ab"),
    ],
)  # fmt: skip
def test_pages_give_what_people_see_of_them(page, text):
    sheet = sheet_of(page.encode(), ".html")
    assert sheet.text == text
    assert "q" not in everything_said(sheet.save()).replace("<q>", "")


def test_a_page_keeps_its_layout():
    page = b'<p style="margin-left: 1cm; x: y" align="center"><font color="#ff0000" face="Arial">a'
    made = sheet_of(page, ".html").save().decode()
    assert '<p style="margin-left: 1cm" align="center"><font color="#ff0000" face="Arial">a' in made
    page = (
        b"<style>@import url(q.css); /* Q */ p.halden td, q-q, .b:hover { color: red; x: Q } "
        b"#Halden { color: red } .x { background: url(Halden) }</style><p class='halden Q'>a"
    )
    made = sheet_of(page, ".html").save().decode()
    assert "p.c1 td { color: red }" in made
    assert '<p class="c1">a' in made
    assert not [word for word in ("Q", "alden", "hover", "import", "url") if word in made]


def test_a_mail_is_read_with_all_of_its_encodings(tmp_path):
    made = EmailMessage()
    made["From"] = "Zebulon Quäckenbush <z.quackenbush@example.org>"
    made["To"] = "ward@example.org"
    made["Subject"] = "Über Mr. Quäckenbush"
    made["Message-ID"] = "<quackenbush@example.org>"
    made["X-Folder"] = "Quackenbush"
    made.set_content("Mr. Quäckenbush is well.", charset="iso-8859-1", cte="quoted-printable")
    made.add_alternative("<p>Mr. Quäckenbush <b>is</b> well.</p>", subtype="html", cte="base64")
    docx_part = word(paragraph(run("Mr. Zeb"), run("ulon Quackenbush was seen.")))
    made.add_attachment(docx_part, maintype="application", subtype="x", filename="q.docx")
    made.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="quackenbush.png")
    made.add_attachment(b"MZ", maintype="application", subtype="x", filename="quackenbush.exe")
    for number in "12":
        inner = EmailMessage()
        inner["Subject"] = f"Before {number}"
        inner.set_content(f"Mr. Zebulon Quackenbush called {number} times.")
        if number == "1":
            made.add_attachment(inner)
        else:
            named = {"maintype": "application", "subtype": "x", "filename": "q.eml"}
            made.add_attachment(bytes(inner), **named)
    sheet = sheet_of(bytes(made), ".eml")
    assert sheet.text.count("is well.") == 1
    for words in (
        "Subject: Über Mr. Quäckenbush",
        "Zebulon Quackenbush was seen.",
        "Subject: Before 1",
        "Subject: Before 2",
        "Mr. Zebulon Quackenbush called 1 times.",
        "Mr. Zebulon Quackenbush called 2 times.",
    ):
        assert words in sheet.text
    assert sheet.left_out == Counter(pictures=1, attachments=1)
    done, written = scrubbed(tmp_path, bytes(made), "a.eml")
    assert done.not_written == 0
    assert written.suffix == ".txt"
    said = written.read_text().casefold()
    assert [name for name in ("quackenbush", "quäckenbush", "zebulon") if name in said] == []


def test_words_that_a_pdf_divides_at_the_end_of_a_line_are_whole(tmp_path):
    raw = pdf(
        "Mr. Quacken-) Tj 0 -14 Td (bush is well-known) Tj 0 -14 Td (to Smith-) Tj 0 -14 Td (Lee"
    )
    assert text_of(raw, ".pdf") == "Mr. Quackenbush is well-known\nto Smith-Lee"


# At the door ------------------------------------------------------------------------------------


def test_the_verb_reads_them_and_says_what_was_left_out(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.docx").write_bytes((HERE / "halden.docx").read_bytes())
    (tmp_path / "in" / "b.pdf").write_bytes(pdf(picture=True))
    code = run_verb(["scrub", "in", "--out", "out", "--seed", "1", "--threads", "1", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert code == 1
    assert (told["documents"], told["not_written"]) == (2, 1)
    assert "such as a scan" in told["withheld"][0]["reason"]
    assert any("comments: 1" in note for note in told["notes"])
    assert not any(name in json.dumps(told).casefold() for name in PEOPLE)
    assert "pictures and other parts" in (tmp_path / "out" / "about.md").read_text()


def test_spans_and_marks_count_in_the_text_that_is_taken_out(tmp_path):
    path = tmp_path / "a.docx"
    path.write_bytes(word(paragraph(run("Mr. Zebu"), run("lon Quackenbush was seen."))))
    (document,) = Letters([path]).documents()
    start = document.text.index("Zebulon")
    marks = [{"start": start, "end": start + len(NAME), "label": "NAME"}]
    (tmp_path / "gold.jsonl").write_text(json.dumps({"id": "a", "spans": marks}) + "\n")
    done = scrub(path, evaluate=tmp_path / "gold.jsonl", spans=tmp_path / "s.jsonl", seed=1)
    assert [(row.removed, row.references) for row in done.evaluation.rows][-1] == (1, 1)
    (span,) = json.loads((tmp_path / "s.jsonl").read_text())["spans"]
    assert (span["start"], span["end"]) == (start, start + len(NAME))


def test_known_people_are_looked_for_in_them(tmp_path):
    known = tmp_path / "known.csv"
    known.write_text("first_name,surname\nHalcyon,Tree\n")
    raw = word(paragraph(run("seen with halcy"), run("on tree today")))
    _, written = scrubbed(tmp_path, raw, "a.docx", identities=known)
    assert "halcyon" not in everything_said(written.read_bytes())


@pytest.mark.parametrize(
    "name", ["Quackenbush.docx", "Quackenbush/notes.docx", "z-quackenbush.rtf"]
)
def test_a_name_that_names_the_patient_is_not_kept(tmp_path, name):
    (tmp_path / "in" / name).parent.mkdir(parents=True)
    raw = word(paragraph(run(NOTE))) if name.endswith("docx") else b"{\\rtf1 %s}" % NOTE.encode()
    (tmp_path / "in" / name).write_bytes(raw)
    (tmp_path / "in" / "visit.docx").write_bytes(word(paragraph(run(NOTE))))
    scrub(tmp_path / "in", out=tmp_path / "out", seed=1, threads=1, keep_names=True)
    names = {str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*")}
    assert "visit.docx" in names
    assert not [one for one in names if "quackenbush" in one.casefold()]


def test_a_file_of_another_kind_than_its_name_says_is_withheld_or_read(tmp_path):
    done, written = scrubbed(tmp_path, (HERE / "halden.rtf").read_bytes(), "a.txt")
    assert done.not_written == 0
    assert not any(name in written.read_text().casefold() for name in PEOPLE)


def test_a_kind_is_one_file():
    """Whatever is in the folder and says what its FORMAT is, is known; no list is kept."""
    folder = Path(every.__file__).parent
    named = {path.stem for path in folder.glob("*.py") if "\nFORMAT = " in path.read_text()}
    assert set(all_formats()) == named == {"docx", "odt", "rtf", "pdf", "html", "eml"}


def spoilt(raw: bytes, place: int, noise: bytes) -> bytes:
    return raw[: place % len(raw)] + noise + raw[place % len(raw) + len(noise) :]


def test_every_kind_survives_noise(tmp_path):
    """Whatever a byte is changed to, a letter is read or refused with a word, never a traceback."""
    from indistinct.scrub.decoding import NotText
    from indistinct.scrub.laying import taken_out

    @settings(max_examples=80, deadline=None)
    @given(st.sampled_from(MADE), st.integers(0, 9_000), st.binary(min_size=1, max_size=4))
    def changed(kind, place, noise):
        raw = (HERE / f"halden.{kind}").read_bytes()
        if kind in ("docx", "odt"):  # within what is packed
            parts = parts_of(raw)
            names = sorted(one for one in parts if one.endswith((".xml", ".rels")))
            name = names[place % len(names)]
            parts[name] = spoilt(parts[name], place, noise)
            raw = packed(parts)
        else:
            raw = spoilt(raw, place, noise)
        form = all_formats()[kind]
        try:
            sheet = taken_out(form, raw, "utf-8")
        except NotText as reason:
            told = str(reason)
        else:
            told = ""
            if form.strings is not None:
                sheet.change([])
                made = sheet.save()
                assert "".join(form.strings(made).text.split()) == "".join(sheet.text.split())
        assert "Halden" not in told
        assert "program failed" not in told or kind == "pdf"  # what pypdf does not foresee

    changed()


def test_nothing_to_scrub_is_an_input_error(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf(picture=True))
    with pytest.raises(InputError, match="such as a scan"):
        scrub(tmp_path / "a.pdf", out=tmp_path / "out", seed=1)
