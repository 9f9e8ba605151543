"""`indistinct risk` through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.census import SKINNER_HOLMES_KEY, census_table
from indistinct.cli import run

KEY = ",".join(SKINNER_HOLMES_KEY)
FIELDS = {
    "records",
    "sample_uniques",
    "model",
    "sigma2",
    "expected_population_uniques",
    "expected_reidentifications",
    "max",
    "mean",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("risk")
    population = census_table(60_000, seed=5, names=False)
    pq.write_table(population, folder / "population.parquet")
    keep = np.sort(np.random.default_rng(1).choice(60_000, 12_000, replace=False))
    sample = population.take(pa.array(keep)).append_column("w", pa.array(np.full(12_000, 5.0)))
    pq.write_table(sample, folder / "sample.parquet")
    return folder / "sample.parquet", folder / "population.parquet"


def answer(capfd: Any, *arguments: object) -> dict[str, Any]:
    capfd.readouterr()
    assert run([*map(str, arguments), "--json"]) == 0
    found: dict[str, Any] = json.loads(capfd.readouterr().out)
    return found


def refused(capfd: Any, *arguments: object) -> str:
    capfd.readouterr()
    assert run([*map(str, arguments)]) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert "Traceback" not in said.err
    return " ".join(said.err.split())


def test_estimate_is_near_the_truth(files, tmp_path, capfd):
    sample, population = files
    out = tmp_path / "risk.parquet"
    said = answer(capfd, "risk", sample, "--key", KEY, "--fraction", 0.2, "--out", out)
    truth = answer(capfd, "risk", sample, "--key", KEY, "--population", population)
    assert set(said) >= FIELDS
    assert set(truth) >= FIELDS
    assert said["sample_uniques"] == truth["sample_uniques"]
    ratio = said["expected_population_uniques"] / truth["expected_population_uniques"]
    assert 0.75 < ratio < 1.25
    written = pq.read_table(out)
    assert written.column_names[:3] == ["record", "frequency", "risk"]
    assert written["record"].to_pylist() == list(range(1, 12_001))  # as people count
    risk = written["risk"].to_numpy()
    assert risk.sum() == pytest.approx(said["expected_population_uniques"])
    assert (risk[written["frequency"].to_numpy() > 1] == 0).all()


def test_models_and_weights(files, capfd):
    sample, _ = files
    main = answer(capfd, "risk", sample, "--key", KEY, "--fraction", 0.2, "--model", "main")
    given = answer(
        *(capfd, "risk", sample, "--key", KEY, "--fraction", 0.2),
        *("--model", "age_group*sex + marital"),
    )
    weighted = answer(capfd, "risk", sample, "--key", KEY, "--weight", "w", "--model", "main")
    assert main["model"] == "main"
    assert "age_group*sex" in given["model"]
    same = main["expected_population_uniques"]
    assert weighted["expected_population_uniques"] == pytest.approx(same)
    assert weighted["individual"]["records"] == 12_000


def test_household_risk_is_written(files, tmp_path, capfd):
    sample, _ = files
    out = tmp_path / "risk.csv"
    answer(
        *(capfd, "risk", sample, "--key", KEY, "--weight", "w", "--model", "main"),
        *("--household", "household", "--out", out),
    )
    assert out.read_text().splitlines()[0].split(",")[-2:] == ["individual", "household"]


def test_validation_prints_the_tables_of_the_paper(files, capfd):
    _, population = files
    said = answer(
        *(capfd, "risk", "--population", population, "--sample-fraction", 0.2),
        *("--repeat", 3, "--key", KEY, "--model", "two-way"),
    )
    assert said["repeat"] == 3
    assert 0.6 < said["ratio_uniques"] < 1.5


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "--fraction 0.1"),
        (["--fraction", "0"], "fraction must"),
        (["--fraction", "1.5"], "fraction must"),
        (["--weight", "nothing"], "There is no variable 'nothing'"),
        (["--fraction", "0.2", "--model", "age_group*sexx"], "sex"),
        (["--fraction", "0.2", "--household", "hh"], "Did you mean"),
        (["--fraction", "0.2", "--population", "x.parquet"], "x.parquet"),
        (["--fraction", "0.2", "--key", "sex"], "at least two"),
    ],
    ids=" ".join,
)
def test_wrong_requests(files, capfd, options, sentence):
    sample, _ = files
    key = [] if "--key" in options else ["--key", KEY]
    assert sentence in refused(capfd, "risk", sample, *key, *options)


def test_no_file_and_no_validation(capfd, files):
    assert "which file" in refused(capfd, "risk", "--key", KEY)
    said = refused(capfd, "risk", files[0], "--sample-fraction", "0.1", "--key", KEY)
    assert "--population" in said


@pytest.mark.heavy
def test_causes_and_sensitive_values(files, capfd):
    sample, _ = files
    said = answer(
        *(capfd, "risk", sample, "--key", KEY, "--fraction", 0.2, "--model", "main"),
        *("--sensitive", "health,religion", "--suda", 2),
    )
    assert {"attackers", "variables", "attributes", "suda"} <= set(said)
    assert run(["risk", str(sample), "--key", KEY, "--fraction", "0.2", "--suda", "2"]) == 0
    shown = capfd.readouterr().out
    assert "age_group" in shown
    assert "assumed:" in shown


def test_flags_and_their_follow_up(files, tmp_path, capfd):
    sample, _ = files
    rules, states, out = tmp_path / "r.toml", tmp_path / "states.json", tmp_path / "risk.csv"
    rules.write_text(
        '[[flags]]\nname = "young widow"\nreason = "known in the village"\n'
        'all = [{variable = "age", below = 25}, {variable = "marital", equals = 4}]\n'
    )
    options = ("--key", KEY, "--fraction", 0.2, "--model", "main", "--flags", rules)
    said = answer(capfd, "risk", sample, *options, "--follow-up", states, "--out", out)
    people = pq.read_table(sample, columns=["age", "marital"]).to_pylist()
    expected = [i for i, p in enumerate(people) if p["age"] < 25 and p["marital"] == 4]
    assert said["flags"]["flagged"] == len(expected)
    lines = out.read_text().splitlines()[1:]
    assert [i for i, line in enumerate(lines) if line.endswith("young widow")] == expected
    first = states.read_bytes()
    answer(capfd, "risk", sample, *options, "--follow-up", states)
    assert states.read_bytes() == first
    rules.write_text('[[flags]]\nname = "x"\nreason = "y"\nall = [{variable = "aeg", above = 1}]\n')
    assert "age" in refused(capfd, "risk", sample, *options)
    assert "--flags" in refused(capfd, "risk", sample, *options[:-2], "--follow-up", states)
