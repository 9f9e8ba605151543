"""Cases of issue 18 by number: altered values, labels, the order, several plain files."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_data import open_small

from indistinct import compare_release, verify_release
from indistinct.cli import run as command
from indistinct.core.errors import GuaranteeError, InputError
from indistinct.protect import Plan
from indistinct.protect.steps import AddNoise
from indistinct.release import Certificate

ILL = ("flu", "gout", "cold")


def patients(number: int = 40) -> pa.Table:
    rng = random.Random(1)
    return pa.table(
        {
            "age": [20 + n for n in range(number)],
            "sex": ["fm"[n % 2] for n in range(number)],
            "zip": [f"{2100 + 7 * n:05}" for n in range(number)],
            "illness": [rng.choice(ILL) for _ in range(number)],
            "pay": [rng.randrange(1000, 9000) for _ in range(number)],
        }
    )


def written(table: pa.Table, path: Path) -> Path:
    pq.write_table(table, path)
    return path


def codes(found) -> set[str]:
    return {reservation.code for reservation in found.reservations}


def test_case_6_place_names_for_zip_codes_fail_or_are_refused(tmp_path):
    people = pa.table({"zip": ["02138", "02139"] * 4, "sex": ["f", "m", "m", "f"] * 2})
    names = {"02138": "Cambridge", "02139": "Boston"}
    released = people.set_column(0, "zip", pa.array([names[z] for z in people["zip"].to_pylist()]))
    private = written(people, tmp_path / "private.parquet")
    release = written(released, tmp_path / "release.parquet")
    assert verify_release(release, key=["sex", "zip"], k=4, brief=True).state == "fails"
    with pytest.raises(InputError, match="as words in the release and as 5 digits") as told:
        verify_release(release, private=private, key=["sex", "zip"], k=4)
    assert "Cambridge" not in str(told.value)
    assert "02138" not in str(told.value)


def test_case_6_dates_written_day_first_are_read(tmp_path):
    days = [f"19{60 + n}-10-02" for n in range(12)]
    people = pa.table({"born": days, "ill": ["flu", "gout"] * 6})
    other = [f"02.10.{day[:4]}" for day in days]
    release = written(people.set_column(0, "born", pa.array(other)), tmp_path / "release.parquet")
    private = written(people, tmp_path / "private.parquet")
    found = verify_release(release, private=private, key=["born"], k=2, brief=True)
    assert (found.state, found.k, found.true_disclosures) == ("fails", 1, 12)


def test_case_6_a_register_that_lacks_key_variables_never_raises_k(tmp_path):
    people = pa.table({"age": [30, 30, 40, 40, 40], "gender": ["f", "m", "f", "f", "f"]})
    release = written(people, tmp_path / "release.parquet")
    register = pa.table({"age": [30] * 98 + [40] * 98, "sex": ["f", "m"] * 98})
    alone = verify_release(release, key=["age", "gender"], k=3, brief=True)
    more = verify_release(
        release,
        registers=[written(register, tmp_path / "register.parquet")],
        key=["age", "gender"],
        k=3,
        brief=True,
    )
    assert alone.state == more.state == "fails"
    assert more.k <= alone.k
    assert any("does not have gender" in note for note in more.notes)


def test_case_7_one_true_value_about_the_linked_person_is_a_disclosure(tmp_path):
    people = patients()
    pay = pa.array([value + 1 for value in people["pay"].to_pylist()])
    release = written(people.set_column(4, "pay", pay), tmp_path / "release.parquet")
    found = verify_release(
        release,
        private=written(people, tmp_path / "private.parquet"),
        key=["age", "sex", "zip"],
        k=2,
        brief=True,
    )
    assert (found.verdict, found.state, found.true_disclosures) == ("none", "fails", 40)


@pytest.mark.parametrize("key", [("age", "sex", "zip"), ("age", "sex", "zip", "pay")])
def test_case_7_a_shuffled_pay_beside_true_values_does_not_hold(key, tmp_path):
    with open_small(patients()) as data:
        done = data.protect(list(key), method="shuffle", k=5, seed=1, variables=("pay",))
        with pytest.raises(GuaranteeError, match="does not hold"):
            data.release(tmp_path / "r", done, seed=1)
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("key", [("zip",), ("zip", "ethnicity")])
def test_case_9_the_versions_of_the_paper_as_plain_files(key, tmp_path):
    people = {
        "zip": ["02138", "02139"] * 6,
        "ethnicity": ["Asian", "Asian", "Black", "Black", "White", "White"] * 2,
        "problem": [f"problem {n % 6}" for n in range(12)],
    }
    toxic, heart = (
        written(pa.table({n: people[n] for n in names}), tmp_path / f"{names[0]}.parquet")
        for names in (("zip", "problem"), ("ethnicity", "problem"))
    )
    if len(key) == 1:  # nobody said what of the other file is known: never a silent pass
        with pytest.raises(InputError, match="which of its variables can an intruder know"):
            verify_release(toxic, earlier=[heart], key=key, k=4)
        return
    found = verify_release(toxic, earlier=[heart], key=key, k=4, brief=True)
    assert found.state == "fails"
    assert any("together leave fewer than 4 people" in finding for finding in found.findings)


def test_case_9_with_a_project(tmp_path):
    people = {
        "zip": ["02138", "02139"] * 6,
        "ethnicity": ["Asian", "Asian", "Black", "Black", "White", "White"] * 2,
        "problem": [f"problem {n % 6}" for n in range(12)],
    }
    written(pa.table(people), tmp_path / "private.parquet")
    (tmp_path / "p.toml").write_text(
        '[data]\nfile = "private.parquet"\n[release]\nk = 4\nkey = ["zip", "ethnicity"]\n'
    )
    toxic, heart = (
        written(pa.table({n: people[n] for n in names}), tmp_path / f"{names[0]}.parquet")
        for names in (("zip", "problem"), ("ethnicity", "problem"))
    )
    found = verify_release(toxic, earlier=[heart], private=tmp_path / "p.toml", brief=True)
    assert found.state == "fails"


def test_case_10_a_scrambled_file_is_compared_by_whose_records_they_are(tmp_path):
    people = pa.table({"age": [n % 50 for n in range(300)], "sex": ["f", "m"] * 150})
    with open_small(people) as data:
        done = data.protect(["sex"], method="local-recoding", k=3, seed=1)
        data.release(tmp_path / "r", done, seed=1)
    found = compare_release(people, tmp_path / "r", key=["age", "sex"])
    assert found.protection is not None
    assert found.protection.changes.percent()["any_variable"] == 0
    # a plain file has no ledger: nothing is told by position that position does not say
    table = pq.read_table(tmp_path / "r" / "data.parquet")
    plain = compare_release(people, table, key=["age", "sex"])
    assert plain.protection is None
    assert any("another order" in note for note in plain.notes)


def test_case_12_a_register_does_not_switch_the_private_attack_off(tmp_path):
    people = patients()
    private = written(people, tmp_path / "private.parquet")
    strangers = people.take(pa.array([n % 40 for n in range(480)]))
    found = verify_release(
        private,
        private=private,
        registers=[written(strangers, tmp_path / "strangers.parquet")],
        key=["age", "sex"],
        k=2,
        brief=True,
    )
    assert (found.state, found.k) == ("fails", 1)


def test_case_12_ids_with_and_without_zeros_name_the_same_people(tmp_path):
    people = pa.table(
        {
            "id": [f"{n:04}" for n in range(1, 21)],
            "age": list(range(20, 40)),
            "ill": ["a", "b"] * 10,
        }
    )
    register = pa.table({"id": list(range(1, 21)), "age": list(range(20, 40))})
    found = verify_release(
        written(people.drop_columns(["id"]), tmp_path / "release.parquet"),
        private=written(people, tmp_path / "private.parquet"),
        registers=[written(register, tmp_path / "register.parquet")],
        key=["age"],
        person="id",
        k=2,
        brief=True,
    )
    assert (found.state, found.verdict) == ("fails", "none")


def test_case_13_tiny_noise_is_no_proof(tmp_path):
    people = patients(60).drop_columns(["zip"])
    (tmp_path / "p.toml").write_text(
        '[data]\nfile = "people.parquet"\n[release]\nk = 5\nkey = ["age", "pay"]\nseed = 1\n'
        'method = "steps"\nout = "r"\n[steps.noise]\nkind = "add-noise"\n'
        'variables = ["age", "pay"]\nscale = 0.001\n'
    )
    written(people, tmp_path / "people.parquet")
    assert command(["run", str(tmp_path / "p.toml")]) == 1
    assert not (tmp_path / "r").exists()


def test_case_13_tiny_noise_is_found_although_households_have_new_numbers(tmp_path):
    people = patients(60).drop_columns(["zip"])
    people = people.append_column("household", pa.array([n // 3 for n in range(60)]))
    with open_small(people) as data:
        data = data.with_roles(household="household")
        done = data.replay(
            ["age", "pay"], Plan((AddNoise(("age", "pay"), 0.001, whole=False),)), k=5, seed=1
        )
        with pytest.raises(GuaranteeError, match="nearest record"):
            data.release(tmp_path / "r", done, seed=1)


def test_case_13_noise_that_hides_is_measured_and_never_proved(tmp_path):
    people = pa.table({"pay": [1000.0 + n for n in range(200)], "ill": list(ILL[:2]) * 100})
    with open_small(people) as data:
        done = data.protect(["pay"], method="shuffle", k=3, seed=1, variables=("pay",))
        data.release(tmp_path / "r", done, seed=1)
    certificate = Certificate.read(tmp_path / "r" / "certificate.json")
    assert certificate.state == "reservations"
    assert certificate.content["proved"] is False
    again = verify_release(
        tmp_path / "r", private=written(people, tmp_path / "private.parquet"), brief=True
    )
    assert codes(again) >= {"perturbed"}


def test_case_15_the_order_of_the_records_says_nothing(tmp_path):
    people = patients(60).sort_by("illness")
    with open_small(people) as data:
        done = data.protect(["sex"], method="local-recoding", k=5, seed=3)
        data.release(tmp_path / "r", done, seed=3, keep=["illness"])
        data.release(tmp_path / "s", done, seed=3, keep=["illness"], keep_order=True)
    told = pq.read_table(tmp_path / "r" / "data.parquet")["illness"].to_pylist()
    assert told != sorted(told)
    assert sorted(told) == people["illness"].to_pylist()
    certificate = Certificate.read(tmp_path / "s" / "certificate.json")
    assert certificate.state == "reservations"
    reserved = certificate.content["verdict"]["reservations"]
    assert {"order-kept"} <= {reservation["code"] for reservation in reserved}
