"""What records contribute to the cells of a table, and the largest contributions of each cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from indistinct.core import Floats, InputError, Ints, holds_numbers
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.tables.counting import Counted
from indistinct.tables.magnitudes.kernels import gather
from indistinct.tables.specification import TableSpec

__all__ = ["Cells", "Records", "read_numbers", "read_weights"]


@dataclass(frozen=True, eq=False)
class Records:
    """What records contribute to one table, sorted by contributor.

    Parameters
    ----------
    classes, values, weights
        Of every record its class of people, what it adds, and for how many it stands.
    starts
        Where the records of each contributor begin; one more for the end.
    missing
        Records left out because their value, or weight, is missing.
    negative
        The first record (from 0) with a value below zero; None if there is none.
    """

    classes: Ints
    values: Floats
    weights: Floats
    starts: Ints
    missing: int
    negative: int | None

    @classmethod
    def read(
        cls,
        source: Source,
        engine: Engine,
        counted: Counted,
        table: TableSpec,
        contributor: str | None,
    ) -> Records:
        """Read what a table adds up; records in which it is missing are left out."""
        numbers = counted.per_person(np.arange(counted.classes, dtype=np.int64))
        classes = np.concatenate([*numbers, np.empty(0, dtype=np.int64)])
        ones = np.ones(counted.records)
        values = ones if table.value is None else read_numbers(source, table.value)
        weights = ones if table.weight is None else read_weights(source, table.weight)
        known = ~(np.isnan(values) | np.isnan(weights))
        below = np.flatnonzero(values < 0)
        negative = int(below[0]) if len(below) else None
        if contributor is None:
            order = np.flatnonzero(known)
            starts = np.arange(len(order) + 1)
        else:
            owner = _owners(source, engine, contributor)
            order = np.argsort(owner, kind="stable")
            order = order[known[order]]
            owner = owner[order]
            first = np.ones(len(order), dtype=bool)
            first[1:] = (owner[1:] != owner[:-1]) | (owner[1:] < 0)
            starts = np.append(np.flatnonzero(first), len(order))
        return cls(
            classes[order],
            values[order],
            weights[order],
            starts.astype(np.int64),
            int(len(known) - known.sum()),
            negative,
        )


def _owners(source: Source, engine: Engine, contributor: str) -> Ints:
    """Return the contributor of every record as a number; -1 where a record has none."""
    source.check_columns([contributor])
    tally = engine.count(source, [contributor])
    coding = tally.coding.variables[0]
    codes = tally.coding.unpack(tally.sorted_words())[0]
    numbers = np.arange(tally.classes, dtype=np.int64)
    numbers[[value is None for value in coding.decode(codes)]] = -1
    return np.concatenate([*tally.per_record(numbers), np.empty(0, dtype=np.int64)])


@dataclass(frozen=True, eq=False)
class Cells:
    """What cells have gathered so far: `values` and `weights` of their largest contributions."""

    total: Floats
    contributors: Ints
    squares: Floats
    values: Floats
    weights: Floats

    @classmethod
    def empty(cls, cells: int, top: int) -> Cells:
        """Return cells in which nothing is yet."""
        if top < 1:
            raise InputError(f"At least one contribution must be kept (top=1). Got {top}.")
        return cls(
            np.zeros(cells),
            np.zeros(cells, dtype=np.int64),
            np.zeros(cells),
            np.zeros((cells, top)),
            np.zeros((cells, top)),
        )

    def add(self, index: Ints, records: Records) -> None:
        """Add records to the cells of their classes; a class with -1 is in none."""
        gather(
            index[records.classes],
            records.values,
            records.weights,
            records.starts,
            self.total,
            self.contributors,
            self.squares,
            self.values,
            self.weights,
        )

    def count_people(self, cells: Ints, values: Floats) -> None:
        """Fill in cells that count people, each of whom contributes 1."""
        count = np.rint(values[cells]).astype(np.int64)
        self.total[cells] = self.squares[cells] = values[cells]
        self.contributors[cells] = count
        present = count[:, None] > np.arange(self.values.shape[1])
        self.values[cells] = self.weights[cells] = present

    def units(self) -> Floats:
        """Return the largest contributions of units: a value stands as often as its weight says."""
        cells, top = self.values.shape
        end = np.cumsum(self.weights, axis=1)
        begin = end - self.weights
        units = np.zeros((cells, top))
        for unit in range(top):
            shared = np.minimum(end, unit + 1) - np.maximum(begin, unit)
            units[:, unit] = (np.maximum(shared, 0.0) * self.values).sum(axis=1)
        return units


def read_weights(source: Source, name: str) -> Floats:
    """Return a column of weights; a negative one is refused, a missing one is not-a-number."""
    weights = read_numbers(source, name)
    wrong = np.flatnonzero(weights < 0)
    if len(wrong):
        raise InputError(
            f"{source.origin}: the weight '{name}' is negative in record {wrong[0] + 1:,}. "
            "A weight says for how many a record stands: correct it."
        )
    return weights


def read_numbers(source: Source, name: str) -> Floats:
    """Return a column of numbers; missing values, and the codes that mean so, are not-a-number."""
    source.check_columns([name])
    kind = source.schema.field(name).type
    if not holds_numbers(kind):
        raise InputError(
            f"{source.origin}: '{name}' must hold numbers to be added up. Got {kind}. Name another "
            "variable, or convert the column."
        )
    values = np.empty(source.records)
    start = 0
    for batch in source.batches([name]):
        column = batch.column(0).cast(pa.float64(), safe=False).fill_null(np.nan)
        values[start : start + len(column)] = column.to_numpy()
        start += len(column)
    endless = np.flatnonzero(np.isinf(values))
    if len(endless):
        raise InputError(
            f"{source.origin}: '{name}' is infinite in record {endless[0] + 1:,}. Correct it, or "
            "make it missing."
        )
    for code in source.variables[name].user_missing:
        low, high = code if isinstance(code, tuple) else (code, code)
        if not isinstance(low, str) and not isinstance(high, str):
            values[(values >= low) & (values <= high)] = np.nan
    return values
