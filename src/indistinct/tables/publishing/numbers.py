"""A table as it is published: numbers for places and categories, written and read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from indistinct.core import Bools, Floats, InputError, for_csv, from_csv
from indistinct.files import marked, unmarked
from indistinct.project import TableFormat
from indistinct.tables import Layout

__all__ = ["SUPPRESSED", "TOTAL", "PublishedTable", "read_rows", "read_table", "write_table"]

TOTAL = "total"
"""The label of a margin."""

SUPPRESSED = "suppressed"
"""The column that says of a cell without a number why there is none."""

GEOGRAPHY, AREA, VALUE = "geography", "area", "value"


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """The numbers of one table, for every place.

    Parameters
    ----------
    name
        The table's name.
    dimensions
        The names of its dimensions.
    places
        The geography and the name of every place: the first axis.
    categories
        The categories along every other axis; the last is `TOTAL` where margins are published.
    numbers
        The numbers. Those of suppressed cells are not told.
    suppressed
        Which cells are suppressed; None where the method suppresses none.
    """

    name: str
    dimensions: tuple[str, ...]
    places: tuple[tuple[str, str], ...]
    categories: tuple[tuple[str, ...], ...]
    numbers: Floats = field(repr=False)
    suppressed: Bools | None = field(default=None, repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """Places, and categories of every dimension."""
        return (len(self.places), *map(len, self.categories))

    @property
    def cells(self) -> int:
        """The number of cells."""
        return int(np.prod(self.shape))

    def to_arrow(self) -> pa.Table:
        """Return one row for each place and cell, places first."""
        shape = self.shape
        geographies = [geography for geography, _ in self.places]
        columns = {
            GEOGRAPHY: _spread(geographies, 0, shape),
            AREA: _spread([label for _, label in self.places], 0, shape),
        }
        for axis, (name, labels) in enumerate(
            zip(self.dimensions, self.categories, strict=True), start=1
        ):
            columns[name] = _spread(labels, axis, shape)
        flat = self.numbers.ravel()
        whole = bool((flat == np.round(flat)).all())
        values = flat.astype(np.int64) if whole else flat
        if self.suppressed is None:
            columns[VALUE] = pa.array(values)
        else:
            hidden = self.suppressed.ravel()
            columns[VALUE] = pa.array(values, mask=hidden)
            columns[SUPPRESSED] = pa.array(hidden)
        return pa.table(columns)


def _spread(labels: Sequence[str], axis: int, shape: tuple[int, ...]) -> pa.DictionaryArray:
    """Return the label of every cell along one axis, in the order of the numbers."""
    inner = int(np.prod(shape[axis + 1 :]))
    outer = int(np.prod(shape[:axis]))
    codes = np.tile(np.repeat(np.arange(shape[axis], dtype=np.int32), inner), outer)
    words = list(dict.fromkeys(labels))
    position = {word: n for n, word in enumerate(words)}
    of_label = np.array([position[label] for label in labels], dtype=np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(of_label[codes]), pa.array(words, pa.string()))


def check_labels(layouts: Sequence[Layout]) -> None:
    """Refuse categories and dimensions that would be taken for something else in a file."""
    for layout in layouts:
        for grouping, categories in zip(layout.table.dimensions, layout.categories, strict=True):
            if TOTAL in categories.labels and layout.table.margins:
                raise InputError(
                    f"The table '{layout.name}' has a category called '{TOTAL}' in "
                    f"'{grouping.name}', beside its totals. Give it another name in a recode."
                )
            if len(set(categories.labels)) < len(categories.labels):
                raise InputError(
                    f"Two categories of '{grouping.name}' in the table '{layout.name}' have the "
                    "same name. Give them different ones in a recode."
                )
            if grouping.name in (GEOGRAPHY, AREA, VALUE, SUPPRESSED):
                raise InputError(
                    f"The table '{layout.name}' has a dimension called '{grouping.name}', which "
                    "is a column of every published table. Rename it with a recode."
                )


def write_table(table: PublishedTable, path: Path, *, format: TableFormat) -> None:
    """Write a table: a row for every place and cell."""
    content = table.to_arrow()
    if format == "parquet":
        pq.write_table(content, path, compression="zstd")
        return
    plain = pa.table({for_csv(name): _plain_cells(content[name]) for name in content.column_names})
    pa_csv.write_csv(plain, path)


def _plain_cells(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as CSV holds it: texts that no spreadsheet runs, and numbers."""
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, pa.string())
    return marked(column) if pa.types.is_string(column.type) else column


def read_rows(path: Path, dimensions: Sequence[str], *, format: TableFormat) -> pa.Table:
    """Read the rows of a published table: geography, area, a column a dimension, and the value."""
    if format == "parquet":
        return pq.read_table(path)
    texts = (GEOGRAPHY, AREA, *dimensions)
    types = pa_csv.ConvertOptions(
        column_types={for_csv(name): pa.string() for name in texts}, strings_can_be_null=False
    )
    content = pa_csv.read_csv(path, convert_options=types)
    return pa.table(
        {
            from_csv(name): unmarked(column) if pa.types.is_string(column.type) else column
            for name, column in zip(content.column_names, content.columns, strict=True)
        }
    )


def read_table(path: Path, like: PublishedTable, *, format: TableFormat) -> PublishedTable:
    """Read a published table again, as anybody can; it must have the cells of `like`, in order."""
    content = read_rows(path, like.dimensions, format=format)
    expected = like.to_arrow()
    if content.num_rows != expected.num_rows:
        raise InputError(f"{path.name} has {content.num_rows:,} cells, not {expected.num_rows:,}.")
    for name in (GEOGRAPHY, AREA, *like.dimensions):
        if not content[name].cast(pa.string()).equals(expected[name].cast(pa.string())):
            raise InputError(f"{path.name}: the column '{name}' is not as it was written.")
    hidden = None
    if SUPPRESSED in content.column_names:
        hidden = content[SUPPRESSED].to_numpy(zero_copy_only=False).astype(bool)
        if (pc.is_null(content[VALUE]).to_numpy(zero_copy_only=False) != hidden).any():
            raise InputError(f"{path.name}: a suppressed cell has a number, or another has none.")
        hidden = hidden.reshape(like.shape)
    numbers = pc.fill_null(content[VALUE].cast(pa.float64()), np.nan).to_numpy()
    return PublishedTable(
        like.name,
        like.dimensions,
        like.places,
        like.categories,
        numbers.reshape(like.shape),
        hidden,
    )
