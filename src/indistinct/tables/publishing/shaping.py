"""Counted tables in the shape in which they are published."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from indistinct.core import Array, Bools, Floats, Variables
from indistinct.hierarchy import as_text
from indistinct.tables import CellSystem, Counted, Layout, published_places
from indistinct.tables.publishing.numbers import TOTAL, PublishedTable

__all__ = ["Again", "labelled", "of_system", "shaped"]

Again = Callable[[PublishedTable], PublishedTable]
"""Reads a table that was written."""


def labelled(counted: Counted, variables: Variables) -> Counted:
    """Return the tables with the labels of values for categories that are single values."""
    layouts = []
    for layout in counted.layouts:
        found = []
        for grouping, categories in zip(layout.table.dimensions, layout.categories, strict=True):
            if grouping.variable is not None and grouping.takes_values:
                known = {
                    as_text(v): label for v, label in variables[grouping.variable].labels.items()
                }
                labels = tuple(known.get(label, label) for label in categories.labels)
                if len({*labels, TOTAL}) == len(labels) + 1:
                    categories = replace(categories, labels=labels)
            found.append(categories)
        layouts.append(replace(layout, categories=tuple(found)))
    return replace(counted, layouts=tuple(layouts))


def shaped(
    layout: Layout,
    places: Sequence[tuple[str, str]],
    numbers: Floats,
    suppressed: Bools | None = None,
) -> PublishedTable:
    """Return a table for publication; numbers come with totals last along every dimension."""
    totals = (TOTAL,) if layout.table.margins else ()
    inner = (slice(None), *(slice(None, size + len(totals)) for size in layout.shape))
    return PublishedTable(
        layout.name,
        tuple(grouping.name for grouping in layout.table.dimensions),
        tuple(places),
        tuple((*categories.labels, *totals) for categories in layout.categories),
        numbers[inner],
        None if suppressed is None else suppressed[inner],
    )


def of_system(
    counted: Counted,
    system: CellSystem,
    values: Array,
    hidden: Bools | None = None,
) -> Iterator[PublishedTable]:
    """Yield the tables of a system of cells, for every place of every geography."""
    shown = published_places(counted).shown
    rows = np.array([row for _, _, row in shown])
    names = [(geography, label) for geography, label, _ in shown]
    for layout in counted.layouts:
        at = system.places[layout.name][rows]
        numbers = np.where(at >= 0, values[at], 0).astype(np.float64)
        mask = None if hidden is None else (at >= 0) & hidden[at]
        yield shaped(layout, names, numbers, mask)
