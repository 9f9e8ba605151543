"""What in the values of a file is not as it should be, and the settings that mend it."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.dirt.dirt import Dirt, DirtKind, mending_settings
    from indistinct.dirt.finding import FREQUENT, LookedAt, find_dirt, look_at_values

open_doorway(__name__)
