"""Validation against a known population."""

from __future__ import annotations

import numpy as np
import pytest

import indistinct
from indistinct.census import SKINNER_HOLMES_KEY, census_table
from indistinct.core.errors import InputError
from indistinct.keys import KeyTable
from indistinct.risk.validating import draw_sample, validate


def census_keys(people: int) -> KeyTable:
    with indistinct.open_data(census_table(people, seed=1, names=False)) as data:
        return data.key_table(SKINNER_HOLMES_KEY)


@pytest.fixture(scope="module")
def small() -> KeyTable:
    return census_keys(30_000)


def test_a_sample_is_part_of_its_population(small):
    sample, known = draw_sample(small, fraction=0.1, rng=np.random.default_rng(1))
    assert sample.records == 3000
    assert (sample.counts <= known).all()
    assert (sample.counts > 0).all()


def test_a_class_is_drawn_in_proportion(small):
    rng = np.random.default_rng(2)
    largest = small.codes[small.counts.argmax()]
    drawn = []
    for _ in range(100):
        sample, _ = draw_sample(small, fraction=0.1, rng=rng)
        drawn.append(sample.counts[(sample.codes == largest).all(axis=1)].sum())
    top = small.counts.max()
    assert np.mean(drawn) == pytest.approx(top / 10, abs=4 * np.sqrt(top * 0.09 / 100))


def test_tables_add_up(small):
    found = validate(small, fraction=0.1, repeat=3, model="two-way")
    assert sum(found.population_sizes) == small.classes
    bands = found.bands
    assert sum(b.sample_uniques for b in bands) == pytest.approx(found.sample_sizes[0])
    assert sum(b.population_uniques for b in bands) == pytest.approx(np.mean(found.true_uniques))
    assert sum(b.expected for b in bands) == pytest.approx(np.mean(found.predicted_uniques))
    assert found.top[1].sample_uniques == pytest.approx(bands[9].sample_uniques)
    text = found.details()
    for word in ("population uniques", "correct matches", "above 0.9", "0.0-0.1", "11 or more"):
        assert word in text
    assert found.to_dict()["ratio_uniques"] == found.ratio_uniques
    assert len(found.to_frame()) == 10


@pytest.mark.heavy
def test_same_seed_same_tables(small):
    one, two = (validate(small, fraction=0.05, repeat=1, seed=5) for _ in range(2))
    assert one == two
    assert one != validate(small, fraction=0.05, repeat=1, seed=6)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"fraction": 1.5}, "above 0 and at most 1. Got 1.5"),
        ({"fraction": 0.1, "repeat": 0}, "repeat must be a whole number of at least 1"),
        ({"fraction": 1e-9}, "is empty"),
        ({"fraction": 0.1, "model": "age_grup*sex"}, "Did you mean 'age_group'"),
    ],
)
def test_bad_options_are_refused(small, options, word):
    with pytest.raises(InputError, match=word):
        validate(small, **options)


@pytest.mark.heavy
def test_the_census_of_450_000_is_estimated_within_seven_per_cent():
    found = validate(census_keys(450_000), fraction=0.1, repeat=20)
    assert found.ratio_uniques == pytest.approx(1, abs=0.07)
    assert found.ratio_matches == pytest.approx(1, abs=0.07)
    assert found.bands[9].per_cent >= 80
    assert found.bands[0].per_cent <= 6
    assert min(found.covered) >= 0.85


@pytest.mark.heavy
@pytest.mark.parametrize("fraction", [0.01, 0.05, 0.2])
def test_a_million_people_within_ten_per_cent_at_any_fraction(fraction):
    found = validate(census_keys(1_000_000), fraction=fraction, repeat=10)
    assert found.ratio_uniques == pytest.approx(1, abs=0.1)
    assert found.ratio_matches == pytest.approx(1, abs=0.1)
