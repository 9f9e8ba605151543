"""One chunk of the census: people made, columns put together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from indistinct.census.areas import Areas, chunk_sizes
from indistinct.census.codes import OLDEST, age_group_19, geography_4
from indistinct.census.households import make_people
from indistinct.census.identities import dates_of_birth, identity_numbers, make_identities
from indistinct.census.living import make_living
from indistinct.census.origins import make_origins
from indistinct.census.schema import REGISTER_SCHEMA, census_schema
from indistinct.census.work import make_work

__all__ = ["Chunk", "make_chunks"]


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
