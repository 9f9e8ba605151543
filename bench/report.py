"""Writing the report of a release: seconds and size against the number of records.

`bench/run.py` calls `measure` and puts `lines` on the page. The release is made first, and that is
not counted; then `indistinct report` runs as a user would run it, in a process of its own.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from indistinct import open_data
from indistinct.census import SKINNER_HOLMES_KEY, write_hierarchies

SIZES = (100_000, 1_000_000, 10_000_000)
KEEP = ("education", "tenure", "household_size", "children", "health", "hours", "travel")
TARGET_SECONDS, TARGET_BYTES = 5.0, 2_000_000


def release(path: Path, folder: Path) -> dict[str, float]:
    """Protect a census by k-Similar, compare it with the original, and release it."""
    with tempfile.TemporaryDirectory() as trees:
        write_hierarchies(Path(trees))
        with open_data(path) as data:
            began = time.perf_counter()
            done = data.protect(
                list(SKINNER_HOLMES_KEY), method="k-similar", k=3, seed=1, hierarchies=trees
            )
            protected = time.perf_counter()
            data.release(folder, done, seed=1, keep=KEEP, compare=True)
            return {
                "protecting": protected - began,
                "comparing and proving": time.perf_counter() - protected,
            }


def _written(folder: Path, *options: str) -> dict[str, Any]:
    """Write a report as a user would, and say what it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    command = [str(Path(sys.executable).parent / "indistinct"), "report", str(folder), "--json"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = json.loads(done.stdout)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall": wall, "cpu": cpu, "bytes": Path(said["html"]).stat().st_size}


def measure(census: Callable[[int], Path]) -> list[dict[str, Any]]:
    """Release censuses of several sizes and write their reports."""
    rows = []
    for records in SIZES:
        place = Path(tempfile.mkdtemp(prefix="indistinct-bench-"))
        try:
            folder = place / "release"
            made = release(census(records), folder)
            _written(folder)  # compiled modules and the file cache are warm for a user, too
            row = {
                "records": records,
                "measured": (folder / "private/measured.json").stat().st_size,
                "private": min((_written(folder) for _ in range(3)), key=lambda r: r["wall"]),
                "shareable": min(
                    (_written(folder, "--shareable") for _ in range(3)), key=lambda r: r["wall"]
                ),
                "pdf": _written(folder, "--pdf"),
                "made": made,
            }
        finally:
            shutil.rmtree(place)
        print(
            f"  report of {records:>11,}: {row['private']['wall']:.2f} s, "
            f"{row['private']['bytes']:,} bytes; PDF {row['pdf']['wall']:.2f} s; the release took "
            f"{made['protecting']:.1f} s and {made['comparing and proving']:.1f} s",
            file=sys.stderr,
        )
        rows.append(row)
    return rows


def lines(found: list[dict[str, Any]]) -> list[str]:
    """Return the part of the page."""
    out = [
        "## The report",
        "",
        "`python bench/run.py --only report`. `indistinct report` on a census protected by "
        "k-Similar (six key variables, k = 3) and compared with the original: wall seconds of the "
        "whole command, start of Python included, best of three. Every byte of the released file "
        "is hashed, no record is read. The last two columns are what making the release took "
        "before, which the report does not repeat.",
        "",
        "| records | private | shareable | with PDF | page, bytes | facts, bytes | protecting | "
        "comparing, proving, writing |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in found:
        out.append(
            f"| {row['records']:,} | {row['private']['wall']:.2f} | "
            f"{row['shareable']['wall']:.2f} | {row['pdf']['wall']:.2f} | "
            f"{row['private']['bytes']:,} | {row['measured']:,} | "
            f"{row['made']['protecting']:.1f} | {row['made']['comparing and proving']:.1f} |"
        )
    slowest = max(row["private"]["wall"] for row in found)
    largest = max(row["private"]["bytes"] for row in found)
    first, last = found[0]["private"]["wall"], found[-1]["private"]["wall"]
    return [
        *out,
        "",
        f"- Under {TARGET_SECONDS:g} s: {'met' if slowest < TARGET_SECONDS else 'MISSED'} "
        f"(at most {slowest:.2f} s). Under 2 MB: "
        f"{'met' if largest < TARGET_BYTES else 'MISSED'} ({largest:,} bytes).",
        f"- {found[-1]['records']:,} records against {found[0]['records']:,}: "
        f"{last / first:.2f} times as long. What differs is the hash of the file, and chance: most "
        "of the time Python loads modules.",
        "",
    ]
