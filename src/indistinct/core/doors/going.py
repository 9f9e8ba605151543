"""The way out: what is written appears whole or not at all, and takes nothing's place unasked.

What is decided here: nothing is written over a file that the run reads, whatever it is called and
however it is linked. What stands at a place already is replaced if the user said so (`overwrite`),
or if the program keeps the file itself (`own`: a log, a follow-up, the head of a trail). Nothing
is put into a release folder that does not belong there. Written aside, fsynced, renamed.

What a run that was killed left behind: told from what another one is writing, and removed.

What is decided here: whatever is written aside has the process id in its name, and a lock for as
long as it is being written. It is removed by the next run of any verb that names something in the
same folder, if it belongs to the same user, its process is gone and its lock is free (a process id
alone says nothing across containers). A workspace is known by a mark inside of it and not by its
name, which a user's own folder may have.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from indistinct.core import systems
from indistinct.core.doors.interrupts import undisturbed
from indistinct.core.doors.watch import Watch, resolved, watched
from indistinct.core.errors import InputError

__all__ = [
    "MARK",
    "MARKED",
    "WORKSPACE",
    "check_new_file",
    "check_new_folder",
    "check_place",
    "folder_written_whole",
    "is_aside",
    "is_workspace",
    "name_aside",
    "note_place",
    "put_in_place",
    "remove_leftovers",
    "sync_all",
    "write_whole",
    "written_whole",
]

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_SEAL = "certificate.json"
"""What makes a folder a release, or published tables."""


@contextlib.contextmanager
def written_whole(
    path: str | Path, *, private: bool = False, overwrite: bool = False, own: bool = False
) -> Iterator[Path]:
    """Give a name beside `path` to write to; rename it to `path` when all went well.

    On any failure, an interrupt included, the file aside is removed and what stood at `path`
    before stands there still.

    Parameters
    ----------
    private
        Whether it can be read by its owner alone.
    overwrite
        Whether a file that stands there is replaced; never one that the run reads.
    own
        Whether it is a file that the program keeps and writes again, wherever it stands.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with written_whole(folder / "out.txt") as aside:
    ...     _ = aside.write_text("all of it")
    >>> [file.name for file in folder.iterdir()]
    ['out.txt']
    """
    path = check_new_file(path, overwrite=overwrite, own=own)
    _tidy(path)
    aside = name_aside(path, file=True)
    try:
        # Made here, so that the file has the permissions of the user's own umask and its
        # name is taken.
        mode = 0o600 if private else 0o666
        os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        with held(aside):
            yield aside
            if not is_aside(path):  # a workspace does not last, and a folder is synced as a whole
                systems.sync_path(aside)
            # What came to stand there meanwhile is no more to be replaced than what stood before.
            check_new_file(path, overwrite=overwrite, own=own)
            note_place(path)
            os.replace(aside, path)
    except OSError as error:
        raise _sentence(error, path) from None
    finally:
        with undisturbed(), contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
    if not is_aside(path):
        with contextlib.suppress(OSError):
            systems.sync_path(path.parent)


def write_whole(
    path: str | Path,
    content: str | bytes,
    *,
    private: bool = False,
    overwrite: bool = False,
    own: bool = False,
) -> Path:
    """Write text, as UTF-8, or bytes to a file that appears whole or not at all."""
    path = Path(path)
    with written_whole(path, private=private, overwrite=overwrite, own=own) as aside:
        aside.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


@contextlib.contextmanager
def folder_written_whole(
    folder: str | Path, *, kept: bool = False, replaces: Callable[[Path], bool] | None = None
) -> Iterator[Path]:
    """Give a folder aside to write to; it gets its name when all went well, and else is removed.

    Parameters
    ----------
    kept
        Whether the program keeps this folder itself, for its owner alone, wherever it stands.
        Where another process was quicker, what that one wrote stays.
    replaces
        Says of a folder that stands there whether an earlier run made it, so that it gives way.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "out"
    >>> with folder_written_whole(place) as aside:
    ...     _ = (aside / "one.txt").write_text("all of it")
    >>> [file.name for file in place.iterdir()]
    ['one.txt']
    """
    place = resolved(folder if kept else check_new_folder(folder, replaces=replaces))
    _tidy(place)
    aside = name_aside(place, file=False)
    try:
        os.mkdir(aside, 0o700)
        with held(aside):
            yield aside
            if aside.exists():  # and has not been put in place within the block
                sync_all(aside)
                if not kept:
                    systems.set_mode(aside, 0o755)
                    with _out_of_the_way(place, replaces):
                        put_in_place(aside, check_new_folder(place))
                elif not os.path.isdir(place):
                    put_in_place(aside, place)
    except OSError as error:
        raise _sentence(error, place) from None
    finally:
        with undisturbed():
            shutil.rmtree(aside, ignore_errors=True)


def put_in_place(aside: Path, place: Path) -> None:
    """Rename a folder that was written aside; an empty one that stands there gives way."""
    systems.make_way(place)
    note_place(place)
    os.replace(aside, place)
    systems.sync_path(place.parent)


@contextlib.contextmanager
def _out_of_the_way(place: Path, replaces: Callable[[Path], bool] | None) -> Iterator[None]:
    """Move what an earlier run made aside; it is removed in the end, or stands there again."""
    if replaces is None or not place.is_dir() or not replaces(place):
        yield
        return
    earlier = name_aside(place, file=False)
    os.rename(place, earlier)
    try:
        yield
    except BaseException:
        os.rename(earlier, place)
        raise
    shutil.rmtree(earlier, ignore_errors=True)


def check_new_file(path: str | Path, *, overwrite: bool = False, own: bool = False) -> Path:
    """Refuse a place where a file cannot be written or must not be, before any work is done."""
    path = check_place(path)
    if os.path.isdir(path):
        raise InputError(f"{path} is a directory. Give the name of a file to write.")
    if os.path.lexists(path):
        if os.path.exists(path) and not os.path.isfile(path):
            raise InputError(f"{path} is not a regular file. Give the name of a file to write.")
        if os.path.islink(path) and not own:
            raise InputError(f"{path} is a link. Give the name of a file to write.")
        watch = watched()
        if not (overwrite or own or (watch is not None and watch.may_replace(path))):
            raise InputError(
                f"{path} exists already. Choose another name, or replace it with --overwrite "
                "(in Python overwrite=True)."
            )
    if not own:
        _check_outside_releases(path)
    return path


def check_new_folder(folder: str | Path, *, replaces: Callable[[Path], bool] | None = None) -> Path:
    """Refuse a place where something stands already, before any work is done."""
    if not os.path.basename(os.path.normpath(folder)) or os.path.normpath(folder) in (".", ".."):
        raise InputError(f"'{folder}' is a folder that is in use. Give the name of a new one.")
    folder = check_place(folder)
    if os.path.lexists(folder) and not (os.path.isdir(folder) and _is_empty(folder)):
        link = os.path.islink(folder) or not os.path.isdir(folder)
        if link or replaces is None or not replaces(folder):
            raise InputError(f"{folder} exists already and is not empty. Choose another folder.")
    _check_outside_releases(folder)
    return folder


def check_place(path: str | Path) -> Path:
    """Refuse a place that cannot be, or that is read: whatever is to be written there."""
    path = Path(path)
    name = os.fsencode(path.name or os.path.basename(os.path.abspath(path)))
    if not name or b"\0" in os.fsencode(path):
        raise InputError(f"'{path}' is not the name of a file to write. Give another.")
    if len(name) > 255 or len(os.fsencode(os.path.abspath(path))) > 4000:
        raise InputError(f"{path.name[:40]}… is too long for the name of a file. Shorten it.")
    if not os.path.isdir(os.path.realpath(path.parent)):
        raise InputError(f"The folder {path.parent} does not exist. Create it first.")
    watch = watched()
    what = watch.what_is_read(path) if watch is not None else None
    if what is not None:
        raise InputError(
            f"{path} {what} that is read here, and is never written over. Choose another name."
        )
    return path


def _is_empty(folder: Path) -> bool:
    try:
        return not any(folder.iterdir())
    except OSError:
        return False


def _check_outside_releases(path: Path) -> None:
    """Refuse what would lie in a release folder, whose check would find it."""
    place = resolved(path)
    if is_aside(place):
        return
    for folder in place.parents:
        if os.path.lexists(folder / _SEAL):
            raise InputError(
                f"{path} lies in the release folder {folder}, and does not belong there. Choose a "
                "place outside."
            )


def _tidy(path: Path) -> None:
    watch = watched()
    if watch is not None and not is_aside(path.parent):
        remove_leftovers(resolved(path.parent), watch)


def note_place(path: Path) -> None:
    """Let the run know that a place is about to be written."""
    watch = watched()
    if watch is not None and not is_aside(path):
        watch.note_place(path)


def sync_all(folder: Path) -> None:
    """Have everything in a folder written to the disk."""
    for path in (*folder.rglob("*"), folder):
        systems.sync_path(path)


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


# What a run that was killed left behind ----------------------------------------------------------


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
