"""Processes that treat chunks beside this one, each led by a thread that can end it.

What is decided here: a process is started as a Python of its own that is told everything through
its pipes. So nothing of the calling program runs in it, nothing private stands in its arguments
or environment, and what it might print of a failure goes nowhere. When it dies, or does not answer
in time, its chunk is done again group by group, then document by document, in a fresh process; a
document at which that dies again is withheld.
"""

from __future__ import annotations

import contextlib
import pickle
import sys
import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import IO

from indistinct.core import start_process
from indistinct.scrub.documents import Outcome
from indistinct.scrub.limits import seconds_for
from indistinct.scrub.streaming import Chunk, Treatment

__all__ = ["Workers"]

STARTING_SECONDS = 120.0
_FAILED = "could not be treated: it took too long, or too much memory"


class Workers:
    """So many processes, which end with the block."""

    def __init__(self, treatment: Treatment, processes: int) -> None:
        self._treatment = treatment
        self._own = threading.local()
        self._started: list[_Process] = []
        self._lock = threading.Lock()
        self._over = False
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="scrub")

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._over = True
            for process in self._started:
                process.end()
        self._threads.shutdown(wait=True)

    def treat(self, chunk: Chunk) -> Future[list[Outcome]]:
        """Have a chunk treated; the answer has an outcome for each of its documents."""
        return self._threads.submit(self._treat, chunk)

    def _treat(self, chunk: Chunk) -> list[Outcome]:
        try:
            return self._process().ask(chunk)
        except _Died:
            self._own.process = None
        if self._over:
            raise CancelledError
        if len(chunk) > 1:
            return [outcome for group in chunk for outcome in self._treat([group])]
        (group,) = chunk
        if len(group) > 1:
            return [outcome for document in group for outcome in self._treat([[document]])]
        return [Outcome(None, reason=_FAILED)]

    def _process(self) -> _Process:
        process: _Process | None = getattr(self._own, "process", None)
        if process is None:
            with self._lock:
                if self._over:
                    raise CancelledError
                process = self._own.process = _Process(self._treatment)
                self._started.append(process)
        return process


class _Died(Exception):
    """A process has ended without an answer."""


class _Process:
    """One process, and the pipes to and from it."""

    def __init__(self, treatment: Treatment) -> None:
        self._process = start_process("indistinct.scrub.serving")
        self._first: list[object] = [sys.path, treatment]

    @property
    def _to(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    def ask(self, chunk: Chunk) -> list[Outcome]:
        """Send a chunk and wait for what comes of it, twice as long as it should take."""
        documents = [document for group in chunk for document in group]
        seconds = 2 * sum(seconds_for(document.text or "") for document in documents)
        clock = threading.Timer(STARTING_SECONDS + seconds, self._process.kill)
        clock.daemon = True
        clock.start()
        try:
            for message in (*self._first, chunk):
                pickle.dump(message, self._to)
            self._first = []
            self._to.flush()
            assert self._process.stdout is not None
            answer: list[Outcome] = pickle.load(self._process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError, ValueError):
            self.end()
            raise _Died from None
        finally:
            clock.cancel()
        return answer

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        with contextlib.suppress(OSError):
            self._to.close()
        self._process.wait()
