"""Law: amounts stay, although they are another for everybody; numbers that were given out go.

Names say nothing. Amounts are drawn from the distributions that money and sizes have, numbers from
the ways in which offices give them out.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from small_data import open_small

from indistinct import open_data, verify_release
from indistinct.naming import columns_that_name
from indistinct.release import Certificate

PEOPLE = 600


def amounts(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return whole amounts: skewed ones, balances, and parts of an income that people rounded."""
    income = np.round(rng.lognormal(10, 0.5, PEOPLE), -2)
    return {
        "v1": rng.lognormal(11, 2, PEOPLE).astype(np.int64),
        "v2": rng.normal(0, 90_000, PEOPLE).astype(np.int64),
        "v3": income.astype(np.int64),
        "v4": (income * rng.normal(0.3, 0.05, PEOPLE)).astype(np.int64) + 1_000,
        "v5": (income * rng.normal(0.8, 0.1, PEOPLE)).astype(np.int64) * 3 + 7,
    }


def numbers(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return numbers that were given out: in turn, at random, by office, with gaps, over time."""
    office = rng.integers(1, 9, PEOPLE)
    return {
        "x1": np.arange(PEOPLE) + 1,
        "x2": rng.permutation(10**7)[:PEOPLE],
        "x3": office * 100_000 + rng.permutation(90_000)[:PEOPLE],
        "x4": np.cumsum(rng.integers(1, 40, PEOPLE)) + 5_000,
        "x5": rng.permutation(PEOPLE) + 70_000,
        "x6": rng.choice(np.arange(10**9, 10**9 + 10**6), PEOPLE, replace=False),
    }


@pytest.mark.parametrize("seed", range(12))
def test_amounts_stay_and_numbers_go(seed):
    rng = np.random.default_rng(seed)
    columns = {**amounts(rng), **numbers(rng)}
    table = pa.table({"sex": rng.integers(1, 3, PEOPLE), **columns})
    with open_small(table.select(rng.permutation(table.column_names).tolist())) as data:
        named = {one.name for one in columns_that_name(data.engine, data.source, key=["sex"])}
    assert named == {name for name in columns if name.startswith("x")}


@pytest.mark.parametrize("seed", range(6))
def test_numbers_go_from_a_file_that_is_sorted_by_an_amount(seed):
    rng = np.random.default_rng(seed)
    made = {**amounts(rng), **numbers(rng)}
    order = np.argsort(made["v3"], kind="stable")
    table = pa.table({name: column[order] for name, column in made.items() if name != "x4"})
    in_turn = np.cumsum(rng.integers(1, 40, PEOPLE)) + 5_000
    table = table.append_column("x4", pa.array(in_turn))
    with open_small(table) as data:
        named = {one.name for one in columns_that_name(data.engine, data.source, key=[])}
    assert {name for name in named if name.startswith("x")} == set(numbers(rng))


@pytest.mark.parametrize("format", ["csv", "parquet", "spss"])
def test_an_amount_that_only_its_label_tells_stays_whatever_file_it_leaves_in(format, tmp_path):
    """A file without labels is judged by the same words as the one that it was made from."""
    rng = np.random.default_rng(1)
    # of one length and not skewed: nothing but the label tells that it was not given out
    pay = rng.permutation(np.arange(20_000.0, 90_000.0))[:PEOPLE]
    frame = pd.DataFrame({"v0": rng.integers(1, 3, PEOPLE).astype(float), "v1": pay})
    private = tmp_path / "private.sav"
    pyreadstat.write_sav(frame, private, column_labels=["sex", "income"])
    with open_data(private) as data:
        done = data.protect(["v0"], method="suppress", k=3, seed=1)
        data.release(tmp_path / "r", done, format=format)
    certificate = Certificate.read(tmp_path / "r" / "certificate.json")
    assert certificate.state == "holds"
    assert certificate.promise.labels == {"v1": "income"}
    assert verify_release(tmp_path / "r").state == "holds"
