"""Where people come from: ethnic group, birth, nationality, arrival, language, religion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.census.households import Households, People
from indistinct.census.places import (
    ABROAD,
    COUNTRIES,
    COUNTRY_GROUP_OF,
    COUNTRY_GROUPS,
    COUNTRY_WEIGHT,
    COUNTY_WEIGHT,
    HOME,
    NATIONALITY_OF_COUNTRY,
    REGIONS,
    Areas,
)
from indistinct.census.sampling import AliasTable, Array, interpolate
from indistinct.census.tables import household_ethnic

__all__ = ["Origins", "make_origins"]

MIXED = 10


@dataclass(frozen=True)
class Origins:
    """One entry per person; codes as in `codes` and `places`."""

    ethnic: Array
    country_of_birth: Array
    nationality: Array
    region_of_birth: Array
    country_of_residence: Array
    arrival: Array
    language: Array
    religion: Array


# Rows: ethnic codes 1-10; columns: country groups W E M A S X N L C.
_GROUP_WEIGHT = np.array(
    [
        [50, 20, 3, 4, 3, 3, 16, 4, 0.5],
        [42, 55, 1, 0, 0, 0, 2, 0, 0],
        [2, 0, 2, 4, 90, 2, 1, 0, 0.5],
        [2, 0, 0, 0, 1, 95, 2, 0, 0],
        [4, 0, 2, 92, 0, 0, 1, 0, 1],
        [3, 0, 0, 1, 0, 0, 3, 3, 90],
        [3, 1, 94, 1, 1, 0, 1, 0, 0],
        [6, 0, 0, 0, 0, 0, 4, 88, 2],
        [90, 9, 0, 0, 0, 0, 1, 0, 0],
        [20, 10, 14, 14, 10, 14, 8, 6, 4],
    ]
)
_FOREIGN = list(COUNTRY_GROUP_OF)


def _origin_table() -> AliasTable:
    letters = list(COUNTRY_GROUPS)
    column = [letters.index(COUNTRY_GROUP_OF[c]) for c in _FOREIGN]
    weight = np.array([COUNTRY_WEIGHT[c] for c in _FOREIGN]) ** 1.35
    total = np.bincount(column, weight, len(letters))
    return AliasTable(_GROUP_WEIGHT[:, column] * weight / total[column], _FOREIGN)


_ORIGIN = _origin_table()
_NATIONALITY = np.array([0, *(NATIONALITY_OF_COUNTRY[c] for c in COUNTRIES)], dtype=np.uint8)
_REGION = AliasTable(
    [sum(w for c, w in COUNTY_WEIGHT.items() if c // 10 == r) for r in REGIONS], list(REGIONS)
)

# Share born abroad at ages 0, 10, 20, 30, 50 and 80, by ethnic code 1-10.
_AGES = (0, 10, 20, 30, 50, 80)
_BORN_ABROAD = (
    (0.004, 0.008, 0.015, 0.025, 0.025, 0.03),
    (0.08, 0.22, 0.5, 0.78, 0.75, 0.7),
    (0.03, 0.1, 0.25, 0.6, 0.88, 0.97),
    (0.06, 0.18, 0.5, 0.75, 0.9, 0.95),
    (0.05, 0.2, 0.45, 0.75, 0.9, 0.95),
    (0.01, 0.03, 0.08, 0.2, 0.5, 0.95),
    (0.06, 0.18, 0.45, 0.75, 0.9, 0.95),
    (0.06, 0.2, 0.55, 0.85, 0.9, 0.9),
    (0.01, 0.01, 0.02, 0.05, 0.06, 0.1),
    (0.02, 0.05, 0.1, 0.25, 0.35, 0.4),
)

_GROUP_LANGUAGE = {"W": 9, "E": 13, "M": 15, "A": 17, "S": 18, "X": 20, "N": 5, "L": 7, "C": 5}
_COUNTRY_LANGUAGE = {
    **dict.fromkeys(("Germany", "Austria", "Switzerland", "Luxembourg"), 3),
    **dict.fromkeys(("France", "Belgium", "Congo", "Senegal", "Haiti"), 4),
    **dict.fromkeys(("United Kingdom", "Ireland", "South Africa", "Malta"), 5),
    **dict.fromkeys(("Portugal", "Brazil"), 8),
    **dict.fromkeys(("China", "Singapore"), 19),
    **dict.fromkeys(("Iran", "Afghanistan"), 16),
    **{"Italy": 6, "Spain": 7, "Poland": 10, "Romania": 11, "Moldova": 11, "Russia": 12},
    **{"Turkey": 14, "Israel": 9},
}
_LANGUAGE = np.array(
    [0, 1]
    + [_COUNTRY_LANGUAGE.get(COUNTRIES[c], _GROUP_LANGUAGE[COUNTRY_GROUP_OF[c]]) for c in _FOREIGN],
    dtype=np.uint8,
)

# Rows: ethnic codes 1-10 (religions 1-9); the share without religion falls with age.
_RELIGION = np.array(
    [
        [40, 36, 18, 0.4, 0.1, 0.02, 0.2, 0.3, 5],
        [30, 10, 34, 20, 2, 0, 0.1, 0.6, 4],
        [5, 2, 3, 0, 40, 42, 2, 0, 6],
        [48, 8, 18, 0, 3, 0.2, 18, 0, 5],
        [8, 34, 20, 5, 28, 0.1, 0.1, 0, 5],
        [24, 54, 10, 1, 1, 1, 0.1, 0, 9],
        [10, 2, 4, 4, 74, 0.1, 0.1, 2, 4],
        [18, 12, 65, 0.2, 0.2, 0, 0.2, 0.2, 4],
        [20, 8, 66, 2, 0.2, 0, 0.1, 0.2, 4],
        [45, 18, 14, 2, 10, 2, 2, 0.5, 6],
    ]
)
_AGE_TILT = np.array([1.5, 1.3, 1.0, 0.7, 0.4])
_RELIGION_TABLE = AliasTable(
    np.stack([_RELIGION * np.array([tilt, *([1] * 8)]) for tilt in _AGE_TILT], axis=1),
    np.arange(1, 10),
)


def make_origins(
    rng: np.random.Generator, areas: Areas, households: Households, people: People
) -> Origins:
    """Draw the origins of every person, alike within families."""
    house = people.household
    region = areas.region[households.area][house]
    ethnic = _ethnic(rng, areas, households, people, region)
    age = people.exact_age
    count = len(house)

    kin = (people.relationship <= 9) & (ethnic == households.ethnic[house])
    origin = np.where(
        kin & (rng.random(count) < 0.9),
        _ORIGIN.draw(rng, households.ethnic.astype(np.int32) - 1)[house],
        _ORIGIN.draw(rng, ethnic.astype(np.int32) - 1),
    ).astype(np.uint8)
    family_luck = rng.random(len(households.area))[house]
    luck = np.where(kin & (rng.random(count) < 0.7), family_luck, rng.random(count))
    chance = np.empty(count)
    for code, shares in enumerate(_BORN_ABROAD, 1):
        members = np.flatnonzero(ethnic == code)
        chance[members] = np.interp(age[members], _AGES, shares)
    abroad = luck < chance
    birth = np.where(abroad, origin, HOME).astype(np.uint8)

    family_years = rng.gamma(1.6, 9.0, len(households.area))[house]
    years = np.minimum(np.where(kin, family_years, rng.gamma(1.6, 9.0, count)), age)
    arrival = np.where(abroad, np.searchsorted((2, 5, 10, 20, 30, 40), years, "right") + 1, 0)

    naturalised = rng.random(count) < np.minimum(0.05 + 0.03 * years, 0.85)
    second_generation = ~abroad & (ethnic != 1) & (ethnic != 9) & (rng.random(count) < 0.07)
    dual = ~abroad & (rng.random(count) < 0.003)
    nationality = np.where(
        (abroad & ~naturalised) | second_generation | dual, _NATIONALITY[origin], HOME
    )

    stayed = rng.random(count) < interpolate(
        age, {0: 0.97, 10: 0.93, 18: 0.88, 30: 0.72, 50: 0.7, 85: 0.7}
    ) - 0.1 * (region == 1) * (age > 20)
    born_in = np.where(stayed, region, _REGION.draw_many(rng, count))

    elsewhere = rng.random(count) < np.where(abroad & (arrival == 1), 0.12, 0.0022)
    residence = np.where(elsewhere, np.where(abroad, birth, origin), HOME)

    keeps = rng.random(count) < np.where(abroad, interpolate(years, {0: 0.9, 40: 0.35}), 0.18)
    foreign_tongue = keeps & (abroad | ((ethnic != 1) & (ethnic != 9)))
    borderland = rng.random(count) < np.where(ethnic == 9, 0.6, 0.04 * (region == 8))
    language = np.where(foreign_tongue, _LANGUAGE[origin], np.where(borderland, 2, 1))

    band = np.minimum(age / 20, 4).astype(np.int32)
    family_religion = _RELIGION_TABLE.draw(rng, (households.ethnic.astype(np.int32) - 1) * 5 + 2)
    own_religion = _RELIGION_TABLE.draw(rng, (ethnic.astype(np.int32) - 1) * 5 + band)
    religion = np.where(kin & (rng.random(count) < 0.65), family_religion[house], own_religion)
    return Origins(
        ethnic=ethnic,
        country_of_birth=birth,
        nationality=nationality.astype(np.uint8),
        region_of_birth=np.where(abroad, ABROAD, born_in).astype(np.uint8),
        country_of_residence=residence.astype(np.uint8),
        arrival=arrival.astype(np.uint8),
        language=language.astype(np.uint8),
        religion=religion.astype(np.uint8),
    )


def _ethnic(
    rng: np.random.Generator, areas: Areas, households: Households, people: People, region: Array
) -> Array:
    """Head's and partner's groups, children between them, strangers on their own."""
    house, relationship = people.household, people.relationship
    head, partner = households.ethnic[house], households.partner_ethnic[house]
    count = len(house)
    # Only a household with a partner in it has a second parent's group to inherit.
    paired = np.zeros(len(households.area), dtype=bool)
    paired[house[(relationship == 2) | (relationship == 3)]] = True
    u = rng.random(count)
    mixed = paired[house] & (head != partner)
    child = np.where(mixed, np.where(u < 0.55, MIXED, np.where(u < 0.8, head, partner)), head)
    stranger = household_ethnic(rng, region, areas.minority_tilt[households.area][house])
    return np.select(
        [
            relationship >= 10,
            (relationship == 2) | (relationship == 3) | ((relationship == 5) & (u < 0.5)),
            (relationship == 4) | (relationship == 6),
        ],
        [stranger, partner, child],
        head,
    ).astype(np.uint8)
