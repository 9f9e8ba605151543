"""Merging of areas until no full record tabular unique is left."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.tables.merging.areas import Merged, merge_areas

open_doorway(__name__)
