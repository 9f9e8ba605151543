"""Sensitive values that several releases leave to a person, by intersection.

A person known to be in every release has one of the values of her class in the first, and one of
the values of her class in the second; what is left is what both allow (the intersection attack of
Ganta, Kasiviswanathan and Smith, *Composition attacks and auxiliary information in data privacy*,
KDD 2008). It needs no record to be linked, only the values to be the same in all releases.
"""

from __future__ import annotations

import numpy as np

from indistinct.core import Bools, Ints
from indistinct.hierarchy import is_suppressed
from indistinct.prove.covering import texts_of
from indistinct.prove.together.build import Combination
from indistinct.prove.together.join import Sets, layers_of, meeting_pairs
from indistinct.prove.together.people import People
from indistinct.prove.together.result import Pinned

__all__ = ["pinned_people"]


TYPES_AT_ONCE = 1 << 16


def pinned_people(combination: Combination, people: People, attribute: str) -> Pinned:
    """Count the people for whom one value of an attribute is left that all releases allow."""
    having = [number for number, e in enumerate(combination.editions) if attribute in e.columns]
    totals = np.zeros(4, dtype=np.int64)
    values = [_values_of_keys(combination, number, attribute) for number in having]
    meeting = [_first_labels(combination, number, attribute, having[0]) for number in having]
    hidden = [_hidden(combination, number, attribute) for number in having]
    for start in range(0, len(people.types), TYPES_AT_ONCE):
        types = people.types[start : start + TYPES_AT_ONCE]
        amounts = people.people[start : start + TYPES_AT_ONCE]
        size = len(types)
        allowed = []
        for number, of_key in zip(having, values, strict=True):
            own = Sets(np.arange(size + 1, dtype=np.int64), types[:, number], np.ones(size, bool))
            keys = Sets.of_pairs(*own.through(people.known), size=size)
            allowed.append(Sets.of_pairs(*keys.through(of_key), size=size))
        counts = np.stack([_counts(a, h) for a, h in zip(allowed, hidden, strict=True)])
        common = allowed[0]
        for own, labels in zip(allowed[1:], meeting[1:], strict=True):
            common = _intersection(common, Sets.of_pairs(*own.through(labels), size=size))
        left = _counts(common, hidden[0])
        linked = counts.min(axis=0) > 0
        single = counts.min(axis=0) == 1
        totals += [
            int(amounts[linked].sum()),
            int(amounts[linked & ~single & (left == 1)].sum()),
            int(amounts[linked & single].sum()),
            int(amounts[linked & (left == 0)].sum()),
        ]
    names = tuple(combination.editions[number].name for number in having)
    return Pinned(attribute, names, *totals.tolist())


def _values_of_keys(combination: Combination, number: int, attribute: str) -> Sets:
    """Return the values found under every key of a release."""
    values = combination.tables[number].codes([attribute])[:, 0]
    return Sets.of_pairs(combination.key_of_row[number], values, size=combination.key_count)


def _first_labels(combination: Combination, number: int, attribute: str, first: int) -> Sets:
    """Return for every value of a release the first release's labels that it meets."""
    here = combination.tables[first].labels(attribute)
    there = combination.tables[number].labels(attribute)
    tree = combination.hierarchies.get(attribute)
    layers, _ = layers_of(here, there, name=attribute, hierarchy=tree)
    label, value = meeting_pairs(
        np.arange(len(here)).reshape(-1, 1), np.arange(len(there)).reshape(-1, 1), [layers]
    )
    return Sets.of_pairs(value, label, size=len(there))


def _hidden(combination: Combination, number: int, attribute: str) -> Bools:
    tree = combination.hierarchies.get(attribute)
    texts = texts_of(combination.tables[number].labels(attribute))
    return np.array([is_suppressed(text, tree) for text in texts], dtype=bool)


def _intersection(one: Sets, other: Sets) -> Sets:
    room = 1 + max(int(one.members.max(initial=0)), int(other.members.max(initial=0)))
    size = len(one)
    first, second = (
        np.repeat(np.arange(size), sets.sizes) * room + sets.members for sets in (one, other)
    )
    both = np.intersect1d(first, second, assume_unique=True)
    return Sets.of_pairs(both // room, both % room, size=size)


def _counts(sets: Sets, hidden: Bools) -> Ints:
    """Count the values of each set; a suppressed one may be anything, so it counts as several."""
    rows = np.repeat(np.arange(len(sets)), sets.sizes)
    amounts = np.where(hidden[sets.members], 2, 1)
    return np.bincount(rows, weights=amounts, minlength=len(sets)).astype(np.int64)
