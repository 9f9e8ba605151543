"""Equation (9) in zones that are not a geography of the data: revealed ones, which may overlap."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from indistinct.core import Bools
from indistinct.tables.counting import Counted
from indistinct.tables.differencing.overlapping import Ints
from indistinct.tables.differencing.revealing import Revealed
from indistinct.tables.uniques import tabular_uniques

__all__ = ["classes_in_zones", "counted_in", "full_in"]


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
