"""Law: what members of a household tell about each other leaves k people, or is no green verdict.

Every way of protecting, on files with households; the judge is plain Python over rows.
"""

from __future__ import annotations

from collections import Counter

import pytest
from ways import AGES, HIERARCHIES, KEY, REGIONS, WAYS, Outcome, population, released

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


def fewest_people(rows: list[dict], homes: list[object]) -> int:
    """Intersect what members of each household leave possible, and count who is like whom."""
    cells = [{name: stands_for(name, row[name]) for name in KEY} for row in rows]
    for name in SHARED:
        together: dict = {}
        for home, cell in zip(homes, cells, strict=True):
            together[home] = together.get(home, frozenset(VALUES[name])) & cell[name]
        for home, cell in zip(homes, cells, strict=True):
            cell[name] = together[home] or cell[name]
    classes = Counter(tuple(cell[name] for name in KEY) for cell in cells)
    return min(classes.values(), default=K)


def released_with_homes(way, seed: int, tmp_path, **options) -> Outcome:
    table = population(seed, people=160).select(["home", *KEY, "ill"])
    return released(way, table, tmp_path / "r", k=K, roles={"home": "household"}, **options)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_green_release_is_undone_by_members(way, tmp_path):
    found = released_with_homes(way, 1, tmp_path)
    if not found.rows or not {"home", *KEY} <= set(found.rows[0]):
        return
    if found.certificate.state == "fails" or not found.certificate.promise.claims_k:
        return
    assert fewest_people(found.rows, [row["home"] for row in found.rows]) >= K


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_numbers_are_made_anew_unless_asked(way, tmp_path):
    own = set(population(2, people=160).column("home").to_pylist())
    found = released_with_homes(way, 2, tmp_path)
    if found.rows and "home" in found.rows[0]:
        assert not own & {row["home"] for row in found.rows}
