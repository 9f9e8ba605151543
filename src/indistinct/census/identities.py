"""What names a person outright: identity number, names, date of birth, address.

They are drawn from a generator of their own, so the coded columns are the same with and
without them.

Given names by sex, age and origin; surnames, mostly put together from two parts.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.census.households import Households, People
from indistinct.census.sampling import AliasTable, Array

__all__ = [
    "CENSUS_DAY",
    "GIVEN_NAMES",
    "STREETS",
    "SURNAMES",
    "Identities",
    "dates_of_birth",
    "identity_numbers",
    "make_identities",
]

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


# Given names by sex, age and origin --------------------------------------------------------------


_GIVEN = """
Arthur Albert George Walter Harold Ernest Frank Ralph Norman Leonard Stanley Edwin Herbert Cyril
John David Peter Michael Alan Robert Paul Stephen Keith Martin Andrew Kevin Ian Graham Colin Neil
Daniel James Thomas Adam Luke Ryan Oliver Jack Harry Samuel Ben Leo Noah Theo Max Felix
Florence Doris Edith Mabel Elsie Winifred Gladys Irene Hilda Ivy Vera Muriel Agnes Nora
Susan Linda Margaret Christine Anne Helen Jane Carol Judith Karen Julie Alison Diane Sandra Ruth
Emma Laura Sophie Chloe Hannah Lucy Olivia Grace Ella Mia Amelia Ava Isla Freya Alice Zoe
Jan Marek Luca Pierre Stefan Andrei Viktor Pavel Antoni Matteo Jonas Nikola
Anna Maria Elena Katarina Ewa Ingrid Sofia Ioana Petra Giulia Magda Olga
Ravi Arjun Imran Sanjay Vikram Wei Minh Hiro Jun Kenji Asif Rohan
Priya Anjali Fatima Sunita Mei Linh Yuki Xiu Lakshmi Ayesha Hana Nisha
Kwame Omar Ahmed Yusuf Hassan Ali Tariq Samir Chidi Karim Diego Carlos
Amina Leila Zahra Yasmin Ngozi Adaeze Nadia Mariam Abena Lucia Camila Rosa
"""

_rows = [line.split() for line in _GIVEN.strip().splitlines()]
GIVEN_NAMES: list[str] = [name for row in _rows for name in row]


def _given() -> AliasTable:
    """Rows: tongue 4 (home, European, Asian, African and others), sex 2, generation 3."""
    starts = np.cumsum([0, *(len(row) for row in _rows)])
    table = np.zeros((4, 2, 3, len(GIVEN_NAMES)))
    for tongue in range(4):
        for sex in range(2):
            for generation in range(3):
                lines = {3 * sex + other: 0.04 for other in range(3)}
                if tongue == 0:
                    lines[3 * sex + generation] = 1.0
                else:
                    lines[6 + 2 * (tongue - 1) + sex] = 1.0
                for line, share in lines.items():
                    names = np.arange(starts[line], starts[line + 1])
                    table[tongue, sex, generation, names] = share / (names - names[0] + 3)
    return AliasTable(table)


GIVEN = _given()
"""Positions in `GIVEN_NAMES`; row ``(tongue * 2 + sex) * 3 + generation``."""

_PARTS = """
Ash Birch Black Brad Brook Burn Carl Clay Cliff Cole Dun East Elm Fair Farn Gold Graven Green Hal
Hart Hather Hazel Kel Kings Lang Lin Mar Mel Nether New Nor Oak Pen Quarring Rad Red Rosen Sander
Shel Stan Sutter Thorn Wake Wal West Whit Wil Win Wood York
-
ford ley ton well by wood ham worth field land bridge stone more wick shaw man
"""
_stems, _endings = (part.split() for part in _PARTS.split("-"))
_FOREIGN = [
    "Novak Kowalski Muller Rossi Popescu Silva Garcia Horvat Jansen Petrov Nagy Dubois Andersen "
    "Keller Moreau Ivanov Bianchi Wojcik Marin Costa Schmidt Lindgren Kral Balogh",
    "Singh Patel Khan Nguyen Chen Wang Sharma Hussain Tran Li Tanaka Kim Begum Perera Das Lim "
    "Gupta Rahman Zhang Pham Sato Reddy Malik Ho",
    "Okafor Mensah Hassan Ibrahim Yilmaz Haddad Abdi Diallo Osei Rahimi Mansour Tesfaye Campbell "
    "Baptiste Gomez Rojas Kaya Saleh Moyo Adeyemi Demir Farah Clarke Vargas",
]
_HOME = [stem + ending for ending in _endings for stem in _stems]
SURNAMES: list[str] = [*_HOME, *(name for text in _FOREIGN for name in text.split())]


def _surname() -> AliasTable:
    """Rows: tongue 4. A few surnames are common and most are rare, as Zipf's law has it."""
    table = np.zeros((4, len(SURNAMES)))
    # Steps of a number prime to the length scatter the common ones over stems and endings.
    rank = (np.arange(len(_HOME)) * 331) % len(_HOME)
    table[0, : len(_HOME)] = 1 / (rank + 12)
    start = len(_HOME)
    for tongue, text in enumerate(_FOREIGN, 1):
        names = len(text.split())
        table[tongue, start : start + names] = 1 / (np.arange(names) + 4)
        start += names
    return AliasTable(table)


SURNAME = _surname()
"""Positions in `SURNAMES`; one row per tongue."""

TONGUE_OF_ETHNIC = np.array([0, 0, 1, 2, 2, 3, 3, 3, 3, 1, 0], dtype=np.int32)
"""By ethnic code: the row of names people bear."""

_STREETS = """
Church Mill Station High Park Orchard River Bridge Castle Garden Market School Chapel Meadow Hill
Spring North South East West Forge Canal Abbey Harbour
-
Street Road Lane Avenue Close
"""
_firsts, _kinds = (part.split() for part in _STREETS.split("-"))
STREETS: list[str] = [f"{first} {kind}" for kind in _kinds for first in _firsts]
