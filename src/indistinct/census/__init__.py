"""A synthetic census with households and a register of the same people, for the demo, tests and
benchmarks. Nobody in it is real."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.census.codes import age_group_19, geography_4
    from indistinct.census.hierarchies import HIERARCHIES, hierarchy_rows, write_hierarchies
    from indistinct.census.identities import CENSUS_DAY, GIVEN_NAMES, STREETS, SURNAMES
    from indistinct.census.schema import (
        KEYS_6,
        KEYS_12,
        KEYS_20,
        LABELS,
        MCCAA_KEY,
        REGISTER_SCHEMA,
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

open_doorway(__name__)
