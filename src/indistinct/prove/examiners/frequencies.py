"""Codes read by counting: equal values that have equal codes are as frequent as their codes.

Encryption and made-up values that are one to one leave every frequency as it was. Whoever knows
how frequent values are, alone and together with what else is known of people, lays the counts
beside each other: a code can only stand for a value with the same profile, which is how often it
occurs with each combination of the other variables. Profiles are refined in turn, each by what is
found of the others, until nothing changes. Codes that occur once each in a crowd stay unread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indistinct.keys import KeyTable, group_rows
from indistinct.prove.cover import Cover, cover
from indistinct.prove.links import linked_totals
from indistinct.prove.opinion import Opinion, Trial

__all__ = ["examine_frequencies"]

IntArray = NDArray[np.int64]
ROUNDS = 10
"""How often profiles are refined by each other."""


def examine_frequencies(trial: Trial) -> Opinion:
    """Find the codes that frequencies read, and whom they lead to.

    >>> import indistinct
    >>> from indistinct.prove import Promise
    >>> promise = Promise(key=("town",), k=2, encrypted=("town",))
    >>> with indistinct.open_data({"town": ["x9", "x9", "q1"]}) as data:
    ...     private = indistinct.files.open_table({"town": ["Ely", "Bath", "Ely"]},
    ...         workspace=data.engine.workspace, origin="private")
    ...     found = examine_frequencies(Trial(data.engine, data.source, promise, private))
    >>> found.findings
    ("frequencies read the codes of 'town': 1 of 3 records then lead to fewer than 2 people",)
    """
    promise, release, private = trial.promise, trial.release, trial.private
    altered = [
        name
        for name in dict.fromkeys((*promise.encrypted, *promise.substituted))
        if name in release.variables and name not in promise.perturbed
    ]
    found = Opinion()
    if not altered or not release.records:
        return found
    if repeated := [name for name in altered if _repeats(trial, name)]:
        found = found.reserving(
            "encrypted",
            f"equal values of {', '.join(repeated)} have equal codes, so that whoever knows how "
            "frequent the values are may read some",
        )
    if private is None:
        return found
    held = [name for name in altered if name in private.variables]
    naming = [
        name
        for name in held
        if name in promise.substituted or private.variables[name].role == "identifier"
    ]
    known = [name for name in held if name in promise.key]
    if known:
        found = _key_read(found, trial, known)
    for name in naming:
        if name not in promise.key:
            found = _names_read(found, trial, name)
    for name in held:
        if name not in known and name not in naming:
            found = _values_read(found, trial, name)
    return found


def _repeats(trial: Trial, name: str) -> bool:
    """Say whether a code occurs more than once, in which case it can be counted."""
    table = KeyTable.from_tally(trial.engine.count(trial.release, [name]))
    return bool((table.counts > 1).any()) and len(table.counts) > 1


def _key_read(found: Opinion, trial: Trial, altered: Sequence[str]) -> Opinion:
    """Link with what the codes of the key may stand for, and count whom records lead to."""
    promise = trial.promise
    sides = _Sides.of(trial, promise.key, altered)
    sides.refine(altered)
    read = np.zeros(len(sides.released.counts), dtype=bool)
    for name in altered:
        j = promise.key.index(name)
        met = np.isin(sides.labels[j], sides.values[j])
        read |= met[sides.released.codes[:, j]]
    people = sides.linked_people()
    few = read & (people > 0) & (people < promise.k)
    records = int(sides.released.counts[few].sum())
    if not records:
        return found
    named = ", ".join(f"'{name}'" for name in altered)
    return found.finding(
        f"frequencies read the codes of {named}: {records:,} of {trial.release.records:,} "
        f"records then lead to fewer than {promise.k:,} people"
    )


def _names_read(found: Opinion, trial: Trial, name: str) -> Opinion:
    """Count how many people have the profile of a code that stands for a person."""
    promise = trial.promise
    plain = [n for n in promise.key if n not in (*promise.encrypted, *promise.substituted)]
    sides = _Sides.of(trial, (name, *plain), [name])
    sides.refine([name])
    people = np.bincount(sides.values[0], minlength=int(sides.labels[0].max(initial=0)) + 1)
    few = people[sides.labels[0]]
    told = np.array([text is not None for text in sides.texts], dtype=bool)
    bad = told & (few > 0) & (few < promise.k)
    records = int(sides.released.counts[bad[sides.released.codes[:, 0]]].sum())
    if not records:
        return found
    return found.finding(
        f"the made-up values of '{name}' tie records together: by what is known of people, "
        f"{records:,} of {trial.release.records:,} records lead to fewer than {promise.k:,}"
    )


def _values_read(found: Opinion, trial: Trial, name: str) -> Opinion:
    """Count the records whose code has a frequency that one value alone has."""
    sides = _Sides.of(trial, (name,), [name])
    sides.refine([name])
    values = np.bincount(sides.values[0], minlength=int(sides.labels[0].max(initial=0)) + 1)
    read = values[sides.labels[0]] == 1
    records = int(sides.released.counts[read[sides.released.codes[:, 0]]].sum())
    if not records:
        return found
    sentence = (
        f"frequencies read the codes of '{name}' in {records:,} of {trial.release.records:,} "
        "records"
    )
    if name in trial.promise.sensitive:
        return found.finding(sentence)
    return found.reserving("encrypted", sentence)


@dataclass(eq=False)
class _Side:
    """Classes of one file: codes, counts, and the values by code of each variable."""

    codes: IntArray
    counts: IntArray
    values: list[tuple[object, ...]]

    @classmethod
    def of(cls, trial: Trial, which: str, names: Sequence[str]) -> _Side:
        source = trial.release if which == "release" else trial.private
        assert source is not None
        table = KeyTable.from_tally(trial.engine.count(source, names))
        columns, values = [], []
        for j, coding in enumerate(table.coding.variables):
            present, column = np.unique(table.codes[:, j], return_inverse=True)
            columns.append(column.reshape(-1).astype(np.int64))
            values.append(tuple(coding.decode(present)))
        return cls(np.stack(columns, axis=1), table.counts, values)


@dataclass(eq=False)
class _Sides:
    """Release and private data by the same variables, with a *colour* for every label and value.

    A label and a value of different colours cannot be the same. A variable whose labels overlap
    has one colour for all: it tells nothing here, and links by its cover.
    """

    names: tuple[str, ...]
    released: _Side
    known: _Side
    labels: list[IntArray]
    values: list[IntArray]
    covers: list[Cover | None]

    @classmethod
    def of(cls, trial: Trial, names: Sequence[str], altered: Sequence[str]) -> _Sides:
        released, known = _Side.of(trial, "release", names), _Side.of(trial, "private", names)
        labels, values, covers = [], [], []
        for j, name in enumerate(names):
            found = None
            own = np.zeros(len(released.values[j]), dtype=np.int64)
            theirs = np.zeros(len(known.values[j]), dtype=np.int64)
            if name not in altered:
                hierarchy = trial.hierarchies.get(name)
                found = cover(released.values[j], known.values[j], name=name, hierarchy=hierarchy)
                whole = len(found.levels) == 1 and (found.levels[0] >= 0).all()
                if whole and (found.group_of >= 0).all():
                    own, theirs = found.group_of, found.levels[0]
            labels.append(own)
            values.append(theirs)
            covers.append(found)
        return cls(tuple(names), released, known, labels, values, covers)

    @property
    def texts(self) -> tuple[object, ...]:
        """The labels of the first variable, None where there is none."""
        return self.released.values[0]

    def refine(self, altered: Sequence[str]) -> None:
        """Tell codes and values apart by how often they occur with each colour of the others."""
        places = [self.names.index(name) for name in altered]
        for _ in range(ROUNDS):
            before = self._colours()
            for j in places:
                self._refine_one(j)
            if self._colours() == before:
                return

    def _colours(self) -> int:
        both = zip(self.labels, self.values, strict=True)
        return sum(len(np.unique(np.append(a, b))) for a, b in both)

    def _refine_one(self, j: int) -> None:
        others = [i for i in range(len(self.names)) if i != j]
        rows = [
            np.stack([colours[i][side.codes[:, i]] for i in others], axis=1)
            if others
            else np.zeros((len(side.counts), 1), dtype=np.int64)
            for side, colours in ((self.released, self.labels), (self.known, self.values))
        ]
        place = group_rows(np.concatenate(rows))
        mark = np.random.default_rng(0).integers(1, 2**63, size=len(place), dtype=np.uint64)
        # a profile is a sum of random words that wraps around: equal profiles have equal sums
        profiles = []
        first = 0
        for side, colours in ((self.released, self.labels), (self.known, self.values)):
            here = place[first : first + len(side.counts)]
            first += len(side.counts)
            own = np.zeros(len(colours[j]), dtype=np.uint64)
            np.add.at(own, side.codes[:, j], side.counts.astype(np.uint64) * mark[here])
            profiles.append(own)
        _, colour = np.unique(np.concatenate(profiles), return_inverse=True)
        colour = colour.reshape(-1).astype(np.int64)
        self.labels[j], self.values[j] = np.split(colour, [len(profiles[0])])

    def linked_people(self) -> IntArray:
        """Return for each released class the people whom it may be about."""
        covers = []
        for j, name in enumerate(self.names):
            found = self.covers[j]
            if found is None:
                found = _by_colour(name, self.labels[j], self.values[j])
            covers.append(found.ignoring_unmet())
        counts = self.known.counts[:, None]
        return linked_totals(self.released.codes, self.known.codes, covers, counts)[:, 0]


def _by_colour(name: str, labels: IntArray, values: IntArray) -> Cover:
    """Return the cover in which a label meets the values of its colour."""
    shared = np.unique(values)
    group_of = np.where(np.isin(labels, shared), np.searchsorted(shared, labels), -1)
    return Cover(
        name,
        tuple(map(str, range(len(labels)))),
        tuple(map(str, range(len(values)))),
        group_of.astype(np.int64),
        np.zeros(len(shared), dtype=np.int64),
        (np.searchsorted(shared, values).astype(np.int64),),
        np.ones(len(labels), dtype=bool),
    )
