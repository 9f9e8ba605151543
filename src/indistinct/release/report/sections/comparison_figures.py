"""Several candidates in figures: a dot plot of all that was measured, and a map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from indistinct.release.few import Below, Few, share
from indistinct.release.report.facts import Measured
from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Picture
from indistinct.release.report.standing import (
    cells_changed,
    generalised,
    left_out,
    linkage,
    right_guesses,
    same_key,
    standing_out,
    utility_measure,
)
from indistinct.release.report.weighing import Weighing
from indistinct.release.report.words import Words
from indistinct.results.figures import Measure, Spot, candidates, frontier

__all__ = ["dot_plot", "risk_map"]


def dot_plot(
    every: Sequence[ReleaseFacts], letters: Sequence[str], weighing: Weighing, words: Words
) -> Picture | None:
    """Draw every candidate by every measure that two or more of them have."""
    found = [facts.measured for facts in every]
    every_row = {name: [m and of(m) for m in found] for name, of in _SHARES.items()}
    # what is 0 everywhere tells nothing apart, and stands in the tables
    rows = [
        (name, values)
        for name, values in every_row.items()
        if sum(value is not None for value in values) > 1 and any(map(_drawn, values))
    ]
    if not rows:
        return None
    labels = _labels(every, letters)
    svg = candidates(
        words("dots"),
        [
            Measure(
                words(f"dots.{name}"),
                [_drawn(value) for value in values],
                better="high" if name in _HIGH else "low",
                top=1.0 if name == "precision" else None,
            )
            for name, values in rows
        ],
        labels,
        words=(words("dots.low"), words("dots.high")),
        rest=words("dots.rest", n="{n}"),
        name="dots",
    )
    grid = words.grid(
        "dots.data",
        [("candidate", ""), ("measure", ""), ("share", "percent")],
        [
            (label, words(f"dots.{name}"), value)
            for name, values in rows
            for label, value in zip(labels, values, strict=True)
        ],
        folded=True,
    )
    return words.picture("dots", svg, grid, number=len(every), measures=len(rows))


def risk_map(
    every: Sequence[ReleaseFacts], letters: Sequence[str], weighing: Weighing, words: Words
) -> Picture | None:
    """Draw risk against what is kept, by the measure that decided, of all that have both."""
    found = {i: f.measured for i, f in enumerate(every) if f.measured is not None}
    if len(found) < 2 or not same_key(list(found.values())):
        return None
    measure = _keeping(found, weighing)
    points = []
    for i, m in found.items():
        risk, kept = _drawn(right_guesses(m)), _drawn(_SHARES[measure](m))
        if risk is not None and kept is not None:
            points.append((i, risk, kept if measure in _HIGH else 1 - kept))
    if len(points) < 2:
        return None
    beaten = {
        i for i, x, y in points if any(a <= x and b >= y and (a, b) != (x, y) for _, a, b in points)
    }
    out = {i for i, o in enumerate(weighing.outcomes) if o.fate in ("changed", "unproved")}
    labels = _labels(every, letters)
    grid = words.grid(
        "place.data",
        [("candidate", ""), ("risk", "percent"), ("utility", "percent"), ("mark", "")],
        [
            (
                labels[i],
                x,
                y,
                words("place.recommended")
                if i == weighing.chosen
                else words("place.beaten")
                if i in beaten | out
                else "",
            )
            for i, x, y in sorted(points, key=lambda p: (p[1], -p[2]))
        ],
        folded=True,
    )
    svg = frontier(
        words("place"),
        [
            Spot(labels[i], x, y, faint=i in beaten | out, marked=i == weighing.chosen)
            for i, x, y in points
        ],
        x=words("place.risk"),
        y=words(f"place.{measure}"),
        words=(words("place.free"), words("place.beaten"), words("place.recommended")),
        shares=(True, True),
        scale=words("place.scale"),
        rest=words("dots.rest", n="{n}"),
        name="place",
    )
    marked = "" if weighing.chosen is None else labels[weighing.chosen]
    return words.picture(
        "place",
        svg,
        grid,
        page="risk-utility-map",
        number=len(points),
        beaten=len(beaten | out),
        marked=marked or None,
    )


def _labels(every: Sequence[ReleaseFacts], letters: Sequence[str]) -> list[str]:
    return [f"{letter} {facts.name}" for letter, facts in zip(letters, every, strict=True)]


def _drawn(value: Any) -> float | None:
    """Return a number that can be drawn: one that is only known to be small cannot."""
    return None if value is None or isinstance(value, (Few, Below)) else float(value)


def _keeping(found: Mapping[int, Measured], weighing: Weighing) -> str:
    """Return the measure that decided, or else the first that the recommended one has."""
    if weighing.measure is not None:
        return {"cells": "changed"}.get(weighing.measure, weighing.measure)
    first = next(iter(found.values())) if weighing.chosen is None else found[weighing.chosen]
    names = ("pairs", "precision", "changed")
    return next((name for name in names if _SHARES[name](first) is not None), "changed")


def _alike(m: Measured, of: Callable[[Measured], float | None]) -> float | None:
    """Leave out what was measured in coarser categories than others."""
    return None if generalised(m) else of(m)


_SHARES: dict[str, Callable[[Measured], float | None]] = {
    "at_risk": lambda m: share(standing_out(m), m.risk.after.records),
    "expected": right_guesses,
    "linkage": partial(_alike, of=partial(linkage, how="gower")),
    "left_out": left_out,
    "changed": cells_changed,
    "precision": lambda m: m.cost.precision if m.cost else None,
    "pairs": partial(_alike, of=partial(utility_measure, name="pairs")),
}
_HIGH = ("precision",)
