"""Utility and the map for others: nothing in them rests on fewer people than a base."""

from __future__ import annotations

import re
from dataclasses import replace

from indistinct.report.facts import Changes, Curve, Map, Marginal, Measure, Test, Utility
from indistinct.report.few import lowered, raised, rounded

__all__ = ["blurred_map", "blurred_utility", "unit_of"]

_LEAST_UNIT = 0.001
_DISTANCES = ("marginals", "pairs", "triples", "table")
"""Measures that are shares of people; the others are coefficients."""


def unit_of(records: int, base: int) -> float:
    """Return the step in which shares are told: what the base is of all people, 0.001 at least.

    >>> unit_of(1_000, 5), unit_of(1_000_000, 5), unit_of(3, 5)
    (0.005, 0.001, 1.0)
    """
    return min(1.0, max(_LEAST_UNIT, base / max(1, records)))


def blurred_utility(utility: Utility, changes: Changes, base: int) -> Utility:
    """Return what others may know of a comparison."""
    unit = unit_of(min(utility.records), base)
    same = {change.name for change in changes.variables if change.how == "unchanged"}
    bounds_are_released = same if not changes.lost else set()
    before, after = utility.records
    return replace(
        utility,
        records=(rounded(before, base), rounded(after, base)),
        measures=tuple(_measure(measure, unit) for measure in utility.measures),
        tables=tuple(_measure(table, unit) for table in utility.tables),
        marginals=tuple(
            kept
            for marginal in utility.marginals
            if (kept := _marginal(marginal, utility.records, base, bounds_are_released)) is not None
        ),
        tests=tuple(_test(test, base) for test in utility.tests),
        notes=(),
    )


def _measure(found: Measure, unit: float) -> Measure:
    if found.name in _DISTANCES:
        far = found.difference
        return Measure(found.name, None, None, None if far is None else raised(far, unit), found.at)
    if found.name == "k_marginal" and found.released is not None:
        score = 1000 * lowered(found.released / 1000, unit)
        return Measure(found.name, 1000.0, score, score - 1000, found.at)
    a, b = found.original, found.released
    step = max(unit, 0.01)
    a, b = (None if value is None else _nearest(value, step) for value in (a, b))
    apart = None if a is None or b is None else _nearest(b - a, step)
    return replace(found, original=a, released=b, difference=apart)


def _nearest(value: float, step: float) -> float:
    return float(f"{round(value / step) * step:.12g}")


def _marginal(
    found: Marginal, records: tuple[int, int], base: int, bounds_are_released: set[str]
) -> Marginal | None:
    """Pool the categories that few people have, and round the others."""
    if min(records) < base:
        return None
    labels = list(found.labels)
    if found.ordered and found.name not in bounds_are_released:
        labels = [f"{i}/{len(labels)}" if label else "" for i, label in enumerate(labels, 1)]
    pooled = len(found.original) > len(labels)
    counts = [
        [round(share * total) for share in shares]
        for shares, total in zip((found.original, found.released), records, strict=True)
    ]
    rest = [side.pop() if pooled else 0 for side in counts]
    out: set[int] = set()

    def too_few(numbers: list[int]) -> bool:
        return any(0 < number < base for number in numbers)

    for i in sorted(range(len(labels)), key=lambda i: counts[0][i] + counts[1][i]):
        # what is pooled must be many people too, or one more category goes in
        if too_few([side[i] for side in counts]) or too_few(rest):
            out.add(i)
            rest = [r + side[i] for r, side in zip(rest, counts, strict=True)]
    left = [i for i in range(len(labels)) if i not in out]
    while left and too_few(rest):
        i = left.pop(0)
        out.add(i)
        rest = [r + side[i] for r, side in zip(rest, counts, strict=True)]
    if not left:
        return None
    pairs = [(counts[0][i], counts[1][i]) for i in left]
    if pooled or out:
        pairs.append((rest[0], rest[1]))
    totals = [rounded(total, base) for total in records]
    told = [_rounded_pair(a, b, base) for a, b in pairs]
    return replace(
        found,
        labels=tuple(labels[i] for i in left),
        original=tuple(min(1.0, a / totals[0]) for a, _ in told),
        released=tuple(min(1.0, b / totals[1]) for _, b in told),
        total_variation=raised(found.total_variation, unit_of(min(records), base)),
        rest=found.rest + len(out),
    )


def _rounded_pair(original: int, released: int, base: int) -> tuple[int, int]:
    """Round a released count, and how far the original one is from it: a small difference is 0.

    >>> _rounded_pair(104, 103, 5), _rounded_pair(111, 103, 5), _rounded_pair(0, 7, 5)
    ((105, 105), (115, 105), (0, 5))
    """
    apart = original - released
    step = 0 if abs(apart) < base else rounded(abs(apart), base) * (1 if apart > 0 else -1)
    shown = rounded(released, base)
    return max(0, shown + step), shown


def _test(test: Test, base: int) -> Test:
    far = test.difference
    if far is not None:
        # edit rules count records
        far = rounded(round(far), base) if test.name == "rules" else round(far, 2)
    return replace(
        test,
        difference=far,
        curves=tuple(_curve(curve) for curve in test.curves),
        suggestion="",
    )


def _curve(curve: Curve) -> Curve:
    """Leave out the places where too few people are, which only tell that somebody is there."""
    shown = [
        i
        for i, (a, b) in enumerate(zip(curve.original, curve.released, strict=True))
        if a is not None or b is not None
    ]
    return replace(
        curve,
        x=tuple(curve.x[i] for i in shown),
        original=tuple(_two(curve.original[i]) for i in shown),
        released=tuple(_two(curve.released[i]) for i in shown),
        ticks=tuple(curve.ticks[i] for i in shown) if curve.ticks else (),
    )


def _two(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def blurred_map(found: Map, unit: float) -> Map:
    """Call the candidates by their method alone: a setting tells how strongly values moved."""
    bare = [_without_settings(point.name) for point in found.points]
    names: dict[str, str] = {}
    for point, method in zip(found.points, bare, strict=True):
        number = sum(_without_settings(earlier) == method for earlier in names) + 1
        names[point.name] = f"{method} ({number})" if bare.count(method) > 1 else method
    points = tuple(
        replace(
            point,
            name=names[point.name],
            risk=raised(point.risk, unit),
            utility=lowered(point.utility, unit),
            dominated_by=names.get(point.dominated_by) if point.dominated_by else None,
        )
        for point in found.points
    )
    return replace(found, points=points, refused=())


def _without_settings(name: str) -> str:
    """Leave out the words of a candidate's name that hold a number, but for its k.

    >>> _without_settings("shuffle 0.1"), _without_settings("datafly k=3")
    ('shuffle', 'datafly k=3')
    """
    kept = [w for w in name.split() if w.startswith("k=") or not re.search(r"\d", w)]
    return " ".join(kept) or "candidate"
