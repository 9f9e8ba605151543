"""Zones drawn from the people of counted tables, and how many stand out in them.

Experiments ask what the risk would be in other areas. People are put into zones of a size at
random, by the areas they live in, or by what they have in common; the tables of such zones are made
from the classes, without counting records again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from indistinct.core import Bools, InputError, Ints, Seed, check_whole, did_you_mean
from indistinct.tables import kernels
from indistinct.tables.counting import Counted

__all__ = ["MOST_PEOPLE", "Kind", "ZoneRisk", "risk_in_zones"]


Kind = Literal["random", "neighbours", "alike", "areas"]
"""Zones of people at random; of people next to each other in the order of areas; of people with
like values; of whole areas put together at random."""

MOST_PEOPLE = 200_000
"""People that are looked at in one draw: in larger files some of the zones are."""


@dataclass(frozen=True)
class ZoneRisk:
    """How many full record tabular uniques there were in zones of one kind and size.

    Parameters
    ----------
    kind, size
        The zones, and the people each was to have at least.
    mean_size
        The people they had.
    zones, people
        Zones, and people in them, that were looked at in one draw.
    draws
        How often zones were drawn.
    frtu
        Full record tabular uniques, in the mean of the draws.
    risk, lowest, highest
        Their share of the people: in the mean, and in the draws with least and most.
    zones_hit
        The share of zones with such a unique, in the mean.
    """

    kind: str
    size: int
    mean_size: float
    zones: int
    people: int
    draws: int
    frtu: float
    risk: float
    lowest: float
    highest: float
    zones_hit: float


def risk_in_zones(
    counted: Counted,
    size: int,
    *,
    kind: Kind = "random",
    by: str | Sequence[str] | None = None,
    draws: int = 3,
    most_people: int = MOST_PEOPLE,
    seed: Seed = 1,
) -> ZoneRisk:
    """Draw zones of `size` people, or few more, and count the full record tabular uniques in them.

    Parameters
    ----------
    by
        For zones of like people, the variables by whose values people are put in order.
    """
    if kind not in get_args(Kind):
        raise InputError(
            f"There is no kind of zones '{kind}'. {did_you_mean(kind, get_args(Kind))}"
        )
    check_whole("size", size, 1)
    check_whole("draws", draws, 1)
    check_whole("most_people", most_people, 1)
    names = _names(counted, by)
    if (kind == "alike") != bool(names):
        raise InputError("Zones of like people, and only these, need variables: by=…")
    found = []
    for draw in range(draws):
        # every size and draw has numbers of its own, whatever else is tried
        rng = np.random.default_rng([seed, get_args(Kind).index(kind), size, draw])
        people, starts = _zones(counted, size, kind, names, rng)
        people, starts = _some(people, starts, most_people, rng)
        full = _full(counted, people, starts)
        zone = np.searchsorted(starts, np.flatnonzero(full), side="right")
        found.append((int(full.sum()), len(people), len(starts) - 1, len(np.unique(zone))))
    frtu, looked_at, zones, hit = np.array(found, dtype=np.float64).T
    risk = frtu / looked_at
    return ZoneRisk(
        kind,
        size,
        float((looked_at / zones).mean()),
        round(float(zones.mean())),
        round(float(looked_at.mean())),
        draws,
        float(frtu.mean()),
        float(risk.mean()),
        float(risk.min()),
        float(risk.max()),
        float((hit / zones).mean()),
    )


def _names(counted: Counted, by: str | Sequence[str] | None) -> list[str]:
    names = [] if by is None else [by] if isinstance(by, str) else list(by)
    for name in names:
        if name not in counted.codes:
            raise InputError(f"'{name}' was not counted. {did_you_mean(name, counted.codes)}")
    return names


def _zones(
    counted: Counted, size: int, kind: Kind, names: Sequence[str], rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Return the classes of people, zone after zone, and where zones begin."""
    people = np.repeat(np.arange(counted.classes, dtype=np.int64), counted.counts)
    if kind == "areas":
        sizes = counted.area_sizes
        order = rng.permutation(len(sizes))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        people = people[np.argsort(rank[counted.area[people]], kind="stable")]
        starts = [0]
        for end in np.cumsum(sizes[order]).tolist():
            if end - starts[-1] >= size:
                starts.append(end)
        # people who are too few for a zone of their own go to the last one
        starts[len(starts) - 1 if len(starts) > 1 else 1 :] = [len(people)]
        return people, np.array(starts, dtype=np.int64)
    mixed = rng.random(len(people))
    if kind == "random":
        order = np.argsort(mixed)
    elif kind == "neighbours":
        order = np.lexsort((mixed, counted.area[people]))
    else:
        order = np.lexsort((mixed, *(counted.codes[name][people] for name in reversed(names))))
    number = max(1, len(people) // size)
    return people[order], np.linspace(0, len(people), number + 1).astype(np.int64)


def _some(
    people: Ints, starts: Ints, most_people: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Keep as many zones, drawn at random, as have about so many people."""
    zones = len(starts) - 1
    kept = max(1, int(zones * most_people / len(people)))
    if kept >= zones:
        return people, starts
    chosen = np.sort(rng.choice(zones, kept, replace=False))
    sizes = np.diff(starts)[chosen]
    ends = np.cumsum(sizes)
    within = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
    return people[np.repeat(starts[chosen], sizes) + within], np.concatenate([[0], ends])


def _full(counted: Counted, people: Ints, starts: Ints) -> Bools:
    """Say of every person whether they are alone in every table that counts them: equation (9)."""
    alone = np.ones(len(people), dtype=bool)
    somewhere = np.zeros(len(people), dtype=bool)
    each = np.ones(len(people), dtype=np.int64)
    own = np.empty(len(people), dtype=np.int64)
    for position, layout in enumerate(counted.layouts):
        cell = counted.cell_of(position)[people]
        kernels.own_counts(starts, cell, each, layout.cells, own)
        alone &= own <= 1
        somewhere |= own == 1
        if not alone.any():
            break
    return alone & somewhere
