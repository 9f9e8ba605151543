"""Every state that a project was in: undone, redone, branched and named, and nothing is lost.

What is decided here: a state is the text of the project file, kept under its hash in the project's
private folder; an entry says which state followed which and what was done. Undoing goes to the
entry before, and a change made there begins another branch, so that undoing is never the end of
anything. There is no limit, and a restart finds all of it.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from indistinct.core import InputError
from indistinct.core.doors import read_file, write_whole

__all__ = ["History", "State"]

LARGEST = 100_000_000
"""Bytes of the list of entries: some hundred thousand of them."""


@dataclass(frozen=True)
class State:
    """One entry: what was done, to which text it led, and from which entry.

    Parameters
    ----------
    number
        From 0, in the order in which they were made.
    before
        The entry that it followed; None for the first.
    text
        The hash of the project file's text.
    what
        What was done: the name of a text of the catalogue, and what stands in its places.
    branch
        The name that a person gave it.
    """

    number: int
    before: int | None
    text: str
    what: tuple[str, ...]
    branch: str = ""


class History:
    """The entries of one project, in a folder of its own.

    >>> import tempfile
    >>> history = History(Path(tempfile.mkdtemp()) / "private")
    >>> for text in ("k = 5", "k = 10"):
    ...     _ = history.record(text, ("changed",))
    >>> history.undo().text == history.states[0].text, history.text
    (True, 'k = 5')
    >>> history.record("k = 3", ("changed",)).before, len(history.states)
    (0, 3)
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        os.makedirs(folder / "states", mode=0o700, exist_ok=True)
        self.states: list[State] = []
        self._at = 0
        self._next: dict[int, int] = {}
        place = folder / "history.json"
        if os.path.lexists(place):
            self._read(place)

    def _read(self, place: Path) -> None:
        try:
            kept = json.loads(read_file(place, "history", limit=LARGEST, kept=True))
            self.states = [State(**{**one, "what": tuple(one["what"])}) for one in kept["states"]]
            self._at = int(kept["at"])
            self._next = {int(one): int(after) for one, after in kept["next"].items()}
            sound = 0 <= self._at < len(self.states)
        except (ValueError, KeyError, TypeError, AttributeError):
            sound = False
        if not sound:
            raise InputError(
                f"{place} is damaged, so what was done before cannot be undone. Move it away to "
                "begin a new history; the project file stays as it is."
            )

    @property
    def at(self) -> State | None:
        """Where the project stands; None before anything was recorded."""
        return self.states[self._at] if self.states else None

    @property
    def version(self) -> str:
        """What a page was made from: a change that comes with another version is refused."""
        here = self.at
        return "" if here is None else f"{here.number}-{here.text[:16]}"

    @property
    def text(self) -> str:
        """The text of the project file where it stands."""
        assert self.at is not None, "nothing was recorded"
        return self.text_of(self.at)

    def text_of(self, state: State) -> str:
        """Return the text of an entry; one that was changed on the disk is refused."""
        place = self._folder / "states" / f"{state.text}.toml"
        content = read_file(place, "state of the project", kept=True)
        if _hash(content) != state.text:
            raise InputError(f"{place} is damaged: it is not the state that it was. Leave it out.")
        return content.decode("utf-8")

    def record(self, text: str, what: tuple[str, ...]) -> State:
        """Keep a text as what follows the present entry, and stand there."""
        content = text.encode("utf-8")
        key = _hash(content)
        place = self._folder / "states" / f"{key}.toml"
        if not os.path.isfile(place):
            write_whole(place, content, private=True, own=True)
        before = self._at if self.states else None
        state = State(len(self.states), before, key, what)
        self._keep([*self.states, state], state.number, self._next_with(state))
        return state

    def _next_with(self, state: State) -> dict[int, int]:
        return self._next if state.before is None else {**self._next, state.before: state.number}

    @property
    def before(self) -> State | None:
        """Where undoing leads, if there is anything to undo."""
        here = self.at
        return None if here is None or here.before is None else self.states[here.before]

    @property
    def after(self) -> State | None:
        """Where redoing leads: the entry that was made, or gone to, last from here."""
        after = self._next.get(self._at)
        return None if after is None else self.states[after]

    def standing_at(self, number: int) -> History:
        """Return the same entries, standing at another; nothing is written."""
        other = copy.copy(self)
        other._at = self.states[number].number
        return other

    def undo(self) -> State:
        """Go to the entry before."""
        if self.before is None:
            raise InputError("There is nothing to undo: this is how the project began.")
        return self.go(self.before.number)

    def redo(self) -> State:
        """Go to the entry after."""
        if self.after is None:
            raise InputError("There is nothing to redo: this is the newest state.")
        return self.go(self.after.number)

    def go(self, number: int) -> State:
        """Stand at an entry; redoing leads on along its branch."""
        if not 0 <= number < len(self.states):
            raise InputError(f"There is no state {number}. There are 0 to {len(self.states) - 1}.")
        next_one, state = dict(self._next), self.states[number]
        while state.before is not None:
            next_one[state.before] = state.number
            state = self.states[state.before]
        self._keep(self.states, number, next_one)
        return self.states[number]

    def name(self, branch: str) -> State:
        """Give the present entry a name, by which it is found again."""
        branch = " ".join(branch.split())[:60]
        if not branch:
            raise InputError("The name of a branch must have a letter. Got none.")
        if any(one.branch == branch and one.number != self._at for one in self.states):
            raise InputError(f"There is a branch {branch!r} already. Choose another name.")
        states = list(self.states)
        states[self._at] = replace(states[self._at], branch=branch)
        self._keep(states, self._at, self._next)
        return states[self._at]

    def line(self) -> list[State]:
        """Return the entries from the first to the present one."""
        found: list[State] = []
        state = self.at
        while state is not None:
            found.append(state)
            state = None if state.before is None else self.states[state.before]
        return found[::-1]

    def ends(self) -> Iterator[State]:
        """Give what nothing followed, and what was named: the branches, the newest first."""
        followed = {one.before for one in self.states}
        for state in reversed(self.states):
            if state.number not in followed or state.branch:
                yield state

    def _keep(self, states: list[State], at: int, after: dict[int, int]) -> None:
        """Write first and believe it then: on a full disk all is as it was."""
        kept: dict[str, Any] = {"at": at, "next": after, "states": [asdict(one) for one in states]}
        content = json.dumps(kept, ensure_ascii=False)
        write_whole(self._folder / "history.json", content, private=True, own=True)
        self.states, self._at, self._next = states, at, after


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
