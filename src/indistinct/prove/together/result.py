"""What several releases tell together: the answer, and the records that prove it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from indistinct.results import Part, Shown, Table, facts
from indistinct.results.figures import bars

__all__ = [
    "Apart",
    "Given",
    "Joined",
    "Pinned",
    "Restored",
    "Together",
    "TogetherWitness",
]


@dataclass(frozen=True)
class Given(Part):
    """One of the releases: what it promised, and what it keeps by itself and beside the others.

    Parameters
    ----------
    alone, together
        The fewest people left for a record of it, by itself and with all the others.
    below
        Records that are left with fewer people than promised when releases are put together.
    below_alone
        How many of them are so already without the others.
    nobody
        Records that meet nobody in the register, which are not counted.
    """

    name: str
    key: tuple[str, ...]
    records: int
    promised: int | None
    alone: int
    together: int
    below: int
    below_alone: int
    nobody: int = 0


@dataclass(frozen=True)
class Joined(Part):
    """Two of the releases, what they were joined on, and the records below by this pair alone."""

    names: tuple[str, str]
    shared: tuple[str, ...]
    below: int

    def __repr__(self) -> str:
        on = f"joined on {', '.join(self.shared)}" if self.shared else "nothing in common"
        return f"{self.names[0]} with {self.names[1]}: {on}; {_records(self.below)} below"


@dataclass(frozen=True)
class Restored(Part):
    """An attribute that one release hides or coarsens and another tells, for so many records."""

    attribute: str
    release: str
    by: str
    records: int

    def __repr__(self) -> str:
        return (
            f"{self.attribute}, not told in {self.release}, is known from {self.by} for "
            f"{_records(self.records)}"
        )


@dataclass(frozen=True)
class Apart(Part):
    """Records of one release that meet none of another: people who came or left.

    `in_small_groups` counts those that share their key with fewer others of them than promised.
    Whoever knows that a person is in one release only finds her among these alone.
    """

    release: str
    other: str
    records: int
    in_small_groups: int

    def __repr__(self) -> str:
        return (
            f"{_records(self.records)} of {self.release} meet none of {self.other}, "
            f"{self.in_small_groups:,} of them in groups that are too small"
        )


@dataclass(frozen=True)
class Pinned(Part):
    """People for whom only one value of a sensitive attribute is left that all releases allow.

    Parameters
    ----------
    people
        People who meet a record in every release that has the attribute.
    pinned
        Those with one value left although each release by itself allows several.
    already
        Those with one value in a single release.
    contradicted
        Those with no value left: they are not in all releases, or their value has changed.
    """

    attribute: str
    releases: tuple[str, ...]
    people: int
    pinned: int
    already: int
    contradicted: int

    def __repr__(self) -> str:
        return (
            f"{self.attribute}: of {self.people:,} people in {' and '.join(self.releases)}, "
            f"{self.pinned:,} have one value left that all allow"
        )


@dataclass(frozen=True)
class TogetherWitness(Part):
    """A record for which too few people are left, and the records of other releases it meets.

    Parameters
    ----------
    release, record
        The release, and the record's number in it, from 1.
    partners
        For every other release the number of its first partner there, from 1.
    partner_keys
        In how many different keys these partners lie.
    left, alone
        People left by all releases, and by its own.
    people
        Rows of the register that are left, from 1; at most five.
    """

    release: str
    record: int
    partners: Mapping[str, int]
    partner_keys: Mapping[str, int]
    left: int
    alone: int
    people: tuple[int, ...] = ()

    def __repr__(self) -> str:
        met = " and ".join(f"record {number:,} of {name}" for name, number in self.partners.items())
        with_whom = f" with {met}" if met else ""
        who = f" (row {', '.join(f'{row:,}' for row in self.people)})" if self.people else ""
        people = "1 person" if self.left == 1 else f"{self.left:,} people"
        return (
            f"record {self.record:,} of {self.release}{with_whom}: {people} left{who}, "
            f"{self.alone:,} alone"
        )


@dataclass(frozen=True)
class Together(Part, Shown):
    """What several releases of the same people tell when they are put together.

    Parameters
    ----------
    releases
        Each release by itself and beside the others.
    promise
        The largest k that one of them promised.
    k
        The fewest people left for a record of any of them; without people to ask, at least so
        many.
    below
        Records with fewer people left than the promise.
    unresolved
        How many of these could not be counted to the end.
    pairs, restored, apart, pinned
        Which releases did it; which attributes they restore; records of one release only; people
        whose sensitive value is known.
    people
        Who was counted: a register's name, or None where the records themselves were.
    """

    releases: tuple[Given, ...]
    promise: int
    k: int
    below: int
    pairs: tuple[Joined, ...]
    restored: tuple[Restored, ...] = ()
    apart: tuple[Apart, ...] = ()
    pinned: tuple[Pinned, ...] = ()
    witnesses: tuple[TogetherWitness, ...] = ()
    people: str | None = None
    same_people: bool = False
    unresolved: int = 0
    notes: tuple[str, ...] = field(default=())

    FACTS = facts(
        "holds k promise below unresolved people same_people sentence releases pairs",
        "restored apart pinned witnesses notes",
    )

    @property
    def holds(self) -> bool:
        """Whether every record is still left with as many people as were promised."""
        return self.below == 0

    @property
    def sentence(self) -> str:
        """The answer in one line."""
        names = " and ".join(given.name for given in self.releases)
        if self.holds:
            return f"{names} together leave at least {self.k:,} people for every record"
        records = sum(given.records for given in self.releases)
        already = sum(given.below_alone for given in self.releases)
        said = (
            f"{names} together leave fewer than {self.promise:,} people for {self.below:,} of "
            f"{records:,} records (at the least {self.k:,})"
        )
        return f"{said}; {already:,} of them without being put together" if already else said

    def plot(self) -> str:
        """Draw the fewest people left by each release alone and together, as SVG."""
        return bars(
            "Fewest people left for a record",
            [given.name for given in self.releases],
            [given.alone for given in self.releases],
            beside=[given.together for given in self.releases],
            names=("alone", "together"),
        )

    def __repr__(self) -> str:
        return self._short()

    def _lines(self) -> list[str]:
        counted = self.people or "the records of the releases"
        lines = [self.sentence, f"  people         {counted}"]
        lines += [
            f"  {given.name}: k={given.alone:,} alone, {given.together:,} together"
            + (f", {given.promised:,} promised" if given.promised is not None else "")
            for given in self.releases
        ]
        for title, parts in (
            ("joined", self.pairs),
            ("restored", self.restored),
            ("apart", self.apart),
            ("sensitive", self.pinned),
            ("witness", self.witnesses),
        ):
            lines += [f"  {title:<14} {part!r}" for part in parts]
        lines += [f"  note           {note}" for note in self.notes]
        return lines

    def _tables(self) -> list[Table]:
        tables = [
            Table(
                "The releases by themselves and together",
                ("release", "records", "promised", "k alone", "k together", "records below"),
                [
                    (g.name, g.records, g.promised, g.alone, g.together, g.below)
                    for g in self.releases
                ],
            )
        ]
        for title, parts in (
            ("Joined", self.pairs),
            ("Restored", self.restored),
            ("Apart", self.apart),
            ("Sensitive", self.pinned),
            ("Witnesses", self.witnesses),
        ):
            if parts:
                tables.append(Table(title, ("what",), [(repr(part),) for part in parts]))
        return tables


def _records(number: int) -> str:
    return "1 record" if number == 1 else f"{number:,} records"
