"""Finding the levels of protection for what the holder asks: a share changed, or a risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from indistinct.core import Bools, Floats, InputError, progress
from indistinct.protect.shuffling.copula import (
    Shuffled,
    Worksheet,
    check_worksheet,
    corrected,
    shuffle_codes,
)
from indistinct.protect.shuffling.margins import Codes, packed

__all__ = ["expected_matches", "shuffle_to_risk", "shuffle_to_shares"]


SAMPLE = 200_000
"""Rows on which levels are tried out, where there are more."""

_LOWEST = -8.0
"""The decimal logarithm of the least level that is tried; twice that where values have so many
near neighbours that even this one changes more of them than is wanted."""

_TRIES, _LATER_TRIES, _ON_THE_WHOLE = 14, 8, 4
_NEAR = 0.003
_JUST = 1.005
_STEP = float(np.log10(1.25))


def shuffle_to_shares(
    sheet: Worksheet,
    *,
    levels: Mapping[str, float],
    shares: Mapping[str, float],
) -> Shuffled:
    """Shuffle so that given shares of the values change; other variables have given levels.

    The share grows with the level, so the level is found by halving, on the random numbers
    that the shuffle itself will use.
    """
    check_worksheet(sheet)
    names = [coded.name for coded in sheet.confidential]
    # nobody's value changes at level 0, and only there
    each = np.array([0.0 if shares.get(name) == 0 else levels.get(name, 1.0) for name in names])
    trial = _trial(sheet)
    wanted = np.array([shares.get(name, 0.0) for name in names])
    if not wanted.any():
        return shuffle_codes(sheet, each, corrected(trial, each))
    search = _Search(trial, wanted)
    total = _TRIES + _LATER_TRIES
    with progress.task("searching for the levels", total=total, unit="tries") as trying:
        each, correction = search.found(each, trying)
    done = shuffle_codes(sheet, each, correction)
    return done if trial is sheet else search.nearer(sheet, done, each, correction)


@dataclass(frozen=True, eq=False)
class _Search:
    """The search for levels at which the wanted shares change; a share of 0 is not sought."""

    trial: Worksheet
    wanted: Floats

    @property
    def sought(self) -> Bools:
        return self.wanted > 0

    def reached(self, levels: Floats, correction: Floats) -> Floats:
        scores = self.trial.masked(levels, correction, keep=True)
        return self.trial.shares(self.trial.deal(scores, levels))

    def found(self, each: Floats, trying: progress.Task) -> tuple[Floats, Floats]:
        """Return levels, and the correction of correlations that belongs to them."""
        none = np.zeros_like(self.trial.model)
        self._check(self.reached(each, none))
        low, high = np.full(len(each), _LOWEST), np.zeros(len(each))
        least = self.reached(self._levels(each, low), none)
        low[self.sought & (least > self.wanted)] *= 2
        each = self._halved(each, low, high, none, _TRIES, trying)
        correction = corrected(self.trial, each)
        middle = self._logarithms(each)
        low, high = np.maximum(2 * _LOWEST, middle - 0.5), np.minimum(0.0, middle + 0.5)
        return self._halved(each, low, high, correction, _LATER_TRIES, trying), correction

    def nearer(
        self, sheet: Worksheet, done: Shuffled, each: Floats, correction: Floats
    ) -> Shuffled:
        """Shuffle the whole again where a share is missed: between neighbouring values a sample
        has wider steps."""
        names = list(done.changed)
        at = self._logarithms(each)
        above, below = (self._levels(each, np.minimum(0.0, at + s)) for s in (_STEP, -_STEP))
        slope = (self.reached(above, correction) - self.reached(below, correction)) / (2 * _STEP)
        for _ in range(_ON_THE_WHOLE):
            share = np.array([done.changed[name] for name in names])
            miss = self.wanted - share
            off = self.sought & (np.abs(miss) > _NEAR)
            if not off.any():
                break
            move = np.clip(miss / np.maximum(slope, 1e-3), -1.0, 1.0)
            new = np.where(off, np.clip(at + move, 2 * _LOWEST, 0.0), at)
            done = shuffle_codes(sheet, self._levels(each, new), correction)
            gained = np.array([done.changed[name] for name in names]) - share
            moved = np.abs(new - at) > 1e-9
            slope = np.where(moved, gained / np.where(moved, new - at, 1.0), slope)
            at = new
        return done

    def _halved(
        self,
        each: Floats,
        low: Floats,
        high: Floats,
        correction: Floats,
        tries: int,
        trying: progress.Task,
    ) -> Floats:
        for _ in range(tries):
            middle = (low + high) / 2
            enough = self.reached(self._levels(each, middle), correction) >= self.wanted
            high, low = np.where(enough, middle, high), np.where(enough, low, middle)
            trying.advance()
        return self._levels(each, high)

    def _levels(self, each: Floats, logarithms: Floats) -> Floats:
        """Return the levels with those that are sought by their logarithms."""
        return np.where(self.sought, 10.0**logarithms, each)

    def _logarithms(self, each: Floats) -> Floats:
        return np.log10(np.where(self.sought, each, 1.0))

    def _check(self, most: Floats) -> None:
        short = np.flatnonzero(self.sought & (self.wanted > most * _JUST))
        if short.size:
            number = int(short[0])
            raise InputError(
                f"'{self.trial.confidential[number].name}' cannot change for "
                f"{self.wanted[number]:.1%} of the records: its levels reach from 0 to "
                f"{most[number]:.1%}. Ask for less, or condition on less."
            )


def shuffle_to_risk(
    sheet: Worksheet, *, most: float, key: Sequence[tuple[Codes, int]], tries: int = 10
) -> Shuffled:
    """Shuffle with the least common level at which an intruder's matches are rare enough.

    Parameters
    ----------
    most
        The expected share of people whom an intruder finds who knows the key exactly, looks for
        it in the released file and takes one of the records that have it.
    key
        The key variables that stay as they are, as codes and their number of values.
    """
    names = [coded.name for coded in sheet.confidential]

    def tried(level: float) -> tuple[Shuffled, float]:
        done = shuffle_to_shares(sheet, levels=dict.fromkeys(names, level), shares={})
        own = [(coded.codes, coded.size) for coded in sheet.confidential]
        new = [(done.codes[coded.name], coded.size) for coded in sheet.confidential]
        return done, expected_matches([*own, *key], [*new, *key])

    best, risk = tried(1.0)
    if risk > most:
        raise InputError(
            f"The risk cannot come down to {most:.2%} by shuffling {', '.join(names)}: at the "
            f"highest level it is {risk:.2%}. Shuffle more variables, or generalise first."
        )
    low, high = _LOWEST, 0.0
    for _ in progress.each(range(tries), "searching for the level", unit="tries"):
        middle = (low + high) / 2
        done, risk = tried(10.0**middle)
        if risk <= most:
            best, high = done, middle
        else:
            low = middle
    return best


def expected_matches(
    original: Sequence[tuple[Codes, int]], released: Sequence[tuple[Codes, int]]
) -> float:
    """Return the share of people an intruder with the true key is expected to find.

    A record that still has its key is found with chance 1/F among the F released records that
    have it; one that has not is never found.
    """
    rows = len(released[0][0])
    own = np.ones(rows, dtype=bool)
    for (before, _), (after, _) in zip(original, released, strict=True):
        own &= before == after
    _, classes, counts = np.unique(packed(released), return_inverse=True, return_counts=True)
    return float((own / counts[classes]).sum()) / max(1, rows)


def _trial(sheet: Worksheet) -> Worksheet:
    """Return the worksheet of a sample of rows: whole strata where these are many."""
    rows = len(sheet.records)
    if rows <= SAMPLE:
        return sheet
    places = np.arange(rows)
    strata = [coded.strata for coded in sheet.confidential if coded.strata is not None]
    finest = max(strata, key=lambda s: int(s.max()), default=None)
    chance = sheet.draws.uniform("trial", sheet.records)
    if finest is not None and int(finest.max()) > 1000:
        chance = sheet.draws.uniform("trial strata", np.arange(int(finest.max()) + 1))[finest]
    return sheet.rows(places[chance < SAMPLE / rows])
