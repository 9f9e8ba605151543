"""NIST's K-marginal score: by definition, and against the scores in SDNist's own reports."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from analyses_files import coded, people

from indistinct.core.errors import InputError
from indistinct.utility.analyses import k_marginal

NIST = Path(__file__).resolve().parents[3] / "shared" / "data" / "nist_acs_national2019.csv"
TEN = ["AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE"]
TEN += ["OWN_RENT", "EDU", "PINCP_DECILE", "DVET", "DEYE"]

SDNIST_TEN = {
    0.01: 893, 0.05: 953, 0.1: 969, 0.2: 979, 0.3: 985, 0.4: 986,
    0.5: 989, 0.6: 990, 0.7: 993, 0.8: 994, 0.9: 996,
}  # fmt: skip
"""SDNist 2.3.0, report of 19 June 2023 on 'mst_e10_demographic_focused_na2019': the scores of
subsamples of the target data with these ten features."""

SDNIST_BY_PUMA = {0.2: 907, 0.3: 926, 0.4: 942, 0.5: 951, 0.6: 960, 0.7: 969, 0.8: 975, 0.9: 984}
"""The same, report on 'cart_cf21_na2019': 21 features, by PUMA."""

SDNIST_PUMAS = {"01-01301": 826, "36-03710": 857, "17-03531": 847, "32-00405": 872,
                "29-01901": 854, "36-04010": 869, "17-03529": 886, "26-02702": 867}  # fmt: skip
"""From that report: the mean score of five 40 % subsamples in a PUMA."""


def by_definition(first, second, features, by=None):
    total, lost = 0.0, 0.0
    pairs = list(itertools.combinations(features, 2))
    for pair in pairs:
        names = [*([by] if by else []), *pair]
        t = first.groupby(names).size() / len(first)
        s = second.groupby(names).size() / len(second)
        apart = t.subtract(s, fill_value=0).abs()
        total += apart.sum()
        if by:
            here = t.groupby(by).sum()
            lost = lost + np.minimum(apart.groupby(by).sum().reindex(here.index), here) / here
    scores = 1000 * (1 - lost / len(pairs)) if by else None
    return 500 * (2 - total / len(pairs)), scores


@pytest.fixture(scope="module")
def frames():
    first, second = people(600)[["sex", "region", "married"]], people(250, seed=8)
    first["school"] = people(600)["school"].astype(int).astype(str)
    second["school"] = second["school"].astype(int).astype(str)
    second = second[first.columns]
    return first.fillna("none"), second.fillna("none")


def test_score_by_definition(frames):
    found = k_marginal(coded(*frames))
    assert found.score == pytest.approx(by_definition(*frames, frames[0].columns)[0])
    assert found.marginals == 6


def test_score_by_group_by_definition(frames):
    found = k_marginal(coded(*frames), by="region")
    features = ["sex", "married", "school"]
    score, groups = by_definition(*frames, features, "region")
    assert found.score == pytest.approx(score)
    assert dict(found.groups) == pytest.approx(groups.to_dict())
    assert [s for _, s in found.groups] == sorted(s for _, s in found.groups)


def test_the_same_file_scores_1000_and_nothing_in_common_scores_0():
    assert k_marginal(coded(people(100))).score == 1000
    apart = coded({"a": ["x"] * 9, "b": ["x"] * 9}, {"a": ["y"] * 9, "b": ["y"] * 9})
    assert k_marginal(apart).score == 0


def test_subsamples_score_better_the_larger_they_are():
    found = k_marginal(coded(people(3000)), repeats=4)
    scores = list(found.subsamples.values())
    assert scores == sorted(scores)


def test_a_subsample_is_told_to_be_one():
    whole = people(20_000)
    found = k_marginal(coded(whole, whole.sample(frac=0.25, random_state=3)))
    assert found.nearest_fraction in (0.2, 0.3)
    assert found.equivalent_fraction == pytest.approx(0.25, abs=0.04)


def test_fractions_are_checked_and_may_be_none(frames):
    both = coded(*frames)
    assert k_marginal(both, fractions=()).equivalent_fraction is None
    with pytest.raises(InputError, match=r"Got 1\.5"):
        k_marginal(both, fractions=(1.5,))
    with pytest.raises(InputError, match="two features"):
        k_marginal(both, features=["sex"])


def acs():
    if not NIST.exists():
        pytest.skip("needs the shared data")
    frame = pd.read_csv(NIST, dtype=str)
    frame["AGEP"] = frame["AGEP"].astype(int)
    return frame


@pytest.mark.shared
def test_subsamples_of_the_acs_score_what_sdnist_reports():
    found = k_marginal(coded(acs()[TEN]))
    assert found.marginals == 45
    for fraction, score in SDNIST_TEN.items():
        # one random subsample there, the mean of three here; one of 272 records varies by ±7
        assert found.subsamples[fraction] == pytest.approx(score, abs=20 if fraction < 0.05 else 3)


@pytest.mark.shared
def test_subsamples_of_the_acs_by_puma_score_what_sdnist_reports():
    frame = acs().drop(columns=["INDP", "DENSITY", "PWGTP", "WGTP"])
    frame["PINCP"] = pd.to_numeric(frame["PINCP"], errors="coerce")
    # SDNist bins POVPIP but for its top code 501
    plain = ~frame["POVPIP"].isin(["N", "501"])
    ranks = frame.loc[plain, "POVPIP"].astype(int).rank(pct=True)
    frame.loc[plain, "POVPIP"] = "b" + (20 * ranks).astype(int).clip(upper=19).astype(str)
    found = k_marginal(coded(frame), by="PUMA", repeats=1)
    for fraction, score in SDNIST_BY_PUMA.items():
        assert found.subsamples[fraction] == pytest.approx(score, abs=6)
    means = dict.fromkeys(SDNIST_PUMAS, 0.0)
    for draw in range(3):
        part = frame.sample(frac=0.4, random_state=draw)
        groups = dict(k_marginal(coded(frame, part), by="PUMA", fractions=()).groups)
        for puma in means:
            means[puma] += groups[puma] / 3
    for puma, score in SDNIST_PUMAS.items():
        assert means[puma] == pytest.approx(score, abs=15)
