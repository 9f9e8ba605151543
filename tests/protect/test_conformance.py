"""What every method promises, checked on what it wrote, by code that knows nothing of methods.

One suite for all: the guarantee on the written file, labels that come from the data or from a
hierarchy, records that were not touched, replay, undo, seeds, and inputs at the edge.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_data import open_small

from indistinct import open_data
from indistinct.core.errors import GuaranteeError, InputError
from indistinct.hierarchy import (
    code_hierarchy,
    interval_hierarchy,
    suppression_only,
    table_hierarchy,
)
from indistinct.protect import ACTIONS, METHODS, Plan, ReleaseKey

KEY = ["zip", "age", "sex"]
ZIPS = [f"021{d}{e}" for d in range(3, 6) for e in range(6)]
AGES = list(range(20, 60))
HIERARCHIES = {
    "zip": code_hierarchy(ZIPS, name="zip", digits=(4, 3)),
    "age": interval_hierarchy(AGES, name="age", widths=(5, 10, 20)),
    "sex": suppression_only(["f", "m"], name="sex"),
}
GENERALISING = [method for method in METHODS if method != "argus"]
"""Methods that promise k on the whole key. µ-Argus promises it for combinations of three."""
WRITTEN = {"keep_named": ["person"], "although_unproved": True}
"""People are told apart to compare them, and what a method does not promise is written too."""
CUTTING = ["destroy", "blank"]
"""Dalenius' actions that promise k and leave all other values as they are."""


def people(records: int, seed: int = 1, *, missing: bool = False, alike: bool = False) -> pa.Table:
    rng = np.random.default_rng(seed)
    zips, ages = (ZIPS[:4], AGES[:6]) if alike else (ZIPS, AGES)
    table = {
        "person": np.arange(records),
        "zip": [zips[i] for i in rng.integers(0, len(zips), records)],
        "age": [ages[i] for i in rng.integers(0, len(ages), records)],
        "sex": [("f", "m")[i] for i in rng.integers(0, 2, records)],
        "income": rng.integers(10, 99, records),
    }
    if missing:
        for name in KEY:
            holes = rng.random(records) < 0.1
            table[name] = [None if gone else v for gone, v in zip(holes, table[name], strict=True)]
    return pa.table(table)


def protect(data, method, k=3, seed=7, **options):
    if method in ACTIONS:
        return data.protect(KEY, method=method, k=k, seed=seed, **options)
    if method in ("datafly", "optimal"):
        options.setdefault("max_drop", 0.05)
    return data.protect(KEY, method=method, k=k, seed=seed, hierarchies=HIERARCHIES, **options)


def rows_of(path: Path) -> dict[str, dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return {row["person"]: row for row in csv.DictReader(file)}


def keys_of(path: Path) -> Counter:
    return Counter(tuple(row[name] for name in KEY) for row in rows_of(path).values())


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
@pytest.mark.parametrize("method", [*GENERALISING, *CUTTING])
def test_k_holds_on_the_written_file_and_untouched_records_are_the_same(method, missing, tmp_path):
    table = people(300, missing=missing)
    with open_small(table) as data:
        data.write(tmp_path / "before.csv")
        done = protect(data, method)
        written = data.release(tmp_path / "release", done, seed=7, format="csv", **WRITTEN)
    assert min(keys_of(written.data).values()) >= 3
    before, after = rows_of(tmp_path / "before.csv"), rows_of(written.data)
    assert set(after) <= set(before)
    lines_before = (tmp_path / "before.csv").read_text().splitlines()
    lines_after = dict(zip(after, written.data.read_text().splitlines()[1:], strict=True))
    untouched = 0
    for person, row in after.items():
        assert row["income"] == before[person]["income"]
        if all(row[name] == before[person][name] for name in KEY):
            untouched += 1
            assert lines_after[person] == lines_before[1 + list(before).index(person)]
    for receipt in done.receipts:
        assert receipt.records_before - receipt.records_lost == receipt.records_after
    assert len(after) == done.source.records
    if method in ("k-similar", "local-recoding", "suppress", "blank"):
        assert untouched > 0


@pytest.mark.parametrize("method", [*METHODS, *CUTTING])
def test_every_label_is_an_original_value_or_stands_above_it_in_the_hierarchy(method, tmp_path):
    with open_small(people(300, missing=True)) as data:
        data.write(tmp_path / "before.csv")
        done = protect(data, method)
        written = data.release(tmp_path / "release", done, seed=7, format="csv", **WRITTEN)
    before, after = rows_of(tmp_path / "before.csv"), rows_of(written.data)
    for person, row in after.items():
        for name in KEY:
            allowed = set(HIERARCHIES[name].ancestors(before[person][name] or None)) | {None}
            assert (row[name] or None) in allowed, f"record {person}, {name}"


@pytest.mark.parametrize("method", [*METHODS, *ACTIONS])
def test_the_plan_replayed_gives_the_same_bytes_and_undone_the_input(method, tmp_path):
    secrets = ReleaseKey.fresh() if method == "encrypt" else None
    options = {"secrets": secrets} if secrets else {}
    # perturbing needs classes that can take a record in
    with open_small(people(200, alike=method in ACTIONS)) as data:
        done = protect(data, method, **options)
        first = data.release(tmp_path / "first", done, seed=7, **WRITTEN)
        plan = Plan.load(first.plan)
        again = plan.apply(data.engine, data.source, seed=7, secrets=secrets)
        assert again.source.table().equals(pq.read_table(first.data))
        done_again = protect(data, method, **options)
        second = data.release(tmp_path / "second", done_again, seed=7, **WRITTEN)
        assert second.data.read_bytes() == first.data.read_bytes()
        undone = plan.undo(len(plan)).apply(data.engine, data.source)
        assert undone.source.table().equals(data.source.table())


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_the_records_does_not_matter(method):
    table = people(250)
    shuffled = table.take(np.random.default_rng(3).permutation(table.num_rows))
    found = []
    for given in (table, shuffled):
        with open_small(given) as data:
            released = protect(data, method).source.table().select(KEY)
        found.append(Counter(zip(*(c.to_pylist() for c in released.columns), strict=True)))
    assert found[0] == found[1]


@pytest.mark.parametrize("method", METHODS)
def test_all_equal_records_stay_as_they_are(method):
    table = people(1).take([0] * 9)
    with open_small(table) as data:
        done = protect(data, method)
        assert done.source.table().select(KEY).equals(table.select(KEY))
        assert done.cost is not None
        assert done.cost.precision == 1.0


@pytest.mark.parametrize("method", GENERALISING)
def test_all_different_records_end_up_in_classes_of_k(method):
    table = pa.table(
        {
            "person": list(range(12)),
            "zip": ZIPS[:12],
            "age": AGES[:12],
            "sex": ["f", "m"] * 6,
            "income": [1] * 12,
        }
    )
    with open_small(table) as data:
        done = protect(data, method)
        released = done.source.table().select(KEY)
    found = Counter(zip(*(c.to_pylist() for c in released.columns), strict=True))
    assert min(found.values()) >= 3
    assert done.before.unique == 12


@pytest.mark.parametrize("method", [m for m in METHODS if m != "argus"])
@pytest.mark.parametrize("records", [1, 2])
def test_k_larger_than_the_file_is_refused(method, records):
    with open_small(people(records)) as data, pytest.raises((GuaranteeError, InputError)) as said:
        protect(data, method)
    assert said.value.exit_code in (1, 2)
    assert "02" not in str(said.value)


@pytest.mark.parametrize("method", METHODS)
def test_a_file_without_records_is_refused(method, tmp_path):
    (tmp_path / "empty.csv").write_text("person,zip,age,sex,income\n")
    with (
        pytest.raises(InputError, match="no records"),
        open_data(tmp_path / "empty.csv") as data,
    ):
        protect(data, method)


@pytest.mark.parametrize(
    "method", ["optimal", "datafly", "k-similar", "mondrian", "local-recoding"]
)
def test_a_locked_variable_that_alone_breaks_k_is_named(method):
    table = people(50).to_pydict()
    table["sex"] = ["f"] * 49 + ["m"]
    with open_small(pa.table(table)) as data, pytest.raises((GuaranteeError, InputError)) as said:
        protect(data, method, limits={"sex": 0}, **_no_drop(method))
    assert "sex" in str(said.value)
    assert said.value.exit_code in (1, 2)


@pytest.mark.parametrize("method", ["optimal", "k-similar", "local-recoding", "suppress"])
def test_over_distortion_is_never_below_one(method):
    with open_small(people(300)) as data:
        cost = protect(data, method).cost
    assert cost is not None
    assert cost.over_distortion is None or cost.over_distortion >= 1.0


def test_argus_says_that_it_does_not_keep_k_on_the_whole_key():
    with open_small(people(300)) as data:
        done = protect(data, "argus")
    assert not done.guaranteed
    assert done.residual > 0
    assert any("whole key" in w for receipt in done.receipts for w in receipt.warnings)


def test_a_hierarchy_that_does_not_know_a_value_is_refused():
    wrong = HIERARCHIES | {"sex": table_hierarchy([("f", "*")], name="sex")}
    with open_small(people(20)) as data, pytest.raises(InputError, match="does not know"):
        data.protect(KEY, method="optimal", k=2, hierarchies=wrong)


def _no_drop(method: str) -> dict[str, int]:
    return {"max_drop": 0} if method in ("datafly", "optimal") else {}


def test_a_method_that_does_not_exist_is_refused():
    with open_small(people(20)) as data, pytest.raises(InputError, match="Did you mean 'mondrian'"):
        data.protect(KEY, method="mondrain", k=2)
