"""What people are called: *known to everyone as Chance*, *goes by Bob*, *William "Bill" Smith*."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from indistinct.scrub.text.detectors._grammar import Trust, name_from
from indistinct.scrub.text.detectors._name_words import INSTITUTIONS, words
from indistinct.scrub.text.detectors._names import Reading, reading
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_CALLED = re.compile(
    r"\b(?:(?:better |also |otherwise |formerly |now |previously |well )?"
    r"known (?:[\w,]{1,12} ){0,4}?as"
    r"|go(?:es|ing)? by(?: the (?:nick)?name(?: of)?)?|went by|nicknam(?:ed?|es)(?: (?:is|was|of))?"
    r"|(?:prefers?|likes?|wants?|asks?)(?: to be)? (?:called|addressed as)|a\.?k\.?a\.?"
    r"|(?:is|was|been|are|usually|always|also|affectionately) called"
    r"|call(?:s|ed)? (?:him|her|them|me)"
    r"|pet name|preferred name(?: is)?|alias|née|nee|born|f/k/a|formerly|referred to as|answers to)"
    r"[:,]?\s{1,2}[\"'(]?",
    re.IGNORECASE,
)
# William "Bill" Smith, Robert (Bob) Jones.
_INSIDE = re.compile(r" ([\"'(])([^\W\d_][\w'-]{1,14})[\"')](?![\w])")


def detect(page: Page) -> Iterator[Span]:
    """Nicknames."""
    read = reading(page)
    past = -1
    for i in _cued(read):
        # The phrase begins at most three words before its cue and ends five after it.
        begin, end = read.starts[max(i - 3, 0)], read.ends[min(i + 6, len(read.ends) - 1)]
        for match in _CALLED.finditer(page.text, max(begin, past), end):
            yield from _called(read, match)
            past = match.end()
    for gap in _QUOTES:
        for i in read.gap_index.get(gap, ()):
            inside = _INSIDE.match(page.text, read.ends[i])
            if inside is not None:
                yield from _inside(read, inside)


# The words of the phrases above that are rarest, and what one of the next five words must be.
_ANY: frozenset[str] = frozenset()
_CUES = {
    **dict.fromkeys("goes going go went".split(), words("by")),
    **dict.fromkeys("call calls".split(), words("him her them me")),
    "known": words("as"), "referred": words("to"), "answers": words("to"), "pet": words("name"),
    "preferred": words("name"), "addressed": words("as"), "k": words("a"),
    **dict.fromkeys(
        "nickname nicknamed nicknames called aka alias née nee born formerly".split(), _ANY
    ),
}  # fmt: skip
_CUE_WORDS = frozenset(_CUES)
_QUOTES = (' "', " '", " (")


def _cued(read: Reading) -> list[int]:
    """Where cues stand that have the words which they need."""
    return sorted(
        i
        for i in read.where(_CUE_WORDS)
        if not (needed := _CUES[read.lower[i]]) or not needed.isdisjoint(read.lower[i + 1 : i + 6])
    )


def _called(read: Reading, match: re.Match[str]) -> Iterator[Span]:
    i = bisect_right(read.starts, match.end()) - 1
    if i < 0 or read.starts[i] != match.end():
        return
    cue = match.group().lower()
    named = cue.startswith(("nickn", "goes", "prefer", "like", "call"))
    end = name_from(read, i, Trust.TITLE if named else Trust.CUE, lower=True)
    if end == i or _titled(read, end):
        return
    known = read.fact(i)
    weak = cue.startswith(("born", "formerly", "is ", "was ", "been ", "are ", "known as", "alias"))
    weak = weak and not known.strange
    if read.shapes[i] == "l":
        if known.nameness > -0.5 or (not weak and known.strange):
            yield read.spanning(i, end, 0.75, "nicknames", "called, lower case", _kind(i, end))
        return
    if read.shapes[i] == "U" and not read.page.shouting and known.nameness < -0.8:
        return
    listed = known.nameness > -1.5 or bool(read.page.knowledge.full_names(read.lower[i]))
    if listed:
        yield read.spanning(i, end, 0.82 if weak else 0.9, "nicknames", "called", _kind(i, end))
    else:
        certainty = 0.66 if weak else 0.8
        rule = "perhaps called" if weak else "called, unlisted"
        yield read.spanning(i, end, certainty, "nicknames", rule, _kind(i, end))


def _titled(read: Reading, end: int) -> bool:
    """Whether a sign, disease or street is what is called so."""
    return end < len(read.words) and read.gaps[end - 1] == " " and read.lower[end] in INSTITUTIONS


def _kind(i: int, end: int) -> Kind:
    return Kind.NICKNAME if end - i == 1 else Kind.FULL_NAME


def _inside(read: Reading, match: re.Match[str]) -> Iterator[Span]:
    """A quoted or bracketed short name after a first name; and the whole with the surname."""
    i = bisect_right(read.starts, match.start(2)) - 1
    if i < 1 or read.starts[i] != match.start(2) or read.shapes[i] not in "CU":
        return
    before, here = read.fact(i - 1), read.fact(i)
    if read.shapes[i - 1] not in "CU" or read.ends[i] != match.end(2):
        return
    short = read.lower[i] in read.page.knowledge.nicknames(read.lower[i - 1])
    surname = (
        i + 1 < len(read.words)
        and read.gaps[i] in ('" ', "' ", ") ")
        and read.shapes[i + 1] == read.shapes[i - 1]
        and not read.fact(i + 1).ordinary
    )
    if short and surname:
        yield read.spanning(i - 1, i + 2, 0.95, "nicknames", "inside a name", Kind.FULL_NAME)
    elif short:
        yield read.spanning(i, i + 1, 0.92, "nicknames", "beside its name", Kind.NICKNAME)
    elif surname and before.first > 0 and before.nameness > -1 and not here.ordinary:
        yield read.spanning(i - 1, i + 2, 0.88, "nicknames", "inside, unlisted", Kind.FULL_NAME)
    elif (before.first > 0 or before.last > 0) and before.nameness > -1 and here.nameness > -1:
        yield read.spanning(i, i + 1, 0.8, "nicknames", "beside a name", Kind.NICKNAME)
