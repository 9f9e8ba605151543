"""Options that name a place: what each may be, checked for all of them before a verb begins.

An option of kind path is declared with one of the kinds here beside its `typer.Option`. So it can
be found in the verbs themselves: by `as_verb`, which checks it, and by the laws, which try it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from indistinct import files, project, release
from indistinct.core import IndistinctError, InputError
from indistinct.core.doors import (
    Watch,
    beside,
    check_file,
    check_folder_of_files,
    check_new_file,
    check_new_folder,
)
from indistinct.files import BY_SUFFIX
from indistinct.release import report

__all__ = [
    "RECORDS",
    "AllowOutside",
    "DataPlace",
    "HierarchyPlace",
    "InputFile",
    "KeptFile",
    "LettersPlace",
    "OutputFile",
    "OutputFolder",
    "Overwrite",
    "PageFile",
    "PlaceKind",
    "ProjectFile",
    "ReleasePlace",
    "ScratchFolder",
    "WordOrFile",
    "WorkbenchPlace",
]

RECORDS = tuple(BY_SUFFIX)
"""The endings of files of records."""


@dataclass(frozen=True)
class PlaceKind:
    """What an option names, and how that is checked.

    Parameters
    ----------
    what
        What the file is, in a word for people.
    """

    what: str = "file"
    may_name: ClassVar[bool] = False
    """Whether it may be a project file, which names others."""
    may_replace: ClassVar[bool] = False
    """Whether it is written, and may take the place of what is there if the user says so."""
    is_read: ClassVar[bool] = True
    """Whether it is given to be read: a project file may name it, or what lies in it."""

    def rooms(self, path: Path) -> tuple[Path, ...]:
        """Return the folders in which a run that was killed may have left something of this."""
        return (path.parent, path) if os.path.isdir(path) else (path.parent,)

    def check(self, path: Any, watch: Watch) -> None:
        """Refuse what cannot be read or written; what is read is noted."""
        raise NotImplementedError


@dataclass(frozen=True)
class InputFile(PlaceKind):
    """A regular file that exists."""

    def check(self, path: Path, watch: Watch) -> None:
        """Refuse what is no regular file."""
        check_file(path, self.what)


@dataclass(frozen=True)
class HierarchyPlace(PlaceKind):
    """A folder of hierarchies, or a file that another program keeps them in."""

    what: str = "folder of hierarchies"

    def check(self, path: Path, watch: Watch) -> None:
        """Refuse what is neither, and a folder that holds what is no regular file."""
        if os.path.isfile(path):
            check_file(path, "hierarchy")
            return
        for ending in ("*.csv", "*.grc", "*.[rR]"):
            check_folder_of_files(path, self.what, ending=ending)


@dataclass(frozen=True)
class ProjectFile(PlaceKind):
    """A project file; what it names is read too."""

    what: str = "project file"
    may_name: ClassVar[bool] = True

    def check(self, path: Path, watch: Watch) -> None:
        """Refuse what is no project file, or names what it may not."""
        if path.suffix != ".toml":
            raise InputError(
                f"{path} is not a project file (.toml). Make one with: indistinct init {path}"
            )
        _check_project(path)


def _check_project(path: str | Path) -> None:
    """Refuse what is no project file, and one whose audit trail is none, before any work."""
    trail = project.load_project(path).release.audit
    if trail is not None:
        try:
            release.AuditTrail(trail).check_kind()
        except IndistinctError as error:
            raise InputError(f"{path}: [release] audit: {error}") from None


@dataclass(frozen=True)
class DataPlace(PlaceKind):
    """A data file, a folder of Parquet files, a project file, or a database's address."""

    what: str = "file"
    may_name: ClassVar[bool] = True

    def check(self, path: str | Path, watch: Watch) -> None:
        """Refuse what cannot be opened as data."""
        if files.is_database(str(path)):
            return
        if str(path).endswith(".toml"):
            _check_project(path)
        elif self.what != "file" and not os.path.lexists(path):
            raise InputError(f"There is no {self.what} {path}. {beside(Path(path))}")
        else:
            files.check_data(path)


@dataclass(frozen=True)
class ReleasePlace(PlaceKind):
    """A release folder, a released file, or a project file."""

    what: str = "release folder or file"
    may_name: ClassVar[bool] = True

    def rooms(self, path: Path) -> tuple[Path, ...]:
        """Return also the folder in which the report and the trail are written anew."""
        return (*super().rooms(path), path / "private")

    def check(self, path: str | Path, watch: Watch) -> None:
        """Refuse what is neither a folder nor data."""
        if os.path.isdir(path):
            # Not those of private/, where the report and the trail are written anew.
            for file in sorted(Path(path).glob("*")):
                if file.is_file():
                    watch.note_input(file, f"file of the {self.what}")
        elif os.path.lexists(path) or Path(path).suffix:
            DataPlace().check(path, watch)
        else:
            raise InputError(f"There is no {self.what} {path}. {beside(Path(path))}")


@dataclass(frozen=True)
class LettersPlace(PlaceKind):
    """A text file, a folder of them, a table, or a project file."""

    what: str = "letters"
    may_name: ClassVar[bool] = True

    def check(self, path: Path, watch: Watch) -> None:
        """Refuse what is not there; single letters that cannot be read are told later."""
        if path.suffix.lower() == ".toml":
            ProjectFile().check(path, watch)
            return
        if not os.path.exists(path):
            raise InputError(f"There is no file or folder {path}. {beside(path)}")
        watch.note_input(path, self.what)


@dataclass(frozen=True)
class WordOrFile(PlaceKind):
    """A word that is known, or with an ending a file."""

    def check(self, path: str, watch: Watch) -> None:
        """Refuse a file that cannot be read."""
        if Path(path).suffix:
            check_file(path, self.what)


@dataclass(frozen=True)
class ScratchFolder(PlaceKind):
    """A folder that exists, for what is written on the way."""

    what: str = "folder for temporary files"
    is_read: ClassVar[bool] = False

    def check(self, path: Path, watch: Watch) -> None:
        """Refuse what is no folder."""
        if not os.path.isdir(path):
            raise InputError(f"The {self.what} {path} does not exist. Create it first.")


@dataclass(frozen=True)
class OutputFile(PlaceKind):
    """A file that is written anew, or replaced if the user says so."""

    endings: tuple[str, ...] = ()
    may_replace: ClassVar[bool] = True
    is_read: ClassVar[bool] = False

    def check(self, path: Path, watch: Watch) -> None:
        """Refuse a place where it cannot be written, and an ending that means nothing."""
        check_new_file(path)
        if self.endings and path.suffix.lower() not in self.endings:
            raise InputError(
                f"The name of {self.what}, {path.name}, must end in {' or '.join(self.endings)}."
            )


@dataclass(frozen=True)
class OutputFolder(OutputFile):
    """A folder that is written anew.

    Parameters
    ----------
    replaces
        Says of a folder that stands there whether an earlier run made it, so that it gives way.
    """

    replaces: Callable[[Path], bool] | None = None
    may_replace: ClassVar[bool] = False

    def check(self, path: Path, watch: Watch) -> None:
        """Refuse a place where something stands already."""
        check_new_folder(path, replaces=self.replaces)


@dataclass(frozen=True)
class PageFile(OutputFile):
    """A report, which takes the place of an earlier report and of nothing else."""

    may_replace: ClassVar[bool] = False

    def check(self, path: Path, watch: Watch) -> None:
        """Refuse a place where a report must not be."""
        report.check_page(path, pdf=False)


@dataclass(frozen=True)
class KeptFile(OutputFile):
    """A file that the program keeps: read if it is there, and written again.

    Parameters
    ----------
    known
        Refuses a file that is there and is no such file: what is somebody else's is not added to.
    """

    known: Callable[[Path], object] = field(kw_only=True)
    may_replace: ClassVar[bool] = False

    def check(self, path: Path, watch: Watch) -> None:
        """Refuse a place where it cannot be kept."""
        if os.path.lexists(path):
            check_new_file(path, own=True)
            check_file(path, self.what, kept=True)
            self.known(path)
        else:
            check_new_file(path)


Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite", help="Replace files that are there already; never one that is read."
    ),
]
AllowOutside = Annotated[
    bool,
    typer.Option(
        "--allow-outside",
        help="Let the project file name what lies outside its folder; the ledger tells what.",
    ),
]


@dataclass(frozen=True)
class WorkbenchPlace(PlaceKind):
    """A file of records or a project file that is there, or a folder of them."""

    what: str = "data"

    def check(self, path: Path, watch: Watch) -> None:
        """Refuse what is neither a folder nor a file that the workbench opens."""
        if os.path.isdir(path):
            return
        if os.path.islink(path):
            raise InputError(f"{path} is a link. Name the file itself, where it lies.")
        check_file(path, self.what)
        if not path.name.lower().endswith((".toml", *RECORDS)):
            raise InputError(
                f"{path} is neither a project file (.toml) nor a file of records "
                f"({', '.join(RECORDS)})."
            )
