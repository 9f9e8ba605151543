"""Risk against utility: methods and settings on one map, the dominated ones known as such."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.utility.tradeoff.candidates import GENERALISING, Candidate, standard_candidates
    from indistinct.utility.tradeoff.mapping import risk_utility_map
    from indistinct.utility.tradeoff.points import (
        RISKS,
        UTILITIES,
        MapPoint,
        Refused,
        RiskMeasure,
        RiskUtilityMap,
        UtilityMeasure,
        place_points,
    )

open_doorway(__name__)
