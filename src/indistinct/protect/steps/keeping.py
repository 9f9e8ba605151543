"""Perturbation that keeps an aggregate: noise whose sum is nothing (Sweeney 2001, section 4.1).

Whole numbers and decimals are added in their own last digit, so totals are equal exactly. Floating
numbers are put on a grid as fine as the largest of them allows, u = 2^(e-52) with |x| < 2^e, and
their sum is made that of the original, correctly rounded (`math.fsum`); only where numbers of both
signs cancel, all larger than their total, may it differ in the last bit of the largest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from indistinct.core import Array, Floats, InputError, Ints
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import (
    Numbers,
    check_variables,
    group_numbers,
    read_numbers,
    rewritten,
)
from indistinct.protect.steps.noise import (
    Distribution,
    NoiseUnit,
    check_scale,
    noise_size,
    standard_noise,
)

__all__ = ["Aggregate", "PerturbKeeping"]

Aggregate = Literal["total", "variance"]

_WORD = 1 << 64


@dataclass(frozen=True)
class PerturbKeeping(Step, kind="perturb-keeping"):
    """Add noise to numbers such that an aggregate stays what it was.

    With e the noise and ē its mean in the group, y = x + e − ē has the total of x. For the
    variance too, y − ȳ is shrunk by s_x/s_y.

    Parameters
    ----------
    scale, unit, distribution
        As for `AddNoise`, before the noise is centred.
    keep
        ``total``: the total, and with it the mean. ``variance``: these and the variance, which
        only floating numbers can keep.
    within
        Keep them in each group by these variables. A record alone in its group stays as it is.
    """

    variables: tuple[str, ...]
    scale: float
    unit: NoiseUnit = "absolute"
    distribution: Distribution = "normal"
    keep: Aggregate = "total"
    within: tuple[str, ...] = ()

    draws_at_random = True

    def __post_init__(self) -> None:
        """Refuse a scale that is none, and a variable within itself."""
        check_variables(self.variables, "perturbation")
        check_variables(self.within, "groups", some=False)
        object.__setattr__(self, "scale", check_scale(self.scale, self.unit, self.distribution))
        if self.keep not in ("total", "variance"):
            raise InputError(f"keep must be total or variance. Got '{self.keep}'.")
        both = set(self.variables) & set(self.within)
        if both:
            raise InputError(f"'{min(both)}' cannot be perturbed within itself.")

    def describe(self) -> str:
        """Say what is done."""
        size = f"{self.scale:g}" if self.unit == "absolute" else f"{self.scale:g} of the variable's"
        kept = "total and mean" if self.keep == "total" else "total, mean and variance"
        where = f" in every group by {', '.join(self.within)}" if self.within else ""
        return (
            f"perturb {', '.join(self.variables)} by {self.distribution} noise (standard deviation "
            f"{size}) that keeps the {kept}{where}"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Perturb the columns."""
        draws = context.draws()
        groups = group_numbers(engine, source, self.within)
        columns, changes, notes = {}, {}, []
        for name in self.variables:
            numbers = read_numbers(source, name, doing="perturbation")
            if self.keep == "variance" and numbers.places is not None:
                raise InputError(
                    f"{source.origin}: '{name}' holds {numbers.kind}, and rounded numbers cannot "
                    "keep their variance. Convert the column, keep the total, or swap values."
                )
            new = self._perturbed(numbers, groups, draws)
            changed = numbers.present & (new != numbers.values)
            columns[name] = numbers.replaced(new)
            changes[name] = changed
            alone = int((np.bincount(groups[numbers.present]) == 1).sum())
            if alone:
                what = "one record is" if alone == 1 else f"{alone:,} records are"
                notes.append(f"{what} alone in the group with {name}, and unchanged")
        return rewritten(self.kind, engine, source, columns, changes, notes=notes)

    def _perturbed(self, numbers: Numbers, groups: Ints, draws: Draws) -> Array:
        records = np.flatnonzero(numbers.present)
        new = numbers.values.copy()
        if not len(records):
            return new
        # groups in order, so that each is a run
        records = records[np.argsort(groups[records], kind="stable")]
        starts = np.flatnonzero(np.diff(groups[records], prepend=-1))
        sizes = np.diff(starts, append=len(records))
        size = noise_size(numbers, self.scale, self.unit)
        noise = size * standard_noise(draws, numbers.name, records, self.distribution)
        noise -= np.repeat(np.add.reduceat(noise, starts) / sizes, sizes)
        if numbers.places is not None:
            wanted = numbers.values[records]
            target = np.add.reduceat(wanted, starts)
            new[records] = wanted + _summing_to(
                noise * 10.0**numbers.places, np.zeros_like(target), starts, sizes
            )
            return new
        values = numbers.values[records]
        moved = values + noise
        if self.keep == "variance":
            moved = _with_spread_of(values, moved, starts, sizes)
        # a group that noise does not move keeps every bit
        active = (sizes > 1) & np.logical_or.reduceat(moved != values, starts)
        grid = _on_grid(values, moved, starts, sizes)
        new[records] = np.where(np.repeat(active, sizes), grid, values)
        return new


def _with_spread_of(
    values: Floats,
    moved: Floats,
    starts: Ints,
    sizes: Ints,
) -> Floats:
    mean = np.repeat(np.add.reduceat(values, starts) / sizes, sizes)
    away = moved - mean
    away -= np.repeat(np.add.reduceat(away, starts) / sizes, sizes)
    before = np.add.reduceat((values - mean) ** 2, starts)
    after = np.add.reduceat(away**2, starts)
    shrink = np.sqrt(np.divide(before, after, out=np.zeros_like(before), where=after > 0))
    return np.where(np.repeat(before > 0, sizes), mean + away * np.repeat(shrink, sizes), values)


def _on_grid(
    values: Floats,
    moved: Floats,
    starts: Ints,
    sizes: Ints,
) -> Floats:
    largest = max(np.abs(values).max(), np.abs(moved).max())
    unit = 2.0 ** (math.frexp(largest)[1] - 52)
    spans = list(zip(starts.tolist(), (starts + sizes).tolist(), strict=True))
    totals = [math.fsum(values[a:b].tolist()) for a, b in spans]
    units = [round(total / unit) for total in totals]
    target = np.array([u % _WORD for u in units], dtype=np.uint64).view(np.int64)
    new = np.asarray(_summing_to(moved / unit, target, starts, sizes) * unit, dtype=np.float64)
    for (a, b), total, whole in zip(spans, totals, units, strict=True):
        # a total that is finer than the grid: the smallest number can hold the difference
        rest = total - whole * unit
        if rest:
            new[a + int(np.argmin(np.abs(new[a:b])))] += rest
    return new


def _summing_to(
    wanted: Floats,
    target: Ints,
    starts: Ints,
    sizes: Ints,
) -> Ints:
    """Round numbers to whole ones that sum to a target in each group.

    What is lacking is given to those with the largest fractions. Sums wrap around at 64 bits; the
    difference of two that are near each other is right all the same.
    """
    low = np.floor(wanted)
    whole = low.astype(np.int64)
    with np.errstate(over="ignore"):
        lacking = target - np.add.reduceat(whole, starts)
    every, some = np.divmod(lacking, sizes)
    group = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((-(wanted - low), group))
    place = np.arange(len(wanted)) - np.repeat(starts, sizes)
    extra = np.zeros(len(wanted), dtype=np.int64)
    extra[order] = place < np.repeat(some, sizes)
    return np.asarray(whole + np.repeat(every, sizes) + extra)
