"""Linking every original record to the nearest released one, by ranks or by values.

K. Muralidhar and J. Domingo-Ferrer (2016), "Rank-based record linkage for re-identification risk
assessment", *Privacy in Statistical Databases*, 225-236: since masking is a permutation, ranks are
what an intruder compares. J. Domingo-Ferrer and V. Torra (2001) compare values. The attack is that
of `indistinct.prove.attacks.link_by_distance`; here both files are those of the holder, a missing
value equals a missing value, categories cost no more than numbers, and only the question whether
the own record is nearest is asked, so that half a million records take seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np
from numba import njit

from indistinct.core import (
    Array,
    Bools,
    Floats,
    InputError,
    Ints,
    Level,
    Seed,
    above,
    check_number,
    check_whole,
    did_you_mean,
    progress,
)
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import group_rows
from indistinct.prove.changes.pairing import (
    NO_RECORD,
    Match,
    PairedKeys,
    pair_keys,
    pair_records,
    shared_variables,
)
from indistinct.prove.changes.printing import percent
from indistinct.results import Result, Table, result
from indistinct.results.figures import bars

__all__ = [
    "LINKAGES",
    "Linkage",
    "LinkageDistance",
    "distances_to_own",
    "link_own",
    "link_pairs",
    "right_chances",
]


# Whether the nearest released record is a target's own, one target after another, compiled.


_EQUAL = 1e-9
"""Distances that differ by less, relatively, are equal: rounding, not evidence."""


@njit(cache=True, nogil=True, inline="always")
def _far(
    a: Array, ca: Array, b: Array, cb: Array,
    wide: float, squared: bool, limit: float,
) -> float:  # fmt: skip
    """Return the distance of two points, its square with `squared`; given up beyond `limit`.

    Coordinates that are not a number on either side are compared by their codes: equal, or `wide`
    apart.
    """
    total = 0.0
    for c in range(a.shape[0]):
        gap = abs(a[c] - b[c])
        if gap != gap:
            gap = 0.0 if ca[c] == cb[c] else wide
        total += gap * gap if squared else gap
        if total > limit:
            break
    return total


@njit(cache=True, nogil=True)
def distances_to_own(a: Array, ca: Array, b: Array, cb: Array, wide: float, squared: bool) -> Array:
    """Return the distance of each point of one list to the point beside it in the other."""
    found = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        total = _far(a[i], ca[i], b[i], cb[i], wide, squared, np.inf)
        found[i] = np.sqrt(total) if squared else total
    return found


@njit(cache=True, nogil=True)
def right_chances(
    a: Array,
    ca: Array,
    own: Array,
    start: Array,
    end: Array,
    unplaced: Array,
    points: Array,
    codes: Array,
    times: Array,
    first: int,
    wide: float,
    squared: bool,
) -> Array:
    """Return how many released records are as near as each target's own; 0 where one is nearer.

    Points lie between `start` and `end` for each target, sorted by coordinate `first`, from
    `unplaced` on without one. They are visited from the target's own coordinate outwards and not
    beyond the distance `own`, since none there can be as near.
    """
    found = np.zeros(a.shape[0], dtype=np.int64)
    for i in range(a.shape[0]):
        slack = _EQUAL * (1 + own[i])
        low, high = max(0.0, own[i] - slack), own[i] + slack
        reach = high
        if squared:
            low, high = low * low, high * high
        at = a[i, first]
        ties, nearer = 0, False
        if at == at:
            right = start[i] + np.searchsorted(points[start[i] : unplaced[i], first], at)
            left = right - 1
            more_left, more_right = left >= start[i], right < unplaced[i]
        else:
            left, right = start[i] - 1, start[i]
            more_left, more_right = False, right < unplaced[i]
        while (more_left or more_right) and not nearer:
            if more_right:
                j = right
                right += 1
                more_right = right < unplaced[i]
                if at == at and points[j, first] - at > reach:
                    more_right = False
                else:
                    total = _far(a[i], ca[i], points[j], codes[j], wide, squared, high)
                    if total < low:
                        nearer = True
                    elif total <= high:
                        ties += times[j]
            if more_left and not nearer:
                j = left
                left -= 1
                more_left = left >= start[i]
                if at - points[j, first] > reach:
                    more_left = False
                else:
                    total = _far(a[i], ca[i], points[j], codes[j], wide, squared, high)
                    if total < low:
                        nearer = True
                    elif total <= high:
                        ties += times[j]
        if not nearer:
            for j in range(unplaced[i], end[i]):
                total = _far(a[i], ca[i], points[j], codes[j], wide, squared, high)
                if total < low:
                    nearer = True
                    break
                if total <= high:
                    ties += times[j]
        found[i] = 0 if nearer else ties
    return found


LinkageDistance = Literal["rank", "gower"]
"""``rank``: Euclidean distance of mid-ranks, each as a share of its own file's; ``gower``: the sum
of |difference| / range. Values without an order, and missing ones, are equal or 1 apart."""

LINKAGES: tuple[LinkageDistance, ...] = get_args(LinkageDistance)

_TARGETS_AT_ONCE = 256


@result(eq=True)
class Linkage(Result):
    """How many people the nearest released record gives away.

    Parameters
    ----------
    within
        Variables that must agree exactly, because the intruder trusts them.
    targets
        The records that were looked for: all, or so many drawn at random.
    share, low, high
        The expected share linked to their own record, a record among t equally near ones counted
        as 1/t, and its Wilson interval; without width where all were looked for.
    certain
        The share linked to their own record with no other as near.
    before, before_certain
        The same in the original file itself, where only those who are alike can be confused.
    chance
        The share that guessing at random finds (among those who agree on `within`).
    """

    distance: LinkageDistance
    variables: tuple[str, ...]
    within: tuple[str, ...]
    records: int
    targets: int
    share: float
    low: float
    high: float
    certain: float
    before: float
    before_certain: float
    chance: float
    confidence: float = 0.95

    def _lines(self) -> list[str]:
        drawn = (
            f"all {self.records:,} records"
            if self.targets == self.records
            else f"{self.targets:,} of {self.records:,} records, drawn at random"
        )
        names = ", ".join(self.variables)
        trusted = f", equal in {', '.join(self.within)}" if self.within else ""
        between = "" if self.low == self.high else f" ({percent(self.low)} to {percent(self.high)})"
        return [
            f"Nearest released record by {self.distance} of {names}{trusted}",
            f"  looked for        {drawn}",
            f"  their own         {percent(self.share)}{between}; "
            f"without a tie {percent(self.certain)}",
            f"  in the original   {percent(self.before)}; "
            f"without a tie {percent(self.before_certain)}",
            f"  by chance         {percent(self.chance)}",
        ]

    def plot(self) -> str:
        """Draw the per cent of people whose nearest record is their own, as SVG."""
        return bars(
            f"Nearest record by {self.distance} is their own, per cent",
            ["in the release", "in the original", "by chance"],
            [100 * self.share, 100 * self.before, 100 * self.chance],
        )

    def _tables(self) -> list[Table]:
        return [
            Table(
                f"People whose nearest record by {self.distance} is their own",
                ("", "share", "without a tie"),
                [
                    ("in the release", self.share, self.certain),
                    ("in the original", self.before, self.before_certain),
                    ("by chance", self.chance, None),
                ],
                {"share": ".2%", "without a tie": ".2%"},
            )
        ]


def link_own(
    engine: Engine,
    original: Source,
    released: Source,
    variables: Sequence[str] | None = None,
    *,
    distance: LinkageDistance = "rank",
    within: Sequence[str] = (),
    targets: int | None = 2000,
    seed: Seed = 1,
    match: Match | None = None,
    levels: Mapping[str, Level] | None = None,
    confidence: float = 0.95,
) -> Linkage:
    """Find how often the nearest released record to an original one is its own.

    Parameters
    ----------
    variables
        What the intruder compares; by default all that both files have.
    within
        Variables, usually not masked, in which the intruder asks for equality.
    targets
        How many people the intruder looks for, drawn by `seed`; None for everybody.

    >>> import indistinct, pyarrow as pa
    >>> before = pa.table({"income": [10, 20, 30, 40], "sex": ["m", "f", "m", "f"]})
    >>> after = pa.table({"income": [20, 10, 30, 40], "sex": ["m", "f", "m", "f"]})
    >>> with indistinct.open_data(before) as a, indistinct.open_data(after) as b:
    ...     found = link_own(a.engine, a.source, b.source, ["income", "sex"])
    >>> found.share, found.before, found.chance
    (1.0, 1.0, 0.25)
    """
    names = shared_variables(original, released, variables, match=match)
    partner = pair_records(original, released, match=match)
    both = list(dict.fromkeys([*names, *within]))
    pairs = pair_keys(engine, original, released, both, partner=partner, levels=levels)
    return link_pairs(
        pairs,
        distance=distance,
        within=within,
        targets=targets,
        seed=seed,
        threads=engine.threads,
        confidence=confidence,
    )


def link_pairs(
    pairs: PairedKeys,
    *,
    distance: LinkageDistance = "rank",
    within: Sequence[str] = (),
    targets: int | None = 2000,
    seed: int = 1,
    threads: int = 1,
    confidence: float = 0.95,
) -> Linkage:
    """Link files that have been counted already; see `link_own`."""
    if distance not in LINKAGES:
        raise InputError(
            f"distance must be one of {', '.join(LINKAGES)}. Got '{distance}'. "
            f"{did_you_mean(distance, LINKAGES)}"
        )
    if targets is not None:
        check_whole("targets", targets, 1, hint="For everybody use None.")
    check_number("The confidence", confidence, above(0, below=1))
    names = [scale.name for scale in pairs.scales]
    for name in within:
        if name not in names:
            raise InputError(f"'{name}' is not compared. {did_you_mean(name, names)}")
    if set(names) <= set(within):
        raise InputError(
            "Every variable must be equal (within), so that none is left to be near in. "
            "Compare at least one other."
        )
    n = pairs.records
    chosen = _drawn(n, targets, seed)
    chances, certain = _chances(pairs, chosen, distance, within, threads)
    share = float(chances.mean()) if len(chances) else 0.0
    low, high = (share, share) if len(chosen) == n else _wilson(share, len(chosen), confidence)
    block = _blocks(pairs, within)
    size = np.bincount(block, weights=pairs.after)
    here = pairs.kept.copy()
    here[here] = block[pairs.original[here]] == block[pairs.released[here]]
    by_chance = (here / np.maximum(1, size[block[pairs.original]])).sum() / max(1, n)
    return Linkage(
        distance,
        tuple(name for name in names if name not in within),
        tuple(within),
        n,
        len(chosen),
        share,
        low,
        high,
        float(certain.mean()) if len(certain) else 0.0,
        float((pairs.before > 0).sum()) / max(1, n),
        float((pairs.before == 1).sum()) / max(1, n),
        float(by_chance),
        confidence,
    )


def _drawn(records: int, targets: int | None, seed: int) -> Ints:
    if targets is None or targets >= records:
        return np.arange(records)
    drawn = np.random.default_rng(seed).choice(records, size=targets, replace=False, shuffle=False)
    return np.sort(drawn)


def _blocks(pairs: PairedKeys, within: Sequence[str]) -> Ints:
    """Number the classes by the variables that must agree."""
    columns = [j for j, scale in enumerate(pairs.scales) if scale.name in within]
    if not columns:
        return np.zeros(len(pairs.codes), dtype=np.int64)
    return group_rows(pairs.codes[:, columns])


def _coordinates(pairs: PairedKeys, distance: LinkageDistance) -> tuple[Floats, Floats]:
    """Return the points of all classes as original and as released records; NaN without order."""
    points = np.full((2, *pairs.codes.shape), np.nan)
    for j, scale in enumerate(pairs.scales):
        if not scale.ordered:
            continue
        codes = pairs.codes[:, j]
        placed = np.isfinite(scale.place)
        values, at = np.unique(scale.place[placed], return_inverse=True)
        for side, counts in enumerate((pairs.before, pairs.after)):
            where = np.full(scale.size, np.nan)
            if distance == "rank":
                times = np.bincount(codes, weights=counts, minlength=scale.size)[placed]
                times = np.bincount(at, weights=times, minlength=len(values))
                where[placed] = ((np.cumsum(times) - times / 2) / max(1.0, times.sum()))[at]
            elif len(values):
                where[placed] = (values / (np.ptp(values) or 1.0))[at]
            points[side, :, j] = where[codes]
    return points[0], points[1]


def _chances(
    pairs: PairedKeys,
    chosen: Ints,
    distance: LinkageDistance,
    within: Sequence[str],
    threads: int,
) -> tuple[Floats, Bools]:
    """Return of each target how likely it is linked to its own record, and whether certainly."""
    block = _blocks(pairs, within)
    compared = [j for j, scale in enumerate(pairs.scales) if scale.name not in within]
    mine, theirs = (side[:, compared] for side in _coordinates(pairs, distance))
    codes = np.ascontiguousarray(pairs.codes[:, compared])
    kept = chosen[pairs.released[chosen] != NO_RECORD]
    couple = np.stack([pairs.original[kept], pairs.released[kept]], axis=1)
    same = block[couple[:, 0]] == block[couple[:, 1]]
    asked, of_target = np.unique(couple[same], axis=0, return_inverse=True)
    squared = distance == "rank"
    own = distances_to_own(
        mine[asked[:, 0]], codes[asked[:, 0]], theirs[asked[:, 1]], codes[asked[:, 1]], 1.0, squared
    )
    # the variable with the most values parts the released points best
    first = int(np.argmax([len(np.unique(column)) for column in theirs.T]))
    held = np.flatnonzero(pairs.after)
    held = held[np.lexsort((theirs[held, first], block[held]))]
    bounds = np.arange(int(block.max(initial=0)) + 2)
    starts = np.searchsorted(block[held], bounds)
    placed = np.bincount(block[held[np.isfinite(theirs[held, first])]], minlength=len(bounds) - 1)
    here = block[asked[:, 0]]
    points = np.ascontiguousarray(theirs[held])
    arguments = points, codes[held], pairs.after[held], first, 1.0, squared

    def ask(begin: int) -> Ints:
        part = slice(begin, begin + _TARGETS_AT_ONCE)
        rows, at = asked[part, 0], here[part]
        found: Ints = right_chances(
            mine[rows], codes[rows], own[part], starts[at], starts[at + 1], starts[at] + placed[at],
            *arguments,
        )  # fmt: skip
        looking.advance(len(rows))
        return found

    with (
        progress.task("looking for the nearest record", total=len(asked), unit="people") as looking,
        ThreadPoolExecutor(max(1, threads)) as pool,
    ):
        ties = np.concatenate(
            [np.empty(0, np.int64), *pool.map(ask, range(0, len(asked), _TARGETS_AT_ONCE))]
        )
    each = ties[of_target.reshape(-1)]
    chances, certain = np.zeros(len(chosen)), np.zeros(len(chosen), dtype=bool)
    at = np.flatnonzero(pairs.released[chosen] != NO_RECORD)[same]
    chances[at] = np.where(each > 0, 1 / np.maximum(1, each), 0.0)
    certain[at] = each == 1
    return chances, certain


def _wilson(share: float, trials: int, confidence: float) -> tuple[float, float]:
    """Return Wilson's interval; for shares of a target it is no narrower than it should be.

    The variance of numbers between 0 and 1 with mean p is at most p (1 − p).
    """
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    centre = (trials * share + z2 / 2) / (trials + z2)
    half = sqrt(z2 * (trials * share * (1 - share) + z2 / 4)) / (trials + z2)
    return max(0.0, centre - half), min(1.0, centre + half)
