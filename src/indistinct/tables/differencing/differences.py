"""What a second geography reveals, and who is found in it: Openshaw et al. (1997), section 4."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from indistinct.core import Bools, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.tables.counting import Counted
from indistinct.tables.differencing.overlapping import Ints, overlap_of, zone_of
from indistinct.tables.differencing.revealing import Revealed, people_word, reveal, zones_word
from indistinct.tables.grouping import Grouping
from indistinct.tables.uniques import tabular_uniques

__all__ = ["Differencing", "classes_in_zones", "counted_in", "difference_geographies"]


# Equation (9) in zones that are not a geography of the data: revealed ones, which may overlap.


def classes_in_zones(revealed: Revealed, number: int) -> tuple[Ints, Ints]:
    """Return the classes of the first zones, and the zone of each; a class may be in several."""
    two = revealed.overlap
    order = np.argsort(two.atom_of, kind="stable").astype(np.int64)
    begin = np.searchsorted(two.atom_of[order], np.arange(len(two) + 1))
    atoms = revealed.atoms[: revealed.starts[number]]
    zone_of_entry = np.repeat(np.arange(number), np.diff(revealed.starts[: number + 1]))
    lengths = begin[atoms + 1] - begin[atoms]
    shift = np.repeat(begin[atoms] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
    classes = order[np.arange(lengths.sum()) + shift.astype(np.int64)]
    return classes, np.repeat(zone_of_entry, lengths).astype(np.int64)


def counted_in(counted: Counted, classes: Ints, zone: Ints, labels: tuple[str, ...]) -> Counted:
    """Return the same tables for zones that hold some of the classes, each once or more often.

    Its rows are those given, in the order of the zones. It serves equation (9) and `area_vector`;
    what is found cannot be handed back to people, of whom some are in no zone.
    """
    order = np.argsort(zone, kind="stable")
    rows = classes[order]
    return replace(
        counted,
        areas=labels,
        area=zone[order].astype(np.int32),
        counts=counted.counts[rows],
        codes={name: codes[rows] for name, codes in counted.codes.items()},
        sorted_as=counted.sorted_as[rows],
    )


def full_in(counted: Counted, zone: Ints, wanted: Ints) -> Bools:
    """Say of the wanted classes whether they are full record tabular uniques of a zoning.

    Only the zones that hold any of them are looked at. Who is not covered (-1) is no unique.
    """
    touched = np.unique(zone[wanted])
    touched = touched[touched >= 0]
    rows = np.flatnonzero(np.isin(zone, touched))
    found = np.zeros(counted.classes, dtype=bool)
    if len(rows):
        number = np.searchsorted(touched, zone[rows])
        order = np.argsort(number, kind="stable")
        part = counted_in(counted, rows, number, ("",) * len(touched))
        found[rows[order]] = tabular_uniques(part).full
    result: Bools = found[wanted]
    return result


@result
class Differencing(Result):
    """What two published zonings reveal by subtraction, and who can be found there.

    Only zones that need a subtraction are counted; published zones below the threshold are not
    what a second zoning reveals.

    Parameters
    ----------
    kind
        ``geographies``, ``recodings``, ``universes`` or ``recodings and universes``.
    revealed
        The zones.
    counted
        The tables that can be worked out, one area for each revealed zone.
    classes
        For every row of `counted` its class in the tables that were published.
    full, part
        Of every row, whether it is a full or part record tabular unique of its revealed zone.
    before
        Of every row, whether it was a full unique in the published tables already.
    """

    kind: str
    revealed: Revealed
    counted: Counted
    classes: Ints
    full: Bools
    part: Bools
    before: Bools

    FACTS = facts(
        "kind",
        Fact("first", lambda found: found.revealed.overlap.names[0]),
        Fact("second", lambda found: found.revealed.overlap.names[1]),
        Fact("threshold", "revealed.threshold"),
        Fact("revealed", "zones"),
        "people",
        "frtu",
        "prtu",
        Fact("newly_frtu", "newly"),
        shown=True,
    )

    def sentence(self) -> str:
        """Say what subtraction reveals."""
        first, second = self.revealed.overlap.names
        found = (
            f"{zones_word(self.zones)} below {self.revealed.threshold} people, "
            f"with {people_word(self.people)}"
        )
        return f"Differencing({self.kind} {first} and {second}: {found})"

    @property
    def zones(self) -> int:
        """The number of revealed zones."""
        return self.revealed.number

    @property
    def people(self) -> int:
        """The people in revealed zones, each once."""
        return self.revealed.people_revealed

    @property
    def frtu(self) -> int:
        """Full record tabular uniques of a revealed zone, each once."""
        return len(np.unique(self.classes[self.full]))

    @property
    def prtu(self) -> int:
        """Part record tabular uniques of a revealed zone who are full uniques of none."""
        return len(np.setdiff1d(self.classes[self.part], self.classes[self.full]))

    @property
    def newly(self) -> int:
        """Full uniques of a revealed zone who are full uniques of no published zone."""
        return len(np.unique(self.classes[self.full & ~self.before]))

    @property
    def is_safe(self) -> bool:
        """Whether nothing below the threshold is revealed."""
        return self.zones == 0

    def vector(self, zone: int) -> Ints:
        """Return all counts of one revealed zone, tables one after the other: a difference of Y."""
        return self.counted.area_vector(zone)

    def frtu_per_zone(self) -> Ints:
        """Return the full uniques in each revealed zone."""
        return np.bincount(self.counted.area[self.full], minlength=self.zones).astype(np.int64)

    def _row_tables(self) -> list[Table]:
        unique = self.frtu_per_zone()
        rows = [
            (zone.people, int(unique[n]), zone.how)
            for n, zone in enumerate(self.revealed.zones(100))
        ]
        headings = ("people", "full uniques", "how")
        return [Table("Revealed zones, the smallest first", headings, rows)]

    def plot(self) -> str:
        """Return a figure: revealed zones by the people in them."""
        return self.revealed.plot()


def difference_geographies(
    counted: Counted, first: Grouping, second: Grouping, *, threshold: int = 10
) -> Differencing:
    """Find what is revealed when the same tables are published for two geographies.

    Equation (9) is applied to the areas that differencing creates (section 4, point 4): the table
    of a revealed zone is the sum over the people who live there.

    Parameters
    ----------
    counted
        The tables; both geographies must have been counted (`TableSet.area` and `.also`).
    threshold
        Zones with fewer people count.
    """
    two = overlap_of(counted, first, second)
    with progress.task("looking for zones that a difference reveals"):
        revealed = reveal(two, threshold)
    classes, zone = classes_in_zones(revealed, revealed.number)
    labels = tuple(f"revealed {n + 1}" for n in range(revealed.number))
    inside = counted_in(counted, classes, zone, labels)
    found = tabular_uniques(inside)
    before = np.zeros(len(classes), dtype=bool)
    for grouping in (first, second):
        before |= full_in(counted, zone_of(counted, grouping)[0], classes)
    return Differencing("geographies", revealed, inside, classes, found.full, found.part, before)
