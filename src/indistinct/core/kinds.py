"""What a column of an Arrow table holds, by its kind: asked everywhere, answered here.

Decimals are numbers: prices and coordinates are exact and lie in the same order. Truth values and
dates are none, whatever they are stored as. A column of codes with a dictionary is neither numbers
nor text before it is decoded: `held_kind` is the kind of what its codes stand for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core.arrays import Ints

__all__ = ["decoded", "held_kind", "holds_numbers", "holds_text", "values_and_codes"]


def holds_numbers(kind: pa.DataType) -> bool:
    """Say whether a kind of column holds numbers.

    >>> [holds_numbers(kind) for kind in (pa.int8(), pa.decimal128(9, 2), pa.bool_(), pa.date32())]
    [True, True, False, False]
    """
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def holds_text(kind: pa.DataType) -> bool:
    """Say whether a kind of column holds text, however long its texts may be together.

    >>> [holds_text(kind) for kind in (pa.string(), pa.large_string(), pa.binary())]
    [True, True, False]
    """
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def held_kind(kind: pa.DataType) -> pa.DataType:
    """Return the kind of the values: of a dictionary's, where a column has one.

    >>> held_kind(pa.dictionary(pa.int32(), pa.string()))
    DataType(string)
    """
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def decoded(column: Any) -> Any:
    """Return an array, or a chunked one, with its values instead of codes."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def values_and_codes(column: Any) -> tuple[list[Any], Ints]:
    """Return the distinct values of a column, None among them, and the number of each row's.

    >>> values, codes = values_and_codes(pa.array(["b", None, "b"]))
    >>> values, codes.tolist()
    (['b', None], [0, 1, 0])
    """
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    coded = decoded(whole).dictionary_encode(null_encoding="encode")
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return coded.dictionary.to_pylist(), codes
