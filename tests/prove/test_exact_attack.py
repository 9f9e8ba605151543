"""The exact attack against brute force, a pandas merge, and people whose identity is known."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.engine import start_engine
from indistinct.files import open_data, open_table, workspace
from indistinct.hierarchy import table_hierarchy
from indistinct.hierarchy.labels import stands_for
from indistinct.prove.attacks.control import hold_out
from indistinct.prove.attacks.exact import exact_attack
from indistinct.prove.registers import Register

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
relaxed = settings(deadline=None, max_examples=60)


@pytest.fixture(scope="module")
def engine():
    with workspace() as folder, start_engine("duckdb", workspace=folder, threads=1) as started:
        yield started


def opened(engine, columns, name="table"):
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    return open_table(table, workspace=engine.workspace, origin=name)


def text(values):
    return pa.array(values, type=pa.string())


def by_hand(released, register):
    """Return for every released row the register's rows that it may refer to."""
    return [
        [
            j
            for j, person in enumerate(register)
            # what the register does not know meets suppressed labels only
            if all(
                (label in (None, "*")) if value is None else stands_for(label, value)
                for label, value in zip(row, person, strict=True)
            )
        ]
        for row in released
    ]


def coded_apart(released, people):
    """Say whether labels of a variable tell something, and none meets anybody's value."""
    for j in range(2):
        labels = {row[j] for row in released} - {None, "*"}
        values = {person[j] for person in people} - {None}
        if labels and not any(stands_for(x, y) for x in labels for y in values):
            return True
    return False


label = st.sampled_from([None, "*", "1*", "11", "12", "21", "2*"])
value = st.sampled_from([None, "11", "12", "21", "22", "1*"])
band = st.sampled_from([None, "20-24", "25-29", "21", "27", "20-29"])
age = st.sampled_from([None, "20", "21", "24", "27", "29"])


@relaxed
@given(
    released=st.lists(st.tuples(label, band, st.sampled_from("xyz")), min_size=1, max_size=12),
    people=st.lists(st.tuples(value, age), min_size=1, max_size=12),
    data=st.data(),
)
def test_links_and_judgements_equal_brute_force(engine, released, people, data):
    truth = [data.draw(st.integers(-2, len(people) - 1)) for _ in released]
    release = opened(
        engine,
        {
            "area": text([r[0] for r in released]),
            "age": text([r[1] for r in released]),
            "told": text([r[2] for r in released]),
        },
    )
    voters = {"area": text([p[0] for p in people]), "age": text([p[1] for p in people])}
    register = Register(opened(engine, voters), "voters")
    attack = partial(
        exact_attack, engine, release, register, attributes=["area", "age"], truth=np.array(truth)
    )
    if coded_apart(released, people):
        with pytest.raises(InputError, match="coded differently"):
            attack()
        return
    found = attack()
    linked = by_hand([r[:2] for r in released], people)
    sizes = [len(c) for c in linked]
    assert (found.unique, found.none) == (sizes.count(1), sizes.count(0))
    assert found.ambiguous == len(sizes) - sizes.count(1) - sizes.count(0)
    assert found.sizes["2"] == sizes.count(2)
    assert found.expected == pytest.approx(sum(1 / n for n in sizes if n))
    assert found.largest == pytest.approx(max((1 / n for n in sizes if n), default=0))
    claims = [(c[0], t) for c, t in zip(linked, truth, strict=True) if len(c) == 1]
    assert found.right == sum(c == t for c, t in claims)
    assert found.wrong == sum(c != t != -2 for c, t in claims)
    assert found.unjudged == sum(t == -2 for _, t in claims)
    assert found.findable == sum(t >= 0 for t in truth)
    assert {(w.record - 1, w.person) for w in found.witnesses} == {
        (i, f"row {c[0] + 1}") for i, c in enumerate(linked) if len(c) == 1
    }
    if -2 not in truth:
        named, subjects = {c for c, _ in claims}, {t for t in truth if t >= 0}
        others = set(range(len(people))) - subjects
        for rate, who in ((found.targets, subjects), (found.controls, others)):
            assert (rate is None) == (not who)
            assert rate is None or (rate.successes, rate.trials) == (len(named & who), len(who))
        knowing = [len(subjects & set(c)) for c in linked]
        assert found.expected_knowing == pytest.approx(sum(1 / n for n in knowing if n))


@pytest.mark.heavy
@relaxed
@given(
    private=st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("123"), st.sampled_from("xy")),
        min_size=2,
        max_size=10,
    ),
    others=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("123")), max_size=6),
    swap=st.booleans(),
    with_person=st.booleans(),
)
def test_judgement_by_values_equals_brute_force(engine, private, others, swap, with_person):
    ids = [f"p{i}" for i in range(len(private) + len(others))]
    told = [r[2] for r in private]
    told = told[1:] + told[:1] if swap else told
    release = opened(
        engine, {"a": [r[0] for r in private], "b": [r[1] for r in private], "ill": told}
    )
    source = opened(
        engine,
        {
            "id": ids[: len(private)],
            "a": [r[0] for r in private],
            "b": [r[1] for r in private],
            "ill": [r[2] for r in private],
        },
    )
    people = [r[:2] for r in private] + others
    register = Register(
        opened(engine, {"id": ids, "a": [p[0] for p in people], "b": [p[1] for p in people]}),
        "voters",
        "id" if with_person else None,
    )
    found = exact_attack(engine, release, register, attributes=["a", "b"], private=source)
    linked = by_hand([r[:2] for r in private], people)
    right = wrong = unknown = 0
    for i, candidates in enumerate(linked):
        if len(candidates) != 1:
            continue
        person = candidates[0]
        own = [
            r[2]
            for j, r in enumerate(private)
            if (j == person if with_person else r[:2] == people[person])
        ]
        agree = [value == told[i] for value in own]
        right += bool(agree) and all(agree)
        wrong += not any(agree)
        unknown += any(agree) and not all(agree)
    assert (found.judged, found.right, found.wrong, found.unjudged) == (
        "values",
        right,
        wrong,
        unknown,
    )
    subjects = len(private) if with_person else sum(p in [r[:2] for r in private] for p in people)
    assert found.targets.trials == subjects


def test_a_generalised_release_is_linked_through_its_hierarchy(engine):
    tree = table_hierarchy(
        [("nurse", "health", "any"), ("doctor", "health", "any"), ("clerk", "office", "any")]
    )
    release = opened(engine, {"job": ["health", "office"], "sex": ["f", "m"]})
    voters = {"job": ["nurse", "doctor", "clerk"], "sex": ["f", "m", "m"], "name": ["A", "B", "C"]}
    register = Register(opened(engine, voters), "voters", "name")
    found = exact_attack(
        engine,
        release,
        register,
        attributes=["job", "sex"],
        hierarchies={"job": tree},
        truth=["A", "C"],
    )
    assert (found.unique, found.right, found.guesses.attribute) == (2, 2, "sex")
    assert found.guesses.by_attribute == pytest.approx((1 / 1 + 1 / 2) / 2)


def test_an_identity_in_the_release_itself_is_the_truth(engine):
    release = opened(engine, {"id": [2, 1], "zip": ["a", "b"]})
    register = Register(opened(engine, {"id": [1, 2], "zip": ["a", "b"]}), "voters", "id")
    found = exact_attack(engine, release, register)
    assert found.attributes == ("zip",)
    assert (found.judged, found.right, found.wrong) == ("truth", 0, 2)
    assert "no more than guessing" in found.verdict


def test_a_release_of_random_keys_names_controls_as_often_as_subjects(engine):
    # keys released at random: whoever is named is named by chance, subject or not
    rng = np.random.default_rng(5)
    n = 4_000
    cells = rng.permutation(3 * n)
    release = opened(engine, {"cell": rng.choice(3 * n, size=n), "ill": rng.choice(["x", "y"], n)})
    people = {"id": np.arange(3 * n), "cell": cells}
    private = opened(engine, {"id": np.arange(n), "cell": cells[:n]})
    register = Register(opened(engine, people), "voters", "id")
    found = exact_attack(engine, release, register, attributes=["cell"], private=private)
    assert found.judged == "claims"
    assert found.unique == n
    assert found.targets.trials == n
    assert found.controls.trials == 2 * n
    assert found.risk.low < 0 < found.risk.high
    assert found.risk.high < 0.06
    assert "no more than chance" in found.verdict
    honest = opened(engine, {"cell": cells[:n]})
    exposed = exact_attack(engine, honest, register, attributes=["cell"], private=private)
    assert exposed.controls.successes == 0
    assert exposed.risk.low > 0.99


def test_a_control_file_joins_the_register_and_is_judged_by_its_own_values(engine):
    rng = np.random.default_rng(6)
    n = 3_000
    table = pa.table(
        {
            "id": np.arange(2 * n),
            "cell": rng.permutation(2 * n),
            "ill": rng.choice(["x", "y"], 2 * n),
        }
    )
    kept, control = hold_out(engine, opened(engine, table), share=0.5, rng=rng)
    assert kept.records == control.records == n
    own, others = kept.to_pandas(), control.to_pandas()
    assert not set(own["id"]) & set(others["id"])
    # names nobody in particular: keys drawn from everybody, values from the population
    release = opened(
        engine, {"cell": rng.choice(2 * n, n, replace=False), "ill": rng.choice(["x", "y"], n)}
    )
    register = Register(opened(engine, table.select(["id", "cell"])), "voters", "id")
    found = exact_attack(
        engine, release, register, attributes=["cell"], private=kept, control=control
    )
    assert found.people == 2 * n  # who was in both is there once
    assert found.judged == "values"
    told_in, told_out = found.told
    assert told_in.trials == told_out.trials == n
    assert found.risk.low < 0 < found.risk.high
    merged = release.to_pandas().merge(others, on="cell", suffixes=("", "_true"))
    assert told_out.successes == (merged["ill"] == merged["ill_true"]).sum()
    honest = opened(engine, kept.table(["cell", "ill"]))
    exposed = exact_attack(
        engine, honest, register, attributes=["cell"], private=kept, control=control
    )
    assert exposed.right == n
    assert exposed.risk.low > 0.99


def test_a_unit_swap_names_everybody_and_nobody_rightly(engine):
    # wrong-map: keys are swapped as a unit, so that each names one person, the wrong one
    private = opened(engine, {"id": [*"abcd"], "zip": [*"1234"], "ill": [*"wxyz"]})
    release = opened(engine, {"zip": [*"2341"], "ill": [*"wxyz"]})
    register = Register(opened(engine, {"id": [*"abcd"], "zip": [*"1234"]}), "voters", "id")
    found = exact_attack(engine, release, register, private=private)
    assert (found.unique, found.right, found.wrong) == (4, 0, 4)
    assert found.risk.value < 0.5
    assert not found.risk.shown


def test_wrong_input_is_refused(engine):
    release = opened(engine, {"zip": ["1", "2"]})
    register = Register(opened(engine, {"zip": ["1", "2"]}), "voters")
    with pytest.raises(InputError, match="entry for each of the 2 records"):
        exact_attack(engine, release, register, truth=[0])
    with pytest.raises(InputError, match="row numbers from 0 to 1"):
        exact_attack(engine, release, register, truth=["a", "b"])
    with pytest.raises(InputError, match="share no column"):
        exact_attack(engine, opened(engine, {"age": [1]}), register)
    twice = Register(opened(engine, {"id": [1, 1], "zip": ["1", "2"]}), "voters", "id")
    with pytest.raises(InputError, match="must name each person once"):
        exact_attack(engine, release, twice, control=opened(engine, {"id": [3], "zip": ["1"]}))
    unnamed = Register(opened(engine, {"id": [1, None], "zip": ["1", "2"]}), "voters", "id")
    with pytest.raises(InputError, match="must name every person"):
        exact_attack(engine, release, unnamed)
    with pytest.raises(InputError, match="above 0 and below 1"):
        hold_out(engine, release, share=1.0, rng=np.random.default_rng(1))
    with pytest.raises(InputError, match="leaves none"):
        hold_out(engine, release, share=0.01, rng=np.random.default_rng(1))


@pytest.fixture(scope="module")
def census(engine):
    path = SHARED / "pseudopeople_decennial_census.csv"
    if not path.exists():
        pytest.skip("the shared data are not beside the project")
    frame = open_data(
        path, workspace=engine.workspace, text_columns=["zipcode", "street_number"]
    ).to_pandas()
    frame = frame[frame["year"] == 2030]
    return frame[~frame["simulant_id"].duplicated()].reset_index(drop=True)


KEY = ["date_of_birth", "sex", "street_number", "street_name"]


@pytest.mark.heavy
@pytest.mark.shared
@pytest.mark.parametrize("key", [KEY, KEY[:2], ["age", "sex", "race_ethnicity"]])
def test_every_true_unique_link_of_a_census_is_found_and_no_other(engine, census, key):
    rng = np.random.default_rng(7)
    chosen = np.sort(rng.choice(len(census), len(census) // 2, replace=False))
    subjects = census.iloc[chosen].reset_index(drop=True)
    release = opened(
        engine, pa.Table.from_pandas(subjects[[*key, "relationship_to_reference_person"]])
    )
    people = ["simulant_id", "first_name", "last_name", *key]
    register = Register(
        opened(engine, pa.Table.from_pandas(census[people], preserve_index=False)),
        "census",
        "simulant_id",
    )
    found = exact_attack(
        engine, release, register, attributes=key, truth=subjects["simulant_id"].tolist()
    )
    # brute force: a merge of all who have every value
    sized = census.dropna(subset=key).groupby(key)["simulant_id"].agg(["size", "first"])
    merged = subjects.merge(sized, left_on=key, right_index=True, how="left")
    complete = merged[key].notna().all(axis=1)
    alone = merged[complete & (merged["size"] == 1)]
    assert (alone["first"] == alone["simulant_id"]).all()
    named = {w.person for w in found.witnesses if w.verdict == "right"}
    assert found.right >= len(alone)
    assert complete.mean() > 0.9
    if complete.all():
        assert (found.unique, found.right, found.wrong) == (len(alone), len(alone), 0)
    else:
        # a suppressed cell is anything: the record may name somebody, rightly or not
        lacking = opened(engine, pa.Table.from_pandas(subjects[complete][key]))
        strict = exact_attack(
            engine,
            lacking,
            register,
            attributes=key,
            truth=subjects["simulant_id"][complete].tolist(),
        )
        assert (strict.unique, strict.right, strict.wrong) == (len(alone), len(alone), 0)
    assert len(named) <= 20


@pytest.mark.shared
def test_shuffled_birth_dates_are_not_found_in_a_census(engine, census):
    rng = np.random.default_rng(8)
    key = ["date_of_birth", "sex"]
    whole = census.dropna(subset=key).reset_index(drop=True)
    swapped = whole[key].iloc[rng.permutation(len(whole))]
    release = opened(engine, pa.Table.from_pandas(swapped, preserve_index=False))
    register = Register(
        opened(engine, pa.Table.from_pandas(whole[["simulant_id", *key]], preserve_index=False)),
        "census",
        "simulant_id",
    )
    found = exact_attack(
        engine, release, register, attributes=key, truth=whole["simulant_id"].tolist()
    )
    assert found.unique > 0.5 * len(whole)
    assert found.right < 0.01 * len(whole)
    assert found.risk.high < 0.01
