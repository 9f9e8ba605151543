"""What is done to a document: people are found and replaced within a time, or it is withheld."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from indistinct.scrub.correcting import Correction, corrected, corrections_for
from indistinct.scrub.documents import Document, Found, Group, Outcome
from indistinct.scrub.limits import TookTooLong, at_most, seconds_for
from indistinct.scrub.text.detective import people_of
from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.identities import Identities
from indistinct.scrub.text.memory import Memory
from indistinct.scrub.text.page import read
from indistinct.scrub.text.replace.secret import Secret
from indistinct.scrub.text.scrubber import Scrubber
from indistinct.scrub.text.spans import Span

__all__ = ["SUPPRESSED", "TELLING_ID", "Known", "Scrubbing", "encoded_reason"]


# Text inside text: what is encoded for the mail cannot be searched as it stands.
#
# What is decided here: it is not decoded, because what would be written is another document than
# the
# one given; it is withheld, with a word.


LONG = 40
"""Characters from which a run of base64 is looked into by itself."""

_HEADER = re.compile(
    r"^[ \t>]*Content-Transfer-Encoding:\s*\"?(base64|quoted-printable)", re.IGNORECASE | re.M
)
_RUN = re.compile(rf"[A-Za-z0-9+/_-]{{{LONG},}}")
_LINE = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_READABLE = frozenset(b"\t\n\r" + bytes(range(32, 127)))


def encoded_reason(text: str) -> str:
    """Say why a text cannot be searched because of how it is encoded; nothing if it can be.

    >>> encoded_reason("Content-Transfer-Encoding: base64\\n\\nTXJzLiBMb25n")
    'is encoded as base64, in which nobody is found. Decode it first'
    >>> encoded_reason("Mrs. Long is well.")
    ''
    """
    header = _HEADER.search(text)
    if header is not None:
        return f"is encoded as {header[1].lower()}, in which nobody is found. Decode it first"
    if any(_is_text(run) for run in _runs(text)):
        return "holds text that is encoded as base64, in which nobody is found. Decode it first"
    return ""


def _runs(text: str) -> Iterator[str]:
    """Give what may be base64: long words, and lines of one word where most lines are so."""
    yield from (found[0] for found in _RUN.finditer(text))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    encoded = [line for line in lines if _LINE.fullmatch(line)]
    if len(encoded) >= 3 and 2 * len(encoded) > len(lines):
        yield "".join(line.rstrip("=") for line in encoded)


def _is_text(run: str) -> bool:
    """Say whether base64 holds readable text, in an encoding of Latin letters or in UTF-8."""
    whole = run[: len(run) // 4 * 4].translate(str.maketrans("-_", "+/"))
    raw = base64.b64decode(whole).replace(b"\0", b"")
    if len(raw) < 8:
        return False
    if sum(byte in _READABLE for byte in raw) >= 0.9 * len(raw):
        return True
    try:
        told = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(raw) - 4:
            return False
        told = raw[: error.start].decode("utf-8")  # a character that was cut at the end
    return all(sign.isprintable() or sign.isspace() for sign in told)


Known = tuple[Mapping[str, Any], ...]
"""People by what is known of them, under the headings of their table."""

_FIRST = "RE: Jane Long\n\nDear Dr. Lang:\n\nMrs. Long was seen on 5/26/1986 in Boston."

SUPPRESSED = "suppressed"
"""What the scrubber calls a reference that it took out without anything in its place."""


TELLING_ID = "telling id"
"""The fact of a document that its own id, which is written beside it, names somebody."""

_SEPARATORS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Scrubbing:
    """The scrubber's settings, those who are known already, whether `people` are listed,
    whether files keep their `names`, and what a person said of references."""

    secret: Secret
    threshold: float = 0.7
    reduce: bool = True
    dates: str = "month"
    scope: str = "project"
    known: Known = field(default=(), repr=False)
    people: bool = False
    names: bool = False
    corrections: tuple[Correction, ...] = field(default=(), repr=False)

    def start(self) -> Ready:
        """Read the knowledge that detectors share, so that no document's time is spent on it."""
        finder = Finder(threshold=self.threshold, reduce=self.reduce)
        scrubber = Scrubber(secret=self.secret, finder=finder, dates=self.dates, scope=self.scope)
        scrubber.scrub(_FIRST)
        identities = Identities(self.known) if self.known else None
        return Ready(scrubber, finder, identities, self.people, self.names, self.corrections)


@dataclass(frozen=True)
class Ready:
    """A scrubber that is ready to work."""

    scrubber: Scrubber
    finder: Finder
    identities: Identities | None
    people: bool = False
    names: bool = False
    corrections: tuple[Correction, ...] = field(default=(), repr=False)

    def treat(self, group: Group) -> list[Outcome]:
        """Treat documents that share what is known of people.

        They are read twice: a name that is certain in the last may be doubtful in the first.
        """
        faults = {
            place: reason
            for place, document in enumerate(group)
            if (reason := encoded_reason(document.text or ""))
        }
        findings: list[tuple[str, list[Span]]] = []
        if len(group) > 1:
            for place, document in enumerate(group):
                if place in faults:
                    continue
                text = document.text or ""
                with _told_faults(text) as told:
                    own = corrections_for(document, self.corrections)
                    findings.append((text, corrected(text, self._find(text), own)))
                if told:
                    faults[place] = told[0]
        memory = Memory.of(findings, identities=self.identities)
        return [
            Outcome(None, reason=faults[place]) if place in faults else self._one(document, memory)
            for place, document in enumerate(group)
        ]

    def _find(self, text: str) -> list[Span]:
        return self.finder.find(text, memory=Memory(identities=self.identities))

    def _one(self, document: Document, memory: Memory) -> Outcome:
        text = document.text or ""
        with _told_faults(text) as told:
            own = corrections_for(document, self.corrections)
            done = self.scrubber.scrub(
                text,
                patient=document.patient,
                memory=memory,
                correct=(lambda spans: corrected(text, spans, own)) if own else None,
            )
            found = tuple(
                Found(
                    change.span.start,
                    change.span.end,
                    change.span.label,
                    str(change.span.kind),
                    round(change.span.certainty, 4),
                    change.span.detector,
                    change.span.rule,
                    change.person,
                    change.replacement,
                    str(change.action),
                )
                for change in done.changes
            )
            return Outcome(done.text, found, facts=self._facts(text, document, memory))
        return Outcome(None, reason=told[0])

    def _facts(self, text: str, document: Document, memory: Memory) -> dict[str, Any]:
        """Return the people of a text, where they are asked for, and what is to know of its id."""
        facts: dict[str, Any] = {}
        if self._is_telling(document):
            facts[TELLING_ID] = True
        if self.people:
            page = read(text)
            facts["people"] = people_of(page, self.finder.on_page(page, memory))
        return facts

    def _is_telling(self, document: Document) -> bool:
        """Say whether something is found in the id, where that is written: beside the text, or as
        the name of the file.

        As it is, and with its words apart. A sign or two, such as counts have, tell nobody.
        """
        if not self.names and document.id not in document.kept.values():
            return False
        given = str(document.id)
        for form in dict.fromkeys((given, _SEPARATORS.sub(" ", given))):
            for span in self._find(form):
                told = _SEPARATORS.sub("", form[span.start : span.end])
                if len(told) > 3 or (len(told) == 3 and told.isalpha()):
                    return True
        return False


@contextmanager
def _told_faults(text: str) -> Iterator[list[str]]:
    """Limit the time for some work on a text; give a list, in which stands why nothing came of it.

    What an error says is left out, because it may hold words of the text.
    """
    seconds, told = seconds_for(text), list[str]()
    try:
        with at_most(seconds):
            yield told
    except TookTooLong:
        told.append(f"took more than {seconds:.0f} processor seconds")
    except MemoryError:
        told.append("needs more memory than there is")
    except Exception as error:
        told.append(f"could not be treated: the program failed ({type(error).__name__})")
