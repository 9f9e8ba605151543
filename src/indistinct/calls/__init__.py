"""What the command line can do, one call each: `indistinct.uniques`, `risk` and the rest."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.calls.calling import (
        census,
        protect,
        report,
        risk,
        run,
        scrub,
        tables,
        uniques,
        utility,
        verify,
    )

open_doorway(__name__)
