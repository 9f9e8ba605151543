"""The sections of a report, each a function of facts and words, in the order of reading.

A new file in this folder that registers one is a new section.
"""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.release.report.sections.comparison import Compared, comparison_sections
    from indistinct.release.report.sections.every import all_sections, register_section

open_doorway(__name__)
