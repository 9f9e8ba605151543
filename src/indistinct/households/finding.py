"""Finding kin: from pointers where the file has them, else from relationship to the head."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core import Bools, InputError
from indistinct.files import Source
from indistinct.households.codes import HouseholdColumns, Pointers
from indistinct.households.column import Column, as_column, read_columns
from indistinct.households.deriving import Derived, People, head_couple
from indistinct.households.guessing import guess_household
from indistinct.households.kinship import NOBODY, Kinship, Records

__all__ = ["find_kin", "read_kinship"]


# Pointers to relatives: from numbers in a column to records.


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


def read_kinship(source: Source, columns: HouseholdColumns | None = None) -> Kinship:
    """Find who lives with whom in a data set; what is not told is guessed from its variables.

    >>> from indistinct import open_data
    >>> people = {"hid": [7, 7, 7, 9], "relate": ["Head", "Spouse", "Child", "Head"],
    ...           "sex": ["m", "f", "f", "f"], "age": [40, 38, 12, 80]}
    >>> with open_data(people) as data:
    ...     kin = read_kinship(data.source)
    >>> kin.spouse.tolist(), kin.mother.tolist()
    ([1, 0, -1, -1], [-1, -1, 1, -1])
    """
    columns = guess_household(source) if columns is None else columns
    try:
        return find_kin(columns, read_columns(source, columns.names))
    except InputError as error:
        said = str(error)
        raise InputError(
            said if said.startswith(source.origin) else f"{source.origin}: {said}"
        ) from None


def find_kin(columns: HouseholdColumns, arrays: Mapping[str, Any]) -> Kinship:
    """Find who lives with whom from columns given by name, as arrays or `Column`.

    Pointer columns are followed where there are some. The rest comes from the relationship to
    the head; with d the years by which the relative is older:

    - head and spouse are those with these codes, the first spouse if there are several;
    - a child's mother is the woman of the head couple, its father the man, if d is within
      `MOTHER_YEARS` or `FATHER_YEARS`; of two women, or two men, the head comes first;
    - a child-in-law is the spouse of the head's child of the other sex; parents, and
      parents-in-law, are couples too. Nobody separated, divorced or widowed is matched; equal
      marital status comes first, then a man about `TYPICAL_GAP` years older;
    - a grandchild's mother is a daughter or daughter-in-law with d within bounds, first one who
      has a spouse or was ever married, then the one with d nearest to `TYPICAL_YEARS`; its
      father is her husband; without her, a son or son-in-law found alike;
    - the head's and siblings' parents are those coded parent, the spouse's those coded
      parent-in-law.

    Where an age is unknown nothing is ruled out by it, and it is the last to be chosen.
    """

    cells = {name: as_column(arrays, name, needed_by="Finding kin") for name in columns.names}
    for name in columns.names:
        if len(cells[name]) != len(cells[columns.household]):
            raise InputError(
                f"The columns '{columns.household}' and '{name}' must be equally long. Got "
                f"{len(cells[columns.household]):,} and {len(cells[name]):,} records."
            )
    household, alone = _number_households(cells[columns.household])
    people = People.of(columns, household, cells)
    head, spouse_of_head, notes = head_couple(people, columns)
    if alone:
        notes = [f"{alone:,} records have no household and were taken as living alone", *notes]
    given = _follow_all(columns, household, cells)
    kin = Derived(people, head, spouse_of_head)
    if columns.relationship is not None:
        kin.find(spouse=given.get("spouse"))
        notes += kin.notes
    return Kinship(
        household=household,
        head=head[household],
        spouse=given.get("spouse", kin.spouse),
        mother=given.get("mother", kin.mother),
        father=given.get("father", kin.father),
        notes=(*columns.notes, *notes),
    )


def _number_households(ids: Column) -> tuple[Records, int]:
    """Number households in the order in which they are met; a record without one lives alone."""
    values = ids.values
    if ids.present is None and len(values) and (values[1:] >= values[:-1]).all():
        changes = np.empty(len(values), dtype=np.int64)
        changes[0] = 0
        np.not_equal(values[1:], values[:-1], out=changes[1:], casting="unsafe")
        return np.cumsum(changes), 0
    absent = ~ids.holds()
    alone = int(absent.sum())
    if alone:
        # each gets an id that nobody has
        values = pa.array(values).dictionary_encode().indices.to_numpy().astype(np.int64)
        values[absent] = values.max() + 1 + np.arange(alone)
    numbered = pa.array(values).dictionary_encode()
    return numbered.indices.to_numpy().astype(np.int64), alone


def _follow_all(
    columns: HouseholdColumns, household: Records, cells: Mapping[str, Column]
) -> dict[str, Records]:
    """Follow the pointer columns that there are."""
    found: dict[str, Records] = {}
    person: Records | None = None
    for relative in ("spouse", "mother", "father"):
        name = getattr(columns, f"{relative}_pointer")
        if name is None:
            continue
        if person is None and columns.pointers == "person":
            numbers = None if columns.person is None else cells[columns.person]
            person = person_numbers(household, numbers)
        found[relative] = follow_pointers(
            cells[name], name, household, person, holds=columns.pointers
        )
    if columns.spouse_pointer is not None:
        check_mutual(found["spouse"], columns.spouse_pointer)
    return found
