"""The files that every case finds: people with recognisable values, and what is made of them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

__all__ = ["COLUMNS", "DATA_FILES", "PROJECT", "make_place"]

COLUMNS = ("name", "age", "sex", "zip", "county", "income", "household", "note")
DATA_FILES = ("people.csv", "people.parquet", "people.dta", "people.sav")
PROJECT = """\
[data]
file = "people.csv"

[variables.name]
role = "identifier"
[variables.age]
role = "key"
hierarchy = { kind = "intervals", widths = [10, 20] }
[variables.sex]
role = "key"
[variables.zip]
role = "key"
[variables.income]
role = "sensitive"

[release]
k = 3
method = "datafly"
confirmed = true
out = "out"
purpose = "Income by age"
accept = ["households"]

[recipients.university]
columns = ["age", "sex", "zip"]
"""


def people(number: int, seed: int) -> pa.Table:
    """Return people, whose names, notes and incomes stand nowhere else."""
    rng = random.Random(seed)
    return pa.table(
        {
            "name": [f"Qzxname{seed}{i:03}" for i in range(number)],
            "age": [rng.randrange(20, 80, 3) for _ in range(number)],
            "sex": [rng.choice("fm") for _ in range(number)],
            "zip": [rng.choice(["02138", "02139", "02141"]) for _ in range(number)],
            "county": [rng.choice(["north", "south"]) for _ in range(number)],
            "income": [91370000 + rng.randrange(10_000) for _ in range(number)],
            "household": [i // 3 for i in range(number)],
            "note": [f"seen by Dr Qzxphys{i:03} in Qzxtown{i:03}" for i in range(number)],
        }
    )


def make_place(folder: Path) -> Path:
    """Make everything in a folder of its own; commands are run in ``work`` inside of it."""
    work = folder / "work"
    work.mkdir(parents=True)
    table = people(90, 1)
    pacsv.write_csv(table, work / "people.csv")
    pq.write_table(table, work / "people.parquet")
    pacsv.write_csv(people(40, 2).select(["name", "age", "sex", "zip"]), work / "register.csv")
    frame = table.to_pandas()
    frame.to_stata(work / "people.dta", write_index=False)
    _write_spss(frame, work / "people.sav")
    (work / "release.toml").write_text(PROJECT)
    letters = work / "letters"
    letters.mkdir()
    for i in range(3):
        (letters / f"{i}.txt").write_text(
            f"Dear Dr. Smith, Mr John Brown (born 3 May 19{40 + i}) came."
        )
    (work / "letters.jsonl").write_text(json.dumps({"id": "1", "text": "Mrs Ann Lee came."}) + "\n")
    trees = work / "trees"
    trees.mkdir()
    (trees / "zip.csv").write_text("02138,0213*,*\n02139,0213*,*\n02141,0214*,*\n")
    _indistinct(work, "protect", "people.csv", "--key", "age,sex,zip", "--k", "3", "--method",
                "mondrian", "--seed", "1", "--accept", "households,copies",
                "--out", "rel")  # fmt: skip
    _indistinct(work, "tables", "people.csv", "--area", "county", "--table", "sex", "--method",
                "random-round", "--seed", "1", "--out", "tab")  # fmt: skip
    _indistinct(work, "scrub", "letters", "--seed", "1", "--out", "scr")
    (work / "plan.json").write_bytes((work / "rel" / "private" / "plan.json").read_bytes())
    return folder


def _write_spss(frame: object, path: Path) -> None:
    import pyreadstat

    pyreadstat.write_sav(frame, str(path))


def _indistinct(cwd: Path, *arguments: str) -> None:
    command = [sys.executable, "-c", "from indistinct.cli import main; main()", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not (cwd / arguments[-1]).is_dir():
        raise AssertionError(done.stderr)
