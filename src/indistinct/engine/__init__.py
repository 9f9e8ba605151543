"""Engines: the only part that touches every record, on one machine or on a cluster."""

from indistinct.arguments import check_arguments
from indistinct.engine.base import Change, ColumnFacts, Engine, EngineName
from indistinct.engine.coding import Coding, KeyCoding, coding_of_values, key_coding, word_groups
from indistinct.engine.cost import Estimate, bits_needed, cheapest, estimates, unit_costs
from indistinct.engine.limits import (
    available_memory,
    available_threads,
    parse_size,
    show_size,
)
from indistinct.engine.start import start_engine
from indistinct.engine.tally import Approach, Tally

__all__ = [
    "Approach",
    "Change",
    "Coding",
    "ColumnFacts",
    "Engine",
    "EngineName",
    "Estimate",
    "KeyCoding",
    "Tally",
    "available_memory",
    "available_threads",
    "bits_needed",
    "cheapest",
    "coding_of_values",
    "estimates",
    "key_coding",
    "parse_size",
    "show_size",
    "start_engine",
    "unit_costs",
    "word_groups",
]

check_arguments(__name__)
