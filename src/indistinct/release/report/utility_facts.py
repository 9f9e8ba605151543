"""The facts of a comparison that a report shows: bounded, whatever the number of variables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from indistinct.release.report.facts import Curve, Marginal, Measure, Test, Utility
from indistinct.rules import RulesReport
from indistinct.utility.analyses import Associations, Tables
from indistinct.utility.analyses import Utility as General
from indistinct.utility.comparing import ReleaseComparison
from indistinct.utility.demography import DemographicTests, HomogamyGroup

__all__ = ["utility_facts"]

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
