"""Missing values as wildcards: a record agrees with another where either has no value.

In this meaning a record with missing values agrees with more records, and agreement is no longer
transitive: classes overlap. Only the frequencies are different; the key table stays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.keys.table import KeyTable, pack_columns

__all__ = ["wildcard_frequencies"]


def wildcard_frequencies(table: KeyTable) -> NDArray[np.int64]:
    """Return for every class the records that agree with it when missing means anything.

    Classes are sorted by which variables they lack. For every pair of such patterns, the classes
    are compared on the variables that both have: the cost grows with the number of patterns that
    occur, not with the square of the number of classes.
    """
    variables = table.coding.variables
    lacks = np.stack(
        [
            (table.codes[:, j] == v.size - 1) if v.missing else np.zeros(len(table), dtype=bool)
            for j, v in enumerate(variables)
        ],
        axis=1,
    )
    patterns, pattern_of = np.unique(lacks, axis=0, return_inverse=True)
    rows = [np.flatnonzero(pattern_of.reshape(-1) == p) for p in range(len(patterns))]
    frequencies = np.zeros(table.classes, dtype=np.int64)
    for mine, lacking in zip(rows, patterns, strict=True):
        for theirs, also_lacking in zip(rows, patterns, strict=True):
            shared = np.flatnonzero(~(lacking | also_lacking))
            frequencies[mine] += _matches(table, mine, theirs, shared)
    return frequencies


def _matches(
    table: KeyTable, mine: NDArray[np.int64], theirs: NDArray[np.int64], shared: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count, for each of my classes, the records of theirs that agree on the shared variables."""
    if not len(shared):
        return np.full(len(mine), table.counts[theirs].sum())
    sizes = [table.coding.variables[j].size for j in shared]
    asked = pack_columns(sizes, [table.codes[mine, j] for j in shared])
    held = pack_columns(sizes, [table.codes[theirs, j] for j in shared])
    if asked.shape[1] > 1:
        both = np.concatenate([asked, held])
        _, ranks = np.unique(both, axis=0, return_inverse=True)
        ranks = ranks.reshape(-1)
        mine_rank, their_rank = (
            ranks[: len(mine)].astype(np.uint64),
            ranks[len(mine) :].astype(np.uint64),
        )
    else:
        mine_rank, their_rank = asked[:, 0], held[:, 0]
    order = np.argsort(their_rank, kind="stable")
    keys = their_rank[order]
    running = np.concatenate([[0], np.cumsum(table.counts[theirs][order])])
    first = np.searchsorted(keys, mine_rank, side="left")
    last = np.searchsorted(keys, mine_rank, side="right")
    found: NDArray[np.int64] = running[last] - running[first]
    return found
