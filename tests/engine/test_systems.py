"""What only some systems have, and what is done where it is missing: the names are taken away."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from indistinct.core import systems
from indistinct.core.doors import folder_written_whole, written_whole
from indistinct.engine import available_memory, available_threads
from indistinct.files import workspace


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Takes names of `os` and `signal`, and modules, away."""

    def take(*names: str) -> None:
        for name in names:
            home, _, attribute = name.partition(".")
            if not attribute:
                monkeypatch.setitem(sys.modules, home, None)
            else:
                monkeypatch.delattr({"os": os, "signal": signal}[home], attribute, raising=False)

    return take


@pytest.fixture
def as_windows(without: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As far as a test can: no names of POSIX, and no folder can be opened or synced."""
    without("fcntl", "resource", "os.sysconf", "os.preadv", "os.sched_getaffinity", "os.getuid")
    without("os.geteuid", "os.chown", "os.killpg", "os.O_NONBLOCK", "signal.alarm")
    without("signal.SIGKILL", "signal.SIGHUP")
    real = os.open

    def opened(path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        if os.path.isdir(path):
            raise PermissionError(13, "Permission denied")
        return real(path, flags, mode, **more)

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(shutil, "_use_fd_functions", False)
    monkeypatch.setattr(systems, "_is_posix", lambda: False)


def test_memory_is_known_without_what_linux_says(
    without: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    there_is = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    monkeypatch.setattr(systems, "_memory_of_linux", lambda: None)
    found = systems.free_memory()
    assert found is not None
    assert 0 < found <= there_is  # as macOS tells it
    without("os.sysconf")
    assert systems._memory_there_is() is None
    assert available_memory() > 0


def test_windows_is_asked_for_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert systems._memory_of_windows() is None

    def told(status: Any) -> int:
        status._obj.free = 123_000
        return 1

    library = SimpleNamespace(kernel32=SimpleNamespace(GlobalMemoryStatusEx=told))
    monkeypatch.setattr(ctypes, "windll", library, raising=False)
    assert systems._memory_of_windows() == 123_000


def test_limits_and_alarms_are_left_out_where_there_are_none(without: Any) -> None:
    without("resource", "signal.alarm")
    assert systems.address_limit() is None
    systems.limit_this_process(1)
    systems.set_alarm(1)
    systems.set_alarm(None)


def test_processors_are_counted_without_affinity(without: Any) -> None:
    without("os.sched_getaffinity")
    assert available_threads() == (os.cpu_count() or 1)


@pytest.mark.parametrize("at_a_place", [True, False])
def test_parts_of_a_file_are_read(tmp_path: Path, without: Any, at_a_place: bool) -> None:
    content = bytes(range(256)) * 4000
    path = tmp_path / "words"
    path.write_bytes(content)
    if not at_a_place:
        without("os.preadv")
    rooms = [bytearray(100_000) for _ in range(8)]
    with path.open("rb") as file:
        threads = [
            threading.Thread(
                target=systems.read_at, args=(file.fileno(), memoryview(room), 1000 * n)
            )
            for n, room in enumerate(rooms)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [bytes(room) for room in rooms] == [
            content[1000 * n : 1000 * n + 100_000] for n in range(8)
        ]
        with pytest.raises(EOFError):
            systems.read_at(file.fileno(), memoryview(bytearray(10)), len(content) - 5)


def test_a_lock_is_had_once(tmp_path: Path) -> None:
    one, two = (os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR) for _ in range(2))
    assert systems.lock(one)
    assert not systems.lock(two)
    os.close(one)
    assert systems.lock(two, wait=True)
    os.close(two)


def test_windows_locks_a_byte_that_nobody_reads(
    tmp_path: Path, without: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []

    def locking(handle: int, mode: int, number: int) -> None:
        if held:
            held.pop()  # whoever had it lets go of it meanwhile
            raise PermissionError(13, "Permission denied")
        held.append(os.lseek(handle, 0, os.SEEK_CUR))

    without("fcntl")
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(LK_NBLCK=2, locking=locking))
    monkeypatch.setattr(systems, "_WAIT", 0)
    handle = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    os.write(handle, b"line")
    assert systems.lock(handle)
    assert held == [systems._LOCKED_BYTE]
    assert os.lseek(handle, 0, os.SEEK_CUR) == 4
    assert not systems.lock(handle)
    held.append(0)
    assert systems.lock(handle, wait=True)
    os.close(handle)


def test_a_system_without_locks_counts_as_free(tmp_path: Path, without: Any) -> None:
    without("fcntl", "msvcrt")
    handle = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    assert systems.lock(handle)
    assert systems.lock(handle)
    os.close(handle)


def test_who_owns_a_file(tmp_path: Path, without: Any) -> None:
    assert systems.is_mine(tmp_path.stat())
    without("os.getuid", "os.geteuid", "os.chown")
    assert systems.is_mine(tmp_path.stat())
    assert systems.user_number() is None
    assert not systems.is_superuser()
    systems.set_group(tmp_path, 0)


def test_a_process_is_gone_only_where_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    assert systems.process_is_gone(done.pid)
    assert not systems.process_is_gone(os.getpid())
    monkeypatch.setattr(systems, "_is_posix", lambda: False)
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("would end the process on Windows"))
    assert not systems.process_is_gone(done.pid)


@pytest.mark.parametrize("in_a_session", [True, False])
def test_a_family_is_ended(without: Any, in_a_session: bool) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True
    )
    if not in_a_session:
        without("os.killpg")
    systems.stop_family(process)
    assert process.returncode


def test_requests_to_end_unwind_while_any_block_is_under_way(without: Any) -> None:
    before = signal.getsignal(signal.SIGTERM)
    first, second = systems.ends_on_termination(), systems.ends_on_termination()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)  # as cells of a notebook do, in any order
    with pytest.raises(SystemExit) as left:
        signal.raise_signal(signal.SIGTERM)
    assert left.value.code == 128 + signal.SIGTERM
    second.__exit__(None, None, None)
    assert signal.getsignal(signal.SIGTERM) == before
    without("signal.SIGHUP")
    with systems.ends_on_termination():
        pass


@pytest.mark.usefixtures("as_windows")
def test_files_folders_and_workspaces_without_anything_of_posix(tmp_path: Path) -> None:
    with written_whole(tmp_path / "one.txt") as aside:
        aside.write_bytes(b"all of it")
    (tmp_path / "new").mkdir()
    with folder_written_whole(tmp_path / "new") as aside:
        (aside / "two.txt").write_bytes(b"all of it")
    assert (tmp_path / "new" / "two.txt").read_bytes() == b"all of it"
    with workspace(tmp_path) as folder:
        assert folder.is_dir()
    assert not folder.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "one.txt"]
