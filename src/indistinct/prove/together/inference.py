"""What two answers tell about a pair of attributes that neither shows.

Sweeney (2001, section 3.3): a list of the patients of each physician may not be sensitive, nor a
list of the medications that each physician prescribes; but joined on the physician they associate
patients with medications.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from indistinct.core import ClassSize, InputError, Ints, check_whole, did_you_mean
from indistinct.engine import Engine
from indistinct.hierarchy import Hierarchy
from indistinct.prove.together.build import Edition, Table, table_of
from indistinct.prove.together.join import (
    AT_MOST_PAIRS,
    Sets,
    distinct_rows,
    layers_of,
    listed_pairs,
)
from indistinct.results import Fact, Result, facts, result, showing

__all__ = ["Associations", "Inferred", "inferred_associations"]


@dataclass(frozen=True)
class Inferred:
    """What one release learns from the other: rows, and how many values are left for each.

    Parameters
    ----------
    release, attribute
        The release, and the attribute of the other one that is inferred for its rows.
    rows
        Records of the release.
    determined
        Records for which one value is possible.
    narrowed
        Records for which more than one but fewer than k values are possible.
    unmet
        Records that meet none of the other release.
    first
        The number of the first record that is determined, from 1; 0 where there is none.
    """

    release: str
    attribute: str
    rows: int
    determined: int
    narrowed: int
    unmet: int
    first: int = 0

    def __repr__(self) -> str:
        first = f" (the first is record {self.first:,})" if self.first else ""
        return (
            f"{self.attribute} for the records of {self.release}: known for {self.determined:,} of "
            f"{self.rows:,}{first}, narrowed for {self.narrowed:,}"
        )


@result(eq=True)
class Associations(Result):
    """Pairs of values that two releases associate though neither shows them together.

    Parameters
    ----------
    shared
        What was joined on.
    sides
        What each release learns.
    joined, certain
        Pairs that the join makes, and how many of these are true at least: under a value of the
        shared attributes with a values on one side and b on the other, a·b pairs appear, of which
        no fewer than max(a, b) are true.
    """

    shared: tuple[str, ...]
    sides: tuple[Inferred, Inferred]
    k: int
    joined: int
    certain: int

    FACTS = facts(
        "shared",
        Fact("sides", lambda found: [dict(side.__dict__) for side in found.sides]),
        "k joined certain lossless warning",
    )

    @property
    def lossless(self) -> float:
        """The share of joined pairs that is true at least; 1 when the join loses nothing."""
        return self.certain / self.joined if self.joined else 0.0

    @property
    def warning(self) -> str:
        """What is inferred, in one line; empty when nothing is."""
        known = sum(side.determined for side in self.sides)
        narrowed = sum(side.narrowed for side in self.sides)
        if not known and not narrowed:
            return ""
        first, second = (side.attribute for side in self.sides)
        return (
            f"joined on {', '.join(self.shared)}, {second} and {first} are associated: "
            f"{known:,} records are determined, {narrowed:,} are left with fewer than {self.k:,} "
            f"values, and at least {self.lossless:.1%} of the joined pairs are true"
        )

    def _lines(self) -> list[str]:
        head = self.warning or f"joined on {', '.join(self.shared)}, nothing is inferred"
        return [head, *(f"  {side!r}" for side in self.sides)]

    def _tables(self) -> list[showing.Table]:
        return [
            showing.Table(
                f"What is inferred by joining on {', '.join(self.shared)}",
                ("release", "learns", "records", "determined", "narrowed"),
                [(s.release, s.attribute, s.rows, s.determined, s.narrowed) for s in self.sides],
            )
        ]


def inferred_associations(
    engine: Engine,
    first: Edition,
    second: Edition,
    *,
    associate: tuple[str, str],
    shared: Sequence[str] | None = None,
    k: ClassSize = 2,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    limit: int = AT_MOST_PAIRS,
) -> Associations:
    """Say for how many records the join of two releases tells an attribute of the other.

    For a record of the first release, the values of the second release's attribute among the
    records that meet it are all that is possible; one value is an inference.

    Parameters
    ----------
    associate
        The attribute of the first release and that of the second whose association is not meant
        to be released.
    shared
        What to join on; by default all that both have, other than these two.
    k
        Fewer possible values than this are reported as narrowed.

    >>> import indistinct
    >>> from indistinct.files import open_table
    >>> seen = {"physician": ["Poe", "Poe", "Ray"], "patient": ["Ann", "Abe", "Al"]}
    >>> given = {"physician": ["Poe", "Ray", "Ray"], "drug": ["AZT", "iron", "zinc"]}
    >>> with indistinct.open_data(seen) as data:
    ...     other = open_table(given, workspace=data.engine.workspace, origin="drugs")
    ...     pair = Edition(data.source, "visits"), Edition(other, "drugs")
    ...     found = inferred_associations(data.engine, *pair, associate=("patient", "drug"))
    >>> found.sides
    (drug for the records of visits: known for 2 of 3 (the first is record 1), narrowed for 0,
     patient for the records of drugs: known for 2 of 3 (the first is record 2), narrowed for 0)
    >>> found.lossless
    1.0
    """
    check_whole("k", k, 2)
    editions = (first, second)
    for edition, name in zip(editions, associate, strict=True):
        if name not in edition.columns:
            raise InputError(
                f"{edition.name}: there is no variable '{name}'. "
                f"{did_you_mean(name, edition.columns)}"
            )
    both = [n for n in first.columns if n in second.columns and n not in associate]
    names = tuple(both if shared is None else shared)
    for name in names:
        if name not in both:
            raise InputError(f"'{name}' is not in both releases. {did_you_mean(name, both)}")
    if not names:
        raise InputError(
            f"{first.name} and {second.name} share no attribute: there is nothing to join on."
        )
    tables = [
        table_of(engine, edition.source, edition.columns, [*names, name])
        for edition, name in zip(editions, associate, strict=True)
    ]
    rows, row_of = zip(*(distinct_rows(table.codes(names)) for table in tables), strict=True)
    values = [
        Sets.of_pairs(number, table.codes([name])[:, 0], size=len(distinct))
        for distinct, number, table, name in zip(rows, row_of, tables, associate, strict=True)
    ]
    layers = [
        layers_of(
            tables[0].labels(name),
            tables[1].labels(name),
            name=name,
            hierarchy=(hierarchies or {}).get(name),
        )[0]
        for name in names
    ]
    left, right, whole = listed_pairs(rows[0], rows[1], layers, weight=values[1].sizes, limit=limit)
    if not whole.all():
        raise InputError(
            f"{first.name} and {second.name} have more than {limit:,} pairs that meet. Name more "
            "attributes to join on."
        )
    sides = []
    for own, other, one, many in ((0, 1, left, right), (1, 0, right, left)):
        met = Sets.of_pairs(one, many, size=len(rows[own]))
        possible = Sets.of_pairs(*met.through(values[other]), size=len(rows[own])).sizes
        sides.append(
            _side(editions[own].name, associate[other], tables[own], possible[row_of[own]], k)
        )
    joined = int((values[0].sizes[left] * values[1].sizes[right]).sum())
    certain = _certain(left, right, values[0].sizes, values[1].sizes)
    return Associations(names, (sides[0], sides[1]), k, joined, certain)


def _certain(left: Ints, right: Ints, mine: Ints, theirs: Ints) -> int:
    """Count pairs that must be true: whatever has partners has one true pair at the least."""
    size = len(mine) + len(theirs)
    edges = (np.ones(len(left), dtype=np.int8), (left, len(mine) + right))
    number, component = connected_components(coo_matrix(edges, (size, size)), directed=False)
    sums = []
    for places, amounts, start in ((left, mine, 0), (right, theirs, len(mine))):
        met = np.unique(places)
        sums.append(np.bincount(component[met + start], weights=amounts[met], minlength=number))
    return int(np.maximum(*sums).sum())


def _side(name: str, attribute: str, table: Table, possible: Ints, k: int) -> Inferred:
    records = table.records
    known = np.flatnonzero(possible == 1)
    first = min(table.first_records(known).values()) + 1 if len(known) else 0
    return Inferred(
        name,
        attribute,
        int(records.sum()),
        int(records[known].sum()),
        int(records[(possible > 1) & (possible < k)].sum()),
        int(records[possible == 0].sum()),
        first,
    )
