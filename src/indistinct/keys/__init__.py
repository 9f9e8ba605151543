"""Keys: the key table, the people who stand out in it, and Dalenius' ways of finding them."""

from indistinct.arguments import check_arguments
from indistinct.keys.dalenius import Group, RunningTally, find_groups, unique_records
from indistinct.keys.elimination import MOST_LINKS, possible_links
from indistinct.keys.encodings import T1, T2, Encoding, Integers, best_transformation
from indistinct.keys.explain import Explanation, explain
from indistinct.keys.generalisable import Generalisable
from indistinct.keys.grouping import counts_by_row, group_rows
from indistinct.keys.matching import counts_in
from indistinct.keys.people import (
    people_by_class,
    person_of_records,
    present_and_different,
    several_records,
)
from indistinct.keys.public import public_frequencies
from indistinct.keys.pullout import pull_out, write_pull_out
from indistinct.keys.recoding import DROPPED, Recoding
from indistinct.keys.table import KeyTable, Recode
from indistinct.keys.uniques import (
    People,
    SmallCategories,
    Uniques,
    small_categories,
    threshold,
    uniques,
)
from indistinct.keys.wildcards import wildcard_frequencies, wildcard_weights

__all__ = [
    "DROPPED",
    "MOST_LINKS",
    "T1",
    "T2",
    "Encoding",
    "Explanation",
    "Generalisable",
    "Group",
    "Integers",
    "KeyTable",
    "People",
    "Recode",
    "Recoding",
    "RunningTally",
    "SmallCategories",
    "Uniques",
    "best_transformation",
    "counts_by_row",
    "counts_in",
    "explain",
    "find_groups",
    "group_rows",
    "people_by_class",
    "person_of_records",
    "possible_links",
    "present_and_different",
    "public_frequencies",
    "pull_out",
    "several_records",
    "small_categories",
    "threshold",
    "unique_records",
    "uniques",
    "wildcard_frequencies",
    "wildcard_weights",
    "write_pull_out",
]

check_arguments(__name__)
