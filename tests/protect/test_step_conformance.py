"""What every step that changes values promises, checked by code that knows nothing of steps.

A new step gets a row in EXAMPLES; the tests below do the rest.
"""

from __future__ import annotations

import datetime
import json
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pytest
from small_tables import sha

import indistinct.protect
from indistinct.core.errors import IndistinctError
from indistinct.files import Source
from indistinct.hierarchy import code_hierarchy
from indistinct.protect import (
    SIZE,
    GroupQuarters,
    KeepRules,
    Plan,
    ScrambleHouseholds,
    Shuffle,
    Step,
    SwapHouseholds,
)
from indistinct.protect.methods.microaggregating.microaggregate import Microaggregate
from indistinct.protect.perturb import Perturb
from indistinct.protect.step import _KINDS
from indistinct.protect.steps import (
    AddNoise,
    BlankTold,
    CorrelatedNoise,
    GeneraliseCells,
    MultiplyNoise,
    NoiseOnOutliers,
    OutliersToMedians,
    PerturbKeeping,
    Pram,
    ProximitySwap,
    RankSwap,
    Round,
    ScrambleOrder,
    Substitute,
    SuppressCells,
    SwapValues,
    TopBottomCode,
    TransitionMatrix,
)
from indistinct.rules import Rule, Rules

SEED = 918_273_645_546


@dataclass(frozen=True)
class Example:
    """A step on the people below, and what it promises.

    changes: the variables that it may change; margins: those whose counts stay; missing_stays:
    cells without a value, or with a code that means missing, are left alone and none come up;
    still: a column of equal values, and a single record, stay as they are; in_order: records
    stay where they are, so that cells can be compared.
    """

    step: Step
    changes: tuple[str, ...]
    margins: tuple[str, ...] = ()
    missing_stays: bool = True
    still: bool = True
    in_order: bool = True

    @property
    def name(self) -> str:
        return f"{self.step.kind}: {self.step.describe()[:60]}"


THREE = TransitionMatrix(
    "grade", ("low", "middle", "high"), ((0.7, 0.2, 0.1), (0.2, 0.6, 0.2), (0.1, 0.2, 0.7))
)
ZIPS = tuple(f"0{a}{b}" for a in range(3) for b in range(4))

EXAMPLES: list[Example] = [
    Example(
        Shuffle(("income", "age"), ("grade",), shares={"income": 0.5}, level=0.3),
        ("income", "age"),
        ("income", "age"),
        still=False,
    ),
    Example(
        Shuffle(("zip",), ("age",), within=("region",)), ("zip",), ("zip", "region"), still=False
    ),
    Example(
        Shuffle(
            ("zip", "born"),
            hierarchies={"zip": code_hierarchy(ZIPS, name="zip", digits=(2, 1))},
            stay={"zip": 1},
        ),
        ("zip", "born"),
        ("zip", "born"),
        still=False,
    ),
    Example(
        KeepRules((Shuffle(("income",), ("age",)),), Rules([Rule("poor", "income < age * 20")])),
        ("income",),
        still=False,
    ),
    Example(
        SwapHouseholds("other", ("region", "zip"), share=0.5),
        ("region", "zip"),
        ("region", "zip", "grade"),
        missing_stays=False,
    ),
    Example(
        SwapHouseholds("other", ("zip",), (("grade",), (SIZE,)), 0.1, ("region",), 3, ("born",)),
        ("zip", "born"),
        ("zip", "born", "grade"),
        missing_stays=False,
    ),
    Example(
        GroupQuarters("zip", 5, blank=("wealth",)),
        ("zip", "wealth"),
        missing_stays=False,
        still=False,
    ),
    Example(GroupQuarters("zip", 5, "alone"), ("zip",), still=False),
    Example(ScrambleHouseholds("zip"), (), ("income", "age", "grade"), in_order=False),
    Example(RankSwap(("income", "age"), window=0.1), ("income", "age"), ("income", "age")),
    Example(RankSwap(("grade",), window=0.5, within=("region",)), ("grade",), ("grade", "region")),
    Example(RankSwap(("income",), correlation=0.9), ("income",), ("income",)),
    Example(RankSwap(("born",), window=0.2, at_least=1), ("born",), ("born",)),
    Example(
        RankSwap(("age",), window=0.1, bottom=0.1, top=0.1, extremes="mean"),
        ("age",),
    ),
    Example(ProximitySwap(("income",), 0.2, unit="range"), ("income",), ("income",)),
    Example(
        ProximitySwap(("age", "born"), 0.5, unit="range", together=True),
        ("age", "born"),
        ("age", "born"),
    ),
    Example(ProximitySwap(("grade",), 1.0, near=(("age", 20.0),)), ("grade",), ("grade",)),
    Example(Pram(("region", "age"), 0.5), ("region", "age")),
    Example(Pram(("grade",), 0.6, method="two-stage", within=("region",)), ("grade",)),
    Example(Pram(("grade",), 0.2, method="exchange"), ("grade",)),
    Example(Pram(("region",), 0.5, method="plain"), ("region",)),
    Example(Pram(("grade",), matrices=(THREE,)), ("grade",), still=False),
    Example(CorrelatedNoise(("income", "age"), 0.3), ("income", "age")),
    Example(CorrelatedNoise(("income", "wealth"), 0.3, keep="exact"), ("income", "wealth")),
    Example(CorrelatedNoise(("income", "age"), 0.3, keep="none", whole=False), ("income", "age")),
    Example(MultiplyNoise(("income", "age"), 0.1, 0.2), ("income", "age"), still=False),
    Example(NoiseOnOutliers(("income", "age"), 0.5, level=0.8), ("income", "age")),
    Example(
        TopBottomCode(("income", "age", "born"), fewest=5), ("income", "age", "born"), still=False
    ),
    Example(TopBottomCode(("grade",), share=0.4, to="median"), ("grade",)),
    Example(TopBottomCode(("age",), highest=60.0, side="top", to="mean"), ("age",), still=False),
    Example(AddNoise(("income", "age"), 5.0), ("income", "age"), still=False),
    Example(AddNoise(("income",), 0.5, unit="deviation", distribution="laplace"), ("income",)),
    Example(PerturbKeeping(("income",), 0.5, unit="deviation"), ("income",)),
    Example(OutliersToMedians(("income",)), ("income",)),
    Example(OutliersToMedians(("zip",), rule="rare", limit=4), ("zip",), still=False),
    Example(Round(("income", "age"), base=10.0), ("income", "age"), still=False),
    Example(Round(("age",), base=10.0, to="random"), ("age",), still=False),
    Example(
        SwapValues(("region", "age"), share=0.5),
        ("region", "age"),
        ("region", "age"),
        missing_stays=False,
    ),
    Example(Substitute("zip"), ("zip",), still=False),
    Example(BlankTold(("zip",), ("grade",)), ("grade",), missing_stays=False, still=False),
    Example(
        SuppressCells(((0, "zip"), (0, "age"))), ("zip", "age"), missing_stays=False, still=False
    ),
    Example(
        GeneraliseCells(((0, "zip", 1),), (code_hierarchy(ZIPS, name="zip", digits=(2, 1)),)),
        ("zip",),
        still=False,
    ),
    Example(ScrambleOrder(), (), ("income", "age", "grade"), in_order=False),
    Example(
        Perturb(("zip", "region"), 2, how="marginal"),
        ("zip", "region"),
        missing_stays=False,
        still=False,
    ),
    Example(Microaggregate(("income", "age"), 3, missing="leave"), ("income", "age"), still=False),
]

LEFT_OUT = {
    "add-records": "adds records, in test_techniques_tuples.py",
    "sample": "leaves records out, in test_techniques_tuples.py",
    "sample-households": "leaves records out, in test_household_steps.py",
    "suppress-records": "leaves records out, in test_techniques_tuples.py",
    "suppress-attribute": "empties a column, in test_techniques_values.py",
}
"""Kinds of the techniques' room that are tested elsewhere."""

each = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)


def people(records: int = 60, *, alike: bool = False) -> pa.Table:
    rng = np.random.default_rng(4)
    day = datetime.date(1950, 1, 1)
    age = rng.integers(18, 80, records)
    income = np.round(rng.lognormal(3, 0.6, records) + age / 4, 2)
    table = {
        "income": pa.array(income, mask=rng.random(records) < 0.1),
        "wealth": pa.array(income * 2 + rng.normal(size=records) * 9),
        "age": pa.array(np.where(rng.random(records) < 0.1, 999, age), pa.int16()),
        "grade": pa.array(rng.choice(["low", "middle", "high", "unknown"], records)),
        "region": pa.array(rng.choice(["N", "S"], records), mask=rng.random(records) < 0.1),
        "zip": pa.array(rng.choice(ZIPS, records)),
        "born": pa.array(
            [day + datetime.timedelta(int(d)) for d in rng.integers(0, 9999, records)]
        ),
        "other": pa.array(np.arange(records)),
    }
    made = pa.table(table)
    return made.take(np.zeros(records, dtype=np.int64)) if alike else made


@pytest.fixture(scope="module")
def prepared(engine, opened):
    """Sources by what is asked of them, each opened once."""
    kept: dict[tuple[int, bool], Source] = {}

    def nobody(source: Source) -> Source:
        # no file without records can be opened, but a step may leave none to the next
        return engine.transform(
            source,
            lambda batch, _: batch.slice(0, 0),
            schema=source.schema,
            variables=source.variables,
        )

    def get(records: int = 60, *, alike: bool = False) -> Source:
        if (records, alike) not in kept:
            source = opened(people(max(1, records), alike=alike))
            variables = source.variables.updated(
                {
                    "age": {"user_missing": (999,)},
                    "grade": {
                        "level": "ordinal",
                        "categories": ("low", "middle", "high", "unknown"),
                        "user_missing": ("unknown",),
                    },
                }
            )
            source = replace(source, variables=variables)
            kept[records, alike] = source if records else nobody(source)
        return kept[records, alike]

    return get


def missing(source: Source, name: str) -> list[bool]:
    variable = source.variables[name]
    return [variable.is_missing(value) for value in source.table([name])[name].to_pylist()]


def test_every_technique_has_an_example():
    room = indistinct.protect.steps.__name__
    known = {example.step.kind for example in EXAMPLES} | set(LEFT_OUT)
    assert {kind for kind, step in _KINDS.items() if step.__module__.startswith(room)} <= known


@each
def test_a_step_is_read_back_from_json(example):
    step = Step.from_dict(json.loads(json.dumps(example.step.to_dict())))
    assert step == example.step
    assert step.to_dict() == example.step.to_dict()


@each
def test_the_same_seed_gives_the_same_bytes_and_another_others(example, engine, prepared):
    source, plan = prepared(), Plan((example.step,))
    before = sha(source.path)
    first, again, other = (plan.apply(engine, source, seed=s).source for s in (SEED, SEED, 2))
    assert sha(first.path) == sha(again.path)
    assert first.table().equals(other.table()) != example.step.draws_at_random
    assert sha(source.path) == before


@each
def test_batches_and_threads_do_not_matter(example, engine, small_batches, prepared):
    plan = Plan((example.step,))
    large, small = (plan.apply(e, prepared(), seed=SEED) for e in (engine, small_batches))
    assert large.source.table().equals(small.source.table())
    assert large.receipts == small.receipts


@each
def test_promises_hold_and_the_receipt_counts_the_truth(example, engine, prepared):
    source = prepared()
    done = Plan((example.step,)).apply(engine, source, seed=SEED)
    old, new, receipt = source.table(), done.source.table(), done.receipts[0]
    assert receipt.records_before == receipt.records_after == old.num_rows == new.num_rows
    assert new.column_names == old.column_names
    for name in example.margins:
        assert Counter(new[name].to_pylist()) == Counter(old[name].to_pylist())
    if not example.in_order:
        return
    differ = {
        name: [a != b for a, b in zip(old[name].to_pylist(), new[name].to_pylist(), strict=True)]
        for name in old.column_names
    }
    cells = {name: sum(cells) for name, cells in differ.items()}
    assert {name for name, changed in cells.items() if changed} <= set(example.changes)
    assert sum(cells.values()) > 0
    told = {name: changed for name, changed in receipt.cells_changed.items() if changed}
    assert told == {name: changed for name, changed in cells.items() if changed}
    assert receipt.records_changed == sum(map(any, zip(*differ.values(), strict=True)))
    if example.missing_stays:
        for name in example.changes:
            holes = missing(source, name)
            assert holes == missing(done.source, name)
            for hole, changed in zip(holes, differ[name], strict=True):
                assert not (hole and changed)


@each
@pytest.mark.parametrize("records", [0, 1, 40], ids=["empty", "one record", "all equal"])
def test_inputs_at_the_edge_are_left_or_refused(example, records, engine, prepared):
    source = prepared(records, alike=True)
    done = refused = None
    try:
        done = Plan((example.step,)).apply(engine, source, seed=SEED)
    except IndistinctError as error:
        refused = str(error)
    if done is None:
        assert not example.still
        assert refused.startswith(f"Step 1 ({example.step.kind}): ")
        return
    assert done.source.records == records
    if example.still and example.in_order:
        assert done.source.table().equals(source.table().cast(done.source.schema))
        assert done.receipts[0].cells == 0


@each
def test_what_is_told_holds_neither_seed_nor_value(example, engine, prepared):
    source = prepared()
    receipt = Plan((example.step,)).apply(engine, source, seed=SEED).receipts[0]
    told = example.step.describe() + json.dumps(receipt.to_dict()) + repr(receipt)
    assert str(SEED) not in told
    largest = max(v for v in source.table()["income"].to_pylist() if v is not None)
    assert str(largest) not in told


@pytest.mark.spark
@pytest.mark.heavy
def test_both_engines_write_the_same_bytes(engine, prepared, tmp_path):
    pytest.importorskip("pyspark")
    from indistinct.engine import start_engine

    source = prepared()
    with start_engine("spark", workspace=tmp_path, memory=1 << 30, threads=2) as spark:
        for example in EXAMPLES:
            plan = Plan((example.step,))
            ours, theirs = (plan.apply(e, source, seed=SEED) for e in (engine, spark))
            assert sha(ours.source.path) == sha(theirs.source.path), example.name
            assert ours.receipts == theirs.receipts
