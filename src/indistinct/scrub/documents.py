"""A document on its way through: as it was read, what was found in it, what is written of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from indistinct.results import Part

__all__ = ["Document", "Found", "Group", "Outcome", "Treated", "is_unicode"]


@dataclass(frozen=True, slots=True)
class Document:
    """One document, or why there is none.

    Parameters
    ----------
    number
        From 1, in the order of reading.
    source, line, column
        Where it stands: the file, and there the line, or the record and its column.
    id
        What the holder calls it.
    text
        What it says; None where it could not be read, for the `reason` given.
    patient
        Whom it is about, where that is known.
    together
        Documents that follow each other with the same word here share what is known of people.
    part
        The number of the input that it came from.
    kept
        What is written beside its text, by field.
    form
        The kind of letter that the text was taken out of; nothing for text.
    left_out
        How much of what is no text was left out when it was taken out, by what it is.
    """

    number: int
    source: str
    id: str | int
    text: str | None
    reason: str = ""
    line: int = 0
    column: str = ""
    patient: str | None = None
    together: str | None = None
    part: int = 0
    kept: Mapping[str, Any] = field(default_factory=dict)
    form: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Where it stands, for messages. Never its id, which may be private.

        >>> Document(1, "notes.jsonl", "Ann Lee", "…", line=1200).place
        'notes.jsonl, line 1,200'
        """
        if not self.line:
            return self.source
        where = f"record {self.line:,}, {self.column}" if self.column else f"line {self.line:,}"
        return f"{self.source}, {where}"


Group = list[Document]
"""Documents that share what is known of people."""


@dataclass(frozen=True, slots=True)
class Found(Part):
    """A reference that was found, and what became of it. `person` numbers people in a document."""

    start: int
    end: int
    label: str
    kind: str
    certainty: float
    detector: str
    rule: str
    person: int | None
    replacement: str
    action: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one document: its text without the people, or why it is withheld."""

    text: str | None
    found: tuple[Found, ...] = ()
    reason: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON knows it."""
        found = [tuple(getattr(one, name) for name in Found.__slots__) for one in self.found]
        return {"text": self.text, "found": found, "reason": self.reason, "facts": self.facts}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Outcome:
        """Make the outcome that `to_dict` described."""
        found = tuple(Found(*one) for one in content["found"])
        return cls(content["text"], found, content["reason"], content["facts"])


@dataclass(frozen=True, slots=True)
class Treated:
    """A document, what came of it, and the bytes of its new file where that is more than text."""

    document: Document
    outcome: Outcome
    content: bytes | None = None

    @property
    def text(self) -> str | None:
        """What may be written; None where the document is withheld."""
        return self.outcome.text

    @property
    def reason(self) -> str:
        """Why it is withheld."""
        return self.document.reason or self.outcome.reason

    def removed(self) -> Iterator[tuple[Found, str]]:
        """Give each reference with the characters that stood there."""
        for one in self.outcome.found:
            yield one, (self.document.text or "")[one.start : one.end]


def is_unicode(text: str) -> bool:
    """Say whether a text can be written: JSON can hold halves of characters, files cannot.

    >>> is_unicode("Zoë"), is_unicode("\\ud800")
    (True, False)
    """
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
