"""Transition matrices of the post-randomisation method, and estimates by whoever knows them.

J. M. Gouweleeuw, P. Kooiman, L. C. R. J. Willenborg and P.-P. de Wolf (1998), "Post randomisation
for statistical disclosure control: theory and implementation", *Journal of Official Statistics* 14.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

import numpy as np

from indistinct.core import Floats, InputError
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["Category", "PramEstimate", "PramMethod", "TransitionMatrix", "pram_estimate"]

PramMethod = Literal["redraw", "exchange", "two-stage", "plain"]

Category = str | int | float | bool
"""A category as JSON knows it; dates are written YYYY-MM-DD."""

_SUM = 1e-9


@result(eq=True)
class TransitionMatrix(Result):
    """The probability p_kl that category k of a variable is released as category l.

    >>> matrix = TransitionMatrix.of_method("redraw", [600, 300, 100], 0.8, variable="roof")
    >>> matrix
    Transition matrix of roof
      categories      3
      kept, least  0.82
      kept, most   0.92
    >>> matrix.expected([600, 300, 100]).round(9).tolist()
    [600.0, 300.0, 100.0]
    """

    variable: str
    categories: tuple[Category, ...]
    rows: tuple[tuple[float, ...], ...] = field(repr=False)

    FACTS = facts(
        "variable categories rows",
        Fact("number", lambda found: len(found.categories), shown="categories", told=False),
        Fact("least", lambda found: found.retention[0], shown="kept, least", told=False),
        Fact("most", lambda found: found.retention[1], shown="kept, most", told=False),
    )

    def __post_init__(self) -> None:
        """Refuse what is no transition matrix."""
        object.__setattr__(self, "categories", tuple(self.categories))
        object.__setattr__(self, "rows", tuple(tuple(map(float, row)) for row in self.rows))
        size = len(self.categories)
        if len(set(self.categories)) < size or not size:
            raise InputError(
                f"The matrix of '{self.variable}' needs categories, each named once. Got {size}."
            )
        if len(self.rows) != size or any(len(row) != size for row in self.rows):
            raise InputError(
                f"The matrix of '{self.variable}' must have {size} rows of {size} probabilities."
            )
        p = self.array
        if not np.isfinite(p).all() or (p < 0).any() or (abs(p.sum(axis=1) - 1) > _SUM).any():
            raise InputError(
                f"Every row of the matrix of '{self.variable}' must hold probabilities that add up "
                "to 1."
            )

    @classmethod
    def of_method(
        cls,
        method: PramMethod,
        counts: Sequence[float] | Floats,
        keep: float,
        *,
        variable: str = "",
        categories: Sequence[Category] | None = None,
    ) -> TransitionMatrix:
        """Make the matrix for categories with these counts; see `Pram` for the formulas."""
        rows = matrix_of(method, np.asarray(counts, dtype=np.float64), keep)
        named = tuple(range(len(rows))) if categories is None else tuple(categories)
        return cls(variable, named, tuple(map(tuple, rows.tolist())))

    @property
    def array(self) -> Floats:
        """The probabilities as an array."""
        return np.array(self.rows, dtype=np.float64).reshape(len(self.categories), -1)

    @property
    def retention(self) -> tuple[float, float]:
        """The smallest and the largest probability that a category stays what it is."""
        diagonal = np.diagonal(self.array)
        return float(diagonal.min()), float(diagonal.max())

    def expected(self, counts: Sequence[float] | Floats) -> Floats:
        """Return the expected released counts, E(T*) = P′T."""
        return np.asarray(np.asarray(counts, dtype=np.float64) @ self.array)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> TransitionMatrix:
        """Make the matrix that `to_dict` described."""
        try:
            variable, categories = content["variable"], tuple(content["categories"])
            rows = tuple(tuple(float(p) for p in row) for row in content["rows"])
        except (KeyError, TypeError, ValueError):
            raise InputError(
                "A transition matrix needs a variable, categories and rows of probabilities."
            ) from None
        return cls(variable, categories, rows)

    def sentence(self) -> str:
        """Say whose matrix it is."""
        return f"Transition matrix of {self.variable}"

    def to_frame(self) -> Any:
        """Return the probabilities as a pandas frame, a row for each category before."""
        names = tuple(str(category) for category in self.categories)
        rows = [(name, *row) for name, row in zip(names, self.rows, strict=True)]
        return Table(self.variable, ("category", *names), rows).to_frame()


def matrix_of(method: PramMethod, counts: Floats, keep: float) -> Floats:
    """Return the probabilities of a method for categories that occur (counts above 0)."""
    size = len(counts)
    if size == 1:
        return np.ones((1, 1))
    t = counts / counts.sum()
    if method == "redraw":
        return np.asarray(keep * np.eye(size) + (1 - keep) * t)
    if method == "exchange":
        moved = (1 - keep) * t.min() / t
        p = np.repeat(moved[:, None] / (size - 1), size, axis=1)
        np.fill_diagonal(p, 1 - moved)
        return np.asarray(p)
    p = (1 - keep) * t / (1 - t)[:, None]
    np.fill_diagonal(p, keep)
    if method == "plain":
        return np.asarray(p)
    flows = p * t[:, None]
    back = flows / flows.sum(axis=0)  # p(k | l), by Bayes
    # not by BLAS, whose last digits may depend on the number of threads
    return np.asarray(np.einsum("kl,ml->km", p, back, optimize=False))


@result
class PramEstimate(Result):
    """Counts before post-randomisation, estimated from those after it.

    Parameters
    ----------
    counts
        Unbiased estimates; with few records one may be negative.
    standard_errors
        What the randomisation adds to their uncertainty; sampling is not in it.
    """

    variable: str
    categories: tuple[Category, ...]
    released: tuple[float, ...]
    counts: tuple[float, ...]
    standard_errors: tuple[float, ...]

    FACTS = facts("variable categories released counts standard_errors")

    def plot(self) -> str:
        """Draw released and estimated counts, as SVG."""
        return bars(
            f"{self.variable}: records",
            [str(category) for category in self.categories[:25]],
            list(self.released[:25]),
            beside=list(self.counts[:25]),
            names=("released", "estimated before"),
        )

    def _row_tables(self) -> list[Table]:
        rows = zip(self.categories, self.released, self.counts, self.standard_errors, strict=True)
        return [
            Table(
                f"Original counts of {self.variable}, estimated",
                ("category", "released", "estimate", "standard error"),
                [(str(category), *numbers) for category, *numbers in rows],
                dict.fromkeys(("released", "estimate", "standard error"), ",.1f"),
            )
        ]

    def sentence(self) -> str:
        """Say whose counts they are."""
        return f"{self.variable}: {len(self.categories)} categories"


def pram_estimate(
    matrix: TransitionMatrix, counts: Sequence[float] | Mapping[Category, float] | Floats
) -> PramEstimate:
    """Estimate the original counts from released ones, knowing the matrix.

    T̂ = (P⁻¹)′T*, unbiased for E(T*) = P′T. A record of category k falls into l with probability
    p_kl, so Cov(T*) = Σ_k T_k (diag(p_k) − p_k p_k′), with T̂ in place of T, and
    Cov(T̂) = (P⁻¹)′ Cov(T*) P⁻¹ (Gouweleeuw et al. 1998). From an invariant matrix T* itself is
    unbiased too, and nearer.

    Parameters
    ----------
    counts
        Released counts, in the order of the matrix's categories or by category.

    >>> matrix = TransitionMatrix("smokes", ("no", "yes"), ((0.9, 0.1), (0.2, 0.8)))
    >>> pram_estimate(matrix, {"no": 740, "yes": 260})
    smokes: 2 categories
    Original counts of smokes, estimated
      category  released  estimate  standard error
      no           740.0     771.4            14.7
      yes          260.0     228.6            14.7
    """
    if isinstance(counts, Mapping):
        unknown = [c for c in counts if c not in matrix.categories]
        if unknown:
            raise InputError(
                f"The matrix of '{matrix.variable}' has no category '{unknown[0]}'. Count the "
                "categories that it names."
            )
        counts = [counts.get(category, 0) for category in matrix.categories]
    released = np.asarray(counts, dtype=np.float64)
    p = matrix.array
    if released.shape != (len(p),):
        raise InputError(f"There must be {len(p)} counts, one for each category.")
    if np.linalg.cond(p) > 1e12:
        raise InputError(
            f"The matrix of '{matrix.variable}' cannot be inverted: several originals lead to the "
            "same expected counts."
        )
    inverse = np.linalg.inv(p)
    estimate = released @ inverse
    spread = np.diag(estimate @ p) - (p * estimate[:, None]).T @ p
    variances = np.diagonal(inverse.T @ spread @ inverse)
    errors = np.sqrt(np.maximum(variances, 0))
    return PramEstimate(
        matrix.variable,
        matrix.categories,
        tuple(released.tolist()),
        tuple(estimate.tolist()),
        tuple(errors.tolist()),
    )
