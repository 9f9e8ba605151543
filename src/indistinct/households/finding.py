"""Finding kin: from pointers where the file has them, else from relationship to the head.

Kin by rule: spouses, mothers and fathers from relationship to the head, sex, age and marital
status.

The rules are those that census archives use in kind: firm ones for what the relationship to the
head says outright (head and spouse, their children), likelihood for what it leaves open (whose
grandchild, whose son-in-law). S. Ruggles and others, IPUMS "family interrelationships", describe
theirs; docs/methods/households.md tells where these differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.core import Bools, InputError
from indistinct.files import Source
from indistinct.households.codes import KIN, HouseholdColumns, Pointers
from indistinct.households.column import Column, as_column, read_columns
from indistinct.households.guessing import guess_household
from indistinct.households.kinship import NOBODY, Kinship, Records

__all__ = ["FATHER_YEARS", "MOTHER_YEARS", "Derived", "People", "find_kin", "read_kinship"]

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


# Kin by rule -------------------------------------------------------------------------------------


# Matching people within their households: everybody's likeliest relative, and couples.


def pairs_within(household: Records, left: Records, right: Records) -> tuple[Records, Records]:
    """Return every pair of a left and a right record that share a household.

    >>> pairs_within(np.array([0, 0, 1, 0]), np.array([0, 2]), np.array([1, 3]))
    (array([0, 0]), array([1, 3]))
    """
    if not len(left) or not len(right):
        return left[:0], right[:0]
    # most households have none of the right ones: they are left out before anything is sorted
    met = np.zeros(max(int(household[left].max()), int(household[right].max())) + 1, dtype=bool)
    met[household[right]] = True
    left = left[met[household[left]]]
    order = np.argsort(household[right], kind="stable")
    sorted_right = right[order]
    where = household[sorted_right]
    first = np.searchsorted(where, household[left], side="left")
    counts = np.searchsorted(where, household[left], side="right") - first
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    place = np.arange(total) - np.repeat(ends - counts, counts) + np.repeat(first, counts)
    return np.repeat(left, counts), sorted_right[place]


def choose_best(
    who: Records, candidate: Records, *scores: NDArray[np.generic]
) -> tuple[Records, Records]:
    """Return for everybody in `who` the candidate with the lowest scores, the first score first.

    Of equal candidates the one that stands first in the file is taken.

    >>> choose_best(np.array([5, 5, 6]), np.array([1, 2, 1]), np.array([3.0, 1.0, 2.0]))
    (array([5, 6]), array([2, 1]))
    """
    order = np.lexsort((candidate, *scores[::-1], who))
    found, first = np.unique(who[order], return_index=True)
    return found, candidate[order][first]


def match_couples(
    left: Records, right: Records, *scores: NDArray[np.generic]
) -> tuple[Records, Records]:
    """Make couples of pairs, the lowest scores first, nobody twice.

    Each round takes the pairs that are the best for both, which is what going down the list of
    all pairs would take.

    >>> match_couples(np.array([0, 0, 1]), np.array([8, 9, 8]), np.array([2, 3, 1]))
    (array([0, 1]), array([9, 8]))
    """
    order = np.lexsort((right, left, *scores[::-1]))
    left, right = left[order], right[order]
    lefts, rights = [left[:0]], [right[:0]]
    while len(left):
        place = np.arange(len(left))
        best = np.full(len(left), False)
        _, first_of_left = np.unique(left, return_index=True)
        best[first_of_left] = True
        _, first_of_right = np.unique(right, return_index=True)
        taken = first_of_right[best[first_of_right]]
        lefts.append(left[taken])
        rights.append(right[taken])
        rest = place[~np.isin(left, left[taken]) & ~np.isin(right, right[taken])]
        left, right = left[rest], right[rest]
    all_left, all_right = np.concatenate(lefts), np.concatenate(rights)
    order = np.argsort(all_left)
    return all_left[order], all_right[order]


MOTHER_YEARS = (12, 54)
"""By how many years a mother is older than her child."""

FATHER_YEARS = (12, 79)
"""By how many years a father is older than his child."""

TYPICAL_YEARS = 27
"""The difference of ages that is taken as the likeliest between parent and child."""

YOUNGEST_SPOUSE = 15
WIDEST_GAP = 25
TYPICAL_GAP = 2
"""Couples other than head and spouse: both of this age, ages not farther apart, and by how many
years the man is likeliest older."""

LARGEST = 100
"""In households with more people than this only the head's own spouse and children are found."""

_UNKNOWN = 999.0
_HEAD, _SPOUSE, _CHILD, _CHILD_IN_LAW, _GRANDCHILD, _PARENT, _PARENT_IN_LAW, _SIBLING = range(1, 9)
_MAN, _WOMAN = 1, 2
_MARRIED, _FORMERLY = 1, 2


@dataclass(frozen=True, eq=False)
class People:
    """What the rules look at, one entry per record; 0 is unknown, NaN an unknown age."""

    household: Records
    households: int
    kin: NDArray[np.int8]
    sex: NDArray[np.int8]
    age: NDArray[np.float32]
    marital: NDArray[np.int8]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, columns: HouseholdColumns, household: Records, cells: Mapping[str, Column]
    ) -> People:
        """Decode the columns."""
        count = len(household)

        def coded(name: str | None, *kinds: str) -> NDArray[np.int8]:
            if name is None:
                return np.zeros(count, dtype=np.int8)
            found: NDArray[np.int8] = cells[name].recoded(columns.codes(*kinds))
            return found

        age = np.full(count, np.nan, dtype=np.float32)
        notes = []
        if columns.age is not None:
            numbers, present, unread = cells[columns.age].numbers()
            age = numbers.astype(np.float32)
            if present is not None:
                age[~present] = np.nan
            if unread:
                notes.append(f"{unread:,} ages are no numbers and count as unknown")
        return cls(
            household=household,
            households=int(household.max()) + 1 if count else 0,
            kin=coded(columns.relationship, *KIN),
            sex=coded(columns.sex, "male", "female"),
            age=age,
            marital=coded(columns.marital, "married", "formerly_married", "never_married"),
            notes=tuple(notes),
        )

    def with_kin(self, *kinds: int) -> Records:
        """Return the records with some relationships to the head, in file order."""
        found = self.kin == kinds[0]
        for kind in kinds[1:]:
            found |= self.kin == kind
        return np.flatnonzero(found)


def head_couple(people: People, columns: HouseholdColumns) -> tuple[Records, Records, list[str]]:
    """Return the head and the head's spouse of every household."""
    notes = list(people.notes)
    heads = people.with_kin(_HEAD)
    where = people.household[heads]
    head = np.full(people.households, NOBODY, dtype=np.int64)
    head[where[::-1]] = heads[::-1]
    second = heads[head[where] != heads]
    if len(second):
        first = int(head[people.household[second[0]]])
        raise InputError(
            f"Record {int(second[0]) + 1:,} is a second head of its household, after record "
            f"{first + 1:,}{f' ({len(second):,} such records)' if len(second) > 1 else ''}. A "
            f"household has one head at most: correct '{columns.relationship}', or see whether "
            f"'{columns.household}' names one household only."
        )
    spouse = np.full(people.households, NOBODY, dtype=np.int64)
    if columns.relationship is None:
        return head, spouse, [*notes, "heads are not known: there is no relationship to the head"]
    headless = int((head == NOBODY).sum())
    if headless:
        notes.append(f"{headless:,} households have no head")
    partners = people.with_kin(_SPOUSE)
    partners = partners[head[people.household[partners]] != NOBODY]
    where = people.household[partners]
    spouse[where[::-1]] = partners[::-1]
    further = int((spouse[where] != partners).sum())
    if further:
        notes.append(f"{further:,} people are a further spouse of the head and were left single")
    return head, spouse, notes


class Derived:
    """Spouse, mother and father of every record, filled in rule by rule."""

    def __init__(self, people: People, head: Records, spouse_of_head: Records) -> None:
        self.people = people
        self.head = head
        self.spouse_of_head = spouse_of_head
        self.small: Bools | None = None
        count = len(people.household)
        self.spouse = np.full(count, NOBODY, dtype=np.int64)
        self.mother = np.full(count, NOBODY, dtype=np.int64)
        self.father = np.full(count, NOBODY, dtype=np.int64)
        self.notes: list[str] = []

    def find(self, spouse: Records | None = None) -> None:
        """Go through the rules; those for spouses are left out where spouses are known."""
        sex = self.people.sex
        if spouse is not None:
            self.spouse = spouse
            self.spouse_of_head = np.where(self.head != NOBODY, spouse[self.head], NOBODY)
        both = self.spouse_of_head != NOBODY
        self._join(self.head[both], self.spouse_of_head[both])
        self._children_of_the_head()
        self.small = self._small_households()
        parents, in_law = self._kin(_PARENT), self._kin(_PARENT_IN_LAW)
        if spouse is None:
            self._couples(self._kin(_CHILD_IN_LAW), self._kin(_CHILD))
            for elders in (parents, in_law):
                self._couples(elders[sex[elders] == _MAN], elders[sex[elders] == _WOMAN])
        self._parents(self._kin(_HEAD, _SIBLING), parents)
        self._parents(self.spouse_of_head[both], in_law)
        self._grandchildren()

    def _kin(self, *kinds: int) -> Records:
        found = self.people.with_kin(*kinds)
        return found if self.small is None else found[self.small[self.people.household[found]]]

    def _small_households(self) -> Bools | None:
        size = np.bincount(self.people.household, minlength=self.people.households)
        if not len(size) or size.max() <= LARGEST:
            return None
        self.notes.append(
            f"{int((size > LARGEST).sum()):,} households have more than {LARGEST} people: only "
            "head, spouse and children are linked there"
        )
        small: Bools = size <= LARGEST
        return small

    def _join(self, one: Records, other: Records) -> None:
        self.spouse[one] = other
        self.spouse[other] = one

    def _older(self, parent: Records, child: Records, years: tuple[int, int]) -> Bools:
        """Say whether the ages allow it; an unknown age allows everything."""
        older = self.people.age[parent] - self.people.age[child]
        return ~((older < years[0]) | (older > years[1]))

    def _children_of_the_head(self) -> None:
        people = self.people
        children = people.with_kin(_CHILD)
        where = people.household[children]
        for pointer, sex, years in (
            (self.mother, _WOMAN, MOTHER_YEARS),
            (self.father, _MAN, FATHER_YEARS),
        ):
            # the spouse first, so that the head has the last word
            for parent in (self.spouse_of_head[where], self.head[where]):
                fits = (parent != NOBODY) & (people.sex[parent] == sex)
                fits &= self._older(parent, children, years)
                pointer[children[fits]] = parent[fits]
        lost = (self.mother[children] == NOBODY) & (self.father[children] == NOBODY)
        if lost.any():
            self.notes.append(
                f"{int(lost.sum()):,} children could not be linked to a head or spouse: none, of "
                "unknown sex, or too young or too old"
            )

    def _couples(self, left: Records, right: Records) -> None:
        """Match two groups of people into couples of a man and a woman."""
        people = self.people
        left, right = (self._may_have_spouse(group) for group in (left, right))
        one, other = pairs_within(people.household, left, right)
        sexes = people.sex[one] + people.sex[other] == _MAN + _WOMAN
        sexes &= people.sex[one] != 0
        sexes &= people.sex[other] != 0
        one, other = one[sexes], other[sexes]
        man = np.where(people.sex[one] == _MAN, one, other)
        woman = np.where(people.sex[one] == _MAN, other, one)
        gap = people.age[man] - people.age[woman]
        near = ~(np.abs(gap) > WIDEST_GAP)
        one, other, gap = one[near], other[near], gap[near]
        status, other_status = people.marital[one], people.marital[other]
        unequal = (status != other_status) & (status != 0) & (other_status != 0)
        unlikely = np.nan_to_num(np.abs(gap - TYPICAL_GAP), nan=_UNKNOWN)
        self._join(*match_couples(one, other, unequal, unlikely))

    def _may_have_spouse(self, group: Records) -> Records:
        people = self.people
        free = (self.spouse[group] == NOBODY) & (people.marital[group] != _FORMERLY)
        found: Records = group[free & ~(people.age[group] < YOUNGEST_SPOUSE)]
        return found

    def _parents(self, children: Records, parents: Records) -> None:
        sex = self.people.sex[parents]
        self._likeliest(self.mother, children, parents[sex == _WOMAN], MOTHER_YEARS)
        self._likeliest(self.father, children, parents[sex == _MAN], FATHER_YEARS)

    def _grandchildren(self) -> None:
        people = self.people
        grandchildren = self._kin(_GRANDCHILD)
        between = self._kin(_CHILD, _CHILD_IN_LAW)
        sex = people.sex[between]
        self._likeliest(self.mother, grandchildren, between[sex == _WOMAN], MOTHER_YEARS)
        mother = self.mother[grandchildren]
        husband = np.where(mother != NOBODY, self.spouse[mother], NOBODY)
        fits = (husband != NOBODY) & (people.sex[husband] == _MAN)
        fits &= self._older(husband, grandchildren, FATHER_YEARS)
        self.father[grandchildren[fits]] = husband[fits]
        motherless = grandchildren[mother == NOBODY]
        self._likeliest(self.father, motherless, between[sex == _MAN], FATHER_YEARS)

    def _likeliest(
        self, pointer: Records, children: Records, parents: Records, years: tuple[int, int]
    ) -> None:
        people = self.people
        child, parent = pairs_within(people.household, children, parents)
        fits = self._older(parent, child, years)
        child, parent = child[fits], parent[fits]
        status = people.marital[parent]
        single = ~((status == _MARRIED) | (status == _FORMERLY) | (self.spouse[parent] != NOBODY))
        older = people.age[parent] - people.age[child]
        unlikely = np.nan_to_num(np.abs(older - TYPICAL_YEARS), nan=_UNKNOWN)
        found, best = choose_best(child, parent, single, unlikely)
        pointer[found] = best
