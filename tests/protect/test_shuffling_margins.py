"""Every value is used as often as before, in every stratum; what must stay stays."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.hierarchy import code_hierarchy
from indistinct.protect import Plan, Shuffle

JOBS = tuple(f"{a}{b}" for a in "123" for b in "1234")
TREE = code_hierarchy(JOBS, name="job", digits=(1,))
GRADES = ("low", "middle", "high", "unknown")


def prepared(opened, table):
    source = opened(table)
    changes = {
        "age": {"level": "numeric", "user_missing": (99,)},
        "grade": {"level": "ordinal", "categories": GRADES, "user_missing": ("unknown",)},
    }
    return replace(source, variables=source.variables.updated(changes))


def values(source, name):
    return source.table([name])[name].to_pylist()


def drawn(rng, size, values):
    """A column of these values, one of them much more frequent, some of them perhaps absent."""
    chance = rng.dirichlet(np.full(len(values), 0.5))
    return [values[i] for i in rng.choice(len(values), size, p=chance)]


@settings(max_examples=15, deadline=None)
@given(
    records=st.integers(12, 60),
    seed=st.integers(0, 2**32),
    level=st.sampled_from([0.0, 1e-3, 0.4, 1.0]),
    within=st.booleans(),
    stay=st.booleans(),
    ties=st.sampled_from(["model", "free"]),
)
def test_margins_are_exact(engine, opened, records, seed, level, within, stay, ties):
    names = ("age", "grade", "kind", "job", "region")
    rng = np.random.default_rng(seed)
    columns = {
        "age": pa.array(drawn(rng, records, [None, 99, *range(6)]), pa.int16()),
        "grade": pa.array(drawn(rng, records, [None, *GRADES]), pa.string()),
        "kind": pa.array(drawn(rng, records, [None, *"abcde"]), pa.string()),
        "job": pa.array(drawn(rng, records, JOBS), pa.string()),
        "region": pa.array(drawn(rng, records, [0, 1, None]), pa.int8()),
    }
    source = prepared(opened, columns)
    step = Shuffle(
        names[:4],
        within=("region",) if within else (),
        level=level,
        hierarchies={"job": TREE},
        stay={"job": 1} if stay else {},
        leave={"kind": ("a", "b"), "age": ("0",)},
        ties=ties,
    )
    try:
        done = Plan((step,)).apply(engine, source, seed=seed)
    except InputError as error:
        assume("nothing to exchange" not in str(error) and "indicators" not in str(error))
        raise
    for name in names:
        old, new = values(source, name), values(done.source, name)
        strata = columns["region"].to_pylist() if within else [0] * records
        assert Counter(zip(strata, old, strict=True)) == Counter(zip(strata, new, strict=True))
        left = {"age": (None, 99, 0), "grade": (None, "unknown"), "kind": (None, "a", "b")}
        for a, b in zip(old, new, strict=True):
            assert (a in left.get(name, ())) <= (a == b)
            if name == "job" and stay:
                assert a[0] == b[0]
            if level == 0 or name == "region":
                assert a == b
    told = done.receipts[0].cells_changed
    for name in names[:4]:
        pairs = zip(values(source, name), values(done.source, name), strict=True)
        assert told[name] == sum(a != b for a, b in pairs)


def test_texts_are_ordered_by_their_categories(engine, opened):
    """Alphabetically, high comes before low: the correlation with the score would be lost."""
    rng = np.random.default_rng(1)
    score = rng.normal(size=3000)
    grade = np.array(GRADES[:3])[np.digitize(score + 0.3 * rng.normal(size=3000), [-0.5, 0.6])]
    source = prepared(opened, {"grade": grade, "score": score, "age": np.arange(3000) % 90})
    step = Shuffle(("grade",), ("score",))
    new = np.array(values(Plan((step,)).apply(engine, source, seed=1).source, "grade"))
    place = {name: n for n, name in enumerate(GRADES)}
    before, after = (np.corrcoef([place[g] for g in gs], score)[0, 1] for gs in (grade, new))
    assert before > 0.85
    assert after == pytest.approx(before, abs=0.02)
    as_nominal = values(
        Plan((Shuffle(("grade",), ("score",), nominal=("grade",)),))
        .apply(engine, source, seed=1)
        .source,
        "grade",
    )
    assert Counter(as_nominal) == Counter(grade.tolist())
    undeclared = replace(
        source, variables=source.variables.updated({"grade": {"categories": ("low", "high")}})
    )
    with pytest.raises(InputError, match="not one of its declared categories") as refused:
        Plan((step,)).apply(engine, undeclared, seed=1)
    assert "middle" not in str(refused.value)


def test_types_stay(engine, opened):
    import datetime
    from decimal import Decimal

    rng = np.random.default_rng(2)
    day = datetime.date(1950, 1, 1)
    n = 200
    table = pa.table(
        {
            "date": pa.array([day + datetime.timedelta(int(d)) for d in rng.integers(0, 999, n)]),
            "money": pa.array([Decimal(int(c)) / 100 for c in rng.integers(0, 999, n)]),
            "small": pa.array(rng.integers(0, 90, n), pa.int8()),
            "flag": pa.array(rng.random(n) < 0.5),
            "word": pa.array(rng.choice(["x", "y", "z"], n)).dictionary_encode(),
            "float": pa.array(rng.normal(size=n), mask=rng.random(n) < 0.1),
        }
    )
    source = opened(table)
    names = tuple(table.column_names)
    done = Plan((Shuffle(names, level=1.0),)).apply(engine, source, seed=1).source
    assert done.schema.types == source.schema.types
    for name in names:
        assert Counter(values(done, name)) == Counter(values(source, name))
        assert values(done, name) != values(source, name)


def test_a_category_that_nobody_chosen_has_is_no_obstacle(engine, opened):
    """Its indicator is empty, where only some are shuffled or groups are shuffled apart."""
    rng = np.random.default_rng(3)
    half = np.arange(400) < 200
    kind = np.where(half, rng.choice(list("abc"), 400), rng.choice(list("bcde"), 400))
    source = opened({"kind": kind, "half": half.astype(int), "s": rng.normal(size=400)})
    for step in (
        Shuffle(("kind",), ("s",), where="half == 1"),
        Shuffle(("kind",), ("s",), apart=("half",)),
    ):
        new = np.array(values(Plan((step,)).apply(engine, source, seed=1).source, "kind"))
        assert Counter(new[half].tolist()) == Counter(kind[half].tolist())
        assert (new[half] != kind[half]).mean() > 0.4
        assert (step.where is None) == bool((new[~half] != kind[~half]).any())


def test_groups_apart_are_shuffled_as_if_alone(engine, opened):
    """The correlations of each group are its own, so they stay opposite."""
    rng = np.random.default_rng(4)
    n = 6000
    group = rng.integers(0, 2, n)
    s = rng.normal(size=n)
    x = np.where(group == 1, 1, -1) * s + 0.5 * rng.normal(size=n)
    source = opened({"x": x, "s": s, "g": group})

    def slopes(step):
        new = np.array(values(Plan((step,)).apply(engine, source, seed=1).source, "x"))
        for g in (0, 1):
            if step.apart:
                assert np.array_equal(np.sort(new[group == g]), np.sort(x[group == g]))
        return [np.corrcoef(new[group == g], s[group == g])[0, 1] for g in (0, 1)]

    apart = slopes(Shuffle(("x",), ("s",), apart=("g",)))
    one_after_the_other = [slopes(Shuffle(("x",), ("s",), where=f"g == {g}"))[g] for g in (0, 1)]
    together = slopes(Shuffle(("x",), ("s",)))
    truth = [np.corrcoef(x[group == g], s[group == g])[0, 1] for g in (0, 1)]
    np.testing.assert_allclose(apart, truth, atol=0.02)
    np.testing.assert_allclose(one_after_the_other, truth, atol=0.02)
    np.testing.assert_allclose(together, [0, 0], atol=0.1)


def test_the_given_variables_may_be_taken_at_a_level_of_their_hierarchy(engine, opened):
    rng = np.random.default_rng(5)
    job = rng.choice(JOBS, 4000)
    x = np.array([int(j[0]) for j in job]) ** 2 % 7 + rng.normal(size=4000)
    source = opened({"x": x, "job": job})
    for step in (
        Shuffle(("x",), ("job",), hierarchies={"job": TREE}, at={"job": 1}),
        Shuffle(("x",), within=("job",), hierarchies={"job": TREE}, at={"job": 1}),
    ):
        new = np.array(values(Plan((step,)).apply(engine, source, seed=1).source, "x"))
        assert (new != x).mean() > 0.99
        for group in "123":
            mine = np.array([j[0] == group for j in job])
            assert new[mine].mean() == pytest.approx(x[mine].mean(), abs=0.1)
            if step.within:
                assert np.array_equal(np.sort(new[mine]), np.sort(x[mine]))
