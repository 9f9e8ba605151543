"""Columns that are made of names: initials, logins, codes of names, numbers in their order.

A name that stays behind is told by what was made of it. Where the names stand beside it, that is
seen: letters of the name are in it; it is another for every name and the same for the same, among
people who do not live together; or its values stand in the order of the alphabet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, Ints, decoded, holds_numbers
from indistinct.files import Source

__all__ = ["made_of_names"]

_SAMPLE = 1_000

_FEWEST = 30
"""People of whom it can be said what a column has of their names."""

_KINDS = 10
"""Different values from which on a code may be that of a name: all of them call it by two sexes."""

_HAVING, _BY_CHANCE = 0.8, 0.4
"""The share of people whose cell has something of their name, and of somebody else's at most."""

_ALIKE, _ALIKE_BY_CHANCE = 0.9, 0.3
"""The share of pairs of people with one value who have one name, and of any pairs at most."""

_PAIRS = 20

_IN_ORDER = 0.95
"""The rank correlation with the alphabet from which a column stands in the order of names."""

_LETTERS = re.compile(r"[^\W\d_]+")
_BEGINNING = 3
"""Letters of a name by which it is known."""


def made_of_names(
    source: Source, names: Sequence[str], others: Sequence[str], *, household: str | None = None
) -> dict[str, str]:
    """Return which columns are made of names, and how that is seen.

    Parameters
    ----------
    names
        Columns that hold names of people, or parts of them.
    others
        Columns that may be made of them.
    household
        The number of the household: who shares it shares names.
    """
    if not names or not others:
        return {}
    needed = dict.fromkeys([*names, *others, *([household] if household is not None else [])])
    some = source.spread(_SAMPLE).select(list(needed))
    spelt = [_letters(some.column(name)) for name in names]
    whole = [" ".join(parts).strip() for parts in zip(*spelt, strict=True)]
    spelt += [whole, *([_word(name, at) for name in part] for part in (*spelt,) for at in (0, -1))]
    called = [_ranks(part) for part in spelt]
    named = np.array([bool(text) for text in whole])
    lives = np.arange(len(whole)) if household is None else _ranks(_told(some.column(household)))
    found: dict[str, str] = {}
    for other in others:
        column = some.column(other)
        there = np.asarray(column.is_valid().to_numpy(zero_copy_only=False))
        both = np.flatnonzero(named & there)
        told = _told(column.take(pa.array(both)))
        if len(both) < _FEWEST or len(told.unique()) < _KINDS:
            continue
        values, of = _ranks(told), [ranks[both] for ranks in called]
        reason = None
        if not holds_numbers(column.type) and _has_letters(_letters(column), whole, both):
            reason = "it is made of letters of the name"
        elif any(_stands_for(values, names, lives[both]) for names in of):
            reason = "it stands for a name: another for each, and the same for the same"
        elif any(_in_order(values, names) for names in of):
            reason = "it stands in the order of the names"
        if reason is not None:
            found[other] = reason
    return found


def _letters(column: pa.ChunkedArray) -> list[str]:
    """Return texts in lower case and without accents, and nothing for no text."""
    texts = pc.utf8_normalize(pc.cast(decoded(column.combine_chunks()), pa.string()), form="NFKD")
    plain = pc.replace_substring_regex(pc.utf8_lower(texts), r"\pM+", "")
    return [text or "" for text in plain.to_pylist()]


def _told(column: pa.ChunkedArray) -> pa.Array:
    """Return values that can be put in order: numbers and times by themselves, others as texts."""
    whole = decoded(column.combine_chunks())
    kind = whole.type
    if holds_numbers(kind) or pa.types.is_temporal(kind):
        return whole
    return pc.cast(whole, pa.string())


def _ranks(values: pa.Array | Sequence[str]) -> Ints:
    """Return the rank of each value among the different ones."""
    ranks = pc.rank(pa.array(values) if isinstance(values, list) else values, tiebreaker="dense")
    return np.asarray(ranks.to_numpy(zero_copy_only=False), dtype=np.int64)


def _word(name: str, at: int) -> str:
    words = name.split()
    return words[at] if words else ""


def _has_letters(texts: Sequence[str], names: Sequence[str], both: Ints) -> bool:
    """Say whether cells have something of their own name, and seldom of the next one's."""
    some = both.tolist()
    own = np.mean([_something_of(names[n], texts[n]) for n in some])
    if own < _HAVING:
        return False
    strangers = [*some[len(some) // 2 :], *some[: len(some) // 2]]
    pairs = [
        (names[m], texts[n]) for n, m in zip(some, strangers, strict=True) if names[m] != names[n]
    ]
    return bool(pairs and np.mean([_something_of(*pair) for pair in pairs]) <= _BY_CHANCE)


def _something_of(name: str, text: str) -> bool:
    """Say whether a text has the initials of a name, or how a part of it begins, either way."""
    words = _LETTERS.findall(name)
    letters = "".join(_LETTERS.findall(text))
    if sorted(letters) == sorted(word[0] for word in words):
        return len(letters) > 1
    return any(
        word[:_BEGINNING] in way
        for word in words
        if len(word) >= _BEGINNING
        for way in (letters, letters[::-1])
    )


def _stands_for(values: Ints, called: Ints, lives: Ints) -> bool:
    """Say whether people with one value have one name, and people with one name one value."""
    return all(
        _agree(one, other, lives) >= _ALIKE
        and _agree(np.zeros_like(one), other, lives) < _ALIKE_BY_CHANCE
        for one, other in ((values, called), (called, values))
    )


def _agree(one: Ints, other: Ints, lives: Ints) -> float:
    """Return the share of pairs with one value that have one of the other; 0 of few pairs."""
    order = np.argsort(one, kind="stable")
    a, b = order[:-1], order[1:]
    pairs: Bools = (one[a] == one[b]) & (lives[a] != lives[b])
    if pairs.sum() < _PAIRS:
        return 0.0
    return float((other[a] == other[b])[pairs].mean())


def _in_order(values: Ints, called: Ints) -> bool:
    """Say whether values rise or fall with the alphabet of the names."""
    if min(len(np.unique(values)), len(np.unique(called))) < _FEWEST:
        return False
    both_ways = np.asarray(np.corrcoef(values.astype(np.float64), called.astype(np.float64)))
    return abs(float(both_ways[0, 1])) >= _IN_ORDER
