"""Dates of birth to the day: with a sex and a postal code they name most people.

A column is one if its name or label says so and it holds days, in whatever form dates are written;
or if it holds days that are spread over a lifetime, whatever it is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from indistinct.naming.concepts import words_of
from indistinct.naming.content import Content

__all__ = ["birth_words", "born_on"]

_LIFETIME = 60
"""Years over which dates of birth are spread, and few other dates."""

_ENOUGH = 20
"""Different dates of which it can be said over how many years they are spread."""

_NEARLY_ALL = 0.95

_BIRTH = frozenset(
    "birth birthday birthdate born dob bday bdate geburt geburts geburtsdatum geburtstag geb gebdat"
    " gebdatum naissance naiss ddn nacimiento nac fecnac fnac nascimento nasc nascita geboorte"
    " geboortedatum fodelsedatum fodsels fodselsdato fodselsdag urodzenia narozeni syntymaaika"
    " dogum rojstva rodenja".split()
)
"""Words by which dates of birth are called, without accents."""

_MONTH = r"[^\W\d_]{3,10}\.?"
_FORMS = tuple(
    re.compile(form)
    for form in (
        r"(?P<y>\d{4})-(?P<a>\d{1,2})-(?P<b>\d{1,2})(?:[T ].*)?",
        r"(?P<a>\d{1,2})[./-](?P<b>\d{1,2})[./-](?P<y>\d{4}|\d{2})(?: .*)?",
        r"(?P<y>\d{4})[./](?P<a>\d{1,2})[./](?P<b>\d{1,2})(?: .*)?",
        r"(?P<y>(?:18|19|20)\d\d)(?P<a>0[1-9]|1[0-2])(?P<b>0[1-9]|[12]\d|3[01])(?:\.0)?",
        r"(?P<a>0?[1-9]|[12]\d|3[01])(?P<b>0[1-9]|1[0-2])(?P<y>(?:18|19|20)\d\d)(?:\.0)?",
        rf"(?P<a>\d{{1,2}})\.?[ -]?(?:de )?(?P<b>{_MONTH})(?: de)?[ -]?(?P<y>\d{{4}}|\d{{2}})",
        rf"(?P<b>{_MONTH}) (?P<a>\d{{1,2}}),? (?P<y>\d{{4}})",
    )
)


def birth_words(name: str, label: str = "") -> bool:
    """Say whether a name, or the label beside it, speaks of somebody's birth.

    >>> birth_words("fecha_nac"), birth_words("v7", "Date de naissance"), birth_words("wave")
    (True, True, False)
    """
    return any(not _BIRTH.isdisjoint(words_of(text)) for text in (name, label))


def born_on(content: Content, label: str = "") -> str | None:
    """Say why a column is thought to hold dates of birth to the day; None if it is not."""
    days = _days(content.texts)
    if days is None:
        return None
    if birth_words(content.facts.name, label):
        return "dates of birth, to the day"
    years = sorted(year for year, _, _ in days)
    edge = len(years) // 50
    spread = years[-1 - edge] - years[edge]
    if len(days) >= _ENOUGH and spread >= _LIFETIME:
        return "days that are spread over a lifetime, as dates of birth are"
    return None


def _days(told: Iterable[str]) -> set[tuple[int, str, str]] | None:
    """Return dates as year and two parts; None where nearly all are none, or none has a day.

    A year or a month that is written as its first day is no day.
    """
    texts = list(dict.fromkeys(text.strip() for text in told if text.strip()))
    for form in _FORMS:
        if not any(form.fullmatch(text) for text in texts[:_ENOUGH]):
            continue
        found = [match for text in texts if (match := form.fullmatch(text))]
        if len(found) >= _NEARLY_ALL * len(texts):
            days = {(_year(m["y"]), m["a"], m["b"]) for m in found}
            varying = all(len({day[part] for day in days}) > 1 for part in (1, 2))
            return days if varying else None
    return None


def _year(text: str) -> int:
    """Return the year; 0 where it has two digits, which may be of any century."""
    return int(text) if len(text) == 4 else 0
