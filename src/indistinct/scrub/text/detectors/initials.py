"""Initials that stand for somebody: *Sarah P.*, *J. Smith*, *WR/jt*, *pt. J.S.*, *A***** L*****."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._grammar import Trust, continues, name_from
from indistinct.scrub.text.detectors._name_words import words
from indistinct.scrub.text.detectors._names import Reading, reading
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

# Who dictated, who typed: at the end of a letter, alone on its line.
_TYPIST = re.compile(
    r"((?:[A-Z]\.?[ ]?){2,4}|[A-Z][a-z]?[A-Z])[/:]{1,2}[ ]?"
    r"([A-Z]{2,4}\d?|\d?[a-z]{2,4}\d?)[ ]{0,9}$",
    re.MULTILINE,
)
# With masks in place of the other letters, or with the first letters left by a redactor.
_MASKED = re.compile(
    r"(?<![\w*])[^\W\d_](?:[^\W\d_]{0,2}\*{2,30}|_{2,30})[^\W\d_]{0,2}"
    r"(?:[ ,]{1,2}[^\W\d_]\.?(?:[^\W\d_]{0,2}\*{2,30}[^\W\d_]{0,2}|(?= [^\W\d_]\*))){0,3}"
)
_DOTTED = re.compile(r"(?<![\w.])(?:[A-Z]\. ?){1,3}[A-Z]\.?(?![\w])")
# Question and answer, as in the record of a hearing.
_ANSWERED = re.compile(r"^[ ]{0,12}Q[.:] [^\n]{1,2000}\n\s{0,12}A[.:] ", re.MULTILINE)
# The dictator's initials before a number, as the last line.
_NUMBERED = re.compile(r"([A-Z]{2,3})/\d{2,6}\s{0,40}\Z")
_CUES = words(
    "patient pt pts client resident initials subject baby mr mrs ms miss dr by participant name "
    "signed"
)
_CUED = re.compile(r"[.:]{0,2}[ ]{1,2}((?:[A-Z]\.[ ]?){2,3}|[A-Z]{2,3}|[A-Z]\.)(?=[\s,;:.')]|$)")
# Two or three letters that are no person's after these cues.
_ABBREVIATED = words(
    "U.S. U.K. U.N. D.C. L.A. N.Y. U.S.A. M.D. D.O. R.N. P.A. N.P. Ph.D. B.I.D. T.I.D. Q.I.D. "
    "P.O. I.V. I.M. P.R.N. A.M. P.M. H.S. E.R. E.D. I.C.U. O.R. N.P.O. E.G. I.E. C.C. R.R. A.A. "
    "N.B. P.S. S.C. N.C. N.J. N.H. N.M. N.D. S.D. R.I. V.A. B.A. B.S. M.A. M.S. M.B. D.D.S. "
    "J.D. L.P.N. P.T. O.T. P.C. A.D. B.C. G.I. G.U. C.T. M.R. H.I.V. T.B. E.K.G. E.C.G."
)


def detect(page: Page) -> Iterator[Span]:
    """Initials, alone and with a name."""
    read = reading(page)
    text = page.text
    for i in read.openers:
        if len(read.words[i]) <= 4 and read.shapes[i] != "l" and not read.margin(i).strip(" "):
            match = _TYPIST.match(text, read.starts[i])
            if match is not None and read_as_typist(match):
                start, end = match.span(1)
                yield Span(start, end, Kind.INITIALS, 0.85, "initials", "dictated, typed")
    if read.openers and read.openers[-1] == len(read.words) - 1:
        match = _NUMBERED.match(text, read.starts[-1])
        if match is not None and not page.knowledge.is_medical(match.group(1)):
            start, end = match.span(1)
            yield Span(start, end, Kind.INITIALS, 0.85, "initials", "dictated, numbered")
    if "**" in text or "__" in text:
        for match in _MASKED.finditer(text):
            if match.group()[0].isupper() or match.group().count(" ") > 0:
                yield Span(match.start(), match.end(), Kind.INITIALS, 0.9, "initials", "masked")
    yield from _with_names(read)
    yield from _cued(read)
    for match in _DOTTED.finditer(text) if "I" in read.shapes else ():
        if match.group()[-1] == "I" and text[match.end() : match.end() + 1] == " ":
            continue  # A. I did.
        letters = match.group().replace(" ", "").rstrip(".").upper() + "."
        if letters not in _ABBREVIATED:
            yield Span(match.start(), match.end(), Kind.INITIALS, 0.55, "initials", "dotted")


def read_as_typist(match: re.Match[str]) -> bool:
    """Whether two groups of letters are people: WR/jt, not A/P or N/V."""
    first = match.group(1).replace(".", "").replace(" ", "")
    second = match.group(2)
    if len(first) < 2 or f"{first}/{second}".upper() in ("HX/PE", "TID/QID", "AM/PM", "MD/DO"):
        return False
    return second.islower() or second.upper() != second or "." in match.group(1) or len(first) > 1


def _with_names(read: Reading) -> Iterator[Span]:
    """Sarah P. and J. Smith."""
    shapes = read.shapes
    transcript = "q" in read.index and _ANSWERED.search(read.page.text) is not None
    i = shapes.find("I")
    while i >= 0:
        if i and shapes[i - 1] in "CU" and read.gaps[i - 1] == " ":
            yield from _after_first(read, i)
        if i + 1 < len(shapes) and shapes[i + 1] in "CUI" and read.gaps[i] in (". ", ".", " "):
            yield from _before_last(read, i, transcript=transcript)
        i = shapes.find("I", i + 1)


def _after_first(read: Reading, i: int) -> Iterator[Span]:
    first, known = i - 1, read.fact(i - 1)
    stop = read.gaps[i]
    if known.first <= 0 or known.nameness < -1.2:
        return
    if read.lower[i] in ("i", "a") and not stop.startswith("."):
        return
    if (
        i + 1 < len(read.words)
        and read.joined(i)
        and stop != " "
        and continues(read, i + 1, read.shapes[first])
    ):
        return  # a middle initial; the whole name is for others
    before = read.fact(first - 1) if first and read.joined(first - 1) else known
    if first and before.first > 0 and before.nameness > -1.2 and _alike(read, first):
        first -= 1
    if stop.startswith("."):
        yield read.spanning(first, i + 1, 0.88, "initials", "first name and initial")
    elif stop[:1] in ",;:)(\n'" or stop.startswith(" ("):
        yield read.spanning(first, i + 1, 0.8, "initials", "first name and letter")
    elif read.shapes[i + 1 : i + 2] == "l" and stop == " ":
        yield read.spanning(first, i + 1, 0.66, "initials", "first name and bare letter")


def _alike(read: Reading, i: int) -> bool:
    """Whether a word and the one before it are joined and of one shape."""
    return read.joined(i - 1) and read.shapes[i - 1] == read.shapes[i]


def _before_last(read: Reading, i: int, *, transcript: bool) -> Iterator[Span]:
    if i and read.shapes[i - 1] in "CUI" and read.joined(i - 1):
        return  # inside a longer name
    if transcript and read.lower[i] in ("a", "q") and read.opens_line(i):
        return  # Q. and A. of a hearing
    end = name_from(read, i, Trust.CUE)
    last = end - 1
    if end - i < 2:
        return
    known = read.fact(last)
    dotted = "." in read.gaps[i]
    if known.ordinary or (not dotted and (known.nameness < -0.6 or read.lower[i] in ("a", "i"))):
        return
    if dotted and known.nameness > -1.6:
        yield read.spanning(i, end, 0.85, "initials", "initial and surname")
    elif dotted and known.strange:
        yield read.spanning(i, end, 0.72, "initials", "initial and unlisted")
    elif not dotted:
        yield read.spanning(i, end, 0.6, "initials", "letter and surname")


def _cued(read: Reading) -> Iterator[Span]:
    page = read.page
    for i in read.where(_CUES):
        match = _CUED.match(page.text, read.ends[i])
        if match is None:
            continue
        letters = match.group(1)
        if letters.replace(" ", "") in _ABBREVIATED:
            continue
        if "." in letters and len(letters) > 2:
            rule, certainty = "cued", 0.85
        elif "." in letters:
            rule, certainty = "one, cued", 0.75
        elif page.shouting:
            continue
        elif read.lower[i].startswith(("initials", "mr", "dr")):
            rule, certainty = "plain, cued", 0.75
        elif not page.knowledge.is_medical(letters.lower()):
            rule, certainty = "plain", 0.45
        else:
            continue
        start, end = match.span(1)
        yield Span(start, end, Kind.INITIALS, certainty, "initials", rule)
