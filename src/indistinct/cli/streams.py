"""What stands before standard output and standard error while a command runs.

Messages of ours, of the option parser and of libraries are all made harmless here. Rich must send
escape sequences of its own, so it writes past the streams (`indistinct.cli.console`).
"""

from __future__ import annotations

import codecs
import logging
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any, TextIO

from indistinct.core import systems, visible

__all__ = ["ReaderGone", "harmless_streams"]

_BY_NUMBER = "indistinct.by_number"


class ReaderGone(Exception):
    """Whoever read our output has left, as `head` does when it has seen enough."""


class _HarmlessStream:
    """A stream of text in front of another one."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream  # where Rich writes

    def write(self, text: str) -> int:
        with _noticing_who_leaves():
            self.rich_proxied_file.write(visible(text, keep="\t\n"))
        return len(text)

    def flush(self) -> None:
        with _noticing_who_leaves():
            self.rich_proxied_file.flush()

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


@contextmanager
def _noticing_who_leaves() -> Iterator[None]:
    """The option parser would end a command with 1, which here means a promise that is broken."""
    try:
        yield
    except BrokenPipeError:
        raise ReaderGone from None


@contextmanager
def harmless_streams() -> Iterator[None]:
    """Let nothing through to standard output and standard error that steers a terminal."""
    if not logging.getLogger().handlers:
        # libraries log tracebacks, and Python prints what nobody handles
        logging.getLogger().addHandler(logging.NullHandler())
    before = sys.stdout, sys.stderr
    _show_what_cannot_be_written(before[0])
    sys.stdout, sys.stderr = _HarmlessStream(before[0]), _HarmlessStream(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def _show_what_cannot_be_written(stream: TextIO) -> None:
    """Let a letter that an encoding does not have be shown by its number, not end the command.

    A pipe of Windows has the encoding of the country; files are UTF-8 everywhere.
    """
    if isinstance(stream, TextIOWrapper):
        codecs.register_error(_BY_NUMBER, _by_number)
        encoding = "utf-8" if systems.system_name() == "win32" and not stream.isatty() else None
        stream.reconfigure(encoding=encoding, errors=_BY_NUMBER)


def _by_number(error: UnicodeError) -> tuple[str, int]:
    """Write letters by their numbers, as JSON has them.

    >>> _by_number(UnicodeEncodeError("ascii", "né", 1, 2, ""))
    ('\\\\u00e9', 2)
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    numbers = (letters[at : at + 2].hex() for at in range(0, len(letters), 2))
    return "".join(f"\\u{number}" for number in numbers), error.end
