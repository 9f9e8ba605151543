"""The rows of an answer in the order that is asked for, and no more than may be shown."""

from __future__ import annotations

from typing import Any

from indistinct.query.language import Question

__all__ = ["MOST_ROWS", "arranged"]

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
