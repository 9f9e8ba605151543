"""Measure the probabilistic attack on files with known identities and errors.

The people are those of the package *pseudopeople*, which goes into an environment of its own, since
it pins older libraries; it makes the errors as well. `bench/run.py` calls `measure` and puts
`lines` on the page. A row is a process of its own, which tells its peak memory.

    python bench/linkage.py LEFT RIGHT

links two such files and prints what was found as JSON.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from indistinct.prove.attacks import evaluate, link_probabilistically

HERE = Path(__file__).resolve().parent
WORK = HERE / "work"
FACTORS = (1, 2, 5, 10)
KNOWN = [
    "first_name",
    "middle_initial",
    "last_name",
    "date_of_birth",
    "street_number",
    "street_name",
    "sex",
    "race_ethnicity",
]
PAIRS = [
    ("census_2020", "census_2030"),
    ("census_2030", "census_2040"),
    ("census_2040", "security_2040"),
    ("census_2040", "survey"),
    ("census_2030", "taxes_2030"),
]
RECALL, PRECISION = 0.90, 0.95

MAKE = """
import sys
import pseudopeople as pp

folder, factor, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])

def scaled(dataset):
    noise = {}
    for column, kinds in pp.get_config()[dataset].get("column_noise", {}).items():
        cells = {k: p["cell_probability"] for k, p in kinds.items() if "cell_probability" in p}
        plain = {k: p for k, p in cells.items() if isinstance(p, (int, float))}
        noise[column] = {k: {"cell_probability": min(0.4, p * factor)} for k, p in plain.items()}
    return {dataset: {"column_noise": noise}} if factor != 1 else None

def write(name, make, dataset, year, seed):
    found = make(seed=seed, year=year, config=scaled(dataset))
    found.astype("object").where(found.notna(), None).astype("string").to_parquet(
        f"{folder}/{name}.parquet"
    )

for year in (2020, 2030, 2040):
    write(f"census_{year}", pp.generate_decennial_census, "decennial_census", year, seed + year)
write("security_2040", pp.generate_social_security, "social_security", 2040, seed)
write("survey", pp.generate_current_population_survey, "current_population_survey", None, seed)
write("taxes_2030", pp.generate_taxes_w2_and_1099, "taxes_w2_and_1099", 2030, seed)
"""


def say(sentence: str) -> None:
    print(f"  {sentence}", file=sys.stderr)


def files(factor: int, seed: int) -> Path:
    """Return the folder of files with so many times the generator's errors, made once."""
    folder = WORK / f"people-{seed}-{factor}"
    if not folder.exists():
        python = WORK / "pseudopeople" / "bin" / "python"
        if not python.exists():
            say("installing pseudopeople …")
            subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "pseudopeople"], check=True)
        say(f"making files with {factor} times the errors …")
        aside = folder.with_name(f".{folder.name}")
        aside.mkdir(exist_ok=True)
        subprocess.run(
            [python, "-W", "ignore", "-c", MAKE, aside, str(factor), str(seed)], check=True
        )
        aside.rename(folder)
    return folder


def read(path: Path) -> pa.Table:
    """Return a file with one row per person and columns under common names."""
    table = pq.read_table(path)
    renamed = {
        "mailing_address_street_number": "street_number",
        "mailing_address_street_name": "street_name",
    }
    table = table.rename_columns([renamed.get(name, name) for name in table.column_names])
    if "event_type" in table.column_names:
        table = table.filter(pc.not_equal(table.column("event_type"), "death"))
    if "middle_name" in table.column_names:
        initial = pc.utf8_slice_codeunits(table.column("middle_name"), 0, 1)
        table = table.append_column("middle_initial", initial)
    first = pc.index_in(
        table.column("simulant_id").unique(), value_set=table.column("simulant_id").combine_chunks()
    )
    return table.take(first)


def link(left: Path, right: Path) -> dict[str, Any]:
    """Link two files without their identities, and hold the links against these."""
    one, other = read(left), read(right)
    known = [n for n in KNOWN if n in one.column_names and n in other.column_names]
    start, cpu = time.perf_counter(), time.process_time()
    links = link_probabilistically(one.select(known), other.select(known), known)
    found = evaluate(
        links, one.column("simulant_id").to_pylist(), other.column("simulant_id").to_pylist()
    )
    return {
        **found.to_dict(),
        "expected": links.expected_precision,
        "wall": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def measure(seed: int = 20261116) -> list[dict[str, Any]]:
    """Link every pair of files at every factor."""
    rows = []
    for factor in FACTORS:
        folder = files(factor, seed)
        for left, right in PAIRS:
            command = [sys.executable, __file__, folder / f"{left}.parquet"]
            shown = subprocess.run(
                [*command, folder / f"{right}.parquet"], capture_output=True, text=True, check=True
            )
            row = {"factor": factor, "files": f"{left}, {right}", **json.loads(shown.stdout)}
            say(
                f"{left} {right} ×{factor}: {row['recall']:.1%} found, {row['precision']:.2%} right"
            )
            rows.append(row)
    return rows


def lines(rows: list[dict[str, Any]]) -> list[str]:
    """Return the part of the page."""
    page = [
        "## Prove: probabilistic linking of files with errors",
        "",
        "Simulated people with true identities (*pseudopeople*), whose errors were made that many "
        "times as frequent as the generator makes them; names, birth date, sex, and where both "
        "files have them address and ethnic group. The attack does not see them. The draws "
        "of errors are new for this page; the method was developed on other draws for the same "
        "people, of the first census pair and of social security in 2030.",
        "",
        "| files | errors | links there | found | right | expected right | processor s | peak MB |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for r in rows:
        page.append(
            f"| {r['files']} | ×{r['factor']} | {r['there']:,} | {r['recall']:.1%} | "
            f"{r['precision']:.2%} | {r['expected']:.1%} | {r['cpu']:.1f} | {r['peak_mb']:.0f} |"
        )
    met = {
        factor: all(
            r["recall"] >= RECALL and r["precision"] >= PRECISION
            for r in rows
            if r["factor"] == factor
        )
        for factor in FACTORS
    }
    page += [
        "",
        f"Target: {RECALL:.0%} of the links there at {PRECISION:.0%} right. "
        + "; ".join(f"×{f}: **{'met' if kept else 'missed'}**" for f, kept in met.items())
        + ".",
    ]
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("left", type=Path)
    parser.add_argument("right", type=Path)
    given = parser.parse_args()
    print(json.dumps(link(given.left, given.right)))


if __name__ == "__main__":
    main()
