"""Published tables as they were written, each cell with the word whether its count was changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from indistinct.core import Bools, Floats, InputError
from indistinct.core.doors import read_text
from indistinct.flow import Data
from indistinct.tables import published_places, with_totals
from indistinct.tables.publishing.numbers import AREA, GEOGRAPHY, SUPPRESSED, VALUE, read_rows
from indistinct.tables.publishing.protecting import labelled, shaped
from indistinct.tables.publishing.publish_tables import Publication

__all__ = ["WrittenTable", "written_tables"]

_LARGEST_LIST = 100_000_000


@dataclass(frozen=True, eq=False)
class WrittenTable:
    """A table read again from its file, a row for every place and cell.

    Parameters
    ----------
    name, dimensions
        Of the table.
    labels
        The geography, the area and a category of each dimension, a column each.
    numbers
        The numbers; those of suppressed cells are not told.
    suppressed, changed
        Which cells have no number, and which have another than was counted. Of sums it is not
        known which were changed: none is but by suppression.
    """

    name: str
    dimensions: tuple[str, ...]
    labels: tuple[list[str], ...] = field(repr=False)
    numbers: Floats = field(repr=False)
    suppressed: Bools = field(repr=False)
    changed: Bools = field(repr=False)


def written_tables(data: Data, found: Publication) -> Iterator[WrittenTable]:
    """Give the tables of a publication as they stand in its folder."""
    if found.folder is None or found.geographies is None:
        raise InputError("Nothing was published. Name a folder to publish the tables in.")
    counted = labelled(found.geographies.counted, data.variables)
    places = published_places(counted)
    rows = np.array([row for _, _, row in places.shown])
    names = [(geography, label) for geography, label, _ in places.shown]
    listed = json.loads(
        read_text(
            found.folder.folder / "tables.json", "list of tables", limit=_LARGEST_LIST, kept=True
        )
    )
    files = {one["table"]: one["file"] for one in listed["tables"]}
    for layout in counted.layouts:
        table = layout.table
        dimensions = tuple(one.name for one in table.dimensions)
        content = read_rows(
            found.folder.folder / files[layout.name],
            dimensions,
            format=found.settings.format or "csv",
        )
        labels = tuple(
            content[name].cast(pa.string()).to_pylist() for name in (GEOGRAPHY, AREA, *dimensions)
        )
        numbers = content[VALUE].cast(pa.float64()).to_numpy(zero_copy_only=False)
        if SUPPRESSED in content.column_names:
            suppressed = content[SUPPRESSED].to_numpy(zero_copy_only=False).astype(bool)
        else:
            suppressed = np.zeros(len(numbers), dtype=bool)
        changed = np.zeros(len(numbers), dtype=bool)
        if table.is_count and not table.weight:
            true = shaped(layout, names, with_totals(counted, layout.name, places)[rows])
            of_cell = dict(
                zip(_cells(true.to_arrow(), dimensions), true.numbers.ravel(), strict=True)
            )
            changed = ~suppressed & np.array(
                [
                    number != of_cell.get(cell, number)
                    for number, cell in zip(numbers, zip(*labels, strict=True), strict=True)
                ],
                dtype=bool,
            )
        yield WrittenTable(layout.name, dimensions, labels, numbers, suppressed, changed)


def _cells(content: pa.Table, dimensions: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    columns = (content[n].cast(pa.string()).to_pylist() for n in (GEOGRAPHY, AREA, *dimensions))
    return zip(*columns, strict=True)
