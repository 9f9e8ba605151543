"""What names a person outright: identity number, names, date of birth, address.

They are drawn from a generator of their own, so the coded columns are the same with and
without them.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.census.households import Households, People
from indistinct.census.namelists import (
    GIVEN,
    GIVEN_NAMES,
    STREETS,
    SURNAME,
    SURNAMES,
    TONGUE_OF_ETHNIC,
)
from indistinct.census.sampling import Array

__all__ = ["CENSUS_DAY", "Identities", "dates_of_birth", "identity_numbers", "make_identities"]

CENSUS_DAY = datetime.date(2021, 3, 21)
"""Ages are completed years on this day."""

_PRIME = 8_999_999_993
_LOWEST = 1_000_000_000


@dataclass(frozen=True)
class Identities:
    """One entry per person, as Arrow arrays; names are dictionary-encoded."""

    given_name: pa.Array
    surname: pa.Array
    address: pa.Array


def identity_numbers(first: int, count: int, *, seed: int) -> Array:
    """Return ten-digit numbers of people `first` … `first + count - 1`, different for everyone.

    Multiplication modulo a prime permutes the residues, so no two people share a number and
    the numbers do not betray the order of the file.

    >>> identity_numbers(0, 3, seed=1).tolist() == identity_numbers(1, 2, seed=1).tolist()
    False
    """
    draw = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0x1D,)))
    # The factor stays below 2**31 so that the product fits 64 bits for two thousand million people.
    factor, shift = draw.integers(1 << 30, 1 << 31), draw.integers(0, _PRIME)
    index = np.arange(first, first + count, dtype=np.int64)
    return _LOWEST + (index * factor + shift) % _PRIME


def _birthdays() -> Array:
    """Days since 1970 of the birth of someone who completes age a on the census day."""
    dates = [
        datetime.date(CENSUS_DAY.year - age, CENSUS_DAY.month, CENSUS_DAY.day) for age in range(107)
    ]
    return np.array([(date - datetime.date(1970, 1, 1)).days for date in dates], dtype=np.int32)


_BIRTHDAY = _birthdays()


def dates_of_birth(exact_age: Array) -> Array:
    """Return days since 1970, such that the completed age on the census day is the age's floor.

    >>> dates_of_birth(np.array([0.0, 51.2])).astype("datetime64[D]").tolist()
    [datetime.date(2021, 3, 21), datetime.date(1970, 1, 7)]
    """
    year = exact_age.astype(np.int32)
    latest, earliest = _BIRTHDAY[year], _BIRTHDAY[year + 1]
    since: Array = ((exact_age - year) * (latest - earliest)).astype(np.int32)
    return latest - since


def make_identities(
    rng: np.random.Generator, households: Households, people: People, ethnic: Array
) -> Identities:
    """Draw names and addresses; families share a surname and households an address."""
    house, relationship = people.household, people.relationship
    count, number = len(house), len(households.area)
    tongue = TONGUE_OF_ETHNIC[ethnic]
    generation = 2 - np.digitize(people.exact_age, (34, 68)).astype(np.int32)
    sex = people.sex.astype(np.int32) - 1
    given = GIVEN.draw(rng, (tongue * 2 + sex) * 3 + generation)

    family = SURNAME.draw(rng, TONGUE_OF_ETHNIC[households.ethnic])[house]
    own = SURNAME.draw(rng, tongue)
    # By relationship: how often the head's surname is borne.
    share = np.array([0, 1, 0.85, 0.1, 0.97, 0.4, 0.6, 0.75, 0.85, 0.3, 0, 0, 0])[relationship]
    surname = np.where(rng.random(count) < share, family, own)

    street = rng.integers(0, len(STREETS), number)[house]
    door = rng.integers(1, 160, number)[house]
    address = pc.binary_join_element_wise(
        pa.array(door).cast(pa.string()), _named(street, STREETS).cast(pa.string()), " "
    )
    return Identities(
        given_name=_named(given, GIVEN_NAMES), surname=_named(surname, SURNAMES), address=address
    )


def _named(position: Array, names: list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(position.astype(np.int32)), pa.array(names))
