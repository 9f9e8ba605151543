"""Facts for a report, taken from the results of a run while they are at hand."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from indistinct.core import Ints, Variables
from indistinct.files import Source
from indistinct.hierarchy import SUPPRESSED
from indistinct.keys import KeyTable, Uniques
from indistinct.protect import Plan, Protected, Receipt
from indistinct.protect import Step as PlanStep
from indistinct.prove import KnownToo, ProtectionReport
from indistinct.release import Terms, file_digest, generalised_labels, told_steps
from indistinct.release.report.facts import (
    Band,
    Changes,
    ClassSizes,
    Cost,
    Curve,
    Exposed,
    Known,
    Linkage,
    Map,
    MapPoint,
    Marginal,
    Measure,
    Measured,
    Original,
    Released,
    Risk,
    Step,
    Test,
    Utility,
    Variable,
    VariableChange,
)
from indistinct.risk import minimal_uniques
from indistinct.rules import RulesReport
from indistinct.utility.analyses import Associations, Tables
from indistinct.utility.analyses import Utility as General
from indistinct.utility.comparing import ReleaseComparison
from indistinct.utility.demography import DemographicTests, HomogamyGroup
from indistinct.utility.tradeoff import RiskUtilityMap

__all__ = ["measure", "utility_facts", "with_utility"]


# The facts of a comparison that a report shows: bounded, whatever the number of variables.


_SHOWN = 12
"""How many variables are drawn: those that changed most."""
_CATEGORIES = 15
"""How many categories of a variable are drawn; the others are pooled."""

_BIRTHS = 30
"""Births that a year needs in both files for its fertility to be told."""


def utility_facts(
    comparison: ReleaseComparison, labels: Mapping[str, Mapping[str, str]] | None = None
) -> Utility:
    """Take from a comparison what is shown of it.

    Parameters
    ----------
    labels
        What the values of variables mean, by variable and value.
    """
    meaning = labels or {}
    general = comparison.utility
    every = general.marginals.variables
    moved = sorted((m for m in every if m.total_variation > 0), key=lambda m: -m.total_variation)
    tests = _demographic(comparison.demography, meaning) if comparison.demography else []
    if comparison.rules is not None:
        tests.append(_rules(comparison.rules))
    return Utility(
        general.records,
        len(general.variables),
        tuple(g.name for g in comparison.generalised),
        tuple(_measures(general)),
        tuple(_marginal(m, meaning.get(m.name, {})) for m in moved[:_SHOWN]),
        len(every) - len(moved),
        max(0, len(moved) - _SHOWN),
        tuple(_tables(general.pairs)) if general.pairs is not None else (),
        tuple(tests),
        tuple(comparison.notes),
    )


def _measures(general: General) -> Iterable[Measure]:
    margins = general.marginals
    yield Measure(
        "marginals", None, None, margins.mean, margins.worst.name if margins.mean else None
    )
    for name in ("pairs", "triples"):
        tables: Tables | None = getattr(general, name)
        if tables is not None and tables.found:
            yield Measure(name, None, None, tables.mean, tables.worst.title)
    if general.k_marginal is not None:
        score = general.k_marginal.score
        yield Measure("k_marginal", 1000.0, score, score - 1000.0)
    for name in ("correlations", "associations"):
        found: Associations | None = getattr(general, name)
        if found is not None and found.worst is not None:
            first, second = found.worst
            a, b = next((a, b) for x, y, a, b in found.pairs if (x, y) == (first, second))
            yield Measure(name, a, b, b - a, f"{first} x {second}")
    if general.regressions is not None and general.regressions.coefficients:
        overlap = general.regressions.overlap
        yield Measure("regressions", 1.0, overlap, overlap - 1.0)
    ratio = general.telling.ratio
    yield Measure("propensity", 1.0, _finite(ratio), _finite(ratio - 1.0))


def _tables(pairs: Tables) -> Iterable[Measure]:
    worst = sorted(pairs.found, key=lambda t: -t.total_variation)
    for table in worst[:_SHOWN]:
        if table.total_variation > 0:
            yield Measure("table", None, None, table.total_variation, table.title)


def _marginal(marginal: Any, meaning: Mapping[str, str]) -> Marginal:
    values = ["" if label is None else str(label) for label in marginal.labels]
    labels = [meaning.get(value, value) for value in values]
    p, q = np.asarray(marginal.p, dtype=float), np.asarray(marginal.q, dtype=float)
    rest = 0
    if len(labels) > _CATEGORIES and not marginal.bins:
        kept = np.sort(np.argsort(-np.maximum(p, q), kind="stable")[: _CATEGORIES - 1])
        rest = len(labels) - len(kept)
        other = np.setdiff1d(np.arange(len(labels)), kept)
        labels = [labels[i] for i in kept]
        p, q = np.append(p[kept], p[other].sum()), np.append(q[kept], q[other].sum())
    return Marginal(
        marginal.name,
        tuple(labels),
        tuple(p.tolist()),
        tuple(q.tolist()),
        float(marginal.total_variation),
        bool(marginal.bins),
        rest,
    )


def _demographic(found: DemographicTests, meaning: Mapping[str, Mapping[str, str]]) -> list[Test]:
    gap, fertility = found.age_gap, found.fertility
    births = [series.births.sum(axis=1) for series in (fertility.original, fertility.released)]
    enough = np.minimum(*births) >= _BIRTHS
    tests = [
        Test(
            "age_gap",
            gap.passed,
            _finite(gap.difference),
            gap.threshold,
            tuple(
                Curve(
                    f"age_gap.{curve.reference}",
                    tuple(map(float, curve.ages)),
                    _kept(curve.original, curve.judged),
                    _kept(curve.released, curve.judged),
                )
                for curve in gap.curves
                if curve.judged.any()
            ),
            gap.suggestion,
        ),
        Test(
            "fertility",
            fertility.passed,
            _finite(fertility.largest),
            fertility.threshold,
            (
                Curve(
                    "fertility",
                    tuple(float(-x) for x in reversed(range(fertility.original.years))),
                    _kept(fertility.original.total[::-1], enough[::-1]),
                    _kept(fertility.released.total[::-1], enough[::-1]),
                ),
            ),
            fertility.suggestion,
        ),
    ]
    like = found.homogamy
    if like is not None:
        group = max(like.groups, key=_furthest)
        named = meaning.get(found.education or "", {})
        tests.append(
            Test(
                "homogamy",
                like.passed,
                _finite(like.difference),
                like.threshold,
                (
                    Curve(
                        "homogamy",
                        tuple(float(i) for i in range(1, len(like.levels) + 1)),
                        _kept(group.values(group.original), group.judged),
                        _kept(group.values(group.released), group.judged),
                        tuple(named.get(str(level), str(level)) for level in like.levels),
                        group.name,
                    ),
                ),
                like.suggestion,
            )
        )
    return tests


def _furthest(group: HomogamyGroup) -> float:
    """Return how far the two files are apart in a group, where that can be judged."""
    sizes = np.abs(np.asarray(group.difference, dtype=float))[np.asarray(group.judged)]
    return float(np.nanmax(sizes)) if len(sizes) and np.isfinite(sizes).any() else -1.0


def _rules(report: RulesReport) -> Test:
    worse = sum(
        max(0, after - report.before.counts[name]) for name, after in report.after.counts.items()
    )
    return Test("rules", report.passed, float(worse), 0.0)


def _kept(values: Any, judged: Any = None) -> tuple[float | None, ...]:
    shown = np.asarray(values, dtype=float)
    if judged is not None:
        shown = np.where(judged, shown, np.nan)
    return tuple(_finite(value) for value in shown.tolist())


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


_BOUNDS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
_EXPOSED = 10
"""How many of the most exposed combinations are kept."""
_KNOWN_TOO = 5
"""Of so many further variables, the worst, it is told what they would do."""
_REPLACING = frozenset(
    ("encrypt", "substitute", "microaggregate", "outliers-to-medians", "renumber-households")
)
_LABELS_SHOWN = 6
"""So many of the labels of a generalised variable say what it became."""
_LABELLED = 100
"""Up to so many labels of a variable's values are kept."""
_SEARCHED_CLASSES = 300_000
_WHOLE_SEARCH = 8
"""Up to so many classes, and key variables, is every minimal unique looked for."""
_MOST_FACTS = 3
"""With more key variables, minimal uniques of so many at most."""


def measure(
    source: Source,
    released: Source,
    done: Protected,
    *,
    plan: Plan,
    receipts: Sequence[Receipt],
    terms: Terms,
    format: str,
    comparison: ReleaseComparison | None = None,
    protection: ProtectionReport | None = None,
    drawn: RiskUtilityMap | None = None,
    chosen: str | None = None,
    warnings: Sequence[str] = (),
    known: Sequence[KnownToo] = (),
) -> Measured:
    """Take the facts of a release from what was computed for it; no record is read again.

    Parameters
    ----------
    source, released
        The private records, and those released.
    plan, receipts
        All steps, those that left out variables included.
    comparison
        Original against released, where that was compared.
    protection
        What an intruder still finds, where that is not in the comparison.
    drawn, chosen
        A map of risk and utility, and the name of the candidate on it that is this release.
    known
        What one further released variable would do (`indistinct.prove.knowing_too`).
    """
    perturbed = any(step.perturbs for step in plan.steps)
    found = Measured(
        Original(
            Path(source.origin).name,
            source.records,
            len(source.variables),
            file_digest(source.path),
        ),
        Released(
            released.records,
            format,
            tuple(
                Variable(
                    v.name,
                    v.label,
                    v.level,
                    v.name in done.before.key,
                    _labels(v.name, source.variables),
                )
                for v in released.variables.values()
            ),
        ),
        done.method,
        done.k,
        done.claims_k,
        _risk(done, source.variables, known, perturbed=perturbed),
        _changes(source, released, done, plan, receipts),
        _steps(plan, receipts, list(released.variables)),
        _terms(terms),
        _cost(done),
        map=_map(drawn, chosen) if drawn is not None else None,
        warnings=tuple(warnings),
    )
    if protection is not None:
        found = _with_linkage(found, protection)
    return with_utility(found, comparison) if comparison is not None else found


def with_utility(found: Measured, comparison: ReleaseComparison) -> Measured:
    """Return the facts with those of a comparison of original and released added."""
    coarser = bool(comparison.generalised or comparison.suppressed)
    # of a file that is only generalised, who is nearest is told among coarser categories, which
    # says less than counting does
    if comparison.protection is not None and (_perturbed(found) or not coarser):
        found = _with_linkage(found, comparison.protection)
    labels = {variable.name: variable.labels for variable in found.released.variables}
    return replace(found, utility=utility_facts(comparison, labels))


def _with_linkage(found: Measured, report: ProtectionReport) -> Measured:
    linkage = [Linkage(n.distance, n.before, n.share, n.chance) for n in report.linkage]
    if report.exact is not None and _perturbed(found):
        linkage.insert(0, Linkage("exact", report.exact.rate_before, report.exact.rate_after))
    return replace(found, risk=replace(found.risk, linkage=tuple(linkage)))


def _perturbed(found: Measured) -> bool:
    return any(step.perturbs for step in found.steps)


def _labels(name: str, variables: Variables) -> dict[str, str]:
    """Return what values mean in the original; generalising leaves some of them as they were."""
    labels = (variables[name].labels or {}) if name in variables else {}
    return {str(v): str(text) for v, text in labels.items()} if len(labels) <= _LABELLED else {}


def class_sizes(found: Uniques) -> ClassSizes:
    """Return how many people share how many people's combination."""
    members = found.tally.sorted_counts()
    counts = members if found.shared is None else found.shared
    bounds = sorted({*_BOUNDS, found.k})
    bands = []
    for low, high in zip(bounds, [*bounds[1:], None], strict=True):
        inside = (counts >= low) & ((counts < high) if high else True)
        bands.append(
            Band(low, high - 1 if high else None, int(inside.sum()), int(members[inside].sum()))
        )
    smallest = int(counts.min()) if len(counts) else 0
    return ClassSizes(
        found.records, found.classes, found.unique, found.at_risk, smallest, tuple(bands)
    )


def _risk(
    done: Protected, variables: Variables, known: Sequence[KnownToo], *, perturbed: bool
) -> Risk:
    before, after = done.before, done.after
    table = before.key_table
    without = {}
    if before.shared is None and len(before.key) > 1:
        for name in before.key:
            coarser, _ = table.rollup([other for other in before.key if other != name])
            without[name] = int(coarser.counts[coarser.counts < before.k].sum())
    enough, exposed = _exposed(before, variables)
    return Risk(
        before.key,
        before.k,
        class_sizes(before),
        class_sizes(after),
        _expected(before),
        # where suppressed cells agree with anything, a class may be found by elimination
        None if perturbed else float(after.classes),
        without,
        enough,
        None if len(before.key) <= _WHOLE_SEARCH else _MOST_FACTS,
        exposed,
        wildcards=after.shared is not None and after.person is None,
        known_too=tuple(
            Known(row.attributes[0], row.alone, row.below)
            for row in known[:_KNOWN_TOO]
            if row.below > row.below_before
        ),
    )


def _expected(found: Uniques) -> float:
    """Return how many people are guessed rightly: of F who share a key one, so 1 for each class."""
    if found.shared is None or found.person is not None:
        return float(found.classes)
    return float((found.tally.counts / found.shared).sum())


def _exposed(found: Uniques, variables: Variables) -> tuple[dict[str, int], tuple[Exposed, ...]]:
    """Return how many facts suffice to be alone, and the combinations that need the fewest."""
    table, key = found.key_table, list(found.key)
    searched = found.shared is None and len(key) > 1 and table.classes <= _SEARCHED_CLASSES
    if not searched or not (table.counts == 1).any():
        shared = table.counts if found.shared is None else found.shared
        return {}, _smallest(table, shared, found.k, key, variables)
    most = None if len(key) <= _WHOLE_SEARCH else _MOST_FACTS
    alone = minimal_uniques(table, max_size=most)
    sizes = np.where(alone.smallest > 0, alone.smallest, len(key) + 1)
    worst = np.lexsort((-alone.number, sizes))[:_EXPOSED]
    worst = worst[table.counts[worst] == 1]
    enough = {str(size): count for size, count in alone.by_smallest.items() if count}
    exposed = []
    for row in worst.tolist():
        mask = int(alone.masks[alone.offsets[row]]) if alone.number[row] else 0
        names = tuple(name for j, name in enumerate(table.names) if mask >> j & 1)
        exposed.append(Exposed(1, _values(table, row, key, variables), names))
    return enough, tuple(exposed)


def _smallest(
    table: KeyTable, shared: Ints, k: int, key: Sequence[str], variables: Variables
) -> tuple[Exposed, ...]:
    rows = [r for r in np.argsort(shared, kind="stable")[:_EXPOSED].tolist() if shared[r] < k]
    return tuple(Exposed(int(shared[r]), _values(table, r, key, variables)) for r in rows)


def _values(
    table: KeyTable, row: int, key: Sequence[str], variables: Variables
) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name in key:
        at = table.position(name)
        coding = table.coding.variables[at]
        value = coding.decode(table.codes[row : row + 1, at])
        value = value[0].as_py() if hasattr(value[0], "as_py") else value[0]
        label = (variables[name].labels or {}).get(value) if name in variables else None
        found[name] = None if value is None else str(label or value)
    return found


def _changes(
    source: Source,
    released: Source,
    done: Protected,
    plan: Plan,
    receipts: Sequence[Receipt],
) -> Changes:
    cells: dict[str, int] = {}
    how: dict[str, str] = {}
    perturbed = set()
    suppressed = _suppressed(done)
    for step, receipt in zip(plan.steps, receipts, strict=True):
        for name, number in receipt.cells_changed.items():
            if not number:
                continue
            cells[name] = min(released.records, cells.get(name, 0) + number)
            how.setdefault(name, _how(step))
            if step.perturbs:
                perturbed.add(name)
            if _how(step) == "suppressed" and name not in done.after.key:
                suppressed[name] = suppressed.get(name, 0) + number
    how |= dict.fromkeys(perturbed, "perturbed")
    labels = {name: _telling(those) for name, those in generalised_labels(released, plan).items()}
    for name, number in suppressed.items():
        if name in how and number >= cells.get(name, 0) and name not in perturbed:
            how[name] = "suppressed"
    variables = tuple(
        VariableChange(
            v,
            how.get(v, "unchanged") if cells.get(v) else "unchanged",
            cells.get(v, 0),
            min(suppressed.get(v, 0), cells.get(v, 0)),
            v in perturbed,
            tuple(labels.get(v, ())[:_LABELS_SHOWN]),
            len(labels.get(v, ())),
            cells.get(v, 0) >= released.records,
        )
        for v in released.variables
    )
    lost = [name for name in source.variables if name not in released.variables]
    named = set(source.variables.names(role="identifier"))
    one = [r for r in receipts if r.records_changed]
    return Changes(
        source.records,
        released.records,
        one[0].records_changed if len(one) == 1 else (0 if not one else None),
        variables,
        tuple(name for name in lost if name not in named),
        tuple(name for name in lost if name in named),
    )


def _how(step: PlanStep) -> str:
    """Return a word of the catalogue for what a step does to cells."""
    if step.perturbs:
        return "perturbed"
    if step.kind in _REPLACING:
        return "replaced"
    if "suppress" in step.kind or step.kind.startswith("blank"):
        return "suppressed"
    if step.kind in ("perturb", "perturb-keeping"):
        return "perturbed"
    return "generalised"


def _telling(labels: Sequence[str]) -> list[str]:
    """Return the labels that say something, in the order of their numbers: 5-9 before 10-14."""
    said = [label for label in labels if label.strip("*. ")]
    return sorted(said, key=lambda text: [(len(n), n) for n in re.findall(r"\d+|\D+", text)])


def _suppressed(done: Protected) -> dict[str, int]:
    """Count the cells of the key that tell nothing any more."""
    found = {}
    for name in done.after.key:
        after = _silent(done.after.key_table, name)
        if after:
            found[name] = max(0, after - _silent(done.before.key_table, name))
    return found


def _silent(table: KeyTable, name: str) -> int:
    if name not in table.names:
        return 0
    margin, _ = table.rollup([name])
    values = margin.values(name)
    silent = np.array([value is None or value == SUPPRESSED for value in values], dtype=bool)
    return int(margin.counts[silent].sum()) if len(silent) else 0


def _steps(plan: Plan, receipts: Sequence[Receipt], released: Sequence[str]) -> tuple[Step, ...]:
    told = told_steps(plan, released)
    return tuple(
        Step(step.kind, words, tuple(receipt.cells_changed), step.perturbs)
        for step, words, receipt in zip(plan.steps, told, receipts, strict=True)
    )


def _terms(terms: Terms) -> dict[str, Any]:
    return {
        name: value.isoformat()
        if isinstance(value, dt.date)
        else list(value)
        if isinstance(value, tuple)
        else value
        for name, value in asdict(terms).items()
    }


def _cost(done: Protected) -> Cost | None:
    cost = done.cost
    if cost is None:
        return None
    return Cost(
        cost.precision,
        dict(cost.losses),
        cost.suppressed_records,
        cost.suppressed_cells,
        dict(cost.levels),
        cost.over_distortion,
        cost.measure if cost.least is not None else None,
        cost.reached if cost.least is not None else None,
    )


def _map(drawn: RiskUtilityMap, chosen: str | None) -> Map:
    points = [
        MapPoint(p.name, p.risk, p.utility, p.dominated_by, p.chosen, p.name == chosen)
        for p in drawn.points
    ]
    return Map(
        drawn.key,
        drawn.risk,
        drawn.utility,
        tuple(points),
        tuple(refused.name for refused in drawn.refused),
        drawn.max_risk,
    )
