"""One way of finding every record's key frequency, measured in a process of its own.

    python bench/ways.py WAY DATA KEYS OUT [--memory 2GB] [--threads 2]

prints one JSON object: seconds of processor time and of wall time, peak memory in MB, and a
checksum of the frequencies, so that ways can be compared. Before the measured run each way runs
once on the first 100,000 records, so that loading and compiling are not counted for anyone.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def indistinct_way(data: Path, keys: list[str], out: Path, memory: str, threads: int) -> None:
    import indistinct

    with indistinct.open_data(data, memory=memory, threads=threads) as opened:
        opened.uniques(keys, k=3).write(out, columns=["record", "frequency"])


def indistinct_full(data: Path, keys: list[str], out: Path, memory: str, threads: int) -> None:
    import indistinct

    with indistinct.open_data(data, memory=memory, threads=threads) as opened:
        opened.uniques(keys, k=3).write(out)


def _duckdb(query: str, out: Path, memory: str, threads: int) -> None:
    import duckdb

    with tempfile.TemporaryDirectory() as spill, duckdb.connect() as connection:
        connection.execute(f"SET memory_limit='{memory}'; SET threads={threads}")
        connection.execute(f"SET temp_directory='{spill}'")
        connection.execute(f"COPY ({query}) TO '{out}' (FORMAT parquet)")


def duckdb_join(data: Path, keys: list[str], out: Path, memory: str, threads: int) -> None:
    names = ", ".join(keys)
    _duckdb(
        f"SELECT file_row_number AS record, frequency FROM "
        f"read_parquet('{data}', file_row_number=true) JOIN (SELECT {names}, count(*) AS "
        f"frequency FROM read_parquet('{data}') GROUP BY {names}) USING ({names})",
        out,
        memory,
        threads,
    )


def duckdb_window(data: Path, keys: list[str], out: Path, memory: str, threads: int) -> None:
    names = ", ".join(keys)
    _duckdb(
        f"SELECT file_row_number AS record, count(*) OVER (PARTITION BY {names}) AS frequency "
        f"FROM read_parquet('{data}', file_row_number=true)",
        out,
        memory,
        threads,
    )


def polars_over(data: Path, keys: list[str], out: Path, memory: str, threads: int) -> None:
    import polars as pl

    lazy = pl.scan_parquet(data).select(keys).with_row_index("record")
    lazy = lazy.select("record", frequency=pl.len().over(keys))
    lazy.sink_parquet(out, engine="streaming")


def pandas_transform(data: Path, keys: list[str], out: Path, memory: str, threads: int) -> None:
    import pandas as pd

    frame = pd.read_parquet(data, columns=keys)
    frequency = frame.groupby(keys, sort=False, dropna=False)[keys[0]].transform("size")
    pd.DataFrame({"record": frame.index, "frequency": frequency}).to_parquet(out)


def read_arrow(data: Path, keys: list[str], out: Path, memory: str, threads: int) -> None:
    with pq.ParquetFile(data) as file:
        for _ in file.iter_batches(batch_size=1 << 20, columns=keys):
            pass


def read_duckdb(data: Path, keys: list[str], out: Path, memory: str, threads: int) -> None:
    import duckdb

    sums = ", ".join(f"sum({name})" for name in keys)
    with duckdb.connect() as connection:
        connection.execute(f"SET threads={threads}")
        connection.execute(f"SELECT {sums} FROM read_parquet('{data}')").fetchall()


def read_polars(data: Path, keys: list[str], out: Path, memory: str, threads: int) -> None:
    import polars as pl

    pl.read_parquet(data, columns=keys)


WAYS: dict[str, Callable[[Path, list[str], Path, str, int], None]] = {
    "indistinct": indistinct_way,
    "indistinct-full": indistinct_full,
    "duckdb-join": duckdb_join,
    "duckdb-window": duckdb_window,
    "polars": polars_over,
    "pandas": pandas_transform,
    "read-arrow": read_arrow,
    "read-duckdb": read_duckdb,
    "read-polars": read_polars,
}


def checksum(out: Path) -> str:
    """A number that depends on every record's frequency and on nothing else."""
    import duckdb

    found = duckdb.sql(
        "SELECT count(*), "
        "sum((record::BIGINT * 2654435761 % 1000003) * (frequency % 1009))::HUGEINT "
        f"FROM read_parquet('{out}')"
    ).fetchall()
    return "-".join(map(str, found[0]))


def measure(way: str, data: Path, keys: list[str], out: Path, memory: str, threads: int) -> dict:
    run = WAYS[way]
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.parquet"
        with pq.ParquetFile(data) as file:
            batch = next(file.iter_batches(batch_size=100_000, columns=keys))
        pq.write_table(pa.Table.from_batches([batch]), small)
        run(small, keys, Path(folder) / "out.parquet", memory, threads)
    out.unlink(missing_ok=True)
    wall, cpu = time.perf_counter(), time.process_time()
    run(data, keys, out, memory, threads)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    result = {"way": way, "keys": len(keys), "cpu": cpu, "wall": wall, "peak_mb": peak}
    if out.exists():
        result["checksum"] = checksum(out)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=list(WAYS))
    parser.add_argument("data", type=Path)
    parser.add_argument("keys")
    parser.add_argument("out", type=Path)
    parser.add_argument("--memory", default="8GB")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    keys = given.keys.split(",")
    print(json.dumps(measure(given.way, given.data, keys, given.out, given.memory, given.threads)))


if __name__ == "__main__":
    main()
