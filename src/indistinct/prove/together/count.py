"""How many people are left for each record when releases are put together: the loops.

Records that nobody can tell apart are one *profile*: the release, the key there, and for every
other release the set of keys of the partners. Keys of all releases are numbered through. Counting
stops as soon as enough people are found, so that what is reported below the promise, and each
release's smallest number, are exact, and other numbers are at least what is said.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from indistinct.core import Array, Bools, Ints
from indistinct.prove.together.join import Sets

__all__ = ["NONE", "Left", "Profiles", "left_in_files", "left_in_people"]


NONE = -1
"""In the place of a set: the release says nothing about these records."""

LOOKS = 200_000
"""Other profiles that are looked at for one profile; who is not found by then is not counted."""


@dataclass(frozen=True, eq=False)
class Profiles:
    """Records that cannot be told apart, over all releases.

    Parameters
    ----------
    release, key
        The release, and the number of the key.
    sets
        For each release the number of the set of partners' keys, `NONE` for its own release and
        where there are no partners.
    records
        How many records there are of each.
    alone
        People left for each by its own release.
    """

    release: Ints
    key: Ints
    sets: Ints
    records: Ints
    alone: Ints

    def __len__(self) -> int:
        return len(self.key)

    @property
    def order(self) -> Ints:
        """Those with the fewest people first: then the others need not be counted to the end."""
        return np.argsort(self.alone, kind="stable").astype(np.int64)


@dataclass(frozen=True, eq=False)
class Left:
    """For every profile the people left, and the releases that narrow it most (as bits).

    `by_pair` has a column for each release: the people left by that one and its own.
    """

    people: Ints
    by: Ints
    by_pair: Ints


def left_in_people(
    profiles: Profiles,
    partners: Sets,
    *,
    types: Ints,
    type_people: Ints,
    known: Sets,
    types_of_key: Sets,
    keys: int,
    enough: int,
) -> Left:
    """Count people who meet a profile's key and, in every other release, a partner's key.

    Parameters
    ----------
    types, type_people
        People who meet the same keys in every release are of one type: the number of the set of
        keys, for each release, and the people of the type.
    known
        The sets that `types` names.
    types_of_key
        The types that meet each key.
    keys
        How many keys there are.
    enough
        The promise: exact numbers are wanted below it.
    """
    people, by, by_pair = _people_loop(
        profiles.order,
        profiles.release,
        profiles.key,
        profiles.sets,
        profiles.alone,
        partners.starts,
        partners.members,
        types,
        type_people,
        known.starts,
        known.members,
        types_of_key.starts,
        types_of_key.members,
        keys,
        enough,
    )
    return Left(people, by, by_pair)


def left_in_files(
    profiles: Profiles,
    partners: Sets,
    *,
    profiles_of_key: Sets,
    containing: Sets,
    release_of_key: Ints,
    keys: int,
    enough: int,
    used: Bools,
) -> Ints:
    """Count records, of one release at a time, whose people certainly are still possible.

    Parameters
    ----------
    profiles_of_key
        The profiles that have each key.
    containing
        For each key the keys of all releases that it lies within.
    used
        The releases that are put together.
    """
    left: Ints = _files_loop(
        profiles.order,
        profiles.release,
        profiles.key,
        profiles.sets,
        profiles.records,
        profiles.alone,
        partners.starts,
        partners.members,
        partners.complete,
        profiles_of_key.starts,
        profiles_of_key.members,
        containing.starts,
        containing.members,
        release_of_key,
        keys,
        enough,
        used,
    )
    return left


@njit(cache=True, nogil=True)
def _people_loop(
    order: Array,
    release: Array,
    key: Array,
    sets: Array,
    alone: Array,
    partner_starts: Array,
    partners: Array,
    types: Array,
    type_people: Array,
    known_starts: Array,
    known: Array,
    type_starts: Array,
    types_of_key: Array,
    keys: int,
    enough: int,
) -> tuple[Array, Array, Array]:
    releases = sets.shape[1]
    masks = 1 << releases
    full = masks - 1
    left = alone.copy()
    by = np.zeros(len(order), dtype=np.int64)
    by_pair = np.zeros((len(order), releases), dtype=np.int64)
    stamp = np.zeros(keys, dtype=np.int64)
    number = np.zeros(masks, dtype=np.int64)
    smallest = np.full(releases, np.int64(1) << 62)
    for p in order:
        by_pair[p] = alone[p]
        if alone[p] == 0:
            continue
        free = 0
        for j in range(releases):
            s = sets[p, j]
            if s < 0:
                free |= 1 << j
                continue
            for m in range(partner_starts[s], partner_starts[s + 1]):
                stamp[partners[m]] = p + 1
        if free == full:
            by[p] = full
            smallest[release[p]] = min(smallest[release[p]], alone[p])
            continue
        number[:] = 0
        stop = max(enough, smallest[release[p]])
        for at in range(type_starts[key[p]], type_starts[key[p] + 1]):
            t = types_of_key[at]
            mask = free
            for j in range(releases):
                if free >> j & 1:
                    continue
                s = types[t, j]
                for m in range(known_starts[s], known_starts[s + 1]):
                    if stamp[known[m]] == p + 1:
                        mask |= 1 << j
                        break
            number[mask] += type_people[t]
            if number[full] >= stop:
                break
        if number[full] >= stop:
            left[p] = min(alone[p], number[full])
            by[p] = full
            continue
        # people who fit at least the releases of a mask
        for j in range(releases):
            for mask in range(masks):
                if not mask >> j & 1:
                    number[mask] += number[mask | 1 << j]
        for mask in range(masks):
            if mask & free == free and 0 < number[mask] <= left[p]:
                left[p] = number[mask]
                by[p] = mask
        for j in range(releases):
            if number[free | 1 << j] > 0:
                by_pair[p, j] = min(alone[p], number[free | 1 << j])
        smallest[release[p]] = min(smallest[release[p]], left[p])
    return left, by, by_pair


@njit(cache=True, nogil=True)
def _files_loop(
    order: Array,
    release: Array,
    key: Array,
    sets: Array,
    records: Array,
    alone: Array,
    partner_starts: Array,
    partners: Array,
    complete: Array,
    profile_starts: Array,
    profiles_of_key: Array,
    outer_starts: Array,
    outer: Array,
    release_of_key: Array,
    keys: int,
    enough: int,
    used: Array,
) -> Array:
    releases = sets.shape[1]
    left = alone.copy()
    stamp = np.zeros(keys, dtype=np.int64)
    here = np.zeros(releases, dtype=np.bool_)
    smallest = np.full(releases, np.int64(1) << 62)
    for p in order:
        own = release[p]
        if not used[own]:
            continue
        narrowed = False
        for l in range(releases):
            here[l] = used[l] and (l == own or sets[p, l] >= 0)
            narrowed |= here[l] and l != own
        if not narrowed:
            smallest[own] = min(smallest[own], alone[p])
            continue
        stamp[key[p]] = p + 1
        for l in range(releases):
            if here[l] and l != own:
                for m in range(partner_starts[sets[p, l]], partner_starts[sets[p, l] + 1]):
                    stamp[partners[m]] = p + 1
        stop = min(alone[p], max(enough, smallest[own]))
        most = np.int64(1)
        looks = 0
        for j in range(releases):
            if not here[j] or most >= stop or looks > LOOKS:
                continue
            found = np.int64(0)
            first, last = 0, 1
            if j != own:
                first, last = partner_starts[sets[p, j]], partner_starts[sets[p, j] + 1]
            for m in range(first, last):
                q = key[p] if j == own else partners[m]
                for at in range(profile_starts[q], profile_starts[q + 1]):
                    x = profiles_of_key[at]
                    looks += 1
                    fits = True
                    for l in range(releases):
                        if not here[l] or l == j:
                            continue
                        good = False
                        s = sets[x, l]
                        if s >= 0 and complete[s]:
                            good = True
                            for n in range(partner_starts[s], partner_starts[s + 1]):
                                if stamp[partners[n]] != p + 1:
                                    good = False
                                    break
                        if not good:
                            for n in range(outer_starts[q], outer_starts[q + 1]):
                                y = outer[n]
                                if release_of_key[y] == l and stamp[y] == p + 1:
                                    good = True
                                    break
                        if not good:
                            fits = False
                            break
                    if fits:
                        found += records[x]
                if found >= stop or looks > LOOKS:
                    break
            most = max(most, found)
        left[p] = min(alone[p], most)
        smallest[own] = min(smallest[own], left[p])
    return left
