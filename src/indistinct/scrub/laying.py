"""Letters of word processors and others: their text before scrubbing, the file made anew after.

What is decided here: the given file is read again when its letter is written, so that no letter is
held for longer than it is worked on. What was written is then read by two ways, as a letter and
raw, and held to a law: **all that stands in it is the text that the scrubber returned, sign by
sign, and nothing else in it or about it says anything that was removed**. A letter that breaks the
law is withheld, whatever the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from indistinct.core import InputError
from indistinct.core.doors import read_file
from indistinct.knowledge import knowledge, plain
from indistinct.scrub.decoding import NotText
from indistinct.scrub.documents import Treated
from indistinct.scrub.formats.every import LARGEST, LetterFormat, Strings, format_by_name
from indistinct.scrub.formats.sheet import Sheet
from indistinct.scrub.limits import TookTooLong, at_most, seconds_for_bytes
from indistinct.scrub.text.spans import EMAIL, ID, NAME, PHONE, URL

__all__ = ["laid_out", "law_broken", "taken_out"]

_BLANKS = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_]+")
_COMMON = 3.5
"""How frequent a word is (Zipf's scale) that is more than a name."""


def taken_out(form: LetterFormat, raw: bytes, encoding: str) -> Sheet:
    """Take the text out of a letter within a time; raises `NotText` with the reason if it has none.

    What an error says is left out, because it may hold words of the letter.
    """
    seconds = seconds_for_bytes(len(raw))
    try:
        with at_most(seconds):
            sheet = form.read(raw, encoding)
            if not sheet.text.endswith("\n"):
                sheet.mark("\n")  # as letters that are text end
            return sheet
    except TookTooLong:
        reason = f"took more than {seconds:.0f} processor seconds to read"
    except MemoryError:
        reason = "needs more memory than there is"
    except NotText:
        raise
    except Exception as error:
        reason = f"could not be read: the program failed ({type(error).__name__})"
    raise NotText(reason)


def laid_out(treated: Treated, encoding: str) -> Treated:
    """Return a letter with the bytes of its new file, or withheld with the reason."""
    form = format_by_name(treated.document.form)
    if form is None or treated.text is None:
        return treated
    content = None
    try:
        if form.strings is not None:
            content = _written(form, treated, encoding)
        broken = law_broken(form, treated, content)
    except NotText as reason:
        broken = str(reason)
    except Exception as error:
        broken = f"could not be written: the program failed ({type(error).__name__})"
    if broken:
        return replace(treated, outcome=replace(treated.outcome, text=None, reason=broken))
    return replace(treated, content=content)


def _written(form: LetterFormat, treated: Treated, encoding: str) -> bytes:
    """Make the file of a letter anew, with what takes the place of what was found."""
    try:
        raw = read_file(treated.document.source, "letter", limit=LARGEST)
    except InputError:
        raise NotText("was changed while it was read") from None
    sheet = taken_out(form, raw, encoding)
    if sheet.text != treated.document.text or sheet.save is None:
        raise NotText("was changed while it was read")
    sheet.change((one.start, one.end, one.replacement) for one in treated.outcome.found)
    return sheet.save()


def law_broken(form: LetterFormat, treated: Treated, content: bytes | None) -> str:
    """Say how what is to be written breaks the law; nothing if it does not."""
    text = treated.text or ""
    if any(one in _spaced(text) for one in _telling(treated)):
        return "could not be scrubbed safely: something that was replaced stands in it once more"
    if content is None or form.strings is None:
        return ""
    try:
        raw = form.strings(content)
        again = taken_out(form, content, "utf-8")
    except Exception:  # whatever cannot be read again must not be passed on
        return "could not be written safely: what was written cannot be read again"
    if _squeezed(raw.text) != _squeezed(text) or _squeezed(again.text) != _squeezed(text):
        return "could not be written safely: what was written is not what was scrubbed"
    if any(again.left_out.values()):
        return "could not be written safely: something that was to be left out is still in it"
    if _is_told(treated, raw):
        return "could not be written safely: something that was replaced is in its marks"
    return ""


def _squeezed(text: str) -> str:
    """Return the signs of a text without its blanks, which are layout."""
    return _BLANKS.sub("", text)


def _spaced(text: str) -> str:
    """Return the words of a text, in small letters and without accents, one blank between."""
    return f" {' '.join(_WORD.findall(plain(text)))} "


def _telling(treated: Treated) -> Iterator[str]:
    """Give what was replaced and cannot mean anything else: numbers, addresses, whole names, and
    of names the words that are no others.

    A word that was a name in one place may be a word in another (*may*, *Graves' disease*): that is
    for the search to say, and it said so.
    """
    known = knowledge()
    for one, removed in treated.removed():
        words = _WORD.findall(plain(removed))
        if one.replacement == removed or not words:
            continue
        long = sum(len(word) > 1 for word in words) > 1
        digits = sum(char.isdigit() for char in removed)
        if (
            (one.label == NAME and long)
            or one.label in (EMAIL, URL)
            or (one.label in (ID, PHONE) and digits > 4)
        ):
            yield f" {' '.join(words)} "
        for word in words if one.label == NAME else ():
            is_other = known.is_medical(word) or known.is_eponym(word)
            if len(word) > 2 and not is_other and known.word(word).zipf < _COMMON:
                yield f" {word} "


def _is_told(treated: Treated, raw: Strings) -> bool:
    """Say whether marks hold a word of what was replaced; words of the format are none of them."""
    said = {word for one in raw.others for word in _WORD.findall(plain(one))}
    removed = {
        word
        for one, text in treated.removed()
        if one.replacement != text
        for word in _WORD.findall(plain(text))
        if len(word) > 2
    }
    joined = [_joined(one) for one in raw.others]
    return not said.isdisjoint(removed) or any(
        len(part := _joined(text)) > 4 and part in other
        for one, text in treated.removed()
        if one.replacement != text
        for other in joined
    )


def _joined(text: str) -> str:
    return "".join(_WORD.findall(plain(text)))
