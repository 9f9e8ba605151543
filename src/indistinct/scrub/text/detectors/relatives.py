"""Names after a relation: *her mother Dorothy*, *brother guy at bedside*, *wife (Carla, …)*."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.knowledge import RELATIONS
from indistinct.scrub.text.detectors._grammar import (
    Trust,
    common_name,
    following,
    name_before,
    name_from,
    past_titles,
)
from indistinct.scrub.text.detectors._name_words import NOT_BORNE, PERSON_VERBS, ROLES, words
from indistinct.scrub.text.detectors._names import Reading, reading
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Span

_PLURAL = words(
    "sons daughters brothers sisters siblings grandchildren parents kids twins friends sisters "
    "cousins nieces nephews grandparents boys girls roommates"
)
_CUES = RELATIONS | ROLES | _PLURAL
_BETWEEN = (" ", ", ", " (", ": ", " - ", ' "', ",", ' "', " '")
_VERBS = frozenset(("is", "was", "named", "called"))
_TO = {
    "married": "to", "engaged": "to", "wed": "to", "lives": "with", "accompanied": "by",
    "divorced": "from",
    **dict.fromkeys(
        words("son daughter child wife husband mother father widow widower parents sister brother"),
        "of",
    ),
}  # fmt: skip
_OF = frozenset(_TO)


def detect(page: Page) -> Iterator[Span]:
    """Names after relations."""
    read = reading(page)
    for i in read.where(_CUES):
        yield from _after(read, i)
        if i and read.gaps[i][:1] in "),;/":
            yield from _in_brackets(read, i)
    for i in read.where(_OF):
        if read.lower[i + 1 : i + 2] == [_TO[read.lower[i]]]:
            yield from _names(read, i + 2, "of", 0.8, several=True)


def _in_brackets(read: Reading, i: int) -> Iterator[Span]:
    """*Luisa Ferrante (sister)*, *"Karl" (late husband)*: the relation after the name."""
    last = i - 2 if read.lower[i - 1] in _ATTRIBUTES and i > 1 else i - 1
    if read.gaps[last] not in (" (", '" (', "' (") or read.shapes[last] != "C":
        return
    first = name_before(read, last)
    known = read.fact(last)
    if first > last or (first == last and known.eponym):
        return
    if known.nameness > -1.2 or last > first:
        yield read.spanning(first, last + 1, 0.88, "relatives", "before brackets")
    elif known.strange and read.gaps[last] != " (":
        yield read.spanning(first, last + 1, 0.86, "relatives", "quoted before brackets")
    elif known.strange:
        yield read.spanning(first, last + 1, 0.74, "relatives", "before brackets, unlisted")


_ATTRIBUTES = words("late his her their my older younger eldest ex former the patient's")


def _after(read: Reading, i: int) -> Iterator[Span]:
    gap = read.gaps[i]
    wrapped = gap.count("\n") == 1 and not gap.strip()
    if (gap not in _BETWEEN and not wrapped) or i + 1 >= len(read.words):
        return
    start, rule = i + 1, "beside"
    if read.lower[start] in _VERBS and gap == " ":
        start, rule = start + 1, "is"
    elif gap != " " and not (wrapped and read.shapes[i] == "l"):
        rule = "apart"
    yield from _names(read, start, rule, 0.9, several=read.lower[i] in _PLURAL or rule == "beside")


def _names(
    read: Reading, start: int, rule: str, certainty: float, *, several: bool
) -> Iterator[Span]:
    """The name at `start`, and those joined to it by *and* or commas."""
    for _ in range(6):
        if start >= len(read.words):
            return
        start = past_titles(read, start)
        small = read.shapes[start] == "l"
        end = name_from(read, start, Trust.CUE, lower=rule == "beside")
        if end == start:
            if rule == "beside" and _common(read, start):
                yield read.spanning(start, start + 1, 0.86, "relatives", "beside, common word")
            elif rule == "beside" and _capital(read, start):
                yield read.spanning(start, start + 1, 0.88, "relatives", "beside, word in capital")
            return
        known = read.fact(start)
        listed = known.nameness > (-1.6 if rule == "apart" and known.first > 0 else -1.2)
        if small and not _plausible(read, start, end):
            return
        if rule in ("apart", "is") and not listed and end - start == 1 and not known.strange:
            return
        if small and _acts(read, end - 1):
            rule_here = f"{rule}, lower case, and verb"
            yield read.spanning(start, end, 0.86, "relatives", rule_here)
        elif small:
            yield read.spanning(start, end, 0.76, "relatives", f"{rule}, lower case")
        elif listed:
            yield read.spanning(start, end, certainty, "relatives", f"{rule}, listed")
        else:
            whole = end - start > 1
            doubt = 0.04 if whole else 0.12
            rule_here = f"{rule}, unlisted" + (", whole" if whole else "")
            yield read.spanning(start, end, certainty - doubt, "relatives", rule_here)
        if not several or small:
            return
        if read.gaps[end - 1] in (", ", " & ", "/"):
            start = end
        elif read.gaps[end - 1] == " " and read.lower[end : end + 1] == ["and"]:
            start = end + 1
        else:
            return
        if read.lower[start : start + 1] == ["and"]:
            start += 1


def _plausible(read: Reading, start: int, end: int) -> bool:
    """Whether lower-case words after a relation are rather a name than the next words."""
    known = read.fact(start)
    if known.nameness > -0.9 or end - start > 1:
        return True
    after = read.lower[end] if end < len(read.words) else ""
    ends = read.gaps[end - 1] != " "
    if known.named:
        return read.lower[start] not in NOT_BORNE and (ends or after in _FOLLOWING)
    return known.strange and (ends or after in _FOLLOWING)


def _common(read: Reading, i: int) -> bool:
    """Whether *will* of *father will at bedside* is a first name: no verb follows the modal."""
    return common_name(read, i) and read.fact(i).first > 1 and _acts(read, i)


def _capital(read: Reading, i: int) -> bool:
    """Whether nothing explains the capital of a common word but a name: *her father Will had*."""
    if read.shapes[i] != "C" or read.shapes[i - 1] != "l" or read.gaps[i - 1] != " ":
        return False
    if read.shapes[i + 1 : i + 2] not in ("l", "") or any(c.isdigit() for c in read.gaps[i][:4]):
        return False
    return read.fact(i).first > 1


def _acts(read: Reading, i: int) -> bool:
    """Whether what follows word i is said of people alone, or gives their number."""
    after = following(read, i)
    if after == "at":
        return read.lower[i + 2 : i + 3] in (["bedside"], ["home"], ["beside"], ["side"])
    return after in _FINITE or _NUMBER.match(read.page.text, read.ends[i]) is not None


# Forms that no *will* or *may* has before it.
_FINITE = frozenset(
    verb for verb in PERSON_VERBS if verb.endswith(("s", "ed")) and not verb.endswith("ss")
) | words("is was has had came said told brought went wrote who")
_NUMBER = re.compile(r"(?: \(|, )(?:cell |ph |phone |tel )?\(?\d{3}")
_FOLLOWING = words(
    "at is was has had in with who and came says said reports states reported called calls "
    "present visited here will to from also helps lives works brought by aware updated"
)
