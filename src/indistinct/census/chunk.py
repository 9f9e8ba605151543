"""One chunk of the census: people made, columns put together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from indistinct.census.codes import OLDEST, age_group_19, geography_4
from indistinct.census.households import PRIVATE, Households, People, make_people
from indistinct.census.identities import dates_of_birth, identity_numbers, make_identities
from indistinct.census.occupations import SECTION_LETTERS
from indistinct.census.origins import make_origins
from indistinct.census.places import Areas, chunk_sizes
from indistinct.census.sampling import AliasTable, Array, interpolate
from indistinct.census.schema import REGISTER_SCHEMA, census_schema
from indistinct.census.work import CHILD, Work, make_work

__all__ = ["Chunk", "make_chunks"]


# How people live: income, tenure, health, school, and the circumstances of work.


@dataclass(frozen=True)
class Living:
    """One entry per person; codes as in `codes`; income in whole tens of the currency."""

    income: Array
    tenure: Array
    household_size: Array
    children: Array
    health: Array
    school: Array
    field_of_study: Array
    class_of_worker: Array
    hours: Array
    travel: Array


# Logarithm of yearly income relative to the middle, by economic activity 1-11 and by the
# group of the occupation (0 = none).
_INCOME_ACTIVITY = np.array([0, 0, -0.75, 0.45, -0.1, -0.95, -1.35, -1.9, -1.0, -0.65, -2.1, 0])
_INCOME_GROUP = np.array([-0.15, 0.5, 0.38, 0.18, -0.1, -0.28, -0.25, 0.0, -0.05, -0.38])
_INCOME_EDUCATION = np.array([0, -0.2, -0.15, -0.05, 0.0, 0.08, 0.22, 0.38])

# Hours 1-6 by activity 1-5; travel 1-9 by geography of work; class 1-6 by kind of industry.
_HOURS = AliasTable(
    [
        [0, 0, 10, 60, 20, 10],
        [35, 55, 10, 0, 0, 0],
        [3, 6, 8, 23, 25, 35],
        [10, 18, 14, 26, 17, 15],
        [4, 12, 20, 60, 3, 1],
    ],
    np.arange(1, 7),
)
_TRAVEL = AliasTable(
    [
        [7, 16, 20, 14, 26, 3, 1, 6, 7],
        [6, 4, 1, 9, 58, 7, 2, 4, 9],
        [9, 1, 0, 5, 66, 8, 2, 3, 6],
    ],
    np.arange(1, 10),
)
_CLASS = AliasTable(
    np.array([[97, 1, 1.5, 0, 0, 0.5], [22, 62, 15, 0, 0, 1], [82, 4, 6, 0, 0, 8]]),
    np.arange(1, 7),
)
_PUBLIC = [SECTION_LETTERS[letter] for letter in "STU"]

# Field of study 1-10 by occupation group 0-9 (0 = none) and sex.
_FIELD_MEN = np.array(
    [
        [14, 4, 8, 12, 18, 8, 7, 22, 3, 4],
        [8, 3, 5, 14, 36, 6, 6, 18, 2, 2],
        [3, 12, 8, 14, 10, 13, 14, 18, 1, 7],
        [8, 2, 5, 8, 20, 8, 14, 28, 1, 6],
        [20, 2, 8, 10, 38, 4, 5, 9, 1, 3],
        [22, 4, 10, 10, 22, 4, 4, 14, 2, 8],
        [12, 1, 3, 2, 9, 4, 1, 14, 52, 2],
        [9, 1, 3, 2, 5, 2, 3, 72, 2, 1],
        [18, 1, 3, 3, 10, 3, 3, 54, 4, 1],
        [32, 2, 8, 5, 14, 3, 3, 28, 3, 2],
    ],
    dtype=float,
)
_SEX_TILT = np.array([1, 3.2, 2, 1.6, 1.4, 1, 0.3, 0.15, 0.6, 5])
_FIELD = AliasTable(np.stack([_FIELD_MEN, _FIELD_MEN * _SEX_TILT]), np.arange(1, 11))


def make_living(
    rng: np.random.Generator, areas: Areas, households: Households, people: People, work: Work
) -> Living:
    """Draw what remains, given households and work."""
    house, age = people.household, people.exact_age
    number = len(households.area)
    size = np.bincount(house, minlength=number)
    children = np.bincount(house[people.relationship == 4], minlength=number)
    region = areas.region[households.area][house]
    employed = work.economic <= 5
    hours = np.zeros(len(age), dtype=np.uint8)
    job = np.flatnonzero(employed)
    hours[job] = _HOURS.draw(rng, work.economic[job] - 1)
    travel = np.zeros(len(age), dtype=np.uint8)
    travel[job] = _TRAVEL.draw(rng, np.where(region[job] == 1, 0, 1 + (region[job] % 4 == 2)))
    return Living(
        income=_income(rng, households, people, work),
        tenure=_tenure(rng, households, people)[house],
        household_size=np.minimum(size, 255).astype(np.uint8)[house],
        children=children.astype(np.uint8)[house],
        health=_health(rng, households, people, work),
        school=_school(rng, age, work),
        field_of_study=_field_of_study(rng, people, work),
        class_of_worker=_class_of_worker(rng, work),
        hours=hours,
        travel=travel,
    )


def _income(rng: np.random.Generator, households: Households, people: People, work: Work) -> Array:
    """Log-normal round what activity, occupation, education, age and sex lead one to expect."""
    age = people.exact_age
    expected = (
        10.25
        + _INCOME_ACTIVITY[work.economic]
        + _INCOME_GROUP[work.occupation // 10]
        + _INCOME_EDUCATION[work.education]
        + interpolate(age, {16: -0.6, 25: -0.2, 35: 0.05, 50: 0.18, 64: 0.1, 85: 0.0})
        - 0.12 * (people.sex == 2)
        + 0.12 * households.standing[people.household]
    )
    spread = np.where((work.economic == 3) | (work.economic == 4), 0.75, 0.38)
    amount = np.exp(expected + spread * rng.standard_normal(len(age)))
    nothing = (work.economic == CHILD) | (
        (work.economic >= 7) & (work.economic != 9) & (rng.random(len(age)) < 0.25)
    )
    return np.where(nothing, 0, np.minimum(np.rint(amount / 10) * 10, 5e6)).astype(np.int32)


def _tenure(rng: np.random.Generator, households: Households, people: People) -> Array:
    """One tenure per household, by the head's age and the household's standing."""
    first = people.person == 1
    age = people.exact_age[first]
    owns = rng.random(len(age)) < np.clip(
        interpolate(age, {18: 0.03, 26: 0.3, 35: 0.6, 50: 0.74, 75: 0.7})
        + 0.17 * households.standing,
        0.01,
        0.98,
    )
    paid = rng.random(len(age)) < interpolate(age, {30: 0.04, 50: 0.3, 65: 0.82, 80: 0.96})
    public = rng.random(len(age)) < np.clip(0.38 - 0.25 * households.standing, 0.02, 0.95)
    free = rng.random(len(age)) < 0.04
    rented = np.where(free, 5, np.where(public, 3, 4))
    tenure = np.where(owns, np.where(paid, 1, 2), rented)
    return np.where(households.setting == PRIVATE, tenure, 6).astype(np.uint8)


def _health(rng: np.random.Generator, households: Households, people: People, work: Work) -> Array:
    score = (
        interpolate(people.exact_age, {0: -1.3, 20: -1.0, 45: -0.3, 65: 0.35, 85: 1.0})
        + 1.9 * (work.economic == 8)
        - 0.18 * households.standing[people.household]
        + 0.8 * rng.standard_normal(len(people.sex))
    )
    health: Array = 1 + np.digitize(score, (-0.6, 0.4, 1.3, 2.1))
    return health.astype(np.uint8)


def _school(rng: np.random.Generator, age: Array, work: Work) -> Array:
    nursery = (age >= 2.5) & (age < 6) & (rng.random(len(age)) < 0.75)
    student = work.economic == 7
    evening = (age >= 18) & (rng.random(len(age)) < 0.015)
    return np.select(
        [nursery, (age >= 6) & (age < 16), student & (age < 18.5), student | evening],
        [2, 3, 3, 4],
        1,
    ).astype(np.uint8)


def _field_of_study(rng: np.random.Generator, people: People, work: Work) -> Array:
    trained = np.flatnonzero(work.education >= 5)
    row = (people.sex[trained].astype(np.int32) - 1) * 10 + work.occupation[trained] // 10
    field = np.zeros(len(people.sex), dtype=np.uint8)
    field[trained] = _FIELD.draw(rng, row)
    return field


def _class_of_worker(rng: np.random.Generator, work: Work) -> Array:
    section = work.industry // 10
    kind = np.where(np.isin(section, _PUBLIC), 1, 2 * (section == SECTION_LETTERS["A"]))
    drawn = _CLASS.draw(rng, kind)
    independent = np.where(work.economic == 3, 4, np.where(work.economic == 4, 5, drawn))
    return np.where(work.occupation == 0, 0, independent).astype(np.uint8)


@dataclass(frozen=True)
class Chunk:
    """Some households of the census, and the same people in the register if it was asked for."""

    census: pa.RecordBatch
    register: pa.RecordBatch | None
    people: int
    households: int
    couples: int


def make_chunks(people: int, seed: int, *, names: bool, register: bool) -> Iterator[Chunk]:
    """Yield the census chunk by chunk, each from a generator of its own."""
    sizes = chunk_sizes(people)
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    done = households = 0
    for number, (size, own_seed) in enumerate(zip(sizes, seeds, strict=True)):
        chunk = _make_chunk(
            own_seed,
            number,
            size,
            seed=seed,
            people_before=done,
            households_before=households,
            names=names,
            register=register,
        )
        done += size
        households += chunk.households
        yield chunk


def _make_chunk(
    own_seed: np.random.SeedSequence,
    number: int,
    size: int,
    *,
    seed: int,
    people_before: int,
    households_before: int,
    names: bool,
    register: bool,
) -> Chunk:
    rng, name_rng = (np.random.default_rng(child) for child in own_seed.spawn(2))
    areas = Areas.make(rng, people=size, chunk=number)
    households, people = make_people(rng, areas, size)
    origins = make_origins(rng, areas, households, people)
    work = make_work(rng, households, people, origins.ethnic)
    living = make_living(rng, areas, households, people, work)

    area = households.area[people.household]
    age = np.minimum(people.exact_age, OLDEST).astype(np.uint8)
    columns = {
        "household": people.household + np.int32(households_before + 1),
        "person": people.person,
        "relationship": people.relationship,
        "geography": geography_4(areas.region)[area],
        "region": areas.region[area],
        "county": areas.county[area],
        "area": areas.code[area],
        "sex": people.sex,
        "age": age,
        "age_group": age_group_19(age),
        "marital": people.marital,
        **vars(origins),
        **vars(work),
        **vars(living),
    }
    if names or register:
        identities = make_identities(name_rng, households, people, origins.ethnic)
        columns |= {
            "identity_number": identity_numbers(people_before, size, seed=seed),
            "date_of_birth": pa.array(dates_of_birth(people.exact_age)).cast(pa.date32()),
            **vars(identities),
        }
    listed = None
    if register:
        # Ordered by number, so that a record's place in the census says nothing.
        order = pa.array(np.argsort(columns["identity_number"]))
        listed = _batch(columns, REGISTER_SCHEMA).take(order)
    return Chunk(
        census=_batch(columns, census_schema(names=names)),
        register=listed,
        people=size,
        households=len(households.area),
        couples=int(np.count_nonzero((people.relationship == 2) | (people.relationship == 3))),
    )


def _batch(columns: dict[str, object], schema: pa.Schema) -> pa.RecordBatch:
    """Names stay dictionary-encoded: writers are faster for it."""
    names = schema.names
    return pa.RecordBatch.from_arrays([pa.array(columns[name]) for name in names], names=names)
