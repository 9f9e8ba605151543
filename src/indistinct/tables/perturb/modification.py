"""Two older ways of blurring counts: random modification by one, and random rounding.

Random modification ("Barnardisation") added −1, 0 or +1 to the cells of the 1991 census of Great
Britain, table by table; totals were added up from what came out. Random rounding takes every count,
totals too, to one of the two nearest multiples of a base, so that it is right on average.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from indistinct.core import (
    Base,
    Bools,
    Floats,
    Ints,
    Seed,
    Words,
    above,
    as_uniform,
    check_number,
    check_whole,
)
from indistinct.tables.counting import Counted
from indistinct.tables.perturb.cellkey import CellKeys, class_keys
from indistinct.tables.perturb.marginal_sums import (
    AtomCells,
    Geography,
    Margin,
    atom_cells,
    check_counts,
    summed,
)
from indistinct.tables.perturb.published import PerturbedTables, PublishedCells
from indistinct.tables.perturb.randomness import checked_seed, words

__all__ = [
    "RandomModification",
    "RandomRounding",
    "checked_base",
    "random_modification",
    "random_rounding",
]


def checked_base(base: int) -> int:
    """Return the base of a rounding, or refuse what is none."""
    check_whole("base", base, 2)
    return int(base)


@dataclass(frozen=True)
class RandomModification:
    """−1 or +1 with a probability each, on the cells of each table that somebody is in.

    Parameters
    ----------
    probability
        Of −1, and of +1.
    times
        How often the whole is done.
    keep_area_totals
        Whether as many cells of an area go up as down, in every table.
    seed
        Secret.
    """

    probability: float
    times: int
    keep_area_totals: bool
    seed: int = field(repr=False)

    additive = True
    same_for_equal_parts = False

    @property
    def words(self) -> str:
        """The method in a few words."""
        again = "" if self.times == 1 else f", {self.times} times"
        kept = ", area totals kept" if self.keep_area_totals else ""
        return f"−1 or +1 with a probability of {self.probability:g} each{again}{kept}"

    def cells(self, counted: Counted, margin: Margin, geography: Geography) -> PublishedCells:
        """Return the cells of one part, true and published."""
        atoms = atom_cells(counted, margin.position, counted.counts)
        name = counted.layouts[margin.position].name
        size = counted.layouts[margin.position].cells
        now = atoms.sums[0].copy()
        for turn in range(self.times):
            drawn = words(self.seed, f"modify {turn} {name}", atoms.atom * size + atoms.cell)
            some = now > 0
            if self.keep_area_totals:
                now[some] += self._balanced(atoms, some, drawn, f"{turn} {name}")
            else:
                uniform = as_uniform(drawn)[some]
                now[some] += (uniform < self.probability).astype(np.int64)
                now[some] -= uniform >= 1 - self.probability
        change = atoms.on_classes(counted, now - atoms.sums[0])
        found = summed(counted, margin, geography, counted.counts, change)
        count, noise = found.sums
        return PublishedCells(found.area, found.cell, count, count + noise)

    def _balanced(self, atoms: AtomCells, some: Bools, drawn: Words, stream: str) -> Ints:
        """Return as many +1 as −1 for every place, on cells in random order."""
        place, drawn = atoms.atom[some], drawn[some]
        order = np.lexsort((drawn, place))
        places, starts, number = np.unique(place[order], return_index=True, return_counts=True)
        lucky = as_uniform(words(self.seed, f"balance {stream}", places))
        pairs = np.minimum((number * self.probability + lucky).astype(np.int64), number // 2)
        rank = np.arange(len(order)) - np.repeat(starts, number)
        limit = np.repeat(pairs, number)
        change = np.zeros(len(order), dtype=np.int64)
        change[order] = np.where(rank < limit, 1, np.where(rank < 2 * limit, -1, 0))
        return change

    def published_variance(self, count: float) -> float:
        """Return the variance of what is published for a cell whose true count is `count`.

        That of a table's own cell; a total has the sum of its cells'. A cell that has come to
        zero stays there.
        """
        shares = {int(count): 1.0}
        for _ in range(self.times):
            later: dict[int, float] = {}
            for value, share in shares.items():
                moves = (
                    ((-1, self.probability), (0, 1 - 2 * self.probability), (1, self.probability))
                    if value > 0
                    else ((0, 1.0),)
                )
                for change, chance in moves:
                    later[value + change] = later.get(value + change, 0.0) + share * chance
            shares = later
        return float(sum(share * (value - count) ** 2 for value, share in shares.items()))

    def interval(self, published: float) -> tuple[float, float]:
        """Return the smallest and the largest true count that can stand behind a published one."""
        low = 0.0 if published == 0 else float(max(1, published - self.times))
        return low, float(published + self.times)


@dataclass(frozen=True)
class RandomRounding:
    """To the multiple below or above, with the probability that makes the mean right.

    A count of q·b + r goes up with probability r/b, so that its variance is r·(b − r).

    >>> RandomRounding(3).published_variance(7), RandomRounding(3).interval(6)
    (2.0, (4.0, 8.0))
    """

    base: int

    @property
    def words(self) -> str:
        """The method in a few words."""
        return f"random rounding to base {self.base}"

    def change(self, counts: Ints, uniform: Floats) -> Ints:
        """Look up the change of every count, by a number in [0, 1)."""
        left = counts % self.base
        up = uniform < left / self.base
        return np.where(up, self.base - left, -left)

    def published_variance(self, count: float) -> float:
        """Return r·(b − r)."""
        left = count % self.base
        return float(left * (self.base - left))

    def interval(self, published: float) -> tuple[float, float]:
        """Return the smallest and the largest true count that can stand behind a published one."""
        return float(max(0, published - self.base + 1)), float(published + self.base - 1)


def random_modification(
    counted: Counted,
    *,
    seed: Seed,
    probability: float = 0.25,
    times: int = 1,
    keep_area_totals: bool = False,
) -> PerturbedTables:
    """Add −1, 0 or +1 to the cells of each table, and add up totals from what comes out.

    Empty cells stay empty and no count falls below zero. Each table is modified by itself, so one
    number in two tables is published as two.

    Parameters
    ----------
    seed
        Secret: who knows it takes the noise off.
    probability
        Of −1, and of +1; at most a half.
    times
        How often the whole is done.
    keep_area_totals
        Whether as many cells of an area go up as down, in every table.
    """
    check_counts(counted, "Random modification")
    check_number("The probability", probability, above(0, 0.5))
    check_whole("times", times, 1, 10)
    method = RandomModification(probability, times, keep_area_totals, checked_seed(seed))
    return PerturbedTables(counted, method)


def random_rounding(counted: Counted, *, seed: Seed, base: Base = 3) -> PerturbedTables:
    """Round every count at random to a neighbouring multiple of the base, right on average.

    Totals are rounded by themselves, so tables do not add up exactly. Whether a cell goes up is
    decided by its cell key: the same people are rounded alike in every table, so that asking again
    does not average the rounding away.
    """
    check_counts(counted, "Random rounding")
    rounding = RandomRounding(checked_base(base))
    return PerturbedTables(counted, CellKeys(rounding, class_keys(counted, seed=seed)))
