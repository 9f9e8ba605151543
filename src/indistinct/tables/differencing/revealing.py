"""What two published zonings reveal by adding and subtracting zones, below a threshold.

Write 1 or 0 on every zone for being used or not, x for zones of the first zoning and y for those of
the second. A set S of atoms is what published zones add up to exactly when its indicator is
x_a - y_b on every atom (a, b), for some numbers on the zones. They may be taken as whole numbers,
and cutting them at each level splits S into disjoint sets of the form

    S(U) = {atoms (a, b) : a in U, b not in U},   no atom with a not in U and b in U,

so that the smallest revealed set around an atom is the union of the zones of the first in U minus
the zones of the second in U: a minimum cut, with the people of an atom as the capacity from a to b
and no limit from b to a. An atom with at least `threshold` people is in no set below it, so that
its zones are on the same side. Atoms within a strong component of the graph that this leaves are in
no revealed zone below the threshold; between components cuts are looked for around one atom after
the other, each by a flow that stops at the threshold.

People whom one of the zonings does not cover live in one more vertex, the same for both, which is
never added or subtracted. A cut that has it outside U is first minus second. One that has it in U
is, seen from the other side, second minus first: the zones of the second outside U minus those of
the first outside U.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from indistinct.core import Bools, check_whole
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables.differencing import flows
from indistinct.tables.differencing.overlapping import Ints, Overlap, atoms_at, overlap

__all__ = ["Revealed", "RevealedZone", "check_threshold", "reveal", "revealed_zones"]
__all__ += ["people_word", "zones_word"]

MOST_NAMED = 4
"""Zones that a sentence names; the others are counted."""


@dataclass(frozen=True)
class RevealedZone(Part):
    """A set of people whose tables can be worked out from published ones.

    Parameters
    ----------
    people
        How many they are.
    atoms
        The atoms they live in, as positions in the overlap.
    added, subtracted
        The published zones that are added, and those that are subtracted.
    added_from, subtracted_from
        The zonings that these belong to.
    """

    people: int
    atoms: tuple[int, ...]
    added: tuple[str, ...]
    subtracted: tuple[str, ...]
    added_from: str
    subtracted_from: str

    @property
    def how(self) -> str:
        """The calculation in words.

        >>> RevealedZone(2, (1,), ("X",), ("Y", "Z"), "wards", "parishes").how
        'X of wards minus Y, Z of parishes'
        """
        added = f"{_some(self.added)} of {self.added_from}"
        if not self.subtracted:
            return added
        return f"{added} minus {_some(self.subtracted)} of {self.subtracted_from}"

    FACTS = facts("people", "added", "added_from", "subtracted", "subtracted_from")


def _some(labels: Sequence[str]) -> str:
    if len(labels) <= MOST_NAMED:
        return ", ".join(labels)
    return f"{', '.join(labels[: MOST_NAMED - 1])} and {len(labels) - MOST_NAMED + 1:,} more"


@result
class Revealed(Result):
    """Everything below a threshold that two zonings reveal.

    The zones are the smallest that are revealed around each atom, each once: first those that need
    a subtraction, by people; then published zones that are below the threshold themselves.

    Parameters
    ----------
    overlap
        The two zonings.
    threshold
        Zones with fewer people count.
    people
        The people in every zone.
    plain
        Of every zone, whether it is a published zone as it is.
    starts, atoms
        Where the atoms of each zone begin in a list, and the list.
    smallest
        For every atom of the overlap the smallest zone around it; -1 where none is revealed.
    """

    overlap: Overlap
    threshold: int
    people: Ints
    plain: Bools
    starts: Ints
    atoms: Ints
    smallest: Ints

    FACTS = facts(
        Fact("first", lambda found: found.overlap.names[0]),
        Fact("second", lambda found: found.overlap.names[1]),
        "threshold",
        Fact("atoms", lambda found: len(found.overlap)),
        Fact("revealed", "number"),
        Fact("people", "people_revealed"),
        Fact(
            "smallest",
            lambda found: int(found.people[: found.number].min()) if found.number else None,
        ),
        "published_below",
        shown=True,
    )

    def sentence(self) -> str:
        """Say how many zones are revealed."""
        first, second = self.overlap.names
        return (
            f"Revealed({first} and {second}: {zones_word(self.number)} below {self.threshold} "
            f"people by subtraction, with {people_word(self.people_revealed)})"
        )

    def __len__(self) -> int:
        return self.number

    @cached_property
    def number(self) -> int:
        """Zones that only a subtraction reveals; they come first."""
        return int((~self.plain).sum())

    @property
    def published_below(self) -> int:
        """Published zones below the threshold, around atoms around which nothing is smaller."""
        return int(self.plain.sum())

    @cached_property
    def exposed(self) -> Bools:
        """Of every atom, whether the smallest zone around it needs a subtraction."""
        return (self.smallest >= 0) & (self.smallest < self.number)

    @cached_property
    def people_revealed(self) -> int:
        """People in zones that only a subtraction reveals, each once."""
        return int(self.overlap.people[self.exposed].sum())

    @cached_property
    def least_people(self) -> Ints:
        """For every atom the people in the smallest zone around it; 0 where none is revealed."""
        if not len(self.people):
            return np.zeros(len(self.overlap), dtype=np.int64)
        return np.where(self.smallest >= 0, self.people[self.smallest], 0)

    def atoms_of(self, number: int) -> Ints:
        """Return the atoms of one zone."""
        return self.atoms[self.starts[number] : self.starts[number + 1]]

    def zone(self, number: int) -> RevealedZone:
        """Return one zone with the zones that are added and subtracted."""
        cut = self.atoms_of(number)
        two = self.overlap
        ends, at = two.ends, two.at_vertex
        from_first, side = flows.side_of(*ends, *at, cut, two.outside)
        offset = len(two.first_labels)
        firsts = tuple(two.first_labels[v] for v in side[side < offset].tolist())
        seconds = tuple(two.second_labels[v - offset] for v in side[side >= offset].tolist())
        names = two.names if from_first else two.names[::-1]
        added, subtracted = (firsts, seconds) if from_first else (seconds, firsts)
        return RevealedZone(
            int(self.people[number]), tuple(cut.tolist()), added, subtracted, *names
        )

    def zones(self, most: int | None = None) -> Iterator[RevealedZone]:
        """Yield the zones that only a subtraction reveals, the smallest first."""
        for number in range(self.number if most is None else min(most, self.number)):
            yield self.zone(number)

    def _row_tables(self) -> list[Table]:
        rows = [(zone.people, zone.how) for zone in self.zones(100)]
        return [
            Table("Revealed zones, the smallest first", ("people", "how"), rows),
        ]

    def plot(self) -> str:
        """Return a figure: revealed zones by the people in them."""
        sizes = np.bincount(self.people[: self.number], minlength=self.threshold)
        if self.threshold > 21:
            edges = np.linspace(1, self.threshold, 21).astype(int)
            spans = [(int(a), int(b)) for a, b in pairwise(edges) if b > a]
        else:
            spans = [(n, n + 1) for n in range(1, self.threshold)]
        labels = [f"{a}" if b == a + 1 else f"{a}–{b - 1}" for a, b in spans]
        numbers = [int(sizes[a:b].sum()) for a, b in spans]
        return bars("Zones revealed by subtraction, by the people in them", labels, numbers)


def zones_word(number: int) -> str:
    """Return a number of zones in words.

    >>> zones_word(1), zones_word(1200)
    ('1 zone', '1,200 zones')
    """
    return "1 zone" if number == 1 else f"{number:,} zones"


def people_word(number: int) -> str:
    """Return a number of people in words.

    >>> people_word(1), people_word(1200)
    ('1 person', '1,200 people')
    """
    return "1 person" if number == 1 else f"{number:,} people"


def check_threshold(threshold: int) -> int:
    """Refuse a threshold that nothing, or nothing sensible, can be below."""
    check_whole("threshold", threshold, 2)
    return int(threshold)


def revealed_zones(
    first: ArrayLike,
    second: ArrayLike,
    counts: ArrayLike,
    threshold: int = 10,
    *,
    first_labels: Sequence[str] | None = None,
    second_labels: Sequence[str] | None = None,
    names: tuple[str, str] = ("first", "second"),
) -> Revealed:
    """Find every zone below a threshold that two zonings reveal by adding and subtracting.

    Parameters
    ----------
    first, second
        For every row (a person, a class, a basic spatial unit) its zone in each zoning, from 0; -1
        where the zoning does not cover it.
    counts
        The people in every row.

    >>> zones = revealed_zones([0, 0, 1], [0, 1, 1], [60, 3, 70])
    >>> zones
    Revealed(first and second: 1 zone below 10 people by subtraction, with 3 people)
      first             first
      second           second
      threshold            10
      atoms                 3
      revealed              1
      people                3
      smallest              3
      published below       0
      Revealed zones, the smallest first
        people                           how
        3       1 of first minus 1 of second
    """
    two = overlap(
        np.asarray(first),
        np.asarray(second),
        np.asarray(counts),
        first_labels=first_labels,
        second_labels=second_labels,
        names=names,
    )
    return reveal(two, threshold)


def reveal(two: Overlap, threshold: int) -> Revealed:
    """Find every zone below a threshold that an overlap reveals."""
    threshold = check_threshold(threshold)
    small = two.people < threshold
    bridge = flows.bridges(*two.ends, *two.at_vertex) & small
    # an atom whose removal disconnects the graph is told by itself
    return _collected(two, threshold, np.flatnonzero(bridge), _cuts(two, small, bridge, threshold))


def _graph(tail: Ints, head: Ints, vertices: int) -> Any:
    ones = np.ones(len(tail), dtype=np.int8)
    return sparse.coo_array((ones, (tail, head)), shape=(vertices, vertices)).tocsr()


def _cuts(two: Overlap, small: Bools, bridge: Bools, threshold: int) -> list[tuple[int, Ints]]:
    """Return small atoms, bridges apart, that a small zone holds, and the atoms of that zone."""
    tail, head = two.ends
    arcs_tail = np.concatenate([head, tail[~small]])
    arcs_head = np.concatenate([tail, head[~small]])
    number, component = connected_components(
        _graph(arcs_tail, arcs_head, two.vertices), connection="strong"
    )
    component = component.astype(np.int64)
    between = np.flatnonzero(small & (component[tail] != component[head]))
    arc_tail, arc_head = component[tail[between]], component[head[between]]
    asked = np.flatnonzero(~bridge[between])
    begin, listed = flows.smallest_cuts(
        arc_tail,
        arc_head,
        two.people[between],
        *atoms_at(arc_tail, arc_head, int(number)),
        asked,
        threshold,
    )
    found = np.flatnonzero(np.diff(begin))
    return [
        (int(between[asked[n]]), np.sort(between[listed[begin[n] : begin[n + 1]]]))
        for n in found.tolist()
    ]


def _collected(two: Overlap, threshold: int, alone: Ints, cuts: list[tuple[int, Ints]]) -> Revealed:
    """Keep every zone once, and order them."""
    sets = {cut.tobytes(): cut for _, cut in cuts}
    several = list(sets.values())
    lengths = np.array([1] * len(alone) + [len(cut) for cut in several], dtype=np.int64)
    atoms = np.concatenate([alone, *several]) if len(lengths) else np.empty(0, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    zone_of_entry = np.repeat(np.arange(len(lengths)), lengths)
    people = np.bincount(zone_of_entry, weights=two.people[atoms], minlength=len(lengths)).astype(
        np.int64
    )
    plain = np.zeros(len(lengths), dtype=bool)
    for side, code in enumerate((two.first, two.second)):
        of_entry = code[atoms]
        lead = of_entry[starts[:-1]]
        same = np.bincount(zone_of_entry, weights=of_entry == lead[zone_of_entry]) == lengths
        # the 0 at the end is for -1, the zone that is not published
        plain |= same & (np.append(two.zone_people(side), 0)[lead] == people)
    order = np.lexsort((atoms[starts[:-1]], people, plain))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    smallest = np.full(len(two), -1, dtype=np.int64)
    smallest[alone] = rank[: len(alone)]
    place = {key: len(alone) + n for n, key in enumerate(sets)}
    for atom, cut in cuts:
        smallest[atom] = rank[place[cut.tobytes()]]
    entry_order = np.argsort(rank[zone_of_entry], kind="stable")
    sorted_lengths = lengths[order]
    return Revealed(
        two,
        threshold,
        people[order],
        plain[order],
        np.concatenate([[0], np.cumsum(sorted_lengths)]).astype(np.int64),
        atoms[entry_order],
        smallest,
    )
