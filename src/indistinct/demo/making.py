"""The whole flow on a synthetic census, as far as it goes: what `make demo` shows.

Everything is written into one folder, which appears whole when all is done.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from indistinct import keys
from indistinct.census import SKINNER_HOLMES_KEY, write_census, write_hierarchies
from indistinct.core import InputError, Seed, progress
from indistinct.core.doors import folder_written_whole, read_file
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
from indistinct.files import write_data
from indistinct.flow import Data, open_data, verify_release
from indistinct.protect import Request
from indistinct.prove import Verification
from indistinct.release import file_digest
from indistinct.risk import file_risk, known_population_risk
from indistinct.utility.comparing import compare_methods

__all__ = ["Demo", "is_demo", "run_demo"]

_LIST = "demo.json"
"""The file of a demo that tells all others by their hashes."""
_KEPT = re.compile(r"\w+/private/(audit\.jsonl(\.head)?|report\.(html|json))")
"""What verbs write anew in a release of the demo."""

FLOOR = 50
FEWEST = 1000
"""People below whom some part of the demo has nothing to show."""

STAGES = 9
"""The sentences that say what is being done."""
WAYS: tuple[str, ...] = ("datafly", "optimal", "k-similar")


def is_demo(folder: Path) -> bool:
    """Say whether a folder holds an earlier demo as it was written, and nothing else.

    What somebody added or changed, however deep, is theirs, and makes it none.
    """
    if not os.path.isfile(folder / _LIST):
        return False
    try:
        told = json.loads(read_file(folder / _LIST, "list of the demo's files", kept=True))
        return isinstance(told, dict) and told == _files(folder)
    except (InputError, ValueError, RecursionError, OSError):
        return False


def _files(folder: Path) -> dict[str, str]:
    """Return what a folder holds: files with their hashes, and whatever else there is."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            found[name] = "neither a file nor a folder"
        elif name != _LIST and not _KEPT.fullmatch(name):
            found[name] = file_digest(path) if path.is_file() else "a folder"
    return found


def run_demo(
    folder: str | Path,
    *,
    people: int = 100_000,
    seed: Seed = 1,
    say: Callable[[str], None] = lambda sentence: None,
) -> Demo:
    """Make a census, find who stands out, and write it all into a folder.

    An earlier demo in the same folder is replaced if it is as it was written; anything else that
    stands there is refused.
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
    if people < FEWEST:
        raise InputError(f"A demo needs at least {FEWEST:,} people. Got {people:,}.")
    with folder_written_whole(target, replaces=is_demo) as aside:
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
            (aside / "comparison.svg").write_text(demo.ways.plot(), encoding="utf-8", newline="\n")
            (aside / "comparison.json").write_text(
                json.dumps(demo.ways.to_dict(), indent=2) + "\n", encoding="utf-8", newline="\n"
            )
            (aside / "map.svg").write_text(demo.map.plot(), encoding="utf-8", newline="\n")
            (aside / "map.json").write_text(
                json.dumps(demo.map.to_dict(), indent=2) + "\n", encoding="utf-8", newline="\n"
            )
            if demo.ways.best:
                say(f"writing the releases ({demo.ways.best.method}, shuffled) …")
                write_projects(aside, method=demo.ways.best.method, seed=seed)
                release_generalised(aside)
                if any(point.name == SHUFFLED for point in demo.map.points):
                    demo = replace(demo, shuffled=release_shuffled(aside, demo.map))
                say("proving the first from its file, and attacking a file without names …")
                demo = replace(demo, proved=_prove(aside), fallen=_attack(data, aside))
                say("writing the reports …")
                demo = replace(demo, reports=write_reports(aside))
        say("publishing ten tables for its areas …")
        areas = publish_small_areas(aside / "tables", census, seed=seed).moved_to(target / "tables")
        say("scrubbing letters and notes about its people …")
        demo = replace(demo, areas=areas, letters=scrub_letters(aside, seed=seed))
        (aside / "summary.md").write_text(demo.summary(), encoding="utf-8", newline="\n")
        (aside / _LIST).write_bytes(json.dumps(_files(aside), indent=1).encode() + b"\n")
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
    table = table.add_column(0, "record", pa.array(risky + 1))
    table = table.append_column("frequency", pa.array(frequency))
    case = np.where(frequency == 1, "i", "ii")
    write_data(table.append_column("case", pa.array(case)), path)
