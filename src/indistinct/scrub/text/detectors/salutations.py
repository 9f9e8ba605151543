"""Names in greetings and closings: *Dear Virginia*, *wishes to you and Douglas*, signatures."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._grammar import Trust, name_from, past_titles
from indistinct.scrub.text.detectors._name_words import CALENDAR, words
from indistinct.scrub.text.detectors._names import Reading, reading
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Span

_FORMAL = words("dear dearest estimado estimada querido querida liebe lieber cher chère")
_INFORMAL = words(
    "hi hello hey greetings howdy hiya welcome bonjour hola morning afternoon evening thanks "
    "congratulations congrats birthday goodbye bye sorry please"
)
_GREETINGS = _FORMAL | _INFORMAL
_AFTER_GOOD = {"morning": "good", "afternoon": "good", "evening": "good", "birthday": "happy"}
_CLOSERS = words(
    "sincerely truly faithfully yours regards wishes respectfully submitted cordially thanks "
    "you cheers best love warmly atentamente cordialement saludos grüßen care xoxo ever rgds "
    "thx appreciated soon advance"
)
_ANYBODY = words(
    "colleague colleagues sir sirs madam customer customers client team friend friends parent "
    "parents patient doctor physician editor applicant member members all resident neighbor"
)
_MARGIN = re.compile(r"[ ]{0,40}[-~]{0,3}[ ]{0,3}")
_LONGEST_LINE = 34  # letters of a line that is a name


def detect(page: Page) -> Iterator[Span]:
    """Names in greetings, closings and signature lines."""
    read = reading(page)
    for i in read.where(_GREETINGS):
        word = read.lower[i]
        if word not in _AFTER_GOOD or read.lower[i - 1 : i] == [_AFTER_GOOD[word]]:
            yield from _greeted(read, i, formal=word in _FORMAL)
    for i in read.where(_CLOSERS):
        if read.gaps[i] != " ":
            yield from _signed(read, i)
    yield from _lone_lines(read)
    for i in read.index.get("you", ()):
        if read.lower[i + 1 : i + 2] == ["and"] and i + 2 < len(read.words):
            end = name_from(read, i + 2, Trust.NONE)
            if end > i + 2 and read.shapes[i + 2] == "C":
                yield read.spanning(i + 2, end, 0.85, "salutations", "you and")


def _greeted(read: Reading, i: int, *, formal: bool) -> Iterator[Span]:
    if read.gaps[i] not in (" ", ", ", "  ", "! ", ","):
        return
    for start, end in _list(read, past_titles(read, i + 1), formal):
        known = read.fact(start)
        small = read.shapes[start] == "l"
        if small and known.nameness < -0.9 and not (known.strange and formal):
            return
        if known.nameness > -1.3:
            rule, certainty = ("formal", 0.95) if formal else ("greeting", 0.88)
        elif formal and known.zipf < 4.5 and read.lower[start] not in _ANYBODY:
            rule, certainty = "formal, unlisted", 0.85
        elif known.strange and not small and read.gaps[end - 1][:1] in ",!:.\n":
            rule, certainty = "greeting, unlisted", 0.75
        else:
            return
        if small:
            rule, certainty = rule + ", lower case", certainty - 0.1
        yield read.spanning(start, end, certainty, "salutations", rule)


def _list(read: Reading, start: int, formal: bool) -> Iterator[tuple[int, int]]:
    """Names joined by commas and *and*: Dear Ann, Bob and Cy."""
    for _ in range(5):
        trust = Trust.TITLE if formal else Trust.CUE
        end = name_from(read, start, trust, lower=True)
        if end == start:
            return
        yield start, end
        if end < len(read.words) and read.gaps[end - 1] in (" ", ", ") and read.lower[end] == "and":
            start = past_titles(read, end + 1)
        elif end < len(read.words) and read.gaps[end - 1] in (" & ", "/"):
            start = past_titles(read, end)
        else:
            return


def _signed(read: Reading, i: int) -> Iterator[Span]:
    """The name below (or after the comma of) a closing line."""
    gap = read.gaps[i]
    below = "\n" in gap
    if not below and gap not in (", ", " - ", "! ", ","):
        return
    if gap.strip(" \n\t,.!-_*"):
        return
    line = read.page.text.rfind("\n", max(0, read.starts[i] - 80), read.starts[i])
    if below and line < 0 and read.starts[i] > 80:
        return
    start = past_titles(read, i + 1)
    end = name_from(read, start, Trust.CUE, lower=below, inverted=True)
    if end == start:
        return
    # A signature is followed by the end of its line or by what the signer is.
    after = read.gaps[end - 1]
    closed = after[:1] == "\n" or after[:2] in (" \n", ".\n") or after.strip() == ""
    if not closed and not (below and (after[:1] in ",/(|" or after[:2] in ("  ", " (", " -"))):
        return
    known = [read.fact(k) for k in range(start, end) if read.shapes[k] != "I"]
    best = max((fact.nameness for fact in known), default=-9.0)
    if best > -1.3:
        small = read.shapes[start] == "l"
        rule, certainty = ("closing, lower case", 0.8) if small else ("closing", 0.92)
    elif read.shapes[start] == "C" and all(fact.named or fact.strange for fact in known):
        rule, certainty = "closing, unlisted", 0.8
    else:
        return
    yield read.spanning(start, end, certainty, "salutations", rule)


def _lone_lines(read: Reading) -> Iterator[Span]:
    """A line that is nothing but a name: *Sara,* above a message, *Paul* below it."""
    text = read.page.text
    for i in read.openers:
        start = read.starts[i]
        stop = text.find("\n", start, start + _LONGEST_LINE + 1)
        if stop < 0:
            stop = len(text)
        if not 2 <= stop - start <= _LONGEST_LINE or read.lower[i] in CALENDAR:
            continue
        end = name_from(read, i, Trust.NONE) if _MARGIN.fullmatch(read.margin(i)) else i
        if end == i or read.starts[end - 1] >= stop:
            continue
        rest = text[read.ends[end - 1] : stop].strip()
        if rest not in ("", ",", ":", ".", "-", "!", ";", ".,", "--"):
            continue
        known = read.fact(i)
        if known.first <= 0 or known.nameness < -1.0:
            continue
        if end - i > 1:
            yield read.spanning(i, end, 0.85, "salutations", "full name on its line")
        elif not known.place or known.nameness > -0.6:
            yield read.spanning(i, end, 0.82, "salutations", "alone on its line")
