"""What lies on the workbench: a folder, a project in it, its history, its results and its jobs.

What is decided here: nothing outside the folder is listed, read or written, and no link in it is
followed. Every change of the project names the state that its page was made from; where that is
not the present one, because of another tab or another program, it is refused and nothing is lost.
"""

from __future__ import annotations

import contextlib
import copy
import os
import secrets
import shutil
import threading
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from indistinct import flow
from indistinct.core import InputError
from indistinct.core.doors import read_text, watching, write_whole, written_whole
from indistinct.files import BY_SUFFIX
from indistinct.project import Project, changed_project, read_project
from indistinct.release import file_digest
from indistinct.workbench.history import History
from indistinct.workbench.jobs import Job, Jobs
from indistinct.workbench.rollup import MOST, Rollup
from indistinct.workbench.store import Store, key_of

__all__ = ["Busy", "Desk", "Stale"]

PRIVATE = ".indistinct"
"""The folder beside a project for what the workbench keeps: readable for its owner alone."""
LARGEST_PROJECT = 1_000_000
_TOLD = (
    "out",
    "confirmed",
    "accept",
    "purpose",
    "recipient",
    "access",
    "holder",
    "audit",
    "sign",
    "policy",
    "exceptions",
)
"""Settings of ``[release]`` that change nothing in the records."""
_WRITING = ("release", "publish", "scrubbed")
"""Jobs that write what leaves; meanwhile the project stays as it is."""
_COUNTED_FOR_TABLES = (
    *("area", "also", "match_keys", "modified", "threshold", "smallest_zone", "published"),
)
"""Settings of ``[publish]`` on which depends what tables would reveal as they are."""


class Stale(InputError):
    """A change that was made from another state of the project than the present one."""


class Busy(InputError):
    """A change while a release of the project is being written."""


def _file_of_tree(declared: Mapping[str, Any]) -> object:
    """Return the file that a variable's hierarchy is read from, if it is read from one."""
    given = declared.get("hierarchy")
    return given.get("file") if isinstance(given, dict) else given


@dataclass(frozen=True)
class Listed:
    """A file of the folder: its name, and its size in bytes."""

    name: str
    size: int


class Desk:
    """The workbench's one project, and what is known of it.

    Parameters
    ----------
    folder
        Where data and projects are; nothing outside is touched.
    largest
        Bytes that a file may have that is brought along.
    policy
        Policies of the organisation, beside those that a project names.
    """

    def __init__(
        self, folder: Path, *, largest: int = 2 << 30, policy: Sequence[Path] = ()
    ) -> None:
        self.policy = tuple(policy)
        self.folder = folder.resolve()
        self.largest = largest
        self.jobs = Jobs()
        self.project_name: str | None = None
        self._lock = threading.RLock()
        self._digests: dict[tuple[Any, ...], str] = {}
        self._rollup: tuple[str, Rollup] | None = None

    # What is in the folder -----------------------------------------------------------------------

    def listed(self, *endings: str) -> list[Listed]:
        """Return the files with one of some endings: regular ones, and no links."""
        found = []
        with os.scandir(self.folder) as entries:
            for entry in entries:
                if entry.name.startswith(".") or not entry.name.lower().endswith(endings):
                    continue
                if entry.is_file(follow_symlinks=False):
                    found.append(Listed(entry.name, entry.stat(follow_symlinks=False).st_size))
        return sorted(found, key=lambda one: one.name.lower())

    @property
    def data_files(self) -> list[Listed]:
        """The files of records."""
        return self.listed(*BY_SUFFIX)

    @property
    def project_files(self) -> list[Listed]:
        """The project files."""
        return self.listed(".toml")

    def place_of(self, name: str) -> Path:
        """Return the path of a file of the folder by its bare name; refuse all else."""
        bare = name and name == os.path.basename(name) and name not in (".", "..")
        if not bare or "\\" in name or "\0" in name or name.startswith("."):
            raise InputError("That is not the name of a file in this folder. Choose one of those.")
        return self.folder / name

    def existing(self, name: str) -> Path:
        """Return a regular file of the folder that is there, and no link."""
        place = self.place_of(name)
        if os.path.islink(place) or not os.path.isfile(place):
            raise InputError(
                "There is no such file in this folder, or it is a link. Choose another."
            )
        return place

    def new_file(self, name: str, endings: Iterable[str] = BY_SUFFIX) -> Path:
        """Return where a new file goes, of records if not said; one there is never replaced."""
        place = self.place_of(os.path.basename(name.replace("\\", "/")))
        if not place.name.lower().endswith(tuple(endings)):
            known = ", ".join(sorted(endings))
            raise InputError(f"What can be brought along here: {known}. Choose one of those.")
        if os.path.lexists(place):
            raise InputError(
                f"{place.name} is in the folder already. Open it there, or rename your file."
            )
        return place

    @contextlib.contextmanager
    def receiving(self, name: str, endings: Iterable[str] = BY_SUFFIX) -> Iterator[Path]:
        """Give a place to write what is brought along; it gets its name when it is whole."""
        with watching(), written_whole(self.new_file(name, endings), private=True) as aside:
            yield aside

    def check_room(self, size: int) -> None:
        """Refuse a file that is too large, or for which the disk has no room."""
        if size > self.largest:
            raise InputError(
                f"The file is larger than the {self.largest / 1e9:.1f} GB that can be dropped "
                "here. Put it into the folder yourself and open it there."
            )
        if size > shutil.disk_usage(self.folder).free * 0.9:
            raise InputError("There is no room for this file on the disk. Free some space.")

    # The project ---------------------------------------------------------------------------------

    @property
    def project_path(self) -> Path:
        """The project file."""
        assert self.project_name is not None, "no project is open"
        return self.folder / self.project_name

    @property
    def private(self) -> Path:
        """The private folder of the project."""
        return self.folder / PRIVATE / self.project_path.stem

    def open_project(self, name: str) -> None:
        """Open a project of the folder, and take up its history."""
        with self._lock:
            self.existing(name)
            text = self._read(self.folder / name)
            with watching():
                read_project(text, self.folder / name)
            private = self.folder / PRIVATE / Path(name).stem
            if os.path.islink(self.folder / PRIVATE) or os.path.islink(private):
                raise InputError(f"{PRIVATE} is a link. The workbench keeps nothing outside.")
            for place in (self.folder / PRIVATE, private):
                os.makedirs(place, mode=0o700, exist_ok=True)
            history = History(private / "history")
            self.project_name = name
            self.history = history
            self.store = Store(private / "results")
            self._forget()
            self.take_up()

    def new_project_name(self, data: str) -> str:
        """Return a name for the project of a data file that nothing has yet."""
        names = ["release.toml", f"{Path(data).stem}.toml"]
        names += [f"{Path(data).stem}-{number}.toml" for number in range(2, 1000)]
        return next(one for one in names if not os.path.lexists(self.folder / one))

    def put_away(self) -> None:
        """Have no project open; what is known of it stays in its folder."""
        with self._lock:
            self.project_name = None
            self._forget()

    def take_up(self) -> bool:
        """Record what somebody else wrote into the project file; say whether there was any."""
        with self._lock:
            text = self._read(self.project_path)
            here = self.history.at
            if here is not None and self.history.text == text:
                return False
            self.history.record(text, ("opened",) if here is None else ("outside",))
            self._forget()
            return here is not None

    def _read(self, place: Path) -> str:
        with watching():
            return read_text(place, "project file", limit=LARGEST_PROJECT, kept=True)

    def _forget(self) -> None:
        for name in ("content", "project"):
            self.__dict__.pop(name, None)

    @cached_property
    def content(self) -> dict[str, Any]:
        """What the project file says, as it stands there."""
        return tomllib.loads(self.history.text)

    @cached_property
    def project(self) -> Project:
        """The project as it is read."""
        with watching():
            return read_project(self.history.text, self.project_path)

    def check_version(self, version: str) -> None:
        """Refuse a change from a page of another state, or while a release is being written."""
        if any(job.kind in _WRITING for job in self.jobs.working):
            raise Busy("stale.busy")
        if self.take_up() or version != self.history.version:
            raise Stale("stale.said")

    def change(
        self, version: str, changes: Mapping[tuple[str, ...], Any], what: tuple[str, ...]
    ) -> None:
        """Change settings of the project; where the result is no project, nothing is changed."""
        with self._lock:
            self.check_version(version)
            self.rewrite(version, changed_project(self.history.text, changes), what)

    def rewrite(self, version: str, text: str, what: tuple[str, ...]) -> None:
        """Put another text in place of the project's, if it is a project."""
        with self._lock:
            self.check_version(version)
            if text == self.history.text:
                return
            with watching():
                self._check_policy(read_project(text, self.project_path))
            self._write(text)
            self.history.record(text, what)
            self._forget()

    def try_steps(self, version: str, text: str, what: tuple[str, ...]) -> Job:
        """Apply the steps of a project to a copy, and take the project up if they can be."""
        self.check_version(version)
        with watching():
            self._check_policy(read_project(text, self.project_path))
        request = {"kind": "steps", "text": text, "project": str(self.project_path)}
        key = f"{version} {key_of(text)}"
        return self.jobs.start(
            "steps", key, request, then=lambda: self.rewrite(version, text, what)
        )

    def _check_policy(self, changed: Project) -> None:
        """Refuse a change that undercuts a policy where nothing did before."""
        before = self.undercut
        worse = [one for one in flow.undercut_by(changed, self.policy) if one not in before]
        if worse:
            raise InputError(" ".join(worse))

    @property
    def undercut(self) -> list[str]:
        """What the project asks for against its policies: it cannot be released so."""
        return flow.undercut_by(self.project, self.policy)

    def step(self, version: str, kind: str, number: int | None = None) -> None:
        """Undo, redo, or go to a state by its number."""
        with self._lock:
            self.check_version(version)
            here = self.history.at
            assert here is not None
            if kind == "undo":
                self.history.undo()
            elif kind == "redo":
                self.history.redo()
            else:
                self.history.go(-1 if number is None else number)
            try:
                self._write(self.history.text)
            except BaseException:
                self.history.go(here.number)
                raise
            self._forget()

    def standing_at(self, number: int) -> Desk:
        """Return a desk on which the project is as it was in a state, to look at its results."""
        other = copy.copy(self)
        other._forget()
        other.history = self.history.standing_at(number)
        return other

    def _write(self, text: str) -> None:
        with watching():
            write_whole(self.project_path, text, own=True)

    # Results -------------------------------------------------------------------------------------

    def data_digest(self) -> str:
        """Return the hash of the records' file; read again only where it changed."""
        return self._digest(str(self.project.data.file))

    def data_changed(self) -> bool:
        """Say whether the records' file is another one than when somebody last took note of it."""
        seen = self.store.read("data", "seen")
        if seen is None:
            self.note_data()
            return False
        return bool(seen.get("digest") != self.data_digest())

    def note_data(self) -> None:
        """Take note of the records' file as it is now."""
        self.store.keep("data", "seen", {"digest": self.data_digest()})

    def digest_of(self, name: str) -> str:
        """Return the hash of a file of the folder, or of all that is in a folder of it."""
        return self._digest(str(self.place_of(name)))

    def _digest(self, path: str) -> str:
        try:
            status = os.stat(path)
        except OSError:
            return f"not a file: {path}"
        if not os.path.isfile(path):
            inside = sorted(os.listdir(path)) if os.path.isdir(path) else []
            return key_of([self._digest(os.path.join(path, name)) for name in inside])
        known = (path, status.st_size, status.st_mtime_ns, status.st_ino)
        if known not in self._digests:
            self._digests[known] = file_digest(path)
        return self._digests[known]

    def key_for(self, kind: str) -> str:
        """Return the hash of all that a result is made from."""
        said, data = self.content, self.data_digest()
        release = said.get("release", {})
        variables = said.get("variables", {})
        if kind == "look":
            missing = {name: one.get("missing") for name, one in variables.items()}
            return key_of(kind, data, said.get("data"), missing)
        named = [release[name] for name in ("hierarchies", "plan") if name in release]
        named += [str(given) for one in variables.values() if (given := _file_of_tree(one))]
        files = [self._digest(str(self.folder / one)) for one in named]
        if kind == "count":
            counted = {n: release.get(n) for n in ("key", "person", "missing", "hierarchies")}
            return key_of(kind, data, files, said.get("data"), variables, counted)
        if kind == "lattice":
            return key_of(kind, self.key_for("count"), self._of_lattice())
        if kind == "closer":
            promised = {n: release.get(n) for n in ("k", "at_most")}
            return key_of(kind, self.key_for("count"), promised, said.get("public"))
        if kind == "tables":
            asked = {n: said.get("publish", {}).get(n) for n in _COUNTED_FOR_TABLES}
            of_tables = [said.get(n) for n in ("data", "tables", "recodes")]
            return key_of(kind, data, files, variables, asked, of_tables)
        if kind in ("protect", "compare"):
            left_out = {*_TOLD, *(["method"] if kind == "compare" else [])}
            used = {n: v for n, v in release.items() if n not in left_out}
            rest = {n: v for n, v in said.items() if n not in ("release", "report", "contract")}
            return key_of(kind, data, files, used, rest)
        policies = [*self.policy, *(self.project.release.policy or ())]
        return key_of(kind, data, files, said, [self._digest(str(one)) for one in policies])

    def key_of_population(self, fraction: float | None) -> str:
        """Return the hash of all that an estimate for the population is made from."""
        return key_of("population", self.key_for("count"), fraction)

    def _of_lattice(self) -> dict[str, Any]:
        """Return what a lattice is made from beside the count: k, and the highest levels."""
        release, variables = self.content.get("release", {}), self.content.get("variables", {})
        k = release.get("k") or release.get("at_most", 4) + 1
        limits = {n: one["highest_level"] for n, one in variables.items() if "highest_level" in one}
        return {"k": min(k, MOST), "limits": limits}

    def result(self, kind: str) -> dict[str, Any] | None:
        """Return a result, if it is known for the present state."""
        return self.store.read(kind, self.key_for(kind))

    def wanted(
        self, kind: str, *, again: bool = False, out: str = "", fraction: float | None = None
    ) -> Job:
        """Begin the job that makes a result, unless it is under way or has failed."""
        key = self.key_of_population(fraction) if kind == "population" else self.key_for(kind)
        job = self.jobs.last(kind, key)
        if job is not None and (job.is_working or (job.state != "done" and not again)):
            return job
        request: dict[str, Any] = {
            "kind": kind,
            "key": key,
            "text": self.history.text,
            "project": str(self.project_path),
            "results": str(self.private / "results"),
        }
        if kind == "count":
            request |= {"look": self.key_for("look"), "count": key}
        if kind == "release":
            request |= {"out": out, "policy": list(map(str, self.policy))}
        if kind == "publish":
            request |= {"trial": out}
        if kind == "population":
            request |= {"fraction": fraction}
        if kind == "lattice":
            request |= {"count": self.key_for("count"), **self._of_lattice()}
        return self.jobs.start(kind, key, request)

    def open_data(self, name: str) -> None:
        """Open the project of the folder that names a data file; draft one where there is none."""
        for one in self.project_files:
            try:
                said = tomllib.loads(self._read(self.folder / one.name)).get("data", {})
            except (InputError, tomllib.TOMLDecodeError):
                continue
            if said.get("file") == name:
                self.open_project(one.name)
                return
        self.draft(name, {})

    def draft(self, name: str, reading: Mapping[str, Any]) -> Job:
        """Begin to draft a project for a data file; it is opened when it is there."""
        data, project = self.existing(name), self.new_project_name(name)
        request = {
            "kind": "draft",
            "data": str(data),
            "project": str(self.folder / project),
            "reading": dict(reading),
        }

        def open_drafted() -> None:
            # with a seed of its own whatever is run repeats, here and from the command line
            drafted = self._read(self.folder / project)
            text = changed_project(drafted, {("release", "seed"): secrets.randbits(62)})
            with watching():
                write_whole(self.folder / project, text, own=True)
            self.open_project(project)

        return self.jobs.start("draft", key_of(name, dict(reading)), request, then=open_drafted)

    @property
    def rollup(self) -> Rollup:
        """The key table in memory, which answers what a recoding would do."""
        key = self.key_for("count")
        if self._rollup is None or self._rollup[0] != key:
            table = self.store.rollup(key)
            assert table is not None, "it was not counted"
            self._rollup = key, table
        return self._rollup[1]

    def close(self) -> None:
        """Stop what is under way."""
        self.jobs.close()
