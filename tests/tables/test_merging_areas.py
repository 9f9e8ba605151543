"""Merging areas until nobody is a full record tabular unique, against all partitions."""

from __future__ import annotations

import functools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from small_data import open_small

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.tables import Grouping, TableSet, TableSpec, count_tables, tabular_uniques
from indistinct.tables.merging.areas import merge_areas

TABLES = (("age", "sex"), ("work", "job"), ("sex", "work"))


def grouping(name):
    return Grouping(name, name)


def people_of(seed, areas, number):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "area": random.integers(0, areas, number),
            "sex": random.integers(0, 2, number),
            "age": random.integers(0, 6, number),
            "work": np.minimum(random.geometric(0.5, number) - 1, 4),
            "job": random.integers(0, 4, number),
        }
    )
    frame.loc[: areas - 1, "area"] = np.arange(areas)
    frame["county"] = frame["area"] // 3
    return frame


def counted_of(frame, area=None):
    tables = tuple(TableSpec(" × ".join(t), tuple(map(grouping, t))) for t in TABLES)
    also = (grouping("county"),) if "county" in frame else ()
    with open_small(frame) as data:
        return count_tables(
            data.source, data.engine, TableSet(tables, area or grouping("area"), also)
        )


def uniques_of(frame):
    """Full record tabular uniques of one area, person by person."""
    cells = [list(zip(*(frame[name] for name in table), strict=True)) for table in TABLES]
    counts = [Counter(one) for one in cells]
    return sum(
        all(counts[t][cells[t][n]] == 1 for t in range(len(TABLES))) for n in range(len(frame))
    )


def most_areas(frame, areas, *, least_people=0, edges=None, parents=None):
    """The most areas that any partition without uniques has; None if there is none."""
    by_area = [frame[frame["area"] == n] for n in range(areas)]

    def together(mask):
        members = [n for n in range(areas) if mask >> n & 1]
        if parents is not None and len({parents[n] for n in members}) > 1:
            return False
        if edges is not None:
            seen = {members[0]}
            for _ in members:
                seen |= {b for a, b in edges if a in seen and b in members}
                seen |= {a for a, b in edges if b in seen and a in members}
            if len(seen) < len(members):
                return False
        return True

    @functools.cache
    def fine(mask):
        if not together(mask):
            return False
        whole = pd.concat([by_area[n] for n in range(areas) if mask >> n & 1])
        return len(whole) >= least_people and uniques_of(whole) == 0

    @functools.cache
    def most(whole):
        if not whole:
            return 0
        lowest, part, best = whole & -whole, whole, None
        while part:
            if part & lowest and fine(part) and (rest := most(whole ^ part)) is not None:
                best = max(best or 0, rest + 1)
            part = (part - 1) & whole
        return best

    return most((1 << areas) - 1)


def checked(frame, merged):
    """Count the merged areas again, from the people."""
    after = frame["area"].astype(str).map(merged.mapping)
    assert after.nunique() == merged.areas_after == len(merged.regrouped.areas)
    assert sum(uniques_of(group) for _, group in frame.groupby(after)) == merged.frtu_after
    sizes = frame.groupby(after).size()
    assert sizes[list(merged.regrouped.areas)].tolist() == merged.regrouped.area_sizes.tolist()
    return sizes


@pytest.mark.parametrize(
    ("seed", "number"),
    [
        (2, 45),
        (4, 40),
        pytest.param(1, 60, marks=pytest.mark.heavy),
        pytest.param(3, 90, marks=pytest.mark.heavy),
    ],
)
def test_any_areas_may_merge_as_good_as_all_partitions(seed, number):
    frame = people_of(seed, 6, number)
    merged = merge_areas(counted_of(frame))
    checked(frame, merged)
    assert merged.frtu_before == sum(uniques_of(group) for _, group in frame.groupby("area"))
    assert merged.frtu_after == 0
    assert merged.areas_after == most_areas(frame, 6)
    assert merged.merges >= merged.least_merges


@pytest.mark.heavy
def test_neighbours_on_a_ring_and_least_people_as_good_as_all_partitions():
    frame = people_of(11, 7, 90)
    edges = [(n, (n + 1) % 7) for n in range(7)]
    pairs = [(str(a), str(b)) for a, b in edges]
    merged = merge_areas(counted_of(frame), neighbours=pairs, least_people=15)
    sizes = checked(frame, merged)
    assert sizes.min() >= 15
    assert merged.areas_after == most_areas(frame, 7, least_people=15, edges=edges)
    for members in frame.groupby(frame["area"].astype(str).map(merged.mapping))["area"].unique():
        assert any((n + 1) % 7 in members for n in members) or len(members) == 1


def test_areas_merge_within_a_county():
    frame = people_of(5, 6, 150)
    merged = merge_areas(counted_of(frame), within=grouping("county"))
    checked(frame, merged)
    parents = [0, 0, 0, 1, 1, 1]
    assert merged.areas_after == most_areas(frame, 6, parents=parents)
    counties = frame.groupby(frame["area"].astype(str).map(merged.mapping))["county"].nunique()
    assert (counties == 1).all()


def test_refused_when_no_partition_is_without_uniques():
    frame = people_of(2, 6, 25)
    assert most_areas(frame, 6) is None
    with pytest.raises(GuaranteeError, match="When the whole country is one area, 1 full"):
        merge_areas(counted_of(frame))


@pytest.mark.heavy
def test_ten_areas_on_a_grid_against_all_partitions():
    """More areas than the search tries all partitions of."""
    edges = [(n, n + 1) for n in range(9) if n != 4] + [(n, n + 5) for n in range(5)]
    pairs = [(str(a), str(b)) for a, b in edges]
    lost = []
    for seed in range(20):
        number = int(np.random.default_rng(seed).integers(20, 160))
        frame = people_of(100 + seed, 10, number)
        best = most_areas(frame, 10, edges=edges)
        if best is None:
            with pytest.raises(GuaranteeError):
                merge_areas(counted_of(frame), neighbours=pairs)
            continue
        merged = merge_areas(counted_of(frame), neighbours=pairs)
        checked(frame, merged)
        lost.append(best - merged.areas_after)
    assert 10 < len(lost) < 20
    assert set(lost) == {0}


def test_the_papers_groups_a_and_b_as_two_areas():
    """Persons 2, 6 and 7 of A and of B are uniques; together each has a twin."""
    group = [
        (1, 27, 1),
        (2, 40, 4),
        (1, 11, 1),
        (2, 59, 1),
        (1, 52, 1),
        (1, 38, 2),
        (2, 5, 2),
        (1, 13, 1),
        (2, 68, 1),
    ]
    rows = [("A", *p) for p in [*group, (2, 57, 3)]] + [("B", *p) for p in [*group, (1, 52, 1)]]
    frame = pd.DataFrame(rows, columns=["ed", "sex", "age", "ethnic"])
    five = Grouping("age5", "age", bands=tuple(range(0, 95, 5)))
    stage = Grouping("stage", "age", bands=(0, 15, 30, 65))
    tables = TableSet(
        (
            TableSpec("one", (five, grouping("sex"))),
            TableSpec("two", (stage, grouping("ethnic"))),
            TableSpec("three", (grouping("sex"), grouping("ethnic"))),
        ),
        grouping("ed"),
    )
    with open_small(frame) as data:
        counted = count_tables(data.source, data.engine, tables)
    merged = merge_areas(counted)
    assert (merged.frtu_before, merged.frtu_after) == (6, 0)
    assert merged.mapping == {"A": "A+1", "B": "A+1"}


def test_some_uniques_may_stay():
    frame = people_of(8, 12, 200)
    counted = counted_of(frame)
    none = merge_areas(counted)
    found = tabular_uniques(counted)
    share = 2 / len(frame)
    some = merge_areas(counted, allow_share=share)
    checked(frame, some)
    assert found.frtu > 2
    assert some.allowed == 2
    assert some.frtu_after <= 2
    assert some.areas_after > none.areas_after
    everybody = merge_areas(counted, allow_share=1.0)
    assert everybody.areas_after == 12
    assert everybody.mapping == {str(n): str(n) for n in range(12)}


def test_coordinates_make_neighbours_and_the_same_seed_the_same_areas():
    frame = people_of(9, 12, 240)
    places = {str(n): (n % 4 + 0.01 * n, n // 4) for n in range(12)}
    counted = counted_of(frame)
    merged = merge_areas(counted, neighbours=places, least_people=25, seed=4)
    sizes = checked(frame, merged)
    assert sizes.min() >= 25
    assert merged.into == merge_areas(counted, neighbours=places, least_people=25, seed=4).into
    line = {str(n): (float(n), 2.0 * n) for n in range(12)}
    straight = merge_areas(counted, neighbours=line, least_people=25)
    for members in frame.groupby(frame["area"].astype(str).map(straight.mapping))["area"].unique():
        assert sorted(members) == list(range(min(members), max(members) + 1))


def test_areas_that_are_groups_already_merge_by_their_values():
    frame = people_of(3, 12, 150)
    banded = Grouping("zones", "area", bands=(0, 3, 6, 9))
    merged = merge_areas(counted_of(frame, banded), least_people=45)
    zone = frame["area"].map(lambda n: ("0–2", "3–5", "6–8", "9+")[n // 3])
    after = zone.map(merged.mapping)
    assert after.nunique() == merged.areas_after < 4
    assert after.value_counts()[list(merged.regrouped.areas)].tolist() == (
        merged.regrouped.area_sizes.tolist()
    )


def test_large_merged_areas_give_back_what_they_do_not_need():
    """Areas of one person each, all alike but for one variable: pairs are enough."""
    frame = pd.DataFrame(
        {
            "area": np.arange(40),
            "sex": 1,
            "age": np.arange(40) % 20,
            "work": np.arange(40) % 20,
            "job": 1,
        }
    )
    frame["sex"] = frame["age"] + 100  # nobody shares a cell with anybody but their twin
    merged = merge_areas(counted_of(frame))
    assert merged.areas_after == 20
    assert merged.gap == 0


def test_what_cannot_be_is_refused():
    frame = people_of(2, 6, 60)
    counted = counted_of(frame)
    with pytest.raises(GuaranteeError, match="fewer than 100 people altogether"):
        merge_areas(counted, least_people=100)
    for wrong, words in (
        ({"neighbours": [("0", "nowhere")]}, "'nowhere' that is not in the data"),
        ({"neighbours": {"0": (1.0, 2.0)}}, "5 areas have no coordinates"),
        ({"within": grouping("region")}, "'region' was not counted"),
        ({"within": grouping("sex")}, "'sex'"),
        ({"allow_share": 2.0}, "from 0 to 1"),
        ({"least_people": -1}, "of at least 0"),
    ):
        with pytest.raises(InputError, match=words):
            merge_areas(counted, **wrong)
    alone = frame.assign(job=frame["job"], work=np.where(frame.index == 7, 99, frame["work"]))
    alone.loc[7, ["age", "sex"]] = [77, 7]
    with pytest.raises(GuaranteeError, match=r"1 full record.* coarser recodes or fewer tables"):
        merge_areas(counted_of(alone))


def test_it_shows_itself():
    merged = merge_areas(counted_of(people_of(1, 6, 60)))
    assert repr(merged).startswith("Merged(6 areas into ")
    assert merged.to_dict()["frtu_after"] == 0
    assert "<svg" in merged.plot()
    assert merged._tables()[1].to_frame().shape == (6, 2)
