"""The small tables that the demographic tests are made of: couples, mothers and children.

A file is read once into tables by single year of age; everything else is arithmetic on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints
from indistinct.households import NOBODY, Kinship

__all__ = [
    "OLDEST",
    "CoupleAges",
    "CoupleEducation",
    "OwnChildren",
    "couple_ages",
    "couple_education",
    "own_children",
]


OLDEST = 130
"""Ages above this are refused: they are codes for something else."""

_AGES = OLDEST + 1


@dataclass(frozen=True, eq=False)
class CoupleAges:
    """Couples of a husband and a wife by their ages.

    Parameters
    ----------
    counts
        Couples; rows are ages of the husband, columns of the wife, from 0.
    left_out
        Couples of whom an age is not known.
    """

    counts: Floats
    left_out: int = 0

    @property
    def couples(self) -> int:
        """The couples whose ages are known."""
        return int(self.counts.sum())

    @property
    def correlation(self) -> float:
        """Pearson's correlation of the ages of husband and wife."""
        ages = np.arange(len(self.counts), dtype=np.float64)
        n = self.counts.sum()
        if not n:
            return float("nan")
        by_husband, by_wife = self.counts.sum(axis=1), self.counts.sum(axis=0)
        h, w = ages - by_husband @ ages / n, ages - by_wife @ ages / n
        spread = float((by_husband @ h**2) * (by_wife @ w**2))
        return float(h @ self.counts @ w) / spread**0.5 if spread else float("nan")


@dataclass(frozen=True, eq=False)
class OwnChildren:
    """Children by their own age and their mother's, and women by age.

    Parameters
    ----------
    matched
        B(x, a): children aged x of mothers aged a who live with them.
    children
        All children aged x, with their mother or without.
    women
        All women aged a.
    left_out
        People whose age is not known.
    """

    matched: Floats
    children: Floats
    women: Floats
    left_out: int = 0


@dataclass(frozen=True, eq=False)
class CoupleEducation:
    """Couples by the wife's age and by the education of both.

    Parameters
    ----------
    counts
        Couples by age of the wife, level of the husband and level of the wife.
    levels
        The names of the levels, the lowest first.
    left_out
        Couples of whom a level, or the wife's age, is not known.
    """

    counts: Floats
    levels: tuple[str, ...]
    left_out: int = 0


def couple_ages(kinship: Kinship, age: Any, woman: Bools) -> CoupleAges:
    """Count couples by the ages of husband and wife.

    >>> nobody = np.full(2, NOBODY)
    >>> pair = Kinship(np.zeros(2, int), np.zeros(2, int), np.array([1, 0]), nobody, nobody)
    >>> found = couple_ages(pair, [34, 31], np.array([False, True]))
    >>> found.counts[34, 31], found.couples
    (np.float64(1.0), 1)
    """
    ages = whole_ages(age, kinship)
    couples = kinship.couples(woman)
    husband, wife = ages[couples.husband], ages[couples.wife]
    known = (husband >= 0) & (wife >= 0)
    counts = _table((husband[known], wife[known]), (_AGES, _AGES))
    return CoupleAges(counts, int((~known).sum()))


def own_children(kinship: Kinship, age: Any, woman: Bools, *, oldest: int = 14) -> OwnChildren:
    """Match children up to an age with the mothers who live with them, and count."""
    ages = whole_ages(age, kinship)
    child = np.flatnonzero((ages >= 0) & (ages <= oldest))
    mother = kinship.mother[child]
    of = np.where(mother == NOBODY, -1, ages[mother])
    known = of >= 0
    return OwnChildren(
        _table((ages[child[known]], of[known]), (oldest + 1, _AGES)),
        _table((ages[child],), (oldest + 1,)),
        _table((ages[woman & (ages >= 0)],), (_AGES,)),
        int((ages < 0).sum()),
    )


def couple_education(
    kinship: Kinship, education: Any, age: Any, woman: Bools, *, levels: Sequence[str]
) -> CoupleEducation:
    """Count couples by the wife's age and the education of both.

    Parameters
    ----------
    education
        The position of everybody's level in `levels`, which begins with the lowest; -1 where it
        is not known.
    """
    ages = whole_ages(age, kinship)
    level = np.asarray(education, dtype=np.int64)
    if len(level) != kinship.records:
        raise InputError(
            f"Education must have a level for each of {kinship.records:,} records. "
            f"Got {len(level):,}."
        )
    if len(level) and int(level.max()) >= len(levels):
        raise InputError(
            f"Education must be positions among {len(levels)} levels, from 0. "
            f"Got {int(level.max())}."
        )
    couples = kinship.couples(woman)
    husband, wife, old = level[couples.husband], level[couples.wife], ages[couples.wife]
    known = (husband >= 0) & (wife >= 0) & (old >= 0)
    k = len(levels)
    counts = _table((old[known], husband[known], wife[known]), (_AGES, k, k))
    return CoupleEducation(counts, tuple(levels), int((~known).sum()))


def whole_ages(age: Any, kinship: Kinship) -> Ints:
    """Return completed years, -1 where the age is missing or below 0."""
    values = np.asarray(age)
    if len(values) != kinship.records:
        raise InputError(
            f"There must be an age for each of {kinship.records:,} records. Got {len(values):,}."
        )
    if values.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            values = np.where(np.isfinite(values), np.floor(values), -1)
    ages = values.astype(np.int64)
    if len(ages) and int(ages.max()) > OLDEST:
        record = int(ages.argmax()) + 1
        raise InputError(
            f"An age must be at most {OLDEST}. Record {record:,} has more. If this is a code for "
            "a missing age, declare it as one."
        )
    return np.maximum(ages, -1)


def _table(columns: tuple[Ints, ...], shape: tuple[int, ...]) -> Floats:
    cell = np.ravel_multi_index(columns, shape)
    return np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
