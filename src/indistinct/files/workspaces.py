"""A private folder for copies of private records, gone when the work is done.

What is decided here: the folder is readable by its owner alone (mode 700), its name holds the
process id, and it holds a mark that is locked for as long as that process lives. It is deleted when
the block ends, by an error, Ctrl-C or SIGTERM too. After a kill that cannot be caught (SIGKILL,
power), the next workspace in the same place deletes it: only when it has the mark, belongs to the
same user, its process is gone and its lock is free (a process id alone says nothing across
containers). A folder without the mark is a user's own, whatever it is called.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from indistinct.core import InputError, systems
from indistinct.core.doors import MARK, MARKED, WORKSPACE, is_workspace, undisturbed

__all__ = ["workspace"]


@contextlib.contextmanager
def workspace(directory: str | Path | None = None) -> Iterator[Path]:
    """Give a private temporary folder, in `directory` or where the system keeps such.

    >>> with workspace() as folder:
    ...     folder.stat().st_mode & 0o777 == 0o700
    True
    >>> folder.exists()
    False
    """
    parent = Path(directory) if directory is not None else Path(tempfile.gettempdir())
    if not parent.is_dir():
        raise InputError(f"The folder {parent} for temporary files does not exist. Create it.")
    _remove_stale(parent)
    with systems.ends_on_termination():
        try:
            folder = Path(tempfile.mkdtemp(prefix=f"indistinct-{os.getpid()}-", dir=parent))
        except OSError as error:
            raise InputError(
                f"No temporary folder can be made in {parent}: "
                f"{os.strerror(error.errno or 0)}. Choose another place."
            ) from None
        try:
            lock = os.open(folder / MARK, os.O_CREAT | os.O_RDWR, 0o600)
            try:
                systems.lock(lock)
                os.write(lock, MARKED)
                yield folder
            finally:
                os.close(lock)
        finally:
            with undisturbed():
                _remove(folder)


def _remove_stale(parent: Path) -> None:
    with contextlib.suppress(OSError):
        for folder in parent.iterdir():
            match = WORKSPACE.fullmatch(folder.name)
            if match and not folder.is_symlink() and folder.is_dir():
                with contextlib.suppress(OSError):
                    if systems.is_mine(folder.stat()) and _abandoned(folder, int(match[1])):
                        _remove(folder)


def _abandoned(folder: Path, pid: int) -> bool:
    if not systems.process_is_gone(pid) or not (is_workspace(folder) or _was_just_begun(folder)):
        return False
    if not (folder / MARK).exists():
        return True
    handle = os.open(folder / MARK, os.O_RDWR)
    try:
        return systems.lock(handle)
    finally:
        os.close(handle)


def _was_just_begun(folder: Path) -> bool:
    """Say whether a process was killed before it set the mark: nothing is lost with that."""
    if folder.stat().st_mode & 0o077:
        return False
    return all(file.name == MARK and not file.stat().st_size for file in folder.iterdir())


def _remove(folder: Path) -> None:
    """Remove a workspace, its mark last: a kill in the middle leaves what is still known as one."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.name != MARK:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
