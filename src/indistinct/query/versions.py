"""The version of the data that a recipient's questions see: made once, counted, kept.

What is decided here: a version is made from the private records in the private workspace and kept
beside the project file in `.indistinct/`, a folder that its owner alone can read (mode 700). It is
named after everything it depends on: the bytes of the data and of the hierarchies, the settings,
the recipient's profile and the version of the program. So a recipient sees the same version every
time, until one of these changes; two versions of the same data for one recipient could be compared,
and differ in few records. The version has only the columns that the recipient may see, and is read
again and counted before anything is asked of it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, cast

import indistinct
from indistinct.engine import Engine, start_engine
from indistinct.errors import GuaranteeError, InputError, did_you_mean
from indistinct.files import Source, open_data, workspace, write_data
from indistinct.files.sql import is_database
from indistinct.keys import KeyTable, uniques
from indistinct.project import Project, Recipient, check_categories, check_levels
from indistinct.project.recipients import check_recipients
from indistinct.project.settings import Problems, header
from indistinct.protect import (
    PRESETS,
    Method,
    Plan,
    Request,
    Select,
    check_options,
    fresh_seed,
    protect_by_method,
)
from indistinct.release import digest, file_digest

__all__ = ["Version", "find_recipient", "version_for"]

KEPT = ".indistinct"
DATA = "data.parquet"
FACTS = "version.json"


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
    """

    folder: Path
    k: int
    key: tuple[str, ...]
    records: int
    at_risk: int

    @property
    def data(self) -> Path:
        """The records."""
        return self.folder / DATA

    @property
    def holds(self) -> bool:
        """Whether every class of the key has k records."""
        return not self.at_risk


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
    home = _private_folder(project.path.resolve().parent / KEPT)
    home = _private_folder(home / "recipients")
    short = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:40] or "recipient"
    with workspace() as folder:
        source = project.open(folder) if is_database(str(project.data.file)) else None
        place = home / f"{short}-{_fingerprint(project, recipient, source)[:24]}"
        if not (place / FACTS).is_file():
            source = source or project.open(folder)
            _make(project, name, recipient, source, place, folder)
    return _read(place)


def _private_folder(path: Path) -> Path:
    """Make a folder for its owner alone, or refuse one that is not."""
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()
    except OSError as error:
        raise InputError(
            f"{path} cannot be made for the versions that recipients see: {error.strerror}."
        ) from None
    if os.name == "posix" and (found.st_mode & 0o077 or found.st_uid != os.getuid()):
        raise InputError(
            f"{path} is open to others, and is to hold private data. Make it yours alone with "
            "chmod 700."
        )
    return path


def _fingerprint(project: Project, recipient: Recipient, source: Source | None) -> str:
    """Return a hash of everything that a version depends on."""
    data, release = project.data, project.release
    content: dict[str, Any] = {
        "program": indistinct.__version__,
        "data": source.path if source is not None else data.file,
        "read": [data.query, data.delimiter, data.encoding, data.decimal],
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
        kept = Plan((Select(tuple(columns)),)).apply(engine, source).source
        if key:
            kept = _protected(project, recipient, engine, kept, key, k, seed)
        aside = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
        try:
            write_data(kept, aside / DATA)
            written = open_data(aside / DATA, workspace=folder)
            if set(written.variables) != set(columns):
                raise GuaranteeError(
                    "The version that was written does not have the columns that the recipient may "
                    "see. Nothing was answered: please report this."
                )
            if key:
                at_risk = uniques(engine, written, key, k=k).at_risk
            else:
                at_risk = written.records if written.records < k else 0
            facts = {
                "recipient": name,
                "k": k,
                "key": key,
                "records": written.records,
                "at_risk": at_risk,
                "seed": seed,
            }
            (aside / FACTS).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
            _put(aside, place)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def _put(aside: Path, place: Path) -> None:
    """Put a version in its place; where another process was quicker, its version stays."""
    try:
        os.rename(aside, place)
    except OSError as error:
        if not (place / FACTS).is_file():
            raise InputError(
                f"The version cannot be kept in {place.parent}: {error.strerror}."
            ) from None


def _columns(project: Project, name: str, recipient: Recipient, source: Source) -> list[str]:
    """Return the columns that the recipient may see, in file order; no identifier is among them."""
    problems = Problems(str(project.path), project.lines)
    label = f"{header(('recipients', name))} columns"
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
) -> Source:
    method = recipient.method or "datafly"
    options: dict[str, Any] = {"max_drop": recipient.max_drop}
    if method == "datafly":
        borne = {**project.of_variables("distortion", key), **(recipient.distortion or {})}
        options["profile"] = PRESETS[recipient.preset or "public"].with_values(tolerance=borne)
    check_options(cast(Method, method), options)
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
    done = protect_by_method(
        engine,
        source,
        key,
        method=cast(Method, method),
        hierarchies=project.hierarchies(values, source) if method != "suppress" else {},
        request=request,
        seed=seed,
    )
    return done.source


def _read(place: Path) -> Version:
    try:
        facts = json.loads((place / FACTS).read_text(encoding="utf-8"))
        return Version(
            place, facts["k"], tuple(facts["key"]), facts["records"], int(facts["at_risk"])
        )
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            f"{place} is damaged. Delete it: it is made again from the data."
        ) from None
