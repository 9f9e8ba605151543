"""Who names no method gets one that suits the file, and is told why."""

from __future__ import annotations

import itertools
import json
import random

import pytest

from indistinct.cli import run
from indistinct.core import InputError
from indistinct.options import known_method, known_methods, method_options
from indistinct.protect import usual_method

_EITHER = (True, False)
BY_FILE = [
    ("suppress", {"weighted": True}),
    ("suppress", {"weighted": True, "records": 50}),
    ("suppress", {}),
    ("local-recoding", {"several_records": True}),
    ("k-similar", {"records": 50}),
]


@pytest.mark.parametrize(("method", "file"), BY_FILE)
def test_the_method_follows_the_file(method, file):
    asked = {"records": 40_000, "weighted": False, "several_records": False, **file}
    assert usual_method(**asked).method == method


def test_every_pair_of_options_gets_a_method_that_knows_them_or_a_word():
    options = [option for option in method_options() if not option.for_all]
    for first, second in itertools.combinations_with_replacement(options, 2):
        names = {first.name, second.name}
        for records, weighted, several in itertools.product((5, 5_000), _EITHER, _EITHER):
            kind = {"records": records, "weighted": weighted, "several_records": several}
            knowing = [
                method
                for method in known_methods("generalising").values()
                if all(method.option(name) for name in names)
            ]
            if knowing:
                chosen = known_method(usual_method(**kind, options=names).method)
                assert all(chosen.option(name) for name in names)
            else:
                with pytest.raises(InputError, match="No method knows"):
                    usual_method(**kind, options=names)


def people(folder, records, *, weight=False):
    rng = random.Random(3)
    head = "age,sex,weight" if weight else "age,sex"
    lines = [
        f"{rng.randint(18, 60)},{rng.choice('mf')}{',1.5' if weight else ''}"
        for _ in range(records)
    ]
    (folder / "people.csv").write_text("\n".join([head, *lines]) + "\n")


def test_the_choice_is_said_and_written_down(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people(tmp_path, 300)
    command = ["protect", "people.csv", "--key", "age,sex", "--k", "3", "--json"]
    assert run([*command, "--out", "r"]) in (0, 1)
    captured = capsys.readouterr()
    assert json.loads(captured.out)["method"] == "k-similar"
    assert "method: k-similar, because the records are few" in captured.err
    assert run([*command, "--method", "k-similar", "--out", "s", "--seed", "1"]) in (0, 1)
    assert "because" not in capsys.readouterr().err


def test_a_project_without_a_method_gets_one_and_a_draft_names_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people(tmp_path, 300, weight=True)
    assert run(["init", "people.csv", "--out", "release.toml"]) == 0
    drafted = (tmp_path / "release.toml").read_text()
    assert 'method = "suppress"' in drafted
    assert "because the records have weights" in drafted
    (tmp_path / "release.toml").write_text(drafted.replace('method = "suppress"\n', ""))
    capsys.readouterr()
    assert run(["run", "release.toml"]) in (0, 1)
    assert "method: suppress, because the records have weights" in capsys.readouterr().err


@pytest.mark.parametrize("typed", ["5%", "0.05", " 5 % ", "15"])
def test_a_share_is_typed_as_people_write_it(typed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people(tmp_path, 300)
    command = ["protect", "people.csv", "--key", "age,sex", "--k", "3", "--method", "optimal"]
    assert run([*command, "--max-drop", typed, "--out", "r", "--json"]) in (0, 1)
    told = json.loads(capsys.readouterr().out)
    assert told["records_out"] >= 285
    (tmp_path / "release.toml").write_text(
        '[data]\nfile = "people.csv"\n[release]\nkey = ["age", "sex"]\nk = 3\nmethod = "optimal"\n'
        f'max_drop = "{typed}"\nout = "s"\n[variables.age]\n[variables.sex]\n'
    )
    assert run(["run", "release.toml", "--json"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["records_out"] == told["records_out"]


@pytest.mark.parametrize("typed", ["5x", "-1", "105%", "nan", "inf", "%", ""])
def test_a_share_that_is_none_is_told(typed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people(tmp_path, 20)
    command = ["protect", "people.csv", "--key", "age,sex", "--k", "3", "--method", "optimal"]
    assert run([*command, "--max-drop", typed, "--out", "r"]) == 2
    assert "--max-drop must be a number of records" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()
