"""Kin by rule: spouses, mothers and fathers from relationship to the head, sex, age and marital
status.

The rules are those that census archives use in kind: firm ones for what the relationship to the
head says outright (head and spouse, their children), likelihood for what it leaves open (whose
grandchild, whose son-in-law). S. Ruggles and others, IPUMS "family interrelationships", describe
theirs; docs/methods/households.md tells where these differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indistinct.core import Bools, InputError
from indistinct.households.codes import KIN, HouseholdColumns
from indistinct.households.column import Column
from indistinct.households.kinship import NOBODY, Records

__all__ = ["FATHER_YEARS", "LARGEST", "MOTHER_YEARS", "Derived", "People", "head_couple"]


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
