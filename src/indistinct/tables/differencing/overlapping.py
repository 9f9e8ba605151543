"""Two zonings of the same people laid over each other: atoms, and the graph they make.

An *atom* is what a zone of the first and a zone of the second have in common, where anybody lives
there. In the *overlap graph* the zones are vertices and the atoms are edges between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from indistinct.core import Array, InputError, Ints
from indistinct.tables.counting import Counted
from indistinct.tables.grouping import MISSING, Grouping

__all__ = ["Overlap", "overlap", "overlap_of", "zone_of"]


@dataclass(frozen=True, eq=False)
class Overlap:
    """The atoms of two zonings.

    Parameters
    ----------
    first, second
        For every atom its zone in each of the two; -1 for people whom that zoning does not cover.
    people
        For every atom the people in it, at least one.
    first_labels, second_labels
        What the zones are called.
    names
        What the two zonings are called.
    atom_of
        For every row that was given (a class of people, a basic spatial unit) its atom; -1 where
        neither zoning covers it, or nobody is in it.
    """

    first: Ints = field(repr=False)
    second: Ints = field(repr=False)
    people: Ints = field(repr=False)
    first_labels: Sequence[str] = field(repr=False)
    second_labels: Sequence[str] = field(repr=False)
    names: tuple[str, str] = ("first", "second")
    atom_of: Ints = field(repr=False, default_factory=lambda: np.empty(0, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.people)

    @property
    def covers_all(self) -> bool:
        """Whether both zonings cover everybody whom either covers."""
        return bool((self.first >= 0).all() and (self.second >= 0).all())

    @property
    def vertices(self) -> int:
        """Vertices of the graph: the zones, and one for what is not published."""
        return len(self.first_labels) + len(self.second_labels) + 1

    @property
    def outside(self) -> int:
        """The vertex that stands for not being covered, in either zoning."""
        return self.vertices - 1

    @cached_property
    def ends(self) -> tuple[Ints, Ints]:
        """The two vertices of every atom: zones of the first from 0, then those of the second."""
        offset = len(self.first_labels)
        first = np.where(self.first >= 0, self.first, self.outside)
        second = np.where(self.second >= 0, self.second + offset, self.outside)
        return first.astype(np.int64), second.astype(np.int64)

    @cached_property
    def at_vertex(self) -> tuple[Ints, Ints]:
        """The atoms at each vertex, as starts and a list."""
        return atoms_at(*self.ends, self.vertices)

    def zone_people(self, side: int) -> Ints:
        """Return the people in every zone of the first (0) or the second (1) zoning."""
        code, labels = ((self.first, self.first_labels), (self.second, self.second_labels))[side]
        inside = code >= 0
        return np.bincount(code[inside], weights=self.people[inside], minlength=len(labels)).astype(
            np.int64
        )


def atoms_at(tail: Ints, head: Ints, vertices: int) -> tuple[Ints, Ints]:
    """Return for every vertex where its edges begin in a list, and the list."""
    both = np.concatenate([tail, head])
    edges = np.argsort(both, kind="stable") % max(len(tail), 1)
    starts = np.zeros(vertices + 1, dtype=np.int64)
    np.cumsum(np.bincount(both, minlength=vertices), out=starts[1:])
    return starts, edges.astype(np.int64)


def overlap(
    first: Array,
    second: Array,
    counts: Array,
    *,
    first_labels: Sequence[str] | None = None,
    second_labels: Sequence[str] | None = None,
    names: tuple[str, str] = ("first", "second"),
) -> Overlap:
    """Lay two zonings over each other.

    Parameters
    ----------
    first, second
        For every row its zone in each, from 0; -1 where it is not covered.
    counts
        The people in every row.

    >>> two = overlap(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]), np.array([5, 2, 1, 9]))
    >>> [tuple(map(int, atom)) for atom in zip(two.first, two.second, two.people)]
    [(0, 0, 7), (0, 1, 1), (1, 1, 9)]
    """
    first, second, counts = (np.asarray(x).astype(np.int64) for x in (first, second, counts))
    if not len(first) == len(second) == len(counts):
        raise InputError(
            f"Two zonings and the people must be given for the same rows. Got {len(first):,}, "
            f"{len(second):,} and {len(counts):,}."
        )
    if (counts < 0).any():
        raise InputError("A number of people is negative. Give counts of 0 or more.")
    if first_labels is None:
        first_labels = [str(n + 1) for n in range(int(first.max(initial=-1)) + 1)]
    if second_labels is None:
        second_labels = [str(n + 1) for n in range(int(second.max(initial=-1)) + 1)]
    width = len(second_labels) + 1
    there = (counts > 0) & ((first >= 0) | (second >= 0))
    keys, inverse = np.unique((first[there] + 1) * width + second[there] + 1, return_inverse=True)
    people = np.bincount(inverse, weights=counts[there], minlength=len(keys)).astype(np.int64)
    atom_of = np.full(len(first), -1, dtype=np.int64)
    atom_of[there] = inverse
    return Overlap(
        keys // width - 1, keys % width - 1, people, first_labels, second_labels, names, atom_of
    )


def zone_of(counted: Counted, grouping: Grouping) -> tuple[Ints, tuple[str, ...]]:
    """Return the zone of every class in a geography, and the labels; -1 where it has none."""
    if grouping.variable is None:
        return np.zeros(counted.classes, dtype=np.int64), ("everybody",)
    if grouping.variable not in counted.codes:
        raise InputError(
            f"'{grouping.variable}' was not counted. Name it as a geography when counting."
        )
    values = counted.values[grouping.variable]
    categories = grouping.categories(values)
    labels, codes = categories.labels, categories.codes.copy()
    named = [label for label, _ in grouping.groups or ()]
    if None in values and labels[-1] == MISSING and MISSING not in named:
        # who has no value lives in no zone: a zone of the others is not published
        codes[codes == len(labels) - 1] = -1
        labels = labels[:-1]
    return codes[counted.codes[grouping.variable]], labels


def overlap_of(counted: Counted, first: Grouping, second: Grouping) -> Overlap:
    """Lay two geographies of counted tables over each other; rows are the classes of people."""
    (a, a_labels), (b, b_labels) = zone_of(counted, first), zone_of(counted, second)
    return overlap(
        a,
        b,
        counted.counts,
        first_labels=a_labels,
        second_labels=b_labels,
        names=(first.name, second.name),
    )
