"""Multiplicative noise: amounts change by a share of themselves, never by next to nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.core import InputError
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import check_variables, read_numbers, rewritten
from indistinct.protect.steps.correlated_noise import settled

__all__ = ["MultiplyNoise"]


@dataclass(frozen=True)
class MultiplyNoise(Step, kind="multiply-noise"):
    """Multiply every number by one drawn uniformly from [1−b, 1−a] and [1+a, 1+b], E(m) = 1.

    A large number gets large noise, which additive noise does not give it. No multiplier is nearer
    to 1 than a, so no number is released almost as it is (T. Evans, L. Zayatz and J. Slanta 1998,
    "Using noise for disclosure limitation of establishment tabular data"). Totals are expected to
    stay; second moments grow by 1 + Var(m), Var(m) = (a² + ab + b²)/3. Missing values, and codes
    that mean *missing*, stay; so does 0.

    Parameters
    ----------
    least, most
        a and b: 0.05 and 0.15 change a number by five to fifteen per cent.
    together
        One multiplier for all variables of a record, so that their ratios stay. False draws one
        for each.
    whole
        Whole numbers stay whole: the product is rounded, and small numbers may stay as they are.
        False makes them floating numbers.
    """

    variables: tuple[str, ...]
    least: float
    most: float
    together: bool = False
    whole: bool = True

    draws_at_random = True
    perturbs = True

    def __post_init__(self) -> None:
        """Refuse shares out of order."""
        check_variables(self.variables, "noise")
        if not 0 <= self.least < self.most < 1:
            raise InputError(
                "least must be at least 0 and below most, and most below 1. "
                f"Got {self.least} and {self.most}."
            )

    def describe(self) -> str:
        """Say what is done."""
        same = ", one for all of a record" if self.together and len(self.variables) > 1 else ""
        return (
            f"multiply {', '.join(self.variables)} by random numbers{same} that change them by "
            f"{self.least:.2%} to {self.most:.2%}, up or down"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Multiply."""
        draws = context.draws()
        records = np.arange(source.records)
        columns, changes, notes = {}, {}, []
        for name in self.variables:
            numbers = read_numbers(source, name, doing="noise")
            # one number serves twice: which half of [-1, 1) it falls in is the sign
            drawn = 2 * draws.uniform("" if self.together else name, records) - 1
            change = np.where(drawn < 0, -1.0, 1.0) * (
                self.least + (self.most - self.least) * np.abs(drawn)
            )
            columns[name], changed = settled(
                numbers, numbers.floats() * (1 + change), whole=self.whole
            )
            changes[name] = changed
            stayed = int((numbers.present & ~changed).sum())
            if stayed:
                notes.append(f"{stayed:,} numbers of {name} are 0 or too small to change")
        return rewritten(self.kind, engine, source, columns, changes, notes=notes)
