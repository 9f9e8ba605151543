"""The sections of a project file that say who lives with whom and what cannot be."""

from __future__ import annotations

import pytest

from indistinct.core.errors import InputError
from indistinct.households import read_kinship
from indistinct.project import Household, load_project
from indistinct.rules import Rule, Rules

CSV = "id,kind,gender,years,state\n1,a,m,40,x\n1,b,f,39,x\n1,c,f,9,y\n"


def written(folder, text: str):
    (folder / "people.csv").write_text(CSV)
    path = folder / "release.toml"
    path.write_text(f'[data]\nfile = "people.csv"\n{text}')
    return path


FULL = """[household]
household = "id"
relationship = "kind"
sex = "gender"
age = "years"
head = ["a"]
spouse = ["b"]
child = ["c"]
[rules.young-mother]
impossible = "mother.years - years < 12"
reason = "a mother is older"
[rules."two heads"]
impossible = "count(kind == 'a') > 1"
"""


def test_sections_and_what_they_make(tmp_path):
    project = load_project(written(tmp_path, FULL))
    assert project.household.spouse == ("b",)
    assert project.rules == Rules(
        [
            Rule("young-mother", "mother.years - years < 12", "a mother is older"),
            Rule("two heads", "count(kind == 'a') > 1"),
        ]
    )
    source = project.open(tmp_path)
    columns = project.household_columns(source)
    assert (columns.head, columns.male, columns.female) == (("a",), ("m",), ("f",))
    kinship = read_kinship(source, columns)
    assert kinship.mother.tolist() == [-1, -1, 1]
    assert not project.rules.violations(project.rules.read(source), kinship).any.any()


def test_both_may_be_left_out(tmp_path):
    project = load_project(written(tmp_path, ""))
    assert project.household == Household()
    assert project.rules == Rules()
    source = project.open(tmp_path)
    with pytest.raises(InputError, match=r"release.toml: .*which variable numbers the households"):
        project.household_columns(source)


@pytest.mark.parametrize(
    ("lines", "line", "said"),
    [
        ('[rules.a]\nimpossible = "age <"', 4, r"\[rules.a\] impossible is not understood at"),
        ('[rules.a]\nreason = "so"', 3, r"\[rules.a\] needs impossible"),
        ("[rules.a]\nimpossible = 3", 4, "must be text in quotes"),
        ('[rules]\na = "x == 1"', 4, "must be a section with settings"),
        ("[household]\nhead = 1", 4, r"\[household\] head must be a list of values"),
        ("[household]\nhead = [1]\nspouse = [2, 1]", 5, "the code 1 means head already"),
        ('[household]\npointers = "line"', 4, "must be one of person, record"),
        ('[household]\nhusehold = "id"', 4, "has no setting 'husehold'. Did you mean 'household'"),
    ],
)
def test_mistakes_have_lines(tmp_path, lines, line, said):
    with pytest.raises(InputError, match=said) as refused:
        load_project(written(tmp_path, lines + "\n"))
    assert f"release.toml:{line}: " in str(refused.value)


def test_names_that_the_data_do_not_have(tmp_path):
    text = FULL.replace('"gender"', '"gendre"').replace("mother.years", "mother.yaers")
    project = load_project(written(tmp_path, text))
    with pytest.raises(InputError) as refused:
        project.open(tmp_path)
    message = str(refused.value)
    assert "release.toml:6: [household] sex: " in message
    assert "Did you mean 'gender'?" in message
    assert "release.toml:12: [rules.young-mother] impossible: " in message
    assert "Did you mean 'years'?" in message
