"""l-diversity: how many values of a sensitive variable each class of the key leaves possible.

k-anonymity hides who a record belongs to; if all records of a class have the same diagnosis, the
diagnosis is told all the same. Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, "l-diversity:
privacy beyond k-anonymity", *ACM TKDD* 1(1), 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numba import njit

from indistinct.core import (
    Array,
    Bools,
    Floats,
    InputError,
    Ints,
    above,
    check_number,
    did_you_mean,
)
from indistinct.engine import Coding
from indistinct.keys import KeyTable
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = [
    "Diversity",
    "DiversityKind",
    "SensitiveCounts",
    "diversity_of",
    "l_diversity",
    "multi_l_diversity",
    "split_table",
]

DiversityKind = Literal["distinct", "entropy", "recursive"]

KINDS: tuple[DiversityKind, ...] = get_args(DiversityKind)

ROUNDING = 1e-9
"""Entropy of l equal shares is ln l only up to rounding; so much is forgiven at a threshold."""

Measures = tuple[Ints, Floats, Ints]
"""Distinct values, entropy in nats and recursive l of every class."""


@dataclass(frozen=True, eq=False)
class SensitiveCounts:
    """The values of one sensitive variable in every class of a key, sparse, sorted by class.

    The cells of class i are `starts[i]` to `starts[i + 1]`; each has the number of a value that
    occurs in the file (`values`, numbered from 0 in the order of the coding) and its records.
    """

    table: KeyTable
    """The classes of the key alone."""
    sensitive: str
    coding: Coding = field(repr=False)
    present: Ints = field(repr=False)
    """The codes of the values that occur, increasing."""
    starts: Ints = field(repr=False)
    values: Ints = field(repr=False)
    counts: Ints = field(repr=False)
    class_of: Ints = field(repr=False)
    """For every row of the table that was split, its class here."""

    @property
    def has_missing(self) -> bool:
        """Whether the last of the values is the missing one."""
        last = len(self.present) and self.present[-1] == self.coding.size - 1
        return bool(self.coding.missing and last)

    @cached_property
    def telling(self) -> SensitiveCounts:
        """The records that have a value: what is missing is none that could protect another.

        A class may be left with no value at all; it is silent.
        """
        if not self.has_missing:
            return self
        kept = self.values < len(self.present) - 1
        numbers = np.arange(len(self.starts))
        classes = np.repeat(numbers[:-1], np.diff(self.starts))[kept]
        counts = self.counts[kept]
        sizes = np.bincount(classes, weights=counts, minlength=len(numbers) - 1).astype(np.int64)
        return replace(
            self,
            table=KeyTable(self.table.coding, self.table.codes, sizes),
            present=self.present[:-1],
            starts=np.searchsorted(classes, numbers).astype(np.int64),
            values=self.values[kept],
            counts=counts,
        )

    @cached_property
    def totals(self) -> Ints:
        """Records of the file with each value."""
        totals = np.zeros(len(self.present), dtype=np.int64)
        np.add.at(totals, self.values, self.counts)
        return totals

    @cached_property
    def file_shares(self) -> Floats:
        """The share of each value in the file, p."""
        return self.totals / self.table.records

    @cached_property
    def class_shares(self) -> Floats:
        """The share of each cell in its class, q."""
        shares: Floats = self.counts / np.repeat(self.table.counts, np.diff(self.starts))
        return shares

    def decoded(self) -> list[Any]:
        """Return the values that occur, in the order of their numbers."""
        return self.coding.decode(self.present)

    def example(self) -> Any:
        """Return the first value, to tell its kind; None where all are missing."""
        return self.coding.decode(self.present[:1])[0]


def split_table(table: KeyTable, key: Sequence[str], sensitive: str) -> SensitiveCounts:
    """Split a table that was counted by key and sensitive variables into classes and values.

    A missing value of the key is a category of its own, and so is one of the sensitive variable.

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"age": [30, 30, 30, 41], "illness": ["flu", "flu", "gout", "flu"]})
    >>> with indistinct.open_data(people) as data:
    ...     table = data.key_table(["age", "illness"])
    >>> split = split_table(table, ["age"], "illness")
    >>> split.starts, split.values, split.counts
    (array([0, 2, 3]), array([0, 1, 0]), array([2, 1, 1]))
    """
    check_names(table, key, [sensitive])
    cells, row_cell = table.rollup([*key, sensitive])
    classes, cell_class = cells.rollup(list(key))
    coding = cells.coding.variables[-1]
    occurs = np.zeros(coding.size, dtype=bool)
    occurs[cells.codes[:, -1]] = True
    number = np.cumsum(occurs) - 1
    starts = np.searchsorted(cell_class, np.arange(classes.classes + 1))
    return SensitiveCounts(
        classes,
        sensitive,
        coding,
        np.flatnonzero(occurs),
        starts,
        number[cells.codes[:, -1]],
        cells.counts,
        cell_class[row_cell],
    )


def check_names(table: KeyTable, key: Sequence[str], sensitive: Sequence[str]) -> None:
    """Refuse names that were not counted, that come twice, or an empty list of them."""
    if not key:
        raise InputError("The key is empty. Name at least one variable that an intruder can know.")
    if not sensitive:
        raise InputError("No sensitive variable is named. Name at least one.")
    for name in [*key, *sensitive]:
        if name not in table.names:
            raise InputError(
                f"The records were not counted by '{name}'. {did_you_mean(name, table.names)} "
                "Count them by the key and the sensitive variables together."
            )
    both = [*key, *sensitive]
    twice = next((name for name in both if both.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"'{twice}' is named twice. A variable is either known to the intruder (key) or what "
            "the intruder is after (sensitive): name it once."
        )
    if not table.records:
        raise InputError("There are no records to measure. Give a file with at least one.")


@result
class Diversity(Result):
    """The diversity of every class, by three definitions, and of the file: that of its worst class.

    Arrays have one entry per class of the key, in key order.
    """

    key: tuple[str, ...]
    sensitive: tuple[str, ...]
    table: KeyTable
    """The classes of the key."""
    distinct: Ints
    entropy: Floats
    """Entropy in nats; its exponential is the l of entropy l-diversity."""
    recursive: Ints
    c: float
    l: float | None
    assumptions: tuple[str, ...]
    class_of: Ints
    """For every row of the table that was measured, its class: ``values[class_of]`` hands a
    measure back to those rows, and the tally's `per_record` to the records."""

    FACTS = facts(
        "key",
        "sensitive",
        Fact("records", "table.records"),
        Fact("classes", "table.classes"),
        "c",
        "l",
        Fact("kinds", lambda found: found._by_kind(), spread=True),
        "assumptions",
    )

    def _by_kind(self) -> dict[str, float | int]:
        measured: dict[str, float | int] = {}
        for kind in KINDS:
            measured[kind] = self.least(kind)
            if self.l is not None:
                measured[f"{kind}_classes_failing"] = int(self.failing(kind).sum())
                measured[f"{kind}_records_failing"] = self.records_failing(kind)
        return measured

    def sentence(self) -> str:
        """Say of what, and in how many classes."""
        return (
            f"Diversity of {', '.join(self.sensitive)} in {self.table.classes:,} classes "
            f"of {self.table.records:,} records"
        )

    @cached_property
    def entropy_l(self) -> Floats:
        """The l of entropy l-diversity, exp(entropy): so many equally frequent values."""
        return np.exp(self.entropy)

    def measure(self, kind: DiversityKind) -> Array:
        """Return the l of every class by one definition."""
        if kind not in KINDS:
            raise InputError(f"There is no diversity '{kind}'. {did_you_mean(kind, KINDS)}")
        return {
            "distinct": self.distinct,
            "entropy": self.entropy_l,
            "recursive": self.recursive,
        }[kind]

    def least(self, kind: DiversityKind) -> float:
        """Return the l of the file: that of its least diverse class."""
        return float(self.measure(kind).min())

    def failing(self, kind: DiversityKind, l: float | None = None) -> Bools:
        """Say of every class whether it is less than l-diverse."""
        l = self.l if l is None else _checked_l(l)
        if l is None:
            raise InputError("There is no l to compare with. Give l=2 or more.")
        failing: Bools = self.measure(kind) < l * (1 - ROUNDING)
        return failing

    def records_failing(self, kind: DiversityKind, l: float | None = None) -> int:
        """Return the records in classes that are less than l-diverse."""
        return int(self.table.counts[self.failing(kind, l)].sum())

    def to_frame(self) -> Any:
        """Return one row per class: its key, its size and its three measures."""
        frame = self.table.to_frame()
        for kind in KINDS:
            frame[f"{kind}_l"] = self.measure(kind)
        return frame

    def plot(self) -> str:
        """Draw the records by the number of different values in their class, as SVG."""
        most = 10
        counted = np.bincount(np.minimum(self.distinct, most), weights=self.table.counts)
        at = np.flatnonzero(counted)
        return bars(
            f"Records by the values of {', '.join(self.sensitive)} in their class",
            [f"{n}{' or more' if n == most else ''}" for n in at.tolist()],
            counted[at].tolist(),
        )

    def _row_tables(self) -> list[Table]:
        named = {"distinct": "distinct", "entropy": "entropy", "recursive": f"({self.c:g}, l)"}
        head: tuple[str, ...] = ("definition", "l", "l for a mean record")
        rows: list[tuple[object, ...]] = []
        for kind in KINDS:
            mean = float(np.average(self.measure(kind), weights=self.table.counts))
            row: tuple[object, ...] = (named[kind], self.least(kind), mean)
            if self.l is not None:
                row += (int(self.failing(kind).sum()), self.records_failing(kind))
            rows.append(row)
        if self.l is not None:
            head += (f"classes below {self.l:g}", f"records below {self.l:g}")
        return [Table(f"Diversity of {', '.join(self.sensitive)}", head, rows)]


def l_diversity(
    table: KeyTable,
    key: Sequence[str],
    sensitive: str,
    *,
    l: float | None = None,
    c: float = 2.0,
) -> Diversity:
    """Measure how diverse one sensitive variable is in every class of the key.

    With r₁ ≥ r₂ ≥ … ≥ rₘ the records of a class by value, and qᵢ their shares, the class is

    - *distinct* l-diverse with l = m;
    - *entropy* l-diverse with ln l = −Σ qᵢ ln qᵢ;
    - *recursively* (c, l)-diverse with the largest l for which r₁ < c (r_l + … + rₘ), and at
      least 1.

    Machanavajjhala et al. (2007), section 4.

    Parameters
    ----------
    table
        The records counted by the key and the sensitive variable (and any others).
    key, sensitive
        What an intruder knows, and what he is after.
    l
        The diversity that is asked for, if any.
    c
        How much more frequent than the rest the most frequent value may be.

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"age": [30] * 4 + [41] * 2, "illness": [*"aabc", *"dd"]})
    >>> with indistinct.open_data(people) as data:
    ...     table = data.key_table(["age", "illness"])
    >>> found = l_diversity(table, ["age"], "illness", l=2)
    >>> found.distinct, found.entropy_l.round(3), found.recursive
    (array([3, 1]), array([2.828, 1.   ]), array([2, 1]))
    >>> found.records_failing("distinct")
    2
    """
    return diversity_of(split_table(table, key, sensitive), l=l, c=c)


def diversity_of(split: SensitiveCounts, *, l: float | None = None, c: float = 2.0) -> Diversity:
    """Measure the diversity of a table that was split already; see `l_diversity`."""
    _check_c(c)
    return Diversity(
        split.table.names,
        (split.sensitive,),
        split.table,
        *_class_measures(split.starts, split.counts, c),
        c=c,
        l=_checked_l(l),
        assumptions=_assumptions([split]),
        class_of=split.class_of,
    )


def multi_l_diversity(
    table: KeyTable,
    key: Sequence[str],
    sensitive: Sequence[str],
    *,
    l: float | None = None,
    c: float = 2.0,
) -> Diversity:
    """Measure the diversity of several sensitive variables together.

    A class is l-diverse in several variables if each of them is l-diverse when the others are
    added to the key (Machanavajjhala et al. 2007, on multiple sensitive attributes): whoever
    learns one of a person's values must not learn another by it. The measure of a class is the
    least of its parts' and of the variables'.

    Being diverse in each variable alone is not enough:

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"age": [30] * 4, "illness": [*"aabb"], "job": [*"xxyy"]})
    >>> with indistinct.open_data(people) as data:
    ...     table = data.key_table(["age", "illness", "job"])
    >>> l_diversity(table, ["age"], "illness").least("distinct")
    2.0
    >>> multi_l_diversity(table, ["age"], ["illness", "job"]).least("distinct")
    1.0
    """
    check_names(table, key, sensitive)
    if len(sensitive) == 1:
        return l_diversity(table, key, sensitive[0], l=l, c=c)
    _check_c(c)
    classes, class_of = table.rollup(list(key))
    found: list[Measures] = []
    splits = []
    for name in sensitive:
        split = split_table(table, [*key, *(other for other in sensitive if other != name)], name)
        _, to = split.table.rollup(list(key))
        parts = np.flatnonzero(np.diff(to, prepend=-1))
        distinct, entropy, recursive = _class_measures(split.starts, split.counts, c)
        found.append(
            (
                np.minimum.reduceat(distinct, parts),
                np.minimum.reduceat(entropy, parts),
                np.minimum.reduceat(recursive, parts),
            )
        )
        splits.append(split)
    return Diversity(
        tuple(key),
        tuple(sensitive),
        classes,
        np.minimum.reduce([distinct for distinct, _, _ in found]),
        np.minimum.reduce([entropy for _, entropy, _ in found]),
        np.minimum.reduce([recursive for _, _, recursive in found]),
        c=c,
        l=_checked_l(l),
        assumptions=(
            "Each variable is measured with the others known to the intruder.",
            *_assumptions(splits),
        ),
        class_of=class_of,
    )


def _assumptions(splits: Sequence[SensitiveCounts]) -> tuple[str, ...]:
    notes = ["The values of the sensitive variable are all equally worth hiding."]
    for split in splits:
        if split.has_missing:
            missing = int(split.totals[-1])
            notes.append(
                f"'{split.sensitive}' is missing in {missing:,} records, which counts as one "
                "more value."
            )
    return tuple(notes)


def _checked_l(l: float | None) -> float | None:
    if l is not None:
        check_number("l", l, above(1, hint="Every class is 1-diverse."))
    return l


def _check_c(c: float) -> None:
    check_number("c", c, above(0, hint="Usual is c=2."))


def _class_measures(starts: Ints, counts: Ints, c: float) -> Measures:
    entropy = np.empty(len(starts) - 1, dtype=np.float64)
    recursive = np.empty(len(starts) - 1, dtype=np.int64)
    _measure_classes(starts, counts, c, entropy, recursive)
    return np.diff(starts), entropy, recursive


@njit(cache=True, nogil=True)
def _measure_classes(
    starts: Ints,
    counts: Ints,
    c: float,
    entropy: Floats,
    recursive: Ints,
) -> None:
    for i in range(starts.shape[0] - 1):
        inside = np.sort(counts[starts[i] : starts[i + 1]])
        values = inside.shape[0]
        size = inside.sum()
        if values <= 1:
            entropy[i] = 0.0
            recursive[i] = values
            continue
        nats = 0.0
        for j in range(values):
            share = inside[j] / size
            nats -= share * np.log(share)
        entropy[i] = nats
        # from the rarest value up: the first l whose tail outweighs the most frequent value
        tail, l = 0, values
        for j in range(values):
            tail += inside[j]
            l = values - j
            if inside[-1] < c * tail:
                break
        recursive[i] = max(l, 1)
