"""One file is enough for a method, an option, a step, a detector, a result, an examiner, a section.

The files are the examples of CONTRIBUTING.md: each is put into a folder that the package looks
into as well, and found there as if it stood in the package.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from pyarrow import csv
from small_data import open_small, shared_engine

import indistinct
from indistinct.cli import app, run
from indistinct.core.errors import InputError
from indistinct.files import open_table
from indistinct.options import Option, a_whole_number, known_methods, methods, register_method
from indistinct.protect import Plan, step
from indistinct.prove import Promise, Trial, check_codes, judge
from indistinct.prove.examiners import every as examiners
from indistinct.release.report import build_document, load_words, read_release
from indistinct.release.report.sections import every as sections
from indistinct.scrub import Letters
from indistinct.scrub.formats.every import all_formats
from indistinct.scrub.text.detectors._every import all_detectors
from indistinct.scrub.text.finding import Finder

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = re.compile(r"```python\n# src/(indistinct/\S+)/(\w+)\.py\n(.*?)```", re.DOTALL)
EXAMPLES = {
    name: (folder.replace("/", "."), text)
    for folder, name, text in EXAMPLE.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
}
"""The package of each example, and what is in the file."""

REGISTRIES = (methods._METHODS, step._KINDS, examiners._EXAMINERS, sections._SECTIONS)
ASKED = ["--key", "age,sex", "--k", "2", "--out", "r", "--json"]
Add = Callable[[str], ModuleType]


@pytest.fixture
def add(tmp_path, monkeypatch) -> Iterator[Add]:
    """Put an example where its package looks, and forget it afterwards."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age,sex\n" + "30,m\n30,f\n41,m\n" * 4)
    known_methods(), step.step_kinds(), examiners.all_examiners(), sections.all_sections()
    before = [dict(registry) for registry in REGISTRIES]
    added: list[str] = []

    def add(name: str) -> ModuleType:
        package, text = EXAMPLES[name]
        folder = tmp_path / "added" / package
        folder.mkdir(parents=True)
        (folder / f"{name}.py").write_text(text, "utf-8")
        room = importlib.import_module(package)
        monkeypatch.setattr(room, "__path__", [*room.__path__, str(folder)])
        added.append(f"{package}.{name}")
        _forget_what_is_kept()
        return room

    yield add
    monkeypatch.undo()
    for name in added:
        sys.modules.pop(name, None)
        vars(sys.modules[name.rpartition(".")[0]]).pop(name.rpartition(".")[2], None)
    for registry, known in zip(REGISTRIES, before, strict=True):
        registry.clear()
        registry.update(known)
    _forget_what_is_kept()
    if "indistinct.protect.methods.leave_first" in added:
        _load_protect_anew()


def _forget_what_is_kept() -> None:
    all_detectors.cache_clear()
    all_formats.cache_clear()
    step.step_kinds.cache_clear()


@pytest.fixture
def leave_first(add) -> None:
    add("leave_first")
    _load_protect_anew()


def _load_protect_anew() -> None:
    """The verb takes its options from the methods when it is loaded."""
    importlib.reload(importlib.import_module("indistinct.cli.protect"))
    app._command.cache_clear()


def _left(capfd) -> int:
    return int(json.loads(capfd.readouterr().out)["records_out"])


def test_there_is_an_example_of_each():
    folders = {package.removeprefix("indistinct.") for package, _ in EXAMPLES.values()}
    assert folders == {
        "protect.methods",
        "protect.steps",
        "scrub.text.detectors",
        "scrub.formats",
        "risk",
        "prove.examiners",
        "release.report.sections",
    }


def test_a_step_in_a_plan_and_in_a_project_file(add, capfd, tmp_path):
    add("halve")
    plan = Plan.from_dict({"version": 1, "steps": [{"kind": "halve", "variable": "age"}]})
    assert plan.steps[0].describe() == "halve age"
    with open_small({"age": [30, 41, None]}) as data:
        changed, receipt = plan.steps[0].apply(data.engine, data.source, step.Context())
        assert changed.table()["age"].to_pylist() == [15, 20, None]
        assert receipt.to_dict()["cells_changed"] == {"age": 2}
    (tmp_path / "release.toml").write_text(
        '[data]\nfile = "people.csv"\n[release]\nkey = ["age", "sex"]\nk = 2\nout = "r"\n'
        'method = "steps"\naccept = ["key-not-confirmed", "perturbed", "people-not-said"]\n'
        '[steps.ages]\nkind = "halve"\nvariable = "age"\n'
    )
    assert run(["run", "release.toml", "--json"]) in (0, 1)
    assert _left(capfd) == 12
    halved = csv.read_csv(tmp_path / "r" / "data.csv")["age"]
    assert {int(age) for age in halved.to_pylist()} == {15, 20}


def test_a_detector_is_heard_by_the_board(add):
    text = "His bag is in locker QX-417 until Monday."
    assert not [span for span in Finder().find(text) if span.detector == "lockers"]
    add("lockers")
    found = [span for span in Finder().find(text) if span.detector == "lockers"]
    assert [text[span.start : span.end] for span in found] == ["QX-417"]


def test_a_kind_of_letters_is_read(add, tmp_path):
    (tmp_path / "a.memo").write_text("***Mrs. Rosalind Halden called.")
    add("memo")
    (letter,) = Letters([tmp_path / "a.memo"]).documents()
    assert (letter.text, letter.form) == ("Mrs. Rosalind Halden called.\n", "memo")


def test_a_result_shows_itself(add):
    with open_small({"age": [30, 30, 41], "sex": ["f", "f", "m"]}) as data:
        found = add("rarest").rarest.find_rarest(data.engine, data.source, ("age", "sex"))
    assert found.to_dict() == {"key": ["age", "sex"], "records": 3, "fewest": 1}
    assert repr(found).splitlines()[0] == "The rarest combination of age, sex"
    assert "in the smallest class" in found._repr_html_()
    assert found.to_frame()["in_the_smallest_class"].tolist() == [1]


def test_an_examiner_is_heard_by_the_judge(add):
    engine = shared_engine()
    release = open_table({"sex": ["f"] * 4}, workspace=engine.workspace)
    trial = Trial(engine, release, Promise(key=("sex",), k=2))
    with pytest.raises(InputError, match="no reservation 'few-records'"):
        check_codes(["few-records"])
    add("few")
    check_codes(["few-records"])
    assert [one.code for one in judge(trial).reservations] == ["few-records"]


def test_a_section_is_in_the_report(add, capfd, tmp_path):
    asked = ["--key", "sex", "--k", "2", "--keep", "age", "--out", "r", "--method", "suppress"]
    assert run(["protect", "people.csv", *asked]) in (0, 1)
    add("folder_name")
    facts = read_release(tmp_path / "r")
    written = {one.name: one for one in build_document(facts, load_words()).sections}
    names = list(written)
    assert names.index("reproducing") < names.index("folder_name") < names.index("signing")
    said = written["folder_name"].pieces[0]
    assert said.text == f"The folder of this release is called {facts.name}."


def test_a_method_from_the_command_line(leave_first, capfd):
    assert run(["protect", "people.csv", "--method", "leave-first", "--toyness", "3", *ASKED]) == 0
    assert _left(capfd) == 9
    assert run(["protect", "--help", "leave-first"]) == 0
    shown = capfd.readouterr().out
    assert "--toyness <int>  How many records are left out." in shown
    assert "--relaxed" not in shown


def test_a_method_from_a_project_file(leave_first, capfd, tmp_path):
    text = '[data]\nfile = "people.csv"\n[release]\nkey = ["age", "sex"]\nk = 2\nout = "r"\n'
    text += 'confirmed = true\nmethod = "leave-first"\n[method]\ntoyness = {}\n'
    (tmp_path / "release.toml").write_text(text.format(3))
    assert run(["run", "release.toml", "--json"]) == 0
    assert _left(capfd) == 9
    (tmp_path / "release.toml").write_text(text.format(0))
    assert run(["run", "release.toml"]) == 2
    said = "release.toml:10: [method] toyness must be a whole number of at least 1. Got 0."
    assert said in capfd.readouterr().err


def test_a_method_from_python(leave_first):
    with indistinct.open_data("people.csv") as data:
        done = data.protect(["age", "sex"], method="leave-first", k=2, toyness=3, seed=1)
        assert done.source.records == 9
        with pytest.raises(InputError, match="toyness must be a whole number"):
            data.protect(["age", "sex"], method="leave-first", k=2, toyness="3", seed=1)


def test_another_method_does_not_know_its_option(leave_first, capfd, tmp_path):
    assert run(["protect", "people.csv", "--method", "suppress", "--toyness", "3", *ASKED]) == 2
    assert "'suppress' does not know --toyness; 'leave-first' does." in capfd.readouterr().err
    (tmp_path / "release.toml").write_text(
        '[data]\nfile = "people.csv"\n[release]\nmethod = "suppress"\n[method]\ntoyness = 3\n'
    )
    assert run(["uniques", "release.toml", "--key", "age"]) == 2
    said = "release.toml:6: [method] toyness: 'suppress' does not know it; 'leave-first' does."
    assert said in capfd.readouterr().err
    with indistinct.open_data("people.csv") as data, pytest.raises(InputError) as refused:
        data.protect(["age", "sex"], method="suppress", k=2, toyness=3)
    assert "'suppress' does not know the option toyness; 'leave-first' does." in str(refused.value)


def test_two_options_are_not_typed_alike(leave_first):
    other: Option[int | None] = Option("toyness", a_whole_number(1), "something else")
    with pytest.raises(ValueError, match="--toyness of 'other'"):
        register_method("other", "is refused", options=(other,))(lambda records, asked: None)


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
