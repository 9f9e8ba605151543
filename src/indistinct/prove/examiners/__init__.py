"""Who looks at a released file before it is judged, each for one way in which a word is undone.

An examiner is a function of a `Trial` to an `Opinion`. A new file in this folder that registers
one is a new examiner; certificate, `verify` and report all hear it, because all ask `judge`.
"""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.prove.examiners.every import (
        Examiner,
        all_examiners,
        check_codes,
        register_examiner,
    )

open_doorway(__name__)
