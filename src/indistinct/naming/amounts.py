"""Whole numbers that are another for nearly everybody: amounts, or numbers that were given out?

Turnover in whole euros singles out as many as a customer's number does, and only the number is an
identifier. Where no name tells, an amount is known by its form: it may be below zero; it is spread
over orders of magnitude, most of it small; or it rises and falls with another amount of the file,
which a number does only if it was given out in that order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from indistinct.core import Floats
from indistinct.files import Source
from indistinct.naming.concepts import concept_of, is_numbered, says_amount
from indistinct.naming.content import Content

__all__ = ["is_skewed", "with_amounts"]

_SAMPLE = 1_000
_FEWEST = 30
"""Different numbers of which it can be said what they go with."""

_SHAPED = 100
"""Different numbers of which the shape of a distribution can be seen."""

_DENSE = 3
"""Numbers given out one after the other leave fewer gaps than this."""

_SKEWED = 2.0
"""How much further the upper tenth is from the middle than the lower."""

_GAP = 0.5
"""The part of the range of all numbers but the outermost that amounts never leave free."""

_ONE_LENGTH = 0.75
"""The share of numbers with the same number of digits from which they may have been given out."""

_GOES_WITH = (0.5, 0.99)
"""The rank correlations with an amount between which a column is one, too.

Numbers that begin with the number of something else have its order entirely.
"""

_HEAPED = 0.2
"""The share of numbers that are whole fifties from which on they were told by people."""

_IN_ORDER = 0.9
"""The rank correlation with the order of the records from which numbers were given out so."""


def with_amounts(source: Source, contents: Sequence[Content]) -> list[Content]:
    """Return what was looked at, with the amounts marked among what singles people out."""
    doubtful = [
        content.facts.name
        for content in contents
        if content.is_number
        and content.singles_out
        and content.is_whole
        and not content.has_dates
        and not is_numbered(content.facts.name)
        and concept_of(content.facts.name) is None
    ]
    if not doubtful:
        return list(contents)
    others = [
        content
        for content in contents
        if content.is_number
        and content.facts.distinct >= _FEWEST
        and content.facts.name not in doubtful
        and getattr(concept_of(content.facts.name), "role", "other") in ("other", "sensitive")
    ]
    some = source.spread(_SAMPLE)
    columns = {
        name: np.asarray(
            some.column(name).cast("float64", safe=False).to_numpy(zero_copy_only=False)
        )
        for name in (*doubtful, *(content.facts.name for content in others))
    }
    known = [
        content.facts.name
        for content in others
        if content.has_fractions
        or says_amount(content.facts.name)
        or _is_heaped(columns[content.facts.name])
    ]
    found = [name for name in doubtful if _looks_measured(columns[name])]
    amounts = [*known, *found]
    found += [
        name
        for name in doubtful
        if name not in found
        and not _given_in_order(columns[name])
        and any(_goes_with(columns[name], columns[one]) for one in amounts)
    ]
    return [
        replace(content, measured=True) if content.facts.name in found else content
        for content in contents
    ]


def _looks_measured(numbers: Floats) -> bool:
    """Say whether numbers are below zero, or mostly small and spread over orders of magnitude."""
    own = numbers[np.isfinite(numbers)]
    if len(np.unique(own)) < _FEWEST:
        return False
    return bool((own < 0).any()) or is_skewed(own)


def is_skewed(own: Floats) -> bool:
    """Say whether numbers are mostly small and spread over orders of magnitude, as amounts are.

    >>> drawn = np.random.default_rng(1).normal(size=300)
    >>> is_skewed(np.exp(9 + 2 * drawn)), is_skewed(50 + drawn)
    (True, False)
    """
    if len(np.unique(own)) < _SHAPED or _given_in_order(own):
        return False
    low, middle, high = np.quantile(own, [0.1, 0.5, 0.9])
    digits = np.floor(np.log10(np.maximum(np.abs(own), 1)))
    most = np.unique(digits, return_counts=True)[1].max() / len(own)
    spread = most < _ONE_LENGTH and high - middle >= _SKEWED * (middle - low)
    return bool(spread and _leaves_no_gap(own))


def _leaves_no_gap(own: Floats) -> bool:
    """Say whether no gap goes through the middle of the numbers, as where two centuries meet."""
    inner = np.sort(own)[len(own) // 20 : len(own) - len(own) // 20]
    return float(np.diff(inner).max()) < _GAP * float(inner[-1] - inner[0])


def _given_in_order(numbers: Floats) -> bool:
    """Say whether numbers leave no gaps, or rise or fall from record to record."""
    own = numbers[np.isfinite(numbers)]
    in_order = abs(_together(own, np.arange(len(own), dtype=np.float64))) >= _IN_ORDER
    return len(own) < _FEWEST or _is_dense(own) or in_order


def _is_heaped(numbers: Floats) -> bool:
    own = numbers[np.isfinite(numbers) & (numbers != 0)]
    return len(own) >= _FEWEST and bool((own % 50 == 0).mean() >= _HEAPED)


def _goes_with(numbers: Floats, amount: Floats) -> bool:
    least, most = _GOES_WITH
    return least <= abs(_together(numbers, amount)) < most


def _is_dense(own: Floats) -> bool:
    return float(own.max() - own.min()) < _DENSE * len(np.unique(own))


def _together(one: Floats, other: Floats) -> float:
    """Return the rank correlation of two columns where both have numbers."""
    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < _FEWEST:
        return 0.0
    ranks = [
        np.unique(numbers[both], return_inverse=True)[1].reshape(-1) for numbers in (one, other)
    ]
    if any(rank.max() == 0 for rank in ranks):
        return 0.0
    return float(np.asarray(np.corrcoef(np.array(ranks, dtype=np.float64)))[0, 1])
