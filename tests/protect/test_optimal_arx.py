"""Optima that ARX 3.9.2 has proved on the Adult data and on a synthetic IHIS, found again."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from indistinct import open_data
from indistinct.hierarchy import csv_hierarchy
from indistinct.keys import Generalisable
from indistinct.protect.methods.whole_variables.optimal import optimal
from indistinct.protect.models import (
    AverageRisk,
    LDiversity,
    PopulationUniques,
    SampleUniques,
    TCloseness,
)

SHARED = Path(__file__).resolve().parents[3] / "shared"
ARX = SHARED / "reference" / "arx"
ADULT = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]
IHIS = ["YEAR", "QUARTER", "REGION", "PERNUM", "AGE", "MARSTAT", "SEX", "RACEA", "EDUC"]
NAMES = {"nuentropy": "entropy"}
OURS = ("loss", "precision", "nuentropy", "discernibility", "aecs")

pytestmark = pytest.mark.shared
HEAVY = [pytest.mark.heavy]


def hierarchy(data, name):
    path = SHARED / "data" / "hierarchies" / f"{data}_hierarchy_{name}.csv"
    return csv_hierarchy(path, name=name)


@cache
def table(data, key, sensitive=None):
    if not (SHARED / "data").is_dir():
        pytest.skip("the folder shared beside the project is absent")
    path = {"adult": "adult.csv", "ihis": "ihis_synth.parquet"}[data]
    with open_data(SHARED / "data" / path) as opened:
        keys = Generalisable.of(
            opened.key_table(list(key)), {name: hierarchy(data, name) for name in key}
        )
        return keys, opened.key_table([*key, sensitive]) if sensitive else None


def recorded(*names):
    """Return the recorded runs; a file that is absent has none, and the test says so."""
    runs = []
    for name in names:
        path = ARX / name
        if path.is_file():
            runs += [run for run in json.loads(path.read_text())["runs"] if run["solution"]]
    return runs


def told(run):
    return f"{run['privacy']}-{run['suppression_limit']}-{run['metric']}"


def found(run, data="adult", **options):
    sensitive = run["sensitive"]
    columns = ADULT if data == "adult" else IHIS
    key = tuple(name for name in columns if name != sensitive)
    keys, counted = table(data, key, sensitive)
    return optimal(
        keys,
        loss=NAMES.get(run["metric"], run["metric"]),
        max_drop=float(run["suppression_limit"]),
        sensitive=counted,
        **options,
    )


K_ANONYMITY = [
    run
    for run in recorded(
        "arx_kanon_adult.json", "arx_algos_adult.json", "arx_othermetrics_adult.json"
    )
    if run["metric"] in OURS
]


def test_the_recorded_results_are_there():
    if not ARX.is_dir():
        pytest.skip("the folder shared beside the project is absent")
    assert len(K_ANONYMITY) == 70


@pytest.mark.parametrize(
    "run",
    [
        # the everyday part of the suite sees one k and one limit, by every loss
        pytest.param(run, marks=[] if told(run).startswith("5-anonymity-0.02") else HEAVY)
        for run in K_ANONYMITY
    ],
    ids=told,
)
def test_k_anonymity_of_adult_is_as_good_as_arx(run):
    result = found(run, k=int(run["privacy"].split("-")[0]))
    score = float(run["score"])
    assert result.proved
    assert result.score <= score + 1e-9 * max(1.0, score)
    if run["optimum_proven"]:
        assert result.score == pytest.approx(score, rel=1e-9)


@pytest.mark.heavy
@pytest.mark.parametrize("run", recorded("arx_kanon_ihis_synth.json"), ids=told)
def test_k_anonymity_of_a_million_records_is_as_good_as_arx(run):
    result = found(run, data="ihis", k=5)
    assert result.proved
    assert result.score == pytest.approx(float(run["score"]), rel=1e-9)
    assert result.records_dropped == run["suppressed"]


def models(run):
    """Return the models that a recorded run asked for; None for those this project has not."""
    asked, sensitive = run["privacy"], run["sensitive"]
    k = {"k": 5} if asked.startswith("5-anonymity +") else {}
    if match := re.match(r"distinct-(\d)-diversity", asked):
        return {"models": [LDiversity(sensitive, int(match[1]))]}
    if asked.startswith("entropy-3-diversity") and asked.endswith("SHANNON"):
        return {"models": [LDiversity(sensitive, 3, form="entropy")]}
    if asked.startswith("recursive-(4,3)"):
        return {"models": [LDiversity(sensitive, 3, form="recursive", c=4.0)]}
    if "0.2-closeness equal" in asked:
        return k | {"models": [TCloseness(sensitive, 0.2)]}
    if "0.2-closeness hierarchical" in asked:
        tree = hierarchy("adult", sensitive)
        return k | {"models": [TCloseness(sensitive, 0.2, distance="hierarchical", hierarchy=tree)]}
    if "0.2-closeness ordered" in asked:
        return k | {"models": [TCloseness(sensitive, 0.2, distance="ordered")]}
    if asked.startswith("average reidentification risk"):
        return {"models": [AverageRisk(0.05)]}
    if asked.startswith("sample uniqueness"):
        return {"models": [SampleUniques(0.01)]}
    if match := re.match(r"population uniqueness <= 0.01 (\w+) sampling fraction 0.01", asked):
        return {"models": [PopulationUniques(0.01, 0.01, estimator=match[1].lower())]}
    return None


MODELS = [
    run
    for run in recorded("arx_models_adult_s002.json", "arx_models_adult_s005_s1.json")
    if models(run) is not None
]


@pytest.mark.heavy
@pytest.mark.parametrize("run", MODELS, ids=told)
def test_other_models_on_adult_are_as_good_as_arx(run):
    result = found(run, **models(run))
    assert result.proved
    assert result.score <= float(run["score"]) + 1e-9
