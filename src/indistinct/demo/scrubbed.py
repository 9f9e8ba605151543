"""The demo's letters: scrubbed, compared with what is in them, and linked with the register.

The detective gathers who is named in the letters, before and after scrubbing, and looks for these
people in the population register. Whom the letters are about is known here, so that every link is
judged.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from indistinct.census import REGISTER_SCHEMA
from indistinct.demo.letters import Letter, write_letters
from indistinct.files import open_data as open_file
from indistinct.flow import open_data
from indistinct.prove import Register
from indistinct.prove.attacks import LinkOutcome, exact_attack
from indistinct.scrub import ScrubResult, scrub

__all__ = ["ScrubbedLetters", "scrub_letters"]

KNOWN = ("given_name", "surname", "date_of_birth", "sex")
"""What the detective links on."""

_SEX = {"M": 1, "F": 2}
_METHODS = ("straight search", "search with cues", "Scrub at 0.8", "Scrub at 0.7, reduced")


@dataclass(frozen=True)
class ScrubbedLetters:
    """What became of the demo's letters, and what a detective made of them before and after."""

    patients: int
    done: ScrubResult
    before: LinkOutcome
    after: LinkOutcome

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as plain values, without a word of any letter."""
        apart = ("found", "out", "spans", "identifiers", "seconds")
        return {
            "patients": self.patients,
            **{name: told for name, told in self.done.to_dict().items() if name not in apart},
            "linked": {
                name: {"letters": one.records, "unique": one.unique, "right": one.right}
                for name, one in (("before", self.before), ("after", self.after))
            },
        }

    @property
    def linking(self) -> str:
        """What the detective found, in a sentence."""
        before, after = self.before, self.after
        return (
            f"a detective with the register finds the patients of {before.right:,} of "
            f"{before.records:,} letters as they were, and of {after.right:,} of {after.records:,} "
            "once they are scrubbed"
        )

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Return the four rows of Sweeney's Figure 24: method and what it removes, keeps, leaks."""
        assert self.done.evaluation is not None
        return [
            (
                name,
                f"{row.share_removed:.1%}",
                f"{row.token_precision:.1%}",
                f"{row.leaking:,} of {row.documents:,}",
            )
            for name, row in zip(_METHODS, self.done.evaluation.rows, strict=True)
        ]

    def lines(self) -> list[str]:
        """Return the story as Markdown."""
        done, told = self.done, self.done.told
        assert done.evaluation is not None
        references = done.evaluation.rows[0].references
        sequences = told.documents_with_sequences if told else 0
        wrong = self.after.wrong
        return [
            "## Letters and notes",
            "",
            f"{done.documents:,} letters and notes tell of {self.patients:,} people of the census: "
            "their names, families, addresses, illnesses. All references to people were marked as "
            f"the letters were written, {references:,} in all. How many of them a program finds "
            "(the rows of Sweeney's Figure 24), the share of what it removes that had to go, and "
            "letters in which something is left:",
            "",
            "| method | references found | rightly removed | leaking letters |",
            "| --- | ---: | ---: | ---: |",
            *(f"| {' | '.join(row)} |" for row in self.rows()),
            "",
            f"The letters as scrubbed are in `letters/`: {done.replaced:,} references replaced by "
            f"made-up ones that read as well, {done.suppressed:,} left out. Lay "
            "`private/letters/letter-01.txt` beside `letters/letter-000001.txt`.",
            "",
            "**Scrub as a detective.** What finds references can gather them too. By names, dates "
            "of birth and sex as the letters told them, the register names the patients of "
            f"**{self.before.right:,} of {self.before.records:,} letters** rightly. By what the "
            "scrubbed letters tell, where names are made up and days of birth are gone, it names "
            f"**{self.after.right:,}**" + (f", and {wrong:,} wrongly." if wrong else "."),
            "",
            f"The verdict all the same: **{done.verdict}**. "
            + (
                f"In {sequences:,} of the letters a sequence of events is left that probably fits "
                "one person only, without any name in it. "
                if sequences
                else ""
            )
            + "Whoever knows some of what a letter tells may recognise the person.",
        ]


def scrub_letters(folder: Path, *, seed: int) -> ScrubbedLetters | None:
    """Write letters about people of the demo's census into its folder, scrub and attack them.

    None where nobody in the census fits any form of letter.
    """
    private, register = folder / "private", folder / "register.parquet"
    gold = private / "letters-gold.jsonl"
    written = private / "letters"
    letters = write_letters(written, gold, folder / "census.parquet", register, seed=seed)
    if not letters:
        return None
    found = private / "letters-people.parquet"
    left = private / "letters-people-after.parquet"
    out = folder / "letters"
    done = scrub(
        written,
        out=out,
        spans=private / "letters-spans.jsonl",
        identifiers=found,
        evaluate=gold,
        seed=seed,
    )
    scrub(sorted(out.glob("*.txt")), identifiers=left, seed=seed)
    before, after = (_link(table, letters, register) for table in (found, left))
    return ScrubbedLetters(len({one.patient for one in letters}), done, before, after)


def _link(identifiers: Path, letters: Sequence[Letter], register: Path) -> LinkOutcome:
    """Look for the patient of every letter in the register, by what the letter tells."""
    rows: list[dict[str, Any]] = [{} for _ in letters]
    for person in pq.read_table(identifiers).to_pylist():
        if person["patient"]:
            rows[person["document"] - 1] = person
    schema = pa.schema([REGISTER_SCHEMA.field(name) for name in KNOWN])
    table = pa.Table.from_pylist([_told(row) for row in rows], schema)
    with open_data(table) as data:
        known = open_file(register, workspace=data.engine.workspace)
        return exact_attack(
            data.engine,
            data.source,
            Register(known, "the population register", "identity_number"),
            attributes=KNOWN,
            truth=[letter.patient for letter in letters],
            encrypted=KNOWN,  # made-up names are in no register, and name nobody
        )


def _told(person: Mapping[str, Any]) -> dict[str, Any]:
    """What a letter tells of a person, as the register writes it."""
    first, last, born = (person.get(name) for name in ("first", "last", "birth_date"))
    return {
        "given_name": first.title() if first else None,
        "surname": last.title() if last else None,
        "date_of_birth": dt.date.fromisoformat(born) if born else None,
        "sex": _SEX.get(person.get("sex") or ""),
    }
