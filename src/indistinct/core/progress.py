"""What is being done and how much of it is, told to whoever listens.

Work that may last says so: `task` names it and how much there is, `advance` says how much more
has been done. Without a listener, which is the rule in Python, nothing is kept and `advance` is
one test. The words of a task hold names of variables, methods and files, never a value of a cell:
they are shown on screens and may end up in logs.

A listener belongs to the context that set it (a `contextvars.ContextVar`), so that two runs in
two threads do not hear each other. A task may be advanced from any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Protocol, TypeVar

__all__ = ["Listener", "Task", "each", "listening", "task"]

Item = TypeVar("Item")


class Listener(Protocol):
    """What gets to know of tasks; called in the thread that does the work."""

    def started(self, task: Task, /) -> None:
        """A task begins; those that began before and have not ended are around it."""

    def advanced(self, task: Task, /) -> None:
        """More of a task is done: `task.done` never falls."""

    def ended(self, task: Task, /) -> None:
        """A task is over, finished or given up."""


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


class Task:
    """A piece of work: what it is, how much there is, how much is done.

    Attributes
    ----------
    words
        What is being done, for people.
    total
        How much there is; None where nobody knows beforehand.
    unit
        What is counted: records, tables, …
    done
        How much is done, at most `total`.
    """

    __slots__ = ("_listener", "_lock", "done", "total", "unit", "words")

    def __init__(self, words: str, total: int | None, unit: str, listener: Listener | None) -> None:
        self.words = words
        self.total = total
        self.unit = unit
        self.done = 0
        self._listener = listener
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        of = "" if self.total is None else f" of {self.total:,}"
        return f"Task({self.words}: {self.done:,}{of}{f' {self.unit}' if self.unit else ''})"

    def advance(self, amount: int = 1) -> None:
        """Say that so much more is done; safe in any thread."""
        if self._listener is None:
            return
        with self._lock:
            done = self.done + max(0, int(amount))
            self.done = done if self.total is None else min(done, self.total)
            self._listener.advanced(self)

    def passed(self, value: Item) -> Item:
        """Advance by one and give the value back: for work that stands among arguments."""
        self.advance()
        return value

    def __enter__(self) -> Task:
        if self._listener is not None:
            self._listener.started(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._listener is None:
            return
        finished = kind is None or kind is GeneratorExit
        if finished and self.total is not None and self.done < self.total:
            # a search that finds early, and a loop that is left early, have no more to do
            self.advance(self.total - self.done)
        self._listener.ended(self)


_UNHEARD = Task("", None, "", None)


def task(words: str, *, total: int | None = None, unit: str = "") -> Task:
    """Name a piece of work; use it as a context, and advance it.

    >>> class Shown:
    ...     def started(self, task): print("begins:", task)
    ...     def advanced(self, task): print(task)
    ...     def ended(self, task): print("over")
    >>> with listening(Shown()), task("counting by age, sex", total=3000, unit="records") as work:
    ...     work.advance(2000)
    begins: Task(counting by age, sex: 0 of 3,000 records)
    Task(counting by age, sex: 2,000 of 3,000 records)
    Task(counting by age, sex: 3,000 of 3,000 records)
    over
    """
    listener = _LISTENER.get()
    return _UNHEARD if listener is None else Task(words, total, unit, listener)


def each(
    items: Iterable[Item],
    words: str,
    *,
    total: int | None = None,
    unit: str = "",
    amount: Callable[[Item], int] = lambda item: 1,
) -> Iterator[Item]:
    """Give the items one by one, as a task that advances after each by what it amounts to.

    >>> list(each([1, 2, 3], "adding"))
    [1, 2, 3]
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    with task(words, total=total, unit=unit) as going:
        for item in items:
            yield item
            going.advance(amount(item))


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Let a listener hear of the tasks that begin inside; None lets nobody."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)
