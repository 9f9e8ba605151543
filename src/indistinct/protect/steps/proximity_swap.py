"""Proximity swapping: values change places with values that are near (Dalenius and Reiss 1982)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numba import njit

from indistinct.core import Floats, InputError, Ints, above, check_number
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import check_variables, group_numbers, rewritten
from indistinct.protect.steps.ordered import Ordered, read_ordered
from indistinct.protect.steps.pairing import ALONE, pairs_in_windows, windows_by_distance

__all__ = ["ProximitySwap", "ProximityUnit", "near_pairs"]


# Pairs of records that are near each other in value, on one variable or on several.
#
# On one variable the records are sorted, and each free one takes a free one of its window
# (`pairing`). Values are no ranks: a window may hold few records, and a draw may leave two alone
# that
# could have been paired. So the pairs are mended: where u and v are alone, x–y is a pair, u is near
# x and y near v, the pairs become u–x and y–v (an augmenting path of length three).
#
# On several variables near means near on each. A grid is laid over them whose cells are as wide as
# the bounds: two records in a cell are near. Its origin is drawn at random, records of a cell are
# paired at random, and those left over try again with another origin; at last, by search.


_GRIDS = 12
_FINE = 1e-9
_LOOKS = 512
"""Candidates that are looked at for one record that is still alone."""

Array = Any


def near_pairs(
    places: Sequence[Floats],
    bounds: Sequence[float],
    strata: Ints,
    records: Ints,
    draws: Draws,
    stream: str,
) -> Ints:
    """Return pairs (rows of positions) whose places differ by at most the bounds, in a stratum.

    >>> draws = Draws.from_generator(np.random.default_rng(1))
    >>> x = np.array([1.0, 9.0, 2.0, 5.0])
    >>> one = np.zeros(4, dtype=np.int64)
    >>> near_pairs([x], [2.0], one, np.arange(4), draws, "x").tolist()
    [[0, 2]]
    """
    if len(places) == 1:
        return _on_one(places[0], bounds[0], strata, records, draws, stream)
    return _on_several(places, bounds, strata, records, draws, stream)


def _on_one(
    x: Floats, bound: float, strata: Ints, records: Ints, draws: Draws, stream: str
) -> Ints:
    words = draws.words(f"{stream}/ties", records)
    order = np.lexsort((records, words, x, strata))
    sorted_x, sorted_strata = x[order], strata[order]
    last = windows_by_distance(sorted_x, sorted_strata, bound)
    words = draws.words(f"{stream}/pairs", records[order])
    partner = pairs_in_windows(last, words, np.empty(0, dtype=np.int64))
    _mend(sorted_x, sorted_strata, bound, partner)
    first = np.flatnonzero(partner > np.arange(len(partner)))
    return np.stack([order[first], order[partner[first]]], axis=1)


def _on_several(
    places: Sequence[Floats],
    bounds: Sequence[float],
    strata: Ints,
    records: Ints,
    draws: Draws,
    stream: str,
) -> Ints:
    free = np.arange(len(records))
    widths = [_cell(x, bound) for x, bound in zip(places, bounds, strict=True)]
    found = [np.empty((0, 2), dtype=np.int64)]
    axes = np.arange(len(places))
    for turn in range(_GRIDS):
        if len(free) < 2:
            break
        origin = draws.uniform(f"{stream}/grid", axes, turn=turn)
        cells = [
            np.floor(x[free] / width + shift) if width else x[free]
            for x, width, shift in zip(places, widths, origin, strict=True)
        ]
        cells.append(strata[free].astype(np.float64))
        words = draws.words(f"{stream}/cells", records[free], turn=turn)
        order = np.lexsort((records[free], words, *cells))
        same = np.ones(len(order) - 1, dtype=bool)
        for cell in cells:
            same &= cell[order][1:] == cell[order][:-1]
        starts = np.concatenate([[0], np.flatnonzero(~same) + 1])
        rank = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
        first = np.flatnonzero(same & (rank[:-1] % 2 == 0))
        pairs = np.stack([free[order[first]], free[order[first + 1]]], axis=1)
        # the quotient is rounded, and gaps may differ: a cell may be wider than the bound
        for x, bound in zip(places, bounds, strict=True):
            pairs = pairs[np.abs(x[pairs[:, 0]] - x[pairs[:, 1]]) <= bound]
        found.append(pairs)
        taken = np.zeros(len(records), dtype=bool)
        taken[pairs.reshape(-1)] = True
        free = free[~taken[free]]
    found.append(_searched(places, bounds, strata, free))
    return np.concatenate(found)


def _cell(x: Floats, bound: float) -> float:
    """Return how wide cells are: values as far apart as the bound may fall into one.

    A cell holds differences below its width. For values that are multiples of a gap, the least
    difference that is too large is that of the next multiple.
    """
    gaps = np.diff(np.unique(x))
    gap = float(gaps.min()) if len(gaps) else 0.0
    if not bound or gap < _FINE * bound:
        return bound
    return gap * (float(np.floor(bound / gap * (1 + _FINE))) + 1)


def _searched(places: Sequence[Floats], bounds: Sequence[float], strata: Ints, free: Ints) -> Ints:
    order = free[np.lexsort((free, places[0][free], strata[free]))]
    points = np.stack([x[order] for x in places], axis=1)
    partner = _first_near(points, np.asarray(bounds, dtype=np.float64), strata[order])
    first = np.flatnonzero(partner > np.arange(len(partner)))
    return np.stack([order[first], order[partner[first]]], axis=1)


@njit(cache=True, nogil=True)
def _first_near(points: Array, bounds: Array, strata: Array) -> Array:
    """Pair each point, sorted on the first axis, with the first near one after it."""
    n, width = points.shape
    partner = np.full(n, ALONE, dtype=np.int64)
    for i in range(n):
        if partner[i] != ALONE:
            continue
        for j in range(i + 1, min(n, i + 1 + _LOOKS)):
            if strata[j] != strata[i] or points[j, 0] - points[i, 0] > bounds[0]:
                break
            near = partner[j] == ALONE
            for a in range(1, width):
                near = near and abs(points[j, a] - points[i, a]) <= bounds[a]
            if near:
                partner[i], partner[j] = j, i
                break
    return partner


@njit(cache=True, nogil=True)
def _mend(x: Array, strata: Array, bound: float, partner: Array) -> None:
    """Find partners for records that are alone by opening one pair each."""
    loose = np.flatnonzero(partner == ALONE)
    for u in loose:
        if partner[u] != ALONE:
            continue
        done = False
        for step in (-1, 1):
            p, looks = u + step, 0
            while (
                not done
                and looks < _LOOKS
                and 0 <= p < len(x)
                and strata[p] == strata[u]
                and abs(x[p] - x[u]) <= bound
            ):
                q = partner[p]
                if q != ALONE:
                    v = _loose_near(x, strata, bound, partner, loose, q, u)
                    if v != ALONE:
                        partner[u], partner[p] = p, u
                        partner[q], partner[v] = v, q
                        done = True
                p += step
                looks += 1
            if done:
                break


@njit(cache=True, nogil=True)
def _loose_near(
    x: Array, strata: Array, bound: float, partner: Array, loose: Array, q: Any, u: Any
) -> int:
    """Return a record that is alone and near q, but not u; -1 if there is none."""
    start = np.searchsorted(loose, q)
    for step in (-1, 1):
        at = start - 1 if step < 0 else start
        while (
            0 <= at < len(loose)
            and strata[loose[at]] == strata[q]
            and abs(x[loose[at]] - x[q]) <= bound
        ):
            if partner[loose[at]] == ALONE and loose[at] != u:
                return int(loose[at])
            at += step
    return ALONE


ProximityUnit = Literal["absolute", "range", "deviation"]

_MANY = 0.05


@dataclass(frozen=True)
class ProximitySwap(Step, kind="proximity-swap"):
    """Exchange each value with one that differs from it by at most a bound.

    Swapping keeps every margin (T. Dalenius and S. P. Reiss 1982, *Data-swapping: a technique for
    disclosure control*); a bound on the difference keeps a record near its truth, as the rank does
    in rank swapping (K. Muralidhar, R. Sarathy and R. Dandekar 2006). Pairs are drawn at random
    among the near ones. A value that has none stays, as do missing values and codes that mean
    *missing*.

    Parameters
    ----------
    bound, unit
        The largest difference: ``absolute``, in the variable's own unit (days for dates, places
        for ordered categories); as a share of its ``range``; or of its standard ``deviation``.
    near
        Further variables, which are not swapped, on which the two records must be near too, each
        with a bound in its own unit: ``(("age", 5.0),)``. A record that misses one of them stays.
    within
        Variables on which they must be equal.
    together
        Exchange all variables as a unit: the two records are near on each. False draws pairs for
        each variable by itself.
    """

    variables: tuple[str, ...]
    bound: float
    unit: ProximityUnit = "absolute"
    near: tuple[tuple[str, float], ...] = ()
    within: tuple[str, ...] = ()
    together: bool = False

    draws_at_random = True
    perturbs = True

    def __post_init__(self) -> None:
        """Refuse bounds that are none, unknown units, and a variable in two parts."""
        object.__setattr__(self, "near", tuple((name, float(b)) for name, b in self.near))
        check_variables(self.variables, "proximity swapping")
        check_number("The bound of proximity swapping", self.bound, above(0))
        if self.unit not in ("absolute", "range", "deviation"):
            raise InputError(f"The unit must be absolute, range or deviation. Got '{self.unit}'.")
        for name, bound in self.near:
            if not 0 <= bound < np.inf:
                raise InputError(f"The bound of '{name}' must be 0 or more. Got {bound:g}.")
        named = [*self.variables, *(name for name, _ in self.near), *self.within]
        check_variables(named, "swapping, nearness and strata together")

    def describe(self) -> str:
        """Say what is done."""
        how = "together" if self.together else "each by itself"
        named = ", ".join(self.variables) + (f", {how}," if len(self.variables) > 1 else "")
        size = {
            "absolute": f"{self.bound:g}",
            "range": f"{self.bound:.2%} of the range",
            "deviation": f"{self.bound:g} standard deviations",
        }[self.unit]
        agree = [f"{name} (at most {bound:g})" for name, bound in self.near]
        close = f", between records near on {', '.join(agree)}" if agree else ""
        where = f", within {', '.join(self.within)}" if self.within else ""
        return f"swap {named} with values that differ by at most {size}{close}{where}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Exchange the values."""
        draws = context.draws()
        source.check_columns([*self.variables, *self.within])
        doing = "proximity swapping"
        groups = group_numbers(engine, source, self.within)
        further = [read_ordered(source, name, doing=doing) for name, _ in self.near]
        units = [self.variables] if self.together else [(name,) for name in self.variables]
        columns, changes = {}, {}
        notes: list[str] = []
        warnings: list[str] = []
        for unit in units:
            own = [read_ordered(source, name, doing=doing) for name in unit]
            whole = np.logical_and.reduce([column.present for column in (*own, *further)])
            records = np.flatnonzero(whole)
            bounds = [self._bound(column) for column in own] + [bound for _, bound in self.near]
            places = [column.at(records) for column in (*own, *further)]
            pairs = near_pairs(places, bounds, groups[records], records, draws, "+".join(unit))
            origin = np.arange(source.records)
            origin[records[pairs[:, 0]]] = records[pairs[:, 1]]
            origin[records[pairs[:, 1]]] = records[pairs[:, 0]]
            for column in own:
                columns[column.name] = column.column.take(pa.array(origin))
                changed = column.codes[origin] != column.codes
                changes[column.name] = changed
            told = _told(", ".join(unit), own, records, pairs)
            few = len(records) - 2 * len(pairs) <= max(1, _MANY * len(records))
            (notes if few else warnings).extend(told)
        return rewritten(
            self.kind, engine, source, columns, changes, notes=notes, warnings=warnings
        )

    def _bound(self, column: Ordered) -> float:
        if self.unit == "absolute" or not len(column.scale):
            return self.bound
        if self.unit == "range":
            return float(self.bound * np.ptp(column.scale))
        return float(self.bound * np.std(column.at(np.flatnonzero(column.present))))


def _told(name: str, own: list[Ordered], records: Ints, pairs: Ints) -> list[str]:
    alone = len(records) - 2 * len(pairs)
    incomplete = int(np.logical_or.reduce([c.present for c in own]).sum()) - len(records)
    told = []
    if alone:
        told.append(f"{alone:,} records found no free partner near on {name}, and stayed")
    if incomplete:
        told.append(f"{incomplete:,} records miss a value that must be near, and kept {name}")
    return told
