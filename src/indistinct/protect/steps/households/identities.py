"""New identities for households, in the type of the column that holds the old ones."""

from __future__ import annotations

from itertools import count

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, InputError, Variable, decoded, holds_numbers, holds_text
from indistinct.files import Source
from indistinct.protect.randomness import Draws
from indistinct.protect.steps.households.groups import Ints

__all__ = ["fresh_identities", "parsed", "plain_column", "replaced", "shuffled"]


def plain_column(source: Source, name: str) -> pa.Array:
    """Return a column as one array of plain values."""
    return decoded(source.table([name]).column(0).combine_chunks())


def replaced(column: pa.Array, where: Bools, new: pa.Array) -> pa.Array:
    """Give some cells new values, in order; the type is widened where they do not fit."""
    kind = column.type
    try:
        new = new.cast(kind)
    except pa.ArrowInvalid:
        column = column.cast(new.type)
    return pc.replace_with_mask(column, pa.array(where), new)


def parsed(text: str, column: pa.Array, name: str) -> pa.Scalar:
    """Return a code that is given as text in the type of its column."""
    try:
        return pa.scalar(text).cast(column.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(
            f"The code '{text}' does not fit the column '{name}', which holds {column.type}."
        ) from None


def shuffled(draws: Draws, stream: str, numbers: Ints) -> Ints:
    """Return the positions of some numbers in an order drawn at random."""
    return np.lexsort((numbers, draws.words(stream, numbers)))


def fresh_identities(
    variable: Variable, column: pa.Array, number: int, *, beside: bool
) -> pa.Array:
    """Return different identities, in rising order, none of them a code for *missing*.

    Parameters
    ----------
    beside
        Whether they are used beside the old ones, and so must be none of these.
    """
    kind = column.type
    if holds_text(kind):
        return _texts(variable, column, number, beside=beside)
    if not holds_numbers(kind):
        raise InputError(
            f"New identities cannot be made for '{variable.name}', which holds {kind}. Convert "
            "the column to whole numbers or to text."
        )
    largest = pc.max(column).as_py() if beside else None
    start = 1 if largest is None else max(0, int(largest)) + 1
    if not variable.user_missing:
        return pa.array(np.arange(start, start + number))
    allowed = (n for n in count(start) if not variable.is_missing(n))
    return pa.array([next(allowed) for _ in range(number)], pa.int64())


def _texts(variable: Variable, column: pa.Array, number: int, *, beside: bool) -> pa.Array:
    digits = len(str(number))
    prefix = ""
    while True:
        made = pa.array([f"{prefix}{n:0{digits}}" for n in range(1, number + 1)], column.type)
        taken = beside and pc.any(pc.is_in(column, value_set=made)).as_py()
        if not taken and not any(made.index(code).as_py() >= 0 for code in _codes(variable)):
            return made
        prefix += "Q"


def _codes(variable: Variable) -> list[pa.Scalar]:
    return [pa.scalar(code) for code in variable.user_missing if isinstance(code, str)]
