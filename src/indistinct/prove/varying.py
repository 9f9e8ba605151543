"""What becomes of k if the intruder knows more than the key, or less.

Protection rests on the key, and which attributes belong to it has to be guessed (Sweeney 2001,
section 7). So every other released attribute is taken as known too, in turn, and
the release is counted again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from indistinct.core import (
    Bools,
    ClassSize,
    InputError,
    Ints,
    Missing,
    check_whole,
    did_you_mean,
    progress,
)
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.prove.exposure import Exposure
from indistinct.prove.registers import OWN_PEOPLE, Register
from indistinct.prove.universes import (
    THE_FILE,
    Fewest,
    Universes,
    below,
    people_without,
)
from indistinct.results import Part, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["KnownToo", "Sensitivity", "one_of", "sensitivity", "share"]


TOGETHER = 3
"""Attributes that are added one after another, at most."""


_SHOWN = 8
"""Further attributes that a printed result lists, and that are tried together."""


@dataclass(frozen=True)
class KnownToo(Part):
    """What an intruder gets who knows other attributes than the key alone.

    Parameters
    ----------
    attributes
        What is known besides the key; in `Sensitivity.without`, what is not known of it.
    against
        Whom records were counted against.
    smallest, below, alone
        The fewest people that a record refers to, records that refer to fewer than k, and
        records that refer to one. A record that refers to nobody is in none of them.
    smallest_before, below_before
        The same for the key alone, counted against the same people.
    """

    attributes: tuple[str, ...]
    against: str
    smallest: int
    below: int
    alone: int
    smallest_before: int
    below_before: int

    @property
    def harm(self) -> tuple[int, int, int, tuple[str, ...]]:
        """What sorts rows, the most harmful first."""
        return self.below_before - self.below, -self.alone, self.smallest, self.attributes


@result
class Sensitivity(Result):
    """How far k depends on the key being right.

    Parameters
    ----------
    base
        The key as it was declared.
    added
        Each further attribute known too, the most harmful first.
    together
        The most harmful attribute, with it the most harmful of the next ones, and so on.
    without
        Each attribute of the key, if the intruder did not know it.
    naming
        Attributes with so many values that whoever knows one knows the record.
    one_more
        For every record, whether it falls below k by some single further attribute.
    links
        For every record, the people that it refers to by the key.
    """

    key: tuple[str, ...]
    k: int
    records: int
    base: KnownToo
    added: tuple[KnownToo, ...]
    together: tuple[KnownToo, ...]
    without: tuple[KnownToo, ...]
    naming: tuple[str, ...] = ()
    one_more: Bools = field(default_factory=lambda: np.zeros(0, bool), repr=False)
    links: Ints = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)

    FACTS = facts("key k records base added together without naming warnings")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the holder should be told before signing."""
        told = []
        for row in self.added:
            if row.below > row.below_before:
                told.append(
                    f"if '{row.attributes[0]}' is known as well, k falls from "
                    f"{row.smallest_before:,} to {row.smallest:,} and {row.below:,} of "
                    f"{self.records:,} records are below {self.k:,}"
                )
        if self.naming:
            told.append(f"whoever knows {one_of(self.naming)} of a person knows the record")
        if self.base.against in (THE_FILE, OWN_PEOPLE):
            told.append(
                f"no register was given: k was counted against {self.base.against}, and may be far "
                "from what it is among all people (Sweeney 2001, section 7)"
            )
        return tuple(told)

    def plot(self) -> str:
        """Draw the records below k if each attribute is known too, as SVG."""
        return bars(
            f"Records below {self.k:,} if there is known",
            ["the key", *(_and(row.attributes) for row in self.added)],
            [self.base.below, *(row.below for row in self.added)],
        )

    def _lines(self) -> list[str]:
        base = self.base
        lines = [
            f"key {', '.join(self.key)}: k = {base.smallest:,} against {base.against}, "
            f"{base.below:,} of {self.records:,} records below {self.k:,}"
        ]
        wide = max((len(_and(r.attributes)) for r in (*self.added, *self.together)), default=0)
        lines += [f"  known too: {self._line(row, wide)}" for row in self.added[:_SHOWN]]
        if len(self.added) > _SHOWN:
            lines.append(f"  and {len(self.added) - _SHOWN} further attributes that harm less")
        lines += [f"  together:  {self._line(row, wide)}" for row in self.together[1:]]
        if self.naming:
            lines.append(f"  names each record: {', '.join(self.naming)}")
        lines += [
            f"  without {row.attributes[0]}: k = {row.smallest:,}, {row.below:,} below {self.k:,}"
            for row in self.without
        ]
        return lines

    def _line(self, row: KnownToo, wide: int) -> str:
        against = "" if row.against == self.base.against else f", against {row.against}"
        return (
            f"{_and(row.attributes):{wide}} k {row.smallest_before:,} → {row.smallest:,}, "
            f"{row.below:,} below {self.k:,} ({share(row.below, self.records)}), "
            f"{row.alone:,} alone{against}"
        )

    def _tables(self) -> list[Table]:
        found = [("the key", self.base), *((_and(r.attributes), r) for r in self.added)]
        found += [(f"{_and(r.attributes)} together", r) for r in self.together[1:]]
        found += [(f"without {row.attributes[0]}", row) for row in self.without]
        below = f"records below {self.k:,}"
        return [
            Table(
                f"What is left of k if other attributes than {', '.join(self.key)} are known",
                ("known", "k", below, "alone", "against"),
                [(name, r.smallest, r.below, r.alone, r.against) for name, r in found],
            )
        ]


def sensitivity(
    engine: Engine,
    release: Source,
    *,
    key: Sequence[str],
    k: ClassSize,
    register: Register | None = None,
    private: Source | None = None,
    others: Sequence[str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    person: str | None = None,
    missing: Missing = "own",
) -> Sensitivity:
    """Count a release again with more known, and with less.

    Records are counted against the register where it has the attributes, else against the people
    of the private file, else in the released file alone. Each row says what k was before, against
    the same people.

    Parameters
    ----------
    key
        What an intruder is believed to know.
    others
        What might be known as well; by default all other columns of the release.
    hierarchies
        What generalised labels stand for, by attribute.
    person
        The column that names the person, which is no attribute to be known.
    missing
        What a missing value of a register is; see `indistinct.prove.expose`.

    >>> import indistinct
    >>> rows = {"sex": ["f"] * 4, "zip": ["0213*"] * 4, "job": ["nurse"] * 3 + ["judge"]}
    >>> with indistinct.open_data(rows) as data:
    ...     sensitivity(data.engine, data.source, key=["sex", "zip"], k=3)
    key sex, zip: k = 4 against the file alone, 0 of 4 records below 3
      known too: job k 4 → 1, 1 below 3 (25.0%), 1 alone
      without sex: k = 4, 0 below 3
      without zip: k = 4, 0 below 3
    """
    check_whole("k", k, 2)
    if not key:
        raise InputError("What may an intruder know? Name the key variables.")
    release.check_columns(key)
    candidates = _candidates(release, key, others, person)
    naming = tuple(
        facts.name
        for facts in engine.describe(release, candidates)
        if 2 * facts.distinct > release.records
    )
    held = person if private is not None and person in private.variables else None
    universes = Universes(
        engine, release, tuple(key), register, private, hierarchies, missing=missing, person=held
    )
    counting = _Counting(universes, k)
    left = [name for name in candidates if name not in naming]
    one_more = np.zeros(release.records, dtype=bool)
    added = []
    for name in progress.each(left, "trying further attributes", unit="attributes"):
        row, few = counting.known_too((name,))
        added.append(row)
        one_more |= few
    added.sort(key=lambda row: row.harm)
    together = added[:1]
    worst = [row.attributes[0] for row in added[:_SHOWN]]
    while together and len(together) < min(TOGETHER, len(worst)):
        so_far = together[-1].attributes
        if together[-1].alone == release.records:
            break  # nothing is left to tell
        rows = [counting.known_too((*so_far, n))[0] for n in worst if n not in so_far]
        together.append(min(rows, key=lambda row: row.harm))
    base = counting.base(universes.against())
    links = base.released.per_record(base.people)
    return Sensitivity(
        tuple(key),
        k,
        release.records,
        counting.row((), universes.against(), base.people, base.released.counts),
        tuple(added),
        tuple(together),
        counting.without(base),
        naming,
        one_more,
        np.asarray(links, dtype=np.int64),
    )


@dataclass(frozen=True, eq=False)
class _Counting:
    """Counts, and what the key alone gives against the same people."""

    universes: Universes
    k: int
    bases: dict[str, Exposure] = field(default_factory=dict)

    def base(self, against: str) -> Exposure:
        if against not in self.bases:
            self.bases[against] = self.universes.count(against)
        return self.bases[against]

    def known_too(self, further: tuple[str, ...]) -> tuple[KnownToo, Bools]:
        """Return what further attributes do, and which records they bring below k."""
        against = self.universes.against(further)
        found = self.universes.count(against, further)
        row = self.row(further, against, found.people, found.released.counts)
        few = found.released.per_record(below(found.people, self.k))
        return row, np.asarray(few, dtype=bool)

    def without(self, base: Exposure) -> tuple[KnownToo, ...]:
        """Return what k would be without each attribute of the key."""
        if len(base.attributes) < 2:
            return ()
        counts = base.released.counts
        against = self.universes.against()
        return tuple(
            self.row((name,), against, people_without(base, name), counts)
            for name in base.attributes
        )

    def row(
        self, attributes: tuple[str, ...], against: str, people: Ints, records: Ints
    ) -> KnownToo:
        base = self.base(against)
        now = Fewest.of(people, records, k=self.k)
        before = Fewest.of(base.people, base.released.counts, k=self.k)
        return KnownToo(
            attributes, against, now.smallest, now.below, now.alone, before.smallest, before.below
        )


def _candidates(
    release: Source, key: Sequence[str], others: Sequence[str] | None, person: str | None
) -> list[str]:
    free = [name for name in release.variables if name not in key and name != person]
    if others is None:
        return free
    for name in others:
        if name not in free:
            raise InputError(
                f"'{name}' must be a column of {release.origin} that is not in the key. "
                f"{did_you_mean(name, free)}"
            )
    return list(dict.fromkeys(others))


def share(part: int, whole: int) -> str:
    """Return a share in per cent, for people."""
    return f"{part / whole:.1%}" if whole else "–"


def _and(names: Sequence[str]) -> str:
    return " + ".join(names)


def one_of(names: Sequence[str]) -> str:
    """Return names as a choice, for people."""
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
