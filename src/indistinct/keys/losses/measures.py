"""The five losses by name, as methods and the command line ask for them; lower is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal, get_args
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from indistinct.core import (
    Floats,
    InputError,
    Ints,
    SmallInts,
    at_least,
    check_number,
    did_you_mean,
)
from indistinct.hierarchy import Hierarchy
from indistinct.keys import Recoding
from indistinct.results import Fact, Result, facts, result

__all__ = [
    "LOSSES",
    "CellCounts",
    "LossName",
    "OverDistortion",
    "average_class_size",
    "cell_counts",
    "discernibility",
    "distortion",
    "entropy",
    "entropy_by_variable",
    "entropy_of_nothing",
    "gcp",
    "granularity",
    "levels_up",
    "loss",
    "loss_by_variable",
    "measure",
    "ncp",
    "over_distortion",
    "precision",
    "precision_loss",
    "total_cost",
    "weights_of",
]


# How many records' cells went how far: all that a cell-by-cell measure needs of a recoding.

Cost = Callable[[int], Floats]
"""The cost of a cell of a variable, given by position: rows are levels, columns leaves."""


@dataclass(frozen=True, eq=False)
class CellCounts:
    """Records by the level to which a variable's cell climbs, and by its original value.

    Parameters
    ----------
    kept
        For each variable the released records; rows are levels, columns the leaves.
    dropped
        For each variable the records left out, by leaf.
    """

    kept: tuple[Ints, ...]
    dropped: tuple[Ints, ...]

    def original(self, variable: int) -> Ints:
        """Return all records of the original table by leaf."""
        return np.asarray(self.kept[variable].sum(axis=0) + self.dropped[variable])


_KNOWN: WeakKeyDictionary[Recoding, CellCounts] = WeakKeyDictionary()


def cell_counts(recoding: Recoding) -> CellCounts:
    """Count cells by level and leaf. Every measure of the same recoding shares one count."""
    if recoding not in _KNOWN:
        _KNOWN[recoding] = _counted(recoding)
    return _KNOWN[recoding]


def _counted(recoding: Recoding) -> CellCounts:
    keys = recoding.keys
    kept, dropped = [], []
    for j, height in enumerate(keys.heights):
        leaves = keys.climb(j).shape[1]
        # DROPPED is level -1, so that records left out come to lie in row 0
        cell = (recoding.levels[:, j].astype(np.int64) + 1) * leaves + keys.leaves[
            recoding.classes, j
        ]
        counts = np.bincount(cell, weights=recoding.counts, minlength=(height + 2) * leaves)
        table = counts.astype(np.int64).reshape(height + 2, leaves)
        dropped.append(table[0])
        kept.append(table[1:])
    return CellCounts(tuple(kept), tuple(dropped))


def total_cost(recoding: Recoding, cost: Cost, *, variables: Sequence[int] | None = None) -> Floats:
    """Add up the cost of every cell, by variable; a cell of a record left out costs 1."""
    counts = cell_counts(recoding)
    chosen = range(len(recoding.keys.names)) if variables is None else variables
    return np.array(
        [(counts.kept[j] * cost(j)).sum() + counts.dropped[j].sum() for j in chosen],
        dtype=np.float64,
    )


def weights_of(recoding: Recoding, weights: Mapping[str, float] | None) -> Floats:
    """Return one weight per variable, 1 where none is given."""
    names = recoding.keys.names
    for name, weight in (weights or {}).items():
        if name not in names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, names)}")
        check_number(f"The weight of '{name}'", weight, at_least(0))
    found = np.array([(weights or {}).get(name, 1.0) for name in names], dtype=np.float64)
    if len(found) and not found.any():
        raise InputError("At least one variable must have a weight above 0.")
    return found


# Sweeney's distance and precision: how many levels the cells of a release have climbed.
#
# Sweeney (2001, section 6.5, Figures 31 and 32). The distance of a value to its generalisation is
# the number of levels it has climbed; that of a table is the sum over its cells. *Precision*
# divides each by the height of its hierarchy, so that a suppressed cell costs 1:
#
#     Prec = 1 − Σⱼ Σᵢ h(i, j) / |VGHⱼ|  /  (|PT| · N_A)
#
# with h(i, j) the levels climbed by the cell of record i and attribute j, |VGHⱼ| the height of the
# attribute's hierarchy, |PT| the records of the *private* table and N_A its attributes. A record
# that is left out counts as one whose cells are all suppressed.


def levels_up(
    recoding: Recoding,
    *,
    variables: Sequence[str] | None = None,
    start_levels: Mapping[str, int] | None = None,
) -> int:
    """Return Sweeney's distance: the levels that all cells together have climbed.

    A cell of a record left out has climbed to the root.

    Parameters
    ----------
    variables
        The attributes that count; all of the key by default.
    start_levels
        The level at which a variable's data began, 0 by default.
    """
    starts = recoding.keys.check_levels(start_levels or {})
    counts = cell_counts(recoding)
    total = 0
    for j in _chosen(recoding, variables):
        height = recoding.keys.heights[j]
        climbed = np.maximum(np.arange(height + 1) - starts[j], 0)
        total += int(counts.kept[j].sum(axis=1) @ climbed)
        total += int(counts.dropped[j].sum()) * (height - starts[j])
    return total


def distortion(
    recoding: Recoding,
    *,
    variables: Sequence[str] | None = None,
    start_levels: Mapping[str, int] | None = None,
) -> float:
    """Return the sum over all cells of the levels climbed, each as a share of the height.

    Parameters are those of `precision`, which is one less the mean of the same shares.
    """
    chosen = _chosen(recoding, variables)
    return float(_shares(recoding, chosen, start_levels).sum())


def precision(
    recoding: Recoding,
    *,
    variables: Sequence[str] | None = None,
    start_levels: Mapping[str, int] | None = None,
    weights: Mapping[str, float] | None = None,
) -> float:
    """Return Sweeney's precision: 1 for the original table, 0 if everything is suppressed.

    Parameters
    ----------
    recoding
        The release. Records left out count as suppressed in all cells, and |PT| counts them.
    variables
        The attributes that count (N_A of them); all of the key by default.
    start_levels
        The level at which a variable's data began, for a table that was generalised before it
        came. From there a cell climbs ``level − start`` of ``height − start``.
    weights
        The importance of variables, 1 by default.

    >>> from indistinct.hierarchy import code_hierarchy
    >>> from indistinct.keys import Generalisable
    >>> from indistinct.flow.session import open_data
    >>> zips = code_hierarchy(["02138", "02139", "02141"], name="zip", digits=(4, 3))
    >>> with open_data({"zip": ["02138", "02139", "02141", "02141"]}) as data:
    ...     keys = Generalisable.of(data.key_table(["zip"]), {"zip": zips})
    >>> release = Recoding.full_domain(keys, [1])
    >>> levels_up(release), round(precision(release), 4)
    (4, 0.6667)
    """
    chosen = _chosen(recoding, variables)
    weight = weights_of(recoding, weights)[chosen]
    if not len(chosen) or not recoding.keys.records or not weight.any():
        return 1.0
    shares = _shares(recoding, chosen, start_levels) / recoding.keys.records
    return 1.0 - float(shares @ weight / weight.sum())


def precision_loss(recoding: Recoding, *, weights: Mapping[str, float] | None = None) -> float:
    """Return one less the precision: the mean of level over height, as ARX scores it."""
    return 1.0 - precision(recoding, weights=weights)


def _shares(
    recoding: Recoding, chosen: list[int], start_levels: Mapping[str, int] | None
) -> Floats:
    starts = recoding.keys.check_levels(start_levels or {})

    def cost(j: int) -> Floats:
        height = recoding.keys.heights[j]
        climbed = np.maximum(np.arange(height + 1) - starts[j], 0)
        return (climbed / max(height - starts[j], 1))[:, None]

    return total_cost(recoding, cost, variables=chosen)


def _chosen(recoding: Recoding, variables: Sequence[str] | None) -> list[int]:
    if variables is None:
        return list(range(len(recoding.keys.names)))
    if isinstance(variables, str):
        raise InputError("The variables must be a list of names. Got one text.")
    return [recoding.keys.table.position(name) for name in variables]


# Loss by how many values a released label could stand for.
#
# *Loss* is the generalised loss metric (Iyengar 2002) as ARX normalises it: of an attribute with D
# values a cell whose label stands for s of them loses (s − 1) / (D − 1), a cell of a record left
# out loses 1, and the loss of a release is the mean over records and attributes. D counts the
# values of the hierarchy, not only those in the data. *NCP*, the normalised certainty penalty (Xu
# and others 2006), keeps a cell that still has its own value free and charges s / D otherwise, or
# the interval's width over the range for numbers; *GCP* is its mean (Ghinita and others 2007).


def loss(recoding: Recoding, *, weights: Mapping[str, float] | None = None) -> float:
    """Return the mean over attributes of the normalised loss: 0 for the original, at most 1.

    >>> from indistinct.hierarchy import code_hierarchy
    >>> from indistinct.keys import Generalisable
    >>> from indistinct.flow.session import open_data
    >>> zips = code_hierarchy(["02138", "02139", "02141"], name="zip", digits=(4,))
    >>> with open_data({"zip": ["02138", "02139", "02141", "02141"]}) as data:
    ...     keys = Generalisable.of(data.key_table(["zip"]), {"zip": zips})
    >>> loss(Recoding.full_domain(keys, [1])), loss(Recoding.full_domain(keys, [2]))
    (0.25, 1.0)
    """
    weight = weights_of(recoding, weights)
    if not len(weight):
        return 0.0
    return float(loss_by_variable(recoding) @ weight / weight.sum())


def loss_by_variable(recoding: Recoding) -> Floats:
    """Return the mean loss of each variable's cells."""
    keys = recoding.keys

    def cost(j: int) -> Floats:
        sizes = keys.sizes(j)[keys.climb(j)].astype(np.float64)
        return np.asarray((sizes - 1.0) / max(_values(keys.hierarchies[j]) - 1, 1))

    return total_cost(recoding, cost) / max(keys.records, 1)


def granularity(recoding: Recoding) -> float:
    """Return ARX's granularity: 1 for the original, 0 if nothing is told.

    It is one less a loss that is normalised after the attributes were put together: with a the
    mean over attributes of s / D and b the mean of 1 / D, it is 1 − (a − b) / (1 − b). Attributes
    with few values count for less than in `loss`.
    """
    keys = recoding.keys
    floor = np.array([1.0 / max(_values(h), 1) for h in keys.hierarchies])
    if not len(floor) or floor.mean() == 1.0:
        return 1.0
    covered = loss_by_variable(recoding) * (1.0 - floor) + floor
    return float(1.0 - (covered.mean() - floor.mean()) / (1.0 - floor.mean()))


def ncp(recoding: Recoding) -> dict[str, float]:
    """Return the normalised certainty penalty of each variable, as the mean over its cells.

    A cell that is still a single value costs 0, a cell of a record left out costs 1. Otherwise,

    - if the hierarchy is ordered and all its values are numbers, the cost is the largest less
      the smallest value under the released label, divided by the same of the whole hierarchy;
    - else it is the number of values under the label, divided by the number of all values.

    A value that was missing costs nothing until it is suppressed.
    """
    keys = recoding.keys

    def cost(j: int) -> Floats:
        numbers = _numbers(keys.hierarchies[j])
        if numbers is not None:
            return _widths(keys.climb(j), numbers)
        sizes = keys.sizes(j)[keys.climb(j)]
        return np.where(sizes > 1, sizes / max(_values(keys.hierarchies[j]), 1), 0.0)

    penalties = total_cost(recoding, cost) / max(keys.records, 1)
    return dict(zip(keys.names, penalties.tolist(), strict=True))


def gcp(recoding: Recoding, *, weights: Mapping[str, float] | None = None) -> float:
    """Return the global certainty penalty: the mean of `ncp` over all cells, from 0 to 1."""
    weight = weights_of(recoding, weights)
    if not len(weight):
        return 0.0
    return float(np.array(list(ncp(recoding).values())) @ weight / weight.sum())


def _values(hierarchy: Hierarchy) -> int:
    return len(hierarchy.values)


def _numbers(hierarchy: Hierarchy) -> Floats | None:
    if not hierarchy.ordered:
        return None
    try:
        numbers = np.array([float(value) for value in hierarchy.values])
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() and np.ptp(numbers) > 0 else None


def _widths(climb: SmallInts, numbers: Floats) -> Floats:
    """Return for each level and leaf the width of its node, as a share of the whole range."""
    nodes = int(climb.max()) + 1
    low, high = np.full(nodes, np.inf), np.full(nodes, -np.inf)
    for level in climb:
        np.minimum.at(low, level[:-1], numbers)
        np.maximum.at(high, level[:-1], numbers)
    width = np.where(high > low, high - low, 0.0)
    return np.asarray(width[climb] / np.ptp(numbers))


# Entropy: the bits it takes to tell the original values from the released ones.
#
# Sweeney orders the techniques of disclosure control by it (2001, section 5, Figure 20); Gionis and
# Tassa (2009) call it the non-uniform entropy measure. With the distribution of the original table,
#
#     H = − Σ over all cells  log2 P(original value | released label)
#
# where P(x | label) = count(x) / Σ count(y) over the values y that the label stands for.


def entropy(recoding: Recoding, *, weights: Mapping[str, float] | None = None) -> float:
    """Return the bits lost in all cells, the sum over variables: 0 for the original table.

    Records left out are charged as ARX does: they are generalised like the others first, and
    their label is forgotten then, which costs −log2 of the label's share among the records left
    out. *Like the others* is the level that all kept cells of the variable have; where they have
    several, the root.

    >>> from indistinct.hierarchy import code_hierarchy
    >>> from indistinct.keys import Generalisable
    >>> from indistinct.flow.session import open_data
    >>> zips = code_hierarchy(["02138", "02139", "02141"], name="zip", digits=(4,))
    >>> with open_data({"zip": ["02138", "02139", "02141", "02141"]}) as data:
    ...     keys = Generalisable.of(data.key_table(["zip"]), {"zip": zips})
    >>> entropy(Recoding.full_domain(keys, [1])), entropy(Recoding.full_domain(keys, [2]))
    (2.0, 6.0)
    """
    return float(entropy_by_variable(recoding) @ weights_of(recoding, weights))


def entropy_by_variable(recoding: Recoding) -> Floats:
    """Return the bits lost in the cells of each variable."""
    counts = cell_counts(recoding)
    found = [_bits(counts, j, recoding.keys.climb(j)) for j in range(len(recoding.keys.names))]
    return np.array(found, dtype=np.float64)


def entropy_of_nothing(recoding: Recoding) -> Floats:
    """Return the bits of each variable that are lost when all its cells are suppressed."""
    counts = cell_counts(recoding)
    found = []
    for j in range(len(recoding.keys.names)):
        original = counts.original(j)
        found.append(float(original @ _surprise(original, original.sum())))
    return np.array(found, dtype=np.float64)


def _bits(counts: CellCounts, j: int, climb: SmallInts) -> float:
    original, gone, kept = counts.original(j), counts.dropped[j], counts.kept[j]
    nodes = int(climb.max()) + 1
    total = 0.0
    for level, here in zip(climb, kept, strict=True):
        under = np.bincount(level, weights=original, minlength=nodes)[level]
        total += float(here @ _surprise(original, under))
    if gone.any():
        used = np.flatnonzero(kept.any(axis=1))
        level = climb[used[0]] if len(used) == 1 else climb[-1]
        under = np.bincount(level, weights=original, minlength=nodes)[level]
        forgotten = np.bincount(level, weights=gone, minlength=nodes)[level]
        total += float(gone @ (_surprise(original, under) + _surprise(forgotten, gone.sum())))
    return total


def _surprise(part: NDArray[np.number], whole: NDArray[np.number] | float) -> Floats:
    """Return −log2(part / whole), and 0 where there is no part."""
    share = np.divide(part, whole, out=np.ones(len(part)), where=np.asarray(part) > 0)
    # 0.0 - x and not -x, so that certainty is 0 and not minus 0
    return np.asarray(0.0 - np.log2(share))


# Measures that look at the sizes of the released classes alone.


def discernibility(recoding: Recoding) -> float:
    """Return how many pairs of records can no longer be told apart.

    Bayardo and Agrawal (2005): Σ |E|² over the classes E of the release, and a record left out
    cannot be told from any of the N records, so that it adds N.

    >>> from indistinct.hierarchy import suppression_only
    >>> from indistinct.keys import Generalisable
    >>> from indistinct.flow.session import open_data
    >>> with open_data({"sex": ["f", "f", "m"]}) as data:
    ...     keys = Generalisable.of(
    ...         data.key_table(["sex"]), {"sex": suppression_only(["f", "m"], name="sex")}
    ...     )
    >>> discernibility(Recoding.full_domain(keys, [0]))
    5.0
    >>> discernibility(Recoding.full_domain(keys, [0], dropped=keys.counts < 2))
    7.0
    """
    sizes = recoding.group_counts.astype(np.float64)
    return float(sizes @ sizes) + float(recoding.records_dropped) * recoding.keys.records


def average_class_size(recoding: Recoding) -> float:
    """Return the records of the original table per class of the release.

    LeFevre and others (2006), as ARX counts: N / classes, where the records left out, if there
    are any, together are one class more. 0 for an empty table.
    """
    classes = len(recoding.group_counts) + (recoding.records_dropped > 0)
    return recoding.keys.records / classes if classes else 0.0


LossName = Literal["loss", "precision", "entropy", "discernibility", "aecs"]
"""The losses. `precision` is one less Sweeney's precision, so that lower is better for all."""

LOSSES: tuple[LossName, ...] = get_args(LossName)

_BY_CELLS: dict[str, Callable[..., float]] = {
    "loss": loss,
    "precision": precision_loss,
    "entropy": entropy,
}
_BY_CLASSES: dict[str, Callable[[Recoding], float]] = {
    "discernibility": discernibility,
    "aecs": average_class_size,
}


def measure(
    recoding: Recoding, name: LossName | str, *, weights: Mapping[str, float] | None = None
) -> float:
    """Return a loss of a recoding by its name; lower is better.

    Parameters
    ----------
    name
        ``loss``, ``precision``, ``entropy``, ``discernibility`` or ``aecs``.
    weights
        The importance of variables, 1 by default. Discernibility and the average class size look
        at classes and not at variables: weights mean nothing to them.

    >>> from indistinct.hierarchy import suppression_only
    >>> from indistinct.keys import Generalisable
    >>> from indistinct import open_data
    >>> with open_data({"sex": ["f", "f", "m"]}) as data:
    ...     keys = Generalisable.of(
    ...         data.key_table(["sex"]), {"sex": suppression_only(["f", "m"], name="sex")}
    ...     )
    >>> [measure(Recoding.full_domain(keys, [1]), name) for name in ("precision", "aecs")]
    [1.0, 3.0]
    """
    if name in _BY_CELLS:
        return _BY_CELLS[name](recoding, weights=weights)
    if name in _BY_CLASSES:
        return _BY_CLASSES[name](recoding)
    raise InputError(
        f"The loss must be one of {', '.join(LOSSES)}. Got '{name}'. {did_you_mean(name, LOSSES)}"
    )


@result(eq=True)
class OverDistortion(Result):
    """A release compared with the least distorted release that keeps the same promise.

    Parameters
    ----------
    name
        The loss that was compared.
    release, optimum
        The losses.
    """

    name: str
    release: float
    optimum: float

    FACTS = facts(
        Fact("loss", "name", shown="measure"),
        Fact("release", shown="loss"),
        Fact("optimum", shown="least possible"),
        Fact("ratio", lambda found: found.ratio if isfinite(found.ratio) else None, shown="ratio"),
        Fact("sentence", lambda found: found.sentence()),
    )

    @property
    def ratio(self) -> float:
        """The loss of the release over the least possible: 1 if it is as good as can be."""
        if self.optimum == 0:
            return 1.0 if self.release == 0 else float("inf")
        return self.release / self.optimum

    def sentence(self) -> str:
        """Say what to tell people."""
        if self.optimum == 0 and self.release > 0:
            return "no distortion at all was necessary, but there is some"
        return f"{self.ratio:.2f} times the least possible distortion"


def over_distortion(
    release: Recoding | float,
    optimum: Recoding | float,
    *,
    name: LossName = "precision",
    weights: Mapping[str, float] | None = None,
) -> OverDistortion:
    """Say how much more a release distorts than necessary.

    Sweeney (2001, section 6.5) finds releases "50% more distorted than necessary": the ratio of
    a release's distortion to that of the best release with the same k, which an exact search on
    a small table, or a bound on a large one, supplies.

    Parameters
    ----------
    release, optimum
        Recodings of the same table, or their losses.
    name, weights
        The loss to compare, as in `measure`.

    >>> print(over_distortion(9.8, 8.2667).sentence())
    1.19 times the least possible distortion
    """
    losses = [
        measure(given, name, weights=weights) if isinstance(given, Recoding) else float(given)
        for given in (release, optimum)
    ]
    if any(not value >= 0 for value in losses):
        raise InputError("A loss must be a number from 0.")
    records = {given.keys.records for given in (release, optimum) if isinstance(given, Recoding)}
    if len(records) > 1:
        raise InputError("The release and the optimum must be of the same table.")
    return OverDistortion(name, losses[0], losses[1])
