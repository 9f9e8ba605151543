"""Law: altered values that give people away are a finding, on average or for the few.

Every step that alters values, with noise of planted size and with planted people who were left as
they were; plain loops over rows say who is nearest to whom.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from small_data import open_small
from ways import HIERARCHIES, WAYS, Way, population, released

from indistinct.files import open_table
from indistinct.prove import Promise, Trial, judge
from indistinct.prove.attacks.nearest import TrueValues, at_least, at_most, look_for
from indistinct.release import read_origin

KEY = ("age", "income")
K = 3
PLANTED = 12


def nearest_by_hand(own: list[dict], rows: list[dict], record_of: list[int]) -> float:
    """Return how often the released row with the least differences is the person's own."""
    wide = {}
    for name in KEY:
        there = [row[name] for row in (*own, *rows) if row[name] is not None]
        wide[name] = (max(there) - min(there)) or 1
    found, people = 0.0, 0
    for person, record in zip(own, record_of, strict=True):
        if record < 0:
            continue
        people += 1
        far = [
            sum(
                1 if row[n] is None else abs(row[n] - person[n]) / wide[n]
                for n in KEY
            )
            for row in rows
        ]  # fmt: skip
        near = [n for n, value in enumerate(far) if value <= min(far) + 1e-12]
        found += (record in near) / len(near)
    return found / max(1, people)


def with_outliers(seed: int, people: int = 120) -> pa.Table:
    """A file whose last people are alone at the end of both scales."""
    table = population(seed, people=people).select(
        [*KEY, "region", "sex", "ill", "home", "name", "case_no"]
    )
    rows = table.to_pylist()
    for number, row in enumerate(rows[-PLANTED:]):
        row |= {"age": 100 + 40 * number, "income": 1e6 + 4e5 * number}
    return pa.Table.from_pylist(rows, schema=table.schema)


ALTERING = [way for way in WAYS if way.alters and way.name.startswith("step ")]
"""A new step that alters values joins by being registered, with an example in `ways.py`."""


@pytest.mark.parametrize("planted", [False, True], ids=["as released", "outliers untouched"])
@pytest.mark.parametrize("way", ALTERING, ids=lambda way: way.name.removeprefix("step "))
def test_people_who_are_found_are_a_finding(way: Way, planted: bool, tmp_path):
    table = with_outliers(5)
    found = released(
        way, table, tmp_path / "r", key=KEY, k=K, keep_order=True, although_unproved=True
    )
    assert found.folder is not None, found.refused
    promise = found.certificate.promise
    if not planted and not set(KEY) & set(promise.perturbed):
        return  # it alters something else; what is planted below is seen all the same
    origin = read_origin(found.folder, records=len(found.rows))
    rows, own = found.rows, table.to_pylist()
    if planted:
        names = [n for n in KEY if n in promise.perturbed] or list(KEY)
        rows = [
            {**row, **{n: own[o][n] for n in names}} if o >= len(own) - PLANTED else row
            for row, o in zip(rows, origin.tolist(), strict=True)
        ]
        promise = Promise(**{**promise.__dict__, "perturbed": KEY})
    record_of = [-1] * len(own)
    for record, person in enumerate(origin.tolist()):
        if person >= 0:
            record_of[person] = record
    found.examine(whatever_is_said=True)
    with open_small(pa.Table.from_pylist(rows)) as data:
        private = open_table(table, workspace=data.engine.workspace, origin="private")
        trial = Trial(data.engine, data.source, promise, private, (), HIERARCHIES, origin)
        verdict = judge(trial)
    assert verdict.state != "holds"
    if planted or nearest_by_hand(own, rows, record_of) > 1 / K:
        assert verdict.state == "fails"
    measured = verdict.parts.get("nearest")
    if measured is not None and set(measured.key) == set(KEY) == set(promise.perturbed):
        assert measured.share >= nearest_by_hand(own, rows, record_of) - 1e-9
        assert measured.share <= measured.bound


def looked_for(seed: int, noise: float, *, untouched: int, k: int = 5, people: int = 3000):
    """Add noise to two amounts, leave the people at the end as they are, and look for everybody."""
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(people, 2))
    true[-10:] = 6 + 3 * np.arange(10)[:, None] + rng.normal(size=(10, 2))
    told = true + rng.normal(scale=noise, size=true.shape) * np.where(
        np.arange(people) >= people - 10, 6, 1
    ).reshape(-1, 1)
    if untouched:
        told[-untouched:] = true[-untouched:]
    own = np.arange(people)
    known = [TrueValues.of(true[:, j], told[:, j], own, ordered=True) for j in range(2)]
    return look_for(known, ("a", "b"), own, lambda person: own, k=k, targets=1000)


@pytest.mark.parametrize("noise", [0.001, 0.01])
def test_little_noise_is_found_on_average(noise):
    assert looked_for(1, noise, untouched=0).share > 1 / 5


def test_ten_untouched_people_among_three_thousand_are_seen_and_nobody_else():
    for seed in range(3):
        found = looked_for(seed, 1.0, untouched=10)
        assert found.share < 0.05
        assert found.sure >= 8
        assert found.sure_right >= 8
    alarms = sum(looked_for(seed, 1.0, untouched=0).sure > 0 for seed in range(6))
    assert alarms == 0


def test_categories_that_mostly_stay_are_weighed_by_how_rare_they_are():
    """A likelihood finds who has a rare value; differences of codes cannot."""
    rng = np.random.default_rng(1)
    true = np.where(np.arange(600) < 590, rng.integers(0, 3, 600), 10 + np.arange(600)).astype(
        float
    )
    told = np.where(rng.random(600) < 0.9, true, rng.permutation(true))
    own = np.arange(600)
    told[-10:] = true[-10:]
    found = look_for(
        [TrueValues.of(true, told, own, ordered=False)], ("job",), own, lambda person: own,
        k=5, targets=600,
    )  # fmt: skip
    assert found.sure >= 8


@pytest.mark.parametrize(("right", "of"), [(0, 10), (1, 10), (5, 40), (40, 40)])
def test_bounds_are_those_of_clopper_and_pearson_by_brute_force(right, of):
    """The bound is the rate at which so few, or so many, are as rare as the doubt says."""
    from math import comb

    def upto(rate: float) -> float:
        return sum(comb(of, n) * rate**n * (1 - rate) ** (of - n) for n in range(right + 1))

    high, low = at_most(right, of), at_least(right, of)
    assert right == of or upto(high) == pytest.approx(0.05)
    if right:
        below = sum(comb(of, n) * low**n * (1 - low) ** (of - n) for n in range(right))
        assert 1 - below == pytest.approx(0.05)
    assert low <= right / of <= high
