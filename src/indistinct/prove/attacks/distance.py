"""Distance-based linkage: whose record in a register is nearest to a released one.

Numbers that were perturbed, averaged, swapped or rounded no longer equal those that an intruder
knows, but they are often still nearest to them. D. Pagliuca and G. Seri (1999) link every
protected record to the nearest original one and count how often that is its own; J. Domingo-Ferrer
and V. Torra (2001), "A quantitative comparison of disclosure control methods for microdata", take
the two nearest as well. Ranks instead of values follow the permutation model of K. Muralidhar and
J. Domingo-Ferrer (2016): any masking is a permutation and a little noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numba import njit
from scipy.spatial import cKDTree

from indistinct.core import Array, Bools, Floats, InputError, Ints, did_you_mean
from indistinct.prove.attacks.distance_scales import DISTANCES, Distance, points_of
from indistinct.results import Fact, Result, Table, facts, result

__all__ = [
    "DistanceLinks",
    "DistanceQuality",
    "correct_by_distance",
    "link_by_distance",
    "nearest_mixed",
]


# Nearest points among categories and numbers, one pair after another, compiled.


@njit(cache=True, nogil=True)
def nearest_mixed(a: Array, b: Array, numbers: int, wide: float, k: int) -> Any:
    """Return the k least city-block distances of every point, and the points they belong to.

    From column `numbers` on, coordinates are categories: `wide` apart or equal. Of
    equal distances the point that comes first is listed first.
    """
    n, m = a.shape[0], b.shape[0]
    distances = np.full((n, k), np.inf)
    found = np.full((n, k), -1, dtype=np.int64)
    for i in range(n):
        worst = np.inf
        for j in range(m):
            total = 0.0
            for c in range(a.shape[1]):
                if c < numbers:
                    total += abs(a[i, c] - b[j, c])
                elif a[i, c] != b[j, c]:
                    total += wide
                if total >= worst:
                    break
            if total < worst:
                at = k - 1
                while at > 0 and distances[i, at - 1] > total:
                    distances[i, at] = distances[i, at - 1]
                    found[i, at] = found[i, at - 1]
                    at -= 1
                distances[i, at] = total
                found[i, at] = j
                worst = distances[i, k - 1]
    return distances, found


_EQUAL = 1e-9
"""Distances that differ by less, relatively, are equal: rounding, not evidence."""


@result
class DistanceLinks(Result):
    """The nearest record of the register for every released record.

    Parameters
    ----------
    nearest
        Register records (from 0), the nearest first, as many columns as were asked for; of ties
        those that come first in the register; -1 where a record has nothing to compare.
    distance, second
        The distance to the nearest record and to the one after it.
    within, closer, ties
        The distance of the last record asked for, how many are closer than it, and how many are
        just as far: a guess among them takes the right one with chance (asked for − closer) / ties.
    """

    nearest: Ints = field(repr=False)
    distance: Floats = field(repr=False)
    second: Floats = field(repr=False)
    within: Floats = field(repr=False)
    closer: Ints = field(repr=False)
    ties: Ints = field(repr=False)
    kind: Distance
    attributes: tuple[str, ...]
    register_records: int
    _points: tuple[Floats, Floats, int] = field(repr=False)

    FACTS = facts(
        Fact("records", lambda found: len(found)),
        "register_records",
        Fact("linked", lambda found: int((found.nearest[:, 0] >= 0).sum())),
        Fact("without_tie", lambda found: int((found.ties == 1).sum())),
        Fact("distance", "kind"),
        "attributes",
        Fact("nearest", lambda found: int(found.nearest.shape[1])),
    )

    @property
    def record(self) -> Ints:
        """The numbers of the released records, from 0."""
        return np.arange(len(self.distance))

    def __len__(self) -> int:
        return len(self.distance)

    def _lines(self) -> list[str]:
        alone = int((self.ties == 1).sum())
        linked = int((self.nearest[:, 0] >= 0).sum())
        lines = [
            f"{linked:,} of {len(self):,} records linked to the nearest of "
            f"{self.register_records:,} by {self.kind} distance of {', '.join(self.attributes)}",
            f"  without a tie               {alone:8,}",
        ]
        if linked:
            lines.append(f"  median distance             {np.nanmedian(self.distance):8.4f}")
            lines.append(f"  median distance to the next {np.nanmedian(self.second):8.4f}")
        return lines

    def _tables(self) -> list[Table]:
        facts: dict[str, object] = {
            "records": len(self),
            "register": self.register_records,
            "linked": int((self.nearest[:, 0] >= 0).sum()),
            "without a tie": int((self.ties == 1).sum()),
        }
        if facts["linked"]:
            facts["median distance"] = float(np.nanmedian(self.distance))
            facts["median distance to the next"] = float(np.nanmedian(self.second))
        return [
            Table.facts(f"Nearest by {self.kind} distance of {', '.join(self.attributes)}", facts)
        ]


@result(eq=True)
class DistanceQuality(Result):
    """How many released records their nearest register records give away.

    `expected` counts a record among t equally near ones as 1/t; `certain` counts those that have
    no tie; `chance` is what guessing at random would find.
    """

    records: int
    expected: float
    certain: int
    chance: float

    FACTS = facts(
        Fact("records", shown="records"),
        Fact("expected", shown="expected", form=",.1f"),
        Fact("certain", shown="without a tie"),
        Fact("share", shown="share", form=".2%"),
        Fact("chance", shown="by chance", form=",.1f"),
    )

    @property
    def share(self) -> float:
        """The share of records linked to their own."""
        return self.expected / self.records if self.records else 0.0

    def sentence(self) -> str:
        """Say how many records are linked to their own."""
        return "Records linked to their own by what is nearest"


def link_by_distance(
    released: pa.Table,
    register: pa.Table,
    attributes: Sequence[str],
    *,
    distance: Distance = "standardised",
    nearest: int = 1,
) -> DistanceLinks:
    """Find the register's nearest record, or records, for every released record.

    Parameters
    ----------
    distance
        ``standardised``, ``robust``, ``rank``, ``mahalanobis``, or ``gower`` (which takes
        categories too); see `distance_scales`.
    nearest
        How many records the intruder looks at.

    A missing released value is left out of that record's distance; a register's record that
    misses a value which the released one has is no candidate for it.

    >>> register = pa.table({"income": [10.0, 20.0, 30.0], "age": [30.0, 60.0, 30.0]})
    >>> released = pa.table({"income": [12.0, 19.0, 25.0], "age": [30.0, 58.0, 31.0]})
    >>> links = link_by_distance(released, register, ["income", "age"])
    >>> links.nearest[:, 0].tolist(), correct_by_distance(links).expected
    ([0, 1, 2], 3.0)
    """
    if distance not in DISTANCES:
        raise InputError(
            f"distance must be one of {', '.join(DISTANCES)}. Got '{distance}'. "
            f"{did_you_mean(distance, DISTANCES)}"
        )
    if not attributes:
        raise InputError("Linking needs at least one attribute. Got none.")
    if not 1 <= nearest <= max(1, len(register)):
        raise InputError(
            f"nearest must be between 1 and the register's {len(register):,} records. "
            f"Got {nearest}."
        )
    points = points_of(released, register, attributes, distance)
    a, b, categories = points
    n = len(a)
    out = _Found(n, nearest)
    patterns, of_record = np.unique(np.isfinite(a), axis=0, return_inverse=True)
    for number, present in enumerate(patterns):
        rows = np.flatnonzero(of_record.ravel() == number)
        candidates = np.flatnonzero(np.isfinite(b[:, present]).all(axis=1))
        if not present.any() or len(candidates) < nearest:
            continue
        share = a.shape[1] / present.sum() if distance == "gower" else 1.0
        numbers = int(present[: a.shape[1] - categories].sum())
        search = _Search(
            b[candidates][:, present] * share, distance == "gower", numbers, share / len(attributes)
        )
        out.fill(rows, candidates, search, a[rows][:, present] * share)
    return DistanceLinks(
        out.nearest,
        out.distance,
        out.second,
        out.within,
        out.closer,
        out.ties,
        distance,
        tuple(attributes),
        len(b),
        points,
    )


def correct_by_distance(
    links: DistanceLinks, own: Sequence[int] | Array | None = None
) -> DistanceQuality:
    """Count how often the nearest record, or one of those asked for, is a record's own.

    `own` is the register record that each released record belongs to, -1 for none; without it
    both files are taken to be in the same order.
    """
    a, b, categories = links._points
    mine = np.arange(len(a)) if own is None else np.asarray(own, dtype=np.int64)
    if len(mine) != len(a) or mine.max(initial=-1) >= len(b):
        raise InputError(
            "own must give, for each released record, a record number of the register or -1."
        )
    gap = np.abs(a - b[np.maximum(mine, 0)])
    if links.kind == "gower":
        numbers = gap.shape[1] - categories
        unlike = gap[:, numbers:]
        gap[:, numbers:] = np.where(np.isnan(unlike), np.nan, (unlike > 0) / len(links.attributes))
    else:
        gap = gap**2
    missing = np.isnan(gap) & np.isfinite(a)
    total = np.nansum(gap, axis=1)
    if links.kind == "gower":
        total *= a.shape[1] / np.maximum(1, np.isfinite(a).sum(axis=1))
    else:
        total = np.sqrt(total)
    candidate = (mine >= 0) & ~missing.any(axis=1) & (links.ties > 0)
    slack = _EQUAL * (1 + links.within)
    asked = links.nearest.shape[1]
    with np.errstate(invalid="ignore"):
        at = np.abs(total - links.within) <= slack
        chance = np.where(at, (asked - links.closer) / np.maximum(1, links.ties), 0.0)
        chance = np.where(total < links.within - slack, 1.0, chance)
    chance = np.where(candidate, np.minimum(chance, 1.0), 0.0)
    return DistanceQuality(
        len(a),
        float(chance.sum()),
        int((chance == 1).sum()),
        float((mine >= 0).sum()) * asked / max(1, len(b)),
    )


class _Search:
    """The distinct points of a register, to be asked for the k nearest."""

    def __init__(self, points: Floats, mixed: bool, numbers: int, wide: float) -> None:
        self.points, first, inverse = np.unique(
            points, axis=0, return_index=True, return_inverse=True
        )
        self.first = first
        self.times = np.bincount(inverse.ravel())
        self.members = np.argsort(inverse.ravel(), kind="stable")
        self.starts = np.concatenate([[0], np.cumsum(self.times)])
        self.mixed, self.numbers, self.wide = mixed, numbers, wide
        self.tree = None if mixed and numbers < points.shape[1] else cKDTree(self.points)

    def ask(self, asked: Floats, k: int) -> tuple[Floats, Ints]:
        """Return distances and distinct points, the nearest first."""
        k = min(k, len(self.points))
        if self.tree is None:
            distances, found = nearest_mixed(
                np.ascontiguousarray(asked), self.points, self.numbers, self.wide, k
            )
            return distances, found
        distances, found = self.tree.query(asked, k=k, p=1 if self.mixed else 2, workers=-1)
        return distances.reshape(len(asked), k), found.reshape(len(asked), k)


class _Found:
    """Room for what is found of every released record."""

    def __init__(self, records: int, nearest: int) -> None:
        self.nearest = np.full((records, nearest), -1, dtype=np.int64)
        self.distance, self.second, self.within = (np.full(records, np.nan) for _ in range(3))
        self.closer, self.ties = (np.zeros(records, dtype=np.int64) for _ in range(2))

    def fill(self, rows: Ints, candidates: Ints, search: _Search, points: Floats) -> None:
        """Ask for all rows, and for more neighbours where the last ones listed are tied."""
        asked = self.nearest.shape[1]
        distinct, of_row = np.unique(points, axis=0, return_inverse=True)
        room = _Found(len(distinct), asked)
        waiting = np.arange(len(distinct))
        k = asked + 2
        while len(waiting):
            distances, found = search.ask(distinct[waiting], k)
            last = _tallied(distances, search.times[found], asked)
            done = last.sure | (k >= len(search.points))
            at = waiting[done]
            room.distance[at] = distances[done, 0]
            room.second[at], room.within[at] = last.second[done], last.within[done]
            room.closer[at], room.ties[at] = last.closer[done], last.ties[done]
            plain = done & last.apart
            room.nearest[waiting[plain]] = candidates[search.first[found[plain, :asked]]]
            for i in np.flatnonzero(done & ~last.apart):
                room.nearest[waiting[i]] = candidates[
                    _members(distances[i], found[i], search, asked)
                ]
            waiting = waiting[~done]
            k *= 4
        for name in ("nearest", "distance", "second", "within", "closer", "ties"):
            getattr(self, name)[rows] = getattr(room, name)[of_row.ravel()]


@dataclass(frozen=True, eq=False)
class _Tally:
    within: Floats
    second: Floats
    closer: Ints
    ties: Ints
    sure: Bools
    apart: Bools


def _tallied(distances: Floats, times: Ints, asked: int) -> _Tally:
    """Find the distance of the record asked for last, and how many are closer or tied."""
    reached = np.cumsum(times, axis=1)
    row = np.arange(len(distances))
    within = distances[row, np.argmax(reached >= asked, axis=1)]
    enough = reached[:, -1] >= asked
    second = np.where(
        times[:, 0] > 1, distances[:, 0], distances[:, min(1, distances.shape[1] - 1)]
    )
    slack = _EQUAL * (1 + within)
    low, high = (within - slack)[:, None], (within + slack)[:, None]
    closer = np.where(distances < low, times, 0).sum(axis=1)
    ties = np.where((distances >= low) & (distances <= high), times, 0).sum(axis=1)
    sure = enough & (distances[:, -1] > high[:, 0])
    ahead = distances[:, : asked + 1]
    steps = np.diff(ahead, axis=1) > slack[:, None]
    apart = steps.all(axis=1) & (times[:, :asked] == 1).all(axis=1) & (ahead.shape[1] > asked)
    return _Tally(within, second, closer, ties, sure, apart)


def _members(distances: Floats, found: Ints, search: _Search, asked: int) -> Ints:
    """Name the records asked for; among equally far points the first of the register."""
    rounded = np.round(distances / (_EQUAL * (1 + distances[0])))
    chosen: list[int] = []
    for level in np.unique(rounded):
        points = found[rounded == level]
        records = np.sort(
            np.concatenate(
                [search.members[search.starts[p] : search.starts[p + 1]] for p in points]
            )
        )
        chosen += records[: asked - len(chosen)].tolist()
        if len(chosen) == asked:
            break
    return np.array(chosen)
