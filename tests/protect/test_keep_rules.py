"""Steps under edit rules: nothing becomes impossible, and as little as possible is put back."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import sha

from indistinct.core.errors import InputError
from indistinct.households import HouseholdColumns, read_kinship
from indistinct.protect import Blank, Context, Deidentify, KeepRules, Plan, Shuffle
from indistinct.protect.steps import AddNoise, RankSwap, Sample, SwapValues
from indistinct.rules import Rule, Rules

HOUSEHOLDS = HouseholdColumns(
    "hid", "rel", "sex", "age", head=(1,), spouse=(2,), child=(3,), male=(1,), female=(2,)
)
CENSUS = Rules(
    [
        Rule("young spouse", "age < 15 and rel == 2"),
        Rule("young head", "age < 12 and rel == 1"),
        Rule("young mother", "mother.age - age < 12"),
        Rule("young father", "father.age - age < 12"),
        Rule("child with a grade", "age < 6 and grade != 'none'"),
    ]
)
POOL = (
    *CENSUS.values(),
    Rule("far apart", "spouse.age - age > 15"),
    Rule("crowded", "count(age < 18) > 2"),
    Rule("rich child", "age < 16 and income > 30"),
    Rule("old for a grade", "age > 70 and grade == 'high'"),
    Rule("poor household", "total(income) < 20"),
)
STEPS = (
    Shuffle(("age",), ("rel",)),
    Shuffle(("age", "income"), level=0.3),
    Shuffle(("grade",), ("age",), within=("sex",)),
    Shuffle(("age",), of="couples", hold="ranks", households=HOUSEHOLDS),
    RankSwap(("age", "income"), window=0.5),
    SwapValues(("grade", "age"), share=0.8),
)


def families(seed: int, households: int) -> dict[str, pa.Array]:
    """Head, perhaps a spouse, perhaps children; some values missing, some rules broken already."""
    rng = np.random.default_rng(seed)
    rows = []
    for hid in range(households):
        head = int(rng.integers(20, 80))
        first = 1 + int(rng.random() < 0.5)
        rows.append((hid, 1, first, head))
        if rng.random() < 0.6:
            rows.append((hid, 2, 3 - first, max(16, head + int(rng.integers(-6, 7)))))
            for _ in range(int(rng.integers(0, 4))):
                rows.append(
                    (hid, 3, 1 + int(rng.random() < 0.5), max(0, head - 32 + len(rows) % 9))
                )
    hid, rel, sex, age = (np.array(column) for column in zip(*rows, strict=True))
    age = np.where(rng.random(len(age)) < 0.05, rng.integers(0, 86, len(age)), age)
    grade = np.where(age < 6, "none", rng.choice(["none", "low", "high"], len(age)))
    income = np.where(age < 16, 0, rng.integers(10, 90, len(age)))
    return {
        "hid": pa.array(hid),
        "rel": pa.array(rel),
        "sex": pa.array(sex),
        "age": pa.array(age, pa.int16(), mask=rng.random(len(age)) < 0.03),
        "grade": pa.array(grade.tolist(), pa.string()),
        "income": pa.array(income.astype(float), mask=rng.random(len(age)) < 0.05),
        "other": pa.array(rng.normal(size=len(age))),
    }


def prepared(opened, table):
    source = opened(table)
    changes = {
        "grade": {"level": "ordinal", "categories": ("none", "low", "high")},
        "age": {"level": "numeric"},
    }
    return replace(source, variables=source.variables.updated(changes))


def broken(rules, source, kin):
    return rules.violations(rules.read(source), kin).by_rule


def columns(source):
    return source.table().to_pydict()


def across_strata(receipt):
    return int(re.search(r"([\d,]+) of them across strata", receipt.notes[-1])[1].replace(",", ""))


def put_back_alone(receipt) -> int:
    return int(re.search(r"([\d,]+) put back alone", receipt.notes[-1])[1].replace(",", ""))


# Properties


@settings(max_examples=25, deadline=None)
@given(
    table=st.integers(0, 10**6),
    households=st.integers(8, 40),
    chosen=st.sets(st.integers(0, len(POOL) - 1), min_size=1, max_size=4),
    steps=st.lists(st.integers(0, len(STEPS) - 1), min_size=1, max_size=2, unique=True),
    seed=st.integers(0, 2**32),
)
def test_no_record_breaks_a_rule_that_it_did_not(
    engine, opened, table, households, chosen, steps, seed
):
    source = prepared(opened, families(table, households))
    rules = Rules([POOL[n] for n in sorted(chosen)])
    step = KeepRules(tuple(STEPS[n] for n in steps), rules, HOUSEHOLDS)
    try:
        done = Plan((step,)).apply(engine, source, seed=seed)
    except InputError as error:  # a constant, or too few couples
        if "nothing to exchange" not in str(error) and "indicators" not in str(error):
            raise
        return
    kin = read_kinship(source, HOUSEHOLDS)
    before, after = broken(rules, source, kin), broken(rules, done.source, kin)
    for name in rules:
        assert not (after[name] & ~before[name]).any()
    old, new = columns(source), columns(done.source)
    touched = {name for n in steps for name in STEPS[n].variables}
    receipt = done.receipts[0]
    alone = put_back_alone(receipt)
    for name in old:
        if name not in touched:
            assert new[name] == old[name]
        else:  # every exchange keeps the counts
            assert (Counter(old[name]) - Counter(new[name])).total() <= alone
        differ = sum(a != b for a, b in zip(old[name], new[name], strict=True))
        assert receipt.cells_changed.get(name, 0) == differ


def as_left(engine, source, steps, seed):
    """What the steps leave when they are applied as KeepRules applies them."""
    for number, step in enumerate(steps):
        source, _ = step.apply(engine, source, Context(4096 + number, seed))
    return source


@pytest.mark.parametrize("seed", range(3))
def test_only_what_a_step_changed_is_mended_and_within_its_strata(engine, opened, seed):
    """Men's ages stay among men, and the old people whom nobody chose keep theirs."""
    table = families(seed, 150)
    source = prepared(opened, table)
    rules = Rules([*CENSUS.values(), POOL[5]])
    steps = (
        Shuffle(("age",), within=("sex",), where="age < 60", level=0.01),
        Shuffle(("income",), ("age",)),
    )
    done = Plan((KeepRules(steps, rules, HOUSEHOLDS),)).apply(engine, source, seed=seed)
    left, old, new = (
        columns(s) for s in (as_left(engine, source, steps, seed), source, done.source)
    )
    mended = [i for i in range(len(old["age"])) if new["age"][i] != left["age"][i]]
    assert mended
    assert all(left["age"][i] != old["age"][i] for i in mended)
    before, after = (Counter(zip(old["sex"], t["age"], strict=True)) for t in (old, new))
    receipt = done.receipts[0]
    alone, across = put_back_alone(receipt), across_strata(receipt)
    assert alone <= 2
    assert across <= 2
    # an exchange across strata takes a value out of one of them, and another out of the other
    assert (before - after).total() <= alone + 2 * across
    assert new["income"] == left["income"]  # no rule speaks of it


def test_where_nothing_is_broken_the_steps_are_left_as_they_are(engine, opened):
    source = prepared(opened, families(4, 60))
    rules = Rules([Rule("never", "age > 200")])
    done = Plan((KeepRules(STEPS[:1], rules),)).apply(engine, source, seed=7)
    assert columns(done.source) == columns(as_left(engine, source, STEPS[:1], 7))
    assert done.receipts[0].notes[-1] == (
        "edit rules: 0 violations before; the steps made 0 more, of which none is left "
        "(0 values were exchanged back, 0 of them across strata, 0 put back alone)"
    )


def test_a_value_that_nobody_can_give_back_is_put_back_alone(engine, opened):
    """Noise makes values that nobody had, so there is no exchange."""
    source = opened({"age": [14, 15, 16, 40, 41], "married": [0, 1, 1, 1, 1], "n": [1, 2, 3, 4, 5]})
    rules = Rules([Rule("child married", "age < 15 and married == 1")])
    step = KeepRules((AddNoise(("age",), 4.0),), rules)
    found = 0
    for seed in range(12):
        done = Plan((step,)).apply(engine, source, seed=seed)
        found += put_back_alone(done.receipts[0])
        new = columns(done.source)
        assert not any(a < 15 and m for a, m in zip(new["age"], new["married"], strict=True))
    assert found


def test_a_column_that_became_wider_is_put_back_all_the_same(engine, opened):
    source = opened(
        {"age": pa.array([120, 121, 122, 15] * 5, pa.int8()), "married": [0, 0, 0, 1] * 5}
    )
    rules = Rules([Rule("child married", "age < 15 and married == 1")])
    step = KeepRules((AddNoise(("age",), 30.0),), rules)
    done = Plan((step,)).apply(engine, source, seed=1)
    new = columns(done.source)
    assert not any(a < 15 and m for a, m in zip(new["age"], new["married"], strict=True))
    assert put_back_alone(done.receipts[0])


def test_violations_of_before_are_counted_and_may_stay(engine, opened):
    source = opened({"age": [3, 50, 60, 70] * 9, "married": [1, 1, 0, 1] * 9, "z": range(36)})
    rules = Rules([Rule("child married", "age < 15 and married == 1")])
    done = Plan((KeepRules((Shuffle(("z",)),), rules),)).apply(engine, source, seed=1)
    assert "edit rules: 9 violations before; the steps made 0 more" in done.receipts[0].notes[-1]


# Requests


def test_requests_that_cannot_be_met_are_refused(engine, opened):
    source = prepared(opened, families(5, 30))
    with pytest.raises(InputError, match="at least one step and one rule"):
        KeepRules((), CENSUS)
    with pytest.raises(InputError, match="at least one step and one rule"):
        KeepRules(STEPS[:1], Rules())
    for step, said in (
        (KeepRules(STEPS[:1], CENSUS), "The rules speak of relatives"),
        (KeepRules((Sample(fraction=0.5),), CENSUS, HOUSEHOLDS), "must keep every record"),
        (KeepRules(STEPS[:1], Rules([Rule("x", "agee < 3")])), "speaks of 'agee'"),
        (KeepRules((Shuffle(("agee",)),), CENSUS, HOUSEHOLDS), "no variable 'agee'"),
    ):
        with pytest.raises(InputError, match=said):
            Plan((step,)).apply(engine, source, seed=1)


def test_a_plan_with_it_is_saved_and_loaded(engine, opened, tmp_path):
    source = prepared(opened, families(6, 40))
    step = KeepRules(STEPS[:2], CENSUS, HOUSEHOLDS)
    plan = Plan((step,))
    again = Plan.load(plan.save(tmp_path / "plan.json"))
    assert again == plan
    assert json.loads(json.dumps(plan.to_dict())) == plan.to_dict()
    assert sha(plan.apply(engine, source, seed=3).source.path) == sha(
        again.apply(engine, source, seed=3).source.path
    )
    assert "young mother" in step.describe()


def test_what_may_not_come_after_a_step_may_not_come_after_it_under_rules():
    names, later = Deidentify(("other",)), Blank(key=("age", "sex"), k=2)
    for first in (names, KeepRules((names,), CENSUS, HOUSEHOLDS)):
        with pytest.raises(InputError, match="must not come before"):
            Plan((first, later))


def test_the_seed_decides(engine, small_batches, opened):
    source = prepared(opened, families(8, 80))
    plan = Plan((KeepRules(STEPS[:1], CENSUS, HOUSEHOLDS),))
    one, other = (plan.apply(e, source, seed=2) for e in (engine, small_batches))
    assert one.source.table().equals(other.source.table())
    assert one.receipts == other.receipts
    assert not one.source.table().equals(plan.apply(engine, source, seed=3).source.table())
