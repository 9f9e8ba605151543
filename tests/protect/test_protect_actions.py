"""The four actions on Dalenius' matrices and on random tables, recounted from the file."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import DALENIUS_KEY, MATRIX_32, MATRIX_34, dalenius, keys, sha, small, tables

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.files import open_data
from indistinct.protect import (
    Blank,
    Destroy,
    Draws,
    Perturb,
    Plan,
    ReleaseKey,
    protect_uniques,
)
from indistinct.protect.perturb import nearest_safe_classes
from indistinct.utility.comparing import compare_actions

KEY = DALENIUS_KEY
STEPS = [
    lambda key, k: Destroy(key, k),
    lambda key, k: Blank(key, k),
    lambda key, k: Blank(key, k, "automatic"),
    lambda key, k: Perturb(key, k),
    lambda key, k: Perturb(key, k, how="marginal"),
]


def rows(path: Path) -> list[dict[str, Any]]:
    return pq.read_table(path).to_pylist()


# Dalenius (1986), 3.2: records 1, 3 and 5 are unique at most 2; 3.4: record 3


def test_destroying_leaves_dalenius_records_2_4_6_7(engine, opened):
    done = protect_uniques(engine, opened(dalenius(MATRIX_32)), KEY, at_most=2, action="destroy")
    assert [row["income"] for row in rows(done.source.path)] == [100, 300, 500, 600]
    assert (done.residual, done.guaranteed, done.k) == (0, True, 3)
    assert done.receipts[0].records_lost == 3


def test_blanking_dalenius_records_1_3_5_leaves_no_unique_key(engine, opened):
    source = opened(dalenius(MATRIX_32))
    done = protect_uniques(engine, source, KEY, at_most=2, action="blank", seed=1)
    before, after = keys(source.path, KEY), keys(done.source.path, KEY)
    assert [n for n, key in enumerate(after) if key == (None,) * 5] == [0, 2, 4]
    assert all(after[n] == before[n] for n in (1, 3, 5, 6))
    assert done.receipts[0].cells_changed == dict.fromkeys(KEY, 3)
    assert done.receipts[0].warnings == ()


def test_one_blank_record_of_matrix_34_is_joined_by_a_whole_class(engine, opened):
    # both other classes have 3 records and can spare none, so one of them is blanked whole
    source = opened(dalenius(MATRIX_34))
    done = protect_uniques(engine, source, KEY, at_most=2, action="blank", seed=1)
    after = keys(done.source.path, KEY)
    assert after.count((None,) * 5) == 4
    assert after[2] == (None,) * 5
    assert small(done.source.path, KEY, 3) == []
    assert "3 further records" in done.receipts[0].notes[0]


def test_a_large_class_spares_just_the_records_needed(engine, opened):
    source = opened(pa.table({"a": [1] * 10 + [2] * 5 + [3]}))
    done = protect_uniques(engine, source, ["a"], k=3, action="blank", seed=4)
    after = [key[0] for key in keys(done.source.path, ["a"])]
    assert (after.count(1), after.count(2), after.count(None)) == (10, 3, 3)


def test_which_records_are_spared_follows_the_seed(engine, opened):
    source = opened(pa.table({"a": [1] * 40 + [3]}))
    spared = {
        tuple(keys(Plan((Blank(("a",), 3),)).apply(engine, source, seed=s).source.path, ["a"]))
        for s in range(6)
    }
    assert len(spared) > 1


def test_perturbing_matrix_34_moves_record_3_to_the_nearest_class(engine, opened):
    # 1 1 0 0 1 differs from 1 3 2 0 1 in two variables and from 0 2 2 1 0 in five
    done = protect_uniques(
        engine, opened(dalenius(MATRIX_34)), KEY, at_most=2, action="perturb", seed=1
    )
    assert keys(done.source.path, KEY)[2] == (1, 3, 2, 0, 1)
    assert done.receipts[0].cells_changed == {"X": 0, "Y": 1, "Z": 1, "U": 0, "V": 0}
    assert done.receipts[0].records_changed == 1


def test_nearest_draws_among_ties(engine, opened):
    source = opened(pa.table({"a": [0, 0, 2, 2, 1], "b": [5, 5, 5, 5, 5]}))
    plan = Plan((Perturb(("a", "b"), 2),))
    ends = {keys(plan.apply(engine, source, seed=s).source.path, ["a", "b"])[4] for s in range(20)}
    assert ends == {(0, 5), (2, 5)}


def test_perturbing_only_given_variables_leaves_the_others(engine, opened):
    source = opened(pa.table({"a": [0, 0, 1, 1, 1], "b": [7, 7, 7, 8, 8]}))
    done = protect_uniques(
        engine, source, ["a", "b"], k=2, action="perturb", seed=2, variables=["b"]
    )
    assert keys(done.source.path, ["a", "b"])[2] == (1, 8)


# properties


step_cases = given(
    data=tables(), k=st.integers(2, 5), which=st.sampled_from(STEPS), seed=st.integers(0, 99)
)


@settings(max_examples=25, deadline=None)
@step_cases
def test_a_step_leaves_no_small_class_or_says_how_many(
    data, k, which, seed, engine, small_batches, opened
):
    _check_step(data, k, which, seed, engine, small_batches, opened)


@pytest.mark.heavy
@settings(max_examples=250, deadline=None)
@step_cases
def test_a_step_leaves_no_small_class_on_many_tables(
    data, k, which, seed, engine, small_batches, opened
):
    _check_step(data, k, which, seed, engine, small_batches, opened)


def _check_step(data, k, which, seed, engine, small_batches, opened):
    table, key = data
    source = opened(table)
    plan = Plan((which(key, k),))
    digest = sha(source.path)
    risky = set(small(source.path, key, k))
    try:
        done = plan.apply(engine, source, seed=seed)
    except GuaranteeError as error:
        _refusal_is_right(table, key, k, plan, risky, str(error))
        return
    receipt = done.receipts[0]
    assert sha(source.path) == digest
    assert len(small(done.source.path, key, k)) == receipt.residual
    if receipt.kind != "perturb":
        assert receipt.residual == 0
    again = plan.apply(small_batches, source, seed=seed)
    assert sha(again.source.path) == sha(done.source.path) or done.source is source
    assert again.receipts == done.receipts
    _changes_are_as_told(rows(source.path), rows(done.source.path), key, risky, receipt)


def _refusal_is_right(table, key, k, plan, risky, message):
    kind = plan.steps[0].kind
    if kind == "blank":
        assert table.num_rows < k
    elif kind == "destroy":
        assert len(risky) == table.num_rows
    else:
        assert "has no other value" in message
        assert any(len(set(table[name].drop_null().to_pylist())) <= 1 for name in key)


def _changes_are_as_told(before, after, key, risky, receipt):
    if receipt.kind == "destroy":
        assert after == [row for n, row in enumerate(before) if n not in risky]
        return
    cells = dict.fromkeys(key, 0)
    changed = set()
    for n, (old, new) in enumerate(zip(before, after, strict=True)):
        assert old["income"] == new["income"]
        for name in key:
            if old[name] != new[name]:
                cells[name] += 1
                changed.add(n)
                if receipt.kind == "blank":
                    assert new[name] is None
                else:
                    assert n in risky
                    assert new[name] in {row[name] for row in before} - {None}
    assert {n: c for n, c in receipt.cells_changed.items() if c} == {
        n: c for n, c in cells.items() if c
    }
    assert receipt.records_changed == len(changed)


@settings(max_examples=25, deadline=None)
@given(data=tables(), k=st.integers(2, 4), seed=st.integers(0, 99))
def test_nearest_is_as_near_as_brute_force_finds(data, k, seed, engine, opened):
    table, key = data
    source = opened(table)
    before = keys(source.path, key)
    risky = set(small(source.path, key, k))
    safe = {key_ for n, key_ in enumerate(before) if n not in risky}
    done = Plan((Perturb(key, k),)).apply(engine, source, seed=seed)
    after = keys(done.source.path, key)

    def distance(a, b):
        differing = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
        return None if any(y is None for _, y in differing) else len(differing)

    for n, old in enumerate(before):
        if n not in risky:
            assert after[n] == old
            continue
        reachable = [d for s in safe if (d := distance(old, s)) is not None]
        if reachable:
            assert after[n] in safe
            assert distance(old, after[n]) == min(reachable)
        else:
            assert after[n] == old


def _codes(rng, rows, sizes):
    return np.stack([rng.integers(0, size, rows) for size in sizes], axis=1)


@pytest.mark.parametrize("free", [(0, 1, 2, 3, 4), (1, 3)])
def test_joining_many_classes_finds_the_nearest_of_brute_force(free):
    rng = np.random.default_rng(0)
    sizes = [9, 30, 4, 50, 12]
    small_ = np.unique(_codes(rng, 500, sizes), axis=0)
    safe = np.unique(_codes(rng, 3000, sizes), axis=0)
    blank = np.array(sizes) - 1
    rows_ = np.repeat(np.arange(len(small_)), 2)
    target = nearest_safe_classes(
        small_, safe, blank,
        records=np.arange(len(rows_)), rows=rows_, free=free,
        draws=Draws.from_generator(np.random.default_rng(1)),
    )  # fmt: skip
    fixed = [j for j in range(5) if j not in free]
    for row, found in zip(rows_, target, strict=True):
        differs = safe != small_[row]
        allowed = ~differs[:, fixed].any(axis=1) & ~(differs & (safe == blank)).any(axis=1)
        distance = np.where(allowed, differs.sum(axis=1), 99)
        if distance.min() == 99:
            assert found == -1
        else:
            assert distance[found] == distance.min()


@pytest.mark.parametrize("filler", [0, 5000])
def test_ties_are_equally_likely_when_joined_and_when_compared(filler):
    # three safe classes at distance 1, two of them by the first variable; fillers are far away
    far = np.arange(10, 10 + filler)
    safe = np.concatenate([[[0, 1], [2, 1], [1, 0]], np.stack([far, far], axis=1)])
    others = np.stack([far[:500] + 9000, far[:500] + 9000], axis=1).reshape(-1, 2)
    small_ = np.concatenate([[[1, 1]], others])
    n = 30_000
    target = nearest_safe_classes(
        small_, safe, np.array([99_999, 99_999]),
        records=np.arange(n), rows=np.zeros(n, dtype=np.int64), free=(0, 1),
        draws=Draws.from_generator(np.random.default_rng(1)),
    )  # fmt: skip
    # each 10,000; the standard deviation is 82
    assert np.abs(np.bincount(target, minlength=3) - n / 3).max() < 4.5 * 82
    assert target.max() == 2


@settings(max_examples=25, deadline=None)
@given(data=tables(), k=st.integers(2, 4), seed=st.integers(0, 99))
def test_marginal_changes_every_named_variable_of_every_risky_record(data, k, seed, engine, opened):
    table, key = data
    source = opened(table)
    before, risky = keys(source.path, key), small(source.path, key, k)
    try:
        done = Plan((Perturb(key, k, key[:1], "marginal"),)).apply(engine, source, seed=seed)
    except GuaranteeError:
        return
    after = keys(done.source.path, key)
    assert all(after[n][0] != before[n][0] and after[n][1:] == before[n][1:] for n in risky)


def test_marginal_draws_in_proportion_to_the_other_values(engine, opened):
    # 600 records stand out by b; of a, the values 1 and 2 are in the ratio 1 : 3
    n = 600
    table = pa.table({"a": [0] * n + [1] * 1000 + [2] * 3000, "b": [*range(1, n + 1)] + [0] * 4000})
    step = Perturb(("a", "b"), 2, ("a",), "marginal", 1)
    done = Plan((step,)).apply(engine, opened(table), seed=5)
    drawn = [key[0] for key in keys(done.source.path, ["a"])[:n]]
    assert drawn.count(0) == 0
    # binomial(600, 1/4): mean 150, standard deviation 10.6
    assert abs(drawn.count(1) - 150) < 4 * 10.6
    assert done.receipts[0].residual == n


# blanking a part


def test_part_of_the_key_is_chosen_by_itself_and_trackers_are_warned_of(engine, opened):
    # without b the two records agree with each other: one blank each is enough
    source = opened(pa.table({"a": [1, 1, 2, 2, 2], "b": [5, 6, 7, 7, 7], "c": [1, 1, 1, 1, 1]}))
    done = protect_uniques(
        engine, source, ["a", "b", "c"], k=2, action="blank", part="automatic", seed=1
    )
    assert keys(done.source.path, ["a", "b", "c"])[:2] == [(1, None, 1), (1, None, 1)]
    assert done.receipts[0].cells == 2
    assert "Denning" in done.receipts[0].warnings[0]
    assert "Dobkin" in repr(done)


@settings(max_examples=30, deadline=None)
@given(data=tables(), k=st.integers(2, 4))
def test_automatic_never_blanks_more_risky_cells_than_the_whole_key(data, k, engine, opened):
    table, key = data
    if table.num_rows < k:
        return
    source = opened(table)
    risky = set(small(source.path, key, k))
    before = keys(source.path, key)
    blanks = {}
    for part in ("whole", "automatic"):
        done = Plan((Blank(key, k, part),)).apply(engine, source, seed=0)
        after = keys(done.source.path, key)
        blanks[part] = sum(
            a is None and b is not None
            for n in risky
            for a, b in zip(after[n], before[n], strict=True)
        )
    assert blanks["automatic"] <= blanks["whole"]


def test_a_given_part_that_is_not_enough_is_refused_with_numbers(engine, opened):
    source = opened(dalenius(MATRIX_32))
    step = Blank(KEY, 3, "given", ("X",))
    receipt = Plan((step,)).apply(engine, source, seed=1).receipts[0]
    assert receipt.residual == 3
    assert "Denning" in receipt.warnings[0]
    with pytest.raises(GuaranteeError, match=r"3 of the 3 records .*part='whole'"):
        protect_uniques(engine, source, KEY, k=3, action="blank", seed=1, variables=["X"])


def test_naming_every_variable_is_blanking_the_whole_key(engine, opened):
    source = opened(dalenius(MATRIX_34))
    named = Plan((Blank(KEY, 3, "given", KEY),)).apply(engine, source, seed=1)
    whole = Plan((Blank(KEY, 3),)).apply(engine, source, seed=1)
    assert sha(named.source.path) == sha(whole.source.path)
    assert named.receipts[0].warnings == ()


def test_blanks_fit_a_column_that_was_declared_without_missing_values(engine, folder):
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False)])
    path = folder / "required.parquet"
    pq.write_table(pa.table({"a": [1, 1, 1, 2, 3]}, schema=schema), path)
    source = open_data(path, workspace=folder)
    done = Plan((Blank(("a",), 2),)).apply(engine, source, seed=1)
    assert keys(done.source.path, ["a"]) == [(1,), (1,), (1,), (None,), (None,)]


def test_a_set_of_five_of_fourteen_variables_is_found(engine, opened):
    # there are more sets of 4 and 5 than are all tried
    width, n = 14, 40
    columns = {f"v{j}": [i % 2 if j < 9 else i * 7 % n for i in range(n)] for j in range(width)}
    key = tuple(columns)
    done = Plan((Blank(key, 5, "automatic"),)).apply(engine, opened(pa.table(columns)), seed=1)
    assert small(done.source.path, key, 5) == []
    assert [name for name, c in done.receipts[0].cells_changed.items() if c] == list(key[9:])


TYPES = {
    "bool": pa.array([True, True, True, True, False]),
    "date": pa.array([dt.date(2000, 1, 1)] * 4 + [dt.date(1999, 1, 1)]),
    "nanoseconds": pa.array([10**18 + 1] * 4 + [10**18 + 2], pa.timestamp("ns", tz="UTC")),
    "decimal": pa.array([Decimal("1.10")] * 4 + [Decimal("2.20")], pa.decimal128(8, 2)),
    "float": pa.array([0.5] * 4 + [1.5], pa.float32()),
    "large": pa.array(["x"] * 4 + ["y"], pa.large_string()),
    "wide": pa.array([1] * 4 + [2**62]),
    "small": pa.array([1] * 4 + [9], pa.uint8()),
}


@pytest.mark.parametrize("name", TYPES)
def test_every_type_can_be_blanked_and_perturbed(name, engine, folder):
    path = folder / f"{name}.parquet"
    pq.write_table(pa.table({"v": TYPES[name]}), path)
    source = open_data(path, workspace=folder)
    kind, common = TYPES[name].type, TYPES[name][0]
    done = Plan((Blank(("v",), 2),)).apply(engine, source, seed=1).source.table()["v"]
    assert done.type == kind
    assert (done.null_count, done[4].is_valid) == (2, False)
    for how in ("nearest", "marginal"):
        done = Plan((Perturb(("v",), 2, how=how),)).apply(engine, source, seed=1).source.table()
        assert done["v"].type == kind
        assert all(value == common for value in done["v"])


# destroying


def test_a_study_domain_that_loses_much_is_warned_of(engine, opened):
    table = pa.table(
        {
            "age": [1] * 90 + [2, 3, 4, 5] + [1] * 6,
            "region": ["north"] * 90 + ["south"] * 10,
            "income": [100.0] * 90 + [1000.0] * 10,
        }
    )
    done = protect_uniques(
        engine, opened(table), ["age"], k=3, action="destroy", domains=["region"]
    )
    receipt = done.receipts[0]
    assert len(receipt.warnings) == 1
    assert "'region' a category loses more than 5.0%" in receipt.warnings[0]
    assert "largest loss is 40.0%; overall 4.0%" in receipt.warnings[0]
    assert "south" not in repr(done) + str(done.to_dict())
    losses = receipt.private
    shares = losses.shares["region"]
    assert list(shares.values) == ["north", "south"]
    assert shares.full.tolist() == [90, 10]
    assert shares.reduced.tolist() == [90, 6]
    assert losses.means["income"] == (190.0, 156.25)
    assert "south" in repr(losses)
    assert any("mean of 'income' changes by -33.75" in note for note in receipt.notes)


def test_a_loss_as_in_the_whole_file_is_not_warned_of(engine, opened):
    # each region loses a fifth, more than the limit, but no more than the file
    table = pa.table({"age": [1] * 8 + [2, 3] + [1] * 8 + [4, 5], "region": [1] * 10 + [2] * 10})
    done = protect_uniques(
        engine, opened(table), ["age"], k=3, action="destroy", domains=["region"]
    )
    assert done.receipts[0].private.shares["region"].lost == pytest.approx([0.2, 0.2])
    assert done.receipts[0].warnings == ()


def test_destroying_everything_is_refused(engine, opened):
    with pytest.raises(GuaranteeError, match="none would be left"):
        protect_uniques(engine, opened(pa.table({"a": [1, 2, 3]})), ["a"], k=2, action="destroy")


# the loop and the comparison


def test_perturbation_that_does_not_converge_says_so(engine, opened):
    table = pa.table({"a": list(range(30)), "b": list(range(30))})
    with pytest.raises(GuaranteeError, match=r"30 of the 30 records at risk.*how='nearest'"):
        protect_uniques(
            engine, opened(table), ["a", "b"], k=20, action="perturb", how="marginal", seed=1,
            max_rounds=2,
        )  # fmt: skip
    with pytest.raises(GuaranteeError, match="found no safe class"):
        protect_uniques(engine, opened(table), ["a", "b"], k=2, action="perturb", seed=1)


def test_blanking_fewer_than_k_records_is_refused(engine, opened):
    with pytest.raises(GuaranteeError, match="must have 5 records, but only 3"):
        protect_uniques(
            engine, opened(pa.table({"a": [1, 2, 2]})), ["a"], k=5, action="blank", seed=1
        )


def test_safe_records_are_returned_as_they_are(engine, opened):
    source = opened(pa.table({"a": [1, 1, 2, 2]}))
    for action in ("destroy", "blank", "perturb"):
        done = protect_uniques(engine, source, ["a"], k=2, action=action, seed=1)
        assert done.source == source
        assert len(done.plan) == 1
        assert done.guaranteed


def test_the_plan_of_the_loop_replays_to_the_same_bytes(engine, opened):
    # blanking adds 18 of the records of a class, which are drawn
    source = opened(pa.table({"a": [0] * 100 + [1] * 100 + [2] * 2, "b": [7] * 202}))
    for action, k in (("blank", 20), ("perturb", 3)):
        done = protect_uniques(engine, source, ["a", "b"], k=k, action=action, seed=11)
        again = done.plan.apply(engine, source, seed=11)
        assert sha(again.source.path) == sha(done.source.path)
        other = done.plan.apply(engine, source, seed=12)
        assert action == "perturb" or sha(other.source.path) != sha(done.source.path)


def test_encryption_keeps_the_classes_and_claims_no_k(engine, opened):
    source = opened(dalenius(MATRIX_32))
    key = ReleaseKey.fresh()
    done = protect_uniques(engine, source, KEY, k=3, action="encrypt", secrets=key)
    assert (done.guaranteed, done.residual) == (False, 3)
    assert "not claimed" in repr(done)
    hidden = protect_uniques(
        engine, source, KEY, k=3, action="encrypt", secrets=key, randomised=True
    )
    assert (hidden.guaranteed, hidden.residual) == (False, 7)


def test_the_four_actions_are_compared(engine, opened):
    found = compare_actions(engine, opened(dalenius(MATRIX_32)), KEY, at_most=2, seed=1)
    assert [row.action for row in found.rows] == ["destroy", "blank", "perturb", "encrypt"]
    assert [row.records_lost for row in found.rows] == [3, 0, 0, 0]
    # moving 10110 to 01101 changes 4 cells in two records, 11101 to 01101 one
    assert [row.cells_changed for row in found.rows] == [0, 15, 9, 35]
    assert [row.residual for row in found.rows] == [0, 0, 0, 3]
    assert [row.reversible for row in found.rows] == [False, False, False, True]
    assert [row.guaranteed for row in found.rows] == [True, True, True, False]
    assert "with the key" in repr(found)
    assert found.to_frame().loc["blank", "cells_changed"] == 15
    assert found["encrypt"].seconds > 0


def test_a_refused_action_is_in_the_comparison_with_its_reason(engine, opened):
    found = compare_actions(engine, opened(pa.table({"a": [1, 2, 3]})), ["a"], k=2, seed=1)
    assert found["destroy"].residual is None
    assert "none would be left" in repr(found)
    assert found["blank"].guaranteed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"action": "burn"}, "action must be one of"),
        ({"action": "blank"}, "needs a seed"),
        ({"action": "encrypt"}, "needs the key of the release"),
        ({"action": "blank", "k": 1}, "k must be a whole number of at least 2"),
        ({"action": "blank", "seed": -1}, "seed must be"),
        ({"action": "blank", "seed": 1, "part": "given"}, "named with part 'given'"),
        ({"action": "blank", "seed": 1, "variables": ["x"]}, "Did you mean 'X'"),
        ({"action": "perturb", "seed": 1, "variables": ["X", "X"]}, "named twice"),
        ({"action": "perturb", "seed": 1, "how": "wildly"}, "how must be"),
        ({"action": "perturb", "seed": 1, "max_rounds": 0}, "max_rounds"),
        ({"action": "destroy", "domains": ["regoin"]}, "no variable 'regoin'"),
        ({"action": "destroy", "domains": "X"}, "domains must be a list"),
        ({"action": "destroy", "warn_above": 2.0}, "warn_above"),
    ],
)  # fmt: skip
def test_wrong_requests_are_refused(options, message, engine, opened):
    source = opened(dalenius(MATRIX_32))
    with pytest.raises(InputError, match=message):
        protect_uniques(engine, source, KEY, **options)
