"""A new method is one file: from it come its option on the command line, in [method] and in Python.

The toy of this file blanks the first records, as many as its option says.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator

import pytest

import indistinct
from indistinct.cli import app, run
from indistinct.core.errors import InputError
from indistinct.options import Option, a_whole_number, known_methods, methods, register_method
from indistinct.protect import Decision, Plan, Records, Request, SuppressRecords

TOYNESS: Option[int | None] = Option("toyness", a_whole_number(1), "how many records are left out")


def decide_toy(records: Records, asked: Request) -> Decision:
    step = SuppressRecords(tuple(range(asked[TOYNESS] or 1)))
    return Decision(Plan((step,)), promises=False)


@pytest.fixture
def toy(tmp_path, monkeypatch) -> Iterator[None]:
    """Register the toy, as loading its file would, and take it out again."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age,sex\n" + "30,m\n30,f\n41,m\n" * 4)
    known_methods()
    register_method("toy", "leaves out the first records", options=(TOYNESS,), climbs=False)(
        decide_toy
    )
    _load_protect_anew()
    yield
    del methods._METHODS["toy"]
    _load_protect_anew()


def _load_protect_anew() -> None:
    """The verb takes its options from the methods when it is loaded."""
    importlib.reload(importlib.import_module("indistinct.cli.protect"))
    app._command.cache_clear()


def _left(capfd) -> int:
    return int(json.loads(capfd.readouterr().out)["records_out"])


ASKED = ["--key", "age,sex", "--k", "2", "--out", "r", "--json"]


def test_from_the_command_line(toy, capfd):
    assert run(["protect", "people.csv", "--method", "toy", "--toyness", "3", *ASKED]) == 0
    assert _left(capfd) == 9
    assert run(["protect", "--help", "toy"]) == 0
    shown = capfd.readouterr().out
    assert "--toyness <int>  How many records are left out." in shown
    assert "--relaxed" not in shown


def test_from_a_project_file(toy, capfd, tmp_path):
    text = '[data]\nfile = "people.csv"\n[release]\nkey = ["age", "sex"]\nk = 2\nout = "r"\n'
    text += 'confirmed = true\nmethod = "toy"\n[method]\ntoyness = {}\n'
    (tmp_path / "release.toml").write_text(text.format(3))
    assert run(["run", "release.toml", "--json"]) == 0
    assert _left(capfd) == 9
    (tmp_path / "release.toml").write_text(text.format(0))
    assert run(["run", "release.toml"]) == 2
    said = "release.toml:10: [method] toyness must be a whole number of at least 1. Got 0."
    assert said in capfd.readouterr().err


def test_from_python(toy):
    with indistinct.open_data("people.csv") as data:
        done = data.protect(["age", "sex"], method="toy", k=2, toyness=3, seed=1)
        assert done.source.records == 9
        with pytest.raises(InputError, match="toyness must be a whole number"):
            data.protect(["age", "sex"], method="toy", k=2, toyness="3", seed=1)


def test_another_method_does_not_know_its_option(toy, capfd, tmp_path):
    assert run(["protect", "people.csv", "--method", "suppress", "--toyness", "3", *ASKED]) == 2
    assert "'suppress' does not know --toyness; 'toy' does." in capfd.readouterr().err
    (tmp_path / "release.toml").write_text(
        '[data]\nfile = "people.csv"\n[release]\nmethod = "suppress"\n[method]\ntoyness = 3\n'
    )
    assert run(["uniques", "release.toml", "--key", "age"]) == 2
    said = "release.toml:6: [method] toyness: 'suppress' does not know it; 'toy' does."
    assert said in capfd.readouterr().err
    with indistinct.open_data("people.csv") as data, pytest.raises(InputError) as refused:
        data.protect(["age", "sex"], method="suppress", k=2, toyness=3)
    assert "'suppress' does not know the option toyness; 'toy' does." in str(refused.value)


def test_two_options_are_not_typed_alike(toy):
    other: Option[int | None] = Option("toyness", a_whole_number(1), "something else")
    with pytest.raises(ValueError, match="--toyness of 'other'"):
        register_method("other", "is refused", options=(other,))(decide_toy)


def test_every_method_says_what_it_does_and_promises():
    for method in known_methods().values():
        assert method.meaning
        assert method.promises
        assert all(option.meaning for option in method.options)


def test_what_an_option_says_of_a_project_file_is_there():
    from dataclasses import fields

    from indistinct.options import RELEASING, method_options
    from indistinct.project import Project

    sections = {part.name: part.metadata.get("section") for part in fields(Project)}
    for option in (*method_options(), *RELEASING.values()):
        if option.setting:
            section, _, name = option.setting.partition(".")
            assert name in {one.name for one in fields(sections[section])}, option.setting
