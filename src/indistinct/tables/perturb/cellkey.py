"""The cell-key method: a group of people gets the same noise wherever it is counted.

Every person has a random key; the key of a cell is the sum of its members' keys modulo 2⁶⁴, and
decides the noise of the cell in a perturbation table (Fraser and Wooton 2005; Thompson, Broadfoot
and Elazar 2013). So asking again, under another name, in another table or geography, gives no new
draw and averages nothing away. Totals get noise of their own and need not be the sums of what is
published inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from indistinct.core import Array, Floats, InputError, Ints, Seed, as_uniform, progress
from indistinct.tables.counting import Counted
from indistinct.tables.perturb.design import CellKeyDesign
from indistinct.tables.perturb.marginal_sums import (
    Geography,
    Margin,
    atom_cells,
    check_counts,
    summed,
)
from indistinct.tables.perturb.published import PerturbedTables, PublishedCells
from indistinct.tables.perturb.randomness import checked_seed, words, words_of_ids

__all__ = ["CellKeys", "Lookup", "class_keys", "perturb_by_cell_key"]


_BLOCK = 1 << 20


class Lookup(Protocol):
    """What turns a count and a random number into a change."""

    @property
    def words(self) -> str:
        """It in a few words."""
        ...

    def change(self, counts: Ints, uniform: Floats) -> Ints:
        """Look up the change of every count, by a number in [0, 1)."""
        ...

    def published_variance(self, count: float) -> float:
        """Return the variance of what is published for a cell whose true count is `count`."""
        ...

    def interval(self, published: float) -> tuple[float, float]:
        """Return the smallest and the largest true count that can stand behind a published one."""
        ...


@dataclass(frozen=True, eq=False)
class CellKeys:
    """Cell keys and the table in which they are looked up.

    Parameters
    ----------
    design
        The perturbation table, or random rounding.
    keys
        The sum of the record keys of every class, in the engine's order of classes. Secret.
    additive
        Whether totals are the sums of perturbed cells.
    """

    design: Lookup
    keys: Ints = field(repr=False)
    additive: bool = False

    @property
    def words(self) -> str:
        """The method in a few words."""
        return f"{self.design.words} by cell key"

    @property
    def same_for_equal_parts(self) -> bool:
        """Whether parts of two tables that count the same people are published alike."""
        return not self.additive

    def cells(self, counted: Counted, margin: Margin, geography: Geography) -> PublishedCells:
        """Return the cells of one part, true and published."""
        keys = self.keys[counted.sorted_as]
        if not self.additive:
            found = summed(counted, margin, geography, counted.counts, keys)
            count, key = found.sums
            noise = self.design.change(count, as_uniform(key.view(np.uint64)))
            return PublishedCells(found.area, found.cell, count, count + noise)
        atoms = atom_cells(counted, margin.position, counted.counts, keys)
        drawn = self.design.change(atoms.sums[0], as_uniform(atoms.sums[1].view(np.uint64)))
        change = atoms.on_classes(counted, drawn)
        found = summed(counted, margin, geography, counted.counts, change)
        count, noise = found.sums
        return PublishedCells(found.area, found.cell, count, count + noise)

    def published_variance(self, count: float) -> float:
        """Return the variance of what is published for a cell whose true count is `count`.

        With `additive` this is that of a table's own cell; a total has the sum of its cells'.
        """
        return self.design.published_variance(count)

    def interval(self, published: float) -> tuple[float, float]:
        """Return the smallest and the largest true count that can stand behind a published one."""
        return self.design.interval(published)


def class_keys(counted: Counted, *, seed: Seed, ids: Array | None = None) -> Ints:
    """Return the sum of the record keys of every class, modulo 2⁶⁴, in the engine's order.

    One pass over the people. A record's key is made from the seed and its number in the file, or
    from `ids`, which gives people the same key in another file or another order.
    """
    seed = checked_seed(seed)
    records = counted.tally.records
    if ids is not None and len(ids) != records:
        raise InputError(f"There are {len(ids):,} identifiers for {records:,} people.")

    def keys() -> Iterator[Ints]:
        for start in range(0, records, _BLOCK):
            end = min(start + _BLOCK, records)
            if ids is None:
                found = words(seed, "record", np.arange(start, end))
            else:
                found = words_of_ids(seed, "record id", np.asarray(ids[start:end]))
            yield found.view(np.int64)

    with progress.task("adding up record keys"):
        return counted.tally.sums(keys())


def perturb_by_cell_key(
    counted: Counted,
    design: CellKeyDesign,
    *,
    seed: Seed,
    ids: Array | None = None,
    additive: bool = False,
) -> PerturbedTables:
    """Perturb all counts of a set of tables by cell keys.

    Parameters
    ----------
    counted
        The tables; totals and further geographies are perturbed as well.
    design
        The perturbation table, see `design_perturbation`.
    seed
        Secret: who knows it takes the noise off. The same seed gives the same people the same
        noise in every later table.
    ids
        Identifiers of the people in record order, numbers or texts. Without them the number of a
        record in the file makes its key.
    additive
        Publish as totals the sums of the perturbed cells of each table. Totals are then farther
        from the truth, and those of two tables differ from each other.
    """
    check_counts(counted, "The cell-key method")
    keys = class_keys(counted, seed=seed, ids=ids)
    return PerturbedTables(counted, CellKeys(design, keys, additive))
