"""A certificate that was written anew is told: from the ledger, from the project, from the file."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import indistinct
from indistinct.core.errors import IndistinctError, InputError
from indistinct.flow.verifying import verify_release
from indistinct.query import ask
from indistinct.release import Certificate, file_digest

PROJECT = """
[data]
file = "people.csv"
[release]
key = ["age", "sex", "zip"]
k = 3
confirmed = true
method = "datafly"

"""


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("rewritten")
    rng = np.random.default_rng(4)
    people = {
        "age": rng.integers(20, 60, 600),
        "sex": rng.choice(["f", "m"], 600),
        "zip": rng.choice(["02138", "02139", "02141", "02142"], 600),
        "ill": rng.choice(["flu", "cold", "gout"], 600),
    }
    pacsv.write_csv(pa.table(people), folder / "people.csv")
    (folder / "release.toml").write_text(PROJECT)
    with indistinct.open_data(folder / "release.toml") as data:
        done = data.protect(method="datafly", seed=1)
        data.release(folder / "release", done, seed=1, format="csv", keep_order=True)
    return folder


def rewrite(release: Path, **claims: Any) -> None:
    """Write every hash of a certificate anew, as anybody can who has the folder."""
    path = release / "certificate.json"
    content = json.loads(path.read_text())
    content = {**content, **claims}
    content["promise"] = {**content["promise"], "key": content["key"], "k": content["k"]}
    content["files"] = {name: file_digest(release / name) for name in content["files"]}
    path.write_bytes(Certificate(content).signed(None).to_bytes())


def put_ages_back(made: Path, release: Path) -> None:
    with (made / "people.csv").open() as private, (release / "data.csv").open() as released:
        rows = list(csv.DictReader(released))
        ages = [row["age"] for row in csv.DictReader(private)]
    with (release / "data.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "age": age} for row, age in zip(rows, ages, strict=True))
    rewrite(release, key=["sex"])


def more_records(made: Path, release: Path) -> None:
    rewrite(release, records=5)


def a_key_of_nothing(made: Path, release: Path) -> None:
    rewrite(release, key=["sex", "shoe_size"])


def lower_k(made: Path, release: Path) -> None:
    rewrite(release, k=2)


def state(release: Path, **options: Any) -> str:
    try:
        return verify_release(release, brief=True, accept=["order-kept"], **options).state
    except IndistinctError:
        return "refused"


FORGERIES = [put_ages_back, more_records, a_key_of_nothing, lower_k]


@pytest.fixture
def release(made, tmp_path) -> Path:
    return shutil.copytree(made / "release", tmp_path / "release")


def test_the_release_itself_is_not_broken(made, release):
    for options in ({}, {"private": made / "people.csv"}, {"private": made / "release.toml"}):
        assert state(release, **options) == "reservations"  # the order was kept, for the test


@pytest.mark.parametrize("forge", FORGERIES)
def test_the_holders_ledger_tells_a_certificate_written_anew(made, release, forge):
    forge(made, release)
    for options in ({}, {"private": made / "people.csv"}, {"private": made / "release.toml"}):
        assert state(release, **options) in ("fails", "refused")


@pytest.mark.parametrize("forge", FORGERIES)
def test_so_does_the_ledger_that_was_kept_elsewhere(made, release, forge):
    forge(made, release)
    shutil.rmtree(release / "private")
    ledger = made / "release" / "private" / "ledger.json"
    assert state(release, ledger=ledger) in ("fails", "refused")


@pytest.mark.parametrize("forge", [more_records, a_key_of_nothing])
def test_without_any_ledger_the_file_tells_what_can_be_counted(made, release, forge):
    forge(made, release)
    shutil.rmtree(release / "private")
    assert state(release) in ("fails", "refused")


def test_without_any_ledger_the_project_tells_whom_an_intruder_knows(made, release):
    put_ages_back(made, release)
    shutil.rmtree(release / "private")
    assert state(release, private=made / "release.toml") == "fails"


@pytest.mark.parametrize("claim", [
    {"k": float("nan")}, {"k": "3"}, {"k": -1}, {"key": "age"}, {"key": [1]}, {"key": []},
    {"records": None}, {"records": True}, {"verdict": []}, {"verdict": {"state": "fine"}},
    {"promise": None}, {"files": []}, {"audit": None}, {"ledger": None}, {"proved": None},
])  # fmt: skip
@pytest.mark.parametrize("private", [True, False])
def test_a_certificate_that_claims_nonsense_is_broken(release, claim, private):
    path = release / "certificate.json"
    content = {**json.loads(path.read_text()), **claim}
    try:
        path.write_bytes(Certificate(content).signed(None).to_bytes())
    except ValueError:  # NaN
        path.write_text(json.dumps(content))
    if not private:
        shutil.rmtree(release / "private")
    assert state(release) in ("fails", "refused")


def test_questions_are_not_answered_exactly_from_a_certificate_written_anew(made, tmp_path):
    with indistinct.open_data(made / "release.toml") as data:
        done = data.protect(method="datafly", seed=1)
        data.release(tmp_path / "release", done, seed=1, format="csv")
    released = tmp_path / "release" / "data.csv"
    question = "select sex, count(*) from data group by sex"
    assert ask(released.parent, question).errors == ()
    lines = released.read_text().splitlines()
    column = lines[0].split(",").index("ill")
    one = lines[1].split(",")
    one[column] = "plague"
    released.write_text("\n".join([lines[0], ",".join(one), *lines[2:], ""]))
    rewrite(released.parent)
    assert ask(released.parent, question).errors != ()
    with pytest.raises(InputError, match="no category"):
        ask(released.parent, "select count(*) from data where ill = 'plague'")
