"""A private folder for copies of private records, gone when the work is done.

What is decided here: the folder is readable by its owner alone (mode 700), its name holds the
process id, and it holds a lock for as long as that process lives. It is deleted when the block
ends, by an error, Ctrl-C or SIGTERM too. After a kill that cannot be caught (SIGKILL, power),
the next workspace in the same place deletes it: only when it belongs to the same user, its
process is gone and its lock is free (a process id alone says nothing across containers).
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from indistinct.core import InputError, systems
from indistinct.core.doors import undisturbed

__all__ = ["workspace"]

_NAME = re.compile(r"indistinct-(\d+)-\w+")
_LOCK = ".lock"


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
            lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
            try:
                systems.lock(lock)
                yield folder
            finally:
                os.close(lock)
        finally:
            with undisturbed():
                shutil.rmtree(folder, ignore_errors=True)


def _remove_stale(parent: Path) -> None:
    with contextlib.suppress(OSError):
        for folder in parent.iterdir():
            match = _NAME.fullmatch(folder.name)
            if match and not folder.is_symlink() and folder.is_dir():
                with contextlib.suppress(OSError):
                    if systems.is_mine(folder.stat()) and _abandoned(folder, int(match[1])):
                        shutil.rmtree(folder, ignore_errors=True)


def _abandoned(folder: Path, pid: int) -> bool:
    if not systems.process_is_gone(pid):
        return False
    if not (folder / _LOCK).exists():
        return True
    handle = os.open(folder / _LOCK, os.O_RDWR)
    try:
        return systems.lock(handle)
    finally:
        os.close(handle)
