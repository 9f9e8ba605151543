"""Columns as arrays: numbers or coded text, and which cells hold a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.core import Array, Bools, InputError, Value, Variable
from indistinct.files import Source

__all__ = ["Column", "as_column", "plain_code", "read_columns"]


@dataclass(frozen=True, eq=False)
class Column:
    """A column of numbers, or of text as numbers of the texts that occur.

    Parameters
    ----------
    values
        The numbers; for text the position of each cell's text in `texts`. Undefined where not
        `present`.
    present
        False for a missing value and for a code that means *missing*; None where none is.
    texts
        The texts that occur; None for numbers.

    >>> Column.of(np.array([30.0, np.nan])).present.tolist()
    [True, False]
    >>> Column.of(["f", "m", None, "f"])
    Column(4 texts, 2 different, 1 missing)
    """

    values: Array = field(repr=False)
    present: Bools | None = field(default=None, repr=False)
    texts: tuple[str, ...] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        kind = "numbers" if self.texts is None else f"texts, {len(self.texts)} different"
        absent = 0 if self.present is None else int((~self.present).sum())
        return f"Column({len(self):,} {kind}, {absent:,} missing)"

    @classmethod
    def of(cls, values: Any) -> Column:
        """Make a column of an array or a list; NaN, None and masked cells are missing."""
        if isinstance(values, Column):
            return values
        if isinstance(values, (pa.Array, pa.ChunkedArray)):
            return cls.from_arrow(values)
        if isinstance(values, np.ma.MaskedArray):
            hidden = np.ma.getmaskarray(values)
            inner = cls.of(np.asarray(values.data))
            shown = ~hidden if inner.present is None else inner.present & ~hidden
            return cls(inner.values, shown, inner.texts)
        array = values if isinstance(values, np.ndarray) else None
        if array is not None and array.dtype.kind in "iub":
            return cls(array.view(np.uint8) if array.dtype.kind == "b" else array)
        if array is not None and array.dtype.kind == "f":
            absent = np.isnan(array)
            return cls(array, ~absent if absent.any() else None)
        if array is not None and array.dtype.kind == "U":
            array = array.astype(object)
        try:
            return cls.from_arrow(pa.array(values if array is None else array, from_pandas=True))
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            raise InputError(
                "A column must hold numbers or text, not both. Give an array of one kind."
            ) from None

    @classmethod
    def from_arrow(
        cls, column: pa.Array | pa.ChunkedArray, variable: Variable | None = None
    ) -> Column:
        """Make a column of an Arrow one; codes that mean *missing* for its variable are missing.

        Dates become text such as 2011-04-10, which sorts as dates do.
        """
        array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        kind = array.type
        if pa.types.is_boolean(kind):
            array, kind = array.cast(pa.uint8()), pa.uint8()
        present = _whole(array.is_valid().to_numpy(zero_copy_only=False))
        if pa.types.is_integer(kind):
            numbers = array.fill_null(0).to_numpy()
            return cls(numbers, _without_codes(numbers, present, variable))
        if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
            numbers = array.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
            absent = np.isnan(numbers)
            return cls(
                numbers, _without_codes(numbers, ~absent if absent.any() else None, variable)
            )
        coded = array if pa.types.is_dictionary(kind) else array.cast(pa.string())
        coded = coded if pa.types.is_dictionary(kind) else coded.dictionary_encode()
        texts = tuple(str(text) for text in coded.dictionary.to_pylist())
        codes = coded.indices.fill_null(0).to_numpy()
        meant = (
            [code for code in variable.user_missing if isinstance(code, str)] if variable else []
        )
        for number in [n for n, text in enumerate(texts) if text in meant]:
            absent = codes == number
            present = ~absent if present is None else present & ~absent
        return cls(codes, present, texts)

    def holds(self) -> Bools:
        """Say which cells hold a value."""
        return np.ones(len(self), dtype=bool) if self.present is None else self.present

    def numbers(self) -> tuple[Array, Bools | None, int]:
        """Return the cells as numbers, which are present, and how many texts are no numbers.

        Text such as ``07`` is read as a number; other text counts as missing.
        """
        if self.texts is None:
            return self.values, self.present, 0
        read = [_number(text) for text in self.texts]
        numbers = np.array([*read, np.nan], dtype=np.float64)[self.values]
        absent = np.isnan(numbers)
        unread = int((absent & self.holds()).sum())
        present = self.holds() & ~absent
        return numbers, None if present.all() else present, unread

    def recoded(self, kinds: Mapping[Value, int]) -> NDArray[np.int8]:
        """Return a small number for each cell: what its value is mapped to, else 0.

        A value of 1 and a text ``1`` or ``01`` are the same.
        """
        wanted = {plain_code(value): kind for value, kind in kinds.items()}
        if self.texts is not None:
            table = np.array([wanted.get(plain_code(t), 0) for t in self.texts] + [0], np.int8)
            found: NDArray[np.int8] = table[self.values]
        else:
            found = np.zeros(len(self), dtype=np.int8)
            for code, kind in wanted.items():
                number = _number(code)
                if number is not None:
                    found[self.values == (int(number) if number.is_integer() else number)] = kind
        if self.present is not None:
            found[~self.present] = 0
        return found


def as_column(columns: Mapping[str, Any], name: str, *, needed_by: str) -> Column:
    """Return one of some columns; refuse a name that is not among them."""
    if name not in columns:
        raise InputError(f"{needed_by} needs the column '{name}', which was not given.")
    return Column.of(columns[name])


def read_columns(source: Source, names: Iterable[str]) -> dict[str, Column]:
    """Read some columns of a source, once each."""
    wanted: Sequence[str] = list(dict.fromkeys(names))
    source.check_columns(wanted)
    table = source.table(wanted)
    return {name: Column.from_arrow(table.column(name), source.variables[name]) for name in wanted}


def plain_code(value: Any) -> str:
    """Return a code as text, the same for 1, 1.0, ``1`` and ``01``; capitals do not count.

    >>> plain_code(1.0), plain_code("01"), plain_code("Head ")
    ('1', '1', 'head')
    """
    number = _number(str(value))
    if number is None:
        return str(value).strip().casefold()
    return str(int(number)) if number.is_integer() else repr(number)


def _number(text: str) -> float | None:
    # float() also reads 'nan', 'inf' and 1_000, which are no numbers in a file
    if not text.strip().lstrip("+-").replace(".", "", 1).isdecimal():
        return None
    return float(text)


def _whole(present: Bools) -> Bools | None:
    return None if present.all() else present


def _without_codes(
    numbers: Array, present: Bools | None, variable: Variable | None
) -> Bools | None:
    for code in variable.user_missing if variable is not None else ():
        low, high = code if isinstance(code, tuple) else (code, code)
        if isinstance(low, (int, float)) and isinstance(high, (int, float)):
            absent = (numbers >= low) & (numbers <= high)
            if absent.any():
                present = ~absent if present is None else present & ~absent
    return present
