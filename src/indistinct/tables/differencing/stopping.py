"""Changing a second zoning until nothing below a threshold is revealed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from indistinct.core import Array, InputError, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import before_after
from indistinct.tables.differencing.overlapping import Ints, Overlap, overlap
from indistinct.tables.differencing.revealing import Revealed, reveal

__all__ = ["Stopped", "merge_to_stop"]


@result
class Stopped(Result):
    """A second zoning that reveals nothing beside the first.

    Parameters
    ----------
    before, after
        What the two zonings revealed before and reveal now.
    new_zone
        For every zone of the second zoning its new zone; -1 where it is left unpublished.
    labels
        What the new zones are called: the labels of what was merged, joined with ``+``.
    rounds
        How often everything was looked for again.
    """

    before: Revealed
    after: Revealed
    new_zone: Ints
    labels: tuple[str, ...]
    rounds: int

    FACTS = facts(
        Fact("revealed_before", "before.number"),
        Fact("revealed_after", "after.number"),
        Fact("zones_before", lambda found: len(found.before.overlap.second_labels)),
        Fact("zones_after", lambda found: len(found.labels)),
        Fact("merged", lambda found: sum(len(one) for one in found.merged)),
        Fact("left_out", lambda found: len(found.left_out)),
        "rounds",
        Fact("zones left out", lambda found: found.left_out or None, told=False),
        shown=True,
    )

    def sentence(self) -> str:
        """Say what is revealed before and after."""
        return (
            f"Stopped({self.before.number:,} revealed, now {self.after.number:,}; "
            f"{sum(len(one) for one in self.merged):,} of the "
            f"{len(self.before.overlap.second_labels):,} zones of {self.before.overlap.names[1]} "
            f"merged, {len(self.left_out):,} left out, {len(self.labels):,} remain)"
        )

    @property
    def left_out(self) -> tuple[str, ...]:
        """Zones that are no longer published."""
        labels = self.before.overlap.second_labels
        return tuple(labels[n] for n in np.flatnonzero(self.new_zone < 0).tolist())

    @property
    def merged(self) -> tuple[tuple[str, ...], ...]:
        """The zones that were merged, those of one new zone together."""
        labels = self.before.overlap.second_labels
        members: list[list[str]] = [[] for _ in self.labels]
        for n in np.flatnonzero(self.new_zone >= 0).tolist():
            members[self.new_zone[n]].append(labels[n])
        return tuple(tuple(one) for one in members if len(one) > 1)

    def zoning(self, second: Array) -> Ints:
        """Return the new zone of every row, from its zone in the second zoning."""
        codes = np.asarray(second).astype(np.int64)
        zones: Ints = np.append(self.new_zone, -1)[codes]
        return zones

    def _row_tables(self) -> list[Table]:
        rows = [(len(one), ", ".join(one)) for one in self.merged]
        return [
            Table("Merged zones", ("zones", "which"), rows),
        ]

    def plot(self) -> str:
        """Return a figure: revealed zones by the people in them, before and after."""
        spans = range(1, self.before.threshold)
        counts = [
            np.bincount(r.people[: r.number], minlength=r.threshold)[1 : r.threshold].tolist()
            for r in (self.before, self.after)
        ]
        title = "Zones revealed by subtraction, by the people in them"
        labels = [str(n) for n in spans]
        return before_after(title, labels, *counts, names=("before", "after"), most=60)


def merge_to_stop(
    first: ArrayLike,
    second: ArrayLike,
    counts: ArrayLike,
    threshold: int = 10,
    *,
    first_labels: Sequence[str] | None = None,
    second_labels: Sequence[str] | None = None,
    names: tuple[str, str] = ("first", "second"),
) -> Stopped:
    """Merge zones of the second zoning until it reveals nothing below the threshold.

    A revealed zone is stopped by merging two zones of the second that lie on different sides of
    it: one that holds a sliver of a zone a of the first which is revealed, and one that holds a
    part of a which is not. Of the pairs that would do, the one with the fewest people together is
    merged; then everything is looked for again. What the first zoning publishes is taken as
    published. Where a sliver is revealed because the second zoning does not cover it, the zone
    beside it is left unpublished too.

    Greedy: few merges, not provably the fewest. Published zones that are below the threshold
    themselves are not what subtraction reveals; those of the second are merged no further than
    that takes.

    >>> done = merge_to_stop([0, 0, 1, 1], [0, 1, 1, 2], [60, 3, 70, 50])
    >>> done
    Stopped(1 revealed, now 0; 2 of the 3 zones of second merged, 0 left out, 2 remain)
      revealed before  1
      revealed after   0
      zones before     3
      zones after      2
      merged           2
      left out         0
      rounds           1
      Merged zones
        zones  which
        2       1, 2
    """
    old, zones, people = (np.asarray(x).astype(np.int64) for x in (first, second, counts))
    two = overlap(
        old,
        zones,
        people,
        first_labels=first_labels,
        second_labels=second_labels,
        names=names,
    )
    before = reveal(two, threshold)
    labels = tuple(two.second_labels)
    new_zone = np.arange(len(labels), dtype=np.int64)
    now, rounds = before, 0
    with progress.task("merging zones until nothing is revealed"):
        while now.number:
            rounds += 1
            step = _one_round(now)
            if (step == np.arange(len(step))).all():
                raise InputError(
                    "Nothing that is revealed can be stopped by changing the second zoning."
                )
            kept, number = np.unique(step[step >= 0], return_inverse=True)
            renumbered = np.full(len(step), -1, dtype=np.int64)
            renumbered[step >= 0] = number
            new_zone = np.append(renumbered, -1)[new_zone]
            labels = _joined(tuple(two.second_labels), new_zone, len(kept))
            merged = np.append(new_zone, -1)[zones]
            now = reveal(
                overlap(
                    old,
                    merged,
                    people,
                    first_labels=two.first_labels,
                    second_labels=labels,
                    names=names,
                ),
                threshold,
            )
    return Stopped(before, now, new_zone, labels, rounds)


def _joined(labels: tuple[str, ...], new_zone: Ints, number: int) -> tuple[str, ...]:
    members: list[list[str]] = [[] for _ in range(number)]
    for label, zone in zip(labels, new_zone.tolist(), strict=True):
        if zone >= 0:
            members[zone].append(label)
    return tuple("+".join(one) for one in members)


def _one_round(now: Revealed) -> Ints:
    """Return for every zone of the second what it is merged with: a leader, or -1 for none."""
    two = now.overlap
    zones = len(two.second_labels)
    leader = np.arange(zones + 1, dtype=np.int64)  # the last stands for not being published
    people = np.append(two.zone_people(1), 0)

    def lead(zone: int) -> int:
        while leader[zone] != zone:
            leader[zone] = leader[leader[zone]]
            zone = int(leader[zone])
        return zone

    starts, atoms = _atoms_of_first(two)
    for n in range(now.number):
        pairs = _straddling(two, now.atoms_of(n), starts, atoms, zones)
        if any(lead(one) == lead(other) for one, other in pairs):
            continue
        leads = [tuple(sorted((lead(one), lead(other)))) for one, other in pairs]
        # merging publishes everybody still, so it comes before leaving a zone out
        low, high = min(leads, key=lambda pair: (lead(zones) in pair, int(people[[*pair]].sum())))
        if high == zones:  # it leads, so that what joins it is seen to be left out
            low, high = high, low
        leader[high] = low
        people[low] += people[high]
    found = np.array([lead(zone) for zone in range(zones)], dtype=np.int64)
    return np.where(found == lead(zones), -1, found)


def _atoms_of_first(two: Overlap) -> tuple[Ints, Ints]:
    """Return the atoms of every zone of the first; those of people it does not cover at the end."""
    zones = len(two.first_labels)
    code = np.where(two.first >= 0, two.first, zones)
    order = np.argsort(code, kind="stable").astype(np.int64)
    return np.searchsorted(code[order], np.arange(zones + 2)).astype(np.int64), order


def _straddling(
    two: Overlap, cut: Ints, starts: Ints, atoms: Ints, outside: int
) -> list[tuple[int, int]]:
    """Return pairs of zones of the second on different sides of a revealed zone.

    An atom of the same zone of the first that is not in the cut lies on the other side of it.
    """
    inside = set(cut.tolist())
    pairs = []
    for atom in cut.tolist():
        sliver = int(two.second[atom]) if two.second[atom] >= 0 else outside
        at = int(two.first[atom]) if two.first[atom] >= 0 else len(two.first_labels)
        for other in atoms[starts[at] : starts[at + 1]].tolist():
            if other not in inside:
                beside = int(two.second[other]) if two.second[other] >= 0 else outside
                pairs.append((sliver, beside))
    if not pairs:
        # all that the first zoning does not cover is revealed: only publishing less helps
        pairs = [(int(two.second[atom]), outside) for atom in cut.tolist() if two.second[atom] >= 0]
    return pairs
