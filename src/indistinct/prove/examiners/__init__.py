"""Who looks at a released file before it is judged, each for one way in which a word is undone.

An examiner is a function of a `Trial` to an `Opinion`. A new one is a module here and a line in
`EXAMINERS`; certificate, `verify` and report all hear it, because all ask `judge`.
"""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.prove.examiners.every import EXAMINERS

open_doorway(__name__)
