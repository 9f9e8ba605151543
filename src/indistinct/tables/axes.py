"""Ways of dividing a variable, and the sums that hold between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

__all__ = ["Axis", "Division"]


@dataclass
class Division:
    """One way of dividing a variable: for every value its part, and the parts' names."""

    name: str
    part_of: NDArray[np.int64]
    labels: tuple[str, ...]
    nodes: list[int] = field(default_factory=list)
    members: list[NDArray[np.int64]] = field(default_factory=list)
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

    def add(self, name: str, part_of: NDArray[np.int64], labels: Sequence[str]) -> Division:
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
