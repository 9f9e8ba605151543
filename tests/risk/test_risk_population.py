"""Population uniques from class sizes against ARX, brute force and samples of known populations."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nbinom

import indistinct
from indistinct.core.errors import InputError
from indistinct.risk.population import (
    class_sizes,
    pitman,
    population_uniqueness,
    slide_negative_binomial,
    zayatz,
)

SHARED = Path(__file__).resolve().parents[3] / "shared"

histograms = st.dictionaries(st.integers(1, 300), st.integers(1, 5000), min_size=1, max_size=12)


def sample_of(population_sizes, n: int, seed: int) -> dict[int, int]:
    people = np.repeat(np.arange(len(population_sizes)), population_sizes)
    drawn = np.random.default_rng(seed).choice(people, n, replace=False)
    sizes, numbers = np.unique(np.bincount(drawn), return_counts=True)
    return {int(s): int(c) for s, c in zip(sizes, numbers, strict=True) if s}


@pytest.mark.shared
@pytest.mark.parametrize("name", ["adult.csv", "ihis_synth.parquet"])
def test_zayatz_and_pitman_equal_arx(name):
    path = SHARED / "reference" / "arx" / f"arx_risk_{Path(name).stem}.json"
    if not path.is_file():
        pytest.skip("the folder shared/reference beside the project is absent")
    for run in json.loads(path.read_text())["runs"]:
        with indistinct.open_data(SHARED / "data" / name) as data:
            table = data.key_table(run["qis"])
        for model in run["models"]:
            found = population_uniqueness(table, fraction=model["sampling_fraction"])
            by_zayatz, by_pitman, by_snb = (e.population_uniques for e in found.estimates)
            assert by_zayatz == pytest.approx(model["pop_uniques_zayatz"], rel=1e-10)
            assert by_pitman == pytest.approx(model["pop_uniques_pitman"], rel=1e-8)
            # ARX gives no slide negative binomial estimate here; Dankar's rule needs one
            assert not model["available_snb"]
            assert by_snb is not None
            if model["sampling_fraction"] <= 0.1:
                assert found.chosen.model == "Pitman"
                assert model["dankar_chose"] == "PITMAN"
            else:
                assert found.expected_population_uniques == min(by_zayatz, by_snb)


def test_zayatz_equals_bayes_rule_by_hand():
    sizes, n, total = {1: 5, 2: 3, 4: 1}, 15, 40

    def once(j: int) -> float:
        return j * comb(total - j, n - 1) / comb(total, n)

    seen = {j: number * once(j) for j, number in sizes.items()}
    expected = 5 * seen[1] / sum(seen.values()) * total / n
    found = zayatz(class_sizes(sizes, population=total))
    assert found.population_uniques == pytest.approx(expected, rel=1e-12)


def test_pitman_is_the_maximum_of_its_likelihood():
    sizes = {1: 200, 2: 60, 3: 20, 10: 6, 40: 2}
    found = pitman(class_sizes(sizes, fraction=0.1)).parameters
    n, u = sum(j * s for j, s in sizes.items()), sum(sizes.values())

    def likelihood(theta: float, alpha: float) -> float:
        total = sum(np.log(theta + i * alpha) for i in range(1, u))
        total -= sum(np.log(theta + i) for i in range(1, n))
        return total + sum(
            s * sum(np.log(i - alpha) for i in range(1, j)) for j, s in sizes.items()
        )

    theta, alpha = found["theta"], found["alpha"]
    best = likelihood(theta, alpha)
    for dt, da in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1)]:
        assert likelihood(theta * (1 + dt * 1e-3), alpha + da * 1e-3) < best


def test_slide_negative_binomial_solves_its_equations():
    sizes = {1: 15512, 2: 2098, 3: 754, 4: 375, 5: 189, 20: 60}
    classes = class_sizes(sizes, fraction=0.3)
    found = slide_negative_binomial(classes)
    number, alpha, beta = (found.parameters[name] for name in ("K", "alpha", "beta"))
    share = classes.fraction
    extra = np.arange(0, 20000)
    weight = nbinom.pmf(extra, alpha, beta)
    size = extra + 1
    once = number * np.sum(weight * size * share * (1 - share) ** (size - 1))
    twice = number * np.sum(weight * size * extra / 2 * share**2 * (1 - share) ** (size - 2.0))
    assert once == pytest.approx(15512, rel=1e-8)
    assert twice == pytest.approx(2098, rel=1e-8)
    assert found.population_uniques == pytest.approx(number * weight[0], rel=1e-10)


def test_slide_negative_binomial_finds_the_truth_of_its_own_model():
    sizes = 1 + np.random.default_rng(4).negative_binomial(0.6, 0.3, 60_000)
    truth = int((sizes == 1).sum())
    seen = sample_of(sizes, int(sizes.sum() * 0.4), seed=1)
    found = slide_negative_binomial(class_sizes(seen, population=float(sizes.sum())))
    assert found.population_uniques == pytest.approx(truth, rel=0.1)


def test_pitman_finds_the_truth_of_its_own_model():
    rng, theta, alpha, people = np.random.default_rng(2), 100.0, 0.6, 40_000
    sizes: list[int] = []
    members: list[int] = []
    for i, draw in enumerate(rng.random(people) * (theta + np.arange(people))):
        if draw < theta + alpha * len(sizes):
            members.append(len(sizes))
            sizes.append(1)
            continue
        # a class of size s draws with weight s - α: a random member, refused with α/s
        while True:
            chosen = members[int(rng.integers(i))]
            if rng.random() >= alpha / sizes[chosen]:
                break
        sizes[chosen] += 1
        members.append(chosen)
    truth = sizes.count(1)
    found = population_uniqueness(sample_of(sizes, 4_000, seed=3), population=people)
    assert found.chosen.model == "Pitman"
    assert found.expected_population_uniques == pytest.approx(truth, rel=0.1)


@settings(deadline=None, max_examples=60)
@given(histograms, st.floats(0.001, 1.0))
def test_every_model_gives_a_number_of_people_or_a_reason(sizes, fraction):
    found = population_uniqueness(sizes, fraction=fraction)
    for estimate in found.estimates:
        if estimate.population_uniques is None:
            assert estimate.reason
        else:
            assert 0 <= estimate.population_uniques <= found.population * (1 + 1e-9)
    assert found.expected_population_uniques is not None
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_whole_population_needs_no_model():
    found = population_uniqueness({1: 7, 3: 4}, fraction=1.0)
    assert [e.population_uniques for e in found.estimates] == [7, 7, 7]
    assert "whole population" in found.why


def test_all_unique_gives_a_reason_for_pitman():
    found = population_uniqueness({1: 50}, fraction=0.05)
    assert "every record is unique" in found.estimates[1].reason
    assert found.chosen.model == "Zayatz"


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="need the size of the population"):
        population_uniqueness({1: 3})
    with pytest.raises(InputError, match=r"above 0 and at most 1\. Got 0"):
        population_uniqueness({1: 3}, fraction=0)
    with pytest.raises(InputError, match=r"at least as large as the sample of 3 records\. Got 2"):
        population_uniqueness({1: 3}, population=2)
    with pytest.raises(InputError, match="either a sampling fraction or"):
        population_uniqueness({1: 3}, population=20, fraction=0.1)
    with pytest.raises(InputError, match="no records"):
        population_uniqueness({}, fraction=0.1)
