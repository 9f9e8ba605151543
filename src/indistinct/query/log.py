"""The log of questions: who asked what, which tables were told, and the secret of their noise.

One line of JSON for each question, only ever added, by one process at a time, on disk before the
answer is given. The first line says which records it is about, what is promised of them, and
holds the secret from which all noise is drawn. So the log is as private as the records (mode 600):
whoever has it can take the noise away, and whoever loses it and begins another gives the promise
twice.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import getpass
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from indistinct.core import InputError, systems
from indistinct.core.doors import check_file, open_file
from indistinct.query.bound import Bound
from indistinct.release import locked

__all__ = ["Conversation", "Log", "check_is_log", "who_asks"]

_WHAT = "log of questions"
_BEGINNING = b'{"log": "questions", "records": "'


@dataclass
class Conversation:
    """What was told so far, and the secret of the noise.

    Parameters
    ----------
    bound
        What is promised; None where answers are exact.
    secret
        What the noise is drawn from.
    tables
        The tables that were told, in the order in which they were asked first.
    """

    bound: Bound | None
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    tables: list[str] = field(default_factory=list)

    def add(self, who: str, question: str, tables: Sequence[str], *, answered: bool) -> None:
        """Keep in mind what was asked and told."""
        self.tables += [table for table in tables if table not in self.tables]


class Log:
    """A file that keeps a conversation from question to question.

    Parameters
    ----------
    path
        The file; made for its owner alone where there is none.
    records
        The hash of the records that are asked.
    bound
        What is to be promised where the log begins; later it must be the same.
    person
        Whose the promise is: of the people of this column; None where a record is a person.
    """

    def __init__(
        self, path: Path, *, records: str, bound: Bound | None, person: str | None = None
    ) -> None:
        self.path, self._records, self._bound, self._person = path, records, bound, person

    @contextlib.contextmanager
    def open(self) -> Iterator[Conversation]:
        """Read what was told so far, while nobody else can add to it."""
        if os.path.lexists(self.path):
            check_file(self.path, _WHAT, kept=True)
        with locked(self.path) as handle:
            lines, rest = self._lines(handle)
            if lines:
                found = self._continued(handle, lines)
                self._cut(handle, rest)
                yield found
            else:
                if not self._begins(rest):
                    raise _is_none(self.path)
                self._cut(handle, rest)
                found = _Written(self._bound, handle=handle)
                found.begin(self._records, self._person)
                yield found

    def _lines(self, handle: int) -> tuple[list[bytes], bytes]:
        """Return the lines, and what follows the last of them."""
        content = b""
        os.lseek(handle, 0, os.SEEK_SET)
        while part := os.read(handle, 1 << 20):
            content += part
        whole = content.rfind(b"\n") + 1
        return content[:whole].splitlines(), content[whole:]

    def _cut(self, handle: int, rest: bytes) -> None:
        """Take away a line of ours that was cut off: its answer was never given.

        Only once the file is known to be a log: what is somebody else's stays to the byte.
        """
        if rest:
            os.ftruncate(handle, os.fstat(handle).st_size - len(rest))

    def _begins(self, rest: bytes) -> bool:
        """Say whether this is how the first line of this log begins, as far as it goes."""
        beginning = json.dumps({"log": "questions", "records": self._records})[:-1].encode()
        return rest[: len(beginning)] == beginning[: len(rest)]

    def _continued(self, handle: int, lines: Sequence[bytes]) -> _Written:
        try:
            first, *rest = [json.loads(line) for line in lines]
            assert first["log"] == "questions"
            bound = None if first["bound"] is None else Bound(**first["bound"])
            tables = [table for line in rest for table in line["tables"]]
            found = _Written(bound, bytes.fromhex(first["secret"]), tables, handle=handle)
        except (ValueError, KeyError, TypeError, AssertionError, RecursionError):
            raise _is_none(self.path) from None
        if first["records"] != self._records:
            raise InputError(
                f"{self.path} is the log of questions to other records. Name another log: these "
                "records are not those."
            )
        if (bound, first.get("person")) != (self._bound, self._person):
            raise InputError(
                f"{self.path} was begun with another promise ({_told(bound)}), which cannot be "
                "changed any more. Leave guess, tables, most and the column of people as they "
                f"were. Got {_told(self._bound)}."
            )
        return found

    def promised(self) -> Bound | None:
        """Return what the log promises already, or None where it has not begun."""
        if not os.path.lexists(self.path):
            return None
        with open_file(self.path, _WHAT, kept=True) as file:
            line = file.readline(10_000)
        try:
            first = json.loads(line)
            return None if first["bound"] is None else Bound(**first["bound"])
        except (ValueError, KeyError, TypeError, RecursionError):
            return None


@dataclass
class _Written(Conversation):
    """A conversation whose lines go to a file."""

    handle: int = -1

    def begin(self, records: str, person: str | None) -> None:
        bound = None if self.bound is None else asdict(self.bound)
        about = {"log": "questions", "records": records, "person": person}
        self._write({**about, "bound": bound, "secret": self.secret.hex()})

    def add(self, who: str, question: str, tables: Sequence[str], *, answered: bool) -> None:
        new = [table for table in dict.fromkeys(tables) if table not in self.tables]
        super().add(who, question, tables, answered=answered)
        time = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        self._write(
            {"time": time, "who": who, "question": question, "answered": answered, "tables": new}
        )

    def _write(self, content: dict[str, Any]) -> None:
        line = json.dumps(content).encode() + b"\n"
        while line:
            line = line[os.write(self.handle, line) :]
        systems.sync(self.handle)


def check_is_log(path: Path) -> None:
    """Refuse a file that is no log of questions, before anything is asked."""
    with open_file(path, _WHAT, kept=True) as file:
        line = file.readline(10_000)
    if line[: len(_BEGINNING)] != _BEGINNING[: len(line)]:
        raise _is_none(path)


def _is_none(path: Path) -> InputError:
    return InputError(
        f"{path} is not a log of questions. Name the file that earlier questions wrote, or a new "
        "one."
    )


def who_asks(named: str | None) -> str:
    """Return who asks: the name that is given, or the user of the machine."""
    if named is not None:
        if not named.strip() or len(named) > 100 or not named.isprintable():
            raise InputError("who must be a name of at most 100 characters that can be shown.")
        return named
    with contextlib.suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return "unknown"


def _told(bound: Bound | None) -> str:
    if bound is None:
        return "exact answers"
    return f"guess {bound.guess:g}, {bound.tables} tables, at most {bound.most} cells a person"
