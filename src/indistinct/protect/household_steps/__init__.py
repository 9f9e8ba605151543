"""Steps for whole households: swapped between places, turned into group quarters, drawn."""

from indistinct.arguments import check_arguments
from indistinct.protect.household_steps.group_quarters import GroupQuarters, NewIdentity
from indistinct.protect.household_steps.sample import SampleHouseholds
from indistinct.protect.household_steps.scramble import ScrambleHouseholds
from indistinct.protect.household_steps.similarity import SIZE, people_with
from indistinct.protect.household_steps.swap import Donors, SwapHouseholds, SwappedPairs

__all__ = [
    "SIZE",
    "Donors",
    "GroupQuarters",
    "NewIdentity",
    "SampleHouseholds",
    "ScrambleHouseholds",
    "SwapHouseholds",
    "SwappedPairs",
    "people_with",
]

check_arguments(__name__)
