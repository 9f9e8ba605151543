"""Codes for values: every key variable becomes 0 … C-1, every key a few 64-bit words.

An integer variable whose span is small is coded by its distance from the smallest value, which
the Parquet footer tells without reading a record. Any other is coded by its rank among its
distinct values. A missing value, where there are any, has the last code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from indistinct.core import Array, InputError, Ints, Words, held_kind, progress
from indistinct.engine.kernels import pack_codes, pack_mapped
from indistinct.files import Source

__all__ = [
    "Coding",
    "Distinct",
    "DistinctColumns",
    "KeyCoding",
    "coding_of_values",
    "distinct_values",
    "key_coding",
    "text_columns",
    "word_groups",
]

WIDEST_SPAN = 1 << 24
"""An integer variable with a larger span is coded by rank: a few wild values (999999999 for
'unknown') should not cost every key a word."""

WORD = 1 << 64

PACKED_AT_ONCE = 1 << 14

Append = Callable[[int, int, Words, bool], None]

Distinct = dict[str, tuple[pa.Array, bool]]
"""The distinct values of each column, and whether any is missing."""


@dataclass(frozen=True)
class Coding:
    """How one variable's values become the codes 0 … size-1.

    Either `low` is the value of code 0 and codes count up from it, or `values` lists the
    distinct values in increasing order. With `missing`, the last code stands for no value.
    """

    name: str
    size: int
    missing: bool
    low: int = 0
    values: pa.Array | None = None

    def decode(self, codes: Array) -> list[Any]:
        """Return the values of codes, None for the missing one.

        >>> Coding("age", 4, True, low=20).decode(np.array([0, 2, 3]))
        [20, 22, None]
        """
        last = self.size - 1
        if self.values is None:
            return [None if self.missing and c == last else self.low + int(c) for c in codes]
        mask = (codes == last) if self.missing else np.zeros(len(codes), dtype=bool)
        indices = pa.array(codes.astype(np.int64), mask=mask)
        taken: list[Any] = self.values.take(indices).to_pylist()
        return taken

    def encode(self, column: pa.Array) -> Ints:
        """Return the codes of values; a value without a code is refused."""
        words = KeyCoding((self,)).pack([column])
        return words[:, 0].astype(np.int64)

    def appender(self, column: pa.Array) -> Append:
        """Return what appends the codes of a span of records to a word of theirs."""
        return self._by_span(column) if self.values is None else self._by_rank(column)

    def _by_span(self, column: pa.Array) -> Append:
        if column.null_count:
            column = column.cast(pa.int64()).fill_null(self.low + self.size - 1)
        values = column.to_numpy()

        def append(start: int, end: int, word: Words, first: bool) -> None:
            if not pack_codes(values[start:end], self.low, self.size, first, word[start:end]):
                raise InputError(
                    f"Variable '{self.name}' holds values outside the smallest and largest that "
                    "its file declares. The file's statistics are wrong: write it anew."
                )

        return append

    def _by_rank(self, column: pa.Array) -> Append:
        if not pa.types.is_dictionary(column.type):
            column = _without_nan(column).dictionary_encode()
        codes = pc.index_in(column.dictionary, value_set=self.values)
        if codes.null_count > column.dictionary.null_count:
            raise InputError(f"Variable '{self.name}' holds a value that was not counted before.")
        # index 0 of the shifted table is for records without a value
        table = np.full(len(codes) + 1, self.size - 1, dtype=np.int64)
        table[1:] = codes.fill_null(self.size - 1).to_numpy()
        indices = column.indices.cast(pa.int64()).fill_null(-1).to_numpy() + 1

        def append(start: int, end: int, word: Words, first: bool) -> None:
            pack_mapped(indices[start:end], table, self.size, first, word[start:end])

        return append


@dataclass(frozen=True)
class KeyCoding:
    """The codings of a key, and which word each variable goes to.

    No variable is split between words; within a word the first variable is most significant, so
    that sorting words sorts keys.
    """

    variables: tuple[Coding, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The key variables, in the order asked for."""
        return tuple(v.name for v in self.variables)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of categories of each variable."""
        return tuple(v.size for v in self.variables)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The positions of the variables that share each word."""
        return word_groups(self.sizes)

    @property
    def cells(self) -> int:
        """The number of possible keys, the product of the sizes."""
        product = 1
        for size in self.sizes:
            product *= size
        return product

    def pack(self, columns: Sequence[pa.Array], *, out: Words | None = None) -> Words:
        """Return the words of every record, one row each; in `out` where it is given.

        Columns are contiguous in memory, since that is how they are filled.
        """
        groups = self.groups
        records = len(columns[0])
        words = np.empty((records, len(groups)), np.uint64, order="F") if out is None else out
        appenders = [v.appender(c) for v, c in zip(self.variables, columns, strict=True)]
        # all variables of a few records at a time, so that their words stay in cache
        for start in range(0, records, PACKED_AT_ONCE):
            end = min(records, start + PACKED_AT_ONCE)
            for j, group in enumerate(groups):
                for position in group:
                    appenders[position](start, end, words[:, j], position == group[0])
        return words

    def unpack(self, words: Words) -> list[Ints]:
        """Return the code of every variable: the inverse of `pack`."""
        codes: list[Ints] = [np.empty(0, dtype=np.int64)] * len(self.variables)
        for j, group in enumerate(self.groups):
            rest = words[:, j].copy()
            for position in reversed(group):
                size = np.uint64(self.variables[position].size)
                codes[position] = (rest % size).astype(np.int64)
                rest //= size
        return codes


def word_groups(sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Deal variables with `sizes` categories into words, in order; return their positions.

    >>> word_groups([1 << 40, 1 << 20, 1 << 30])
    ((0, 1), (2,))
    """
    groups: list[list[int]] = [[]]
    room = WORD
    for position, size in enumerate(sizes):
        if size > room and groups[-1]:
            groups.append([])
            room = WORD
        groups[-1].append(position)
        room //= max(1, size)
    return tuple(tuple(group) for group in groups)


def key_coding(
    source: Source,
    key: Sequence[str],
    *,
    distinct: Callable[[Source, Sequence[str]], Distinct] | None = None,
) -> KeyCoding:
    """Find the codes of every key variable, from the file's footer where that is enough.

    `distinct` finds the values of the others; by default the records are read here.
    """
    if not key:
        raise InputError("The key is empty. Name at least one variable with --key.")
    if len(set(key)) < len(key):
        raise InputError("The key names a variable twice. Name each once.")
    source.check_columns(key)
    schema = source.schema
    with pq.ParquetFile(source.path) as file:
        spans = {name: _declared_span(file, schema, name) for name in key}
    ranked = [name for name, span in spans.items() if span is None]
    found = (distinct or _read_distinct)(source, ranked) if ranked else {}
    codings = []
    for name in key:
        span = spans[name]
        if span is not None:
            low, high, missing = span
            codings.append(Coding(name, high - low + 1 + missing, missing, low=low))
        else:
            codings.append(coding_of_values(name, *found[name]))
    return KeyCoding(tuple(codings))


def coding_of_values(name: str, values: pa.Array, missing: bool) -> Coding:
    """Code a variable whose distinct values are known, by span or by rank as `key_coding` does."""
    if len(values) and pa.types.is_integer(values.type):
        bounds = pc.min_max(values)
        low, high = int(bounds["min"].as_py()), int(bounds["max"].as_py())
        if _is_narrow(low, high):
            return Coding(name, high - low + 1 + missing, missing, low=low)
    values = values.take(pc.sort_indices(values)) if len(values) else values
    return Coding(name, len(values) + missing, missing, values=values)


def _is_narrow(low: int, high: int) -> bool:
    # the code after the highest, for a missing value, must be a signed 64-bit number too
    return high - low < WIDEST_SPAN and high < (1 << 63) - 1


def _declared_span(
    file: pq.ParquetFile, schema: pa.Schema, name: str
) -> tuple[int, int, bool] | None:
    """Return lowest value, highest value and whether any is missing, as the footer tells."""
    if not pa.types.is_integer(schema.field(name).type):
        return None
    metadata = file.metadata
    position = metadata.schema.to_arrow_schema().get_field_index(name)
    low: int | None = None
    high: int | None = None
    missing = False
    for group in range(metadata.num_row_groups):
        chunk = metadata.row_group(group).column(position)
        statistics = chunk.statistics
        if statistics is None or not statistics.has_null_count:
            return None
        missing = missing or statistics.null_count > 0
        if statistics.null_count == metadata.row_group(group).num_rows:
            continue
        if not statistics.has_min_max:
            return None
        lowest, highest = int(statistics.min), int(statistics.max)
        low = lowest if low is None else min(low, lowest)
        high = highest if high is None else max(high, highest)
    if low is None or high is None or not _is_narrow(low, high):
        return None
    return low, high, missing


def _read_distinct(source: Source, names: Sequence[str]) -> Distinct:
    schema = source.schema
    batches = progress.each(
        source.batches(names, as_dictionary=text_columns(schema, names)),
        f"finding the values of {', '.join(names)}",
        total=source.records,
        unit="records",
        amount=lambda batch: int(batch.num_rows),
    )
    return distinct_values(batches, schema, names)


def distinct_values(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, names: Sequence[str]
) -> Distinct:
    """Return the distinct values of columns, in one pass over their records."""
    columns = DistinctColumns(schema, names)
    for batch in batches:
        for name in names:
            column = batch.column(name)
            if pa.types.is_dictionary(column.type):
                used = column.dictionary.take(pc.unique(column.indices).drop_null())
                columns.add(name, used, column.null_count > 0)
            else:
                column = _without_nan(column)
                columns.add(name, pc.unique(column).drop_null(), column.null_count > 0)
    return columns.found()


class DistinctColumns:
    """Gathers distinct values of columns from many batches, or from many machines."""

    def __init__(self, schema: pa.Schema, names: Sequence[str]) -> None:
        self._values = {name: _Distinct(held_kind(schema.field(name).type)) for name in names}
        self._missing = dict.fromkeys(names, False)

    def add(self, name: str, values: pa.Array, missing: bool) -> None:
        """Add what one batch or machine found."""
        self._values[name].add(values)
        self._missing[name] = self._missing[name] or missing

    def found(self) -> Distinct:
        """Return all that was added, without repetition."""
        return {name: (v.values(), self._missing[name]) for name, v in self._values.items()}


class _Distinct:
    """Distinct values collected from many small arrays, merged only when they have doubled."""

    def __init__(self, kind: pa.DataType) -> None:
        self._parts = [pa.array([], type=kind)]
        self._merged = 0
        self._waiting = 0

    def add(self, values: pa.Array) -> None:
        self._parts.append(values)
        self._waiting += len(values)
        if self._waiting > self._merged + 100_000:
            self.values()

    def values(self) -> pa.Array:
        merged = pc.unique(pa.concat_arrays(self._parts))
        self._parts, self._merged, self._waiting = [merged], len(merged), 0
        return merged


def text_columns(schema: pa.Schema, names: Sequence[str]) -> list[str]:
    """Return the names of text columns: those that Parquet can give as a short list of values."""
    return [name for name in names if pa.types.is_string(schema.field(name).type)]


def _without_nan(column: pa.Array) -> pa.Array:
    """A not-a-number in a numeric column is a missing value, not a category; -0 is 0."""
    if pa.types.is_floating(column.type):
        zero = pa.scalar(0, column.type)
        column = pc.if_else(pc.equal(column, zero), zero, column)
        return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return column
