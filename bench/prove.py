"""Measure the prover: a large release, recoded cell by cell, against a larger register.

`bench/run.py` calls `measure` and puts `lines` on the page. Every run is a process of its own,
which tells its peak memory; some records are counted again by plain queries.

    python bench/prove.py RELEASE REGISTER [--engine spark] [--memory 2GB]

links one release with one register and prints what was found as JSON.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from indistinct.census import hierarchy_rows
from indistinct.core import GOLDEN, as_uniform, folded
from indistinct.engine import start_engine
from indistinct.files import open_data, workspace, written_whole
from indistinct.hierarchy import Hierarchy, table_hierarchy
from indistinct.prove import Register, expose

HERE = Path(__file__).resolve().parent
WORK = HERE / "work"
KEY = ["sex", "age", "region", "marital", "ethnic", "education", "occupation"]
K = 5
ONE_IN = 5
"""One in so many people of the register is in the release."""

PATTERNS = 400
KEPT = 0.6
"""The share of cells that a pattern leaves as they are."""

CHECKED = 20
SECONDS, MEGABYTES = 600, 4000


def say(sentence: str) -> None:
    print(f"  {sentence}", file=sys.stderr)


def trees() -> dict[str, Hierarchy]:
    return {name: table_hierarchy(hierarchy_rows(name), name=name) for name in KEY}


def patterns(known: dict[str, Hierarchy], seed: int) -> np.ndarray:
    """Return the levels of each pattern: the first leaves all as it is, the last nothing."""
    rng = np.random.default_rng(seed)
    found = np.zeros((PATTERNS, len(KEY)), dtype=np.int64)
    for j, tree in enumerate(known.values()):
        raised = rng.integers(1, tree.height + 1, PATTERNS)
        found[:, j] = np.where(rng.random(PATTERNS) < KEPT, 0, raised)
    found[0] = 0
    found[-1] = [tree.height for tree in known.values()]
    return found


def recoded(register: Path, *, seed: int = 1) -> Iterator[pa.Table]:
    """Yield every fifth person, recoded cell by cell; who shares a key shares the recoding."""
    known = trees()
    levels = patterns(known, seed)
    shares = 1.0 / np.arange(1, PATTERNS + 1)
    bounds = np.cumsum(shares / shares.sum())
    labels, starts = {}, {}
    for name, tree in known.items():
        texts = [text for level in tree.levels for text in tree.level_labels(level)]
        labels[name] = pa.array([None if text == tree.root else text for text in texts])
        starts[name] = np.cumsum([0, *(len(tree.level_labels(at)) for at in tree.levels)])
    with pq.ParquetFile(register) as file:
        before = 0
        for batch in file.iter_batches(columns=KEY):
            wanted = np.arange((-before) % ONE_IN, len(batch), ONE_IN)
            before += len(batch)
            chosen = batch.take(pa.array(wanted))
            leaves, mixed = {}, np.zeros(len(chosen), dtype=np.uint64)
            for name, tree in known.items():
                column = chosen.column(name).dictionary_encode()
                leaves[name] = tree.encode(column.dictionary)[column.indices.to_numpy()]
                # so that patterns do not follow the values
                mixed = folded((mixed ^ leaves[name].astype(np.uint64)) * GOLDEN, 29)
            chance = as_uniform(mixed)
            own = levels[np.minimum(np.searchsorted(bounds, chance), PATTERNS - 1)]
            columns = {}
            for j, (name, tree) in enumerate(known.items()):
                codes = np.stack([tree.level_codes(level) for level in tree.levels])
                at = starts[name][own[:, j]] + codes[own[:, j], leaves[name]]
                columns[name] = labels[name].take(pa.array(at))
            yield pa.table(columns)


def released(register: Path, people: int) -> Path:
    """Return the release that was made of a register, made once."""
    path = WORK / f"released-{people // ONE_IN}.parquet"
    if not path.exists():
        say(f"making a release of {people // ONE_IN:,} records …")
        writer = None
        with written_whole(path) as aside:
            for table in recoded(register):
                writer = writer or pq.ParquetWriter(aside, table.schema)
                writer.write_table(table)
            if writer:
                writer.close()
    return path


def link(release: Path, register: Path, *, engine: str, memory: str) -> dict[str, Any]:
    """Count the people whom every released record may be about, and say what it took."""
    with workspace() as folder:
        people, records = (open_data(path, workspace=folder) for path in (register, release))
        with start_engine(engine, workspace=folder, memory=memory, threads=2) as started:
            before, processor = time.perf_counter(), time.process_time()
            found = expose(started, records, Register(people, "register"), KEY, hierarchies=trees())
            sizes = found.released.per_record(found.people)
            wall, cpu = time.perf_counter() - before, time.process_time() - processor
        levels = np.stack(
            [c.level_of[c.group_of[found.released.codes[:, j]]] for j, c in enumerate(found.covers)]
        )
        rng = np.random.default_rng(0)
        chosen = np.sort(rng.choice(records.records, min(CHECKED, records.records), replace=False))
        return {
            "engine": engine,
            "records": records.records,
            "people": people.records,
            "released_classes": len(found.released.counts),
            "register_classes": len(found.known.counts) if found.known else 0,
            "shapes": len(np.unique(levels, axis=1).T),
            "k": found.smallest,
            "below": int((sizes < K).sum()),
            "wall": wall,
            "cpu": cpu,
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
            "answer": hashlib.sha256(sizes.astype(np.int64).tobytes()).hexdigest(),
            "some": [(int(record), int(sizes[record])) for record in chosen],
        }


def agrees(run: dict[str, Any], release: Path, register: Path) -> bool:
    """Count some records' people by queries that know nothing of covers and trees."""
    rows = {name: hierarchy_rows(name) for name in KEY}
    with duckdb.connect() as base:
        base.execute("SET threads = 2")
        table = pq.read_table(release, columns=KEY).take([record for record, _ in run["some"]])
        for (_, expected), row in zip(run["some"], table.to_pylist(), strict=True):
            conditions = []
            for name, label in row.items():
                if label is not None:
                    under = sorted({str(path[0]) for path in rows[name] if label in map(str, path)})
                    listed = ", ".join(f"'{value}'" for value in under)
                    conditions.append(f"CAST({name} AS VARCHAR) IN ({listed})")
            where = " AND ".join(conditions) or "true"
            query = f"SELECT count(*) FROM read_parquet('{register}') WHERE {where}"
            if base.execute(query).fetchone() != (expected,):
                return False
    return True


def in_own_process(
    release: Path, register: Path, *, engine: str = "duckdb", memory: str = "2GB"
) -> dict[str, Any] | None:
    command = [sys.executable, __file__, release, register, "--engine", engine, "--memory", memory]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    if shown.returncode:
        say(f"{engine} failed: {(shown.stderr.strip().splitlines() or ['killed'])[-1]}")
        return None
    run: dict[str, Any] = json.loads(shown.stdout.strip().splitlines()[-1])
    say(
        f"{engine:8} {run['records']:>12,} against {run['people']:>12,}: {run['wall']:.1f} s wall, "
        f"{run['cpu']:.1f} s cpu, {run['peak_mb']:.0f} MB, k = {run['k']}"
    )
    return run


def measure(census: Callable[[int], Path], *, records: int) -> dict[str, Any]:
    """Link at three sizes, and at the largest of them on Spark too."""
    runs = []
    for size in (records // 10, records // 5, records):
        register = census(size * ONE_IN)
        release = released(register, size * ONE_IN)
        run = in_own_process(release, register)
        if run:
            run["agrees"] = agrees(run, release, register)
            runs.append(run)
    return {"runs": runs, "spark": in_own_process(release, register, engine="spark")}


def lines(found: dict[str, Any]) -> list[str]:
    """Return the part of the page."""
    runs, spark = found["runs"], found["spark"]
    page = [
        "## Prove: k-map against a register",
        "",
        f"How many people of a register each released record may be about, by {', '.join(KEY)}: "
        f"one in {ONE_IN} people of a census, recoded by {PATTERNS} patterns of levels and "
        "suppressed cells, against the whole census. Both files are counted twice, as `verify` "
        f"does. Two threads, `--memory 2GB`. {CHECKED} records of each run were counted again by "
        "plain queries.",
        "",
        "| records | people | released keys | register's keys | shapes | k | wall s | processor s "
        "| peak MB | queries agree |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for r in runs:
        page.append(
            f"| {r['records']:,} | {r['people']:,} | {r['released_classes']:,} | "
            f"{r['register_classes']:,} | {r['shapes']:,} | {r['k']} | {r['wall']:.1f} | "
            f"{r['cpu']:.1f} | {r['peak_mb']:.0f} | {'yes' if r['agrees'] else '**no**'} |"
        )
    if runs:
        last = runs[-1]
        met = last["wall"] <= SECONDS and last["peak_mb"] <= MEGABYTES
        page += [
            "",
            f"Target: {last['records']:,} against {last['people']:,} in {SECONDS:,} s and "
            f"{MEGABYTES:,} MB on two processors: **{'met' if met else 'not met'}**.",
        ]
    same = next((r for r in runs if spark and r["records"] == spark["records"]), None)
    if spark and same:
        page += [
            "",
            f"On Spark (`local[2]`), {spark['records']:,} against {spark['people']:,}: "
            f"{spark['wall']:.1f} s, {spark['wall'] / same['wall']:.1f} times as long as DuckDB; "
            f"the same answer for every record: "
            f"**{'yes' if spark['answer'] == same['answer'] else 'no'}**.",
        ]
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release", type=Path)
    parser.add_argument("register", type=Path)
    parser.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb")
    parser.add_argument("--memory", default="2GB")
    given = parser.parse_args()
    run = link(given.release, given.register, engine=given.engine, memory=given.memory)
    print(json.dumps(run))


if __name__ == "__main__":
    main()
