"""Tables for areas: who can be found in them, what they reveal together, how to publish them."""

from indistinct.tables.counting import CellCounts, Counted, Layout, count_tables
from indistinct.tables.grouping import Categories, Grouping, grouping_from_text, persons
from indistinct.tables.specification import TableSet, TableSpec, Universe
from indistinct.tables.uniques import TabularUniques, tabular_uniques, teaching_vectors

__all__ = [
    "Categories",
    "CellCounts",
    "Counted",
    "Grouping",
    "Layout",
    "TableSet",
    "TableSpec",
    "TabularUniques",
    "Universe",
    "count_tables",
    "grouping_from_text",
    "persons",
    "tabular_uniques",
    "teaching_vectors",
]
