"""Full and part record tabular uniques against counting with dictionaries, person by person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.tables import (
    Counted,
    Grouping,
    TableSet,
    TableSpec,
    count_tables,
    persons,
    tabular_uniques,
)

Person = dict[str, Any]

FLAGS = ("as asked", "imputed", "swapped")
NAMES = ("a", "b", "c", "d")


# a slow and obvious way -------------------------------------------------------------------------


def among(value: Any, items: Sequence[Any]) -> bool:
    """Whether a value is one of some values or ranges."""
    for item in items:
        if isinstance(item, str) and value is not None:
            low, _, high = item.rstrip("+").partition("-")
            if float(low) <= value <= (float(high) if high else np.inf):
                return True
        elif item == value:
            return True
    return False


def category(grouping: Grouping, person: Person) -> Any:
    """The category of a person: anything that is the same for those who share it."""
    if grouping.variable is None:
        return "everybody"
    value = person[grouping.variable]
    if grouping.groups is not None:
        return next((label for label, items in grouping.groups if among(value, items)), "missing")
    if value is None:
        return "missing"
    if grouping.width is not None:
        return value // grouping.width
    if grouping.bands is not None:
        return max(bound for bound in grouping.bands if bound <= value)
    return value


def by_dictionaries(people: list[Person], tables: TableSet) -> list[str]:
    """FRTU, PRTU or none for every person, as section 3.2 of the paper says it."""
    cells: list[dict[str, Any]] = []
    for person in people:
        own = {}
        for table in tables:
            if all(among(person[name], items) for name, items in table.universe):
                categories = [category(d, person) for d in table.dimensions]
                own[table.name] = (category(tables.area, person), table.name, *categories)
        cells.append(own)
    count = Counter(cell for own in cells for cell in own.values())
    found = []
    for own in cells:
        ones = sum(count[cell] == 1 for cell in own.values())
        found.append("none" if ones == 0 else "FRTU" if ones == len(own) else "PRTU")
    return found


def without(tables: TableSet, known: set[str], *, margins: bool) -> list[TableSpec]:
    """The tables that somebody can use who knows some variables only."""
    found = []
    for table in tables:
        kept = [d for d in table.dimensions if d.variable in known]
        unknown = [d for d in table.dimensions if d.variable is not None and d not in kept]
        if kept and (margins or not unknown) and all(name in known for name, _ in table.universe):
            found.append(replace(table, dimensions=tuple(kept)))
    return found


# random cases -----------------------------------------------------------------------------------


def draw_people(rng: np.random.Generator) -> list[Person]:
    """Draw people in some areas, of whom some variables have missing values."""
    people = int(rng.integers(1, 25))
    values: dict[str, list[Any]] = {
        name: rng.integers(0, rng.integers(2, 8), people).tolist() for name in NAMES
    }
    for name in NAMES:
        if rng.random() < 0.3:
            values[name] = [None if rng.random() < 0.15 else v for v in values[name]]
    values["area"] = rng.integers(0, 4, people).tolist()
    values["flag"] = rng.choice(FLAGS, people).tolist()
    return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]


def draw_tables(rng: np.random.Generator, people: list[Person]) -> TableSet:
    """Draw tables that code the variables in all ways, for some geography."""
    names = NAMES[: rng.integers(1, 5)]
    specs = []
    for number in range(int(rng.integers(1, 5))):
        own = rng.permutation(names)[: rng.integers(1, 4)].tolist()
        dimensions = [grouping(rng, name, f"{name}{number}") for name in own]
        if rng.random() < 0.15:
            dimensions.insert(0, persons())
        specs.append(TableSpec(f"t{number}", tuple(dimensions), universe(rng, names)))
    return TableSet(tuple(specs), places(rng, sorted({p["area"] for p in people})))


def grouping(rng: np.random.Generator, name: str, code: str) -> Grouping:
    kind = rng.integers(0, 5)
    if kind == 0:
        bounds = sorted({0, *rng.integers(1, 8, rng.integers(0, 3)).tolist()})
        return Grouping(code, name, bands=tuple(map(float, bounds)))
    if kind == 1:
        return Grouping(code, name, width=float(rng.integers(1, 4)))
    if kind == 2:
        cut = int(rng.integers(1, 6))
        return Grouping(code, name, groups=(("low", (f"0-{cut}",)), ("high", (f"{cut + 1}+",))))
    if kind == 3:
        of = rng.integers(0, 3, 8)
        groups = [(f"g{g}", tuple(np.flatnonzero(of == g).tolist())) for g in range(3)]
        return Grouping(code, name, groups=tuple(groups))
    return Grouping(name, name)


def universe(rng: np.random.Generator, names: Sequence[str]) -> Any:
    if rng.random() < 0.6:
        return ()
    chosen = rng.permutation(names)[: rng.integers(1, 3)].tolist()
    kinds = [("2+",), ("0-3",), (1, 2, 5), (0, "3-5")]
    return tuple((name, kinds[rng.integers(0, 4)]) for name in chosen)


def places(rng: np.random.Generator, areas: list[int]) -> Grouping:
    kind = rng.integers(0, 3)
    if kind == 0:
        return persons()
    if kind == 1 and len(areas) > 1:
        return Grouping("parts", "area", groups=(("one", (areas[0],)), ("rest", tuple(areas[1:]))))
    return Grouping("area", "area")


def as_table(people: list[Person]) -> pa.Table:
    types = {"flag": pa.string()}
    return pa.table(
        {
            name: pa.array([p[name] for p in people], types.get(name, pa.int64()))
            for name in people[0]
        }
    )


def check(seed: int, cases: int = 5) -> Counter[str]:
    """Compare some sets of tables of the same people; returns how often what was found."""
    rng = np.random.default_rng(seed)
    people = draw_people(rng)
    sets = [draw_tables(rng, people) for _ in range(cases)]
    found: Counter[str] = Counter()
    with open_small(as_table(people)) as data:
        counted = count_tables(data.source, data.engine, sets[0], besides=list(people[0]))
        for tables in sets:
            if tables is not sets[0]:
                counted = counted.with_tables(tables)
            found += check_case(rng, people, counted)
    return found


def check_case(rng: np.random.Generator, people: list[Person], counted: Counted) -> Counter[str]:
    tables = counted.tables
    flagged = FLAGS[1:] if rng.random() < 0.5 else FLAGS[2:]
    found = tabular_uniques(counted, modified=("flag", flagged))
    status = by_dictionaries(people, tables)
    assert found.status() == status
    assert (found.frtu, found.prtu) == (status.count("FRTU"), status.count("PRTU"))
    kept = [s for s, p in zip(status, people, strict=True) if p["flag"] not in flagged]
    assert found.risk == kept.count("FRTU") / len(people)
    per_area = Counter(
        category(tables.area, p) for s, p in zip(status, people, strict=True) if s == "FRTU"
    )
    assert sorted(n for n in found.frtu_per_area.tolist() if n) == sorted(per_area.values())
    known = set(rng.permutation(NAMES)[: rng.integers(1, 4)].tolist())
    margins = bool(rng.random() < 0.7)
    usable = without(tables, known, margins=margins)
    if not usable:
        with pytest.raises(InputError, match="No table is made of the match keys"):
            tables.restricted(sorted(known), margins=margins)
        return Counter(status)
    left = counted.with_tables(tables.restricted(sorted(known), margins=margins))
    expected = by_dictionaries(people, replace(tables, tables=tuple(usable)))
    assert tabular_uniques(left).status() == expected
    return Counter([*status, *(f"{word}, keys" for word in expected)])


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_equals_counting_with_dictionaries(first: int) -> None:
    """Two hundred cases: five sets of tables of each of forty populations."""
    found = sum((check(seed) for seed in range(first, first + 10)), Counter())
    for word in ("FRTU", "PRTU", "none", "FRTU, keys", "PRTU, keys"):
        assert found[word] > 10


@pytest.mark.heavy
@pytest.mark.parametrize("first", range(40, 200, 40))
def test_equals_counting_with_dictionaries_in_800_cases_more(first: int) -> None:
    for seed in range(first, first + 40):
        check(seed)


def test_what_is_written_for_everybody_is_in_record_order(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    people = draw_people(rng)
    tables = draw_tables(rng, people)
    with open_small(as_table(people)) as data:
        found = tabular_uniques(count_tables(data.source, data.engine, tables))
        written = pq.read_table(found.write(tmp_path / "people.parquet"))
    assert written["record"].to_pylist() == list(range(1, len(people) + 1))
    assert written["status"].to_pylist() == by_dictionaries(people, tables)
    alone, counted = written["alone_in"].to_numpy(), written["tables"].to_numpy()
    full = np.array(written["status"].to_pylist()) == "FRTU"
    assert (alone <= counted).all()
    assert (((alone == counted) & (counted > 0)) == full).all()
