"""Every record's key frequency on a Spark cluster of two workers on this machine.

    python bench/spark_cluster.py people.parquet --key age,place,sex

Starts a standalone master and two workers on the loopback address, counts there, in ``local[2]``
and with DuckDB, each in a process of its own, compares the answers byte for byte, prints one
JSON object and stops all that it started. Exits with 1 when an answer differs.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from indistinct.engine import EngineName, start_engine
from indistinct.files import open_data, workspace

HOST = "127.0.0.1"
WORKERS = 2


def count(
    data: Path, key: Sequence[str], *, engine: EngineName, master: str | None, memory: str
) -> dict[str, Any]:
    """Count with one engine and say how long it took; the answer itself as its hash."""
    with workspace() as folder:
        source = open_data(data, workspace=folder)
        before = time.perf_counter()
        with start_engine(
            engine, workspace=folder, memory=memory, threads=WORKERS, master=master
        ) as started:
            times = {"start": time.perf_counter() - before}
            # the first run starts Python processes and loads compiled loops, the second does not
            for run in ("first", "second"):
                before = time.perf_counter()
                tally = started.count(source, key)
                answer = hashlib.sha256(tally.sorted_words().tobytes())
                records = 0
                for frequencies in tally.frequencies():
                    answer.update(np.ascontiguousarray(frequencies).data)
                    records += len(frequencies)
                times[run] = time.perf_counter() - before
    return {
        "engine": engine,
        "master": master,
        "records": records,
        "classes": tally.classes,
        "seconds": {name: round(seconds, 3) for name, seconds in times.items()},
        "answer": answer.hexdigest(),
    }


@contextlib.contextmanager
def cluster(folder: Path, *, memory: str) -> Iterator[str]:
    """Run a master and its workers; give the master's address."""
    import pyspark

    home = Path(pyspark.__file__).parent
    port, *pages = free_ports(2 + WORKERS)
    address = f"spark://{HOST}:{port}"
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
    }
    deploy = "org.apache.spark.deploy"
    page = ["--webui-port"]
    commands = [
        [f"{deploy}.master.Master", "--host", HOST, "--port", str(port), *page, str(pages[0])]
    ] + [
        [
            *(f"{deploy}.worker.Worker", "--host", HOST, "--cores", "1", "--memory", memory),
            *(*page, str(pages[1 + i]), "--work-dir", str(folder / f"worker{i}"), address),
        ]
        for i in range(WORKERS)
    ]
    running: list[subprocess.Popen[bytes]] = []
    try:
        for command in commands:
            with (folder / f"log{len(running)}").open("wb") as log:
                running.append(
                    subprocess.Popen(
                        [str(home / "bin" / "spark-class"), *command],
                        env=environment,
                        stdout=log,
                        stderr=log,
                        # a group of its own, so that a worker's executors are stopped with it
                        start_new_session=True,
                    )
                )
            if len(running) == 1:
                wait_for(lambda: answers(port), running)
        master_log = folder / "log0"
        wait_for(lambda: master_log.read_text().count("Registering worker") == WORKERS, running)
        yield address
    finally:
        for process in reversed(running):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in running:
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def free_ports(number: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in sockets]


def answers(port: int) -> bool:
    with contextlib.suppress(OSError):
        socket.create_connection((HOST, port), timeout=1).close()
        return True
    return False


def wait_for(ready: Any, running: list[subprocess.Popen[bytes]], *, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end or any(process.poll() is not None for process in running):
            raise SystemExit("The cluster did not start.")
        time.sleep(0.2)


def in_own_process(options: argparse.Namespace, engine: str, master: str | None) -> Any:
    """Count in a fresh process: memory and Java of one engine do not help or hinder the next."""
    command = [sys.executable, __file__, str(options.data), "--key", options.key]
    command += ["--memory", options.memory, "--engine", engine]
    if master:
        command += ["--master", master]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            answer, _ = process.communicate(timeout=options.timeout)
        except BaseException:
            process.terminate()
            raise
    if process.returncode:
        raise SystemExit(f"Counting with {engine} {master or ''} failed.")
    return json.loads(answer)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--key", required=True, help="key variables, separated by commas")
    parser.add_argument("--memory", default="1GB", help="for each engine (default: 1GB)")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for each engine")
    parser.add_argument("--engine", choices=["duckdb", "spark"], help="count with this one alone")
    parser.add_argument("--master", help="the address of a cluster that runs already")
    options = parser.parse_args()
    key = options.key.split(",")
    if options.engine:
        found = count(
            options.data, key, engine=options.engine, master=options.master, memory=options.memory
        )
        print(json.dumps(found))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    runs = [in_own_process(options, "duckdb", None), in_own_process(options, "spark", "local[2]")]
    with workspace() as folder, cluster(folder, memory="1g") as master:
        runs.append(in_own_process(options, "spark", master))
    same = len({run["answer"] for run in runs}) == 1
    print(json.dumps({"data": options.data.name, "key": key, "same": same, "runs": runs}, indent=1))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
