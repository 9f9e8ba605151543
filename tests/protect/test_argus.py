"""µ-Argus against a naive one on records, its promise, and what it refuses."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct import open_data
from indistinct.core.errors import InputError
from indistinct.engine import Coding, KeyCoding
from indistinct.hierarchy import interval_hierarchy, table_hierarchy
from indistinct.keys import Generalisable, KeyTable
from indistinct.protect import Plan
from indistinct.protect.methods.datafly_ii.datafly import DataflyResult
from indistinct.protect.methods.mu_argus import argus_bins
from indistinct.protect.methods.mu_argus.argus import Argus, ArgusResult, argus
from indistinct.protect.methods.mu_argus.argus_bins import Cells, combinations_examined
from indistinct.protect.methods.mu_argus.argus_session import ArgusSession
from indistinct.protect.step import Step

SIZES = {"p": 2, "q": 3, "r": 3, "s": 4}
NAMES = tuple(SIZES)
VALUES = {name: [f"{name}{i}" for i in range(size)] for name, size in SIZES.items()}
HIERARCHIES = {
    name: table_hierarchy([(v, v if v.endswith("0") else name, "*") for v in values], name=name)
    for name, values in VALUES.items()
}


def keys_of(records: list[tuple]) -> Generalisable:
    codings = tuple(
        Coding(name, len(values) + 1, True, values=pa.array(values))
        for name, values in VALUES.items()
    )
    codes = [
        [VALUES[n].index(c) if c is not None else SIZES[n] for n, c in zip(NAMES, r, strict=True)]
        for r in records
    ]
    codes = np.array(codes, dtype=np.int64).reshape(len(records), len(NAMES))
    distinct, counts = (
        np.unique(codes, axis=0, return_counts=True) if records else (codes, np.zeros(0, int))
    )
    table = KeyTable(KeyCoding(codings), distinct, counts.astype(np.int64))
    return Generalisable.of(table, HIERARCHIES)


def naive_examined(rated, reading, largest):
    def wanted(levels):
        if len(levels) == 1:
            return True
        triple = {"all": 2 in levels or 3 in levels, "with-most": 3 in levels}
        triple["described"] = 2 in levels and 3 in levels
        return triple[reading if len(levels) == 3 else "all"]

    rated_ones = [j for j, level in enumerate(rated) if level]
    return [
        chosen
        for size in range(1, largest + 1)
        for chosen in combinations(rated_ones, size)
        if wanted([rated[j] for j in chosen])
    ]


def naive_outliers(rows, examined, k):
    """Return for each row the combinations of its values that fewer than k rows have."""
    found = [[] for _ in rows]
    for chosen in examined:
        told = [tuple(row[j] for j in chosen) for row in rows]
        sizes = Counter(told)
        for i, values in enumerate(told):
            if None not in values and sizes[values] < k:
                found[i].append(chosen)
    return found


def naive_argus(records, examined, k, order, frequent, recount):
    """µ-Argus record by record: rare values, then the value in most outliers of the record."""
    frequency = Counter((j, cell) for row in records for j, cell in enumerate(row))
    rows = [list(row) for row in records]
    while True:
        unsafe = naive_outliers(rows, examined, k)
        for row, outliers in zip(rows, unsafe, strict=True):
            for chosen in list(outliers):
                if len(chosen) == 1:
                    row[chosen[0]] = None
            outliers[:] = [c for c in outliers if all(row[j] is not None for j in c)]
            while outliers:
                inside = Counter(j for chosen in outliers for j in chosen)
                best = max(
                    inside,
                    key=lambda j: (
                        inside[j],
                        frequency[j, row[j]] if frequent else 0,
                        -order.index(j),
                    ),
                )
                row[best] = None
                outliers[:] = [chosen for chosen in outliers if best not in chosen]
        if not recount or not any(map(any, naive_outliers(rows, examined, k))):
            return [tuple(row) for row in rows]


def released(records: list[tuple], result: ArgusResult) -> list[tuple]:
    classes = {
        values: c
        for c, values in enumerate(zip(*map(result.keys.table.values, NAMES), strict=True))
    }
    return [
        tuple(
            None if result.suppressed[classes[record], j] else cell for j, cell in enumerate(record)
        )
        for record in records
    ]


cells = st.tuples(*(st.sampled_from([*VALUES[n], None]) for n in NAMES))
ratings = st.tuples(*(st.integers(0, 3) for _ in NAMES)).filter(any)
readings = st.sampled_from(["all", "described", "with-most"])


@settings(max_examples=300, deadline=None)
@given(
    records=st.lists(cells, min_size=1, max_size=16),
    rated=ratings,
    reading=readings,
    largest=st.integers(1, 3),
    k=st.integers(2, 4),
    ties=st.one_of(st.just("frequent"), st.permutations(NAMES)),
    recount=st.booleans(),
)
def test_the_same_as_record_by_record(records, rated, reading, largest, k, ties, recount):
    result = argus(
        keys_of(records),
        k=k,
        identification=dict(zip(NAMES, rated, strict=True)),
        combinations=reading,
        largest=largest,
        ties=ties,
        recount=recount,
    )
    examined = naive_examined(rated, reading, largest)
    order = [0, 1, 2, 3] if ties == "frequent" else [NAMES.index(n) for n in ties]
    expected = naive_argus(records, examined, k, order, ties == "frequent", recount)
    got = released(records, result)
    assert got == expected
    # told as they are: before, and in what is released
    for told, rows in ((result.before, records), (result.after, got)):
        unsafe = naive_outliers(rows, examined, k)
        assert told.records == sum(map(bool, unsafe))
        for each, chosen in zip(told.combinations, examined, strict=True):
            assert each.variables == tuple(NAMES[j] for j in chosen)
            bins = {tuple(rows[i][j] for j in chosen) for i, o in enumerate(unsafe) if chosen in o}
            assert each.bins == len(bins)
            assert each.records == sum(chosen in o for o in unsafe)
    if recount:
        assert result.after.bins == 0
    for j, level in enumerate(rated):
        assert level or not result.suppressed[:, j].any()
    key = [tuple(row[j] or "-" for j in range(4) if rated[j]) for row in got]
    missing = any(cell is None for row in records for cell in row)
    if not missing:  # a cell that was missing is a value of its own in the residual
        assert result.residual == sum(n for n in Counter(key).values() if n < k)


@settings(max_examples=100, deadline=None)
@given(records=st.lists(cells, min_size=1, max_size=16), k=st.integers(2, 4))
def test_sparse_tables_are_counted_as_dense_ones(records, k):
    dense = argus(keys_of(records), k=k, identification=dict.fromkeys(NAMES, 2))
    for limits in ({"_DENSE_ROOM": 0}, {"_LARGEST_INDEX": 1}):
        with pytest.MonkeyPatch.context() as patch:
            for name, value in limits.items():
                patch.setattr(argus_bins, name, value)
            # rows are few, so 2 · classes still has room for small tables only
            other = argus(keys_of(records), k=k, identification=dict.fromkeys(NAMES, 2))
        assert (other.suppressed == dense.suppressed).all()
        assert other.before == dense.before


def test_the_order_of_records_does_not_matter():
    rng = np.random.default_rng(5)
    records = [tuple(str(rng.choice(VALUES[n])) for n in NAMES) for _ in range(40)]
    rated = dict.fromkeys(NAMES, 2)
    first = released(records, argus(keys_of(records), k=3, identification=rated))
    again = released(records[::-1], argus(keys_of(records[::-1]), k=3, identification=rated))
    assert again[::-1] == first
    assert argus(keys_of(records), k=3, identification=rated).rounds > 1


def test_more_than_64_combinations():
    rng = np.random.default_rng(6)
    names = list("abcdefgh")
    table = pa.table({n: rng.choice(3, p=[0.8, 0.15, 0.05], size=60) for n in names})
    with open_data(table) as data:
        step = Argus(tuple(names), 3, (2,) * 8)
        after = Plan((step,)).apply(data.engine, data.source).source
        rows = [tuple(row.values()) for row in after.table().to_pylist()]
    examined = naive_examined((2,) * 8, "all", 3)
    assert len(examined) == 8 + 28 + 56
    assert not any(map(any, naive_outliers(rows, examined, 3)))


RECORDS = (
    [("p0", "q0", "r0", "s0")] * 4
    + [("p1", "q1", "r1", "s1")] * 3
    + [("p1", "q2", "r0", "s2"), ("p0", "q1", "r2", "s3"), ("p0", "q0", None, "s3")]
)


def test_a_value_that_is_rare_by_itself_goes():
    found = argus(keys_of(RECORDS), k=2, identification={"q": 1, "r": 1})
    assert found.cells_suppressed() == {"p": 0, "q": 1, "r": 1, "s": 0}
    assert [each.variables for each in found.before.unsafe] == [("q",), ("r",)]


def test_a_weight_protects_a_variable():
    records = [("p0", "q0", "r0", "s0")] * 3 + [("p1", "q1", "r0", "s0")] * 3
    records += [("p0", "q1", "r0", "s0")]
    rated = {"p": 2, "q": 2}
    assert argus(keys_of(records), k=2, identification=rated).cells_suppressed()["p"] == 1
    heavy = argus(keys_of(records), k=2, identification=rated, weights={"p": 2.0})
    assert (heavy.cells_suppressed()["p"], heavy.cells_suppressed()["q"]) == (0, 1)


def test_a_plan_generalises_first_and_does_what_the_result_says():
    table = pa.table(
        {
            "n": [1, 2, 3, 4, 5, 6, 7, 8, 1],
            "x": list("aabbaabba"),
            "y": [1, 1, 1, 1, 1, 1, 1, 2, None],
            "z": list("uvwuvwuvw"),
        }
    )
    hierarchies = {
        "n": interval_hierarchy(range(1, 9), name="n", widths=(4,)),
        "x": table_hierarchy([("a", "*"), ("b", "*")], name="x"),
        "y": table_hierarchy([("1", "*"), ("2", "*")], name="y"),
        "z": table_hierarchy([("u", "*"), ("v", "*"), ("w", "*")], name="z"),
    }
    with open_data(table) as data:
        keys = Generalisable.of(data.key_table(["n", "x", "y", "z"]), hierarchies)
        found = argus(
            keys,
            k=3,
            identification={"n": 2, "x": 1, "y": 1},
            levels={"n": 1},
            ties=["z", "x", "n"],
            weights={"z": 3.0, "n": 1.5},
        )
        plan = Plan.from_dict(json.loads(json.dumps(found.plan().to_dict())))
        assert [step.kind for step in plan.steps] == ["generalise", "argus"]
        applied = plan.apply(data.engine, data.source)  # and it needs no seed
        after = applied.source.table()
    assert after.num_rows == 9
    assert after.column_names == ["n", "x", "y", "z"]
    assert after.column("z").equals(table.column("z"))
    assert after.schema.field("y").type == pa.int64()
    suppressed = found.cells_suppressed()
    for name in ("n", "x", "y"):
        assert after.column(name).null_count == suppressed[name] + table.column(name).null_count
    assert suppressed["y"] == 1
    receipt = applied.receipts[-1]
    assert receipt.residual == found.residual
    assert sum(receipt.private.cells_suppressed().values()) == sum(suppressed.values())
    assert receipt.warnings == found.warnings
    shown = json.dumps(found.plan().steps[-1].to_dict()) + repr(receipt)
    assert '"a"' not in shown  # the step holds no value


def test_a_variable_generalised_to_its_root_is_in_no_combination():
    found = argus(keys_of(RECORDS), k=2, identification={"p": 3, "q": 1, "r": 1}, levels={"p": 2})
    assert found.cells_suppressed()["p"] == 0
    assert [step.kind for step in found.plan().steps] == ["generalise", "argus"]
    assert found.plan().steps[-1].key == ("q", "r")
    alone = argus(keys_of(RECORDS), k=2, identification={"p": 1}, levels={"p": 2})
    assert [step.kind for step in alone.plan().steps] == ["generalise"]


def test_nothing_to_do_leaves_the_source_as_it_is():
    with open_data({"x": ["a", "a", "*", "*", None]}) as data:
        applied = Plan((Argus(("x",), 2, (1,)),)).apply(data.engine, data.source)
        assert applied.source is data.source
    with open_data({"x": pa.array([None, None], pa.string())}) as data:
        applied = Plan((Argus(("x",), 3, (1,)),)).apply(data.engine, data.source)
        assert applied.source is data.source


def test_empty_one_equal_and_unique():
    rated = dict.fromkeys(NAMES, 2)
    empty = argus(keys_of([]), k=2, identification=rated)
    assert (empty.residual, sum(empty.cells_suppressed().values())) == (0, 0)
    one = argus(keys_of(RECORDS[:1]), k=2, identification=rated)
    assert sum(one.cells_suppressed().values()) == 4
    equal = argus(keys_of(RECORDS[:4]), k=4, identification=rated)
    assert (equal.residual, equal.warnings, equal.to_dict()["k_holds"]) == (0, (), True)


def test_what_it_says_of_itself():
    found = argus(keys_of(RECORDS), k=3, identification=dict.fromkeys(NAMES, 2))
    told = json.dumps(found.to_dict()) + repr(found) + found._repr_html_()
    assert found.residual
    assert not any(value in told for values in VALUES.values() for value in values)
    assert set(found.techniques) < set(DataflyResult.techniques)
    assert "equivalence-class substitution" not in found.techniques
    assert found.keys.counts[found.small_classes].sum() == found.residual


def test_a_session_previews_and_puts_levels():
    session = ArgusSession(
        keys_of(RECORDS), k=2, identification={"q": 2, "s": 2}, ties="leftmost", largest=2
    )
    before = session.unsafe
    preview = session.preview("q", to=2)
    assert session.unsafe == before
    assert session.generalise("q", to=2) == preview
    assert session.history == ("q",)
    assert "q at level 2" in repr(preview)
    assert json.dumps(preview.to_dict())
    assert session.suppress().levels == {"p": 0, "q": 2, "r": 0, "s": 0}
    assert session.suppress().after.bins == 0
    with pytest.raises(InputError, match="highest level, 2, already"):
        session.generalise("q")
    with pytest.raises(InputError, match="must be from 0"):
        session.generalise("q", to=7)
    assert session.undo().after == before
    with pytest.raises(InputError, match="nothing can be undone"):
        session.undo()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 1}, "k must be a whole number of at least 2"),
        ({"identification": {"p": 4}}, "must be 0 .* Got 4"),
        ({"identification": {"pp": 1}}, "Did you mean 'p'"),
        ({"identification": {"p": 0}}, "At least one variable"),
        ({"combinations": "descibed"}, "Did you mean 'described'"),
        ({"largest": 4}, "largest must be 1, 2 or 3"),
        ({"ties": "left"}, "Did you mean 'leftmost'"),
        ({"ties": ["zz"]}, "'zz' is not in the key"),
        ({"weights": {"p": 0.0}}, "must be a number above 0"),
        ({"weights": {"zz": 1.0}}, "'zz' is not in the key"),
        ({"without": [("p", "zz")]}, "'zz' is not in the key"),
        ({"levels": {"p": 9}}, "must be from 0"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(InputError, match=message):
        argus(keys_of(RECORDS), **{"k": 2, "identification": {"p": 2}} | options)


def test_a_wrong_step_is_refused():
    for wrong in (
        {"identification": (1,)},
        {"identification": (0, 0)},
        {"largest": 5},
        {"order": ("z",)},
        {"without": (("x", "z"),)},
        {"k": 1},
    ):
        with pytest.raises(InputError):
            Argus(**{"key": ("x", "y"), "k": 2, "identification": (1, 2)} | wrong)
    step = Argus(("x", "y"), 2, (1, 2), without=(("x", "y"),), order=("y",), weights={"x": 2.0})
    assert Step.from_dict(json.loads(json.dumps(step.to_dict()))) == step


def test_examining_is_by_rating():
    assert combinations_examined([3, 0, 2, 1], reading="described", largest=3) == (
        (0,),
        (2,),
        (3,),
        (0, 2),
        (0, 3),
        (2, 3),
        (0, 2, 3),
    )
    assert (0, 1, 2) not in combinations_examined([1, 1, 1])
    assert (0, 1) not in combinations_examined([1, 1, 3])
    assert (0, 1, 2) in combinations_examined([3, 1, 1], reading="with-most")
    assert (0, 1, 2) not in combinations_examined([3, 1, 1], reading="described")
    assert Cells(keys_of(RECORDS), [0] * 4).examine([(0, 1)], 2).outliers().tolist() == [
        [2, 0],
        [4, 0],
    ]
