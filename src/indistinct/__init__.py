"""Statistical disclosure control: find the people who stand out, and change the data until
nobody does.

The names are loaded when they are first asked for, so that the command line can begin at once.
"""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.core import (
        ArgumentError,
        GuaranteeError,
        IndistinctError,
        InputError,
        Variable,
        Variables,
    )
    from indistinct.flow import (
        Data,
        compare_release,
        compare_reports,
        open_data,
        verify_release,
        write_comparison_report,
        write_report,
    )
    from indistinct.keys import KeyTable, Uniques
    from indistinct.prove import Verification
    from indistinct.utility.comparing import ReleaseComparison

__version__ = "0.2.0"

open_doorway(__name__)
