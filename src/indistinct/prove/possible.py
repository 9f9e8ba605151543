"""What released cells leave possible, record by record: for examiners that put cells together.

`Cover` says which values a label may stand for. Here such sets of values have numbers, so that
what several cells leave possible together can be worked out for whole columns, and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from indistinct.core import Bools, Ints, decoded, values_and_codes
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.keys import group_rows, person_of_records
from indistinct.prove.covering import Cover, cover, texts_of
from indistinct.prove.opinion import Trial

__all__ = [
    "NONE_POSSIBLE",
    "Coded",
    "Possible",
    "ValueSets",
    "by_origin",
    "coded",
    "coded_column",
    "people_in_classes",
    "people_of",
]

NONE_POSSIBLE = -1
"""The number of no set: nothing is possible."""


@dataclass(frozen=True, eq=False)
class Coded:
    """A column as the values that occur, None among them where cells are missing, and codes."""

    values: tuple[object, ...]
    codes: Ints = field(repr=False)


def coded_column(source: Source, name: str) -> Coded:
    """Read a column of a file as codes; not-a-number is missing."""
    return coded(source.table([name]).column(0).combine_chunks())


def coded(column: pa.Array) -> Coded:
    """Return cells as codes; not-a-number is missing."""
    column = decoded(column)
    if pa.types.is_floating(column.type):
        column = pa.array(column.to_numpy(zero_copy_only=False), from_pandas=True)
    values, codes = values_and_codes(column)
    return Coded(tuple(values), codes)


class ValueSets:
    """Sets of values by number; the same set has the same number.

    >>> sets = ValueSets()
    >>> a, b = (sets.number(np.array(members)) for members in ([1, 2], [2, 3]))
    >>> sets.members[sets.meet(np.array([a]), np.array([b]))[0]].tolist()
    [2]
    """

    def __init__(self) -> None:
        self.members: list[Ints] = []
        self._numbers: dict[bytes, int] = {}

    def number(self, members: Ints) -> int:
        """Return the number of a set, given by its members in rising order."""
        own = np.ascontiguousarray(members, dtype=np.int64)
        if (known := self._numbers.get(own.tobytes())) is None:
            known = self._numbers[own.tobytes()] = len(self.members)
            self.members.append(own)
        return known

    def meet(self, one: Ints, other: Ints) -> Ints:
        """Return what pairs of sets have in common; -1 where that is nothing, or was before."""
        room = len(self.members) + 1
        pairs, which = np.unique((one + 1) * room + other + 1, return_inverse=True)
        found = np.array([self._common(*divmod(int(pair), room)) for pair in pairs], dtype=np.int64)
        return np.asarray(found[which.reshape(-1)])

    def _common(self, one: int, other: int) -> int:
        if not one or not other:
            return NONE_POSSIBLE
        if one == other:
            return one - 1
        common = np.intersect1d(self.members[one - 1], self.members[other - 1], assume_unique=True)
        return self.number(common) if len(common) else NONE_POSSIBLE


@dataclass(frozen=True, eq=False)
class Possible:
    """What the cells of one released variable leave possible.

    Parameters
    ----------
    cover
        Which values each label meets.
    sets
        The sets by number.
    of_label
        The set of each label; a label that meets no value has one of its own.
    codes
        The label of every record.
    """

    cover: Cover = field(repr=False)
    sets: ValueSets = field(repr=False)
    of_label: Ints = field(repr=False)
    codes: Ints = field(repr=False)

    @classmethod
    def of(
        cls, name: str, released: Coded, values: Sequence[object], hierarchy: Hierarchy | None
    ) -> Possible:
        """Lay the labels beside all values that are known of: the more, the finer the sets."""
        known = [*texts_of(values), *texts_of(released.values)]
        if hierarchy is not None:
            known += hierarchy.values
        told = tuple(dict.fromkeys(text for text in known if text is not None))
        found = cover(released.values, told, name=name, hierarchy=hierarchy)
        sets = ValueSets()
        groups = [sets.number(members) for members in _members(found)]
        of_label = np.array(
            [
                groups[group] if group >= 0 else sets.number(np.array([-1 - label]))
                for label, group in enumerate(found.group_of.tolist())
            ],
            dtype=np.int64,
        )
        return cls(found, sets, of_label, released.codes)

    @property
    def of_record(self) -> Ints:
        """The set of every record."""
        return self.of_label[self.codes]

    @property
    def telling(self) -> Bools:
        """Whether every record's cell says anything."""
        return self.cover.telling[self.codes]


def _members(found: Cover) -> list[Ints]:
    """Return the values of each group of labels."""
    members: list[Ints] = [np.zeros(0, dtype=np.int64)] * len(found.level_of)
    for level in found.levels:
        order = np.argsort(level, kind="stable")
        groups, starts = np.unique(level[order], return_index=True)
        for group, own in zip(groups, np.split(order, starts[1:]), strict=True):
            if group >= 0:
                members[group] = own.astype(np.int64)
    return members


def people_of(trial: Trial) -> Ints | None:
    """Return the person of every released record as a number; None where each is a person.

    The released file may hold the column, or the holder's ledger says which private record it was.
    """
    person, private, origin = trial.promise.person, trial.private, trial.origin
    if person is None:
        return None
    if person in trial.release.variables:
        return person_of_records(trial.engine, trial.release, person)
    if private is None or origin is None:
        return None
    return by_origin(person_of_records(trial.engine, private, person), origin)


def by_origin(numbers: Ints, origin: Ints) -> Ints:
    """Return the private records' numbers for released ones; one that was made up has its own.

    >>> by_origin(np.array([5, 5, 6]), np.array([2, -1, 0])).tolist()
    [6, 8, 5]
    """
    own = int(numbers.max(initial=0)) + 1 + np.arange(len(origin))
    return np.where(origin >= 0, np.append(numbers, 0)[origin], own)


def people_in_classes(codes: Ints, people: Ints | None = None) -> tuple[Ints, Ints]:
    """Return the class of every row of codes, and how many people each class holds.

    >>> classes, people = people_in_classes(np.array([[1], [1], [2]]), np.array([4, 4, 5]))
    >>> classes.tolist(), people.tolist()
    ([0, 0, 1], [1, 1])
    """
    classes = group_rows(codes)
    if people is None:
        return classes, np.bincount(classes)
    room = int(people.max(initial=0)) + 1
    named = np.unique(classes * room + people)
    return classes, np.bincount(named // room, minlength=int(classes.max(initial=-1)) + 1)
