"""Starting the command line: one sentence for every mistake, and the exit code that fits.

What is decided here: a user's mistake is 2 and never shows a traceback; a fault of the program is
70 and leaves a crash file without values, and a traceback only where INDISTINCT_DEBUG is set,
because that may hold private values; an interrupt is 130, whatever the libraries made of it.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

import typer

from indistinct import engine
from indistinct.cli import INTERRUPTED, STOPPED
from indistinct.cli.app import app
from indistinct.cli.faults import FAULT, errors_behind, tell_fault
from indistinct.cli.streams import ReaderGone, harmless_streams
from indistinct.cli.telling import honest, tell_people
from indistinct.core import IndistinctError, Interrupted, for_terminal
from indistinct.core.doors import Watch, undisturbed, watching

__all__ = ["start"]

WRONG = 2
MOST_CHARACTERS = 20_000
"""Of one message; nobody reads more."""

_NO_MEMORY = (
    "There is not enough memory. Set a limit with --memory, so that the work spills to disk, use "
    "fewer key variables, or let the program have more."
)
_OUT_OF_MEMORY = ("bad_alloc", "new thread", "worker thread", "cannot allocate memory")
_NO_SPACE = "The disk is full. Nothing was written; free some space."


def start(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    with (
        harmless_streams(),
        _noticing_interrupts() as interrupts,
        watching(say=tell_people) as run,
    ):
        try:
            try:
                result = app(args=arguments, prog_name="indistinct", standalone_mode=True)
            finally:
                interrupts.work_is_over = True
        except SystemExit as leaving:
            if leaving.code == INTERRUPTED:  # so Typer leaves when it is interrupted, and is silent
                return _stopped(run)
            return leaving.code if isinstance(leaving.code, int) else int(bool(leaving.code))
        except IndistinctError as error:
            if interrupts.noticed and not isinstance(error, Interrupted):
                return _stopped(run)  # whatever a library made of it
            return _say(str(error), error.exit_code)
        except (ReaderGone, BrokenPipeError):  # there is nobody to tell
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return WRONG
        except (Exception, KeyboardInterrupt) as error:
            return _end(error, arguments, run, interrupted=interrupts.noticed)
    return int(result or 0)


def _stopped(run: Watch) -> int:
    return _say(honest(STOPPED, run.written), INTERRUPTED)


def _end(error: BaseException, arguments: list[str], run: Watch, *, interrupted: bool) -> int:
    """Say what became of a command that did not end by itself."""
    behind = list(errors_behind(error))
    if interrupted or any(_is_interrupt(e) for e in behind):
        return _stopped(run)
    if any(_is_out_of_memory(e) for e in behind):
        return _say(_NO_MEMORY, WRONG)
    if any(isinstance(e, OSError) and e.errno in (errno.ENOSPC, errno.EDQUOT) for e in behind):
        return _say(honest(_NO_SPACE, run.written), WRONG)
    if os.environ.get("INDISTINCT_DEBUG"):
        traceback.print_exception(error)
        return FAULT
    return _say(tell_fault(error, arguments, typer.main.get_command(app)), FAULT)


def _is_interrupt(error: BaseException) -> bool:
    """Say whether the work was broken off, also where the engine has its own word for it."""
    return isinstance(error, KeyboardInterrupt) or _is_of_engine(error, "BROKEN_OFF")


def _is_of_engine(error: BaseException, kind: str) -> bool:
    """Say whether an error is the engine's; one that was never loaded has made none."""
    return "duckdb" in sys.modules and isinstance(error, getattr(engine, kind))


def _is_out_of_memory(error: BaseException) -> bool:
    """Say whether memory is out, also where a library has no kind of error for it."""
    if isinstance(error, MemoryError) or _is_of_engine(error, "OUT_OF_MEMORY"):
        return True
    if isinstance(error, OSError):
        return error.errno in (errno.ENOMEM, errno.EAGAIN)
    text = str(error).lower()
    return any(words in text for words in _OUT_OF_MEMORY)


@dataclass
class _Interrupts:
    """Whether there was an interrupt, and whether another would find work to break off."""

    noticed: bool = False
    work_is_over: bool = False


@contextmanager
def _noticing_interrupts() -> Iterator[_Interrupts]:
    """Remember that there was an interrupt: libraries turn it into errors of their own.

    Once the work is over, what is being said about it is not interrupted any more.
    """
    interrupts = _Interrupts()
    before = signal.getsignal(signal.SIGINT)
    main_thread = threading.current_thread() is threading.main_thread()
    if not main_thread or before is not signal.default_int_handler:
        yield interrupts
        return

    def notice(number: int, frame: FrameType | None) -> None:
        if interrupts.work_is_over:
            return
        interrupts.noticed = True
        # objects of libraries are left half made, and what their finalisers say of it is no news
        sys.unraisablehook = lambda told: None
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, notice)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)


def _say(sentence: str, code: int) -> int:
    said = for_terminal(sentence)
    if len(said) > MOST_CHARACTERS:
        said = f"{said[:MOST_CHARACTERS]} … and {len(said) - MOST_CHARACTERS:,} characters more."
    with undisturbed():
        print(f"indistinct: {said}", file=sys.stderr, flush=True)
    return code
