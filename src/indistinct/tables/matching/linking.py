"""How tables are linked: which variables they share, and in which coding.

Openshaw, Duke-Williams and Rees (1997), section 5.3: at one end of a spectrum all tables share a
variable in one coding, and whoever has a unique value of it can be tracked across all of them; at
the other no variable is used twice, and nothing that one table tells can be tied to what another
does, so that only partial disclosure can occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np

from indistinct.core import Ints
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables.counting import Counted
from indistinct.tables.grouping import Grouping, belongs
from indistinct.tables.specification import TableSet, TableSpec

__all__ = ["Link", "TableLinks", "TablePair", "table_links"]


# How a table codes a variable, and how two codings of one compare.

Relation = Literal["same", "finer", "coarser", "overlapping", "unknown"]
"""Of a first coding to a second: finer when each of its categories lies in one of the second's."""


@dataclass(frozen=True)
class Coding:
    """How a table uses a variable; the category of every value where they are known."""

    variable: str
    name: str
    grouping: Grouping | None
    codes: bytes | None

    @property
    def identity(self) -> object:
        """What equal codings have in common."""
        g = self.grouping
        if self.codes is not None or g is None:
            return self.codes
        return g.bands, g.width, repr(g.groups), g.level


def _universe_name(name: str) -> str:
    return f"universe by {name}"


def declared(table: TableSpec) -> list[Coding]:
    """Return the codings of a table as they are declared, its universe's among them."""
    found = [Coding(d.variable, d.name, d, None) for d in table.dimensions if d.variable]
    seen = {one.variable for one in found}
    for name, items in table.universe:
        if name not in seen:
            sides = Grouping(_universe_name(name), name, groups=(("inside", items),))
            found.append(Coding(name, sides.name, sides, None))
    return found


def coded(counted: Counted, position: int) -> list[Coding]:
    """Return the codings of a table as they fall on the values of a file."""
    layout = counted.layouts[position]
    found = [
        Coding(d.variable, d.name, d, _numbered(c.codes))
        for d, c in zip(layout.table.dimensions, layout.categories, strict=True)
        if d.variable
    ]
    seen = {one.variable for one in found}
    for name, items in layout.table.universe:
        if name not in seen:
            inside = belongs(counted.values[name], items).astype(np.int64)
            found.append(Coding(name, _universe_name(name), None, _numbered(inside)))
    return found


def _numbered(codes: Ints) -> bytes:
    """Number categories in the order in which values meet them, so that equal codings are equal."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return rank[inverse.reshape(-1)].astype(np.int64).tobytes()


def relation(a: Coding, b: Coding) -> Relation:
    """Compare two codings of a variable."""
    if a.codes is not None and b.codes is not None:
        if a.codes == b.codes:
            return "same"
        one, other = np.frombuffer(a.codes, np.int64), np.frombuffer(b.codes, np.int64)
        both = len(np.unique(np.stack([one, other]), axis=1).T)
        if both == len(np.unique(one)):
            return "finer"
        return "coarser" if both == len(np.unique(other)) else "overlapping"
    assert a.grouping is not None
    assert b.grouping is not None
    if a.identity == b.identity:
        return "same"
    if _declares_finer(a.grouping, b.grouping):
        return "finer"
    return "coarser" if _declares_finer(b.grouping, a.grouping) else "unknown"


def _declares_finer(a: Grouping, b: Grouping) -> bool:
    """Whether what is declared makes sure that every category of the first lies in the second's."""
    if a.bands is None and a.width is None and a.groups is None and not a.level:
        return True
    if a.level is not None and b.level is not None:
        return a.level < b.level
    if b.bands is not None:
        if a.bands is not None:
            return set(b.bands) <= set(a.bands)
        return a.width is not None and all(bound % a.width == 0 for bound in b.bands)
    return a.width is not None and b.width is not None and b.width % a.width == 0


@dataclass(frozen=True)
class Link:
    """A variable that two tables share, how each codes it, and how the codings compare."""

    variable: str
    first: str
    second: str
    relation: Relation


@dataclass(frozen=True)
class TablePair:
    """Two tables and what they share."""

    first: str
    second: str
    links: tuple[Link, ...]


@result(eq=True)
class TableLinks(Result):
    """Which tables of a set share which variables, in which coding.

    Parameters
    ----------
    tables
        The names of the tables.
    codings
        For every variable the tables that use it, by coding.
    pairs
        The pairs of tables that share a variable.
    groups
        The tables that are linked with each other, directly or by way of others; largest first.
    """

    tables: tuple[str, ...]
    codings: tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...]
    pairs: tuple[TablePair, ...]
    groups: tuple[tuple[str, ...], ...]

    FACTS = facts(
        Fact("tables", lambda found: len(found.tables)),
        Fact("pairs_linked", lambda found: len(found.pairs)),
        "linked_share",
        "spectrum",
        "groups",
        "common",
        "common_coding",
        Fact(
            "codings",
            lambda found: {
                name: {coding: list(own) for coding, own in codings}
                for name, codings in found.codings
            },
        ),
        Fact(
            "pairs",
            lambda found: [
                {
                    "first": pair.first,
                    "second": pair.second,
                    "links": [vars(link) for link in pair.links],
                }
                for pair in found.pairs
            ],
        ),
    )

    def sentence(self) -> str:
        """Say how many pairs of tables are linked."""
        return (
            f"TableLinks({len(self.tables)} tables, {len(self.pairs):,} of their pairs linked; "
            f"{self.verdict}; {self.spectrum:.2f} from 0, nothing shared, to 1, one coding in all)"
        )

    @cached_property
    def common(self) -> tuple[str, ...]:
        """The variables that are in every table: a person with a unique value can be tracked."""
        return tuple(
            name
            for name, codings in self.codings
            if len({table for _, own in codings for table in own}) == len(self.tables)
        )

    @cached_property
    def common_coding(self) -> tuple[str, ...]:
        """Those of them that every table codes alike."""
        return tuple(
            name
            for name, codings in self.codings
            if any(len(own) == len(self.tables) for _, own in codings)
        )

    @property
    def linked_share(self) -> float:
        """The share of all pairs of tables that share a variable."""
        every = len(self.tables) * (len(self.tables) - 1) // 2
        return len(self.pairs) / every if every else 1.0

    @cached_property
    def spectrum(self) -> float:
        """Where the set lies between none (0) and all tables sharing a variable in one coding (1).

        (n − 1)/(T − 1), n of T tables having the variable and coding that most of them have.
        """
        if len(self.tables) == 1:
            return 1.0
        most = max((len(own) for _, codings in self.codings for _, own in codings), default=1)
        return (most - 1) / (len(self.tables) - 1)

    @property
    def verdict(self) -> str:
        """What the links let an intruder do."""
        if not self.pairs and len(self.tables) > 1:
            return "no variable is in two tables: only partial disclosure can occur"
        if self.common_coding:
            names = ", ".join(self.common_coding)
            return f"every table has {names} in one coding: a unique value is tracked across all"
        if self.common:
            names = ", ".join(self.common)
            return f"every table has {names}, coded in several ways"
        if len(self.groups) == 1:
            return "all tables are linked, by way of others where not directly"
        return f"the tables fall into {len(self.groups)} groups that share nothing"

    def _row_tables(self) -> list[Table]:
        variables = [
            (name, len({t for _, own in codings for t in own}), [coding for coding, _ in codings])
            for name, codings in self.codings
        ]
        pairs = [
            (pair.first, pair.second, link.variable, link.first, link.second, link.relation)
            for pair in self.pairs
            for link in pair.links
        ]
        shared = ("first table", "second table", "variable", "first", "second", "first is")
        return [
            Table("Variables", ("variable", "tables", "codings"), variables),
            Table("Pairs of tables", shared, pairs),
        ]

    def plot(self) -> str:
        """Return a figure: in how many tables every variable is."""
        names = [name for name, _ in self.codings]
        every = [len({t for _, own in codings for t in own}) for _, codings in self.codings]
        most = [max(len(own) for _, own in codings) for _, codings in self.codings]
        return bars(
            "Tables that use each variable",
            names,
            every,
            beside=most,
            names=("in any coding", "in the most used coding"),
        )


def table_links(tables: Counted | TableSet) -> TableLinks:
    """Say which tables share which variables, and how their codings compare.

    Of counted tables the codings are compared on the values of the file; of a mere set by what they
    are declared to be, and where that does not decide it the relation is ``unknown``. A universe is
    a coding of its variables into inside and outside.

    >>> from indistinct.tables import TableSpec, grouping_from_text, persons
    >>> def table(name, *dimensions):
    ...     return TableSpec(name, tuple(grouping_from_text(d) for d in dimensions))
    >>> three = (table("1", "age:5", "sex"), table("2", "age:15", "ethnic"), table("3", "tenure"))
    >>> table_links(TableSet(three, persons()))
    TableLinks(3 tables, 1 of their pairs linked; the tables fall into 2 groups that share
      nothing; 0.00 from 0,
      nothing shared, to 1, one coding in all)
      Variables
        variable  tables        codings
        age            2  age:5, age:15
        sex            1            sex
        ethnic         1         ethnic
        tenure         1         tenure
      Pairs of tables
        first table  second table  variable  first  second  first is
        1                       2       age  age:5  age:15     finer
    """
    if isinstance(tables, Counted):
        specs = [layout.table for layout in tables.layouts]
        used = [coded(tables, position) for position in range(len(specs))]
    else:
        specs = list(tables)
        used = [declared(table) for table in specs]
    pairs = []
    for one, other in combinations(range(len(specs)), 2):
        links = tuple(
            Link(a.variable, a.name, b.name, relation(a, b))
            for a in used[one]
            for b in used[other]
            if a.variable == b.variable
        )
        if links:
            pairs.append(TablePair(specs[one].name, specs[other].name, links))
    names = tuple(table.name for table in specs)
    return TableLinks(names, _codings(names, used), tuple(pairs), _groups(names, pairs))


def _codings(
    names: Sequence[str], used: Sequence[Sequence[Coding]]
) -> tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...]:
    found: dict[str, dict[object, tuple[str, list[str]]]] = {}
    for table, own in zip(names, used, strict=True):
        for one in own:
            of_variable = found.setdefault(one.variable, {})
            of_variable.setdefault(one.identity, (one.name, []))[1].append(table)
    return tuple(
        (name, tuple((coding, tuple(tables)) for coding, tables in codings.values()))
        for name, codings in found.items()
    )


def _groups(names: Sequence[str], pairs: Sequence[TablePair]) -> tuple[tuple[str, ...], ...]:
    group = {name: [name] for name in names}
    for pair in pairs:
        one, other = group[pair.first], group[pair.second]
        if one is not other:
            one += other
            for name in other:
                group[name] = one
    position = {name: n for n, name in enumerate(names)}
    unique = {id(members): sorted(members, key=position.__getitem__) for members in group.values()}
    return tuple(tuple(m) for m in sorted(unique.values(), key=lambda m: (-len(m), position[m[0]])))
