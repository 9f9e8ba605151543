"""Funnels: Weld's, and random ones against counting by hand."""

from __future__ import annotations

import itertools
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.engine import start_engine
from indistinct.files import open_data, open_table, workspace
from indistinct.hierarchy.labels import stands_for
from indistinct.prove.attacks.funnels import funnel, release_funnel
from indistinct.prove.registers import Register

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="module")
def engine():
    with workspace() as folder, start_engine("duckdb", workspace=folder, threads=1) as started:
        yield started


def register_of(engine, columns, person=None, name="voters"):
    source = open_table(pa.table(columns), workspace=engine.workspace, origin=name)
    return Register(source, name, person)


def weld_list(engine):
    """A made-up voter list with six people born on the governor's day, three of them men."""
    rng = np.random.default_rng(1)
    days = [f"19{y}-{m:02d}-{d:02d}" for y in (44, 46) for m in (1, 5, 8) for d in (3, 17, 29)]
    births = ["1945-07-31"] * 6 + [days[i] for i in rng.integers(0, len(days), 494)]
    sexes = ["m", "m", "m", "f", "f", "f", *rng.choice(["m", "f"], 494)]
    zips = ["02138", "02139", "02142", "02138", "02138", "02141"]
    zips += list(rng.choice(["02138", "02139", "02140", "02141", "02142"], 494))
    names = ["W. Weld", *(f"voter {i}" for i in range(1, 500))]
    return register_of(
        engine, {"name": names, "birth date": births, "sex": sexes, "zip": zips}, "name"
    )


def test_weld_six_three_one(engine):
    facts = {"birth date": "1945-07-31", "sex": "m", "zip": "02138"}
    found = funnel(engine, weld_list(engine), facts)
    assert [step.people for step in found.steps] == [6, 3, 1]  # oracle swe.weld
    assert found.named == ("W. Weld",)
    assert found.to_dict()["people"] == 500
    coarser = funnel(engine, weld_list(engine), facts | {"zip": "0213*"})
    assert [step.people for step in coarser.steps] == [6, 3, 2]
    best = funnel(engine, weld_list(engine), dict(reversed(facts.items())), order="best")
    assert [step.attribute for step in best.steps] == ["birth date", "zip", "sex"]
    assert [step.people for step in best.steps] == [6, 3, 1]
    some = funnel(engine, weld_list(engine), facts, order=["sex", "birth date"])
    assert some.remaining == 3
    assert len(some.named) == 3


def test_figures_are_svg_with_the_numbers_written(engine):
    facts = {"birth date": "1945-07-31", "sex": "m", "zip": "02138"}
    drawn = funnel(engine, weld_list(engine), facts).plot()
    spoken = ElementTree.fromstring(drawn).find("{http://www.w3.org/2000/svg}desc").text
    assert spoken == "birth date: 6; + sex: 3; + zip: 1"
    register = weld_list(engine)
    whole = release_funnel(
        engine, register.source, register, attributes=["sex", "zip", "birth date"]
    )
    ElementTree.fromstring(whole.plot())
    assert "order that identifies most" in repr(whole)


cell = st.sampled_from(["11", "12", "21"])
label = st.sampled_from([None, "1*", "11", "12", "21"])


@pytest.mark.heavy
@settings(deadline=None, max_examples=60)
@given(
    released=st.lists(st.tuples(label, label, label), min_size=1, max_size=12),
    people=st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=12),
)
def test_funnels_equal_counting_by_hand(engine, released, people):
    names = ["a", "b", "c"]
    # every value occurs once at least, so that no column is coded apart from the other
    people = [*people, ("11",) * 3, ("12",) * 3, ("21",) * 3]
    register = register_of(engine, {n: [p[j] for p in people] for j, n in enumerate(names)})
    release = open_table(
        pa.table({n: pa.array([r[j] for r in released], pa.string()) for j, n in enumerate(names)}),
        workspace=engine.workspace,
    )

    def sizes(columns):
        return [sum(all(stands_for(r[j], p[j]) for j in columns) for p in people) for r in released]

    given_order = release_funnel(engine, release, register, attributes=names, order="given")
    for length, step in enumerate(given_order.steps, 1):
        own = sizes(range(length))
        assert step.median == np.median(own)
        assert (step.unique, step.none) == (own.count(1), own.count(0))
        assert step.expected == pytest.approx(sum(1 / n for n in own if n))
    best = release_funnel(engine, release, register, attributes=names)
    before = []
    for step in best.steps:
        gains = {
            n: sum(1 / s for s in sizes([*before, j]) if s)
            for j, n in enumerate(names)
            if j not in before
        }
        assert gains[step.attribute] == pytest.approx(max(gains.values()))
        before.append(names.index(step.attribute))
    record = dict(zip(names, released[0], strict=True))
    for order in itertools.permutations(names):
        one = funnel(engine, register, record, order=order)
        for length, step in enumerate(one.steps, 1):
            columns = [names.index(n) for n in order[:length]]
            assert step.people == sizes(columns)[0]
        assert len(one.named) == one.remaining <= 20


def test_wrong_input_is_refused(engine):
    register = weld_list(engine)
    with pytest.raises(InputError, match="at least one fact"):
        funnel(engine, register, {})
    with pytest.raises(InputError, match="sexx"):
        funnel(engine, register, {"sexx": "m"})
    with pytest.raises(InputError, match="given or best, or a list"):
        funnel(engine, register, {"sex": "m"}, order="worst")
    with pytest.raises(InputError, match="no known attribute"):
        funnel(engine, register, {"sex": "m"}, order=["zip"])
    with pytest.raises(InputError, match="at least one attribute"):
        funnel(engine, register, {"sex": "m"}, order=[])


@pytest.mark.shared
def test_adult_becomes_unique_attribute_by_attribute(engine):
    path = SHARED / "adult.csv"
    if not path.exists():
        pytest.skip("the shared data are not beside the project")
    key = ["sex", "age", "race", "marital-status", "education", "native-country"]
    source = open_data(path, workspace=engine.workspace)
    found = release_funnel(engine, source, Register(source, "adult"), attributes=key)
    frame = source.to_pandas(key)
    for length, step in enumerate(found.steps, 1):
        columns = [s.attribute for s in found.steps[:length]]
        sizes = frame.groupby(columns)[columns[0]].transform("size")
        assert step.unique == (sizes == 1).sum()
        assert step.median == sizes.median()
    assert found.steps[0].attribute == "age"
