"""What is going on, as a few live lines on standard error; and the screens that people read.

Nothing is shown for the first two seconds, nothing where standard error is not a terminal that can
move its cursor, and nothing is left behind. Standard output gets the answer to what was asked and
nothing else; progress, notes and warnings go to standard error.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from indistinct.cli.console import Screen
from indistinct.cli.terminal import bar, can_show
from indistinct.core import Task, listening

__all__ = ["LiveProgress", "error_console", "hidden", "showing_progress"]

DELAY = 2.0
"""Seconds before anything is shown."""

TICK = 0.2

SETTLED = 0.5
"""Seconds that a task must last to get a line, so that short ones do not flicker."""

LINES = 3

_SHOWN: ContextVar[LiveProgress | None] = ContextVar("shown", default=None)


@dataclass(frozen=True)
class _Open:
    task: Task
    since: float


class LiveProgress:
    """A listener that shows the tasks that are under way, when they last.

    Parameters
    ----------
    console
        The terminal; everything else that is written to it must go through this console.
    clock
        Seconds that only grow.
    """

    def __init__(self, console: Console, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.console = console
        self._clock = clock
        self._began = clock()
        self._open: list[_Open] = []
        self._lock = threading.RLock()
        self._live: Live | None = None
        self._over = threading.Event()

    def started(self, task: Task, /) -> None:
        """Take up a task."""
        with self._lock:
            self._open.append(_Open(task, self._clock()))

    def advanced(self, task: Task, /) -> None:
        """Nothing to do: what is done is read when it is shown."""

    def ended(self, task: Task, /) -> None:
        """Forget a task."""
        with self._lock:
            self._open = [opened for opened in self._open if opened.task is not task]

    def run(self) -> None:
        """Show and refresh until `close`, in a thread of its own."""
        if self._over.wait(DELAY):
            return
        self.tick()
        while not self._over.wait(TICK):
            self.tick()

    def tick(self) -> None:
        """Show what is under way now, if it is time."""
        with self._lock:
            if self._over.is_set() or self._clock() - self._began < DELAY:
                return
            lines = Text("\n").join(self.lines())
            if self._live is None:
                self._live = Live(
                    lines,
                    console=self.console,
                    auto_refresh=False,
                    transient=True,
                    redirect_stdout=False,
                    vertical_overflow="crop",
                )
                self._live.start(refresh=True)
            else:
                self._live.update(lines, refresh=True)

    def lines(self) -> list[Text]:
        """Return the lines to show: the outermost task and the innermost ones."""
        now = self._clock()
        lasting = [opened for opened in self._open if now - opened.since >= SETTLED]
        if not lasting:
            working = f"working  {_duration(now - self._began)}"
            return [Text(working, no_wrap=True, overflow="ellipsis")]
        if len(lasting) > LINES:
            lasting = [lasting[0], *lasting[-(LINES - 1) :]]
        return [
            _line(opened, now, self.console, indent=depth) for depth, opened in enumerate(lasting)
        ]

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Leave the terminal to somebody else, who writes to it by another way."""
        with self._lock:
            self._clear()
            yield

    def close(self) -> None:
        """Wipe the lines; nothing is shown after."""
        self._over.set()
        with self._lock:
            self._clear()

    def _clear(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def _line(opened: _Open, now: float, console: Console, *, indent: int) -> Text:
    """Return one task's line: what, a bar, per cent, time left; as much as there is room for."""
    task, lasted = opened.task, now - opened.since
    room = max(20, console.width - 1)
    right = Text()
    if task.total:
        share = task.done / task.total
        if room >= 50:
            size = 20 if room >= 76 else 10
            right.append(bar(share, width=size, console=console).ljust(size), style="cyan")
        left = _left(share, lasted)
        right.append(f" {share:4.0%} {left:>12}")
    else:
        right.append(f"{_duration(lasted):>12}")
    if room >= 100 and task.unit and (task.done or task.total):
        of = f" of {task.total:,}" if task.total else ""
        right = Text(f"{task.done:,}{of} {task.unit}  ", style="dim").append_text(right)
    more = "…" if can_show("…", console) else "..."
    words = f"{' ' * (2 * indent)}{task.words}"
    most = room - right.cell_len - 2
    shown = Text(words, no_wrap=True)
    if shown.cell_len > most:
        shown.truncate(max(0, most - len(more)))
        shown.append(more)
    shown.pad_right(max(0, most - shown.cell_len))
    return Text.assemble(shown, "  ", right, no_wrap=True, overflow="crop")


def _left(share: float, lasted: float) -> str:
    """Say how long it will take at the speed so far; how long it has taken, where none is known.

    >>> _left(0.25, 30), _left(0, 30)
    ('1:30 left', '0:30')
    """
    if not share:
        return _duration(lasted)
    return f"{_duration(lasted * (1 - share) / share)} left"


def _duration(seconds: float) -> str:
    """Write seconds as people do.

    >>> _duration(7), _duration(3725)
    ('0:07', '1:02:05')
    """
    whole = int(seconds + 0.5)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


class _Answers(Screen):
    """Standard output, for which the live lines make room."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print, with the live lines out of the way."""
        with hidden():
            super().print(*objects, **options)


def _two_screens() -> Screen:
    screen = Screen(stderr=True)
    screen.answers = _Answers()
    return screen


def error_console() -> Console:
    """The screen of remarks: standard error, the one under the live lines if there are.

    Its `answers` are standard output.
    """
    shown = _SHOWN.get()
    return shown.console if shown is not None else _two_screens()


@contextmanager
def hidden() -> Iterator[None]:
    """Write to standard output inside; the live lines, if there are, make room."""
    shown = _SHOWN.get()
    if shown is None:
        yield
        return
    with shown.hidden():
        yield


@contextmanager
def showing_progress() -> Iterator[None]:
    """Show on standard error what is under way inside, if that is a terminal that can."""
    console = _two_screens()
    if not (console.file.isatty() and console.is_interactive and not console.is_dumb_terminal):
        yield
        return
    shown = LiveProgress(console)
    token = _SHOWN.set(shown)
    thread = threading.Thread(target=shown.run, name="progress", daemon=True)
    thread.start()
    try:
        with listening(shown):
            yield
    finally:
        shown.close()
        _SHOWN.reset(token)
