"""Utility: what a release has cost, and what it is still good for."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.utility.analyses import Utility, analyse_utility
    from indistinct.utility.columns import (
        CellDistance,
        Cells,
        cell_distance,
        column_distance,
        techniques,
    )
    from indistinct.utility.demography import DemographicTests, demographic_tests
    from indistinct.utility.quality import Measured, Quality, quality

open_doorway(__name__)
