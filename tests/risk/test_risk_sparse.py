"""Log-linear models without their cross-product, against the dense fit."""

from __future__ import annotations

import numpy as np
import pytest

import indistinct
from indistinct.census import MCCAA_KEY, SKINNER_HOLMES_KEY, census_table
from indistinct.core.errors import InputError
from indistinct.keys import KeyTable
from indistinct.risk.formula import parse_model
from indistinct.risk.loglinear import fit
from indistinct.risk.sparse import fit_model, fit_sparse
from indistinct.risk.support import all_cells, drawn_cells, live_cells, margin_table


def census_keys(people: int, key: tuple[str, ...], seed: int = 1) -> KeyTable:
    with indistinct.open_data(census_table(people, seed=seed, names=False)) as data:
        return data.key_table(key)


@pytest.fixture(scope="module")
def six() -> KeyTable:
    return census_keys(20_000, SKINNER_HOLMES_KEY)


@pytest.mark.parametrize("text", ["two-way", "age_group*economic*sex + ethnic*geography + marital"])
def test_listed_cells_give_the_dense_fit_on_six_keys(six, text):
    model = parse_model(text, six.names)
    dense = fit(six, model)
    sparse = fit_sparse(six, model)
    assert sparse.how == "enumerated"
    assert sparse.support_cells < dense.cells
    assert sparse.means == pytest.approx(dense.means, rel=1e-6)
    assert sparse.structural_zeros == dense.structural_zeros


def test_drawn_cells_come_near_the_dense_fit(six):
    model = parse_model("two-way", six.names)
    dense = fit(six, model)
    drawn = fit_sparse(six, model, limit=100, draws=200_000, seed=3)
    assert drawn.how == "drawn"
    off = np.log(drawn.means / dense.means)
    frequent = six.counts > 5
    assert np.median(np.abs(off[frequent])) < 0.03
    assert np.median(np.abs(off)) < 0.15
    # what it says of its own error is of the right size
    assert 0.2 < drawn.monte_carlo_error / (np.median(np.abs(off)) / 0.6745) < 5


def test_weights_of_drawn_cells_add_to_the_cross_product(six):
    three, _ = six.rollup(["sex", "marital", "geography"])
    cells = 2 * 5 * 4
    totals = [
        drawn_cells(three, draws=400, rng=np.random.default_rng(s), mixed=0.2).weights.sum()
        for s in range(200)
    ]
    assert np.mean(totals) == pytest.approx(cells, abs=4 * np.std(totals) / np.sqrt(200) + 1e-9)


def test_live_cells_are_those_without_a_zero_margin(six):
    model = parse_model("two-way", six.names)
    everywhere = all_cells(six)
    alive = np.ones(everywhere.cells, dtype=bool)
    for margin in model.margins:
        seen = everywhere.counts > 0
        table = margin_table(
            everywhere.codes[:, seen], everywhere.sizes, margin, everywhere.counts[seen]
        )
        alive &= table[everywhere.places(margin)] > 0
    found = live_cells(six, model.margins, limit=1_000_000)
    assert found.cells == alive.sum()
    expected = {tuple(c) for c in everywhere.codes[:, alive].T.tolist()}
    assert {tuple(c) for c in found.codes.T.tolist()} == expected
    assert found.counts[: six.classes].tolist() == six.counts.tolist()
    assert live_cells(six, model.margins, limit=100) is None


@pytest.mark.heavy
def test_twelve_keys_reproduce_their_margins():
    table = census_keys(5_000, MCCAA_KEY)
    model = parse_model("two-way", table.names)
    found = fit_sparse(table, model, draws=20_000, seed=1)
    assert found.cells > 10**14
    assert found.how == "drawn"
    assert found.deviation <= 0.002
    assert np.isfinite(found.means).all()
    assert (found.means > 0).all()
    # observed classes cannot hold more than their margins
    assert found.means.sum() <= table.records * 1.01


def test_same_seed_same_means():
    table = census_keys(2_000, MCCAA_KEY[:8])
    model = parse_model("two-way", table.names)
    one, two = (fit_sparse(table, model, draws=5_000, seed=9, limit=10) for _ in range(2))
    assert (one.means == two.means).all()


def test_main_effects_need_no_cells():
    table = census_keys(2_000, MCCAA_KEY)
    main = parse_model("main", table.names)
    assert fit_sparse(table, main).means == pytest.approx(fit(table, main).means)


def test_fit_model_takes_the_dense_way_where_it_can(six):
    assert fit_model(six, "sex*marital").dense is not None


@pytest.mark.parametrize(
    ("options", "word"), [({"draws": 5}, "at least 1,000"), ({"cycles": 1}, "after 1 cycles")]
)
def test_bad_options_are_refused(six, options, word):
    with pytest.raises(InputError, match=word):
        fit_sparse(six, parse_model("two-way", six.names), limit=100, **options)
