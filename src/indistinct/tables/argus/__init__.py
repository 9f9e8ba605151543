"""Files of the ARGUS family: descriptions of microdata, code lists and hierarchies."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.tables.argus.data import open_argus
    from indistinct.tables.argus.metadata import (
        ArgusMetadata,
        ArgusVariable,
        read_codelist,
        read_hrc,
        read_rda,
    )

open_doorway(__name__)
