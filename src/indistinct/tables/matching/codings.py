"""How a table codes a variable, and how two codings of one compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from indistinct.core import Ints
from indistinct.tables.counting import Counted
from indistinct.tables.grouping import Grouping, belongs
from indistinct.tables.specification import TableSpec

__all__ = ["Coding", "Relation", "coded", "declared", "relation"]

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
