"""Record swapping beside sdcMicro's: both draw at random, so shares are compared."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow.csv as pa_csv
import pytest

from indistinct.files import open_table
from indistinct.protect import Plan
from indistinct.protect.steps.households import SwapHouseholds

pytestmark = pytest.mark.shared

RECORDED = Path(__file__).resolve().parents[3] / "shared" / "reference" / "sdcmicro"


@pytest.fixture(scope="module")
def people(folder):
    path = RECORDED / "recordSwap_createDat__input.csv"
    if not path.exists():
        pytest.skip("the recorded outputs of sdcMicro are not beside the project")
    return open_table(pa_csv.read_csv(path), workspace=folder)


def swapped(engine, people, step, seed):
    receipt = Plan((step,)).apply(engine, people, seed=seed).receipts[0]
    return 2 * len(receipt.private) / 5000, receipt


@pytest.mark.parametrize("k", [0, 1, 3, 5])
def test_the_share_swapped_is_that_of_sdcmicro(engine, people, k):
    with (RECORDED / f"recordSwap_k{k}.csv").open() as file:
        recorded = {float(row["share_hh_swapped"]) for row in csv.DictReader(file)}
    step = SwapHouseholds(
        "hid", ("nuts1", "nuts2"), (("hsize",),), 0.05, ("ageGroup", "national"), k
    )
    found = {swapped(engine, people, step, seed)[0] for seed in range(3)}
    assert found == recorded == {0.05}


def test_with_many_at_risk_the_share_is_near_that_of_sdcmicro(engine, people):
    content = json.loads((RECORDED / "recordSwap_createDat.json").read_text())
    recorded = [entry["share_hh_swapped"] for entry in content]
    step = SwapHouseholds(
        "hid", ("nuts1", "nuts2", "nuts3"), (("hsize",),), 0.05, ("ageGroup", "national"), 3,
        donors="anywhere",
    )  # fmt: skip
    found = [swapped(engine, people, step, seed) for seed in range(4)]
    assert np.mean([share for share, _ in found]) == pytest.approx(np.mean(recorded), abs=0.015)
    # 68.2 % of the households are at risk, counted independently; all are swapped, as there
    assert all("(3,410 at risk)" in " ".join(receipt.notes) for _, receipt in found)
    assert not any(receipt.warnings for _, receipt in found)
