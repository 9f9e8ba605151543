"""How many people a released key may refer to, where people have several rows in a register.

A person with one combination of the attributes is counted by adding up. Of a person with several,
a released key may meet more than one, and she is still one: these are counted pair by pair, for
the keys that otherwise refer to the fewest. Where that would be too much work, a key is said to
refer to no more people than it must.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indistinct.core import Ints, Missing
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import person_of_records
from indistinct.prove.covering import Cover
from indistinct.prove.links import linked_pairs, linked_totals, members_of_groups

__all__ = ["PeopleOfClasses"]


MOST_PAIRS = 20_000_000
"""Pairs of a released key and a person's combination that are looked at, at most."""
PAIRS_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class PeopleOfClasses:
    """Whose rows the classes of a register hold.

    Parameters
    ----------
    by_class
        How many people have a row in each class.
    classes, people
        Pairs of a class and a person who has a row in it, each once.
    """

    by_class: Ints
    classes: Ints
    people: Ints

    @classmethod
    def of(
        cls, engine: Engine, source: Source, person: str, class_of: Ints, number: int
    ) -> PeopleOfClasses:
        """Find them for records of which the classes are known, of so many classes."""
        whose = person_of_records(engine, source, person)
        size = int(whose.max(initial=0)) + 1
        classes, people = np.divmod(np.unique(class_of * size + whose), size)
        return cls(np.bincount(classes, minlength=number).astype(np.int64), classes, people)

    def met(self, labels: Ints, values: Ints, covers: Sequence[Cover], *, missing: Missing) -> Ints:
        """Return how many people each released key may refer to.

        Parameters
        ----------
        labels, values, covers, missing
            As `indistinct.prove.links.linked_totals` takes them.
        """
        units = np.bincount(self.people)
        several = units[self.people] > 1
        amounts = np.stack(
            [
                np.bincount(self.classes[which], minlength=len(values))
                for which in (~several, several)
            ],
            axis=1,
        ).astype(np.int64)
        once, again = linked_totals(labels, values, covers, amounts, missing=missing).T
        found: Ints = once + -(-again // max(1, int(units.max(initial=1))))
        todo = np.flatnonzero(again > 1)
        todo = todo[np.argsort(once[todo], kind="stable")]
        todo = todo[np.cumsum(again[todo]) <= MOST_PAIRS]
        held = np.unique(self.classes[several])
        place = np.full(len(values), -1, dtype=np.int64)
        place[held] = np.arange(len(held))
        of_class, of_person = place[self.classes[several]], self.people[several]
        for keys in _batches(todo, again[todo]):
            pairs: list[Ints] = []
            for key, value in linked_pairs(labels[keys], values[held], covers, missing=missing):
                at, which = members_of_groups(value, of_class, groups=len(held))
                pairs.append(key[at] * (int(units.size) + 1) + of_person[which])
            met = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *pairs]))
            whose = np.bincount(met // (int(units.size) + 1), minlength=len(keys))
            found[keys] = once[keys] + whose
        return found


def _batches(keys: Ints, pairs: Ints) -> list[Ints]:
    """Part keys such that each part has few pairs."""
    parts = np.cumsum(pairs) // PAIRS_AT_ONCE
    return [keys[parts == part] for part in np.unique(parts)]
