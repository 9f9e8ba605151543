"""Several releases of the same people, put together."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.prove.together.build import Edition
    from indistinct.prove.together.check import check_together
    from indistinct.prove.together.inference import Associations, Inferred, inferred_associations
    from indistinct.prove.together.result import (
        Apart,
        Given,
        Joined,
        Pinned,
        Restored,
        Together,
        TogetherWitness,
    )

open_doorway(__name__)
