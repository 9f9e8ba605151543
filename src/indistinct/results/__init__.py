"""How results are declared, shown, drawn and turned into dicts and frames."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.results.declaring import Fact, Part, Result, facts, plain_value, result
    from indistinct.results.showing import MOST_LINES, Shown, Table, as_lines, as_text, folded

open_doorway(__name__, checked=False)
