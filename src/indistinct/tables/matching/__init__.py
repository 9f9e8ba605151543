"""What an intruder makes of linked tables: combinations of ones, true or false, and traces."""

from indistinct.arguments import check_arguments
from indistinct.tables.matching.linking import Link, TableLinks, TablePair, table_links
from indistinct.tables.matching.matches import FalseMatches, false_matches
from indistinct.tables.matching.traceable import Traceable, traceable
from indistinct.tables.matching.tracing import Trace, TraceStep, trace

__all__ = [
    "FalseMatches",
    "Link",
    "TableLinks",
    "TablePair",
    "Trace",
    "TraceStep",
    "Traceable",
    "false_matches",
    "table_links",
    "trace",
    "traceable",
]

check_arguments(__name__)
