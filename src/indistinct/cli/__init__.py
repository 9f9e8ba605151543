"""The command line: `indistinct VERB`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.abc import MetaPathFinder
from types import FrameType

__all__ = ["main", "run"]

STOPPED = "Interrupted. Nothing was written."
INTERRUPTED = 130


def main() -> None:
    """Run the command line and leave with its exit code."""
    arguments = sys.argv[1:]
    if arguments and not {"--help", "--version"} & {*arguments}:
        _load(_arrays_without_pandas)
    code = run(arguments)
    # what remains is to leave: a second interrupt finds nothing to break off
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    if "indistinct.cli.starting" not in sys.modules:
        _load(partial(import_module, "indistinct.cli.starting"))
    from indistinct.cli.starting import start

    return start(arguments)


def _load(what: Callable[[], object]) -> None:
    """Load a part of the program, which takes a while; an interrupt meanwhile ends it at once.

    Libraries that are being loaded do not bear one: some end the process without a word.
    """
    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, _leave)
    except ValueError:  # not the main thread, which alone gets interrupts
        return
    try:
        what()
    finally:
        signal.signal(signal.SIGINT, before)


def _arrays_without_pandas() -> None:
    """Load pyarrow, and let it not find pandas, which it loads at its first array.

    That takes longer than many a verb, and no verb gives it a frame. What asks for a frame by
    name finds pandas all the same. In a process of somebody else's nothing of this is done.
    """
    sys.meta_path.insert(0, _NoPandas)
    try:
        import_module("pyarrow").array([])
    finally:
        sys.meta_path.remove(_NoPandas)


class _NoPandas(MetaPathFinder):
    """Finds that there is no pandas."""

    @staticmethod
    def find_spec(name: str, path: object, target: object = None) -> None:
        """Refuse pandas, and leave all else to others."""
        if name == "pandas":
            raise ModuleNotFoundError(name=name)


def _leave(number: int, frame: FrameType | None) -> None:
    print(f"indistinct: {STOPPED}", file=sys.stderr, flush=True)
    os._exit(INTERRUPTED)
