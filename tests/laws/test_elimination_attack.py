"""Elimination: whoever knows all people takes away those whom other records must be about.

Brute force tries every assignment of people to records on tiny files.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small
from ways import KEY, WAYS, Way, population, released

from indistinct.core.errors import GuaranteeError
from indistinct.files import open_table
from indistinct.keys import possible_links
from indistinct.prove import Promise, Register, Trial, judge
from indistinct.prove.examiners.elimination import examine_elimination

people = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy")), min_size=2, max_size=6)


def candidates(records, persons):
    """Return for each record the persons whom some assignment gives it, by trying them all."""
    found = [set() for _ in records]
    for chosen in permutations(range(len(persons)), len(records)):
        meets = all(
            all(label in (None, value) for label, value in zip(record, persons[i], strict=True))
            for record, i in zip(records, chosen, strict=True)
        )
        if meets:
            for record, i in enumerate(chosen):
                found[record].add(i)
    return found


def table_of(rows):
    return pa.table(
        {name: pa.array([row[j] for row in rows], pa.string()) for j, name in enumerate("pq")}
    )


@settings(max_examples=60, deadline=None)
@given(people=people, data=st.data(), dropped=st.integers(0, 1))
def test_the_judge_counts_whom_no_assignment_excludes(people, data, dropped):
    kept = people[: len(people) - dropped]
    records = [
        tuple(None if data.draw(st.booleans()) else value for value in person) for person in kept
    ]
    fewest = min(map(len, candidates(records, people)))
    promise = Promise(key=("p", "q"), k=2, wildcard=True)
    with open_small(table_of(records)) as opened:
        private = open_table(table_of(people), workspace=opened.engine.workspace, origin="private")
        trial = Trial(opened.engine, opened.source, promise, private)
        found, alone = judge(trial), judge(Trial(opened.engine, opened.source, promise))
    strict = min(records.count(record) for record in records)
    if strict < 2:
        assert found.k <= fewest
        assert (found.state == "fails") is (fewest < 2 or alone.state == "fails")
    assert ["fails", "reservations", "holds"].index(found.state) <= [
        "fails", "reservations", "holds"].index(alone.state)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(people=people, k=st.integers(2, 3))
def test_suppression_by_wildcard_leaves_k_people_for_every_record(people, k):
    with open_small(table_of(people)) as opened:
        try:
            done = opened.protect(["p", "q"], method="suppress", k=k, seed=1, meaning="wildcard")
        except GuaranteeError:
            return
        rows = [tuple(row.values()) for row in done.source.table(["p", "q"]).to_pylist()]
    assert min(map(len, candidates(rows, people))) >= k


@pytest.mark.parametrize("seed", range(20))
def test_classes_stand_for_their_people(seed):
    """Classes of several people and records give what single ones give."""
    rng = np.random.default_rng(seed)
    persons = [(str(rng.integers(2)), str(rng.integers(2))) for _ in range(6)]
    records = [tuple(None if rng.random() < 0.4 else v for v in person) for person in persons[:5]]
    left, right = sorted(set(records), key=str), sorted(set(persons))
    links = [
        (i, j)
        for i, record in enumerate(left)
        for j, person in enumerate(right)
        if all(a in (None, b) for a, b in zip(record, person, strict=True))
    ]
    possible = possible_links(
        np.array([records.count(record) for record in left]),
        np.array([persons.count(person) for person in right]),
        (np.array([i for i, _ in links]), np.array([j for _, j in links])),
    )
    brute = candidates(records, persons)
    for (i, j), can in zip(links, possible.tolist(), strict=True):
        behind = {persons[p] for n, r in enumerate(records) if r == left[i] for p in brute[n]}
        assert can is (right[j] in behind)


def test_people_and_not_their_visits_are_left():
    """Ten blank visits of one patient are one person, however many records agree."""
    private = {"who": ["A"] * 3 + ["B"] * 3, "p": ["x"] * 3 + ["y"] * 3}
    promise = Promise(key=("p",), k=2, person="who", wildcard=True)
    with open_small(pa.table({"p": pa.array([None] * 5 + ["y"], pa.string())})) as opened:
        source = open_table(pa.table(private), workspace=opened.engine.workspace, origin="private")
        found = examine_elimination(Trial(opened.engine, opened.source, promise, source))
    assert found.k == 1
    assert found.findings


def test_a_register_that_records_use_up_hides_nobody():
    promise = Promise(key=("p", "q"), k=2, population="people")
    rows = [("a", None), ("a", "x")]
    with open_small(table_of(rows)) as opened:
        listed = open_table(
            table_of([("a", "x"), ("a", "y")]), workspace=opened.engine.workspace, origin="people"
        )
        found = judge(Trial(opened.engine, opened.source, promise, None, [Register(listed)]))
    assert found.k == 1
    assert found.state == "fails"


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_green_release_holds_against_elimination(way: Way, tmp_path):
    """Whoever is green has k records alike, blanks being values: then nobody can be taken away."""
    table = population(21, people=120)
    found = released(way, table, tmp_path / "r", keep=KEY, until_k=True)
    if found.refused or not found.certificate.promise.claims_k:
        return
    rows = [tuple(row[name] for name in found.key) for row in found.examine()]
    assert min(rows.count(row) for row in set(rows)) >= 3
    assert found.certificate.content["verdict"]["k"] <= min(rows.count(row) for row in set(rows))
