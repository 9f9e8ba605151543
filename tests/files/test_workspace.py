"""The private folder is private, and gone afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from indistinct.core.errors import InputError
from indistinct.files import workspace

HOLD = """
import sys, time
from indistinct.files import workspace
with workspace(sys.argv[1]) as folder:
    (folder / "records").write_text("private")
    print(folder, flush=True)
    time.sleep(60)
"""


def holder(directory: Path) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(directory)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_it_is_private_and_gone(tmp_path):
    with workspace(tmp_path) as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "sub").mkdir()
        (folder / "sub" / "x").write_text("x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_it_is_gone_after_an_error(tmp_path, error):
    with pytest.raises(error), workspace(tmp_path):
        raise error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.heavy)]
)
def test_it_is_gone_after_a_signal(tmp_path, number):
    process, folder = holder(tmp_path)
    assert folder.is_dir()
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode != 0
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed_next_time(tmp_path):
    process, folder = holder(tmp_path)
    process.kill()
    process.communicate()
    assert (folder / "records").exists()
    with workspace(tmp_path):
        assert not folder.exists()


def test_folders_in_use_and_of_others_stay(tmp_path):
    process, folder = holder(tmp_path)
    other = tmp_path / "indistinct-notes"
    other.mkdir()
    # A live lock under the number of a process that is gone: another container's.
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    renamed = folder.rename(tmp_path / f"indistinct-{gone.pid}-abc")
    link = tmp_path / f"indistinct-{gone.pid}-link"
    link.symlink_to(other)
    try:
        with workspace(tmp_path) as mine, workspace(tmp_path):
            assert mine.exists()
            assert renamed.exists()
            assert link.is_symlink()
            assert other.exists()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("holding", ["precious.csv", ".lock", ""])
def test_a_folder_of_the_user_s_own_stays_whatever_it_is_called(tmp_path, holding):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    own = tmp_path / f"indistinct-{gone.pid}-census"
    own.mkdir(mode=0o700 if holding else 0o755)
    if holding:
        (own / holding).write_text("of the user")
    with workspace(tmp_path):
        pass
    assert [file.name for file in own.iterdir()] == [holding] * bool(holding)


def test_a_kill_while_a_workspace_is_removed_leaves_what_is_known_as_one(tmp_path, monkeypatch):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    removed = []
    with monkeypatch.context() as watched:
        watched.setattr(shutil, "rmtree", lambda path, **_: removed.append(Path(path).name))
        with workspace(tmp_path) as folder:
            (folder / "sub").mkdir()
            (folder / "records").write_text("private")
    assert removed == ["sub", folder.name]  # the mark goes with the folder itself, and last
    assert sorted(file.name for file in folder.iterdir()) == [".lock", "sub"]
    left = folder.rename(tmp_path / f"indistinct-{gone.pid}-abcdefgh")
    with workspace(tmp_path):
        assert not left.exists()


def test_a_kill_before_the_mark_is_set_leaves_nothing(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    begun = [tmp_path / f"indistinct-{gone.pid}-abcdefg{i}" for i in range(2)]
    for folder in begun:
        folder.mkdir(mode=0o700)
    (begun[1] / ".lock").touch()
    with workspace(tmp_path):
        assert not any(folder.exists() for folder in begun)


def test_signal_handlers_are_left_as_they_were(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    with workspace(tmp_path):
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) is before


def test_it_works_outside_the_main_thread(tmp_path):
    seen = []

    def run() -> None:
        with workspace(tmp_path) as folder:
            seen.append(folder.is_dir())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [True]


def test_a_place_that_does_not_exist(tmp_path):
    with pytest.raises(InputError, match="does not exist"), workspace(tmp_path / "no"):
        pass
    assert os.listdir(tmp_path) == []
