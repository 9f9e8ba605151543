"""What the people of a household have in common: where they live, how many they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.core import Ints
from indistinct.files import Source
from indistinct.households.guessing import named_household

__all__ = [
    "ALIKE",
    "agrees_beyond_chance",
    "constant_in_households",
    "household_column",
    "household_numbers",
    "is_number_of_members",
    "number_of_members",
    "pairs_in_households",
    "told_by_counting",
]

ALIKE = 0.9
"""How much more often than by chance members must agree on a variable, from 0 to 1."""

_AT_LEAST = 3.0
"""Pairs of members that would disagree by chance; with fewer, agreeing means nothing."""


def household_column(source: Source) -> str | None:
    """Return the column that numbers the households: by its role, else by its name; or None."""
    return next(iter(source.variables.names(role="household")), None) or named_household(
        source.variables
    )


def household_numbers(source: Source, name: str) -> Ints:
    """Return every record's household as a number from 0; a record without one is alone."""
    column = source.table([name]).column(0).combine_chunks()
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    codes: Ints = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    alone = np.flatnonzero(codes < 0)
    codes[alone] = len(coded.dictionary) + np.arange(len(alone))
    return codes


def pairs_in_households(households: Ints) -> tuple[Ints, Ints]:
    """Pair each member with the next of the household: chains that hold everybody together.

    >>> one, other = pairs_in_households(np.array([7, 8, 7, 7]))
    >>> one.tolist(), other.tolist()
    ([0, 2], [2, 3])
    """
    order = np.argsort(households, kind="stable")
    together = households[order[1:]] == households[order[:-1]]
    return order[:-1][together], order[1:][together]


def agrees_beyond_chance(
    agreeing: float, by_chance: float, pairs: int, *, alike: float = ALIKE
) -> bool:
    """Say whether members agree as people do who share a thing, not as any two people do."""
    unlike = 1 - by_chance
    return pairs * unlike >= _AT_LEAST and agreeing - by_chance >= alike * unlike


def constant_in_households(
    source: Source, household: str, names: Sequence[str], *, alike: float = ALIKE
) -> tuple[str, ...]:
    """Return the variables on which the people of a household agree, as good as always.

    Of two neighbours in the same household the share that agrees is compared with what two people
    drawn at random would have in common, so that a value that nearly everybody has is no sign.

    >>> import indistinct
    >>> homes = {"home": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], "county": list("aabbccddee"),
    ...          "sex": list("mfmfmfmfmf")}
    >>> with indistinct.open_data(homes) as data:
    ...     constant_in_households(data.source, "home", ["county", "sex"])
    ('county',)
    """
    one, other = pairs_in_households(household_numbers(source, household))
    found = []
    for name in names:
        column = source.table([name]).column(0).combine_chunks()
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        both = (codes[one] >= 0) & (codes[other] >= 0)
        shares = np.bincount(codes[codes >= 0]) / max(1, (codes >= 0).sum())
        agreeing = float((codes[one] == codes[other])[both].mean()) if both.any() else 0.0
        by_chance = float(shares @ shares)
        if agrees_beyond_chance(agreeing, by_chance, int(both.sum()), alike=alike):
            found.append(name)
    return tuple(found)


def number_of_members(households: Ints) -> Ints:
    """Return for every record how many its household has.

    >>> number_of_members(np.array([7, 8, 7])).tolist()
    [2, 1, 2]
    """
    _, which, counts = np.unique(households, return_inverse=True, return_counts=True)
    return np.asarray(counts[which.reshape(-1)], dtype=np.int64)


def is_number_of_members(
    values: Sequence[object], codes: NDArray[np.integer[Any]], members: Ints
) -> bool:
    """Say whether a column, by values and codes, is the number of records of the household.

    Values that are no whole numbers (labels, for instance) say nothing about that.
    """
    numbers = np.array([_whole(value) for value in values], dtype=np.int64)[codes]
    told = numbers >= 0
    if not told.any():
        return False
    most = int(max(numbers.max(), members.max())) + 1
    if most > len(members) + 1_000:  # an amount, or a code
        return False
    size, said = (np.bincount(x[told], minlength=most) / told.sum() for x in (members, numbers))
    agreeing = float((numbers == members)[told].mean())
    return agrees_beyond_chance(agreeing, float(size @ said), int(told.sum()))


def told_by_counting(source: Source, household: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the variables that hold how many people live together: counting records tells them.

    >>> import indistinct
    >>> homes = {"home": [1, 1, 2, 3, 4, 4, 4, 5, 6, 6], "size": [2, 2, 1, 1, 3, 3, 3, 1, 2, 2]}
    >>> with indistinct.open_data(homes) as data:
    ...     told_by_counting(data.source, "home", ["size"])
    ('size',)
    """
    members = number_of_members(household_numbers(source, household))
    found = []
    for name in names:
        column = source.table([name]).column(0).combine_chunks()
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        codes = coded.indices.fill_null(len(coded.dictionary)).to_numpy(zero_copy_only=False)
        if is_number_of_members([*coded.dictionary.to_pylist(), None], codes, members):
            found.append(name)
    return tuple(found)


def _whole(value: object) -> int:
    """Return a whole number that is not negative, from a number or its text; -1 for all else."""
    if isinstance(value, str):
        return int(value) if value.isdecimal() and len(value) < 10 else -1
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value == value // 1:
        return int(value) if 0 <= value < 1e9 else -1
    return -1
