"""The five losses at a point of the lattice, and what bounds them in a box of points.

A *box* is all points from `low` to `high`. For every loss here, and any point p of the box,

    score(p) ≥ floor(low) + extra(high)

where `floor` never falls and `extra` never rises as levels rise. What `floor` and `extra` are and
why this holds is said at each loss. It needs *nested* models: a record left out at `high` because
of them is left out everywhere below, since classes only merge upwards and a class that is safe
stays so (`growth` absorbing). Records left out by other models are not counted into `extra`, and
add nothing negative to the score.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np

from indistinct.core import Array, Bools, Floats, InputError, at_least, check_number, did_you_mean
from indistinct.protect.methods.whole_variables.lattice import Lattice, Levels, Rolled
from indistinct.protect.methods.whole_variables.lattice_kernels import add_costs, add_histograms

__all__ = ["LOSSES", "LatticeLoss", "LossName", "lattice_loss"]

LossName = Literal["loss", "precision", "entropy", "discernibility", "aecs"]
LOSSES: tuple[LossName, ...] = get_args(LossName)


class LatticeLoss(ABC):
    """One loss on one lattice."""

    by_levels: bool
    """Whether `floor` follows from the levels alone."""
    guide: list[list[float]]
    """For each variable and level how much is lost there: exactly the terms of which `floor` is
    the sum where it follows from the levels, else minus the bits that the labels could tell."""

    def __init__(self, lattice: Lattice, *, smallest: int, dropping: bool) -> None:
        self.lattice = lattice
        self.records = lattice.keys.records
        self.smallest = smallest
        self.dropping = dropping
        self.guide = [[-float(np.log2(width)) for width in widths] for widths in lattice.widths]

    def floor_of_levels(self, levels: Levels) -> float:
        """Return the sum of the guide's terms."""
        return sum(terms[level] for terms, level in zip(self.guide, levels, strict=True))

    @abstractmethod
    def floor(self, table: Rolled, nested: Bools) -> float:
        """Return the floor at a point."""

    @abstractmethod
    def extra(self, table: Rolled, nested: Bools) -> float:
        """Return what the records left out by nested models add at least, here and below."""

    @abstractmethod
    def score(self, table: Rolled, unsafe: Bools) -> float:
        """Return the loss at a point where the unsafe classes are left out.

        At the same point it is never less where more classes are left out.
        """


class CellLoss(LatticeLoss):
    """A loss that is the sum of its cells' costs, which never fall as levels rise.

    A record left out costs 1. `floor` is the cost if none were. `extra` is what the records left
    out cost more, Σ (1 − their cells' cost): going up there are fewer of them, and each of them
    has less to lose.
    """

    by_levels = True

    def __init__(self, lattice: Lattice, costs: list[Array], weights: Array, **rest: Any) -> None:
        super().__init__(lattice, **rest)
        self._costs = [cost * weight for cost, weight in zip(costs, weights, strict=True)]
        self.guide = [
            (cost @ _marginal(lattice, j) / max(self.records, 1)).tolist()
            for j, cost in enumerate(self._costs)
        ]

    def floor(self, table: Rolled, nested: Bools) -> float:
        """Return the mean cost if no record is left out."""
        return self.floor_of_levels(table.levels)

    def extra(self, table: Rolled, nested: Bools) -> float:
        """Return what the records left out cost more than if they were not."""
        if not nested.any():
            return 0.0
        starts, costs = self.lattice.flat(self._costs, table.levels)
        spent = add_costs(self.lattice.leaves, table.rows, table.sizes, nested, starts, costs)
        return (float(table.sizes[nested].sum()) - spent) / self.records

    def score(self, table: Rolled, unsafe: Bools) -> float:
        """Return the mean cost."""
        return self.floor_of_levels(table.levels) + self.extra(table, unsafe)


class EntropyLoss(LatticeLoss):
    """Non-uniform entropy, with the bits of the records left out.

    `floor` is Σ over cells of log2(count of the label / count of the value), which rises since
    labels only become more frequent. `extra` is S · H for every variable, with S the records left
    out and H the entropy of their labels. Going up, labels merge, which lowers H, and records
    leave; S · H is the least total length of a code for S labels, so one label fewer needs no
    more.
    """

    by_levels = True

    def __init__(self, lattice: Lattice, weights: Array, **rest: Any) -> None:
        super().__init__(lattice, **rest)
        self._weights = weights
        self.guide = []
        for j, climb in enumerate(lattice.climbs):
            own = _marginal(lattice, j)
            values = np.log2(np.maximum(own, 1))
            levels = [np.log2(np.maximum(np.bincount(row, weights=own)[row], 1)) for row in climb]
            self.guide.append([float(weights[j] * (own @ (level - values))) for level in levels])

    def floor(self, table: Rolled, nested: Bools) -> float:
        """Return the bits lost by generalising all records."""
        return self.floor_of_levels(table.levels)

    def extra(self, table: Rolled, nested: Bools) -> float:
        """Return the bits lost by forgetting the labels of the records left out."""
        gone = float(table.sizes[nested].sum())
        if not gone:
            return 0.0
        starts, nodes = self.lattice.flat(self.lattice.climbs, table.levels)
        leaves = np.zeros(len(nodes), dtype=np.int64)
        add_histograms(self.lattice.leaves, table.rows, table.sizes, nested, starts, leaves)
        total = 0.0
        for j, (start, present) in enumerate(zip(starts, self.lattice.present, strict=True)):
            stretch = slice(start, start + len(present))
            counts = np.bincount(nodes[stretch], weights=leaves[stretch])
            counts = counts[counts > 0]
            total += float(self._weights[j] * (counts @ (np.log2(gone) - np.log2(counts))))
        return total

    def score(self, table: Rolled, unsafe: Bools) -> float:
        """Return the bits lost."""
        return self.floor_of_levels(table.levels) + self.extra(table, unsafe)


class Discernibility(LatticeLoss):
    """Σ |E|² over the classes kept, and N for each record left out.

    Every record costs at least max(|E|, m) with E its class at `low` and m the smallest size of a
    safe class: classes only grow, a class that is kept has m records, and N is more than both.
    `floor` is the sum of that. A record that is left out at `high` costs N instead, which is at
    least N − max(|E′|, m) more, with E′ ⊇ E its class at `high`: `extra`.
    """

    by_levels = False

    def floor(self, table: Rolled, nested: Bools) -> float:
        """Return Σ over records of max(size of the class, m)."""
        sizes = table.sizes.astype(np.float64)
        # not as a dot product, which would start threads for this
        return float((sizes * np.maximum(sizes, min(self.smallest, self.records))).sum())

    def extra(self, table: Rolled, nested: Bools) -> float:
        """Return what the records left out cost more."""
        sizes = table.sizes[nested].astype(np.float64)
        least = np.maximum(sizes, min(self.smallest, self.records))
        return float((sizes * (self.records - least)).sum())

    def score(self, table: Rolled, unsafe: Bools) -> float:
        """Return the sum of squares, and N for each record left out."""
        sizes = table.sizes[~unsafe].astype(np.float64)
        return float((sizes * sizes).sum()) + float(table.sizes[unsafe].sum()) * self.records


class AverageClassSize(LatticeLoss):
    """N over the number of classes, those left out together being one.

    A class that is kept above `low` holds a class that was safe at `low`, or is made of unsafe
    ones alone and has at least m records, m the smallest size of a safe class. So there are at
    most (safe classes) + (unsafe records) / m of them, and never more classes than at `low`:
    `floor` is N over the smaller number. `extra` is nothing.
    """

    by_levels = False

    def floor(self, table: Rolled, nested: Bools) -> float:
        """Return N over the most classes that there can be here and above."""
        gone = int(table.sizes[nested].sum())
        held = int((table.sizes > 0).sum())
        safe = held - int((nested & (table.sizes > 0)).sum())
        most = min(held, safe + gone // self.smallest + self.dropping)
        return self.records / max(most, 1)

    def extra(self, table: Rolled, nested: Bools) -> float:
        """Return nothing: classes kept need not be fewer where more records are left out."""
        return 0.0

    def score(self, table: Rolled, unsafe: Bools) -> float:
        """Return N over the number of classes."""
        held = table.sizes > 0
        classes = int((held & ~unsafe).sum()) + bool((held & unsafe).any())
        return self.records / classes if classes else 0.0


def lattice_loss(
    name: str,
    lattice: Lattice,
    *,
    weights: Mapping[str, float] | None,
    smallest: int,
    dropping: bool,
) -> LatticeLoss:
    """Return a loss by its name.

    Parameters
    ----------
    weights
        The importance of variables; 1 by default.
    smallest
        The fewest records that a safe class can have.
    dropping
        Whether records may be left out.
    """
    if name not in LOSSES:
        raise InputError(f"There is no loss '{name}'. {did_you_mean(name, LOSSES)}")
    keys = lattice.keys
    for variable, weight in (weights or {}).items():
        keys.table.position(variable)
        check_number(f"The weight of '{variable}'", weight, at_least(0))
    if weights and name in ("discernibility", "aecs"):
        raise InputError(
            f"The loss '{name}' looks at the sizes of classes, not at variables, so that weights "
            "mean nothing to it. Leave them out, or take loss, precision or entropy."
        )
    given = np.array([(weights or {}).get(variable, 1.0) for variable in keys.names])
    if len(given) and not given.any():
        raise InputError("At least one variable must have a weight above 0.")
    common: dict[str, Any] = {"smallest": smallest, "dropping": dropping}
    if name == "entropy":
        return EntropyLoss(lattice, given, **common)
    if name == "discernibility":
        return Discernibility(lattice, **common)
    if name == "aecs":
        return AverageClassSize(lattice, **common)
    costs: list[Array] = []
    for j, height in enumerate(keys.heights):
        if name == "loss":
            covered = keys.sizes(j)[keys.climb(j)[:, lattice.present[j]]].astype(np.float64)
            costs.append((covered - 1.0) / max(len(keys.hierarchies[j].values) - 1, 1))
        else:
            shares = np.arange(height + 1) / max(height, 1)
            costs.append(np.repeat(shares[:, None], len(lattice.present[j]), axis=1))
    return CellLoss(lattice, costs, given / max(given.sum(), 1e-300), **common)


def _marginal(lattice: Lattice, variable: int) -> Floats:
    """Records by present leaf."""
    return np.bincount(
        lattice.leaves[lattice.base.rows, variable],
        weights=lattice.base.sizes.astype(np.float64),
        minlength=len(lattice.present[variable]),
    ).astype(np.float64)
