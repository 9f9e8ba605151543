"""Data shuffling on codes: fit the copula, find the levels, draw, deal the values out again.

Muralidhar and Sarathy (2006); the levels of protection from McCaa et al. (2013, section 3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.special import ndtri

from indistinct.core import Floats, InputError, Ints
from indistinct.protect.randomness import Draws
from indistinct.protect.shuffling.control import drawing
from indistinct.protect.shuffling.correlation import (
    copula_correlation,
    correlation_within,
    spearman,
)
from indistinct.protect.shuffling.kernels import Scores, draw_latent, draw_masked, draw_noise, mix
from indistinct.protect.shuffling.mapping import deal_values
from indistinct.protect.shuffling.margins import Coded, Codes, Margin, margins_of
from indistinct.protect.shuffling.normal import FARTHEST

__all__ = ["Shuffled", "Ties", "Worksheet", "check_worksheet", "corrected", "shuffle_codes"]

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
