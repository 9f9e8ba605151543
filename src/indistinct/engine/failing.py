"""How the engine of one machine says that it was interrupted, or that memory is out."""

from __future__ import annotations

import duckdb

__all__ = ["BROKEN_OFF", "OUT_OF_MEMORY"]

BROKEN_OFF = (duckdb.InterruptException,)
"""It was interrupted."""
OUT_OF_MEMORY = (duckdb.OutOfMemoryException,)
"""Memory is out."""
