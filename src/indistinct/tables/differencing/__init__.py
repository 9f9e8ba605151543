"""What published geographies, groupings and universes reveal when they are subtracted."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.tables.differencing.differences import Differencing, difference_geographies
    from indistinct.tables.differencing.everything import (
        Differences,
        difference_recodings,
        difference_universes,
        differences,
    )
    from indistinct.tables.differencing.example import TwoGeographies, two_geographies
    from indistinct.tables.differencing.joint import Joint, joint_atoms
    from indistinct.tables.differencing.overlapping import Overlap, overlap, overlap_of
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

open_doorway(__name__)
