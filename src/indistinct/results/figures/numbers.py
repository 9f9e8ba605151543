"""Numbers in a figure: how they are written, and the round ones that stand at an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

from indistinct.core import MAY_BE_NAN
from indistinct.results.figures.letters import width_of

__all__ = [
    "NONE",
    "Value",
    "ceiling",
    "number",
    "percent",
    "root_ticks",
    "round_ticks",
    "shown",
    "tick",
]

NONE = "–"
"""What stands for a number that is missing, not a number or infinite."""

Value = Annotated[float, MAY_BE_NAN] | None


def number(value: Value) -> float | None:
    """Return a finite number, or None for anything else that a measure may come out as.

    Beyond 1e200 there is no room to reckon with scales; nearer to 0 than 1e-200 is 0.

    >>> number(2), number(float("inf")), number(None), number(1e-300)
    (2.0, None, None, 0.0)
    """
    if value is None:
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    if not abs(found) <= 1e200:
        return None
    return found if abs(found) >= 1e-200 else 0.0


def shown(value: Value, *, none: str = NONE) -> str:
    """Write a number out in full, with one decimal where it is small and has any.

    >>> shown(10_000_000), shown(2.54), shown(0.004), shown(float("nan"))
    ('10,000,000', '2.5', '0.004', '–')
    """
    found = number(value)
    if found is None:
        return none
    if abs(found) >= 1e15:
        return f"{found:.3g}"
    if found.is_integer() or abs(found) >= 100:
        return f"{found:,.0f}"
    return f"{found:,.1f}" if abs(found) >= 0.1 else f"{found:.1g}"


def percent(value: Value, *, none: str = NONE) -> str:
    """Write a share in per cent; what is not nothing or all is not shown as such.

    >>> [percent(share) for share in (0, 0.046, 0.00031, 0.99997, 1)]
    ['0 %', '4.6 %', '0.031 %', '99.997 %', '100 %']
    """
    found = number(value)
    if found is None:
        return none
    if abs(found) >= 1e13:
        return f"{100 * found:.3g} %"
    if found == 0:
        return "0 %"
    if 0 < found < 1 and found > 0.9995:
        # what is missing to all, to two digits, and never less than that
        lacking = float(f"{100 * (1 - found):.2g}")
        return f"{100 - max(lacking, 1e-4):.6f}".rstrip("0") + " %"
    if abs(found) < 1e-6:
        return "<0.0001 %" if found > 0 else ">-0.0001 %"
    if abs(found) < 0.01:
        return f"{float(f'{100 * found:.2g}'):.6f}".rstrip("0") + " %"
    return f"{100 * found:,.0f} %" if found == 1 else f"{100 * found:,.1f} %"


def tick(value: float, *, share: bool = False) -> str:
    """Write a round number at an axis.

    >>> tick(0.25, share=True), tick(2_000_000), tick(1971)
    ('25 %', '2,000,000', '1971')
    """
    value, unit = (100 * value, " %") if share else (value, "")
    if abs(value) >= 1e10:
        return f"{value:.3g}{unit}"
    # four digits may be a year
    return (f"{value:,.10g}" if abs(value) >= 10_000 else f"{value:.10g}") + unit


def round_ticks(values: Sequence[float], most: int = 8) -> list[float]:
    """Return round numbers, at most about so many, the first and last of which enclose all values.

    >>> round_ticks([-0.7, 2.3])
    [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    """
    low, high = min(values), max(values)
    if high / 2 - low / 2 < 1e-9 * max(1e-9, abs(high), abs(low)):
        gap = 0.5 * max(abs(high), abs(low)) or 0.5
        low, high = low - gap, high + gap
    size = 10.0 ** math.floor(math.log10(high / most - low / most))
    step = next(m * size for m in (1, 2, 5, 10) if high / (m * size) - low / (m * size) <= most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    digits = max(0, 2 - math.floor(math.log10(step)))
    return [round(i * step, digits) for i in range(first, last + 1)]


def root_ticks(most: float, length: float, *, share: bool = False) -> list[float]:
    """Return round numbers from 0 to `most` whose texts do not touch on a square-root axis.

    Shares get 1, 5, 10, 25, 50 and 100 per cent before others, numbers 1, 5, 10, 50, 100, …

    >>> [tick(v, share=True) for v in root_ticks(1, 500, share=True)]
    ['0 %', '1 %', '5 %', '10 %', '25 %', '50 %', '100 %']
    >>> [tick(v, share=True) for v in root_ticks(0.0277, 500, share=True)]
    ['0 %', '0.1 %', '0.5 %', '1 %', '2 %']
    """
    found = [0.0]
    if most <= 0:
        return found
    top = math.floor(math.log10(most)) + 1
    decades = [10.0**power for power in range(top, top - 5, -1)]
    first = [0.25] if share else []
    first += [m * decade for decade in decades for m in (5, 1)]

    def apart(one: float, other: float) -> bool:
        gap = length * abs(math.sqrt(one / most) - math.sqrt(other / most))
        wide = width_of(tick(one, share=share)) + width_of(tick(other, share=share))
        return gap >= max(40.0, wide / 2 + 10)

    for value in [*sorted(first, reverse=True), *(2 * decade for decade in decades)]:
        value = float(f"{value:.6g}")
        if value <= most * (1 + 1e-9) and all(apart(value, other) for other in found):
            found.append(value)
    return sorted(found)


def ceiling(values: Sequence[float]) -> float:
    """Return a round number that no value exceeds: 1, 2, 2.5 or 5 times a power of ten.

    >>> ceiling([0.046]), ceiling([13]), ceiling([])
    (0.05, 20.0, 1.0)
    """
    most = max(values, default=0.0)
    if most <= 0:
        return 1.0
    size = 10.0 ** math.floor(math.log10(most))
    return next(
        float(f"{step * size:.6g}") for step in (1, 2, 2.5, 5, 10) if step * size >= most * 0.999999
    )
