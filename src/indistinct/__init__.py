"""Statistical disclosure control: find the people who stand out, and change the data until
nobody does.

The names are loaded when they are first asked for, so that the command line can begin at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from indistinct.comparing import ReleaseComparison, compare_release
    from indistinct.errors import ArgumentError, GuaranteeError, IndistinctError, InputError
    from indistinct.keys import KeyTable, Uniques
    from indistinct.prove import Verification
    from indistinct.report import compare_reports, write_comparison_report, write_report
    from indistinct.session import Data, open_data
    from indistinct.variables import Variable, Variables
    from indistinct.verifying import verify_release

__all__ = [
    "ArgumentError",
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

_ROOM_OF = {
    "ArgumentError": "errors",
    "Data": "session",
    "GuaranteeError": "errors",
    "IndistinctError": "errors",
    "InputError": "errors",
    "KeyTable": "keys",
    "ReleaseComparison": "comparing",
    "Uniques": "keys",
    "Variable": "variables",
    "Variables": "variables",
    "Verification": "prove",
    "compare_release": "comparing",
    "compare_reports": "report",
    "open_data": "session",
    "verify_release": "verifying",
    "write_comparison_report": "report",
    "write_report": "report",
}


def __getattr__(name: str) -> Any:
    """Load a name, or a room, when it is first asked for."""
    if name in _ROOM_OF:
        found = getattr(import_module(f"indistinct.{_ROOM_OF[name]}"), name)
        globals()[name] = found
        return found
    if not name.startswith("_"):
        try:
            return import_module(f"indistinct.{name}")
        except ModuleNotFoundError:
            pass
    raise AttributeError(f"module 'indistinct' has no attribute '{name}'")


def __dir__() -> list[str]:
    """List the public names."""
    return [*__all__, "__version__"]
