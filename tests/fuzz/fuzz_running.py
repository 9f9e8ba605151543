"""Running one command as a stranger would, and what must hold whatever it was.

The laws: the exit code is one of those that are promised, and no fault of the program's own; no
value of a private cell is shown; what was there is as it was; what was refused has written nothing;
nothing stays in the place for temporary files; what is said is bounded; it ends.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import select
import shutil
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

__all__ = ["Answer", "Place", "Runner", "broken_laws", "cases"]

HANG = 120.0
BATCH = 60
SAID = 200_000
CODES = (0, 1, 2, 130)
SECRET = re.compile(r"Qzx\w{4,}|(?<![\d.])9137\d{4}(?!\d|\.\d)")
"""What stands in cells of the private files, and nowhere else."""
SHOWS_RELEASED = ("verify", "query")
"""Verbs that are asked to show values of released files and registers."""
NOTED = re.compile(
    r"(^|/)(audit|trail)\.jsonl(\.head)?$|(^|/)private/report\.|(^|/)\.indistinct(/|$)"
)
"""What verbs add to or replace, and say so."""


LONGER = 100
"""How many times as many cases `make test-all` tries; a test adds them up."""


def profile() -> str:
    """Return which of the profiles of `tests/conftest.py` is in use."""
    return settings.get_current_profile_name()


def cases(number: int, *, long: int | None = None) -> settings:
    """Return how often a property is tried: `number` times by `make test`, `long` by test-all."""
    tried = {"everyday": 15, "long": long or LONGER * number}.get(profile(), number)
    return settings(
        max_examples=tried,
        deadline=None,
        derandomize=profile() != "long",
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@dataclass(frozen=True)
class Answer:
    """What came of a command."""

    code: int | str
    out: str = ""
    err: str = ""

    @property
    def said(self) -> str:
        return self.out + self.err


Seen = dict[str, str]


class Place:
    """A folder with files that must not be harmed; brought back to what it was after each case."""

    def __init__(self, pristine: Path, folder: Path) -> None:
        self.pristine, self.folder = pristine, folder
        shutil.copytree(pristine, folder, symlinks=True)
        self.before = self.seen()

    def seen(self) -> Seen:
        """Return everything in the place, with a hash of its bytes."""
        return {
            path.relative_to(self.folder).as_posix(): _seen(path)
            for path in sorted(self.folder.rglob("*"))
        }

    def restore(self) -> None:
        """Bring the place back to what it was."""
        now = self.seen()
        for name in sorted(now, reverse=True):
            if now[name] != self.before.get(name):
                path = self.folder / name
                is_folder = path.is_dir() and not path.is_symlink()
                shutil.rmtree(path) if is_folder else path.unlink(missing_ok=True)
        for name, what in self.before.items():
            if now.get(name) != what:
                self._bring_back(name)

    def _bring_back(self, name: str) -> None:
        source, target = self.pristine / name, self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            target.mkdir(exist_ok=True)
            target.chmod(source.stat().st_mode)
        else:
            shutil.copy2(source, target)


def _seen(path: Path) -> str:
    status = path.lstat()
    kind = f"{stat.S_IFMT(status.st_mode):o}"
    if stat.S_ISREG(status.st_mode):
        kind += hashlib.sha256(path.read_bytes()).hexdigest()
    return kind


class Runner:
    """Runs commands in a process that is started anew after a batch of them."""

    def __init__(self, place: Place, scratch: Path) -> None:
        self.place, self.scratch = place, scratch
        self._process: subprocess.Popen[str] | None = None
        self._run = 0

    def run(self, arguments: Sequence[str], *, cwd: str = "work") -> Answer:
        """Run one command and return what came of it; a hang or a death is a code of its own."""
        if self._process is None or self._run >= BATCH:
            self.close()
            self._start(cwd)
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        self._run += 1
        try:
            process.stdin.write(json.dumps(list(arguments)) + "\n")
            process.stdin.flush()
            if not select.select([process.stdout], [], [], HANG)[0]:
                self.close()
                return Answer("hang")
            line = process.stdout.readline()
            return Answer(**json.loads(line))
        except (OSError, ValueError):
            code = process.wait(timeout=60)
            self.close()
            return Answer(f"died with {code}")

    def _start(self, cwd: str) -> None:
        self.scratch.mkdir(exist_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("fuzz_worker.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=self.place.folder / cwd,
            env={
                **{n: v for n, v in os.environ.items() if n != "INDISTINCT_DEBUG"},
                "TMPDIR": str(self.scratch),
                "OMP_NUM_THREADS": "1",
                "NUMBA_NUM_THREADS": "2",
                "XDG_STATE_HOME": str(self.scratch / "state"),
            },
        )
        self._run = 0

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
        self._process = None
        shutil.rmtree(self.scratch, ignore_errors=True)


_RESULTS = ("--out", "--register", "--pull-out", "--plot", "--per-person")


def _may_be_replaced(name: str, arguments: Sequence[str]) -> bool:
    """Say whether a file is a result that the command names, may replace, and does not read."""
    named = name.removeprefix("work/")
    places = [i for i, argument in enumerate(arguments) if argument == named]
    return (
        "--overwrite" in arguments
        and arguments[0] != "run"  # whose project file names what it reads
        and bool(places)
        and all(arguments[i - 1] in _RESULTS for i in places)
    )


def broken_laws(runner: Runner, arguments: Sequence[str]) -> list[str]:
    """Run a command, and return the laws that it broke; the place is as before afterwards."""
    place = runner.place
    before = place.seen()
    answer = runner.run(arguments)
    after = place.seen()
    left = (
        sorted(p.name for p in runner.scratch.iterdir() if p.name.startswith("indistinct-"))
        if (runner.scratch.is_dir())
        else []
    )
    broken = []
    if answer.code not in CODES:
        broken.append(f"exit code {answer.code}: {answer.err[-300:]}")
    if "fault of its own" in answer.said or "Traceback (most recent" in answer.said:
        broken.append(f"a fault: {answer.err[-300:]}")
    shows = arguments and arguments[0] in SHOWS_RELEASED and answer.code in (0, 1)
    if not shows and (told := SECRET.search(answer.said)):
        around = answer.said[max(0, told.start() - 80) : told.end() + 20]
        broken.append(f"a private value was shown: {around!r}")
    if len(answer.said) > SAID or (answer.code == 2 and len(answer.said) > SAID / 8):
        broken.append(f"{len(answer.said):,} characters were said")
    harmed = [n for n, what in before.items() if after.get(n) != what and not NOTED.search(n)]
    if arguments[:1] == ["init"] and "--overwrite" in arguments:  # where no --out says another
        harmed = [n for n in harmed if n != "work/release.toml"]
    harmed = [n for n in harmed if not _may_be_replaced(n, arguments)]
    if harmed:
        broken.append(f"changed: {', '.join(harmed[:5])}")
    new = [n for n in after if n not in before and not NOTED.search(n)]
    if answer.code == 2 and new:
        broken.append(f"refused, and yet written: {', '.join(new[:5])}; said: {answer.err[-200:]}")
    parts = [n for n in new if n.endswith(".part") or Path(n).name.startswith(".")]
    if parts:
        broken.append(f"left over: {', '.join(parts[:5])}")
    if left:
        broken.append(f"left in the place for temporary files: {', '.join(left[:3])}")
    if before != after:
        place.restore()
    return broken
