"""Household risk: who finds one member of a household has found them all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit
from numpy.typing import ArrayLike

from indistinct.core import Array, Floats, InputError, Ints

__all__ = ["household_risk"]


WIDEST_SPAN = 4
"""Whole-number ids whose span is at most this many times the records are used as they are."""


def household_risk(
    record_risk: ArrayLike | Iterable[Array],
    household: ArrayLike | pa.Array | pa.ChunkedArray | Iterable[Any],
) -> Floats:
    """Return for every record the risk that some member of its household is recognised.

    If members are recognised independently of each other, with risks r_i::

        h = 1 - ∏ (1 - r_i)

    and every record of the household has the risk h. The sum Σ ln(1 - r_i) is taken, so that
    small risks keep their precision. A household's records may stand anywhere in the file. A
    record without an id is a household of one.

    Parameters
    ----------
    record_risk
        A risk per record in file order, in one array or a batch at a time, as
        ``tally.per_record(risk)`` gives them.
    household
        The household's id per record, text or whole numbers, in one array or a batch at a time
        (arrays, or record batches of one column, as ``source.batches([name])`` gives them).

    >>> household_risk([0.5, 0.1, 0.5, 0.2], ["a", "b", "a", None]).tolist()
    [0.75, 0.1, 0.75, 0.2]
    """
    risk = _risks(record_risk)
    codes, households = _codes(_ids(household))
    if len(codes) != len(risk):
        raise InputError(
            f"There must be one household id for each of the {len(risk):,} records. "
            f"Got {len(codes):,}."
        )
    bad = ~((risk >= 0) & (risk <= 1))
    if bad.any():
        raise InputError(
            f"A record's risk must be between 0 and 1. Record {int(np.argmax(bad)) + 1:,} has "
            "another, or none."
        )
    _spread(risk, codes, np.zeros(households))
    return risk


def _risks(record_risk: Any) -> Floats:
    if isinstance(record_risk, np.ndarray):
        return record_risk.astype(np.float64)
    parts = [np.atleast_1d(np.asarray(part, dtype=np.float64)) for part in record_risk]
    return np.concatenate(parts) if parts else np.empty(0)


def _ids(household: Any) -> pa.ChunkedArray:
    """Return the ids as one column, whatever they came in."""
    if isinstance(household, pa.ChunkedArray):
        return household
    if isinstance(household, (pa.Array, np.ndarray)):
        return pa.chunked_array([pa.array(household, from_pandas=True)])
    items = list(household)
    if items and isinstance(items[0], (pa.RecordBatch, pa.Array, np.ndarray)):
        chunks = [i.column(0) if isinstance(i, pa.RecordBatch) else pa.array(i) for i in items]
        return pa.chunked_array(chunks)
    return pa.chunked_array([pa.array(items, from_pandas=True)])


def _codes(ids: pa.ChunkedArray) -> tuple[Ints, int]:
    """Number the households from 0; a record without an id has -1."""
    if pa.types.is_floating(ids.type):
        ids = pc.if_else(pc.is_nan(ids), pa.scalar(None, ids.type), ids)
    if pa.types.is_integer(ids.type) and len(ids) > ids.null_count:
        ends = pc.min_max(ids)
        low, high = ends["min"].as_py(), ends["max"].as_py()
        if high - low < WIDEST_SPAN * len(ids) and low > -(1 << 62) and high < 1 << 62:
            numbers = ids.cast(pa.int64()).fill_null(low - 1).to_numpy()
            return numbers - low, high - low + 1
    if not pa.types.is_dictionary(ids.type):
        ids = ids.dictionary_encode()
    ids = ids.unify_dictionaries()
    if not ids.num_chunks:
        return np.empty(0, dtype=np.int64), 0
    indices = [chunk.indices.cast(pa.int64()).fill_null(-1) for chunk in ids.chunks]
    return pa.chunked_array(indices).to_numpy(), len(ids.chunk(0).dictionary)


@njit(cache=True, nogil=True)
def _spread(risk: Array, codes: Array, logs: Array) -> None:
    """Add up ln(1 - r) by household in file order, then overwrite each risk by its household's."""
    for i in range(len(risk)):
        if codes[i] >= 0:
            logs[codes[i]] += np.log1p(-risk[i])
    for i in range(len(risk)):
        if codes[i] >= 0:
            risk[i] = -np.expm1(logs[codes[i]])
