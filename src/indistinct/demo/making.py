"""The whole flow on a synthetic census, as far as it goes: what `make demo` shows.

Everything is written into one folder, which appears whole when all is done.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from indistinct import keys, progress
from indistinct.census import SKINNER_HOLMES_KEY, write_census, write_hierarchies
from indistinct.demo.releases import (
    MAX_DROP,
    SHUFFLED,
    K,
    release_generalised,
    release_shuffled,
    shuffled_map,
    write_projects,
    write_reports,
)
from indistinct.demo.scrubbed import scrub_letters
from indistinct.demo.smallareas import publish_small_areas
from indistinct.demo.story import FRACTION, Demo
from indistinct.errors import InputError
from indistinct.files import write_data
from indistinct.protect import Method, Request, compare_methods
from indistinct.prove import Verification
from indistinct.risk import file_risk, known_population_risk
from indistinct.session import Data, open_data
from indistinct.verifying import verify_release

__all__ = ["Demo", "run_demo"]

FLOOR = 50
STAGES = 9
"""The sentences that say what is being done."""
WAYS: tuple[Method, ...] = ("datafly", "optimal", "k-similar")


def run_demo(
    folder: str | Path,
    *,
    people: int = 100_000,
    seed: int = 1,
    say: Callable[[str], None] = lambda sentence: None,
) -> Demo:
    """Make a census, find who stands out, and write it all into a folder.

    An earlier demo in the same folder is replaced; anything else that stands there is refused.
    """
    said: list[str] = []
    with progress.task("the demo", total=STAGES, unit="stages") as going:

        def told(sentence: str) -> None:
            going.advance(1 if said else 0)  # a stage is over when the next begins
            said.append(sentence)
            say(sentence)

        return _made(folder, people, seed, told)


def _made(folder: str | Path, people: int, seed: int, say: Callable[[str], None]) -> Demo:
    target = Path(folder)
    if target.exists() and not (target / "summary.md").exists() and any(target.iterdir()):
        raise InputError(f"{target} holds something that is not a demo. Choose another folder.")
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        say(f"making a census of {people:,} people …")
        census = aside / "census.parquet"
        write_census(census, people=people, seed=seed, register=aside / "register.parquet")
        (aside / "hierarchies").mkdir()
        write_hierarchies(aside / "hierarchies")
        say("finding those who stand out …")
        private = aside / "private"
        private.mkdir(mode=0o700)
        with open_data(census) as data:
            demo = _find(data, target, seed, aside / "hierarchies", say)
            demo.found.write(private / "records.parquet")
            _write_flagged(demo.found, private / "flagged.csv")
            keys.write_pull_out(demo.found, private / "pull-out.csv")
            (aside / "comparison.svg").write_text(demo.ways.plot(), encoding="utf-8")
            (aside / "comparison.json").write_text(
                json.dumps(demo.ways.to_dict(), indent=2) + "\n", encoding="utf-8"
            )
            (aside / "map.svg").write_text(demo.map.plot(), encoding="utf-8")
            (aside / "map.json").write_text(
                json.dumps(demo.map.to_dict(), indent=2) + "\n", encoding="utf-8"
            )
            if demo.ways.best:
                say(f"writing the releases ({demo.ways.best.method}, shuffled) …")
                write_projects(aside, method=demo.ways.best.method, seed=seed)
                release_generalised(aside)
                if any(point.name == SHUFFLED for point in demo.map.points):
                    release_shuffled(aside, demo.map)
                say("proving the first from its file, and attacking a file without names …")
                demo = replace(demo, proved=_prove(aside), fallen=_attack(data, aside))
                say("writing the reports …")
                demo = replace(demo, reports=write_reports(aside))
        say("publishing ten tables for its areas …")
        areas = publish_small_areas(aside / "tables", census, seed=seed)
        say("scrubbing letters and notes about its people …")
        demo = replace(demo, areas=areas, letters=scrub_letters(aside, seed=seed))
        (aside / "summary.md").write_text(demo.summary())
        if target.exists():
            shutil.rmtree(target)
        os.chmod(aside, 0o755)
        os.replace(aside, target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return demo


def _prove(folder: Path) -> Verification:
    """Verify the release as somebody would who trusts nothing."""
    return verify_release(folder / "release", private=folder / "census.parquet", brief=True)


def _attack(data: Data, folder: Path) -> Verification:
    """Take off the names and nothing else, and attack that with the register."""
    known = ["date_of_birth", "sex", "area"]
    named = [n for n in data.variables.names(role="identifier") if n not in known]
    kept = [name for name in data.variables if name not in named]
    bare = write_data(data.source.table(kept), folder / "private" / "without-names.parquet")
    return verify_release(
        bare,
        private=folder / "census.parquet",
        registers=[folder / "register.parquet"],
        person="identity_number",
        key=known,
        brief=True,
    )


def _find(
    data: Data, folder: Path, seed: int, hierarchies: Path, say: Callable[[str], None]
) -> Demo:
    key = list(SKINNER_HOLMES_KEY)
    found = data.uniques(key, k=K, floor=FLOOR)
    rng = np.random.default_rng(seed)
    drawn = data.engine.sample(data.source, fraction=FRACTION, rng=rng)
    sample = file_risk(data.engine, drawn, key, fraction=FRACTION)
    truth = known_population_risk(sample.table, keys.counts_in(sample.table, found.key_table))
    table = found.key_table
    without = []
    for name in key:
        coarser, _ = table.rollup([other for other in key if other != name])
        without.append((name, int(coarser.counts[coarser.counts < K].sum())))
    without.sort(key=lambda pair: pair[1])
    say(f"protecting it in {len(WAYS)} ways …")
    ways = compare_methods(
        data.engine,
        data.source,
        key,
        hierarchies=data.hierarchies(key, directory=hierarchies),
        request=Request(k=K, max_drop=MAX_DROP),
        seed=seed,
        methods=WAYS,
    )
    say("shuffling it, beside generalising …")
    shuffled = shuffled_map(data, seed, hierarchies)
    return Demo(folder, found, data.explain(key), tuple(without), sample, truth, ways, shuffled)


def _write_flagged(found: keys.Uniques, path: Path) -> None:
    risky = found.records_at_risk()
    frequency = found.frequency()[risky]
    table = found.source.table(list(found.key)).take(pa.array(risky))
    table = table.add_column(0, "record", pa.array(risky))
    table = table.append_column("frequency", pa.array(frequency))
    case = np.where(frequency == 1, "i", "ii")
    write_data(table.append_column("case", pa.array(case)), path)
