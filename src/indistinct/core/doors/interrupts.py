"""A moment that an interrupt waits for: what was begun is done, and then the interrupt comes.

What is decided here: putting a file in its place, adding a line to a trail and clearing away are
short, and half of each would be worse than either. An interrupt that comes meanwhile is kept, and
handed to whoever would have got it as soon as the moment is over. Python hands interrupts to its
main thread alone, so that elsewhere there is nothing to keep.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

__all__ = ["undisturbed"]


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Keep an interrupt until the block is over.

    >>> before = signal.signal(signal.SIGINT, signal.default_int_handler)
    >>> try:
    ...     with undisturbed():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("done")
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    done
    interrupted
    >>> _ = signal.signal(signal.SIGINT, before)
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    came: list[FrameType | None] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            before(signal.SIGINT, came[0])
