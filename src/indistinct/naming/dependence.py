"""What goes with what: who is counted within a household, what another column tells as well.

Looked at in the first records, where the members of a household stand together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.naming.content import Content, codes_of

__all__ = ["Together"]

_FIRST = 5_000
"""Records that are looked at."""

_GLANCE = 200
"""Records that mostly show that columns do not go together."""

_GROUPS = 5
"""Groups of several records of which something can be said."""

_LARGEST = 40
"""Members of a household, at most, where they are counted."""

_FEWEST = 20
"""Households, or values that come more than once, of which something can be said."""

_NEARLY_ALL = 0.98

_MOST_ALIKE = 0.9
"""A variable of which more records than this have one value goes with everything."""


class Together:
    """The columns of a file in its first records, as codes, asked what goes with what.

    Parameters
    ----------
    first
        The first records.
    contents
        What was seen of each column.
    """

    def __init__(self, first: pa.Table, contents: Sequence[Content]) -> None:
        self._first = first.slice(0, _FIRST)
        self._contents = {content.facts.name: content for content in contents}
        self._codes: dict[str, np.ndarray[Any, np.dtype[np.int64]]] = {}
        self._firsts: dict[str, tuple[Any, Any]] = {}

    def counted_within(self) -> tuple[str, str] | None:
        """Return a number of households and the column that counts from 1 within each.

        Runs of equal numbers, in which another column is 1, 2, 3 …, are made by whoever lists
        the members of households; nothing else does so by chance.
        """
        lines = [name for name in self._contents if self._counts(name)]
        if not lines:
            return None
        runs = [
            name
            for name, content in self._contents.items()
            if 1.05 <= content.records_per_value <= 20
            and not content.facts.missing
            and content.comes_in_runs
        ]
        for run in runs:
            codes = self.codes(run)
            begins = np.flatnonzero(np.diff(codes, prepend=-2))
            place = np.arange(len(codes)) - np.repeat(begins, np.diff([*begins, len(codes)])) + 1
            several = len(codes) - len(begins)
            for line in lines:
                if line == run or several < _FEWEST:
                    continue
                if (self._numbers(line) == place).mean() >= _NEARLY_ALL:
                    return run, line
        return None

    def same_within(self, name: str, group: str) -> bool:
        """Say whether nearly all records have the value that the first of their group has.

        Nothing is said by fewer than five groups of several records, nor by a column that nearly
        everybody agrees on.
        """
        known, first = self._first_of_group(group)
        if known is None:
            return False
        values = self.codes(name)
        for some in (slice(0, _GLANCE), slice(None)):
            if (values[known[some]] != values[first[some]]).mean() > 1 - _NEARLY_ALL:
                return False
        return bool(np.bincount(values + 1).max() <= _MOST_ALIKE * len(values))

    def told_by(self, name: str, others: Sequence[str]) -> str | None:
        """Return another column that tells this one: one value of it has one value of this.

        The other must have values that many records share, or it would tell everything.
        """
        content = self._contents[name]
        for other in others:
            shared = self._contents[other]
            enough = shared.facts.distinct >= max(content.facts.distinct, _GROUPS)
            if not enough or shared.records_per_value < _FEWEST or content.facts.distinct < 3:
                continue
            if self.same_within(name, other):
                return other
        return None

    def codes(self, name: str) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return a column as numbers by first appearance."""
        if name not in self._codes:
            self._codes[name] = codes_of(self._first.column(name))
        return self._codes[name]

    def _first_of_group(self, group: str) -> tuple[Any, Any]:
        """Return the records that have a group, and for each the first of its group."""
        if group not in self._firsts:
            groups = self.codes(group)
            known = np.flatnonzero(groups >= 0)
            _, first, place = np.unique(groups[known], return_index=True, return_inverse=True)
            several = int((np.bincount(place) > 1).sum()) if len(known) else 0
            # the first records may all be of one place, and tell nothing
            told = (known, known[first[place]]) if several >= _GROUPS else (None, None)
            self._firsts[group] = told
        return self._firsts[group]

    def _counts(self, name: str) -> bool:
        content = self._contents[name]
        if not 2 <= content.facts.distinct <= _LARGEST or content.facts.missing:
            return False
        if not content.looks_numeric or not content.is_whole or content.has_fractions:
            return False
        numbers = self._numbers(name)
        return bool(len(numbers) and numbers.min() == 1 and numbers.max() <= _LARGEST)

    def _numbers(self, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        column = self._first.column(name)
        if self._contents[name].is_text:
            return np.array(
                [float(v) if v is not None and v.strip().isdecimal() else -1.0
                 for v in column.to_pylist()]
            )  # fmt: skip
        return np.asarray(column.cast("float64").fill_null(-1.0))
