"""Tables that add up values: who contributes to their cells, and how much."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.tables.magnitudes.totals import (
        Contributions,
        SystemContributions,
        class_amounts,
        contributions,
        magnitude_system,
        system_contributions,
    )

open_doorway(__name__)
