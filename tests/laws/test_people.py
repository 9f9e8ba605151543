"""The unit is the person: k records of one patient are one person, for every way of protecting.

Brute force: the holder's ledger tells which private record each released one was made from, and
plain sets of `case_no` count whose records stand in each released class.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_data import open_small
from ways import HIERARCHIES, KEY, WAYS, Outcome, Way, population, released

from indistinct import verify_release
from indistinct.cli import run
from indistinct.core import InputError
from indistinct.files import open_table
from indistinct.flow.verifying import ATTACKS
from indistinct.naming import columns_that_name, find_person, with_person
from indistinct.naming.concepts import CONCEPTS, NUMBER_OF_A_PERSON
from indistinct.protect import METHODS
from indistinct.prove import Register
from indistinct.prove.attacks.nearest import TrueValues, look_for
from indistinct.release import read_origin

K = 3


def people_of_classes(found: Outcome, whose: list[str | None]) -> list[int]:
    """Count the people of every released class by the holder's ledger."""
    origin = read_origin(found.folder, records=len(found.rows))
    assert origin is not None
    classes = defaultdict(set)
    for row, record in zip(found.rows, origin.tolist(), strict=True):
        if record >= 0:
            classes[tuple(row[name] for name in found.key)].add(whose[record])
    return [len(people) for people in classes.values()]


@pytest.mark.parametrize("varying", [False, True], ids=["constant", "varying"])
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_release_with_fewer_than_k_people_in_a_class_is_called_safe(way: Way, varying, tmp_path):
    table = population(11, people=60, visits=6, varying=varying)
    whose = table.column("case_no").to_pylist()
    asked = {"k": K, "keep": [*KEY, "ill"], "although_unproved": True}
    found = released(way, table, tmp_path / "r", **asked)
    if way.name == "argus" and varying:
        assert "some people have several combinations" in found.refused
        return
    assert found.folder is not None, found.refused
    if found.certificate.promise.claims_k and found.key:
        few = min(people_of_classes(found, whose)) < K
        assert found.certificate.state == "fails" if few else not says_too_few(found)
    if found.certificate.state == "fails" or not found.certificate.promise.claims_k:
        found = released(way, table, tmp_path / "k", **asked, until_k=True)
    if not found.certificate.promise.claims_k or not found.key:
        assert not found.green
        return
    found.examine()
    assert min(people_of_classes(found, whose)) >= K or found.certificate.state == "fails"
    promised = found.certificate.promise.person
    assert promised == "case_no" or way.name.startswith("step ")


def says_too_few(found: Outcome) -> bool:
    """Whether the judge has found classes of fewer than k people."""
    verdict = found.certificate.content["verdict"]
    return 0 < verdict["k"] < K


ENFORCING = [way for way in WAYS if way.name in {*METHODS, "blank", "destroy"} - {"argus"}]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("way", ENFORCING, ids=str)
def test_methods_give_every_class_k_people(way: Way, seed, tmp_path):
    table = population(20 + seed, people=70, visits=9, varying=bool(seed % 2))
    found = released(way, table, tmp_path / "r", k=K, keep=[*KEY, "ill"])
    assert not found.refused
    assert found.certificate.state == "holds"
    found.examine()
    assert min(people_of_classes(found, table.column("case_no").to_pylist())) >= K


@pytest.mark.parametrize("way", ENFORCING, ids=str)
def test_records_that_do_not_say_whose_they_are_count_as_one_person(way: Way, tmp_path):
    table = population(31, people=70, visits=5)
    whose = table.column("case_no").to_pylist()
    whose = [None if number % 4 == 0 else name for number, name in enumerate(whose)]
    table = table.set_column(0, "case_no", [whose])
    found = released(way, table, tmp_path / "r", k=K, keep=[*KEY, "ill"])
    if not found.refused:
        found.examine()
        assert min(people_of_classes(found, whose)) >= K


def renamed(table: pa.Table, name: str) -> pa.Table:
    """Call the number of a person something else."""
    return table.rename_columns([name if n == "case_no" else n for n in table.column_names])


def names_of_numbers() -> list[str]:
    """Return names that say a number of a person, as files write them."""
    concept = next(one for one in CONCEPTS if one.about == NUMBER_OF_A_PERSON)
    phrases = sorted(concept.words)
    joined = ["_".join(phrase) for phrase in phrases[::7]]
    joined += ["".join(word.title() for word in phrase) for phrase in phrases[3::11]]
    return ["simulant_id", "patient_study_id", *joined, *sorted(concept.alone)]


def test_what_is_left_out_as_a_persons_number_and_repeats_is_who_the_people_are():
    table, asked = population(3, people=80, visits=4), 0
    for name in names_of_numbers():
        with open_small(renamed(table, name)) as data:
            left = {n.name: n.reason for n in columns_that_name(data.engine, data.source, key=KEY)}
            if NUMBER_OF_A_PERSON in left.get(name, ""):
                asked += 1
                assert find_person(data.engine, data.source, key=KEY) == name
    assert asked >= 100


@pytest.mark.parametrize("name", ["simulant_id", "panel_unit_id", "member_no"])
@pytest.mark.parametrize("way", ENFORCING, ids=str)
def test_people_are_counted_by_whatever_their_number_is_called(way: Way, name, tmp_path):
    table = renamed(population(51, people=70, visits=5), name)
    found = released(way, table, tmp_path / "r", k=K, keep=[*KEY, "ill"])
    assert found.certificate.promise.person == name
    found.examine()
    assert min(people_of_classes(found, table.column(name).to_pylist())) >= K


@pytest.mark.parametrize("name", ["school_id", "visit_id", "subject_code"])
def test_numbers_of_other_things_are_not_who_the_people_are(name):
    """Those of a school, a visit or a subject share it and are different people."""
    table = population(52, people=400)
    numbers = [n // (40 if name == "subject_code" else 4) for n in range(400)]
    table = table.drop_columns(["case_no", "name"]).append_column(name, [numbers])
    with open_small(table) as data:
        assert find_person(data.engine, data.source, key=KEY) is None


def test_a_declared_person_is_taken_at_its_word(tmp_path):
    way = next(way for way in WAYS if way.name == "mondrian")
    table = population(41, people=70, visits=5).rename_columns(
        ["x" if n == "case_no" else n for n in population(41, people=3).column_names]
    )
    found = released(way, table, tmp_path / "r", k=K, keep=[*KEY, "ill"], protect={"person": "x"})
    assert found.certificate.promise.person == "x"
    assert min(people_of_classes(found, table.column("x").to_pylist())) >= K


def people_of_combinations(found: Outcome, whose: list[str], size: int) -> list[int]:
    """Count the people of every released combination of so many values, by the ledger."""
    origin = read_origin(found.folder, records=len(found.rows))
    seen = defaultdict(set)
    for row, record in zip(found.rows, origin.tolist(), strict=True):
        for names in combinations(KEY, size):
            if all(row[name] not in (None, "*") for name in names):
                seen[names, tuple(row[name] for name in names)].add(whose[record])
    return [len(people) for people in seen.values()]


@pytest.mark.parametrize("seed", range(3))
def test_argus_gives_every_combination_it_examines_k_people(seed: int, tmp_path):
    """Up to two values of variables that are more identifying each: its own promise, by people."""
    way = next(way for way in WAYS if way.name == "argus")
    table = population(50 + seed, people=80, visits=6)
    found = released(way, table, tmp_path / "r", k=K, keep=[*KEY, "ill"], although_unproved=True)
    assert found.folder is not None, found.refused
    whose = table.column("case_no").to_pylist()
    for size in (1, 2):
        assert min(people_of_combinations(found, whose, size)) >= K


@pytest.mark.parametrize("varying", [False, True], ids=["constant", "varying"])
def test_risk_counts_people_and_rates_every_record(varying):
    table = population(61, people=70, visits=6, varying=varying)
    people = defaultdict(set)
    for row in table.to_pylist():
        people[tuple(row[name] for name in KEY)].add(row["case_no"])
    with open_small(table) as data:
        found = data.risk(list(KEY), fraction=0.1, model="main")
        rated = found.to_frame()
    assert found.table.records == sum(map(len, people.values()))
    assert found.to_dict()["sample_uniques"] == sum(len(held) == 1 for held in people.values())
    assert len(rated) == table.num_rows
    assert rated["frequency"].tolist() == [
        len(people[tuple(row[name] for name in KEY)]) for row in table.to_pylist()
    ]
    assert any("people are counted" in said for said in found.found.assumptions)


def test_risk_counts_the_people_of_a_population_too(tmp_path):
    visits = population(62, people=90, visits=5)
    pq.write_table(visits, tmp_path / "all.parquet")
    with open_small(visits.slice(0, 120)) as data:
        found = data.risk(list(KEY), population=tmp_path / "all.parquet")
    held = defaultdict(set)
    for row in visits.to_pylist():
        held[tuple(row[name] for name in KEY)].add(row["case_no"])
    largest = max(map(len, held.values()))
    assert found.found.population_counts.max() <= largest


def test_people_whose_altered_records_are_several_are_looked_for_as_people():
    """Whoever is nearest to one of three records of a person has found the person."""
    rng = np.random.default_rng(1)
    own = np.repeat(rng.normal(size=100), 3)
    told = own + rng.normal(scale=1e-6, size=300)
    numbers = np.arange(300)
    known = [TrueValues.of(own, told, numbers, ordered=True)]
    options = {"k": 3, "targets": 300}
    by_record = look_for(known, ("a",), numbers, lambda person: numbers, **options)
    first = np.where(numbers % 3 == 0, numbers, -1)
    by_person = look_for(
        known, ("a",), first, lambda person: numbers, whose=numbers // 3, **options
    )
    assert by_record.share < 0.7
    assert by_person.share == 1
    assert by_person.targets == 100


def test_the_map_of_risk_and_utility_is_of_people():
    """The same people with one record each, and with several, stand at the same place."""
    once = population(63, people=60)
    many = once.take(pa.array(np.repeat(np.arange(60), np.arange(60) % 5 + 1)))
    shares = []
    for table in (once, many):
        with open_small(table.select([*KEY, "ill", "case_no"])) as data:
            drawn = data.risk_utility_map(
                list(KEY), k=K, seed=1, hierarchies=HIERARCHIES, risk="exact"
            )
        shares.append({point.name: round(point.risk, 9) for point in drawn.points})
    assert shares[0]["original"] == shares[1]["original"]
    assert set(shares[0]) == set(shares[1])


def found_by_hand(visits: list[dict], listed: list[dict]) -> tuple[set[str], set[str]]:
    """Return who is named, and rightly, by whoever joins visits with a list of people."""
    named, right = set(), set()
    for visit in visits:
        meets = {p["case_no"] for p in listed if all(p[n] == visit[n] for n in KEY)}
        if len(meets) == 1:
            named.add(visit["case_no"])
            right |= meets & {visit["case_no"]}
    return named, right


@pytest.mark.parametrize("listed", ["once", "at every visit"])
@pytest.mark.parametrize("attack", ["exact", "distance", "probabilistic"])
@pytest.mark.parametrize("seed", range(3))
def test_attacks_count_people_by_brute_force(attack, listed, seed):
    """Somebody found by one of three visits is one person, and one candidate if listed thrice."""
    visits = population(70 + seed, people=50, visits=5, varying=listed != "once")
    visits = visits.select(["case_no", *KEY, "ill"])
    rows = visits.to_pylist()
    people = list({row["case_no"]: row for row in rows}.values()) if listed == "once" else rows
    with open_small(visits) as data:
        register = open_table(pa.Table.from_pylist(people), workspace=data.engine.workspace)
        found = ATTACKS[attack](
            data.engine, data.source, Register(register, "list", "case_no"), attributes=list(KEY)
        )
    assert found.people == 50
    assert found.of_people is not None
    assert found.of_people.people == 50
    assert found.of_people.right <= found.of_people.named <= 50
    assert found.success.trials == found.recall.trials == 50
    if attack == "probabilistic":
        return
    named, right = found_by_hand(rows, people)
    assert found.of_people.right == len(right)
    assert found.of_people.named == len(named)
    assert found.of_people.wrong == 0
    assert found.success.successes == len(right) < found.right


def test_verify_attacks_people_whom_the_ledger_knows(tmp_path):
    way = next(way for way in WAYS if way.name == "suppress")
    table = population(81, people=60, visits=6)
    found = released(way, table, tmp_path / "r", k=K, keep=[*KEY, "ill"])
    pq.write_table(table, tmp_path / "private.parquet")
    pq.write_table(table.select(["case_no", *KEY]), tmp_path / "list.parquet")
    said = verify_release(
        found.folder, private=tmp_path / "private.parquet", registers=[tmp_path / "list.parquet"],
        attacks=["exact", "distance", "probabilistic"], brief=True,
    )  # fmt: skip
    for outcome in said.parts["attacks"].results:
        assert outcome.people == len(set(table.column("case_no").to_pylist()))
        assert outcome.of_people.people <= outcome.people < outcome.records
        assert "people" in outcome.verdict


def of_households(seed: int, *, varying: bool = False) -> tuple[pa.Table, list[str]]:
    """Make visits of people who are told by household and line alone, and say whose each is."""
    table = population(seed, people=90, visits=6, varying=varying)
    whose, homes = (table.column(name).to_pylist() for name in ("case_no", "home"))
    lines: dict[str, int] = {}
    members: dict[int, int] = defaultdict(int)
    for person, home in zip(whose, homes, strict=True):
        if person not in lines:
            members[home] += 1
            lines[person] = members[home]
    table = table.drop_columns(["case_no", "name", "born", "area", "age_group", "size"])
    return table.append_column("line", pa.array([lines[person] for person in whose])), whose


@pytest.mark.parametrize("named", [True, False], ids=["named", "found"])
@pytest.mark.parametrize("way", ENFORCING, ids=str)
def test_people_are_told_by_household_and_line_together(way: Way, named, tmp_path):
    table, whose = of_households(31)
    given = {"protect": {"person": "home,line"}} if named else {}
    asked = {"k": K, "keep": [*KEY, "ill"], **given}
    found = released(way, table, tmp_path / "r", **asked, although_unproved=True)
    assert found.folder is not None, found.refused
    assert found.certificate.promise.person == "home,line"
    found.examine(whatever_is_said=True)
    assert min(people_of_classes(found, whose)) >= K
    assert "home,line" not in found.table.column_names
    judged = verify_release(found.folder, private=table)
    assert judged.state == found.certificate.state
    alone = verify_release(found.folder, private=table, person="line, home")
    assert alone.state == found.certificate.state


def test_one_record_each_needs_no_household_and_line():
    table, whose = of_households(32)
    first = [n for n, person in enumerate(whose) if person not in whose[:n]]
    with open_small(table.take(first)) as data:
        assert with_person(data.engine, data.source, key=KEY) is data.source
        assert data.with_several_records(KEY, None) is None
    with open_small(table) as data, pytest.raises(InputError, match="no column 'lime'"):
        data.uniques(KEY, k=3, person="home,lime")


def test_a_household_and_a_line_that_are_released_put_records_together(tmp_path):
    table, _ = of_households(34, varying=True)
    way = next(way for way in WAYS if way.name == "datafly")
    asked = {"roles": {"home": "household"}, "keep_household_numbers": True}
    found = released(way, table, tmp_path / "r", **asked, although_unproved=True)
    assert {"home", "line"} <= set(found.table.column_names)
    assert not found.green
    assert "records-linked" in {one.code for one in verify_release(found.folder).reservations}


def test_a_project_names_household_and_line(tmp_path, capfd):
    table, _ = of_households(33)
    pq.write_table(table, tmp_path / "visits.parquet")
    assert run(["init", str(tmp_path / "visits.parquet"), "--out", str(tmp_path / "p.toml")]) == 0
    text = (tmp_path / "p.toml").read_text()
    assert 'person = "home,line"' in text
    register = table.select(["home", "line", *KEY])
    pq.write_table(register, tmp_path / "register.parquet")
    command = ["protect", str(tmp_path / "p.toml"), "--key", "age,sex", "--k", "3", "--method"]
    folder = tmp_path / "r"
    code = run([*command, "datafly", "--max-drop", "0.2", "--out", str(folder)])
    told = capfd.readouterr()
    assert code in (0, 1), told.err
    assert "home,line" in told.out + told.err
    assert folder.is_dir(), told.err
    register_file, project = str(tmp_path / "register.parquet"), str(tmp_path / "p.toml")
    asked = ["--private", project, "--register", register_file, "--brief"]
    assert run(["verify", str(folder), *asked]) in (0, 1), capfd.readouterr().err
