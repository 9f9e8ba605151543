"""Numbers in nested intervals, with open ends at the bottom and the top."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from indistinct.core import InputError
from indistinct.hierarchy.hierarchy import SUPPRESSED, Hierarchy
from indistinct.hierarchy.special import distinct_texts, rule_hierarchy
from indistinct.hierarchy.text import as_text

__all__ = ["as_number", "interval_hierarchy"]

Number = int | float | str | Decimal
Bounds = tuple[int | None, int | None]
"""An interval closed below and open above; None where it has no end."""


def interval_hierarchy(
    values: Iterable[object],
    *,
    name: str = "",
    widths: Sequence[Number] | None = None,
    cuts: Sequence[Sequence[Number]] | None = None,
    bottom: Number | None = None,
    top: Number | None = None,
    origin: Number = 0,
    integers: bool | None = None,
    special: Iterable[object] = (),
    root: str = SUPPRESSED,
) -> Hierarchy:
    """Return the hierarchy of ever wider intervals.

    At a level of width w, a value x goes to [o + iw, o + (i + 1)w) with
    i = ⌊(x − o) / w⌋ and o the `origin`. Sums and quotients are exact, of the numbers as they
    are written, so 0.3 lies in [0.3, 0.4). Intervals end at `bottom` and `top`.

    Parameters
    ----------
    values
        The numbers, as data hold them; also as text.
    widths
        The width at levels 1, 2, …, each a multiple of the one before: ``(5, 10, 20)``.
    cuts
        Instead of widths: the cut points at levels 1, 2, …, rising; each level keeps some of
        those of the level before. Below the first and from the last on, intervals are open.
    bottom, top
        Bottom and top code, with widths: all values below `bottom` become ``<15``, all values
        from `top` on ``≥85``, at every level.
    origin
        Where an interval begins.
    integers
        Write ``20-24`` instead of ``[20, 25)``. By default if all numbers are whole.
    special
        Values that are no quantities (a code 999 for *unknown*): they stay as they are.
    root
        The label of the root.

    >>> ages = interval_hierarchy([3, 22, 24, 90], widths=(5, 20), bottom=15, top=85)
    >>> [ages.generalise(age, 1) for age in (3, 22, 24, 90)]
    ['<15', '20-24', '20-24', '≥85']
    >>> interval_hierarchy([-0.5, 0.3], widths=("0.1",)).level_labels(1)
    ('[-0.5, -0.4)', '[0.3, 0.4)', None)
    >>> interval_hierarchy([7, 30], cuts=[(5, 18, 65), (18,)]).ancestors(7)
    ('7', '5-17', '<18', '*')
    """
    ordinary, apart = distinct_texts(values, special=special, root=root)
    numbers = _numbers(ordinary, name)
    ordinary.sort(key=lambda text: (numbers[text], text))
    limits = [_limit(limit, name) for limit in (bottom, top, origin)]
    given = [
        [_limit(n, name) for n in level] for level in ([widths or ()] if cuts is None else cuts)
    ]
    stated = [n for level in [limits, *given] for n in level if n is not None]
    decimals = max((_decimals(n) for n in [*numbers.values(), *stated]), default=0)
    whole = decimals == 0 if integers is None else integers
    if whole and decimals:
        raise InputError(
            f"integers=True{_of(name)} needs whole numbers. Got some with decimals: leave it out."
        )
    scaled = [[_scaled(n, decimals) for n in level if n is not None] for level in given]
    low, high, zero = (None if n is None else _scaled(n, decimals) for n in limits)
    if cuts is None:
        levels = _by_widths(scaled[0], low, high, zero or 0, name)
    else:
        levels = _by_cuts(scaled, low is not None or high is not None, name)
    positions = {text: _scaled(number, decimals) for text, number in numbers.items()}
    return rule_hierarchy(
        ordinary,
        apart,
        lambda text: [_label(bounds(positions[text]), decimals, whole) for bounds in levels],
        steps=len(levels),
        root=root,
        name=name,
        ordered=not apart,
    )


def as_number(text: str) -> Decimal | None:
    """Return the finite number that a text spells, exactly, or None.

    >>> as_number("-0.5"), as_number("E11"), as_number("inf")
    (Decimal('-0.5'), None, None)
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    # beyond the range of a float it is a text that happens to look like a number
    return number if number.is_finite() and abs(number.adjusted()) < 400 else None


def _by_widths(
    widths: list[int], low: int | None, high: int | None, origin: int, name: str
) -> list[Callable[[int], Bounds]]:
    if not widths or widths[0] <= 0 or any(b <= a or b % a for a, b in pairwise(widths)):
        raise InputError(
            f"widths{_of(name)} must be positive, each a multiple of the one before, as "
            "(5, 10, 20), so that intervals nest. Got others, or none."
        )
    if low is not None and high is not None and low >= high:
        raise InputError(f"bottom{_of(name)} must lie below top. Exchange or change them.")

    def at(width: int) -> Callable[[int], Bounds]:
        def bounds(x: int) -> Bounds:
            if low is not None and x < low:
                return None, low
            if high is not None and x >= high:
                return high, None
            start = (x - origin) // width * width + origin
            end = start + width
            start = start if low is None else max(start, low)
            return start, end if high is None else min(end, high)

        return bounds

    return [at(width) for width in widths]


def _by_cuts(cuts: list[list[int]], coded: bool, name: str) -> list[Callable[[int], Bounds]]:
    if coded:
        raise InputError(
            f"bottom and top{_of(name)} go with widths. With cuts, the first and the last cut "
            "are the bottom and top code: leave bottom and top out."
        )
    if not cuts or any(not c or any(b <= a for a, b in pairwise(c)) for c in cuts):
        raise InputError(f"cuts{_of(name)} must be rising numbers at each level, as (15, 65).")
    for level, (finer, coarser) in enumerate(pairwise(cuts), start=2):
        if not set(coarser) <= set(finer):
            raise InputError(
                f"cuts{_of(name)} at level {level} must all be cuts at level {level - 1}, so that "
                "intervals nest. Add the missing ones there, or leave them out here."
            )

    def at(points: list[int]) -> Callable[[int], Bounds]:
        def bounds(x: int) -> Bounds:
            i = bisect_right(points, x)
            return (points[i - 1] if i else None), (points[i] if i < len(points) else None)

        return bounds

    return [at(points) for points in cuts]


def _label(bounds: Bounds, decimals: int, whole: bool) -> str:
    start, end = bounds
    if start is None or end is None:
        number = _plain(end if start is None else start, decimals)
        return f"<{number}" if start is None else f"≥{number}"
    if not whole:
        return f"[{_plain(start, decimals)}, {_plain(end, decimals)})"
    last = end - 1
    if start == last:
        return str(start)
    # a minus sign beside the dash of a range cannot be read
    return f"{start}-{last}" if start >= 0 else f"{start} to {last}"


def _numbers(texts: Sequence[str], name: str) -> dict[str, Decimal]:
    numbers = {text: number for text in texts if (number := as_number(text)) is not None}
    if len(numbers) < len(texts):
        raise InputError(
            f"The intervals{_of(name)} need numbers. {len(texts) - len(numbers):,} of "
            f"{len(texts):,} distinct values are none. Name codes such as 'unknown' in special."
        )
    return numbers


def _limit(number: Number | None, name: str) -> Decimal | None:
    if number is None:
        return None
    found = as_number(as_text(number) or "")
    if found is None:
        raise InputError(f"Widths, cuts, bottom, top and origin{_of(name)} must be numbers.")
    return found


def _decimals(number: Decimal) -> int:
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    for digit in reversed(digits):
        if exponent >= 0 or digit:
            break
        exponent += 1
    return max(-exponent, 0)


def _scaled(number: Decimal, decimals: int) -> int:
    """Return number · 10^decimals, exactly, whatever the precision of the Decimal context."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    value = int("".join(map(str, digits)))
    power = exponent + decimals
    factor: int = 10 ** abs(power)
    value = value * factor if power >= 0 else value // factor
    return -value if sign else value


def _plain(number: int | None, decimals: int) -> str:
    assert number is not None
    whole, rest = divmod(abs(number), 10**decimals)
    fraction = str(rest).zfill(decimals).rstrip("0") if decimals else ""
    return ("-" if number < 0 else "") + str(whole) + (f".{fraction}" if fraction else "")


def _of(name: str) -> str:
    return f" of '{name}'" if name else ""
