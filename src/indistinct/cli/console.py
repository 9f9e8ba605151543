"""The one way to the terminal: whatever is printed passes here and is harmless.

`harmless_streams` stands in front of standard output and standard error while a command runs, so
that messages of ours, of the option parser and of libraries are all made harmless. Rich must send
escape sequences of its own (colours, the live lines), so it writes past the streams, and `Screen`
makes harmless the text that it is given. Nothing else in the package makes a console.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from indistinct.core import for_terminal, visible

__all__ = ["Screen", "harmless_streams"]


class Screen(Console):
    """A console of Rich on which no text can steer the terminal."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Give the segments of something to show, with what steers shown by its number."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield segment._replace(text=for_terminal(segment.text))


class _HarmlessStream:
    """A stream of text in front of another one."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream  # where Rich writes

    def write(self, text: str) -> int:
        self.rich_proxied_file.write(visible(text, keep="\t\n"))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


@contextmanager
def harmless_streams() -> Iterator[None]:
    """Let nothing through to standard output and standard error that steers a terminal."""
    if not logging.getLogger().handlers:
        # libraries log tracebacks, and Python prints what nobody handles
        logging.getLogger().addHandler(logging.NullHandler())
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _HarmlessStream(before[0]), _HarmlessStream(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
