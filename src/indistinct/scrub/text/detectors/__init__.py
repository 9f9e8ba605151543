"""Detectors, one file each. A new file in this folder is a new detector.

A detector is a module with a function `detect(page)` that yields spans. It sees the page alone,
never what others have posted: they compete, and `board` decides.
"""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.scrub.text.detectors._every import Detector, all_detectors

open_doorway(__name__)
