"""What runs in the process apart: reads a question, and answers it from the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core import Array, Bools, InputError, Ints
from indistinct.files import Source
from indistinct.query.answer import MOST_ROWS, Answer, arranged, plain
from indistinct.query.bound import Bound
from indistinct.query.coding import Categories, Range, column_of, met_by, numbers_of, read_values
from indistinct.query.guarded import Guarded, Told
from indistinct.query.language import Comparison, Item, Question, read_question

__all__ = ["Answering", "answer_exactly"]


# Exact answers, of records that may be seen one by one: what is told is in the records anyway.


MOST_GROUPS = 1_000_000


def answer_exactly(source: Source, asked: Question, *, smallest: int) -> Answer:
    """Answer from the records as they are; rows of fewer than `smallest` records are left out."""
    known = list(source.variables)
    read: dict[str, Categories] = {}

    def categories(name: str) -> Categories:
        name = column_of(name, known)
        if name not in read:
            read[name] = read_values(source, name, strict=False)
        return read[name]

    def compare(one: Comparison) -> tuple[Bools, Bools]:
        column = categories(one.name)
        met, not_met = column.compare(one)
        return met[column.codes], not_met[column.codes]

    chosen = np.arange(source.records)
    if asked.where is not None:
        chosen = np.flatnonzero(met_by(asked.where, compare)[0])
    if asked.lists:
        return _records(source, asked, chosen, known)
    groups = [categories(name) for name in asked.by]
    group, keys = _grouped(groups, chosen)
    sizes = np.bincount(group, minlength=len(keys))
    columns = []
    for item in asked.items:
        if item.measure:
            columns.append(_measure(item, source, categories, group, chosen, sizes))
        else:
            place = [column.name for column in groups].index(column_of(item.name, known))
            columns.append([groups[place].shown[code] for code in keys[:, place]])
    enough = (sizes >= smallest) | (sizes == 0)
    rows = [tuple(map(plain, row)) for row in zip(*columns, strict=True)]
    told = [row for row, fine in zip(rows, enough.tolist(), strict=True) if fine]
    notes = [] if told or len(told) < len(rows) else ["No record meets the conditions."]
    withheld = len(rows) - len(told)
    told, cut = arranged(asked, told)
    return Answer(
        tuple(item.shown for item in asked.items),
        tuple(told),
        withheld=withheld,
        smallest=smallest,
        notes=(*notes, *cut),
    )


def _records(source: Source, asked: Question, chosen: Ints, known: Sequence[str]) -> Answer:
    names: list[tuple[str, str]] = []
    for item in asked.items:
        if item.name == "*":
            names += [(name, name) for name in known]
        else:
            names.append((column_of(item.name, known), item.shown))
    cut: list[str] = []
    if not asked.order:
        most = MOST_ROWS if asked.limit is None else min(asked.limit, MOST_ROWS)
        if len(chosen) > most == MOST_ROWS:
            cut = [f"The answer is cut after {MOST_ROWS:,} rows. Ask about fewer records."]
        chosen = chosen[:most]
    table = _taken(source, list(dict.fromkeys(name for name, _ in names)), chosen)
    columns = [[plain(value) for value in table.column(name).to_pylist()] for name, _ in names]
    rows = list(zip(*columns, strict=True))
    if asked.order:
        if any(item.name == "*" for item in asked.items):
            raise InputError("ORDER BY beside * is not asked. Name the variables.")
        rows, cut = arranged(asked, rows)
    shown = tuple(shown for _, shown in names)
    return Answer(shown, tuple(rows), smallest=1, notes=tuple(cut))


def _taken(source: Source, names: Sequence[str], chosen: Ints) -> pa.Table:
    """Read some records, numbered upwards, and no more of the file than it takes."""
    parts, start = [], 0
    for batch in source.batches(names):
        low, high = np.searchsorted(chosen, [start, start + batch.num_rows])
        if high > low:
            parts.append(batch.take(pa.array(chosen[low:high] - start)))
        start += batch.num_rows
        if high == len(chosen):
            break
    if not parts:
        return source.schema.empty_table().select(names)
    return pa.Table.from_batches(parts)


def _grouped(groups: Sequence[Categories], chosen: Ints) -> tuple[Ints, Ints]:
    """Return the group of each record, and the codes of each group."""
    if not groups:
        return np.zeros(len(chosen), dtype=np.int64), np.zeros((1, 0), dtype=np.int64)
    codes = np.column_stack([column.codes[chosen] for column in groups])
    keys, group = np.unique(codes, axis=0, return_inverse=True)
    if len(keys) > MOST_GROUPS:
        raise InputError(f"The answer would have more than {MOST_GROUPS:,} rows. Group by less.")
    return group.reshape(-1), keys


def _measure(
    item: Item,
    source: Source,
    categories: Any,
    group: Ints,
    chosen: Ints,
    sizes: Ints,
) -> list[Any]:
    if item.measure == "share":
        return list((sizes / max(1, len(chosen))).tolist())
    if item.name == "*":
        return list(sizes.tolist())
    column: Categories = categories(item.name)
    codes = column.codes[chosen]
    there = codes < len(column.values)
    number = np.bincount(group[there], minlength=len(sizes))
    if item.measure == "count":
        return list(number.tolist())
    if item.measure in ("min", "max"):
        return _ends(item.measure, column, codes[there], group[there], len(sizes))
    values = numbers_of(source, column.name)[chosen]
    total: Array = np.bincount(group[there], weights=values[there], minlength=len(sizes))
    if item.measure == "mean":
        total = total / np.maximum(number, 1)
    elif column.values.dtype.kind in "ib":
        total = total.astype(np.int64)
    return [value if n else None for value, n in zip(total.tolist(), number.tolist(), strict=True)]


def _ends(
    measure: str,
    column: Categories,
    codes: Ints,
    group: Ints,
    groups: int,
) -> list[Any]:
    """Return the least or the greatest value of each group: codes are in the values' order."""
    nothing = len(column.values) if measure == "min" else -1
    found = np.full(groups, nothing, dtype=np.int64)
    (np.minimum if measure == "min" else np.maximum).at(found, group, codes)
    return [None if code == nothing else column.shown[code] for code in found.tolist()]


class Answering:
    """Answers questions about records, exactly or with noise.

    Parameters
    ----------
    bound
        What is promised of people; None for exact answers.
    secret, ranges, person, why
        See `Guarded`.
    people
        A file that numbers the person of each record.
    """

    def __init__(
        self,
        source: Source,
        smallest: int,
        bound: Bound | None = None,
        secret: bytes = b"",
        ranges: Mapping[str, Range] | None = None,
        person: str | None = None,
        people: Path | None = None,
        why: str = "",
    ) -> None:
        self._source, self._smallest, self._guarded = source, smallest, None
        if bound is not None:
            numbers = None if people is None else np.load(people).astype(np.int64)
            self._guarded = Guarded(
                source, bound, secret, smallest, ranges or {}, person, numbers, why
            )

    def __call__(self, question: str, opened: Sequence[str]) -> Told:
        """Answer a question, or say why not."""
        try:
            asked = read_question(question)
            if self._guarded is not None:
                return self._guarded.ask(asked, opened)
            return Told(answer_exactly(self._source, asked, smallest=self._smallest), "", ())
        except InputError as error:
            return Told(None, str(error), ())
