"""Merging areas until nobody in them is a full record tabular unique.

Openshaw, Duke-Williams and Rees (1997) propose to control the risk of tables "by optimising the
geographies used to present the data" (section 1). Here the tables stay as they are and areas are
merged, as few as can be found.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from indistinct.core import (
    Bools,
    GuaranteeError,
    Seed,
    between,
    check_number,
    check_whole,
)
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables.counting import Counted
from indistinct.tables.grouping import Grouping
from indistinct.tables.merging.problem import (
    Geography,
    Ints,
    MergeProblem,
    Neighbours,
    geography_of,
    helping_areas,
)
from indistinct.tables.merging.search import fewest_merges, least_merges
from indistinct.tables.uniques import TabularUniques, tabular_uniques

__all__ = ["Merged", "merge_areas"]


@result
class Merged(Result):
    """Areas merged until no full record tabular unique is left, or no more than allowed.

    Parameters
    ----------
    areas
        The areas as they were.
    into
        For each the merged area that it is part of now; its own name where it stayed alone.
    frtu_before, frtu_after
        Full record tabular uniques in the areas as they were, and counted again as they are now.
    allowed
        How many were allowed to stay.
    least_merges
        Merges below which nothing can be done: half of the areas that could not stay alone.
    regrouped
        The same tables for the merged areas.
    """

    areas: tuple[str, ...]
    into: tuple[str, ...]
    frtu_before: int
    frtu_after: int
    allowed: int
    least_people: int
    least_merges: int
    regrouped: Counted

    FACTS = facts(
        "areas_before",
        "areas_after",
        "merges",
        "least_merges",
        "frtu_before",
        "frtu_after",
        Fact("frtu_allowed", "allowed"),
        "least_people",
        Fact("smallest_area", lambda found: int(found.regrouped.area_sizes.min())),
        Fact("records", "regrouped.records"),
        Fact(
            "areas that stayed alone",
            lambda found: sum(n == 1 for n in Counter(found.into).values()),
            told=False,
        ),
        Fact(
            "areas in the largest merged area",
            lambda found: max(Counter(found.into).values()),
            told=False,
        ),
        shown=True,
    )

    def sentence(self) -> str:
        """Say how many areas became how many."""
        return (
            f"Merged({self.areas_before:,} areas into {self.areas_after:,}, "
            f"{self.regrouped.records:,} people)"
        )

    @property
    def mapping(self) -> dict[str, str]:
        """The merged area of every area."""
        return dict(zip(self.areas, self.into, strict=True))

    @property
    def areas_before(self) -> int:
        """The number of areas as they were."""
        return len(self.areas)

    @property
    def areas_after(self) -> int:
        """The number of areas now."""
        return len(self.regrouped.areas)

    @property
    def merges(self) -> int:
        """Areas that were lost."""
        return self.areas_before - self.areas_after

    @property
    def gap(self) -> int:
        """Merges above those that nobody can do without; the best is somewhere between."""
        return self.merges - self.least_merges

    def _row_tables(self) -> list[Table]:
        rows = list(zip(self.areas, self.into, strict=True))
        return [
            Table("Where every area went", ("area", "merged area"), rows),
        ]

    def plot(self) -> str:
        """Return a figure: merged areas by how many areas they are made of."""
        together = Counter(Counter(self.into).values())
        sizes = sorted(together)
        labels = ["alone", *(f"{n} areas" for n in range(2, max(sizes) + 1))]
        counts = [together.get(n, 0) for n in range(1, max(sizes) + 1)]
        return bars("Areas by the number of areas they are made of", labels, counts)


def merge_areas(
    counted: Counted,
    *,
    neighbours: Neighbours | None = None,
    within: Grouping | None = None,
    least_people: int = 0,
    allow_share: float = 0.0,
    seed: Seed = 0,
) -> Merged:
    """Merge areas until no full record tabular unique is left, and keep as many as can be found.

    Somebody stays a unique of a merged area as long as none of the areas merged with theirs holds
    anybody in one of their cells, so uniques never grow more, and each partition is judged without
    counting again. What was found is counted again at the end.

    Parameters
    ----------
    neighbours
        Pairs of areas that touch, or the coordinates of every area: merged areas then hang
        together. None where any two may merge; the next in code order are preferred.
    within
        A coarser geography that no merged area reaches beyond.
    least_people
        People that every area must have.
    allow_share
        The share of all people who may stay full uniques.
    seed
        For the order in which equally good partners are tried.
    """
    check_whole("least_people", least_people, 0)
    check_number("allow_share", allow_share, between(0, 1))
    uniques = tabular_uniques(counted)
    allowed = int(allow_share * counted.records + 1e-9)
    geography = geography_of(counted, neighbours=neighbours, within=within)
    problem = _problem(counted, uniques, geography, least_people, allowed)
    partition = fewest_merges(problem, seed=seed)
    into = _names(counted.areas, partition)
    regrouped = _regrouped(counted, into)
    after = tabular_uniques(regrouped).frtu
    if after > allowed or int(regrouped.area_sizes.min()) < least_people:
        raise GuaranteeError("The merged areas did not pass the second count. Nothing was merged.")
    return Merged(
        areas=counted.areas,
        into=into,
        frtu_before=uniques.frtu,
        frtu_after=after,
        allowed=allowed,
        least_people=least_people,
        least_merges=least_merges(problem),
        regrouped=regrouped,
    )


def _problem(
    counted: Counted,
    uniques: TabularUniques,
    geography: Geography,
    least_people: int,
    allowed: int,
) -> MergeProblem:
    """Return what has to be resolved, or refuse what cannot be."""
    sizes = counted.area_sizes
    people = np.bincount(geography.part, weights=sizes)
    if people.min() < least_people:
        raise GuaranteeError(
            f"{int((people < least_people).sum()):,} of the {len(people):,} parts of the country "
            f"within which areas may merge have fewer than {least_people:,} people altogether. "
            "Ask for fewer people, or let areas merge within larger parts."
        )
    helps = helping_areas(counted, uniques.full, geography.part)
    of = counted.area[uniques.full].astype(np.int64)
    hopeless: Bools = np.logical_not(helps.any(axis=1))
    if (number := int(hopeless.sum())) > allowed:
        whole = "the whole country is" if len(people) == 1 else "whole parts of the country are"
        raise GuaranteeError(
            f"When {whole} one area, {number:,} full record tabular uniques are still there; "
            f"{allowed:,} are allowed. Take coarser recodes or fewer tables"
            + (", or let areas merge within larger parts." if len(people) > 1 else ".")
        )
    kept = ~hopeless & ~_forgiven(of, hopeless, sizes, least_people, allowed)[of]
    starts = np.searchsorted(of[kept], np.arange(len(sizes) + 1)).astype(np.int64)
    return MergeProblem(geography, sizes, starts, helps[kept], least_people)


def _forgiven(of: Ints, hopeless: Bools, sizes: Ints, least_people: int, allowed: int) -> Bools:
    """Say which areas may keep their uniques: those with fewest, as many as are allowed."""
    budget = allowed - int(hopeless.sum())
    number = np.bincount(of[~hopeless], minlength=len(sizes))
    candidates = np.flatnonzero((number > 0) & (sizes >= least_people))
    candidates = candidates[np.argsort(number[candidates], kind="stable")]
    spared = candidates[np.cumsum(number[candidates]) <= budget]
    forgiven = np.zeros(len(sizes), dtype=bool)
    forgiven[spared] = True
    return forgiven


def _names(areas: tuple[str, ...], partition: list[list[int]]) -> tuple[str, ...]:
    """Name a merged area after its first area and how many more there are."""
    into = list(areas)
    taken = set(areas)
    for members in partition:
        if len(members) == 1:
            continue
        name = f"{areas[members[0]]}+{len(members) - 1}"
        while name in taken:
            name += "'"
        taken.add(name)
        for area in members:
            into[area] = name
    return tuple(into)


def _regrouped(counted: Counted, into: tuple[str, ...]) -> Counted:
    """Return the tables for merged areas, the merged areas as groups of the variable's values."""
    area = counted.tables.area
    if area.variable is None:
        return counted
    values = counted.values[area.variable]
    of_value = area.categories(values).codes
    groups: dict[str, list[Any]] = {name: [] for name in into}
    for value, position in zip(values, of_value.tolist(), strict=True):
        groups[into[position]].append(value)
    merged = Grouping(
        area.name,
        area.variable,
        groups=tuple((name, tuple(members)) for name, members in groups.items()),
    )
    return counted.regrouped(merged)
