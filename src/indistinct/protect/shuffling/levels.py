"""Finding the levels of protection for what the holder asks: a share changed, or a risk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import InputError
from indistinct.protect.shuffling.copula import Shuffled, Worksheet, corrected, shuffle_codes
from indistinct.protect.shuffling.margins import Codes, packed

__all__ = ["expected_matches", "shuffle_to_risk", "shuffle_to_shares"]

Matrix = NDArray[np.float64]

SAMPLE = 200_000
"""Rows on which levels are tried out, where there are more."""

_LOWEST = -8.0
"""The decimal logarithm of the least level that is tried."""

_TRIES, _LATER_TRIES, _ON_THE_WHOLE = 14, 8, 4
_NEAR = 0.003


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
    names = [coded.name for coded in sheet.confidential]
    trial = _trial(sheet)
    each = np.array([levels.get(name, 1.0) for name in names])
    sought = np.array([name in shares for name in names])
    wanted = np.array([shares.get(name, 0.0) for name in names])

    def reached(tried: Matrix, correction: Matrix) -> Matrix:
        return trial.shares(trial.deal(trial.masked(tried, correction, keep=True), tried))

    correction = np.zeros_like(trial.model)
    if sought.any():
        most = reached(each, correction)
        if (short := np.flatnonzero(sought & (wanted > most * 1.005))).size:
            number = int(short[0])
            raise InputError(
                f"'{names[number]}' cannot change for {wanted[number]:.1%} of the records: at the "
                f"highest level it changes for {most[number]:.1%}. Ask for less, or condition on "
                "less."
            )
        low, high = np.full(len(names), _LOWEST), np.zeros(len(names))
        each = _halved(reached, each, sought, wanted, low, high, correction, _TRIES)
        correction = corrected(trial, each)
        middle = np.log10(each)
        low, high = np.maximum(_LOWEST, middle - 0.5), np.minimum(0.0, middle + 0.5)
        each = _halved(reached, each, sought, wanted, low, high, correction, _LATER_TRIES)
    else:
        correction = corrected(trial, each)
    done = shuffle_codes(sheet, dict(zip(names, each.tolist(), strict=True)), correction)
    if trial is sheet or not sought.any():
        return done
    # a sample has wider steps between neighbouring values than the whole
    slope = (reached(each * 1.25, correction) - reached(each / 1.25, correction)) / (
        2 * np.log10(1.25)
    )
    for _ in range(_ON_THE_WHOLE):
        miss = wanted - np.array([done.changed[name] for name in names])
        off = sought & (np.abs(miss) > _NEAR)
        if not off.any():
            break
        before, shares_before = np.log10(each), done.changed
        step = np.clip(miss / np.maximum(slope, 1e-3), -1.0, 1.0)
        each = np.where(off, 10.0 ** np.clip(before + step, 2 * _LOWEST, 0.0), each)
        done = shuffle_codes(sheet, dict(zip(names, each.tolist(), strict=True)), correction)
        moved = np.log10(each) - before
        gained = np.array([done.changed[name] - shares_before[name] for name in names])
        slope = np.where(np.abs(moved) > 1e-9, gained / np.where(moved == 0, 1, moved), slope)
    return done


def _halved(
    reached: Callable[[Matrix, Matrix], Matrix],
    each: Matrix,
    sought: NDArray[np.bool_],
    wanted: Matrix,
    low: Matrix,
    high: Matrix,
    correction: Matrix,
    tries: int,
) -> Matrix:
    for _ in range(tries):
        middle = (low + high) / 2
        each = np.where(sought, 10.0**middle, each)
        enough = reached(each, correction) >= wanted
        high, low = np.where(enough, middle, high), np.where(enough, low, middle)
    return np.where(sought, 10.0**high, each)


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
    for _ in range(tries):
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
