"""Minimal suppression beside recorded runs of sdcMicro 5.8.1's kAnon on the same files."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from small_data import open_small

from indistinct.keys import Generalisable
from indistinct.keys.wildcards import wildcard_frequencies
from indistinct.protect.methods.local_suppression.suppress import (
    Suppression,
    importance_weights,
    suppress,
    suppression_keys,
)

SHARED = Path(__file__).resolve().parents[3] / "shared"
RECORDED = SHARED / "reference" / "sdcmicro"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(
        not RECORDED.exists(), reason="the folder shared beside the project is absent"
    ),
]

DWELLING = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
ADULT = ["sex", "age", "race", "marital-status"]


def importance(*places: int) -> dict[str, float]:
    return importance_weights(dict(zip(DWELLING, places, strict=True)))


CASES: list[Any] = [
    pytest.param(file, key, k, name, options, id=name)
    for file, key, k, name, options in [
        *[("testdata", DWELLING, k, f"kAnon_testdata_k7vars_k{k}", {}) for k in (2, 3, 5, 10)],
        *[("testdata2", DWELLING, k, f"kAnon_testdata2_k{k}", {}) for k in (2, 3, 5)],
        *[("adult", ADULT, k, f"adult_kAnon_k4_k{k}", {}) for k in (3, 5)],
        ("adult", [*ADULT, "education"], 3, "adult_kAnon_k5_k3", {}),
        *[
            ("testdata", DWELLING, 3, f"kAnon_testdata_k3_{name}", options)
            for name, options in [
                ("importance", {"weights": importance(1, 2, 3, 7, 4, 5, 6)}),
                ("importance_rev", {"weights": importance(7, 6, 5, 4, 3, 2, 1)}),
                ("strata", {"limits": {"sex": 0}}),
                ("alpha0.5", {"alpha": 0.5}),
                ("alpha0", {"alpha": 0.0}),
            ]
        ],
    ]
]


def original(file: str, key: list[str]) -> pd.DataFrame:
    return pd.read_csv(SHARED / "data" / f"{file}.csv", dtype=str)[key]


def keys_of(frame: pd.DataFrame) -> Generalisable:
    with open_small(pa.Table.from_pandas(frame, preserve_index=False)) as data:
        return suppression_keys(data.key_table(list(frame.columns)))


def released(found: Suppression) -> pd.DataFrame:
    table = found.recoding.keys.table
    rows = np.repeat(np.arange(len(found.recoding.classes)), found.recoding.counts)
    columns = {}
    for j, name in enumerate(table.names):
        values = np.array(table.values(name), dtype=object)[found.recoding.classes[rows]]
        values[found.recoding.levels[rows, j] > 0] = None
        columns[name] = values
    return pd.DataFrame(columns)


def recount(frame: pd.DataFrame, alpha: float) -> float:
    """The smallest frequency by the rule of freqCalc, record by record."""
    with open_small(pa.Table.from_pandas(frame, preserve_index=False)) as data:
        return float(wildcard_frequencies(data.key_table(list(frame.columns)), alpha=alpha).min())


@pytest.mark.parametrize(("file", "key", "k", "name", "options"), CASES)
def test_by_wildcard_no_more_cells_than_sdcmicro(file, key, k, name, options):
    total = json.loads((RECORDED / f"{name}.json").read_text())["total"]
    # sdcMicro does not hold against elimination
    options = {**options, "against_elimination": False}
    found = suppress(keys_of(original(file, key)), k=k, meaning="wildcard", **options)
    assert found.total <= total
    assert recount(released(found), options.get("alpha", 1.0)) >= k


def made_strict(name: str, key: list[str], k: int) -> tuple[int, int]:
    """The cells sdcMicro suppressed, and those it has when small classes are suppressed too."""
    output = pd.read_csv(RECORDED / f"{name}.csv", dtype=str, keep_default_na=False)
    output = output.mask(output == "")
    output.columns = key
    cells = int(output.isna().sum().sum())
    return cells, cells + suppress(keys_of(output), k=k, optimal=False).total


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("file", "key", "k", "name", "options"), [c for c in CASES if not c.values[4]]
)
def test_strictly_fewer_cells_than_sdcmicros_output_made_strict(file, key, k, name, options):
    found = suppress(keys_of(original(file, key)), k=k, optimal=False)
    counts = Counter(map(tuple, released(found).fillna("").to_numpy().tolist()))
    assert min(counts.values()) >= k
    assert found.total < made_strict(name, key, k)[1]


@pytest.mark.heavy
@pytest.mark.parametrize(("k", "fewest"), [(2, 115), (3, 174)])
def test_the_optimum_of_testdata2_is_found_and_proved(k, fewest):
    """Both were also found by HiGHS from a plain model of the whole file."""
    found = suppress(keys_of(original("testdata2", DWELLING)), k=k, optimal=True)
    assert (found.total, found.proved) == (fewest, True)


@pytest.mark.parametrize("meaning", [pytest.param("strict", marks=pytest.mark.heavy), "wildcard"])
def test_the_order_of_the_records_does_not_matter(meaning):
    frame = original("testdata", DWELLING)
    found = suppress(keys_of(frame), k=5, meaning=meaning, optimal=False)
    shuffled = frame.sample(frac=1, random_state=7).reset_index(drop=True)
    again = suppress(keys_of(shuffled), k=5, meaning=meaning, optimal=False)
    assert again.total == found.total
    first, second = (
        Counter(map(tuple, released(x).fillna("").to_numpy().tolist())) for x in (found, again)
    )
    assert first == second
