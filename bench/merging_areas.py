"""How long it takes to merge areas until no full record tabular unique is left, and what remains.

    python bench/merging_areas.py AREAS PEOPLE TABLES

Fourteen variables of 3 to 16 categories, drawn independently of each other and of the area; the
tables are of three variables each, those with most cells first.
"""

from __future__ import annotations

import itertools
import resource
import sys
import time

import numpy as np
import pyarrow as pa

from indistinct import open_data
from indistinct.tables import Grouping, TableSet, TableSpec, count_tables
from indistinct.tables.merging import merge_areas


def people(areas: int, number: int) -> pa.Table:
    random = np.random.default_rng(1)
    columns = {"area": np.sort(np.arange(number) % areas).astype(np.int32)}
    for n in range(14):
        chances = 1 / np.arange(1, 4 + n) ** (1 + 0.1 * (n % 4))
        values = random.choice(3 + n, number, p=chances / chances.sum())
        columns[f"v{n}"] = values.astype(np.int8)
    return pa.table(columns)


def main(areas: int, number: int, tables: int) -> None:
    names = [f"v{n}" for n in reversed(range(14))]
    chosen = list(itertools.combinations(names, 3))[:tables]
    specs = tuple(TableSpec(" × ".join(t), tuple(Grouping(v, v) for v in t)) for t in chosen)
    side = int(np.ceil(np.sqrt(areas)))
    places = {str(n): (n % side + 0.01 * (n // side % 3), float(n // side)) for n in range(areas)}
    with open_data(people(areas, number)) as data:
        counted = count_tables(data.source, data.engine, TableSet(specs, Grouping("area", "area")))
        for title, neighbours in (("any two may merge", None), ("neighbours only", places)):
            began = time.perf_counter()
            merged = merge_areas(counted, neighbours=neighbours)
            took = time.perf_counter() - began
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(f"{title}: {took:.1f} s, at most {memory:,} MB\n{merged}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
