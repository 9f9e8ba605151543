"""What anybody knows by a rule is told by no class; what is no rule, or reaches beyond it, is.

Brute force reads the released rows in plain Python and asks of each class whether every age that
its label may stand for is below the bound.
"""

from __future__ import annotations

import json
from collections import defaultdict

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small

from indistinct import verify_release
from indistinct.cli import run as command
from indistinct.files import open_table
from indistinct.hierarchy import interval_hierarchy
from indistinct.prove import Promise, Trial, judge
from indistinct.prove.examiners.sensitive import examine_sensitive
from indistinct.risk.public_rules import PublicRule

CHILDREN = PublicRule("income", "0", "age", ("<15",))


def ages_of(label):
    """Return the ages that a released label may stand for."""
    if isinstance(label, str) and "-" in label:
        low, high = label.split("-")
        return range(int(low), int(high) + 1)
    return range(100) if label in (None, "*") else [int(label)]


def excused(label, values, bound=15):
    return values == {0} and all(age < bound for age in ages_of(label))


rows = st.lists(
    st.tuples(
        st.sampled_from(["0-9", "10-14", "10-19", "20-29", "*", "7", "14", "15"]),
        st.sampled_from([0, 0, 0, 5, None]),
    ),
    min_size=1,
    max_size=20,
)


@settings(max_examples=150, deadline=None)
@given(rows=rows)
def test_the_examiner_excuses_what_brute_force_excuses_and_nothing_else(rows):
    people = pa.table({"age": [r[0] for r in rows], "income": pa.array([r[1] for r in rows], "i8")})
    promise = Promise(key=("age",), k=2, sensitive=("income",), public=(CHILDREN.to_dict(),))
    with open_small(people) as data:
        found = examine_sensitive(Trial(data.engine, data.source, promise))
    classes = defaultdict(list)
    for label, income in rows:
        classes[label].append(income)
    held = {label: {v for v in values if v is not None} for label, values in classes.items()}
    # somebody whom the rule speaks of and who has another value: it is no rule
    false = any(all(a < 15 for a in ages_of(label)) and have - {0} for label, have in held.items())
    told = 0
    if len(set().union(*held.values())) > 1:
        told = sum(
            len(classes[label])
            for label, have in held.items()
            if len(have) == 1 and (false or not excused(label, have))
        )
    assert bool(found.findings) is bool(told)
    if told:
        assert f" {told:,} of {len(rows):,} " in found.findings[0]


@settings(max_examples=60, deadline=None)
@given(
    private=st.lists(
        st.tuples(st.integers(10, 19), st.sampled_from([0, 0, 0, 7])), min_size=8, max_size=8
    )
)
def test_the_private_data_can_only_take_an_excuse_away(private):
    """More knowledge never helps: a rule that is false of somebody excuses nothing."""
    own = pa.table({"age": [a for a, _ in private], "income": [v for _, v in private]})
    told = pa.table({"age": ["10-14"] * 4 + ["15-19"] * 4, "income": [0] * 4 + [1, 2, 1, 2]})
    promise = Promise(key=("age",), k=2, sensitive=("income",), public=(CHILDREN.to_dict(),))
    with open_small(told) as data:
        beside = open_table(own, workspace=data.engine.workspace, origin="private")
        alone = examine_sensitive(Trial(data.engine, data.source, promise))
        with_it = examine_sensitive(Trial(data.engine, data.source, promise, beside))
    assert alone.findings == ()
    true = all(v == 0 for a, v in private if a < 15)
    checkable = any(a < 15 for a, _ in private)
    assert (with_it.findings == ()) is (true and checkable)


PEOPLE = {
    "age": [3, 4, 8, 9, 12, 13] * 4 + [40, 41, 42, 43] * 6,
    "sex": ["f", "m"] * 24,
    "income": [0] * 24 + [10 * (1 + i % 5) for i in range(24)],
}
PROJECT = """
[data]
file = "p.parquet"
[variables.age]
role = "key"
hierarchy = {{ kind = "intervals", widths = [5, 15, 45] }}
[variables.sex]
role = "key"
[variables.income]
role = "sensitive"
[release]
k = 3
method = "datafly"
out = "r"
seed = 1
[report]
utility = false
{public}
"""
RULE = '[public.children]\nvariable = "income"\nvalue = "0"\ngiven = "age"\nlabels = ["{labels}"]\n'


def written(tmp_path, labels=None, people=PEOPLE):
    pq.write_table(pa.table(people), tmp_path / "p.parquet")
    public = "" if labels is None else RULE.format(labels=labels)
    (tmp_path / "release.toml").write_text(PROJECT.format(public=public))
    return command(["run", str(tmp_path / "release.toml")])


def test_children_have_no_income_and_it_is_not_blanked(tmp_path):
    assert written(tmp_path, "<15") == 0
    held = pq.read_table(tmp_path / "r/data.parquet")["income"].to_pylist()
    assert sorted(held) == sorted(PEOPLE["income"])
    told = json.loads((tmp_path / "r/certificate.json").read_text())
    assert told["promise"]["public"] == [CHILDREN.to_dict()]
    assert told["proved"] is True
    assert "anybody knows" in (tmp_path / "r/private/report.html").read_text()
    for private in (None, tmp_path / "p.parquet"):
        assert verify_release(tmp_path / "r", private=private, brief=True).state == "holds"


def test_without_the_rule_the_same_cells_are_blanked(tmp_path):
    assert written(tmp_path) == 1  # the blanks tell that all had the same
    held = pq.read_table(tmp_path / "r/data.parquet")["income"].to_pylist()
    assert held.count(None) == 24


@pytest.mark.parametrize(
    ("labels", "said"), [("<45", "speak against"), ("*", "cannot be seen"), ("Child", "cannot be")]
)
def test_a_rule_that_is_false_or_cannot_be_seen_is_refused(tmp_path, capsys, labels, said):
    assert written(tmp_path, labels) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


def test_a_class_that_reaches_beyond_the_rule_is_blanked(tmp_path):
    people = PEOPLE | {"age": [3, 4, 8, 9, 12, 13] * 3 + [16, 17] * 3 + [40, 41, 42, 43] * 6}
    tree = interval_hierarchy(range(45), name="age", widths=(20,))
    with open_small(people) as data:
        data = data.with_roles(income="sensitive")
        done = data.protect(["age"], method="datafly", k=5, seed=1, hierarchies={"age": tree})
        promise = Promise(key=("age",), k=5, sensitive=("income",), public=(CHILDREN.to_dict(),))
        found = judge(Trial(data.engine, done.source, promise))
    assert found.state == "fails"
