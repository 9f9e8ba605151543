"""The private records of people who were linked, and whether what is released is true of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, Ints, holds_numbers, values_and_codes
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.prove.covering import cover
from indistinct.prove.exposure import Exposure
from indistinct.prove.links import linked_pairs, members_of_groups
from indistinct.prove.registers import Register, ids_alike

__all__ = ["agreement", "find_true_values", "records_of_classes", "records_of_people"]

Pairs = tuple[Ints, Ints]

_NOBODY = np.zeros(0, dtype=np.int64)
_MANY = 1000
"""Different values of which no label is asked whether it is true of all: it would tell nothing."""


def records_of_people(register: Register, rows: Ints, private: Source, person: str) -> Pairs:
    """Pair people, by position in `rows` of the register, with their private records.

    `person` names the person in the private data; the register has its own column for it.
    """
    if not len(rows) or register.person is None:
        return _NOBODY, _NOBODY
    ids, own = ids_alike(
        register.source.table([register.person]).column(0), private.table([person]).column(0)
    )
    wanted = ids.take(pa.array(rows))
    both = pa.concat_arrays([wanted, own]).dictionary_encode()
    codes = both.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    named = np.flatnonzero(codes[: len(rows)] >= 0)
    kept = np.flatnonzero(codes[len(rows) :] >= 0)
    at, found = members_of_groups(
        codes[named], codes[len(rows) :][kept], groups=len(both.dictionary)
    )
    return named[at], kept[found]


def records_of_classes(exposure: Exposure, classes: Ints) -> Pairs:
    """Pair classes of the register, by position, with the private records that agree with them."""
    known, own = exposure.known, exposure.own
    if known is None or own is None or not len(classes):
        return _NOBODY, _NOBODY
    wanted, position = np.unique(classes, return_inverse=True)
    pairs = list(linked_pairs(own.codes, known.codes[wanted], exposure.between))
    left = np.concatenate([_NOBODY, *(pair[0] for pair in pairs)])
    right = np.concatenate([_NOBODY, *(pair[1] for pair in pairs)])
    at, found = members_of_groups(position.reshape(-1), right, groups=len(wanted))
    needed, place = np.unique(left[found], return_inverse=True)
    records, group_of = own.records_in(needed)
    again, which = members_of_groups(place.reshape(-1), group_of, groups=len(needed))
    return at[again], records[which]


def agreement(
    released: pa.Table,
    private: pa.Table,
    left: Ints,
    right: Ints,
    hierarchies: Mapping[str, Hierarchy],
) -> tuple[Bools, Bools]:
    """Say of pairs of records whether all that is released agrees, and whether anything is told."""
    agree = np.ones(len(left), dtype=bool)
    telling = np.zeros(len(left), dtype=bool)
    for name in released.column_names:
        own = released.column(name).take(pa.array(left)).combine_chunks()
        true = private.column(name).take(pa.array(right)).combine_chunks()
        if holds_numbers(own.type) and holds_numbers(true.type):  # values, no labels to be read
            says = own.is_valid().to_numpy(zero_copy_only=False)
            same = pc.equal(own, true).fill_null(False).to_numpy(zero_copy_only=False)
            agree &= same | ~says
            telling |= says
            continue
        labels, values = values_and_codes(own), values_and_codes(true)
        found = cover(labels[0], values[0], name=name, hierarchy=hierarchies.get(name))
        agree &= found.meets(labels[1], values[1])
        telling |= found.telling[labels[1]] if len(left) else telling
    return agree, telling


def find_true_values(
    released: pa.Table,
    private: pa.Table,
    left: Ints,
    right: Ints,
    hierarchies: Mapping[str, Hierarchy],
) -> tuple[Bools, Bools]:
    """Say of pairs of records whether any value that is told is true, and whether any is told.

    One true value about a person is a disclosure of that value, whatever stands beside it. What is
    true of everybody in the private data tells nothing of anybody.
    """
    true, telling = np.zeros((2, len(left)), dtype=bool)
    for name in released.column_names:
        own = released.column(name).take(pa.array(left)).combine_chunks()
        theirs = private.column(name)
        tree = hierarchies.get(name)
        if holds_numbers(own.type) and holds_numbers(theirs.type):
            same = pc.equal(own, theirs.take(pa.array(right)).combine_chunks())
            agrees = same.fill_null(False).to_numpy(zero_copy_only=False)
            says = own.is_valid().to_numpy(zero_copy_only=False)
            least, most = pc.min_max(theirs).values()
            if not theirs.null_count and least.as_py() == most.as_py():
                says = says & ~pc.equal(own, least).fill_null(False).to_numpy(zero_copy_only=False)
        else:
            labels = values_and_codes(own)
            values = values_and_codes(theirs.take(pa.array(right)).combine_chunks())
            found = cover(labels[0], values[0], name=name, hierarchy=tree)
            agrees = found.meets(labels[1], values[1])
            told = found.telling & ~_of_everybody(labels[0], theirs, tree)
            says = told[labels[1]] if len(left) else telling
        true |= agrees & says
        telling |= says
    return true, telling


def _of_everybody(
    labels: list[object], values: pa.ChunkedArray, hierarchy: Hierarchy | None
) -> Bools:
    """Say of labels whether each of the private values may be meant."""
    there = values.unique()
    if len(there) > _MANY:
        return np.zeros(len(labels), dtype=bool)
    found = cover(labels, there.to_pylist(), hierarchy=hierarchy)
    numbers = np.arange(len(there), dtype=np.int64)
    return np.array(
        [found.meets(np.full(len(there), code), numbers).all() for code in range(len(labels))],
        dtype=bool,
    )
