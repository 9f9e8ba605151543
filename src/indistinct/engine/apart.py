"""Work in a process of its own, under limits of time and memory that hold.

What is decided here: what a stranger asks is worked out in a Python of its own. It has so much
address space and no more (`RLIMIT_AS`), can write no file, leaves no core dump, and is killed from
outside when its time is over, whatever it does meanwhile: a loop in C that never looks at a signal
dies like any other. Should nobody be left to kill it, an alarm of the system does. What it might
print of a failure goes nowhere. The process serves one conversation; after a failure the next
question gets a new one.

Windows has no limit on address space for a single process that Python could set: there the time
holds, and the memory is what the machine has.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

from indistinct.core import InputError, start_process, systems

__all__ = ["Apart", "serve"]

SECONDS = 60.0
"""How long one question may take."""
MEMORY = 3 << 30
"""Bytes of addresses that the process may have, the program itself among them."""
STARTING_SECONDS = 60.0

_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}


class Apart:
    """Something that is made and called in a process of its own.

    Parameters
    ----------
    maker
        What makes it, as ``module:name``; a module of this package.
    arguments
        What it is made of.
    seconds, memory
        The limits of each call.

    >>> with Apart("indistinct.engine.apart:Adding", 40) as adding:
    ...     adding.call(2)
    42
    """

    def __init__(
        self, maker: str, *arguments: Any, seconds: float = SECONDS, memory: int = MEMORY
    ) -> None:
        self._made = (maker, arguments)
        self._seconds, self._memory = seconds, memory
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Apart:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                assert pipe is not None
                pipe.close()
        process.wait()

    def call(self, *message: Any) -> Any:
        """Have it called, and return what comes of it; refuse what takes too much."""
        if self._process is None:
            self._start()
        process = self._process
        assert process is not None
        kind, content = self._exchange(process, [message], self._seconds)
        if kind == "made":
            return content
        if kind != "refused":  # it may have been left with half of something
            self.close()
        raise InputError(content or _TOO_MUCH)

    def _start(self) -> None:
        self._process = start_process(__name__, env=_ONE_THREAD)
        first = [sys.path, self._memory, self._seconds, *self._made]
        kind, content = self._exchange(self._process, first, STARTING_SECONDS)
        if kind != "made":
            self.close()
            raise InputError(content or _TOO_MUCH)

    def _exchange(
        self, process: subprocess.Popen[bytes], messages: Sequence[Any], seconds: float
    ) -> tuple[str, Any]:
        over = threading.Event()

        def stop() -> None:
            over.set()
            process.kill()

        clock = threading.Timer(seconds, stop)
        clock.daemon = True
        clock.start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            for message in messages:
                pickle.dump(message, process.stdin)
            process.stdin.flush()
            kind, content = pickle.load(process.stdout)
            return kind, content
        except (OSError, EOFError, pickle.UnpicklingError, ValueError):
            said = (
                f"The question took longer than {seconds:g} seconds and was stopped. Ask for less "
                "at once."
            )
            return "died", said if over.is_set() else ""
        except BaseException:  # interrupted: the answer would be taken for that of the next call
            self.close()
            raise
        finally:
            clock.cancel()


_TOO_MUCH = "The question needs more memory than questions may use. Ask for less at once."


def serve() -> None:
    """Make what is asked for, and answer calls until nobody asks any more."""
    told, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    memory, seconds = pickle.load(told), pickle.load(told)
    maker, arguments = pickle.load(told), pickle.load(told)
    made: Any = None
    message: tuple[Any, ...] = (maker, arguments, memory)
    answer: tuple[str, Any]
    while True:
        systems.set_alarm(seconds if made is not None else STARTING_SECONDS)
        try:
            if made is None:
                made = _make(*message)
                answer = ("made", None)
            else:
                answer = ("made", made(*message))
        except InputError as error:
            answer = ("refused", str(error))
        except MemoryError:
            answer = ("died", _TOO_MUCH)
        except Exception:  # what it says may hold a value
            answer = ("died", "The question cannot be worked out on these data.")
        systems.set_alarm(None)
        pickle.dump(answer, answers)
        answers.flush()
        if answer[0] == "died" or made is None:
            return
        try:
            message = pickle.load(told)
        except EOFError:
            return


def _make(maker: str, arguments: tuple[Any, ...], memory: int) -> Any:
    from importlib import import_module

    module, _, name = maker.partition(":")
    found = getattr(import_module(module), name)
    systems.limit_this_process(memory)
    return found(*arguments)


class Adding:
    """Adds numbers to one: something to be made apart, for tests of the limits."""

    def __init__(self, start: int) -> None:
        self._start = start

    def __call__(self, number: int) -> int:
        """Add a number."""
        return self._start + number
