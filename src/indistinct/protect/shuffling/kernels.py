"""The inner loops: normal scores of every row, and masked scores drawn from them."""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np

from indistinct.core import Array
from indistinct.protect.shuffling.normal import probability, quantile, uniform

__all__ = ["Scores", "draw_latent", "draw_masked", "draw_noise", "mix"]


_BLOCK = 1 << 14


class Scores(NamedTuple):
    """What the scores of the rows are drawn from.

    `cells` has a row per column of the copula; `offsets` says where a column's cells begin in
    `low` and `high` (their bounds among the ranks) and in `low_z` and `high_z` (the same as
    scores). `weights` and `spread` are a column's regression on all others. The first `drawn`
    columns have scores drawn within their cells, of which a `steady` one keeps its first; the
    others have one score for each cell, in `centres`.
    """

    records: Array
    cells: Array
    offsets: Array
    low: Array
    high: Array
    low_z: Array
    high_z: Array
    centres: Array
    drawn: int
    weights: Array
    spread: Array
    steady: Array
    sweeps: int
    first: np.uint64
    second: np.uint64


@nb.njit(cache=True)
def _between(low: float, high: float, chance: float) -> float:
    """Draw a standard normal number between two bounds."""
    if low > 0.0:  # the upper tail is exact on the other side
        below, above = probability(-high), probability(-low)
        z = -quantile(above - (above - below) * chance)
    else:
        below, above = probability(low), probability(high)
        z = quantile(below + (above - below) * chance)
    return min(max(z, low), high)


@nb.njit(cache=True)
def _write_scores(of: Scores, row: int, z: Array) -> None:
    """Write the normal scores of one row into z.

    They begin at a random place within their cells, and are then drawn anew given each other,
    column by column: from the conditional distributions of the copula within the cells.
    """
    columns, record = len(z), of.records[row]
    for j in range(of.drawn, columns):
        cell = of.cells[j, row]
        z[j] = of.centres[of.offsets[j] + cell] if cell >= 0 else 0.0
    for j in range(of.drawn):
        chance = uniform(of.first, of.second, record, j)
        cell = of.cells[j, row]
        if cell >= 0:
            at = of.offsets[j] + cell
            chance = of.low[at] + (of.high[at] - of.low[at]) * chance
        z[j] = quantile(chance)
    for turn in range(1, of.sweeps + 1):
        for j in range(of.drawn):
            if of.steady[j]:
                continue
            mean = 0.0
            for k in range(columns):
                mean += of.weights[j, k] * z[k]
            chance = uniform(of.first, of.second, record, turn * 4096 + j)
            cell, spread = of.cells[j, row], of.spread[j]
            if cell < 0:
                z[j] = mean + spread * quantile(chance)
            else:
                at = of.offsets[j] + cell
                low, high = (of.low_z[at] - mean) / spread, (of.high_z[at] - mean) / spread
                z[j] = mean + spread * _between(low, high, chance)


@nb.njit(cache=True, parallel=True, nogil=True)
def draw_latent(of: Scores) -> Array:
    """Return the normal scores of every row."""
    columns, rows = of.cells.shape
    found = np.empty((rows, columns))
    for block in nb.prange((rows + _BLOCK - 1) // _BLOCK):
        for row in range(block * _BLOCK, min(rows, (block + 1) * _BLOCK)):
            _write_scores(of, row, found[row])
    return found


@nb.njit(cache=True)
def _mixed(through: Array, z: Array, noise: Array, e: Array, i: int) -> float:
    """Return the masked score Mz + Ne of one column."""
    y = 0.0
    for k in range(len(z)):
        y += through[i, k] * z[k]
    for j in range(len(e)):
        y += noise[i, j] * e[j]
    return y


@nb.njit(cache=True, parallel=True, nogil=True)
def mix(latent: Array, drawn: Array, through: Array, noise: Array) -> Array:
    """Return what `draw_masked` returns, from scores and noise that were drawn before."""
    own, rows = through.shape[0], latent.shape[0]
    found = np.empty((own, rows))
    for block in nb.prange((rows + _BLOCK - 1) // _BLOCK):
        for row in range(block * _BLOCK, min(rows, (block + 1) * _BLOCK)):
            for i in range(own):
                found[i, row] = _mixed(through, latent[row], noise, drawn[row], i)
    return found


@nb.njit(cache=True, parallel=True, nogil=True)
def draw_masked(of: Scores, through: Array, noise: Array) -> Array:
    """Return the masked scores Mz + Ne of every row: a row of the result per column of X."""
    columns, rows = of.cells.shape
    own = through.shape[0]
    found = np.empty((own, rows))
    for block in nb.prange((rows + _BLOCK - 1) // _BLOCK):
        z, e = np.empty(columns), np.empty(noise.shape[1])
        for row in range(block * _BLOCK, min(rows, (block + 1) * _BLOCK)):
            _write_scores(of, row, z)
            for j in range(len(e)):
                e[j] = quantile(uniform(of.first, of.second, of.records[row], -1 - j))
            for i in range(own):
                found[i, row] = _mixed(through, z, noise, e, i)
    return found


@nb.njit(cache=True, parallel=True, nogil=True)
def draw_noise(of: Scores, columns: int) -> Array:
    """Return the noise e that `draw_masked` uses, row by row."""
    rows = len(of.records)
    found = np.empty((rows, columns))
    for row in nb.prange(rows):
        for j in range(columns):
            found[row, j] = quantile(uniform(of.first, of.second, of.records[row], -1 - j))
    return found
