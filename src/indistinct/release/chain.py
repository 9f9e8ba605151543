"""Lines that hold each other: hashes over what came before, and finding what does not fit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indistinct.core import InputError
from indistinct.release.canonical_json import canonical, is_digest
from indistinct.results import Part, Result, Table, facts, result

__all__ = ["START", "Head", "TrailCheck", "check_trail", "link", "read_line"]

START = hashlib.sha256(b"indistinct audit trail 1").hexdigest()
"""What the first line follows."""

_FIELDS = {
    "number", "time", "who", "verb", "data", "parameters", "verdict", "records", "version", "salt",
    "hash",
}  # fmt: skip
_SHOWN = 20


@dataclass(frozen=True)
class Head(Part):
    """Where a trail ends: how many entries, the hash of the last, and the size in bytes."""

    entries: int
    hash: str
    size: int = 0

    FACTS = facts("entries hash")

    def to_bytes(self) -> bytes:
        """Return the content of the head file."""
        return canonical(self.__dict__) + b"\n"

    @classmethod
    def read(cls, content: bytes) -> Head | None:
        """Return the head that a head file holds, or None if it does not hold one."""
        try:
            head = cls(**json.loads(content))
        except (ValueError, TypeError, RecursionError):
            return None
        if not (_whole(head.entries) and _whole(head.size) and is_digest(head.hash)):
            return None
        return head if head.to_bytes() == content else None

    def is_followed_by(self, content: Mapping[str, Any]) -> bool:
        """Say whether an entry is the next one."""
        body = {name: value for name, value in content.items() if name != "hash"}
        return bool(
            content["number"] == self.entries + 1 and content["hash"] == link(self.hash, body)
        )


def _whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0


def link(before: str, body: Mapping[str, Any]) -> str:
    """Return the hash of an entry after another: SHA-256 of the hash before and of the entry."""
    return hashlib.sha256(before.encode("ascii") + canonical(body)).hexdigest()


def read_line(line: bytes) -> dict[str, Any] | None:
    """Return the entry in a line, or None where it is not one to the byte."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or set(content) != _FIELDS:
        return None
    try:
        same = canonical(content) == line
    except InputError:
        return None
    right = isinstance(content["data"], dict) and _are_numbers(content["records"])
    return content if same and right and is_digest(content["hash"]) else None


def _are_numbers(records: object) -> bool:
    return records is None or (isinstance(records, list) and all(map(_whole, records)))


@result(eq=True)
class TrailCheck(Result):
    """What was found in an audit trail: nothing, where it is whole."""

    path: Path
    entries: int
    hash: str
    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    FACTS = facts("entries hash whole findings notes")

    @property
    def whole(self) -> bool:
        """Whether every line is as it was written."""
        return not self.findings

    def _lines(self) -> list[str]:
        said = "whole" if self.whole else "CHANGED"
        lines = [f"{self.path.name}: {self.entries:,} entries, {said}, head {self.hash}"]
        lines += [f"  {finding}" for finding in self.findings[:_SHOWN]]
        if len(self.findings) > _SHOWN:
            lines.append(f"  and {len(self.findings) - _SHOWN:,} more")
        return lines + [f"  note: {note}" for note in self.notes]

    def _tables(self) -> list[Table]:
        facts = {
            "entries": self.entries,
            "whole": self.whole,
            "findings": len(self.findings),
            "head": self.hash,
        }
        return [Table.facts(f"The audit trail {self.path.name}", facts)]

    def _notes(self) -> list[str]:
        return [*self.findings[:_SHOWN], *self.notes]


def check_trail(
    path: Path, content: bytes, head_content: bytes | None, *, at: Head | None = None
) -> TrailCheck:
    """Follow the chain through all lines, and hold it against its head and one noted earlier."""
    findings: list[str] = []
    before, ends = START, {0: START}
    lines = content.split(b"\n")
    if lines.pop():
        findings.append("the last line is cut")
    for number, line in enumerate(lines, 1):
        entry = read_line(line)
        if entry is None:
            findings.append(f"line {number} was changed: it is not an entry as it was written")
            ends[number] = before
            continue
        if entry["number"] != number:
            findings.append(
                f"line {number} holds entry {entry['number']}: lines were removed, repeated or "
                "moved"
            )
        body = {name: value for name, value in entry.items() if name != "hash"}
        if entry["hash"] != link(before, body):
            findings.append(f"line {number} does not follow from the line before it")
        before = ends[number] = entry["hash"]
    entries = len(lines)
    notes: list[str] = []
    findings += _against_head(path, len(content), head_content, ends, notes)
    if at is not None and ends.get(at.entries) != at.hash:
        findings.append(
            f"entry {at.entries} is not the one that was noted: the trail was written anew, or "
            "entries were removed"
        )
    return TrailCheck(path, entries, before, tuple(findings), tuple(notes))


def _against_head(
    path: Path, size: int, head_content: bytes | None, ends: Mapping[int, str], notes: list[str]
) -> list[str]:
    entries = max(ends)
    name = f"{path.name}.head"
    if head_content is None:
        return [f"{name} is missing, so that removed last lines would not show"]
    head = Head.read(head_content)
    if head is None:
        return [f"{name} was changed"]
    if head.entries > entries:
        gone = head.entries - entries
        return [f"{gone:,} line{' at the end was' if gone == 1 else 's at the end were'} removed"]
    if ends.get(head.entries) != head.hash:
        return [f"the trail does not go through entry {head.entries} as {name} has it"]
    if head.entries == entries - 1:
        notes.append("the last entry was added by a run that was interrupted before noting it")
        return []
    if head.entries < entries:
        return [f"{entries - head.entries:,} lines were added at the end without {name}"]
    return [] if head.size == size else [f"the trail has not the size that {name} has"]
