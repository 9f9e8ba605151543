"""Linked tables are one system: against the sets of people that cells stand for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from small_data import open_small

from indistinct.tables import Counted, Grouping, TableSet, TableSpec, count_tables, persons
from indistinct.tables.system import CellSystem, cell_system

AREA = Grouping("area", "area")
ZONE = Grouping("zone", "area", groups=(("north", (0, 1)), ("south", (2,))))
AGE, SEX, JOB = (Grouping(v, v) for v in ("age", "sex", "job"))
BAND = Grouping("band", "age", bands=(0, 2, 4))
STAGE = Grouping("stage", "age", bands=(0, 4))
ODD = Grouping("odd", "age", bands=(0, 1, 2, 5))
SIZES = {"area": 3, "age": 6, "sex": 2, "job": 2}


def _count(people: pa.Table, tables: TableSet) -> Counted:
    with open_small(people) as data:
        return count_tables(data.source, data.engine, tables)


def _everybody() -> pa.Table:
    """One person at least for every combination, so that nothing adds up by accident."""
    rows = list(product(*(range(size) for size in SIZES.values())))
    return pa.table({name: [row[n] for row in rows] for n, name in enumerate(SIZES)})


def _some(seed: int = 4) -> pa.Table:
    draw = np.random.default_rng(seed)
    return pa.table({name: draw.integers(0, size, 120) for name, size in SIZES.items()})


def _parts(grouping: Grouping) -> list[set[int]]:
    """The values of every category, then all of them for the total."""
    size = SIZES[grouping.variable] if grouping.variable else 1
    if grouping.variable is None:
        return [set(range(size))] * 2
    codes = grouping.categories(list(range(size)))
    found = [set(np.flatnonzero(codes.codes == n).tolist()) for n in range(codes.size)]
    return [*found, set(range(size))]


def _who(counted: Counted, system: CellSystem) -> Iterator[tuple[TableSpec, int, np.ndarray]]:
    """Yield every table's cells with the classes of people whom they hold."""
    values = {v: np.array(counted.values[v])[counted.codes[v]] for v in counted.codes}
    rows: list[np.ndarray] = []
    for grouping in (counted.tables.area, *counted.tables.also):
        if grouping.variable is None:
            rows.append(np.ones(counted.classes, dtype=bool))
        else:
            rows += [np.isin(values["area"], list(part)) for part in _parts(grouping)[:-1]]
    # an area that is a zone as well is published once
    rows = list({row.tobytes(): row for row in rows}.values())
    for spec in counted.tables:
        place = system.places[spec.name]
        assert len(place) == len(rows) == len(system.areas)
        parts = [_parts(d) for d in spec.dimensions]
        for at in product(*(range(n) for n in place.shape)):
            if place[at] < 0:
                continue
            held = rows[at[0]].copy()
            for d, part, n in zip(spec.dimensions, parts, at[1:], strict=True):
                if d.variable is not None:
                    held &= np.isin(values[d.variable], list(part[n]))
            held &= counted.inside(spec)
            yield spec, int(place[at]), held


DESIGNS = {
    "a common margin": TableSet((TableSpec("one", (AGE, SEX)), TableSpec("two", (SEX, JOB))), AREA),
    "nested recodes": TableSet(
        (TableSpec("fine", (AGE, SEX)), TableSpec("coarse", (BAND, JOB)), TableSpec("c", (STAGE,))),
        AREA,
        (persons(),),
    ),
    "recodes that meet at a boundary": TableSet(
        (TableSpec("bands", (BAND,)), TableSpec("odd", (ODD, SEX))), persons()
    ),
    "two geographies": TableSet((TableSpec("one", (SEX, JOB)),), AREA, (ZONE, persons())),
    "no margins": TableSet(
        (
            TableSpec("one", (BAND, SEX), margins=False),
            TableSpec("two", (STAGE, JOB), margins=False),
            TableSpec("three", (persons(),)),
        ),
        AREA,
    ),
    "some margins": TableSet(
        (TableSpec("one", (AGE, SEX, JOB), margins=False), TableSpec("two", (ODD, SEX))), AREA
    ),
    "three dimensions and everybody": TableSet(
        (TableSpec("one", (BAND, SEX, JOB)), TableSpec("two", (STAGE, persons()))), AREA
    ),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_cells_that_hold_the_same_people_are_one_and_no_others(design: str) -> None:
    counted = _count(_everybody(), DESIGNS[design])
    system = cell_system(counted)
    cell_of: dict[bytes, int] = {}
    for _, cell, held in _who(counted, system):
        assert cell_of.setdefault(held.tobytes(), cell) == cell
        assert system.values[cell] == counted.counts[held].sum()
    assert sorted(cell_of.values()) == list(range(len(system)))


@pytest.mark.parametrize("design", DESIGNS)
def test_every_sum_holds_and_none_is_missing(design: str) -> None:
    """On any values for people the sums hold, and they are all that can hold: the ranks agree."""
    counted = _count(_everybody(), DESIGNS[design])
    system = cell_system(counted)
    holds = np.zeros((len(system), counted.classes))
    for _, cell, held in _who(counted, system):
        holds[cell] = held
    anything = np.random.default_rng(0).normal(size=(counted.classes, 3))
    assert np.abs(system.relations @ (holds @ anything)).max() < 1e-9
    free = len(system) - np.linalg.matrix_rank(holds)
    assert np.linalg.matrix_rank(system.relations.toarray()) == free > 0


@pytest.mark.parametrize("design", DESIGNS)
def test_values_of_a_population_with_gaps(design: str) -> None:
    counted = _count(_some(), DESIGNS[design])
    amounts = np.random.default_rng(1).gamma(2.0, size=counted.classes)
    system = cell_system(counted, amounts={t.name: amounts for t in counted.tables})
    for _, cell, held in _who(counted, system):
        assert system.values[cell] == pytest.approx(amounts[held].sum())


def test_a_common_margin_is_one_cell() -> None:
    counted = _count(_some(), DESIGNS["a common margin"])
    system = cell_system(counted)
    one, two = system.places["one"], system.places["two"]
    assert one[:, -1, :].tolist() == two[:, :, -1].tolist()
    others = set(one.ravel().tolist()) & set(two.ravel().tolist()) - set(one[:, -1, :].ravel())
    assert not others


def test_tables_of_other_people_or_other_things_are_not_linked() -> None:
    tables = TableSet(
        (
            TableSpec("all", (SEX,)),
            TableSpec("workers", (SEX,), (("job", (0, 1)),)),
            TableSpec("weighted", (SEX,), weight="age"),
        ),
        persons(),
    )
    counted = _count(_some(), tables)
    system = cell_system(counted)
    cells = [set(place.ravel().tolist()) for place in system.places.values()]
    assert [len(one) for one in cells] == [3, 3, 3]
    assert len(set().union(*cells)) == 9


def test_without_margins_totals_are_no_cells() -> None:
    tables = TableSet((TableSpec("t", (SEX, JOB), margins=False),), AREA)
    system = cell_system(_count(_some(), tables))
    place = system.places["t"]
    assert (place[:, -1, :] == -1).all()
    assert (place[:, :, -1] == -1).all()
    assert len(system) == 3 * 2 * 2
    assert system.relations.shape[0] == 0
