"""What local recoding needs of its keys before it begins: prices of cells, and a k in reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from indistinct.core import (
    GOLDEN,
    Floats,
    GuaranteeError,
    InputError,
    SmallInts,
    Words,
    at_least,
    check_number,
    check_whole,
    did_you_mean,
    mixed,
)
from indistinct.keys import Generalisable, Recoding, counts_by_row

__all__ = [
    "CellLoss",
    "Ladders",
    "check_ceiling",
    "check_k",
    "check_limits",
    "check_loss",
    "check_weights",
]

CellLoss = Literal["loss", "precision"]
"""The losses that are a sum over cells, so that one cell's price does not depend on others'."""

_WORD = 1 << 64


@dataclass(frozen=True, eq=False)
class Ladders:
    """For every variable, level and leaf: its node, that node's part of a word, and its price.

    The price of a cell is a share of one record's whole loss: a record whose cells are all
    roots costs 1 (less what a missing value's own node is worth).

    Parameters
    ----------
    nodes, words, prices
        Arrays by variable, level and leaf. The sum of a record's words is its class.
    exact
        Whether different classes have different words; else nodes must be compared as well.
    """

    nodes: SmallInts = field(repr=False)
    words: Words = field(repr=False)
    prices: Floats = field(repr=False)
    exact: bool

    @classmethod
    def of(cls, keys: Generalisable, *, loss: CellLoss, weights: Floats) -> Ladders:
        """Lay out the tables of a key; loss is (s − 1) / (D − 1), precision level / height."""
        width = len(keys.names)
        shape = (
            width,
            max(keys.heights, default=0) + 1,
            max((keys.climb(j).shape[1] for j in range(width)), default=1),
        )
        nodes = np.zeros(shape, dtype=np.int32)
        words = np.zeros(shape, dtype=np.uint64)
        prices = np.zeros(shape, dtype=np.float64)
        rooms = [len(keys.labels(j)) for j in range(width)]
        exact, place = _fits(rooms), 1
        for j, hierarchy in enumerate(keys.hierarchies):
            climb = keys.climb(j)
            levels, leaves = climb.shape
            nodes[j, :levels, :leaves] = climb
            mixed = climb.astype(np.uint64) * np.uint64(place)
            words[j, :levels, :leaves] = mixed if exact else _hashed(climb, j)
            place = place * rooms[j] % _WORD
            if loss == "loss":
                values = max(len(hierarchy.values) - 1, 1)
                price = (keys.sizes(j)[climb] - 1.0) / values
            else:
                price = _lowest_levels(climb) / max(hierarchy.height, 1)
            prices[j, :levels, :leaves] = price * weights[j] / weights.sum()
        return cls(nodes, words, prices, exact)

    def paid(self, recoding: Recoding) -> Floats:
        """Return what each record of each row of a recoding pays."""
        total = np.zeros(len(recoding.classes))
        for j in range(len(self.prices)):
            leaves = recoding.keys.leaves[recoding.classes, j]
            total += self.prices[j][recoding.levels[:, j], leaves]
        return total

    def mean(self, recoding: Recoding) -> float:
        """Return the mean loss of a recoding's records."""
        return float(self.paid(recoding) @ recoding.counts) / max(recoding.keys.records, 1)


def check_k(keys: Generalisable, k: int) -> None:
    """Refuse a k that is no k, or larger than the file."""
    check_whole("k", k, 2)
    if 0 < keys.records < k:
        raise GuaranteeError(
            f"k={k} cannot be reached with {keys.records:,} records in the file. "
            "Use a smaller k, or a larger file."
        )


def check_limits(keys: Generalisable, limits: Mapping[str, int] | None) -> tuple[int, ...]:
    """Return the highest level of each variable: its limit, or its hierarchy's height."""
    given = dict(limits or {})
    found = keys.check_levels(given)
    return tuple(
        found[j] if name in given else keys.heights[j] for j, name in enumerate(keys.names)
    )


def check_weights(keys: Generalisable, weights: Mapping[str, float] | None) -> Floats:
    """Return the importance of each variable, 1 where none is given."""
    given = dict(weights or {})
    for name, weight in given.items():
        if name not in keys.names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, keys.names)}")
        check_number(f"The weight of '{name}'", weight, at_least(0))
    found = np.array([float(given.get(name, 1.0)) for name in keys.names])
    if len(found) and not found.any():
        raise InputError("At least one variable must have a weight above 0.")
    return found


def check_loss(loss: str) -> None:
    """Refuse a loss that is not a sum over cells."""
    if loss not in get_args(CellLoss):
        raise InputError(f"loss must be 'loss' or 'precision'. Got '{loss}'.")


def check_ceiling(keys: Generalisable, ceiling: tuple[int, ...], *, k: int, given: str) -> None:
    """Refuse if records stand alone even where every variable has climbed as far as it may.

    Parameters
    ----------
    given
        What set the ceiling, for the message: 'limits' or 'start'.
    """
    sizes = counts_by_row(keys.nodes(ceiling).astype(np.int64), keys.counts)
    few = sizes < k
    if not few.any():
        return
    held = [
        f"'{name}' at level {ceiling[j]}"
        for j, name in enumerate(keys.names)
        if ceiling[j] < keys.heights[j]
    ]
    raise GuaranteeError(
        f"k={k} cannot be reached while the {given} hold {', '.join(held)}: there "
        f"{int(keys.counts[few].sum()):,} records lie in classes smaller than {k}, the smallest "
        f"of {int(sizes.min()):,}. Let one of these variables climb further, or use a smaller k."
    )


def _fits(rooms: list[int]) -> bool:
    product = 1
    for room in rooms:
        product *= max(room, 1)
    return product <= _WORD


def _hashed(climb: SmallInts, variable: int) -> Words:
    """Spread nodes over all words, by variable and node."""
    seed = (climb.astype(np.uint64) << np.uint64(16)) + np.uint64(variable + 1)
    words: Words = mixed(seed * GOLDEN)
    return words


def _lowest_levels(climb: SmallInts) -> Floats:
    """Return for each level and leaf the lowest level at which the leaf has the same node."""
    lowest = np.zeros(climb.shape)
    for level in range(1, len(climb)):
        same = climb[level] == climb[level - 1]
        lowest[level] = np.where(same, lowest[level - 1], level)
    return lowest
