"""Measure shuffling and swapping: processor time, memory, growth, and what sdcMicro took.

`bench/run.py` calls `measure` and puts `lines` on the page. Every run is a process of its own.

    python bench/shuffle.py WHAT CENSUS

runs one task on a census file and prints what it took as JSON.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from scipy.stats import spearmanr

from indistinct import open_data
from indistinct.protect import Plan, Pram, RankSwap, Select, Shuffle, Step, SwapHouseholds

HERE = Path(__file__).resolve().parent
WORK = HERE / "work"

SIX = Shuffle(
    ("age", "education", "income"),
    ("sex", "marital", "household_size"),
    level=0.5,
    ordered=("sex", "marital"),
)
SHARES = Shuffle(
    ("age", "education", "income"),
    ("sex", "marital", "household_size"),
    shares={"age": 0.501, "education": 0.081, "income": 0.5},
    ordered=("sex", "marital"),
)
ALL_SIX = Shuffle(
    ("age", "education", "income", "sex", "marital", "household_size"),
    level=0.5,
    ordered=("sex", "marital"),
)
TASKS: dict[str, Step] = {
    "shuffle, all of six variables": ALL_SIX,
    "shuffle, three of six variables": SIX,
    "shuffle, three of six, shares asked": SHARES,
    "shuffle, three given four": Shuffle(
        ("age", "income", "household_size"),
        ("sex", "marital", "education", "region"),
        ordered=("sex", "marital", "region"),
    ),
    "rank swapping, 5 % window": RankSwap(("income",), window=0.05),
    "record swapping, 5 %": SwapHouseholds("household", ("region", "county"), share=0.05),
    "PRAM, three variables": Pram(("education", "marital", "economic"), 0.8),
}
COLUMNS = {"record swapping, 5 %": ("household", "region", "county", "sex", "age", "education")}
SDCMICRO = {
    ("shuffle, three given four", 100_000): 3.3,
    ("shuffle, three given four", 1_000_000): 53.3,
    ("rank swapping, 5 % window", 100_000): 0.97,
    ("record swapping, 5 %", 100_000): 0.75,
    ("record swapping, 5 %", 1_000_000): 11.4,
    ("PRAM, three variables", 100_000): 1.7,
    ("PRAM, three variables", 1_000_000): 16.8,
}
"""Processor seconds that were recorded on a machine of the same kind, on data of the same size."""

RUNS = [
    ("shuffle, three of six variables", 475_000),
    ("shuffle, three of six variables", 1_000_000),
    ("shuffle, three of six variables", 10_000_000),
    ("shuffle, all of six variables", 475_000),
    ("shuffle, all of six variables", 10_000_000),
    ("shuffle, three of six, shares asked", 475_000),
    ("shuffle, three of six, shares asked", 10_000_000),
    ("shuffle, three given four", 100_000),
    ("shuffle, three given four", 1_000_000),
    ("rank swapping, 5 % window", 100_000),
    ("rank swapping, 5 % window", 1_000_000),
    ("rank swapping, 5 % window", 10_000_000),
    ("record swapping, 5 %", 100_000),
    ("record swapping, 5 %", 1_000_000),
    ("PRAM, three variables", 100_000),
    ("PRAM, three variables", 1_000_000),
]


def run(what: str, path: Path) -> dict[str, Any]:
    """Apply one step to a census; reading and writing count, compiling does not."""
    step = TASKS[what]
    with open_data(path, threads=2) as data:
        needed = Plan((Select(COLUMNS.get(what) or _columns(step)),))
        source = needed.apply(data.engine, data.source).source
        small = data.engine.sample(source, size=2_000, rng=np.random.default_rng(1))
        Plan((step,)).apply(data.engine, small, seed=1)
        before, wall = time.process_time(), time.perf_counter()
        done = Plan((step,)).apply(data.engine, source, seed=1)
        cpu, wall = time.process_time() - before, time.perf_counter() - wall
        found = {
            "what": what,
            "records": data.records,
            "cpu": cpu,
            "wall": wall,
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "changed": done.receipts[0].records_changed / data.records,
        }
        if isinstance(step, Shuffle):
            found["drift"] = _drift(source, done.source, step)
    return found


def _columns(step: Any) -> tuple[str, ...]:
    return (*step.variables, *getattr(step, "given", ()))


def _drift(before: Any, after: Any, step: Shuffle) -> float:
    """Return the largest change of a Spearman correlation, by another program."""
    names = [*step.variables, *step.given]
    matrices = []
    for source in (before, after):
        table = source.table(names)
        columns = [table.column(name).to_numpy()[:1_000_000] for name in names]
        matrices.append(spearmanr(np.stack(columns, 1)).statistic)
    return float(np.abs(matrices[0] - matrices[1]).max())


def measure(census: Callable[[int], Path]) -> dict[str, Any]:
    """Run every task, each in a process of its own."""
    rows = []
    for what, records in RUNS:
        command = [sys.executable, __file__, what, str(census(records))]
        shown = subprocess.run(command, capture_output=True, text=True, check=False)
        if shown.returncode:
            reason = (shown.stderr.strip().splitlines() or ["killed"])[-1]
            print(f"  {what} of {records:,} failed: {reason}", file=sys.stderr)
            continue
        row = json.loads(shown.stdout)
        print(
            f"  {what:38} {records:>11,} {row['cpu']:8.2f} s cpu {row['wall']:8.2f} s wall "
            f"{row['peak_mb']:7.0f} MB",
            file=sys.stderr,
        )
        rows.append(row)
    return {"threads": numba.config.NUMBA_NUM_THREADS, "rows": rows}


def lines(found: dict[str, Any]) -> list[str]:
    """Return the part of the page."""
    out = [
        "## Shuffling and swapping",
        "",
        "`python bench/run.py --only shuffle`. One plan step on the synthetic census with the "
        "columns that it needs: reading, finding the levels, drawing, dealing out and writing. "
        "Processor seconds; compiling is not counted. sdcMicro's seconds were recorded on a "
        "machine of the same kind, on other data of the same size. Drift is the largest change of "
        "a Spearman correlation, computed by scipy on up to a million records.",
        "",
        "| task | records | seconds | peak MB | changed | drift | sdcMicro | sdcMicro ÷ ours |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in found["rows"]:
        theirs = SDCMICRO.get((row["what"], row["records"]))
        drift = f"{row['drift']:.4f}" if "drift" in row else ""
        ratio = f"{theirs / row['cpu']:.1f}" if theirs else ""
        out.append(
            f"| {row['what']} | {row['records']:,} | {row['cpu']:.2f} | {row['peak_mb']:,.0f} | "
            f"{row['changed']:.1%} | {drift} | {theirs or ''} | "
            f"{ratio} |"
        )
    return [*out, "", *_targets(found["rows"]), ""]


def _targets(rows: list[dict[str, Any]]) -> list[str]:
    """Say which targets are met, from the numbers above."""

    def of(what: str, records: int) -> dict[str, Any]:
        return next(r for r in rows if (r["what"], r["records"]) == (what, records))

    def times(what: str, records: int) -> float:
        return SDCMICRO[what, records] / of(what, records)["cpu"]

    def said(sentence: str, met: bool) -> str:
        return f"- {sentence}: {'met' if met else '**missed**'}."

    many, asked = "shuffle, all of six variables", "shuffle, three of six, shares asked"
    large, given = of(many, 10_000_000), "shuffle, three given four"
    ranks, records = of("rank swapping, 5 % window", 1_000_000), "record swapping, 5 %"
    return [
        said("475,000 records × 6 under 10 s, shares asked", of(asked, 475_000)["cpu"] < 10),
        said(
            "10 million × 6 under 40 s of processor time and 4 GB",
            large["cpu"] < 40 and large["peak_mb"] < 4096,
        ),
        *(
            said(
                f"15 times faster than sdcMicro's shuffle at {n:,} ({times(given, n):.1f} times, "
                "reading and writing files counted in ours)",
                times(given, n) >= 15,
            )
            for n in (100_000, 1_000_000)
        ),
        said("rank swapping of a million under 2 s", ranks["cpu"] < 2),
        said(
            f"record swapping of a million 5 times faster ({times(records, 1_000_000):.1f})",
            times(records, 1_000_000) >= 5,
        ),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=TASKS)
    parser.add_argument("census", type=Path)
    asked = parser.parse_args()
    print(json.dumps(run(asked.what, asked.census)))
