"""Entropy: the bits it takes to tell the original values from the released ones.

Sweeney orders the techniques of disclosure control by it (2001, section 5, Figure 20); Gionis and
Tassa (2009) call it the non-uniform entropy measure. With the distribution of the original table,

    H = − Σ over all cells  log2 P(original value | released label)

where P(x | label) = count(x) / Σ count(y) over the values y that the label stands for.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from indistinct.core import Floats, SmallInts
from indistinct.keys import Recoding
from indistinct.keys.losses.cells import CellCounts, cell_counts, weights_of

__all__ = ["entropy", "entropy_by_variable", "entropy_of_nothing"]


def entropy(recoding: Recoding, *, weights: Mapping[str, float] | None = None) -> float:
    """Return the bits lost in all cells, the sum over variables: 0 for the original table.

    Records left out are charged as ARX does: they are generalised like the others first, and
    their label is forgotten then, which costs −log2 of the label's share among the records left
    out. *Like the others* is the level that all kept cells of the variable have; where they have
    several, the root.

    >>> from indistinct.hierarchy import code_hierarchy
    >>> from indistinct.keys import Generalisable
    >>> from indistinct import open_data
    >>> zips = code_hierarchy(["02138", "02139", "02141"], name="zip", digits=(4,))
    >>> with open_data({"zip": ["02138", "02139", "02141", "02141"]}) as data:
    ...     keys = Generalisable.of(data.key_table(["zip"]), {"zip": zips})
    >>> entropy(Recoding.full_domain(keys, [1])), entropy(Recoding.full_domain(keys, [2]))
    (2.0, 6.0)
    """
    return float(entropy_by_variable(recoding) @ weights_of(recoding, weights))


def entropy_by_variable(recoding: Recoding) -> Floats:
    """Return the bits lost in the cells of each variable."""
    counts = cell_counts(recoding)
    found = [_bits(counts, j, recoding.keys.climb(j)) for j in range(len(recoding.keys.names))]
    return np.array(found, dtype=np.float64)


def entropy_of_nothing(recoding: Recoding) -> Floats:
    """Return the bits of each variable that are lost when all its cells are suppressed."""
    counts = cell_counts(recoding)
    found = []
    for j in range(len(recoding.keys.names)):
        original = counts.original(j)
        found.append(float(original @ _surprise(original, original.sum())))
    return np.array(found, dtype=np.float64)


def _bits(counts: CellCounts, j: int, climb: SmallInts) -> float:
    original, gone, kept = counts.original(j), counts.dropped[j], counts.kept[j]
    nodes = int(climb.max()) + 1
    total = 0.0
    for level, here in zip(climb, kept, strict=True):
        under = np.bincount(level, weights=original, minlength=nodes)[level]
        total += float(here @ _surprise(original, under))
    if gone.any():
        used = np.flatnonzero(kept.any(axis=1))
        level = climb[used[0]] if len(used) == 1 else climb[-1]
        under = np.bincount(level, weights=original, minlength=nodes)[level]
        forgotten = np.bincount(level, weights=gone, minlength=nodes)[level]
        total += float(gone @ (_surprise(original, under) + _surprise(forgotten, gone.sum())))
    return total


def _surprise(part: NDArray[np.number], whole: NDArray[np.number] | float) -> Floats:
    """Return −log2(part / whole), and 0 where there is no part."""
    share = np.divide(part, whole, out=np.ones(len(part)), where=np.asarray(part) > 0)
    # 0.0 - x and not -x, so that certainty is 0 and not minus 0
    return np.asarray(0.0 - np.log2(share))
