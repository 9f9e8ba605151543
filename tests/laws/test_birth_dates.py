"""Law: a date of birth to the day does not leave beside a key that it is not in.

Whatever it is called, in whatever form it is written, for every way of protecting; a year or a
month of birth, and days of a few years that nobody was born on, stay.
"""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
import pytest
from ways import WAYS, population, released

FORMS = {
    "iso": "%Y-%m-%d",
    "german": "%d.%m.%Y",
    "british": "%d/%m/%Y",
    "american": "%m/%d/%Y",
    "two digits": "%d.%m.%y",
    "packed": "%Y%m%d",
    "packed, day first": "%d%m%Y",
    "month in words": "%d %B %Y",
    "stata": "%d%b%Y",
    "with time": "%Y-%m-%d 00:00:00",
}
NAMES = (
    "date_of_birth DOB birthdate Geburtsdatum geb_datum fecha_nacimiento FechaNac dateNaissance"
    " data_di_nascita data_nascimento geboortedatum mother_dob P7_BIRTH born"
).split()
KEY = ("region", "sex")


def with_dates(seed: int, name: str, form: str, *, first: int = 1930, last: int = 2005) -> pa.Table:
    """Add days between two years; every fourth person has the day of the one before."""
    rng = np.random.default_rng(seed)
    table = population(seed, people=200).select([*KEY, "ill", "size"])
    start, end = (datetime.date(year, 1, 1).toordinal() for year in (first, last))
    days = rng.integers(start, end, 200)
    days[::4] = days[1::4]
    written = [datetime.date.fromordinal(int(day)).strftime(form) for day in days]
    return table.append_column(name, [written])


def names_released(table: pa.Table, folder, way: str = "mondrian", **options) -> set[str]:
    chosen = next(one for one in WAYS if one.name == way)
    found = released(chosen, table, folder, key=KEY, although_unproved=True, **options)
    assert found.table is not None, found.refused
    return set(found.table.column_names)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["date_of_birth", "Geburtsdatum", "fecha_nac"])
def test_in_every_form(name, form, tmp_path):
    assert name not in names_released(with_dates(1, name, FORMS[form]), tmp_path / "r")


AS_NUMBERS = {
    "days since 1970": lambda day: (day - datetime.date(1970, 1, 1)).days,
    "seconds since 1960": lambda day: (day - datetime.date(1960, 1, 1)).days * 86_400,
    "decimal years": lambda day: round(day.year + (day.timetuple().tm_yday - 0.5) / 365.25, 3),
}


@pytest.mark.parametrize("form", AS_NUMBERS)
def test_as_numbers(form, tmp_path):
    table = with_dates(1, "whole", "%Y-%m-%d")
    days = [datetime.date.fromisoformat(day) for day in table.column("whole").to_pylist()]
    table = table.drop_columns(["whole"]).append_column("dob", [list(map(AS_NUMBERS[form], days))])
    weights = np.random.default_rng(1).integers(500, 4_800, 200)
    table = table.append_column("birth_weight", [weights])
    left = names_released(table, tmp_path / "r")
    assert "dob" not in left
    assert "birth_weight" in left


@pytest.mark.parametrize("name", NAMES)
def test_by_every_name(name, tmp_path):
    table = with_dates(2, name, "%d.%m.%Y", first=1990)
    assert name not in names_released(table, tmp_path / "r")


@pytest.mark.parametrize("form", FORMS)
def test_by_its_content_alone(form, tmp_path):
    assert "v12" not in names_released(with_dates(3, "v12", FORMS[form]), tmp_path / "r")


def in_parts(seed: int, names: dict[str, str]) -> pa.Table:
    """Write dates of birth in several columns."""
    table = with_dates(seed, "whole", "%Y-%m-%d")
    days = [datetime.date.fromisoformat(day) for day in table.column("whole").to_pylist()]
    for name, form in names.items():
        table = table.append_column(name, [[int(day.strftime(form)) for day in days]])
    return table.drop_columns(["whole"])


@pytest.mark.parametrize(
    ("names", "day"),
    [
        ({"by": "%Y", "bm": "%m", "bd": "%d"}, "bd"),
        ({"jour": "%d", "mois": "%m", "annee": "%Y"}, "jour"),
        ({"birth_day": "%d", "birth_month": "%m"}, "birth_day"),
    ],
)
def test_in_three_columns(names, day, tmp_path):
    left = names_released(in_parts(8, names), tmp_path / "r")
    assert day not in left
    assert set(names) - {day} <= left


def test_days_of_another_date_stay(tmp_path):
    table = in_parts(9, {"year": "%Y", "month": "%m"})
    visited = np.random.default_rng(9).permutation([*range(1, 32)] * 7)[: table.num_rows]
    assert "day" in names_released(table.append_column("day", [visited]), tmp_path / "r")


def test_as_a_type_of_date_and_as_a_whole_number(tmp_path):
    table = with_dates(4, "v12", "%Y-%m-%d")
    days = table.column("v12").cast(pa.date32())
    numbers = [int(day.replace("-", "")) for day in table.column("v12").to_pylist()]
    table = table.append_column("v13", days).append_column("v14", [numbers])
    assert not {"v12", "v13", "v14"} & names_released(table, tmp_path / "r")


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_whatever_way_people_are_protected(way, tmp_path):
    days = with_dates(5, "date_of_birth", "%Y-%m-%d").column("date_of_birth")
    table = population(5).append_column("date_of_birth", days)
    found = released(way, table, tmp_path / "r", although_unproved=True)
    assert "date_of_birth" not in found.examine(whatever_is_said=True)[0]


@pytest.mark.parametrize(
    ("name", "form", "first", "last"),
    [
        ("date_of_birth", "%Y", 1930, 2005),
        ("date_of_birth", "%Y-01-01", 1930, 2005),
        ("date_of_birth", "%Y-%m-01", 1990, 2005),
        ("admitted", "%Y-%m-%d", 2019, 2024),
        ("admitted", "%d.%m.%y", 1998, 2003),
    ],
)
def test_years_months_and_other_days_stay(name, form, first, last, tmp_path):
    table = with_dates(6, name, form, first=first, last=last)
    assert name in names_released(table, tmp_path / "r")


def test_it_is_released_on_request_and_never_green(tmp_path):
    way = next(one for one in WAYS if one.name == "mondrian")
    table = with_dates(7, "date_of_birth", "%Y-%m-%d")
    found = released(way, table, tmp_path / "r", key=KEY, keep_named=["date_of_birth"])
    assert "date_of_birth" in found.table.column_names
    assert found.certificate.state == "reservations"


def of_students(seed: int, form: str | None, *, goes: bool = True) -> pa.Table:
    """Add birthdays of people between 20 and 31 under a name that says nothing; in parts or not."""
    rng = np.random.default_rng(seed)
    table = population(seed, people=3_000).select([*KEY, "age", "ill"])
    ages = table.column("age").to_pylist() if goes else rng.integers(20, 32, 3_000).tolist()
    added = rng.integers(1, 365, 3_000).tolist()
    year_ago = [datetime.date(2026 - age, 6, 15) - datetime.timedelta(365) for age in ages]
    days = [day + datetime.timedelta(n) for day, n in zip(year_ago, added, strict=True)]
    if form is not None:
        return table.append_column("v7", [[day.strftime(form) for day in days]])
    return (
        table.append_column("v7", [[day.day for day in days]])
        .append_column("v8", [[day.month for day in days]])
        .append_column("v9", [[day.year for day in days]])
    )


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", None])
def test_days_that_go_with_the_age_are_those_of_births(form, tmp_path):
    assert "v7" not in names_released(of_students(3, form), tmp_path / "r")


@pytest.mark.parametrize("form", ["%Y-%m-%d", None])
def test_days_that_do_not_go_with_the_age_stay(form, tmp_path):
    assert "v7" in names_released(of_students(3, form, goes=False), tmp_path / "r")
