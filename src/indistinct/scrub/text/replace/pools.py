"""Whom made-up people are made of: clear first names with their nicknames, readable surnames.

A made-up first name must say its sex at once, so that the letter reads as before: it is borne
fifty times as often by one sex as by the other (1990 census). It must have a nickname of the same
clear sex that begins alike, since a nickname may turn up in another letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import pyarrow.compute as pc

from indistinct.knowledge import Knowledge, Word, knowledge, table

CLEAR = 50
"""How many times as common a name must be with one sex to be clear."""

_WELL_KNOWN, _KNOWN = 10.0, 2.0  # bearers per 100,000: first names, nicknames
_ORDINARY = 4.95  # zipf from which a word is rather read as the word
_BIG_CITY = 300_000


@lru_cache(maxsize=16384)
def clear_sex(name: str) -> str | None:
    """The sex that a first name says beyond doubt.

    >>> clear_sex("Virginia"), clear_sex("Patrick"), clear_sex("Leslie"), clear_sex("Hospital")
    ('F', 'M', None, None)
    """
    known = knowledge().word(name)
    if known.female > CLEAR * known.male:
        return "F"
    if known.male > CLEAR * known.female:
        return "M"
    return None


def _borne(known: Word, sex: str) -> float:
    """How common with this sex, if clearly so."""
    own, other = (known.female, known.male) if sex == "F" else (known.male, known.female)
    return own if own > CLEAR * other else 0.0


def _short_forms(name: str, sex: str, known: Knowledge) -> tuple[str, ...]:
    """Nicknames that are read as this name's: clear, no ordinary words, of few names."""
    found = []
    for short in known.nicknames(name):
        word = known.word(short)
        bearers = _borne(word, sex)
        if (
            short[:2] == name[:2]
            and short.isalpha()
            and 3 <= len(short) <= 6
            and (len(name) - len(short) > 1 or (short.endswith(("y", "ie")) and short != name))
            and bearers >= max(_KNOWN, word.surname)
            and word.zipf < _ORDINARY
            and len(known.full_names(short)) <= 8
        ):
            found.append(short)
    return tuple(found)


@lru_cache(maxsize=3)
def first_names(sex: str | None) -> Mapping[str, tuple[str, ...]]:
    """First names of a sex with their nicknames; for None, names that both sexes bear.

    >>> first_names("F")["deborah"]
    ('deb', 'debbie', 'debby')
    """
    known = knowledge()
    if sex is None:
        return _either_sex(known)
    names = {}
    for name in sorted(set(table("nicknames").column("name").to_pylist())):
        word = known.word(name)
        bearers = _borne(word, sex)
        place = known.place(name)
        if (
            bearers >= max(_WELL_KNOWN, word.surname)
            and len(name) > 3
            and name.isalpha()
            and word.zipf < _ORDINARY
            and (place is None or place.population < _BIG_CITY)
            and not _is_short(name, known)
        ):
            short = _short_forms(name, sex, known)
            if short:
                names[name] = short
    return names


def _is_short(name: str, known: Knowledge) -> bool:
    """Whether the name is itself short for a longer one."""
    return any(
        len(full) > len(name) and full[0] == name[0] and known.word(full).first >= _WELL_KNOWN
        for full in known.full_names(name)
    )


def _either_sex(known: Knowledge) -> dict[str, tuple[str, ...]]:
    words = table("words")
    both = pc.and_(pc.greater_equal(words["female"], 7), pc.greater_equal(words["male"], 7))
    names = {}
    for row in words.filter(both).to_pylist():
        name, rarer = row["word"], min(row["female"], row["male"])
        if (
            max(row["female"], row["male"]) <= 4 * rarer
            and row["zipf"] < 4.6
            and row["surname"] < 20
            and len(name) > 3
            and name.isalpha()
        ):
            names[name] = tuple(
                short
                for short in known.nicknames(name)
                if short[0] == name[0] and 2 < len(short) < len(name) and short.isalpha()
            )
    return dict(sorted(names.items()))


@lru_cache(maxsize=1)
def surnames() -> tuple[str, ...]:
    """Surnames of the census' middle band: known as names, neither words nor towns nor first names.

    >>> pool = surnames()
    >>> len(pool) > 2000, "smith" in pool, "long" in pool, "boston" in pool
    (True, False, False, False)
    """
    known = knowledge()
    words = table("words")
    band = pc.and_(
        pc.and_(pc.greater_equal(words["surname"], 2), pc.less(words["surname"], 60)),
        pc.and_(
            pc.less(words["zipf"], 3.0),
            pc.and_(pc.less(words["female"], 1), pc.less(words["male"], 1)),
        ),
    )
    return tuple(
        name
        for name in sorted(words.filter(band)["word"].to_pylist())
        if 4 <= len(name) <= 9
        and name.isascii()
        and name.isalpha()
        and known.place(name) is None
        and not known.is_medical(name)
        and not known.is_eponym(name)
    )
