"""Work in processes of its own: how far it is, how long it still takes, and how it is stopped.

What is decided here: the server reads no records. A job is a Python of its own that is told what
to do on its standard input, tells how far it is on its standard output, a line of JSON each, and
leaves what it found in the project's private folder. Whoever stops it loses nothing else.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from indistinct.core import IndistinctError, start_process

__all__ = ["Job", "Jobs"]

_PATIENCE = 5.0
"""Seconds that a job gets to tidy up when it is stopped."""
_KEPT = 50
"""Jobs that are over and still known, so that their pages can say what became of them."""


@dataclass
class Job:
    """Work that was begun, as far as is known.

    Parameters
    ----------
    number
        By which a page asks for it.
    kind
        What is done: ``look``, ``count``, ``protect``, …
    key
        What the result is kept under.
    """

    number: int
    kind: str
    key: str
    began: float = field(default_factory=time.monotonic)
    state: str = "working"
    error: str = ""
    result: dict[str, Any] = field(default_factory=dict)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None
    then: Callable[[], object] | None = None

    @property
    def is_working(self) -> bool:
        """Whether it has not ended."""
        return self.state == "working"

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self.began

    @property
    def share(self) -> float | None:
        """How much of what is being done is done, from 0 to 1; None where nobody knows."""
        known = [one for one in self.tasks if one["total"]]
        return known[0]["done"] / known[0]["total"] if known else None

    @property
    def left(self) -> float | None:
        """Seconds that what is being done still takes, if it goes on as it began."""
        known = [one for one in self.tasks if one["total"] and one["done"]]
        if not known:
            return None
        first = known[0]
        return float(first["seconds"] * (first["total"] - first["done"]) / first["done"])


class Jobs:
    """The jobs of a workbench; of each kind one is under way at a time."""

    def __init__(self) -> None:
        self._jobs: dict[int, Job] = {}
        self._lock = threading.RLock()
        self._number = 0

    def __getitem__(self, number: int) -> Job | None:
        return self._jobs.get(number)

    @property
    def working(self) -> list[Job]:
        """Those that have not ended."""
        return [job for job in self._jobs.values() if job.is_working]

    def of(self, kind: str) -> list[Job]:
        """Return the jobs of a kind, the oldest first."""
        return [job for job in self._jobs.values() if job.kind == kind]

    def last(self, kind: str, key: str) -> Job | None:
        """Return the newest job for a result."""
        found = [job for job in self.of(kind) if job.key == key]
        return found[-1] if found else None

    def forget(self, job: Job) -> None:
        """Know nothing more of a job that is over, so that it can be begun again."""
        with self._lock:
            if not job.is_working:
                self._jobs.pop(job.number, None)

    def start(
        self,
        kind: str,
        key: str,
        request: Mapping[str, Any],
        *,
        then: Callable[[], object] | None = None,
    ) -> Job:
        """Begin a job; one of the same kind that is under way is for nobody any more.

        What comes `then` is done when it went well, before anybody is told so.
        """
        with self._lock:
            for other in self.working:
                if other.kind == kind and other.key == key:
                    return other
                if other.kind == kind:
                    self.stop(other)
            self._number += 1
            job = Job(self._number, kind, key, then=then)
            self._jobs[job.number] = job
            for number in [n for n, old in self._jobs.items() if not old.is_working][:-_KEPT]:
                del self._jobs[number]
            job.process = start_process("indistinct.workbench.working")
            threading.Thread(target=_follow, args=(job, dict(request)), daemon=True).start()
            return job

    def stop(self, job: Job) -> None:
        """Stop a job; it gets a moment to remove its private workspace."""
        with self._lock:
            if not job.is_working:
                return
            job.state = "stopped"
        if job.process is not None:
            job.process.terminate()
            threading.Thread(target=_see_off, args=(job.process,), daemon=True).start()

    def close(self) -> None:
        """Stop all that is under way, and wait for it."""
        for job in self.working:
            self.stop(job)
        for job in self._jobs.values():
            if job.process is not None:
                _see_off(job.process)


def _see_off(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _follow(job: Job, request: dict[str, Any]) -> None:
    """Tell a process what to do, and hear what it says until it ends."""
    process = job.process
    assert process is not None
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with process.stdin as to:
            pickle.dump(sys.path, to)
            pickle.dump(request, to)
        for line in process.stdout:
            _hear(job, json.loads(line))
    except (OSError, ValueError):
        pass  # it ended in the middle of a word
    process.stdout.close()
    process.wait()
    if job.is_working:
        job.error = "ended"
        job.state = "failed"


def _hear(job: Job, said: Mapping[str, Any]) -> None:
    if not job.is_working:
        return
    if said["event"] == "tasks":
        job.tasks = list(said["tasks"])
    elif said["event"] == "done":
        job.result = dict(said["result"])
        try:
            if job.then is not None:
                job.then()
        except IndistinctError as error:
            job.error, job.state = str(error), "failed"
            return
        job.state = "done"
    elif said["event"] == "failed":
        job.error = str(said["error"])
        job.state = "failed"
