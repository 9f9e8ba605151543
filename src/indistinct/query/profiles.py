"""Questions by role: the recipient's profile decides which version of the data is asked.

Sweeney's Datafly (2001, section 6.2) works "at the time of database access": a question does not
reach the private records, it reaches what the profile of the person who asks makes of them.

The version of the data that a recipient's questions see: made once, judged, kept.

What is decided here: a version is made from the private records in the private workspace and kept
beside the project file in `.indistinct/`, a folder that its owner alone can read (mode 700). It is
named after everything it depends on: the bytes of the data and of the hierarchies, the settings,
the recipient's profile and the version of the program. So a recipient sees the same version every
time, until one of these changes. It has only columns that the recipient may see.

Where k holds on the whole key, what remains to be done before records leave is done to it as to any
release, and the one judge reads what was written: only a version that *holds* is asked exactly.
Whose record each is, where people have several, is kept beside it as numbers.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import indistinct
from indistinct.core import GuaranteeError, InputError, Variables, did_you_mean
from indistinct.core.doors import folder_written_whole, read_file
from indistinct.engine import Engine, start_engine
from indistinct.files import Source, is_database, open_data, workspace, write_data
from indistinct.flow import Leaving, prepare_to_leave
from indistinct.hierarchy import hierarchies_in
from indistinct.keys import KeyTable, person_of_records, uniques
from indistinct.naming import find_person, with_person
from indistinct.options import refuse_unknown_options
from indistinct.project import (
    Problems,
    Project,
    Recipient,
    check_categories,
    check_levels,
    check_recipients,
    header,
    load_project,
)
from indistinct.protect import (
    PRESETS,
    Plan,
    Protected,
    Request,
    Select,
    fresh_seed,
    origin_of,
    protect_by_method,
)
from indistinct.prove import Trial, judge
from indistinct.query.answer import Answer
from indistinct.query.bound import Bound
from indistinct.query.kept import private_folder
from indistinct.query.log import who_asks
from indistinct.query.session import QuerySession
from indistinct.release import digest, file_digest

__all__ = ["Version", "ask_as", "find_recipient", "session_as", "version_for"]


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


# The version of the data that a recipient's questions see ----------------------------------------


DATA = "data.parquet"
FACTS = "version.json"
PEOPLE = "people.npy"


@dataclass(frozen=True)
class Version:
    """What a recipient's questions see.

    Parameters
    ----------
    folder
        Where it is kept; private.
    k, key
        What was asked for: k records in a class of the key, as far as the recipient sees it.
    records
        How many records it has.
    at_risk
        How many of them are in classes smaller than k, counted in what was written.
    state
        What the judge said of it: *holds*, *reservations* or *fails*.
    """

    folder: Path
    k: int
    key: tuple[str, ...]
    records: int
    at_risk: int
    state: str

    @property
    def data(self) -> Path:
        """The records."""
        return self.folder / DATA

    @property
    def people(self) -> Path | None:
        """A number for the person of every record, where people have several."""
        path = self.folder / PEOPLE
        return path if path.is_file() else None

    @property
    def holds(self) -> bool:
        """Whether it holds as a release would, and nothing has to be taken on trust."""
        return self.state == "holds"


def find_recipient(project: Project, name: str) -> Recipient:
    """Return a recipient's section; refuse a name that has none, and sections with mistakes."""
    problems = Problems(str(project.path), project.lines)
    check_recipients(project, problems)
    problems.raise_all()
    if name not in project.recipients:
        hint = (
            did_you_mean(name, project.recipients)
            if project.recipients
            else f"Add a section {header(('recipients', name))} for who may ask."
        )
        raise InputError(f"{project.path}: there is no recipient '{name}'. {hint}")
    return project.recipients[name]


def version_for(project: Project, name: str) -> Version:
    """Return the version of the data that a recipient sees; make it where there is none yet."""
    recipient = find_recipient(project, name)
    home = private_folder(project.path.resolve().parent, "recipients")
    short = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:40] or "recipient"
    with workspace() as folder:
        source = project.open(folder) if is_database(str(project.data.file)) else None
        place = home / f"{short}-{_fingerprint(project, recipient, source)[:24]}"
        if not (place / FACTS).is_file():
            source = source or project.open(folder)
            _make(project, name, recipient, source, place, folder)
    return _read(place)


def _fingerprint(project: Project, recipient: Recipient, source: Source | None) -> str:
    """Return a hash of everything that a version depends on."""
    data, release = project.data, project.release
    content: dict[str, Any] = {
        "program": [indistinct.__version__, "judged"],
        "data": source.path if source is not None else data.file,
        "read": [data.query, data.delimiter, data.encoding, data.decimal],
        "left out": [data.same_twice, data.one_each],
        "variables": project.variables,
        "release": [
            *(release.k, release.at_most, release.key, release.hierarchies),
            *(release.max_drop, release.loss, release.seed),
        ],
        "recipient": [
            *(recipient.preset, recipient.k, recipient.method, recipient.columns),
            *(recipient.distortion, recipient.max_drop),
        ],
    }
    return digest(_told(content))


def _told(value: Any) -> Any:
    """Turn settings into what JSON knows; a file is what it holds, not where it is."""
    if isinstance(value, Path):
        if value.is_dir():
            inside = sorted(path for path in value.rglob("*") if path.is_file())
            return [[str(path.relative_to(value)), file_digest(path)] for path in inside]
        return file_digest(value) if value.is_file() else str(value)
    if is_dataclass(value):
        return {part.name: _told(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _told(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_told(part) for part in value]
    return value if value is None or isinstance(value, (bool, int, str)) else repr(value)


def _make(
    project: Project, name: str, recipient: Recipient, source: Source, place: Path, folder: Path
) -> None:
    """Protect the records by the profile, write them, read them again and count them."""
    columns = _columns(project, name, recipient, source)
    key = [variable for variable in project.key(source) if variable in columns]
    k = recipient.k or project.release.k or (project.release.at_most or 0) + 1
    if k < 2:
        raise InputError(
            f"{project.path}: {header(('recipients', name))} needs k: how many records a class "
            "must have at least."
        )
    seed = project.release.seed if project.release.seed is not None else fresh_seed()
    settings = project.engine
    with start_engine(
        settings.name,
        workspace=folder,
        memory=settings.memory,
        threads=settings.threads,
        master=settings.master,
    ) as engine:
        check_levels(engine, source)
        check_categories(engine, source)
        source = with_person(engine, source, project.release.person, key=key or ())
        person = find_person(engine, source, declared=project.release.person, key=key)
        done = _protected(project, recipient, engine, source, key, k, seed) if key else None
        leaving = None
        if done is not None and done.guaranteed:
            leaving = prepare_to_leave(
                engine, source, done, project=project, seed=seed, keep=columns, keep_named=()
            )
        protected = source if done is None else done.source
        kept = leaving.source if leaving else _selected(engine, protected, columns)
        with folder_written_whole(place, kept=True) as aside:
            write_data(kept, aside / DATA)
            written = open_data(aside / DATA, workspace=folder)
            if not set(written.variables) <= set(columns):
                raise GuaranteeError(
                    "The version that was written has columns that the recipient may not see. "
                    "Nothing was answered: please report this."
                )
            if person is not None:
                _number_people(engine, source, person, done, leaving, aside / PEOPLE)
            there = [variable for variable in key if variable in written.variables]
            facts = {
                "recipient": name,
                "k": k,
                "key": there,
                "records": written.records,
                "at_risk": uniques(engine, written, there, k=k).at_risk if there else 0,
                "state": _judged(engine, source, written, leaving),
                "seed": seed,
            }
            (aside / FACTS).write_bytes(json.dumps(facts, indent=2).encode() + b"\n")


def _selected(engine: Engine, source: Source, columns: list[str]) -> Source:
    return Plan((Select(tuple(columns)),)).apply(engine, source).source


def _judged(engine: Engine, private: Source, written: Source, leaving: Leaving | None) -> str:
    """Have a version judged as a release would be; one in which k does not hold fails."""
    if leaving is None:
        return "fails"
    trees = hierarchies_in(leaving.plan.to_dict())
    trial = Trial(engine, written, leaving.promise, private, (), trees, leaving.origin)
    return judge(trial).state


def _number_people(
    engine: Engine,
    private: Source,
    person: str,
    done: Protected | None,
    leaving: Leaving | None,
    path: Path,
) -> None:
    """Keep whose record each of the version is, by the private record it was made from."""
    if leaving is not None:
        origin = leaving.origin
    elif done is not None:
        origin = origin_of(done.receipts, private.records)
    else:
        origin = np.arange(private.records)
    if origin is None:
        raise InputError(
            f"People have several records ('{person}'), and which record is whose is not known any "
            "more after this method. Choose another method for this recipient, or give it a file "
            "with one record for each person."
        )
    np.save(path, person_of_records(engine, private, person)[origin])


def _columns(project: Project, name: str, recipient: Recipient, source: Source) -> list[str]:
    """Return the columns that the recipient may see, in file order; no identifier is among them."""
    problems = Problems(str(project.path), project.lines)
    label = f"{header(('recipients', name))} columns"
    for column in recipient.ranges or ():
        if column not in source.variables:
            hint = did_you_mean(column, source.variables)
            where: tuple[str | int, ...] = ("recipients", name, "ranges", column)
            problems.add(where, f"{header(('recipients', name))} ranges names {column!r}. {hint}")
    for position, column in enumerate(recipient.columns or ()):
        where = ("recipients", name, "columns", position)
        if column not in source.variables:
            hint = did_you_mean(column, source.variables)
            problems.add(where, f"{label} names {column!r}, which the data do not have. {hint}")
        elif source.variables[column].role == "identifier":
            problems.add(where, f"{label} names {column!r}, which is an identifier. Leave it out.")
    problems.raise_all()
    allowed = [
        variable.name
        for variable in source.variables.values()
        if variable.role != "identifier"
        and (recipient.columns is None or variable.name in recipient.columns)
    ]
    if not allowed:
        raise InputError(
            f"{project.path}: {header(('recipients', name))} may see no variable at all. Name "
            "some in columns."
        )
    return allowed


def _protected(
    project: Project,
    recipient: Recipient,
    engine: Engine,
    source: Source,
    key: list[str],
    k: int,
    seed: int,
) -> Protected:
    """Protect the records by the profile."""
    method = recipient.method or "datafly"
    options: dict[str, Any] = {"max_drop": recipient.max_drop}
    if method == "datafly":
        borne = {**project.of_variables("distortion", key), **(recipient.distortion or {})}
        options["profile"] = PRESETS[recipient.preset or "public"].with_values(tolerance=borne)
    refuse_unknown_options(method, options)
    drop = recipient.max_drop if recipient.max_drop is not None else project.release.max_drop
    request = Request(
        k=k,
        max_drop=drop or 0,
        loss=project.release.loss,
        limits=project.of_variables("highest_level", key),
        weights=project.of_variables("importance", key),
        identification=project.of_variables("identification", key),
        profile=options.get("profile"),
    )
    counted = {name: KeyTable.from_tally(engine.count(source, [name])) for name in key}
    values = {
        name: [value for value in table.values(name) if value is not None]
        for name, table in counted.items()
    }
    return protect_by_method(
        engine,
        source,
        key,
        method=method,
        hierarchies=project.hierarchies(values, source) if method != "suppress" else {},
        request=request,
        seed=seed,
    )


def _read(place: Path) -> Version:
    try:
        facts = json.loads(read_file(place / FACTS, kept=True))
        return Version(
            place,
            facts["k"],
            tuple(facts["key"]),
            facts["records"],
            int(facts["at_risk"]),
            str(facts["state"]),
        )
    except (InputError, ValueError, KeyError, TypeError):
        raise InputError(
            f"{place} is damaged. Delete it: it is made again from the data."
        ) from None
