"""Atoms: what the tables of a set can tell apart about a variable, however each of them codes it.

Tables code the same variable differently. Two values are in the same *atom* when every table treats
them alike: the same category wherever the variable is a dimension, the same side of every universe.
A category of any table is a set of atoms, so codings are compared and combined as sets of atoms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indistinct.core import Bools, InputError, Ints, SmallInts
from indistinct.tables.counting import Counted
from indistinct.tables.grouping import belongs

__all__ = ["MOST_ATOMS", "AtomSets", "Axes", "Axis", "TooManyAtoms", "Use", "axes_of"]

MOST_ATOMS = 1_000_000
"""Atoms of one axis: variables that universes join have as many as their product."""


class TooManyAtoms(InputError):
    """The universes join variables into more combinations than can be looked at."""


@dataclass(frozen=True, eq=False)
class Axis:
    """One variable, or several that a universe joins, split into atoms.

    Parameters
    ----------
    variables
        The variables.
    sizes
        The number of atoms of each; an atom of the axis is one of each, the last running fastest.
    of_value
        For each variable the atom of every value.
    """

    variables: tuple[str, ...]
    sizes: tuple[int, ...]
    of_value: tuple[Ints, ...]

    @property
    def atoms(self) -> int:
        """The number of atoms."""
        return math.prod(self.sizes)

    def spread(self, of_value: NDArray[np.generic], position: int) -> NDArray[np.generic]:
        """Turn what is known of every value of one variable into what is known of every atom."""
        per_atom = np.empty(self.sizes[position], dtype=of_value.dtype)
        per_atom[self.of_value[position]] = of_value
        shape = [1] * len(self.sizes)
        shape[position] = -1
        return np.broadcast_to(per_atom.reshape(shape), self.sizes).reshape(-1)


@dataclass(frozen=True, eq=False)
class Use:
    """What one table says about one axis.

    Parameters
    ----------
    axis
        The position of the axis.
    dimensions
        The positions of the table's dimensions that belong to it; none where the axis is in the
        universe only.
    shape
        Their numbers of categories.
    code
        For every atom the combination of their categories, from 0; -1 outside the universe.
    """

    axis: int
    dimensions: tuple[int, ...]
    shape: tuple[int, ...]
    code: Ints

    @property
    def pieces(self) -> int:
        """The number of combinations of categories."""
        return math.prod(self.shape)

    @cached_property
    def inside(self) -> Bools:
        """Of every atom, whether the universe holds it, as far as this axis goes."""
        inside: Bools = self.code >= 0
        return inside

    @property
    def limits(self) -> bool:
        """Whether somebody is outside the universe because of this axis."""
        return not self.inside.all()

    def piece_of(self, cell: Ints, shape: tuple[int, ...]) -> Ints:
        """Return the combination in which every cell of the table is."""
        if not self.dimensions:
            return np.zeros(len(cell), dtype=np.int64)
        at = np.unravel_index(cell, shape)
        found: Ints = np.ravel_multi_index(
            [at[d] for d in self.dimensions], self.shape, mode="raise"
        ).astype(np.int64)
        return found


@dataclass(frozen=True, eq=False)
class Axes:
    """The axes of a set of tables, and for every table what it says about which of them."""

    axes: tuple[Axis, ...]
    uses: tuple[tuple[Use, ...], ...]


class AtomSets:
    """The sets of atoms of one axis that come up when categories are learned one after another.

    Sets have numbers; 0 is the set of all atoms.

    >>> sets = AtomSets(4)
    >>> halves = np.array([0, 0, 1, 1])
    >>> sets.narrowed(halves, 2)
    array([[1, 2]], dtype=int32)
    >>> sets.narrowed(np.array([0, 1, 1, -1]), 2).tolist()  # of all, of 0 and 1, of 2 and 3
    [[3, 4], [3, 5], [-1, 6]]
    """

    def __init__(self, atoms: int) -> None:
        everything = np.arange(atoms, dtype=np.int64)
        self.members: list[Ints] = [everything]
        self._numbers: dict[bytes, int] = {everything.tobytes(): 0}
        self._narrowed: dict[tuple[bytes, int], SmallInts] = {}

    def number(self, members: Ints) -> int:
        """Return the number of a set, given by its atoms in rising order."""
        found = self._numbers.setdefault(members.tobytes(), len(self.members))
        if found == len(self.members):
            self.members.append(members)
        return found

    def narrowed(self, code: Ints, pieces: int) -> SmallInts:
        """Return what is left of every set (rows) in every piece of a coding; -1 for nothing."""
        identity = (code.tobytes(), pieces)
        done = self._narrowed.get(identity)
        begin, end = 0 if done is None else len(done), len(self.members)
        if done is not None and begin == end:
            return done
        fresh = np.full((end - begin, pieces), -1, dtype=np.int32)
        for row in range(begin, end):
            atoms = self.members[row]
            piece = code[atoms]
            order = np.argsort(piece, kind="stable")
            bounds = np.flatnonzero(np.diff(piece[order])) + 1
            for part in np.split(atoms[order], bounds):
                if len(part) and code[part[0]] >= 0:
                    fresh[row - begin, code[part[0]]] = self.number(part)
        whole = fresh if done is None else np.concatenate([done, fresh])
        self._narrowed[identity] = whole
        return whole


def axes_of(counted: Counted, *, joined: bool = False) -> Axes:
    """Split the variables of a set of tables into atoms.

    Parameters
    ----------
    joined
        Whether variables that stand together in a universe become one axis. Who is outside such a
        universe is no combination of a set of values of each variable; of joined values it is.
    """
    groups = _joined(counted) if joined else [(name,) for name in _variables(counted)]
    atoms = {name: _atoms(counted, name) for group in groups for name in group}
    axes = tuple(
        Axis(
            group,
            tuple(int(atoms[name].max(initial=-1)) + 1 for name in group),
            tuple(atoms[name] for name in group),
        )
        for group in groups
    )
    large = next((axis for axis in axes if axis.atoms > MOST_ATOMS), None)
    if large is not None:
        raise TooManyAtoms(
            f"The universes join {', '.join(large.variables)}, which have {large.atoms:,} "
            f"combinations of values; {MOST_ATOMS:,} can be looked at. Name fewer variables there."
        )
    place = {name: (n, at) for n, group in enumerate(groups) for at, name in enumerate(group)}
    uses = tuple(_uses(counted, position, axes, place) for position in range(len(counted.layouts)))
    return Axes(axes, uses)


def _variables(counted: Counted) -> list[str]:
    found: list[str] = []
    for layout in counted.layouts:
        found += [*layout.table.variables, *(name for name, _ in layout.table.universe)]
    return list(dict.fromkeys(found))


def _joined(counted: Counted) -> list[tuple[str, ...]]:
    group = {name: [name] for name in _variables(counted)}
    for layout in counted.layouts:
        names = [name for name, _ in layout.table.universe]
        for other in names[1:]:
            if group[other] is not group[names[0]]:
                group[names[0]].extend(group[other])
                for name in group[other]:
                    group[name] = group[names[0]]
    return list(dict.fromkeys(tuple(members) for members in group.values()))


def _atoms(counted: Counted, name: str) -> Ints:
    values = counted.values[name]
    columns: dict[bytes, NDArray[np.generic]] = {}
    for layout in counted.layouts:
        for grouping, categories in zip(layout.table.dimensions, layout.categories, strict=True):
            if grouping.variable == name:
                columns.setdefault(categories.codes.tobytes(), categories.codes)
        for other, items in layout.table.universe:
            if other == name:
                inside = belongs(values, items).astype(np.int64)
                columns.setdefault(inside.tobytes(), inside)
    stacked = np.stack(list(columns.values()), axis=1)
    return np.unique(stacked, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _uses(
    counted: Counted,
    position: int,
    axes: Sequence[Axis],
    place: Mapping[str, tuple[int, int]],
) -> tuple[Use, ...]:
    layout = counted.layouts[position]
    dimensions: dict[int, list[int]] = {}
    for d, grouping in enumerate(layout.table.dimensions):
        if grouping.variable is not None:
            dimensions.setdefault(place[grouping.variable][0], []).append(d)
    outside: dict[int, Bools] = {}
    for name, items in layout.table.universe:
        axis, at = place[name]
        dimensions.setdefault(axis, [])
        out = ~axes[axis].spread(belongs(counted.values[name], items), at).astype(bool)
        outside[axis] = outside.get(axis, np.zeros(len(out), dtype=bool)) | out
    uses = []
    for axis, own in dimensions.items():
        code = np.zeros(axes[axis].atoms, dtype=np.int64)
        for d in own:
            at = place[str(layout.table.dimensions[d].variable)][1]
            codes = layout.categories[d].codes
            code = code * layout.shape[d] + axes[axis].spread(codes, at).astype(np.int64)
        if axis in outside:
            code[outside[axis]] = -1
        uses.append(Use(axis, tuple(own), tuple(layout.shape[d] for d in own), code))
    return tuple(uses)
