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
import time
from pathlib import Path

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


def measure(path: Path, engine: str) -> dict[str, object]:
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
    return {
        **found.to_dict(),
        "engine": engine,
        "status": status.hexdigest()[:16],
        "opening": opened - began,
        "uniques": uniques - opened,
        "people": people - uniques,
        "matches": done - people,
        "seconds": done - began,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "false_matches": matches.to_dict(),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("census", type=Path)
    parser.add_argument("--engine", default="duckdb")
    options = parser.parse_args()
    print(json.dumps(measure(options.census, options.engine), default=str))
