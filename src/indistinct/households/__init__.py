"""Households: who lives with whom, found from relationship to the head or from pointers."""

from indistinct.arguments import check_arguments
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
from indistinct.households.deriving import FATHER_YEARS, MOTHER_YEARS
from indistinct.households.finding import find_kin, read_kinship
from indistinct.households.guessing import guess_household, numbers_households
from indistinct.households.kinship import NOBODY, Couples, Kinship, Records

__all__ = [
    "FATHER_YEARS",
    "KIN",
    "MOTHER_YEARS",
    "NOBODY",
    "Column",
    "Couples",
    "HouseholdColumns",
    "Kinship",
    "Pointers",
    "Records",
    "agrees_beyond_chance",
    "constant_in_households",
    "find_kin",
    "guess_household",
    "household_column",
    "household_numbers",
    "is_number_of_members",
    "number_of_members",
    "numbers_households",
    "pairs_in_households",
    "read_columns",
    "read_kinship",
    "told_by_counting",
]

check_arguments(__name__)
