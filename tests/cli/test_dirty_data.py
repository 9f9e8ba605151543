"""Dirty data at the terminal: told by `init`, noted by the verbs that count, mended as drafted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from indistinct.cli import run

KEY = ["--key", "sex,town"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    towns = ["Paris", "Paris", "Lyon", "PARIS"]
    lines = [f"{i},{'mw'[i % 2]},{towns[i % 4]},{i % 5 + 1}" for i in range(120)]
    lines[7] = "7,Weiblich,Lyon,2"
    lines[9] = "9,Zebulon,Lyon,2"
    lines.append(lines[5])
    (tmp_path / "people.csv").write_text("\n".join(["patient,sex,town,score", *lines]) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capfd, *command, code=0) -> tuple[str, str]:
    assert run(list(map(str, command))) == code
    told = capfd.readouterr()
    return " ".join(told.out.split()), " ".join(told.err.split())


def test_init_tells_what_is_dirty_and_drafts_the_lines(folder, capfd):
    out, _ = said(capfd, "init", "people.csv")
    assert "29 records differ from others in capital letters or blanks alone" in out
    assert "weiblich" in out.lower()
    assert "same_twice" in out
    draft = (folder / "release.toml").read_text()
    assert "# fold = true" in draft
    assert '# same_twice = "patient"' in draft
    assert "Zebulon" not in draft + out


def test_init_as_json_has_every_finding_with_its_settings(folder, capfd):
    out, _ = said(capfd, "init", "people.csv", "--json", "--as", "roles.csv")
    found = json.loads(out)
    assert found["roles"] == "roles.csv"
    kinds = {(one["variable"], one["kind"]): one for one in found["dirt"]}
    assert kinds["town", "spelling"]["records"] == 29
    assert kinds["town", "spelling"]["settings"] == {"fold": True}
    assert kinds["patient", "same record twice"]["section"] == "[data]"
    assert Path("roles.csv").is_file()
    assert said(capfd, "init", "people.csv", "--as", "roles.csv", "--out", "b.toml", code=2)


@pytest.mark.parametrize("table", [[], ["--as", "roles.xlsx"]])
def test_what_init_mends_is_counted_mended(table, folder, capfd):
    said(capfd, "init", "people.csv", "--mend", *table)
    out, err = said(capfd, "uniques", "release.toml", "--json", *KEY)
    assert json.loads(out)["records"] == 120
    assert json.loads(out)["classes"] == 5  # two sexes, two towns, and one who has neither
    assert "note: town" not in err
    assert "note: patient" not in err


@pytest.mark.parametrize(
    "command",
    [
        ["uniques", "people.csv", *KEY, "--json"],
        ["risk", "people.csv", *KEY, "--fraction", "0.1", "--json"],
        ["protect", "people.csv", *KEY, "--k", "2", "--method", "suppress", "--out", "r", "--json"],
    ],
)
def test_verbs_note_what_is_dirty_beside_their_answer(command, folder, capfd):
    run(command)
    told = capfd.readouterr()
    json.loads(told.out)
    err = " ".join(told.err.split())
    assert "note: town: 29 records differ" in err
    assert "[variables.town] fold = true" in err
    assert "score" not in err
    assert "Zebulon" not in err


def test_run_notes_what_the_project_does_not_mend_and_roles_that_were_changed(folder, capfd):
    Path("roles.csv").write_text("name,role,guessed role\npatient,identifier,\nsex,key,other\n")
    Path("release.toml").write_text(
        '[data]\nfile = "people.csv"\nroles = "roles.csv"\nsame_twice = "patient"\n'
        '[variables.town]\nrole = "key"\nfold = true\n'
        '[release]\nk = 2\nmethod = "suppress"\nout = "r"\nconfirmed = true\n'
    )
    run(["run", "release.toml"])
    err = " ".join(capfd.readouterr().err.split())
    assert "row 3 of roles.csv: the role of 'sex' is key, guessed was other" in err
    assert "note: sex:" in err
    assert "note: town:" not in err
    assert "Zebulon" not in err
