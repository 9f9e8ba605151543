"""Variables that give away what was perturbed: a date of birth beside a shuffled age."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from indistinct.files.source import Source

__all__ = ["telltale_warnings"]

_SAMPLE = 50_000
_TELLS = 0.9
"""The share of wrong guesses that another variable must spare, or the rank correlation."""

_PER_VALUE = 5
"""Records that a value must have on average; what is nearly unique tells everything by chance."""


def telltale_warnings(
    source: Source, perturbed: Sequence[str], kept: Sequence[str]
) -> tuple[str, ...]:
    """Name the variables left as they are from which a perturbed one can be read off.

    A variable tells another when guessing by it spares nine of ten wrong guesses (Goodman and
    Kruskal's λ), or when their ranks agree. Whoever sees both can undo the perturbation, or see
    where it was done.

    Parameters
    ----------
    source
        The original records.
    perturbed, kept
        Variables that were perturbed, and those that are released as they were.
    """
    names = [name for name in (*perturbed, *kept) if name in source.variables]
    if not perturbed or not source.records:
        return ()
    drawn = pa.array(np.arange(0, source.records, max(1, source.records // _SAMPLE)))
    # one column at a time: the file may have many
    coded = {name: _codes(source.table([name]).column(0).take(drawn)) for name in names}
    warnings = []
    for name in perturbed:
        found = [
            other
            for other in kept
            if other in coded and other != name and _tells(coded[name], coded[other])
        ]
        if found:
            one = len(found) == 1
            warnings.append(
                f"{name} was perturbed, but {', '.join(found)} {'tells' if one else 'tell'} it or "
                f"{'follows' if one else 'follow'} from it and {'was' if one else 'were'} left as "
                f"{'it is' if one else 'they are'}: leave {'it' if one else 'them'} out (--keep), "
                "or derive anew"
            )
    return tuple(warnings)


def _codes(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """Return every value's place in the order of values; missing comes last."""
    values = column.combine_chunks().dictionary_encode()
    order = np.argsort(pc.sort_indices(values.dictionary).to_numpy())
    places = values.indices.fill_null(len(order)).to_numpy(zero_copy_only=False)
    return np.asarray(np.append(order, len(order))[places], dtype=np.int64)


def _tells(one: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    if one.min() == one.max() or other.min() == other.max():
        return False
    if abs(float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])) > _TELLS + 0.08:
        return True
    return any(
        len(np.unique(by)) * _PER_VALUE <= len(by) and _spared(guessed, by) >= _TELLS
        for guessed, by in ((one, other), (other, one))
    )


def _spared(guessed: NDArray[np.int64], by: NDArray[np.int64]) -> float:
    """Return λ: the share of wrong guesses of one variable that knowing the other spares."""
    size = int(guessed.max()) + 1
    pairs, counts = np.unique(by * size + guessed, return_counts=True)
    best = np.zeros(int(by.max()) + 1, dtype=np.int64)
    np.maximum.at(best, pairs // size, counts)
    mode = int(np.bincount(guessed).max())
    return (int(best.sum()) - mode) / max(1, len(guessed) - mode)


def _ranks(codes: NDArray[np.int64]) -> NDArray[np.float64]:
    counts = np.bincount(codes)
    return np.asarray((np.cumsum(counts) - counts / 2)[codes])
