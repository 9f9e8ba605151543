"""All measures at once, with a reading in words."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from analyses_files import people

import indistinct
from indistinct.files import open_table
from indistinct.utility.analyses import analyse_utility


@pytest.fixture(scope="module")
def data():
    with indistinct.open_data(people(1000)) as opened:
        yield opened


def opened(data, frame, name="released"):
    return open_table(pd.DataFrame(frame), workspace=data.engine.workspace, origin=name)


def test_a_shuffled_file_is_read_aright(data):
    frame = people(1000).drop(columns=["school", "income"])
    frame["age"] = np.random.default_rng(0).permutation(frame["age"])
    found = analyse_utility(data.engine, data.source, opened(data, frame), targets=["married"])
    text = found.details()
    assert "The marginals are exactly the same." in text
    assert "The worst pair of variables is age x married" in text
    assert "A model can tell" in text
    assert len(text.splitlines()) < 25
    assert found.propensity.pmse == pytest.approx(0, abs=1e-12)
    assert found.regressions.models[0].formula.startswith("(married = yes)")


def test_every_measure_has_the_fixed_fields(data):
    found = analyse_utility(
        data.engine, data.source, opened(data, people(900, seed=3)), by="region"
    )
    told = found.to_dict()
    json.dumps(told, allow_nan=False)
    names = {"marginals", "pairs", "triples", "k_marginal", "correlations", "associations",
             "regressions", "propensity", "interactions", "numbers"}  # fmt: skip
    assert told.keys() == names
    for measure in told.values():
        assert {"original", "released", "difference"} <= measure.keys()
    assert found.k_marginal.groups
    # two samples of one population: nothing to be seen
    assert found.propensity.ratio < 5
    assert "differ, most in" in found.details()


def test_the_original_itself_differs_in_nothing(data):
    found = analyse_utility(data.engine, data.source, data.source)
    assert found.marginals.same
    assert found.pairs.mean == found.triples.mean == found.numbers.eigen == 0
    assert found.k_marginal.score == 1000
    assert found.regressions.overlap == 1
    assert found.interactions.ratio == pytest.approx(0, abs=1e-6)
    assert "All tables of two variables are the same." in found.details()


def test_one_variable_is_enough_and_what_does_not_apply_is_left_out(data):
    found = analyse_utility(data.engine, data.source, data.source, variables=["sex"])
    assert found.to_dict().keys() == {"marginals", "propensity"}
    assert "<table>" in found._repr_html_()


def test_the_same_seed_gives_the_same_result(data):
    other = opened(data, people(700, seed=9))
    first, second = (
        analyse_utility(data.engine, data.source, other, triples=5, interactions=False, seed=4)
        for _ in range(2)
    )
    assert first.to_dict() == second.to_dict()


def test_what_does_not_fit_in_memory_is_sampled_and_it_is_said(data, monkeypatch):
    other = opened(data, people(1200, seed=2))
    monkeypatch.setattr(data.engine, "memory", 16 * 6 * 2200)
    found = analyse_utility(data.engine, data.source, other, interactions=False)
    assert found.records == (500, 600)
    assert "note: A random 50.0 % of the records" in found.details()


def test_constants_and_emptied_columns_do_not_stop_the_others(data):
    frame = people(1000).assign(age=40, income=np.nan, sex=None)
    found = analyse_utility(data.engine, data.source, opened(data, frame), interactions=False)
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.marginals["sex"].total_variation == 1
    assert found.numbers is None
    assert "none of" in found.regressions.chosen
