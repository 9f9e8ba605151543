"""Mondrian: cut the space of the key into ever smaller parts, as long as each keeps k records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from indistinct.core import ClassSize, Floats, InputError, Ints, SmallInts, did_you_mean
from indistinct.hierarchy import Hierarchy
from indistinct.keys import Generalisable, Recoding, group_rows
from indistinct.protect.methods.mondrian_cuts.mondrian_kernels import cut_all
from indistinct.protect.methods.recoding_locally.local_recoding_costs import (
    Ladders,
    check_ceiling,
    check_k,
    check_limits,
    check_weights,
)
from indistinct.protect.plan import Plan
from indistinct.protect.recode import RecodingStep
from indistinct.results import Fact, Result, Table, facts, result

__all__ = ["Mondrian", "MondrianStep", "mondrian"]


@result
class Mondrian(Result):
    """The parts that Mondrian found.

    Parameters
    ----------
    recoding
        Each part at the lowest common ancestors of its values.
    parts
        The part of each row of the recoding, from 0. Parts with the same labels in every
        variable become one class of the release.
    k, strict, ranges, limits, weights
        As they were given.
    """

    recoding: Recoding
    parts: Ints = field(repr=False)
    k: int
    strict: bool
    ranges: bool
    limits: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)

    FACTS = facts(
        Fact("method", lambda _: "mondrian"),
        Fact("k", shown="k"),
        Fact("strict", shown="strict"),
        "ranges",
        Fact("records", "recoding.keys.records", shown="records"),
        Fact("parts", lambda found: int(found.parts.max(initial=-1)) + 1, shown="parts"),
        Fact("classes", lambda found: len(found.recoding.group_counts)),
        Fact("smallest", "recoding.smallest", shown="smallest class"),
        Fact("gcp", shown="GCP with ranges", form=".4f"),
        Fact("cells_changed", lambda found: found.recoding.cells_changed()),
    )

    def plan(self) -> Plan:
        """Return the plan that makes this release, with labels of the hierarchies."""
        if self.ranges:
            raise InputError(
                "Ranges are no labels of a hierarchy, so no plan can release them. "
                "Run mondrian with ranges=False."
            )
        keys = self.recoding.keys
        step = MondrianStep(
            keys.names,
            self.k,
            keys.hierarchies,
            strict=self.strict,
            limits=dict(self.limits),
            weights=dict(self.weights),
        )
        return Plan((step,))

    def labels(self, name: str) -> list[str | None]:
        """Return what each row shows of an ordered variable if ranges are shown: '17-24'.

        A part that holds both values and missing ones shows the hierarchy's root.
        """
        keys = self.recoding.keys
        if name not in keys.names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, keys.names)}")
        j = keys.table.position(name)
        hierarchy = keys.hierarchies[j]
        if not hierarchy.ordered:
            raise InputError(f"The values of '{name}' have no order, so there are no ranges.")
        low, high = self._spans(j)
        values = hierarchy.labels[0]
        return [
            values[a]
            if a == b
            else hierarchy.root
            if values[b] is None
            else f"{values[a]}-{values[b]}"
            for a, b in zip(low[self.parts].tolist(), high[self.parts].tolist(), strict=True)
        ]

    @property
    def gcp(self) -> float:
        """The global certainty penalty of the parts, with ranges for ordered numbers.

        The mean over cells of 0 for a single value, s / D for a label that stands for s of D
        values, and for ordered numbers the width of the part over that of the file.
        """
        keys = self.recoding.keys
        if not keys.records or not keys.names:
            return 0.0
        total = 0.0
        for j, hierarchy in enumerate(keys.hierarchies):
            penalty = self._ranged(j, hierarchy)
            if penalty is None:
                sizes = keys.sizes(j)[self.recoding.nodes[:, j]]
                penalty = np.where(sizes > 1, sizes / max(len(hierarchy.values), 1), 0.0)
            total += float(penalty @ self.recoding.counts)
        return total / keys.records / len(keys.names)

    def plot(self) -> str:
        """Draw the cells of each variable that are changed, and those suppressed, as SVG."""
        return self.recoding.plot()

    def sentence(self) -> str:
        """Say what was made."""
        kind = "strict" if self.strict else "relaxed"
        return f"Mondrian ({kind}), k={self.k}; GCP with ranges for ordered numbers"

    def _spans(self, j: int) -> tuple[SmallInts, SmallInts]:
        """Return the first and the last leaf of each part."""
        leaves = self.recoding.keys.leaves[self.recoding.classes, j]
        number = int(self.parts.max(initial=-1)) + 1
        low = np.full(number, np.iinfo(np.int32).max, dtype=np.int32)
        high = np.full(number, -1, dtype=np.int32)
        np.minimum.at(low, self.parts, leaves)
        np.maximum.at(high, self.parts, leaves)
        return low, high

    def _ranged(self, j: int, hierarchy: Hierarchy) -> Floats | None:
        if not hierarchy.ordered:
            return None
        try:
            numbers = np.array([float(value) for value in hierarchy.values] + [np.nan])
        except ValueError:
            return None
        low, high = self._spans(j)
        present = numbers[self.recoding.keys.leaves[:, j]]
        if np.isnan(present).all() or np.nanmax(present) == np.nanmin(present):
            return None
        width = (numbers[high] - numbers[low]) / (np.nanmax(present) - np.nanmin(present))
        width = np.where(low == high, 0.0, np.where(np.isnan(width), 1.0, width))
        return np.asarray(width[self.parts])

    def _row_tables(self) -> Sequence[Table]:
        return self.recoding._tables()


def mondrian(
    keys: Generalisable,
    *,
    k: ClassSize,
    strict: bool = True,
    ranges: bool = False,
    limits: Mapping[str, int] | None = None,
    weights: Mapping[str, float] | None = None,
) -> Mondrian:
    """Cut the records into parts, always along the widest variable that allows a cut.

    LeFevre, DeWitt and Ramakrishnan (2006), multidimensional k-anonymity. A part's width in a
    variable is (s − 1) / (D − 1), for a common ancestor that stands for s of D values. The widest
    variable is tried first, of equally wide ones the first of the key. An ordered variable is cut
    in two where both sides have k records, nearest the median; an unordered one into the children
    of the part's common ancestor, if each has k. A part that no variable can cut is released at
    the lowest common ancestors of its values.

    Parameters
    ----------
    k
        Every part has at least k records.
    strict
        Whether equal values stay together. If not, children of fewer than k records stay together
        at their parent, and if they are fewer than k, larger ones lend them records; this goes
        for ordered variables too, unless their ranges count: these are cut at the median record
        where no cut between values leaves k on both sides.
    ranges
        Whether an ordered variable's own order counts instead of its hierarchy: parts are cut
        between any two values, and widths are those of the range. `Mondrian.labels` shows the
        ranges and `Mondrian.gcp` what they cost. Ranges of different parts overlap, so they are
        no hierarchy and no plan releases them.
    limits
        The highest level that a variable may climb to; 0 locks it.
    weights
        The importance of variables, 1 by default: wide ones of high weight are cut first.

    >>> from indistinct.hierarchy import interval_hierarchy
    >>> from indistinct import open_data
    >>> ages = [21, 22, 23, 31, 32, 38, 55, 56]
    >>> tens = interval_hierarchy(range(20, 60), name="age", widths=(10, 20))
    >>> with open_data({"age": ages}) as data:
    ...     keys = Generalisable.of(data.key_table(["age"]), {"age": tens})
    >>> found = mondrian(keys, k=2)
    >>> [keys.labels(0)[node] for node in found.recoding.nodes[:, 0]]
    ['20-29', '20-29', '20-29', '30-39', '30-39', '30-39', '50-59', '50-59']
    >>> mondrian(keys, k=2, ranges=True).labels("age")
    ['21-22', '21-22', '23-31', '23-31', '32-38', '32-38', '55-56', '55-56']
    """
    check_k(keys, k)
    highest = check_limits(keys, limits)
    importance = check_weights(keys, weights)
    check_ceiling(keys, highest, k=k, given="limits")
    options = (k, strict, ranges, dict(limits or {}), dict(weights or {}))
    if not keys.records:
        empty = np.empty(0, dtype=np.int64)
        return Mondrian(Recoding.full_domain(keys, highest), empty, *options)
    ladders = Ladders.of(keys, loss="loss", weights=importance)
    rows = np.arange(keys.classes, dtype=np.int64)
    counts = keys.counts
    if not strict:
        rows = np.repeat(rows, keys.counts)
        counts = np.ones(len(rows), dtype=np.int64)
    above = group_rows(keys.nodes(highest).astype(np.int64))[rows]
    order = np.argsort(above, kind="stable")
    begins = np.searchsorted(above[order], np.arange(int(above[order[-1]]) + 2))
    ordered = np.array([hierarchy.ordered for hierarchy in keys.hierarchies])
    steps = np.array([1.0 / max(len(h.values) - 1, 1) for h in keys.hierarchies])
    part = np.empty(len(rows), dtype=np.int64)
    cut_all(
        np.ascontiguousarray(keys.leaves[rows]),
        counts,
        ladders.nodes,
        ladders.prices,
        ordered,
        np.where(ordered & ranges, steps * importance / importance.sum(), 0.0),
        np.array([len(hierarchy.values) for hierarchy in keys.hierarchies]),
        k,
        not strict,
        order,
        begins,
        part,
    )
    if not strict:
        rows, part, counts = _merged(rows, part)
    recoding = Recoding.of_clusters(keys, part, rows=rows, counts=counts)
    return Mondrian(recoding, part, *options)


def _merged(rows: Ints, part: Ints) -> tuple[Ints, Ints, Ints]:
    """Put the records of one class that are in one part together again."""
    number = group_rows(np.column_stack([rows, part]))
    _, first = np.unique(number, return_index=True)
    return rows[first], part[first], np.bincount(number).astype(np.int64)


@dataclass(frozen=True)
class MondrianStep(RecodingStep, kind="mondrian"):
    """Recode locally by `mondrian`; the same records give the same release.

    Parameters
    ----------
    key, k, hierarchies
        The variables an intruder may know, the smallest class, and a hierarchy for each variable.
    strict, limits, weights
        See `mondrian`.
    """

    truthful = True

    key: tuple[str, ...]
    k: int
    hierarchies: tuple[Hierarchy, ...]
    strict: bool = True
    limits: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)

    def describe(self) -> str:
        """Say what is done."""
        kind = "equal values together" if self.strict else "equal values either way"
        return (
            f"cut the records by {', '.join(self.key)} into parts of at least {self.k} and "
            f"generalise each part to one class (Mondrian, {kind})"
        )

    def recoding(self, keys: Generalisable) -> Recoding:
        """Decide how far each cell climbs."""
        return mondrian(
            keys, k=self.k, strict=self.strict, limits=self.limits, weights=self.weights
        ).recoding
