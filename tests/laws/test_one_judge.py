"""One judge: certificate, `verify`, exit codes and what was written say the same, for every way.

Nothing that does not hold is written unless that is asked for; what is altered is never proved.
"""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from ways import KEY, WAYS, Way, population, released

from indistinct import verify_release
from indistinct.cli import run as command


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_certificate_and_verifier_agree_with_and_without_the_private_data(way: Way, tmp_path):
    table = population(2)
    found = released(way, table, tmp_path / "r", although_unproved=True, keep=[*KEY, "ill"])
    assert found.folder is not None, found.refused
    pq.write_table(table, tmp_path / "private.parquet")
    told = found.certificate.content
    found.examine(whatever_is_said=True)
    assert told["proved"] is (found.certificate.state == "holds")
    # what is not green can be named
    assert bool(found.certificate.reservations) or found.certificate.state != "reservations"
    assert bool(told["verdict"]["findings"]) is (found.certificate.state == "fails")
    for private in (None, tmp_path / "private.parquet"):
        again = verify_release(found.folder, private=private, brief=True)
        assert again.state == found.certificate.state, (private, again.sentence)
    without = released(way, table, tmp_path / "s", keep=[*KEY, "ill"])
    assert bool(without.refused) is (found.certificate.state == "fails")
    if without.refused:
        assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_what_alters_the_key_is_never_proved(way: Way, tmp_path):
    found = released(way, population(3), tmp_path / "r", although_unproved=True, keep=KEY)
    promise = found.certificate.promise
    found.examine(whatever_is_said=True)
    assert promise.claims_k is not bool(found.changed & set(KEY))
    if not promise.claims_k:
        assert found.certificate.state != "holds"
        assert found.certificate.content["proved"] is False
    assert way.alters or not promise.perturbed


PROJECT = """
[data]
file = "people.parquet"
[variables.region]
role = "key"
[variables.age]
role = "key"
[variables.sex]
role = "key"
[release]
k = 3
seed = 7
out = "release"
keep = ["ill"]
method = "steps"
{release}
[steps.one]
{step}
"""


@pytest.mark.parametrize(
    "step",
    [
        'kind = "top-bottom-code"\nvariables = ["age"]\nshare = 0.05',
        'kind = "pram"\nvariables = ["sex"]\nkeep = 0.9',
        'kind = "round"\nvariables = ["age"]\nbase = 5',
        'kind = "microaggregate"\nvariables = ["age"]\nk = 3',
        'kind = "blank"\nkey = ["region", "age", "sex"]\nk = 3',
        'kind = "add-noise"\nvariables = ["age"]\nscale = 0.001',
    ],
    ids=lambda step: step.split('"')[1],
)
def test_case_20_exit_code_and_certificate_agree(step, tmp_path, capfd):
    pq.write_table(population(4), tmp_path / "people.parquet")
    project = tmp_path / "release.toml"
    project.write_text(PROJECT.format(step=step, release=""))
    code = command(["run", str(project), "--json", "--although-unproved"])
    told = json.loads(capfd.readouterr().out)
    certificate = json.loads((tmp_path / "release/certificate.json").read_text())
    assert certificate["proved"] is told["proved"] is (told["state"] == "holds")
    assert code == (0 if told["proved"] else 1)
    assert command(["verify", str(tmp_path / "release"), "--brief", "--json"]) == code
    accepted = ",".join(r["code"] for r in told["reservations"])
    if told["state"] == "reservations":
        again = ["verify", str(tmp_path / "release"), "--brief", "--json", "--accept", accepted]
        assert command(again) == 0


def test_case_8_argus_says_1_and_its_certificate_and_verify_agree(tmp_path, capfd):
    pq.write_table(population(5), tmp_path / "people.parquet")
    asked = ["protect", str(tmp_path / "people.parquet"), "--method", "argus", "--k", "3",
             "--key", "region,age,sex", "--keep", "ill", "--out", str(tmp_path / "r")]  # fmt: skip
    assert command(asked) == 1
    assert not (tmp_path / "r").exists()
    assert command([*asked, "--although-unproved"]) == 1
    assert json.loads((tmp_path / "r/certificate.json").read_text())["proved"] is False
    assert command(["verify", str(tmp_path / "r"), "--brief"]) == 1


def test_case_19_steps_of_a_project_are_done_with_every_method(tmp_path, capfd):
    pq.write_table(population(6), tmp_path / "people.parquet")
    project = tmp_path / "release.toml"
    step = 'kind = "suppress-attribute"\nvariables = ["ill"]\nhow = "drop"'
    text = PROJECT.format(step=step, release="").replace('"steps"', '"suppress"')
    project.write_text(text.replace('keep = ["ill"]\n', 'keep = ["income"]\n'))
    assert command(["run", str(project)]) in (0, 1)
    released_names = pq.read_schema(tmp_path / "release/data.parquet").names
    assert "ill" not in released_names
    for method in ("blank", "destroy"):
        project.write_text(text.replace('"suppress"', f'"{method}"'))
        capfd.readouterr()
        assert command(["run", str(project), "--out", str(tmp_path / method)]) == 2
        assert "[steps.one]" in capfd.readouterr().err
        assert not (tmp_path / method).exists()


def test_an_unconfirmed_key_is_amber_until_it_is_confirmed_or_accepted(tmp_path, capfd):
    pq.write_table(population(7), tmp_path / "people.parquet")
    project = tmp_path / "release.toml"
    step = 'kind = "blank"\nkey = ["region", "age", "sex"]\nk = 3'
    project.write_text(PROJECT.format(step=step, release="confirmed = false"))
    assert command(["run", str(project), "--out", str(tmp_path / "a")]) == 1
    certificate = json.loads((tmp_path / "a/certificate.json").read_text())
    assert certificate["verdict"]["state"] == "reservations"
    assert certificate["proved"] is False
    assert command(["verify", str(tmp_path / "a"), "--brief"]) == 1
    assert command(["verify", str(tmp_path / "a"), "--accept", "key-not-confirmed"]) == 0
    accepting = ["run", str(project), "--out", str(tmp_path / "b"), "--accept", "key-not-confirmed"]
    assert command(accepting) == 0
    kept = json.loads((tmp_path / "b/certificate.json").read_text())
    assert kept["promise"]["accepted"] == ["key-not-confirmed"]
    project.write_text(PROJECT.format(step=step, release="confirmed = true"))
    assert command(["run", str(project), "--out", str(tmp_path / "c")]) == 0
