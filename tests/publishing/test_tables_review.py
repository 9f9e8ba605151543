"""Attacks on published folders, each by arithmetic that any reader can do."""

from __future__ import annotations

import csv
import itertools
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import linprog
from small_data import open_small

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.project import DeclaredTable
from indistinct.tables.publishing import Asked, Publication, publish_tables

Row = dict[str, str]
Publisher = Callable[..., Publication | None]


@pytest.fixture
def publish(tmp_path: Path) -> Publisher:
    """Publish in a folder of its own; None where that is refused, which is always safe."""
    number = itertools.count()

    def made(
        people: pa.Table,
        *texts: str,
        tables: dict[str, DeclaredTable] | None = None,
        **settings: Any,
    ) -> Publication | None:
        given = {"area": "d", "out": tmp_path / f"out{next(number)}"} | settings
        asked = Asked.of_texts(texts, **given)
        if tables is not None:
            asked = replace(asked, tables=tables)
        with open_small(people) as data:
            try:
                return publish_tables(data, asked)
            except GuaranteeError:
                return None

    return made


def rows(found: Publication, name: str) -> list[Row]:
    assert found.folder is not None
    assert found.holds
    path = found.folder.folder / "tables" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def people_of(cells: dict[tuple[str, ...], int], *names: str) -> pa.Table:
    each = [cell for cell, number in cells.items() for _ in range(number)]
    columns = {name: [cell[n] for cell in each] for n, name in enumerate(names)}
    return pa.table({"d": ["D"] * len(each), **columns})


WOMEN = {("a0", "f"): 1, ("a1", "f"): 9, ("a2", "f"): 7, ("a3", "f"): 4}
MEN = {("a0", "m"): 11, ("a1", "m"): 6, ("a2", "m"): 4, ("a3", "m"): 4}


def test_universes_that_divide_everybody_are_not_subtracted_from_everybody(
    publish: Publisher,
) -> None:
    count = {"A": (2, 9, 8), "B": (12, 9, 10), "C": (11, 13, 9)}
    cells = {(g, f"x{n}"): c for g, some in count.items() for n, c in enumerate(some)}
    tables = {g: DeclaredTable(dimensions=("x",), universe={"g": (g,)}) for g in "ABC"}
    tables["all"] = DeclaredTable(dimensions=("x",))
    found = publish(people_of(cells, "g", "x"), tables=tables, method="suppress")
    if found is None:
        return
    told = {name: rows(found, name)[0]["value"] for name in tables}
    assert "" in (told["all"], told["B"], told["C"]), "all − B − C is the suppressed count of A"


def test_a_universe_does_not_tell_what_a_dimension_withholds(publish: Publisher) -> None:
    people = people_of(dict(sorted((WOMEN | MEN).items())), "age", "sex")
    people = people.append_column("k", pa.array([f"k{n % 2}" for n in range(len(people))]))
    tables = {
        "both": DeclaredTable(dimensions=("age", "sex")),
        "women": DeclaredTable(dimensions=("age", "k"), universe={"sex": ("f",)}),
    }
    found = publish(people, tables=tables, method="suppress")
    if found is None:
        return
    hidden = [{r["age"] for r in rows(found, "both") if r["sex"] == "f" and not r["value"]}]
    hidden += [{r["age"] for r in rows(found, "women") if r["k"] == "total" and not r["value"]}]
    assert hidden[0] & hidden[1] != {"a0"}, "one unknown is left in the sum over women"


def test_two_publications_are_one_for_whoever_reads_both(
    publish: Publisher, tmp_path: Path
) -> None:
    women, men = (1, 4, 9, 10), (12, 12, 9, 7)
    cells = {}
    for n in range(4):
        cells[f"a{n}", "f"], cells[f"a{n}", "m"] = women[n], men[n]
    people = people_of(cells, "age", "sex")
    people = people.append_column("k", pa.array([f"k{n % 2}" for n in range(len(people))]))
    record = tmp_path / "record.json"
    first = publish(people, "age,sex", method="suppress", published=record)
    assert first is not None
    second = publish(people, "age,sex,k", method="suppress", published=record)
    if second is None:
        return
    one = {(r["age"], r["sex"]) for r in rows(first, "age-sex") if not r["value"]}
    added = [r for r in rows(second, "age-sex-k") if r["k"] == "total"]
    two = {(r["age"], r["sex"]) for r in added if not r["value"]}
    assert one & two != {("a0", "f")}, "only the sensitive count is hidden in both"


def test_linked_tables_are_tables_of_the_same_people(publish: Publisher) -> None:
    joint = {
        (0, 0, 0): 23,
        (0, 0, 1): 3,
        (0, 1, 1): 5,
        (0, 2, 1): 1,
        (0, 2, 2): 7,
        (1, 0, 0): 1,
        (1, 1, 1): 5,
        (1, 1, 2): 4,
        (1, 2, 2): 2,
        (2, 0, 1): 1,
        (2, 1, 2): 1,
        (2, 2, 2): 7,
    }
    cells = {(f"a{a}", f"b{b}", f"c{c}"): n for (a, b, c), n in joint.items()}
    found = publish(people_of(cells, *"abc"), "a,b", "b,c", "a,c", method="suppress")
    if found is None:
        return
    inner = list(itertools.product(range(3), repeat=3))
    true = np.array([joint.get(cell, 0) for cell in inner], dtype=float)
    told, numbers, hidden = [], [], []
    for pair in ("ab", "bc", "ac"):
        for row in rows(found, "-".join(pair)):
            inside = np.array(
                [
                    float(all(row[v] in ("total", f"{v}{cell['abc'.index(v)]}") for v in pair))
                    for cell in inner
                ]
            )
            if row["value"]:
                told.append(inside)
                numbers.append(float(row["value"]))
            elif 0 < inside @ true < 3:
                hidden.append(inside)
    for inside in hidden:
        least = linprog(inside, A_eq=np.array(told), b_eq=numbers).fun
        most = -linprog(-inside, A_eq=np.array(told), b_eq=numbers).fun
        assert most - least > 0.5, "a sensitive count is known exactly"


def test_small_counts_are_not_had_by_subtracting_codings(publish: Publisher) -> None:
    ages = [5] * 10 + [18] + [40] * 20 + [70] * 9
    people = pa.table({"d": ["D"] * 40, "age": ages})
    found = publish(people, "age[0,18,60]", "age[0,19,60]", method="small-counts", seed=1)
    if found is None:
        return
    below = [int(rows(found, f"age-0-{n}-60")[0]["value"]) for n in (18, 19)]
    assert below[1] - below[0] not in (1, 2), "the person of 18 is counted by subtraction"


@pytest.mark.parametrize("method", ["none", "suppress", "small-counts"])
def test_tables_of_a_zone_had_by_subtraction_have_no_small_counts(
    publish: Publisher, method: str
) -> None:
    people = pa.table(
        {
            "d": ["N"] * 62 + ["S"] * 50,
            "z": ["P"] * 50 + ["Q"] * 62,
            "ill": ["no", "yes"] * 25 + ["no"] * 11 + ["yes"] + ["no", "yes"] * 25,
        }
    )
    found = publish(people, "ill", also=("z",), method=method, seed=1)
    if found is None:
        return
    told = {(r["area"], r["ill"]): r["value"] for r in rows(found, "ill")}
    if told["N", "yes"] and told["P", "yes"]:
        left = int(told["N", "yes"]) - int(told["P", "yes"])
        assert left not in (1, 2), "one person of the zone N − P is ill"


def test_merged_areas_hold_for_the_further_geographies(publish: Publisher) -> None:
    jobs = (["a", "b"] * 5 + ["a"] + ["b"] * 8 + ["c"]) * 2
    people = pa.table({"d": ["R"] * 40, "e": [f"e{n // 10}" for n in range(40)], "job": jobs})
    found = publish(people, "job", also=("e",), method="none", merge=True, smallest_zone=2)
    if found is None:
        return
    ones = [r for r in rows(found, "job") if r["geography"] == "e" and r["value"] == "1"]
    assert not ones, "somebody is alone in the only table"


def test_one_count_modified_in_two_tables_is_not_known(publish: Publisher) -> None:
    rng = np.random.default_rng(3)
    size = 9000
    people = pa.table(
        {
            "d": [f"D{n // 30:04}" for n in range(size)],
            "e": [f"e{n}" for n in rng.integers(0, 8, size)],
            "s": [f"s{n}" for n in rng.integers(0, 2, size)],
            "k": [f"k{n}" for n in rng.integers(0, 3, size)],
        }
    )
    found = publish(people, "e,s", "e,k", method="modify", seed=1)
    if found is None:
        return
    lines: dict[tuple[str, str], dict[str, list[tuple[int, int]]]] = {}
    for other in "sk":
        for row in rows(found, f"e-{other}"):
            if "total" not in (row["e"], row[other]):
                value = int(row["value"])
                ends = (max(1, value - 1) if value else 0, value + 1)
                lines.setdefault((row["area"], row["e"]), {}).setdefault(other, []).append(ends)
    known = 0
    for line in lines.values():
        low = max(sum(one for one, _ in some) for some in line.values())
        high = min(sum(two for _, two in some) for some in line.values())
        for some in line.values():
            lows, highs = sum(one for one, _ in some), sum(two for _, two in some)
            for one, two in some:
                least, most = max(one, low - (highs - two)), min(two, high - (lows - one))
                known += 0 < least == most < 3
    assert known == 0


def test_a_category_is_not_there_because_somebody_has_it(publish: Publisher) -> None:
    people = pa.table({"d": ["D"] * 60, "job": ["judge"] + ["clerk"] * 30 + ["smith"] * 29})
    for seed in range(4):
        found = publish(people, "job", method="round", base=2, seed=seed)
        if found is not None:
            told = {r["job"]: r["value"] for r in rows(found, "job")}
            assert told.get("judge") != "0", "a category that occurs, and 0 or 1: it is 1"


def test_cell_keys_are_the_same_when_asked_again(publish: Publisher, tmp_path: Path) -> None:
    jobs = [f"j{n}" for n in np.random.default_rng(0).integers(0, 20, 300)]
    people = pa.table({"d": ["D"] * 300, "job": jobs})
    record = tmp_path / "record.json"
    twice = [publish(people, "job", method="cell-key", published=record) for _ in range(2)]
    if None in twice:
        return
    one, two = (rows(found, "job") for found in twice if found is not None)
    assert one == two


def test_missing_values_are_told_from_a_value_called_missing(publish: Publisher) -> None:
    people = pa.table({"d": ["D"] * 60, "x": ["missing", None, "q"] * 20})
    try:
        found = publish(people, "x", method="small-counts")
    except InputError:
        return
    assert found is not None
    labels = [r["x"] for r in rows(found, "x")]
    assert len(set(labels)) == len(labels)


def test_nothing_is_published_that_cannot_be_recorded(publish: Publisher, tmp_path: Path) -> None:
    people = pa.table({"d": ["D"] * 60, "x": ["p", "q"] * 30})
    out = tmp_path / "out"
    with pytest.raises(InputError):
        publish(people, "x", method="none", out=out, published=tmp_path / "no" / "record.json")
    assert not out.exists()


def test_the_record_of_what_was_published_is_private(publish: Publisher, tmp_path: Path) -> None:
    people = pa.table({"d": ["D"] * 60, "x": ["p", "q"] * 30})
    record = tmp_path / "record.json"
    publish(people, "x", method="none", published=record)
    assert stat.S_IMODE(record.stat().st_mode) == 0o600


def test_the_certificate_counts_the_small_counts_that_are_published(publish: Publisher) -> None:
    sexes = ["f"] + ["m"] * 39
    people = pa.table({"d": ["D"] * 40, "sex": sexes, "job": ["x"] * 20 + ["y"] * 20})
    found = publish(people, "sex", "job", method="none", merge=True)
    if found is None:
        return
    ones = [r for r in rows(found, "sex") if r["value"] == "1"]
    assert found.folder is not None
    assert found.folder.verdict.get("small_counts_published", len(ones)) == len(ones)
