"""Starting an engine by name; the cluster's libraries are imported only when asked for."""

from __future__ import annotations

from pathlib import Path

from indistinct.core import InputError, did_you_mean
from indistinct.engine.base import Engine, EngineName
from indistinct.engine.duckdb import DuckDBEngine
from indistinct.engine.limits import (
    available_memory,
    available_threads,
    check_address_space,
    parse_size,
)

__all__ = ["start_engine"]

MOST_THREADS = 1024
"""More would not start, and nobody is told why."""


def start_engine(
    name: EngineName = "duckdb",
    *,
    workspace: Path,
    memory: str | int | None = None,
    threads: int | None = None,
    master: str | None = None,
) -> Engine:
    """Start an engine; close it, or use it in a `with` statement.

    Parameters
    ----------
    name
        ``duckdb`` for this machine, ``spark`` for a cluster.
    workspace
        A private directory for intermediate files; a cluster's workers must see it too.
    memory, threads
        Limits; by default half of the free memory, and every processor.
    master
        The address of a Spark cluster, such as ``spark://host:7077``; by default this machine.
    """
    if name not in ("duckdb", "spark"):
        raise InputError(
            f"The engine must be duckdb or spark. Got '{name}'. "
            f"{did_you_mean(name, ['duckdb', 'spark'])}"
        )
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise InputError(
            f"The number of threads must be at least 1 and at most {MOST_THREADS}. Got "
            f"{threads}. By default every processor has one: {available_threads()}."
        )
    if master is not None and name != "spark":
        raise InputError("A master is only for the spark engine. Add --engine spark.")
    check_address_space()
    limit = parse_size(memory) if memory is not None else available_memory()
    workers = threads or available_threads()
    if name == "duckdb":
        return DuckDBEngine(workspace, memory=limit, threads=workers)
    from indistinct.engine.spark import SparkEngine

    return SparkEngine(workspace, memory=limit, threads=workers, master=master)
