"""Pointers to relatives: from numbers in a column to records."""

from __future__ import annotations

import numpy as np

from indistinct.core import Bools, InputError
from indistinct.households.codes import Pointers
from indistinct.households.column import Column
from indistinct.households.kinship import NOBODY, Records

__all__ = ["check_mutual", "follow_pointers", "person_numbers"]


def person_numbers(household: Records, person: Column | None) -> Records:
    """Return everybody's number within the household: the column's, or the place in file order."""
    if person is not None:
        numbers, present, unread = person.numbers()
        if present is not None or unread:
            wrong = int(np.argmin(present)) + 1 if present is not None else 1
            raise InputError(
                f"Record {wrong:,} has no number of the person within the household, which "
                "pointers speak of. Number everybody, or leave out the column."
            )
        return numbers.astype(np.int64)
    order = np.argsort(household, kind="stable")
    counts = np.bincount(household) if len(household) else np.empty(0, dtype=np.int64)
    place = np.arange(len(household)) - np.repeat(np.cumsum(counts) - counts, counts)
    numbers = np.empty(len(household), dtype=np.int64)
    numbers[order] = place + 1
    return numbers


def follow_pointers(
    pointer: Column, name: str, household: Records, person: Records | None, *, holds: Pointers
) -> Records:
    """Return the record that each pointer of a column leads to; `NOBODY` for 0 and missing.

    A pointer that leads out of the household, to nobody there, or to the record itself is
    refused.
    """
    numbers, present, _ = pointer.numbers()
    aimed = np.nan_to_num(numbers).astype(np.int64)
    if present is not None:
        aimed = np.where(present, aimed, 0)
    known = np.ones(len(aimed), dtype=bool) if present is None else present
    wrong = np.flatnonzero((pointer.holds() & ~known) | (known & (aimed != numbers)))
    if len(wrong):
        raise InputError(
            f"'{name}' of record {int(wrong[0]) + 1:,} is no whole number{_more(len(wrong))}. "
            "Correct it, or let 0 stand for nobody."
        )
    found = np.full(len(household), NOBODY, dtype=np.int64)
    points = np.flatnonzero(aimed)
    if holds == "record":
        target = aimed[points] - 1
        outside = (target < 0) | (target >= len(household))
        safe = np.where(outside, 0, target)
        outside |= household[safe] != household[points]
    else:
        assert person is not None, "numbers within the household were made"
        target, outside = _by_person(household, person, household[points], aimed[points])
    outsiders = points[outside]
    if len(outsiders):
        raise InputError(
            f"'{name}' of record {int(outsiders[0]) + 1:,} points outside its household, or at "
            f"nobody in it{_more(len(outsiders))}. Correct it, or let 0 stand for nobody."
        )
    itself = points[target == points]
    if len(itself):
        raise InputError(
            f"'{name}' of record {int(itself[0]) + 1:,} points at the record itself"
            f"{_more(len(itself))}. Correct it, or let 0 stand for nobody."
        )
    found[points] = target
    return found


def check_mutual(spouse: Records, name: str) -> None:
    """Refuse spouses who do not point at each other."""
    points = np.flatnonzero(spouse != NOBODY)
    lonely = points[spouse[spouse[points]] != points]
    if len(lonely):
        raise InputError(
            f"'{name}' of record {int(lonely[0]) + 1:,} points at somebody who does not point back"
            f"{_more(len(lonely))}. Spouses must point at each other: correct it."
        )


def _by_person(
    household: Records, person: Records, wanted_household: Records, wanted_person: Records
) -> tuple[Records, Bools]:
    # numbered afresh, so that a long number and a household fit together into 64 bits
    numbers, place = np.unique(person, return_inverse=True)
    key = household * len(numbers) + place
    order = np.argsort(key, kind="stable")
    key = key[order]
    twice = np.flatnonzero(key[1:] == key[:-1])
    if len(twice):
        raise InputError(
            f"Record {int(order[twice[0] + 1]) + 1:,} has the same number within its household as "
            f"another{_more(len(twice))}. Pointers would be ambiguous: number everybody once."
        )
    place = np.minimum(np.searchsorted(numbers, wanted_person), len(numbers) - 1)
    wanted = wanted_household * len(numbers) + place
    found = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    return order[found], (numbers[place] != wanted_person) | (key[found] != wanted)


def _more(count: int) -> str:
    return f" (one of {count:,} such records)" if count > 1 else ""
