"""What every technique must do: replay, save, not depend on batches, spare missing values."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_tables import sha

from indistinct.core.errors import IndistinctError, InputError
from indistinct.core.variables import Variable, Variables
from indistinct.files import Source
from indistinct.hierarchy import code_hierarchy
from indistinct.protect import Plan
from indistinct.protect.steps import (
    CIRCUMSTANCES,
    TECHNIQUES,
    AddNoise,
    AddRecords,
    GeneraliseCells,
    OutliersToMedians,
    PerturbKeeping,
    Round,
    Sample,
    ScrambleOrder,
    Substitute,
    SuppressAttribute,
    SuppressCells,
    SuppressRecords,
    SwapValues,
)

ZIPS = ["02138", "02139", "02141", "02142"]
HIERARCHY = code_hierarchy(ZIPS, name="zip", digits=(4, 3))

STEPS = {
    "cells": SuppressCells(((0, "zip"), (5, "income"), (5, "zip"))),
    "attribute": SuppressAttribute(("zip", "income")),
    "attribute-drop": SuppressAttribute(("zip",), how="drop"),
    "records": SuppressRecords((0, 7)),
    "generalise": GeneraliseCells(((0, "zip", 1), (2, "zip", 3), (3, "zip", 0)), (HIERARCHY,)),
    "swap-pairs": SwapValues(("zip", "income"), pairs=((0, 1), (5, 2))),
    "swap-share": SwapValues(("zip", "age"), share=0.6),
    "swap-within": SwapValues(("zip", "income"), share=0.8, within=("sex",), together=False),
    "substitute": Substitute("ssn", form="identity"),
    "substitute-name": Substitute("name", form="name"),
    "outliers": OutliersToMedians(("income", "age"), rule="quantiles", limit=0.1),
    "rare": OutliersToMedians(("zip",), rule="rare", limit=5),
    "keeping": PerturbKeeping(("income", "age"), 5.0, within=("sex",)),
    "round": Round(("income", "age"), base=5),
    "round-random": Round(("age",), base=10, to="random"),
    "ranges": Round(("age", "income"), breaks=(18, 40)),
    "noise": AddNoise(("income", "age"), 0.5, unit="deviation", distribution="laplace"),
    "sample": Sample(fraction=0.5),
    "sample-households": Sample(size=3, household="home"),
    "add": AddRecords(7, shares=(("sex", "zip"),), means=("income", "age"), flag="made_up"),
    "scramble": ScrambleOrder(),
}
every_step = pytest.mark.parametrize("step", STEPS.values(), ids=STEPS.keys())


def people(records: int = 20) -> pa.Table:
    n = range(records)
    return pa.table(
        {
            "ssn": [f"{(i * 37 % records) * 104729 + 1:09}" if i % 9 else None for i in n],
            "name": [f"Ann{'abcdefghijklmnopqrstuvwxyz'[i % 26]} O'Hara-{i}" for i in n],
            "zip": [None if i % 11 == 10 else ZIPS[(i * i + i // 6) % 4] for i in n],
            "sex": pa.array([i % 2 for i in n], pa.int8()),
            "age": pa.array([None if i % 7 == 6 else (i * 13) % 60 for i in n], pa.int16()),
            "income": [float("nan") if i % 8 == 7 else 10.5 * i for i in n],
            "home": [None if i == 3 else i // 3 for i in n],
        }
    )


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    folder, numbers = tmp_path_factory.mktemp("written"), itertools.count()

    def write(table: pa.Table, **options) -> Source:
        path: Path = folder / f"{next(numbers)}.parquet"
        pq.write_table(table, path, **options)
        variables = Variables(Variable(name) for name in table.column_names)
        return Source(path, "people.parquet", variables, table.num_rows)

    return write


def test_figure_14_has_thirteen_techniques_and_two_circumstances():
    assert len(TECHNIQUES) == 10 + 3
    assert list(TECHNIQUES)[10:] == ["Sampling", "Add tuples", "Scramble tuples"]
    assert CIRCUMSTANCES == ("Query restriction", "Summaries")
    ours = {step.__class__ for step in STEPS.values()}
    assert ours <= {cls for steps in TECHNIQUES.values() for cls in steps}


@every_step
def test_same_seed_gives_the_same_bytes_whatever_the_batches(engine, small_batches, written, step):
    plan = Plan((step,))
    whole = plan.apply(engine, written(people()), seed=5)
    pieces = plan.apply(engine, written(people(), row_group_size=3), seed=5)
    cut = plan.apply(small_batches, written(people(), row_group_size=7), seed=5)
    assert sha(whole.source.path) == sha(pieces.source.path)
    assert sha(whole.source.path) == sha(cut.source.path)
    assert whole.receipts == pieces.receipts == cut.receipts
    assert pq.read_metadata(whole.source.path).num_rows == whole.source.records


@every_step
def test_plan_is_saved_and_loaded(tmp_path, step):
    plan = Plan((step,))
    path = plan.save(tmp_path / "plan.json")
    assert Plan.load(path) == plan
    again = Plan.load(path).save(tmp_path / "again.json")
    assert again.read_bytes() == path.read_bytes()
    assert "seed" not in json.loads(path.read_text())["steps"][0]


@every_step
def test_input_is_never_changed_and_receipt_counts(engine, written, step):
    source = written(people())
    before = sha(source.path)
    done = Plan((step,)).apply(engine, source, seed=9)
    assert sha(source.path) == before
    receipt = done.receipts[0]
    assert (receipt.records_before, receipt.records_after) == (20, done.source.records)
    if list(done.source.variables) == list(source.variables) and done.source.records == 20:
        if isinstance(step, ScrambleOrder):
            return
        old, new = source.table(), done.source.table()
        for name in source.variables:
            pairs = zip(texts(old[name]), texts(new[name]), strict=True)
            assert sum(a != b for a, b in pairs) == receipt.cells_changed.get(name, 0), name


def texts(column: pa.ChunkedArray) -> list[str | None]:
    """Cells as text, not-a-number as no value, whole numbers alike in every type."""
    cells = [None if c != c else c for c in column.to_pylist()]
    return [f"{c:g}" if isinstance(c, float) else None if c is None else str(c) for c in cells]


@every_step
def test_missing_values_stay_missing(engine, written, step):
    if isinstance(step, SwapValues | Sample | AddRecords | ScrambleOrder | SuppressRecords):
        pytest.skip("moves records or whole values, missing ones too")
    source = written(people())
    new = Plan((step,)).apply(engine, source, seed=9).source.table()
    for name in new.column_names:
        old = texts(source.table()[name])
        at_root = isinstance(step, GeneraliseCells)
        if not at_root:
            assert [c for c, o in zip(texts(new[name]), old, strict=True) if o is None] == [
                None
            ] * old.count(None)


@every_step
def test_description_tells_nothing_private(step):
    words = step.describe()
    assert words == words.strip()
    assert "seed" not in words
    assert not words.endswith(".")
    assert words[0].islower()


def test_no_describe_tells_record_numbers():
    for step in (
        SuppressCells(((4711, "a"),)),
        SuppressRecords((4711,)),
        GeneraliseCells(((4711, "zip", 1),), (HIERARCHY,)),
        SwapValues(("a",), pairs=((4711, 4712),)),
    ):
        assert "471" not in step.describe()


@every_step
@pytest.mark.parametrize("records", [0, 1])
def test_empty_file_and_one_record(engine, written, step, records):
    """A technique does its work, or says in words why it cannot; it never fails otherwise."""
    source = written(people(1).slice(0, records))
    try:
        done = Plan((step,)).apply(engine, source, seed=1)
    except IndistinctError:
        return
    assert done.source.records == done.source.table().num_rows


@pytest.mark.parametrize("name", ["noise", "keeping", "swap-share", "sample", "scramble", "add"])
def test_another_seed_gives_another_result(engine, written, name):
    source, plan = written(people()), Plan((STEPS[name],))
    first, second = (plan.apply(engine, source, seed=seed).source.table() for seed in (1, 2))
    assert not first.equals(second)


@pytest.mark.parametrize(
    "step",
    [
        AddNoise(("name",), 1.0),
        PerturbKeeping(("name",), 1.0),
        Round(("name",), base=5),
        OutliersToMedians(("name",)),
        AddRecords(1, means=("name",)),
    ],
    ids=lambda step: step.kind,
)
def test_numbers_are_needed(engine, written, step):
    with pytest.raises(InputError, match=r"'name' holds string"):
        Plan((step,)).apply(engine, written(people()), seed=1)


def test_a_plan_that_draws_nothing_needs_no_seed(engine, written):
    plan = Plan((Round(("age",), base=5), SwapValues(("zip",), pairs=((0, 1),))))
    assert plan.apply(engine, written(people())).source.records == 20
    with pytest.raises(InputError, match="seed"):
        Plan((Round(("age",), base=5, to="random"),)).apply(engine, written(people()))


def test_undo_is_the_shorter_plan_on_the_original(engine, written):
    source = written(people())
    steps = [s for s in STEPS.values() if not isinstance(s, SuppressAttribute | AddRecords)]
    for step in steps:
        longer = Plan((STEPS["round"], step))
        undone = longer.undo().apply(engine, source, seed=3).source
        assert sha(undone.path) == sha(Plan((STEPS["round"],)).apply(engine, source).source.path)


def test_codes_that_mean_missing_are_left_alone(engine, written):
    source = written(pa.table({"age": [10, 20, 30, 999, 40, -1], "x": list("aabbcc")}))
    coded = Variables([Variable("age", user_missing=(999, (-9, -1))), Variable("x")])
    source = Source(source.path, source.origin, coded, source.records)
    for step in (
        AddNoise(("age",), 50.0),
        PerturbKeeping(("age",), 50.0),
        OutliersToMedians(("age",), rule="quantiles", limit=0.3),
        Round(("age",), base=7),
        Substitute("age"),
    ):
        ages = Plan((step,)).apply(engine, source, seed=2).source.table()["age"].to_pylist()
        assert (ages[3], ages[5]) == (999, -1), step.kind
    ranges = Plan((Round(("age",), breaks=(18,)),)).apply(engine, source).source.table()["age"]
    assert ranges.to_pylist() == ["<18", "≥18", "≥18", "999", "≥18", "-1"]


@pytest.mark.spark
@pytest.mark.heavy
def test_both_engines_write_the_same_bytes(engine, written, tmp_path):
    pytest.importorskip("pyspark")
    from indistinct.engine import start_engine

    source = written(people(), row_group_size=6)
    with start_engine("spark", workspace=tmp_path, memory=1 << 30, threads=2) as spark:
        for step in STEPS.values():
            ours = Plan((step,)).apply(engine, source, seed=4)
            theirs = Plan((step,)).apply(spark, source, seed=4)
            assert sha(ours.source.path) == sha(theirs.source.path), step.kind
            assert ours.receipts == theirs.receipts


def test_counter_of_rows_is_kept_by_scrambling_and_suppression_shrinks(engine, written):
    source = written(people(200), row_group_size=64)
    done = Plan((ScrambleOrder(),)).apply(engine, source, seed=8).source
    old, new = (rows(s) for s in (source, done))
    assert Counter(old) == Counter(new)
    assert old != new


def rows(source: Source) -> list[tuple[str | None, ...]]:
    columns = [texts(source.table()[name]) for name in source.variables]
    return list(zip(*columns, strict=True))
