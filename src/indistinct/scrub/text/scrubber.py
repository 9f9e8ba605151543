"""Scrub a document: find the references to people, say who is who, and make them up."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from indistinct.core import InputError
from indistinct.knowledge import plain
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.memory import Memory
from indistinct.scrub.text.naming import only_title
from indistinct.scrub.text.page import Page, read
from indistinct.scrub.text.people import Mention, Person, gather
from indistinct.scrub.text.replace.choosing import Choices, key_of
from indistinct.scrub.text.replace.dates import (
    birth_of_the_oldest,
    generalised_age,
    generalised_date,
    latest_year,
    shifted_date,
    weeks_of,
)
from indistinct.scrub.text.replace.network import (
    is_user_name,
    made_up_email,
    made_up_phone,
    made_up_user,
    made_up_web,
)
from indistinct.scrub.text.replace.numbers import compact, made_up_number
from indistinct.scrub.text.replace.organisations import (
    is_institution,
    made_up_organisation,
    made_up_ward,
)
from indistinct.scrub.text.replace.persons import Cast, on_its_own
from indistinct.scrub.text.replace.places import (
    generalised_zip,
    is_wide,
    made_up_address,
    made_up_city,
    made_up_place,
)
from indistinct.scrub.text.replace.secret import Secret
from indistinct.scrub.text.replace.style import SUPPRESSED
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
    Kind,
    Span,
)

# One reference, rewritten by its kind: what takes its place, and what was done to it.


REPLACED, GENERALISED, SHIFTED, TAKEN_OUT = "replaced", "generalised", "shifted", "suppressed"

_COMMA = re.compile(r"\s{0,3},?\s{0,3}")
_SURE = 0.75


@dataclass
class Writer:
    """How the references of one document are rewritten."""

    text: str
    cast: Cast
    dates: str
    whose: str
    numbers: Collection[str]
    _given: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _latest(self) -> int | None:
        return latest_year(self.text)

    def write(self, span: Span, mention: Mention | None, before: Span | None) -> tuple[str, str]:
        """What takes the place of a span, and what was done; `before` is the span before it."""
        true = self.text[span.start : span.end]
        if mention is not None:
            return self.cast.write(mention, self.text), REPLACED
        made, action = self._by_label(span, true, before)
        if made == SUPPRESSED:
            action = TAKEN_OUT
        return made, action

    def _by_label(self, span: Span, true: str, before: Span | None) -> tuple[str, str]:
        label = span.label
        if label == DATE:
            return self._date(span, true)
        if label == AGE90:
            after = self.text[span.end : span.end + 12]
            return generalised_age(true, after), GENERALISED
        if label == LOCATION:
            return self._place(span, true, before)
        if label == ORG:
            return self._organisation(span, true), REPLACED
        if label == PHONE:
            return self._number(made_up_phone, true), REPLACED
        if label == EMAIL:
            return made_up_email(true, self.cast), REPLACED
        if label == URL:
            return made_up_web(true, self.cast), REPLACED
        if label == ID and is_user_name(true, self.cast):
            return made_up_user(true, self.cast), REPLACED
        return self._number(made_up_number, true), REPLACED

    def _number(self, make: Callable[..., str], true: str) -> str:
        """A made-up number that stands for no other number of this document."""
        own = compact(true)
        others = {made for made, whose in self._given.items() if whose != own}
        made = make(self.cast.choices.secret, true, avoid=others.union(self.numbers))
        self._given[compact(made)] = own
        return made

    def _date(self, span: Span, true: str) -> tuple[str, str]:
        if span.kind is Kind.BIRTH_DATE:
            oldest = birth_of_the_oldest(true, self._latest)
            if oldest is not None:
                return oldest, GENERALISED
        if self.dates == "shift":
            days = weeks_of(self.cast.choices.secret, self.whose)
            return shifted_date(true, days, latest=self._latest), SHIFTED
        # To month and year, years stay as they are written.
        latest = None if self.dates == "month" else self._latest
        return generalised_date(true, to=self.dates, latest=latest), GENERALISED

    def _place(self, span: Span, true: str, before: Span | None) -> tuple[str, str]:
        choices = self.cast.choices
        if span.kind is Kind.ZIP:
            return generalised_zip(true), GENERALISED
        if span.kind is Kind.STATE:
            return (true, GENERALISED) if self._within_address(span, before) else (SUPPRESSED, "")
        if span.kind in (Kind.STREET, Kind.ADDRESS):
            return made_up_address(true, choices), REPLACED
        if span.certainty < _SURE and len(true.split()) > 3:
            return SUPPRESSED, ""
        if is_institution(true):
            return made_up_organisation(true, choices, certainty=span.certainty), REPLACED
        if span.kind is Kind.CITY and not is_wide(true) and not any(c.isdigit() for c in true):
            return made_up_city(true, choices), REPLACED
        return made_up_place(true, choices), REPLACED

    def _within_address(self, span: Span, before: Span | None) -> bool:
        """Whether a state comes right after a town or street, as in Figure 22's heading."""
        return (
            before is not None
            and before.label == LOCATION
            and before.kind is not Kind.STATE
            and _COMMA.fullmatch(self.text, before.end, span.start) is not None
        )

    def _organisation(self, span: Span, true: str) -> str:
        choices = self.cast.choices
        if span.kind is Kind.TEAM:
            return SUPPRESSED
        if span.kind is Kind.WARD:
            return made_up_ward(true, choices)
        return made_up_organisation(true, choices, certainty=span.certainty)


DATES = ("month", "year", "shift")
_BEFORE = frozenset(" .,;:\n")
SCOPES = ("project", "patient")


@dataclass(frozen=True)
class Change:
    """A reference and what took its place.

    `action` is 'replaced' (by something made up), 'generalised', 'shifted' (a date) or
    'suppressed'. `person` is the number of the person named, among the document's people.
    """

    span: Span
    replacement: str
    action: str
    person: int | None = None


@result(eq=True)
class Scrubbed(Result):
    """A scrubbed document. It prints what was done, never what stood there."""

    text: str
    changes: tuple[Change, ...]
    people: tuple[Person, ...] = field(repr=False)

    FACTS = facts(
        Fact(
            "references",
            lambda found: [
                {
                    "start": change.span.start,
                    "end": change.span.end,
                    "kind": change.span.kind.value,
                    "certainty": change.span.certainty,
                    "detector": change.span.detector,
                    "rule": change.span.rule,
                    "action": change.action,
                }
                for change in found.changes
            ],
        ),
        Fact("people", lambda found: len(found.people)),
    )

    def sentence(self) -> str:
        """Say what was done."""
        actions = Counter(change.action for change in self.changes)
        done = ", ".join(f"{count} {action}" for action, count in sorted(actions.items()))
        return (
            f"Scrubbed({len(self.changes)} references{': ' if done else ''}{done}; "
            f"{len(self.people)} people)"
        )

    def _tables(self) -> Sequence[Table]:
        done = Counter((change.span.kind.value, change.action) for change in self.changes)
        rows = [(kind, action, count) for (kind, action), count in sorted(done.items())]
        return [Table("References", ("kind", "done", "number"), rows)]


@dataclass(frozen=True)
class Scrubber:
    """How documents are scrubbed.

    Parameters
    ----------
    secret
        What made-up names and numbers are drawn with; the same secret, the same names.
    finder
        How references are found.
    dates
        ``"month"``: to month and year, as in the paper's Figure 22; ``"year"``; or ``"shift"``:
        all dates of a patient moved by the same whole number of weeks, so that intervals and
        weekdays stay.
    scope
        Whether a name is made up alike over the ``"project"`` or only for a ``"patient"``.

    >>> from indistinct.scrub.text.spans import Kind
    >>> letter = "RE: Virginia Townsend. As you know, Virginia was seen on 05/26/86."
    >>> found = [(4, 21, Kind.FULL_NAME), (36, 44, Kind.FIRST_NAME), (57, 65, Kind.DATE)]
    >>> spans = [Span(*one, 0.9, "you") for one in found]
    >>> scrubbed = Scrubber(Secret.from_seed(1)).apply(letter, spans)
    >>> scrubbed
    Scrubbed(3 references: 1 generalised, 2 replaced; 1 people)
    >>> "Virginia" in scrubbed.text, "05/86" in scrubbed.text
    (False, True)
    """

    secret: Secret
    finder: Finder = Finder()
    dates: str = "month"
    scope: str = "project"

    def __post_init__(self) -> None:
        """Refuse what is not known."""
        for name, value, known in (("dates", self.dates, DATES), ("scope", self.scope, SCOPES)):
            if value not in known:
                raise InputError(f"{name} must be one of {', '.join(known)}. Got {value!r}.")

    def scrub(
        self,
        text: str,
        *,
        patient: str | None = None,
        memory: Memory | None = None,
        correct: Callable[[list[Span]], list[Span]] | None = None,
    ) -> Scrubbed:
        """Find the references of a document and replace them.

        `patient` says whose document it is: dates are shifted, and first names without a
        surname made up, alike in all documents of a patient. Without it each document is its
        own. `memory` knows people from elsewhere; `correct` changes what was found, at
        positions of the text.
        """
        page = read(text)
        known = memory if memory is not None else Memory()
        found = self.finder.on_page(page, known)
        if correct is not None:
            placed = [
                replace(one, start=at[0], end=at[1])
                for one in found
                for at in [_at_source(one, page)]
            ]
            found = [_on_page(one, page) for one in correct(placed)]
        return self._rewrite(page, [_bare(span, page.text) for span in found], patient, known)

    def apply(self, text: str, spans: Iterable[Span], *, patient: str | None = None) -> Scrubbed:
        """Replace the references given, at positions of the text."""
        page = read(text)
        ordered = sorted(spans, key=lambda span: (span.start, -span.end))
        placed = [_bare(_on_page(span, page), page.text) for span in ordered]
        return self._rewrite(page, placed, patient, Memory())

    def _rewrite(
        self, page: Page, spans: Sequence[Span], patient: str | None, memory: Memory
    ) -> Scrubbed:
        spans = [span for span in spans if not _is_title(span, page.text)]
        found, mentions = _who_is_who(page, spans)
        people = [memory.complete(person) for person in found]
        own = f"patient {patient}" if patient is not None else "document " + page.text
        whose = self.secret.draw(own).hex()
        choices = Choices(
            self.secret,
            words=_words(page),
            true_names=_true_names(page.text, spans, people),
            scope="" if self.scope == "project" else whose,
        )
        numbers = {
            compact(page.text[span.start : span.end]) for span in spans if span.label in (ID, PHONE)
        }
        writer = Writer(page.text, Cast(people, choices, whose), self.dates, whose, numbers)
        changes, written, place = [], [], 0
        before: Span | None = None
        for span in spans:
            start, end = _at_source(span, page)
            start = max(start, place)
            if start >= end:
                continue
            mention = mentions.get((span.start, span.end))
            made, action = writer.write(span, mention, before)
            written += [page.folded.source[place:start], made]
            moved = start != span.start or end != span.end
            at_source = replace(span, start=start, end=end) if moved else span
            changes.append(Change(at_source, made, action, mention.person if mention else None))
            place, before = end, span
        written.append(page.folded.source[place:])
        return Scrubbed("".join(written), tuple(changes), tuple(people))


def _who_is_who(
    page: Page, spans: Sequence[Span]
) -> tuple[list[Person], dict[tuple[int, int], Mention]]:
    """The people, and for each name span the mention; whom nobody gathered stands alone."""
    people, gathered = gather(page, spans)
    mentions = {(mention.span.start, mention.span.end): mention for mention in gathered}
    for span in spans:
        place = span.start, span.end
        if span.label == NAME and (place not in mentions or not mentions[place].form):
            number = max((person.number for person in people), default=-1) + 1
            person, mention = on_its_own(span, page.text, number)
            people.append(person)
            mentions[place] = mention
    return people, mentions


def _words(page: Page) -> set[str]:
    """The document's words, as names are looked up."""
    return set(page.lower) if page.text.isascii() else {plain(word) for word in page.lower}


def _true_names(text: str, spans: Sequence[Span], people: Sequence[Person]) -> frozenset[str]:
    """What no made-up name may contain: the names of people, towns and organisations."""
    found = {
        key_of(part)
        for person in people
        for name in (person.first, person.middle, person.last, person.nickname)
        for part in (name, *name.replace("-", " ").split())
    }
    for span in spans:
        if span.label in (LOCATION, ORG):
            words = (key_of(word) for word in text[span.start : span.end].split())
            found.update(word for word in words if len(word) > 3)
    return frozenset(name for name in found if name)


def _bare(span: Span, text: str) -> Span:
    """A name without the 's and the marks before it that are no part of it."""
    if span.label == NAME and text[span.start : span.start + 1] in _BEFORE:
        start = span.start
        while start < span.end and text[start] in _BEFORE:
            start += 1
        span = replace(span, start=start) if start < span.end else span
    if span.label == NAME and text[span.start : span.end].endswith(("'s", "'S", "s'")):
        end = span.end - 1 if text[span.end - 1] == "'" else span.end - 2
        return replace(span, end=end) if end > span.start else span
    return span


def _is_title(span: Span, text: str) -> bool:
    """Whether a span is only a title, which refers to nobody and stays."""
    if span.label not in (NAME, LOCATION, ORG) or span.kind in (Kind.INITIALS, Kind.STATE):
        return False
    return span.end - span.start < 16 and only_title(text[span.start : span.end])


def _on_page(span: Span, page: Page) -> Span:
    """A span at positions of the folded text."""
    places = page.folded.places
    if places is None:
        return span
    return replace(span, start=bisect_left(places, span.start), end=bisect_left(places, span.end))


def _at_source(span: Span, page: Page) -> tuple[int, int]:
    """A span's stretch of the source, with the accents and invisible marks that follow it."""
    start, end = page.folded.original(span.start, span.end)
    source = page.folded.source
    while (
        end < len(source)
        and not source[end].isascii()
        and unicodedata.category(source[end]) in ("Mn", "Me", "Cf")
    ):
        end += 1
    return start, end
