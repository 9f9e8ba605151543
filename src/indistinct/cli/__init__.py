"""The command line: `indistinct VERB`."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from types import FrameType

__all__ = ["main", "run"]

STOPPED = "Interrupted. Nothing was written."
INTERRUPTED = 130


def main() -> None:
    """Run the command line and leave with its exit code."""
    code = run(sys.argv[1:])
    # what remains is to leave: a second interrupt finds nothing to break off
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    if "indistinct.cli.starting" not in sys.modules:
        _load()
    from indistinct.cli.starting import start

    return start(arguments)


def _load() -> None:
    """Load the program, which takes a while; an interrupt meanwhile ends it at once.

    Libraries that are being loaded do not bear one: some end the process without a word.
    """
    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, _leave)
    except ValueError:  # not the main thread, which alone gets interrupts
        return
    try:
        import_module("indistinct.cli.starting")
    finally:
        signal.signal(signal.SIGINT, before)


def _leave(number: int, frame: FrameType | None) -> None:
    print(f"indistinct: {STOPPED}", file=sys.stderr, flush=True)
    os._exit(INTERRUPTED)
