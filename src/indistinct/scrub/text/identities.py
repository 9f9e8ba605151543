"""A table of known identities, such as a hospital's own list of patients and staff.

Only hash maps are built: a page is matched by lookups of its words and numbers, so that a list of
a million people costs a document no more than a list of ten.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from itertools import zip_longest
from typing import Any

from indistinct.core import InputError
from indistinct.knowledge import MONTHS, RELATIONS, TITLES, plain
from indistinct.scrub.text.forms import words_of
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

FIELDS = {
    "name": "name full_name fullname patient patient_name client person display_name staff",
    "first": "first first_name firstname fname given given_name given_names forename",
    "middle": "middle middle_name mname second_name",
    "last": "last last_name lastname lname surname family family_name maiden",
    "nickname": "nickname nick preferred preferred_name alias known_as goes_by",
    "sex": "sex gender",
    "birth": "dob birth birthdate birth_date date_of_birth born birthday",
    "record": "mrn record record_number record_no medical_record_number chart id patient_id "
    "person_id ssn social_security social_security_number account account_number insurance "
    "member_id policy nhs_number licence license npi employee_id",
    "phone": "phone telephone tel mobile cell home_phone work_phone fax phone_number contact",
    "email": "email e_mail mail email_address",
    "address": "address street address1 address_1 street_address addr home_address line1",
}
"""What a column may hold, and the usual headings by which it is recognised."""

_HEADINGS = {head: name for name, heads in FIELDS.items() for head in heads.split()}
_KINDS = {"record": Kind.RECORD_NUMBER, "phone": Kind.PHONE}
_FIRST, _LAST = 1, 2
_COMMON = 3.5
# In a longer list every other word is somebody's name, so that a lone one says less.
_LONG_LIST = 5_000
_MOST_TOKENS = 9
_BETWEEN = re.compile(r"[-./() +]{0,3}")
_NUMBER_DATE = re.compile(r"(?<!\d)(\d{1,4})[-/. ](\d{1,2})[-/. ](\d{1,4})(?!\d)")
_WORD_DATE = re.compile(
    r"\b(?:(\d{1,2})(?:st|nd|rd|th)?[ -](?:of )?([A-Za-z]{3,9})"
    r"|([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?),?[.]?[ -](\d{4}|'?\d{2})\b"
)
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w.-]{3,120}")
_HEAD = re.compile(r"[^a-z0-9]+")


def guess_columns(columns: Iterable[str]) -> dict[str, str]:
    """Return by column what it holds, where the heading is a usual one.

    >>> guess_columns(["Last Name", "DOB", "shoe size", "E-mail"])
    {'Last Name': 'last', 'DOB': 'birth', 'E-mail': 'email'}
    """
    heads = {column: _HEAD.sub("_", column.lower()).strip("_") for column in columns}
    return {column: _HEADINGS[head] for column, head in heads.items() if head in _HEADINGS}


class Identities:
    """Known people, to be searched for in any document.

    `columns` says by column what it holds (one of `FIELDS`); left out, it is guessed from the
    headings.

    >>> from indistinct.scrub.text.page import read
    >>> known = Identities([{"name": "Jane Long", "dob": "1986-05-26", "phone": "(617) 473-1214"}])
    >>> page = read("Long, Jane, born May 26, 1986; call 617.473.1214")
    >>> [page.text[span.start : span.end] for span in known.postings(page)]
    ['Long, Jane', '617.473.1214', 'May 26, 1986']
    """

    def __init__(
        self,
        people: Iterable[Mapping[str, Any]],
        *,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        self.people = 0
        self._roles: dict[str, int] = {}
        self._pairs: set[str] = set()
        self._numbers: dict[str, str] = {}
        self._births: set[int] = set()
        self._emails: set[str] = set()
        self._street_words: set[str] = set()
        self._streets: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
        chosen = dict(columns) if columns is not None else None
        self._check(chosen)
        for person in people:
            if chosen is None:
                chosen = guess_columns(person)
                if not chosen:
                    raise InputError(
                        "The table of identities must have a column that names or numbers people. "
                        f"Got the columns {', '.join(map(repr, person))}. "
                        "Say what they hold, such as {'Pat_Nm': 'name'}."
                    )
            self._add(person, chosen)

    @staticmethod
    def _check(columns: dict[str, str] | None) -> None:
        for column, field in (columns or {}).items():
            if field not in FIELDS:
                raise InputError(
                    f"Column {column!r} of the identities must hold one of {', '.join(FIELDS)}. "
                    f"Got {field!r}."
                )

    def __repr__(self) -> str:
        """Say how many people are known, and nothing of them."""
        return f"Identities({self.people} people)"

    # Reading the table

    def _add(self, person: Mapping[str, Any], columns: Mapping[str, str]) -> None:
        self.people += 1
        firsts: list[str] = []
        lasts: list[str] = []
        for column, field in columns.items():
            value = person.get(column)
            if value is None or value == "":
                continue
            if field == "birth":
                self._births.update(_days(value))
            elif field == "email":
                self._emails.add(str(value).strip().lower())
            elif field in _KINDS:
                self._add_number(str(value), field)
            elif field == "address":
                self._add_street(str(value))
            elif field == "name":
                first, last = _divided(str(value))
                firsts += first
                lasts += last
            elif field in ("first", "middle", "nickname"):
                firsts += words_of(str(value))
            elif field == "last":
                lasts += words_of(str(value))
        for words, role in ((firsts, _FIRST), (lasts, _LAST)):
            for word in words:
                if len(word) > 1:
                    self._roles[word] = self._roles.get(word, 0) | role
        self._pairs.update(f"{first} {last}" for first in firsts for last in lasts)

    def _add_number(self, value: str, field: str) -> None:
        number = "".join(c for c in value if c.isalnum()).lower()
        if sum(map(str.isdigit, number)) < 4:
            return
        self._numbers.setdefault(number, field)
        if field == "phone" and len(number) >= 10:
            self._numbers.setdefault(number[-10:], field)
            self._numbers.setdefault("1" + number[-10:], field)
            self._numbers.setdefault(number[-7:], field)

    def _add_street(self, value: str) -> None:
        words = tuple(re.findall(r"\w+", value.partition(",")[0].partition("\n")[0].lower()))
        if len(words) > 1:
            self._street_words.add(words[0])
            self._streets.setdefault(words[:2], set()).add(words[:_MOST_TOKENS])

    # Searching a page

    def postings(self, page: Page) -> list[Span]:
        """Return where a page names or numbers somebody of the table."""
        return [*self._names(page), *self._numbered(page), *self._written(page)]

    def _names(self, page: Page) -> Iterator[Span]:
        """Yield first name and surname of one person together, and lone names that are plain."""
        roles, lower = self._roles, page.lower
        hits = [place for place, word in enumerate(lower) if word in roles or plain(word) in roles]
        skip = -1
        for place, after in zip_longest(hits, hits[1:], fillvalue=-1):
            if place <= skip:
                continue
            if after > 0 and self._one_person(page, place, after):
                yield _span(page, place, after, Kind.FULL_NAME, 0.97)
                skip = after
            elif self._plainly(page, place):
                role = roles[plain(lower[place])]
                kind = Kind.FIRST_NAME if role == _FIRST else Kind.LAST_NAME
                yield _span(page, place, place, kind, 0.88 if self.people <= _LONG_LIST else 0.75)

    def _one_person(self, page: Page, place: int, after: int) -> bool:
        """Whether two words stand together and are the names of one person."""
        gap = page.text[page.ends[place] : page.starts[after]]
        initial = after == place + 3 and page.tokens[place + 2] == "."
        if gap not in (" ", ", ", "  ") and not (initial and len(page.tokens[place + 1]) == 1):
            return False
        one, other = plain(page.lower[place]), plain(page.lower[after])
        if f"{one} {other}" not in self._pairs and f"{other} {one}" not in self._pairs:
            return False
        common = min(page.knowledge.word(one).zipf, page.knowledge.word(other).zipf) >= _COMMON
        capital = page.tokens[place][0].isupper() and page.tokens[after][0].isupper()
        return capital or not common

    def _plainly(self, page: Page, place: int) -> bool:
        """Whether a lone name is meant as one: a capital and no common word, or a cue."""
        token, before = page.tokens[place], place - 1
        while before >= max(0, place - 2) and page.tokens[before] in (".", ",", ":"):
            before -= 1
        if before >= 0 and page.lower[before] in TITLES | RELATIONS:
            return True
        known = page.knowledge
        if len(token) < 3 or known.is_medical(token) or known.is_eponym(token):
            return False
        return token[0].isupper() and known.word(token).zipf < _COMMON

    def _numbered(self, page: Page) -> Iterator[Span]:
        """Yield numbers of the table, whatever marks divide them, and streets."""
        lower = page.lower
        starts = {
            start
            for place, word in enumerate(lower)
            if word[0].isdigit()
            for start in (place - 2, place - 1, place)
            if start >= 0 and lower[start][0].isalnum()
        }
        starts.update(place for place, word in enumerate(lower) if word in self._street_words)
        done = -1
        for place in sorted(starts):
            end = self._number_from(page, place) if place > done else None
            if end is not None:
                done, kind = end
                yield _span(page, place, done, kind, 0.97)

    def _number_from(self, page: Page, place: int) -> tuple[int, Kind] | None:
        """Return the last token and kind of the longest number or street that begins at a token."""
        lower, found = page.lower, None
        streets = self._streets.get(tuple(lower[place : place + 2]))
        for street in streets or ():
            if tuple(lower[place : place + len(street)]) == street:
                found = place + len(street) - 1, Kind.STREET
        if found:
            return found
        joined = ""
        for last in range(place, min(place + _MOST_TOKENS, len(lower))):
            word = lower[last]
            if word[0].isalnum():
                joined += word
                if joined in self._numbers:
                    found = last, _KINDS[self._numbers[joined]]
            elif not _BETWEEN.fullmatch(word):
                break
        return found

    def _written(self, page: Page) -> Iterator[Span]:
        """Yield dates of birth in any form, and e-mail addresses."""
        if self._births:
            for pattern, read in ((_NUMBER_DATE, _days_in_numbers), (_WORD_DATE, _days_in_words)):
                for match in pattern.finditer(page.text):
                    if not self._births.isdisjoint(read(match)):
                        yield Span(*match.span(), Kind.BIRTH_DATE, 0.95, "memory", "known")
        if self._emails and "@" in page.text:
            for match in _EMAIL.finditer(page.text):
                if match.group().lower().rstrip(".-") in self._emails:
                    end = match.start() + len(match.group().rstrip(".-"))
                    yield Span(match.start(), end, Kind.EMAIL, 0.99, "memory", "known")


def _span(page: Page, first: int, last: int, kind: Kind, certainty: float) -> Span:
    return Span(page.starts[first], page.ends[last], kind, certainty, "memory", "known")


def _divided(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Divide a full name into first names and surnames.

    >>> _divided("Dr. Jane A. Long, MD"), _divided("Long, Jane")
    ((('jane', 'a'), ('long',)), (('jane',), ('long',)))
    """
    before, _, after = name.partition(",")
    words = tuple(word for word in words_of(before) if word not in TITLES)
    given = words_of(after)
    if given and not after.replace(".", "").strip().isupper():
        return given, words
    last = words_of(before.split()[-1]) if words else ()
    return words[: len(words) - len(last)], last


def _day(year: int, month: int, day: int) -> Iterator[int]:
    """Yield a day's number, if there is such a day; a year of two digits is read both ways."""
    for full in (year,) if year > 99 else (1900 + year, 2000 + year):
        try:
            yield date(full, month, day).toordinal()
        except ValueError:
            continue


def _days_in_numbers(match: re.Match[str]) -> Iterator[int]:
    one, two, three = (int(group) for group in match.groups())
    if len(match.group(1)) == 4:
        yield from _day(one, two, three)
    else:
        yield from _day(three, one, two)
        yield from _day(three, two, one)


def _days_in_words(match: re.Match[str]) -> Iterator[int]:
    day, month, other_month, other_day, year = match.groups()
    number = MONTHS.get((month or other_month).lower())
    if number:
        yield from _day(int(year.strip("'")), number, int(day or other_day))


def _days(value: object) -> set[int]:
    """Return the day that a cell of the table says, or the days if it can be read in two ways."""
    if isinstance(value, datetime):
        value = value.date()
    if isinstance(value, date):
        return {value.toordinal()}
    text = str(value).strip()
    if re.fullmatch(r"\d{8}", text):
        return set(_day(int(text[:4]), int(text[4:6]), int(text[6:])))
    for pattern, read in ((_NUMBER_DATE, _days_in_numbers), (_WORD_DATE, _days_in_words)):
        if match := pattern.search(text):
            return set(read(match))
    return set()
