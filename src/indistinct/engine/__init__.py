"""Engines: the only part that touches every record, on one machine or on a cluster."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.engine.apart import Apart
    from indistinct.engine.base import Change, ColumnFacts, Engine, EngineName, quote
    from indistinct.engine.coding import (
        Coding,
        KeyCoding,
        coding_of_values,
        key_coding,
        text_columns,
        word_groups,
    )
    from indistinct.engine.cost import Estimate, bits_needed, cheapest, estimates, unit_costs
    from indistinct.engine.failing import BROKEN_OFF, OUT_OF_MEMORY
    from indistinct.engine.limits import available_memory, available_threads, parse_size, show_size
    from indistinct.engine.spark import SparkEngine
    from indistinct.engine.spark_tasks import Part, parts_of
    from indistinct.engine.start import start_engine
    from indistinct.engine.tally import Approach, Tally, aligned

open_doorway(__name__)
