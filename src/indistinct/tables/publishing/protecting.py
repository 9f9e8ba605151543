"""Protecting the numbers of tables as asked, and attacking what was written of them.

Each way gives tables one after the other, so that a hundred need not be in memory together, and
knows how its own promise is attacked: from the files alone, with the true numbers beside them to
judge by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints
from indistinct.flow import Data
from indistinct.project import Publish
from indistinct.tables import (
    Counted,
    PerturbedTables,
    Rounded,
    cell_system,
    controlled_rounding,
    design_perturbation,
    perturb_by_cell_key,
    perturbed_risk,
    published_places,
    random_modification,
    random_rounding,
    rounded_intervals,
    small_count_rounding,
    with_totals,
)
from indistinct.tables.differencing.overlapping import zone_of
from indistinct.tables.publishing.joint import Bounds, joint_attack_skipped
from indistinct.tables.publishing.numbers import TOTAL, PublishedTable
from indistinct.tables.publishing.shaping import Again, labelled, of_system, shaped
from indistinct.tables.publishing.suppressing import suppress_tables

__all__ = ["Protected", "protect_tables"]


class Protected(Protocol):
    """Tables whose numbers are protected."""

    @property
    def told(self) -> tuple[str, ...]:
        """What users are told of it, a sentence each."""
        ...

    def tables(self) -> Iterator[PublishedTable]:
        """Yield the tables as they are published."""
        ...

    def facts(self) -> Mapping[str, Any]:
        """Return what the holder keeps: how much was changed."""
        ...

    def attack(self, again: Again) -> Mapping[str, Any]:
        """Attack the tables that were written: what was found, and whether the promise holds."""
        ...


def protect_tables(data: Data, counted: Counted, settings: Publish, seed: int) -> Protected:
    """Protect the numbers of a set of tables with the method that is asked for."""
    method = settings.method or "none"
    counted = labelled(counted, data.variables)
    if method == "suppress":
        return suppress_tables(data, counted, settings)
    sums = [table.name for table in counted.tables if not table.is_count or table.weight]
    if sums:
        raise InputError(
            f"The table '{sums[0]}' adds up values or weights. The method '{method}' is for "
            "counts of people: protect sums with the method suppress."
        )
    if method == "none":
        return _AsTheyAre(counted, settings.threshold, small_allowed=settings.merge)
    base = 3 if settings.base is None else settings.base
    if method == "round":
        system = cell_system(counted)
        return _OfRounding(counted, controlled_rounding(system, base, seed=seed))
    if method == "small-counts":
        base = settings.threshold if settings.base is None else settings.base
        return _OfNoise(small_count_rounding(counted, base, seed=seed), settings.threshold, base)
    if method == "random-round":
        rounded = random_rounding(counted, base=base, seed=seed)
        return _OfNoise(rounded, settings.threshold)
    if method == "modify":
        probability = 0.25 if settings.probability is None else settings.probability
        modified = random_modification(counted, probability=probability, seed=seed)
        return _OfNoise(modified, settings.threshold)
    variance = 2.0 if settings.variance is None else settings.variance
    design = design_perturbation(variance=variance, no_small=settings.threshold - 1)
    keyed = perturb_by_cell_key(counted, design, seed=seed, additive=settings.additive)
    return _OfNoise(keyed, settings.threshold)


@dataclass(frozen=True, eq=False)
class _AsTheyAre:
    """The true counts. They hold if nobody is a full record tabular unique, and none is small.

    Where areas are merged until nobody is a full unique, that is what is promised, and small counts
    are published.
    """

    counted: Counted
    threshold: int
    small_allowed: bool

    @property
    def told(self) -> tuple[str, ...]:
        return ("The numbers are true counts.",)

    def tables(self) -> Iterator[PublishedTable]:
        places = published_places(self.counted)
        rows = np.array([row for _, _, row in places.shown])
        names = [(geography, label) for geography, label, _ in places.shown]
        for layout in self.counted.layouts:
            yield shaped(layout, names, with_totals(self.counted, layout.name, places)[rows])

    def facts(self) -> Mapping[str, Any]:
        return {"method": "none"}

    def attack(self, again: Again) -> Mapping[str, Any]:
        geographies = (self.counted.tables.area, *self.counted.tables.also)
        zones = [zone_of(self.counted, geography) for geography in geographies]
        full = np.ones((len(zones), self.counted.classes), dtype=bool)
        anywhere = np.zeros(self.counted.classes, dtype=bool)
        small = 0
        for position, table in enumerate(self.tables()):
            read = again(table)
            first = 0
            for n, (zone, labels) in enumerate(zones):
                own, counts_here = _own_numbers(self.counted, position, read, zone, first)
                full[n] &= (own == 1) | ~counts_here
                anywhere |= counts_here
                first += len(labels)
            small += int(((read.numbers > 0) & (read.numbers < self.threshold)).sum())
        found = int((full & anywhere).any(axis=0).sum())
        why = []
        if found:
            why.append(f"{found:,} people are full record tabular uniques.")
        if small and not self.small_allowed:
            why.append(f"{small:,} counts are below {self.threshold}.")
        attacks = ["full record tabular uniques of every geography, from the published counts"]
        return {
            "attacks": [*attacks, *([] if self.small_allowed else ["counts below the threshold"])],
            "frtu": found,
            "small_counts_published": small,
            "holds": not why,
            "why": " ".join(why),
        }


def _own_numbers(
    counted: Counted, position: int, table: PublishedTable, zone: Ints, first: int
) -> tuple[Floats, Bools]:
    """Return the published number of every class's own cell, and who is counted at all.

    `zone` is the zone of every class in a geography whose zones begin at the row `first`.
    """
    cell = counted.cell_of(position)
    inner = tuple(slice(size) for size in counted.layouts[position].shape)
    flat = table.numbers[(slice(None), *inner)].reshape(len(table.places), -1)
    counts_here = (cell >= 0) & (zone >= 0)
    return flat[np.where(counts_here, first + zone, 0), np.where(counts_here, cell, 0)], counts_here


@dataclass(frozen=True, eq=False)
class _OfNoise:
    """Counts that were perturbed cell by cell, or class by class."""

    perturbed: PerturbedTables
    threshold: int
    base: int | None = None

    @property
    def told(self) -> tuple[str, ...]:
        adds = "add up to" if self.perturbation.additive else "need not add up to"
        apart = (
            "Every table was changed by itself so that it adds up: the same group of people may "
            "have different counts in different tables."
        )
        same = getattr(self.perturbation, "same_for_equal_parts", True)
        return (
            f"Counts were changed a little: {self.perturbation.words}.",
            f"The cells of a table {adds} its totals.",
            *(() if same else (apart,)),
            "A difference of two published counts is as uncertain as both together.",
        )

    @property
    def perturbation(self) -> Any:
        return self.perturbed.perturbation

    def tables(self) -> Iterator[PublishedTable]:
        geographies = self.perturbed.geographies
        names = [(one.name, label) for one in geographies for label in one.labels]
        for layout in self.perturbed.counted.layouts:
            parts = [
                self.perturbed.table(layout.name, geography=n) for n in range(len(geographies))
            ]
            yield shaped(layout, names, np.concatenate(parts).astype(np.float64))

    def facts(self) -> Mapping[str, Any]:
        return {"deviations": self.perturbed.to_dict(), "left": self._left.to_dict()}

    @property
    def _left(self) -> Any:
        return perturbed_risk(self.perturbed)

    def attack(self, again: Again) -> Mapping[str, Any]:
        certain = small = unequal = 0
        checked = False
        bounds = Bounds.of(self.perturbed.counted)
        for table in self.tables():
            read = again(table)
            if bounds is not None:
                bounds.add(read, self.perturbation.interval)
            numbers = np.unique(read.numbers)
            for number in numbers.tolist():
                low, high = self.perturbation.interval(number)
                # a zero that is surely zero names nobody
                if low == high and 0 < number < self.threshold:
                    certain += int((read.numbers == number).sum())
            if self.base is not None:
                small += int(((read.numbers > 0) & (read.numbers < self.base)).sum())
            if self.perturbation.additive and read.categories[0][-1] == TOTAL:
                checked = True
                unequal += _broken_totals(read)
        left = self._left
        together = bounds.determined(self.threshold) if bounds is not None else 0
        why = []
        if together:
            why.append(f"{together:,} small counts follow from all published counts together.")
        if bounds is None and self.perturbation.interval(5)[1] < 7 and self.base is None:
            why.append(
                "There are too many cells to try whether counts that differ by one at most tell "
                "each other."
            )
        if certain:
            why.append(f"{certain:,} small counts are surely true.")
        if small:
            why.append(f"{small:,} counts are below the base.")
        if unequal:
            why.append(f"{unequal:,} totals differ from the sums of their parts.")
        return {
            "attacks": [
                "small published counts taken for true, each by itself",
                *([] if bounds is None else ["bounds of all published counts against each other"]),
                *(["totals against the sums of their parts"] if checked else []),
            ],
            "small_counts_surely_true": certain,
            "small_counts_published": small,
            "broken_totals": unequal,
            "holds": not why,
            "why": " ".join(why),
            "reservations": (
                []
                if bounds is not None
                else [joint_attack_skipped("the bounds of all published counts")]
            ),
            "private": left.to_dict(),
        }


def _broken_totals(table: PublishedTable) -> int:
    """Count the totals along the dimensions that are not the sums of their parts."""
    broken = 0
    for axis in range(1, table.numbers.ndim):
        parts = np.take(table.numbers, np.arange(table.numbers.shape[axis] - 1), axis=axis)
        total = np.take(table.numbers, -1, axis=axis)
        broken += int((np.abs(parts.sum(axis=axis) - total) > 1e-6).sum())
    return broken


@dataclass(frozen=True, eq=False)
class _OfRounding:
    """Counts rounded so that all sums still hold."""

    counted: Counted
    rounded: Rounded

    @property
    def told(self) -> tuple[str, ...]:
        return (
            f"Every count was rounded to a multiple of {self.rounded.base}, the nearest where all "
            "tables together allow it.",
            "The cells of a table add up to its totals.",
            f"A count is at most {self.rounded.reach} from the true one.",
        )

    def tables(self) -> Iterator[PublishedTable]:
        yield from of_system(self.counted, self.rounded.system, self.rounded.values)

    def facts(self) -> Mapping[str, Any]:
        return self.rounded.to_dict()

    def attack(self, again: Again) -> Mapping[str, Any]:
        odd = unequal = 0
        for table in self.tables():
            read = again(table)
            odd += int((np.mod(read.numbers, self.rounded.base) != 0).sum())
            if read.categories[0][-1] == TOTAL:
                unequal += _broken_totals(read)
        intervals = rounded_intervals(self.rounded)
        certain = int((intervals.low == intervals.high).sum())
        why = []
        if odd:
            why.append(f"{odd:,} counts are no multiples of the base.")
        if unequal:
            why.append(f"{unequal:,} totals differ from the sums of their parts.")
        if certain:
            why.append(f"{certain:,} small counts can be worked out exactly.")
        return {
            "attacks": [
                "whether every small count can have more than one value, going by all tables",
                "totals against the sums of their parts",
            ],
            "small_counts_worked_out": certain,
            "broken_totals": unequal,
            "holds": not (odd or unequal or certain),
            "why": " ".join(why),
            "private": intervals.to_dict(),
        }
