"""Least squares and logistic regression by normal equations, at any number of records.

A design is a list of terms. Each record has, in each term, one column of the design that is not
zero (a category's indicator, or a number), so that the sums a regression needs take time for the
square of the terms, not of the columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpstrf

from indistinct.core import Floats, Ints, SmallInts
from indistinct.utility.analyses.kernels import gradient, gram, linear_predictor

__all__ = [
    "Design",
    "Fit",
    "columns_in_order",
    "fit_least_squares",
    "fit_logistic",
    "independent_columns",
]


_ITERATIONS = 40
_ALIASED = 1e-9
_NO_VALUES = np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class Design:
    """The rows of a design, sparsely: `value[i, t]` stands in column `index[i, t]`.

    -1 is no column (a reference category); without values all are one.
    """

    columns: int
    index: SmallInts = field(repr=False)
    value: Floats = field(default_factory=lambda: _NO_VALUES, repr=False)

    @property
    def records(self) -> int:
        """The number of rows."""
        return len(self.index)

    def gram(self, weight: Floats) -> Floats:
        """Return Σ w x xᵀ."""
        found = np.zeros((self.columns, self.columns))
        gram(self.index, self.value, weight, found)
        return np.asarray(found + np.tril(found, -1).T)

    def gradient(self, amount: Floats) -> Floats:
        """Return Σ amount x."""
        found = np.zeros(self.columns)
        gradient(self.index, self.value, amount, found)
        return found

    def predictor(self, beta: Floats) -> Floats:
        """Return xᵀβ of every row."""
        found = np.empty(self.records)
        linear_predictor(self.index, self.value, beta, found)
        return found


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients and their covariance; not a number for columns that had to be left out.

    Parameters
    ----------
    fitted
        The expected outcome of every record.
    parameters
        The columns that were estimated.
    converged
        Whether the iterations came to rest; with perfect separation they do not.
    """

    beta: Floats
    covariance: Floats = field(repr=False)
    fitted: Floats = field(repr=False)
    parameters: int
    converged: bool = True

    @property
    def standard_errors(self) -> Floats:
        """The square roots of the variances."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


def independent_columns(matrix: Floats) -> Ints:
    """Return columns of a Gram matrix that do not depend on each other, as many as there are."""
    scale = np.sqrt(np.diag(matrix))
    used = np.flatnonzero(scale > 0)
    if not len(used):
        return used
    scaled = matrix[np.ix_(used, used)] / np.outer(scale[used], scale[used])
    _, pivots, rank, _ = dpstrf(scaled, tol=_ALIASED)
    return np.sort(used[pivots[:rank] - 1])


def columns_in_order(matrix: Floats) -> Ints:
    """Return the columns of a Gram matrix that do not depend on those before them.

    Slower than `independent_columns`, but it leaves out the same columns in similar files.
    """
    scale = np.sqrt(np.diag(matrix))
    rest = matrix / np.outer(np.where(scale > 0, scale, 1.0), np.where(scale > 0, scale, 1.0))
    found = []
    for j in range(len(rest)):
        if rest[j, j] > _ALIASED:
            found.append(j)
            rest[j + 1 :, j + 1 :] -= np.outer(rest[j + 1 :, j], rest[j, j + 1 :] / rest[j, j])
    return np.array(found, dtype=np.int64)


def _solved(matrix: Floats, right: Floats, used: Ints) -> Floats:
    found = np.zeros(right.shape)
    factor = cho_factor(matrix[np.ix_(used, used)])
    found[used] = cho_solve(factor, right[used])
    return found


def _covariance(bread: Floats, used: Ints, *, scale: float, filling: Floats | None) -> Floats:
    inverse = np.linalg.inv(bread[np.ix_(used, used)])
    found = np.full(bread.shape, np.nan)
    if filling is None:
        found[np.ix_(used, used)] = scale * inverse
    else:
        found[np.ix_(used, used)] = inverse @ filling[np.ix_(used, used)] @ inverse
    return found


def _left_out(beta: Floats, used: Ints) -> Floats:
    found = np.full(len(beta), np.nan)
    found[used] = beta[used]
    return found


def fit_least_squares(
    design: Design,
    y: Floats,
    *,
    weights: Floats | None = None,
    only: Ints | None = None,
) -> Fit:
    """Fit y = xᵀβ by least squares.

    Without weights the covariance is s² (XᵀX)⁻¹, s² = RSS / (n − k). With sampling weights it
    is the sandwich of the weighted equations, which needs no model of the variance.

    >>> rows = np.zeros((4, 2), np.int32) + np.array([0, 1], np.int32)
    >>> line = Design(2, rows, np.array([[1.0, 0], [1, 1], [1, 2], [1, 3]]))
    >>> fit_least_squares(line, np.array([1.0, 3, 5, 7])).beta.round(6).tolist()
    [1.0, 2.0]
    """
    w = np.ones(design.records) if weights is None else weights
    matrix = design.gram(w)
    used = independent_columns(matrix) if only is None else only
    beta = _solved(matrix, design.gradient(w * y), used)
    fitted = design.predictor(beta)
    rest = y - fitted
    freedom = max(design.records - len(used), 1)
    filling = None if weights is None else design.gram((w * rest) ** 2)
    variance = float(rest @ rest) / freedom
    covariance = _covariance(matrix, used, scale=variance, filling=filling)
    return Fit(_left_out(beta, used), covariance, fitted, len(used))


def fit_logistic(
    design: Design,
    y: Floats,
    *,
    weights: Floats | None = None,
    only: Ints | None = None,
) -> Fit:
    """Fit logit P(y = 1) = xᵀβ by Newton's method, halving steps that do not help.

    The covariance is the inverse information (XᵀWX)⁻¹ at the solution, or its sandwich with
    sampling weights.
    """
    w = np.ones(design.records) if weights is None else weights
    used = independent_columns(design.gram(w)) if only is None else only
    beta = np.zeros(design.columns)
    eta = design.predictor(beta)
    likelihood = _likelihood(eta, y, w)
    converged = False
    for _ in range(_ITERATIONS):
        mu = _expit(eta)
        matrix = design.gram(w * mu * (1 - mu))
        step = _damped(matrix, design.gradient(w * (y - mu)), used)
        for _ in range(20):
            tried = design.predictor(beta + step)
            better = _likelihood(tried, y, w)
            if better >= likelihood - 1e-12 * abs(likelihood):
                break
            step /= 2
        beta, eta = beta + step, tried
        gain, likelihood = better - likelihood, better
        if abs(gain) <= 1e-9 * (abs(likelihood) + 0.1):
            converged = True
            break
    mu = _expit(eta)
    matrix = design.gram(w * mu * (1 - mu))
    filling = None if weights is None else design.gram((w * (y - mu)) ** 2)
    try:
        covariance = _covariance(matrix, used, scale=1.0, filling=filling)
    except np.linalg.LinAlgError:
        covariance = np.full(matrix.shape, np.nan)
        converged = False
    return Fit(_left_out(beta, used), covariance, mu, len(used), converged)


def _damped(matrix: Floats, right: Floats, used: Ints) -> Floats:
    """Solve, with a little added to the diagonal where separation has made the matrix singular."""
    damping = 0.0
    while True:
        try:
            return _solved(matrix + damping * np.diag(np.diag(matrix)), right, used)
        except np.linalg.LinAlgError:
            damping = max(damping * 100, 1e-10)
            if damping > 1:
                return np.zeros(right.shape)


def _expit(eta: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(eta, -40, 40))))


def _likelihood(eta: Floats, y: Floats, w: Floats) -> float:
    # log(1 + e^η) without overflow
    return float((w * (y * eta - np.logaddexp(0.0, eta))).sum())
