"""Several candidates in figures: a dot plot of all that was measured, and a map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from indistinct.figures import Measure, Spot, candidates, frontier
from indistinct.report.facts import Measured
from indistinct.report.few import Below, Few, share
from indistinct.report.folder import ReleaseFacts
from indistinct.report.pieces import Picture
from indistinct.report.standing import (
    cells_changed,
    left_out,
    linkage,
    right_guesses,
    same_key,
    standing_out,
    utility_measure,
)
from indistinct.report.weighing import Weighing
from indistinct.report.words import Words

__all__ = ["dot_plot", "risk_map"]


def dot_plot(
    every: Sequence[ReleaseFacts], letters: Sequence[str], weighing: Weighing, words: Words
) -> Picture | None:
    """Draw every candidate by every measure that two or more of them have."""
    found = [facts.measured for facts in every]
    every_row = {name: [m and of(m) for m in found] for name, of in _SHARES.items()}
    rows = [
        (name, values)
        for name, values in every_row.items()
        if sum(value is not None for value in values) > 1
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
        rest=words("dots.rest"),
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
    """Draw risk against what is kept, where both were measured alike of two or more."""
    places = [i for i, facts in enumerate(every) if facts.measured is not None]
    found = [every[i].measured for i in places]
    measure = _keeping([m for m in found if m is not None])
    if len(places) < 2 or measure is None or not same_key([m for m in found if m is not None]):
        return None
    points = []
    for i, m in zip(places, found, strict=True):
        assert m is not None
        risk, kept = _SHARES["expected"](m), _SHARES[measure](m)
        if risk is None or kept is None or isinstance(risk, Below):
            return None
        points.append((i, risk, kept if measure in _HIGH else 1 - kept))
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
        rest=words("dots.rest"),
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


def _keeping(found: Sequence[Measured]) -> str | None:
    """Return what is kept by the first measure that all have, and have alike."""
    if not any(m.utility and m.utility.generalised for m in found) and all(
        _SHARES["pairs"](m) is not None for m in found
    ):
        return "pairs"
    for name in ("precision", "changed"):
        if all(_SHARES[name](m) is not None for m in found):
            return name
    return None


_SHARES: dict[str, Callable[[Measured], float | None]] = {
    "at_risk": lambda m: share(standing_out(m), m.risk.after.records),
    "expected": right_guesses,
    "linkage": partial(linkage, how="gower"),
    "left_out": left_out,
    "changed": cells_changed,
    "precision": lambda m: m.cost.precision if m.cost else None,
    "pairs": partial(utility_measure, name="pairs"),
}
_HIGH = ("precision",)
