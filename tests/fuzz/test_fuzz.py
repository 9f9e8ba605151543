"""What strangers give: whatever it is, no fault, no leak, nothing harmed, nothing half done.

The laws are in `fuzz_running`. A failure shows the command and, where a file was drawn, its bytes.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from fuzz_commands import GOOD, commands, verbs
from fuzz_files import csv_bytes, spoil, spoilt
from fuzz_place import COLUMNS, DATA_FILES, PROJECT, make_place
from fuzz_running import Place, Runner, broken_laws, cases
from fuzz_structures import changed, toml_text
from fuzz_values import OUTPUTS, PATHS, hostile_json
from hypothesis import given, note
from hypothesis import strategies as st

from indistinct.project import Project

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def runner(tmp_path_factory) -> Iterator[Runner]:
    folder = tmp_path_factory.mktemp("fuzz")
    place = Place(make_place(folder / "pristine"), folder / "place")
    runner = Runner(place, folder / "scratch")
    yield runner
    runner.close()


def holds(runner: Runner, arguments: list[str]) -> None:
    broken = broken_laws(runner, arguments)
    note(f"indistinct {arguments!r}")
    assert not broken, (arguments, broken)


def with_file(runner: Runner, name: str, content: bytes, arguments: list[str]) -> None:
    path = runner.place.folder / "work" / name
    path.write_bytes(content)
    try:
        holds(runner, arguments)
    finally:
        note(repr(content[:2000]))
        path.unlink(missing_ok=True)


def test_every_verb_has_a_command_that_is_taken(runner):
    assert set(GOOD) == set(verbs())
    for verb, arguments in GOOD.items():
        if verb == "demo":
            continue  # which takes half a minute, and has tests of its own
        answer = runner.run([verb, *arguments])
        runner.place.restore()
        assert answer.code in (0, 1), (verb, answer.err)


@cases(340)
@given(command=commands())
def test_options(runner, command):
    holds(runner, command)


OVER_DATA = [verb for verb, words in GOOD.items() if words[0] == "people.csv"]


@cases(100)
@given(raw=csv_bytes(), verb=st.sampled_from(OVER_DATA))
def test_files_that_are_like_csv(runner, raw, verb):
    with_file(runner, "drawn.csv", raw, [verb, "drawn.csv", *GOOD[verb][1:]])


@cases(160)
@given(name=st.sampled_from(DATA_FILES), how=spoilt(), verb=st.sampled_from(OVER_DATA))
def test_files_that_were_spoilt(runner, name, how, verb):
    raw = spoil((runner.place.folder / "work" / name).read_bytes(), how)
    drawn = f"drawn{Path(name).suffix}"
    with_file(runner, drawn, raw, [verb, drawn, *GOOD[verb][1:]])


@cases(40)
@given(how=spoilt(), kind=st.sampled_from(["letters.jsonl", "letters/0.txt"]))
def test_letters_that_were_spoilt(runner, how, kind):
    raw = spoil((runner.place.folder / "work" / kind).read_bytes(), how)
    drawn = f"drawn{Path(kind).suffix}"
    with_file(runner, drawn, raw, ["scrub", drawn, "--out", "new"])


def settings_of(section: Any) -> list[str]:
    """Return the settings of a section of the project file, as its model declares them."""
    return [field.name for field in fields(section)]


SECTIONS = {field.name: field.metadata for field in fields(Project) if "section" in field.metadata}
PLAUSIBLE = st.one_of(
    st.sampled_from([*COLUMNS, *PATHS[:-4], *OUTPUTS]),
    st.sampled_from(["datafly", "k-similar", "shuffle", "encrypt", "steps", "csv", "key",
                     "identifier", "parquet", "round", "swap", "suppress", "public", "blank"]),
    st.integers(0, 9), st.floats(0, 1), st.booleans(),
    st.lists(st.sampled_from(COLUMNS), max_size=3),
)  # fmt: skip


@st.composite
def drawn_sections(draw: st.DrawFn) -> dict[str, Any]:
    content: dict[str, Any] = {"data": {"file": "people.csv"}} if draw(st.integers(0, 9)) else {}
    for name in draw(st.lists(st.sampled_from(sorted(SECTIONS)), max_size=4, unique=True)):
        about = SECTIONS[name]
        declared = settings_of(about["section"]) or ["kind"]
        part = st.dictionaries(
            st.sampled_from(declared), st.one_of(PLAUSIBLE, PLAUSIBLE, hostile_json()), max_size=5
        )
        if about["named"]:
            part = st.dictionaries(st.sampled_from([*COLUMNS, "", "x"]), part, max_size=3)
        content[name] = draw(st.one_of(part, part, part, hostile_json()))
    return content


BY_PROJECT = ["run", "uniques", "risk", "protect", "tables", "scrub"]


def by_project(verb: str) -> list[str]:
    besides = {"protect": ["--method", "datafly", "--out", "new"], "run": ["--out", "new"],
               "scrub": ["--out", "new"]}  # fmt: skip
    return [verb, "drawn.toml", *besides.get(verb, [])]


@cases(100)
@given(content=drawn_sections(), verb=st.sampled_from(BY_PROJECT))
def test_project_files_of_any_settings(runner, content, verb):
    with_file(runner, "drawn.toml", toml_text(content).encode(), by_project(verb))


@cases(100)
@given(content=changed(tomllib.loads(PROJECT)), verb=st.sampled_from(BY_PROJECT))
def test_project_files_that_were_changed(runner, content, verb):
    with_file(runner, "drawn.toml", toml_text(content).encode(), by_project(verb))


@cases(40)
@given(how=spoilt(), verb=st.sampled_from(BY_PROJECT))
def test_project_files_that_were_spoilt(runner, how, verb):
    with_file(runner, "drawn.toml", spoil(PROJECT.encode(), how), by_project(verb))


REPLAYED = ["protect", "people.csv", "--plan", "drawn.json", "--key", "age,sex,zip", "--k", "3",
            "--out", "new"]  # fmt: skip


@cases(100)
@given(data=st.data())
def test_plans_that_were_changed(runner, data):
    plan = json.loads((runner.place.folder / "work" / "plan.json").read_bytes())
    content = data.draw(changed(plan))
    with_file(runner, "drawn.json", json.dumps(content).encode(), REPLAYED)


@cases(30)
@given(how=spoilt())
def test_plans_that_were_spoilt(runner, how):
    raw = (runner.place.folder / "work" / "plan.json").read_bytes()
    with_file(runner, "drawn.json", spoil(raw, how), REPLAYED)
