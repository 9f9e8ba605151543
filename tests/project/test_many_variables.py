"""Patterns of names, tables of roles and folded drafts: each says what the long form would say."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.core.variables import LEVELS, ROLES
from indistinct.engine import start_engine
from indistinct.files import open_data, open_table, workspace, write_data
from indistinct.naming import Guess
from indistinct.project import Draft, draft_project, load_project, read_project
from indistinct.project.folding import folded_lines
from indistinct.project.roles import COLUMNS


def project(text: str, folder: Path):
    return read_project(f'[data]\nfile = "."\n{text}', folder / "release.toml")


def opened(names, folder):
    return open_table({name: [1, 2] for name in names}, workspace=folder, origin="people")


def test_a_pattern_speaks_of_all_that_fit_and_the_more_exact_entry_holds(tmp_path):
    said = project(
        """[variables."*"]
role = "other"
[variables."income_*"]
role = "sensitive"
level = "numeric"
[variables."income_1?"]
level = "ordinal"
[variables.income_total]
role = "key"
""",
        tmp_path,
    )
    source = opened(["age", "income_1", "income_12", "income_total"], tmp_path)
    found = said.apply_to(source).variables
    assert [(v.role, v.level) for v in found.values()] == [
        ("other", "numeric"),
        ("sensitive", "numeric"),
        ("sensitive", "ordinal"),
        ("key", "numeric"),
    ]
    assert said.key(said.apply_to(source)) == ["income_total"]


def test_a_column_with_a_star_in_its_name_is_itself(tmp_path):
    said = project('[variables."a*"]\nrole = "key"\n[variables."[x]"]\nrole = "key"', tmp_path)
    found = said.apply_to(opened(["a*", "[x]", "x"], tmp_path)).variables
    assert [v.role for v in found.values()] == ["key", "key", "other"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '[variables."incme_*"]\nrole = "key"',
            'release.toml:3: [variables."incme_*"] fits no variable of people. Did you mean ',
        ),
        (
            '[variables."in*1"]\nrole = "key"\n[variables."i*_1"]\nrole = "other"',
            """[variables."in*1"] both fit 'income_1', and say different things of its role. Say """
            "it in [variables.income_1].",
        ),
        (
            '[variables."income_*"]\nrole = "weight"',
            """release.toml:4: [variables."income_*"] role: 'income_1' is the weight already, """
            "and 'income_2' would be a second.",
        ),
        (
            '[variables."income_*"]\nlabels = { x = "ex" }',
            'release.toml:4: [variables."income_*"] labels: "x" does not fit the column',
        ),
    ],
)
def test_patterns_that_are_mistakes_are_told(text, told, tmp_path):
    with pytest.raises(InputError) as caught:
        project(text, tmp_path).apply_to(opened(["age", "income_1", "income_2"], tmp_path))
    assert told in str(caught.value).replace(f"{tmp_path}/", "")


def test_a_pattern_is_known_to_the_key_the_contract_and_hierarchies(tmp_path):
    said = project(
        """[variables."place_*"]
role = "key"
highest_level = 1
hierarchy = { kind = "suppress" }
[release]
key = ["place_1"]
[contract]
could_link = ["place_1"]
""",
        tmp_path,
    )
    source = said.apply_to(opened(["place_1", "place_2"], tmp_path))
    assert said.of_variables("highest_level", ["place_1"]) == {"place_1": 1}
    assert said.hierarchies({"place_2": [1, 2]}, source)["place_2"].height == 1


names = st.text("ab_12*", min_size=1, max_size=5)
reasons = st.sampled_from(
    ["name says sex", "2 categories; neither name nor content says more: key"]
)
guesses = st.lists(
    st.builds(
        Guess,
        names,
        st.sampled_from([role for role in ROLES if role in ("key", "other", "sensitive")]),
        st.sampled_from(LEVELS[:2]),
        reasons,
        missing=st.sampled_from([(), ("NA",)]),
    ),
    min_size=1,
    max_size=40,
    unique_by=lambda guess: guess.name,
)


@given(guesses)
@settings(max_examples=60, deadline=None)
def test_a_folded_draft_says_of_every_variable_what_the_long_one_says(found):
    draft = Draft("people.csv", 10, tuple(found))
    with workspace() as folder:
        (folder / "people.csv").write_text("a\n1\n")
        long, short = (
            read_project(draft.to_toml(folded=folded), folder / "release.toml")
            for folded in (False, True)
        )
    for guess in found:
        said = short.variables[guess.name]
        assert (said.role, said.level) == (guess.role, guess.level)
        assert short.variables.at_odds(guess.name) is None
        if "*" not in "".join(one.name for one in found):
            assert said == long.variables[guess.name]
    lines = folded_lines(found)
    assert sum(len(line.guesses) for line in lines) == len(found)
    assert [line.is_sure for line in lines] == sorted(line.is_sure for line in lines)


def survey(folder: Path) -> Path:
    table = {f"q{i}": [i % 5 + 1, 2, 3, 4, 5, -9] * 20 for i in range(60)}
    table |= {f"v{i}": ["yes", "no", "YES" if i != 7 else "yes"] * 40 for i in range(60)}
    write_data(pa.table(table), folder / "survey.csv")
    return folder / "survey.csv"


@pytest.mark.parametrize("mend", [False, True])
def test_what_is_dirty_in_the_same_way_shares_a_line_too(mend, tmp_path):
    source = open_data(survey(tmp_path), workspace=tmp_path)
    with start_engine("duckdb", workspace=tmp_path, threads=1) as engine:
        draft = draft_project(engine, source, data_path=tmp_path / "survey.csv", mend=mend)
    text = draft.to_toml(folder=tmp_path)
    body = text[text.index("[variables]") :]
    assert '# "q*" = { role = "other", level = "ordinal", empty = [-9] }' in body.replace(
        'level = "nominal"', 'level = "ordinal"'
    )
    assert len(repr(draft).splitlines()) < 15
    found = [
        read_project(draft.to_toml(folder=tmp_path, folded=folded), tmp_path / "release.toml")
        for folded in (True, False)
    ]
    mended = [one.apply_to(source, workspace=tmp_path) for one in found]
    assert dict(mended[0].variables) == dict(mended[1].variables)
    assert mended[0].table().equals(mended[1].table())
    assert len(set(mended[0].table().column("v1").to_pylist())) == (2 if mend else 3)


def wide(folder: Path, columns: int = 300) -> Path:
    table = {"patient": range(60), "sex": ["m", "w"] * 30, "age": [i % 50 + 20 for i in range(60)]}
    table |= {f"q{i}": [i % 5 + 1, 2, 3] * 20 for i in range(columns - 63)}
    table |= {f"income_{i}": [1000 + 17 * j for j in range(60)] for i in range(60)}
    write_data(pa.table({n: pa.array(list(v)) for n, v in table.items()}), folder / "wide.csv")
    return folder / "wide.csv"


@pytest.fixture
def drafted(tmp_path):
    source = open_data(wide(tmp_path), workspace=tmp_path)
    with start_engine("duckdb", workspace=tmp_path, threads=1) as engine:
        yield draft_project(engine, source, data_path=tmp_path / "wide.csv"), source


def test_a_draft_of_three_hundred_variables_is_a_page_and_means_the_same(drafted, tmp_path):
    draft, source = drafted
    folded = draft.to_toml(folder=tmp_path)
    body = folded[folded.index("[variables]") :]
    assert len(body.splitlines()) < 40
    assert body.index('"q') < body.index("patient")  # what is unsure stands first
    assert "neither name nor content says more" in body
    assert len(repr(draft).splitlines()) < 20
    long = draft.to_toml(folder=tmp_path, folded=False)
    assert len(long.splitlines()) > 1000
    found = [
        read_project(text, tmp_path / "release.toml").apply_to(source).variables
        for text in (folded, long)
    ]
    assert dict(found[0]) == dict(found[1])


@pytest.mark.parametrize("name", ["roles.xlsx", "roles.csv"])
def test_a_table_of_roles_is_written_and_read_back(name, drafted, tmp_path):
    draft, source = drafted
    draft.write(tmp_path / "release.toml", roles=tmp_path / name)
    listed = open_data(tmp_path / name, workspace=tmp_path).table()
    assert tuple(listed.column_names) == COLUMNS
    rows = {row["name"]: row for row in listed.to_pylist()}
    assert set(rows) == set(source.variables)
    assert (rows["age"]["distinct"], rows["sex"]["certainty"]) == (50, "sure")
    assert listed.column("certainty").to_pylist() == ["unsure"] * 237 + ["sure"] * 63
    loaded = load_project(tmp_path / "release.toml")
    plain = read_project(draft.to_toml(folder=tmp_path, folded=False), tmp_path / "plain.toml")
    assert dict(loaded.apply_to(source).variables) == dict(plain.apply_to(source).variables)
    assert loaded.notes == ()


def roles_project(rows: str, folder: Path, more: str = ""):
    (folder / "roles.csv").write_text(rows)
    (folder / "people.csv").write_text("age,sex\n1,2\n")
    text = f'[data]\nfile = "people.csv"\nroles = "roles.csv"\n{more}'
    return read_project(text, folder / "release.toml")


def test_roles_that_were_changed_are_told_with_their_row_and_sections_go_before(tmp_path):
    said = roles_project(
        "name,role,guessed role,level,settings,remark\n"
        'age,key,other,,"trim = true\nempty = [-9]",mine\n'
        "\n"
        "sex,key,key,nominal,,\n",
        tmp_path,
        '[variables.sex]\nrole = "other"\n[variables."*"]\nlevel = "ordinal"\n',
    )
    assert said.notes == ("row 2 of roles.csv: the role of 'age' is key, guessed was other",)
    source = said.apply_to(
        open_data(tmp_path / "people.csv", workspace=tmp_path), workspace=tmp_path
    )
    age, sex = source.variables["age"], source.variables["sex"]
    assert (age.role, age.level, sex.role, sex.level) == ("key", "ordinal", "other", "nominal")
    assert said.variables["age"].empty == (-9,)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("name,role\nage,kye\n", "row 2 of roles.csv: role must be one of identifier, key,"),
        ("name,role\nage,kye\n", """Got "kye". Did you mean 'key'?"""),
        ("name,role\nage,key\nage,other\n", "row 3 of roles.csv: 'age' is there twice"),
        ("name,role\n,key\n", "row 2 of roles.csv: the line has no name"),
        ("name,kind\nage,key\n", "roles.csv needs the columns name and role"),
        ("name,role,settings\nage,key,fold yes\n", "row 2 of roles.csv: settings are written as"),
        ("name,role,settings\nage,key,fodl = true\n", "row 2 of roles.csv: there is no setting"),
        ("name,role,hierarchy\nage,key,no.csv\n", "row 2 of roles.csv: hierarchy"),
    ],
)
def test_mistakes_in_a_table_of_roles_are_told_with_their_row(rows, told, tmp_path):
    with pytest.raises(InputError) as caught:
        roles_project(rows, tmp_path)
    assert told in str(caught.value)


def test_a_line_for_a_variable_that_is_not_there_is_told_with_its_row(tmp_path):
    said = roles_project("name,role\nage,key\nsxe,key\n", tmp_path)
    with pytest.raises(InputError) as caught:
        said.apply_to(open_data(tmp_path / "people.csv", workspace=tmp_path))
    assert "row 3 of roles.csv" in str(caught.value)
    assert "There is no variable 'sxe'. Did you mean 'sex'?" in str(caught.value)


@pytest.mark.parametrize("name", ["roles.xlsx", "roles.csv"])
def test_no_cell_of_a_table_of_roles_runs(name, tmp_path):
    evil = ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3"]
    guessed = tuple(Guess(one, "other", "nominal", "no values", one) for one in evil)
    draft = Draft(str(tmp_path / "people.csv"), 1, guessed)
    draft.write(tmp_path / "release.toml", roles=tmp_path / name)
    if name.endswith(".csv"):
        cells = (tmp_path / name).read_text().replace('"', "").replace("\n", ",").split(",")
        assert not [cell for cell in cells if cell[:1] in ("=", "@", "+", "-")]
    else:
        with zipfile.ZipFile(tmp_path / name) as book:
            sheet = book.read("xl/worksheets/sheet1.xml").decode()
        assert "<f>" not in sheet
    (tmp_path / "people.csv").write_text("a\n1\n")
    assert list(load_project(tmp_path / "release.toml").variables) == evil
