"""Data shuffling on codes: fit the copula, find the levels, draw, deal the values out again.

Muralidhar and Sarathy (2006); the levels of protection from McCaa et al. (2013, section 3).

The correlation of the copula: from Spearman's, through the cells that values occupy.

For continuous variables a Gaussian copula with correlation ρ has Spearman's
r = (6/π) arcsin(ρ/2), so ρ = 2 sin(π r/6) (Pearson 1907). With few values the same ρ gives a
smaller r, because ties hide part of the order. If c is the correlation of a variable's mid-ranks
with the normal scores behind them (c² = 3/π without ties; `Margin.kept`), r = c₁c₂ρ to the first
order, so ρ = 2 sin(r / 2c₁c₂), which is Pearson's formula where there are no ties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri

from indistinct.core import Bools, Floats, InputError, Ints
from indistinct.protect.randomness import Draws
from indistinct.protect.shuffling.kernels import Scores, draw_latent, draw_masked, draw_noise, mix
from indistinct.protect.shuffling.margins import Coded, Codes, Margin, margins_of
from indistinct.protect.shuffling.normal import FARTHEST

__all__ = [
    "Drawing",
    "Shuffled",
    "Ties",
    "Worksheet",
    "check_worksheet",
    "copula_correlation",
    "corrected",
    "correlation_within",
    "correlations",
    "deal_values",
    "drawing",
    "nearest_correlation",
    "shuffle_codes",
    "spearman",
]

# Reverse mapping: the values of a variable are dealt out again in the order of masked scores.
#
# Every value is used exactly as often as before, within every stratum.


def deal_values(coded: Coded, margin: Margin, scores: Floats) -> Codes:
    """Return the new codes of a variable; rows without a value stay without."""
    if coded.columns == 1:
        return _deal_ordered(coded, margin, scores[0])
    return _deal_nominal(coded, scores)


def _deal_ordered(coded: Coded, margin: Margin, scores: Floats) -> Codes:
    """Give the smallest scores of each stratum its smallest value, and so on."""
    strata, present = coded.strata, coded.present
    whole = bool(present.all())
    place = scores if whole else scores[present]
    if strata is not None:
        # one number that sorts by stratum and then by score; the margin keeps the next stratum
        # out of reach of rounding, up to millions of strata
        place = (strata if whole else strata[present]) + np.minimum(ndtr(place), 1 - 1e-9)
    new = margin.values[_dealt(place, margin.counts)] if len(place) else np.empty(0, np.int32)
    if whole:
        return new
    codes = np.full(len(present), -1, dtype=np.int32)
    codes[present] = new
    return codes


def _dealt(place: Floats, counts: Ints) -> Ints:
    """Return the cell of every row when cells are filled in the order of the rows' places."""
    ends = np.cumsum(counts)
    if len(counts) <= max(1000, len(place) // 16):
        # where one cell ends and the next begins can be seen in the sorted places
        first = np.sort(place)[ends[:-1]]
        cells = np.searchsorted(first, place, side="right")
        if np.array_equal(np.bincount(cells, minlength=len(counts)), counts):
            return np.asarray(cells)
    cells = np.empty(len(place), dtype=np.int64)
    cells[np.argsort(place, kind="stable")] = np.repeat(np.arange(len(counts)), counts)
    return cells


def _deal_nominal(coded: Coded, scores: Floats) -> Codes:
    """Fill one value after the other, the rarest first, with the rows whose scores are highest."""
    rows = len(coded.codes)
    strata = np.zeros(rows, dtype=np.int32) if coded.strata is None else coded.strata
    group = strata.astype(np.int64)
    groups = int(group.max()) + 1 if rows else 0
    codes = np.full(rows, -1, dtype=np.int32)
    free = np.flatnonzero(coded.present)
    sizes = np.bincount(coded.codes[free], minlength=coded.size)
    for code in np.argsort(sizes, kind="stable"):
        wanted = np.bincount(group[coded.codes == code], minlength=groups)
        taken = _highest(scores[code][free], group[free], wanted)
        codes[free[taken]] = code
        free = free[~taken]
    return codes


def _highest(scores: Floats, group: Ints, wanted: Ints) -> Bools:
    """Say which rows have the highest scores of their group, as many as it wants."""
    if not wanted.any():
        return np.zeros(len(scores), dtype=bool)
    if len(wanted) == 1:
        if wanted[0] == len(scores):
            return np.ones(len(scores), dtype=bool)
        place = len(scores) - int(wanted[0])
        taken = scores >= np.partition(scores, place)[place]
        if int(taken.sum()) == wanted[0]:
            return np.asarray(taken)
    order = np.lexsort((-scores, group))
    sorted_group = group[order]
    starts = np.searchsorted(sorted_group, np.arange(len(wanted)))
    taken = np.zeros(len(scores), dtype=bool)
    taken[order] = np.arange(len(order)) - starts[sorted_group] < wanted[sorted_group]
    return taken


# How much of a row's own value its masked score keeps.
#
# The scores of the confidential X, less what the non-confidential S tell of them, have the
# covariance Σ = L Lᵀ. The masked scores are
#
#     Y* = β S* + A (X* - β S*) + e,   A = L R L⁻¹,   Cov(e) = L (I - R²) Lᵀ,
#
# with R diagonal: 1 keeps a variable as it is (no protection), 0 keeps nothing of it beyond what S
# and the less protected variables tell (maximum: X ⊥ Y | S). Cov(Y*) = Cov(X*) for every R, so no
# combination of levels has to be refused. Where all levels are the same, A = dI: the form that
# McCaa et al. (2013) describe. Their form with different levels, A = D diagonal and
# Cov(e) = Σ - DΣD, is `diagonal=True`; it does not exist for every D, and is refused then.


@dataclass(frozen=True, eq=False)
class Drawing:
    """Masked scores as a function of the scores z and independent noise: Y* = Mz + Ne."""

    scores: Floats
    noise: Floats


def drawing(model: Floats, target: Floats, kept: Floats, *, diagonal: bool = False) -> Drawing:
    """Return how masked scores are drawn.

    Parameters
    ----------
    model
        The correlation of the scores (X*, S*).
    target
        The correlation that (Y*, S*) shall have; the same, but for small corrections.
    kept
        For every column of X how much it keeps, from 0 (maximum protection) to 1 (none).
    """
    size = len(kept)
    beta, own = _regression(model, size)
    beta_target, own_target = _regression(target, size)
    if diagonal:
        through = np.diag(kept)
        left = own_target - through @ own @ through
        values, vectors = np.linalg.eigh(left)
        if values.min() < -1e-9:
            raise InputError(
                "These levels do not go together: variables that depend on each other have "
                "levels too far apart for a diagonal D. Bring them closer, or use the form that "
                "always exists (without diagonal)."
            )
        noise = vectors * np.sqrt(np.maximum(values, 0.0))
    else:
        # the least protected first: the others may lean on them
        order = np.argsort(-kept, kind="stable")
        back = np.argsort(order, kind="stable")
        low = np.linalg.cholesky(own[np.ix_(order, order)])
        low_target = np.linalg.cholesky(own_target[np.ix_(order, order)])
        kept = kept[order]
        through = np.linalg.solve(low.T, (low_target * kept).T).T[np.ix_(back, back)]
        noise = (low_target * np.sqrt(np.maximum(0.0, 1.0 - kept**2)))[back]
    return Drawing(np.hstack([through, beta_target - through @ beta]), noise)


def _regression(matrix: Floats, size: int) -> tuple[Floats, Floats]:
    """Return β of X on S, and the covariance of what S does not tell."""
    cross = matrix[:size, size:]
    beta = np.linalg.solve(matrix[size:, size:], cross.T).T if cross.size else cross
    return np.asarray(beta), matrix[:size, :size] - beta @ cross.T


Ties = Literal["model", "free"]
"""How ties are broken: at random given the other variables, or at random alone."""


SWEEPS = 1
"""How often the scores of ties are drawn anew given each other."""

MOST_COLUMNS = 4096


@dataclass(frozen=True, eq=False)
class Shuffled:
    """New codes of the confidential variables, and how they came about.

    Parameters
    ----------
    codes
        The new codes by variable.
    levels
        The level of protection of each variable, from 0 (none) to 1 (maximum).
    changed
        The share of rows whose value changed, among those that have one.
    drift
        The largest change of a Spearman correlation that involves a confidential variable.
    """

    codes: Mapping[str, Codes]
    levels: Mapping[str, float]
    changed: Mapping[str, float]
    drift: float


@dataclass(frozen=True, eq=False)
class Worksheet:
    """The copula of some rows: everything that a draw needs, whatever the levels.

    Parameters
    ----------
    confidential, given
        X and S.
    records
        The number of every row's record, which its random numbers belong to.
    draws
        The secret keys of the random numbers.
    """

    confidential: Sequence[Coded]
    given: Sequence[Coded]
    records: Ints
    draws: Draws
    ties: Ties = "model"
    diagonal: bool = False

    @cached_property
    def margins(self) -> list[Margin]:
        """The columns of the copula, those of X first."""
        own = [margin for coded in self.confidential for margin in margins_of(coded)]
        # the last indicator of a nominal variable follows from the others
        rest = [m for c in self.given for m in margins_of(c)[: max(1, c.columns - 1)]]
        return own + rest

    @cached_property
    def owners(self) -> Ints:
        """For every column of X the variable that it belongs to."""
        columns = [coded.columns for coded in self.confidential]
        return np.repeat(np.arange(len(columns)), columns)

    @cached_property
    def ranks(self) -> Floats:
        """Spearman's correlations of the columns of X with all columns."""
        return spearman(self.margins, first=len(self.owners))

    @cached_property
    def model(self) -> Floats:
        """The correlation of the scores."""
        return copula_correlation(self.margins, len(self.owners), ties=self.ties)

    def _scores(self) -> Scores:
        margins = self.margins
        cells = np.stack([margin.cells for margin in margins])
        offsets = np.cumsum([0, *(len(m.low) for m in margins[:-1])]).astype(np.int64)
        low = np.concatenate([m.low for m in margins])
        high = np.concatenate([m.high for m in margins])
        precision = np.linalg.inv(self.model)
        weights = -precision / np.diag(precision)[:, None]
        np.fill_diagonal(weights, 0.0)
        spread = 1.0 / np.sqrt(np.diag(precision))
        steady = np.array([m.continuous and bool((m.cells >= 0).all()) for m in margins])
        return Scores(
            self.records,
            cells,
            offsets,
            low,
            high,
            np.clip(ndtri(low), -FARTHEST, FARTHEST),
            np.clip(ndtri(high), -FARTHEST, FARTHEST),
            np.concatenate([m.centres / _deviation(m) for m in margins]),
            len(self.owners) if self.ties == "model" else len(margins),
            weights,
            spread,
            steady,
            SWEEPS if self.ties == "model" else 0,
            np.uint64(self.draws.first),
            np.uint64(self.draws.second),
        )

    @cached_property
    def _latent(self) -> Floats:
        return np.asarray(draw_latent(self._scores()))

    @cached_property
    def _noise(self) -> Floats:
        return np.asarray(draw_noise(self._scores(), len(self.owners)))

    def masked(self, levels: Floats, correction: Floats, *, keep: bool = False) -> Floats:
        """Return the masked scores of every column of X.

        Parameters
        ----------
        correction
            What is added to the correlations that the masked scores shall have; see `corrected`.
        keep
            The scores stay in memory for the next call, with other levels.
        """
        kept = 1.0 - levels[self.owners]
        target = self._corrected_model(kept, correction)
        how = drawing(self.model, target, kept, diagonal=self.diagonal)
        if keep or "_latent" in vars(self):
            return np.asarray(mix(self._latent, self._noise, how.scores, how.noise))
        return np.asarray(draw_masked(self._scores(), how.scores, how.noise))

    def _corrected_model(self, kept: Floats, correction: Floats) -> Floats:
        """Add the correction, as far as it is small against the noise.

        A correction moves scores; where there is next to no noise, nothing else may move them.
        """
        if not correction.any():
            return self.model
        size = len(kept)
        limit = np.full(len(self.model), np.inf)
        limit[:size] = 0.5 * np.sqrt(1.0 - kept**2)
        most = np.minimum(limit[:, None], limit[None, :])
        most[size:, size:] = 0.0
        return correlation_within(self.model, self.model + correction, most)

    def deal(self, scores: Floats, levels: Floats) -> list[Codes]:
        """Deal out the values of every confidential variable in the order of its scores."""
        dealt = []
        for number, coded in enumerate(self.confidential):
            own = np.flatnonzero(self.owners == number)
            if levels[number] == 0.0:  # no protection is no change, whatever ties were drawn
                dealt.append(coded.codes)
                continue
            dealt.append(deal_values(coded, self.margins[own[0]], scores[own]))
        return dealt

    def after(self, dealt: Sequence[Codes]) -> Floats:
        """Return Spearman's correlations of the new values with each other and with S."""
        new = [
            margin
            for coded, codes in zip(self.confidential, dealt, strict=True)
            for margin in margins_of(coded.with_codes(codes))
        ]
        return spearman([*new, *self.margins[len(new) :]], first=len(new))

    def shares(self, dealt: Sequence[Codes]) -> Floats:
        """Return the share of values that changed, by variable."""
        return np.array(
            [
                float((new != coded.codes).sum()) / max(1, int(coded.present.sum()))
                for coded, new in zip(self.confidential, dealt, strict=True)
            ]
        )

    def rows(self, chosen: Ints) -> Worksheet:
        """Return the worksheet of some of the rows."""
        return replace(
            self,
            confidential=[coded.rows(chosen) for coded in self.confidential],
            given=[coded.rows(chosen) for coded in self.given],
            records=self.records[chosen],
        )


def _deviation(margin: Margin) -> float:
    """Return the standard deviation of the cells' mean scores."""
    return float(np.sqrt(margin.counts @ margin.centres**2 / max(1, margin.counts.sum()))) or 1.0


def corrected(sheet: Worksheet, levels: Floats, *, rounds: int = 2) -> Floats:
    """Return a correction that brings Spearman's correlations of {Y, S} to those of {X, S}.

    Real variables are not quite a Gaussian copula. What a draw misses is added to what the next
    one aims at.
    """
    size = len(sheet.owners)
    correction = np.zeros_like(sheet.model)
    if sheet.diagonal:
        return correction
    for _ in range(rounds):
        after = sheet.after(sheet.deal(sheet.masked(levels, correction, keep=True), levels))
        correction[:size] += sheet.ranks - after
        correction[size:, :size] = correction[:size, size:].T
    return correction


def shuffle_codes(sheet: Worksheet, levels: Floats, correction: Floats) -> Shuffled:
    """Shuffle once, at a given level for each confidential variable."""
    names = [coded.name for coded in sheet.confidential]
    dealt = sheet.deal(sheet.masked(levels, correction), levels)
    shares = sheet.shares(dealt)
    miss = np.abs(sheet.after(dealt) - sheet.ranks)
    return Shuffled(
        dict(zip(names, dealt, strict=True)),
        dict(zip(names, levels.tolist(), strict=True)),
        dict(zip(names, shares.tolist(), strict=True)),
        float(miss.max()) if miss.size else 0.0,
    )


def check_worksheet(sheet: Worksheet) -> None:
    """Refuse what cannot be shuffled: a constant, or more indicators than rows."""
    rows = len(sheet.records)
    for coded in sheet.confidential:
        present = coded.codes[coded.present]
        if not len(present) or present.min() == present.max():
            raise InputError(
                f"'{coded.name}' has the same value, or none, in all {rows:,} records that would "
                "be shuffled together, so there is nothing to exchange. Leave it out, or shuffle "
                "more records."
            )
    columns = len(sheet.owners) + sum(max(1, coded.columns - 1) for coded in sheet.given)
    if columns >= rows or columns > MOST_COLUMNS:
        raise InputError(
            f"The variables need {columns:,} indicators, which is too many for the {rows:,} "
            "records that would be shuffled together. Give nominal variables with many values a "
            "hierarchy (level taxonomy), or condition on fewer."
        )


# The correlation of the copula -------------------------------------------------------------------


_MOST = 0.9995
_FLOOR, _REPAIRED = 1e-6, 0.01
_ROWS = 1 << 18
_HALVES = 50


def correlations(
    cells: Sequence[Codes], values: Sequence[Floats], *, first: int | None = None
) -> Floats:
    """Return the correlations of columns, each given by a row's cell and the cells' values.

    Values are centred. A row without a cell counts in no pair. With `first`, only those of the
    first columns with all of them.
    """
    own = len(cells) if first is None else first
    products = np.zeros((own, len(cells)))
    squares, others = np.zeros_like(products), np.zeros_like(products)
    padded = [np.append(value, 0.0) for value in values]
    some_missing = any((cell < 0).any() for cell in cells)
    for start in range(0, len(cells[0]), _ROWS):
        part = slice(start, start + _ROWS)
        block = np.stack([value[cell[part]] for value, cell in zip(padded, cells, strict=True)])
        products += block[:own] @ block.T
        if some_missing:
            present = np.stack([cell[part] >= 0 for cell in cells]).astype(float)
            squares += block[:own] ** 2 @ present.T
            others += present[:own] @ (block**2).T
        else:
            sums = np.einsum("ij,ij->i", block, block)
            squares += sums[:own, None]
            others += sums[None, :]
    scale = np.sqrt(squares * others)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(scale > 0, products / scale, 0.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray(np.clip(found, -1.0, 1.0))


def spearman(margins: Sequence[Margin], *, first: int | None = None) -> Floats:
    """Return Spearman's correlations: of mid-ranks, over the rows where both have a value."""
    return correlations([m.cells for m in margins], [m.middles for m in margins], first=first)


def copula_correlation(margins: Sequence[Margin], own: int, *, ties: str = "model") -> Floats:
    """Return the correlation of the scores: those of X, which come first, and those of S.

    The scores of X are normal and lie anywhere within their cells. Those of S are what S tells:
    the mean normal score of each cell. With ``ties="free"`` all scores are normal, and the
    correlation is Muralidhar and Sarathy's 2 sin(π r/6) for every pair.
    """
    if ties == "free":
        found = 2.0 * np.sin(np.pi * spearman(margins) / 6.0)
    else:
        found = correlations(
            [m.cells for m in margins],
            [m.middles for m in margins[:own]] + [m.centres for m in margins[own:]],
        )
        kept = np.array([m.kept for m in margins[:own]])
        angles = found[:own, :own] / np.outer(kept, kept) / 2.0
        found[:own, :own] = 2.0 * np.sin(np.clip(angles, -np.pi / 2, np.pi / 2))
        found[:own, own:] /= kept[:, None]
        found[own:, :own] = found[:own, own:].T
    found = np.clip(found, -_MOST, _MOST)
    np.fill_diagonal(found, 1.0)
    return nearest_correlation(found)


def nearest_correlation(matrix: Floats, *, rounds: int = 200) -> Floats:
    """Return the nearest correlation matrix that is positive definite (Higham 2002).

    >>> wrong = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    >>> bool(np.linalg.eigvalsh(wrong).min() < 0)
    True
    >>> bool(np.linalg.eigvalsh(nearest_correlation(wrong)).min() > 0)
    True
    """
    if not np.isfinite(matrix).all():
        raise InputError(
            "The correlations of the variables cannot be computed, so they cannot be repaired "
            "either. Leave out variables that do not vary, or that are never present together."
        )
    current = (matrix + matrix.T) / 2
    if _is_definite(current):
        return current
    correction = np.zeros_like(current)
    for _ in range(rounds):
        shifted = current - correction
        values, vectors = np.linalg.eigh(shifted)
        positive = (vectors * np.maximum(values, 2 * _REPAIRED)) @ vectors.T
        correction = positive - shifted
        current = positive.copy()
        np.fill_diagonal(current, 1.0)
        if np.linalg.eigvalsh(current).min() >= _REPAIRED:
            return np.asarray(current)
    values, vectors = np.linalg.eigh(current)
    positive = (vectors * np.maximum(values, 2 * _REPAIRED)) @ vectors.T
    scale = 1.0 / np.sqrt(np.diag(positive))
    return np.asarray(positive * scale[:, None] * scale[None, :])


def correlation_within(start: Floats, wanted: Floats, most: Floats, *, rounds: int = 2) -> Floats:
    """Return a correlation matrix near a wanted one that differs from a first by no more than
    `most`, element by element.

    >>> start = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> correlation_within(start, start + 0.2, np.full((2, 2), 0.1)).round(6).tolist()
    [[1.0, 0.6], [0.6, 1.0]]
    """
    aimed = np.clip(wanted, -_MOST, _MOST)
    for _ in range(rounds):
        aimed = start + np.clip(aimed - start, -most, most)
        np.fill_diagonal(aimed, 1.0)
        if _is_definite(aimed):
            return aimed
        aimed = nearest_correlation(aimed)
    for _ in range(_HALVES):  # the first is definite, so somewhere on the way to it all are
        aimed = start + np.clip((aimed - start) / 2, -most, most)
        if _is_definite(aimed):
            return aimed
    return start


def _is_definite(matrix: Floats) -> bool:
    return bool(np.linalg.eigvalsh(matrix).min() >= _FLOOR)
