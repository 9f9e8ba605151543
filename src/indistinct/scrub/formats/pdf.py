"""Letters as PDF with a text layer: the text is taken out, and is what is written.

What is decided here: nothing of the given file is written. A page that is a picture (a scan) has
no text that could be searched, so that the whole letter is withheld; so is one whose fonts do not
say which letters they show. Words that are divided at the end of a line are joined, because a name
may be one of them. Notes on pages, attachments and properties are left out; what was filled into a
form is read.
"""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from indistinct.scrub.decoding import NotText
from indistinct.scrub.formats.every import LetterFormat
from indistinct.scrub.formats.sheet import Sheet

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

__all__ = ["FORMAT"]

_START = b"%PDF-"
MOST_PAGES = 5_000
_DIVIDED = re.compile(r"(\S{1,40})[-\u00ad\u2010] ?\n(?=(\S{1,40}))")
_WRAPPED = re.compile(r"(?<=\S) \n(?=\S)")
"""Word processors print the blank at which they wrap a line; a line that ends has none."""
_UNREADABLE = re.compile("[\ufffd\ue000-\uf8ff]|/g\\d+|\\(cid:\\d+\\)|[\x01-\x08\x0e-\x1f]")
_FOLLOWED = frozenset(("/Link", "/Widget", "/Popup"))


def _pdf_sheet(raw: bytes, encoding: str) -> Sheet:
    """Take the text out of a PDF file."""
    from pypdf.errors import PyPdfError

    with _quiet():
        try:
            return _sheet_of(raw)
        except PyPdfError:
            raise NotText("is not a whole PDF file. Print it to a file again") from None


def _sheet_of(raw: bytes) -> Sheet:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(raw))
    if reader.is_encrypted and not reader.decrypt(""):
        raise NotText("is protected by a password. Save it without one")
    if len(reader.pages) > MOST_PAGES:
        raise NotText(f"has more than {MOST_PAGES:,} pages, as no letter has")
    left_out: Counter[str] = Counter()
    pages = []
    for page in reader.pages:
        text = page.extract_text()
        if not text.strip() and _has_picture(page):
            raise NotText(
                "is a PDF with a page that has no text, such as a scan. Have its text recognised "
                "first"
            )
        pages.append(text)
        _count_what_is_left(page, left_out)
    pages += _filled_in(reader)
    whole = _WRAPPED.sub(" ", _joined("\n\n".join(pages)))
    if not whole.strip():
        raise NotText("is a PDF without text. Have its text recognised first")
    if len(_UNREADABLE.findall(whole)) > 3 + len(whole) // 200:
        raise NotText("is a PDF whose fonts do not say which letters they show. Print it again")
    if reader.attachments:
        left_out["attachments"] += len(reader.attachments)
    return Sheet.of(_UNREADABLE.sub(" ", whole), left_out)


def _joined(text: str) -> str:
    """Join what is divided at the end of a line; a hyphen that belongs to the word stays.

    >>> _joined("Quacken-\\nbush, Smith-\\nLee, 46-\\nyear-old, 293-\\n8441")
    'Quackenbush, Smith-Lee, 46-year-old, 293-8441'
    """

    def join(found: re.Match[str]) -> str:
        before, after = found.groups()
        if not (before[-1].isalnum() and after[0].isalnum()):
            return found[0]
        is_one = before[-1].islower() and after[0].islower() and "-" not in before + after
        return before if is_one else f"{before}-"

    return _DIVIDED.sub(join, text)


def _count_what_is_left(page: PageObject, left_out: Counter[str]) -> None:
    for note in _each(page.get("/Annots")):
        if note.get("/Subtype") not in _FOLLOWED:
            left_out["comments"] += 1
    if _has_picture(page):
        left_out["pages with pictures"] += 1


def _has_picture(page: PageObject, depth: int = 0, resources: Any = None) -> bool:
    """Say whether a page shows a picture, or a form that does."""
    found = page.get("/Resources") if resources is None else resources
    found = found.get_object() if found is not None else {}
    shown = found.get("/XObject", {})
    for one in shown.get_object().values() if shown else ():
        thing = one.get_object()
        if thing.get("/Subtype") == "/Image":
            return True
        inner = thing.get("/Resources")
        if inner is not None and depth < 4 and _has_picture(page, depth + 1, inner):
            return True
    return False


def _each(array: Any) -> Iterator[Any]:
    for one in array.get_object() if array is not None else ():
        thing = one.get_object()
        if hasattr(thing, "get"):
            yield thing


def _filled_in(reader: PdfReader) -> list[str]:
    """Return what was filled into a form, which stands on no page."""
    fields = reader.get_form_text_fields() or {}
    return [str(value) for value in fields.values() if value]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep pypdf from telling what it meets, which may be words of the letter."""
    logger = logging.getLogger("pypdf")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


def _is_one(head: bytes, suffix: str) -> bool:
    return head.startswith(_START) or (suffix == ".pdf" and _START in head)


FORMAT = LetterFormat("pdf", (".pdf",), _is_one, _pdf_sheet)
