"""No record has the key of an original unique, and every value is as frequent as before."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import indistinct
from indistinct.core.errors import InputError
from indistinct.protect import Plan, Sample, Shuffle
from indistinct.protect.avoid_uniques import AvoidUniques
from indistinct.protect.step import Step

KEY = ("age", "town", "sex")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    n = 1500
    table = pa.table(
        {
            "age": rng.integers(20, 60, n),
            "town": rng.choice(list("abcdefgh"), n),
            "sex": rng.choice(["m", "f"], n),
        }
    )
    with indistinct.open_data(table) as opened:
        yield opened


def rows(source):
    return list(zip(*(source.table([n]).column(0).to_pylist() for n in KEY), strict=True))


def test_keys_of_uniques_are_gone_and_margins_stay(data):
    shuffle = Shuffle(KEY)
    before = rows(data.source)
    alone = {row for row, n in Counter(before).items() if n == 1}
    plain = rows(Plan((shuffle,)).apply(data.engine, data.source, seed=1).source)
    assert len(alone & set(plain)) > 20
    step = AvoidUniques((shuffle,), KEY, ("age", "town"), window=0.2)
    applied = Plan((step,)).apply(data.engine, data.source, seed=1)
    after = rows(applied.source)
    assert not alone & set(after)
    for j in range(3):
        assert Counter(row[j] for row in after) == Counter(row[j] for row in before)
    assert applied.receipts[0].notes[-1].endswith("after exchanges 0 have one")
    changed = sum(a != b for a, b in zip(before, after, strict=True))
    assert applied.receipts[0].records_changed == changed
    again = Plan((step,)).apply(data.engine, data.source, seed=1)
    assert rows(again.source) == after


def test_values_are_exchanged_within_strata(data):
    still = Shuffle(("sex",), level=0.0)
    step = AvoidUniques((still,), KEY, ("age",), window=0.3, within=("town",))
    after = rows(Plan((step,)).apply(data.engine, data.source, seed=1).source)
    before = rows(data.source)
    assert Counter(row[:2] for row in after) == Counter(row[:2] for row in before)
    assert after != before


def test_it_is_saved_and_read_again():
    step = AvoidUniques((Shuffle(KEY, nominal=("town",)),), KEY, ("age",))
    assert Step.from_dict(step.to_dict()) == step
    assert "exchange near values of age" in step.describe()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"steps": ()}, "at least one step"),
        ({"exchange": ("job",)}, "not in the key"),
        ({"exchange": ()}, "exchanging"),
        ({"within": ("age",)}, "alike in it"),
        ({"window": 2.0}, "window"),
    ],
)
def test_what_contradicts_itself_is_refused(fields, words):
    with pytest.raises(InputError, match=words):
        AvoidUniques(**({"steps": (Shuffle(KEY),), "key": KEY, "exchange": ("age",)} | fields))


def test_steps_must_keep_every_record(data):
    step = AvoidUniques((Sample(fraction=0.5),), KEY, ("age",))
    with pytest.raises(InputError, match="keep every record"):
        Plan((step,)).apply(data.engine, data.source, seed=1)
