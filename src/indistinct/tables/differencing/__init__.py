"""What published geographies, groupings and universes reveal when they are subtracted."""

from indistinct.arguments import check_arguments
from indistinct.tables.differencing.cells import difference_recodings, difference_universes
from indistinct.tables.differencing.everything import Differences, differences
from indistinct.tables.differencing.example import TwoGeographies, two_geographies
from indistinct.tables.differencing.front import Differencing, difference_geographies
from indistinct.tables.differencing.joint import Joint, joint_atoms
from indistinct.tables.differencing.overlap import Overlap, overlap, overlap_of
from indistinct.tables.differencing.requests import (
    Published,
    RequestVerdict,
    Zoning,
    check_request,
    zoning_of,
)
from indistinct.tables.differencing.revealing import Revealed, RevealedZone, revealed_zones
from indistinct.tables.differencing.stopping import Stopped, merge_to_stop
from indistinct.tables.differencing.uncertainty import RevealedVariance, revealed_variance

__all__ = [
    "Differences",
    "Differencing",
    "Joint",
    "Overlap",
    "Published",
    "RequestVerdict",
    "Revealed",
    "RevealedVariance",
    "RevealedZone",
    "Stopped",
    "TwoGeographies",
    "Zoning",
    "check_request",
    "difference_geographies",
    "difference_recodings",
    "difference_universes",
    "differences",
    "joint_atoms",
    "merge_to_stop",
    "overlap",
    "overlap_of",
    "revealed_variance",
    "revealed_zones",
    "two_geographies",
    "zoning_of",
]

check_arguments(__name__)
