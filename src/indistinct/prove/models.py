"""Null-map, k-map and wrong-map, decided for every released record from the files themselves.

Sweeney (2001, section 5): a released tuple is protected when it maps to none of the subjects
(null-map), to at least k people indistinctly (k-map), or to one subject only, whose values it does
not hold (wrong-map). `ADS0` states the same for small instances, set by set; here it is decided
for files of any size, and tests hold the two against each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from indistinct.files.source import Source
from indistinct.prove.cover import cover
from indistinct.prove.exposure import Exposure
from indistinct.prove.labels import is_suppressed
from indistinct.prove.links import linked_pairs, linking_totals, members_of_groups
from indistinct.prove.registers import as_text_column

__all__ = ["MODELS", "Decision", "Model", "decide"]

Model = Literal["none", "wrong-map", "k-map", "null-map"]
MODELS: tuple[Model, ...] = ("none", "wrong-map", "k-map", "null-map")
"""From the least protection to the most: of several registers, the least counts."""

NONE, WRONG, K_MAP, NULL = range(4)

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Decision:
    """What one register makes of every released record.

    Parameters
    ----------
    models
        The position in `MODELS` of the model that protects each record.
    people
        How many people of the register each record may refer to.
    disclosed
        Records that fail all of property 9: (a) nobody else, (b) no other record, and (c) true
        values.
    """

    exposure: Exposure
    models: NDArray[np.uint8] = field(repr=False)
    people: IntArray = field(repr=False)
    disclosed: BoolArray = field(repr=False)


def decide(
    exposure: Exposure,
    *,
    k: int,
    key: Sequence[str],
    private: Source | None = None,
    person: str | None = None,
) -> Decision:
    """Decide which model protects each released record against one register.

    Parameters
    ----------
    key
        The quasi-identifier; what is released beside it must be wrong where a record refers to
        one subject alone.
    private
        The private data, which tell whether a released value is true. Without them every value
        is taken for true, so that wrong-map is never claimed.
    person
        A column of register and private data that names the person.
    """
    people, subjects = exposure.people, exposure.subjects
    by_class = np.full(len(people), NONE, dtype=np.uint8)
    by_class[subjects == 0] = NULL
    by_class[(subjects > 0) & (people >= k)] = K_MAP
    released = exposure.released
    models = released.per_record(by_class).astype(np.uint8)
    disclosed = np.zeros(len(models), dtype=bool)
    open_classes = np.flatnonzero((by_class == NONE) & (subjects == 1))
    if len(open_classes):
        records, at = released.records_in(open_classes)
        chosen = open_classes[at]
        true = np.ones(len(records), dtype=bool)
        if private is not None and exposure.register is not None:
            true = _true_of_subject(exposure, records, chosen, key, private, person)
            # with one subject there is nobody to be taken for; with two, each gives the other away
            if private.records > 2 and len(models) > 2:
                models[records[~true]] = WRONG
        alone = people[chosen] == 1
        again = _linked_again(exposure, chosen)
        disclosed[records] = alone & ~again & true
    return Decision(exposure, models, released.per_record(people).astype(np.int64), disclosed)


def _linked_again(exposure: Exposure, classes: IntArray) -> BoolArray:
    """Say of released classes with one subject whether another record links to her too (9b)."""
    if exposure.known is None:
        return np.zeros(len(classes), dtype=bool)  # alone in the file: nobody shares the key
    subjects, at = np.unique(exposure.subject[classes], return_inverse=True)
    linking = linking_totals(
        exposure.released.codes,
        exposure.known.codes[subjects],
        exposure.covers,
        exposure.released.counts[:, None],
        missing=exposure.missing,
    )[:, 0]
    return np.asarray(linking[at.reshape(-1)] > 1)


def _true_of_subject(
    exposure: Exposure,
    records: IntArray,
    classes: IntArray,
    key: Sequence[str],
    private: Source,
    person: str | None,
) -> BoolArray:
    """Say of released records whether what they tell beside the key is true of their subject.

    A record that tells nothing beside the key is taken for true: that it is hers is then what it
    tells.
    """
    release = exposure.released.source
    columns = [n for n in release.variables if n in private.variables and n not in key]
    left, right = _private_records(exposure, classes, private, person)
    if not columns or not len(left):
        return np.ones(len(records), dtype=bool)
    fits = np.ones(len(left), dtype=bool)
    tells = np.zeros(len(left), dtype=bool)
    for name in columns:
        said = _codes(release, name, records)
        held = _codes(private, name, right)
        found = cover(said.values, held.values, name=name)
        silent = np.array([is_suppressed(value) for value in said.values], dtype=bool)
        own = said.codes[left]
        tells |= ~silent[own]
        fits &= silent[own] | found.meets(own, held.codes)
    true = np.zeros(len(records), dtype=bool)
    true[left[fits | ~tells]] = True
    return true


def _private_records(
    exposure: Exposure,
    classes: IntArray,
    private: Source,
    person: str | None,
) -> tuple[IntArray, IntArray]:
    """Return pairs of (position in `classes`, record of the private data of her subject)."""
    known, register = exposure.known, exposure.register
    assert known is not None
    assert register is not None
    subjects, at = np.unique(exposure.subject[classes], return_inverse=True)
    if person is not None:
        rows, place = known.records_in(subjects)
        named = as_text_column(register.source.table([person]).column(0).take(pa.array(rows)))
        held = as_text_column(private.table([person]).column(0)).combine_chunks()
        found = pc.index_in(named, value_set=held)
        there = pc.is_valid(found).to_numpy()
        pairs = (place[there], found.drop_null().to_numpy().astype(np.int64))
    else:
        pairs = _agreeing_records(exposure, subjects)
    left, pair = members_of_groups(at.reshape(-1), pairs[0], groups=len(subjects))
    return left, pairs[1][pair]


def _agreeing_records(exposure: Exposure, subjects: IntArray) -> tuple[IntArray, IntArray]:
    """Return pairs of (position in `subjects`, private record that agrees with that class)."""
    known, own = exposure.known, exposure.own
    assert known is not None
    assert own is not None  # without a column for persons, the subjects were found by it
    places, classes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for private_class, place in linked_pairs(own.codes, known.codes[subjects], exposure.between):
        places.append(place)
        classes.append(private_class)
    place, private_classes = np.concatenate(places), np.concatenate(classes)
    needed, at = np.unique(private_classes, return_inverse=True)
    records, of = own.records_in(needed)
    left, member = members_of_groups(at.reshape(-1), of, groups=len(needed))
    return place[left], records[member]


@dataclass(frozen=True)
class _Column:
    codes: IntArray
    values: list[object]


def _codes(source: Source, name: str, records: IntArray) -> _Column:
    """Return some records' values of a column as codes."""
    taken = source.table([name]).column(0).take(pa.array(records)).combine_chunks()
    if not pa.types.is_dictionary(taken.type):
        taken = taken.dictionary_encode()
    values = [*taken.dictionary.to_pylist(), None]
    codes = taken.indices.cast(pa.int64()).fill_null(len(values) - 1).to_numpy()
    return _Column(codes.astype(np.int64), values)
