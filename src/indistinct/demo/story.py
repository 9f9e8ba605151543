"""What the demo found, and its summary for people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indistinct import keys
from indistinct.demo.releases import MAX_DROP, SHUFFLED_KEY
from indistinct.demo.scrubbed import ScrubbedLetters
from indistinct.demo.smallareas import SmallAreas
from indistinct.prove import Verification
from indistinct.release import Certificate
from indistinct.risk import FileRisk, KnownRisk
from indistinct.utility.comparing import SideBySide
from indistinct.utility.tradeoff import RiskUtilityMap

__all__ = ["FRACTION", "WORDS", "Demo"]

FRACTION = 0.1
WORDS = {
    "holds": "holds",
    "reservations": "holds with reservations, which its holder accepts",
    "fails": "does not hold, and is here to be looked at, not to be given away",
}


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
    shuffled: Certificate | None = None
    """What was certified of the shuffled census."""
    fallen: Verification | None = None
    """What became of the same census with nothing but the names taken off."""
    areas: SmallAreas | None = None
    """Tables for small areas: what a second geography revealed, and how they were published."""
    letters: ScrubbedLetters | None = None
    """Letters about people of the census: scrubbed, and linked with the register."""
    reports: tuple[str, ...] = ()
    """The pages of the reports, of single releases and of both side by side, in the folder."""

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
            "shuffled": self.shuffled.state if self.shuffled else None,
            "fallen": self.fallen.to_dict() if self.fallen else None,
            "tables": self.areas.to_dict() if self.areas else None,
            "letters": self.letters.to_dict() if self.letters else None,
            "reports": [str(path) for path in self.reported],
        }

    @property
    def reported(self) -> tuple[Path, ...]:
        """The pages of the reports."""
        return tuple(self.folder / report for report in self.reports)

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
            *self._shuffled_lines(),
        ]

    def _shuffled_lines(self) -> list[str]:
        """What may be said of the shuffled release, and why of no more than it holds."""
        if self.shuffled is None:
            return []
        why = [
            *self.shuffled.verdict.get("findings", ()),
            *(one["sentence"] for one in self.shuffled.reservations),
        ]
        return [
            "",
            "So not all of it leaves. Research on couples and children needs "
            f"{', '.join(SHUFFLED_KEY)} of these {len(self.map.key)} things and no more, and "
            "whoever knows all of them has no more to search by. "
            f"`shuffled/` {WORDS[self.shuffled.state]}: {'; '.join(why)}.",
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

    def _report_lines(self) -> list[str]:
        """Where the reports are."""
        if not self.reports:
            return []
        listed = [f"- [`{report}`]({report})" for report in self.reports]
        return [
            "## The reports",
            "",
            "What somebody reads before signing; open them in a browser:",
            "",
            *listed,
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
            *(self.areas.lines() if self.areas else []),
            "",
            *(self.letters.lines() if self.letters else []),
            "",
            *self._report_lines(),
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
            "- `shuffled/`: the same census shuffled, for research on households",
            "- `release.toml`, `shuffled.toml`: the project files of both; "
            "`indistinct run release.toml --out again` writes a release anew",
            "- `tables/`: the same people with their school catchments, the project file of ten "
            "tables, and the tables as they were published",
            "- `private/without-names.parquet`: the census that falls to the register",
            "- `letters/`: letters and notes, scrubbed; `private/letters/` as they were, "
            "`private/letters-gold.jsonl` where they refer to people, "
            "`private/letters-spans.jsonl` what was found, "
            "`private/letters-people.parquet` whom a detective gathers",
            "",
        ]
        return "\n".join(lines)
