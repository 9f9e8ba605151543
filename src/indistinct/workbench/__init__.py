"""The workbench: a local web application over the one flow, for people who write no code."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.workbench.history import History, State
    from indistinct.workbench.serving import serve_workbench

open_doorway(__name__)
