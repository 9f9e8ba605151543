"""Utility and the map for others: nothing in them rests on fewer people than a base."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from indistinct.release.few import lowered, raised, rounded
from indistinct.release.report.facts import Curve, Map, MapPoint, Marginal, Measure, Test, Utility

__all__ = ["blurred_map", "blurred_utility", "unit_of"]

_LEAST_UNIT = 0.001
_DISTANCES = ("marginals", "pairs", "triples", "table")
"""Measures that are shares of people; the others are coefficients."""
_OF_ONE = ("regressions", "propensity")
"""Coefficients that are 1 where nothing was lost."""


def unit_of(records: int, base: int) -> float:
    """Return the step in which shares are told: what the base is of all people, 0.001 at least.

    >>> unit_of(1_000, 5), unit_of(1_000_000, 5), unit_of(3, 5)
    (0.005, 0.001, 1.0)
    """
    return min(1.0, max(_LEAST_UNIT, base / max(1, records)))


def blurred_utility(utility: Utility, base: int, whole: Collection[str]) -> Utility:
    """Return what others may know of a comparison.

    Parameters
    ----------
    whole
        The variables that are released as they were, of all people: bounds of their bins are told.
    """
    unit = unit_of(min(utility.records), base)
    before, after = utility.records
    tables = sorted((_measure(table, unit) for table in utility.tables), key=_by_distance)
    moved = [_marginal(marginal, utility.records, base, whole) for marginal in utility.marginals]
    apart = [(raised(m.total_variation, unit), m.name) for m in utility.marginals]
    worst = {
        "pairs": tables[0].at if tables else None,
        "marginals": min(apart, key=lambda m: (-m[0], m[1]))[1] if apart else None,
    }
    measures = [_measure(measure, unit) for measure in utility.measures]
    return replace(
        utility,
        records=(rounded(before, base), rounded(after, base)),
        # of those that are told to be equally far the first by name
        measures=tuple(replace(m, at=worst.get(m.name) or m.at) for m in measures),
        tables=tuple(tables),
        marginals=tuple(
            sorted((m for m in moved if m is not None), key=lambda m: (-m.total_variation, m.name))
        ),
        tests=tuple(_test(test, base) for test in utility.tests),
        notes=(),
    )


def _by_distance(table: Measure) -> tuple[float, str]:
    return -(table.difference or 0.0), table.at or ""


def _measure(found: Measure, unit: float) -> Measure:
    if found.name in _DISTANCES:
        far = found.difference
        return Measure(found.name, None, None, None if far is None else raised(far, unit), found.at)
    if found.name == "k_marginal" and found.released is not None:
        score = 1000 * lowered(found.released / 1000, unit)
        return Measure(found.name, 1000.0, score, score - 1000, found.at)
    a, b = found.original, found.released
    step = max(unit, 0.01)
    if found.name in _OF_ONE:
        lost = None if b is None else _nearest(b - 1, step)
        return Measure(found.name, 1.0, None if lost is None else 1 + lost, lost, found.at)
    a, b = (None if value is None else _nearest(value, step) for value in (a, b))
    apart = None if a is None or b is None else _nearest(b - a, step)
    return replace(found, original=a, released=b, difference=apart)


def _nearest(value: float, step: float) -> float:
    return float(f"{round(value / step) * step:.12g}")


def _marginal(
    found: Marginal, records: tuple[int, int], base: int, whole: Collection[str]
) -> Marginal | None:
    """Pool the categories that few people have or the release does not hold; round the others."""
    if min(records) < base:
        return None
    labels = list(found.labels)
    if found.ordered and found.name not in whole:
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
        if counts[1][i] < base or too_few([counts[0][i]]) or too_few(rest):
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
    """Leave out the places where the release has too few people: only that they were is told."""
    shown = [i for i, value in enumerate(curve.released) if value is not None]
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
    blurred = [
        replace(p, risk=raised(p.risk, unit), utility=lowered(p.utility, unit))
        for p in found.points
    ]
    # in the order in which they were tried, their numbers would tell which was the stronger
    blurred.sort(key=_by_what_is_told)
    bare = [_without_settings(point.name) for point in blurred]
    names: dict[str, str] = {}
    for point, method in zip(blurred, bare, strict=True):
        number = sum(_without_settings(earlier) == method for earlier in names) + 1
        names[point.name] = f"{method} ({number})" if bare.count(method) > 1 else method
    points = tuple(
        replace(
            point,
            name=names[point.name],
            dominated_by=names.get(point.dominated_by) if point.dominated_by else None,
        )
        for point in blurred
    )
    return replace(found, points=points, refused=())


def _by_what_is_told(point: MapPoint) -> tuple[float, float, str, bool, bool, bool]:
    method = _without_settings(point.name)
    free = point.dominated_by is None
    return point.risk, -point.utility, method, not free, point.chosen, point.released


def _without_settings(name: str) -> str:
    """Leave out the words of a candidate's name that hold a number, but for its k.

    >>> _without_settings("shuffle 0.1"), _without_settings("datafly k=3")
    ('shuffle', 'datafly k=3')
    """
    kept = [w for w in name.split() if w.startswith("k=") or not re.search(r"\d", w)]
    return " ".join(kept) or "candidate"
