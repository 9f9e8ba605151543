"""Statistical disclosure control: find the people who stand out, and change the data until
nobody does."""

from indistinct.errors import GuaranteeError, IndistinctError, InputError
from indistinct.keys import KeyTable, Uniques
from indistinct.session import Data, open_data
from indistinct.variables import Variable, Variables

__all__ = [
    "Data",
    "GuaranteeError",
    "IndistinctError",
    "InputError",
    "KeyTable",
    "Uniques",
    "Variable",
    "Variables",
    "open_data",
]

__version__ = "0.1.0"
