"""Measure cell suppression: time on publications and large tables, cells beside the optimum.

`bench/run.py` calls `measure` and puts `lines` on the page.

    python bench/suppression.py

prints what was measured as JSON. Times are seconds of processor time, after a first run on a small
table that is not counted.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import indistinct
from indistinct.census import write_census
from indistinct.core.errors import GuaranteeError, InputError
from indistinct.tables import (
    Grouping,
    TableSet,
    TableSpec,
    count_tables,
    persons,
    threshold_rule,
)
from indistinct.tables.publishing import Asked, count_asked
from indistinct.tables.sensitive import Sensitive
from indistinct.tables.suppressing import attacker_intervals, audit, optimal_suppression
from indistinct.tables.suppressing.suppression import suppress
from indistinct.tables.system import CellSystem, cell_system

SIZES = {"region": 9, "age": 15, "job": 24}
WIDE = {"age": (0, 4, 8, 12), "job": (0, 4, 8, 12, 16, 20)}
PEOPLE = (10_000,)
PUBLISHED = ("age:5,sex", "age[0,15,30,65],ethnic", "sex,ethnic")
SHAPES = (
    {"region": 5, "age": 6},
    {"region": 6, "age": 8},
    {"region": 3, "age": 4, "job": 4},
    {"region": 2, "age": 4, "job": 6},
)
BANDS: tuple[dict[str, tuple[int, ...]], ...] = (
    {},
    {"age": (0, 3, 6)},
    {},
    {"job": (0, 2, 4)},
)


def say(sentence: str) -> None:
    print(f"  {sentence}", file=sys.stderr)


def table(
    sizes: dict[str, int], bands: dict[str, tuple[int, ...]], mean: np.ndarray, seed: int
) -> CellSystem:
    """A table over all variables with totals, once for every choice of fine or wide codes."""
    rng = np.random.default_rng([seed, 1])
    counts = rng.poisson(mean).ravel()
    codes = np.repeat(np.arange(len(counts)), counts)
    columns = np.unravel_index(codes, mean.shape)
    people = pa.table(dict(zip(sizes, columns, strict=True)))
    choices: list[tuple[Grouping, ...]] = [()]
    for name in sizes:
        ways = [Grouping(name, name)]
        if name in bands:
            ways.append(Grouping(f"{name} group", name, bands=bands[name]))
        choices = [(*before, way) for before in choices for way in ways]
    tables = tuple(TableSpec(", ".join(g.name for g in one), one) for one in choices)
    with indistinct.open_data(people) as data:
        return cell_system(count_tables(data.source, data.engine, TableSet(tables, persons())))


def small_counts(system: CellSystem, below: float) -> Sensitive:
    cells = np.flatnonzero((system.values > 0) & (system.values < below))
    return Sensitive.of_width(cells, below)


def large(mean: float, below: float, seed: int = 1) -> dict[str, Any]:
    """A three-way table, two of its variables with groups of their categories."""
    rng = np.random.default_rng(seed)
    weight: np.ndarray = np.ones(1)
    for spread, size in zip((1.0, 0.8, 0.8), SIZES.values(), strict=True):
        weight = np.multiply.outer(weight, rng.lognormal(0, spread, size))
    system = table(SIZES, WIDE, weight[0] / weight.mean() * mean, seed)
    sensitive = small_counts(system, below)
    began = time.process_time()
    found = suppress(system, sensitive)
    took = time.process_time() - began
    began = time.process_time()
    checked = audit(system, found.suppressed, sensitive, exact=True)
    return {
        "cells": len(system),
        "sums": system.relations.shape[0],
        "sensitive": len(sensitive),
        "width": below,
        "secondary": int(found.secondary.sum()),
        "seconds": round(took, 1),
        "safe": checked.safe,
        "exactly_disclosed": checked.disclosed,
        "seconds_exact_audit": round(time.process_time() - began, 1),
    }


def publication(people: int) -> dict[str, Any]:
    """Three linked tables for small areas, counties and everybody; insiders are considered."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "census.parquet"
        write_census(path, people=people, seed=1, names=False)
        asked = Asked.of_texts(list(PUBLISHED), area="area", also=("county", "persons"))
        with indistinct.open_data(path) as data:
            system = cell_system(count_asked(data, asked)[0])
    sensitive = threshold_rule(system, 3)
    began = time.process_time()
    found = suppress(system, sensitive, zeros=True)
    return {
        "people": people,
        "areas": len(system.areas),
        "cells": len(system),
        "sums": system.relations.shape[0],
        "sensitive": len(sensitive),
        "secondary": int(found.secondary.sum()),
        "seconds": round(time.process_time() - began, 1),
        "safe": found.audit.safe,
        "exactly_disclosed": found.audit.disclosed,
    }


def small(number: int) -> CellSystem:
    kind = number % len(SHAPES)
    rng = np.random.default_rng([5, number])
    mean = rng.gamma(0.8, 10.0, size=tuple(SHAPES[kind].values()))
    return table(SHAPES[kind], BANDS[kind], mean, number)


def beside_the_optimum(tables: int) -> dict[str, Any]:
    """Suppressed cells over those of the proven optimum, by how much is tried."""
    ways: dict[str, dict[str, Any]] = {
        "first pattern": {"improve": False},
        "by regions": {"exact": 0},
        "as a whole": {},
    }
    cells = dict.fromkeys((*ways, "optimum", "sensitive"), 0)
    worst = dict.fromkeys(ways, 1.0)
    proven, narrower, asked, disclosed = 0, 0, 0, 0
    for number in range(tables):
        system = small(number)
        sensitive = small_counts(system, 3.0)
        if not len(sensitive):
            continue
        try:
            best = optimal_suppression(system, sensitive, seconds=30)
            found = {name: suppress(system, sensitive, **way) for name, way in ways.items()}
        except (GuaranteeError, InputError):
            continue
        if not best.proven:
            continue
        proven += 1
        cells["optimum"] += int(best.suppressed.sum())
        cells["sensitive"] += len(sensitive)
        for name, one in found.items():
            number_of = int(one.suppressed.sum())
            cells[name] += number_of
            worst[name] = max(worst[name], number_of / int(best.suppressed.sum()))
        pattern = found["as a whole"].suppressed
        low, high = attacker_intervals(system, pattern, sensitive.cells, whole=True)
        asked += len(sensitive)
        narrower += int((high - low < 3.0 - 1e-6).sum())
        disclosed += int((high - low < 1e-6).sum())
    return {
        "tables": proven,
        "cells": cells,
        "ratio": {name: round(cells[name] / cells["optimum"], 4) for name in ways},
        "worst_table": {name: round(ratio, 3) for name, ratio in worst.items()},
        "whole_numbers": {"cells": asked, "narrower": narrower, "disclosed": disclosed},
    }


def measure(*, tables: int = 40) -> dict[str, Any]:
    """Measure everything."""
    suppress(small(0), small_counts(small(0), 3.0))
    say("a large hierarchical table")
    found: dict[str, Any] = {"large": [large(10.0, 3.0), large(20.0, 5.0)]}
    say("a publication for small areas")
    found["publication"] = [publication(people) for people in PEOPLE]
    say("small tables and their optimum")
    found["small"] = beside_the_optimum(tables)
    return found


def lines(found: dict[str, Any]) -> list[str]:
    """Return what was measured as lines of a page."""
    out = [
        "## Cell suppression",
        "",
        "`python bench/suppression.py`. Seconds of processor time, the audit included.",
        "",
        "| table | cells | sensitive | width | secondary | seconds | exactly disclosed |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    rows = [("three-way with hierarchies", row["width"], row) for row in found["large"]]
    for row in found["publication"]:
        rows.append((f"{row['people']:,} people in {row['areas']:,} places", 3.0, row))
    for name, width, row in rows:
        out.append(
            f"| {name} | {row['cells']:,} | {row['sensitive']:,} | {width:g} | "
            f"{row['secondary']:,} | {row['seconds']} | {row['exactly_disclosed']} |"
        )
    small_ones = found["small"]
    out += [
        "",
        f"Suppressed cells over the proven optimum, {small_ones['tables']} small tables:",
        "",
    ]
    for name, ratio in small_ones["ratio"].items():
        out.append(f"- {name}: {ratio:.3f}, worst table {small_ones['worst_table'][name]:.2f}")
    return [*out, ""]


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
