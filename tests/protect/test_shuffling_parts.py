"""The parts of shuffling, each against brute force, scipy or numerical integration."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from indistinct.hierarchy import code_hierarchy, table_hierarchy
from indistinct.protect import Draws
from indistinct.protect.shuffling import marginality, taxonomic_order
from indistinct.protect.shuffling.copula import (
    Worksheet,
    copula_correlation,
    correlation_within,
    deal_values,
    drawing,
    nearest_correlation,
    spearman,
)
from indistinct.protect.shuffling.kernels import draw_latent, draw_masked, draw_noise
from indistinct.protect.shuffling.margins import Coded, margins_of, packed, strata_of
from indistinct.protect.shuffling.normal import probability, quantile, uniform

quick = settings(max_examples=60, deadline=None)


def codes(values) -> np.ndarray:
    return np.asarray(values, dtype=np.int32)


def coded(values, size, *, strata=None, nominal=False) -> Coded:
    return Coded("x", codes(values), size, nominal, None if strata is None else codes(strata))


# Reverse mapping


def dealt_by_hand(values, scores, strata):
    """The smallest scores of each stratum get its smallest value, and so on."""
    new = np.full(len(values), -1)
    for stratum in set(strata):
        rows = [i for i in range(len(values)) if strata[i] == stratum and values[i] >= 0]
        new[sorted(rows, key=lambda i: scores[i])] = sorted(values[i] for i in rows)
    return new


def dealt_nominal_by_hand(values, scores, strata):
    """The rarest value goes to the rows with its highest scores, then the next among the rest."""
    new = np.full(len(values), -1)
    counts = np.bincount([v for v in values if v >= 0], minlength=len(scores))
    for value in sorted(range(len(scores)), key=lambda v: counts[v]):
        for stratum in set(strata):
            free = [
                i
                for i in range(len(values))
                if strata[i] == stratum and values[i] >= 0 and new[i] < 0
            ]
            wanted = sum(s == stratum and v == value for s, v in zip(strata, values, strict=True))
            new[sorted(free, key=lambda i: -scores[value][i])[:wanted]] = value
    return new


rows = st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 2)), min_size=1, max_size=40)


@quick
@given(rows, st.integers(0, 999), st.booleans())
def test_ordered_values_are_dealt_as_by_hand(data, seed, stratified):
    values = [v for v, _ in data]
    strata = strata_of([(codes([s for _, s in data]), 3)]) if stratified else None
    scores = np.random.default_rng(seed).normal(size=(1, len(data)))
    variable = coded(values, 5, strata=strata)
    new = deal_values(variable, margins_of(variable)[0], scores)
    by_hand = dealt_by_hand(values, scores[0], [0] * len(data) if strata is None else list(strata))
    assert new.tolist() == by_hand.tolist()


@quick
@given(rows, st.integers(0, 999), st.booleans())
def test_nominal_values_are_dealt_as_by_hand(data, seed, stratified):
    values = [v for v, _ in data]
    strata = strata_of([(codes([s for _, s in data]), 3)]) if stratified else None
    scores = np.random.default_rng(seed).normal(size=(5, len(data)))
    variable = coded(values, 5, strata=strata, nominal=True)
    new = deal_values(variable, margins_of(variable)[0], scores)
    by_hand = dealt_nominal_by_hand(
        values, scores, [0] * len(data) if strata is None else list(strata)
    )
    assert new.tolist() == by_hand.tolist()


def test_the_highest_score_of_one_stratum_never_reaches_the_next():
    strata = codes(np.arange(2_000_000)[::-1] // 2)
    values = codes(np.tile([0, 1], 1_000_000))
    variable = coded(values, 2, strata=strata)
    scores = np.tile([9.0, -9.0], 1_000_000)[None]
    assert (deal_values(variable, margins_of(variable)[0], scores) == values[::-1]).all()


def test_ties_in_the_scores_still_keep_the_counts():
    variable = coded([0, 0, 1, 1, 2, 2, 2], 3)
    new = deal_values(variable, margins_of(variable)[0], np.zeros((1, 7)))
    assert new.tolist() == [0, 0, 1, 1, 2, 2, 2]


# Ranks and scores


@quick
@given(st.integers(3, 60), st.integers(0, 9999))
def test_spearman_is_scipys(rows, seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, [3, 9, 90], size=(rows, 3))
    table[:2] = [[0, 0, 0], [1, 1, 1]]
    margins = [margins_of(coded(column, 100))[0] for column in table.T]
    np.testing.assert_allclose(spearman(margins), stats.spearmanr(table).statistic, atol=1e-12)


def test_values_missing_at_random_hardly_move_spearman():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 8, 40_000)
    y = x + rng.integers(0, 8, 40_000)
    absent = rng.random(40_000) < 0.3
    margins = [margins_of(coded(v, 20))[0] for v in (np.where(absent, -1, x), y)]
    expected = stats.spearmanr(x[~absent], y[~absent]).statistic
    assert spearman(margins)[0, 1] == pytest.approx(expected, abs=0.002)


@pytest.mark.parametrize("strata", [None, [0, 0, 0, 1, 1, 1, 1, 1]], ids=["one", "two strata"])
def test_mean_scores_of_cells_are_the_integral(strata):
    margin = margins_of(coded([0, 1, 1, 0, 2, 2, 2, 1], 3, strata=strata))[0]

    def mean(what, low, high):
        between = stats.norm.ppf(low), stats.norm.ppf(high)
        return quad(lambda z: what(z) * stats.norm.pdf(z), *between)[0] / (high - low)

    for low, high, centre in zip(margin.low, margin.high, margin.centres, strict=True):
        assert centre == pytest.approx(mean(lambda z: z, low, high), abs=1e-9)
    # the correlation of mid-ranks with the scores behind them, by integration over all cells
    cells = list(zip(margin.low, margin.high, margin.middles, margin.counts, strict=True))
    total = sum(count for *_, count in cells)
    product = sum(n * m * mean(lambda z: z, low, high) for low, high, m, n in cells) / total
    square = sum(n * m**2 for *_, m, n in cells) / total
    assert margin.kept == pytest.approx(product / np.sqrt(square), abs=1e-9)


def test_without_ties_the_score_correlation_is_pearsons_formula():
    x = np.random.default_rng(2).permutation(4000)
    y = np.argsort(np.argsort(x + np.random.default_rng(3).normal(0, 900, 4000)))
    margins = [margins_of(coded(v, 4000))[0] for v in (x, y)]
    ranks = spearman(margins)[0, 1]
    free = copula_correlation(margins, 2, ties="free")[0, 1]
    assert free == pytest.approx(2 * np.sin(np.pi * ranks / 6), abs=1e-12)
    assert copula_correlation(margins, 2)[0, 1] == pytest.approx(free, abs=1e-3)


@pytest.mark.parametrize("cuts", [[0.0], [-1.0, 1.2], [-0.5, 0.0, 0.5, 1.0]])
def test_the_correlation_behind_few_values_is_found(cuts):
    rho = 0.4
    z = np.random.default_rng(4).multivariate_normal([0, 0], [[1, rho], [rho, 1]], 200_000)
    x = np.searchsorted(cuts, z[:, 0])
    y = np.searchsorted(cuts, z[:, 1])
    margins = [margins_of(coded(v, len(cuts) + 1))[0] for v in (x, y)]
    assert copula_correlation(margins, 2)[0, 1] == pytest.approx(rho, abs=0.02)
    assert copula_correlation(margins, 2, ties="free")[0, 1] < rho - 0.02


def worksheet(confidential, given=(), **options) -> Worksheet:
    records = np.arange(len(confidential[0].codes))
    return Worksheet(confidential, given, records, Draws(11, 22), **options)


def test_scores_of_ties_are_drawn_from_the_truncated_normal_distribution():
    """Given S, a score within its cell follows the copula's conditional distribution there."""
    rows = 40_000
    rng = np.random.default_rng(5)
    s = rng.integers(0, 2, rows)
    x = (rng.random(rows) < 0.2 + 0.5 * s).astype(int)
    sheet = worksheet([coded(x, 2)], [coded(s, 2)])
    scores = draw_latent(sheet._scores())
    rho = sheet.model[0, 1]
    cut = stats.norm.ppf(1 - x.mean())
    for a in (0, 1):
        at = scores[s == a][0, 1]
        mean, spread = rho * at, np.sqrt(1 - rho**2)
        for b in (0, 1):
            found = scores[(s == a) & (x == b), 0]
            low, high = ((-np.inf, cut), (cut, np.inf))[b]
            law = stats.truncnorm((low - mean) / spread, (high - mean) / spread, mean, spread)
            assert stats.kstest(found, law.cdf).pvalue > 1e-3


def test_free_scores_are_uniform_within_their_cells():
    x = np.random.default_rng(6).choice(3, 30_000, p=[0.5, 0.3, 0.2])
    sheet = worksheet([coded(x, 3)], ties="free")
    margin = sheet.margins[0]
    places = stats.norm.cdf(draw_latent(sheet._scores())[:, 0])
    for value in range(3):
        own = (places[x == value] - margin.low[value]) / (margin.high - margin.low)[value]
        assert stats.kstest(own, "uniform").pvalue > 1e-3


def test_masked_scores_are_the_same_with_and_without_memory():
    rng = np.random.default_rng(7)
    s = rng.integers(0, 5, 500)
    sheet = worksheet([coded((s + rng.integers(0, 4, 500)) % 6, 6)], [coded(s, 5)])
    levels, correction = np.array([0.3]), np.zeros((2, 2))
    kept = sheet.masked(levels, correction, keep=True)
    np.testing.assert_allclose(sheet.masked(levels, correction), kept, atol=1e-12)
    noise = draw_noise(sheet._scores(), 1)
    alone = draw_masked(sheet._scores(), np.zeros((1, 2)), np.ones((1, 1)))
    np.testing.assert_array_equal(alone[0], noise[:, 0])


def test_normal_functions_are_scipys():
    for p in (1e-15, 1e-9, 0.01, 0.3, 0.5, 0.925, 0.999999, 1 - 1e-12):
        assert quantile(p) == pytest.approx(stats.norm.ppf(p), rel=1e-12, abs=1e-15)
        assert probability(quantile(p)) == pytest.approx(p, rel=1e-10)
    drawn = [uniform(np.uint64(1), np.uint64(2), record, 3) for record in range(5000)]
    assert stats.kstest(drawn, "uniform").pvalue > 1e-3
    assert uniform(np.uint64(1), np.uint64(2), 7, -1) != uniform(np.uint64(1), np.uint64(2), 7, 1)


# Matrices


@quick
@given(st.integers(2, 8), st.integers(0, 9999))
def test_a_repaired_matrix_is_a_correlation_and_near(size, seed):
    rng = np.random.default_rng(seed)
    wrong = np.clip(rng.uniform(-1.2, 1.2, (size, size)), -1, 1)
    wrong = (wrong + wrong.T) / 2
    np.fill_diagonal(wrong, 1.0)
    found = nearest_correlation(wrong)
    np.testing.assert_allclose(np.diag(found), 1.0, atol=1e-12)
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    assert np.linalg.eigvalsh(found).min() > 0
    # no further than the identity, which is a correlation matrix too
    assert np.linalg.norm(found - wrong) <= np.linalg.norm(np.eye(size) - wrong) + 0.2
    np.testing.assert_allclose(nearest_correlation(found), found, atol=1e-12)


@quick
@given(st.integers(2, 7), st.integers(0, 9999), st.sampled_from([0.0, 1e-4, 0.1, 2.0]))
def test_a_corrected_matrix_is_a_correlation_within_its_bounds(size, seed, most):
    rng = np.random.default_rng(seed)
    start = nearest_correlation(random_correlation(size, rng))
    wanted = start + 0.5 * rng.normal(size=(size, size))
    wanted = (wanted + wanted.T) / 2
    bounds = np.full((size, size), most)
    bounds[0] = bounds[:, 0] = 0.0
    found = correlation_within(start, wanted, bounds)
    assert (np.abs(found - start) <= bounds + 1e-12).all()
    np.testing.assert_allclose(np.diag(found), 1.0, atol=1e-12)
    assert np.linalg.eigvalsh(found).min() > 0
    if most == 0.0:
        np.testing.assert_allclose(found, start, atol=1e-15)


def random_correlation(size, rng):
    loose = rng.normal(size=(size, size + 2))
    cov = loose @ loose.T
    spread = np.sqrt(np.diag(cov))
    return cov / np.outer(spread, spread)


@quick
@given(st.integers(1, 4), st.integers(0, 3), st.integers(0, 9999))
def test_masked_scores_have_the_wanted_correlations_whatever_the_levels(own, given_, seed):
    rng = np.random.default_rng(seed)
    model = random_correlation(own + given_, rng)
    target = nearest_correlation(0.9 * model + 0.1 * random_correlation(own + given_, rng))
    target[own:, own:] = model[own:, own:]
    # a target changes what is wanted of X; S stays as it is, so no repair may touch it
    assume(np.linalg.eigvalsh(target).min() > 1e-3)
    kept = rng.choice([0.0, 0.3, 0.9, 1.0], own)
    how = drawing(model, target, kept)
    masked = how.scores @ model @ how.scores.T + how.noise @ how.noise.T
    np.testing.assert_allclose(masked, target[:own, :own], atol=1e-8)
    np.testing.assert_allclose(how.scores @ model[:, own:], target[:own, own:], atol=1e-8)
    if not kept.any():
        np.testing.assert_allclose(how.scores[:, :own], 0, atol=1e-9)


def test_equal_levels_give_the_published_form():
    model = random_correlation(5, np.random.default_rng(8))
    kept = np.full(3, 0.6)
    ours, theirs = (drawing(model, model, kept, diagonal=d) for d in (False, True))
    np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-9)
    np.testing.assert_allclose(ours.noise @ ours.noise.T, theirs.noise @ theirs.noise.T, atol=1e-9)


# Strata


@quick
@given(
    st.lists(
        st.tuples(st.integers(-1, 3), st.integers(-1, 2), st.integers(-1, 1 << 20)),
        min_size=1,
        max_size=30,
    )
)
def test_rows_share_a_stratum_when_they_agree_on_everything(data):
    sizes = (4, 3, 1 << 30)
    columns = [(codes([row[i] for row in data]), size) for i, size in enumerate(sizes)]
    strata = strata_of([*columns, *columns])  # so many that numbers must be made smaller
    assert len(np.unique(packed(columns))) == len(set(data))
    for a in range(len(data)):
        for b in range(len(data)):
            assert (strata[a] == strata[b]) == (data[a] == data[b])


# Taxonomies


def test_marginality_by_hand():
    """Codes 11, 12, 21 with ancestors 1 and 2 under a root, held by 5, 5 and 1 records.

    11 and 12 share 2 of 4 ancestors (themselves counted), 11 and 21 share 1 of 5.
    """
    tree = table_hierarchy([("11", "1", "*"), ("12", "1", "*"), ("21", "2", "*")], name="x")
    near, far = np.log2(1 + 2 / 4), np.log2(1 + 4 / 5)
    found = marginality(tree, np.array([5, 5, 1]))
    np.testing.assert_allclose(found, [5 * near + far, 5 * near + far, 10 * far])


@quick
@given(st.lists(st.integers(0, 9), min_size=27, max_size=27))
def test_a_taxonomic_order_keeps_every_branch_together(counts):
    leaves = [f"{a}{b}{c}" for a in "123" for b in "123" for c in "123"]
    tree = code_hierarchy(leaves, name="x", digits=(2, 1))
    place = taxonomic_order(tree, np.array(counts))
    assert sorted(place) == list(range(27))
    in_order = [tree.values[leaf] for leaf in np.argsort(place)]
    for digits in (1, 2):
        branches = [branch for branch, _ in groupby(in_order, key=lambda code: code[:digits])]
        assert len(branches) == len(set(branches))
