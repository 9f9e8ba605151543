"""Statistical disclosure control: find the people who stand out, and change the data until
nobody does.

    >>> import indistinct as ind
    >>> data = ind.open({"age": [30, 30, 41], "sex": [1, 1, 2]})
    >>> data.uniques(["age", "sex"], k=2).unique
    1

What the command line can do is one call each: `open`, `uniques`, `risk`, `protect`, `verify`,
`utility`, `tables`, `scrub`, `report`, `run` and `census`. Everything else is behind the rooms,
such as `indistinct.keys` and `indistinct.hierarchy`; a room whose name is a verb can be called.
The names are loaded when they are first asked for, so that the command line can begin at once.
"""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.calls import (
        census,
        protect,
        report,
        risk,
        run,
        scrub,
        tables,
        uniques,
        utility,
        verify,
    )
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
    from indistinct.flow.opening import open
    from indistinct.keys import KeyTable, Uniques
    from indistinct.prove import Verification
    from indistinct.utility.comparing import ReleaseComparison

__version__ = "0.2.0"

open_doorway(__name__, rooms=("census", "protect", "risk", "scrub", "tables", "utility"))
