"""``[contract]`` of a project file, and where the organisation's audit trail is."""

from __future__ import annotations

import datetime as dt

import pytest

from indistinct.core.errors import InputError
from indistinct.files import workspace
from indistinct.project import Contract, load_project

HEAD = '[data]\nfile = "people.csv"\n'
KEY = '[release]\nkey = ["age", "zip"]\n'


@pytest.fixture
def write(tmp_path):
    (tmp_path / "people.csv").write_text("age,zip,income\n30,1,2\n")

    def write(text: str):
        path = tmp_path / "release.toml"
        path.write_text(HEAD + text)
        return path

    return write


def mistakes(path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_project(path)
    return [line.removeprefix(f"{path}:") for line in str(caught.value).split("\n")]


def test_every_setting_is_read(write, tmp_path):
    project = load_project(
        write(
            f'{KEY}audit = "logs/audit.jsonl"\n[contract]\nneeded = ["income"]\n'
            'could_link = ["age", "zip"]\nwill_link = ["zip"]\nlifetime = 2030-06-30\n'
            'destroy_by = 2030-12-31\nreview_days = 30\nsecurity = "a vault"\n'
            'sanctions = "a fine"\n'
        )
    )
    assert project.release.audit == tmp_path / "logs" / "audit.jsonl"
    assert project.contract == Contract(
        ("income",), ("age", "zip"), ("zip",), dt.date(2030, 6, 30), dt.date(2030, 12, 31), 30,
        "a vault", "a fine",
    )  # fmt: skip


def test_a_file_without_the_section_has_empty_terms(write):
    assert load_project(write("")).contract == Contract()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('lifetime = "2030-06-30"', "lifetime must be a date such as 2027-12-31, without quotes"),
        ("destroy_by = 2030-06-30T10:00:00", "destroy_by must be a date such as 2027-12-31"),
        ("destroy_by = 10:00:00", "destroy_by must be a date"),
        ("review_days = -1", "review_days must be a whole number of at least 0. Got -1."),
        ("needed = []", "needed must be a list of variable names"),
        ("could_links = []", "has no setting 'could_links'. Did you mean 'could_link'?"),
        ('could_link = ["age", "income"]', "could_link names 'income', which is not in the key"),
        ('will_link = ["age"]', "will_link names 'age', which could_link does not"),
    ],
)
def test_a_mistake_is_told_with_its_line(write, line, said):
    (found,) = mistakes(write(f"{KEY}[contract]\n{line}\n"))
    assert found.startswith("6: [contract] ")
    assert said in found


def test_the_key_can_come_from_the_roles(write):
    roles = '[variables.age]\nrole = "key"\n[variables.zip]\nrole = "other"\n'
    assert load_project(write(f'{roles}[contract]\ncould_link = ["age"]\n')).contract.could_link
    (found,) = mistakes(write(f'{roles}[contract]\ncould_link = ["age",\n "zip"]\n'))
    assert found.startswith("9: [contract] could_link names 'zip', which is not in the key")


def test_dates_that_cross_are_told_and_dates_gone_by_are_not(write):
    (found,) = mistakes(write("[contract]\nlifetime = 2030-02-01\ndestroy_by = 2030-01-01\n"))
    assert found == (
        "4: [contract] lifetime (2030-02-01) ends after destroy_by (2030-01-01). "
        "Destroy later, or work shorter."
    )
    load_project(write("[contract]\ndestroy_by = 1999-01-01\n"))


def test_a_public_release_has_nobody_who_could_promise_not_to_link(write):
    text = f'{KEY}access = "public"\n[contract]\ncould_link = ["age"]\nwill_link = ["age"]\n'
    found = mistakes(write(text))
    assert [line.split(" means")[0] for line in found] == [
        "7: [contract] could_link",
        "8: [contract] will_link",
    ]


def test_variables_that_the_data_do_not_have_are_told_with_their_line(write):
    project = load_project(write('[contract]\nneeded = ["income", "incme"]\n'))
    with workspace() as folder, pytest.raises(InputError) as caught:
        project.open(folder)
    assert f"{project.path}:4: [contract] needed: " in str(caught.value)
    assert "Did you mean 'income'?" in str(caught.value)
