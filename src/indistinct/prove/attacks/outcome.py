"""What came of a linking attack: one shape for exact, probabilistic and distance linking.

An attack claims, for every released record, whom of a register it may belong to. Here the claims
are counted, held against the truth where that is known, and against what the attack would say of
people who are not in the data at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from indistinct.core import Bools, Floats, Ints
from indistinct.prove.attacks.claims import (
    CONTROL,
    RIGHT,
    TARGET,
    UNKNOWN,
    WRONG,
    Links,
    LinkWitness,
    Verdicts,
    verdicts_by_truth,
    witnesses_of,
)
from indistinct.prove.attacks.persons import OfPeople, count_people, only_first_rows
from indistinct.prove.attacks.rates import Excess, Rate, excess
from indistinct.results import Fact, Part, Result, Table, facts, folded, result
from indistinct.results.figures import bars

__all__ = ["Guesses", "Judged", "LinkOutcome", "link_outcome"]

Judged = Literal["truth", "values", "claims"]
"""How claims were judged: by the true person, by the values told, or not at all."""

_BANDS = ((2, 2), (3, 4), (5, 9), (10, 99), (100, None))


@dataclass(frozen=True)
class Guesses(Part):
    """How often guessing alone is right, per released record.

    `anybody` takes a person of the whole register; `by_attribute` one of those who agree on the
    one attribute with the fewest values.
    """

    anybody: float
    by_attribute: float
    attribute: str

    @property
    def best(self) -> float:
        """The better of the two."""
        return max(self.anybody, self.by_attribute)


@result(eq=True)
class LinkOutcome(Result):
    """What an attack found in a release, and what it is worth.

    Parameters
    ----------
    unique, ambiguous, none
        Records with one candidate, with several, with none.
    sizes
        Ambiguous records by their number of candidates.
    right, wrong, unjudged
        What the unique links are.
    findable
        Records whose true person is in the register, where that is known.
    expected
        Records linked rightly by whoever picks one of the candidates: Σ certainty. That is the
        journalist's, who holds the register alone.
    expected_knowing
        The same for the prosecutor, who knows which people of the register are in the data.
    targets, controls
        How many of the register's people that are in the data, and that are not, some record
        names alone.
    told
        With claims judged by values: how many targets are told rightly, and of how many controls
        the record that names them tells what is true by chance.
    of_people
        Where people have several records each, and it is known whose they are: what was found in
        people. Rates and risk then count people, not records.
    """

    attack: str
    register: str
    attributes: tuple[str, ...]
    records: int
    people: int
    unique: int
    ambiguous: int
    none: int
    sizes: dict[str, int]
    judged: Judged
    right: int
    wrong: int
    unjudged: int
    findable: int | None
    expected: float
    largest: float
    expected_knowing: float | None = None
    largest_knowing: float | None = None
    guesses: Guesses | None = None
    targets: Rate | None = None
    controls: Rate | None = None
    told: tuple[Rate, Rate] | None = None
    of_people: OfPeople | None = None
    witnesses: tuple[LinkWitness, ...] = ()
    notes: tuple[str, ...] = ()
    confidence: float = 0.95

    FACTS = facts(
        "attack register attributes records people unique ambiguous none sizes judged right wrong",
        "unjudged findable expected largest expected_knowing largest_knowing precision recall",
        Fact("targets_named", "targets"),
        Fact("controls_named", "controls"),
        "of_people guesses success reference risk succeeds verdict witnesses notes",
    )

    @property
    def precision(self) -> Rate | None:
        """The share of unique links that are right, of those that can be judged."""
        counted = self.of_people or self
        judged = counted.right + counted.wrong
        return Rate(counted.right, judged, self.confidence) if judged else None

    @property
    def recall(self) -> Rate | None:
        """The share of records that are linked rightly, of those whose person is there."""
        if self.judged == "claims":
            return None
        if self.of_people is not None:
            return Rate(self.of_people.right, self.of_people.people, self.confidence)
        there = self.records if self.findable is None else self.findable
        return Rate(self.right, there, self.confidence) if there else None

    @property
    def success(self) -> Rate:
        """How often the attack succeeds, in the coin in which its risk is measured."""
        if self.told is not None:
            return self.told[0]
        if self.judged != "claims" and self.of_people is not None:
            return Rate(self.of_people.right, self.of_people.people, self.confidence)
        if self.judged != "claims":
            return Rate(self.right, self.records, self.confidence)
        return self.targets or Rate(self.unique, self.records, self.confidence)

    @property
    def reference(self) -> Rate | float | None:
        """What success is held against: the same attack on controls, or guessing.

        Like is held against like. Where the true persons are known, somebody who is not in the
        data cannot be named rightly at all, and what remains is the chance of a guess.
        """
        if self.told is not None:
            return self.told[1]
        if self.judged != "claims":
            return self.guesses.best if self.guesses else 0.0
        return self.controls if self.targets else None

    @property
    def risk(self) -> Excess | None:
        """(success − reference)/(1 − reference), with its interval; None without a reference."""
        reference = self.reference
        return None if reference is None else excess(self.success, reference)

    @property
    def succeeds(self) -> bool:
        """Whether the attack does better than what it is held against, and not by chance.

        Where links are judged it is enough that those it makes are right more often than guesses,
        however few they are.
        """
        if self.risk is not None and self.risk.shown:
            return True
        if self.judged == "claims" or self.told is not None or self.precision is None:
            return False
        above = excess(self.precision, self.guesses.best if self.guesses else 0.0)
        return above is not None and above.shown

    @property
    def verdict(self) -> str:
        """One or two sentences in plain words."""
        where = f"of {self.register}"
        if not self.unique:
            return (
                f"No record names a single person {where}. Whoever picks one of the candidates is "
                f"right for {self.expected:,.1f} of {self.records:,} records."
            )
        said = f"{self.unique:,} of {self.records:,} records name a single person {where}"
        people = self.of_people
        if people is not None:
            said += f" ({people.named:,} of the {people.people:,} people whose they are)"
        if self.judged == "claims":
            said += "; whether rightly, is not known."
            if self.targets is None or not self.controls:
                return said
            said += (
                f" People in the data are named in {self.targets.value:.1%}, people who are not "
                f"in {self.controls.value:.1%} of cases:"
            )
            because = "the release tells who is in it", "no more than chance"
        else:
            by = "" if self.judged == "truth" else ", judged by the values they tell"
            said += f", {self.right:,} of them rightly{by}"
            said += ":" if people is None else f" ({people.right:,} people):"
            alike = (
                "this cannot be told from guessing" if self.right else "no more than guessing finds"
            )
            because = "people are found", alike
        return f"{said} {because[0] if self.succeeds else because[1]}."

    def plot(self) -> str:
        """Draw the records by how many candidates they have, as SVG."""
        rows = [("one candidate", self.unique), *self.sizes.items(), ("none", self.none)]
        return bars("Records by their candidates", [n for n, _ in rows], [v for _, v in rows])

    def __repr__(self) -> str:
        head, *_ = self._lines()
        said = [head, f"  one candidate        {self.unique:>9,}"]
        if self.judged != "claims":
            said.append(f"    right              {self.right:>9,}")
        said += [
            f"  several candidates   {self.ambiguous:>9,}",
            f"  none                 {self.none:>9,}",
            f"  expected right       {self.expected:>9,.1f}, at most {self.largest:.3f} a record",
        ]
        if self.risk is not None:
            said.append(f"  risk                 {self.risk}")
        return folded([*said, self.verdict])

    def _lines(self) -> list[str]:
        lines = [
            f"{self.attack} linking of {self.records:,} records with {self.people:,} people of "
            f"{self.register} on {', '.join(self.attributes)}",
            f"  one candidate        {self.unique:>9,}",
        ]
        if self.judged != "claims":
            lines.append(f"    right              {self.right:>9,}")
            lines.append(f"    wrong              {self.wrong:>9,}")
            if self.unjudged:
                lines.append(f"    not judged         {self.unjudged:>9,}")
        lines.append(f"  several candidates   {self.ambiguous:>9,}")
        lines += [f"    {size:<18} {n:>9,}" for size, n in self.sizes.items() if n]
        lines.append(f"  none                 {self.none:>9,}")
        lines.append(
            f"  expected right       {self.expected:>9,.1f}, at most {self.largest:.3f} a record"
        )
        if self.expected_knowing is not None:
            lines.append(
                f"    knowing who is in  {self.expected_knowing:>9,.1f}, at most "
                f"{self.largest_knowing or 0:.3f} a record"
            )
        people = self.of_people
        if people is not None:
            judged = f", {people.right:,} rightly" if self.judged != "claims" else ""
            lines.append(f"  people named         {people.named:>9,} of {people.people:,}{judged}")
        for name, rate in (
            ("precision", self.precision),
            ("recall", self.recall),
            ("named, in the data", self.targets),
            ("named, not in it", self.controls),
        ):
            if rate is not None:
                lines.append(f"  {name:<20} {rate}")
        if self.guesses is not None:
            lines.append(f"  guessing             {self.guesses.best:.3%} of records")
        if self.risk is not None:
            lines.append(f"  risk                 {self.risk}")
        lines += [f"  {witness}" for witness in self.witnesses[:5]]
        if len(self.witnesses) > 5:
            lines.append(f"  and {len(self.witnesses) - 5} witnesses more")
        lines += [f"  note: {note}" for note in self.notes]
        return [*lines, self.verdict]

    def _tables(self) -> list[Table]:
        rows: list[tuple[object, ...]] = [("one candidate", self.unique)]
        if self.judged != "claims":
            rows += [("  right", self.right), ("  wrong", self.wrong)]
            rows += [("  not judged", self.unjudged)] if self.unjudged else []
        rows.append(("several candidates", self.ambiguous))
        rows += [(f"  {size}", n) for size, n in self.sizes.items() if n]
        rows += [("none", self.none), ("expected right", self.expected)]
        tables = [
            Table(
                f"{self.records:,} records linked with {self.people:,} people of {self.register}",
                ("", "records"),
                rows,
            )
        ]
        rates = [
            (name, rate.value, rate.low, rate.high)
            for name, rate in (
                ("precision", self.precision),
                ("recall", self.recall),
                ("named, in the data", self.targets),
                ("named, not in it", self.controls),
                ("risk", self.risk),
            )
            if rate is not None
        ]
        if self.of_people is not None:
            facts = dict(self.of_people.to_dict())
            tables.append(Table.facts("The same in people, who have several records", facts))
        if rates:
            head = ("", "share", "from", "to")
            formats = dict.fromkeys(head[1:], ".2%")
            tables.append(Table("Rates, with intervals", head, rates, formats))
        return tables

    def _notes(self) -> list[str]:
        return [self.verdict, *self.notes]


def link_outcome(
    links: Links,
    *,
    attack: str,
    register: str,
    attributes: Sequence[str],
    people: int,
    truth: Ints | None = None,
    values: tuple[Verdicts, int | None] | None = None,
    roles: Verdicts | None = None,
    knowing: Floats | None = None,
    guesses: Guesses | None = None,
    names: Callable[[list[int]], list[str]] | None = None,
    notes: Sequence[str] = (),
    confidence: float = 0.95,
    first: Ints | None = None,
    whose: Ints | None = None,
) -> LinkOutcome:
    """Count and judge what an attack claims.

    Parameters
    ----------
    people
        How many rows the register has.
    truth
        The register's row of each record's person, `NOBODY`, or `UNKNOWN`.
    values
        Without truth: whether the values that the record tells are those of the person named
        (`RIGHT`, `WRONG`, `UNKNOWN`), and of how many controls they are by chance.
    roles
        For every person of the register `TARGET` (in the data), `CONTROL` (certainly not) or
        `UNKNOWN`. By default those that the truth names, if it is known for all records.
    knowing
        The certainty of somebody who knows who of the register is in the data.
    names
        Gives the names of rows of the register; by default their numbers.
    first
        The first row of the person of each row, where people have several; links and truth name
        first rows alone.
    whose
        The person of each released record, where people have several; -1 where it is not known.

    >>> links = Links.equal_chances(np.array([1, 1, 2, 0]), np.array([0, 3, -1, -1]))
    >>> link_outcome(links, attack="exact", register="voters", attributes=["zip"], people=10,
    ...              truth=np.array([0, 1, 2, -1])).verdict
    '2 of 4 records name a single person of voters, 1 of them rightly: people are found.'
    """
    candidates = links.candidates
    unique = candidates == 1
    verdicts = np.full(len(candidates), UNKNOWN, dtype=np.int8)
    judged: Judged = "claims"
    told: tuple[Rate, Rate] | None = None
    if truth is not None:
        judged, verdicts = "truth", verdicts_by_truth(links, truth)
        if roles is None and not (truth == UNKNOWN).any():
            roles = np.zeros(people, dtype=np.int8)
            roles[truth[truth >= 0]] = TARGET
    elif values is not None:
        judged, verdicts = "values", values[0]
    targets = controls = None
    roles = only_first_rows(roles, first)
    if roles is not None:
        named = np.zeros(people, dtype=bool)
        named[links.person[unique]] = True
        targets = _share(named, roles == TARGET, confidence)
        controls = _share(named, roles == CONTROL, confidence)
        if judged == "values" and values is not None and values[1] is not None:
            rightly = np.zeros(people, dtype=bool)
            rightly[links.person[verdicts == RIGHT]] = True
            found = _share(rightly, roles == TARGET, confidence)
            if found is not None and controls is not None:
                told = found, Rate(values[1], controls.trials, confidence)
    return LinkOutcome(
        attack=attack,
        register=register,
        attributes=tuple(attributes),
        records=len(candidates),
        people=people if first is None else len(np.unique(first)),
        unique=int(unique.sum()),
        ambiguous=int((candidates > 1).sum()),
        none=int((candidates == 0).sum()),
        sizes=_sizes(candidates),
        judged=judged,
        right=int((verdicts == RIGHT).sum()),
        wrong=int((verdicts == WRONG).sum()),
        unjudged=int((unique & (verdicts == UNKNOWN)).sum()),
        findable=None if truth is None else int((truth >= 0).sum()),
        expected=float(links.certainty.sum()),
        largest=float(links.certainty.max(initial=0.0)),
        expected_knowing=None if knowing is None else float(knowing.sum()),
        largest_knowing=None if knowing is None else float(knowing.max(initial=0.0)),
        guesses=guesses,
        targets=targets,
        controls=controls,
        told=told,
        of_people=None if whose is None else count_people(links, verdicts, whose),
        witnesses=witnesses_of(links, verdicts, names),
        notes=tuple(notes),
        confidence=confidence,
    )


def _share(named: Bools, who: Bools, confidence: float) -> Rate | None:
    trials = int(who.sum())
    return Rate(int((named & who).sum()), trials, confidence) if trials else None


def _sizes(candidates: Ints) -> dict[str, int]:
    sizes = {}
    for low, high in _BANDS:
        inside = candidates >= low
        if high is not None:
            inside &= candidates <= high
        label = f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"
        sizes[label] = int(inside.sum())
    return sizes
