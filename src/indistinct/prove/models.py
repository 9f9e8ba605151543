"""Null-map, k-map and wrong-map, decided for every released record from the files themselves.

Sweeney (2001, section 5): a released tuple is protected when it maps to none of the subjects
(null-map), to at least k people indistinctly (k-map), or to one subject only, whose values it does
not hold (wrong-map). `ADS0` states the same for small instances, set by set; here it is decided
for files of any size, and tests hold the two against each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.core import Bools, Ints
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.prove.exposure import Exposure
from indistinct.prove.links import linking_totals, members_of_groups
from indistinct.prove.true_values import find_true_values, records_of_classes, records_of_people

__all__ = ["MODELS", "Decision", "Model", "decide"]

Model = Literal["none", "wrong-map", "k-map", "null-map"]
MODELS: tuple[Model, ...] = ("none", "wrong-map", "k-map", "null-map")
"""From the least protection to the most: of several registers, the least counts."""

NONE, WRONG, K_MAP, NULL = range(4)


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
    truth_known
        Whether the private data said what is true. Otherwise every value was taken for true.
    """

    exposure: Exposure
    models: NDArray[np.uint8] = field(repr=False)
    people: Ints = field(repr=False)
    disclosed: Bools = field(repr=False)
    truth_known: bool = False


def decide(
    exposure: Exposure,
    *,
    k: int,
    key: Sequence[str],
    private: Source | None = None,
    person: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
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
    hierarchies
        What generalised labels beside the key stand for.
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
            true = _true_of_subject(
                exposure, records, chosen, key, private, person, hierarchies or {}
            )
            # with one subject there is nobody to be taken for; with two, each gives the other away
            if private.records > 2 and len(models) > 2:
                models[records[~true]] = WRONG
        alone = people[chosen] == 1
        again = _linked_again(exposure, chosen)
        disclosed[records] = alone & ~again & true
    counts = released.per_record(people).astype(np.int64)
    truth_known = private is not None and exposure.register is not None
    return Decision(exposure, models, counts, disclosed, truth_known)


def _linked_again(exposure: Exposure, classes: Ints) -> Bools:
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
    records: Ints,
    classes: Ints,
    key: Sequence[str],
    private: Source,
    person: str | None,
    hierarchies: Mapping[str, Hierarchy],
) -> Bools:
    """Say of released records whether anything they tell beside the key is true of their subject.

    Wrong-map protects where the record leads to somebody "that is not the entity to which the
    original information was collected": nothing in it is hers. A record that tells nothing beside
    the key is taken for true: that it is hers is then what it tells.
    """
    release = exposure.released.source
    columns = [n for n in release.variables if n in private.variables and n not in key]
    subjects = exposure.subject[classes]
    if person is not None and exposure.register is not None and exposure.known is not None:
        wanted, at = np.unique(subjects, return_inverse=True)
        rows, place = exposure.known.records_in(wanted)
        which, record = records_of_people(exposure.register, rows, private, person)
        left, pair = members_of_groups(at.reshape(-1), place[which], groups=len(wanted))
        right = record[pair]
    else:
        left, right = records_of_classes(exposure, subjects)
    if not columns or not len(left):
        return np.ones(len(records), dtype=bool)
    released = release.table(columns).take(pa.array(records))
    fits, tells = find_true_values(released, private.table(columns), left, right, hierarchies)
    true = np.zeros(len(records), dtype=bool)
    true[left[fits | ~tells]] = True
    return true
