"""Hierarchies cover every code and are trees."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from indistinct.census import HIERARCHIES, hierarchy_rows, write_hierarchies
from indistinct.census.schema import LABELS
from indistinct.core.errors import InputError


@pytest.mark.parametrize("variable", HIERARCHIES)
def test_each_hierarchy_is_a_tree_with_one_root(variable: str) -> None:
    rows = hierarchy_rows(variable, people=20_000)
    assert len({len(row) for row in rows}) == 1
    assert {row[-1] for row in rows} == {"*"}
    assert len({row[0] for row in rows}) == len(rows)
    for level in range(1, len(rows[0]) - 1):
        parents: dict[str, str] = {}
        for row in rows:
            assert parents.setdefault(row[level], row[level + 1]) == row[level + 1]


@pytest.mark.parametrize(
    ("variable", "sizes"),
    [
        ("age", [86, 18, 9, 5, 1]),
        ("occupation", [91, 10, 1]),
        ("industry", [111, 24, 11, 1]),
        ("county", [35, 8, 4, 1]),
        ("country_of_birth", [90, 10, 2, 1]),
        ("nationality", [75, 10, 2, 1]),
        ("education", [7, 3, 1]),
        ("sex", [2, 1]),
    ],
)
def test_levels_have_the_stated_number_of_values(variable: str, sizes: list[int]) -> None:
    assert [len(set(level)) for level in zip(*hierarchy_rows(variable), strict=True)] == sizes


def test_every_value_of_the_census_is_covered(census: pa.Table) -> None:
    for variable in HIERARCHIES:
        known = {row[0] for row in hierarchy_rows(variable, people=census.num_rows)}
        found = {str(code) for code in np.unique(census[variable].to_numpy())}
        assert found <= known, variable


def test_files_hold_the_rows_without_a_header(tmp_path: Path) -> None:
    paths = write_hierarchies(tmp_path)
    assert {path.stem for path in paths} == set(LABELS)
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.csv" for name in LABELS}
    for path in paths:
        with path.open(newline="", encoding="utf-8") as file:
            assert list(csv.reader(file)) == hierarchy_rows(path.stem)
    assert "area" in {
        path.stem for path in write_hierarchies(tmp_path, people=1000, overwrite=True)
    }


def test_what_cannot_be_given_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Did you mean 'occupation'"):
        hierarchy_rows("ocupation")
    with pytest.raises(InputError, match="Give people="):
        hierarchy_rows("area")
    with pytest.raises(InputError, match="must exist"):
        write_hierarchies(tmp_path / "missing")
