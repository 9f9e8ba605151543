"""Names after a relation: *her mother Dorothy*, *brother guy at bedside*, *wife (Carla, …)*."""

from __future__ import annotations

from collections.abc import Iterator

from indistinct.text.cues import RELATIONS
from indistinct.text.detectors._grammar import Trust, name_from
from indistinct.text.detectors._name_words import words
from indistinct.text.detectors._names import Reading, reading
from indistinct.text.page import Page
from indistinct.text.spans import Span

_PLURAL = words(
    "sons daughters brothers sisters siblings grandchildren parents kids twins friends sisters "
    "cousins nieces nephews grandparents boys girls roommates"
)
_MORE = words(
    "dtr dau husb hsb bro sis gma gpa bf gf chaplain sitter cna mama papa mum nana grandmom "
    "granddad fiance fiancee fiancé fiancée husband-to-be ex-wife ex-husband ex-boyfriend "
    "ex-girlfriend half-brother half-sister mother-in-law father-in-law sister-in-law "
    "brother-in-law son-in-law daughter-in-law stepfather step-father step-mother step-son "
    "step-daughter godmother godfather godson goddaughter classmate housemate aide babysitter "
    "nanny sponsor buddy pal girl boy widow widower dog-walker assistant secretary interpreter "
    "therapist pharmacist dentist hairdresser pediatrician cardiologist surgeon psychiatrist "
    "midwife physician physiotherapist nurse social-worker mentor tutor student employee "
    "manager director client resident advisor lawyer attorney"
)
_CUES = RELATIONS | _MORE | _PLURAL
_BETWEEN = (" ", ", ", " (", ": ", " - ", ' "', ",", ' "', " '")
_VERBS = frozenset(("is", "was", "named", "called"))
_TO = {
    "married": ("to",), "engaged": ("to",), "wed": ("to",), "son": ("of",), "daughter": ("of",),
    "child": ("of",), "wife": ("of",), "husband": ("of",), "mother": ("of",), "father": ("of",),
    "widow": ("of",), "widower": ("of",), "parents": ("of",), "lives": ("with",),
    "sister": ("of",), "brother": ("of",), "accompanied": ("by",), "divorced": ("from",),
}  # fmt: skip


def detect(page: Page) -> Iterator[Span]:
    """Names after relations."""
    read = reading(page)
    for cue in sorted(_CUES & read.index.keys()):
        for i in read.index[cue]:
            yield from _after(read, i)
    for cue in sorted(_TO.keys() & read.index.keys()):
        for i in read.index[cue]:
            if read.lower[i + 1 : i + 2] and read.lower[i + 1] in _TO[cue]:
                yield from _names(read, i + 2, "of", 0.8, several=True)


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
        small = read.shapes[start] == "l"
        end = name_from(read, start, Trust.CUE, lower=rule == "beside")
        if end == start:
            return
        known = read.fact(start)
        listed = known.nameness > (-1.6 if rule == "apart" and known.first > 0 else -1.2)
        if small and not _plausible(read, start, end):
            return
        if rule in ("apart", "is") and not listed and end - start == 1 and not known.strange:
            return
        if small:
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
        return ends or after in _FOLLOWING
    return known.strange and (ends or after in _FOLLOWING)


_FOLLOWING = words(
    "at is was has had in with who and came says said reports states reported called calls "
    "present visited here will to from also helps lives works brought by aware updated"
)
