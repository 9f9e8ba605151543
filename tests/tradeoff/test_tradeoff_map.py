"""The map: dominated points, what is proposed, candidates that refuse, and its figure."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct
from indistinct.core.errors import InputError
from indistinct.hierarchy import table_hierarchy
from indistinct.protect import Plan, Pram, RankSwap, Request, Shuffle, SwapHouseholds
from indistinct.results.figures import Spot, frontier
from indistinct.utility.tradeoff import (
    Candidate,
    MapPoint,
    place_points,
    risk_utility_map,
    standard_candidates,
)

KEY = ["age", "job", "sex", "school"]


def people(n=300):
    rng = np.random.default_rng(7)
    age = rng.integers(16, 80, n)
    return pa.table(
        {
            "age": age,
            "job": rng.choice(["11", "12", "21", "22"], n),
            "sex": rng.choice(["m", "f"], n),
            "school": np.clip(age // 20 + rng.integers(0, 2, n), 0, 4),
            "house": np.arange(n) // 3,
            "region": np.repeat(rng.choice(["n", "s"], n // 3), 3),
        }
    )


@pytest.fixture(scope="module")
def data():
    with indistinct.open_data(people()) as opened:
        variables = opened.variables.updated(
            {
                "age": {"level": "numeric"},
                "job": {"level": "taxonomy"},
                "school": {"level": "ordinal"},
                "house": {"role": "household"},
            }
        )
        source = type(opened.source)(
            opened.source.path, opened.source.origin, variables, opened.source.records
        )
        yield type(opened)(source, opened.engine)


def point(name, risk, utility):
    return MapPoint(name, "", risk, utility, risk, 0, 0, utility, 0, 0, 0, 1, 0)


numbers = st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0])


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=12))
def test_dominated_is_as_defined_and_the_proposed_one_never_is(pairs):
    found = place_points([point(str(i), r, u) for i, (r, u) in enumerate(pairs)])
    for p in found:
        better = [
            q for q in found if q.risk <= p.risk and q.utility >= p.utility
            and (q.risk < p.risk or q.utility > p.utility)
        ]  # fmt: skip
        assert p.dominated == bool(better)
        if p.dominated:
            assert p.dominated_by in {q.name for q in better}
    assert [p.dominated for p in found if p.chosen] == [False]


def test_the_proposed_one_keeps_the_largest_risk():
    points = [point("a", 0.5, 1.0), point("b", 0.1, 0.9), point("c", 0.0, 0.2)]
    chosen = {
        limit: [p.name for p in place_points(points, max_risk=limit) if p.chosen]
        for limit in (1, 0.2, 0.05)
    }
    assert chosen == {1: ["a"], 0.2: ["b"], 0.05: ["c"]}
    assert not any(p.chosen for p in place_points(points[:2], max_risk=0.01))


def test_candidates_that_refuse_are_listed_with_their_reason(data):
    found = risk_utility_map(
        data.engine,
        data.source,
        [
            Candidate("original", Plan(())),
            Candidate("no hierarchy", method="datafly", request=Request(k=3)),
            Candidate("no such column", Plan((Pram(("gender",), keep=0.5),))),
        ],
        key=KEY,
        seed=1,
    )
    assert [p.name for p in found.points] == ["original"]
    why = {refused.name: refused.why for refused in found.refused}
    assert "hierarchy" in why["no hierarchy"]
    assert "gender" in why["no such column"]
    assert "no such column was refused" in found.details()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"utility": "pears"}, "Did you mean 'pairs'"),
        ({"risk": "unique"}, "Did you mean 'uniques'"),
        ({"max_risk": 2}, "from 0 to 1"),
        ({"key": []}, "at least one variable"),
        ({"candidates": []}, "at least one candidate"),
        ({"candidates": [Candidate("a", Plan(()))] * 2}, "Two candidates"),
        ({"features": ["age"]}, "two variables"),
    ],
)
def test_wrong_requests_are_refused(data, wrong, words):
    asked = {"candidates": [Candidate("a", Plan(()))], "key": KEY, "seed": 1} | wrong
    with pytest.raises(InputError, match=words):
        risk_utility_map(data.engine, data.source, **asked)


def test_a_candidate_is_a_plan_or_a_method():
    with pytest.raises(InputError, match="a plan or a method"):
        Candidate("neither")
    with pytest.raises(InputError, match="at least its k"):
        Candidate("no k", method="datafly")


def test_the_grid_takes_each_variable_for_what_it_is(data):
    jobs = table_hierarchy([(j, j[0], "*") for j in ("11", "12", "21", "22")], name="job")
    found = {
        c.name: c
        for c in standard_candidates(
            data.engine,
            data.source,
            [*KEY, "region"],
            k=(3,),
            hierarchies={"job": jobs},
            shuffle=(0.5,),
            windows=(0.1,),
            keep=(0.9,),
            noise=(0.1,),
            household="house",
            places=("region",),
            swapped=(0.1,),
        )
    }
    assert list(found) == [
        "original", "suppress k=3", "shuffle 0.5", "rank swap 10%", "PRAM 0.9", "noise 0.1",
        "record swap 10%",
    ]  # fmt: skip
    step = {name: c.plan.steps[0] for name, c in found.items() if c.plan and c.plan.steps}
    assert isinstance(step["shuffle 0.5"], Shuffle)
    assert dict(step["shuffle 0.5"].hierarchies) == {"job": jobs}
    assert step["rank swap 10%"] == RankSwap(("age", "school"), window=0.1)
    assert step["PRAM 0.9"].variables == ("job", "sex", "school", "region")
    assert step["noise 0.1"].variables == ("age",)
    assert step["record swap 10%"] == SwapHouseholds("house", ("region",), share=0.1)
    with pytest.raises(InputError, match="none of the places"):
        standard_candidates(data.engine, data.source, KEY, household="house", places=("region",))


def test_every_measure_of_one_small_map(data):
    trees = data.hierarchies(KEY)
    candidates = standard_candidates(
        data.engine, data.source, KEY, k=(3,), hierarchies=trees, shuffle=(1.0,), windows=(0.1,),
        keep=(0.9,), noise=(0.3,), methods=("datafly", "local-recoding"),
    )  # fmt: skip

    def made(**options):
        return risk_utility_map(
            data.engine, data.source, candidates, key=KEY, seed=1, hierarchies=trees, **options
        )

    exact, linked = made(), made(risk="linkage", utility="propensity")
    assert not exact.refused
    assert not linked.refused
    assert "house" not in exact.features
    for p, q in zip(exact.points, linked.points, strict=True):
        assert p.risk == p.expected <= q.risk + 1e-12
        assert 0 <= q.utility <= 1
        assert p.k_marginal <= 1000 * p.pairs + 1e-9
    assert exact["original"].utility == 1
    assert linked["original"].utility == pytest.approx(1)
    # a value near to the own one hides from equality, not from whoever takes the nearest
    assert linked["rank swap 10%"].risk > 3 * exact["rank swap 10%"].risk
    assert linked["shuffle 1"].risk < 0.1
    content = json.loads(json.dumps(exact.to_dict()))
    assert {p["name"] for p in content["points"] if not p["dominated"]} == set(content["frontier"])
    assert content["chosen"] == exact.chosen.name
    assert "proposed" in repr(exact)
    assert exact.markdown().count("\n") == len(exact.points) + 1
    assert len(exact.to_frame()) == len(exact.points)
    with pytest.raises(InputError, match="Did you mean 'original'"):
        exact["orginal"]


def boxes(svg):
    """Return the rectangle that each label of a figure covers, about."""
    found = []
    for node in ElementTree.fromstring(svg).iter():
        if node.get("font-size") == "11":
            x, y = float(node.get("x")), float(node.get("y"))
            found.append((x, y - 9, x + 6 * len(node.text), y + 1))
    return found


def test_labels_of_crowded_points_do_not_overlap():
    rng = np.random.default_rng(2)
    spots = [Spot(f"method {i} k={i}", *rng.beta(0.3, 2, 2), faint=i % 3 > 0) for i in range(27)]
    spots += [Spot(f"same place {i}", 0.0, 0.9) for i in range(3)]
    svg = frontier("Map", spots, x="risk", y="utility", words=("free", "dominated", "proposed"))
    labels = boxes(svg)
    assert len(labels) == 30
    for i, a in enumerate(labels):
        for b in labels[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    assert svg.count('fill="#bbbbbb"') == 18 + 1
    assert ElementTree.fromstring(frontier("M", [], x="x", y="y", words=("", "", ""))) is not None
