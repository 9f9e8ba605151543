"""The law of identifiers: no released column singles people out, whatever way they are protected.

The judge is brute force over the released rows and knows nothing of how columns are guessed.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest
from small_data import open_small
from ways import KEY, WAYS, Way, population, released

from indistinct.naming import columns_that_name
from indistinct.protect import METHODS

AMOUNTS = {"income"}
PLANTED = {"case_no", "name", "token", "ref", "serial_of_form", "contact"}


def with_names(seed: int) -> pa.Table:
    """Plant columns that name people, under names that say something and names that do not."""
    table = population(seed)
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(10**7)[: table.num_rows]
    return (
        table.append_column("token", pa.array([f"{n:x}z{n % 7}" for n in numbers.tolist()]))
        .append_column("ref", pa.array(numbers[::-1].astype(np.float64)))
        .append_column("serial_of_form", pa.array([f"P{n:07}" for n in numbers.tolist()]))
        .append_column("contact", pa.array([f"u{n}@example.org" for n in numbers.tolist()]))
    )


def singling_out(rows: list[dict]) -> set[str]:
    """Return the columns in which nine of ten records have a value of their own."""
    found = set()
    for name in rows[0] if len(rows) >= 10 else ():
        values = [row[name] for row in rows if row[name] is not None]
        if len(values) >= 10 and len(set(values)) >= 0.9 * len(values):
            found.add(name)
    return found


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_released_column_singles_people_out(way: Way, tmp_path):
    found = released(way, with_names(3), tmp_path / "r", although_unproved=True)
    assert found.rows, found.refused
    disguised = {"name"} if way.name == "step substitute" else set()
    assert not set(found.table.column_names) & (PLANTED - disguised)
    allowed = {*KEY, *AMOUNTS, *disguised}
    assert singling_out(found.examine(whatever_is_said=True)) <= allowed


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_what_is_asked_for_is_released_and_never_green(name, tmp_path):
    way = next(way for way in WAYS if way.name == "mondrian")
    found = released(way, with_names(4), tmp_path / "r", keep_named=[name])
    assert name in found.table.column_names
    assert not found.green
    assert found.certificate.state == "reservations"
    assert name in found.certificate.promise.kept


def test_keep_does_not_override(tmp_path):
    way = next(way for way in WAYS if way.name == "mondrian")
    found = released(way, with_names(5), tmp_path / "r", keep=["token", "ill", "name"])
    assert set(found.table.column_names) == {*KEY, "ill"}


FIRST = (
    "Anna Bernd Clara David Elena Frank Greta Hugo Ines Jakob Karin Lukas Maria Noah Olga Paul"
    " Emily James Olivia William Sophia Lucas Amelia Henry"
).split()
LAST = (
    "Schmidt Wagner Becker Hoffmann Richter Neumann Zimmermann Krause Lehmann Herrmann Garcia"
    " Johnson Williams Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson"
    " Taylor Jackson Okafor Nguyen Kowalski Lindqvist Rossi Silva"
).split()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Someone:
    """A person, and when she came."""

    number: int
    first: str
    last: str
    born: dt.date
    came: dt.datetime


SPELT: dict[str, Callable[[Someone], object]] = {
    "login": lambda p: (p.first[0] + p.last).lower(),
    "handle": lambda p: f"@{p.first}{p.last}".lower(),
    "mail": lambda p: f"{p.first}.{p.last}@firm.example".lower(),
    "path": lambda p: f"/scans/2024/{p.last}_{p.first}.pdf".lower(),
    "json": lambda p: json.dumps({"name": f"{p.first} {p.last}", "ok": p.number % 2 == 0}),
    "list": lambda p: f"{('flu', 'gout')[p.number % 2]};{p.last};x",
    "camel": lambda p: p.first + p.last,
    "digest": lambda p: _digest(p.first + p.last)[:10],
    "encoded": lambda p: base64.b64encode(f"{p.first} {p.last} {p.number}".encode()).decode(),
    "came": lambda p: p.came,
    "came_told": lambda p: f"{p.came:%d.%m.%Y %H:%M:%S}",
    "code": lambda p: f"DE-{p.born}-{p.first[-1].upper()}-{p.number % 97}",
    "born_number": lambda p: int(f"{p.born:%y%m%d}{p.number * 7919 % 100_000:05}"),
    "notes": lambda p: (
        f"ask {p.first} {p.last}" if p.number % 19 == 0 else f"{p.number % 61} calls, no answer"
    ),
    "row": lambda p: p.number / 7,
    "near_row": lambda p: 10.25 * p.number + p.number * 7919 % 17,
}
"""What names somebody by itself."""

MADE: dict[str, Callable[[Someone], object]] = {
    "initials": lambda p: p.first[0] + p.last[0],
    "initials_dotted": lambda p: f"{p.last[0]}. {p.first[0]}.",
    "backwards": lambda p: p.last[::-1].lower(),
    "shortened": lambda p: p.last[:4].upper() + p.first[:1],
    "code_of_surname": lambda p: int(_digest(p.last), 16) % 1_000_003,
    "code_of_first_name": lambda p: _digest(p.first)[:6],
}
"""What is made of a name, and seen to be where the name stands beside it."""


def people_with(columns: dict[str, Callable[[Someone], object]], *, named: bool) -> pa.Table:
    """Make a file of people with columns that name them, and their names if wanted."""
    table = population(11, people=600)
    rng = np.random.default_rng(11)
    people = [
        Someone(
            n,
            str(rng.choice(FIRST)),
            str(rng.choice(LAST)),
            dt.date(2026 - age, 1, 1) + dt.timedelta(int(rng.integers(0, 365))),
            dt.datetime(2024, 1, 1) + dt.timedelta(seconds=int(rng.integers(0, 30_000_000))),
        )
        for n, age in enumerate(table.column("age").to_pylist())
    ]
    for n, make in enumerate(columns.values()):
        # neither header nor the kind of cell says it
        table = table.append_column(f"v{n}", pa.array([make(person) for person in people]))
    if named:
        ranks = sorted(range(len(people)), key=lambda n: (people[n].last, people[n].first))
        places = np.argsort(ranks)
        table = table.append_column("alphabet", pa.array(places * 2.5 + rng.normal(0, 9, 600)))
        called = pa.array([f"{p.first} {p.last}" for p in people])
        table = table.set_column(table.column_names.index("name"), "name", called)
    return table


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_way_releases_what_names_people_inside_other_values(way: Way, tmp_path):
    found = released(way, people_with(SPELT, named=False), tmp_path / "r", although_unproved=True)
    assert found.examine(whatever_is_said=True), found.refused
    left = [name for n, name in enumerate(SPELT) if f"v{n}" in found.table.column_names]
    assert left == []


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_way_releases_what_is_made_of_names(way: Way, tmp_path):
    found = released(way, people_with(MADE, named=True), tmp_path / "r", although_unproved=True)
    assert found.examine(whatever_is_said=True), found.refused
    left = [name for n, name in enumerate(MADE) if f"v{n}" in found.table.column_names]
    assert left == []
    assert "alphabet" not in found.table.column_names


NAMING: dict[str, Callable[[Someone], object]] = {
    "called": lambda p: f"{p.first} {p.last}",
    "mail": lambda p: f"{p.last}{p.number}@firm.example",
    "geburtsdatum": lambda p: p.born,
    "mark": lambda p: _digest(f"{p.first}{p.number}"),
}


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_declared_role_excuses_a_name(way: Way, tmp_path):
    """Whoever calls names sensitive, a weight or a key does not make them something else."""
    planted = {
        f"{name}_{role}": (make, role)
        for role in ("sensitive", "weight", "key", "relationship")
        for name, make in NAMING.items()
    }
    table = people_with({name: make for name, (make, _) in planted.items()}, named=False)
    headers = {f"v{n}": name for n, name in enumerate(planted)}
    table = table.rename_columns([headers.get(name, name) for name in table.column_names])
    roles = {name: role for name, (_, role) in planted.items()}
    found = released(way, table, tmp_path / "r", roles=roles, although_unproved=True)
    assert found.examine(whatever_is_said=True), found.refused
    assert not set(planted) & set(found.table.column_names)


@pytest.mark.parametrize("way", [way for way in WAYS if way.name in METHODS], ids=str)
def test_the_order_of_a_file_hides_nothing_that_names_people(way: Way, tmp_path):
    """What begins with other things than follow is seen before it leaves, and not refused then."""
    table = population(12, people=6_000).drop_columns(["born"])
    n = table.num_rows
    rng = np.random.default_rng(12)
    days = np.sort(rng.integers(0, 80 * 365, n)) + rng.integers(0, 3, n)
    told = [str(dt.date(1930, 1, 1) + dt.timedelta(int(day))) for day in days]
    called = [f"code {i % 9}" if i < n // 4 else str(rng.choice(LAST)) for i in range(n)]
    table = table.append_column("v0", pa.array(told)).append_column("v1", pa.array(called))
    found = released(way, table, tmp_path / "r", although_unproved=True)
    assert not {"v0", "v1"} & set(found.table.column_names), found.refused
    found.examine(whatever_is_said=True)
    said = str(found.certificate.content["verdict"])
    assert "names people" not in said


def test_what_goes_with_names_by_chance_or_by_household_stays():
    """Sex, a ward, an income of the household: whoever has them is not called by them."""
    table = people_with({}, named=True).drop_columns(["alphabet", "born", "case_no"])
    rng = np.random.default_rng(2)
    surname = {home: str(rng.choice(LAST)) for home in set(table.column("home").to_pylist())}
    homes = table.column("home").to_pylist()
    wards = [f"Ward {letter}{letter.lower()}" for letter in "ABCDEFGHIJKLMNOP"]
    table = (
        table.append_column("surname", pa.array([surname[h] for h in homes]))
        .append_column("ward", pa.array(rng.choice(wards, len(homes))))
        .append_column("v9", pa.array([int(_digest(str(h)), 16) % 9_000 for h in homes]))
        .append_column("score", pa.array(rng.normal(50, 9, len(homes)).round(1)))
    )
    with open_small(table) as data:
        found = {one.name for one in columns_that_name(data.engine, data.source, key=KEY)}
    assert found == {"name", "surname"}


def test_a_sensitive_amount_may_be_another_for_everybody(tmp_path):
    way = next(way for way in WAYS if way.name == "mondrian")
    table = population(13)
    turnover = np.random.default_rng(13).permutation(9_000)[: table.num_rows] + 1_000
    table = table.append_column("v9", pa.array(turnover))
    found = released(way, table, tmp_path / "r", roles={"v9": "sensitive"})
    assert "v9" in found.table.column_names
    assert "names people" not in str(found.certificate.content)
