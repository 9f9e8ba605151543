"""With what the categories of a variable occur: a table of counts against the rest of the key."""

from __future__ import annotations

from typing import Any

import numpy as np

from indistinct.core import Floats
from indistinct.keys.table import KeyTable

__all__ = ["profiles_of"]

_MOST_COLUMNS = 64
"""Columns of another variable; one of more values is cut into neighbours of its order."""


def profiles_of(table: KeyTable, name: str) -> tuple[list[Any], Floats]:
    """Return a variable's values, and for each how many records have what of the other variables.

    Every other variable has columns of its own. What is missing is no value here, and a category
    of the others.

    >>> import indistinct as ind
    >>> with ind.open({"town": ["a", "a", "b"], "sex": ["f", "m", "m"]}) as data:
    ...     values, counts = profiles_of(data.key_table(["town", "sex"]), "town")
    >>> values, counts.tolist()
    (['a', 'b'], [[1.0, 1.0], [0.0, 1.0]])
    """
    at = table.position(name)
    own = table.coding.variables[at]
    parts = []
    for other, coding in enumerate(table.coding.variables):
        if other == at:
            continue
        codes, width = table.codes[:, other], coding.size
        if width > _MOST_COLUMNS:
            codes, width = codes * _MOST_COLUMNS // width, _MOST_COLUMNS
        cells = np.bincount(
            table.codes[:, at] * width + codes, weights=table.counts, minlength=own.size * width
        )
        parts.append(cells.reshape(own.size, width))
    sizes = np.bincount(table.codes[:, at], weights=table.counts, minlength=own.size)
    counts: Floats = np.concatenate(parts, axis=1) if parts else sizes[:, None].astype(float)
    values = own.decode(np.arange(own.size))
    kept = [code for code, value in enumerate(values) if value is not None and sizes[code]]
    return [values[code] for code in kept], counts[kept]
