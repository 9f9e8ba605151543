"""IL1s, eigenvalues and correlations against what sdcMicro recorded, and by their formulas."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from analyses_files import coded, people

from indistinct.core.errors import InputError
from indistinct.utility.analyses import compare_numbers

SHARED = Path(__file__).resolve().parents[3] / "shared"
RECORDED = [
    ("Tarragona", "mdav_Tarragona_aggr3"),
    ("Tarragona", "mdav_Tarragona_aggr10"),
    ("Tarragona", "microagg_Tarragona_rmd"),
    ("Tarragona", "microagg_Tarragona_onedims"),
    ("CASCrefmicrodata", "mdav_CASC_aggr3"),
    ("EIA", "mdav_EIA_aggr5"),
    ("testdata", "mdav_testdata_aggr5"),
]


@pytest.mark.shared
@pytest.mark.parametrize(("data", "name"), RECORDED)
def test_losses_are_those_that_sdcmicro_recorded(data, name):
    folder = SHARED / "reference" / "sdcmicro"
    if not folder.exists():
        pytest.skip("needs the shared data")
    told = json.loads((folder / f"{name}.json").read_text())
    released = pd.read_csv(folder / f"{name}.csv").astype(float)
    original = pd.read_csv(SHARED / "data" / f"{data}.csv")
    original.columns = [c.replace(" ", ".").replace("-", ".") for c in original.columns]
    original = original[released.columns].astype(float)
    levels = dict.fromkeys(released.columns, "numeric")
    found = compare_numbers(coded(original, released, levels=levels))
    assert len(found.names) == released.shape[1]
    assert found.il1s == pytest.approx(told["IL1s"], rel=1e-9)
    assert found.il1s_mean == pytest.approx(told["IL1old"], rel=1e-9)
    assert found.eigen == pytest.approx(told["eigen"], rel=1e-5, abs=1e-9)
    if found.correlation_loss is not None:
        assert found.correlation_loss == pytest.approx(told["IL_correl"], rel=1e-4, abs=1e-8)


def test_by_their_formulas_with_missing_values():
    first = people(200)[["age", "income"]]
    rng = np.random.default_rng(0)
    second = first + rng.normal(size=first.shape)
    found = compare_numbers(coded(first.astype(float), second))
    cells = ((first - second).abs() / (np.sqrt(2) * first.std())).to_numpy()
    assert found.il1s == pytest.approx(np.nansum(cells))
    before, after = first.corr().to_numpy(), second.corr().to_numpy()
    assert found.correlations_original == pytest.approx(before)
    assert found.correlation_largest == pytest.approx(abs(before - after)[0, 1])
    values = [np.linalg.eigvalsh(m)[::-1] for m in (before, after)]
    assert found.eigen == pytest.approx((abs(values[0] - values[1]) / values[0]).sum())
    c, d = (f / first.std() for f in (first, second))
    apart = np.linalg.norm(d.cov() - c.cov()) / np.linalg.norm(c.cov())
    assert found.covariance == pytest.approx(apart)
    assert found.left_out == (first["income"].isna().sum(),) * 2


def test_a_shuffled_column_keeps_its_eigenvalue_of_one_and_loses_its_records():
    first = pd.DataFrame({"x": np.random.default_rng(0).random(5000)})
    second = first.sample(frac=1, random_state=1).reset_index(drop=True)
    found = compare_numbers(coded(first, second))
    # E|x − x′| = 1/3 and sd = 1/√12 of a uniform variable: √12 / (3√2)
    assert found.il1s_mean == pytest.approx(np.sqrt(12) / (3 * np.sqrt(2)), rel=0.02)
    assert found.eigen == 0


def test_the_same_file_loses_nothing_and_another_size_has_no_il1s():
    first = people(100)
    same = compare_numbers(coded(first))
    assert (same.il1s, same.eigen, same.covariance, same.correlation_largest) == (0, 0, 0, 0)
    other = compare_numbers(coded(first, first.head(60)))
    assert other.il1s is None
    json.dumps(other.to_dict(), allow_nan=False)
    assert {"original", "released", "difference"} <= other.to_dict().keys()
    assert other.plot().startswith("<svg")
    assert "IL1s" not in repr(other)


def test_no_numbers_are_refused():
    with pytest.raises(InputError, match="no numeric variables"):
        compare_numbers(coded(people(20), variables=["sex"]))
