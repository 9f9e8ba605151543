"""What one run reads and writes, kept from its beginning to its end.

What is decided here: a file is known by its resolved path and by its device and number, so that
no link leads around a check. A watch lasts for a verb, or for a call of the Python API; what is
called within it shares it.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Identity", "Watch", "lies_within", "resolved", "watched", "watching"]

Identity = tuple[int, int]
"""The device and the number of a file there."""
State = tuple[int, ...]
"""What a file or folder is: another one, or one that was added to, has another state."""


def resolved(path: str | Path) -> Path:
    """Return where a path leads, all links followed; what cannot be followed stays as it is."""
    return Path(os.path.realpath(path))


def lies_within(path: str | Path, folder: str | Path) -> bool:
    """Say whether a path is a folder or lies in it, all links followed."""
    place, home = resolved(path), resolved(folder)
    return home == place or home in place.parents


def _identity(path: Path) -> Identity | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _state(path: Path) -> State | None:
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _warn(sentence: str) -> None:
    warnings.warn(sentence, stacklevel=3)


@dataclass
class Watch:
    """The inputs and outputs of a run.

    Parameters
    ----------
    allow_outside
        Whether a project file may name what lies outside its folder.
    say
        Gets a sentence for people; by default it is a warning.
    """

    allow_outside: bool = False
    say: Callable[[str], None] = _warn
    outside: list[Path | str] = field(default_factory=list)
    """What project files named outside their folders, and were allowed to: paths, addresses."""
    looked_into: set[Path] = field(default_factory=set)
    """Folders in which leftovers were looked for already."""
    _inputs: dict[Path, str] = field(default_factory=dict)
    _identities: dict[Identity, str] = field(default_factory=dict)
    _folders: dict[Identity | Path, str] = field(default_factory=dict)
    _named: set[Path] = field(default_factory=set)
    _replaceable: set[Path] = field(default_factory=set)
    _places: dict[Path, State | None] = field(default_factory=dict)

    @property
    def written(self) -> list[Path]:
        """What was written so far, by what stands there: whole files and folders, and additions."""
        return [p for p, before in self._places.items() if _state(p) not in (None, before)]

    def note_place(self, path: Path) -> None:
        """Remember a place that is about to be written, as it is before."""
        self._places.setdefault(path, _state(path))

    def note_input(self, path: Path, what: str) -> None:
        """Remember a file that is read, or a folder whose files are."""
        place = resolved(path)
        if os.path.isdir(place):
            self._folders.setdefault(_identity(place) or place, what)
            return
        self._inputs.setdefault(place, what)
        identity = _identity(place)
        if identity is not None:
            self._identities.setdefault(identity, what)

    def note_named(self, path: Path) -> None:
        """Remember what the command line names: a project file may name it too."""
        self._named.add(resolved(path))

    def allow_replacing(self, path: Path) -> None:
        """Remember an output that the user allows to replace what stands there."""
        self._replaceable.add(resolved(path))

    def may_replace(self, path: Path) -> bool:
        """Say whether what stands at a path may be replaced."""
        return resolved(path) in self._replaceable

    def what_is_read(self, path: Path) -> str | None:
        """Say that a place is what this run reads, by whatever name or link, or lies in it.

        >>> watch = Watch()
        >>> watch.note_input(Path("/usr"), "folder of hierarchies")
        >>> watch.what_is_read(Path("/usr/new.csv"))
        'lies in the folder of hierarchies'
        """
        place = resolved(path)
        if place in self._inputs:
            return f"is the {self._inputs[place]}"
        identity = _identity(place)
        if identity is not None and identity in self._identities:
            return f"is the {self._identities[identity]}"
        # by number too: a folder has several names where upper and lower case are one, or where
        # it is mounted twice
        for step in (place, *place.parents) if self._folders else ():
            read = self._folders.get(_identity(step) or step)
            if read is not None:
                return f"{'is' if step == place else 'lies in'} the {read}"
        return None

    def reaches(self, path: Path, folder: Path) -> bool:
        """Say whether a project file in a folder may name a path."""
        place = resolved(path)
        if place in self._inputs or any(
            lies_within(place, home) for home in (folder, *self._named)
        ):
            return True
        if self.allow_outside and place not in self.outside:
            self.outside.append(place)
        return self.allow_outside

    def reaches_address(self, address: str, told: str) -> bool:
        """Say whether a project file may name a database or a cluster: another machine."""
        if resolved(address) in self._named:
            return True
        if self.allow_outside and told not in self.outside:
            self.outside.append(told)
        return self.allow_outside


_CURRENT: ContextVar[Watch | None] = ContextVar("watch", default=None)


def watched() -> Watch | None:
    """Return the watch of the run that is under way, if one is."""
    return _CURRENT.get()


@contextlib.contextmanager
def watching(
    *,
    allow_outside: bool = False,
    say: Callable[[str], None] | None = None,
    again: Watch | None = None,
) -> Iterator[Watch]:
    """Watch what is read and written until the block ends; within another watch, share it.

    What was watched before is watched `again`, if it is given.

    >>> with watching() as outer, watching() as inner:
    ...     inner is outer
    True
    """
    shared = _CURRENT.get()
    watch = shared or again or Watch(say=say or _warn)
    before = watch.allow_outside
    watch.allow_outside = before or allow_outside
    _CURRENT.set(watch)
    try:
        yield watch
    finally:
        watch.allow_outside = before
        _CURRENT.set(shared)
