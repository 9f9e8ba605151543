"""Top and bottom coding: no end category is sparse; thresholds, means, medians, sdcMicro's."""

from __future__ import annotations

import csv
import datetime
import json
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.protect import Plan
from indistinct.protect.steps import TopBottomCode

SHARED = Path(__file__).resolve().parents[3] / "shared" / "reference" / "sdcmicro"


def coded(engine, source, step, name="x"):
    return Plan((step,)).apply(engine, source).source.table()[name].to_pylist()


@settings(max_examples=60, deadline=None)
@given(
    x=st.lists(st.one_of(st.none(), st.integers(0, 12)), min_size=1, max_size=40),
    fewest=st.integers(1, 12),
    to=st.sampled_from(["threshold", "mean", "median"]),
)
def test_no_end_category_is_sparse_and_the_middle_stays(engine, opened, x, fewest, to):
    source = opened({"x": pa.array([None if v is None else 3.0 * v for v in x], pa.float64())})
    step = TopBottomCode(("x",), fewest=fewest, to=to)
    there = sorted(3.0 * v for v in x if v is not None)
    try:
        new = coded(engine, source, step)
    except GuaranteeError:
        # by brute force: no two ends of that size without a value in both
        assert there
        assert len(there) < fewest or there[fewest - 1] > there[-fewest]
        return
    assert [v is None for v in new] == [v is None for v in x]
    counts = Counter(v for v in new if v is not None)
    if counts:
        assert counts[min(counts)] >= fewest
        assert counts[max(counts)] >= fewest
        low, high = there[fewest - 1], there[-fewest]  # no smaller end would do
        if low < high:
            for old, value in zip(x, new, strict=True):
                if old is not None and low < 3.0 * old < high:
                    assert value == 3.0 * old
                elif old is not None and to == "threshold":
                    assert value == (low if 3.0 * old <= low else high)


def test_what_the_ends_get(engine, opened):
    source = opened({"x": [1, 2, 3, 4, 5, 6, 20, 31]})
    assert coded(engine, source, TopBottomCode(("x",), fewest=3)) == [3, 3, 3, 4, 5, 6, 6, 6]
    mean = TopBottomCode(("x",), fewest=3, to="mean", side="top")
    assert coded(engine, source, mean) == [1, 2, 3, 4, 5, 19, 19, 19]
    median = TopBottomCode(("x",), share=0.5, to="median", side="bottom")
    assert coded(engine, source, median) == [2, 2, 2, 2, 5, 6, 20, 31]


def test_fixed_thresholds_are_written_as_given_and_widened_where_sparse(engine, opened):
    source = opened({"x": [10, 20, 30, 84, 90, 99]})
    step = TopBottomCode(("x",), lowest=18.0, highest=85.0)
    assert coded(engine, source, step) == [18, 20, 30, 84, 85, 85]
    assert coded(engine, source, replace(step, fewest=3)) == [30, 30, 30, 84, 84, 84]
    assert coded(engine, source, TopBottomCode(("x",), lowest=19.5, side="bottom"))[0] == 19
    assert coded(engine, source, TopBottomCode(("x",), highest=500.0)) == [10, 20, 30, 84, 90, 99]


def test_types_with_an_order_keep_their_type(engine, opened):
    day = datetime.date(2020, 1, 1)
    source = opened(
        {
            "day": [day + datetime.timedelta(n) for n in range(6)],
            "amount": pa.array([Decimal(n) / 10 for n in range(6)], pa.decimal128(6, 1)),
            "grade": ["f", "a", "b", "b", "c", "?"],
        }
    )
    change = {"level": "ordinal", "user_missing": ("?",), "labels": {"c": "good", "b": "fair"}}
    source = replace(source, variables=source.variables.updated({"grade": change}))
    new = Plan((TopBottomCode(("day", "amount", "grade"), fewest=2),)).apply(engine, source).source
    table = new.table()
    assert table.schema.types == source.table().schema.types
    assert table["day"].to_pylist()[-2:] == [day + datetime.timedelta(4)] * 2
    assert table["amount"].to_pylist()[:2] == [Decimal("0.1")] * 2
    assert table["grade"].to_pylist() == ["c", "b", "b", "b", "c", "?"]
    assert new.variables["grade"].labels == {"c": "good or more", "b": "fair or less"}
    mean = TopBottomCode(("amount",), fewest=3, to="mean", side="top")
    assert coded(engine, source, mean, "amount")[-3:] == [Decimal("0.4")] * 3
    with pytest.raises(InputError, match="have no mean"):
        coded(engine, source, TopBottomCode(("grade",), fewest=2, to="mean"))
    with pytest.raises(InputError, match="holds dates"):
        coded(engine, source, TopBottomCode(("day",), highest=5.0), "day")


def test_thresholds_are_for_the_holder_and_wrong_requests_are_refused(engine, opened):
    source = opened({"x": [7001, 7002, 7003, 7004, 7005, 7006]})
    receipt = Plan((TopBottomCode(("x",), fewest=2),)).apply(engine, source).receipts[0]
    assert receipt.private == {"x": (7002, 7005)}
    assert "700" not in json.dumps(receipt.to_dict())
    with pytest.raises(GuaranteeError, match="overlap"):
        coded(engine, source, TopBottomCode(("x",), fewest=4))
    with pytest.raises(GuaranteeError, match="fewer than 7"):
        coded(engine, source, TopBottomCode(("x",), fewest=7))
    told = TopBottomCode(("x",), highest=95_300_000.0).describe()
    assert told == "code x at the top, at 95300000 and above; a coded value is its threshold"
    for wrong in (
        {},
        {"fewest": 0},
        {"fewest": 2, "share": 0.1},
        {"lowest": 5.0, "highest": 5.0},
        {"highest": 5.0, "side": "bottom"},
    ):
        with pytest.raises(InputError):
            TopBottomCode(("x",), **wrong)


@pytest.mark.shared
def test_fixed_thresholds_give_what_sdcmicro_gives(engine, opened):
    path = SHARED / "topBotCoding_testdata.csv"
    if not path.exists():
        pytest.skip(f"{path.name} is not beside the project")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    quantiles = json.loads(path.with_suffix(".json").read_text())
    source = opened({"x": [float(row["orig"]) for row in rows]})
    step = TopBottomCode(("x",), lowest=quantiles["q05"], highest=quantiles["q95"])
    assert coded(engine, source, step) == [float(row["topbot"]) for row in rows]
