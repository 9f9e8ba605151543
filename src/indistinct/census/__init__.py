"""A synthetic census with households and a register of the same people, for the demo, tests and
benchmarks. Nobody in it is real."""

from indistinct.arguments import check_arguments
from indistinct.census.codes import age_group_19, geography_4
from indistinct.census.hierarchies import HIERARCHIES, hierarchy_rows, write_hierarchies
from indistinct.census.identities import CENSUS_DAY
from indistinct.census.schema import (
    KEYS_6,
    KEYS_12,
    KEYS_20,
    MCCAA_KEY,
    SKINNER_HOLMES_KEY,
    census_variables,
    register_variables,
)
from indistinct.census.writing import (
    CensusSummary,
    census_table,
    skinner_holmes_key,
    write_census,
)

__all__ = [
    "CENSUS_DAY",
    "HIERARCHIES",
    "KEYS_6",
    "KEYS_12",
    "KEYS_20",
    "MCCAA_KEY",
    "SKINNER_HOLMES_KEY",
    "CensusSummary",
    "age_group_19",
    "census_table",
    "census_variables",
    "geography_4",
    "hierarchy_rows",
    "register_variables",
    "skinner_holmes_key",
    "write_census",
    "write_hierarchies",
]

check_arguments(__name__)
