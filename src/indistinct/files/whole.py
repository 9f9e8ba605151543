"""Files that appear whole or not at all: written aside, fsynced, renamed."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from indistinct.errors import InputError

__all__ = ["check_new_folder", "folder_written_whole", "put_in_place", "sync_all", "written_whole"]

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextlib.contextmanager
def written_whole(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Give a name beside `path` to write to; rename it to `path` when all went well.

    On any failure, an interrupt included, the file aside is removed and what stood at `path`
    before stands there still. A `private` file can be read by its owner alone.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with written_whole(folder / "out.txt") as aside:
    ...     _ = aside.write_text("all of it")
    >>> [file.name for file in folder.iterdir()]
    ['out.txt']
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a directory. Give the name of a file to write.")
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a regular file. Give the name of a file to write.")
    if not path.parent.is_dir():
        raise InputError(f"The folder {path.parent} does not exist. Create it first.")
    aside = path.parent / f".{path.name[:100]}.{secrets.token_hex(4)}.part"
    try:
        # Made here, so that the file has the permissions of the user's own umask and its
        # name is taken.
        mode = 0o600 if private else 0o666
        os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        yield aside
        _sync(aside)
        os.replace(aside, path)
    except OSError as error:
        raise _sentence(error, path) from None
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        _sync(path.parent)


@contextlib.contextmanager
def folder_written_whole(folder: str | Path) -> Iterator[Path]:
    """Give a folder aside to write to; it gets its name when all went well, and else is removed.

    >>> place = Path(tempfile.mkdtemp()) / "out"
    >>> with folder_written_whole(place) as aside:
    ...     _ = (aside / "one.txt").write_text("all of it")
    >>> [file.name for file in place.iterdir()]
    ['one.txt']
    """
    place = check_new_folder(folder).resolve()
    aside: Path | None = None
    try:
        aside = Path(tempfile.mkdtemp(prefix=f".{place.name[:100]}-", dir=place.parent))
        yield aside
        sync_all(aside)
        os.chmod(aside, 0o755)
        put_in_place(aside, place)
    except OSError as error:
        raise _sentence(error, place) from None
    finally:
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)


def put_in_place(aside: Path, place: Path) -> None:
    """Rename a folder that was written aside; an empty one that stands there gives way."""
    if os.name != "posix" and place.exists():
        place.rmdir()
    os.replace(aside, place)
    _sync(place.parent)


def sync_all(folder: Path) -> None:
    """Have everything in a folder written to the disk."""
    for path in (*folder.rglob("*"), folder):
        _sync(path)


def _sync(path: Path) -> None:
    if path.is_dir() and os.name != "posix":
        return  # only files can be synced there
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sentence(error: OSError, path: Path) -> InputError:
    if error.errno in _NO_ROOM:
        return InputError(
            f"The disk is full: {path} does not fit, nothing was written. "
            "Free some space or choose another folder."
        )
    if isinstance(error, PermissionError):
        return InputError(
            f"{path} cannot be written: permission denied, nothing was written. "
            "Choose another folder or ask for the right to write here."
        )
    reason = os.strerror(error.errno) if error.errno else "the system refused"
    return InputError(f"{path} cannot be written: {reason}. Nothing was written.")


def check_new_folder(folder: str | Path) -> Path:
    """Refuse a place where something stands already, before any work is done."""
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists already and is not empty. Choose another folder.")
    if not folder.resolve().parent.is_dir():
        raise InputError(f"The folder {folder.parent} does not exist. Create it first.")
    return folder
