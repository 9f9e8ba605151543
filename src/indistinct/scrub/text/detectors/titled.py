"""Names after a title: *Dr. Lang*, *dr koruturk*, *Drs. Chen and Patel*, *Sister Mary Agnes*.

The title stays in the text and outside the span.
"""

from __future__ import annotations

from collections.abc import Iterator

from indistinct.knowledge import CREDENTIALS
from indistinct.scrub.text.detectors._grammar import (
    Trust,
    common_name,
    ends_clause,
    following,
    name_from,
)
from indistinct.scrub.text.detectors._name_words import PERSON_VERBS, words
from indistinct.scrub.text.detectors._names import Reading, reading
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

# Abbreviations that are nothing else, and in any case announce a name.
_PLAIN = words(
    "mr mrs ms mx mister missus dr dres drs messrs mme mlle prof rev revd sra srta sres señor "
    "señora señorita dra profa monsieur madame mademoiselle herr frau signor signora doktor hr "
    "fr mesdames"
)
# Words that are titles only with a capital, before a capital.
_SOFT = words(
    "miss doctor doctors professor reverend sister brother father nurse officer judge captain "
    "capt major maj colonel col general gen lieutenant lt sergeant sgt corporal cpl private pvt "
    "sir lady lord dame rabbi imam pastor deacon bishop attorney atty counselor don doña dona "
    "sr hon senator sen president detective det deputy sheriff chief commander cmdr dean "
    "principal coach chaplain matron aunt auntie uncle grandma grandpa cousin king queen prince "
    "princess congressman congresswoman governor gov mayor minister secretary ambassador "
    "councillor granny grandmother grandfather nana tía tío abuela abuelo pm sheikh shaikh "
    "sheik master advisor consultant therapist director manager teacher engineer accountant "
    "advisor instructor agent mother madam maître maitre pharmacist paramedic resident intern "
    "midwife trooper justice"
)
_WORDS_OF_NAMES = words(
    "general gen major private chief father mother king queen prince princess sister brother "
    "justice judge dean principal"
)
_SEVERAL = frozenset(("drs", "messrs", "doctors", "dres", "sres", "mesdames", "profs"))
_AFTER_TITLE = (" ", ". ", ".", "\n", ".\n", ".  ", "  ")


def detect(page: Page) -> Iterator[Span]:
    """Names after titles."""
    read = reading(page)
    for i in read.where(_PLAIN):
        yield from _after(read, i, plain=True)
    for i in read.where(_SOFT):
        if read.shapes[i] in "CU":
            yield from _after(read, i, plain=False)
    for i in read.where(_LEADING):
        if read.shapes[i] == "U":
            yield from _after_credential(read, i)


def _after(read: Reading, i: int, *, plain: bool) -> Iterator[Span]:
    gap = read.gaps[i]
    if gap not in _AFTER_TITLE or i + 1 >= len(read.words) or _is_road(read, i):
        return
    if "\n" in gap and read.before(i)[-1:] not in (" ", "\n", "("):
        return  # the last field of a machine's line
    start = i + 1
    inside = i > 0 and read.joined(i - 1) and read.shapes[i - 1] in "CU"
    if inside and not plain and read.lower[i] in _WORDS_OF_NAMES:
        return  # Mass General Brigham
    # Prof. Dr. Weber, Mr. and Mrs. Jones: the last title has the name.
    if read.lower[start] in _PLAIN or (not plain and gap not in (" ", ". ")):
        return
    if plain and read.shapes[i] == "U" and not read.page.shouting and "." not in gap:
        # MS and MR are also multiple sclerosis and magnetic resonance.
        plain = read.lower[i] not in ("ms", "mr", "hr", "fr")
    several = read.lower[i] in _SEVERAL
    for rule, begin, end in _names(read, start, plain=plain, several=several):
        alone = end - begin == 1
        yield read.spanning(
            begin,
            end,
            _PRIORS[rule],
            "titled",
            rule,
            _alone(read, i) if alone else None,
        )


_PRIORS = {
    "title": 0.97,
    "title, lower case": 0.88,
    "title, common word": 0.86,
    "soft title": 0.82,
    "soft, listed": 0.92,
}
_AFTER_DOCTORS = PERSON_VERBS | words("is was has had will aware notified paged w recs re and")


def _common(read: Reading, i: int) -> bool:
    """Whether *early* of *w/ dr early.* is a name: a clause ends or a verb follows."""
    if not common_name(read, i) or read.lower[i - 1] not in ("dr", "mr", "mrs", "ms"):
        return False
    return ends_clause(read, i) or following(read, i) in _AFTER_DOCTORS


def _alone(read: Reading, title: int) -> Kind:
    """What a single name after the title is: Sister Agnes, but Dr. Agnes."""
    given = ("sister", "brother", "sir", "dame", "aunt", "auntie", "uncle", "cousin", "don")
    return Kind.FIRST_NAME if read.lower[title] in given else Kind.LAST_NAME


def _names(
    read: Reading, start: int, *, plain: bool, several: bool
) -> Iterator[tuple[str, int, int]]:
    """The name at `start`, and those which follow by comma and *and* after *Drs.*"""
    while start < len(read.words):
        trust = Trust.TITLE if plain else Trust.CUE
        end = name_from(read, start, trust, lower=plain)
        if end == start:
            if plain and _common(read, start):
                yield "title, common word", start, start + 1
            return
        if read.shapes[start] == "l" and read.shapes[end - 1] == "l":
            rule = "title, lower case"
        elif plain:
            rule = "title"
        else:
            body = next((k for k in range(start, end) if read.shapes[k] != "I"), start)
            rule = "soft, listed" if read.fact(body).nameness > -0.8 else "soft title"
            if read.fact(body).nameness < -1.6 and not read.fact(body).strange:
                return
        yield rule, start, end
        if not several:
            return
        gap = read.gaps[end - 1]
        if gap in (", ", " & ", ","):
            start = end
        elif gap == " " and read.lower[end : end + 1] in (["and"], ["y"], ["und"], ["et"]):
            start = end + 1
        else:
            return
        if read.lower[start : start + 1] == ["and"]:
            start += 1


def _is_road(read: Reading, i: int) -> bool:
    """Whether *Dr* is the Drive of *14 Maple Dr*, or *ms* the milliseconds of *40 ms*."""
    if read.lower[i] not in ("dr", "ms", "st", "fr"):
        return False
    before = read.before(i)
    if before[-1:] == " " and before.rstrip(" ")[-1:].isdigit():
        return True
    for back in range(1, 4):
        if i - back < 0 or read.shapes[i - back] not in "CU" or read.gaps[i - back] != " ":
            return False
        if read.before(i - back).rstrip(" ")[-1:].isdigit():
            return True
    return False


_LEADING = (
    CREDENTIALS & words("rn np lpn lvn cna lcsw licsw crna arnp aprn pa pac emt dpt")
) | frozenset(("pi", "dds"))


def _after_credential(read: Reading, i: int) -> Iterator[Span]:
    """RN Blake, NP Jennifer Tan: the credential as a title."""
    if read.gaps[i] != " " or i + 1 >= len(read.words) or read.shapes[i + 1] != "C":
        return
    known = read.fact(i + 1)
    if known.nameness < -1.0 and not known.strange:
        return
    end = name_from(read, i + 1, Trust.CUE)
    if end > i + 1:
        yield read.spanning(i + 1, end, 0.8, "titled", "credential before")
