"""Annotated documents: texts with the references that people marked in them, and what they say.

What annotators left open (labels AGE and OPT) counts neither way, and what they did not look for is
passed over.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from indistinct.core import InputError
from indistinct.core.doors import open_file
from indistinct.scrub.text.spans import (
    AGE90,
    DATE,
    EMAIL,
    ID,
    LOCATION,
    NAME,
    ORG,
    PHONE,
    URL,
    Span,
)

__all__ = [
    "REQUIRED",
    "TOKEN",
    "Annotated",
    "Reference",
    "counted",
    "marks",
    "read_annotated",
    "rightness",
]

REQUIRED = (NAME, LOCATION, ORG, DATE, PHONE, EMAIL, URL, ID, AGE90)
"""Labels of references that must go."""
TOKEN = re.compile(r"[^\W_]+")
_NAMES = frozenset((NAME, LOCATION, ORG))


class Reference(NamedTuple):
    """A reference as an annotator marked it."""

    start: int
    end: int
    label: str


@dataclass(frozen=True)
class Annotated:
    """A text with the references that people found in it.

    `only_names` says that nothing but names, places and organisations was marked, and
    `dates_unlabelled` that dates were not: what is found of the others counts neither way.
    `people` are those in the text, where it is known, each with `first` and `last`: P the
    patient, D the author.
    """

    text: str
    references: Sequence[Reference]
    id: str = ""
    group: str = ""
    only_names: bool = False
    dates_unlabelled: bool = False
    people: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Annotated:
        """Read one from a JSON object: `text`, and `spans` with `start`, `end`, `label`."""
        spans = [
            Reference(int(s["start"]), int(s["end"]), str(s["label"])) for s in record["spans"]
        ]
        text = record["text"]
        if not isinstance(text, str) or any(not 0 <= s.start <= s.end <= len(text) for s in spans):
            raise ValueError
        return cls(
            text,
            spans,
            str(record.get("id", "")),
            str(record.get("group", "")),
            bool(record.get("only_names")),
            bool(record.get("dates_unlabelled")),
            {
                who: somebody
                for who, somebody in dict(record.get("people") or {}).items()
                if isinstance(somebody, Mapping)
            },
        )


def read_annotated(path: str | Path) -> Iterator[Annotated]:
    """Read annotated documents, one JSON object a line, as they are asked for."""
    with io.TextIOWrapper(open_file(path, "annotated file"), encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield Annotated.of(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    f"{path}, line {number}: not an annotated document. It must be a JSON object "
                    'with "text" and "spans", each span with "start", "end" and "label" in the '
                    "text."
                ) from error


def counted(document: Annotated, found: Iterable[Span]) -> list[Span]:
    """What was found, without the kinds that the document's annotators did not mark."""
    if document.only_names:
        return [span for span in found if span.label in _NAMES]
    if document.dates_unlabelled:
        return [span for span in found if span.label != DATE]
    return list(found)


def marks(document: Annotated) -> tuple[bytearray, bytearray]:
    """By character: the number of the label that it bears (from 1), and whether it is left open."""
    size = len(document.text)
    required, left_open = bytearray(size), bytearray(size)
    for start, end, label in document.references:
        if label in REQUIRED:
            required[start:end] = bytes([REQUIRED.index(label) + 1]) * (end - start)
        else:
            left_open[start:end] = b"\1" * (end - start)
    return required, left_open


def rightness(
    span: Span, text: str, required: bytearray, left_open: bytearray
) -> tuple[int, int] | None:
    """Of the tokens that a span covers: how many had to go, and how many there are.

    Tokens that were left open are not counted; None when no other is covered.
    """
    right = all_of_them = 0
    for token in TOKEN.finditer(text, span.start, span.end):
        start, end = token.span()
        if any(required[start:end]):
            right += 1
        elif any(left_open[start:end]):
            continue
        all_of_them += 1
    return (right, all_of_them) if all_of_them else None
