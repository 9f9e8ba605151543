"""Cases 1, 11 and 18 of the issue *Deserve the word*, as they were seen."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_data import open_small

import indistinct
from indistinct import files
from indistinct.census import write_census
from indistinct.cli import run
from indistinct.core.errors import InputError
from indistinct.files import Source
from indistinct.flow.session import Data
from indistinct.naming import columns_that_name, guess_variables
from indistinct.prove import Promise, Trial, judge
from indistinct.tables.publishing import Asked, publish_tables

NAMED = {"identity_number", "given_name", "surname", "date_of_birth"}


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    path = tmp_path_factory.mktemp("census") / "c.csv"
    write_census(path, people=5000, seed=7)
    return path


def test_case_1_names_of_the_census_do_not_leave_from_csv(census, tmp_path, capsys):
    out = tmp_path / "r"
    asked = ["--key", "age,sex,county", "--k", "3", "--method", "mondrian", "--seed", "1"]
    run(["protect", str(census), *asked, "--out", str(out)])
    told = " ".join(capsys.readouterr().err.split())
    released = files.open_data(out / "data.csv", workspace=tmp_path)
    assert not NAMED & set(released.variables)
    for name in NAMED:
        assert f"left out {name}: " in told
    ledger = json.loads((out / "private" / "ledger.json").read_text())
    assert set(ledger["left_out"]) >= NAMED


def test_case_1_the_python_path_of_the_readme_leaves_them_out_too(census, tmp_path):
    with indistinct.open_data(census) as data:
        key = ["age", "sex", "county"]
        done = data.protect(key, method="mondrian", k=3, seed=1)
        written = data.release(tmp_path / "r", done, although_unproved=True)
        assert not NAMED & set(files.open_data(written.data, workspace=tmp_path).variables)
    assert any("surname" in sentence for sentence in written.warnings)


def test_case_1_release_keeps_one_by_name_and_says_so_first(census, tmp_path, capsys):
    out = tmp_path / "r"
    asked = ["--key", "sex", "--k", "3", "--method", "mondrian", "--keep", "surname,given_name"]
    assert run(["protect", str(census), *asked, "--release", "surname", "--out", str(out)]) == 1
    assert "identifier-released" in capsys.readouterr().err
    certificate = json.loads((out / "certificate.json").read_text())
    assert certificate["proved"] is False
    assert certificate["promise"]["kept"] == ["surname"]
    contract = (out / "contract.md").read_text()
    assert "holds nothing that names a person outright" not in contract
    assert "`surname`, which may name people" in contract
    released = files.open_data(out / "data.csv", workspace=tmp_path)
    assert "given_name" not in released.variables


def patients(n: int = 300, visits: int = 3) -> pa.Table:
    who = np.arange(n).repeat(visits)
    rng = np.random.default_rng(1)
    scattered = rng.permutation(10**7)
    return pa.table(
        {
            "patient_id": [f"P{i:05}" for i in who],
            "PersonID": who + 1000,
            "case_no": [f"{i:06}" for i in who],
            "Fallnummer": who + 7,
            "numéro": [str(i) for i in who],
            "age": rng.integers(20, 80, n)[who],
            "x": scattered[: len(who)],
            "y": scattered[: len(who)].astype(float),
            "income": scattered[: len(who)],
            "pressure": rng.normal(120, 9, len(who)),
            "ill": rng.choice(["flu", "cold"], len(who)),
        }
    )


def test_case_1_numbers_of_patients_are_identifiers_even_when_they_repeat():
    with open_small(patients()) as data:
        found = {one.name for one in columns_that_name(data.engine, data.source, key=["age"])}
        guessed = {g.name: g.role for g in guess_variables(data.engine, data.source)}
    named = {"patient_id", "PersonID", "case_no", "Fallnummer", "numéro"}
    assert found == named | {"x", "y"}
    assert {name for name, role in guessed.items() if role == "identifier"} == named | {"x", "y"}


def test_case_1_a_reason_holds_no_value():
    table = patients()
    with open_small(table) as data:
        found = columns_that_name(data.engine, data.source, key=["age"])
    for one in found:
        values = {str(v) for v in table.column(one.name).to_pylist()}
        assert not any(word in values for word in one.reason.replace(":", " ").split())


def test_case_1_several_visits_hide_nobody_from_whoever_knows_the_people():
    table = patients(visits=4)
    table = table.append_column(
        "tag", pa.array([f"t{int(i[1:]) * 7919 % 10_007}" for i in table["patient_id"].to_pylist()])
    )
    with open_small(table) as data:
        alone = {n.name for n in columns_that_name(data.engine, data.source, key=[])}
        people = {
            n.name for n in columns_that_name(data.engine, data.source, key=[], person="patient_id")
        }
    assert "tag" not in alone
    assert people >= alone | {"tag"}
    assert not people & {"income", "pressure", "ill", "age"}


def test_case_1_the_judge_finds_a_column_of_names_whoever_released_it():
    names = [f"Ann {chr(65 + i % 26)}{i}" for i in range(40)]
    with open_small(pa.table({"sex": ["f", "m"] * 20, "who": names})) as data:
        bare = judge(Trial(data.engine, data.source, Promise(key=("sex",), k=5)))
        kept = judge(Trial(data.engine, data.source, Promise(key=("sex",), k=5, kept=("who",))))
    assert bare.state == "fails"
    assert any("who names people" in sentence for sentence in bare.findings)
    assert kept.state == "reservations"


def test_case_1_a_role_in_the_released_file_excuses_nothing():
    names = [f"Ann {chr(65 + i % 26)}{i}" for i in range(40)]
    with open_small(pa.table({"sex": ["f", "m"] * 20, "who": names})) as data:
        told = data.with_roles(who="sensitive")
        assert judge(Trial(told.engine, told.source, Promise(key=("sex",), k=5))).state == "fails"


@pytest.mark.parametrize("format", ["spss", "stata", "parquet"])
def test_case_18_labels_of_people_who_left_do_not_stay(format, tmp_path):
    jobs = [1] * 30 + [2] * 30 + [3]
    table = pa.table({"job": jobs, "sex": [1, 2] * 30 + [1], "age": [30] * 60 + [99]})
    with open_small(table) as opened:
        labels = {1: "Clerk", 2: "Cook", 3: "Mayor of Smallville"}
        told = opened.variables.updated({"job": {"labels": labels, "categories": (1, 2, 3)}})
        source = Source(opened.source.path, "t", told, opened.records)
        data = Data(source, opened.engine)
        done = data.protect(["age", "sex"], method="destroy", k=3, seed=1)
        written = data.release(tmp_path / "r", done, format=format, although_unproved=True)
        again = files.open_data(written.data, workspace=tmp_path)
        assert b"Smallville" not in written.data.read_bytes()
        assert dict(again.variables["job"].labels) == {1: "Clerk", 2: "Cook"}


def test_case_18_the_judge_finds_labels_of_values_that_nobody_has():
    table = pa.table({"job": [1, 2] * 10, "sex": ["f", "m"] * 10})
    with open_small(table) as data:
        told = data.variables.updated({"job": {"labels": {1: "Clerk", 2: "Cook", 3: "Mayor"}}})
        source = Source(data.source.path, "t", told, data.records)
        promise = Promise(key=("sex",), k=5)
        found = judge(Trial(data.engine, source, promise))
        had = files.open_table(
            pa.table({"job": [1, 2] * 10 + [3], "sex": ["f", "m"] * 10 + ["f"]}),
            workspace=data.engine.workspace,
        )
        seen = judge(Trial(data.engine, source, promise, had))
    # a codebook may list what nobody had; with the private data it is known
    assert found.state == "reservations"
    assert [r.code for r in found.reservations] == ["labels-of-nobody"]
    assert seen.state == "fails"
    assert any("job has labels" in finding for finding in seen.findings)


def people(n: int = 300) -> pa.Table:
    rng = np.random.default_rng(2)
    return pa.table(
        {
            "name": [f"Ann {i} of {i * 7919 % 10_007}" for i in range(n)],
            "income": rng.integers(1000, 90_000, n),
            "pressure": rng.normal(120, 9, n),
            "district": rng.choice(["a", "b", "c"], n),
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(0, 90, n),
            "work": rng.integers(0, 60, n),
        }
    )


@pytest.mark.parametrize("area", ["name", "income", "pressure"])
@pytest.mark.parametrize("further", [False, True])
def test_case_11_who_people_are_and_what_they_earn_are_no_areas(area, further, tmp_path):
    with open_small(people()) as data:
        places = {"area": "district", "also": (area,)} if further else {"area": area}
        asked = Asked.of_texts(["sex"], **places, method="cell-key", out=tmp_path / "t", seed=1)
        with pytest.raises(InputError, match=f"'{area}' cannot be an area"):
            publish_tables(data, asked)
    assert not (tmp_path / "t").exists()


def test_case_11_a_joint_attack_that_was_skipped_is_a_reservation(tmp_path):
    with open_small(people()) as data:
        tables = ["age:30,sex", "work:20,sex"]
        asked = Asked.of_texts(
            tables, area="district", method="suppress", out=tmp_path / "t", seed=1
        )
        found = publish_tables(data, asked)
        assert found.folder.state == "reservations"
        assert not found.holds
        assert not found.passes
        assert "joint-attack-skipped" in str(found.folder)
        again = Asked.of_texts(
            tables, area="district", method="suppress", out=tmp_path / "u", seed=1
        )
        accepted = publish_tables(data, again, accept=["joint-attack-skipped"])
        assert accepted.passes
        assert not accepted.holds
    certificate = json.loads((tmp_path / "u" / "certificate.json").read_text())
    assert certificate["verdict"]["state"] == "reservations"


def test_case_11_cell_keys_that_add_up_say_that_tables_differ(tmp_path):
    with open_small(people()) as data:
        asked = Asked.of_texts(
            ["sex", "age:30,sex"], area="district", method="cell-key", out=tmp_path / "t", seed=1
        )
        publish_tables(data, asked)
        publish_tables(data, Asked.of_texts(["sex"], area="district")).risk.uniques.write(
            tmp_path / "p.csv"
        )
    assert "different counts in different tables" in (tmp_path / "t/methodology.md").read_text()
    assert (tmp_path / "p.csv").read_text().splitlines()[1].startswith("1,")


@pytest.mark.parametrize("weights", [[2.5, 4.0], [3, 7], [0, 2], [float("nan"), 2.0]])
def test_a_column_called_weight_is_looked_at_and_leaves(weights, tmp_path):
    path = tmp_path / "p.parquet"
    pq.write_table(pa.table({"sex": ["f", "m"] * 20, "sampling_weight": weights * 20}), path)
    asked = ["protect", str(path), "--key", "sex", "--k", "3", "--method", "suppress"]
    assert run([*asked, "--out", str(tmp_path / "r")]) == 0
    assert pq.read_schema(tmp_path / "r/data.parquet").names == ["sex", "sampling_weight"]
