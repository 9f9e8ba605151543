"""The front door of utility: would results from the released file be the same?"""

from indistinct.arguments import check_arguments
from indistinct.comparing.front import compare_release
from indistinct.comparing.parts import LEAST, THRESHOLDS
from indistinct.comparing.result import ReleaseComparison

__all__ = ["LEAST", "THRESHOLDS", "ReleaseComparison", "compare_release"]

check_arguments(__name__)
