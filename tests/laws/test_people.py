"""The unit is the person: k records of one patient are one person, for every way of protecting.

Brute force: the holder's ledger tells which private record each released one was made from, and
plain sets of `case_no` count whose records stand in each released class.
"""

from __future__ import annotations

from collections import defaultdict

import pytest
from ways import KEY, WAYS, Outcome, Way, population, released

from indistinct.protect import METHODS
from indistinct.release import read_origin

K = 3


def people_of_classes(found: Outcome, whose: list[str | None]) -> list[int]:
    """Count the people of every released class by the holder's ledger."""
    origin = read_origin(found.folder, records=len(found.rows))
    assert origin is not None
    classes = defaultdict(set)
    for row, record in zip(found.rows, origin.tolist(), strict=True):
        if record >= 0:
            classes[tuple(row[name] for name in KEY if name in row)].add(whose[record])
    return [len(people) for people in classes.values()]


@pytest.mark.parametrize("varying", [False, True], ids=["constant", "varying"])
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_release_with_fewer_than_k_people_in_a_class_is_called_safe(way: Way, varying, tmp_path):
    table = population(11, people=60, visits=6, varying=varying)
    found = released(way, table, tmp_path / "r", k=K, keep=[*KEY, "ill"], although_unproved=True)
    assert found.folder is not None, found.refused
    promise = found.certificate.promise
    if not promise.claims_k or set(promise.key) != set(KEY):
        assert not found.green or promise.claims_k
        return
    fewest = min(people_of_classes(found, table.column("case_no").to_pylist()))
    if found.certificate.state != "fails":
        assert fewest >= K
        assert promise.person == "case_no" or way.name.startswith("step ")


ENFORCING = [way for way in WAYS if way.name in {*METHODS, "blank", "destroy"} - {"argus"}]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("way", ENFORCING, ids=str)
def test_methods_give_every_class_k_people(way: Way, seed, tmp_path):
    table = population(20 + seed, people=70, visits=9, varying=bool(seed % 2))
    found = released(way, table, tmp_path / "r", k=K, keep=[*KEY, "ill"])
    assert not found.refused
    assert found.certificate.state == "holds"
    assert min(people_of_classes(found, table.column("case_no").to_pylist())) >= K


@pytest.mark.parametrize("way", ENFORCING, ids=str)
def test_records_that_do_not_say_whose_they_are_count_as_one_person(way: Way, tmp_path):
    table = population(31, people=70, visits=5)
    whose = table.column("case_no").to_pylist()
    whose = [None if number % 4 == 0 else name for number, name in enumerate(whose)]
    table = table.set_column(0, "case_no", [whose])
    found = released(way, table, tmp_path / "r", k=K, keep=[*KEY, "ill"])
    if not found.refused:
        assert min(people_of_classes(found, whose)) >= K


def test_a_declared_person_is_taken_at_its_word(tmp_path):
    way = next(way for way in WAYS if way.name == "mondrian")
    table = population(41, people=70, visits=5).rename_columns(
        ["x" if n == "case_no" else n for n in population(41, people=3).column_names]
    )
    found = released(way, table, tmp_path / "r", k=K, keep=[*KEY, "ill"], protect={"person": "x"})
    assert found.certificate.promise.person == "x"
    assert min(people_of_classes(found, table.column("x").to_pylist())) >= K
