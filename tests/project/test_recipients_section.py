"""The sections of a project file that say who may ask."""

from __future__ import annotations

import pytest

from indistinct.core.errors import InputError
from indistinct.project import Recipient, load_project
from indistinct.query.profiles import find_recipient


def written(folder, text: str):
    (folder / "people.csv").write_text("id,age,sex\n1,30,m\n")
    path = folder / "release.toml"
    path.write_text(f'[data]\nfile = "people.csv"\n[variables.id]\nrole = "identifier"\n{text}')
    return path


def test_a_section_with_everything(tmp_path):
    project = load_project(
        written(
            tmp_path,
            '[recipients."a planner"]\naccess = "semi-private"\npreset = "researcher"\nk = 7\n'
            'method = "datafly"\ncolumns = ["age", "sex"]\ndistortion = { age = 0.5, sex = 0 }\n'
            "max_drop = 0.02\nsmallest = 9\nlisting = false\n[recipients.nobody]\n",
        )
    )
    assert project.recipients["a planner"] == Recipient(
        access="semi-private",
        preset="researcher",
        k=7,
        method="datafly",
        columns=("age", "sex"),
        distortion={"age": 0.5, "sex": 0},
        max_drop=0.02,
        smallest=9,
        listing=False,
    )
    assert project.recipients["nobody"] == Recipient()
    assert find_recipient(project, "nobody") == Recipient()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('access = "secret"', "must be one of private, semi-private"),
        ('preset = "doctor"', "must be one of caretaker, researcher, public"),
        ("k = 1", "must be a whole number of at least 2"),
        ("smallest = 0", "must be a whole number of at least 1"),
        ("columns = []", "must be a list of variable names"),
        ("distortion = { age = 2 }", "distortion.age must be a number from 0 to 1"),
        ("distortion = 1", "must be a table of variables and numbers"),
        ('listing = "yes"', "must be true or false"),
        ("colums = []", "has no setting 'colums'. Did you mean 'columns'"),
    ],
)
def test_wrong_settings_are_told_with_their_line(tmp_path, line, said):
    path = written(tmp_path, f"[recipients.press]\n{line}\n")
    with pytest.raises(InputError, match=r"release.toml:6: \[recipients.press\]") as refused:
        load_project(path)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('preset = "caretaker"', 'Say that this is meant with access = "private"'),
        ('preset = "caretaker"\naccess = "public"', 'access = "private"'),
        ('preset = "researcher"\naccess = "public"', "trusts a contract"),
        ('preset = "public"\nmethod = "mondrian"', "preset is for the method datafly"),
        ('distortion = { age = 1 }\nmethod = "optimal"', "distortion is for the method datafly"),
        ('columns = ["age", "id"]', "'id', which is an identifier and never leaves"),
        ('columns = ["age"]\ndistortion = { sex = 1 }', "'sex', which is not among the columns"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(tmp_path, lines, said):
    project = load_project(written(tmp_path, f"[recipients.press]\n{lines}\n"))
    with pytest.raises(InputError) as refused:
        find_recipient(project, "press")
    assert said in str(refused.value)
    assert "release.toml:" in str(refused.value)


def test_a_recipient_that_is_not_there(tmp_path):
    project = load_project(written(tmp_path, "[recipients.press]\n"))
    with pytest.raises(InputError, match=r"no recipient 'pres'. Did you mean 'press'"):
        find_recipient(project, "pres")
    project = load_project(written(tmp_path, ""))
    with pytest.raises(InputError, match=r"Add a section \[recipients.press\]"):
        find_recipient(project, "press")
