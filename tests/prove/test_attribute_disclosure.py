"""What is learnt without a link: Sweeney's Figure 33, brute force, planted populations, Adult."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.engine import start_engine
from indistinct.files import open_data, open_table, workspace
from indistinct.hierarchy import csv_hierarchy
from indistinct.hierarchy.labels import stands_for
from indistinct.prove.attacks.attributes import attribute_disclosure
from indistinct.prove.attacks.control import hold_out
from indistinct.prove.registers import Register

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
relaxed = settings(deadline=None, max_examples=60)

FIG_33 = [  # Sweeney (2001), Figure 33: k-Similar, k = 2
    ("Black", "1965", "m", "02141", "short of breath"),
    ("Black", "1965", "m", "02141", "chest pain"),
    (None, "1965", "f", "0213*", "hypertension"),
    (None, "1965", "f", "0213*", "hypertension"),
    ("Black", "1964", "f", "02138", "obesity"),
    ("Black", "1964", "f", "02138", "chest pain"),
    ("Caucasian", "1964", "m", "0213*", "chest pain"),
    (None, "1965", "f", "0213*", "hypertension"),
    ("Caucasian", "1964", "m", "0213*", "obesity"),
    ("Caucasian", "1964", "m", "0213*", "short of breath"),
    ("Caucasian", "1967", "m", "02138", "chest pain"),
    ("Caucasian", "1967", "m", "02138", "chest pain"),
]
COLUMNS = ["ethnicity", "birth", "sex", "zip", "problem"]
FIG_28 = [  # the same twelve people as they were
    ("Black", "1965-09-20", "m", "02141"),
    ("Black", "1965-02-14", "m", "02141"),
    ("Black", "1965-10-23", "f", "02138"),
    ("Black", "1965-08-24", "f", "02138"),
    ("Black", "1964-11-07", "f", "02138"),
    ("Black", "1964-12-01", "f", "02138"),
    ("Caucasian", "1964-10-23", "m", "02138"),
    ("Caucasian", "1965-03-15", "f", "02139"),
    ("Caucasian", "1964-08-13", "m", "02139"),
    ("Caucasian", "1964-05-05", "m", "02139"),
    ("Caucasian", "1967-02-13", "m", "02138"),
    ("Caucasian", "1967-03-21", "m", "02138"),
]


@pytest.fixture(scope="module")
def engine():
    with workspace() as folder, start_engine("duckdb", workspace=folder, threads=1) as started:
        yield started


def opened(engine, columns, name="table"):
    return open_table(pa.table(columns), workspace=engine.workspace, origin=name)


def columns_of(rows, names):
    return {n: pa.array([r[j] for r in rows], pa.string()) for j, n in enumerate(names)}


def test_figure_33_tells_the_problem_of_five_people(engine):
    release = opened(engine, columns_of(FIG_33, COLUMNS))
    found = attribute_disclosure(engine, release, key=COLUMNS[:4], sensitive="problem")
    told = sorted([int(r) for r in w.who] for w in found.witnesses)
    assert told == [[3, 4, 8], [11, 12]]  # oracle swe.fig33.homogeneous
    assert (found.homogeneous, found.homogeneous_classes, found.alone) == (5, 2, 0)
    assert found.verdict == (
        "'problem' is told for certain of 5 of 12 people, of 5 although several records may be "
        "theirs."
    )


def test_figure_33_tells_it_to_whoever_holds_a_register(engine):
    release = opened(engine, columns_of(FIG_33, COLUMNS))
    people = columns_of(FIG_28, COLUMNS[:4]) | {"name": [f"p{i}" for i in range(1, 13)]}
    register = Register(opened(engine, people), "voters", "name")
    found = attribute_disclosure(
        engine, release, key=COLUMNS[:4], sensitive="problem", register=register
    )
    assert sorted(p for w in found.witnesses for p in w.who) == ["p11", "p12", "p3", "p4", "p8"]
    assert found.linked == 12
    json.dumps(found.to_dict())
    assert "p3" in repr(found)


def by_hand(candidates, prior):
    """Posterior facts of one person, straight from the records that may be theirs."""
    counts = Counter(candidates)
    n = len(candidates)
    told = {v: c for v, c in counts.items() if v is not None}
    shares = [c / n for c in counts.values()]
    return {
        "records": n,
        "values": len(counts),
        "posterior": max(told.values(), default=0) / n if n else 0,
        "gain": max([0, *(c / n - prior[v] for v, c in told.items())]),
        "effective": math.exp(-sum(p * math.log(p) for p in shares)),
        "told": next(iter(counts)) if len(counts) == 1 and n else None,
        "top": {v for v, c in told.items() if c == max(told.values())},
    }


label = st.sampled_from([None, "1*", "11", "12", "21"])
cell = st.sampled_from(["11", "12", "21", "22"])
value = st.sampled_from([None, "x", "y", "z"])


@pytest.mark.heavy
@relaxed
@given(
    rows=st.lists(st.tuples(label, label, value), min_size=1, max_size=14),
    people=st.lists(st.tuples(cell, cell), max_size=8),
)
def test_everything_equals_brute_force(engine, rows, people):
    people = [*people, ("11", "11"), ("12", "12"), ("21", "21")]  # no column is coded apart
    release = opened(engine, columns_of(rows, ["a", "b", "s"]))
    total = Counter(r[2] for r in rows)
    prior = {v: c / len(rows) for v, c in total.items()}
    register = Register(opened(engine, columns_of(people, ["a", "b"])), "voters")
    by_register = [
        [r[2] for r in rows if all(stands_for(r[j], p[j]) for j in range(2))] for p in people
    ]
    by_class = [[r[2] for r in rows if r[:2] == own[:2]] for own in rows]
    for given_register, candidates in ((register, by_register), (None, by_class)):
        found = attribute_disclosure(
            engine, release, key=["a", "b"], sensitive="s", register=given_register, unlikely=0.6
        )
        facts = [by_hand(c, prior) for c in candidates]
        linked = [f for f in facts if f["records"]]
        assert (found.people, found.linked) == (len(facts), len(linked))
        assert found.alone == sum(f["told"] is not None and f["records"] == 1 for f in facts)
        assert found.homogeneous == sum(f["told"] is not None and f["records"] > 1 for f in facts)
        assert found.shares.mean_gain == pytest.approx(
            sum(f["gain"] for f in linked) / len(linked) if linked else 0
        )
        assert found.shares.mean_effective == pytest.approx(
            sum(f["effective"] for f in linked) / len(linked) if linked else 0
        )
        assert found.shares.least_effective == pytest.approx(
            min((f["effective"] for f in linked), default=0)
        )
        assert found.shares.fewest_values == min((f["values"] for f in linked), default=0)
        for level, number in found.shares.surprises.items():
            # above one half, a single value can be believed so much
            assert number == sum(
                f["posterior"] >= level - 1e-12 and all(prior[v] <= 0.6 for v in f["top"])
                for f in facts
            )


@pytest.mark.heavy
@relaxed
@given(
    rows=st.lists(
        st.tuples(label, label, st.one_of(st.none(), st.integers(0, 9))), min_size=1, max_size=14
    ),
    people=st.lists(st.tuples(cell, cell), max_size=8),
)
def test_intervals_of_numbers_equal_brute_force(engine, rows, people):
    people = [*people, ("11", "11"), ("12", "12"), ("21", "21")]
    columns = columns_of(rows, ["a", "b"]) | {"s": pa.array([r[2] for r in rows], pa.int64())}
    register = Register(opened(engine, columns_of(people, ["a", "b"])), "voters")
    found = attribute_disclosure(
        engine,
        opened(engine, columns),
        key=["a", "b"],
        sensitive="s",
        register=register,
        kind="number",
        narrow=0.3,
    )
    numbers = [r[2] for r in rows if r[2] is not None]
    if not numbers:
        assert found.intervals is None
        return
    span = max(numbers) - min(numbers)
    widths = []
    for p in people:
        own = [r[2] for r in rows if all(stands_for(r[j], p[j]) for j in range(2))]
        if own:
            widths.append(math.inf if None in own else max(own) - min(own))
    assert found.intervals.span == span
    assert found.intervals.narrow == sum(width <= 0.3 * span for width in widths)


def draw(rng, n, noise):
    """People whose illness follows from age and sex, but for noise of their own."""
    age, sex = rng.integers(0, 8, n), rng.integers(0, 2, n)
    ill = np.where(rng.random(n) < noise, rng.integers(0, 4, n), (age + sex) % 4)
    return {"age": age, "sex": sex, "ill": [f"illness {i}" for i in ill]}


def test_what_holds_for_everybody_is_no_risk_of_the_release(engine):
    rng = np.random.default_rng(11)
    everybody = opened(engine, draw(rng, 8_000, 0.2))
    private, control = hold_out(engine, everybody, share=0.5, rng=rng)
    found = attribute_disclosure(
        engine, private, key=["age", "sex"], sensitive="ill", private=private, control=control
    )
    # 0.8 + 0.2 · ¼, in the release or not; the commonest value alone gives about a quarter
    assert found.attack.value == pytest.approx(0.85, abs=0.03)
    assert found.control.value == pytest.approx(0.85, abs=0.03)
    assert found.baseline.value < 0.3
    assert found.risk.low < 0 < found.risk.high
    assert "holds for everybody" in found.verdict


def test_what_is_told_of_those_in_the_release_alone_is_its_risk(engine):
    rng = np.random.default_rng(12)
    n = 2_000
    cells = np.repeat(np.arange(n // 2), 2)  # pairs that share a key and, by chance, an illness
    ills = [f"illness {i}" for i in np.repeat(rng.integers(0, 4, n // 2), 2)]
    private = opened(engine, {"cell": cells, "ill": ills})
    control = opened(
        engine, {"cell": cells, "ill": [f"illness {i}" for i in rng.integers(0, 4, n)]}
    )
    found = attribute_disclosure(
        engine, private, key=["cell"], sensitive="ill", private=private, control=control
    )
    assert found.homogeneous == n
    assert found.attack.value == 1
    assert found.control.value == pytest.approx(0.25, abs=0.05)
    assert found.risk.low > 0.95
    assert found.risk_certain.low > 0.95
    assert len(found.witnesses) == 20
    assert "makes the difference" in found.verdict


@relaxed
@given(
    rows=st.lists(st.tuples(label, value), min_size=1, max_size=12),
    private=st.lists(st.tuples(cell, value), min_size=1, max_size=10),
)
def test_guesses_about_private_records_equal_brute_force(engine, rows, private):
    private = [*private, ("11", "x"), ("12", "y"), ("21", None)]
    release = opened(engine, columns_of(rows, ["a", "s"]))
    found = attribute_disclosure(
        engine,
        release,
        key=["a"],
        sensitive="s",
        private=opened(engine, columns_of(private, ["a", "s"])),
        certain=0.75,
    )
    least = most = sure = 0
    for key, true in private:
        counts = Counter(r[1] for r in rows if stands_for(r[0], key))
        n = sum(counts.values())
        sure_of = n > 0
        counts = counts if n else Counter(r[1] for r in rows)  # nothing known: as everybody
        counts.pop(None, None)
        best = max(counts.values(), default=0)
        tops = {v for v, c in counts.items() if c == best}
        most += true in tops
        least += tops == {true}
        sure += sure_of and true in tops and best >= 0.75 * n
    assert least <= found.attack.successes <= most  # a tie may be guessed either way
    assert found.attack_certain.successes == sure
    assert found.attack.trials == len(private)


def test_numbers_are_guessed_where_an_interval_is_narrow(engine):
    release = opened(engine, {"a": [1, 1, 2, 2], "pay": [100, 101, 0, 1000]})
    found = attribute_disclosure(
        engine,
        release,
        key=["a"],
        sensitive="pay",
        kind="number",
        private=release,
        control=opened(engine, {"a": [1, 1, 2], "pay": [100, 500, 500]}),
    )
    assert (found.attack.successes, found.control.successes) == (2, 1)
    assert found.attack_certain.successes == 0
    assert found.intervals.narrow == 2


def test_wrong_input_is_refused_without_private_values(engine):
    release = opened(engine, {"a": ["x1", "x2"], "s": ["u", "v"]}, "release")
    secret = opened(engine, {"a": ["secret1", "secret2"], "s": ["u", "v"]}, "private")
    with pytest.raises(InputError, match="at least one variable"):
        attribute_disclosure(engine, release, key=[], sensitive="s")
    with pytest.raises(InputError, match="cannot be in the key"):
        attribute_disclosure(engine, release, key=["a", "s"], sensitive="s")
    with pytest.raises(InputError, match="give the private data too"):
        attribute_disclosure(engine, release, key=["a"], sensitive="s", control=secret)
    with pytest.raises(InputError, match="certain must be a number from 0 to 1"):
        attribute_disclosure(engine, release, key=["a"], sensitive="s", certain=2)
    with pytest.raises(InputError, match="coded differently") as refused:
        attribute_disclosure(engine, release, key=["a"], sensitive="s", private=secret)
    assert "secret" not in str(refused.value)


@pytest.mark.shared
def test_adult_told_without_a_link_equals_pandas(engine):
    path = SHARED / "adult.csv"
    if not path.exists():
        pytest.skip("the shared data are not beside the project")
    key = ["sex", "age", "race", "marital-status", "education"]
    source = open_data(path, workspace=engine.workspace)
    register = Register(opened(engine, source.table(key)), "adult's keys")
    frame = source.to_pandas([*key, "salary-class"])
    groups = frame.groupby(key)["salary-class"]
    size, distinct = groups.transform("size"), groups.transform("nunique")
    for given_register in (None, register):
        found = attribute_disclosure(
            engine, source, key=key, sensitive="salary-class", register=given_register
        )
        assert found.alone == (size == 1).sum()
        assert found.homogeneous == ((size > 1) & (distinct == 1)).sum()
        rich = frame["salary-class"].eq(">50K").groupby([frame[k] for k in key]).transform("mean")
        assert found.shares.surprises[0.9] == (rich >= 0.9).sum()  # the other value has prior 0.75
    rng = np.random.default_rng(13)
    private, control = hold_out(engine, source, share=0.3, rng=rng)
    fine = attribute_disclosure(
        engine, private, key=key, sensitive="salary-class", private=private, control=control
    )
    coarse = attribute_disclosure(
        engine, private, key=key[:1], sensitive="salary-class", private=private, control=control
    )
    assert fine.risk.shown
    assert coarse.risk.low < 0 < coarse.risk.high


@pytest.mark.shared
def test_a_generalised_adult_is_read_through_hierarchies(engine):
    folder = SHARED / "hierarchies"
    if not folder.exists():
        pytest.skip("the shared data are not beside the project")
    source = open_data(SHARED / "adult.csv", workspace=engine.workspace)
    frame = source.to_pandas(["age", "sex", "salary-class"])
    tree = csv_hierarchy(folder / "adult_hierarchy_age.csv")
    levels = {row[0]: row[2] for row in tree.rows()}
    released = frame.assign(age=frame["age"].astype(str).map(levels))
    release = opened(engine, pa.Table.from_pandas(released, preserve_index=False))
    found = attribute_disclosure(
        engine,
        release,
        key=["age", "sex"],
        sensitive="salary-class",
        register=Register(source, "adult"),
        hierarchies={"age": tree},
    )
    sizes = released.groupby(["age", "sex"])["salary-class"]
    assert found.linked == len(frame)
    assert found.homogeneous == (sizes.transform("nunique") == 1).sum()
    shares = released.groupby(["age", "sex"])["salary-class"].value_counts(normalize=True)
    entropy = (-shares * np.log(shares)).groupby(["age", "sex"]).sum()
    mean = np.exp(entropy).loc[list(zip(released["age"], released["sex"], strict=True))].mean()
    assert found.shares.mean_effective == pytest.approx(mean)
