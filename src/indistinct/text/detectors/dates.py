"""Dates finer than a month, in every common form; months with years and bare years stay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.text.detectors._dates import (
    AFTER_MONTH,
    BEFORE_MONTH,
    COMPACT,
    FIGURES,
    MONTH_DAY,
    MONTHS,
    WEEKDAY_BEFORE,
    WORDS_TOO,
    YEAR_AFTER,
    day,
)
from indistinct.text.detectors._number_cues import words
from indistinct.text.detectors._numbers import lowered, matches
from indistinct.text.page import Page
from indistinct.text.spans import Kind, Span

_DATING = re.compile(
    r"(?:\b(?:on|since|until|till|dated?|date of|visit|visits|seen|labs?|admit|admitted|discharged?"
    r"|d/c|dos|through|thru|before|after|as of|effective|due|starting|began|beginning|begun|around"
    r"|for|from|by|last|next|scheduled|appt|appointment|surgery|lmp|edd|edc|signed|collected|drawn"
    r"|received|performed|done|repeat|of|between|and|about|to|morning|evening|night|am|pm)[\s:(,]{1,2}"
    r"|\bdate\b[^\w\n]{1,4}|\n\s?|^)$"
)
_LOOSE = re.compile(r"\b(?:by|of|about|to|for|and|between|last|next|around|from)[\s:(,]{1,2}$")
_FIRM = re.compile(
    r"\b(?:on|since|until|onset|beg[aiu]n|beginning|start(?:ed|ing)?|scheduled|due|appointment|appt"
    r"|dated)(?:\s(?:or\s)?(?:about|around|approximately|roughly|for|by|of))[\s(]{1,2}$"
)
# Days, weeks and months as fractions, as British notes have them ("review in 6/12").
_INTERVAL = re.compile(r"\b(?:in|over|every|past|x|within|another|further)\s$")
_SCORE = re.compile(
    r"pain|scor|strength|scale|rate[sd]?\b|rating|gcs|apgar|murmur|motor|reflex|pulse|vision|motion"
    r"|out of|power|mmt|grade|severity|intensity|acuity|systolic|mood|anxiety|beats|vas\b|nrs|mmse"
    r"|moca|phq|gad|cranial|biceps|triceps|grip|flexion|extension|sensation|mrc|bp\b|blood pressure"
    r"|\bo[ds]\b|\bva\b|extremit|orient|ratio"
)
_COUNTED = re.compile(
    r"\s?(?:nodes?|lymph|patients|cores|points|beats|times|cases|samples|of\b|mg|mcg|ml|strength"
    r"|pain|cup|tab|tablet|inch|mile|ppd|pack|bilat|throughout|systolic|in (?:severity|intensity)"
    r"|positive|teaspoon|tsp|dose|strain|murmur|scale|units?|normal|intact|hours|days|weeks|stars)"
)
_TIME_AFTER = re.compile(r"\s?(?:@|at\s\d|am\b|pm\b|a\.m|p\.m|\d{1,2}:\d\d|\d{4}\b|:\s)")
_HOLIDAYS = re.compile(
    r"\b(?:christmas(?: day| eve)?|xmas(?: day| eve)?|boxing day|new year'?s(?: day| eve)"
    r"|thanksgiving(?: day)?|easter(?: sunday| monday)?|good friday|independence day|halloween"
    r"|valentine'?s day|st\.? patrick'?s day|labou?r day|memorial day|veterans day|mother'?s day"
    r"|father'?s day|presidents'? day|martin luther king(?:,? jr\.?)? day|mlk day|columbus day"
    r"|juneteenth|mardi gras|ash wednesday|palm sunday|cinco de mayo|canada day|bastille day"
    r"|yom kippur|rosh hashanah|passover|diwali|eid al-(?:fitr|adha))\b"
    r"(?P<year>,?\s(?:of\s)?(?:(?:19|20)\d\d(?!\d)|'\d\d(?!\d)))?"
)
_LISTED = re.compile(r"\s?(?:[,&-]|,?\s?(?:and|or|to|then))\s?")
_FESTIVE = words(
    "christmas xmas boxing year years thanksgiving easter good independence halloween valentine "
    "valentines patrick patricks labor labour memorial veterans mother mothers father fathers "
    "presidents luther mlk columbus juneteenth mardi ash palm cinco canada bastille yom rosh "
    "passover diwali eid"
)
_ON = re.compile(r"\b(?:on|since|until|by|before|after)\s$")


def detect(page: Page) -> Iterator[Span]:
    """Dates in figures, with named months, and holidays."""
    yield from _in_figures(page)
    yield from _with_months(page)
    if _FESTIVE.isdisjoint(page.lower):
        return
    lower = lowered(page.text)
    for match in _HOLIDAYS.finditer(lower):
        if match["year"]:
            yield _date(match.start(), match.end(), 0.88, "holiday with year")
        elif _ON.search(lower, max(0, match.start() - 8), match.start()):
            yield _date(match.start(), match.end(), 0.7, "on a holiday")


def _date(start: int, end: int, certainty: float, rule: str) -> Span:
    return Span(start, end, Kind.DATE, certainty, "dates", rule)


def _in_figures(page: Page) -> Iterator[Span]:
    text = page.text
    for match in matches(FIGURES, text):
        figures = match.group()
        separator = match["a1"] or match["b1"] or match["c1"]
        if match["c1"]:
            rule, certainty = "iso", 0.97
        elif len(figures.rstrip()) > 7 and re.search(r"(?:19|20)\d\d$", figures):
            rule, certainty = "figures", 0.97
        else:
            rule, certainty = {"/": ("short year", 0.95), "-": ("short dashes", 0.85)}.get(
                separator.strip(), ("short dots", 0.75)
            )
        yield _date(*match.span("date"), certainty, rule)
    for match in matches(COMPACT, text):
        dated = _DATING.search(text, max(0, match.start() - 20), match.start())
        yield _date(*match.span(), 0.9 if dated else 0.72, "compact dated" if dated else "compact")
    if "/" not in text:
        return
    lower, last, earlier = lowered(text), 0, 0.0
    for match in matches(MONTH_DAY, text):
        rule, certainty = _month_and_day(match, lower) or ("", 0.0)
        if rule and earlier > certainty and _LISTED.fullmatch(lower, last, match.start()):
            rule, certainty = "listed month and day", earlier
        last, earlier = match.end(), certainty
        if rule:
            yield _date(*match.span(), certainty, rule)


def _month_and_day(match: re.Match[str], lower: str) -> tuple[str, float] | None:
    """A date without a year, told from fractions, scores, doses and blood pressures."""
    start, end = match.span()
    first, second = match["first"], match["second"]
    before = lower[max(0, start - 60) : start]
    after = lower[end : end + 24]
    if "." in before:
        before = before[before.rfind(". ") + 1 :]
    if second == "10" and "/10" in before:
        return None
    if _SCORE.search(before) or _SCORE.search(after) or _COUNTED.match(after):
        return None
    if match["to"]:
        return "month and day range", 0.88
    if _INTERVAL.search(before) and second in ("7", "12", "52"):
        return None
    month, date = int(first), int(second)
    firm = _FIRM.search(before) is not None
    dating = firm or _DATING.search(before) is not None
    loose = not firm and _LOOSE.search(before) is not None
    fraction = month <= date and date in (2, 3, 4, 5, 6, 8, 10) and "0" not in (first[0], second[0])
    timed = _TIME_AFTER.match(after) is not None
    if month > 12 and not (dating or timed):
        return None
    if dating and not loose:
        return ("dated month and day", 0.9) if not fraction else ("dated fraction", 0.82)
    if timed and not fraction:
        return "timed month and day", 0.85
    if fraction:
        return "bare fraction", 0.5
    if dating:
        return "loosely dated", 0.82
    clearly = "0" in (first[0], second[0]) or date > 12
    return ("month and day", 0.8) if clearly else ("bare month and day", 0.72)


def _with_months(page: Page) -> Iterator[Span]:
    text, lower = page.text, page.lower
    reached = 0
    for place, word in enumerate(lower):
        if word not in MONTHS or page.starts[place] < reached:
            continue
        start, end = page.starts[place], page.ends[place]
        doubtful = word in WORDS_TOO and not text[start].isupper()
        doubtful = doubtful or (word in WORDS_TOO and page.shouting)
        found = _around(text, start, end, reached, doubtful)
        if found:
            begin, stop, rule, certainty = found
            weekday = WEEKDAY_BEFORE.search(text, max(0, begin - 18), begin)
            reached = stop
            yield _date(weekday.start() if weekday else begin, stop, certainty, rule)


def _around(
    text: str, start: int, end: int, reached: int, doubtful: bool
) -> tuple[int, int, str, float] | None:
    """A day before or after the month that stands from `start` to `end`."""
    after = AFTER_MONTH.match(text, end)
    if after and not day(after["day"]):
        after = None
    before = BEFORE_MONTH.search(text, max(reached, start - 30), start)
    if before and not day(before["day"]):
        before = None
    if after and after["year"]:
        return start, after.end(), "month day year", 0.97
    if before:
        year = YEAR_AFTER.match(text, end)
        if year and year["year"]:
            return before.start(), year.end(), "day month year", 0.97
        if not doubtful or before["ordinal"] or " of " in before.group():
            stop = after.end() if after else end
            return before.start(), stop, "day month", 0.88
    if after and not (doubtful and not after["ordinal"]):
        figures = after["day"].isdigit()
        rule, certainty = ("month day", 0.92) if figures else ("month day in words", 0.8)
        return start, after.end(), rule, certainty
    return None
