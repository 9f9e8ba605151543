"""The tests of households: age gap, fertility, homogamy; and edit rules."""

from __future__ import annotations

import math
from collections.abc import Iterator

from indistinct.release.report.facts import Curve, Test
from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Picture, Piece, Section
from indistinct.release.report.sections.every import register_section
from indistinct.release.report.words import Words
from indistinct.results.figures import Line, lines

__all__ = ["curve_figure", "demography_section"]


@register_section("demography", place=70)
def demography_section(facts: ReleaseFacts, words: Words) -> Section | None:
    """Tell which tests the release passed."""
    if facts.measured is None or facts.measured.utility is None:
        return None
    tests = facts.measured.utility.tests
    if not tests:
        return None
    return Section("demography", words("section.demography"), tuple(_pieces(tests, words)))


def _pieces(tests: tuple[Test, ...], words: Words) -> Iterator[Piece]:
    failed = [words(f"test.{test.name}") for test in tests if test.passed is False]
    if failed:
        yield words.claim("tests.failed", tone="bad", page="demographic-tests", names=failed)
    elif all(test.passed for test in tests):
        yield words.claim("tests.passed", tone="good", page="demographic-tests", number=len(tests))
    unjudged = [words(f"test.{test.name}") for test in tests if test.passed is None]
    if unjudged:
        yield words.claim("tests.unjudged", tone="note", page="demographic-tests", names=unjudged)
    yield words.grid(
        "tests",
        [("test", ""), ("difference", "number"), ("allowed", "number"), ("verdict", "word")],
        [
            (
                words(f"test.{test.name}"),
                test.difference,
                test.threshold,
                f"passed.{test.passed}".lower(),
            )
            for test in tests
        ],
    )
    for test in tests:
        if test.suggestion and test.passed is not True:
            yield words.said(
                test.suggestion, name="tests.suggestion", tone="note", page="demographic-tests"
            )
        for curve in test.curves:
            if any(y is not None for y in (*curve.original, *curve.released)):
                yield curve_figure(curve, words)


def curve_figure(curve: Curve, words: Words) -> Picture:
    """Draw a curve of both files."""
    name = f"curve.{curve.name}"
    ticks = dict(zip(curve.x, curve.ticks, strict=True)) if curve.ticks else None
    svg = lines(
        words(name, group=curve.group),
        [
            Line(words("original"), curve.x, [_or_gap(y) for y in curve.original]),
            Line(words("released"), curve.x, [_or_gap(y) for y in curve.released]),
        ],
        x=words(f"{name}.x"),
        y=words(f"{name}.y"),
        ticks=ticks,
        rest=words.raw("figure.others"),
        name=name.replace(".", "-"),
    )
    at = list(curve.ticks) or [words.shown("at", x, "").text for x in curve.x]
    grid = words.grid(
        "curve.data",
        [("at", ""), ("original", "number"), ("released", "number")],
        [
            row
            for row in zip(at, curve.original, curve.released, strict=True)
            if row[1:] != (None, None)
        ],
        folded=True,
        what=words(name, group=curve.group),
    )
    gaps = [
        abs(b - a)
        for a, b in zip(curve.original, curve.released, strict=True)
        if a is not None and b is not None
    ]
    return words.picture(
        name,
        svg,
        grid,
        page="demographic-tests",
        largest=max(gaps, default=None),
        group=curve.group,
    )


def _or_gap(value: float | None) -> float:
    return math.nan if value is None else value
