"""Households: who lives with whom, found from relationship to the head or from pointers."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.households.codes import KIN, HouseholdColumns, Pointers
    from indistinct.households.column import Column, read_columns
    from indistinct.households.constant import (
        agrees_beyond_chance,
        constant_in_households,
        household_column,
        household_numbers,
        is_number_of_members,
        number_of_members,
        pairs_in_households,
        told_by_counting,
    )
    from indistinct.households.finding import FATHER_YEARS, MOTHER_YEARS, find_kin, read_kinship
    from indistinct.households.guessing import guess_household, numbers_households
    from indistinct.households.kinship import NOBODY, Couples, Kinship, Records

open_doorway(__name__)
