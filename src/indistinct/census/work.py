"""What people do: education, economic activity, occupation, industry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.census.codes import age_group_19
from indistinct.census.households import CARE, HALL, Households, People
from indistinct.census.occupations import INDUSTRIES, OCCUPATIONS, SECTION_LETTERS
from indistinct.census.sampling import AliasTable, Array, interpolate

__all__ = ["CHILD", "Work", "make_work"]

CHILD = 11
_GROUP_AGE = np.array([17, 19, *(a + 2.5 for a in range(20, 85, 5)), 88])


@dataclass(frozen=True)
class Work:
    """One entry per person; codes as in `codes`, `occupations` and `industries`; 0 = none."""

    education: Array
    economic: Array
    occupation: Array
    industry: Array


# Economic activity 1-10 of people of 16 and over, as shares of all before the rest is given to
# employees; `_economic_table` tilts them by sex, education, family and ethnic class.
_STUDENT = {16: 0.85, 17: 0.82, 19: 0.5, 22.5: 0.24, 27.5: 0.05, 32.5: 0.015, 42: 0.006, 60: 0.0004}
_TRAINEE = {17: 0.05, 19: 0.07, 22.5: 0.03, 27.5: 0.008, 37: 0.002, 57: 0.0005, 66: 0}
_RETIRED = {43: 0, 48: 0.004, 52: 0.02, 57: 0.11, 62: 0.42, 67: 0.85, 72: 0.94, 80: 0.975}
_SICK = {17: 0.005, 30: 0.014, 45: 0.03, 57: 0.07, 62: 0.06, 67: 0.008, 80: 0.004}
_HOME = {17: 0.006, 25: 0.05, 35: 0.07, 60: 0.06, 70: 0.02, 85: 0.012}
_UNEMPLOYED = {17: 0.06, 22: 0.08, 30: 0.05, 45: 0.035, 60: 0.03, 66: 0.002, 75: 0}
_EMPLOYER = {17: 0, 22: 0.002, 30: 0.012, 45: 0.03, 60: 0.025, 67: 0.006, 80: 0.0008}
_OWN_ACCOUNT = {17: 0.001, 22: 0.015, 35: 0.055, 55: 0.065, 67: 0.018, 80: 0.0025}


def _economic_table() -> AliasTable:
    """Rows: sex 2, age group 16 (from 16 years), education 3, family 3, ethnic class 3."""
    sex, age, school, family, ethnic = np.meshgrid(
        np.arange(2), _GROUP_AGE, np.arange(3), np.arange(3), np.arange(3), indexing="ij"
    )
    woman, partnered, small_children = sex == 1, family > 0, family == 2
    student = interpolate(age, _STUDENT) * (0.6 + 0.4 * school) * np.where(partnered, 0.35, 1)
    student *= np.array([1, 1.15, 1.0])[ethnic]
    student = np.where(age < 20, np.minimum(student, 0.93), student)
    trainee = interpolate(age, _TRAINEE) * np.array([1.0, 1.1, 0.2])[school]
    retired = interpolate(age, _RETIRED) * np.where(woman, 1.02, 0.98)
    sick = interpolate(age, _SICK) * np.array([2.1, 0.9, 0.35])[school]
    sick *= np.where(partnered, 0.7, 1.4) * np.array([1, 1.0, 1.2])[ethnic]
    home = interpolate(age, _HOME) * np.where(woman, 1.5, 0.07)
    home *= np.where(small_children, 3.2, np.where(partnered, 1.1, 0.5))
    home *= np.array([1.4, 1.0, 0.6])[school] * np.array([1, 0.9, 2.0])[ethnic]
    unemployed = interpolate(age, _UNEMPLOYED) * np.array([1.9, 0.95, 0.5])[school]
    unemployed *= np.where(woman, 0.7, 1.15) * np.array([1, 1.3, 2.0])[ethnic]
    unemployed *= np.where(partnered, 0.7, 1.35)
    employer = interpolate(age, _EMPLOYER) * np.where(woman, 0.45, 1.4)
    employer *= np.array([0.7, 1.0, 1.3])[school] * np.array([1, 0.9, 1.2])[ethnic]
    own = (
        interpolate(age, _OWN_ACCOUNT)
        * np.where(woman, 0.55, 1.4)
        * np.array([1, 0.9, 1.4])[ethnic]
    )
    others = student + trainee + retired + sick + home + unemployed + employer + own
    employee = np.maximum(1 - others, 0.006 * np.exp(-np.maximum(age - 68, 0) / 6))
    part = np.where(woman, np.where(small_children, 0.52, np.where(partnered, 0.38, 0.25)), 0.07)
    part = np.where((age < 24) | (age > 62), 0.5 * part + 0.28, part)
    return AliasTable(
        np.stack(
            [
                employee * (1 - part),
                employee * part,
                employer,
                own,
                trainee,
                unemployed,
                student,
                sick,
                retired,
                home,
            ],
            axis=-1,
        ),
        np.arange(1, 11),
    )


_ECONOMIC = _economic_table()
# By ethnic code: 0 majority and alike, 1 and 2 groups whose work differs from it.
_ETHNIC_CLASS = np.array([0, 0, 0, 2, 1, 1, 1, 2, 1, 0, 1])

# Weight of the nine occupation groups by education 1-7.
_GROUP_BY_EDUCATION = np.array(
    [
        [1, 0.3, 1, 3, 16, 6, 16, 18, 40],
        [2, 0.3, 2, 6, 20, 6, 18, 18, 28],
        [4, 1, 6, 13, 24, 3, 18, 14, 17],
        [8, 5, 16, 20, 22, 2, 13, 8, 7],
        [12, 14, 28, 18, 12, 2, 9, 4, 2],
        [16, 48, 18, 10, 5, 0.6, 1.2, 0.8, 0.9],
        [18, 68, 8, 3, 1.5, 0.3, 0.5, 0.2, 0.4],
    ]
)
_GROUP_BY_AGE = np.array(
    [
        [0.25, 0.5, 0.8, 1.1, 1.9, 0.7, 1.1, 0.8, 1.8],
        [1, 1.1, 1.1, 1, 0.95, 0.8, 1, 1, 0.85],
        [1.2, 0.95, 0.9, 1, 0.85, 1.5, 0.95, 1.15, 1],
    ]
)
# A few occupations are mostly worked on one's own account.
_OWN_ACCOUNT_GROUP = np.array([2.5, 1.0, 0.8, 0.1, 0.9, 9.0, 2.0, 0.8, 0.35])


def _occupation_table() -> AliasTable:
    """Rows: sex 2, age 3, education 7, employee or not 2."""
    listed = list(OCCUPATIONS.values())
    group = np.array([o.code // 10 - 1 for o in listed])
    weight = np.array([o.weight for o in listed])
    women = np.array([o.women for o in listed])
    within = weight / np.bincount(group, weight)[group]
    by_sex = np.stack([1 - women, women])
    table = (
        by_sex[:, None, None, None, :]
        * _GROUP_BY_AGE[None, :, None, None, group]
        * _GROUP_BY_EDUCATION[None, None, :, None, group]
        * np.stack([np.ones(9), _OWN_ACCOUNT_GROUP])[None, None, None, :, group]
        * within
    )
    return AliasTable(table, [o.code for o in listed])


_OCCUPATION = _occupation_table()
_OCCUPATION_SEXES, _OCCUPATION_AGES, _EDUCATIONS = 2, 3, 7


def _industry_table() -> AliasTable:
    """Rows: occupations 10-99. Most work in the sections listed for them, the first above all."""
    section = np.array([code // 10 for code in INDUSTRIES])
    digit = np.array([code % 10 for code in INDUSTRIES])
    rows = []
    for occupation in OCCUPATIONS.values():
        mass = np.full(24, 0.10 / 23)
        for place, letter in enumerate(occupation.sections):
            mass[SECTION_LETTERS[letter]] += 0.90 * 0.6**place
        # Each occupation has divisions of its own within a section.
        lean = np.cos(1.7 * digit + occupation.code) * 0.8
        within = np.exp(lean - 0.15 * digit)
        rows.append(mass[section] * within / np.bincount(section, within)[section])
    return AliasTable(np.array(rows), list(INDUSTRIES))


_INDUSTRY = _industry_table()
# Share with a present or past occupation, by economic activity 1-11.
_HAS_OCCUPATION = np.array([0, 1, 1, 1, 1, 1, 0.85, 0.3, 0.8, 0.93, 0.75, 0])

_CUTS = np.array([-2.25, -1.35, -0.45, 0.5, 0.95, 1.75])
_COHORT = {16: 0.1, 25: 0.3, 40: 0.3, 60: -0.15, 75: -0.65, 90: -1.0}


def make_work(
    rng: np.random.Generator, households: Households, people: People, ethnic: Array
) -> Work:
    """Draw education, then activity, occupation and industry, each given what precedes."""
    age, sex = people.exact_age, people.sex.astype(np.int32) - 1
    adult = np.flatnonzero(age >= 16)
    education = _education(rng, households, people, ethnic)
    economic = np.full(len(age), CHILD, dtype=np.uint8)
    economic[adult] = _ECONOMIC.draw(
        rng, _economic_row(households, people, ethnic, education)[adult]
    )
    setting = households.setting[people.household]
    economic[setting == HALL] = 7
    in_care = np.flatnonzero(setting == CARE)
    economic[in_care] = np.where(age[in_care] < 62, 8, 9)

    worked = np.flatnonzero(rng.random(len(age)) < _HAS_OCCUPATION[economic])
    age_band = np.digitize(age[worked], (25, 50))
    own_account = (economic[worked] == 3) | (economic[worked] == 4)
    row = (sex[worked] * _OCCUPATION_AGES + age_band) * _EDUCATIONS + education[worked] - 1
    occupation = np.zeros(len(age), dtype=np.uint8)
    occupation[worked] = _OCCUPATION.draw(rng, row * 2 + own_account)
    industry = np.zeros(len(age), dtype=np.uint8)
    industry[worked] = _INDUSTRY.draw(rng, occupation[worked].astype(np.int32) - 10)
    return Work(education=education, economic=economic, occupation=occupation, industry=industry)


def _education(
    rng: np.random.Generator, households: Households, people: People, ethnic: Array
) -> Array:
    """A latent score shared in part by the household, cut into seven levels."""
    age = people.exact_age
    family = people.relationship <= 9
    noise = rng.standard_normal(len(age))
    score = np.where(family, 0.72 * households.standing[people.household] + 0.72 * noise, noise)
    score += interpolate(age, _COHORT) + 0.05 * (people.sex == 2) * (age < 40)
    score += np.array([0, 0, 0.1, 0.05, 0.35, 0.1, -0.1, -0.25, 0.1, -0.2, 0.1])[ethnic]
    score -= np.where((age > 55) & (people.sex == 2), 0.25, 0)
    level = np.searchsorted(_CUTS, score).astype(np.uint8) + 1
    # Nobody holds a certificate before the age at which it is given.
    highest = np.searchsorted((7, 12, 16, 18, 20.5, 23), age, "right").astype(np.uint8) + 1
    return np.where(age < 16, highest, np.minimum(level, highest)).astype(np.uint8)


def _economic_row(households: Households, people: People, ethnic: Array, education: Array) -> Array:
    relationship = people.relationship
    paired = np.zeros(len(households.area), dtype=bool)
    paired[people.household[(relationship == 2) | (relationship == 3)]] = True
    small = np.zeros(len(households.area), dtype=bool)
    small[people.household[(relationship == 4) & (people.exact_age < 7)]] = True
    core = relationship <= 3
    family = np.where(
        core & small[people.household], 2, np.where(core & paired[people.household], 1, 0)
    )
    school = np.digitize(education, (3, 6))
    group = np.maximum(age_group_19(np.minimum(people.exact_age, 85).astype(np.uint8)), 4) - 4
    row = (people.sex.astype(np.int32) - 1) * len(_GROUP_AGE) + group
    flat: Array = ((row * 3 + school) * 3 + family) * 3 + _ETHNIC_CLASS[ethnic]
    return flat
