"""Who lives together: heads, partners, children, other members, institutions.

Ages are kept as exact ages in years until the end, so that a mother is old enough at each
birth, siblings are born at least ten months apart (or are twins), and dates of birth follow.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from indistinct.census.places import Areas
from indistinct.census.sampling import Array, interpolate
from indistinct.census.tables import (
    FERTILITY,
    FOREIGN_CUSTOM,
    HEAD_AGE,
    MARITAL_ALONE,
    PARENT_MARITAL,
    fertility_row,
    household_ethnic,
    marital_row,
    partner_ethnic,
)

__all__ = ["CARE", "HALL", "HOSTEL", "PRIVATE", "Households", "People", "make_people"]

PRIVATE, CARE, HALL, HOSTEL = 0, 1, 2, 3
"""Where a person lives: a private household, a care home, a student hall, a hostel or prison."""

YOUNGEST_MOTHER, OLDEST_MOTHER = 15.5, 46.5
_OLDEST = 104.0
_MOST_CHILDREN = 7


@dataclass(frozen=True)
class Households:
    """One entry per household: its area, its standing (a latent score), its origins."""

    area: Array
    standing: Array
    ethnic: Array
    partner_ethnic: Array
    setting: Array


@dataclass(frozen=True)
class People:
    """One entry per person, ordered by household and then by number within the household."""

    household: Array
    person: Array
    relationship: Array
    sex: Array
    exact_age: Array
    marital: Array


@dataclass
class _Roll:
    """The people found so far; `household` is ascending within each call of `add`."""

    parts: list[tuple[Array, ...]] = field(default_factory=list)

    def add(
        self, household: Array, relationship: Array | int, sex: Array, age: Array, marital: Array
    ) -> None:
        code = np.broadcast_to(np.asarray(relationship, dtype=np.uint8), household.shape)
        self.parts.append((household, code, sex.astype(np.uint8), age, marital.astype(np.uint8)))


def make_people(rng: np.random.Generator, areas: Areas, people: int) -> tuple[Households, People]:
    """Make households until exactly `people` people are housed.

    The last household may be cut short; its head stays.
    """
    # Households have 2.4 members on average and at least one, so these are always enough.
    count = people // 2 + 500
    area = areas.size.draw_many(rng, count).astype(np.int32)
    setting = np.where(
        rng.random(count) < 0.0022, rng.integers(CARE, HOSTEL + 1, count), PRIVATE
    ).astype(np.uint8)
    ethnic = household_ethnic(rng, areas.region[area], areas.minority_tilt[area])
    households = Households(
        area=area,
        standing=areas.standing[area] + rng.normal(0, 0.9, count),
        ethnic=ethnic,
        partner_ethnic=partner_ethnic(rng, ethnic, areas.region[area]),
        setting=setting,
    )
    roll = _Roll()
    private = np.flatnonzero(setting == PRIVATE).astype(np.int32)
    _families(rng, households, private, roll)
    _institutions(rng, setting, roll)
    return _in_area_order(households, roll, people)


def _families(rng: np.random.Generator, households: Households, house: Array, roll: _Roll) -> None:
    count = len(house)
    age = HEAD_AGE.draw_many(rng, count) + rng.random(count)
    standing = households.standing[house]
    custom = FOREIGN_CUSTOM[households.ethnic[house]]

    couple = rng.random(count) < interpolate(
        age,
        {17: 0.03, 20: 0.18, 25: 0.42, 30: 0.6, 36: 0.68, 60: 0.69, 70: 0.62, 80: 0.42, 92: 0.12},
    )
    married = (couple & (age >= 18)) & (
        rng.random(count)
        < interpolate(age, {18: 0.15, 24: 0.4, 30: 0.68, 40: 0.85, 60: 0.95, 75: 0.99})
        + 0.1 * custom
    )
    woman_alone = interpolate(age, {18: 0.47, 40: 0.45, 55: 0.54, 75: 0.74, 90: 0.82})
    woman = rng.random(count) < np.where(couple, 0.22, woman_alone)
    sex = 1 + woman
    marital = np.where(married, 2, MARITAL_ALONE.draw(rng, marital_row(age, sex)))
    roll.add(house, 1, sex, age, marital)

    gap = np.where(rng.random(count) < 0.08, rng.normal(4, 7.5, count), rng.normal(2.1, 2.8, count))
    partner_age = age + np.where(woman, gap, -gap)
    partner_age = np.clip(partner_age, 18.0 + 3 * rng.random(count), _OLDEST)
    partner_sex = np.where(rng.random(count) < 0.012, sex, 3 - sex)
    pair = np.flatnonzero(couple)
    roll.add(
        house[pair],
        np.where(married[pair], 2, 3),
        partner_sex[pair],
        partner_age[pair],
        np.where(
            married[pair],
            2,
            MARITAL_ALONE.draw(rng, marital_row(partner_age[pair], partner_sex[pair])),
        ),
    )

    # A man who brings up children alone, or two men, are given the age of a mother they had.
    mother_age = np.where(
        woman, age, np.where(couple & (partner_sex == 2), partner_age, age - 1.5 - 2 * ~couple)
    )
    births = FERTILITY.draw(rng, fertility_row(couple, sex, marital, custom))
    eldest = _children(rng, house, mother_age, births, standing, roll)
    _grandchildren(rng, house, eldest, custom, roll)
    _relatives(rng, house, age, couple, custom, roll)
    _lodgers(rng, house, age, couple, roll)


def _children(
    rng: np.random.Generator,
    house: Array,
    mother_age: Array,
    births: Array,
    standing: Array,
    roll: _Roll,
) -> Array:
    """Add the children who still live at home; return the eldest one's age (nan without)."""
    count = len(house)
    eldest = np.full(count, np.nan)
    mothers = np.flatnonzero((births > 0) & (mother_age > YOUNGEST_MOTHER))
    at_birth = np.maximum(
        YOUNGEST_MOTHER,
        25.3 + 1.3 * standing[mothers] + 4.6 * rng.standard_normal(len(mothers)),
    )
    for order in range(_MOST_CHILDREN):
        age = mother_age[mothers] - at_birth
        born = (births[mothers] > order) & (age >= 0) & (at_birth <= OLDEST_MOTHER)
        mothers, at_birth, age = mothers[born], at_birth[born], age[born]
        if not len(mothers):
            break
        male = rng.random(len(mothers)) < 0.512
        stays = rng.random(len(mothers)) < interpolate(
            age - 1.0 * male,
            {16.5: 1, 18: 0.86, 20: 0.62, 22: 0.48, 25: 0.3, 30: 0.12, 36: 0.05, 50: 0.02, 60: 0},
        )
        home = mothers[stays]
        eldest[home] = np.fmax(eldest[home], age[stays])
        sex = np.where(male[stays], 1, 2)
        grown = MARITAL_ALONE.draw(rng, marital_row(age[stays], sex))
        # Those who stay with their parents have seldom been married.
        marital = np.where((age[stays] > 19) & (rng.random(len(home)) < 0.5), grown, 1)
        roll.add(house[home], 4, sex, age[stays], marital)
        spacing = 0.85 + rng.gamma(2.0, 1.15, len(mothers))
        at_birth = at_birth + np.where(rng.random(len(mothers)) < 0.014, 0.0, spacing)
    return eldest


def _grandchildren(
    rng: np.random.Generator, house: Array, eldest: Array, custom: Array, roll: _Roll
) -> None:
    parent_age = np.where(np.isnan(eldest), 0.0, eldest)
    chosen = np.flatnonzero((parent_age > 18) & (rng.random(len(house)) < 0.05 + 0.05 * custom))
    in_law = chosen[rng.random(len(chosen)) < 0.45]
    roll.add(
        house[in_law],
        5,
        rng.integers(1, 3, len(in_law)),
        np.maximum(18.0, parent_age[in_law] + rng.normal(0.5, 3, len(in_law))),
        np.full(len(in_law), 2),
    )
    age = parent_age[chosen] - rng.uniform(17, 30, len(chosen))
    born = age >= 0
    roll.add(
        house[chosen[born]],
        6,
        1 + (rng.random(born.sum()) < 0.488),
        age[born],
        np.ones(born.sum()),
    )


def _relatives(
    rng: np.random.Generator, house: Array, age: Array, couple: Array, custom: Array, roll: _Roll
) -> None:
    count = len(house)
    parent_age = age + np.clip(rng.normal(28, 5, count), 17, 45)
    parent = np.flatnonzero(
        (rng.random(count) < np.where(couple, 0.02, 0.03) + 0.05 * custom) & (parent_age < 100)
    )
    sex = 1 + (rng.random(len(parent)) < 0.78)
    roll.add(house[parent], 7, sex, parent_age[parent], PARENT_MARITAL.draw_many(rng, len(parent)))
    for relationship, share, spread in ((8, 0.018, 5.0), (9, 0.012, 16.0)):
        other_age = age + spread * rng.standard_normal(count)
        chosen = np.flatnonzero(
            (rng.random(count) < share * np.where(couple, 0.4, 1.4) * (1 + custom))
            & (other_age > 14)
            & (other_age < 100)
        )
        sex = rng.integers(1, 3, len(chosen))
        marital = MARITAL_ALONE.draw(rng, marital_row(other_age[chosen], sex))
        roll.add(house[chosen], relationship, sex, other_age[chosen], marital)


def _lodgers(
    rng: np.random.Generator, house: Array, age: Array, couple: Array, roll: _Roll
) -> None:
    count = len(house)
    share = np.where(couple, 0.004, np.where(age < 34, 0.14, 0.015))
    chosen = np.flatnonzero(rng.random(count) < share)
    for _ in range(4):
        lodger_age = 17.5 + rng.gamma(2.2, 4.2, len(chosen))
        sex = 1 + (rng.random(len(chosen)) < 0.46)
        marital = MARITAL_ALONE.draw(rng, marital_row(lodger_age, sex))
        roll.add(house[chosen], 10, sex, lodger_age, marital)
        chosen = chosen[rng.random(len(chosen)) < 0.38]
    served = np.flatnonzero(rng.random(count) < 0.0007)
    helper_age = 18 + rng.gamma(2.5, 6.0, len(served))
    sex = 1 + (rng.random(len(served)) < 0.9)
    roll.add(
        house[served],
        11,
        sex,
        helper_age,
        MARITAL_ALONE.draw(rng, marital_row(helper_age, sex)),
    )


def _institutions(rng: np.random.Generator, setting: Array, roll: _Roll) -> None:
    place = np.flatnonzero(setting).astype(np.int32)
    size = np.minimum(3 + rng.gamma(2.0, 8.0, len(place)).astype(int), 120)
    place = np.repeat(place, size)
    kind = setting[place]
    count = len(place)
    age = np.select(
        [kind == CARE, kind == HALL],
        [
            np.clip(rng.normal(83, 8, count), 45, _OLDEST),
            np.minimum(18 + rng.gamma(2.0, 1.1, count), 32),
        ],
        np.minimum(18 + rng.gamma(2.6, 6.5, count), 78),
    )
    woman = rng.random(count) < np.select([kind == CARE, kind == HALL], [0.7, 0.52], 0.12)
    sex = 1 + woman
    roll.add(place, 12, sex, age, MARITAL_ALONE.draw(rng, marital_row(age, sex)))


def _in_area_order(households: Households, roll: _Roll, people: int) -> tuple[Households, People]:
    house, *rest = (np.concatenate(column) for column in zip(*roll.parts, strict=True))
    order = np.argsort(house, kind="stable")[:people]
    house = house[order]
    kept = int(house[-1]) + 1
    by_area = np.argsort(households.area[:kept], kind="stable")
    rank = np.empty(kept, dtype=np.int32)
    rank[by_area] = np.arange(kept, dtype=np.int32)
    house = rank[house]
    moved = np.argsort(house, kind="stable")
    house, order = house[moved], order[moved]
    relationship, sex, age, marital = (column[order] for column in rest)
    first = np.searchsorted(house, np.arange(kept, dtype=np.int32))
    return (
        Households(
            area=households.area[by_area],
            standing=households.standing[by_area],
            ethnic=households.ethnic[by_area],
            partner_ethnic=households.partner_ethnic[by_area],
            setting=households.setting[by_area],
        ),
        People(
            household=house,
            person=(np.arange(len(house)) - first[house] + 1).astype(np.uint8),
            relationship=relationship,
            sex=sex,
            exact_age=np.minimum(age, _OLDEST),
            marital=marital,
        ),
    )
