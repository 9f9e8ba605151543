"""The way in: a file that is read is a regular one, and no longer than what it is can be.

What is decided here: a file is opened without waiting for anybody, and asked what it is before a
byte is read, so that neither a pipe nor a device can hold a run or fill the memory. Whatever is
read is known to the run's `Watch`, and so is never written over. Data are read as long as they
are, since they are streamed; everything else has a limit.
"""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

from indistinct.core import systems
from indistinct.core.doors.watch import Watch, watched
from indistinct.core.errors import InputError, did_you_mean

__all__ = [
    "LONGEST",
    "beside",
    "check_address",
    "check_file",
    "check_folder_of_files",
    "check_within",
    "open_file",
    "read_file",
    "read_text",
]

LONGEST = 64_000_000
"""Bytes that a file which is no data may have, unless its kind has a limit of its own."""


def open_file(path: str | Path, what: str = "file", *, kept: bool = False) -> BufferedReader:
    """Open a regular file for reading; a pipe, a device or a folder is refused.

    Parameters
    ----------
    what
        What the file is, in a word for people: plan, project file, key.
    kept
        Whether the program keeps this file itself and writes it again, such as a log of answers.
    """
    path = Path(path)
    try:
        handle = os.open(path, systems.reading())
    except (OSError, ValueError) as error:
        raise InputError(_unreadable(path, what, error)) from None
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise InputError(_not_regular(path, what, mode))
        watch = watched()
        if watch is not None and not kept:
            watch.note_input(path, what)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_file(
    path: str | Path, what: str = "file", *, limit: int = LONGEST, kept: bool = False
) -> bytes:
    """Read a whole file that is no data, up to a limit of bytes.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "plan.json").write_text("{}")
    2
    >>> read_file(folder / "plan.json", "plan", limit=1)
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: The plan ...plan.json has more than 1 bytes, which no ...
    """
    with open_file(path, what, kept=kept) as file:
        try:
            content = file.read(limit + 1)
        except OSError as error:
            raise InputError(_unreadable(Path(path), what, error)) from None
    if len(content) > limit:
        raise InputError(
            f"The {what} {path} has more than {limit:,} bytes, which no {what} needs. Is it the "
            "right file?"
        )
    return content


def read_text(
    path: str | Path, what: str = "file", *, limit: int = LONGEST, kept: bool = False
) -> str:
    """Read a whole file of UTF-8 text that is no data, up to a limit of bytes."""
    content = read_file(path, what, limit=limit, kept=kept)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: the text is not UTF-8. Save it as UTF-8.") from None


def check_file(path: str | Path, what: str = "file", *, kept: bool = False) -> Path:
    """Refuse what is not a regular file that can be read; for libraries that open it themselves."""
    open_file(path, what, kept=kept).close()
    return Path(path)


def check_folder_of_files(folder: str | Path, what: str, *, ending: str = "*") -> Path:
    """Refuse what is not a folder; the files in it that are asked for must be regular."""
    folder = Path(folder)
    if not os.path.isdir(folder):
        word = "is a file" if os.path.isfile(folder) else "does not exist"
        raise InputError(f"The {what} {folder} {word}. Give a folder.")
    watch = watched()
    if watch is not None:
        watch.note_input(folder, what)
    for path in sorted(folder.glob(ending)):
        check_file(path, what)
    return folder


def check_within(path: Path, folder: Path, what: str = "project file") -> str | None:
    """Say why a project file or a plan in `folder` may not name `path`, if it may not.

    It may name what lies in its own folder, links followed, and what the command line names.
    """
    if (watched() or Watch()).reaches(path, folder):
        return None
    return (
        f"leads out of the folder of the {what}, {folder}. Put it there, or allow this with "
        f"--allow-outside if you trust the {what}"
    )


def check_address(address: str, told: str, what: str = "project file") -> str | None:
    """Say why a project file may not name another machine, if it may not.

    Parameters
    ----------
    told
        The address without what is secret in it.
    """
    if (watched() or Watch()).reaches_address(address, told):
        return None
    return (
        f"leads out of the folder of the {what}, to {told}. Name that on the command line, or "
        f"allow this with --allow-outside if you trust the {what}"
    )


def beside(missing: Path) -> str:
    """Return a hint: the nearest name in the folder of a file that is not there."""
    if not os.path.isdir(missing.parent):
        return f"There is no folder {missing.parent} either."
    try:
        names = sorted(name for name in os.listdir(missing.parent) if not name.startswith("."))
    except OSError:
        return f"The folder {missing.parent} cannot be read."
    return did_you_mean(missing.name, names[:1000]) if names else "Its folder is empty."


def _unreadable(path: Path, what: str, error: OSError | ValueError) -> str:
    if isinstance(error, IsADirectoryError):
        return f"{path} is a directory. Give the {what} in it."
    if isinstance(error, FileNotFoundError) and len(os.fsencode(path.name)) < 256:
        return f"There is no {what} {path}. {beside(path)}"
    reason = (error.strerror if isinstance(error, OSError) else None) or "the name is not allowed"
    return f"The {what} {path} cannot be read: {reason}."


def _not_regular(path: Path, what: str, mode: int) -> str:
    if stat.S_ISDIR(mode):
        return f"{path} is a directory. Give the {what} in it."
    kind = "a pipe" if stat.S_ISFIFO(mode) else "a device or socket"
    return f"The {what} {path} is {kind}, not a regular file. Save it as a file first."
