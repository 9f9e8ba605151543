"""Statistical disclosure control: find the people who stand out, and change the data until
nobody does."""

from indistinct.comparing import ReleaseComparison, compare_release
from indistinct.errors import GuaranteeError, IndistinctError, InputError
from indistinct.keys import KeyTable, Uniques
from indistinct.prove import Verification
from indistinct.report import compare_reports, write_comparison_report, write_report
from indistinct.session import Data, open_data
from indistinct.variables import Variable, Variables
from indistinct.verifying import verify_release

__all__ = [
    "Data",
    "GuaranteeError",
    "IndistinctError",
    "InputError",
    "KeyTable",
    "ReleaseComparison",
    "Uniques",
    "Variable",
    "Variables",
    "Verification",
    "compare_release",
    "compare_reports",
    "open_data",
    "verify_release",
    "write_comparison_report",
    "write_report",
]

__version__ = "0.1.0"
