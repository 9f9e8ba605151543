"""Steps for whole households: swapped between places, turned into group quarters, drawn."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.protect.steps.households.group_quarters import GroupQuarters, NewIdentity
    from indistinct.protect.steps.households.sample import SampleHouseholds
    from indistinct.protect.steps.households.scramble import ScrambleHouseholds
    from indistinct.protect.steps.households.similarity import SIZE, people_with
    from indistinct.protect.steps.households.swap import Donors, SwapHouseholds, SwappedPairs

open_doorway(__name__)
