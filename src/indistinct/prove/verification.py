"""The answer of the prover: one line that can be signed, or the counterexamples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from indistinct.prove.models import Model
from indistinct.prove.opinion import Reservation, State
from indistinct.results import Fact, Part, Shown, Table, facts, folded
from indistinct.results.figures import bars

__all__ = ["AT_MOST_WITNESSES", "Verification", "Witness"]

AT_MOST_WITNESSES = 20


@dataclass(frozen=True)
class Witness(Part):
    """A released record that is not protected, the people it refers to, and why that is so.

    Parameters
    ----------
    record
        Its number in the released file, from 1.
    people
        The people it may refer to, by the register's column for persons or by row, from 1.
    count
        How many there are.
    register
        Where they were found.
    condition
        What fails.
    """

    record: int
    people: tuple[str, ...]
    count: int
    register: str
    condition: str

    def __repr__(self) -> str:
        named = ", ".join(self.people)
        more = ", …" if self.count > len(self.people) else ""
        whom = f" ({named}{more})" if named else ""
        people = f"{_people(self.count)} of {self.register}{whom}"
        return f"record {self.record:,}: {people}; {self.condition}"


@dataclass(frozen=True)
class Verification(Part, Shown):
    """What was found out about a released file, from the file.

    Parameters
    ----------
    verdict
        The model that holds for the release: that of its least protected record.
    k
        The fewest people that a record refers to, of those that refer to a subject at all.
    asked
        The k that was asked for.
    ads0
        Whether the release is that of a basic anonymous data system: no record discloses.
    disclosures
        Records that fail property 9.
    exposed
        Records that no model protects at the k asked for.
    models
        Records by the model that protects them.
    records
        Records of the release.
    witnesses
        Some of the records that are not protected, the worst first.
    checked
        What the release was attacked with.
    notes, assumptions
        What was noticed, and what the verdict rests on.
    findings
        What else keeps the verdict from holding: changed bytes, earlier releases, attacks.
    parts
        Results of further checks by name.
    claims_k
        Whether k was promised at all. Where values were altered it is not: what an intruder
        finds is measured, and nothing is proved.
    reservations
        What the verdict rests on and the file cannot show; see `indistinct.prove.Reservation`.
    accepted
        Codes of the reservations that the holder takes upon himself.
    true_disclosures
        Records that fail property 9 and of which the private data show that what they tell is
        true. Of the others it is not known: they stand alone.
    """

    verdict: Model
    k: int
    asked: int
    ads0: bool
    disclosures: int
    exposed: int
    models: Mapping[str, int]
    records: int
    key: tuple[str, ...]
    witnesses: tuple[Witness, ...]
    checked: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    parts: Mapping[str, Any] = field(default_factory=dict)
    claims_k: bool = True
    reservations: tuple[Reservation, ...] = ()
    accepted: tuple[str, ...] = ()
    true_disclosures: int = 0

    FACTS = facts(
        "verdict k ads0 disclosures true_disclosures witnesses checked state holds",
        "reservations accepted asked records exposed key models sentence findings notes",
        "assumptions",
        Fact(
            "*",
            lambda found: {
                name: part.to_dict() if hasattr(part, "to_dict") else part
                for name, part in found.parts.items()
            },
            spread=True,
        ),
    )

    @property
    def state(self) -> State:
        """One of three: *holds*, holds with *reservations*, *fails*."""
        broken = self.claims_k and (self.verdict == "none" or not self.ads0)
        if broken or self.findings:
            return "fails"
        return "reservations" if self.reservations or not self.claims_k else "holds"

    @property
    def holds(self) -> bool:
        """Whether the promise is kept, and nothing has to be taken on trust."""
        return self.state == "holds"

    @property
    def passes(self) -> bool:
        """Whether it holds, or every reservation was accepted by name."""
        codes = {reservation.code for reservation in self.reservations}
        accepted = bool(codes) and codes <= set(self.accepted)
        return self.holds or (self.state == "reservations" and accepted)

    @property
    def broken(self) -> tuple[str, ...]:
        """Why it does not hold, where it does not: sentences without a value of a cell."""
        return (self.findings or (self._counted,)) if self.state == "fails" else ()

    @property
    def sentence(self) -> str:
        """The verdict in one line, with the reservations by code."""
        if self.state != "reservations" or not self.reservations:
            return self._counted
        codes = ", ".join(dict.fromkeys(r.code for r in self.reservations))
        return f"{self._counted}; with reservations: {codes}"

    @property
    def _counted(self) -> str:
        if self.findings and (self.verdict != "none" or not self.claims_k):
            return f"does not hold: {self.findings[0]}"
        if not self.claims_k:
            return f"values were altered, so that k = {self.asked} is not claimed"
        if self.verdict == "null-map":
            return "null-map: no released record refers to anybody in the private data"
        if self.verdict == "k-map":
            return (
                f"k-map, k={self.k}: no released record refers to fewer than "
                f"{self.k:,} people{self._mixture}"
            )
        if self.verdict == "wrong-map":
            return (
                "wrong-map: records that refer to one person hold somebody else's values"
                f"{self._mixture}"
            )
        exposed = "1 record" if self.exposed == 1 else f"{self.exposed:,} records"
        refers = "refers" if self.exposed == 1 else "refer"
        said = f"none: {exposed} of {self.records:,} {refers} to fewer than {self.asked:,} people"
        true, alone = self.true_disclosures, self.disclosures - self.true_disclosures
        if true:
            said += f"; {true:,} " + (
                "names a person and tells the truth about them"
                if true == 1
                else "name a person and tell the truth about them"
            )
        if alone:
            said += f"; {alone:,} {'stands' if alone == 1 else 'stand'} alone"
        return said

    @property
    def _mixture(self) -> str:
        others = [
            f"{number:,} by {model}"
            for model, number in self.models.items()
            if number and model != self.verdict
        ]
        return f" ({' and '.join(others)})" if others else ""

    def plot(self) -> str:
        """Draw how many records each model protects, as SVG."""
        rows = [(model, number) for model, number in self.models.items() if number]
        rows += [("not protected", self.exposed)] if self.exposed else []
        return bars("Records by what protects them", [n for n, _ in rows], [v for _, v in rows])

    def __repr__(self) -> str:
        lines = [self.sentence, *self._checked()[:4]]
        lines += [f"  finding        {finding}" for finding in self.findings[:3]]
        lines += [f"  reservation    {r.sentence}" for r in self.reservations[:3]]
        lines += [f"  {witness!r}" for witness in self.witnesses[:3]]
        left = {
            "findings": len(self.findings) - 3,
            "reservations": len(self.reservations) - 3,
            "witnesses": len(self.witnesses) - 3,
            "notes": len(self.notes),
            "assumptions": len(self.assumptions),
            "further parts": len(self.parts),
        }
        more = ", ".join(f"{count} {name}" for name, count in left.items() if count > 0)
        return folded([*lines, *([f"  more in details(): {more}"] if more else [])])

    def _checked(self) -> list[str]:
        lines = []
        for check in self.checked:
            by = f" by {', '.join(check['attributes'])}" if check.get("attributes") else ""
            least = f": at least {_people(check['k'])}" if check.get("k") is not None else ""
            lines.append(
                f"  checked with   {check['name']} ({check['records']:,} records){by}{least}"
            )
        return lines

    def _lines(self) -> list[str]:
        lines = [self.sentence, *self._checked()]
        lines += [f"  finding        {finding}" for finding in self.findings]
        lines += [f"  reservation    {r.code}: {r.sentence}" for r in self.reservations]
        lines += [f"  {witness!r}" for witness in self.witnesses]
        lines += [f"  note           {note}" for note in self.notes]
        for part in self.parts.values():
            said = part.details() if isinstance(part, Shown) else repr(part)
            lines += [f"  {line}" for line in said.splitlines()]
        return lines + [f"  assumed        {sentence}" for sentence in self.assumptions]

    def _tables(self) -> list[Table]:
        checked = Table(
            "What the release was checked with",
            ("register", "records", "attributes", "fewest people"),
            [
                (c["name"], c["records"], tuple(c.get("attributes") or ()), c.get("k"))
                for c in self.checked
            ],
        )
        facts: dict[str, object] = {
            "verdict": self.verdict,
            "state": self.state,
            "k": self.k,
            "records": self.records,
            "exposed": self.exposed,
            "disclosures": self.disclosures,
            **{f"records by {model}": number for model, number in self.models.items()},
        }
        tables = [Table.facts("What was found out about the file", facts), checked]
        if self.witnesses:
            rows = [(w.record, w.count, w.register, w.condition) for w in self.witnesses]
            head = ("record", "people", "of", "why")
            tables.append(Table("Records that are not protected", head, rows, {"record": "d"}))
        for part in self.parts.values():
            tables += part._tables() if isinstance(part, Shown) else []
        return tables

    def _notes(self) -> list[str]:
        reserved = [reservation.sentence for reservation in self.reservations]
        return [*self.findings, *reserved, *self.notes, *self.assumptions]


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"
