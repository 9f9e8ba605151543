"""The answer about a sensitive variable: how many people's value is told, and how surely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from indistinct.prove.attacks.rates import Excess, Rate, excess
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["AttributeDisclosure", "DisclosureWitness", "Intervals", "SensitiveKind", "Shares"]

SensitiveKind = Literal["number", "category"]


@dataclass(frozen=True)
class DisclosureWitness(Part):
    """People whose value is told for certain by several records.

    `who` are record numbers (from 1), or with a register its people: at most twenty of `people`.
    """

    who: tuple[str, ...]
    named: bool
    people: int
    records: int
    value: str
    prior: float

    FACTS = facts(
        Fact("*", lambda found: {"people" if found.named else "records": found.who}, spread=True),
        Fact("number", "people"),
        Fact("linked_records", "records"),
        "value prior",
    )

    def __repr__(self) -> str:
        more = self.people - len(self.who)
        said = ", ".join(self.who) + (f" and {more:,} more" if more > 0 else "")
        return (
            f"{said if self.named else f'records {said}'}: '{self.value}' for certain (prior "
            f"{self.prior:.1%}, {self.records:,} records)".replace("%", " %")
        )


@dataclass(frozen=True)
class Shares(Part):
    """How likely values are among the records that may be somebody's.

    Parameters
    ----------
    surprises
        By posterior: people of whom a value is believed that much which was unlikely before.
    mean_gain
        The rise of belief above the prior, for a mean person and the value that rises most.
    fewest_values, least_effective, mean_effective
        l-diversity of these records: distinct values, and exp(entropy).
    """

    surprises: dict[float, int]
    mean_gain: float
    fewest_values: int
    least_effective: float
    mean_effective: float

    FACTS = facts(
        Fact("surprises", lambda found: {f"{level:g}": n for level, n in found.surprises.items()}),
        "mean_gain fewest_values least_effective mean_effective",
    )


@dataclass(frozen=True)
class Intervals(Part):
    """How closely a number is told: `narrow` people within that `share` of the file's `span`.

    `median` is the width of the interval left to the median person, as a share of the span.
    """

    span: float
    share: float
    narrow: int
    median: float


@result(eq=True)
class AttributeDisclosure(Result):
    """What a release tells of a sensitive variable about people whose key is known.

    Parameters
    ----------
    people, linked
        People looked at, and those of them to whom some released record may belong.
    alone
        People to whom one record only may belong: told by a link.
    homogeneous, homogeneous_classes
        People, and their classes, to whom several records may belong that all tell one value.
    shares, intervals
        How likely values are among the records that may be somebody's; for numbers, how closely
        these are told.
    attack, control
        How often the guess is right about people in the release, and about people who are not.
        For numbers: how often the value lies in an interval that is narrow.
    attack_certain, control_certain
        How often it is right and the posterior is at least `certain` (numbers: one value).
    baseline
        How often the file's commonest value is right.
    """

    release: str
    register: str | None
    key: tuple[str, ...]
    sensitive: str
    kind: SensitiveKind
    records: int
    people: int
    linked: int
    alone: int
    homogeneous: int
    homogeneous_classes: int
    certain: float
    unlikely: float
    shares: Shares | None = None
    intervals: Intervals | None = None
    baseline: Rate | None = None
    attack: Rate | None = None
    control: Rate | None = None
    attack_certain: Rate | None = None
    control_certain: Rate | None = None
    witnesses: tuple[DisclosureWitness, ...] = ()
    notes: tuple[str, ...] = ()

    FACTS = facts(
        "release register key sensitive kind records people linked told alone homogeneous",
        "homogeneous_classes certain unlikely shares intervals baseline attack control risk",
        "attack_certain control_certain risk_certain verdict witnesses notes",
    )

    @property
    def told(self) -> int:
        """People whose value is told for certain, by one record or by several."""
        return self.alone + self.homogeneous

    @property
    def risk(self) -> Excess | None:
        """How much better the guess is about people in the release than about the control."""
        if self.attack is None or self.control is None:
            return None
        return excess(self.attack, self.control)

    @property
    def risk_certain(self) -> Excess | None:
        """The same for guesses that are made with certainty."""
        if self.attack_certain is None or self.control_certain is None:
            return None
        return excess(self.attack_certain, self.control_certain)

    @property
    def verdict(self) -> str:
        """One or two sentences in plain words."""
        of = f"of {self.people:,} people"
        if not self.told:
            said = f"'{self.sensitive}' is told for certain {of.replace('of', 'of none of', 1)}."
        else:
            said = f"'{self.sensitive}' is told for certain of {self.told:,} {of}"
            said += f", of {self.homogeneous:,} although several records may be theirs."
        if self.risk is not None and self.attack is not None and self.control is not None:
            said += (
                f" A guess is right about {self.attack.value:.1%} of the people in the release and "
                f"about {self.control.value:.1%} of others: "
            )
            said += (
                "being in it makes the difference."
                if self.risk.shown
                else "what is learnt holds for everybody, in the release or not."
            )
        return said

    def plot(self) -> str:
        """Draw how many people are told for certain, by one record and by several, as SVG."""
        return bars(
            f"People whose '{self.sensitive}' is told for certain",
            ["by a single record", "by several that agree", "not for certain"],
            [self.alone, self.homogeneous, self.people - self.told],
        )

    def _lines(self) -> list[str]:
        where = f"people of {self.register}" if self.register else "people by released key"
        lines = [
            f"'{self.sensitive}' of {self.people:,} {where}, knowing {', '.join(self.key)}",
            f"  a record may be theirs     {self.linked:>9,}",
            f"  told by a single record    {self.alone:>9,}",
            f"  told by several that agree {self.homogeneous:>9,} in "
            f"{self.homogeneous_classes:,} classes",
        ]
        if self.shares is not None:
            shares = self.shares
            lines += [
                f"  believed {level:>4.0%} or more      {n:>9,}, believed {self.unlikely:.0%} at "
                "most before"
                for level, n in shares.surprises.items()
            ]
            lines += [
                f"  belief rises by            {shares.mean_gain:>9.3f} for a mean person",
                f"  values left open           {shares.fewest_values:>9,} at least; as many as "
                f"{shares.least_effective:.2f} equal ones at least, {shares.mean_effective:.2f} on "
                "average",
            ]
        if self.intervals is not None:
            lines.append(
                f"  within {self.intervals.share:.0%} of the span     {self.intervals.narrow:>9,}; "
                f"median interval {self.intervals.median:.1%} of {self.intervals.span:,g}"
            )
        for name, rate in (
            ("guessed rightly", self.attack),
            ("  not in the release", self.control),
            ("  by the commonest value", self.baseline),
            ("  risk", self.risk),
            ("rightly and for certain", self.attack_certain),
            ("  not in the release", self.control_certain),
            ("  risk", self.risk_certain),
        ):
            if rate is not None:
                lines.append(f"  {name:<26} {rate}")
        lines += [f"  {witness}" for witness in self.witnesses[:5]]
        if len(self.witnesses) > 5:
            lines.append(f"  and {len(self.witnesses) - 5} witnesses more")
        lines += [f"  note: {note}" for note in self.notes]
        return [*lines, self.verdict]

    def _tables(self) -> list[Table]:
        facts: dict[str, object] = {
            "people": self.people,
            "a record may be theirs": self.linked,
            "told by a single record": self.alone,
            "told by several that agree": self.homogeneous,
        }
        if self.shares is not None:
            for level, number in self.shares.surprises.items():
                facts[f"believed {level:.0%} or more, {self.unlikely:.0%} at most before"] = number
            facts["belief rises by, mean"] = self.shares.mean_gain
            facts["values left open, at least"] = self.shares.fewest_values
        if self.intervals is not None:
            facts[f"within {self.intervals.share:.0%} of the span"] = self.intervals.narrow
        tables = [Table.facts(f"'{self.sensitive}', knowing {', '.join(self.key)}", facts)]
        rates = [
            (name, rate.value, rate.low, rate.high)
            for name, rate in (
                ("guessed rightly", self.attack),
                ("not in the release", self.control),
                ("by the commonest value", self.baseline),
                ("risk", self.risk),
            )
            if rate is not None
        ]
        if rates:
            head = ("", "share", "from", "to")
            formats = dict.fromkeys(head[1:], ".1%")
            tables.append(Table("Guesses, with intervals", head, rates, formats))
        return tables

    def _notes(self) -> list[str]:
        return [self.verdict, *self.notes]
