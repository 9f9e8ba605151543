"""Who belongs to which household, by the household's identity alone."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from indistinct.core import Bools, InputError, Ints
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable
from indistinct.protect.steps.columns import class_numbers

__all__ = ["Households", "Ints", "read_households"]


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
