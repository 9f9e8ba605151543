"""One way in: whatever is read is a regular file, bounded unless it is data, and within reach.

Over every verb and every option that names something to read, found from the verbs' declarations;
over every setting of a project file that names a path, found from its model; and over the whole
source, which has no other way to read than the doors.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from verbs import PLACES, World, needed, options

import indistinct
from indistinct.cli import run
from indistinct.cli.places import (
    DataPlace,
    HierarchyPlace,
    InputFile,
    LettersPlace,
    ProjectFile,
    ReleasePlace,
    WordOrFile,
    WorkbenchPlace,
)
from indistinct.core import doors
from indistinct.core.errors import InputError
from indistinct.project import Project, load_project
from indistinct.project.builders import HierarchyBuilder
from indistinct.protect import Plan
from indistinct.release import SigningKey

PACKAGE = Path(indistinct.__file__).parent
READ = (
    DataPlace,
    InputFile,
    HierarchyPlace,
    LettersPlace,
    ProjectFile,
    ReleasePlace,
    WordOrFile,
    WorkbenchPlace,
)


@contextmanager
def at_once() -> Iterator[None]:
    """Fail what waits for somebody."""

    def late(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(30)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def ending(verb: str, option: str) -> str:
    """Return an ending by which the thing is taken for what the option reads."""
    kind = PLACES[verb][option]
    if isinstance(kind, (ProjectFile, WordOrFile)):
        return ".toml"
    return ".csv" if isinstance(kind, (DataPlace, ReleasePlace)) else ".txt"


@pytest.mark.parametrize("what", ["pipe", "zeros", "full", "pipe in a folder", "long", "nothing"])
@pytest.mark.parametrize(("verb", "option"), options(*READ))
def test_what_is_no_file_is_refused_at_once(world, verb, option, what):
    kind = PLACES[verb][option]
    place = world.folder / f"odd{ending(verb, option)}"
    if what == "pipe":
        os.mkfifo(place)
    elif what in ("zeros", "full"):
        place.symlink_to("/dev/zero" if what == "zeros" else "/dev/full")
    elif what == "pipe in a folder":
        if not isinstance(kind, HierarchyPlace):
            return
        place = world.folder / "odd"
        place.mkdir()
        os.mkfifo(place / "age.csv")
    elif what == "long":
        place = world.folder / ("x" * 300 + ending(verb, option))
    with at_once():
        refused = world.tried(verb, **{**needed(verb, option, world), option: place})
    if isinstance(kind, LettersPlace) and what in ("pipe", "zeros", "full"):
        return  # a letter that cannot be read is withheld, and told with the others
    assert refused, f"{verb} reads {what} as --{option}"


@pytest.mark.parametrize("what", ["pipe", "zeros"])
def test_a_letter_that_is_no_file_is_withheld(tmp_path, monkeypatch, what, capfd):
    monkeypatch.chdir(tmp_path)
    Path("letters").mkdir()
    Path("letters/a.txt").write_text("Write to ann.lee@example.org or call.")
    if what == "pipe":
        os.mkfifo("letters/b.txt")
    else:
        Path("letters/b.txt").symlink_to("/dev/zero")
    with at_once():
        assert run(["scrub", "letters", "--out", "o", "--threads", "1", "--json"]) == 1
    assert json.loads(capfd.readouterr().out)["withheld"]


@pytest.mark.parametrize(("verb", "option"), options(ProjectFile))
def test_an_endless_project_is_refused(world, verb, option):
    place = world.folder / "endless.toml"
    with place.open("wb") as file:
        file.truncate(50_000_000_000)
    with at_once():
        refused = world.tried(verb, **{**needed(verb, option, world), option: place})
    assert "bytes" in refused


def test_what_is_no_data_is_bounded(tmp_path):
    endless = tmp_path / "endless.json"
    with endless.open("wb") as file:
        file.truncate(50_000_000_000)
    endless.chmod(0o600)
    for read in (Plan.load, SigningKey.load):
        with at_once(), pytest.raises(InputError):
            read(endless)
    with pytest.raises(InputError, match="more than 64,000,000 bytes"):
        doors.read_file(endless, "plan")


def settings_that_name_paths() -> list[tuple[str, str]]:
    """Return the sections and settings of a project file that hold a path."""
    found = []
    for section in fields(Project):
        kind = section.metadata.get("section")
        if kind is None or not hasattr(kind, "__dataclass_fields__"):
            continue
        hints = get_type_hints(kind)
        name = f"{section.name}.x" if section.metadata["named"] else section.name
        for one in fields(kind):
            if "check" in one.metadata and mentions_a_path(hints[one.name]):
                found.append((name, one.name))
    return found


def mentions_a_path(hint: Any) -> bool:
    return "Path" in str(hint) or HierarchyBuilder.__name__ in str(hint)


def written(section: str, name: str, value: str) -> str:
    """Return a project file with one path in it, as a text or in a list."""
    listed = name in ("registers", "earlier")
    shown = f'["{value}"]' if listed else f'"{value}"'
    if section == "data" and name != "file":
        return f'[data]\nfile = "people.csv"\n{name} = {shown}\n'
    own = "" if section == "data" else '[data]\nfile = "people.csv"\n'
    return f"{own}[{section}]\n{name} = {shown}\n"


def test_the_settings_are_found():
    found = settings_that_name_paths()
    assert ("data", "file") in found
    assert ("publish", "out") in found
    assert ("variables.x", "hierarchy") in found
    assert len(found) >= 13


@pytest.mark.parametrize("how", ["up", "absolute", "link", "link of a folder", "long", "pipe"])
@pytest.mark.parametrize(("section", "name"), settings_that_name_paths())
def test_a_project_reaches_its_own_folder(tmp_path, section, name, how):
    ending = ".toml" if name == "language" else ".csv"
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    for folder in (home, away):
        (folder / "people.csv").write_text("a\n1\n")
        (folder / f"there{ending}").write_text(
            "name,role\na,key\n" if name == "roles" else "a\n1\n"
        )
    (home / f"link{ending}").symlink_to(away / f"there{ending}")
    (home / "folder").symlink_to(away)
    os.mkfifo(home / f"pipe{ending}")
    value = {
        "up": f"../away/there{ending}",
        "absolute": str(away / f"there{ending}"),
        "link": f"link{ending}",
        "link of a folder": f"folder/there{ending}",
        "long": "x" * 300 + ending,
        "pipe": f"pipe{ending}",
    }[how]
    project = home / "release.toml"
    project.write_text(written(section, name, value))
    kept = name in ("out", "audit", "secret", "published")
    if how == "pipe" and kept:
        return  # refused when it is written
    with at_once(), pytest.raises(InputError) as refused:
        load_project(project)
    if how in ("long", "pipe"):
        return
    assert "leads out of the folder" in str(refused.value)
    with doors.watching():
        load_project(project, allow_outside=True)


def test_what_the_command_line_names_a_project_may_name(tmp_path, capfd):
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    (away / "people.csv").write_text("age,sex\n" + "1,m\n2,f\n" * 5)
    project = home / "release.toml"
    project.write_text('[data]\nfile = "../away/people.csv"\n[release]\nk = 2\n')
    asked = ["--key", "age,sex", "--json"]
    assert run(["uniques", str(project), *asked]) == 2
    assert "--allow-outside" in capfd.readouterr().err
    assert run(["uniques", str(project), "--allow-outside", *asked]) == 0
    data = ["--method", "suppress", "--out", str(tmp_path / "r")]
    command = ["protect", str(away / "people.csv"), "--project", str(project), *asked, *data]
    assert run(command) == 0


ELSEWHERE = {
    "database": (
        '[data]\nfile = "postgresql://ann:hidden@db.example/census"\nquery = "select 1"\n',
        "postgresql://ann@db.example/census",
    ),
    "cluster": (
        '[data]\nfile = "people.csv"\n[engine]\nname = "spark"\nmaster = "spark://x.example:1"\n',
        "spark://x.example:1",
    ),
}


@pytest.mark.parametrize("what", ELSEWHERE)
def test_a_project_reaches_no_other_machine(tmp_path, what):
    """A stranger's project would read a database by the holder's rights, or send records away."""
    content, told = ELSEWHERE[what]
    (tmp_path / "people.csv").write_text("a\n1\n")
    project = tmp_path / "release.toml"
    project.write_text(content)
    with pytest.raises(InputError, match=f"to {told}.*--allow-outside") as refused:
        load_project(project)
    assert "hidden" not in str(refused.value)
    with doors.watching() as watch:
        load_project(project, allow_outside=True)
        assert watch.outside == [told]


def test_a_database_that_the_command_line_names_a_project_may_name(tmp_path):
    project = tmp_path / "release.toml"
    project.write_text(ELSEWHERE["database"][0])
    with doors.watching() as watch:
        watch.note_named(Path("postgresql://ann:hidden@db.example/census"))
        load_project(project)
        assert watch.outside == []


def test_a_folder_for_temporary_files_is_not_named_to_be_read(tmp_path, capfd):
    (tmp_path / "home").mkdir()
    (tmp_path / "people.csv").write_text("age,sex\n" + "1,m\n2,f\n" * 5)
    project = tmp_path / "home" / "release.toml"
    project.write_text('[data]\nfile = "../people.csv"\n[release]\nk = 2\n')
    asked = ["--key", "age,sex", "--json", "--scratch", str(tmp_path)]
    assert run(["uniques", str(project), *asked]) == 2
    assert "--allow-outside" in capfd.readouterr().err


def test_what_was_read_outside_stands_in_the_ledger(tmp_path):
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    (away / "people.csv").write_text("age,sex\n" + "1,m\n2,f\n" * 5)
    project = home / "release.toml"
    project.write_text(
        '[data]\nfile = "../away/people.csv"\n[release]\nk = 2\nmethod = "suppress"\n'
        'confirmed = true\nout = "r"\n[variables.age]\nrole = "key"\n'
    )
    assert run(["run", str(project), "--allow-outside"]) in (0, 1)
    ledger = json.loads((home / "r" / "private" / "ledger.json").read_text())
    assert ledger["read_outside"] == [str(away / "people.csv")]


def test_a_plan_reaches_its_own_folder(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "known.csv").write_text("name\nAnn\n")
    plan = tmp_path / "home" / "plan.json"
    step = {"kind": "scrub-text", "columns": ["note"], "identities": "../known.csv"}
    plan.write_text(json.dumps({"version": 1, "steps": [step]}))
    with pytest.raises(InputError, match="leads out of the folder"):
        Plan.load(plan)


READING = set(
    "read_text read_bytes ParquetFile read_table read_schema read_metadata read_csv open_csv "
    "read_parquet read_json read_excel read_feather memory_map loadtxt genfromtxt fromfile".split()
)
OWN_GROUND = {
    "core/doors": "the door itself",
    "core/doorway.py": "a module of the package",
    "core/systems.py": "what the system says of memory, and what is put on the disk",
    "calls/calling.py": "its own `open`, which opens data",
    "files": "opens data that the door has let in (`check_data`), and its own copies of them",
    "engine": "reads the workspace's copies of data, and this machine's memory and costs",
    "scrub/columns.py": "reads the workspace's copy of a table",
    "scrub/on_spark.py": "reads parts in the workspace",
    "scrub/formats/zipped.py": "parts of a letter that the door has let in",
    "protect/steps/households/scramble.py": "parts of the records in the workspace",
    "protect/steps/scramble.py": "parts of the records in the workspace",
    "scrub/text/certainties.py": "a file of the package",
    "scrub/text/detectors/wellknown.py": "a file of the package",
    "scrub/text/detectors/organisations.py": "a file of the package",
    "knowledge": "files of the package",
    "hierarchy/foreign.py": "a project that the door has let in",
    "hierarchy/standards.py": "lists of the package",
    "release/report/words.py": "the English catalogue of the package",
    "release/report/html.py": "the template of the package",
    "release/report/pdf.py": "what the browser printed, in the workspace",
    "tables/argus/data.py": "a file that the door has let in",
    "demo": "what it has just made, in a folder that is written aside",
    "prove/examiners/metadata.py": "the released file, which the door has let in",
    "query/answering.py": "numbers of people, in the program's own workspace",
    "query/session.py": "a log that the door has opened",
    "release/origin.py": "a file that the door has let in",
    "scrub/text/tagger/model.py": "a file of the package",
    "workbench/app.py": "files of the package",
    "workbench/serving.py": "a browser, and no file",
    "workbench/store.py": "what the door has let in",
    "workbench/words.py": "the catalogues of the package",
    "tables/publishing/numbers.py": "a table of a folder that is written aside, read again",
}


def is_reading(call: ast.Call) -> bool:
    """Say whether a call opens or reads a file."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    value = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
    if name in READING:
        return isinstance(function, ast.Attribute)
    if name == "load" and value in ("np", "numpy", "json", "tomllib"):
        return True
    return name == "open" and value not in ("self", "project", "asked") and not is_for_writing(call)


def is_for_writing(call: ast.Call) -> bool:
    text = ast.unparse(call)
    return any(f"'{mode}" in text for mode in "wxa") or "O_WRONLY" in text or "O_RDWR" in text


def test_there_is_no_other_way_to_read():
    found = []
    for module in sorted(PACKAGE.rglob("*.py")):
        name = module.relative_to(PACKAGE).as_posix()
        if any(name == place or name.startswith(f"{place}/") for place in OWN_GROUND):
            continue
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.Call) and is_reading(node):
                found.append(f"{name}:{node.lineno} {ast.unparse(node)[:60]}")
    assert not found, f"read past the doors: {found}"


def test_the_list_of_own_ground_is_no_longer_than_it_must_be():
    for place in OWN_GROUND:
        modules = [PACKAGE / place] if place.endswith(".py") else (PACKAGE / place).rglob("*.py")
        calls = [n for m in modules for n in ast.walk(ast.parse(m.read_text()))]
        assert any(isinstance(node, ast.Call) and is_reading(node) for node in calls), place


def test_a_pipe_in_a_release_folder_holds_nobody_and_is_noticed(tmp_path):
    made, release = tmp_path / "made", tmp_path / "release"
    people = tmp_path / "people.csv"
    people.write_text("age,sex\n" + "1,m\n2,f\n" * 5)
    asked = ["--key", "age,sex", "--k", "2", "--method", "suppress", "--format", "csv"]
    assert run(["protect", str(people), *asked, "--out", str(made)]) == 0
    files = [path.relative_to(made) for path in sorted(made.rglob("*")) if path.is_file()]
    assert len(files) > 8
    for part in files:
        shutil.copytree(made, release)
        (release / part).unlink()
        os.mkfifo(release / part)
        with at_once():
            assert run(["verify", str(release)]) in (1, 2), part
            assert run(["report", str(release)]) in (1, 2), part
        shutil.rmtree(release)
