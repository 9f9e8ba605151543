"""How long a document may take: a clock that stops what runs, regular expressions included.

Python's regular expressions look for signals every few thousand steps, so that an alarm ends one
that would run for ever. The clock counts the process's own time, so that a busy machine costs no
document. Alarms are there on POSIX systems and in a process's main thread; where they are not,
documents are treated in a process of their own, which is ended from outside.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

__all__ = ["TookTooLong", "at_most", "has_alarm", "seconds_for", "seconds_for_bytes"]

BASE_SECONDS = 20.0
SECONDS_PER_CHARACTER = 50e-6
SECONDS_PER_BYTE = 10e-6


class TookTooLong(BaseException):
    """A document has had its time. No handler of ordinary errors keeps it."""


def seconds_for(text: str) -> float:
    """Return the processor seconds that a text may take: twenty, and 50 µs for each character.

    >>> seconds_for("a" * 1_000_000)
    70.0
    """
    return BASE_SECONDS + SECONDS_PER_CHARACTER * len(text)


def seconds_for_bytes(size: int) -> float:
    """Return the processor seconds that taking the text out of a file may take: 10 µs a byte more.

    >>> seconds_for_bytes(1_000_000)
    30.0
    """
    return BASE_SECONDS + SECONDS_PER_BYTE * size


def has_alarm() -> bool:
    """Say whether this thread can be given an alarm."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `TookTooLong` inside when the time is over, where there is an alarm."""
    if not has_alarm():
        yield
        return

    def stop(*_: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    # Again every second: what is raised inside a destructor is lost.
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
