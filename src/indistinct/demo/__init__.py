"""The whole flow on a synthetic census: what `make demo` shows."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.demo.making import is_demo, run_demo
    from indistinct.demo.story import WORDS, Demo

open_doorway(__name__)
