"""An answer: rows, how many records each rests on, and what was withheld.

The rows of an answer in the order that is asked for, and no more than may be shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from indistinct.query.language import Question
from indistinct.results import Result, Table, facts, folded, result

__all__ = ["MOST_ROWS", "Answer", "arranged", "plain"]

SHOWN = 40
"""Rows that are printed; all are there in `rows`."""


@result(eq=True)
class Answer(Result):
    """What a question to released records gave.

    Parameters
    ----------
    columns, rows
        The answer.
    errors
        For each row and column the standard deviation of the noise; empty where answers are exact.
    withheld
        How many rows are not told.
    smallest
        The fewest records, or people as they show, of a row that is told.
    notes
        What should be known besides, in sentences.

    >>> Answer(("sex", "count"), (("f", 12), ("m", 9)), withheld=1, smallest=5)
    sex  count
    ---  -----
    f       12
    m        9
    2 rows, 1 withheld (exact; no row of fewer than 5)
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    errors: tuple[tuple[float | None, ...], ...] = ()
    withheld: int = 0
    smallest: int = 1
    notes: tuple[str, ...] = ()

    FACTS = facts("columns rows errors withheld smallest notes")

    def to_table(self) -> pa.Table:
        """Return the rows as an Arrow table, for writing."""
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.columns)
        return pa.table([_array(values) for values in columns], names=list(self.columns))

    def __repr__(self) -> str:
        return folded(self._told(10))

    def _told(self, most: int) -> list[str]:
        shown = self.shown_rows()[:most]
        widths = [max(map(len, cells)) for cells in zip(self.columns, *shown, strict=True)]
        right = [_are_numbers([row[j] for row in self.rows]) for j in range(len(self.columns))]
        lines = [_line(row, widths, right) for row in (self.columns, *shown)]
        lines.insert(1, "  ".join("-" * width for width in widths))
        if len(self.rows) > most:
            lines.append(f"… and {len(self.rows) - most:,} more")
        return [*lines, self.summary, *(f"note: {note}" for note in self.notes)]

    def _lines(self) -> list[str]:
        return self._told(SHOWN)

    @property
    def summary(self) -> str:
        """How many rows there are and how many are withheld, in a line."""
        count = f"{len(self.rows):,} row{'' if len(self.rows) == 1 else 's'}"
        held = f", {self.withheld:,} withheld" if self.withheld else ""
        how = (
            "with noise: two of three numbers lie within ± of the truth" if self.errors else "exact"
        )
        fewest = f"; no row of fewer than {self.smallest}" if self.smallest > 1 else ""
        return f"{count}{held} ({how}{fewest})"

    def shown_rows(self) -> list[list[str]]:
        """Return the rows for people, each number with how far it is off."""
        errors = self.errors or tuple((None,) * len(row) for row in self.rows)
        return [
            [
                as_shown(value) + (f" ± {error:.2g}" if error else "")
                for value, error in zip(row, off, strict=True)
            ]
            for row, off in zip(self.rows, errors, strict=True)
        ]

    def _tables(self) -> list[Table]:
        return [Table(self.summary, self.columns, [tuple(map(plain, row)) for row in self.rows])]

    def _headline(self) -> str:
        return self.summary


def plain(value: Any) -> Any:
    """Turn a database's number into Python's own: JSON has neither decimals nor infinities.

    >>> plain(Decimal("12")), plain(Decimal("0.5")), plain(float("nan"))
    (12, 0.5, None)
    """
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value


def as_shown(value: Any) -> str:
    """Write a value for people."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def _array(values: Sequence[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if value is None else str(value) for value in values])


def _are_numbers(values: Sequence[Any]) -> bool:
    there = [v for v in values if v is not None]
    return bool(there) and all(isinstance(v, (int, float)) for v in there)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = (
        cell.rjust(width) if to_right else cell.ljust(width)
        for cell, width, to_right in zip(cells, widths, right, strict=True)
    )
    return "  ".join(padded).rstrip()


# The rows of an answer in the order that is asked for --------------------------------------------


MOST_ROWS = 10_000


def arranged(
    asked: Question, rows: list[tuple[Any, ...]]
) -> tuple[list[tuple[Any, ...]], list[str]]:
    """Return the rows in order, cut to the limit, and what is to be said of that."""
    for order in reversed(asked.order):
        there = [row for row in rows if row[order.column] is not None]
        missing = [row for row in rows if row[order.column] is None]
        there.sort(key=lambda row, at=order.column: row[at], reverse=order.downwards)  # type: ignore[misc]
        rows = [*there, *missing]
    if asked.limit is not None:
        rows = rows[: asked.limit]
    if len(rows) > MOST_ROWS:
        return rows[:MOST_ROWS], [f"The answer is cut after {MOST_ROWS:,} rows. Ask for fewer."]
    return rows, []
