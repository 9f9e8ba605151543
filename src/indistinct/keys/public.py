"""Variables that are public for some people only.

Dalenius (1986, 2.2): "The number of variables whose data are in the public domain may be
different for different individuals." Somebody who knows fewer variables of a person looks at all
records that agree on those: a variable that is not public for a record is ignored in its P-set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from indistinct.core import Ints
from indistinct.keys.table import KeyTable

__all__ = ["public_frequencies"]

_NOT_PUBLIC = {"", "0", "0.0", "false", "no", "n", "none"}


def public_frequencies(table: KeyTable, public: Mapping[str, str]) -> Ints:
    """Return for every class the records that agree with it on its public variables.

    `table` is counted by the key and by the columns that say what is public; `public` names
    that column for each variable that is not public for everybody.
    """
    key = [name for name in table.names if name not in set(public.values())]
    known = np.ones((table.classes, len(key)), dtype=bool)
    for name, column in public.items():
        known[:, key.index(name)] = [_says_yes(value) for value in table.values(column)]
    frequencies = np.empty(table.classes, dtype=np.int64)
    patterns, pattern_of = np.unique(known, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        kept = [name for name, is_known in zip(key, pattern, strict=True) if is_known]
        coarser, rows = table.rollup(kept)
        here = pattern_of.reshape(-1) == number
        frequencies[here] = coarser.counts[rows[here]]
    return frequencies


def _says_yes(value: Any) -> bool:
    return value is not None and str(value).strip().lower() not in _NOT_PUBLIC
