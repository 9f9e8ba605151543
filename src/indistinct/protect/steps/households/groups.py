"""Who belongs to which household, by the household's identity alone.

New identities for households, in the type of the column that holds the old ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, InputError, Ints, Variable, decoded, holds_numbers, holds_text
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable
from indistinct.protect.randomness import Draws
from indistinct.protect.steps.columns import class_numbers

__all__ = [
    "Households",
    "Ints",
    "fresh_identities",
    "parsed",
    "plain_column",
    "read_households",
    "replaced",
    "shuffled",
]


@dataclass(frozen=True, eq=False)
class Households:
    """The household of every record; a record without one is a household by itself.

    Parameters
    ----------
    of_record
        The number of each record's household, from 0 in the order in which households are met.
    first
        The first record of each household.
    sizes
        How many records each household has.
    alone
        Households that are a single record without a household's identity.
    """

    origin: str
    name: str
    of_record: Ints = field(repr=False)
    first: Ints = field(repr=False)
    sizes: Ints = field(repr=False)
    alone: Bools = field(repr=False)

    def __len__(self) -> int:
        return len(self.first)

    def one_value(self, codes: Ints, what: str) -> Ints:
        """Return the code that all records of a household share, for every household."""
        differs = codes != codes[self.first][self.of_record]
        if differs.any():
            record = int(np.argmax(differs))
            other = int(self.first[self.of_record[record]])
            raise InputError(
                f"{self.origin}: record {record + 1:,} differs in {what} from record "
                f"{other + 1:,} of the same household ('{self.name}'). A household must agree "
                "there: correct the record, or its household."
            )
        return codes[self.first]


def read_households(engine: Engine, source: Source, name: str) -> Households:
    """Read the households; they need not stand together in the file."""
    source.check_columns([name])
    tally = engine.count(source, [name])
    table, classes = KeyTable.from_tally(tally), class_numbers(tally)
    variable = source.variables[name]
    coding = table.coding.variables[0]
    missing = np.zeros(table.classes, dtype=bool)
    if coding.missing:
        missing |= table.codes[:, 0] == coding.size - 1
    if variable.user_missing:
        missing |= np.array([variable.is_missing(v) for v in table.values(name)], dtype=bool)
    alone = missing[classes]
    numbers = np.where(alone, table.classes + np.arange(source.records), classes)
    return _in_file_order(source.origin, name, numbers, alone)


def _in_file_order(origin: str, name: str, numbers: Ints, alone: Bools) -> Households:
    records = np.arange(len(numbers))
    first_of = np.full(int(numbers.max(initial=-1)) + 1, -1, dtype=np.int64)
    first_of[numbers[::-1]] = records[::-1]  # of several, the last assigned stays: the first record
    starts = first_of[numbers] == records
    first = records[starts]
    place = np.cumsum(starts) - 1
    of_record = place[first_of[numbers]]
    sizes = np.bincount(of_record, minlength=len(first)).astype(np.int64)
    return Households(origin, name, of_record, first, sizes, alone[first])


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
