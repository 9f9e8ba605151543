"""Case 2 of issue 18: visits are counted as patients."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from indistinct import files, keys, open_data, verify_release
from indistinct.cli import run as command
from indistinct.core.errors import InputError
from indistinct.release import read_origin


def visits(path: Path, *, patients: int = 60, seed: int = 1, moving: bool = False) -> Path:
    """Write visits of patients, one to nine each, whose sex and year of birth stay the same."""
    rng = random.Random(seed)
    rows = []
    for patient in range(patients):
        born, sex = rng.randint(1950, 1961), rng.choice("fm")
        for _ in range(rng.randint(1, 9)):
            place = rng.choice("NS") if moving else "NS"[patient % 2]
            ill = rng.choice(["flu", "cold", "gout"])
            rows.append((f"P{patient:04}", born, sex, place, ill))
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("patient", "born", "sex", "place", "ill"))
        writer.writerows(rows)
    return path


def fewest_patients(folder: Path, private: Path, key: list[str]) -> int:
    (released,) = folder.glob("data.*")
    table = files.open_data(released, workspace=folder.parent).table()
    origin = read_origin(folder, records=table.num_rows)
    with private.open() as file:
        whose = [row["patient"] for row in csv.DictReader(file)]
    classes: dict[tuple[object, ...], set[str]] = {}
    for row, record in zip(table.select(key).to_pylist(), origin.tolist(), strict=True):
        classes.setdefault(tuple(row.values()), set()).add(whose[record])
    return min(map(len, classes.values()))


SPELLINGS = ("P{:03}", "p{:03}", "P{:03} ", " P-{:03}", "P_{:03}", "P.{:03}")


@pytest.mark.parametrize("method", ["mondrian", "k-similar", "suppress"])
def test_ids_that_are_spelled_differently_are_one_person(tmp_path, method):
    rng = random.Random(3)
    rows = []
    for patient in range(90):
        age, place = rng.randint(20, 29), rng.choice("NS")
        rows += [(spelt.format(patient), age, place, rng.choice("xyz")) for spelt in SPELLINGS]
    table = dict(zip(("patient", "age", "place", "ill"), zip(*rows, strict=True), strict=True))
    with open_data({name: list(values) for name, values in table.items()}) as data:
        assert keys.people_by_class(data.engine, data.source, ["place"], "patient").sum() == 90
        done = data.protect(["age", "place"], method=method, k=5, seed=1)
        assert done.person == "patient"
        data.release(tmp_path / "r", done, accept=["records-linked"])
        assert data.source.table(["patient"]).column(0).to_pylist() == list(table["patient"])
    released = pq.read_table(tmp_path / "r" / "data.parquet").select(["age", "place"]).to_pylist()
    origin = read_origin(tmp_path / "r", records=len(released))
    classes: dict[tuple[object, ...], set[int]] = {}
    for row, record in zip(released, origin.tolist(), strict=True):
        classes.setdefault(tuple(row.values()), set()).add(record // len(SPELLINGS))
    assert min(map(len, classes.values())) >= 5


@pytest.mark.parametrize("method", ["mondrian", "k-similar", "optimal"])
def test_patients_numbered_within_a_clinic_are_not_green(tmp_path, method):
    rng = random.Random(4)
    private = tmp_path / "visits.csv"
    with private.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("clinic", "nr", "age", "ill"))
        for clinic in "ABCDE":
            for number in range(1, 31):
                age = rng.randint(20, 60)
                for _ in range(rng.randint(3, 9)):
                    writer.writerow((clinic, number, age, rng.choice(["flu", "cold"])))
    asked = ["protect", str(private), "--key", "clinic,age", "--k", "5", "--method", method]
    folder = tmp_path / "r"
    assert command([*asked, "--out", str(folder)]) == 1
    promise = json.loads((folder / "certificate.json").read_text())["promise"]
    assert promise["undecided"] == ["nr"]
    for knowing in ({}, {"private": private}):
        found = verify_release(folder, **knowing)
        assert [one.code for one in found.reservations] == ["people-not-said"]
    accepted = ["--accept", "people-not-said", "--out", str(tmp_path / "known")]
    assert command([*asked, *accepted]) == 0


def test_an_id_by_which_there_are_enough_people_takes_nothing_away(tmp_path):
    rng = random.Random(5)
    private = tmp_path / "months.csv"
    with private.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("nr", "region", "sales"))
        for number in range(60):
            region = "NS"[number % 2]
            writer.writerows((number, region, rng.randint(1, 9)) for _ in range(6))
    asked = ["protect", str(private), "--key", "region", "--k", "5", "--method", "mondrian"]
    assert command([*asked, "--out", str(tmp_path / "r")]) == 0


@pytest.mark.parametrize("moving", [False, True], ids=["constant", "varying"])
def test_case_2_protect_and_verify_count_patients(tmp_path, capfd, moving):
    private = visits(tmp_path / "visits.csv", moving=moving)
    key = ["born", "sex", "place"]
    asked = ["protect", str(private), "--key", ",".join(key), "--k", "5", "--method", "mondrian"]
    code = command([*asked, "--keep", "ill", "--out", str(tmp_path / "r"), "--seed", "3", "--json"])
    assert code == 0
    assert json.loads(capfd.readouterr().out)["person"] == "patient"
    assert fewest_patients(tmp_path / "r", private, key) >= 5
    certificate = json.loads((tmp_path / "r/certificate.json").read_text())
    assert certificate["promise"]["person"] == "patient"
    found = verify_release(tmp_path / "r", private=private, person="patient")
    assert found.state == "holds"
    assert found.k >= 5
    assert verify_release(tmp_path / "r").state == "holds"


def test_case_2_a_release_with_k_visits_of_one_patient_does_not_hold(tmp_path):
    private = tmp_path / "visits.csv"
    rows = [(patient, 1950 + patient // 2, "f") for patient in range(12) for _ in range(6)]
    private.write_text("patient,born,sex\n" + "".join(f"P{p},{b},{s}\n" for p, b, s in rows))
    release = tmp_path / "release.csv"
    release.write_text("born,sex\n" + "".join(f"{b},{s}\n" for _, b, s in rows))
    alone = verify_release(release, key=["born", "sex"], k=5)
    assert (alone.state, alone.k) == ("holds", 12)
    for person in ("patient", None):  # declared, or found because visits share it
        found = verify_release(release, private=private, key=["born", "sex"], k=5, person=person)
        assert (found.state, found.k) == ("fails", 2)


def test_case_2_a_released_pseudonym_is_counted_from_the_file_alone(tmp_path):
    release = tmp_path / "release.csv"
    rows = [(f"Q{p}", 1950 + p // 2) for p in range(12) for _ in range(4)]
    release.write_text("patient_id,born\n" + "".join(f"{p},{b}\n" for p, b in rows))
    found = verify_release(release, key=["born"], k=3)
    assert (found.state, found.k) == ("fails", 2)


def test_case_2_released_visits_that_can_be_put_together_are_a_reservation(tmp_path):
    release = tmp_path / "release.csv"
    rows = [(f"Q{p}", place) for p in range(12) for place in ("NS" if p else "NSW")]
    rows += [(f"Q{p}", "W") for p in range(12, 16)]
    release.write_text("patient_id,place\n" + "".join(f"{p},{b}\n" for p, b in rows))
    found = verify_release(release, key=["place"], k=3)
    assert found.k >= 3
    assert "records-linked" in [r.code for r in found.reservations]


def test_case_2_uniques_say_how_many_people_stand_out(tmp_path, capfd):
    private = visits(tmp_path / "visits.csv")
    assert command(["uniques", str(private), "--key", "born,sex", "--k", "5", "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    with private.open() as file:
        rows = list(csv.DictReader(file))
    classes: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        classes.setdefault((row["born"], row["sex"]), set()).add(row["patient"])
    at_risk = {p for people in classes.values() if len(people) < 5 for p in people}
    assert told["person"] == "patient"
    assert told["people"]["number"] == 60
    assert told["people"]["at_risk"] == len(at_risk)
    assert told["at_risk"] == sum(row["patient"] in at_risk for row in rows)


def test_case_2_a_project_declares_who_the_people_are(tmp_path, capfd):
    private = visits(tmp_path / "visits.csv")
    text = private.read_text().replace("patient", "x1", 1)
    private.write_text(text)
    project = tmp_path / "release.toml"
    project.write_text(
        '[data]\nfile = "visits.csv"\n[release]\nk = 4\nkey = ["born", "sex"]\nperson = "x1"\n'
        'method = "mondrian"\nkeep = ["ill"]\nout = "r"\nseed = 5\n'
    )
    assert command(["run", str(project)]) == 0
    certificate = json.loads((tmp_path / "r/certificate.json").read_text())
    assert certificate["promise"]["person"] == "x1"
    capfd.readouterr()
    assert command(["verify", str(tmp_path / "r"), "--private", str(project), "--brief"]) == 0


def test_a_surname_or_a_household_is_no_person():
    rows = 240
    table = {
        "surname": [f"N{n % 40}" for n in range(rows)],
        "hhid": [n // 3 for n in range(rows)],
        "unit_number": [n % 20 for n in range(rows)],
        "age": [20 + n * 7 % 50 for n in range(rows)],
        "sex": [n * 5 % 7 % 2 for n in range(rows)],
    }
    with open_data(table) as data:
        named = data.with_roles(surname="identifier", unit_number="identifier")
        assert named.person(key=["age", "sex"]) is None


def test_an_identifier_without_a_telling_name_is_found_by_its_records():
    people = [n for n in range(60) for _ in range(1 + n % 4)]
    table = {"zz": people, "sex": [p * 7 % 5 % 2 for p in people], "ill": [0] * len(people)}
    with open_data(table) as data:
        assert data.person(key=["sex"]) is None
        assert data.with_roles(zz="identifier").person(key=["sex"]) == "zz"


def test_a_person_column_that_is_not_there_is_refused(tmp_path):
    release = tmp_path / "release.csv"
    release.write_text("sex\nf\nf\n")
    with pytest.raises(InputError, match="no column 'patinet'"):
        verify_release(release, key=["sex"], person="patinet")


def test_a_draft_says_who_the_people_are(tmp_path, capfd):
    private = visits(tmp_path / "visits.csv")
    assert command(["init", str(private), "--out", str(tmp_path / "release.toml")]) == 0
    assert 'person = "patient"' in (tmp_path / "release.toml").read_text()
