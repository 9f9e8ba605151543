"""Project files: what they may say, and every mistake with its line."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.options.tomltext import toml_value
from indistinct.project import Declared, Project, load_project, read_project
from indistinct.project.builders import KINDS
from indistinct.project.method import settings_of_methods
from indistinct.project.model import Data, EngineSettings, Release

PAGE = Path(__file__).resolve().parents[2] / "docs" / "methods" / "project-file.md"

GOOD = """
[data]
file = "people.csv"
delimiter = ";"
encoding = "latin-1"
decimal = ","

[variables.age]
role = "key"
level = "numeric"
label = "Age in years"
missing = [999, [-9, -1]]
hierarchy = { kind = "intervals", widths = [5, 10, 20], top = 85 }

[variables."Marital Status"]
role = "key"
labels = { 1 = "single", 2 = "married" }
categories = [1, 2]
public_if = "on_register"
hierarchy = "marital.csv"

[variables.job]
hierarchy = { kind = "codes", keep = [3, 1] }
[variables.born]
hierarchy = { kind = "dates", levels = ["month", "year"] }

[release]
k = 5
key = ["age", "Marital Status"]
missing = "wildcard"
hierarchies = "."
out = "release"
format = "csv"
seed = 7
purpose = "teaching"
recipient = "a school"
access = "semi-public"
holder = "an office"

[engine]
name = "spark"
memory = "2GB"
threads = 2
master = "local[2]"
"""


@pytest.fixture
def write(tmp_path):
    (tmp_path / "people.csv").write_text("age\n1\n")
    (tmp_path / "marital.csv").write_text("1,*\n2,*\n")

    def write(text: str | bytes) -> Path:
        path = tmp_path / "release.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def mistakes(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_project(path)
    lines = str(caught.value).split("\n")
    assert all(line.startswith(str(path)) for line in lines)
    return [line.removeprefix(str(path) + ":") for line in lines]


def test_every_setting_is_read(write):
    path = write(GOOD)
    project = load_project(path)
    assert project.data == Data(path.parent / "people.csv", None, ";", "latin-1", ",")
    assert project.variables["age"].missing == (999, (-9, -1))
    assert project.variables["Marital Status"].labels == {"1": "single", "2": "married"}
    assert project.variables["Marital Status"].categories == (1, 2)
    assert project.variables["Marital Status"].hierarchy.options == {
        "file": path.parent / "marital.csv"
    }
    assert project.release == Release(
        k=5,
        key=("age", "Marital Status"),
        missing="wildcard",
        hierarchies=path.parent,
        out=path.parent / "release",
        format="csv",
        seed=7,
        purpose="teaching",
        recipient="a school",
        access="semi-public",
        holder="an office",
    )
    assert project.engine == EngineSettings("spark", "2GB", 2, "local[2]")
    assert project.public_if(["age", "Marital Status"]) == {"Marital Status": "on_register"}
    assert "k = 5" in str(project)


def test_a_byte_order_mark_and_windows_lines_are_fine(write):
    path = write(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load_project(path).release.k == 5


def test_all_mistakes_are_told_at_once_in_the_order_of_their_lines(write):
    found = mistakes(
        write(
            """[data]
file = "peple.csv"
delimter = ";"
[variables.age]
role = "kye"
level = 3
[variables.w1]
role = "weight"
[variables.w2]
role = "weight"
hierarchy = { kind = "intervals", widths = [5, 7] }
[relase]
k = 3
[release]
k = 1
at_most = 2
key = [
  "age",
  "aeg",
  "w1",
  "age",
]
missing = "any"
[engine]
memory = "2 elephants"
threads = 0
master = "local[9]"
"""
        )
    )
    lines = [int(line.split(":")[0]) for line in found]
    assert lines == [2, 3, 5, 6, 10, 11, 12, 15, 19, 20, 21, 23, 25, 26, 27]
    text = "\n".join(found)
    assert "Did you mean 'people.csv'?" in found[0]
    assert "[data] has no setting 'delimter'. Did you mean 'delimiter'?" in found[1]
    assert "[variables.age] role must be one of identifier, key" in found[2]
    assert "Got \"kye\". Did you mean 'key'?" in found[2]
    assert "Got 3." in found[3]
    assert "'w1' is the weight already" in found[4]
    assert "multiple" in found[5] or "nest" in found[5]
    assert "there is no section [relase]. Did you mean 'release'?" in found[6]
    assert "k must be a whole number of at least 2. Got 1." in found[7]
    assert "key names 'aeg', which has no section [variables.aeg]. Did you mean 'age'?" in text
    assert "whose role is weight" in found[9]
    assert 'item 4 is there twice: "age"' in found[10]
    assert 'missing must be one of own, wildcard. Got "any".' in text
    assert "memory must be a size" in text
    assert "threads must be a whole number of at least 1. Got 0." in text
    assert 'master is only for name = "spark"' in text


def test_k_and_at_most_exclude_each_other(write):
    (found,) = mistakes(write('[data]\nfile="people.csv"\n[release]\nk = 3\nat_most = 2\n'))
    assert found.startswith("5: [release] has both k and at_most.")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[data]\nfile = people.csv\n", 2, "Text needs quotes"),
        ('[data]\nfile = "a"\nfile = "b"\n', 3, "twice"),
        ('[data]\nfile = "C:\\data"\n', 2, "single quotes"),
        ("[data\n", 1, "not valid TOML"),
        ("[data]\nfile = 'x'\n[data]\n", 3, "join them"),
        ('[data]\nfile = "x', 2, "not valid TOML"),
        ("a b = 1\n", 1, "key = value"),
    ],
)
def test_a_syntax_error_has_its_line_and_a_hint(write, text, line, words):
    (found,) = mistakes(write(text))
    assert found.startswith(f"{line}: ")
    assert words in found


def test_text_that_is_not_utf8_has_its_line(write):
    (found,) = mistakes(write(b"[data]\nfile = '\xff'\n"))
    assert found.startswith("2: the text is not UTF-8")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "1: [data] needs file"),
        ("data = 3\n", "1: [data] must be a section"),
        ("variables = 3\n", "1: [variables.NAME] must be a section"),
        ("[variables]\nage = 3\n", "2: [variables.age] must be a section"),
        ("[[data]]\nfile = 'people.csv'\n", "1: [data] must be a section"),
        ("[data]\nfile = 3\n", "2: [data] file must be text in quotes. Got 3."),
        ("[data]\nfile = ''\n", "2: [data] file must be text"),
        ("[data]\nfile = 'no/such.csv'\n", "There is no folder"),
        (f"[data]\nfile = '{'x' * 5000}'\n", "must be a name that a file can have"),
        ("[data]\nfile = 'postgresql://u:secret@h/d'\n", "needs a query"),
        ("[data]\nfile = 'people.csv'\nquery = 'SELECT 1'\n", "3: [data] query is for a database"),
        ("[data]\nencoding = 'klingon'\n", "must be a character encoding"),
        ("[data]\nencoding = 8\n", "must be a character encoding"),
        ("[variables.a]\nmissing = [[9, 1]]\n", "2: [variables.a] missing, item 1 must be a range"),
        ("[variables.a]\nmissing = [true]\n", "must be a number or text"),
        ("[variables.a]\nmissing = []\n", "must be a list of codes"),
        ("[variables.a]\ncategories = 'x'\n", "must be a list of values"),
        ("[variables.a]\ncategories = [1,\n2,\n1]\n", "4: [variables.a] categories, item 3"),
        ("[variables.a]\nlabels = ['x']\n", "must be a table of values and labels"),
        ("[variables.a]\nlabels = { 1 = 2 }\n", "labels.1 must be text"),
        ("[variables.a]\nhierarchy = 3\n", "must be a file in quotes, or a table"),
        ("[variables.a]\nhierarchy = 'no.csv'\n", "names a file that does not exist"),
        ("[variables.a]\nhierarchy = { widths = [5] }\n", "hierarchy.kind must be one of"),
        ("[variables.a]\nhierarchy = { kind = 'interval' }\n", "Did you mean 'intervals'?"),
        (
            "[variables.a.hierarchy]\nkind='codes'\nkep=[1]\n",
            "3: [variables.a] hierarchy.kep is not",
        ),
        ("[variables.a]\nhierarchy = { kind = 'dates', levels = ['fortnight'] }\n", "fortnight"),
        ("[variables.a]\nhierarchy = { kind = 'codes', keep = [1, 3] }\n", "hierarchy: digits"),
        ("[variables.a]\nhierarchy = { kind = 'order' }\n", "needs values"),
        ("[variables.a]\nhierarchy = { kind = 'intervals', widths = ['x'] }\n", "must be a number"),
        ("[release]\nkey = 'age'\n", "must be a list of variable names"),
        ("[release]\nk = true\n", "k must be a whole number"),
        ("[release]\nk = 2.5\n", "k must be a whole number of at least 2. Got 2.5."),
        ("[release]\nhierarchies = 'none'\n", "hierarchies names a file that does not exist"),
        ("[release]\nformat = 'ods'\n", "format must be one of parquet, csv, stata, spss"),
        ("[release]\naccess = 'open'\n", "access must be one of private, semi-private"),
        ("[engine]\nname = 'duck'\n", "Did you mean 'duckdb'?"),
        ("[engine]\nmemory = [1]\n", "memory must be a size"),
    ],
)
def test_a_mistake_is_told(write, text, words):
    found = "\n".join(mistakes(write(text)))
    assert words in found
    assert "secret" not in found


SETTINGS = [
    (header, setting.name)
    for header, kind in [
        ("data", Data),
        ("variables.a", Declared),
        ("release", Release),
        ("engine", EngineSettings),
    ]
    for setting in fields(kind)
]
words = st.sampled_from(["key", "kind", "intervals", "codes", "dates", "order", "widths", "keep"])
scalars = st.one_of(st.text(max_size=5), words, st.integers(), st.floats(), st.booleans())
anything = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(words | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
builders = st.fixed_dictionaries(
    {"kind": st.sampled_from(list(KINDS))},
    optional={
        "widths": st.lists(st.floats() | st.integers(), max_size=3),
        "cuts": st.lists(st.lists(st.integers(-3, 9) | st.floats(), max_size=3), max_size=3),
        "top": st.floats() | st.integers(),
        "keep": st.lists(st.integers(-1, 5) | st.floats(), max_size=3),
        "levels": st.lists(st.integers() | st.text(max_size=4), max_size=3),
        "special": st.lists(scalars, max_size=2),
    },
)


@given(st.sampled_from(SETTINGS), anything | builders)
def test_whatever_a_setting_holds_is_taken_or_told_with_its_line(place, value):
    header, key = place
    text = f"[{header}]\n\n{key} = {toml_value(value)}\n"
    if header != "data" or key != "file":
        text += "\n[data]\nfile = '.'\n" if header != "data" else "\nfile = '.'\n"
    told = ""
    try:
        read_project(text, Path("release.toml"))
    except InputError as error:
        told = str(error)
    assert all(line.startswith("release.toml:") for line in told.split("\n") if told)
    assert not told or "release.toml:3: " in told


def test_a_key_needs_no_section_when_no_variable_has_one(write):
    project = load_project(write('[data]\nfile="people.csv"\n[release]\nkey=["age"]\n'))
    assert project.release.key == ("age",)


def test_a_project_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"There is no project file .*indistinct init"):
        load_project(tmp_path / "release.toml")
    with pytest.raises(InputError, match="is a directory"):
        load_project(tmp_path)


def test_every_section_and_setting_is_documented():
    page = PAGE.read_text(encoding="utf-8")
    for part in fields(Project):
        if "section" not in part.metadata:
            continue
        kind = part.metadata["section"]
        assert f"## `[{part.name}" in page
        body = page.split(f"## `[{part.name}")[1].split("\n## ")[0]
        meanings = {setting.name: setting.metadata.get("meaning") for setting in fields(kind)}
        if part.name == "method":  # which methods declare
            meanings = {name: option.meaning for name, option in settings_of_methods().items()}
        for setting, meaning in meanings.items():
            assert f"| `{setting}` |" in body, f"{part.name}.{setting}"
            assert meaning
    assert fields(Declared)
    assert "relaxed" in settings_of_methods()
