"""Tables counted from plain columns, without an engine: for many small cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from indistinct.engine import Tally
from indistinct.tables.counting import Counted, Layout
from indistinct.tables.grouping import Grouping, persons
from indistinct.tables.specification import TableSet, TableSpec

PAPER_A = {
    "sex": [1, 2, 1, 2, 1, 1, 2, 1, 2, 2],
    "age": [27, 40, 11, 59, 52, 38, 5, 13, 68, 57],
    "ethnic": [1, 4, 1, 1, 1, 2, 2, 1, 1, 3],
}
PAPER_B = {
    "sex": [*PAPER_A["sex"][:9], 1],
    "age": [*PAPER_A["age"][:9], 52],
    "ethnic": [*PAPER_A["ethnic"][:9], 1],
}
AGE5 = Grouping("age5", "age", bands=tuple(float(b) for b in range(0, 95, 5)))
STAGE = Grouping("stage", "age", bands=(0.0, 15.0, 30.0, 65.0))
SEX, ETHNIC = Grouping("sex", "sex"), Grouping("ethnic", "ethnic")
PAPER_TABLES = TableSet(
    (
        TableSpec("age by sex", (AGE5, SEX)),
        TableSpec("stage by ethnic", (STAGE, ETHNIC)),
        TableSpec("sex by ethnic", (SEX, ETHNIC)),
    ),
    persons(),
)


def tabulated(columns: Mapping[str, Sequence[Any]], tables: TableSet) -> Counted:
    """Count as `count_tables` does; what needs the engine's tally does not work."""
    names = list(columns)
    values = {name: sorted(set(columns[name])) for name in names}
    coded = np.array(
        [[values[name].index(value) for value in columns[name]] for name in names], dtype=np.int64
    )
    area = tables.area
    if area.variable is None:
        labels: tuple[str, ...] = ("everybody",)
        place = np.zeros(coded.shape[1], dtype=np.int64)
    else:
        categories = area.categories(values[area.variable])
        labels = categories.labels
        place = categories.codes[coded[names.index(area.variable)]]
    rows, counts = np.unique(np.vstack([place, coded]).T, axis=0, return_counts=True)
    layouts, offset = [], 0
    for table in tables:
        found = tuple(
            d.categories(values[d.variable] if d.variable else []) for d in table.dimensions
        )
        layouts.append(Layout(table, found, offset))
        offset += layouts[-1].cells
    return Counted(
        tables,
        tuple(layouts),
        labels,
        rows[:, 0].astype(np.int32),
        counts.astype(np.int64),
        {name: rows[:, n + 1] for n, name in enumerate(names)},
        values,
        np.arange(len(counts), dtype=np.int64),
        object.__new__(Tally),  # of records, which are not there
    )


def random_tables(
    rng: np.random.Generator, *, universes: bool = True, areas: int = 3
) -> tuple[dict[str, list[int]], TableSet]:
    """Draw a few people in a few areas, and tables that code their variables in various ways."""
    names = ["a", "b", "c", "d"][: rng.integers(2, 5)]
    people = int(rng.integers(2, 14))
    columns = {name: rng.integers(0, rng.integers(3, 7), people).tolist() for name in names}
    columns["area"] = rng.integers(0, areas, people).tolist()
    specs = []
    for number in range(int(rng.integers(1, 5))):
        own = rng.permutation(names)[: rng.integers(rng.random() > 0.05, 4)].tolist()
        dimensions = [_random_grouping(rng, name, number) for name in own] or [persons()]
        universe = ()
        if universes and rng.random() < 0.4:
            who = rng.permutation(names)[: rng.integers(1, 3)].tolist()
            universe = tuple(
                (name, tuple(v for v in range(6) if rng.random() < 0.7)) for name in who
            )
        specs.append(TableSpec(f"t{number}", tuple(dimensions), universe))
    return columns, TableSet(tuple(specs), Grouping("area", "area"))


def _random_grouping(rng: np.random.Generator, name: str, number: int) -> Grouping:
    kind = rng.integers(0, 3)
    if kind == 0:
        return Grouping(name, name)
    if kind == 1:
        bounds = sorted({0, *rng.integers(1, 6, rng.integers(0, 3)).tolist()})
        return Grouping(f"{name}{number}", name, bands=tuple(float(b) for b in bounds))
    of = rng.integers(0, 3, 6)
    groups = tuple((f"g{g}", tuple(np.flatnonzero(of == g).tolist())) for g in range(3))
    return Grouping(f"{name}{number}", name, groups=groups)
