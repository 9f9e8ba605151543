"""Sets of rules: who breaks them, before and after."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from indistinct.core.errors import InputError
from indistinct.files import open_table
from indistinct.households import HouseholdColumns, find_kin, guess_household, read_kinship
from indistinct.rules import Rule, Rules, census_rules, compare_rules

RULES = Rules(
    [
        Rule("child married", "age < 15 and marital != 1", "too young"),
        Rule("young mother", "mother.age - age < 12"),
        Rule("several heads", "count(relationship == 1) > 1"),
    ]
)
COLUMNS = HouseholdColumns(
    "h", "relationship", "sex", "age", "marital", head=(1,), spouse=(2,), child=(3,),
    male=(1,), female=(2,), married=(2,), formerly_married=(3,), never_married=(1,),
)  # fmt: skip
PEOPLE = {
    "h": np.array([4, 4, 4, 7]),
    "relationship": np.array([1, 2, 3, 1]),
    "sex": np.array([1, 2, 2, 2]),
    "age": np.array([40, 38, 9, 17]),
    "marital": np.array([2, 2, 2, 1]),
}
KIN = find_kin(COLUMNS, PEOPLE)


def test_what_the_rules_speak_of():
    assert RULES.variables == ("age", "marital", "relationship")
    assert RULES.relatives == ("mother",)
    assert RULES.needs_kinship
    assert list(RULES.about(["marital"])) == ["child married"]
    assert not RULES.about(["marital"]).needs_kinship
    assert Rules.from_dict(json.loads(json.dumps(RULES.to_dict()))) == RULES
    assert hash(Rules.from_dict(RULES.to_dict())) == hash(RULES)


def test_violations():
    check = RULES.violations(PEOPLE, KIN)
    assert check.counts == {"child married": 1, "young mother": 0, "several heads": 0}
    assert check.any.tolist() == [False, False, True, False]
    assert check.violating_households.tolist() == [0]
    assert check.to_dict()["impossible"] == check.to_dict()["households"] == 1
    assert "1 of 4 records break a rule, 1 households" in repr(check)
    assert check._repr_html_().startswith("<div>")


def test_what_must_be_given():
    with pytest.raises(InputError, match="Rule 'young mother' speaks of relatives"):
        RULES.violations(PEOPLE)
    with pytest.raises(
        InputError, match=r"'child married' speaks of 'marital'.*\n.*'relationship'"
    ):
        RULES.violations({"age": PEOPLE["age"]}, KIN)
    with pytest.raises(InputError, match=r"same records. Got lengths"):
        RULES.violations(PEOPLE | {"age": np.array([1])}, KIN)
    with pytest.raises(InputError, match="Check the rules with a kinship"):
        _ = RULES.about(["marital"]).violations(PEOPLE).violating_households
    with pytest.raises(InputError, match="two rules 'a'"):
        Rules([Rule("a", "x == 1"), Rule("a", "x == 2")])
    with pytest.raises(InputError, match=r"no rule 'several'. Did you mean 'several heads'"):
        RULES["several"]
    with pytest.raises(InputError, match="needs a name"):
        Rule("", "x == 1")
    with pytest.raises(InputError, match="must have impossible"):
        Rules.from_dict({"a": {"possible": "x == 1"}})


def test_no_rules_and_no_records():
    assert Rules().violations(PEOPLE).any.tolist() == [False] * 4
    empty = {name: values[:0] for name, values in PEOPLE.items()}
    assert RULES.violations(empty, find_kin(COLUMNS, empty)).any.tolist() == []


def test_before_and_after():
    released = PEOPLE | {"age": np.array([40, 17, 38, 9]), "marital": np.array([2, 2, 1, 2])}
    report = compare_rules(RULES, PEOPLE, released, kinship=KIN)
    assert report.before.counts == {"child married": 1, "young mother": 0, "several heads": 0}
    assert report.after.counts == {"child married": 1, "young mother": 1, "several heads": 0}
    assert {n: r.tolist() for n, r in report.became.items()} == {
        "child married": [3],
        "young mother": [2],
        "several heads": [],
    }
    assert report.became_impossible.tolist() == [3]
    assert not report.passed
    assert "MORE than before" in repr(report)
    plain = json.loads(json.dumps(report.to_dict()))
    assert (plain["original"], plain["released"], plain["difference"]) == (1, 2, 1)
    assert plain["rules"]["young mother"]["passed"] is False
    same = compare_rules(RULES, PEOPLE, PEOPLE, kinship=KIN)
    assert same.passed
    assert len(same.became_impossible) == 0


def test_data_sets_are_read_and_their_kin_found(tmp_path):
    source = open_table(pa.table(PEOPLE | {"hid": PEOPLE["h"]}), workspace=tmp_path)
    assert guess_household(source).household == "hid"
    assert read_kinship(source).mother.tolist() == KIN.mother.tolist()
    report = compare_rules(RULES, source, PEOPLE | {"age": np.array([40, 17, 9, 38])})
    assert report.after.counts["young mother"] == 1
    with pytest.raises(InputError, match=r"table: Rule 'r' speaks of 'aeg'.* Did you mean 'age'"):
        Rules([Rule("r", "aeg < 3")]).read(source)
    shorter = {name: values[:3] for name, values in PEOPLE.items()}
    with pytest.raises(InputError, match=r"same records. Got 4 and 3"):
        compare_rules(RULES, source, shorter)


def test_the_usual_rules_of_a_census():
    rules = census_rules(COLUMNS)
    assert rules["child married"].impossible == "age < 15 and marital in (2, 3)"
    assert len(rules) == 7
    assert rules.violations(PEOPLE, KIN).counts["child married"] == 1
    odd = HouseholdColumns("h", "Rel to Head", age="class", head=("h",))
    assert census_rules(odd)["young head"].impossible == "`class` < 12 and `Rel to Head` == 'h'"
    with pytest.raises(InputError, match="Say which column holds it"):
        census_rules(HouseholdColumns("h", "r", head=(1,)))
    with pytest.raises(InputError, match="without backticks"):
        census_rules(HouseholdColumns("h", "r", age="a`ge", head=(1,)))
