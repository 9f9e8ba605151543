"""The shareable edition: facts that others may know, before a word of the report is written.

A report must not be the leak, not even to a recipient, who has the released file and can count in
it what was not rounded there. What is taken out: combinations of values, the name and hash of the
private file, the seed, warnings and notes (they say where protection is thin), and whatever tells
how strongly values were perturbed (shares of changed cells, settings of candidates on the map), or
how many cells and records the sentence of a step counts.
What is blurred, with a base that is not smaller than k:

- Counts of people are rounded to multiples of the base; one below it is told only to be below it.
  What is told to be at most so many is rounded up. The released records, which everybody can
  count, are rounded where they stand beside other people.
- Of the sizes of classes it is told who stands out and who does not: with the number of people,
  which everybody can know, further sizes and the number of classes would tell how many are alone.
  The number of classes, which is that of right guesses, is rounded further. How many people need
  how many facts is told only where those are as many as the base, since several small numbers with
  a small sum would tell each other.
- Categories that fewer people than the base have, in either file, are pooled, and so are those that
  the release no longer holds: it would be for nothing that they were taken out. The original is
  told by how it differs from the released file, in multiples of the base: otherwise the cell that
  was suppressed could be read off the two margins.
- Bounds of bins of a variable that was changed are called by their number: they may be values of
  the original that are not released.
- Shares and distances are rounded up, and what is kept down, to what the base is of all people, and
  to three decimals; coefficients to two. Measures that tell how original values are distributed
  within a generalised one (entropy), or how large single classes are (discernibility), are left
  out, and points of a curve that too few people make.
- What is sorted by a measure is sorted by what is told of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from indistinct.release import Certificate
from indistinct.release.few import Few, lowered, raised, raised_count, rounded, rounding_base
from indistinct.release.outward import ALTERING, uncounted_step
from indistinct.release.report.facts import (
    Band,
    Changes,
    ClassSizes,
    Cost,
    Curve,
    Known,
    Linkage,
    Map,
    MapPoint,
    Marginal,
    Measure,
    Measured,
    Risk,
    Step,
    Test,
    Utility,
    VariableChange,
)
from indistinct.release.report.folder import ReleaseFacts

__all__ = ["blurred_map", "blurred_utility", "shareable", "unit_of"]


# Utility and the map for others: nothing in them rests on fewer people than a base.


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


_ASSUMED_K = 5
"""Where not even the certificate tells k."""
_SHARES = ("loss", "precision")
"""Losses that are shares of cells; the others are made of the sizes of classes."""


def shareable(facts: ReleaseFacts) -> ReleaseFacts:
    """Return what of a release's facts others may know."""
    measured = facts.measured
    k = measured.k if measured is not None else facts.certificate.k or _ASSUMED_K
    return replace(
        facts,
        folder=Path(facts.name),
        certificate=_certificate(facts.certificate, rounding_base(k)),
        measured=None if measured is None else _measured(measured),
        notes=(),
        seed=None,
        edition="shareable",
    )


def _certificate(found: Certificate, base: int) -> Certificate:
    """Round what the certificate counts; its other fields are made for everybody."""
    content = _rounded_in(found.content, ("records",), base)
    if isinstance(content.get("verdict"), Mapping):
        verdict = _rounded_in(content["verdict"], ("witnesses", "disclosures"), base)
        verdict.pop("findings", None)  # they say where protection is thin, and how thin
        content["verdict"] = verdict
    if isinstance(content.get("attacked_with"), list):
        content["attacked_with"] = [
            _rounded_in(item, ("records",), base) if isinstance(item, Mapping) else item
            for item in content["attacked_with"]
        ]
    return Certificate(content)


def _rounded_in(fields: Mapping[str, Any], names: tuple[str, ...], base: int) -> dict[str, Any]:
    return {
        name: rounded(value, base) if name in names and type(value) is int else value
        for name, value in fields.items()
    }


def _measured(found: Measured) -> Measured:
    base = rounding_base(found.k)
    unit = unit_of(found.original.records, base)
    perturbed = _perturbed(found)
    whole = {
        change.name
        for change in found.changes.variables
        if change.how == "unchanged" and change.name not in perturbed and not found.changes.lost
    }
    return replace(
        found,
        original=replace(
            found.original, name="", sha256="", records=rounded(found.original.records, base)
        ),
        released=replace(
            found.released,
            records=rounded(found.released.records, base),
            # of all values that were there, not of those that are released
            variables=tuple(replace(v, labels={}) for v in found.released.variables),
        ),
        risk=_risk(found.risk, base, unit),
        changes=_changes(found.changes, base, perturbed),
        steps=tuple(_step(step) for step in found.steps),
        cost=found.cost and _cost(found.cost, base, unit),
        utility=found.utility and blurred_utility(found.utility, base, whole),
        map=found.map and blurred_map(found.map, unit),
        warnings=(),
    )


def _risk(risk: Risk, base: int, unit: float) -> Risk:
    return replace(
        risk,
        before=_sizes(risk.before, risk.k, base),
        after=_sizes(risk.after, risk.k, base),
        # one right guess for each class
        expected_before=_classes(risk.expected_before, risk.before.records, base),
        # those of the released file can be counted there
        expected_after=None
        if risk.expected_after is None
        else raised_count(risk.expected_after, base),
        without={name: rounded(count, base) for name, count in risk.without.items()},
        enough={s: rounded(count, base) for s, count in risk.enough.items() if count >= base},
        exposed=(),
        known_too=_known_too(risk, base),
        linkage=tuple(
            Linkage(link.how, raised(link.before, unit), raised(link.after, unit))
            for link in risk.linkage
        ),
    )


def _known_too(risk: Risk, base: int) -> tuple[Known, ...]:
    told = [
        Known(one.variable, rounded(one.alone, base), rounded(one.below, base))
        for one in risk.known_too
    ]
    return tuple(sorted(told, key=lambda one: (-one.below, -one.alone, one.variable)))


def _sizes(sizes: ClassSizes, k: int, base: int) -> ClassSizes:
    records, at_risk = rounded(sizes.records, base), rounded(sizes.at_risk, base)
    return ClassSizes(
        records,
        _classes(sizes.classes, sizes.records, base),
        rounded(sizes.unique, base),
        at_risk,
        # the smallest class of a file that keeps k is promised to everybody
        sizes.smallest if sizes.smallest >= k else 0,
        (Band(1, k - 1, None, at_risk), Band(k, None, None, max(0, records - at_risk))),
    )


def _classes(number: float, records: int, base: int) -> int:
    """Round a number of classes so far that it does not tell how many of them are small.

    It is never told to be larger than the number of people, as that is told.

    >>> _classes(30, 600, 5), _classes(3, 21, 5), _classes(21, 21, 5), _classes(96, 600, 5)
    (<50, <20, 20, 100)
    """
    people = max(base, rounded(records, base))
    many = min(10 * base, people)
    return Few(many) if 0 < number < many else min(people, rounded(round(number), 2 * base))


def _perturbed(found: Measured) -> set[str]:
    """Return the variables that a perturbing step touched, whatever other steps did to them."""
    by_steps = (s.variables for s in found.steps if s.perturbs or s.kind in ALTERING)
    changed = found.changes.variables
    return {
        *(name for names in by_steps for name in names),
        *(change.name for change in changed if change.perturbed or change.how == "perturbed"),
    }


def _changes(changes: Changes, base: int, perturbed: set[str]) -> Changes:
    told = None if changes.records_changed is None else rounded(changes.records_changed, base)
    return replace(
        changes,
        records_before=rounded(changes.records_before, base),
        records_after=rounded(changes.records_after, base),
        left_out=rounded(changes.lost, base),
        records_changed=None if perturbed else told,
        variables=tuple(
            _untold(change)
            if change.name in perturbed
            else replace(
                change,
                cells=None if change.cells is None else rounded(change.cells, base),
                suppressed=rounded(change.suppressed, base),
            )
            for change in changes.variables
        ),
    )


def _untold(change: VariableChange) -> VariableChange:
    """Tell of a variable that it was perturbed, and not how much; not even that nothing moved."""
    how = "perturbed" if change.how == "unchanged" else change.how
    return replace(change, how=how, cells=None, suppressed=0)


def _step(step: Step) -> Step:
    """Leave out of a step's sentence what it counts, and all of it where it tells how strongly."""
    if step.perturbs or step.kind in ALTERING:
        return replace(step, told="")
    return replace(step, told=uncounted_step(step.kind, step.told))


def _cost(cost: Cost, base: int, unit: float) -> Cost:
    over = cost.over_distortion
    return replace(
        cost,
        precision=lowered(cost.precision, unit),
        losses={name: raised(cost.losses[name], unit) for name in _SHARES if name in cost.losses},
        suppressed_records=rounded(cost.suppressed_records, base),
        suppressed_cells=rounded(cost.suppressed_cells, base),
        over_distortion=None if over is None else math.ceil(over * 100 - 1e-9) / 100,
    )
