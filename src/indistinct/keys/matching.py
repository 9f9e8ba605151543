"""Looking up the classes of one key table in another: a sample in its population."""

from __future__ import annotations

from typing import Any

import numpy as np

from indistinct.core import InputError, Ints
from indistinct.keys.table import KeyTable, pack_columns

__all__ = ["counts_in"]


def counts_in(table: KeyTable, other: KeyTable) -> Ints:
    """Return, for each class of a table, the records of another table with the same key.

    Both must have the same variables, in any order; values are compared as text where their
    types differ, so that ``1`` in one file meets ``"1"`` in the other.
    """
    if set(table.names) != set(other.names):
        missing = sorted(set(table.names) ^ set(other.names))
        raise InputError(
            f"The two tables must have the same key variables. {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} in one of them only."
        )
    aligned, _ = other.rollup(table.names)
    columns, known = [], np.ones(aligned.classes, dtype=bool)
    for j, (mine, theirs) in enumerate(
        zip(table.coding.variables, aligned.coding.variables, strict=True)
    ):
        code_of = {_plain(v): c for c, v in enumerate(mine.decode(np.arange(mine.size)))}
        values = theirs.decode(np.arange(theirs.size))
        translated = np.array([code_of.get(_plain(v), -1) for v in values], dtype=np.int64)
        codes = translated[aligned.codes[:, j]]
        known &= codes >= 0
        columns.append(codes)
    sizes = table.coding.sizes
    theirs_packed = pack_columns(sizes, [column[known] for column in columns])
    mine_packed = pack_columns(sizes, list(table.codes.T))
    both = np.concatenate([mine_packed, theirs_packed])
    if both.shape[1] == 1:
        _, ranks = np.unique(both[:, 0], return_inverse=True)
    else:
        _, ranks = np.unique(both, axis=0, return_inverse=True)
    ranks = ranks.reshape(-1)
    totals = np.zeros(int(ranks.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(totals, ranks[table.classes :], aligned.counts[known])
    found: Ints = totals[ranks[: table.classes]]
    return found


def _plain(value: Any) -> Any:
    """A value as both files would write it."""
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
