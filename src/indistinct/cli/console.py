"""The one way to the terminal: whatever is printed passes here and is harmless.

`harmless_streams` (`indistinct.cli.streams`) stands in front of standard output and standard error
while a command runs. Rich must send escape sequences of its own (colours, the live lines), so it
writes past the streams, and `Screen` makes harmless the text that it is given. Nothing else in the
package makes a console.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from indistinct.cli.streams import ReaderGone
from indistinct.core import for_terminal

__all__ = ["Screen"]


class Screen(Console):
    """A console of Rich on which no text can steer the terminal.

    What is printed on it are remarks for people; the `answers` to what was asked have a screen of
    their own, where there is another.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, **options)
        self.answers: Console = self

    def on_broken_pipe(self) -> None:
        """Say so to where the command was started, which ends it."""
        raise ReaderGone

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Give the segments of something to show, with what steers shown by its number."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield segment._replace(text=for_terminal(segment.text))
