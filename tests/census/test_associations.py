"""Marginals and associations are such as censuses show."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def test_couples_are_alike_in_age_and_education(census: pa.Table) -> None:
    frame = census.select(["household", "relationship", "age", "education"]).to_pandas()
    heads = frame[frame["relationship"] == 1]
    partners = frame[frame["relationship"].isin([2, 3])]
    pairs = heads.merge(partners, on="household", suffixes=("", "_partner")).astype(float)
    assert np.corrcoef(pairs["age"], pairs["age_partner"])[0, 1] > 0.9
    assert 0.4 < np.corrcoef(pairs["education"], pairs["education_partner"])[0, 1] < 0.7


def test_shares_of_the_whole_population(census: pa.Table) -> None:
    frame = census.to_pandas()
    assert 2.2 < len(frame) / frame["household"].nunique() < 2.6
    assert 0.15 < (frame["age"] < 16).mean() < 0.22
    assert 0.12 < (frame["age"] >= 65).mean() < 0.2
    assert 0.49 < (frame["sex"] == 2).mean() < 0.53
    assert 0.03 < (frame["country_of_birth"] != 1).mean() < 0.09
    assert 0.4 < (frame["economic"] <= 5).mean() < 0.6


def test_marital_status_education_and_work_follow_age(census: pa.Table) -> None:
    frame = census.to_pandas()
    by_age = frame.groupby(np.minimum(frame["age"] // 10, 8))
    never = by_age["marital"].agg(lambda codes: (codes == 1).mean())
    widowed = by_age["marital"].agg(lambda codes: (codes == 5).mean())
    retired = by_age["economic"].agg(lambda codes: (codes == 9).mean())
    degree = by_age["education"].agg(lambda codes: (codes >= 6).mean())
    assert (np.diff(never[:7]) <= 0).all()
    assert (np.diff(widowed) >= 0).all()
    assert (np.diff(retired) >= 0).all()
    assert degree[3] > degree[6] > degree[8]


def test_income_is_skewed_and_rises_with_education(census: pa.Table) -> None:
    frame = census.to_pandas()
    full_time = frame[frame["economic"] == 1]
    middle = full_time.groupby("education")["income"].median()
    assert (np.diff(middle) > 0).all()
    assert full_time["income"].mean() > 1.05 * full_time["income"].median()


def test_occupation_follows_sex_and_education_and_industry_follows_occupation(
    census: pa.Table,
) -> None:
    frame = census.to_pandas()
    nurses = frame[frame["occupation"] == 23]
    lorry_drivers = frame[frame["occupation"] == 80]
    assert (nurses["sex"] == 2).mean() > 0.8
    assert (lorry_drivers["sex"] == 1).mean() > 0.9
    assert nurses["education"].mean() > lorry_drivers["education"].mean() + 1
    assert (nurses["industry"] // 10 == 21).mean() > 0.8  # health and social care


def test_origins_hang_together(census: pa.Table) -> None:
    frame = census.to_pandas()
    capital = (frame["ethnic"][frame["region"] == 1] != 1).mean()
    plain = (frame["ethnic"][frame["region"] == 2] != 1).mean()
    assert capital > 2 * plain
    born_abroad = frame["country_of_birth"] != 1
    assert (frame["nationality"][born_abroad] != 1).mean() > 0.4
    assert (frame["nationality"][~born_abroad] != 1).mean() < 0.02
    borderland = frame[frame["ethnic"] == 9]
    assert (borderland["region"].isin([7, 8])).mean() > 0.5
