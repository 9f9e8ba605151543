"""Protecting the numbers of tables as asked, and attacking what was written of them.

Each way gives tables one after the other, so that a hundred need not be in memory together, and
knows how its own promise is attacked: from the files alone, with the true numbers beside them to
judge by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from indistinct.core import Array, Bools, Floats, GuaranteeError, InputError, Ints, Variables
from indistinct.flow import Data
from indistinct.hierarchy import as_text
from indistinct.project import Publish
from indistinct.tables import (
    CellSystem,
    Counted,
    Layout,
    PerturbedTables,
    Rounded,
    Suppression,
    audit,
    cell_system,
    combined,
    controlled_rounding,
    design_perturbation,
    dominance_rule,
    magnitude_system,
    p_percent_rule,
    perturb_by_cell_key,
    perturbed_risk,
    pq_rule,
    published_places,
    random_modification,
    random_rounding,
    rounded_intervals,
    small_count_rounding,
    suppress,
    system_contributions,
    threshold_rule,
    with_totals,
)
from indistinct.tables.differencing.overlapping import zone_of
from indistinct.tables.publishing.joint import Bounds, joint_attack_skipped, joint_audit
from indistinct.tables.publishing.numbers import TOTAL, PublishedTable

__all__ = ["Protected", "protect_tables"]


# Counted tables in the shape in which they are published.

Again = Callable[[PublishedTable], PublishedTable]
"""Reads a table that was written."""


def labelled(counted: Counted, variables: Variables) -> Counted:
    """Return the tables with the labels of values for categories that are single values."""
    layouts = []
    for layout in counted.layouts:
        found = []
        for grouping, categories in zip(layout.table.dimensions, layout.categories, strict=True):
            if grouping.variable is not None and grouping.takes_values:
                known = {
                    as_text(v): label for v, label in variables[grouping.variable].labels.items()
                }
                labels = tuple(known.get(label, label) for label in categories.labels)
                if len({*labels, TOTAL}) == len(labels) + 1:
                    categories = replace(categories, labels=labels)
            found.append(categories)
        layouts.append(replace(layout, categories=tuple(found)))
    return replace(counted, layouts=tuple(layouts))


def shaped(
    layout: Layout,
    places: Sequence[tuple[str, str]],
    numbers: Floats,
    suppressed: Bools | None = None,
) -> PublishedTable:
    """Return a table for publication; numbers come with totals last along every dimension."""
    totals = (TOTAL,) if layout.table.margins else ()
    inner = (slice(None), *(slice(None, size + len(totals)) for size in layout.shape))
    return PublishedTable(
        layout.name,
        tuple(grouping.name for grouping in layout.table.dimensions),
        tuple(places),
        tuple((*categories.labels, *totals) for categories in layout.categories),
        numbers[inner],
        None if suppressed is None else suppressed[inner],
    )


def of_system(
    counted: Counted,
    system: CellSystem,
    values: Array,
    hidden: Bools | None = None,
) -> Iterator[PublishedTable]:
    """Yield the tables of a system of cells, for every place of every geography."""
    shown = published_places(counted).shown
    rows = np.array([row for _, _, row in shown])
    names = [(geography, label) for geography, label, _ in shown]
    for layout in counted.layouts:
        at = system.places[layout.name][rows]
        numbers = np.where(at >= 0, values[at], 0).astype(np.float64)
        mask = None if hidden is None else (at >= 0) & hidden[at]
        yield shaped(layout, names, numbers, mask)


# Tables with suppressed cells: which rules find them, and the attack on what was written.


@dataclass(frozen=True, eq=False)
class SuppressedTables:
    """Tables with suppressed cells: one system for counts, and one for each thing added up."""

    parts: tuple[tuple[Counted, Suppression], ...]
    order: tuple[str, ...]
    rules: tuple[str, ...]

    @property
    def told(self) -> tuple[str, ...]:
        """What users are told of it, a sentence each."""
        return (
            f"Cells were suppressed that might tell of single people or contributors "
            f"({'; '.join(self.rules)}), and others so that these cannot be worked out from what "
            "is left.",
            "All other numbers are true.",
        )

    def tables(self) -> Iterator[PublishedTable]:
        """Yield the tables as they are published."""
        found = {}
        for counted, done in self.parts:
            for table in of_system(counted, done.system, done.system.values, done.suppressed):
                found[table.name] = table
        for name in self.order:
            yield found[name]

    def facts(self) -> Mapping[str, Any]:
        """Return how much was suppressed."""
        return {"systems": [done.to_dict() for _, done in self.parts]}

    def attack(self, again: Again) -> Mapping[str, Any]:
        """Attack the tables that were written, by what an attacker can calculate."""
        unprotected = wrong = 0
        joint: list[bool] = []
        narrowest: list[float] = []
        for counted, done in self.parts:
            system = done.system
            hidden = np.ones(len(system), dtype=bool)
            met = np.zeros(len(system), dtype=bool)
            rows = np.array([row for _, _, row in published_places(counted).shown])
            for table in of_system(counted, system, system.values, done.suppressed):
                read = again(table)
                at = system.places[table.name][rows]
                at = at[(slice(None), *(slice(size) for size in read.shape[1:]))]
                mask = read.suppressed
                assert mask is not None
                shown = ~mask
                wrong += int((read.numbers[shown] != system.values[at[shown]]).sum())
                # a cell that is told in any table is told
                np.logical_and.at(hidden, at.ravel(), mask.ravel())
                met[at.ravel()] = True
            found = audit(system, hidden & met, done.sensitive)
            unprotected += int((~found.holds).sum())
            narrowest += [found.narrowest] if np.isfinite(found.narrowest) else []
            counts = all(table.is_count and table.weight is None for table in counted.tables)
            if len(counted.layouts) > 1:
                together = (
                    joint_audit(counted, system, hidden & met, done.sensitive) if counts else None
                )
                joint.append(together is not None)
                if together is not None:
                    unprotected += int((~together.holds & found.holds).sum())
        why = []
        if unprotected:
            why.append(f"{unprotected:,} sensitive cells can be worked out too closely.")
        if wrong:
            why.append(f"{wrong:,} published numbers are not the true ones.")
        return {
            "attacks": [
                "the interval of every sensitive cell, by linear programs over the published sums",
                "what somebody knows who is alone in a suppressed cell",
                *(
                    ["the same over the joint table of all variables"]
                    if joint and all(joint)
                    else []
                ),
            ],
            "cells_worked_out": unprotected,
            "holds": not (unprotected or wrong),
            "why": " ".join(why),
            "reservations": (
                [] if all(joint) else [joint_attack_skipped("the joint table of all variables")]
            ),
            "private": {"narrowest_interval_to_value": min(narrowest, default=None)},
        }


def _refuse_universes(counted: Counted, settings: Publish) -> None:
    """Refuse to suppress where tables count different people: sums between them are not known."""
    if settings.stop == "allow":
        return
    for first in counted.tables:
        for second in counted.tables:
            alike = (first.value, first.weight) == (second.value, second.weight)
            if alike and first.universe != second.universe:
                raise GuaranteeError(
                    f"The tables '{first.name}' and '{second.name}' count different people, and "
                    "what they tell together is not protected by suppression. Nothing was "
                    "published. Give them one universe, use another method (--method cell-key), "
                    "or allow it (--stop allow)."
                )


def suppress_tables(data: Data, counted: Counted, settings: Publish) -> SuppressedTables:
    """Suppress cells: tables that add up different things are systems of their own."""
    _refuse_universes(counted, settings)
    kinds: dict[tuple[str | None, str | None], list[str]] = {}
    for table in counted.tables:
        kinds.setdefault((table.value, table.weight), []).append(table.name)
    parts = []
    rules: dict[str, None] = {}
    for (value, weight), names in kinds.items():
        part = labelled(counted.with_tables(counted.tables.only(names)), data.variables)
        if value is None and weight is None:
            system = cell_system(part)
            found = [threshold_rule(system, settings.threshold, width=settings.width)]
            rules[f"fewer than {settings.threshold} people"] = None
        else:
            system = magnitude_system(data.source, part)
            behind = system_contributions(
                data.source, data.engine, part, system, contributor=settings.contributor
            )
            found = [
                threshold_rule(
                    system, settings.threshold, contributions=behind, width=settings.width
                )
            ]
            rules[f"fewer than {settings.threshold} contributors"] = None
            if settings.dominance is not None:
                n, k = settings.dominance
                found.append(dominance_rule(system, behind, n=n, k=k))
                rules["dominance of few"] = None
            if settings.p_percent is not None:
                found.append(p_percent_rule(system, behind, p=settings.p_percent))
                rules["the p % rule"] = None
            if settings.pq is not None:
                p, q = settings.pq
                found.append(pq_rule(system, behind, p=p, q=q))
                rules["the pq rule"] = None
        sensitive = combined(*found) if len(found) > 1 else found[0]
        lowest = -np.inf if system.values.min(initial=0) < 0 else 0.0
        done = suppress(system, sensitive, zeros=settings.zeros, lowest=lowest)
        parts.append((part, done))
    order = tuple(table.name for table in counted.tables)
    return SuppressedTables(tuple(parts), order, tuple(rules))


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
