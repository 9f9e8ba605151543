"""Generalisation hierarchies: what each value of a variable may become, step by step."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.hierarchy.choose import (
        Choice,
        choose_hierarchy,
        ordered_hierarchy,
        suppression_only,
    )
    from indistinct.hierarchy.clustered import (
        FEWEST_CLUSTERED,
        MOST_CLUSTERED,
        clustered_hierarchy,
    )
    from indistinct.hierarchy.codes import code_hierarchy
    from indistinct.hierarchy.csvfile import csv_hierarchy, write_csv
    from indistinct.hierarchy.dates import date_hierarchy, is_date
    from indistinct.hierarchy.directory import (
        Hierarchies,
        file_hierarchy,
        hierarchies_in,
        load_hierarchies,
    )
    from indistinct.hierarchy.hierarchy import SUPPRESSED, Hierarchy, IntArray, Node
    from indistinct.hierarchy.intervals import as_number, interval_hierarchy
    from indistinct.hierarchy.labels import (
        Kind,
        Nesting,
        common_kind,
        forms_of,
        is_suppressed,
        members_of,
        prefix_of,
        span_of,
        stands_for,
    )
    from indistinct.hierarchy.standards import STANDARDS, Standard, recognised, standard_hierarchy
    from indistinct.hierarchy.table import table_hierarchy
    from indistinct.hierarchy.taxonomy import taxonomy_hierarchy
    from indistinct.hierarchy.text import as_text, as_texts

open_doorway(__name__)
