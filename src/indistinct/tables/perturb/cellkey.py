"""The cell-key method: a group of people gets the same noise wherever it is counted.

Every person has a random key; the key of a cell is the sum of its members' keys modulo 2⁶⁴, and
decides the noise of the cell in a perturbation table (Fraser and Wooton 2005; Thompson, Broadfoot
and Elazar 2013). So asking again, under another name, in another table or geography, gives no new
draw and averages nothing away. Totals get noise of their own and need not be the sums of what is
published inside.

Perturbation tables for the cell-key method: how likely each count becomes each other one.

For every count i the noise d has the distribution of largest entropy among those on
−D … D that have mean 0 and variance V, give no negative count and none of 1 … s, and leave zero
alone (Marley and Leaver 2011; Giessing 2016). Such a distribution is p(d) ∝ exp(a·d + b·d²) on the
values that are allowed, and a, b minimise the convex log Σ exp(a·d + b·(d² − V)).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from indistinct.core import (
    Array,
    Floats,
    InputError,
    Ints,
    Seed,
    above,
    as_uniform,
    check_number,
    check_whole,
    from_to_below,
    progress,
)
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import Line, lines
from indistinct.tables.counting import Counted
from indistinct.tables.perturb.marginal_sums import (
    Geography,
    Margin,
    atom_cells,
    check_counts,
    summed,
)
from indistinct.tables.perturb.published import PerturbedTables, PublishedCells
from indistinct.tables.perturb.randomness import checked_seed, words, words_of_ids

__all__ = [
    "CellKeyDesign",
    "CellKeys",
    "Lookup",
    "class_keys",
    "design_perturbation",
    "perturb_by_cell_key",
]

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


# Perturbation tables for the cell-key method -----------------------------------------------------


MOST_NOISE = 100
"""The largest D."""

_EXACT = 1e-12
_MOST_STEPS = 500


@result
class CellKeyDesign(Result):
    """A perturbation table.

    Parameters
    ----------
    largest
        The largest change of a count, D.
    variance
        The variance of the noise of every count above zero, V.
    no_small
        Results of 1 … `no_small` do not occur; 0 for no such limit.
    stay
        The share of counts that stay as they are, where it was asked for.
    rows
        A row for each count from 0 on, a column for each change from −D to D; counts beyond the
        last row have the noise of the last.
    """

    largest: int
    variance: float
    no_small: int
    stay: float | None
    rows: Floats

    FACTS = facts(
        "largest",
        "variance",
        "no_small",
        "stay",
        Fact("rows", lambda found: found.rows.tolist()),
    )

    def sentence(self) -> str:
        """Say how far counts may move."""
        small = f", nothing from 1 to {self.no_small}" if self.no_small else ""
        return f"CellKeyDesign(changes up to {self.largest}, variance {self.variance:g}{small})"

    @property
    def words(self) -> str:
        """The table in a few words."""
        small = f", none of 1 to {self.no_small}" if self.no_small else ""
        return f"noise up to {self.largest} of variance {self.variance:g}{small}"

    @property
    def changes(self) -> Ints:
        """The changes, −D … D."""
        return np.arange(-self.largest, self.largest + 1)

    def row(self, count: int) -> Floats:
        """Return how likely each change of a count is."""
        found: Floats = self.rows[min(int(count), len(self.rows) - 1)]
        return found

    def change(self, counts: Ints, uniform: Floats) -> Ints:
        """Look up the change of every count, by a number in [0, 1)."""
        cumulative = np.cumsum(self.rows, axis=1)
        # a number above the last sum, which is 1 but for rounding, gets the last possible change
        last = 2 * self.largest - np.argmax(self.rows[:, ::-1] > 0, axis=1)
        at = np.minimum(counts, len(self.rows) - 1)
        found = np.zeros(len(counts), dtype=np.int64)
        for column in range(2 * self.largest):
            found += uniform >= cumulative[at, column]
        change: Ints = np.minimum(found, last[at]) - self.largest
        return change

    def published_variance(self, count: float) -> float:
        """Return the variance of what is published for a cell whose true count is `count`."""
        row = self.row(int(count))
        mean = float(row @ self.changes)
        return float(row @ self.changes**2) - mean**2

    def interval(self, published: float) -> tuple[float, float]:
        """Return the smallest and the largest true count that can stand behind a published one."""
        low = max(0, int(published) - self.largest)
        possible = [
            count
            for count in range(low, int(published) + self.largest + 1)
            if self.row(count)[int(published) - count + self.largest] > 0
        ]
        if not possible:
            raise InputError("This count is never published by the perturbation table.")
        return float(possible[0]), float(possible[-1])

    def posterior(self, published: int, prior: Floats) -> Floats:
        """Return how likely each true count is behind a published one, by Bayes.

        `prior` has the share of cells with each count from 0 on.
        """
        counts = np.arange(len(prior))
        change = published - counts
        inside = np.abs(change) <= self.largest
        rows = self.rows[np.minimum(counts[inside], len(self.rows) - 1)]
        joint = np.zeros(len(prior))
        joint[inside] = prior[inside] * rows[np.arange(len(rows)), change[inside] + self.largest]
        if joint.sum() == 0:
            raise InputError("This count is never published, given these shares of true counts.")
        found: Floats = joint / joint.sum()
        return found

    def _row_tables(self) -> list[Table]:
        headings = ("count", *(f"{d:+d}" if d else "0" for d in self.changes.tolist()))
        rows = [(n, *map(float, row)) for n, row in enumerate(self.rows)]
        return [Table("How likely each change is", headings, rows)]

    def plot(self) -> str:
        """Return a figure: the noise of the first counts, and of all large ones."""
        x = [float(d) for d in self.changes.tolist()]
        last = len(self.rows) - 1
        shown = sorted({1, 2, last} & set(range(1, last + 1)))
        series = [
            Line(f"a count of {n}{' or more' if n == last else ''}", x, self.rows[n].tolist())
            for n in shown
        ]
        return lines(
            "How likely each change of a count is", series, x="published less true", y="probability"
        )


def design_perturbation(
    *, largest: int = 5, variance: float = 3.0, no_small: int = 0, stay: float | None = None
) -> CellKeyDesign:
    """Return the perturbation table of largest entropy for these limits.

    Parameters
    ----------
    largest
        The largest change of a count, D.
    variance
        The variance of the noise of every count above zero, V.
    no_small
        Results of 1 … `no_small` must not occur.
    stay
        The share of counts that stay as they are; found by largest entropy where it is None.

    >>> design = design_perturbation(largest=2, variance=1.0)
    >>> design.row(1).round(4).tolist()  # a 1 becomes 0, 1, 2 or 3
    [0.0, 0.3981, 0.3058, 0.1942, 0.1019]
    >>> design.row(50).round(4).tolist()
    [0.0638, 0.2447, 0.383, 0.2447, 0.0638]
    >>> design.published_variance(50)
    1.0...
    """
    check_whole("largest", largest, 1, MOST_NOISE)
    check_whole("no_small", no_small, 0, hint="Results of 1 to it are none.")
    check_number("The variance", variance, above(0))
    if stay is not None:
        check_number("The share that stays", stay, from_to_below(0, 1))
    changes = np.arange(-largest, largest + 1)
    rows = np.zeros((largest + no_small + 2, 2 * largest + 1))
    rows[0, largest] = 1.0
    for count in range(1, len(rows)):
        result = count + changes
        allowed = (result == 0) | (result > no_small)
        kept = stay if count > no_small else None
        rows[count, allowed] = _most_entropy(changes[allowed], variance, kept, count)
    return CellKeyDesign(largest, float(variance), no_small, stay, rows)


def _most_entropy(changes: Ints, variance: float, stay: float | None, count: int) -> Floats:
    """Return the distribution of largest entropy with mean 0 and this variance."""
    if stay is not None:
        moved = changes != 0
        found = np.zeros(len(changes))
        found[~moved] = stay
        wanted = variance / (1 - stay)
        found[moved] = (1 - stay) * _most_entropy(changes[moved], wanted, None, count)
        return found
    low, high = float(changes.min()), float(changes.max())
    if low > 0 or high < 0:
        raise InputError(
            f"A count of {count} cannot keep its mean: no allowed result lies on one side of it. "
            "Allow larger changes, or a smaller no_small."
        )
    below = float(changes[changes <= 0].max())
    above = float(changes[changes >= 0].min())
    # a variance about 0 is least on the two nearest values and largest on the two farthest
    least, most = -below * above, -low * high
    if not least - _EXACT <= variance <= most + _EXACT:
        raise InputError(
            f"The noise of a count of {count} can have a variance of {least:g} to {most:g} under "
            f"these limits, and {variance:g} was asked for. Choose another variance, larger "
            "changes or a smaller no_small."
        )
    for edge, two in ((least, (below, above)), (most, (low, high))):
        if abs(variance - edge) <= _EXACT * max(1.0, edge):
            share = two[1] / (two[1] - two[0]) if two[1] > two[0] else 1.0
            return np.where(changes == two[0], share, np.where(changes == two[1], 1 - share, 0.0))
    return _exponential(changes.astype(np.float64), variance)


def _exponential(changes: Floats, variance: float) -> Floats:
    """Solve for a and b by Newton's method with halved steps: the function is convex."""
    scale = float(np.abs(changes).max())
    features = np.stack([changes / scale, (changes**2 - variance) / scale**2], axis=1)
    at = np.zeros(2)

    def value(point: Floats) -> tuple[float, Floats]:
        exponent = features @ point
        top = exponent.max()
        weights = np.exp(exponent - top)
        total = weights.sum()
        return float(top + np.log(total)), weights / total

    now, share = value(at)
    for _ in range(_MOST_STEPS):
        gradient = features.T @ share
        if np.abs(gradient).max() < _EXACT / 100:
            break
        centred = features - gradient
        curvature = (centred * share[:, None]).T @ centred
        step = np.linalg.lstsq(curvature, gradient, rcond=1e-15)[0]
        promise = float(gradient @ step)
        # where the promised gain is lost in rounding, a full step is right: Newton has converged
        width = 1.0
        while promise > 1e-10 and value(at - width * step)[0] > now - 1e-4 * width * promise:
            width /= 2
        at = at - width * step
        now, share = value(at)
    if np.abs(features.T @ share).max() * scale**2 > 1e-9:
        raise InputError(
            f"No perturbation with a variance of {variance:g} was found to the precision needed: "
            "it is too near the edge of what is possible. Change the variance a little."
        )
    return share
