"""Requests that are done or refused, each by name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import indistinct
from indistinct.cli import run
from indistinct.protect import METHODS

K = 3


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    path = tmp_path / "people.csv"
    rows = [f"{20 + 10 * (i % 4)},{'fm'[i % 2]},{rng.choice(['a', 'b'])}" for i in range(120)]
    # everybody of 90 has the same
    path.write_text("\n".join(["age,sex,ill", *rows, *["90,f,a"] * K]) + "\n")
    return path


@pytest.mark.parametrize("method", [m for m in METHODS if m != "argus"])
def test_every_method_keeps_a_sensitive_variable_untold(people, method, capfd):
    asked = ["protect", people, "--key", "age,sex", "--k", K, "--method", method, "--out", "r"]
    asked += ["--sensitive", "ill", "--format", "csv", "--accept", "minimality"]
    assert run([str(word) for word in asked]) == 0
    assert json.loads(Path("r/certificate.json").read_text())["promise"]["sensitive"] == ["ill"]
    told: dict[str, set[str]] = {}
    for line in Path("r/data.csv").read_text().splitlines()[1:]:
        age, sex, ill = line.split(",")
        told.setdefault(f"{age},{sex}", set()).add(ill)
    assert not any(values in ({"a"}, {"b"}) for values in told.values())


def test_a_reservation_that_there_is_none_of_cannot_be_accepted(people, capfd):
    asked = ["protect", str(people), "--key", "age,sex", "--k", str(K), "--method", "mondrian"]
    assert run([*asked, "--out", "r", "--accept", "househods"]) == 2
    assert "Did you mean 'households'?" in capfd.readouterr().err
    project = people.with_name("p.toml")
    project.write_text(
        '[data]\nfile = "people.csv"\n[release]\nkey = ["age", "sex"]\nk = 3\n'
        'method = "mondrian"\nconfirmed = true\naccept = ["househods"]\nout = "r"\n'
    )
    assert run(["run", str(project)]) == 2
    assert "no reservation 'househods'" in capfd.readouterr().err
    with (
        indistinct.open_data(project) as data,
        pytest.raises(indistinct.InputError, match="househ"),
    ):
        data.release("r", data.protect(method="mondrian", seed=1))
    assert not Path("r").exists()


@pytest.mark.parametrize("folder", [".", "..", "/", "x/.."])
def test_a_folder_in_use_is_not_written_anew(people, folder, capfd):
    asked = ["protect", str(people), "--key", "age,sex", "--k", str(K), "--method", "mondrian"]
    before = sorted(people.parent.iterdir())
    assert run([*asked, "--out", folder]) == 2
    assert "in use" in capfd.readouterr().err
    assert sorted(people.parent.iterdir()) == before


def test_a_distribution_is_used_or_refused(people, capfd):
    asked = ["risk", str(people), "--key", "age,sex", "--fraction", "0.5", "--json"]
    assert run([*asked, "--distribution", "gamma"]) == 2
    assert "would be ignored" in capfd.readouterr().err
    assert run([*asked, "--distribution", "gamma", "--model", "main"]) == 0
