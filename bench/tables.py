"""A hundred tables for every small area of the synthetic census: who is exposed, and what it costs.

    python bench/tables.py CENSUS.parquet [--engine duckdb|spark]

prints one JSON object. The tables are made by rule: pairs and triples of census variables, coded
coarsely enough that they have about ten thousand cells for every area.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from indistinct import open_data
from indistinct.tables import (
    Grouping,
    TableSet,
    TableSpec,
    count_tables,
    false_matches,
    tabular_uniques,
)

SIZES = (100_000, 1_000_000, 5_000_000)
TARGET_SECONDS, TARGET_MEMORY = 120.0, 4 * 2**30
CODINGS = (
    Grouping("age 19", "age", bands=tuple(range(0, 95, 5))),
    Grouping("age 4", "age", bands=(0, 15, 30, 65)),
    Grouping("sex", "sex"),
    Grouping("marital", "marital"),
    Grouping("education", "education"),
    Grouping("economic", "economic"),
    Grouping("ethnic", "ethnic"),
    Grouping("tenure", "tenure"),
    Grouping("health", "health"),
    Grouping("travel", "travel"),
    Grouping("religion", "religion"),
    Grouping("hours", "hours"),
    Grouping("household size", "household_size", bands=(1, 2, 3, 4, 5, 6)),
)


def hundred_tables(number: int = 100, cells: int = 10_000) -> TableSet:
    """Return tables of two and three dimensions with about so many cells together."""
    sizes = {"age 19": 19, "age 4": 4, "sex": 2, "household size": 6}
    rough = [sizes.get(one.name, 8) for one in CODINGS]
    found = []
    for length in (2, 3):
        for chosen in itertools.combinations(range(len(CODINGS)), length):
            variables = {CODINGS[n].variable for n in chosen}
            if len(variables) == length:
                found.append((int(np.prod([rough[n] for n in chosen])), chosen))
    wanted = cells / number
    found.sort(key=lambda one: (abs(np.log(one[0] / wanted)), one[1]))
    tables = tuple(
        TableSpec(f"{n + 1}", tuple(CODINGS[c] for c in chosen))
        for n, (_, chosen) in enumerate(found[:number])
    )
    return TableSet(tables, Grouping("area", "area"))


def one(path: Path, engine: str) -> dict[str, Any]:
    """Count, find the uniques and the false matches; return what was found and what it cost."""
    began = time.perf_counter()
    with open_data(path, engine=engine) as data:
        opened = time.perf_counter()
        counted = count_tables(data.source, data.engine, hundred_tables())
        found = tabular_uniques(counted)
        uniques = time.perf_counter()
        status = hashlib.sha256()
        for batch in found.people():
            status.update(batch["status"].tobytes())
        people = time.perf_counter()
        matches = false_matches(counted, found)
        done = time.perf_counter()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        **found.to_dict(),
        "engine": engine,
        "status": status.hexdigest()[:16],
        "opening": opened - began,
        "uniques": uniques - opened,
        "people": people - uniques,
        "matches": done - people,
        "seconds": done - began,
        "cpu": used.ru_utime + used.ru_stime,
        "memory": used.ru_maxrss * 1024,
        "false_matches": matches.to_dict(),
    }


def measure(census: Callable[[int], Path]) -> list[dict[str, Any]]:
    """Measure several sizes, each in a process of its own, and the same on Spark once."""
    rows = []
    for engine, records in [*(("duckdb", n) for n in SIZES), ("spark", 1_000_000)]:
        command = [sys.executable, __file__, str(census(records)), "--engine", engine]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        row = json.loads(done.stdout.strip().splitlines()[-1])
        rows.append(row)
        print(
            f"  tables {engine:6} {records:>11,}: {row['seconds']:.1f} s, "
            f"{row['memory'] / 2**30:.2f} GB",
            file=sys.stderr,
        )
    return rows


def lines(found: list[dict[str, Any]]) -> list[str]:
    """Return the part of the page."""
    out = [
        "## Tables for small areas",
        "",
        "`python bench/run.py --only tables`. A hundred tables of two and three census variables "
        "for every small area: people counted once, full and part record tabular uniques of "
        "everybody, false matches. Wall seconds in a process of its own, memory its largest (of "
        "Spark, without the JVM).",
        "",
        "| engine | people | areas | cells per area | counting and uniques | per person | false "
        "matches | all | memory | full uniques | part uniques |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in found:
        out.append(
            f"| {row['engine']} | {row['records']:,} | {row['areas']:,} | {row['cells']:,} | "
            f"{row['uniques']:.1f} | {row['people']:.1f} | {row['matches']:.1f} | "
            f"{row['seconds']:.1f} | {row['memory'] / 2**30:.2f} GB | {row['frtu']:,} | "
            f"{row['prtu']:,} |"
        )
    here = {row["records"]: row for row in found if row["engine"] == "duckdb"}
    spark = next(row for row in found if row["engine"] == "spark")
    million, last = here[1_000_000], here[max(here)]
    met = million["seconds"] < TARGET_SECONDS and million["memory"] < TARGET_MEMORY
    same = spark["status"] == here[spark["records"]]["status"]
    return [
        *out,
        "",
        f"- One million people under {TARGET_SECONDS:g} s and 4 GB: {'met' if met else 'MISSED'} "
        f"({million['seconds']:.1f} s, {million['memory'] / 2**30:.2f} GB).",
        f"- {last['records'] / million['records']:.0f} times the people take "
        f"{last['seconds'] / million['seconds']:.1f} times as long.",
        f"- Everybody's result is the same on Spark: {'yes' if same else 'NO'}.",
        "",
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("census", type=Path)
    parser.add_argument("--engine", default="duckdb")
    options = parser.parse_args()
    print(json.dumps(one(options.census, options.engine), default=str))
