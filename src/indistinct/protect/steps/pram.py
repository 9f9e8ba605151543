"""The post-randomisation method: categories change by a known matrix of probabilities.

Transition matrices of the post-randomisation method, and estimates by whoever knows them.

J. M. Gouweleeuw, P. Kooiman, L. C. R. J. Willenborg and P.-P. de Wolf (1998), "Post randomisation
for statistical disclosure control: theory and implementation", *Journal of Official Statistics* 14.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

from indistinct.core import Floats, InputError, Ints, check_number, from_to_below
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import check_variables, group_numbers, rewritten
from indistinct.protect.steps.ordered import Ordered, read_ordered
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = [
    "Pram",
    "PramEstimate",
    "PramMethod",
    "PramOutcome",
    "TransitionMatrix",
    "pram_estimate",
]

_METHODS = ("redraw", "exchange", "two-stage", "plain")

_MOST = 1_000
"""Categories beyond which a matrix is no longer worth its room."""

Array = Any


@result(eq=True)
class PramOutcome(Result):
    """What post-randomisation did to one variable in one stratum; for the holder.

    Parameters
    ----------
    stratum
        Its number in the order of its sorted values; 0 where there is but one.
    before, expected, after
        Counts by category: originally, expected by the matrix, and as they came out.
    retention
        The smallest and the largest probability that a category stayed.
    made
        The matrix that was given, or the method and `keep` that make it from `before`.
    """

    variable: str
    stratum: int
    categories: tuple[Category, ...]
    before: tuple[int, ...]
    expected: tuple[float, ...]
    after: tuple[int, ...]
    retention: tuple[float, float]
    made: TransitionMatrix | tuple[PramMethod, float] = field(repr=False)

    FACTS = facts("matrix stratum before expected after")

    @property
    def matrix(self) -> TransitionMatrix:
        """The transition matrix; strata are many, so it is made when it is asked for."""
        if isinstance(self.made, TransitionMatrix):
            return self.made
        method, keep = self.made
        return TransitionMatrix.of_method(
            method, self.before, keep, variable=self.variable, categories=self.categories
        )

    def plot(self) -> str:
        """Draw the records of each category before and after, as SVG."""
        return bars(
            f"{self.variable}: records",
            [str(category) for category in self.categories[:25]],
            list(self.before[:25]),
            beside=list(self.after[:25]),
            names=("before", "after"),
        )

    def sentence(self) -> str:
        """Say how often categories are kept."""
        low, high = self.retention
        return (
            f"{self.variable}: {len(self.categories)} categories, kept with probability "
            f"{low:.3f} to {high:.3f}"
        )

    def _row_tables(self) -> list[Table]:
        rows = zip(self.categories, self.before, self.expected, self.after, strict=True)
        return [
            Table(
                f"Records by category of {self.variable}",
                ("category", "before", "expected", "after"),
                [(str(category), *numbers) for category, *numbers in rows],
                {"expected": ",.1f"},
            )
        ]


@dataclass(frozen=True)
class Pram(Step, kind="pram"):
    """Replace categories at random: k becomes l with probability p_kl.

    Each variable and each record is drawn by itself. Missing values, and codes that mean *missing*,
    stay, and nothing becomes missing. With t_k the share of category k, among those that occur:

    ``redraw``
        p_kl = keep·[k = l] + (1 − keep)·t_l: kept, or drawn anew from the margin.
    ``exchange``
        p_kl = (1 − keep)·t_min / ((K − 1)·t_k), l ≠ k: as many are expected to go from k to l as
        from l to k, and from the rarest category a share of 1 − keep.
    ``two-stage``
        R = P·Q with P the plain matrix and q_lk = p_kl t_k / Σ_m p_ml t_m, the way back by Bayes.
    ``plain``
        p_kk = keep, p_kl = (1 − keep)·t_l / (1 − t_k).

    The first three are invariant: t′R = t′, so expected counts are the original ones (Gouweleeuw,
    Kooiman, Willenborg and de Wolf 1998). After ``plain``, or a matrix that is not, users need the
    matrix and `pram_estimate`.

    Parameters
    ----------
    keep
        See above; 0 to below 1. Or else
    matrices
        a matrix for each variable, with a row for every category that occurs.
    within
        Make a matrix for each stratum by these variables, so that counts by them are expected to
        stay too.
    """

    variables: tuple[str, ...]
    keep: float | None = None
    method: PramMethod = "redraw"
    within: tuple[str, ...] = ()
    matrices: tuple[TransitionMatrix, ...] = ()

    draws_at_random = True
    perturbs = True

    def __post_init__(self) -> None:
        """Refuse neither keep nor matrices or both, and matrices of other variables."""
        object.__setattr__(self, "matrices", tuple(self.matrices))
        check_variables(self.variables, "post-randomisation")
        check_variables(self.within, "strata", some=False)
        if (self.keep is None) == (not self.matrices):
            raise InputError("Post-randomisation needs either keep or matrices.")
        if self.keep is not None:
            check_number("keep", self.keep, from_to_below(0, 1))
        if self.method not in _METHODS:
            raise InputError(f"The method must be one of {', '.join(_METHODS)}. Got {self.method}.")
        if self.matrices and sorted(m.variable for m in self.matrices) != sorted(self.variables):
            raise InputError("There must be one matrix for each of the variables.")
        if self.matrices and self.within:
            raise InputError("within is for matrices that are made, not for given ones.")
        both = set(self.variables) & set(self.within)
        if both:
            raise InputError(f"'{min(both)}' cannot be changed within itself.")

    def describe(self) -> str:
        """Say what is done, with the range of the probabilities of staying."""
        where = f", within {', '.join(self.within)}" if self.within else ""
        named = ", ".join(self.variables)
        if self.keep is None:
            kept = [m.retention for m in self.matrices]
            low, high = min(k[0] for k in kept), max(k[1] for k in kept)
            return (
                f"post-randomise {named} by given matrices: a category is kept with probability "
                f"{low:.3g} to {high:.3g}"
            )
        how = {
            "redraw": f"kept with probability {self.keep:g}, else drawn anew from all records",
            "exchange": f"exchanged evenly, the rarest kept with probability {self.keep:g}",
            "two-stage": f"kept with probability {self.keep:g}, then led back by a second draw",
            "plain": f"kept with probability {self.keep:g}, else another",
        }[self.method]
        same = "" if self.method == "plain" else "; expected counts stay"
        return f"post-randomise {named}: a category is {how}{where}{same}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Draw the new categories."""
        draws = context.draws()
        source.check_columns([*self.variables, *self.within])
        groups = group_numbers(engine, source, self.within)
        columns, changes, notes = {}, {}, []
        outcomes: list[PramOutcome] = []
        for name in self.variables:
            ordered = read_ordered(source, name, doing="post-randomisation", order=False)
            _check_number(source, ordered)
            chance = draws.uniform(name, np.arange(source.records))
            new = ordered.codes.copy()
            made = self._randomise(source, ordered, groups, chance, new)
            values = pa.concat_arrays([ordered.values, _values_beyond(ordered, made)])
            columns[name] = _written(ordered, new, values)
            changed = new != ordered.codes
            changes[name] = changed
            outcomes += made
            if made:
                low = min(outcome.retention[0] for outcome in made)
                high = max(outcome.retention[1] for outcome in made)
                notes.append(f"{name} was kept with a probability of {low:.3f} to {high:.3f}")
        return rewritten(
            self.kind, engine, source, columns, changes, notes=notes, private=tuple(outcomes)
        )

    def _randomise(
        self,
        source: Source,
        ordered: Ordered,
        groups: Ints,
        chance: Floats,
        new: Ints,
    ) -> list[PramOutcome]:
        """Put new codes in place; codes past the last are categories of a given matrix only."""
        records = np.flatnonzero(ordered.present)
        if not len(records):
            return []
        if self.keep is None:
            matrix = next(m for m in self.matrices if m.variable == ordered.name)
            return [_by_given(source, ordered, matrix, records, chance, new)]
        records = records[np.argsort(groups[records], kind="stable")]
        strata = groups[records]
        starts = np.flatnonzero(np.diff(strata, prepend=-1))
        named = _named(ordered.values)
        made = []
        for members in np.split(records, starts[1:]):
            codes = ordered.codes[members]
            counts = np.bincount(codes, minlength=len(ordered.values))
            there = np.flatnonzero(counts)
            row = np.cumsum(counts > 0) - 1
            p = matrix_of(self.method, counts[there].astype(np.float64), self.keep)
            new[members] = there[_drawn(p, row[codes], chance[members])]
            after = np.bincount(new[members], minlength=len(counts))[there]
            names, recipe = tuple(named[k] for k in there), (self.method, self.keep)
            stratum = int(groups[members[0]])
            made.append(_outcome(ordered.name, stratum, names, counts[there], after, p, recipe))
        return made


def _by_given(
    source: Source,
    ordered: Ordered,
    matrix: TransitionMatrix,
    records: Ints,
    chance: Floats,
    new: Ints,
) -> PramOutcome:
    row_of = {category: k for k, category in enumerate(matrix.categories)}
    named = _named(ordered.values)
    rows = np.array([row_of.get(category, -1) for category in named], dtype=np.int64)
    if (rows < 0).any():
        raise InputError(
            f"{source.origin}: {int((rows < 0).sum())} categories of '{ordered.name}' have no row "
            "in the given matrix. Give every category that occurs one."
        )
    code_of = np.full(len(matrix.categories), -1, dtype=np.int64)
    code_of[rows] = np.arange(len(rows))
    beyond = np.flatnonzero(code_of < 0)
    code_of[beyond] = len(rows) + np.arange(len(beyond))
    row = rows[ordered.codes[records]]
    drawn = _drawn(matrix.array, row, chance[records])
    new[records] = code_of[drawn]
    size = len(matrix.categories)
    before, after = np.bincount(row, minlength=size), np.bincount(drawn, minlength=size)
    return _outcome(ordered.name, 0, matrix.categories, before, after, matrix.array, matrix)


def _outcome(
    name: str,
    stratum: int,
    categories: tuple[Category, ...],
    before: Ints,
    after: Ints,
    p: Floats,
    made: TransitionMatrix | tuple[PramMethod, float],
) -> PramOutcome:
    stays = np.diagonal(p)
    return PramOutcome(
        name,
        stratum,
        categories,
        tuple(before.tolist()),
        tuple((before[:, None] * p).sum(axis=0).tolist()),
        tuple(after.tolist()),
        (float(stays.min()), float(stays.max())),
        made,
    )


def _values_beyond(ordered: Ordered, made: list[PramOutcome]) -> pa.Array:
    """Return categories that only the matrix knows, in the column's type."""
    known = set(_named(ordered.values))
    beyond = [c for outcome in made[:1] for c in outcome.categories if c not in known]
    try:
        return pa.array(beyond).cast(ordered.values.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(
            f"A category in the matrix of '{ordered.name}' is not of the column's type, "
            f"{ordered.values.type}."
        ) from None


def _written(ordered: Ordered, new: Ints, values: pa.Array) -> pa.Array:
    """Return the column with new categories; what is missing stays as it was."""
    moved = ordered.present
    column = values.take(pa.array(new, mask=~moved))
    return pc.if_else(pa.array(moved), column, ordered.column)


def _named(values: pa.Array) -> list[Category]:
    """Return categories as JSON knows them."""
    plain = values.to_pylist()
    return [v if isinstance(v, str | int | float | bool) else str(v) for v in plain]


def _check_number(source: Source, ordered: Ordered) -> None:
    if len(ordered.values) > _MOST:
        raise InputError(
            f"{source.origin}: '{ordered.name}' has {len(ordered.values):,} different values, and "
            f"post-randomisation is for categories, at most {_MOST:,}. Generalise it first, or use "
            "rank swapping."
        )


def _drawn(p: Floats, row: Ints, chance: Floats) -> Ints:
    """Draw a category for each record by its row of the matrix and its number in [0, 1)."""
    sums = np.cumsum(p, axis=1)
    found: Ints = _first_above(sums / sums[:, -1:], row, chance)
    return found


@njit(cache=True, nogil=True)
def _first_above(sums: Array, row: Array, chance: Array) -> Array:
    """Return for each record the first category whose cumulated probability exceeds its draw."""
    drawn = np.empty(len(row), dtype=np.int64)
    for i in range(len(row)):
        low, high = 0, sums.shape[1] - 1
        while low < high:
            middle = (low + high) // 2
            if sums[row[i], middle] > chance[i]:
                high = middle
            else:
                low = middle + 1
        drawn[i] = low
    return drawn


# Transition matrices of the post-randomisation method --------------------------------------------


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
