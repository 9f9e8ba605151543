"""Rank swapping: values change places with values of nearly the same rank (Moore 1996)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from indistinct.core import (
    Bools,
    Floats,
    GuaranteeError,
    InputError,
    Ints,
    Words,
    above,
    check_number,
    check_whole,
    from_to_below,
)
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import (
    check_share,
    check_variables,
    group_numbers,
    read_numbers,
    rewritten,
)
from indistinct.protect.steps.ordered import Ordered, read_ordered
from indistinct.protect.steps.pairing import (
    ALONE,
    pairs_in_windows,
    ranked_order,
    windows_by_rank,
)

__all__ = ["Extremes", "RankSwap"]

Extremes = Literal["leave", "mean", "median"]

_HALVINGS = 16
"""How finely a window is searched: to 2⁻¹⁶ of the records."""

_SAME = 1e-9
"""0.29 · 100 is a little less than 29 to a computer; a window of 29 ranks is meant."""


@dataclass(frozen=True)
class RankSwap(Step, kind="rank-swap"):
    """Exchange each value with one whose rank differs by at most a share p of the records.

    The n values of a variable are ranked, ties in an order drawn at random. From the lowest to the
    highest, each that is still free is exchanged with one of the free values at most ⌊p·n⌋ ranks
    above it, all equally likely (R. A. Moore 1996, *Controlled data-swapping techniques for masking
    public use microdata sets*, U.S. Bureau of the Census). Every value is so in exactly one pair,
    but for one drawn at random where their number is odd. Each variable is swapped by itself;
    missing values, and codes that mean *missing*, stay where they are.

    Parameters
    ----------
    window
        The share p: 0.05 is five per cent of the records that have a value (of the stratum, with
        `within`). Or else
    correlation
        the smallest correlation that a variable may have with itself swapped: the widest window is
        searched that keeps it. The correlation of two swapped variables, r, becomes about r·c².
        Or else
    subset_mean
        Moore's K₀: the root mean square change may be K₀ times the mean, so that the mean of a
        random subset of m records moves by less than 2·K₀·mean/√m, about nineteen times in twenty.
    within
        Swap within the strata of these variables.
    bottom, top, extremes
        The lowest and highest shares of the values take no part: they are left, or replaced by the
        mean or (lower) median of each of the two groups.
    at_least
        Ranks that a window has at least. With 0 values in a stratum with fewer than 1/p stay.
    """

    variables: tuple[str, ...]
    window: float | None = None
    correlation: float | None = None
    subset_mean: float | None = None
    within: tuple[str, ...] = ()
    bottom: float = 0.0
    top: float = 0.0
    extremes: Extremes = "leave"
    at_least: int = 0

    draws_at_random = True
    perturbs = True

    def __post_init__(self) -> None:
        """Refuse no window or two, shares that are none, and a variable within itself."""
        check_variables(self.variables, "rank swapping")
        check_variables(self.within, "strata", some=False)
        given = [x for x in (self.window, self.correlation, self.subset_mean) if x is not None]
        if len(given) != 1:
            raise InputError(
                "Rank swapping needs one of window, correlation and subset_mean. "
                f"Got {len(given)} of them."
            )
        if self.window is not None:
            check_share(self.window, "window of rank swapping, a share of the records,")
        if self.correlation is not None:
            check_share(self.correlation, "correlation to be kept")
        if self.subset_mean is not None:
            check_number("subset_mean", self.subset_mean, above(0))
        for name, share in (("bottom", self.bottom), ("top", self.top)):
            check_number(name, share, from_to_below(0, 1))
        if self.bottom + self.top >= 1:
            raise InputError("bottom and top together must be below 1.")
        if self.extremes not in ("leave", "mean", "median"):
            raise InputError(f"extremes must be leave, mean or median. Got '{self.extremes}'.")
        check_whole("at_least", self.at_least, 0)
        both = set(self.variables) & set(self.within)
        if both:
            raise InputError(f"'{min(both)}' cannot be swapped within itself.")

    def describe(self) -> str:
        """Say what is done."""
        if self.window is not None:
            how = f"whose rank differs by at most {self.window:.2%} of the records"
        elif self.correlation is not None:
            how = (
                "of a near rank, as far as the variable keeps a correlation of "
                f"{self.correlation:g} with its original"
            )
        else:
            how = (
                "of a near rank, as far as the root mean square change is at most "
                f"{self.subset_mean:g} of the mean"
            )
        where = f", within {', '.join(self.within)}" if self.within else ""
        ends = [
            f"the {word} {share:.2%}"
            for word, share in (("lowest", self.bottom), ("highest", self.top))
            if share
        ]
        fate = {"leave": "left as they are", "mean": "replaced by their mean"}
        kept = f"; {' and '.join(ends)} are {fate.get(self.extremes, 'replaced by their median')}"
        return (
            f"swap the values of {', '.join(self.variables)}, each by itself, with one "
            f"{how}{where}{kept if ends else ''}"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Exchange the values."""
        draws = context.draws()
        source.check_columns([*self.variables, *self.within])
        groups = group_numbers(engine, source, self.within)
        columns, changes, notes, warnings = {}, {}, [], []
        for name in self.variables:
            ordered = read_ordered(source, name, doing="rank swapping")
            if self.extremes == "mean" and not ordered.is_number:
                raise InputError(
                    f"{source.origin}: '{name}' holds no numbers, so its extremes have no mean. "
                    "Use the median, or leave them."
                )
            ranked = _Ranked.of(self, ordered, groups, draws)
            window, pairs = self._paired(source, ranked)
            column, changed = _exchanged(source, ranked, pairs)
            columns[name] = column
            changes[name] = changed
            if self.window is None:
                notes.append(f"the window of {name} is {window:.2%} of the records")
            alone = int((pairs == ALONE).sum())
            odd = int((np.bincount(ranked.strata[ranked.middle]) % 2).sum())
            if alone > odd:
                warnings.append(
                    f"{alone:,} values of {name} have no other within the window and stayed. "
                    "Widen it, set at_least=1, or use larger strata"
                )
            elif alone:
                what = "one value" if alone == 1 else f"{alone:,} values"
                notes.append(f"{what} of {name} stayed, one in each stratum with an odd number")
        return rewritten(
            self.kind, engine, source, columns, changes, notes=notes, warnings=warnings
        )

    def _paired(self, source: Source, ranked: _Ranked) -> tuple[float, Ints]:
        """Return the window as a share, and the partners of the values in the middle."""
        if self.window is not None:
            return self.window, ranked.partners(self.window, self.at_least)
        before = ranked.x - ranked.x.mean() if len(ranked.x) else ranked.x
        spread = float((before * before).sum())
        if not spread:
            return 1.0, ranked.partners(1.0, self.at_least)

        def kept(pairs: Ints) -> bool:
            after = ranked.after(pairs)
            if self.subset_mean is not None:
                change = np.sqrt(((after - ranked.x) ** 2).mean())
                return bool(change <= self.subset_mean * abs(ranked.x.mean()))
            after -= after.mean()
            size = np.sqrt(spread * float((after * after).sum()))
            return bool(size and float((before * after).sum()) / size >= (self.correlation or 0))

        return _widest(kept, ranked, source)


@dataclass(frozen=True, eq=False)
class _Ranked:
    """A variable's values in the order of their ranks, strata one after the other."""

    ordered: Ordered
    order: Ints  # record numbers by stratum and rank
    strata: Ints  # of each place
    sizes: Ints  # of each stratum
    middle: Ints  # places that take part
    ends: tuple[Ints, ...]  # places of each group of extremes
    x: Floats
    words: Words
    spare: Ints
    extremes: Extremes

    @classmethod
    def of(cls, step: RankSwap, ordered: Ordered, groups: Ints, draws: Draws) -> _Ranked:
        records = np.flatnonzero(ordered.present)
        name = ordered.name
        ties = draws.words(f"{name}/ties", records)
        order = records[ranked_order(groups[records], ordered.codes[records], ties)]
        strata = np.cumsum(np.diff(groups[order], prepend=groups[order[:1]]) != 0)
        sizes = np.bincount(strata)
        starts = np.cumsum(sizes) - sizes
        rank = np.arange(len(order)) - np.repeat(starts, sizes)
        low = np.floor(step.bottom * sizes + _SAME).astype(np.int64)[strata]
        high = np.floor(step.top * sizes + _SAME).astype(np.int64)[strata]
        below, above = rank < low, rank >= sizes[strata] - high
        middle = np.flatnonzero(~below & ~above)
        inside = np.bincount(strata[middle], minlength=len(sizes))
        chance = draws.uniform(f"{name}/alone", np.arange(len(sizes)))
        first = np.cumsum(inside) - inside
        spare = (first + (chance * inside).astype(np.int64))[inside % 2 == 1]
        return cls(
            ordered,
            order,
            strata,
            sizes,
            middle,
            (
                *_runs(np.flatnonzero(below), strata),
                *_runs(np.flatnonzero(above), strata),
            ),
            ordered.at(order),
            draws.words(f"{name}/pairs", order[middle]),
            spare,
            step.extremes,
        )

    def partners(self, window: float, at_least: int) -> Ints:
        """Pair the values in the middle; by place among these."""
        inside = np.bincount(self.strata[self.middle], minlength=len(self.sizes))
        ends = np.cumsum(inside)
        widths = np.floor(window * self.sizes + _SAME).astype(np.int64)
        last = windows_by_rank(ends - inside, ends, np.maximum(widths, at_least))
        found: Ints = pairs_in_windows(last, self.words, self.spare)
        return found

    def origins(self, pairs: Ints) -> Ints:
        """Return the place whose value each place gets."""
        origin = np.arange(len(self.order))
        moved = pairs != ALONE
        origin[self.middle[moved]] = self.middle[pairs[moved]]
        if self.extremes == "median":
            for places in self.ends:
                origin[places] = places[(len(places) - 1) // 2]
        return origin

    def after(self, pairs: Ints) -> Floats:
        """Return where the values lie afterwards, by place."""
        new = self.x[self.origins(pairs)]
        if self.extremes == "mean":
            for places in self.ends:
                new[places] = self.x[places].mean()
        return new


def _runs(places: Ints, strata: Ints) -> list[Ints]:
    if not len(places):
        return []
    return np.split(places, np.flatnonzero(np.diff(strata[places])) + 1)


def _widest(kept: Callable[[Ints], bool], ranked: _Ranked, source: Source) -> tuple[float, Ints]:
    """Halve the interval between a window that keeps the condition and one that does not."""
    pairs = ranked.partners(1.0, 0)
    if kept(pairs):
        return 1.0, pairs
    low, high = 0.0, 1.0
    best = np.full(len(ranked.middle), ALONE, dtype=np.int64)
    if not kept(best):
        raise GuaranteeError(
            f"{source.origin}: replacing the extremes of '{ranked.ordered.name}' alone changes it "
            "more than is allowed. Leave them, or take smaller shares of bottom and top."
        )
    for _ in range(_HALVINGS):
        half = (low + high) / 2
        pairs = ranked.partners(half, 0)
        if kept(pairs):
            low, best = half, pairs
        else:
            high = half
    return low, best


def _exchanged(source: Source, ranked: _Ranked, pairs: Ints) -> tuple[pa.Array, Bools]:
    """Return the new column, and which of its cells changed."""
    ordered = ranked.ordered
    origin = np.arange(len(ordered.codes))
    origin[ranked.order] = ranked.order[ranked.origins(pairs)]
    if ranked.extremes != "mean" or not ranked.ends:
        return ordered.column.take(pa.array(origin)), ordered.codes[origin] != ordered.codes
    numbers = read_numbers(source, ordered.name, doing="rank swapping")
    new = numbers.values[origin]
    for places in ranked.ends:
        records = ranked.order[places]
        mean = numbers.values[records].mean()
        new[records] = mean if numbers.places is None else np.rint(mean)
    return numbers.replaced(new), numbers.present & (new != numbers.values)
