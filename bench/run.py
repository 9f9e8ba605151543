"""Measure counting against other programs, side by side, and write docs/benchmarks.md.

    python bench/run.py [--records 10000000] [--large 100000000] [--repeat 3] [--only PART]

Each way runs in a process of its own (bench/ways.py); ways take turns, and the median of the
repeats counts. Times are seconds of processor time, user and system, over all threads.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import differencing
import generalise
import linkage
import mccaa
import prove
import report
import risk
import scrub
import shuffle
import suppression
import tables
import verbs

from indistinct.census import KEYS_6, KEYS_12, KEYS_20, write_census

HERE = Path(__file__).resolve().parent
WORK = HERE / "work"
PAGE = HERE.parent / "docs" / "benchmarks.md"
KEYS = {6: KEYS_6, 12: KEYS_12, 20: KEYS_20}
PARTS = [
    "counting",
    "growth",
    "spark",
    "risk",
    "generalise",
    "prove",
    "linkage",
    "shuffle",
    "mccaa",
    "report",
    "tables",
    "suppression",
    "differencing",
    "scrub",
]
COUNTING = ["indistinct", "indistinct-full", "duckdb-join", "duckdb-window", "polars", "pandas"]
READING = ["read-arrow", "read-duckdb", "read-polars"]


def census(people: int) -> Path:
    """Return a census of so many people, made once."""
    path = WORK / f"census-{people}.parquet"
    if not path.exists():
        print(f"making a census of {people:,} people …", file=sys.stderr)
        write_census(path, people=people, seed=1, names=False)
    return path


def measured(way: str, data: Path, keys: int, *, memory: str = "8GB") -> dict | None:
    """Measure one way in a process of its own; None when it fails."""
    command = [sys.executable, HERE / "ways.py", way, data, ",".join(KEYS[keys])]
    command += [WORK / "out.parquet", "--memory", memory]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    if shown.returncode:
        reason = (shown.stderr.strip().splitlines() or ["killed"])[-1]
        print(f"  {way} with {keys} keys failed: {reason}", file=sys.stderr)
        return None
    result: dict = json.loads(shown.stdout)
    print(
        f"  {way:16} {keys:3} keys {result['cpu']:8.2f} s cpu {result['wall']:8.2f} s wall "
        f"{result['peak_mb']:8.0f} MB",
        file=sys.stderr,
    )
    return result


def median(runs: list[dict | None]) -> dict | None:
    """Return the run with the median processor time; all must agree on the answer."""
    done = [run for run in runs if run]
    if not done:
        return None
    middle = statistics.median_low(run["cpu"] for run in done)
    return next(run for run in done if run["cpu"] == middle)


def side_by_side(data: Path, repeat: int) -> dict[str, dict]:
    """Measure all ways, taking turns."""
    found: dict[str, dict] = {}
    for keys in KEYS:
        runs: dict[str, list] = {way: [] for way in [*COUNTING, *READING]}
        for _ in range(repeat):
            for way in runs:
                runs[way].append(measured(way, data, keys))
        for way in runs:
            result = median(runs[way])
            if result:
                found[f"{way}/{keys}"] = result
        answers = {r["checksum"] for w in COUNTING for r in runs[w] if r and "checksum" in r}
        assert len(answers) == 1, f"the ways disagree at {keys} keys"
    return found


def growth(small: int, middle: int, large: int) -> list[dict]:
    """Measure counting by twelve keys in 2 GB at three sizes."""
    rows = []
    for people in (small, middle, large):
        for way in ("indistinct", "duckdb-join"):
            result = measured(way, census(people), 12, memory="2GB")
            if result:
                rows.append({"people": people, **result})
    answers: dict[int, set] = {}
    for row in rows:
        answers.setdefault(row["people"], set()).add(row["checksum"])
    assert all(len(found) == 1 for found in answers.values()), "the ways disagree"
    return rows


def spark(data: Path) -> dict | None:
    """Count on Spark, on this machine and on a cluster of two workers on loopback."""
    command = [sys.executable, HERE / "spark_cluster.py", data, "--key", ",".join(KEYS_12)]
    command += ["--memory", "4GB"]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    if shown.returncode:
        print(shown.stderr[-2000:], file=sys.stderr)
        return None
    result: dict = json.loads(shown.stdout)
    return result


def machine() -> str:
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    names = ("numpy", "numba", "pyarrow", "duckdb", "polars", "pandas", "pyspark")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    return (
        f"{model}, {os.cpu_count()} processors, {memory:.0f} GB; Python "
        f"{platform.python_version()}, {versions}"
    )


def commit() -> str:
    shown = subprocess.run(
        ["git", "-C", HERE, "describe", "--always", "--dirty"],
        capture_output=True,
        text=True,
        check=False,
    )
    return shown.stdout.strip() or "unknown"


def page(results: dict) -> str:
    """Return the benchmark page."""
    found, rows = results["side_by_side"], results["growth"]
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench` (`bench/run.py`); no number here is typed in by hand.",
        "",
        *(f"- Measured: {part} {when}." for part, when in results["measured"].items()),
        f"- Machine: {results['machine']}.",
        f"- Data: `indistinct census --people {results['records']} --seed 1 --no-names` "
        "(integer codes in Parquet).",
        "- Each way in its own process, after one run on 100,000 records that is not counted; "
        f"median of {results['repeat']}, ways taking turns; two threads.",
        "",
        f"## The frequency of every record's key, {results['records']:,} records",
        "",
        "Seconds of processor time (peak memory in MB), reading the keys and writing record "
        "number and frequency to Parquet:",
        "",
        "| way | 6 keys | 12 keys | 20 keys |",
        "| --- | ---: | ---: | ---: |",
    ]
    names = {
        "indistinct": "**indistinct**",
        "indistinct-full": "indistinct, also writing risk and case",
        "duckdb-join": "DuckDB: group and join back",
        "duckdb-window": "DuckDB: window",
        "polars": "Polars: `len().over`, streaming",
        "pandas": "pandas: `transform`",
        "read-arrow": "only reading: Arrow",
        "read-duckdb": "only reading: DuckDB",
        "read-polars": "only reading: Polars",
    }
    for way, name in names.items():
        cells = []
        for keys in KEYS:
            result = found.get(f"{way}/{keys}")
            cells.append(f"{result['cpu']:.2f} ({result['peak_mb']:.0f})" if result else "failed")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += ["", "Ratios of processor time, same run:", "", *_ratios(found), ""]
    lines += [
        "## Growth with the number of records",
        "",
        "Twelve keys, memory limited to 2 GB (`--memory 2GB`, DuckDB's `memory_limit`):",
        "",
        "| people | way | processor s | wall s | peak MB | ns per record |",
        "| ---: | --- | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        lines.append(
            f"| {row['people']:,} | {row['way']} | {row['cpu']:.1f} | {row['wall']:.1f} | "
            f"{row['peak_mb']:.0f} | {row['cpu'] / row['people'] * 1e9:.0f} |"
        )
    lines += ["", *_targets(results), "", *_spark(results.get("spark")), ""]
    if "risk" in results:
        lines += [*risk.lines(results["risk"]), ""]
    if "generalise" in results:
        lines += [*generalise.lines(results["generalise"]), ""]
    if "prove" in results:
        lines += [*prove.lines(results["prove"]), ""]
    if "linkage" in results:
        lines += [*linkage.lines(results["linkage"]), ""]
    if "shuffle" in results:
        lines += shuffle.lines(results["shuffle"])
    if "mccaa" in results:
        lines += mccaa.lines(results["mccaa"])
    if "report" in results:
        lines += report.lines(results["report"])
    if "tables" in results:
        lines += tables.lines(results["tables"])
    if "suppression" in results:
        lines += suppression.lines(results["suppression"])
    if "differencing" in results:
        lines += differencing.lines(results["differencing"])
    if "scrub" in results:
        lines += scrub.lines(results["scrub"])
    return "\n".join(lines)


def _ratios(found: dict) -> list[str]:
    lines = ["| | 6 keys | 12 keys | 20 keys |", "| --- | ---: | ---: | ---: |"]

    def row(name: str, cell: object) -> None:
        lines.append(f"| {name} | {' | '.join(f'{cell(keys):.2f}' for keys in KEYS)} |")

    def cpu(way: str, keys: int) -> float:
        return found[f"{way}/{keys}"]["cpu"]

    row(
        "best of DuckDB and Polars ÷ indistinct",
        lambda k: best_peer(found, k) / cpu("indistinct", k),
    )
    row("pandas ÷ indistinct", lambda k: cpu("pandas", k) / cpu("indistinct", k))
    row("indistinct ÷ reading (Arrow)", lambda k: cpu("indistinct", k) / cpu("read-arrow", k))
    row("indistinct ÷ fastest reading", lambda k: cpu("indistinct", k) / fastest_read(found, k))
    return lines


def best_peer(found: dict, keys: int) -> float:
    ways = ("duckdb-join", "duckdb-window", "polars")
    return min(found[f"{w}/{keys}"]["cpu"] for w in ways if f"{w}/{keys}" in found)


def fastest_read(found: dict, keys: int) -> float:
    return min(found[f"{way}/{keys}"]["cpu"] for way in READING)


def _targets(results: dict) -> list[str]:
    """Say of every target whether it was met, by how much it was missed if not."""
    found, rows = results["side_by_side"], results["growth"]
    checks = []
    for keys, factor in ((6, 1.0), (12, 1.0), (20, 1.5)):
        ratio = best_peer(found, keys) / found[f"indistinct/{keys}"]["cpu"]
        checks.append(
            (f"{keys} keys: at least {factor:g}× the best of DuckDB and Polars", ratio, factor)
        )
        pandas = found.get(f"pandas/{keys}")
        if pandas:
            ratio = pandas["cpu"] / found[f"indistinct/{keys}"]["cpu"]
            checks.append((f"{keys} keys: at least 3× pandas", ratio, 3.0))
        ratio = 10 * fastest_read(found, keys) / found[f"indistinct/{keys}"]["cpu"]
        checks.append(
            (f"{keys} keys: at most 10× the fastest reading (10× reading ÷ ours)", ratio, 1.0)
        )
    for keys, seconds in ((6, 1.5), (12, 2.6), (20, 2.0)):
        ratio = seconds / found[f"indistinct/{keys}"]["cpu"]
        checks.append((f"{keys} keys: the prototype's {seconds} s ÷ ours", ratio, 1.0))
    peak = found["indistinct/12"]["peak_mb"]
    checks.append(
        (f"12 keys: peak memory at most 1 GB (1000 MB ÷ {peak:.0f} MB)", 1000 / peak, 1.0)
    )
    large = {row["way"]: row for row in rows if row["people"] == max(r["people"] for r in rows)}
    if "duckdb-join" in large and "indistinct" in large:
        ratio = large["duckdb-join"]["cpu"] / large["indistinct"]["cpu"]
        checks.append(("largest file in 2 GB: at least 2× DuckDB", ratio, 2.0))
    lines = ["## Targets", "", "| target | measured | met |", "| --- | ---: | --- |"]
    for name, value, least in checks:
        met = "yes" if value >= least else f"no, short by {1 - value / least:.0%}"
        lines.append(f"| {name} | {value:.2f} | {met} |")
    lines += [
        "",
        "Where 20 keys fall short: such a key takes two 64-bit words, and what remains is mostly "
        "not counting. Reading the columns by Arrow takes about twice what Polars' own reader "
        "takes, and single runs timed by stages (not kept here) spent about as much system time on "
        "first touching the memory of the words as on tallying them. "
        "Smaller words, or a faster reader, would be the next things to try.",
    ]
    return lines


def _spark(result: dict | None) -> list[str]:
    lines = ["## Spark", ""]
    if not result:
        return [*lines, "Not measured in this run."]
    runs = result["runs"]
    lines += [
        f"Frequencies of {runs[0]['records']:,} records by {len(result['key'])} keys "
        "(`bench/spark_cluster.py`, 4 GB each), in wall seconds; the answers are identical to the "
        f"byte: **{'yes' if result['same'] else 'no'}**.",
        "",
        "| engine | master | start | first count | second count |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for run in runs:
        cells = " | ".join(f"{run['seconds'][name]:.1f}" for name in ("start", "first", "second"))
        master = run["master"] or "–"
        place = "two workers on loopback" if master.startswith("spark:") else master
        lines.append(f"| {run['engine']} | {place} | {cells} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--large", type=int, default=100_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--samples", type=int, default=10, help="for the risk estimates")
    parser.add_argument(
        "--only",
        choices=PARTS,
        action="append",
        help="measure this part anew and keep the others as they were",
    )
    given = parser.parse_args()
    WORK.mkdir(exist_ok=True)
    kept = WORK / "results.json"
    results = json.loads(kept.read_text()) if given.only and kept.exists() else {}
    wanted = given.only or PARTS
    data = census(given.records)
    results |= {"records": given.records, "repeat": given.repeat, "machine": machine()}
    stamp = f"{datetime.now(UTC):%Y-%m-%d} at commit `{commit()}`"
    for part in wanted:
        results.setdefault("measured", {})[part] = stamp
    if "counting" in wanted:
        results["side_by_side"] = side_by_side(data, given.repeat)
    if "growth" in wanted:
        results["growth"] = growth(given.records // 10, given.records, given.large)
    if "spark" in wanted:
        results["spark"] = spark(data)
    if "risk" in wanted:
        results["risk"] = risk.measure(census(1_000_000), census(450_000), samples=given.samples)
    if "generalise" in wanted:
        results["generalise"] = generalise.measure(census)
    if "prove" in wanted:
        results["prove"] = prove.measure(census, records=given.records)
    if "linkage" in wanted:
        results["linkage"] = linkage.measure()
    if "shuffle" in wanted:
        results["shuffle"] = shuffle.measure(census)
    if "mccaa" in wanted:
        results["mccaa"] = mccaa.measure()
    if "report" in wanted:
        results["report"] = report.measure(census)
    if "tables" in wanted:
        results["tables"] = tables.measure(census)
    if "suppression" in wanted:
        results["suppression"] = suppression.measure()
    if "differencing" in wanted:
        results["differencing"] = differencing.measure()
    if "scrub" in wanted:
        results["scrub"] = scrub.measure()
    kept.write_text(json.dumps(results, indent=1))
    # what `bench/verbs.py` wrote stays: it is measured by itself, against a commit
    section = PAGE.read_text().partition(verbs.HEADING) if PAGE.exists() else ("", "", "")
    PAGE.write_text(page(results) + "\n" * bool(section[1]) + "".join(section[1:]))
    print(PAGE, file=sys.stderr)


if __name__ == "__main__":
    main()
