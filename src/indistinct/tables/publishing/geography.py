"""The geographies of a publication: areas merged, further zonings stopped, requests checked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from indistinct.core import GuaranteeError, InputError, Seed
from indistinct.flow import Data
from indistinct.naming import columns_that_name, is_amount
from indistinct.project import Publish
from indistinct.results import Fact, Result, facts, result
from indistinct.tables import (
    Counted,
    Grouping,
    Merged,
    Published,
    Stopped,
    TableSet,
    check_request,
    difference_geographies,
    differences,
    merge_areas,
    merge_to_stop,
    zoning_of,
)
from indistinct.tables.differencing.overlapping import zone_of
from indistinct.tables.grouping import MISSING

__all__ = [
    "Geographies",
    "refuse_exact_differences",
    "refuse_naming_areas",
    "refuse_rare_categories",
    "settle_geographies",
]

PEOPLE_OF_AN_AREA = 10
"""People that an area has on average, at least, if its variable is named as identifiers are."""

EXACT = ("none", "suppress", "small-counts")
"""Methods that publish true numbers, or such that differences of them may be true."""


@result
class Geographies(Result):
    """The geographies as they are published, and what was done for that.

    Parameters
    ----------
    counted
        The tables, for the geographies that are published.
    merged
        How areas were merged, where that was asked for.
    stopped
        By the name of a further geography, how its zones were merged so that subtraction reveals
        nothing.
    left_out
        The further geographies that are not published.
    record
        Everything published so far and with this.
    """

    counted: Counted
    merged: Merged | None
    stopped: dict[str, Stopped]
    left_out: tuple[str, ...]
    record: Published

    FACTS = facts(
        Fact("areas", lambda found: len(found.counted.areas), shown="areas"),
        "merged",
        Fact("stopped", lambda found: {name: one.to_dict() for name, one in found.stopped.items()}),
        Fact("left_out", shown="geographies left out"),
        Fact("changed", lambda found: len(found.stopped), shown="geographies changed", told=False),
    )

    def sentence(self) -> str:
        """Say how many areas are published."""
        return f"Geographies({len(self.counted.areas):,} areas published)"

    def _fact_lines(self) -> list[str]:
        parts = [*([self.merged] if self.merged is not None else []), *self.stopped.values()]
        return super()._fact_lines() + [line for part in parts for line in part._fact_lines()]

    def told(self) -> list[str]:
        """Return what users are told, a sentence each."""
        told = []
        if self.merged is not None and self.merged.merges:
            told.append(
                f"Areas were merged, {self.merged.areas_before:,} into {self.merged.areas_after:,};"
                " areas.csv says which."
            )
        for name, one in self.stopped.items():
            told.append(
                f"Zones of {name} were merged, {one.to_dict()['zones_before']:,} into "
                f"{len(one.labels):,}."
            )
        return told


def refuse_naming_areas(data: Data, tables: TableSet) -> None:
    """Refuse areas that are people or amounts: their labels would publish what the numbers hide."""
    areas = [g.variable for g in (tables.area, *tables.also) if g.variable and g.takes_values]
    if not areas:
        return
    naming = {one.name: one for one in columns_that_name(data.engine, data.source, key=())}
    facts = {one.name: one for one in data.describe(areas)}
    for name in areas:
        # buildings are named as addresses are, and may be areas if many live in each
        few = facts[name].distinct > data.records / PEOPLE_OF_AN_AREA
        if name in naming and (few or data.variables[name].role == "identifier"):
            raise InputError(
                f"'{name}' cannot be an area: it names people ({naming[name].reason}), and every "
                "name would be published. Take a variable that says where people live, or a "
                "recode."
            )
        if is_amount(data.source, name):
            raise InputError(
                f"'{name}' cannot be an area: it is an amount, and every value of it would be "
                "published. Take a variable that says where people live, or a recode with bands."
            )


def settle_geographies(
    counted: Counted, settings: Publish, *, within: Grouping | None = None, seed: Seed = 0
) -> Geographies:
    """Merge areas, and deal with further geographies that reveal small zones, as asked for.

    Whatever is published in the end was checked against everything that was published before.
    """
    merged = None
    if settings.merge or settings.least_people:
        merged = merge_areas(counted, within=within, least_people=settings.least_people, seed=seed)
        counted = merged.regrouped
    threshold = settings.smallest_zone
    kept: list[Grouping] = []
    stopped: dict[str, Stopped] = {}
    left_out: list[str] = []
    for geography in counted.tables.also:
        reveals = [
            found
            for first in (counted.tables.area, *kept)
            if not (
                found := difference_geographies(counted, first, geography, threshold=threshold)
            ).is_safe
        ]
        if not reveals or settings.stop == "allow":
            kept.append(geography)
        elif settings.stop == "leave-out":
            left_out.append(geography.name)
        elif settings.stop == "merge":
            geography, how = _stop(counted, [counted.tables.area, *kept], geography, threshold)
            kept.append(geography)
            stopped[geography.name] = how
        else:
            zones = sum(found.zones for found in reveals)
            people = sum(found.people for found in reveals)
            raise GuaranteeError(
                f"The geography '{geography.name}' beside "
                f"'{reveals[0].revealed.overlap.names[0]}' reveals {zones:,} zones below "
                f"{threshold} people by subtraction, with {people:,} people. Nothing was "
                "published. Merge its zones (--stop merge), leave it out (--stop leave-out), or "
                "perturb the numbers and allow it (--stop allow)."
            )
    tables = TableSet(counted.tables.tables, counted.tables.area, tuple(kept))
    counted = counted.with_tables(tables)
    if settings.stop != "allow":
        _refuse_together(counted, threshold)
    return Geographies(counted, merged, stopped, tuple(left_out), _recorded(counted, settings))


def _refuse_together(counted: Counted, threshold: int) -> None:
    """Refuse geographies that determine small zones together though no two of them do."""
    tables = counted.tables
    one = counted.with_tables(TableSet(tables.tables[:1], tables.area, tables.also))
    joint = differences(one, threshold=threshold).joint
    if joint is not None and joint.number:
        names = ", ".join(f"'{g.name}'" for g in (tables.area, *tables.also))
        raise GuaranteeError(
            f"The geographies {names} together determine {joint.number:,} zones below "
            f"{threshold} people, with {joint.people_revealed:,} people, though no two of them do. "
            "Nothing was published. Leave one of them out, or perturb the numbers and allow it "
            "(--stop allow)."
        )


def refuse_exact_differences(counted: Counted, settings: Publish) -> None:
    """Refuse true numbers whose codings or universes give small counts by subtraction."""
    if (settings.method or "none") not in EXACT or settings.stop == "allow":
        return
    _refuse_crossing(counted)
    alone = counted.with_tables(TableSet(counted.tables.tables, counted.tables.area))
    found = differences(alone, threshold=settings.smallest_zone, cell_threshold=settings.threshold)
    for pair in found.pairs:
        if pair.zones:
            first, second = pair.revealed.overlap.names
            raise GuaranteeError(
                f"The tables '{first}' and '{second}' differ in {pair.kind}: subtraction gives "
                f"{pair.zones:,} counts below {settings.threshold}. Nothing was published. Code "
                "them alike, perturb the numbers (--method small-counts, cell-key), or allow it "
                "(--stop allow)."
            )


def refuse_rare_categories(counted: Counted, settings: Publish) -> None:
    """Refuse categories that are there because of a few people: that they are there tells of them.

    Those of declared groups, bands and levels are there whoever is in them.
    """
    if settings.stop == "allow":
        return
    for position, layout in enumerate(counted.layouts):
        cell = counted.cell_of(position)
        inside = cell >= 0
        at = np.unravel_index(cell[inside], layout.shape)
        for grouping, categories, code in zip(
            layout.table.dimensions, layout.categories, at, strict=True
        ):
            if grouping.variable is None:
                continue
            people = np.bincount(code, weights=counted.counts[inside], minlength=categories.size)
            rare = (people > 0) & (people < settings.threshold)
            if not (grouping.takes_values or grouping.width is not None):
                rare &= np.array([label == MISSING for label in categories.labels])
            if rare.any():
                raise GuaranteeError(
                    f"'{grouping.name}' in the table '{layout.name}' has {int(rare.sum())} "
                    f"categories with fewer than {settings.threshold} people in the whole file. "
                    "That they are there tells of these people, whatever number is beside them. "
                    "Nothing was published. Group them with others in a recode, or allow it "
                    "(--stop allow)."
                )


def _refuse_crossing(counted: Counted) -> None:
    """Refuse geographies that cross: cells of zones had by subtraction are not looked at."""
    zones = [
        (geography.name, zone_of(counted, geography)[0])
        for geography in (counted.tables.area, *counted.tables.also)
    ]
    for n, (name, one) in enumerate(zones):
        for other, two in zones[n + 1 :]:
            pairs = np.unique(np.stack([one, two]), axis=1).shape[1]
            nested = pairs == max(len(np.unique(one)), len(np.unique(two)))
            if not nested or (one < 0).any() or (two < 0).any():
                raise GuaranteeError(
                    f"The geographies '{name}' and '{other}' cross, so that subtraction gives "
                    "tables of the zones between them, and small counts in these are not "
                    "protected. Nothing was published. Publish geographies that nest, perturb the "
                    "numbers (--method cell-key, round), or allow it (--stop allow)."
                )


def _stop(
    counted: Counted, published: list[Grouping], geography: Grouping, threshold: int
) -> tuple[Grouping, Stopped]:
    """Merge the zones of a geography until it reveals nothing beside those published."""
    codes, labels = zone_of(counted, geography)
    first: Stopped | None = None
    while True:
        changed = False
        for one in published:
            other, other_labels = zone_of(counted, one)
            done = merge_to_stop(
                other,
                codes,
                counted.counts,
                threshold,
                first_labels=other_labels,
                second_labels=labels,
                names=(one.name, geography.name),
            )
            if done.rounds:
                changed = True
                codes, labels = done.zoning(codes), done.labels
                first = done if first is None else replace(done, before=first.before)
        if not changed:
            break
    assert first is not None
    values = counted.values[geography.variable or ""]
    of_value = np.full(len(values), -1, dtype=np.int64)
    of_value[counted.codes[geography.variable or ""]] = codes
    groups: list[list[Any]] = [[] for _ in labels]
    for value, zone in zip(values, of_value.tolist(), strict=True):
        if zone >= 0:
            groups[zone].append(value)
    made = tuple((label, tuple(items)) for label, items in zip(labels, groups, strict=True))
    return Grouping(geography.name, geography.variable, groups=made), first


def _recorded(counted: Counted, settings: Publish) -> Published:
    """Check what is to be published against everything published before, and add it."""
    path = settings.published
    record = Published.load(path) if path is not None and path.exists() else Published()
    if path is None:
        return record
    if record.zonings and settings.method == "suppress" and settings.stop != "allow":
        raise GuaranteeError(
            "Something was published before, and cells suppressed now may be told there, or follow "
            "from both. Nothing was published. Suppress all tables together in one publication, "
            "use another method (--method cell-key), or allow it (--stop allow)."
        )
    for geography in (counted.tables.area, *counted.tables.also):
        if geography.variable is None:
            continue
        zoning = zoning_of(counted, geography)
        same = [one.zones for one in record.zonings if one.variable == zoning.variable]
        if zoning.zones in same:
            continue
        verdict = check_request(record, zoning, counted, threshold=settings.smallest_zone)
        if record.zonings and not verdict.allowed and settings.stop != "allow":
            raise GuaranteeError(
                f"The geography '{geography.name}' cannot be published beside what was published "
                f"before: {'; '.join(verdict.reasons)}. Nothing was published. Merge its zones, "
                "or leave it out."
            )
        taken = {one.name for one in record.zonings}
        number = 2
        while zoning.name in taken:
            zoning = replace(zoning, name=f"{geography.name} ({number})")
            number += 1
        record = record.and_also(zoning)
    return record
