"""Where the log of questions is kept: beside the file itself, once, and never in a release."""

from __future__ import annotations

import os

import pytest

from indistinct.core.errors import InputError
from indistinct.files import open_data, workspace
from indistinct.query import QuerySession, ask, ask_as

QUESTION = "select sex, count(*) from data group by sex"


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("sex,pay\n" + "m,10\nf,20\n" * 200)
    return path


def logs(folder):
    return sorted(folder.rglob("*.jsonl"))


def test_a_link_to_a_file_is_asked_by_the_same_log(people, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "linked.csv").symlink_to(people)
    (tmp_path / "linked").symlink_to(tmp_path, target_is_directory=True)
    first = ask(people, QUESTION).rows
    assert ask(elsewhere / "linked.csv", QUESTION).rows == first
    assert ask(tmp_path / "linked" / "people.csv", QUESTION).rows == first
    assert len(logs(tmp_path)) == 1


@pytest.mark.parametrize("seal", ["file", "pipe", "dangling link"])
def test_no_log_is_put_into_a_release(people, tmp_path, seal):
    release = tmp_path / "release"
    (release / "private").mkdir(parents=True)
    certificate = release / "certificate.json"
    if seal == "file":
        certificate.write_text("{}")
    elif seal == "pipe":
        os.mkfifo(certificate)
    else:
        certificate.symlink_to("nowhere")
    for name in ("data.csv", "other.csv", "private/origin.csv"):
        (release / name).write_bytes(people.read_bytes())
        ask(release / name, QUESTION)
    assert logs(release) == []
    assert not list(release.rglob(".indistinct"))
    assert len(logs(tmp_path)) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"ranges": {"pay": (-1e308, 1e308)}},
        {"ranges": {"pay": (5, 5)}},
        {"ranges": {"nobody": (0, 5)}},
        {"person": "nobody"},
        {"guess": 2.0},
        {"who": "\x1b[31m"},
    ],
)
def test_what_is_refused_has_made_no_log(people, tmp_path, wrong):
    with pytest.raises(InputError):
        ask(people, QUESTION, **wrong)
    assert [path.name for path in tmp_path.iterdir()] == [people.name]


@pytest.mark.parametrize("name", ["x" * 101, "\u202eboss", "\x1b[31m"])
def test_a_recipient_who_cannot_be_named_gets_no_version(people, tmp_path, name):
    project = tmp_path / "release.toml"
    shown = name.encode("unicode_escape").decode().replace("\\x", "\\u00")
    project.write_text(
        '[data]\nfile = "people.csv"\n[variables]\nsex = { role = "key" }\n'
        f'[recipients."{shown}"]\naccess = "semi-private"\npreset = "researcher"\n'
    )
    with pytest.raises(InputError, match="a name of at most 100 characters"):
        ask_as(project, name, QUESTION)
    assert sorted(path.name for path in tmp_path.iterdir()) == [people.name, project.name]


def test_a_log_that_is_replaced_meanwhile_is_noticed(people, tmp_path):
    log = tmp_path / "log"
    with workspace() as folder:
        source = open_data(people, workspace=folder)
        with QuerySession(source, log=log) as session:
            before = log_of(session, log)
            log.unlink()
            with pytest.raises(InputError, match="replaced by another"):
                session.ask(QUESTION)
            log.write_bytes(before)
            session.ask(QUESTION)


def log_of(session, log):
    session.ask(QUESTION)
    return log.read_bytes()
