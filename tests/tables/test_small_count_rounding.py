"""Small counts to 0 or the base: nothing small is published, everything adds up and stays near."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.tables import Grouping, TableSet, TableSpec, count_tables, grouping_from_text
from indistinct.tables.perturb import (
    Margin,
    margins,
    perturbed_risk,
    small_count_rounding,
    uncertainty,
)
from indistinct.tables.system import cell_system


def people(number: int, areas: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    area = rng.integers(0, areas, number)
    return pd.DataFrame(
        {
            "area": area.astype(str),
            "county": (area // 4).astype(str),
            "zone": rng.integers(0, 3, number).astype(str),
            "age": rng.integers(0, 80, number),
            "sex": rng.integers(1, 3, number),
            "work": rng.choice(4, number, p=[0.6, 0.3, 0.07, 0.03]),
        }
    )


def tables(*also: str) -> TableSet:
    age, broad = grouping_from_text("age:20"), grouping_from_text("age[0,40]")
    sex, work = Grouping("sex", "sex"), Grouping("work", "work")
    return TableSet(
        (
            TableSpec("age by sex", (age, sex)),
            TableSpec("age by work", (broad, work)),
            TableSpec("sex by work of the old", (sex, work), universe=(("age", ("40+",)),)),
        ),
        Grouping("area", "area"),
        tuple(Grouping(name, name) for name in also),
    )


@pytest.fixture(scope="module")
def linked():
    with open_small(people(600, 12, 1)) as data:
        yield count_tables(data.source, data.engine, tables("county", "zone"))


@pytest.fixture(scope="module")
def alone():
    with open_small(people(120, 6, 2)) as data:
        yield count_tables(data.source, data.engine, tables())


@pytest.mark.parametrize("base", [2, 3, 5])
def test_no_small_count_is_published_in_any_table_total_or_geography(linked, base):
    rounded = small_count_rounding(linked, base)
    for margin in margins(linked):
        published = rounded.cells(margin).published
        assert not ((published > 0) & (published < base)).any()


def test_the_rounded_cells_are_a_system_that_adds_up(linked):
    rounded = small_count_rounding(linked, 3)
    system = cell_system(rounded.perturbation.rounded(linked))  # refuses what does not add up
    assert not ((system.values > 0) & (system.values < 3)).any()
    for name, places in system.places.items():
        own = rounded.table(name, geography=0)
        assert (own == system.values[places[: len(linked.areas)]]).all()
    true = cell_system(linked)
    deviations = rounded.to_dict()
    assert np.abs(system.values - true.values).max() == deviations["largest_deviation"]


def test_only_classes_with_small_counts_change_and_only_to_zero_or_the_base(linked):
    rounded = small_count_rounding(linked, 5)
    new, old = rounded.perturbation.counts[linked.sorted_as], linked.counts
    changed = new != old
    assert changed.any()
    assert (old[changed] < 5).all()
    assert set(new[changed].tolist()) <= {0, 5}


def test_published_counts_move_less_than_by_rounding_at_random(linked):
    rounded = small_count_rounding(linked, 3)
    chosen = rounded.perturbation
    rng = np.random.default_rng(0)
    new = chosen.counts[linked.sorted_as]
    moved = new != linked.counts
    ours = random = 0.0
    drawn = linked.counts.copy()
    drawn[moved] = 3 * (rng.random(moved.sum()) < linked.counts[moved] / 3)
    for margin in margins(linked, once=True):
        found = rounded.cells(margin)
        cell = margin.cell_of(linked)
        place = rounded.geographies[margin.geography].place
        inside = cell >= 0
        number = place[inside] * margin.size(linked) + cell[inside]
        other = np.bincount(number, weights=(drawn - linked.counts)[inside])
        ours += ((found.published - found.true) ** 2).sum()
        random += (other**2).sum()
    assert ours < 0.35 * random


def test_brute_force_is_little_better_where_everything_can_be_tried():
    """One area of twelve classes: every choice of classes that go up is tried."""
    frame = people(14, 1, 5)[["area", "sex", "work"]]
    spec = TableSet(
        (TableSpec("both", (Grouping("sex", "sex"), Grouping("work", "work"))),),
        Grouping("area", "area"),
    )
    with open_small(frame) as data:
        counted = count_tables(data.source, data.engine, spec)
    rounded = small_count_rounding(counted, 4)

    def squares(counts: np.ndarray) -> float:
        return float(((_full(counted, counts) - _full(counted, counted.counts)) ** 2).sum())

    ways = [(0, 4) if 0 < c < 4 else (c,) for c in counted.counts.tolist()]
    best = min(squares(np.array(w)) for w in product(*ways))
    ours = squares(rounded.perturbation.counts[counted.sorted_as])
    assert ours <= 1.1 * best


def _full(counted, counts: np.ndarray) -> np.ndarray:
    cells = np.zeros((2, 4))
    np.add.at(cells, (counted.codes["sex"], counted.codes["work"]), counts)
    full = np.concatenate([cells, cells.sum(axis=0, keepdims=True)])
    return np.concatenate([full, full.sum(axis=1, keepdims=True)], axis=1)


def test_areas_without_coarser_totals_are_independent(alone):
    """Rounding is the same whether areas are worked on in one block or one by one."""
    from indistinct.tables.perturb import small_counts

    whole = small_count_rounding(alone, 3).perturbation.counts
    few, small_counts.BLOCK_CELLS = small_counts.BLOCK_CELLS, 1
    try:
        single = small_count_rounding(alone, 3).perturbation.counts
    finally:
        small_counts.BLOCK_CELLS = few
    assert whole.tolist() == single.tolist()


def test_nobody_looks_unique_and_the_uncertainty_is_told(linked):
    rounded = small_count_rounding(linked, 3)
    risk = perturbed_risk(rounded)
    assert risk.true_ones > 0
    assert risk.apparent_ones == risk.apparent_full == 0
    assert risk.false_match_share is None
    left = uncertainty(rounded.perturbation, 1)
    assert left.variance > 0
    inner = rounded.cells(Margin(0, (0, 1)))
    assert (inner.published - inner.true)[inner.true == 1].any()


def test_wrong_bases_and_tables_of_values_are_refused(alone):
    with pytest.raises(InputError, match="at least 2"):
        small_count_rounding(alone, 1)
