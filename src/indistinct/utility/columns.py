"""Distances between an original and a released column, for any technique.

Sweeney's measure is defined for generalisation and suppression and is meant to be extended to
other techniques (2001, section 6.5): all it needs is a distance in [0, 1] for each. The mean over
the cells of all columns, taken from 1, is a precision that compares techniques.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, Floats, InputError, decoded, did_you_mean, holds_numbers
from indistinct.hierarchy import Hierarchy

__all__ = ["CellDistance", "Cells", "cell_distance", "column_distance", "techniques"]


@dataclass(frozen=True, eq=False)
class Cells:
    """What the distance of a technique is asked about.

    Parameters
    ----------
    original, released
        The cells that have a value in both columns, as Arrow arrays of equal length.
    column
        The whole original column, for a range or a distribution.
    hierarchy
        The variable's hierarchy, where one was given.
    """

    original: pa.Array
    released: pa.Array
    column: pa.Array
    hierarchy: Hierarchy | None = None


CellDistance = Callable[[Cells], Floats]
"""A function of cells to their distances in [0, 1]."""

_DISTANCES: dict[str, CellDistance] = {}


def cell_distance(*names: str) -> Callable[[CellDistance], CellDistance]:
    """Register the distance of a technique, under one or more names; use it as a decorator.

    >>> @cell_distance("initials")
    ... def initials(cells):
    ...     return np.where(pc.equal(cells.original, cells.released), 0.0, 0.5)
    >>> column_distance(["Ann", "Bo"], ["A.", "Bo"], technique="initials").tolist()
    [0.5, 0.0]
    """

    def register(function: CellDistance) -> CellDistance:
        for name in names:
            _DISTANCES[name] = function
        return function

    return register


def techniques() -> tuple[str, ...]:
    """Return the techniques for which there is a distance."""
    return tuple(sorted(_DISTANCES))


def column_distance(
    original: Any, released: Any, *, technique: str, hierarchy: Hierarchy | None = None
) -> Floats:
    """Return the distance in [0, 1] of every released cell to its original.

    Parameters
    ----------
    original, released
        Two columns of the same records in the same order (Arrow, numpy or a list). A value that
        is there in one and not in the other is at distance 1, none in both at 0.
    technique
        ``generalisation``: levels climbed over the height of the hierarchy (Sweeney).
        ``suppression``, ``de-identification``, ``substitution``, ``encryption``: 0 for the same
        value, 1 for another. ``noise``, ``rounding``, ``perturbation``, ``outliers-to-medians``,
        ``microaggregation``: |released − original| over the range of the original column, at
        most 1. ``swap``: the same for numbers, 0 or 1 for everything else. Or what
        `cell_distance` has registered.
    hierarchy
        The hierarchy of the variable, for generalisation.

    >>> column_distance([10, 20, 30], [10, 25, None], technique="noise").tolist()
    [0.0, 0.25, 1.0]
    """
    if technique not in _DISTANCES:
        raise InputError(
            f"There is no distance of the technique '{technique}'. "
            f"{did_you_mean(technique, techniques())}"
        )
    before, after = _array(original), _array(released)
    if len(before) != len(after):
        raise InputError(
            f"The columns must have the same records. Got {len(before):,} and {len(after):,}."
        )
    here, there = (_valid(column) for column in (before, after))
    distances = np.asarray(here != there, dtype=np.float64)
    both = here & there
    if both.any():
        mask = pa.array(both)
        cells = Cells(before.filter(mask), after.filter(mask), before, hierarchy)
        distances[both] = _DISTANCES[technique](cells)
    return distances


@cell_distance("suppression", "de-identification", "substitution", "encryption")
def _changed(cells: Cells) -> Floats:
    before, after = cells.original, cells.released
    if before.type != after.type:
        both_numbers = all(holds_numbers(column.type) for column in (before, after))
        common = pa.float64() if both_numbers else pa.string()
        before, after = before.cast(common), after.cast(common)
    same = pc.equal(before, after).to_numpy(zero_copy_only=False)
    return np.where(same, 0.0, 1.0)


@cell_distance("noise", "rounding", "perturbation", "outliers-to-medians", "microaggregation")
def _moved(cells: Cells) -> Floats:
    x, y = _numbers(cells.original), _numbers(cells.released)
    every = _numbers(cells.column.filter(pa.array(_valid(cells.column))))
    spread = float(np.ptp(every))
    if spread == 0:
        return np.where(x == y, 0.0, 1.0)
    return np.asarray(np.minimum(np.abs(y - x) / spread, 1.0))


@cell_distance("swap")
def _swapped(cells: Cells) -> Floats:
    numeric = holds_numbers(cells.original.type) and holds_numbers(cells.released.type)
    return (_moved if numeric else _changed)(cells)


@cell_distance("generalisation")
def _climbed(cells: Cells) -> Floats:
    hierarchy = cells.hierarchy
    if hierarchy is None:
        raise InputError("The distance of a generalisation needs the variable's hierarchy.")
    values, labels = (_coded(column) for column in (cells.original, cells.released))
    pairs = values.indices.to_numpy().astype(np.int64) * max(len(labels.dictionary), 1)
    pairs += labels.indices.to_numpy()
    seen, where = np.unique(pairs, return_inverse=True)
    names, targets = values.dictionary.to_pylist(), labels.dictionary.to_pylist()
    shares = np.empty(len(seen), dtype=np.float64)
    for i, pair in enumerate(seen.tolist()):
        value, label = divmod(pair, len(targets))
        shares[i] = _levels(hierarchy, names[value], targets[label]) / max(hierarchy.height, 1)
    return np.asarray(shares[where.reshape(-1)])


def _levels(hierarchy: Hierarchy, value: str, label: str) -> int:
    path = hierarchy.ancestors(value)
    if label not in path:
        raise InputError(
            f"A released label of '{hierarchy.name}' does not stand for the original value of its "
            "record. Check that the columns are in the same order and the hierarchy is the one "
            "that was used."
        )
    return path.index(label)


def _array(column: Any) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        found = column.combine_chunks()
    else:
        found = column if isinstance(column, pa.Array) else pa.array(column)
    return decoded(found)


def _valid(column: pa.Array) -> Bools:
    valid = pc.is_valid(column).to_numpy(zero_copy_only=False)
    if pa.types.is_floating(column.type):
        # as in counting, a not-a-number is a missing value
        valid = valid & ~pc.is_nan(column).fill_null(False).to_numpy(zero_copy_only=False)
    return np.asarray(valid)


def _numbers(column: pa.Array) -> Floats:
    if pa.types.is_temporal(column.type):
        column = column.cast(pa.int32() if pa.types.is_date32(column.type) else pa.int64())
    if not holds_numbers(column.type):
        raise InputError(
            f"The distance of this technique needs columns of numbers or dates. Got {column.type}."
        )
    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))


def _coded(column: pa.Array) -> pa.DictionaryArray:
    return column.cast(pa.string()).dictionary_encode()
