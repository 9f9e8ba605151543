"""Law: what members of a household tell about each other leaves k people, or is no green verdict.

Every way of protecting, on files with households; the judge is plain Python over rows.
"""

from __future__ import annotations

from collections import Counter

import pytest
from small_data import open_small
from ways import (
    AGES,
    HIERARCHIES,
    KEY,
    REGIONS,
    WAYS,
    Outcome,
    population,
    released,
)

from indistinct.households import household_column, numbers_households
from indistinct.naming import guess_variables

K = 3
VALUES = {"region": REGIONS, "age": tuple(map(str, AGES)), "sex": ("f", "m")}
SHARED = ("region",)
"""What members have in common, as `population` makes it."""


def stands_for(name: str, label: object) -> frozenset[str]:
    """Say by the hierarchy's rows what a released cell leaves possible."""
    text = None if label is None else str(label)
    if text is None:
        return frozenset(VALUES[name])
    found = {str(row[0]) for row in HIERARCHIES[name].rows() if text in row}
    return frozenset(found or {text})


def fewest_people(rows: list[dict], homes: list[object], key: tuple[str, ...] = KEY) -> int:
    """Intersect what members of each household leave possible, and count who is like whom."""
    cells = [{name: stands_for(name, row[name]) for name in key} for row in rows]
    for name in (name for name in SHARED if name in key):
        together: dict = {}
        for home, cell in zip(homes, cells, strict=True):
            together[home] = together.get(home, frozenset(VALUES[name])) & cell[name]
        for home, cell in zip(homes, cells, strict=True):
            cell[name] = together[home] or cell[name]
    classes = Counter(tuple(cell[name] for name in key) for cell in cells)
    return min(classes.values(), default=K)


def released_with_homes(way, seed: int, tmp_path, **options) -> Outcome:
    names = ["home", *KEY, "ill", "income", "name", "case_no", "age_group"]
    table = population(seed, people=160).select(names)
    roles = {"home": "household"}
    return released(way, table, tmp_path / "r", k=K, roles=roles, until_k=True, **options)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_green_release_is_undone_by_members(way, tmp_path):
    found = released_with_homes(way, 1, tmp_path)
    if found.refused or "home" not in found.rows[0] or not found.certificate.promise.claims_k:
        return
    rows = found.examine()
    assert fewest_people(rows, [row["home"] for row in rows], found.key) >= K


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_numbers_are_made_anew_unless_asked(way, tmp_path):
    own = set(population(2, people=160).column("home").to_pylist())
    found = released_with_homes(way, 2, tmp_path, although_unproved=True)
    if found.rows and "home" in found.rows[0]:
        assert not own & {row["home"] for row in found.examine(whatever_is_said=True)}


@pytest.mark.parametrize(
    "name", ["HID", "ori_hid", "household_id", "x_hhnr", "serialno", "id_hogar", "Haushaltsnummer"]
)
def test_what_a_draft_calls_the_household_is_treated_as_one(name):
    """One list of names: whoever drafts, protects or judges asks the same."""
    table = population(6, people=300)
    table = table.rename_columns([name if n == "home" else n for n in table.column_names])
    with open_small(table) as data:
        drafted = {
            g.name for g in guess_variables(data.engine, data.source) if g.role == "household"
        }
        assert drafted == {name}
        assert household_column(data.source) == name


@pytest.mark.parametrize("name", ["household_income", "household_person_id", "household_size"])
def test_what_is_about_households_does_not_number_them(name):
    assert not numbers_households(name)
