"""Sensitive values that several releases leave to a person, by intersection.

A person known to be in every release has one of the values of her class in the first, and one of
the values of her class in the second; what is left is what both allow (the intersection attack of
Ganta, Kasiviswanathan and Smith, *Composition attacks and auxiliary information in data privacy*,
KDD 2008). It needs no record to be linked, only the values to be the same in all releases.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.prove.cover import texts_of
from indistinct.prove.labels import is_suppressed
from indistinct.prove.together_build import Combination
from indistinct.prove.together_join import Sets, layers_of, meeting_pairs
from indistinct.prove.together_people import People
from indistinct.prove.together_result import Pinned

__all__ = ["pinned_people"]

IntArray = NDArray[np.int64]

TYPES_AT_ONCE = 1 << 16


def pinned_people(combination: Combination, people: People, attribute: str) -> Pinned:
    """Count the people for whom one value of an attribute is left that all releases allow."""
    having = [number for number, e in enumerate(combination.editions) if attribute in e.columns]
    first = combination.tables[having[0]].labels(attribute)
    tree = combination.hierarchies.get(attribute)
    hidden = np.array([is_suppressed(text, tree) for text in texts_of(first)], dtype=bool)
    values = [_values_of_keys(combination, number, attribute, having[0]) for number in having]
    totals = np.zeros(4, dtype=np.int64)
    for start in range(0, len(people.types), TYPES_AT_ONCE):
        types = people.types[start : start + TYPES_AT_ONCE]
        amounts = people.people[start : start + TYPES_AT_ONCE]
        room = len(first)
        counts = []
        common: IntArray | None = None
        for number, of_key in zip(having, values, strict=True):
            own = Sets(
                np.arange(len(types) + 1, dtype=np.int64),
                types[:, number],
                np.ones(len(types), bool),
            )
            rows, keys = own.through(people.known)
            met = Sets.of_pairs(rows, keys, size=len(types))
            rows, found = met.through(of_key)
            pairs = np.unique(rows * room + found)
            counts.append(_weights(pairs, room, hidden, len(types)))
            common = pairs if common is None else np.intersect1d(common, pairs, assume_unique=True)
        assert common is not None
        left = _weights(common, room, hidden, len(types))
        linked = np.min(counts, axis=0) > 0
        single = np.min(counts, axis=0) == 1
        totals += [
            int(amounts[linked].sum()),
            int(amounts[linked & ~single & (left == 1)].sum()),
            int(amounts[linked & single].sum()),
            int(amounts[linked & (left == 0)].sum()),
        ]
    names = tuple(combination.editions[number].name for number in having)
    return Pinned(attribute, names, *totals.tolist())


def _values_of_keys(combination: Combination, number: int, attribute: str, first: int) -> Sets:
    """Return for every key the first release's labels that meet a value found under it."""
    table = combination.tables[number]
    own = Sets.of_pairs(
        combination.key_of_row[number],
        table.codes([attribute])[:, 0],
        size=combination.key_count,
    )
    if number == first:
        return own
    here, there = combination.tables[first].labels(attribute), table.labels(attribute)
    layers, _ = layers_of(
        here, there, name=attribute, hierarchy=combination.hierarchies.get(attribute)
    )
    label, value = meeting_pairs(
        np.arange(len(here)).reshape(-1, 1), np.arange(len(there)).reshape(-1, 1), [layers]
    )
    return Sets.of_pairs(
        *own.through(Sets.of_pairs(value, label, size=len(there))), size=combination.key_count
    )


def _weights(pairs: IntArray, room: int, hidden: NDArray[np.bool_], size: int) -> NDArray[np.int64]:
    """Count values by type; a suppressed value may be anything, so it counts as several."""
    amounts = np.where(hidden[pairs % room], 2, 1)
    return np.bincount(pairs // room, weights=amounts, minlength=size).astype(np.int64)
