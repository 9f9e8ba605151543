"""What only some systems have, each with what is done where it is missing.

What is decided here: nothing else in the package asks which system it runs on or calls what one of
Linux, macOS and Windows lacks; a test reads the source for it. Every function asks whether the name
is there when it is called, so that a test can take it away. Where a protection has no counterpart
(modes of files, limits on addresses, locks), the fallback does without it, never fails, and
docs/security.md says so.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

__all__ = [
    "address_limit",
    "ends_on_termination",
    "free_memory",
    "is_mine",
    "is_open_to_others",
    "is_superuser",
    "limit_this_process",
    "lock",
    "make_way",
    "process_is_gone",
    "processors",
    "read_at",
    "reading",
    "set_alarm",
    "set_group",
    "set_mode",
    "stop_family",
    "sync",
    "sync_path",
    "system_name",
    "user_number",
]

_LOCKED_BYTE = 1 << 30
"""Windows locks bytes, and nobody may read them meanwhile: one that no file of ours has."""
_WAIT = 0.1
"""Seconds between two tries for a lock that somebody else holds."""


def system_name() -> str:
    """Return ``linux``, ``darwin`` or ``win32``, as Python calls them."""
    return sys.platform


def _is_posix() -> bool:
    return os.name == "posix"


def _module(name: str) -> ModuleType | None:
    """Return a module that not every system has."""
    try:
        return import_module(name)
    except ImportError:
        return None


# Memory and processors


def free_memory() -> int | None:
    """Return the bytes of memory that the machine has free; None where nobody says.

    Linux says what is free, and what a container may use; macOS and other systems what there is;
    Windows both.
    """
    found = _memory_of_linux() or _memory_there_is() or _memory_of_windows()
    with contextlib.suppress(OSError, ValueError):
        allowed = int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii"))
        found = min(found, allowed) if found else allowed
    return found


def _memory_of_linux() -> int | None:
    with contextlib.suppress(OSError, KeyError, ValueError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        return int(fields["MemAvailable"].split()[0]) * 1024
    return None


def _memory_there_is() -> int | None:
    asked: Any = getattr(os, "sysconf", None)
    if asked is None:
        return None
    with contextlib.suppress(OSError, ValueError):
        return int(asked("SC_PAGE_SIZE") * asked("SC_PHYS_PAGES"))
    return None


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = [
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        *((name, ctypes.c_uint64) for name in ("total", "free", "b", "c", "d", "e", "f")),
    ]


def _memory_of_windows() -> int | None:
    library: Any = getattr(ctypes, "windll", None)
    if library is None:
        return None
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    if not library.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.free)


def address_limit() -> int | None:
    """Return the most addresses that this process may have (``ulimit -v``), if there is a limit."""
    resource: Any = _module("resource")
    if resource is None or not hasattr(resource, "RLIMIT_AS"):
        return None
    limit = int(resource.getrlimit(resource.RLIMIT_AS)[0])
    return None if limit == resource.RLIM_INFINITY else limit


def processors() -> int:
    """Return the number of processors that this process may run on."""
    asked: Any = getattr(os, "sched_getaffinity", None)
    return len(asked(0)) if asked is not None else os.cpu_count() or 1


def limit_this_process(memory: int) -> None:
    """Let this process have so many addresses, write no file and leave no core dump.

    Windows has no such limits that Python could set, and macOS does not keep the first.
    """
    resource: Any = _module("resource")
    if resource is None:
        return
    for name, most in (("RLIMIT_AS", memory), ("RLIMIT_FSIZE", 0), ("RLIMIT_CORE", 0)):
        which = getattr(resource, name, None)
        if which is None:
            continue
        _, hard = resource.getrlimit(which)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, (least, least))


def set_alarm(seconds: float | None) -> None:
    """Let the system end this process after a while, or not any more; not on Windows."""
    alarm: Any = getattr(signal, "alarm", None)
    if alarm is not None:
        alarm(0 if seconds is None else math.ceil(seconds) + 1)


# Files


def reading() -> int:
    """Return the flags with which a file is opened to be read: as it is, and without waiting."""
    return os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


_SEEKING = threading.Lock()


def read_at(handle: int, room: memoryview, start: int) -> None:
    """Fill `room` with the bytes of a file from `start` on, several threads at once.

    Where there is no reading at a place, threads read one after the other.
    """
    read: Any = getattr(os, "preadv", None)
    at = 0
    while at < len(room):
        if read is not None:
            number = int(read(handle, [room[at:]], start + at))
        else:
            with _SEEKING:
                os.lseek(handle, start + at, os.SEEK_SET)
                piece = os.read(handle, len(room) - at)
            number = len(piece)
            room[at : at + number] = piece
        if not number:
            raise EOFError("the file ends before what was written to it")
        at += number


def set_mode(path: str | os.PathLike[str], mode: int) -> None:
    """Say who may do what with a file; Windows knows only whether it may be written."""
    os.chmod(path, mode)


def set_group(path: str | os.PathLike[str], group: int) -> None:
    """Give a file to a group, where there are groups and this user may."""
    give: Any = getattr(os, "chown", None)
    if give is not None:
        with contextlib.suppress(OSError):
            give(path, -1, group)


def is_open_to_others(status: os.stat_result) -> bool:
    """Say whether others than its owner may read or write a file; modes of Windows do not tell."""
    return _is_posix() and bool(status.st_mode & 0o077)


def is_mine(status: os.stat_result) -> bool:
    """Say whether a file is this user's; where users have no numbers, whoever may delete it may."""
    number = user_number()
    return number is None or status.st_uid == number


def user_number() -> int | None:
    """Return the number of this user, where users have one."""
    asked: Any = getattr(os, "getuid", None)
    return int(asked()) if asked is not None else None


def account() -> str | None:
    """Return the name of the account that this process runs as, whatever its environment says."""
    number = user_number()
    if number is None:
        return os.environ.get("USERNAME")
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:  # a user without an entry in the password file
        return None


def is_superuser() -> bool:
    """Say whether this process may do anything; a process of Windows is asked for more by name."""
    asked: Any = getattr(os, "geteuid", None)
    return asked is not None and asked() == 0


def sync(handle: int) -> None:
    """Have what was written to an open file put on the disk."""
    os.fsync(handle)


def sync_path(path: Path) -> None:
    """Have a file or folder put on the disk; Windows syncs only files, open for writing."""
    if _is_posix():
        handle = os.open(path, os.O_RDONLY)
    elif path.is_dir():
        return
    else:
        try:
            handle = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        except PermissionError:  # a file that may only be read has been put on the disk before
            return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_way(place: Path) -> None:
    """Remove an empty folder to whose name another is about to be given; POSIX replaces it."""
    if not _is_posix() and place.is_dir():
        place.rmdir()


def lock(handle: int, *, wait: bool = False) -> bool:
    """Take the lock of an open file; say whether it is had. A lock ends with the file or process.

    A file system, or a system, without locks counts as free.
    """
    fcntl: Any = _module("fcntl")
    if fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        except OSError:
            pass
        return True
    msvcrt: Any = _module("msvcrt")
    if msvcrt is None:
        return True
    while True:
        at = os.lseek(handle, 0, os.SEEK_CUR)
        try:
            os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            return True
        except OSError:
            if not wait:
                return False
        finally:
            os.lseek(handle, at, os.SEEK_SET)
        time.sleep(_WAIT)


# Processes


def process_is_gone(process: int) -> bool:
    """Say whether there is surely no process with this id.

    On Windows ``os.kill`` would not ask but act, so that there nothing is known.
    """
    if not _is_posix():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def stop_family(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started in a session of its own, and every process it started."""
    kill: Any = getattr(os, "killpg", None)
    if kill is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    elif process.poll() is None:
        with contextlib.suppress(OSError):
            command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
            subprocess.run(command, capture_output=True, check=False)
        process.kill()
    process.wait()


_ASKED_TO_END = 0
"""How many blocks of `ends_on_termination` are under way."""


@contextlib.contextmanager
def ends_on_termination() -> Iterator[None]:
    """Let a request to end (SIGTERM, SIGHUP) unwind the stack, where nobody else handles it.

    Blocks may end in another order than they began, so that they are counted. Windows ends a
    process without asking it.
    """
    global _ASKED_TO_END
    if threading.current_thread() is threading.main_thread():
        _handle_termination()
    _ASKED_TO_END += 1
    try:
        yield
    finally:
        _ASKED_TO_END -= 1
        if not _ASKED_TO_END and threading.current_thread() is threading.main_thread():
            for number in _endings():
                if signal.getsignal(number) is _leave:
                    signal.signal(number, signal.SIG_DFL)


def _endings() -> list[int]:
    names = ("SIGTERM", "SIGHUP")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def _handle_termination() -> None:
    for number in _endings():
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
