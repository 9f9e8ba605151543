"""The verbs on both engines: the same files to the byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from indistinct.cli import run
from indistinct.engine import Engine

KEY = "age_group,sex,region,marital"
WIDER = f"{KEY},ethnic,economic"

pytestmark = [pytest.mark.spark, pytest.mark.heavy]


@pytest.fixture(scope="module")
def census(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("census") / "census.parquet"
    assert run(["census", "--people", "20000", "--seed", "3", "--out", str(path)]) == 0
    return path


def answer(capfd: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    capfd.readouterr()
    assert run([*map(str, arguments), "--json"]) == 0
    found: dict[str, Any] = json.loads(capfd.readouterr().out)
    return found


def test_uniques(census: Path, tmp_path: Path, spark_engine: Engine, capfd: Any) -> None:
    found = {}
    for engine in ("duckdb", "spark"):
        out = tmp_path / f"{engine}.parquet"
        said = answer(
            *(capfd, "uniques", census, "--key", KEY, "--k", 3, "--engine", engine),
            *("--out", out, "--pull-out", tmp_path / f"{engine}.csv", "--floor", 100),
        )
        found[engine] = {k: v for k, v in said.items() if k not in ("seconds", "approach")}
    assert found["duckdb"] == found["spark"]
    for suffix in (".parquet", ".csv"):
        first, second = (tmp_path / f"{engine}{suffix}" for engine in found)
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    "method", ["destroy", "blank", "perturb", "optimal", "k-similar", "suppress"]
)
def test_protect(
    census: Path, tmp_path: Path, spark_engine: Engine, capfd: Any, method: str
) -> None:
    for engine in ("duckdb", "spark"):
        answer(
            *(capfd, "protect", census, "--method", method, "--key", WIDER, "--k", 3),
            *("--seed", 9, "--engine", engine, "--out", tmp_path / engine),
            *("--accept", "households,perturbed"),
        )
    first, second = (tmp_path / engine / "data.parquet" for engine in ("duckdb", "spark"))
    assert first.read_bytes() == second.read_bytes()


def test_csv_dialect_survives(tmp_path: Path, spark_engine: Engine, capfd: Any) -> None:
    path = tmp_path / "d.csv"
    path.write_bytes("größe;wert\n01;3,5\n01;3,5\n02;4,25\n".encode("cp1252"))
    answer(
        *(capfd, "protect", path, "--method", "destroy", "--key", "größe", "--k", 2),
        *("--engine", "spark", "--out", tmp_path / "r", "--format", "csv"),
    )
    expected = "größe;wert\n01;3,5\n01;3,5\n".encode("cp1252")
    assert (tmp_path / "r" / "data.csv").read_bytes() == expected
