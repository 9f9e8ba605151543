"""From the record numbers and values that a question gathered to the sets that answers rest on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.query.aggregates import Support
from indistinct.query.known import Layer

__all__ = ["layers_of"]


def layers_of(table: pa.Table, supports: Sequence[Support]) -> dict[str, list[Layer]]:
    """Return the sets of records behind each row, by the kind of thing that is told.

    Parameters
    ----------
    table
        For each support a column of lists of record numbers, and one of lists of values.
    """
    found: dict[str, list[Layer]] = {}
    for j, support in enumerate(supports):
        records = _flat(table.column(2 * j)).to_numpy(zero_copy_only=False)
        sizes = _sizes(table.column(2 * j))
        if support.cell:
            values = _flat(table.column(2 * j + 1))
            row = np.repeat(np.arange(len(sizes)), sizes)
            layer = Layer(records, sizes)
            if support.additive:
                found.setdefault(f"{support.space} is there", []).append(layer)
                adds = values.cast(pa.float64()).to_numpy(zero_copy_only=False) != 0
                layer = Layer(records[adds], np.bincount(row[adds], minlength=len(sizes)))
            found.setdefault("", []).extend(
                _by_value(records, row, values, rows=len(sizes), most=support.moments + 1)
            )
        else:
            layer = Layer(records, sizes)
        found.setdefault(support.space, []).append(layer)
    return found


def _by_value(
    records: NDArray[np.int64],
    row: NDArray[np.int64],
    values: pa.Array,
    *,
    rows: int,
    most: int,
) -> list[Layer]:
    """Return the records with each value, for the rows that have at least 2 and at most `most`.

    The layers are by the rank of the value in its row.
    """
    if most < 2 or not len(records):
        return []
    code = values.dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int64)
    pairs, pair = np.unique(row * (int(code.max()) + 1) + code, return_inverse=True)
    of_row = pairs // (int(code.max()) + 1)
    different = np.bincount(of_row, minlength=rows)
    first = np.searchsorted(of_row, np.arange(rows))
    rank = (np.arange(len(pairs)) - first[of_row])[pair]
    few = ((different >= 2) & (different <= most))[row]
    layers = []
    for turn in range(most):
        chosen = few & (rank == turn)
        if chosen.any():
            layers.append(Layer(records[chosen], np.bincount(row[chosen], minlength=rows)))
    return layers


def _flat(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks().flatten()


def _sizes(column: pa.ChunkedArray) -> NDArray[np.int64]:
    lengths = column.combine_chunks().value_lengths().fill_null(0)
    return np.asarray(lengths.to_numpy(zero_copy_only=False), dtype=np.int64)
