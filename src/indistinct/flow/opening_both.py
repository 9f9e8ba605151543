"""Opening the original and what was released of it, with the same declarations on both."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from indistinct import files
from indistinct.core import InputError, Ints
from indistinct.core.doors import read_file
from indistinct.engine import Engine, EngineName, start_engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy, csv_hierarchy, hierarchies_in
from indistinct.project import EngineSettings, Project, load_project
from indistinct.release import check_folder, parts, read_origin
from indistinct.utility.comparing import kind_of_values

__all__ = [
    "Opened",
    "find_project",
    "given_hierarchies",
    "open_original",
    "open_released",
    "started_engine",
]

_OF_FOLDER = (parts.CERTIFICATE, parts.CONTRACT, parts.METHODOLOGY, parts.PRIVATE)


@dataclass(frozen=True)
class Opened:
    """Released records, and what their folder says of them.

    Parameters
    ----------
    key
        What the certificate calls the key.
    hierarchies
        Those of the plan, where the private part is there.
    notes
        Sentences for people.
    origin
        The original record of each released one, where the holder's part of the folder tells it.
    folder
        Whether it is a release folder: its records stand in another order than the original's.
    """

    source: Source
    key: tuple[str, ...] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    origin: Ints | None = field(default=None, repr=False)
    folder: bool = False


def find_project(original: Any, project: str | Path | Project | None) -> Project | None:
    """Return the project: the one given, or the original if that is a project file."""
    if isinstance(original, (str, Path)) and str(original).endswith(".toml"):
        if project is not None:
            raise InputError(
                f"{original} is a project file already. Give a data file with another project, "
                "or leave the project out."
            )
        return load_project(original)
    return load_project(project) if isinstance(project, (str, Path)) else project


def open_original(original: Any, project: Project | None, workspace: Path) -> Source:
    """Open the original: a project's data, a file with a project's declarations, or a table.

    A `Source` is taken as it is: what is declared stands on it already.
    """
    if isinstance(original, Source):
        return original
    if isinstance(original, (str, Path)) and str(original).endswith(".toml"):
        assert project is not None
        return project.open(workspace)
    source = _open(original, workspace, "original")
    return source if project is None else project.apply_to(source, workspace=workspace)


def open_released(released: Any, original: Source, workspace: Path) -> Opened:
    """Open a release folder, a released file or a table, and declare it like the original."""
    if isinstance(released, Source):
        return Opened(_declared_as(original, released))
    path = Path(released) if isinstance(released, (str, Path)) else None
    if path is None or not _is_release(path):
        return Opened(_declared_as(original, _open(released, workspace, "released")))
    # what is compared are the records that are there, whichever version wrote them
    checked = check_folder(path, any_version=True)
    source = files.open_data(checked.data, workspace=workspace)
    return Opened(
        _declared_as(original, source),
        tuple(checked.certificate.key) if checked.certificate is not None else (),
        _of_plan(path) if checked.private else {},
        tuple(f"{path}: {finding}." for finding in checked.findings),
        read_origin(path, records=source.records) if checked.private else None,
        True,
    )


def given_hierarchies(
    given: str | Path | Mapping[str, Hierarchy] | None, names: list[str]
) -> dict[str, Hierarchy]:
    """Return hierarchies by name, from a folder of ``<variable>.csv`` files or as they are."""
    if given is None or isinstance(given, Mapping):
        return dict(given or {})
    folder = Path(given)
    if not os.path.isdir(folder):
        raise InputError(f"{folder} is not a directory. Name one that holds <variable>.csv files.")
    there = {name: folder / f"{name}.csv" for name in names}
    return {n: csv_hierarchy(path, name=n) for n, path in there.items() if path.is_file()}


def _open(data: Any, workspace: Path, origin: str) -> Source:
    if isinstance(data, (str, Path)):
        return files.open_data(data, workspace=workspace)
    return files.open_table(data, workspace=workspace, origin=origin)


def _is_release(path: Path) -> bool:
    """Tell a release folder from a folder of Parquet files."""
    if not os.path.isdir(path):
        return False
    return any((path / part).exists() for part in _OF_FOLDER) or not any(path.glob("*.parquet"))


def _of_plan(folder: Path) -> dict[str, Hierarchy]:
    try:
        return hierarchies_in(json.loads(read_file(folder / parts.PLAN, "plan")))
    except (ValueError, InputError):
        return {}  # a plan that cannot be read was changed, which the folder's check has found


def _declared_as(original: Source, released: Source) -> Source:
    """Put the original's declarations on released columns of the same name and kind.

    A column of another kind, such as ages that became labels, keeps its own level and codes.
    """
    schemas = original.schema, released.schema
    changes: dict[str, dict[str, Any]] = {}
    for name in released.variables:
        if name not in original.variables:
            continue
        told = original.variables[name]
        changes[name] = {"role": told.role, "label": told.label}
        if len({kind_of_values(schema.field(name).type) for schema in schemas}) == 1:
            changes[name] |= {
                "level": told.level,
                "labels": told.labels,
                "user_missing": told.user_missing,
                "categories": told.categories,
            }
    return replace(released, variables=released.variables.updated(changes))


@contextlib.contextmanager
def started_engine(
    engine: Engine | EngineName | None,
    project: Project | None,
    memory: str | int | None,
    threads: int | None,
    master: str | None,
    scratch: str | Path | None,
) -> Iterator[Engine]:
    """Give an engine that runs already, or start one as asked and as the project says."""
    if isinstance(engine, Engine):
        yield engine
        return
    settings = project.engine if project else EngineSettings()
    with (
        files.workspace(scratch) as workspace,
        start_engine(
            engine or settings.name,
            workspace=workspace,
            memory=memory if memory is not None else settings.memory,
            threads=threads if threads is not None else settings.threads,
            master=master or settings.master,
        ) as started,
    ):
        yield started
