"""Loss by how many values a released label could stand for.

*Loss* is the generalised loss metric (Iyengar 2002) as ARX normalises it: of an attribute with D
values a cell whose label stands for s of them loses (s − 1) / (D − 1), a cell of a record left
out loses 1, and the loss of a release is the mean over records and attributes. D counts the
values of the hierarchy, not only those in the data. *NCP*, the normalised certainty penalty (Xu
and others 2006), keeps a cell that still has its own value free and charges s / D otherwise, or
the interval's width over the range for numbers; *GCP* is its mean (Ghinita and others 2007).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from indistinct.core import Floats, SmallInts
from indistinct.hierarchy import Hierarchy
from indistinct.keys import Recoding
from indistinct.keys.losses.cells import total_cost, weights_of

__all__ = ["gcp", "granularity", "loss", "loss_by_variable", "ncp"]


def loss(recoding: Recoding, *, weights: Mapping[str, float] | None = None) -> float:
    """Return the mean over attributes of the normalised loss: 0 for the original, at most 1.

    >>> from indistinct.hierarchy import code_hierarchy
    >>> from indistinct.keys import Generalisable
    >>> from indistinct import open_data
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
