"""Additive noise: numbers go up or down at random (Sweeney 2001, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri

from indistinct.core import Array, Floats, InputError, Ints, above, check_number
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import (
    Numbers,
    check_variables,
    read_numbers,
    rewritten,
)

__all__ = ["AddNoise", "Distribution", "NoiseUnit", "check_scale", "noise_size", "standard_noise"]

Distribution = Literal["normal", "uniform", "laplace"]
NoiseUnit = Literal["absolute", "deviation"]


@dataclass(frozen=True)
class AddNoise(Step, kind="add-noise"):
    """Add a random number to every number: x + e, with E(e) = 0 and sd(e) = s.

    Each record has its own draw, whatever its value. Missing values, and codes that mean
    *missing*, stay.

    Parameters
    ----------
    scale, unit
        The noise's standard deviation s, for every distribution: ``absolute``, in the variable's
        own unit, or as a share of the variable's standard ``deviation``.
    distribution
        ``uniform`` noise lies within ±√3·s, ``laplace`` has its parameter b = s/√2.
    whole
        Whole numbers stay whole: the noise is rounded. False makes them floating numbers.
    lowest, highest
        Numbers that would go beyond stop there. The mean of the noise is then no longer 0.
    """

    variables: tuple[str, ...]
    scale: float
    unit: NoiseUnit = "absolute"
    distribution: Distribution = "normal"
    whole: bool = True
    lowest: float | None = None
    highest: float | None = None

    draws_at_random = True
    perturbs = True

    def __post_init__(self) -> None:
        """Refuse a scale that is none, and bounds in the wrong order."""
        check_variables(self.variables, "noise")
        object.__setattr__(self, "scale", check_scale(self.scale, self.unit, self.distribution))
        if self.lowest is not None and self.highest is not None and self.lowest > self.highest:
            raise InputError("lowest must not be above highest.")

    def describe(self) -> str:
        """Say what is done."""
        size = f"{self.scale:g}" if self.unit == "absolute" else f"{self.scale:g} of the variable's"
        ends = [
            text
            for text, bound in (
                (f"at least {self.lowest:g}" if self.lowest is not None else "", self.lowest),
                (f"at most {self.highest:g}" if self.highest is not None else "", self.highest),
            )
            if bound is not None
        ]
        kept = f", kept {' and '.join(ends)}" if ends else ""
        return (
            f"add {self.distribution} noise to {', '.join(self.variables)} (mean 0, standard "
            f"deviation {size}){kept}"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Add the noise."""
        draws = context.draws()
        columns, changes, notes = {}, {}, []
        for name in self.variables:
            numbers = read_numbers(source, name, doing="noise")
            size = noise_size(numbers, self.scale, self.unit)
            new, stopped = self._noisy(numbers, size, draws)
            changed = numbers.present & (new != numbers.values)
            columns[name] = numbers.replaced(new)
            changes[name] = changed
            if stopped:
                notes.append(
                    f"{stopped:,} numbers of {name} were stopped at a bound, so the noise in it "
                    "does not cancel out"
                )
            if self.unit == "deviation" and not size:
                notes.append(f"{name} does not vary, so no noise was added to it")
        return rewritten(self.kind, engine, source, columns, changes, notes=notes)

    def _noisy(self, numbers: Numbers, size: float, draws: Draws) -> tuple[Array, int]:
        """Return the new numbers, and how many were stopped at a bound."""
        records = np.arange(len(numbers.values))
        noise = size * standard_noise(draws, numbers.name, records, self.distribution)
        places = numbers.places
        if places == 0 and not self.whole:
            places = None
        if places is None:
            free = numbers.floats() + noise
            low, high = self.lowest, self.highest
        else:
            free = numbers.values + np.rint(noise * 10.0**places).astype(np.int64)
            low, high = (
                None if self.lowest is None else int(np.ceil(self.lowest * 10.0**places)),
                None if self.highest is None else int(np.floor(self.highest * 10.0**places)),
            )
        if low is None and high is None:
            return free, 0
        new = np.clip(free, low, high)
        return new, int((numbers.present & (new != free)).sum())


def check_scale(scale: float, unit: str, distribution: str) -> float:
    """Return a noise's scale as a number; refuse what is none, and unknown words."""
    check_number("The scale of noise", scale, above(0))
    if unit not in ("absolute", "deviation"):
        raise InputError(f"The unit of noise must be absolute or deviation. Got '{unit}'.")
    if distribution not in ("normal", "uniform", "laplace"):
        raise InputError(
            f"The distribution of noise must be normal, uniform or laplace. Got '{distribution}'."
        )
    return float(scale)


def noise_size(numbers: Numbers, scale: float, unit: NoiseUnit) -> float:
    """Return the noise's standard deviation in the variable's own unit."""
    present = numbers.floats()[numbers.present]
    if unit == "absolute":
        return scale
    return scale * float(np.std(present)) if len(present) else 0.0


def standard_noise(draws: Draws, stream: str, records: Ints, distribution: Distribution) -> Floats:
    """Return a number with mean 0 and variance 1 for every record.

    >>> draws = Draws.from_generator(np.random.default_rng(1))
    >>> noise = standard_noise(draws, "age", np.arange(10_000), "laplace")
    >>> bool(abs(noise.mean()) < 0.05), bool(abs(noise.std() - 1) < 0.05)
    (True, True)
    """
    # the middle of one of 2⁵² intervals, so that neither 0 nor 1 is drawn
    chance = (np.floor(draws.uniform(stream, records) * 2.0**52) + 0.5) * 2.0**-52
    if distribution == "normal":
        return np.asarray(ndtri(chance), dtype=np.float64)
    centred = chance - 0.5
    if distribution == "uniform":
        return np.asarray(centred * np.sqrt(12.0))
    return np.asarray(-np.sign(centred) * np.log1p(-2 * np.abs(centred)) / np.sqrt(2.0))
