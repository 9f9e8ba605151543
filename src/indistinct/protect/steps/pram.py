"""The post-randomisation method: categories change by a known matrix of probabilities."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

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
from indistinct.protect.steps.pram_matrix import (
    Category,
    PramMethod,
    TransitionMatrix,
    matrix_of,
)
from indistinct.results import Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["Pram", "PramOutcome"]

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
