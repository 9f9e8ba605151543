"""Risk against utility: methods and settings on one map, the dominated ones known as such."""

from indistinct.arguments import check_arguments
from indistinct.tradeoff.candidates import Candidate, standard_candidates
from indistinct.tradeoff.mapping import risk_utility_map
from indistinct.tradeoff.points import (
    MapPoint,
    Refused,
    RiskMeasure,
    RiskUtilityMap,
    UtilityMeasure,
    place_points,
)

__all__ = [
    "Candidate",
    "MapPoint",
    "Refused",
    "RiskMeasure",
    "RiskUtilityMap",
    "UtilityMeasure",
    "place_points",
    "risk_utility_map",
    "standard_candidates",
]

check_arguments(__name__)
