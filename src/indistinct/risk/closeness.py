"""t-closeness: how far the values of a class are from those of the file.

Even where a class leaves many values possible, the intruder learns something if they are not as
frequent there as everywhere. With p the shares of the values in the file and q those in a class,
t-closeness bounds the earth mover's distance of q from p: Li, Li and Venkatasubramanian,
"t-closeness: privacy beyond k-anonymity and l-diversity", ICDE 2007.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numba import njit

from indistinct.core import (
    Array,
    Bools,
    Floats,
    InputError,
    Ints,
    between,
    check_number,
    did_you_mean,
)
from indistinct.hierarchy import Hierarchy, as_texts
from indistinct.keys import KeyTable
from indistinct.results import Fact, Result, facts, result
from indistinct.results.figures import bars
from indistinct.risk.diversity import SensitiveCounts, split_table

__all__ = [
    "Closeness",
    "Distance",
    "closeness_of",
    "t_closeness",
]

Distance = Literal["equal", "ordered", "hierarchical"]
"""How far two values are from each other: all equally, by their ranks, or by their levels."""

DISTANCES: tuple[Distance, ...] = get_args(Distance)

ROUNDING = 1e-12
"""So much above a threshold is rounding."""


@result
class Closeness(Result):
    """The earth mover's distance of every class from the file, and the largest of them, t.

    Arrays have one entry per class of the key, in key order.
    """

    key: tuple[str, ...]
    sensitive: str
    distance: Distance
    table: KeyTable
    """The classes of the key."""
    distances: Floats
    t: float | None
    assumptions: tuple[str, ...]
    class_of: Ints
    """For every row of the table that was measured, its class."""

    FACTS = facts(
        "key",
        "sensitive",
        "distance",
        Fact("records", "table.records"),
        Fact("classes", "table.classes"),
        Fact("largest", shown="largest distance t"),
        Fact("mean", shown="distance of a mean record's class"),
        Fact("t", shown="t asked for"),
        Fact(
            "classes_failing",
            lambda found: int(found.failing().sum()),
            shown="classes above it",
            when=lambda found: found.t is not None,
        ),
        Fact(
            "records_failing",
            lambda found: found.records_failing(),
            shown="records above it",
            when=lambda found: found.t is not None,
        ),
        "assumptions",
    )

    def sentence(self) -> str:
        """Say of what, and in how many classes."""
        return (
            f"Closeness of {self.sensitive} ({self.distance} distance) in "
            f"{self.table.classes:,} classes of {self.table.records:,} records"
        )

    @property
    def largest(self) -> float:
        """The t for which the file is t-close: the distance of its farthest class."""
        return float(self.distances.max())

    @property
    def mean(self) -> float:
        """The distance of a mean record's class."""
        return float(np.average(self.distances, weights=self.table.counts))

    def failing(self, t: float | None = None) -> Bools:
        """Say of every class whether it is farther from the file than t."""
        t = self.t if t is None else _checked_t(t)
        if t is None:
            raise InputError("There is no t to compare with. Give t between 0 and 1.")
        return self.distances > t + ROUNDING

    def records_failing(self, t: float | None = None) -> int:
        """Return the records in classes farther from the file than t."""
        return int(self.table.counts[self.failing(t)].sum())

    def to_frame(self) -> Any:
        """Return one row per class: its key, its size and its distance."""
        frame = self.table.to_frame()
        frame["distance"] = self.distances
        return frame

    def plot(self) -> str:
        """Draw the records by the distance of their class from the file, as SVG."""
        counted, edges = np.histogram(
            self.distances, bins=10, range=(0, 1), weights=self.table.counts
        )
        return bars(
            f"Records by the distance of their class ({self.sensitive})",
            [f"{low:.1f}–{high:.1f}" for low, high in itertools.pairwise(edges)],
            counted.tolist(),
        )


def t_closeness(
    table: KeyTable,
    key: Sequence[str],
    sensitive: str,
    *,
    distance: Distance | None = None,
    hierarchy: Hierarchy | None = None,
    order: Sequence[object] | None = None,
    t: float | None = None,
) -> Closeness:
    """Measure how far one sensitive variable's distribution in every class is from the file's.

    The earth mover's distance of q from p in closed form, for each distance between values:

    - *equal*, 1 between any two: ½ Σ |qᵥ − pᵥ|;
    - *ordered*, |i − j|/(m − 1) between the i-th and the j-th of m values:
      Σᵢ |Σ_{j≤i} (qⱼ − pⱼ)| / (m − 1);
    - *hierarchical*, level of the lowest common ancestor over the height H:
      (1/H) Σ_{h<H} of the equal distance after every value has become its ancestor at level h
      (the same sum as the paper's over nodes, since two values differ at as many levels as their
      ancestor is high).

    Li, Li and Venkatasubramanian (2007), section 5. Numbers go by rank, so that no unit matters.

    Parameters
    ----------
    table
        The records counted by the key and the sensitive variable (and any others).
    key, sensitive
        What an intruder knows, and what he is after.
    distance
        By default hierarchical where a hierarchy is given, ordered where an order is, else equal.
    hierarchy
        The hierarchy of the sensitive variable, for the hierarchical distance.
    order
        All values in their order, for the ordered distance; numbers and dates have one.
    t
        The largest distance that is allowed, if any.

    The salaries of the paper's Table 3, in thousands:

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"zip": [476] * 3 + [4790] * 3 + [479] * 3,
    ...                    "salary": [3, 4, 5, 6, 11, 8, 7, 9, 10]})
    >>> with indistinct.open_data(people) as data:
    ...     table = data.key_table(["zip", "salary"])
    >>> t_closeness(table, ["zip"], "salary", distance="ordered").distances.round(3)
    array([0.375, 0.236, 0.167])
    """
    split = split_table(table, key, sensitive)
    return closeness_of(split, distance=distance, hierarchy=hierarchy, order=order, t=t)


def closeness_of(
    split: SensitiveCounts,
    *,
    distance: Distance | None = None,
    hierarchy: Hierarchy | None = None,
    order: Sequence[object] | None = None,
    t: float | None = None,
) -> Closeness:
    """Measure the closeness of a table that was split already; see `t_closeness`."""
    if distance is None:
        distance = "hierarchical" if hierarchy else "equal" if order is None else "ordered"
    if distance not in DISTANCES:
        raise InputError(f"There is no distance '{distance}'. {did_you_mean(distance, DISTANCES)}")
    notes = ["The intruder knows the distribution in the file already: it is published."]
    if distance == "ordered":
        distances = _ordered(split, order)
        if split.has_missing:
            notes.append(
                f"A missing value of '{split.sensitive}' is ½ from the middle of the order, and "
                "so ½ to 1 from any value."
            )
    elif distance == "hierarchical":
        distances = _hierarchical(split, hierarchy)
    else:
        values = np.arange(len(split.present), dtype=np.int64)
        distances = _variational(split, values, len(values))
    return Closeness(
        split.table.names,
        split.sensitive,
        distance,
        split.table,
        distances,
        _checked_t(t),
        tuple(notes),
        split.class_of,
    )


def _checked_t(t: float | None) -> float | None:
    if t is not None:
        check_number("t", t, between(0, 1, "Usual is 0.1 to 0.3."))
    return t


def _variational(split: SensitiveCounts, node: Array, nodes: int) -> Floats:
    """Half the sum of |q − p| over nodes, where each value has become its node."""
    shares = np.bincount(node, weights=split.totals, minlength=nodes) / split.table.records
    distances = np.empty(split.table.classes, dtype=np.float64)
    _variational_by_class(split.starts, node[split.values], split.counts, shares, distances)
    return distances


def _hierarchical(split: SensitiveCounts, hierarchy: Hierarchy | None) -> Floats:
    if hierarchy is None:
        raise InputError(
            f"The hierarchical distance needs the hierarchy of '{split.sensitive}'. Give "
            "hierarchy=, or another distance."
        )
    leaves = split.decoded()
    unknown = sum(value is not None and value not in hierarchy for value in leaves)
    if unknown:
        raise InputError(
            f"The hierarchy does not know {unknown:,} of the {len(leaves):,} values of "
            f"'{split.sensitive}'. Add them to it."
        )
    leaf = hierarchy.encode(leaves)
    distances = np.zeros(split.table.classes, dtype=np.float64)
    for level in range(hierarchy.height):
        nodes = len(hierarchy.level_labels(level))
        distances += _variational(split, hierarchy.level_codes(level)[leaf].astype(int), nodes)
    return distances / max(hierarchy.height, 1)


def _ordered(split: SensitiveCounts, order: Sequence[object] | None) -> Floats:
    missing = split.has_missing
    known = len(split.present) - missing
    if order is None:
        if isinstance(split.example(), str):
            raise InputError(
                f"'{split.sensitive}' is text, whose order is not known. Give order= with all its "
                "values from first to last, or another distance."
            )
        place, ranks = np.arange(known), known
    else:
        ranked = {text: i for i, text in enumerate(dict.fromkeys(as_texts(order)))}
        texts = as_texts(split.decoded()[:known])
        place, ranks = np.array([ranked.get(text, -1) for text in texts], np.int64), len(ranked)
        unknown = int((place < 0).sum())
        if unknown:
            raise InputError(
                f"The order does not name {unknown:,} of the {known:,} values of "
                f"'{split.sensitive}'. Name them all, from first to last."
            )
    # Missing is joined to the middle of the line by an edge of length ½: with the line's unit
    # halved, the middle is a place, also between two values. A tree's distance is the sum over
    # its edges of what must cross them.
    step = 2 if missing else 1
    places_in_all = step * (ranks - 1) + 1
    place = np.append(place * step, max(ranks - 1, 0)) if missing else place
    cumulative = np.cumsum(
        np.bincount(place, weights=split.file_shares, minlength=max(places_in_all, 1))
    )
    cells = place[split.values]
    classes = np.repeat(np.arange(split.table.classes), np.diff(split.starts))
    by_place = np.lexsort((cells, classes)) if missing or order is not None else slice(None)
    distances = np.zeros(split.table.classes, dtype=np.float64)
    if places_in_all > 1:
        _ordered_by_class(
            split.starts, cells[by_place], split.class_shares[by_place], cumulative, distances
        )
        distances /= places_in_all - 1
    if missing and known:
        held = split.values == known
        share = np.bincount(
            classes[held], weights=split.class_shares[held], minlength=len(distances)
        )
        distances += np.abs(share - split.file_shares[-1]) * (0.5 if ranks > 1 else 1.0)
    return distances


@njit(cache=True, nogil=True)
def _variational_by_class(
    starts: Array, nodes: Array, counts: Array, shares: Array, distances: Array
) -> None:
    held = np.zeros(shares.shape[0], dtype=np.int64)
    for i in range(starts.shape[0] - 1):
        size = 0
        for j in range(starts[i], starts[i + 1]):
            held[nodes[j]] += counts[j]
            size += counts[j]
        # q and p both sum to 1, so what is above p is half of all the differences
        above = 0.0
        for j in range(starts[i], starts[i + 1]):
            share = held[nodes[j]] / size
            if share > shares[nodes[j]]:
                above += share - shares[nodes[j]]
            held[nodes[j]] = 0
        distances[i] = above


@njit(cache=True, nogil=True)
def _ordered_by_class(
    starts: Array, places: Array, shares: Array, cumulative: Array, distances: Array
) -> None:
    """Sum |F − G| over all places but the last, F the class's cumulative share and G the file's.

    F is constant between two of the class's places and G only rises, so G's sums up to each place
    and one bisection give a whole stretch: the cost is the number of cells, whatever the range.
    """
    sums = np.zeros(cumulative.shape[0] + 1)
    sums[1:] = np.cumsum(cumulative)
    last = cumulative.shape[0] - 1
    for i in range(starts.shape[0] - 1):
        total, f, a = 0.0, 0.0, 0
        for j in range(starts[i], starts[i + 1] + 1):
            b = places[j] if j < starts[i + 1] else last
            if b > a:
                k = a + np.searchsorted(cumulative[a:b], f)
                total += f * (k - a) - (sums[k] - sums[a])
                total += (sums[b] - sums[k]) - f * (b - k)
                a = b
            if j < starts[i + 1]:
                f += shares[j]
        distances[i] = max(total, 0.0)
