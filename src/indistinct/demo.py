"""The whole flow on a synthetic census, as far as it goes: what `make demo` shows.

Everything is written into one folder, which appears whole when all is done.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct import keys
from indistinct.census import SKINNER_HOLMES_KEY, write_census, write_hierarchies
from indistinct.errors import InputError
from indistinct.files import write_data
from indistinct.risk import FileRisk, KnownRisk, file_risk, known_population_risk
from indistinct.session import Data, open_data

__all__ = ["Demo", "run_demo"]

K = 3
FLOOR = 50
FRACTION = 0.1


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
            demo = _find(data, target, seed)
            demo.found.write(private / "records.parquet")
            _write_flagged(demo.found, private / "flagged.csv")
            keys.write_pull_out(demo.found, private / "pull-out.csv")
        (aside / "summary.md").write_text(demo.summary())
        if target.exists():
            shutil.rmtree(target)
        os.chmod(aside, 0o755)
        os.replace(aside, target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return demo


def _find(data: Data, folder: Path, seed: int) -> Demo:
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
    return Demo(folder, found, data.explain(key), tuple(without), sample, truth)


def _write_flagged(found: keys.Uniques, path: Path) -> None:
    risky = found.records_at_risk()
    frequency = found.frequency()[risky]
    table = found.source.table(list(found.key)).take(pa.array(risky))
    table = table.add_column(0, "record", pa.array(risky))
    table = table.append_column("frequency", pa.array(frequency))
    case = np.where(frequency == 1, "i", "ii")
    write_data(table.append_column("case", pa.array(case)), path)
