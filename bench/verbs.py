"""Measure verbs against those of an earlier commit, in alternation, and write it into the page.

python bench/verbs.py --against e7a06d7
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
HEADING = "## Verbs against an earlier commit"
MOST = 1.2
KEY = ["--key", "age,sex,county"]
START = "import sys; from indistinct.cli import main; sys.exit(main())"
VERBS: dict[str, list[str]] = {
    "uniques": ["uniques", "c.csv", *KEY, "--k", "5"],
    "risk": ["risk", "c.csv", *KEY, "--fraction", "0.1"],
    "init": ["init", "c.csv", "--out", "draft.toml"],
    "protect, k-similar": [
        *("protect", "c.csv", *KEY, "--k", "3", "--method", "k-similar", "--hierarchies", "H"),
        *("--seed", "1", "--out", "released"),
    ],
    "verify": ["verify", "released"],
    "verify --private --brief": ["verify", "released", "--private", "c.csv", "--brief"],
    "utility": ["utility", "c.csv", "released"],
    "report": ["report", "released", "--out", "report.html"],
    "protect, shuffle": [
        *("protect", "c.csv", *KEY, "--method", "shuffle", "--shuffle", "income"),
        *("--seed", "1", "--out", "shuffled"),
    ],
}
"""What is run, one after the other: some read what an earlier one wrote."""

MADE = {
    "init": "draft.toml",
    "protect, k-similar": "released",
    "report": "report.html",
    "protect, shuffle": "shuffled",
}
UNPROVED = {"protect, shuffle": "--although-unproved"}
"""What the earlier commit released without a word."""

WHY = (
    "Slower by more than a fifth, and why: `protect` now looks for what undoes its result before "
    "it writes, on records and not on the key table. Members of households are treated alike and "
    "get new numbers, copies and pairs of variables are looked for, columns are looked at for "
    "names, and the records change their order: each is a pass over the file. `utility` is slower "
    "on the earlier commit's release as well; about half of its time goes into fitting the models "
    "that tell the files apart, and what made it more was not found."
)


def processor_time(source: Path, folder: Path, asked: list[str]) -> float:
    """Run a verb and return the processor time of its process."""
    environment = os.environ | {"PYTHONPATH": str(source / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(folder.parent / "compiled")
    with open(os.devnull, "w") as nowhere:
        running = subprocess.Popen(
            [sys.executable, "-c", START, *asked],
            cwd=folder,
            env=environment,
            stdout=nowhere,
            stderr=nowhere,
        )
        _, status, used = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(asked)} left with {running.returncode} in {source}")
    return used.ru_utime + used.ru_stime


def measure(against: str, *, people: int = 100_000, repeat: int = 3) -> dict:
    """Return for every verb the median processor time of both, in alternation, after one run."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        earlier = work / "earlier"
        git = ["git", "-C", str(HERE.parent), "worktree"]
        subprocess.run([*git, "add", "--detach", str(earlier), against], check=True)
        try:
            return {"against": against, "people": people, "repeat": repeat} | {
                "verbs": _measured({"before": earlier, "now": HERE.parent}, work, people, repeat)
            }
        finally:
            subprocess.run([*git, "remove", "--force", str(earlier)], check=True)


def _measured(sources: dict[str, Path], work: Path, people: int, repeat: int) -> dict:
    for side in sources:
        (work / side).mkdir()
    asked = ["--people", str(people), "--seed", "7", "--out", "c.csv", "--hierarchies", "H"]
    processor_time(sources["now"], work / "now", ["census", *asked])
    shutil.copy(work / "now" / "c.csv", work / "before")
    shutil.copytree(work / "now" / "H", work / "before" / "H")
    found = {}
    for verb, asked in VERBS.items():
        times: dict[str, list[float]] = {side: [] for side in sources}
        for run in range(repeat + 1):
            for side, source in sources.items():
                if made := MADE.get(verb):
                    place = work / side / made
                    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
                more = [UNPROVED[verb]] if side == "now" and verb in UNPROVED else []
                taken = processor_time(source, work / side, [*asked, *more])
                if run:
                    times[side].append(taken)
        found[verb] = {side: statistics.median(taken) for side, taken in times.items()}
        print(verb, found[verb], file=sys.stderr)
    return found


def lines(results: dict) -> list[str]:
    """Return the section of the page."""
    rows = results["verbs"]
    return [
        HEADING,
        "",
        f"Seconds of processor time on the demo's census ({results['people']:,} people, CSV, key "
        f"age, sex and county), median of {results['repeat']} in alternation with commit "
        f"`{results['against']}`, after one run that is not counted (`bench/verbs.py`).",
        "",
        "| verb | before | now | ratio |",
        "| --- | ---: | ---: | ---: |",
        *(
            f"| {verb} | {before:.2f} | {now:.2f} | {now / before:.2f} |"
            for verb, (before, now) in ((verb, row.values()) for verb, row in rows.items())
        ),
        "",
        *([WHY, ""] if any(r["now"] > MOST * r["before"] for r in rows.values()) else []),
    ]


def main() -> None:
    """Measure, and put the section in the place of the last one, at the end of the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", required=True, metavar="COMMIT")
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    results = measure(given.against, people=given.people, repeat=given.repeat)
    kept = PAGE.read_text().split(HEADING)[0].rstrip("\n")
    PAGE.write_text(kept + "\n\n" + "\n".join(lines(results)))


if __name__ == "__main__":
    main()
