"""Measure what looking for revealed zones costs: two geographies of 10,000 zones each.

`python bench/differencing.py` prints JSON. Times are seconds, after a first run on little data that
is not counted.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from indistinct.tables.differencing import (
    joint_atoms,
    merge_to_stop,
    overlap,
    revealed_zones,
    two_geographies,
)

Result = TypeVar("Result")
SEED = 20261116
SHIFTS = (0.02, 0.05, 0.2)
THRESHOLDS = (10, 50)


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    begin = time.perf_counter()
    result = work()
    return result, round(time.perf_counter() - begin, 2)


def warm_up() -> None:
    merge_to_stop([0, 0, 1, 1], [0, 1, 1, 2], [60, 3, 70, 50])
    joint_atoms([[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]], [1, 1, 1, 1])


def measure(people: int = 1_000_000, zones: int = 10_000) -> dict[str, Any]:
    warm_up()
    ones = np.ones(people, dtype=np.int64)
    rows = []
    drawn = {}
    for shift in SHIFTS:
        rng = np.random.default_rng(SEED)
        drawn[shift] = two = two_geographies(rng, people=people, zones=zones, shift=shift)
        atoms = len(overlap(two.first, two.second, ones))
        for threshold in THRESHOLDS:
            found, seconds = timed(
                lambda two=two, t=threshold: revealed_zones(two.first, two.second, ones, t)
            )
            rows.append(
                {
                    "shift": shift,
                    "threshold": threshold,
                    "atoms": atoms,
                    "revealed": found.number,
                    "people": found.people_revealed,
                    "seconds": seconds,
                }
            )
            print(f"  {rows[-1]}", file=sys.stderr)
    two, third = drawn[SHIFTS[1]], drawn[SHIFTS[0]].second
    stopped, stop_seconds = timed(lambda: merge_to_stop(two.first, two.second, ones))
    joint, joint_seconds = timed(lambda: joint_atoms([two.first, two.second, third], ones))
    return {
        "people": people,
        "zones": zones,
        "pairs": rows,
        "stopping": {"shift": SHIFTS[1], **stopped.to_dict(), "seconds": stop_seconds},
        "three_together": {**joint.to_dict(), "seconds": joint_seconds},
    }


def lines(found: dict[str, Any]) -> list[str]:
    """Return the part of the page."""
    out = [
        "## Differencing",
        "",
        "`python bench/run.py --only differencing`. Two geographies whose boundaries differ by "
        f"slivers: {found['people']:,} people, {found['zones']:,} zones each, none nested in the "
        "other. *Shift* is how far the centres of zones moved, in distances between centres; "
        "*pieces* are the overlaps. Seconds of one run.",
        "",
        "| shift | pieces | threshold | revealed zones | people in them | seconds |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in found["pairs"]:
        out.append(
            f"| {row['shift']:g} | {row['atoms']:,} | {row['threshold']} | {row['revealed']:,} | "
            f"{row['people']:,} | {row['seconds']:.2f} |"
        )
    slowest = max(row["seconds"] for row in found["pairs"])
    stopped, joint = found["stopping"], found["three_together"]
    return [
        *out,
        "",
        f"- Under a minute: {'met' if slowest < 60 else 'MISSED'} (at most {slowest:.2f} s).",
        f"- Merging zones until nothing below ten people is revealed: {stopped['seconds']:.1f} s, "
        f"{stopped['revealed_before']:,} revealed before, {stopped['revealed_after']:,} after.",
        f"- Three geographies together: {joint['seconds']:.1f} s.",
        "",
    ]


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
