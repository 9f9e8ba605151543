"""Questions by role: the recipient's profile decides which version of the data is asked.

Sweeney's Datafly (2001, section 6.2) works "at the time of database access": a question does not
reach the private records, it reaches what the profile of the person who asks makes of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from indistinct.files import open_data, workspace
from indistinct.project import Project, load_project
from indistinct.query.answer import Answer
from indistinct.query.session import QuerySession
from indistinct.query.versions import find_recipient, version_for

__all__ = ["ask_as", "session_as"]


@contextlib.contextmanager
def session_as(project: Project | str | Path, recipient: str) -> Iterator[QuerySession]:
    """Start a conversation with the version of the data that a recipient sees.

    What is answered is kept in mind beside the version, for as long as the version lasts.

    Parameters
    ----------
    project
        The project file, with a section ``[recipients.NAME]``.
    recipient
        NAME.
    """
    if not isinstance(project, Project):
        project = load_project(project)
    asked_by = find_recipient(project, recipient)
    version = version_for(project, recipient)
    smallest = asked_by.smallest or version.k
    notes = []
    if not version.holds:
        notes.append(
            f"k = {version.k} does not hold on the whole key of what this recipient sees: the "
            "profile trusts the recipient with it."
        )
    with workspace() as folder:
        source = replace(
            open_data(version.data, workspace=folder), origin=f"The data for '{recipient}'"
        )
        with QuerySession(
            source,
            smallest=smallest,
            listing=version.holds if asked_by.listing is None else asked_by.listing,
            why_not="" if version.holds else "k does not hold on the whole key",
            log=version.folder / f"answered-{smallest}.npz",
            notes=notes,
        ) as session:
            yield session


def ask_as(project: Project | str | Path, recipient: str, sql: str) -> Answer:
    """Answer a recipient's question from the version of the data that its profile makes.

    Parameters
    ----------
    project
        The project file, with a section ``[recipients.NAME]``.
    recipient
        NAME.
    sql
        One SELECT about the table ``data``.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> lines = [f"{n},0213{n % 3},{'mf'[n % 2]}" for n in range(60)]
    >>> _ = (folder / "people.csv").write_text("\\n".join(["id,zip,sex", *lines]))
    >>> _ = (folder / "release.toml").write_text('''
    ... [data]
    ... file = "people.csv"
    ... [variables]
    ... id = { role = "identifier" }
    ... zip = { role = "key", hierarchy = { kind = "codes", keep = [4, 3] } }
    ... sex = { role = "key", highest_level = 0 }
    ... [recipients.planner]
    ... k = 20
    ... [recipients.press]
    ... columns = ["sex"]
    ... k = 20
    ... ''')
    >>> ask_as(folder / "release.toml", "planner", "select zip, count(*) from data group by zip")
    zip    count(*)
    -----  --------
    0213*        60
    1 row (no answer on fewer than 20 records)
    >>> ask_as(folder / "release.toml", "press", "select zip, count(*) from data group by zip")
    Traceback (most recent call last):
    ...
    indistinct.errors.InputError: There is no column 'zip'. There are: sex.
    """
    with session_as(project, recipient) as session:
        return session.ask(sql)
