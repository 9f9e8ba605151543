"""The front door of utility: would results from the released file be the same?"""

from indistinct.comparing.front import compare_release
from indistinct.comparing.parts import LEAST, THRESHOLDS
from indistinct.comparing.result import ReleaseComparison

__all__ = ["LEAST", "THRESHOLDS", "ReleaseComparison", "compare_release"]
