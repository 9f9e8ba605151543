"""A verdict is green only where it means what it says."""

from __future__ import annotations

import pytest
from small_data import open_small

from indistinct.flow import make_report
from indistinct.hierarchy import Hierarchy
from indistinct.protect import AddNoise, Generalise, Plan, protect_by_plan
from indistinct.release.report.folder import read_release
from indistinct.release.report.pieces import Claim
from indistinct.release.report.weighing import weigh

PEOPLE = {
    "income": [1000 + 137 * i for i in range(60)],
    "sex": ["f", "m"] * 30,
    "town": ["a", "b", "c"] * 20,
}


def released(folder, key, plan=None, **protect):
    with open_small(PEOPLE) as data:
        done = (
            protect_by_plan(data.engine, data.source, key, plan, method="steps", k=3, seed=5)
            if plan is not None
            else data.protect(key, k=3, seed=5, **protect)
        )
        data.release(folder, done, seed=5, compare=True, although_unproved=True)
        return done


def first(folder, name="verdict"):
    document = make_report(folder)
    return next(p for p in document[name].pieces if isinstance(p, Claim)), document


def noise_and_more(values):
    rows = [(value, "*") for value in sorted(set(values))]
    whole = Hierarchy.from_dict({"name": "town", "ordered": False, "rows": rows})
    return Plan((AddNoise(("income",), scale=5.0), Generalise(whole, 1)))


def test_altered_key_variables_promise_nothing_whatever_else_was_done(tmp_path):
    done = released(tmp_path / "r", ["income", "sex"], noise_and_more(PEOPLE["town"]))
    assert not done.claims_k
    claim, document = first(tmp_path / "r")
    assert claim.tone != "good"
    assert "no promise" in claim.text
    sign = document["signing"].pieces[-1]
    assert not any("as it is" in choice for choice in sign.choices)


def test_variables_outside_the_key_may_be_altered(tmp_path):
    with open_small(PEOPLE) as data:
        plan = noise_and_more(PEOPLE["town"])
        done = protect_by_plan(data.engine, data.source, ["sex", "town"], plan, k=3, seed=5)
    assert done.claims_k
    assert done.guaranteed


def test_noise_alone_tells_no_bound_of_right_guesses(tmp_path):
    released(tmp_path / "r", ["income", "sex"], Plan((AddNoise(("income",), scale=5.0),)))
    measured = read_release(tmp_path / "r").measured
    assert measured is not None
    assert measured.risk.expected_after is None
    assert max(link.after for link in measured.risk.linkage) > 0.9
    claim, _ = first(tmp_path / "r")
    assert claim.values["after"] > 0.9


def test_a_release_that_promises_nothing_is_not_preferred_to_one_that_does(tmp_path):
    released(tmp_path / "noisy", ["income", "sex"], noise_and_more(PEOPLE["town"]))
    released(tmp_path / "kept", ["income", "sex"], method="suppress")
    found = weigh([read_release(tmp_path / name) for name in ("noisy", "kept")])
    assert found.chosen == 1


@pytest.mark.parametrize("meaning", ["strict", "wildcard"])
def test_where_suppressed_cells_agree_with_anything_elimination_is_told(tmp_path, meaning):
    people = {"sex": ["m"] * 11, "town": ["a"] * 5 + ["b"] * 5 + ["c"]}
    with open_small(people) as data:
        done = data.protect(["sex", "town"], method="suppress", k=3, seed=1, meaning=meaning)
        data.release(tmp_path / "r", done, seed=1, although_unproved=True)
    claim, document = first(tmp_path / "r")
    told = " ".join(c.text for c in document.every(Claim))
    assert (claim.tone == "good") == (meaning == "strict")
    assert ("elimination" in told) == (meaning == "wildcard")
    assert ("k-anonymity holds" in told) == (meaning == "strict")
    assert claim.values["k"] == 3


def test_only_those_who_stand_out_are_listed_as_exposed(tmp_path):
    released(tmp_path / "r", ["sex"], method="suppress")
    document = make_report(tmp_path / "r")
    assert not [p for p in document["risk"].pieces if p.to_dict().get("table") == "exposed"]
