"""What k-Similar measures distance in: the nodes of all hierarchies, and what a record pays."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from indistinct.core import (
    Array,
    Floats,
    GuaranteeError,
    InputError,
    Ints,
    SmallInts,
    Words,
    above,
    check_number,
    check_whole,
    did_you_mean,
)
from indistinct.keys import Generalisable, group_rows

__all__ = ["FORBIDDEN", "Space", "SpaceLoss", "build_space"]

SpaceLoss = Literal["precision", "loss"]
"""What a cell pays for climbing: its level by the height, or the share of values it may be."""

FORBIDDEN = 1 << 38
"""The cost of a node above a variable's limit: more than any record can pay within the limits."""

_FINEST = 1 << 24


@dataclass(frozen=True, eq=False)
class Space:
    """The nodes of all variables and levels, numbered through, and the cost of each.

    Parameters
    ----------
    leaves
        The leaf of each class (rows: variables), so that a variable is read in one stretch.
    nodes
        For each variable an array (rows: levels, columns: leaves) of node numbers.
    parents, levels, costs
        Of each node: the node above it (the root's is itself), its level, its cost in units.
    unit
        Units per whole distance: the cost of suppressing one cell of a variable of weight 1.
    limits
        The highest level of each variable.
    """

    keys: Generalisable
    loss: SpaceLoss
    leaves: SmallInts = field(repr=False)
    nodes: tuple[SmallInts, ...] = field(repr=False)
    parents: SmallInts = field(repr=False)
    levels: NDArray[np.int16] = field(repr=False)
    costs: Ints = field(repr=False)
    unit: float
    limits: tuple[int, ...]

    @property
    def own(self) -> SmallInts:
        """The node of each cell at level 0 (rows: classes)."""
        columns = [nodes[0][leaves] for nodes, leaves in zip(self.nodes, self.leaves, strict=True)]
        return np.ascontiguousarray(np.stack(columns, axis=1))

    def packed(self) -> tuple[list[Words], bool]:
        """Return for each variable the words (levels by leaves) whose sum tells groups apart.

        The flag says whether different groups surely have different sums; beyond 64 bits the
        words are hashes, and a collision is merely unlikely.
        """
        sizes = [int(max(row.max() - row.min() for row in nodes)) + 1 for nodes in self.nodes]
        bits = [max(1, (size - 1).bit_length()) for size in sizes]
        words, exact, shift = [], sum(bits) <= 64, 0
        random = np.random.default_rng(6_400_064)
        for nodes, width in zip(self.nodes, bits, strict=True):
            lowest = nodes.min(axis=1, keepdims=True)
            if exact:
                words.append((nodes - lowest).astype(np.uint64) << np.uint64(shift))
                shift += width
            else:
                drawn = random.integers(0, 1 << 64, size=int(nodes.max()) + 1, dtype=np.uint64)
                words.append(drawn[nodes])
        return words, exact

    def level_costs(self) -> list[Floats]:
        """Return for each variable what a record pays on average at each allowed level."""
        counts = self.keys.counts.astype(np.float64)
        found = []
        for nodes, leaves, limit in zip(self.nodes, self.leaves, self.limits, strict=True):
            by_leaf = np.bincount(leaves, weights=counts, minlength=nodes.shape[1])
            paid = self.costs[nodes[: limit + 1]] @ by_leaf / max(counts.sum(), 1.0)
            found.append(np.maximum.accumulate(paid))
        return found

    def vectors(self) -> Iterator[tuple[int, ...]]:
        """Yield every allowed level vector once, from the cheapest on; equals in key order."""
        costs = self.level_costs()
        width = len(costs)
        start = (0,) * width
        heap = [(float(sum(c[0] for c in costs)), start, 0)]
        while heap:
            paid, vector, last = heapq.heappop(heap)
            yield vector
            # raising only the last raised variable or a later one reaches each vector once
            for j in range(last, width):
                level = vector[j]
                if level + 1 < len(costs[j]):
                    more = paid + costs[j][level + 1] - costs[j][level]
                    raised = (*vector[:j], level + 1, *vector[j + 1 :])
                    heapq.heappush(heap, (round(more, 6), raised, j))

    def whole(self, units: int | float) -> float:
        """Return a cost in units as a distance."""
        return float(units) / self.unit


def build_space(
    keys: Generalisable,
    *,
    k: int,
    limits: Mapping[str, int] | None = None,
    weights: Mapping[str, float] | None = None,
    loss: SpaceLoss = "precision",
) -> Space:
    """Number the nodes, put a price on each, and refuse what can have no solution."""
    check_whole("k", k, 2)
    if loss not in get_args(SpaceLoss):
        raise InputError(f"loss must be 'precision' or 'loss'. Got '{loss}'.")
    keys.check_levels(limits or {})
    highest = tuple((limits or {}).get(n, h) for n, h in zip(keys.names, keys.heights, strict=True))
    importance = _importance(keys, weights or {})
    fractions = [_prices(keys, j, loss) for j in range(len(keys.names))]
    whole = lcm(1, *(w.denominator * d for w, (_, d) in zip(importance, fractions, strict=True)))
    unit = whole if whole <= _FINEST else _FINEST
    nodes, parents, levels, costs, first = [], [], [], [], 0
    for j, hierarchy in enumerate(keys.hierarchies):
        prices, denominator = fractions[j]
        here = []
        for level in hierarchy.levels:
            here.append((hierarchy.level_codes(level) + first).astype(np.int32))
            number = len(hierarchy.level_labels(level))
            above = first + number
            top = level == hierarchy.height
            up = np.arange(number) + first if top else hierarchy.parents(level) + above
            parents.append(up.astype(np.int32))
            levels.append(np.full(number, level, dtype=np.int16))
            exact = importance[j] * unit / denominator
            price = [round(exact * int(p)) for p in prices[level]]
            over = level > highest[j]
            costs.append(np.full(number, FORBIDDEN) if over else np.array(price, dtype=np.int64))
            first += number
        nodes.append(np.stack(here))
    space = Space(
        keys,
        loss,
        np.ascontiguousarray(keys.leaves.T),
        tuple(nodes),
        np.concatenate([np.empty(0, np.int32), *parents]),
        np.concatenate([np.empty(0, np.int16), *levels]),
        np.concatenate([np.empty(0, np.int64), *costs]),
        float(unit),
        highest,
    )
    _check_feasible(space, k)
    return space


def _prices(keys: Generalisable, j: int, loss: SpaceLoss) -> tuple[list[Array], int]:
    """Return what each node of each level costs, as numerators, and their denominator."""
    hierarchy = keys.hierarchies[j]
    if loss == "precision":
        height = max(hierarchy.height, 1)
        return [
            np.full(len(hierarchy.level_labels(level)), level) for level in hierarchy.levels
        ], height
    return [hierarchy.sizes(level) - 1 for level in hierarchy.levels], max(
        len(hierarchy.values) - 1, 1
    )


def _importance(keys: Generalisable, weights: Mapping[str, float]) -> list[Fraction]:
    for name, weight in weights.items():
        if name not in keys.names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, keys.names)}")
        check_number(f"The weight of '{name}'", weight, above(0, 1_000))
    return [Fraction(weights.get(name, 1)).limit_denominator(1000) for name in keys.names]


def _check_feasible(space: Space, k: int) -> None:
    """Refuse a k that the records, or those within a locked category, do not reach."""
    keys = space.keys
    if not keys.records:
        return
    if keys.records < k:
        raise GuaranteeError(
            f"k={k} cannot be reached with {keys.records} records in the file. "
            "Use a smaller k, or a larger file."
        )
    locked = [j for j, height in enumerate(keys.heights) if space.limits[j] < height]
    if not locked:
        return
    groups = group_rows(
        np.stack([space.nodes[j][space.limits[j]][space.leaves[j]] for j in locked], axis=1).astype(
            np.int64
        )
    )
    sizes = np.bincount(groups, weights=keys.counts).astype(np.int64)
    if sizes.min() < k:
        stay = ", ".join(f"'{keys.names[j]}' at level {space.limits[j]}" for j in locked)
        few = int((sizes < k).sum())
        raise GuaranteeError(
            f"k={k} cannot be reached while there may be no climbing beyond {stay}: {few:,} of the "
            f"{len(sizes):,} categories there have fewer than {k} records, the smallest "
            f"{sizes.min()}. Let one of these variables climb further, or use a smaller k."
        )
