"""What a run that was killed left behind: told from what another one is writing, and removed.

What is decided here: whatever is written aside has the process id in its name, and a lock for as
long as it is being written. It is removed by the next run of any verb that names something in the
same folder, if it belongs to the same user, its process is gone and its lock is free (a process id
alone says nothing across containers). A workspace is known by a mark inside of it and not by its
name, which a user's own folder may have.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from indistinct.core import systems
from indistinct.core.doors.watch import Watch

__all__ = [
    "MARK",
    "MARKED",
    "WORKSPACE",
    "held",
    "is_aside",
    "is_workspace",
    "name_aside",
    "remove_leftovers",
]

_ASIDE = re.compile(r"\..*\.indistinct-(\d+)-[0-9a-f]{8}(\.part)?", re.DOTALL)
WORKSPACE = re.compile(r"indistinct-(\d+)-\w+")
"""The name of a workspace; a user's own folder may have such a name too."""
MARK = ".lock"
MARKED = b"A workspace of indistinct, to be removed when its process is gone.\n"
"""What stands in the file MARK of a workspace, and makes it one."""


def name_aside(place: Path, *, file: bool) -> Path:
    """Return a new name beside a place, from which the process that writes there can be told."""
    ending = ".part" if file else ""
    beginning = os.fsencode(place.name)[:100].decode("utf-8", "ignore")
    return place.parent / f".{beginning}.indistinct-{os.getpid()}-{secrets.token_hex(4)}{ending}"


def is_aside(path: Path) -> bool:
    """Say whether a path is written aside, or lies in a folder that is, or in a workspace.

    >>> is_aside(Path("x/.out.indistinct-17-0123abcd/data.csv")), is_aside(Path("x/.out"))
    (True, False)
    """
    return any(_ASIDE.fullmatch(step.name) or is_workspace(step) for step in (path, *path.parents))


def is_workspace(folder: Path) -> bool:
    """Say whether a folder is a workspace, by its name and the mark inside of it.

    >>> is_workspace(Path("indistinct-2024-census"))
    False
    """
    if not WORKSPACE.fullmatch(folder.name):
        return False
    with contextlib.suppress(OSError):
        handle = os.open(folder / MARK, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            return os.read(handle, len(MARKED) + 1) == MARKED
        finally:
            os.close(handle)
    return False


@contextlib.contextmanager
def held(aside: Path) -> Iterator[None]:
    """Hold the lock of what is written aside."""
    try:
        handle = os.open(aside, os.O_RDONLY)
    except PermissionError:  # Windows opens no folders
        yield
        return
    try:
        systems.lock(handle)
        yield
    finally:
        os.close(handle)


def remove_leftovers(folder: Path, watch: Watch) -> list[Path]:
    """Remove what killed runs left in a folder, and say so; once for a run."""
    if folder in watch.looked_into:
        return []
    watch.looked_into.add(folder)
    removed = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = _ASIDE.fullmatch(entry.name)
            if match and _is_left_over(entry, int(match[1])):
                _remove(Path(entry.path))
                if not os.path.lexists(entry.path):
                    removed.append(Path(entry.path))
    if len(removed) == 1:
        watch.say(f"removed what an earlier run left in {folder} when it was killed")
    elif removed:
        watch.say(f"removed {len(removed)} things that runs left in {folder} when they were killed")
    return removed


def _is_left_over(entry: os.DirEntry[str], process: int) -> bool:
    with contextlib.suppress(OSError):
        if entry.is_symlink() or not systems.is_mine(entry.stat(follow_symlinks=False)):
            return False
        if not (entry.is_file() or entry.is_dir()) or not systems.process_is_gone(process):
            return False
        handle = os.open(entry.path, systems.reading())
        try:
            return systems.lock(handle)
        finally:
            os.close(handle)
    return False


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()
