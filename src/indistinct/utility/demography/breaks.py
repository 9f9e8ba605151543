"""An age from which couples no longer belong together: the error of a masking by age.

In the public sample of the 2000 census of the USA the ages of people of 65 and over were masked
without regard to their spouses (McCaa and others 2013, section 5.1). Such a rule for people from
an age on touches exactly the couples whose older partner has reached it, and a rule for people
below an age those whose younger partner has not. So couples are put into shells, by the age of
the older (or younger) partner; in each, original and released couples are compared by their gap,

    X²(a) = Σ over c classes of the gap  (r √(N/M) − o √(M/N))² / (o + r)

with o and r couples of the class in the two files of N and M couples. Were the files two samples
of the same couples, X² would be about c; it is less where the couples are the same people. A
masking that moves couples by a distance φ² adds φ² times the couples of the shell. log(X²/c) is
searched for the age that divides it best into two parts with a φ² of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from indistinct.core import Floats, Ints
from indistinct.results import Part
from indistinct.utility.demography.counts import CoupleAges

__all__ = ["AgeBreak", "find_break"]


CLASSES = np.array([-9, -5, -2, 0, 1, 3, 6, 10])
"""Where classes of the gap in years begin: narrow where most couples are."""

FEWEST = 30
"""Couples per file, on average of the two, for an age to take part."""

SIDE = 5
"""Ages that must lie on either side of a break."""

STANDS_OUT = 8.0
"""By how many standard errors two values of φ² must fit better than one. Set, as the two limits
below, on draws from a synthetic census; docs/methods/demographic-tests.md tells how it does on
another: shuffles of all ages by a year or two reach 8, a redrawing from 65 on 18 and more."""

SUDDEN = 0.6
"""How much of the step of log X² must be there between the `SIDE` ages before and the `SIDE` ages
after it: a difference that grows with age is no break."""

RATIO = 3.0
"""How many times as far off, in years, the changed couples must be as the others."""

NOISE = 0.3
"""The least standard deviation of log X²/c. Of χ² with 9 degrees of freedom it is 0.47; half of
that is lost where values below 1 count as 1."""


@dataclass(frozen=True)
class AgeBreak(Part):
    """An age that divides couples who were kept from couples who were not.

    Parameters
    ----------
    age
        The first age of the people changed, or, if `side` is "below", the first of those kept.
    side
        Whether the people changed are those of this age "and over", or those "below" it.
    stands_out
        By how many standard errors two parts fit better than one.
    ratio
        How many times as large X² is among the couples changed, for ages of the same size.
    years_kept, years_changed
        How far the mean gap, or the mean of its size, is from the original, in years, as root
        mean square over the couples of either side.
    """

    age: int
    side: Literal["and over", "below"]
    stands_out: float
    ratio: float
    years_kept: float
    years_changed: float

    def __str__(self) -> str:
        who = f"{self.age} and over" if self.side == "and over" else f"below {self.age}"
        return (
            f"break at {self.age}: couples with a partner of {who} are off by "
            f"{self.years_changed:.2f} years, the others by {self.years_kept:.2f}"
        )


def find_break(
    original: CoupleAges, released: CoupleAges, *, years: float = 0.5
) -> AgeBreak | None:
    """Find the age from which, or up to which, released couples no longer belong together.

    A break is reported only where two parts fit better by `STANDS_OUT` standard errors, the step
    between them is sudden, and the couples on the changed side are off by at least `years` and
    by `RATIO` times as much as the others.
    """
    found = [_scanned(original, released, older=older, years=years) for older in (True, False)]
    breaks = [b for b in found if b is not None]
    return max(breaks, key=lambda b: b.stands_out, default=None)


def _scanned(
    original: CoupleAges, released: CoupleAges, *, older: bool, years: float
) -> AgeBreak | None:
    before, after = (_shells(file.counts, older=older) for file in (original, released))
    n, m = before.sum(), after.sum()
    if not (n and m):
        return None
    both = before + after
    squares = (after * np.sqrt(n / m) - before * np.sqrt(m / n)) ** 2 / np.maximum(both, 1)
    # classes of fewer than five couples have no χ²
    classes = (both >= 5).sum(axis=1)
    ages = np.flatnonzero((both.sum(axis=1) >= 2 * FEWEST) & (classes > 0))
    if len(ages) < 2 * SIDE:
        return None
    shells = _Shells(
        np.where(both >= 5, squares, 0.0).sum(axis=1)[ages],
        classes[ages].astype(np.float64),
        both.sum(axis=1)[ages],
    )
    at, stands_out = shells.divided()
    near = slice(at - SIDE, at), slice(at, at + SIDE)
    apart, sudden = (
        shells.step(*parts) * (1 if older else -1)
        for parts in ((slice(0, at), slice(at, None)), near)
    )
    off = _years_off(original, released, older=older)
    first, last = _together(off, ages[:at]), _together(off, ages[at:])
    kept, changed = (first, last) if older else (last, first)
    if (
        stands_out < STANDS_OUT
        or apart <= 0
        or sudden < SUDDEN * apart
        or changed < max(years, RATIO * kept)
    ):
        return None
    return AgeBreak(
        int(ages[at]),
        "and over" if older else "below",
        float(stands_out),
        float(np.exp(apart)),
        kept,
        changed,
    )


@dataclass(frozen=True, eq=False)
class _Shells:
    """X², its number of classes, and couples of both files, by age."""

    squares: Floats
    classes: Floats
    couples: Floats

    def distance(self, part: slice = slice(None)) -> float:
        """Return how far couples of some ages are from the original: φ², 0 within chance."""
        beyond = float((self.squares - self.classes)[part].sum())
        return max(beyond, 0.0) / float(self.couples[part].sum())

    def expected(self, distance: float) -> Floats:
        return np.log1p(distance * self.couples / self.classes)

    def divided(self) -> tuple[int, float]:
        """Return the division that fits best, and by how many standard errors it does."""
        level = np.log(np.maximum(self.squares / self.classes, 1.0))
        n = len(level)
        places = range(SIDE, n - SIDE + 1)
        left = []
        for at in places:
            rest = level - self.expected(self.distance(slice(at, None)))
            rest[:at] = (level - self.expected(self.distance(slice(0, at))))[:at]
            left.append(float(rest @ rest))
        best = int(np.argmin(left))
        whole = level - self.expected(self.distance())
        noise = max(left[best] / (n - 2), NOISE**2)
        return places[best], max((float(whole @ whole) - left[best]) / noise, 0.0) ** 0.5

    def step(self, first: slice, second: slice) -> float:
        """Return the step of the level between two parts, for an age of average size."""
        usual = float((self.couples / self.classes).mean())
        return float(
            np.log1p(self.distance(second) * usual) - np.log1p(self.distance(first) * usual)
        )


def _grid(size: int, *, older: bool) -> tuple[Ints, Ints]:
    """Return the shell and the gap of every cell of a table of couples by both ages."""
    husband, wife = np.indices((size, size))
    shell = np.maximum(husband, wife) if older else np.minimum(husband, wife)
    return shell.ravel(), (husband - wife).ravel()


def _shells(counts: Floats, *, older: bool) -> Floats:
    shell, gap = _grid(len(counts), older=older)
    k = len(CLASSES) + 1
    cell = shell * k + np.digitize(gap, CLASSES)
    found = np.bincount(cell, counts.ravel(), minlength=len(counts) * k)
    return found.astype(np.float64).reshape(-1, k)


def _years_off(original: CoupleAges, released: CoupleAges, *, older: bool) -> Floats:
    """Return couples, and squared difference of mean gap and mean |gap|, by shell."""
    rows = []
    for file in (original, released):
        shell, gap = _grid(len(file.counts), older=older)
        n = np.bincount(shell, file.counts.ravel())
        means = [
            np.bincount(shell, file.counts.ravel() * value) / np.maximum(n, 1)
            for value in (gap, np.abs(gap))
        ]
        rows.append(np.stack([n, *means]))
    fewer = np.minimum(rows[0][0], rows[1][0])
    return np.stack([fewer, *((rows[1] - rows[0])[1:] ** 2)])


def _together(off: Floats, ages: Ints) -> float:
    couples, gap, size = off[:, ages]
    if not couples.sum():
        return 0.0
    return float(np.sqrt(max(couples @ gap, couples @ size) / couples.sum()))
