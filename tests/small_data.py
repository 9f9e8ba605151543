"""Small tables opened on one engine, which takes longer to start than they take to count."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from indistinct.engine import Engine, start_engine
from indistinct.files import open_table
from indistinct.flow.session import Data

_started = contextlib.ExitStack()


@contextlib.contextmanager
def open_small(table: Any) -> Iterator[Data]:
    """Open a table in memory as `open_data` does, but on the engine that all such tests share."""
    engine = shared_engine()
    source = open_table(table, workspace=engine.workspace)
    try:
        yield Data(source, engine)
    finally:
        source.path.unlink()


@functools.cache
def shared_engine() -> Engine:
    """Return the engine, started at the first call."""
    folder = Path(_started.enter_context(tempfile.TemporaryDirectory()))
    return _started.enter_context(start_engine("duckdb", workspace=folder))


def close() -> None:
    """End the engine; whoever opens a table after this starts another."""
    _started.close()
    shared_engine.cache_clear()
