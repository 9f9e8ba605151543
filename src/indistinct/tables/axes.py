"""Ways of dividing a variable, and the sums that hold between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from indistinct.core import InputError, Ints

__all__ = ["Axis", "Division"]

MOST_JOINT = 300
"""Parts of overlapping divisions whose sums are found together, in exact arithmetic."""


@dataclass
class Division:
    """One way of dividing a variable: for every value its part, and the parts' names."""

    name: str
    part_of: Ints
    labels: tuple[str, ...]
    nodes: list[int] = field(default_factory=list)
    members: list[Ints] = field(default_factory=list)
    """The values of each part, rising."""


@dataclass
class Axis:
    """A variable and all ways in which the tables divide it.

    A node is a set of values; divisions that have a part in common share its node. Node 0 is the
    whole.
    """

    size: int
    divisions: dict[str, Division] = field(default_factory=dict)
    node_of: dict[bytes, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.node_of[np.arange(self.size, dtype=np.int64).tobytes()] = 0

    def add(self, name: str, part_of: Ints, labels: Sequence[str]) -> Division:
        """Note a division; one that is known under this name is returned as it is."""
        if name not in self.divisions:
            division = Division(name, part_of, tuple(labels))
            order = np.argsort(part_of, kind="stable").astype(np.int64)
            bounds = np.searchsorted(part_of[order], np.arange(1, len(labels)))
            for part, members in enumerate(np.split(order, bounds)):
                # an empty part is a node of its own, so that its cells exist and are zero
                key = members.tobytes() if len(members) else f"{name}:{part}".encode()
                division.nodes.append(self.node_of.setdefault(key, len(self.node_of)))
                division.members.append(members)
            self.divisions[name] = division
        return self.divisions[name]

    def sums(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Return the pairs of lists of nodes that hold the same values."""
        divisions = list(self.divisions.values())
        found: dict[tuple[tuple[int, ...], tuple[int, ...]], None] = {}
        for n, one in enumerate(divisions):
            if one.nodes != [0]:
                # parts without values are in this sum alone: nothing says where else they belong
                found[tuple(one.nodes), (0,)] = None
            for other in divisions[n + 1 :]:
                found |= dict.fromkeys(_common_sums(one, other))
        return list(found)

    def joint_sums(self, names: Sequence[str]) -> list[dict[int, int]]:
        """Return sums that hold among the parts of three or more divisions, beside pairs of them.

        Parts of several divisions may add up in ways that no two show: of four groups, A and
        not-A, B and not-B, C and not-C together tell D. Every vector of whole numbers by which the
        parts' indicators add up to nothing is such a sum; a basis of them is returned, a
        coefficient for every node. Divisions that another one refines add nothing to it, and of
        two divisions the sums are those of `sums`.

        >>> axis = Axis(4)
        >>> for one in range(3):
        ...     _ = axis.add(f"{one}", np.where(np.arange(4) == one, 0, 1), ("it", "rest"))
        >>> len(axis.joint_sums(["0", "1", "2"]))
        2
        """
        kept: list[Division] = []
        for name in names:
            division = self.divisions[name]
            if any(_refines(other, division) for other in kept):
                continue
            kept = [other for other in kept if not _refines(division, other)] + [division]
        if len(kept) < 3:
            return []
        nodes = list(
            dict.fromkeys(
                n for d in kept for n, m in zip(d.nodes, d.members, strict=True) if len(m)
            )
        )
        if len(nodes) > MOST_JOINT:
            raise InputError(
                f"{len(kept)} codings or geographies overlap without one being finer than the "
                f"others, with {len(nodes):,} parts together; up to {MOST_JOINT:,} can be "
                "protected as one system. Publish fewer of them, or make one finer than the others."
            )
        rows: dict[tuple[int, ...], None] = {}
        column = {node: n for n, node in enumerate(nodes)}
        for value in range(self.size):
            rows[tuple(sorted({column[d.nodes[int(d.part_of[value])]] for d in kept}))] = None
        return [
            {nodes[n]: c for n, c in vector.items()}
            for vector in _null_space(list(rows), len(nodes))
        ]


def _refines(fine: Division, coarse: Division) -> bool:
    """Say whether every part of one division lies in a part of the other."""
    pairs = np.unique(np.stack([fine.part_of, coarse.part_of]), axis=1)
    return int(pairs.shape[1]) == sum(len(members) > 0 for members in fine.members)


def _null_space(rows: list[tuple[int, ...]], columns: int) -> list[dict[int, int]]:
    """Return a basis of what the rows (the places of their ones) map to zero, in whole numbers."""
    solved: dict[int, dict[int, Fraction]] = {}
    for ones in rows:
        row = dict.fromkeys(ones, Fraction(1))
        for pivot in [n for n in row if n in solved]:
            _subtract(row, solved[pivot], row[pivot])
        if not row:
            continue
        pivot = min(row)
        scale = row[pivot]
        row = {n: value / scale for n, value in row.items()}
        for other in solved.values():
            if pivot in other:
                _subtract(other, row, other[pivot])
        solved[pivot] = row
    basis = []
    for free in range(columns):
        if free in solved:
            continue
        vector = {free: Fraction(1)}
        vector |= {pivot: -row[free] for pivot, row in solved.items() if free in row}
        common = math.lcm(*(value.denominator for value in vector.values()))
        basis.append({n: int(value * common) for n, value in sorted(vector.items())})
    return basis


def _subtract(row: dict[int, Fraction], other: dict[int, Fraction], times: Fraction) -> None:
    for n, value in other.items():
        left = row.get(n, Fraction(0)) - times * value
        if left:
            row[n] = left
        else:
            row.pop(n, None)


def _common_sums(one: Division, other: Division) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the smallest unions of parts that two divisions have in common, as nodes of each."""
    shift = len(one.nodes)
    size = shift + len(other.nodes)
    links = sparse.coo_matrix(
        (np.ones(len(one.part_of)), (one.part_of, shift + other.part_of)), shape=(size, size)
    )
    number, component = connected_components(links, directed=False)
    left: list[list[int]] = [[] for _ in range(number)]
    right: list[list[int]] = [[] for _ in range(number)]
    for position, place in enumerate(component.tolist()):
        if position < shift:
            left[place].append(one.nodes[position])
        else:
            right[place].append(other.nodes[position - shift])
    sides = zip(map(tuple, left), map(tuple, right), strict=True)
    return [(a, b) for a, b in sides if a and b and a != b]
