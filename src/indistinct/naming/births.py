"""Dates of birth to the day: with a sex and a postal code they name most people.

A column is one if its name or label says so and it holds days, in whatever form dates are written;
or if it holds days that are spread over a lifetime, whatever it is called. A date may be written
in three columns as well: the one of the days is found by the months that it goes with, for no
calendar has a 31st of June.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import pyarrow as pa

from indistinct.files import Source
from indistinct.naming.concepts import AGE, concept_of, says_amount, words_of
from indistinct.naming.content import SAMPLE, Content

__all__ = ["birth_words", "born_by_age", "born_on", "born_on_parts"]

_LIFETIME = 60
"""Years over which dates of birth are spread, and few other dates."""

_ENOUGH = 20
"""Different dates of which it can be said over how many years they are spread."""

_NEARLY_ALL = 0.95

_WHOLE = re.compile(r"(\d{1,4})(?:\.0*)?")

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?")

_YEAR = re.compile(r"(?<!\d)((?:18|19|20)\d\d)(?!\d)")
_AGES, _AGED = 5, 1_000
"""Different ages and years, and records, in which it is seen whether they go together."""

_DECADE_OF_DAYS = 3650
"""The least that dates of birth differ by where days are counted."""

_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""Days of the months."""

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


def born_on(content: Content, label: str = "", *, by_age: bool = False) -> str | None:
    """Say why a column is thought to hold dates of birth to the day; None if it is not."""
    called = birth_words(content.facts.name, label)
    amount = says_amount(content.facts.name, label)
    if called and not amount and _counts_days(content.texts):
        return "dates of birth, to the day, as numbers"
    days = _days(content.texts)
    if days is None:
        return None
    if called:
        return "dates of birth, to the day"
    if by_age:
        return "days whose years go with the age, as those of births do"
    if len(days) >= _ENOUGH and _over_a_lifetime([year for year, _, _ in days]):
        return "days that are spread over a lifetime, as dates of birth are"
    return None


def born_by_age(source: Source, contents: Sequence[Content]) -> set[str]:
    """Return the columns whose years go with an age: year and age add up to one year or the next.

    Of pupils or students dates of birth are not spread over a lifetime, and are dates of birth.
    """
    ages = [
        one.facts.name
        for one in contents
        if one.is_number
        and (concept := concept_of(one.facts.name)) is not None
        and concept.about == AGE
        and one.facts.distinct >= _AGES
    ]
    dated = [
        one.facts.name
        for one in contents
        if one.facts.name not in ages
        and one.facts.distinct >= _AGES
        and (years := [_YEAR.search(text) for text in one.texts])
        and None not in years
    ]
    if not ages or not dated:
        return set()
    told = source.spread(_AGED)
    return {
        name
        for name in dated
        for age in ages
        if _add_up(told.column(name).to_pylist(), told.column(age).to_pylist())
    }


def _add_up(dates: Sequence[object], ages: Sequence[object]) -> bool:
    """Say whether years and ages add up to one year or the next in nearly all records."""
    sums = Counter(
        int(year[1]) + int(age)
        for date, age in zip(dates, ages, strict=True)
        if isinstance(age, (int, float)) and age == age
        if (year := _YEAR.search(str(date)))
    )
    most = max((sums[year] + sums[year + 1] for year in list(sums)), default=0)
    return sums.total() >= _ENOUGH and most >= _NEARLY_ALL * sums.total()


def born_on_parts(
    source: Source,
    contents: Sequence[Content],
    labels: Mapping[str, str],
    *,
    by_age: Collection[str] = (),
) -> dict[str, str]:
    """Return the columns that hold the days of dates of birth written in parts, and why.

    It is a column of days that goes with one of months as a calendar allows, if its name speaks
    of birth, or if there is a column of years that are spread over a lifetime or go with an age
    (`by_age`). Without the day a month of birth is left.
    """
    numbers = {one.facts.name: _whole_numbers(one.texts) for one in contents}
    days = [name for name, found in numbers.items() if _between(found, 1, 31, at_least=25)]
    months = [name for name, found in numbers.items() if _between(found, 1, 12, at_least=10)]
    if not days or not months:
        return {}
    years = any(
        name in by_age
        or (_between(found, 1850, 2100, at_least=_ENOUGH) and _over_a_lifetime(found))
        for name, found in numbers.items()
    )
    told = source.spread(SAMPLE)
    return {
        day: "days of dates of birth, whose months and years stand beside them"
        for day in days
        if (years or birth_words(day, labels.get(day, "")))
        and any(_go_together(told, day, month) for month in months)
    }


def _whole_numbers(told: Iterable[str]) -> list[int]:
    """Return texts as whole numbers; none where one of them is something else."""
    found = [_WHOLE.fullmatch(text.strip()) for text in told]
    return [] if None in found else [int(match[1]) for match in found if match]


def _counts_days(told: Iterable[str]) -> bool:
    """Say whether numbers tell days: counted from some day on, or as years with fractions.

    Days are counted from 1900, 1960 or 1970, also as seconds; a year by itself tells none.

    >>> [_counts_days(texts) for texts in (map(str, range(-9000, 9000, 300)),
    ...     (f"{1940 + n * 0.37:.2f}" for n in range(90)), map(str, range(1930, 2010)))]
    [True, True, False]
    """
    numbers = {float(text) for text in map(str.strip, told) if _NUMBER.fullmatch(text)}
    if len(numbers) < _ENOUGH:
        return False
    low, high = min(numbers), max(numbers)
    if low >= 1850 and high <= 2100:
        return len({round(number % 1, 4) for number in numbers}) > len(_LONGEST)
    return high - low >= _DECADE_OF_DAYS


def _between(found: Sequence[int], low: int, high: int, *, at_least: int) -> bool:
    """Say whether all numbers lie between two, and enough of them are different."""
    return len(set(found)) >= at_least and low <= min(found) <= max(found) <= high


def _go_together(told: pa.Table, day: str, month: str) -> bool:
    """Say whether every day is one that its month has, in enough records."""
    pairs = [
        (days[0], months[0])
        for d, m in zip(told.column(day).to_pylist(), told.column(month).to_pylist(), strict=True)
        if (days := _whole_numbers([str(d)])) and (months := _whole_numbers([str(m)]))
    ]
    return len(pairs) >= _ENOUGH and all(
        1 <= m <= len(_LONGEST) and d <= _LONGEST[m - 1] for d, m in pairs
    )


def _over_a_lifetime(told: Sequence[int]) -> bool:
    """Say whether years are spread over a lifetime; of two digits, whether they are as many."""
    if max(told) < 100:
        return len(set(told)) >= _LIFETIME
    years = sorted(told)
    edge = len(years) // 50
    return years[-1 - edge] - years[edge] >= _LIFETIME


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
            days = {(int(m["y"]), m["a"], m["b"]) for m in found}
            varying = all(len({day[part] for day in days}) > 1 for part in (1, 2))
            return days if varying else None
    return None
