"""Questions by role: the recipient's profile decides which version of the data is asked.

Sweeney's Datafly (2001, section 6.2) works "at the time of database access": a question does not
reach the private records, it reaches what the profile of the person who asks makes of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from indistinct.core import Variables
from indistinct.files import open_data, workspace
from indistinct.project import Project, load_project
from indistinct.query.answer import Answer
from indistinct.query.bound import Bound
from indistinct.query.log import who_asks
from indistinct.query.session import QuerySession
from indistinct.query.versions import find_recipient, version_for

__all__ = ["ask_as", "session_as"]


@contextlib.contextmanager
def session_as(
    project: Project | str | Path, recipient: str, *, who: str | None = None
) -> Iterator[QuerySession]:
    """Start a conversation with the version of the data that a recipient sees.

    Who asked what is kept beside the version, for as long as the version lasts.

    Parameters
    ----------
    project
        The project file, with a section ``[recipients.NAME]``.
    recipient
        NAME.
    who
        Who asks, for the log; by default the user of the machine.
    """
    if not isinstance(project, Project):
        project = load_project(project)
    asked_by = find_recipient(project, recipient)
    # before a version is made, since what is refused has written nothing
    asks = who_asks(f"{recipient}: {who_asks(who)}")
    version = version_for(project, recipient)
    exact = version.holds if asked_by.listing is None else asked_by.listing
    notes = []
    if exact and not version.holds:
        notes.append("The version is not proved: the profile trusts the recipient with records.")
    why_not = f"that k = {version.k} protects this version is not proved"
    if version.holds:
        why_not = "the profile says so"
    usual = Bound(most=1 if version.people is None else 4)
    bound = Bound(
        asked_by.guess or usual.guess, asked_by.tables or usual.tables, asked_by.most or usual.most
    )
    with workspace() as folder:
        source = open_data(version.data, workspace=folder)
        # what a protected variable may be called is no longer what was declared of it
        variables = Variables(
            replace(variable, categories=None) if variable.name in version.key else variable
            for variable in source.variables.values()
        )
        source = replace(source, variables=variables, origin=f"The data for '{recipient}'")
        ranges = {
            variable: limits
            for variable, limits in (asked_by.ranges or {}).items()
            if variable in source.variables
        }
        with QuerySession(
            source,
            exact=exact,
            smallest=asked_by.smallest or (1 if exact else version.k),
            bound=bound,
            ranges=None if exact else ranges,
            people=version.people,
            log=version.folder / ("asked-exactly.jsonl" if exact else "asked.jsonl"),
            who=asks,
            why_not=why_not,
            notes=notes,
        ) as session:
            yield session


def ask_as(
    project: Project | str | Path, recipient: str, question: str, *, who: str | None = None
) -> Answer:
    """Answer a recipient's question from the version of the data that its profile makes.

    Parameters
    ----------
    project
        The project file, with a section ``[recipients.NAME]``.
    recipient
        NAME.
    question
        For example ``select sex, count(*) from data group by sex``.
    who
        Who asks, for the log; by default the user of the machine.

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
    1 row (exact)
    >>> ask_as(folder / "release.toml", "press", "select zip, count(*) from data group by zip")
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: There is no variable 'zip'. There are: sex.
    """
    with session_as(project, recipient, who=who) as session:
        return session.ask(question)
