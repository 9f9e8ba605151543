"""Rounding: numbers become multiples of a base, or ranges (Sweeney 2001, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Array, InputError, above, check_number
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.recode import generalised_variable
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import (
    Numbers,
    check_variables,
    read_numbers,
    rewritten,
)

__all__ = ["Round", "RoundTo"]

RoundTo = Literal["nearest", "random", "down", "up", "range"]

_SAME = 1e-9
"""Quotients of floating numbers nearer than this to a whole number are that number."""


@dataclass(frozen=True)
class Round(Step, kind="round"):
    """Round numbers to multiples of a base, or write the range in which they lie.

    Parameters
    ----------
    base
        Numbers become multiples of it. Whole numbers stay whole with a whole base.
    to
        The ``nearest`` multiple (halves go up), the next ``down`` or ``up``; at ``random`` one of
        the two beside x, up with probability (x mod b)/b, so that the expectation is x; or the
        ``range`` between the two, as text: ``20-24`` for whole numbers, else ``[20, 25)``.
    breaks
        Instead of a base: rising cut points of ranges, ``(18, 65)`` gives ``<18``, ``18-64`` and
        ``≥65``.
    """

    variables: tuple[str, ...]
    base: float | None = None
    to: RoundTo = "nearest"
    breaks: tuple[float, ...] = ()

    draws_at_random = True

    perturbs = True

    def __post_init__(self) -> None:
        """Refuse both base and breaks, neither, and what is no base."""
        check_variables(self.variables, "rounding")
        if (self.base is None) == (not self.breaks):
            raise InputError("Rounding needs either a base or breaks.")
        if self.to not in ("nearest", "random", "down", "up", "range"):
            raise InputError(f"to must be nearest, random, down, up or range. Got '{self.to}'.")
        if self.base is not None:
            check_number("The base", self.base, above(0))
            object.__setattr__(self, "base", float(self.base))
        rising = tuple(float(b) for b in self.breaks)
        if any(not a < b for a, b in pairwise(rising)):
            raise InputError("The breaks must rise.")
        object.__setattr__(self, "breaks", rising)
        object.__setattr__(self, "draws_at_random", self.to == "random")

    def describe(self) -> str:
        """Say what is done."""
        named = ", ".join(self.variables)
        if self.breaks:
            return f"write {named} in ranges cut at {', '.join(map(_written, self.breaks))}"
        base = _written(self.base or 0.0)
        if self.to == "range":
            return f"write {named} in ranges of width {base}"
        how = {
            "nearest": "the nearest multiple",
            "down": "the next lower multiple",
            "up": "the next higher multiple",
            "random": "a neighbouring multiple, drawn without bias,",
        }[self.to]
        return f"round {named} to {how} of {base}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Round the columns."""
        draws = context.draws() if self.to == "random" else None
        variables, schema = source.variables, source.schema
        columns, changes = {}, {}
        for name in self.variables:
            numbers = read_numbers(source, name, doing="rounding")
            if self.breaks or self.to == "range":
                columns[name] = self._ranges(numbers)
                changed = numbers.present
                kind = generalised_variable(variables[name], schema.field(name).type)
                variables = variables.updated({name: kind})
            else:
                new = self._multiples(numbers, draws)
                columns[name] = numbers.replaced(new)
                old = numbers.values if new.dtype == numbers.values.dtype else numbers.floats()
                changed = numbers.present & (new != old)
            changes[name] = changed
        return rewritten(self.kind, engine, source, columns, changes, variables=variables)

    def _multiples(self, numbers: Numbers, draws: Draws | None) -> Array:
        base = self.base or 0.0
        step = _in_units(base, numbers.places)
        low, rest, width = _below(numbers, base, step)
        if self.to == "random" and draws is not None:
            chance = draws.uniform(f"round-{numbers.name}", np.arange(len(low)))
            up = chance * width < rest
        else:
            up = {"nearest": 2 * rest >= width, "down": rest < 0, "up": rest > 0}[self.to]
        if step is not None:
            high = low.astype(object) + step
            if len(high) and max(high[numbers.present], default=0) > np.iinfo(np.int64).max:
                raise InputError(f"'{numbers.name}' is too large to be rounded up in 64 bits.")
            return low + np.where(up, step, 0)
        return np.round((low + up) * base, _decimals(base))

    def _ranges(self, numbers: Numbers) -> pa.Array:
        whole = numbers.places == 0 and all(b == int(b) for b in (self.base or 0.0, *self.breaks))
        if self.breaks:
            codes = np.searchsorted(np.array(self.breaks), numbers.floats(), side="right")
            ends: list[float | None] = [None, *self.breaks, None]
            labels = [_label(a, b, whole) for a, b in pairwise(ends)]
        else:
            base = self.base or 0.0
            step = _in_units(base, numbers.places)
            low, _, _ = _below(numbers, base, step)
            starts, codes = np.unique(np.where(numbers.present, low, 0), return_inverse=True)
            unit = base if step is None else 10.0 ** -(numbers.places or 0)
            places = max(_decimals(base), numbers.places or 0)
            firsts = [round(float(s) * unit, places) for s in starts]
            labels = [_label(a, round(a + base, places), whole) for a in firsts]
        text = pa.array(labels, pa.string()).take(pa.array(codes.reshape(-1).astype(np.int64)))
        # a code that means missing stays as it is, as text
        old = numbers.column.combine_chunks().cast(pa.string())
        if numbers.places is None:
            nothing = pa.array(np.isnan(numbers.values))
            old = pc.if_else(nothing, pa.scalar(None, pa.string()), old)
        return pc.if_else(pa.array(numbers.present), text, old)


def _below(numbers: Numbers, base: float, step: int | None) -> tuple[Array, Array, float]:
    """Return the multiple below (in units, or its number), the rest, and the width of a step."""
    if step is not None:
        rest = numbers.values % step
        return numbers.values - rest, rest, step
    quotient = np.where(numbers.present, numbers.floats(), 0.0) / base
    near = np.rint(quotient)
    quotient = np.where(
        np.abs(quotient - near) < _SAME * np.maximum(1, np.abs(near)), near, quotient
    )
    low = np.floor(quotient)
    return low, quotient - low, 1.0


def _in_units(base: float, places: int | None) -> int | None:
    """Return the base in units of a column of whole numbers or decimals, if it is a whole one."""
    if places is None:
        return None
    units = Decimal(repr(base)).scaleb(places)
    return int(units) if units == int(units) else None


def _decimals(number: float) -> int:
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _written(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(number)


def _label(start: float | None, end: float | None, whole: bool) -> str:
    if start is None or end is None:
        return f"<{_written(end or 0.0)}" if start is None else f"≥{_written(start)}"
    if not whole:
        return f"[{_written(start)}, {_written(end)})"
    first, last = int(start), int(end) - 1
    if first == last:
        return str(first)
    # a minus sign beside the dash of a range cannot be read
    return f"{first}-{last}" if first >= 0 else f"{first} to {last}"
