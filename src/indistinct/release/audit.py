"""The audit trail: who did what to which data, in lines that are only ever added.

Each line holds the hash of itself and of the line before it, so that no line can be changed,
removed, moved or put in between unnoticed. The last lines need an anchor outside of the trail: a
file ``<name>.head`` beside it says how many lines there are and how the last one ends. Whoever may
write both files can still write both anew; the head that a certificate holds, or that was printed
or signed, shows that too.

Decisions about security: an entry holds no value of a cell, only names, hashes, record numbers
and words. It has a random salt, because its hash is told to outsiders (a certificate shows the
head), and what an entry says could otherwise be guessed and tried.
"""

from __future__ import annotations

import datetime as dt
import getpass
import os
import re
import secrets
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import indistinct
from indistinct.core import GuaranteeError, InputError, systems
from indistinct.core.doors import open_file, read_file, undisturbed, written_whole
from indistinct.release.canonical_json import canonical, digest, is_digest
from indistinct.release.chain import START, Head, TrailCheck, check_trail, link, read_line
from indistinct.release.locking import locked

_LONGEST = 1_000_000_000
"""Bytes of a trail: some million entries."""

__all__ = ["AuditTrail", "Entry"]

_WORDS = re.compile(r"[a-z0-9][a-z0-9 +-]{0,39}")
_BLOCK = 1 << 16
_FIRST, _SECOND = b'{"data":{', b'},"hash":"'
_FILES = re.compile(rb'\{"data":\{(?:"(?:[^"\\]|\\.)*":"[0-9a-f]{64}"(?:,|(?=\})|$))*')
"""How an entry begins: the files that it is about."""
_CUT_OFF = re.compile(rb'(?:"(?:[^"\\]|\\.)*(?:\\|"|":|":"[0-9a-f]{0,64})?)?')
"""A file and its hash, as far as they go."""


@dataclass(frozen=True)
class Entry:
    """One line of an audit trail.

    Parameters
    ----------
    number
        Its place, from 1.
    time, who
        When (UTC) and who: user and machine.
    verb
        What was done.
    data
        The files concerned: name and SHA-256.
    parameters
        The SHA-256 of what was asked for.
    verdict
        What came of it, in a word.
    records
        The numbers of single records that were looked at, from 0.
    version
        The version of the program.
    salt, hash
        Chance, and the hash of this entry after the one before.
    """

    number: int
    time: str
    who: str
    verb: str
    data: Mapping[str, str]
    parameters: str | None
    verdict: str | None
    records: tuple[int, ...] | None
    version: str
    salt: str
    hash: str

    def __repr__(self) -> str:
        what = [self.verb, *self.data]
        if self.records is not None:
            what.append(f"{len(self.records):,} record{'' if len(self.records) == 1 else 's'}")
        if self.verdict is not None:
            what.append(self.verdict)
        return f"{self.number}. {self.time} {self.who}: {', '.join(what)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        records = None if self.records is None else list(self.records)
        return {**self.__dict__, "data": dict(self.data), "records": records}


class AuditTrail:
    """A file of entries, to which entries are added and in which nothing else is done.

    >>> import tempfile
    >>> trail = AuditTrail(Path(tempfile.mkdtemp()) / "audit.jsonl")
    >>> _ = trail.append("uniques", records=[3])
    >>> _ = trail.append("release", verdict="k-map")
    >>> trail.check().whole, trail.check().entries
    (True, 2)
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def head_path(self) -> Path:
        """The file that says where the trail ends."""
        return self.path.with_name(self.path.name + ".head")

    def __repr__(self) -> str:
        return f"AuditTrail({str(self.path)!r})"

    def __iter__(self) -> Iterator[Entry]:
        for number, line in enumerate(self._bytes().splitlines(), 1):
            content = read_line(line)
            if content is None:
                raise GuaranteeError(f"{self.path}: line {number} is not an entry.")
            records = content["records"]
            content["records"] = None if records is None else tuple(records)
            yield Entry(**content)

    def append(
        self,
        verb: str,
        *,
        data: Mapping[str, str] | None = None,
        parameters: Any = None,
        verdict: str | None = None,
        records: Sequence[int] | None = None,
    ) -> Entry:
        """Add an entry, on disk when this returns; others who add at the same time wait.

        Parameters
        ----------
        verb
            What was done, in a word or two of lower case.
        data
            The files concerned: name and SHA-256 (see `file_digest`).
        parameters
            What was asked for, as JSON knows it; only its hash is kept.
        verdict
            What came of it, in a word.
        records
            Numbers of the single records that were shown to somebody, from 0.
        """
        for what, word in (("verb", verb), ("verdict", verdict)):
            if word is not None and not _WORDS.fullmatch(word):
                raise InputError(
                    f"The {what} of an audit entry must be a few words of lower case. "
                    "Values of records do not belong there."
                )
        for name, sha in (data or {}).items():
            if not is_digest(sha):
                raise InputError(f"An audit entry names '{name}' without its SHA-256.")
        if any(number < 0 for number in records or ()):
            raise InputError("Record numbers in an audit entry are counted from 0.")
        self.check_kind()
        with locked(self.path) as handle:
            head = self._settled_head(handle)
            content: dict[str, Any] = {
                "number": head.entries + 1,
                "time": dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds"),
                "who": _who(),
                "verb": verb,
                "data": dict(data or {}),
                "parameters": None if parameters is None else digest(parameters),
                "verdict": verdict,
                "records": None if records is None else [int(number) for number in records],
                "version": indistinct.__version__,
                "salt": secrets.token_hex(16),
            }
            content["hash"] = link(head.hash, content)
            line = canonical(content) + b"\n"
            with undisturbed():
                _write_all(handle, line, self.path)
                self._write_head(
                    Head(content["number"], content["hash"], head.size + len(line)), handle
                )
        kept = None if content["records"] is None else tuple(content["records"])
        return Entry(**{**content, "records": kept})

    def check_kind(self) -> None:
        """Refuse a file that is no audit trail, before any work is done."""
        if os.path.lexists(self.path):
            with open_file(self.path, "audit trail", kept=True) as file:
                begins = file.read(_BLOCK)
            first, ends, _ = begins.partition(b"\n")
            if not (read_line(first) if ends else _begins_an_entry(first)) and begins:
                raise InputError(
                    f"{self.path} is not an audit trail. Name the one that is kept, or a new file."
                )
        self._read_head()

    def head(self) -> Head:
        """Return where the trail ends, by its own account; print or sign it to hold it to that."""
        return self._read_head() or Head(0, START, 0)

    def check(self, *, at: Head | None = None) -> TrailCheck:
        """Look for lines that were changed, removed, moved or put in.

        Parameters
        ----------
        at
            A head that was noted earlier, in a certificate for instance: the trail must have gone
            through it.
        """
        return check_trail(self.path, self._bytes(), self._head_bytes(), at=at)

    def _bytes(self) -> bytes:
        return read_file(self.path, "audit trail", limit=_LONGEST, kept=True)

    def _head_bytes(self) -> bytes | None:
        if not os.path.lexists(self.head_path):
            return None
        return read_file(self.head_path, "head of the audit trail", limit=10_000, kept=True)

    def _read_head(self) -> Head | None:
        content = self._head_bytes()
        if content is None:
            return None
        found = Head.read(content)
        if found is None:
            raise self._broken(f"{self.head_path.name} is damaged")
        return found

    def _settled_head(self, handle: int) -> Head:
        """Return the head to add to, after what an interrupted run may have left is put right."""
        head = self._read_head() or Head(0, START, 0)
        size = os.fstat(handle).st_size
        if size < head.size:
            raise self._broken("its last lines were removed")
        if head.entries and _last_line_hash(handle, head.size) != head.hash:
            raise self._broken("it does not end as its head says")
        rest = _read_at(handle, head.size, size)
        if not rest:
            return head
        if b"\n" not in rest and _begins_an_entry(rest):
            os.ftruncate(handle, head.size)  # a line that was never finished, nor vouched for
            return head
        content = read_line(rest[:-1]) if rest.endswith(b"\n") else None
        if content is not None and head.is_followed_by(content):
            return Head(content["number"], content["hash"], size)
        raise self._broken("there are lines after its head")

    def _write_head(self, head: Head, handle: int) -> None:
        with written_whole(self.head_path, own=True) as aside:
            aside.write_bytes(head.to_bytes())
            status = os.fstat(handle)
            # whoever may write the trail must be able to write its head
            systems.set_group(aside, status.st_gid)
            systems.set_mode(aside, status.st_mode & 0o777)

    def _broken(self, why: str) -> GuaranteeError:
        return GuaranteeError(
            f"The audit trail {self.path} was changed: {why}. Nothing was added. Keep both files "
            "as they are, find out what happened, and begin a new trail under another name."
        )


def _begins_an_entry(rest: bytes) -> bool:
    """Say whether this is how an entry begins, as far as it goes: files with their hashes.

    >>> _begins_an_entry(b'{"data":{"a.csv":"' + b"0" * 64 + b'"},"ha'), _begins_an_entry(b'{"da')
    (True, True)
    >>> _begins_an_entry(b'{"data":[{"id":1}]}')
    False
    """
    if len(rest) <= len(_FIRST):
        return _FIRST.startswith(rest)
    files = _FILES.match(rest)
    if files is None:
        return False
    after = rest[files.end() :]
    if after[:1] == b"}":
        return after[: len(_SECOND)] == _SECOND[: len(after)]
    return _CUT_OFF.fullmatch(after) is not None


def _who() -> str:
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without an entry in the password file
        number = systems.user_number()
        user = "unknown" if number is None else f"user {number}"
    return f"{user}@{socket.gethostname()}"


def _write_all(handle: int, line: bytes, path: Path) -> None:
    try:
        written = os.write(handle, line)
        if written != len(line):
            raise OSError("the line was cut")
        systems.sync(handle)
    except OSError as error:
        raise InputError(
            f"The audit trail {path} cannot be written: {error.strerror or error}."
        ) from None


def _read_at(handle: int, start: int, end: int) -> bytes:
    os.lseek(handle, start, os.SEEK_SET)
    parts = []
    while start < end and (part := os.read(handle, end - start)):
        parts.append(part)
        start += len(part)
    return b"".join(parts)


def _last_line_hash(handle: int, end: int) -> str | None:
    """Return the hash in the line that ends at a position, reading backwards."""
    tail = b""
    while end - len(tail) > 0 and b"\n" not in tail[:-1]:
        start = max(0, end - len(tail) - _BLOCK)
        tail = _read_at(handle, start, end - len(tail)) + tail
    if not tail.endswith(b"\n"):
        return None
    content = read_line(tail[:-1].rsplit(b"\n", 1)[-1])
    return None if content is None else str(content["hash"])
