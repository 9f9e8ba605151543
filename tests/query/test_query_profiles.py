"""Questions by role: two roles, two outputs, and no way to the private records."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import indistinct
from indistinct.core.errors import InputError
from indistinct.project import load_project
from indistinct.query import Bound, ask_as, session_as, version_for

PROJECT = """
[data]
file = "people.csv"

[variables]
name = { role = "identifier" }
zip = { role = "key", hierarchy = { kind = "codes", keep = [4, 3, 2] } }
birth = { role = "key", level = "date", hierarchy = { kind = "dates" } }
sex = { role = "key" }
illness = { role = "sensitive" }

[release]
k = 5
seed = 11

[recipients.doctor]
access = "private"
preset = "caretaker"
smallest = 1
listing = true

[recipients.researcher]
access = "semi-private"
preset = "researcher"

[recipients.press]
access = "public"
k = 10
columns = ["zip", "sex", "illness"]

[recipients.planner]
method = "mondrian"
columns = ["zip", "birth", "sex"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("central")
    draw = np.random.default_rng(4)
    lines = ["name,zip,birth,sex,illness"]
    for n in range(800):
        year, month = 1930 + int(draw.integers(0, 80)), 1 + int(draw.integers(0, 12))
        lines.append(
            f"Person {n},0{2100 + int(draw.integers(0, 90))},{year}-{month:02}-05,"
            f"{'mf'[int(draw.integers(0, 2))]},{['flu', 'gout', 'none'][int(draw.integers(0, 3))]}"
        )
    (place / "people.csv").write_text("\n".join(lines) + "\n")
    (place / "release.toml").write_text(PROJECT)
    return place


def private_rows(folder) -> list[list[str]]:
    return [line.split(",") for line in (folder / "people.csv").read_text().splitlines()[1:]]


BY_SEX = "select sex, count(*) from data group by sex"
BY_ZIP = "select zip, count(*) as n from data group by zip order by zip"


def test_two_roles_get_two_outputs(folder):
    project = folder / "release.toml"
    truth = Counter(row[1] for row in private_rows(folder))
    doctor = ask_as(project, "doctor", BY_ZIP)
    assert dict(doctor.rows) == truth
    press = ask_as(project, "press", BY_ZIP)
    assert press.rows != doctor.rows
    assert all("*" in zip_code for zip_code, _ in press.rows)
    assert sum(n for _, n in press.rows) <= 800
    assert min(n for _, n in press.rows) >= 10


@pytest.mark.parametrize(
    ("recipient", "k", "key"),
    [("press", 10, ["zip", "sex"]), ("planner", 5, ["zip", "birth", "sex"])],
)
def test_the_version_that_is_asked_has_k_in_every_class(folder, recipient, k, key):
    version = version_for(load_project(folder / "release.toml"), recipient)
    table = pq.read_table(version.data, columns=key)
    counts = Counter(tuple(row.values()) for row in table.to_pylist())
    assert version.holds
    assert min(counts.values()) >= k
    assert table.num_rows == version.records


def test_a_researcher_gets_k_for_each_variable_by_itself(folder):
    version = version_for(load_project(folder / "release.toml"), "researcher")
    table = pq.read_table(version.data)
    for name in ("zip", "birth", "sex"):
        assert min(Counter(table[name].to_pylist()).values()) >= 5
    counts = Counter(tuple(row.values()) for row in table.select(list(version.key)).to_pylist())
    assert version.at_risk == sum(n for n in counts.values() if n < 5) > 0
    answer = ask_as(
        folder / "release.toml", "researcher", "select sex, count(*) from data group by sex"
    )
    assert "not proved" in answer.notes[0]
    assert answer.errors[0][1] > 6
    with pytest.raises(InputError, match="k = 5 protects this version is not proved"):
        ask_as(folder / "release.toml", "researcher", "select * from data")


@pytest.mark.parametrize(
    "sql",
    [
        "select name from data",
        "select count(*) from data where name = 'Person 7'",
        "select count(distinct name) from data",
        "select birth from data",
        "select * from people",
        "select * from 'people.csv'",
        "select * from read_csv('people.csv')",
        "select * from read_csv('../../people.csv')",
        "select rowid from data",
        "select filename from data",
        "select file_row_number from data",
        "select record from data",
        "select c1 from data",
        "select * from duckdb_tables()",
        "select * from records",
    ],
)
def test_what_the_recipient_may_not_see_cannot_be_reached(folder, sql, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(InputError) as refused:
        ask_as(folder / "release.toml", "press", sql)
    said = str(refused.value)
    assert "Person" not in said.replace("Person 7", "")
    assert str(folder) not in said


def test_identifiers_are_in_no_version_not_even_the_caretakers(folder):
    doctor = ask_as(folder / "release.toml", "doctor", "select * from data limit 1")
    assert doctor.columns == ("zip", "birth", "sex", "illness")
    kept = b"".join(path.read_bytes() for path in (folder / ".indistinct").rglob("*.parquet"))
    assert b"Person" not in kept


def test_the_same_recipient_sees_the_same_version_every_time(folder, monkeypatch):
    project = load_project(folder / "release.toml")
    first = version_for(project, "planner")
    written = first.data.stat().st_mtime_ns

    def never(*_, **__):
        raise AssertionError("the version was made twice")

    monkeypatch.setattr("indistinct.query.profiles._make", never)
    assert version_for(load_project(folder / "release.toml"), "planner") == first
    assert first.data.stat().st_mtime_ns == written


def test_a_version_is_made_anew_to_the_same_bytes(folder):
    version = version_for(load_project(folder / "release.toml"), "planner")
    before = version.data.read_bytes()
    for path in version.folder.iterdir():
        path.unlink()
    version.folder.rmdir()
    assert version_for(load_project(folder / "release.toml"), "planner").data.read_bytes() == before


def test_the_version_follows_data_and_profile_and_nothing_else(folder, tmp_path):
    (tmp_path / "people.csv").write_bytes((folder / "people.csv").read_bytes())
    path = tmp_path / "release.toml"

    def version(text: str):
        path.write_text(text)
        return version_for(load_project(path), "press").folder.name

    first = version(PROJECT)
    assert first == version_for(load_project(folder / "release.toml"), "press").folder.name
    assert version(PROJECT + "[recipients.other]\nk = 9\n") == first
    assert version(PROJECT.replace("k = 10", "k = 10\nsmallest = 30")) == first
    assert version(PROJECT.replace("k = 10", "k = 11")) != first
    assert version(PROJECT.replace("keep = [4, 3, 2]", "keep = [3, 2]")) != first
    with (tmp_path / "people.csv").open("a") as file:
        file.write("Person 800,02111,1950-01-05,m,flu\n")
    assert version(PROJECT) != first


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_versions_are_kept_for_their_owner_alone(folder):
    version = version_for(load_project(folder / "release.toml"), "press")
    for place in (folder / ".indistinct", folder / ".indistinct" / "recipients", version.folder):
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
    os.chmod(folder / ".indistinct", 0o755)
    try:
        with pytest.raises(InputError, match="chmod 700"):
            ask_as(folder / "release.toml", "press", "select count(*) from data")
    finally:
        os.chmod(folder / ".indistinct", 0o700)


def test_who_asked_what_is_kept_beside_the_version(folder):
    project = folder / "release.toml"
    version = version_for(load_project(project), "researcher")
    first = ask_as(project, "researcher", BY_SEX, who="Ann")
    with session_as(project, "researcher", who="Ben") as session:
        assert session.ask("select sex, count(*) as n from data group by sex").rows == first.rows
    lines = [json.loads(line) for line in (version.folder / "asked.jsonl").open()]
    assert [line["who"] for line in lines[-2:]] == ["researcher: Ann", "researcher: Ben"]
    assert [line["tables"] for line in lines[-1:]] == [[]]  # Ben was told nothing new
    ask_as(project, "doctor", BY_SEX, who="Cecil")
    doctor = version_for(load_project(project), "doctor")
    assert "doctor: Cecil" in (doctor.folder / "asked-exactly.jsonl").read_text()


def test_noise_is_as_the_profile_says(folder, tmp_path):
    (tmp_path / "people.csv").write_bytes((folder / "people.csv").read_bytes())
    path = tmp_path / "release.toml"
    path.write_text(
        PROJECT.replace(
            'preset = "researcher"',
            'preset = "researcher"\nguess = 0.6\ntables = 3\nsmallest = 50',
        )
    )
    answer = ask_as(path, "researcher", BY_SEX)
    assert answer.errors[0][1] == pytest.approx(Bound(guess=0.6, tables=3).deviation)
    assert answer.smallest == 50
    with pytest.raises(InputError, match="1 of 3 can still be told"):
        ask_as(path, "researcher", "select illness, count(*) from data group by illness")


def test_a_version_for_people_with_several_records_counts_people(tmp_path):
    lines = [f"p{n},{'ab'[n % 2]},{'xyz'[visit]}" for n in range(300) for visit in range(3)]
    (tmp_path / "people.csv").write_text("\n".join(["patient,town,ward", *lines]) + "\n")
    path = tmp_path / "release.toml"
    path.write_text(
        '[data]\nfile = "people.csv"\n[variables]\npatient = { role = "identifier" }\n'
        'town = { role = "key" }\n[release]\nperson = "patient"\n'
        "[recipients.press]\nk = 20\nlisting = false\nmost = 3\n"
    )
    assert ask_as(path, "press", "select count(*) from data").rows == ((300,),)
    by_ward = ask_as(path, "press", "select ward, count(*) from data group by ward")
    assert [ward for ward, _ in by_ward.rows[:3]] == ["x", "y", "z"]
    assert all(abs(n - 300) < 6 * by_ward.errors[0][1] for _, n in by_ward.rows[:3])
    assert by_ward.errors[0][1] == pytest.approx(Bound(most=3).deviation)


def test_a_damaged_version_and_a_wrong_column_are_told(folder, tmp_path):
    (tmp_path / "people.csv").write_bytes((folder / "people.csv").read_bytes())
    path = tmp_path / "release.toml"
    path.write_text(PROJECT.replace('"illness"]', '"ilness"]'))
    with pytest.raises(InputError, match=r"release.toml:\d+: .*'ilness'.*Did you mean 'illness'"):
        ask_as(path, "press", "select count(*) from data")
    path.write_text(PROJECT)
    (version_for(load_project(path), "press").folder / "version.json").write_text("{")
    with pytest.raises(InputError, match=r"is damaged. Delete it"):
        ask_as(path, "press", "select count(*) from data")


def test_a_recipient_without_any_k_is_refused(tmp_path):
    (tmp_path / "people.csv").write_text("town\n" + "a\n" * 9)
    path = tmp_path / "release.toml"
    path.write_text(
        '[data]\nfile = "people.csv"\n[variables]\ntown = { role = "key" }\n[recipients.press]\n'
    )
    with pytest.raises(InputError, match=r"\[recipients.press\] needs k"):
        ask_as(path, "press", "select count(*) from data")


def test_a_method_that_does_not_know_an_option_says_so(folder, tmp_path):
    (tmp_path / "people.csv").write_bytes((folder / "people.csv").read_bytes())
    path = tmp_path / "release.toml"
    path.write_text(PROJECT.replace('method = "mondrian"', 'method = "mondrian"\nmax_drop = 3'))
    with pytest.raises(InputError, match="'mondrian' does not know the option max_drop"):
        ask_as(path, "planner", "select count(*) from data")
    path.write_text(PROJECT.replace('"mondrian"', '"mondrain"'))
    with pytest.raises(InputError, match="Did you mean 'mondrian'"):
        ask_as(path, "planner", "select count(*) from data")


def test_a_recipient_who_sees_no_key_variable_gets_the_rest(tmp_path):
    table = pa.table({"town": ["a", "b"] * 10, "n": list(range(20))})
    pq.write_table(table, tmp_path / "people.parquet")
    path = tmp_path / "release.toml"
    path.write_text(
        '[data]\nfile = "people.parquet"\n[variables]\ntown = { role = "key" }\n'
        '[recipients.press]\nk = 5\ncolumns = ["n"]\n'
    )
    assert ask_as(path, "press", "select count(*) from data").rows == ((20,),)
    with pytest.raises(InputError, match="no variable 'town'"):
        ask_as(path, "press", "select town, count(*) from data group by town")


def test_the_facts_of_a_version_hold_no_value(folder):
    version = version_for(load_project(folder / "release.toml"), "press")
    facts = json.loads((version.folder / "version.json").read_text())
    assert set(facts) == {"recipient", "k", "key", "records", "at_risk", "state", "seed"}
    assert indistinct.__version__
