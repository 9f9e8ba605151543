"""The risk per record: file measures by hand, known populations, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

import indistinct
from indistinct.core.errors import InputError
from indistinct.engine import Coding, KeyCoding
from indistinct.keys import KeyTable
from indistinct.risk.formula import parse_model
from indistinct.risk.loglinear import fit
from indistinct.risk.poisson import expected_inverse, population_unique
from indistinct.risk.skinner_holmes import known_population_risk, record_risk

SIZES = (19, 2, 10, 5, 11, 4)


def key_table(counts: np.ndarray, weights: np.ndarray | None = None) -> KeyTable:
    coding = KeyCoding(tuple(Coding(f"v{j}", size, False) for j, size in enumerate(counts.shape)))
    cells = np.nonzero(counts)
    return KeyTable(coding, np.stack(cells, axis=1), counts[cells].astype(np.int64), weights)


def main_effects_population(seed: int, people: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    means = np.array(float(people))
    for size in SIZES:
        share = np.exp(rng.normal(0, 1.3, size))
        means = means[..., None] * (share / share.sum())
    return rng.poisson(means)


@pytest.fixture(scope="module")
def sample() -> KeyTable:
    return key_table(np.random.default_rng(2).poisson(0.7, (6, 5, 4)))


def test_every_class_has_its_formula(sample):
    fitted = fit(sample, parse_model("main", sample.names))
    risk = record_risk(sample, fraction=0.2, fit=fitted, distribution="poisson")
    alone = sample.counts == 1
    rate = 0.8 * fitted.means / 0.2
    assert_allclose(risk.population_unique[alone], np.exp(-rate[alone]))
    assert_allclose(risk.correct_match[alone], ((1 - np.exp(-rate)) / rate)[alone])
    assert (risk.population_unique[~alone] == 0).all()
    assert (risk.correct_match[~alone] == 0).all()


def test_file_measures_by_hand(sample):
    risk = record_risk(sample, fraction=0.2, model="main", measure="correct_match")
    alone = sample.counts == 1
    values = risk.correct_match[alone]
    assert risk.sample_uniques == alone.sum()
    assert risk.expected_population_uniques == pytest.approx(risk.population_unique.sum())
    assert risk.expected_reidentifications == pytest.approx(values.sum())
    assert risk.mean == pytest.approx(values.sum() / sample.records)
    assert risk.max == pytest.approx(values.max())
    assert risk.max >= risk.mean
    assert risk.at_least_one == pytest.approx(1 - np.prod(1 - values))
    bands = risk.bands()
    assert sum(band.sample_uniques for band in bands) == alone.sum()
    assert sum(band.expected for band in bands) == pytest.approx(values.sum())
    for band in bands:
        inside = (values > band.low) & (values <= band.high)
        assert band.sample_uniques == inside.sum()


def test_top_lists_the_highest_risk_first_with_its_key(sample):
    risk = record_risk(sample, fraction=0.2, model="main")
    top = risk.top(5)
    assert top.num_rows == 5
    listed = top["population_unique"].to_numpy()
    assert listed.tolist() == sorted(risk.population_unique, reverse=True)[:5]
    at = int(risk.ranking()[0])
    assert [top[name][0].as_py() for name in sample.names] == sample.codes[at].tolist()
    assert len(risk.to_frame()) == sample.classes


def test_records_that_share_their_key_only_when_asked_for(sample):
    risk = record_risk(
        sample, fraction=0.2, model="main", distribution="lognormal", beyond_uniques=True
    )
    expected = expected_inverse(risk.fit.means, 0.2, max(risk.sigma2, 0), f=sample.counts)
    assert_allclose(risk.correct_match, expected)
    assert (risk.correct_match <= 1 / sample.counts + 1e-12).all()
    assert (risk.population_unique[sample.counts > 1] == 0).all()
    assert not any("acceptably safe" in sentence for sentence in risk.assumptions)


def test_auto_is_lognormal_only_where_the_variance_is_above_zero():
    even = key_table(np.full((4, 4), 1))
    risk = record_risk(even, fraction=0.1)
    assert (risk.distribution, risk.sigma2) == ("poisson", -np.inf)
    assert risk.to_dict()["sigma2"] is None
    uneven = np.random.default_rng(4).negative_binomial(0.3, 0.3, (8, 8, 8))
    spread = record_risk(key_table(uneven), fraction=0.1, model="main")
    assert spread.distribution == "lognormal"
    assert spread.sigma2 > 0
    gamma = record_risk(key_table(uneven), fraction=0.1, model="main", distribution="gamma")
    alone = spread.table.counts == 1
    assert_allclose(
        gamma.population_unique[alone],
        population_unique(gamma.fit.means[alone], 0.1, dispersion=gamma.dispersion),
    )


def test_risk_rises_with_the_fraction(sample):
    sums = [
        record_risk(sample, fraction=p, model="main").expected_population_uniques
        for p in (0.01, 0.1, 0.5, 1.0)
    ]
    assert sums == sorted(sums)
    assert sums[-1] == pytest.approx((sample.counts == 1).sum())


def test_weights_stand_for_the_fraction(sample):
    weighted = replace(sample, weights=sample.counts * 5.0)
    by_weight = record_risk(weighted, model="main")
    by_fraction = record_risk(sample, fraction=0.2, model="main")
    assert_allclose(by_weight.population_unique, by_fraction.population_unique)
    assert by_weight.fraction is None
    assert "weights" in repr(by_weight)
    heavier = np.where(np.arange(sample.classes) == 0, 50.0, 5.0) * sample.counts
    mixed = record_risk(replace(sample, weights=heavier), model="main", beyond_uniques=True)
    assert (
        mixed.correct_match[0]
        < record_risk(sample, fraction=0.2, model="main", beyond_uniques=True).correct_match[0]
    )


def test_weights_below_one_are_taken_as_wholly_sampled(sample):
    risk = record_risk(replace(sample, weights=sample.counts * 0.9), model="main")
    assert_allclose(risk.population_unique[sample.counts == 1], 1.0)
    assert any("weights below 1" in note for note in risk.notes)


def test_a_crowded_model_says_so(sample):
    assert any("understate" in note for note in record_risk(sample, fraction=0.1).notes)


def test_result_prints_and_becomes_plain_values(sample):
    risk = record_risk(sample, fraction=0.2, model="v0*v1 + v2")
    facts = json.loads(json.dumps(risk.to_dict()))
    assert facts["fit"]["model"] == "v0*v1 + v2"
    assert sum(facts["bands"]) == facts["sample_uniques"]
    assert len(repr(risk).splitlines()) <= 10
    html = risk._repr_html_()
    for sentence in risk.assumptions:
        assert sentence in html
    words = " ".join(risk.assumptions)
    for needed in ("knows exactly this key", "same probability, 0.2", "measurement error"):
        assert needed in words


# --- the population known ---


def test_known_population_by_hand(sample):
    population = sample.counts + np.arange(sample.classes) % 3
    known = known_population_risk(sample, population)
    assert_allclose(known.risk, 1 / population)
    assert known.population_uniques == (population == 1).sum()
    assert known.expected_reidentifications == pytest.approx((sample.counts / population).sum())
    assert json.dumps(known.to_dict())
    assert "unique in the population" in repr(known)


def test_known_population_must_hold_the_sample(sample):
    with pytest.raises(InputError, match="fewer people than the sample"):
        known_population_risk(sample, sample.counts - 1)
    with pytest.raises(InputError, match="one count for each"):
        known_population_risk(sample, [1, 2])


@pytest.mark.heavy
@pytest.mark.parametrize("fraction", [0.01, 0.02, 0.05, 0.1, 0.2])
def test_sums_are_within_a_tenth_of_the_truth_on_a_main_effects_population(fraction):
    population = main_effects_population(7, 500_000)
    ratios = []
    for seed in range(10):
        table = key_table(np.random.default_rng(seed).binomial(population, fraction))
        alone = table.counts == 1
        truth = population[tuple(table.codes[alone].T)]
        risk = record_risk(table, fraction=fraction, model="main")
        ratios.append(
            [
                risk.expected_population_uniques / (truth == 1).sum(),
                risk.expected_reidentifications / (1 / truth).sum(),
            ]
        )
    assert np.isfinite(ratios).all()
    assert_allclose(np.mean(ratios, axis=0), 1.0, atol=0.1)


# --- what is refused ---


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.5, float("nan")])
def test_fraction_outside_its_range(sample, fraction):
    with pytest.raises(InputError, match="above 0 and at most 1"):
        record_risk(sample, fraction=fraction)


def test_neither_fraction_nor_weights(sample):
    with pytest.raises(InputError, match=r"Give the sampling fraction .* or a variable"):
        record_risk(sample)


@pytest.mark.parametrize("bad", [0.0, -3.0, float("nan")])
def test_weights_that_are_no_weights(sample, bad):
    weights = sample.counts * 5.0
    weights[3] = bad
    with pytest.raises(InputError, match="zero, negative or missing"):
        record_risk(replace(sample, weights=weights))


def test_fewer_than_two_key_variables():
    with indistinct.open_data(pa.table({"a": [1, 2, 2]})) as data:
        table = data.key_table(["a"])
    with pytest.raises(InputError, match=r"at least two key variables. Got 1"):
        record_risk(table, fraction=0.1)


@pytest.mark.heavy
def test_a_key_variable_with_a_million_categories():
    n = 1_000_000
    coding = KeyCoding((Coding("person", n, False), Coding("sex", 2, False)))
    codes = np.stack([np.arange(n), np.arange(n) % 2], axis=1)
    table = KeyTable(coding, codes, np.ones(n, dtype=np.int64))
    with pytest.raises(InputError, match="'person' has 1,000,000 categories"):
        record_risk(table, fraction=0.1)


def test_unknown_choices_and_foreign_fits(sample):
    with pytest.raises(InputError, match="distribution must be"):
        record_risk(sample, fraction=0.1, distribution="normal")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="measure must be"):
        record_risk(sample, fraction=0.1, measure="risk")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="not in the key"):
        record_risk(sample, fraction=0.1, model="v0*v9")
    other = fit(key_table(np.ones((2, 2), dtype=int)), parse_model("main", ["v0", "v1"]))
    with pytest.raises(InputError, match="fitted to this very table"):
        record_risk(sample, fraction=0.1, fit=other)
