"""What an intruder makes of linked tables: combinations of ones, true or false, and traces."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.tables.matching.linking import Link, TableLinks, TablePair, table_links
    from indistinct.tables.matching.matches import FalseMatches, false_matches
    from indistinct.tables.matching.tracing import Trace, Traceable, TraceStep, trace, traceable

open_doorway(__name__)
