"""Whom to count against: a register, the private data's own people, or the file itself.

What an intruder could know besides the key is rarely in the register that is at hand. Then the
people of the private data stand for the universe, and where there are none of them, the released
file does; both can only make k smaller than it is among all people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from indistinct.core import Bools, Ints, Missing
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.keys import counts_by_row
from indistinct.prove.covering import cover
from indistinct.prove.exposure import Exposure, expose, expose_alone
from indistinct.prove.links import linked_totals
from indistinct.prove.registers import OWN_PEOPLE, Register

__all__ = ["THE_FILE", "Fewest", "Universes", "below", "people_without"]


THE_FILE = "the file alone"


@dataclass(frozen=True)
class Fewest:
    """The fewest people that a record refers to, and how many records refer to few."""

    smallest: int
    below: int
    alone: int

    @classmethod
    def of(cls, people: Ints, records: Ints, *, k: int) -> Fewest:
        """Count, for classes that refer to some people and hold some records.

        A class that refers to nobody is left out.
        """
        linked = people[people > 0]
        return cls(
            int(linked.min()) if len(linked) else 0,
            int(records[below(people, k)].sum()),
            int(records[people == 1].sum()),
        )


def below(people: Ints, k: int) -> Bools:
    """Say which refer to somebody, and to fewer than k people."""
    return (people > 0) & (people < k)


@dataclass(frozen=True, eq=False)
class Universes:
    """A release, and the people whom it can be counted against.

    Parameters
    ----------
    key
        What the intruder is believed to know; a register is asked for what it has of it.
    missing
        See `indistinct.prove.expose`.
    person
        The column of the private data that says whose record each is, if it is known.
    """

    engine: Engine
    release: Source
    key: tuple[str, ...]
    register: Register | None = None
    private: Source | None = None
    hierarchies: Mapping[str, Hierarchy] | None = None
    missing: Missing = "own"
    person: str | None = None

    def against(self, further: Sequence[str] = ()) -> str:
        """Choose the people who can be told apart by the key and further attributes."""
        register = self.register
        if register is not None and self._known_to(register.source, self._shared, further):
            return register.name
        if self.private is not None and self._known_to(self.private, self.key, further):
            return OWN_PEOPLE
        return THE_FILE

    def count(self, against: str, further: Sequence[str] = ()) -> Exposure:
        """Count whom each released class may refer to, with further attributes known."""
        if against == THE_FILE:
            return expose_alone(self.engine, self.release, [*self.key, *further])
        if against == OWN_PEOPLE:
            people, names = self._own_people, self.key
        else:
            people, names = self._listed_people, self._shared
        return expose(
            self.engine,
            self.release,
            people,
            [*names, *further],
            hierarchies=self.hierarchies,
            missing=self.missing,
        )

    @cached_property
    def _own_people(self) -> Register:
        assert self.private is not None
        return Register.of_private(self.private, self.person).with_people(self.engine, self.key)

    @cached_property
    def _listed_people(self) -> Register:
        assert self.register is not None
        return self.register.with_people(self.engine, self.key)

    @cached_property
    def _shared(self) -> tuple[str, ...]:
        held = self.register.source.variables if self.register is not None else ()
        return tuple(name for name in self.key if name in held)

    def _known_to(self, people: Source, key: Sequence[str], further: Sequence[str]) -> bool:
        names = [*key, *further]
        return (
            bool(key)
            and all(name in people.variables for name in names)
            and all(self._readable(people, name) for name in names)
        )

    def _readable(self, people: Source, name: str) -> bool:
        """Say whether released labels can be compared with people's values."""
        place = str(people.path), name
        if place not in self._found:
            found = cover(
                self._values(self.release, name),
                self._values(people, name),
                name=name,
                hierarchy=(self.hierarchies or {}).get(name),
            )
            self._found[place] = not found.apart and not found.unread
        return self._found[place]

    @cached_property
    def _found(self) -> dict[tuple[str, str], bool]:
        return {}

    def _values(self, source: Source, name: str) -> list[object]:
        tally = self.engine.count(source, [name])
        codes = tally.coding.unpack(tally.sorted_words())[0]
        return list(tally.coding.variables[0].decode(codes))


def people_without(exposure: Exposure, name: str) -> Ints:
    """Return the people of each released class if one attribute were not known.

    What was counted already is added up; nothing is read again.
    """
    j = exposure.attributes.index(name)
    codes = np.delete(exposure.released.codes, j, axis=1)
    if exposure.known is None:
        return counts_by_row(codes, exposure.released.counts)
    values = np.delete(exposure.known.codes, j, axis=1)
    covers = [found for found in exposure.covers if found.name != name]
    if exposure.several is not None:
        return exposure.several.met(codes, values, covers, missing=exposure.missing)
    people = exposure.known.counts[:, None]
    return linked_totals(codes, values, covers, people, missing=exposure.missing)[:, 0]
