"""The correlation of the copula: from Spearman's, through the cells that values occupy.

For continuous variables a Gaussian copula with correlation ρ has Spearman's
r = (6/π) arcsin(ρ/2), so ρ = 2 sin(π r/6) (Pearson 1907). With few values the same ρ gives a
smaller r, because ties hide part of the order. If c is the correlation of a variable's mid-ranks
with the normal scores behind them (c² = 3/π without ties; `Margin.kept`), r = c₁c₂ρ to the first
order, so ρ = 2 sin(r / 2c₁c₂), which is Pearson's formula where there are no ties.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indistinct.core import Floats, InputError
from indistinct.protect.shuffling.margins import Codes, Margin

__all__ = [
    "copula_correlation",
    "correlation_within",
    "correlations",
    "nearest_correlation",
    "spearman",
]


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
