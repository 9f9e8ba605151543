"""From variables to the rows of a regression: numbers, indicators, and what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from indistinct.core import Floats, InputError, SmallInts
from indistinct.keys import Coded, CodedColumn, Side
from indistinct.utility.analyses.fitting import Design

__all__ = ["CONSTANT", "ModelSide", "Modelled", "indicator_table", "model_data"]


CONSTANT = "(constant)"

_SIDES: tuple[Side, Side] = ("original", "released")


@dataclass(frozen=True, eq=False)
class ModelSide:
    """What one file gives to a model."""

    design: Design
    y: Floats = field(repr=False)
    weights: Floats | None = field(repr=False)
    left_out: int


@dataclass(frozen=True, eq=False)
class Modelled:
    """A model's rows in both files.

    Parameters
    ----------
    names
        Of the columns; the first is the constant.
    back
        Turns the coefficients of standardised numbers into those of the numbers themselves.
    """

    formula: str
    names: tuple[str, ...]
    original: ModelSide
    released: ModelSide
    back: Floats = field(repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Term:
    """The columns of one predictor: for each code its column, and its number."""

    names: tuple[str, ...]
    columns: SmallInts
    numbers: Floats | None = None
    centre: float = 0.0
    scale: float = 1.0
    note: str = ""


def model_data(
    coded: Coded,
    outcome: str,
    predictors: Sequence[str],
    *,
    family: Literal["linear", "logistic"],
    success: Any = None,
    most: int = 30,
) -> Modelled:
    """Return the rows of a model; see `compare_regression`."""
    response = coded[outcome]
    scores, note, what = _outcome(response, family, success)
    terms = []
    first = 1
    for name in predictors:
        term = _term(coded[name], first, most)
        terms.append(term)
        first += len(term.names)
    names = (CONSTANT, *(name for term in terms for name in term.names))
    back = np.eye(len(names))
    notes = [note] if note else []
    for term in terms:
        notes += [term.note] if term.note else []
        if term.numbers is not None:
            at = int(term.columns.max())
            back[at, at] = 1 / term.scale
            back[0, at] = -term.centre / term.scale
    sides = [_side(coded, side, response, scores, predictors, terms, len(names)) for side in _SIDES]
    formula = f"{what} ~ {' + '.join(predictors)}"
    return Modelled(formula, names, sides[0], sides[1], back, tuple(notes))


def _outcome(
    column: CodedColumn, family: Literal["linear", "logistic"], success: Any
) -> tuple[Floats, str, str]:
    """Return the outcome of each code, not a number where there is none."""
    scores = column.scores()
    if family == "linear":
        if not column.is_ordered and column.numbers is None:
            raise InputError(
                f"Least squares needs a numeric or ordinal outcome. '{column.name}' is neither; "
                "use family='logistic', or say with levels= that it is ordinal."
            )
        placed = column.numbers is None
        note = f"{column.name} is taken as 0, 1, 2, … in the order of its values." if placed else ""
        return scores, note, column.name
    labels = column.labels()
    real = [i for i, label in enumerate(labels) if label is not None]
    found = np.full(column.size, np.nan)
    found[real] = 0.0
    if success is not None:
        if success not in labels:
            raise InputError(f"The outcome '{column.name}' has no such value as was asked for.")
        at = labels.index(success)
    elif len(real) == 2:
        at = real[1]
    else:
        counts = column.counts("original")
        at = max(real, key=lambda i: counts[i], default=-1)
    if len(real) < 2:
        raise InputError(f"The outcome '{column.name}' has fewer than two values.")
    found[at] = 1.0
    note = "" if len(real) == 2 else f"{column.name}: its commonest value against all others."
    return found, note, f"({column.name} = {labels[at]})"


def _term(column: CodedColumn, first: int, most: int) -> _Term:
    if column.is_numeric:
        numbers = column.scores()
        counts = np.where(np.isnan(numbers), 0.0, column.counts("original"))
        total = max(float(counts.sum()), 1.0)
        centre = float(np.nan_to_num(numbers) @ counts) / total
        spread = float(np.nan_to_num(numbers - centre) ** 2 @ counts) / total
        scale = float(np.sqrt(spread)) or 1.0
        columns = np.full(column.size, first, dtype=np.int32)
        return _Term((column.name,), columns, (numbers - centre) / scale, centre, scale)
    table, kept = indicator_table(column, most=most)
    columns = np.where(table > 0, table - 1 + first, -1).astype(np.int32)
    labels = ["missing" if label is None else label for label in column.labels()]
    names = [f"{column.name} = {'other' if i < 0 else labels[i]}" for i in kept[1:]]
    merged = any(i < 0 for i in kept)
    note = f"{column.name}: all but its {most - 1} commonest values are one, other."
    return _Term(tuple(names), columns, note=note if merged else "")


def indicator_table(column: CodedColumn, *, most: int) -> tuple[SmallInts, list[int]]:
    """Return for each code its place among the categories kept, and the code of each place.

    The commonest category of the original comes first; what is beyond `most`, and what only the
    released file has, is one category more, whose code is given as -1.
    """
    counts = column.counts("original")
    order = np.argsort(-counts, kind="stable")
    present = [int(i) for i in order if counts[i] > 0]
    strangers = np.flatnonzero((counts == 0) & (column.counts("released") > 0))
    kept = present
    if len(present) > most:
        kept = present[: most - 1]
    table = np.full(column.size, len(kept), dtype=np.int32)
    table[kept] = np.arange(len(kept), dtype=np.int32)
    if len(present) > len(kept) or len(strangers):
        return table, [*kept, -1]
    return table, kept


def _side(
    coded: Coded,
    side: Side,
    response: CodedColumn,
    scores: Floats,
    predictors: Sequence[str],
    terms: Sequence[_Term],
    columns: int,
) -> ModelSide:
    y = scores[response.of(side)]
    keep = ~np.isnan(y)
    for name, term in zip(predictors, terms, strict=True):
        if term.numbers is not None:
            keep &= ~np.isnan(term.numbers)[coded[name].of(side)]
    if not keep.any():
        raise InputError(f"No {side} record has both '{response.name}' and all numeric predictors.")
    everything = bool(keep.all())
    index = np.zeros((int(keep.sum()), len(terms) + 1), dtype=np.int32)
    numeric = any(term.numbers is not None for term in terms)
    value = np.ones(index.shape) if numeric else np.zeros((0, 0))
    for t, (name, term) in enumerate(zip(predictors, terms, strict=True), start=1):
        codes = coded[name].of(side)
        codes = codes if everything else codes[keep]
        index[:, t] = term.columns[codes]
        if term.numbers is not None:
            value[:, t] = term.numbers[codes]
    weights = coded.weights(side)
    return ModelSide(
        Design(columns, index, value),
        y if everything else y[keep],
        None if weights is None else weights[keep],
        int((~keep).sum()),
    )
