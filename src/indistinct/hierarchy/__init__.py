"""Generalisation hierarchies: what each value of a variable may become, step by step."""

from indistinct.arguments import check_arguments
from indistinct.hierarchy.choose import Choice, choose_hierarchy
from indistinct.hierarchy.codes import code_hierarchy
from indistinct.hierarchy.csvfile import csv_hierarchy, write_csv
from indistinct.hierarchy.dates import date_hierarchy
from indistinct.hierarchy.directory import Hierarchies, load_hierarchies
from indistinct.hierarchy.finding import hierarchies_in
from indistinct.hierarchy.hierarchy import SUPPRESSED, Hierarchy, IntArray, Node
from indistinct.hierarchy.intervals import interval_hierarchy
from indistinct.hierarchy.nesting import Nesting
from indistinct.hierarchy.simple import ordered_hierarchy, suppression_only
from indistinct.hierarchy.table import table_hierarchy
from indistinct.hierarchy.taxonomy import taxonomy_hierarchy
from indistinct.hierarchy.text import as_text, as_texts

__all__ = [
    "SUPPRESSED",
    "Choice",
    "Hierarchies",
    "Hierarchy",
    "IntArray",
    "Nesting",
    "Node",
    "as_text",
    "as_texts",
    "choose_hierarchy",
    "code_hierarchy",
    "csv_hierarchy",
    "date_hierarchy",
    "hierarchies_in",
    "interval_hierarchy",
    "load_hierarchies",
    "ordered_hierarchy",
    "suppression_only",
    "table_hierarchy",
    "taxonomy_hierarchy",
    "write_csv",
]

check_arguments(__name__)
