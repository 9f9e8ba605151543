"""Variables that give away what was perturbed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from indistinct.protect import Shuffle, telltale_warnings
from indistinct.session import open_data


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    age = rng.integers(0, 90, 3_000)
    born = np.datetime64("2011-04-10") - (age * 365 + rng.integers(0, 365, 3_000))
    table = pa.table(
        {
            "person": np.arange(3_000),
            "age": age,
            "age_group": age // 10,
            "born": born.astype("datetime64[D]"),
            "income": 200 * age + rng.integers(0, 20_000, 3_000),
            "sex": rng.integers(0, 2, 3_000),
        }
    )
    with open_data(table) as opened:
        yield opened


def test_a_recode_and_a_date_of_birth_tell_an_age_and_chance_does_not(data):
    kept = ["person", "age_group", "born", "income", "sex"]
    (said,) = telltale_warnings(data.source, ["age"], kept)
    assert "age_group, born tell it" in said
    assert "income" not in said
    assert "person" not in said
    assert telltale_warnings(data.source, ["age"], ["income", "sex", "person"]) == ()


def test_a_release_warns_of_them(data, tmp_path):
    done = data.protect(["age", "sex"], method="shuffle", k=2, seed=1, variables=("age",))
    written = data.release(tmp_path / "release", done, seed=1)
    assert any("age_group" in warning for warning in written.warnings)
    done = data.protect(["age", "sex"], method="shuffle", k=2, seed=1, variables=("age",))
    written = data.release(tmp_path / "less", done, seed=1, keep=["income"])
    assert not any("perturbed" in warning for warning in written.warnings)


def test_shuffling_together_is_no_telltale(data):
    done = data.protect(
        ["age", "sex"], method="shuffle", k=2, seed=1, variables=("age", "age_group", "born")
    )
    assert isinstance(done.plan.steps[0], Shuffle)
    assert telltale_warnings(data.source, ["age", "age_group", "born"], ["sex", "income"]) == ()
