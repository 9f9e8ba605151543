"""How many people are alone with a combination of attributes, and what one more would do.

Sweeney (2001, section 2) shows a voter list in which birth date alone is unique for 12 % of the
voters, with sex for 29 %, with the five-digit ZIP for 69 %, with the full postal code for 97 %
(Figure 13). `uniqueness_table` makes that figure for any file and any combinations;
`key_sensitivity` answers the question of section 7, what happens when the recipient knows an
attribute that was not thought to be part of the key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import pyarrow as pa

from indistinct.core import AtMost, ClassSize, InputError
from indistinct.keys import KeyTable, threshold
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.risk.packed import small_classes

__all__ = [
    "Combination",
    "KeySensitivity",
    "Knowledge",
    "UniquenessTable",
    "key_sensitivity",
    "uniqueness_table",
]


@dataclass(frozen=True)
class Combination(Part):
    """One combination of attributes: its bins, and the records alone in theirs."""

    attributes: tuple[str, ...]
    records: int
    unique: int
    classes: int
    possible: int
    """Bins that could be: the product of the attributes' numbers of values."""

    FACTS = facts(
        "attributes",
        "records",
        "unique",
        "uniqueness",
        "classes",
        "possible",
        "average_class",
        "average_bin",
    )

    @property
    def uniqueness(self) -> float:
        """The share of records that are alone in their bin."""
        return self.unique / max(1, self.records)

    @property
    def average_class(self) -> float:
        """The mean size of the bins that hold anybody, N / classes."""
        return self.records / max(1, self.classes)

    @property
    def average_bin(self) -> float:
        """The mean over all bins that could be, N / possible: below 1, most stay empty."""
        return self.records / max(1, self.possible)


@result(eq=True)
class UniquenessTable(Result):
    """The share of records that are alone, for several combinations of attributes."""

    records: int
    rows: tuple[Combination, ...]
    assumptions: tuple[str, ...] = (
        "The file is taken as the population: whoever is alone here is alone for the recipient. "
        "For a sample this overstates.",
        "A missing value is a value of its own.",
    )

    FACTS = facts(
        "records",
        Fact("combinations", "rows"),
        "assumptions",
    )

    def sentence(self) -> str:
        """Say among how many records."""
        return f"Uniqueness among {self.records:,} records"

    def to_frame(self) -> Any:
        """Return one row per combination (pandas must be installed)."""
        rows = [row.to_dict() | {"attributes": ", ".join(row.attributes)} for row in self.rows]
        return pa.Table.from_pylist(rows).to_pandas()

    def plot(self) -> str:
        """Draw the per cent of records that are alone by each combination, as SVG."""
        return bars(
            "Records that are alone, per cent",
            [", ".join(row.attributes) for row in self.rows],
            [100 * row.uniqueness for row in self.rows],
        )

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                f"Uniqueness among {self.records:,} records",
                ("attributes", "alone", "bins used", "bins possible", "average class"),
                [
                    (", ".join(r.attributes), r.uniqueness, r.classes, r.possible, r.average_class)
                    for r in self.rows
                ],
                {"alone": ".1%", "average class": ",.1f"},
            )
        ]


def uniqueness_table(
    table: KeyTable,
    combinations: Sequence[Sequence[str]] | None = None,
    *,
    domain: Mapping[str, int] | None = None,
) -> UniquenessTable:
    """Make Sweeney's Figure 13 for any combinations of the table's variables.

    Parameters
    ----------
    table
        A key table with all the attributes that are to be combined.
    combinations
        The combinations; by default the first attribute, the first two, the first three, …
    domain
        How many values an attribute could have (birth dates: 365 × 100), where that is not the
        number of codes it has in the file.

    >>> import indistinct, pyarrow as pa
    >>> voters = pa.table({"birth": [1, 1, 2, 3], "sex": ["f", "m", "f", "f"]})
    >>> with indistinct.open_data(voters) as data:
    ...     found = uniqueness_table(data.key_table(["birth", "sex"]), domain={"birth": 36500})
    >>> [(row.uniqueness, row.possible) for row in found.rows]
    [(0.5, 36500), (1.0, 73000)]
    """
    if combinations is None:
        combinations = [table.names[: i + 1] for i in range(len(table.names))]
    problems = [
        f"The domain of '{name}' must be at least 1. Got {size}."
        for name, size in (domain or {}).items()
        if size < 1
    ]
    if any(not combination for combination in combinations) or not combinations:
        problems.append("A combination of attributes is empty. Name at least one attribute.")
    if problems:
        raise InputError("\n".join(problems))
    sizes = dict(zip(table.names, table.coding.sizes, strict=True)) | dict(domain or {})
    rows = []
    for combination in combinations:
        names = tuple(dict.fromkeys(combination))
        margin, _ = table.rollup(names)
        unique = small_classes(margin.counts, 2)[1]
        possible = prod(sizes[name] for name in names)
        rows.append(Combination(names, table.records, int(unique), margin.classes, possible))
    return UniquenessTable(table.records, tuple(rows))


@dataclass(frozen=True)
class Knowledge:
    """What the key protects when one attribute more is known; `extra` is None for the key alone."""

    extra: str | None
    smallest: int
    below_k: int
    unique: int
    classes: int


@result(eq=True)
class KeySensitivity(Result):
    """What happens to k when the recipient knows one attribute more than the key.

    `extras` are sorted by the records that fall below k, the most dangerous attribute first.
    """

    key: tuple[str, ...]
    k: int
    records: int
    base: Knowledge
    extras: tuple[Knowledge, ...]
    assumptions: tuple[str, ...] = (
        "One attribute is added at a time; two together can be worse than each.",
        "Protection rests on the choice of the key: what the recipient really knows is not known.",
        "A missing value is a value of its own.",
    )

    FACTS = facts(
        "key",
        "k",
        "records",
        Fact(
            "rows",
            lambda found: [
                {
                    "extra": row.extra,
                    "smallest_class": row.smallest,
                    "below_k": row.below_k,
                    "unique": row.unique,
                    "classes": row.classes,
                }
                for row in (found.base, *found.extras)
            ],
        ),
        "assumptions",
    )

    def sentence(self) -> str:
        """Say what is left with the key alone."""
        return (
            f"key {', '.join(self.key)}: smallest class {self.base.smallest:,}, "
            f"{self.base.below_k:,} of {self.records:,} records below k = {self.k}"
        )

    def to_frame(self) -> Any:
        """Return one row for the key and one for each attribute more (pandas must be installed)."""
        return pa.Table.from_pylist(self.to_dict()["rows"]).to_pandas()

    def plot(self) -> str:
        """Draw the records below k if each attribute is known too, as SVG."""
        rows = (self.base, *self.extras)
        return bars(
            f"Records in classes smaller than {self.k}, one attribute more known",
            [row.extra or "the key alone" for row in rows],
            [row.below_k for row in rows],
        )

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                f"What is left of k = {self.k} if an attribute more is known",
                ("also known", "smallest class", "below k", "alone"),
                [
                    (row.extra or "the key alone", row.smallest, row.below_k, row.unique)
                    for row in (self.base, *self.extras)
                ],
            )
        ]


def key_sensitivity(
    table: KeyTable,
    key: Sequence[str],
    *,
    k: ClassSize | None = None,
    at_most: AtMost | None = None,
) -> KeySensitivity:
    """Add every other variable of the table to the key in turn, and see what is left of k.

    Parameters
    ----------
    table
        The key table of the key *and* of all attributes that might be known as well.
    key
        The key that was chosen.
    k, at_most
        A class is safe with at least k records, by default 3.

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"age": [30, 30, 41, 41], "sex": [1, 2, 1, 1], "town": [1, 1, 1, 1]})
    >>> with indistinct.open_data(people) as data:
    ...     found = key_sensitivity(data.key_table(["age", "sex", "town"]), ["age"], k=2)
    >>> [(row.extra, row.smallest, row.below_k) for row in found.extras]
    [('sex', 1, 2), ('town', 2, 0)]
    """
    k = threshold(k, at_most)
    chosen = tuple(dict.fromkeys(key))
    if not chosen:
        raise InputError("The key is empty. Name at least one variable with --key.")
    for name in chosen:
        table.position(name)
    others = [name for name in table.names if name not in chosen]
    if not others:
        raise InputError(
            "The key table holds nothing beyond the key. Count by the key and the attributes that "
            "might be known as well."
        )
    extras = [_known(table, chosen, extra, k) for extra in others]
    extras.sort(key=lambda row: (-row.below_k, -row.unique, row.smallest))
    base = _known(table, chosen, None, k)
    return KeySensitivity(chosen, k, table.records, base, tuple(extras))


def _known(table: KeyTable, key: tuple[str, ...], extra: str | None, k: int) -> Knowledge:
    margin, _ = table.rollup([*key, extra] if extra is not None else key)
    below, unique = small_classes(margin.counts, k)
    smallest = int(margin.counts.min()) if margin.classes else 0
    return Knowledge(extra, smallest, int(below), int(unique), margin.classes)
