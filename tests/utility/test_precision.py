"""Sweeney's distance, precision and over-distortion on the releases of her section 6."""

from __future__ import annotations

import numpy as np
import pytest
from sweeney_releases import datafly, k_similar, keys, mu_argus, recoding

from indistinct.core.errors import InputError
from indistinct.keys import Recoding
from indistinct.keys.losses import distortion, levels_up, over_distortion, precision

LEAST = 8.2666667
"""The least distortion of a 2-anonymous cell-level release of Figure 28, by exact search."""


@pytest.mark.parametrize(
    ("release", "expected"), [(datafly, 0.7486), (mu_argus, 0.8667), (k_similar, 0.7958)]
)
def test_precision_with_one_hierarchy(release, expected):
    assert precision(release(keys())) == pytest.approx(expected, abs=5e-5)


def test_printed_precision_of_datafly_needs_the_zip_hierarchy_without_suppression():
    # Figure 34 prints .71: Figure 18's ZIP hierarchy, of height 2
    assert precision(datafly(keys(zip_height=2))) == pytest.approx(0.7104, abs=5e-5)


def test_ranking_of_the_systems_in_figure_34():
    table = keys()
    assert precision(datafly(table)) < precision(k_similar(table)) < precision(mu_argus(table))


def test_distortion_of_figure_33():
    assert distortion(k_similar(keys())) == pytest.approx(9.8, abs=1e-9)


def test_distance_is_levels_up():
    one = recoding(keys(), [(0, 0, 0, 1)] + [(0, 0, 0, 0)] * 11)
    three = recoding(keys(), [(0, 0, 0, 3)] + [(0, 0, 0, 0)] * 11)
    assert (levels_up(one), levels_up(three)) == (1, 3)
    # 12 births by 2, 3 ethnicities by 1, 6 ZIPs by 1
    assert levels_up(k_similar(keys())) == 33


def test_a_record_left_out_is_suppressed_in_all_cells():
    table = keys()
    dropped = recoding(table, [None] + [(0, 0, 0, 0)] * 11)
    blank = recoding(table, [(1, 5, 1, 3)] + [(0, 0, 0, 0)] * 11)
    assert precision(dropped) == precision(blank) == pytest.approx(1 - 4 / 48)
    assert levels_up(dropped) == levels_up(blank) == 10


def test_root_is_as_far_as_leaving_the_attribute_out():
    table = keys()
    assert precision(Recoding.full_domain(table, [0, 5, 0, 0])) == pytest.approx(3 / 4)
    assert precision(Recoding.full_domain(table, [1, 5, 1, 3])) == 0.0
    assert precision(Recoding.full_domain(table, [0, 0, 0, 0])) == 1.0


def test_which_attributes_count():
    release = k_similar(keys())
    assert precision(release, variables=["Sex"]) == 1.0
    assert precision(release, variables=["Ethnicity"]) == pytest.approx(1 - 3 / 12)
    assert distortion(release, variables=["ZIP"]) == pytest.approx(2.0)
    with pytest.raises(InputError, match="Did you mean 'Sex'"):
        precision(release, variables=["sex"])


def test_start_level_moves_the_origin():
    release = k_similar(keys())
    # births come as years: nothing of them has climbed, 5 - 2 steps were left
    assert precision(release, start_levels={"Birth": 2}, variables=["Birth"]) == 1.0
    assert levels_up(release, start_levels={"Birth": 2}) == 9
    higher = Recoding.full_domain(keys(), [0, 3, 0, 0])
    assert precision(higher, start_levels={"Birth": 2}, variables=["Birth"]) == pytest.approx(2 / 3)


def test_weights_are_a_weighted_mean():
    release = k_similar(keys())
    only = precision(release, weights={"Birth": 0, "Sex": 0, "ZIP": 0})
    assert only == pytest.approx(precision(release, variables=["Ethnicity"]))
    with pytest.raises(InputError, match="of at least 0"):
        precision(release, weights={"Birth": -1.0})


def test_over_distortion_of_figure_33():
    found = over_distortion(k_similar(keys()), LEAST / 48)
    assert found.ratio == pytest.approx(1.1855, abs=1e-4)
    assert found.sentence() == "1.19 times the least possible distortion"
    assert found.to_dict()["ratio"] == found.ratio


def test_over_distortion_of_the_original():
    table = keys()
    original = Recoding.full_domain(table, [0, 0, 0, 0])
    assert over_distortion(original, original).ratio == 1.0
    worse = over_distortion(k_similar(table), original)
    assert worse.ratio == np.inf
    assert worse.to_dict()["ratio"] is None
