"""One reference, rewritten by its kind: what takes its place, and what was done to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property

from indistinct.scrub.text.people import Mention
from indistinct.scrub.text.replace.ages import generalised_age
from indistinct.scrub.text.replace.dates import (
    birth_of_the_oldest,
    generalised_date,
    latest_year,
    shifted_date,
    weeks_of,
)
from indistinct.scrub.text.replace.network import (
    is_user_name,
    made_up_email,
    made_up_user,
    made_up_web,
)
from indistinct.scrub.text.replace.numbers import compact, made_up_number
from indistinct.scrub.text.replace.organisations import (
    is_institution,
    made_up_organisation,
    made_up_ward,
)
from indistinct.scrub.text.replace.persons import Cast
from indistinct.scrub.text.replace.phones import made_up_phone
from indistinct.scrub.text.replace.places import (
    generalised_zip,
    is_wide,
    made_up_address,
    made_up_city,
    made_up_place,
)
from indistinct.scrub.text.replace.style import SUPPRESSED
from indistinct.scrub.text.spans import (
    AGE90,
    DATE,
    EMAIL,
    ID,
    LOCATION,
    ORG,
    PHONE,
    URL,
    Kind,
    Span,
)

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
