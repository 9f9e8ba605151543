"""Limits of time and memory hold for whatever runs apart, bombs included."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from indistinct.core.errors import InputError
from indistinct.engine.apart import Apart

BOMBS = """
import re, os

class Bombs:
    def __init__(self, word):
        self.word = word

    def __call__(self, kind):
        if kind == "fine":
            return self.word
        if kind == "replace":  # ten to the tenth letters
            text = "a"
            for _ in range(10):
                text = text.replace("a", "a" * 10)
            return len(text)
        if kind == "expression":  # never looks at a signal
            return re.match("(a|aa)+$", "a" * 60 + "b")
        if kind == "loop":
            while True:
                pass
        if kind == "arrays":
            import numpy
            return [numpy.ones(1 << 27) for _ in range(64)]
        if kind == "write":
            with open(self.word, "w") as file:
                file.write("something")
        if kind == "die":
            os._exit(3)
        if kind == "fault":
            raise ValueError("a private value")
"""


@pytest.fixture
def bombs(tmp_path, monkeypatch):
    (tmp_path / "bombs_of_the_test.py").write_text(BOMBS)
    monkeypatch.syspath_prepend(str(tmp_path))
    with Apart(
        "bombs_of_the_test:Bombs", str(tmp_path / "out"), seconds=2.0, memory=1 << 30
    ) as apart:
        yield apart


@pytest.mark.skipif(sys.platform == "win32", reason="memory is limited on POSIX")
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("replace", "more memory than"),
        ("arrays", "more memory than"),
        ("expression", "longer than 2 seconds"),
        ("loop", "longer than 2 seconds"),
        ("die", "more memory than"),
        ("fault", "cannot be worked out"),
    ],
)
def test_a_bomb_ends_within_its_limits_and_the_next_question_is_answered(bombs, kind, said):
    assert bombs.call("fine")
    with pytest.raises(InputError, match=said) as refused:
        bombs.call(kind)
    assert "private" not in str(refused.value)
    assert bombs.call("fine")


@pytest.mark.skipif(sys.platform == "win32", reason="files are limited on POSIX")
def test_nothing_is_written_from_there(bombs):
    path = Path(bombs.call("fine"))
    with pytest.raises(InputError):
        bombs.call("write")
    assert not path.exists() or not path.read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="alarms are POSIX")
def test_a_bomb_dies_when_whoever_asked_is_dead(tmp_path):
    (tmp_path / "bombs_of_the_test.py").write_text(BOMBS.replace("while True:", STARTED))
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from indistinct.engine.apart import Apart\n"
        f"Apart('bombs_of_the_test:Bombs', {str(tmp_path)!r}, seconds=1.0).call('loop')\n"
    )
    asker = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    while not list(tmp_path.glob("pid-*")):
        assert asker.poll() is None
        time.sleep(0.05)
    asker.kill()
    asker.wait()
    (told,) = tmp_path.glob("pid-*")
    bomb = int(told.name.removeprefix("pid-"))
    while is_running(bomb):  # the suite's own timeout is the judge of a bomb that lives
        time.sleep(0.1)


STARTED = """os.mkdir(f"{self.word}/pid-{os.getpid()}")
            while True:"""


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        return not Path("/proc/self").exists()


def test_no_process_is_left(bombs):
    bombs.call("fine")
    process = bombs._process
    bombs.close()
    assert process.returncode is not None
