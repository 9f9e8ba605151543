"""Comparing a release with its original through the front door."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct import open_data
from indistinct.census import census_table
from indistinct.core.errors import InputError
from indistinct.core.variables import Variable, Variables
from indistinct.files import open_table
from indistinct.flow import compare_release
from indistinct.hierarchy import table_hierarchy
from indistinct.hierarchy.labels import stands_for
from indistinct.households import guess_household, read_kinship
from indistinct.rules import Rule, Rules
from indistinct.utility.comparing import general
from indistinct.utility.comparing.labels import prepare
from indistinct.utility.comparing.parts import compare_edit_rules

FIELDS = {"original", "released", "difference"}
PEOPLE = 400
CODES = {"head": (1,), "spouse": (2, 3), "child": (4,), "male": (1,), "female": (2,)}


@pytest.fixture(scope="module")
def engine():
    with open_data({"x": [1]}) as data:
        yield data.engine


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(4)
    age = rng.integers(18, 80, PEOPLE)
    return {
        "id": np.arange(PEOPLE),
        "age": age,
        "sex": rng.choice(["f", "m"], PEOPLE),
        "region": rng.choice(["north", "south", "west"], PEOPLE),
        "wage": (age * 40 + rng.normal(0, 300, PEOPLE)).round(),
    }


def sources(engine, first, second, **declared):
    both = [open_table(pa.table(t), workspace=engine.workspace) for t in (first, second)]
    return [
        replace(s, variables=s.variables.updated({k: v for k, v in declared.items()})) for s in both
    ]


def said(found):
    return "\n".join(found.notes)


def test_identical_files_differ_in_nothing(engine, people):
    found = compare_release(people, people, key=["age", "sex"], engine=engine)
    content = found.to_dict()
    assert found.passed is None
    assert found.utility.marginals.same
    assert found.utility.k_marginal.score == 1000
    assert found.utility.propensity.pmse == pytest.approx(0, abs=1e-12)
    assert content["protection"]["difference"] == {"exact": 0, "rank": 0, "gower": 0}
    assert content["protection"]["changes"]["percent"]["any_variable"] == 0
    assert found.notes[0].startswith("The demographic tests were not made: original: which var")


def test_every_object_has_the_fixed_fields_and_is_plain_json(engine):
    census = census_table(2000, seed=1, names=False)
    columns = ["household", "relationship", "sex", "age", "marital", "education", "region"]
    rules = Rules([Rule("child head", "age < 12 and relationship == 1")])
    found = compare_release(
        census.select(columns), census.select(columns), engine=engine, rules=rules, household=CODES
    )
    content = found.to_dict()
    objects = {name for name, value in content.items() if isinstance(value, dict)}
    assert {"marginals", "age_gap", "fertility", "homogamy", "rules", "protection"} <= objects
    for name in objects:
        assert set(content[name]) >= FIELDS, name

    def refuse(word):
        raise AssertionError(word)

    text = json.dumps(content)
    assert json.loads(text, parse_constant=refuse) == content
    assert "household" not in content["variables"]
    assert found.tests["fertility"] is True
    assert found.tests["rules"] is True
    assert found.passed is True


def test_what_was_shuffled_fails_with_a_suggestion(engine):
    census = census_table(3000, seed=1, names=False)
    columns = ["household", "relationship", "sex", "age", "marital"]
    census = census.select(columns)
    ages = census.column("age").to_numpy()
    mixed = pa.array(np.random.default_rng(1).permutation(ages))
    shuffled = census.set_column(columns.index("age"), "age", mixed)
    rules = Rules([Rule("young mother", "mother.age - age < 12")])
    options = {"engine": engine, "household": CODES, "least": {"gap": 5}}
    found = compare_release(census, shuffled, rules=rules, thresholds={"gap": 1.0}, **options)
    assert found.tests == {"age_gap": False, "fertility": False, "rules": False}
    assert found.failed == ("age gap between spouses", "own-child fertility", "edit rules")
    assert "'young mother'" in found.suggestions[-1]
    assert found.demography.age_gap.threshold == 1.0
    assert len(found.suggestions) == 3
    # brute force over the original's kin
    with open_data(census) as data:
        mother = read_kinship(data.source, guess_household(data.source, **CODES)).mother
    new = mixed.to_numpy().astype(int)
    gap = new[mother] - new
    assert found.rules.after.counts["young mother"] == int(((mother >= 0) & (gap < 12)).sum())


class TestGeneralised:
    def test_the_original_is_recoded_as_the_release(self, engine, people):
        """Exact counts in classes that were made by hand."""
        labels = np.where(people["age"] < 40, "18-39", np.where(people["age"] < 65, "40-64", "65+"))
        found = compare_release(people, people | {"age": labels}, engine=engine)
        ages = found.utility.marginals["age"]
        assert ages.same
        assert sorted(ages.labels) == ["18-39", "40-64", "65+"]
        assert found.generalised[0].values == len(set(people["age"].tolist()))
        assert "Generalised: age" in said(found)
        assert "age" in found.utility.correlations.names

    def test_what_was_recoded_and_moved_is_seen(self, engine, people):
        labels = np.where(people["age"] < 40, "18-39", "40+")
        moved = labels.copy()
        moved[:40] = "40+"
        found = compare_release(people, people | {"age": moved}, engine=engine)
        truth = abs((moved == "40+").mean() - (labels == "40+").mean())
        assert found.utility.marginals["age"].total_variation == pytest.approx(truth)

    def test_suppressed_cells_are_missing_and_numbers_stay_numbers(self, engine, people):
        ages = people["age"].astype(str).astype(object)
        ages[::10] = "*"
        found = compare_release(people, people | {"age": ages.tolist()}, engine=engine)
        moments = found.utility.marginals["age"]
        assert moments.released.left_out == PEOPLE // 10
        kept = np.delete(people["age"], np.arange(0, PEOPLE, 10))
        assert moments.released.mean == pytest.approx(kept.mean())
        assert found.suppressed == {"age": PEOPLE // 10}
        assert not found.generalised

    def test_numbers_that_are_new_are_no_labels(self, engine, people):
        found = compare_release(people, people | {"wage": people["wage"] + 0.5}, engine=engine)
        assert not found.generalised
        assert not found.left_out
        shift = found.utility.marginals["wage"]
        assert shift.released.mean - shift.original.mean == pytest.approx(0.5)

    def test_labels_that_nobody_can_read_are_left_out(self, engine, people):
        coast = {"north": "inland", "south": "coast", "west": "coast"}
        released = people | {"region": [coast[r] for r in people["region"]], "sex": ["*"] * PEOPLE}
        found = compare_release(people, released, engine=engine)
        assert found.left_out == ("region", "sex")
        assert "Generalised and left out: region" in said(found)
        assert "Suppressed altogether and left out: sex" in said(found)
        assert set(found.utility.variables) == {"id", "age", "wage"}
        with pytest.raises(InputError, match="'region' is generalised"):
            compare_release(people, released, engine=engine, predictors=["region"])
        tree = table_hierarchy([(r, coast[r], "*") for r in coast], name="region")
        told = compare_release(people, released, engine=engine, hierarchies={"region": tree})
        assert told.left_out == ("sex",)
        assert told.utility.marginals["region"].same

    def test_nothing_left_to_compare_is_refused(self, engine):
        first = {"job": ["nurse", "cook"] * 5}
        with pytest.raises(InputError, match="Every variable"):
            compare_release(first, {"job": ["health", "food"] * 5}, engine=engine)

    def test_tests_of_households_need_single_ages(self, engine):
        census = census_table(600, seed=1, names=False).select(
            ["household", "relationship", "sex", "age"]
        )
        coarse = pa.array([f"{a // 10 * 10}-{a // 10 * 10 + 9}" for a in census["age"].to_pylist()])
        found = compare_release(census, census.set_column(3, "age", coarse), engine=engine)
        assert found.demography is None
        assert "age of released is generalised" in said(found)
        with pytest.raises(InputError, match="cannot be made: released does not have age"):
            compare_release(census, census.drop_columns("age"), engine=engine, demography=True)

    @settings(max_examples=40, deadline=None)
    @given(
        st.lists(st.integers(0, 30), min_size=2, max_size=25),
        st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), min_size=1, max_size=6),
    )
    def test_categories_are_what_labels_and_values_share(self, engine, values, spans):
        """Against components of the graph of labels and values, found by plain search."""
        labels = [f"{low}-{low + width}" for low, width in spans]
        covered = [any(stands_for(la, v, kind="number") for la in labels) for v in set(values)]
        first, second = sources(engine, {"age": values}, {"age": labels})
        both = prepare(engine, first, second, ["age"], lambda name, known: None)
        unmet = [la for la in labels if not any(stands_for(la, v, kind="number") for v in values)]
        graph = components(sorted(set(values)), sorted(set(labels)))
        if unmet or (len(graph) < 2 <= len(set(values))):
            assert both.unread == ("age",)
            return
        assert both.generalised[0].categories == len(graph)
        new = both.original.table().column("age").to_pylist()
        groups = {}
        for value, name in zip(values, new, strict=True):
            groups.setdefault(name, set()).add(value)
        assert sorted(map(sorted, groups.values())) == sorted(sorted(g) for g in graph)
        told = both.released.table().column("age").to_pylist()
        for label, name in zip(labels, told, strict=True):
            assert all(stands_for(label, v, kind="number") <= (v in groups[name]) for v in values)
        assert both.original.variables["age"].level in ("ordinal", "nominal")
        assert len(covered) == len(set(values))


def components(values, labels):
    """Return the sets of values that labels join, one for each component."""
    left, found = list(values), []
    while left:
        group, labels_in = {left[0]}, set()
        while True:
            labels_in |= {
                la for la in labels if any(stands_for(la, v, kind="number") for v in group)
            }
            wider = {v for v in values if any(stands_for(la, v, kind="number") for la in labels_in)}
            if wider | group == group:
                break
            group |= wider
        found.append(group)
        left = [v for v in left if v not in group]
    return found


class TestRecords:
    def test_other_numbers_of_records_are_compared_but_not_one_by_one(self, engine, people):
        half = {name: column[::2] for name, column in people.items()}
        found = compare_release(people, half, engine=engine)
        assert found.utility.records == (PEOPLE, PEOPLE // 2)
        assert found.protection is None
        assert "400 original and 200 released records do not correspond" in said(found)
        with pytest.raises(InputError, match="--match"):
            compare_release(people, half, engine=engine, protection=True)
        matched = compare_release(people, half, engine=engine, match="id")
        assert matched.protection.changes.left_out == PEOPLE // 2
        assert "id" not in matched.utility.variables
        assert matched.protection.changes.everybody.any_variable == 0

    def test_unmatched_records_are_not_compared_one_by_one(self, engine, people):
        found = compare_release(
            *(people, people), unmatched=True, engine=engine, rules=Rules([Rule("old", "age > 79")])
        )
        assert found.protection is None
        assert found.rules is None
        assert "What changed and rules were not compared: records were said not to" in said(found)

    def test_another_order_is_noticed(self, engine, people):
        order = np.random.default_rng(2).permutation(PEOPLE)
        mixed = {name: np.asarray(column)[order] for name, column in people.items()}
        found = compare_release(people, mixed, engine=engine)
        assert "no more than by chance" in said(found)
        matched = compare_release(people, mixed, engine=engine, match="id")
        assert matched.protection.changes.everybody.any_variable == 0
        assert "chance" not in said(matched)
        swapped = people | {"age": people["age"][order]}
        assert "chance" not in said(compare_release(people, swapped, engine=engine))

    @settings(max_examples=25, deadline=None)
    @given(st.integers(0, 10_000), st.integers(2, 12))
    def test_rules_by_a_matching_column_equal_plain_counting(self, engine, seed, size):
        rng = np.random.default_rng(seed)
        kept = rng.permutation(size)[: rng.integers(1, size + 1)]
        ages = rng.integers(0, 30, size)
        new = rng.integers(0, 30, len(kept))
        married = rng.choice(["yes", "no"], size)
        first, second = sources(
            engine,
            {"id": np.arange(size), "age": ages, "married": married},
            {"id": kept, "age": new, "married": married[kept]},
        )
        both = prepare(engine, first, second, [], lambda name, values: None)
        rules = Rules([Rule("child married", "age < 15 and married == 'yes'")])
        found = compare_edit_rules(rules, both, None, match="id", notes=[])
        before = (ages[kept] < 15) & (married[kept] == "yes")
        after = (new < 15) & (married[kept] == "yes")
        content = found.to_dict()
        assert (content["original"], content["released"]) == (before.sum(), after.sum())
        assert content["became_impossible"] == (after & ~before).sum()

    def test_rules_that_the_release_cannot_answer_are_named(self, engine, people):
        rules = Rules([Rule("old", "age > 79"), Rule("rich", "wage > 9000")])
        released = {n: c for n, c in people.items() if n != "wage"}
        found = compare_release(people, released, rules=rules, engine=engine)
        assert "Rules that were not compared: rich" in said(found)
        assert list(found.rules.rules) == ["old"]


class TestDeclarations:
    def test_missing_codes_and_weights_hold_for_both_files(self, tmp_path, engine, people):
        columns = people | {"weight": np.full(PEOPLE, 2.5)}
        columns["wage"] = np.where(people["id"] % 7 == 0, 99999.0, people["wage"])
        table = pa.table(columns)
        pa.csv.write_csv(table, tmp_path / "original.csv")
        pa.csv.write_csv(table.slice(0, PEOPLE - 1), tmp_path / "released.csv")
        project = tmp_path / "release.toml"
        project.write_text(
            '[data]\nfile = "original.csv"\n[variables.id]\nrole = "identifier"\n'
            '[variables.weight]\nrole = "weight"\n[variables.wage]\nmissing = [99999]\n'
        )
        for original, named in ((project, None), (tmp_path / "original.csv", project)):
            found = compare_release(
                *(original, tmp_path / "released.csv"), project=named, engine=engine
            )
            wages = found.utility.marginals["wage"]
            assert wages.original.mean < 10_000
            assert wages.released.mean < 10_000
            assert found.utility.marginals.weighted
            assert set(found.utility.variables) == {"age", "sex", "region", "wage"}

    def test_a_project_beside_a_project_is_refused(self, tmp_path):
        with pytest.raises(InputError, match="is a project file already"):
            compare_release(tmp_path / "a.toml", "b.csv", project=tmp_path / "b.toml")

    def test_released_columns_of_another_kind_keep_their_own_codes(self, engine):
        first, second = sources(engine, {"a": [1, 2], "b": [1, 2]}, {"a": [2, 1], "b": ["x", "1"]})
        told = Variables(
            [
                Variable("a", role="key", labels={1: "one"}),
                Variable("b", role="key", labels={1: "one"}, user_missing=(9,)),
            ]
        )
        from indistinct.flow.opening_both import open_released

        opened = open_released(second, replace(first, variables=told), engine.workspace)
        found = opened.source.variables
        assert dict(found["a"].labels) == {1: "one"}
        assert not found["b"].labels
        assert not found["b"].user_missing
        assert found["b"].role == "key"


def test_many_variables_get_a_smaller_two_way_model(engine, people, monkeypatch):
    monkeypatch.setattr(general, "_WORK", 1.0)
    rng = np.random.default_rng(1)
    more = {f"x{i}": rng.choice(["a", "b"], PEOPLE) for i in range(4)}
    mixed = people | more | {"sex": rng.permutation(people["sex"])}
    found = compare_release(people | more, mixed, engine=engine)
    assert found.utility.interactions is not None
    assert "The two-way model has 4 of 9 variables" in said(found)
    assert "sex" in said(found)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"variables": ["aeg"]}, "Did you mean 'age'"),
        ({"targets": ["wgae"]}, "Did you mean 'wage'"),
        ({"by": "regoin"}, "Did you mean 'region'"),
        ({"key": ["sexx"]}, "Did you mean 'sex'"),
        ({"variables": []}, "at least one variable"),
        ({"thresholds": {"gaps": 1}}, "Did you mean 'gap'"),
        ({"thresholds": {"gap": -1}}, "number of at least 0"),
        ({"least": {"fertility": 3}}, "There is no least number"),
        ({"match": "id", "unmatched": True}, "Give one of the two"),
        ({"match": "sex"}, "must differ in each"),
        ({"household": {"houshold": "id"}}, "Did you mean 'household'"),
        ({"household": {"household": "idd"}}, "Did you mean 'id'"),
        ({"education": "educ"}, "There is no variable 'educ'|cannot be made"),
        ({"hierarchies": "no-such-folder"}, "not a directory"),
    ],
)
def test_a_mistake_is_told_with_what_to_do(engine, people, options, words):
    released = people | {"region": ["coast"] * PEOPLE}
    with pytest.raises(InputError, match=words):
        compare_release(people, released, engine=engine, **options)


def test_files_that_share_nothing_are_refused(engine, people):
    with pytest.raises(InputError, match="share no variable"):
        compare_release(people, {"other": [1, 2, 3]}, engine=engine)
