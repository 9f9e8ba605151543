"""The whole flow on a synthetic census, as far as it goes: what `make demo` shows.

Everything is written into one folder, which appears whole when all is done.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct import keys
from indistinct.census import MCCAA_KEY, SKINNER_HOLMES_KEY, write_census, write_hierarchies
from indistinct.errors import InputError
from indistinct.files import write_data
from indistinct.perturbing import perturbing_plan
from indistinct.protect import Method, Plan, Request, Shuffle, SideBySide, compare_methods
from indistinct.prove import Verification
from indistinct.risk import FileRisk, KnownRisk, file_risk, known_population_risk
from indistinct.session import Data, open_data
from indistinct.tradeoff import Candidate, RiskUtilityMap, risk_utility_map
from indistinct.verifying import verify_release

__all__ = ["Demo", "run_demo"]

K = 3
FLOOR = 50
FRACTION = 0.1
WAYS: tuple[Method, ...] = ("datafly", "optimal", "k-similar")
MAX_DROP = 0.01
RELEASED = ("education", "tenure", "household_size", "children", "health", "hours", "travel")
"""What the recipient gets beside the key: nothing that a register has."""


@dataclass(frozen=True)
class Demo:
    """What the demo found, and where it wrote it."""

    folder: Path
    found: keys.Uniques
    explanation: keys.Explanation
    without: tuple[tuple[str, int], ...]
    """For each key variable, the records still at risk if it were not known."""
    sample: FileRisk
    """The risk estimated from a sample of the census."""
    truth: KnownRisk
    """The same sample's risk when the whole census is known."""
    ways: SideBySide
    """The census protected in three ways."""
    map: RiskUtilityMap
    """Shuffling beside generalising, for an intruder who knows more."""
    proved: Verification | None = None
    """What was proved of the release, from the file."""
    fallen: Verification | None = None
    """What became of the same census with nothing but the names taken off."""

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as plain values."""
        return {
            "folder": str(self.folder),
            **self.found.to_dict(),
            "at_risk_without": dict(self.without),
            "sample": {
                "fraction": FRACTION,
                "sample_uniques": self.truth.sample_uniques,
                "expected_population_uniques": self._estimate,
                "population_uniques": self.truth.population_uniques,
            },
            "ways": self.ways.to_dict(),
            "map": self.map.to_dict(),
            "proved": self.proved.to_dict() if self.proved else None,
            "fallen": self.fallen.to_dict() if self.fallen else None,
        }

    @property
    def _estimate(self) -> float:
        return float(self.sample.to_dict()["expected_population_uniques"])

    def _sample_lines(self) -> list[str]:
        """What would be at risk if only a sample were released."""
        low, high = self.sample.path.intervals()[0] if self.sample.path else (0.0, 0.0)
        return [
            f"## If only a {FRACTION:.0%} sample were released",
            "",
            f"{self.truth.sample_uniques:,} people would be alone with their combination in the "
            "sample. Being alone in a sample is not being alone in the population: from the "
            f"sample itself, {self._estimate:.0f} of them (between {low:.0f} and {high:.0f}) are "
            "estimated to be alone in the population too. The census knows: it is "
            f"{self.truth.population_uniques:,}.",
        ]

    def _way_lines(self) -> list[str]:
        """How the census was changed until nobody stood out."""
        best = self.ways.best
        kept = f"**{best.method}** loses least and is kept" if best else "None of them keeps k"
        return [
            "## Changed until nobody stands out",
            "",
            f"Three ways to have at least {self.ways.k} people in every class; Datafly and the "
            f"optimum over whole variables may leave out {MAX_DROP:.0%} of the records. "
            "*Precision* is 1 for the original and 0 when nothing is told; *recognised* is the "
            "share of people that somebody who knows these facts of everyone would find; "
            "*distortion* is in times the least possible for a release of the kind (≤: at most).",
            "",
            self.ways.markdown(),
            "",
            f"{kept}, in `release/`. What was written was counted again. The map of risk and "
            "utility: `comparison.svg`.",
        ]

    def _map_lines(self) -> list[str]:
        """What shuffling keeps where generalising would ruin the data."""
        return [
            "## Shuffled instead",
            "",
            f"An intruder who knows {len(self.map.key)} things of everybody (the conservative key "
            f"of McCaa et al. 2013) would find nearly everybody: {self.map.uniques:,} of "
            f"{self.found.records:,} people are alone. Generalising until nobody stands out leaves "
            "little to analyse. Shuffling deals values out again between people who are alike: "
            "every count of a single variable stays, and couples, mothers and children stay in "
            "step. What it costs and what it leaves to an intruder who takes the nearest record:",
            "",
            self.map.markdown(),
            "",
            "*Census shuffled* is the paper's way: three records in four are changed, most by "
            "little, so tables hardly notice and a patient intruder is often right. A higher level "
            "protects more and keeps less. The map: `map.svg`.",
        ]

    def _proof_lines(self) -> list[str]:
        """What was proved from the released file, and what was not done in vain."""
        if self.proved is None or self.fallen is None:
            return []
        fallen = self.fallen
        return [
            "## Proved from the file",
            "",
            "The released file was read again and attacked by somebody who knows these facts of "
            f"everybody in the census: **{self.proved.sentence}**. `release/certificate.json` says "
            "so, with the hash of every file; `indistinct verify release --private census.parquet` "
            "checks it again, and notices any changed byte.",
            "",
            "The same census with nothing but names and numbers taken off falls: whoever has the "
            f"population register (`register.parquet`) and links on {', '.join(fallen.key)} finds "
            f"**{fallen.disclosures:,} of {fallen.records:,} people** "
            f"({fallen.disclosures / fallen.records:.1%}), each alone and with true values.",
        ]

    def summary(self) -> str:
        """Return the summary as Markdown, without a value of any record."""
        found = self.found
        share = found.at_risk / found.records
        lines = [
            "# Who stands out",
            "",
            f"Of {found.records:,} people in a synthetic census, **{found.at_risk:,} "
            f"({share:.1%}) stand out**: fewer than {found.k} people share their combination of "
            f"{len(found.key)} variables ({', '.join(found.key)}). {found.unique:,} are alone "
            "with theirs, so anyone who knows these facts about them finds their record.",
            "",
            "Taking names and numbers off the file would not help: it is the combination that "
            "gives them away.",
            "",
            "| people who share a combination | combinations | people |",
            "| ---: | ---: | ---: |",
            *(f"| {size} | {classes:,} | {people:,} |" for size, classes, people in found.sizes()),
            "",
            "## Which facts give them away",
            "",
            "| if this were not known | people who stand out | fewer by |",
            "| --- | ---: | ---: |",
            *(
                f"| {name} | {left:,} | {1 - left / found.at_risk:.0%} |"
                for name, left in self.without
            ),
            "",
            *self._sample_lines(),
            "",
            *self._way_lines(),
            "",
            *self._map_lines(),
            "",
            *self._proof_lines(),
            "",
            "## How they were found",
            "",
            f"Counted by {found.approach}, the cheapest of these by estimate:",
            "",
            "```",
            repr(self.explanation),
            "```",
            "",
            *(f"- Note: {warning}." for warning in found.warnings),
            "",
            "## Files",
            "",
            "- `census.parquet`, `register.parquet`, `hierarchies/`: the synthetic census",
            "- `private/records.parquet`: one row per person: number, frequency, risk, case",
            "- `private/flagged.csv`: the people who stand out, with their combination",
            "- `private/pull-out.csv`: their names and numbers, for the data holder alone",
            "- `comparison.svg`, `comparison.json`: the three ways of protecting the census",
            "- `map.svg`, `map.json`: shuffling beside generalising",
            "- `release/`: the best of them: `data.parquet`, `methodology.md`, `contract.md` and "
            "`certificate.json` for the recipient, `private/` with plan, ledger and audit trail "
            "for the holder",
            "- `private/without-names.parquet`: the census that falls to the register",
            "",
        ]
        return "\n".join(lines)


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
                say(f"writing the release ({demo.ways.best.method}) …")
                _release(data, demo.ways.best.method, aside, seed)
                say("proving it from the file, and attacking a file without names …")
                demo = replace(demo, proved=_prove(aside), fallen=_attack(data, aside))
        (aside / "summary.md").write_text(demo.summary())
        if target.exists():
            shutil.rmtree(target)
        os.chmod(aside, 0o755)
        os.replace(aside, target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return demo


def _release(data: Data, method: Method, folder: Path, seed: int) -> None:
    """Protect the census by the best method and write the release folder."""
    options: dict[str, Any] = {"max_drop": MAX_DROP} if method in ("datafly", "optimal") else {}
    done = data.protect(
        list(SKINNER_HOLMES_KEY),
        method=method,
        k=K,
        seed=seed,
        hierarchies=folder / "hierarchies",
        **options,
    )
    data.release(folder / "release", done, seed=seed, keep=RELEASED)


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
    shuffled = _shuffled(data, seed, hierarchies)
    return Demo(folder, found, data.explain(key), tuple(without), sample, truth, ways, shuffled)


def _shuffled(data: Data, seed: int, hierarchies: Path) -> RiskUtilityMap:
    """Map shuffling and generalising by the twelve variables of McCaa et al. (2013)."""
    key = list(MCCAA_KEY)
    known = data.hierarchies(key, directory=hierarchies)
    work = {name: known[name] for name in ("occupation", "industry")}
    whole = perturbing_plan(
        "shuffle",
        data.source,
        project=None,
        hierarchies=lambda names: {name: known[name] for name in names},
        options={},
    )
    shuffles = [
        Shuffle(
            ("age", "education", *work), ("sex", "marital", "region"), level=level, hierarchies=work
        )
        for level in (0.1, 1.0)
    ]
    candidates = [
        Candidate("original", plan=Plan()),
        Candidate("census shuffled", plan=whole),
        *(Candidate(f"shuffle {s.level:g}", plan=Plan((s,))) for s in shuffles),
        *(
            Candidate(f"{way} k={K}", method=way, request=Request(k=K, max_drop=MAX_DROP))
            for way in ("datafly", "optimal")
        ),
    ]
    return risk_utility_map(
        data.engine,
        data.source,
        candidates,
        key=key,
        seed=seed,
        hierarchies=known,
        risk="linkage",
    )


def _write_flagged(found: keys.Uniques, path: Path) -> None:
    risky = found.records_at_risk()
    frequency = found.frequency()[risky]
    table = found.source.table(list(found.key)).take(pa.array(risky))
    table = table.add_column(0, "record", pa.array(risky))
    table = table.append_column("frequency", pa.array(frequency))
    case = np.where(frequency == 1, "i", "ii")
    write_data(table.append_column("case", pa.array(case)), path)
