"""A method's decision, so that the judge can take it again for other sensitive values.

`prove` knows nothing of methods. It is handed a function that says whether the method would have
released the same if people had had other values.
"""

from __future__ import annotations

import numpy as np

from indistinct.core import GuaranteeError, Ints
from indistinct.keys import KeyTable, group_rows
from indistinct.protect import Protected
from indistinct.protect.methods import Optimum
from indistinct.prove import Replay

__all__ = ["replay_of"]


def replay_of(done: Protected) -> Replay | None:
    """Return how a method would decide again; None where it cannot, or never looked at values.

    Where people have several records the method decided for people, and a class that is released
    holds their records: that is not replayed.
    """
    found = done.result
    if not isinstance(found, Optimum) or not found.forced or done.person is not None:
        return None
    counted, again = found.sensitive, found.again
    if counted is None or again is None:
        return None
    keys = found.keys.table
    variables = tuple(name for name in counted.names if name not in keys.names)
    table, _ = counted.rollup([*keys.names, *variables])
    rows = group_rows(table.codes[:, : len(keys.names)])
    codes, column = np.unique(table.codes[:, len(keys.names) :], axis=0, return_inverse=True)
    column = column.reshape(-1)
    held = np.zeros((keys.classes, len(codes)), dtype=np.int64)
    np.add.at(held, (rows, column), table.counts)

    def alike(other: Ints) -> bool:
        at, value = np.nonzero(other)
        placed = KeyTable(table.coding, np.hstack([keys.codes[at], codes[value]]), other[at, value])
        try:
            return again(placed).releases_like(found)
        except GuaranteeError:
            return False

    decoded = [
        coding.decode(codes[:, j])
        for j, coding in enumerate(table.coding.variables[len(keys.names) :])
    ]
    nodes = found.keys.nodes([found.levels[name] for name in keys.names])
    groups = np.where(found.dropped, -1, group_rows(nodes.astype(np.int64)))
    values, work = tuple(zip(*decoded, strict=True)), keys.classes * max(1, found.checked)
    return Replay(variables, values, held, groups, alike, work)
