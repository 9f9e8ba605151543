"""Dates finer than a month, in every common form; months with years and bare years stay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._dates import (
    AFTER_MONTH,
    BEFORE_MONTH,
    COMPACT,
    DOTTED,
    FIGURES,
    ISO_WEEK,
    MONTH_DAY,
    MONTHS,
    WEEKDAY_BEFORE,
    WEEKDAY_WORDS,
    WORDS_TOO,
    YEAR_AFTER,
    YEAR_BEFORE,
    day,
)
from indistinct.scrub.text.detectors._number_cues import words
from indistinct.scrub.text.detectors._numbers import Scan, matches, read_cue, scan, standing
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_DATING = re.compile(
    r"(?:\b(?:on|since|until|till|dated?|date of|visit|visits|seen|labs?|admit|admitted|discharged?"
    r"|d/c|dos|through|thru|before|after|as of|effective|due|starting|began|beginning|begun|around"
    r"|for|from|by|last|next|scheduled|appt|appointment|surgery|lmp|edd|edc|signed|collected|drawn"
    r"|received|performed|done|repeat|of|between|and|about|to|morning|evening|night|am|pm|returns?"
    r"|rtc|f/u|follow[ -]?up|recheck|week)[\s:(,]{1,2}|\bdate\b[^\w\n]{1,4}|\n\s?|^"
    r"|\b(?:pod|hd|dol|day)\s?#?\s?\d{1,3}[\s(,:-]{1,3})$"
)
_LOOSE = re.compile(r"\b(?:by|of|about|to|for|and|between|last|next|around|from)[\s:(,]{1,2}$")
_FIRM = re.compile(
    r"\b(?:on|since|until|onset|beg[aiu]n|beginning|start(?:ed|ing)?|scheduled|due|appointment|appt"
    r"|dated)(?:\s(?:or\s)?(?:about|around|approximately|roughly|for|by|of))[\s(]{1,2}$"
)
# Days, weeks and months as fractions, as British notes have them ("review in 6/12").
_INTERVAL = re.compile(r"\b(?:in|over|every|past|x|within|another|further)\s$")
# A number before makes a mixed fraction of it: "7 and 6/12 years", "1 1/2 tablets".
_MIXED = re.compile(r"(?<![\d/.,:-])\d{1,3}(?:\s|-|\sand\s|\s&\s)$")
_DENOMINATORS = words("2 3 4 5 6 7 8 10 12 16 52")
_CHANGED_BY = re.compile(
    r"\b(?:reduc|increas|improv|decreas|declin|drop|fell|rose|shr[aiu]nk|grew|smaller|larger|cut|up"
    r"|down)\w{0,4}(?:\s\w{1,12})?\sby\s$"
)
_SCORE = re.compile(
    r"pain|scor|strength|scale|rate[sd]?\b|rating|gcs|apgar|murmur|motor|reflex|pulse|vision|motion"
    r"|out of|power|mmt|grade|severity|intensity|acuity|systolic|mood|anxiety|beats|vas\b|nrs|mmse"
    r"|moca|phq|gad|cranial|biceps|triceps|grip|flexion|extension|sensation|mrc|bp\b|blood pressure"
    r"|\bo[ds]\b|\bva\b|extremit|orient|ratio"
)
# Where a new thought begins, after which a word says nothing of the figures before.
_NEW_THOUGHT = re.compile(r"[.,;:)\n]|\s(?:for|with|due|after|because|who|which|but|secondary)\s")
_COUNTED = re.compile(
    r"\s?-?(?:nodes?|lymph|patients|cores|points|beats|times|cases|samples|of\b|mg|mcg|ml|strength"
    r"|pain|cup|tab|tablet|inch|mile|ppd|pack|bilat|throughout|systolic|in (?:severity|intensity)"
    r"|positive|teaspoon|tsp|dose|strain|murmur|scale|units?|normal|intact|hours|days|weeks|stars"
    r"|years?\b|yrs?\b|y/?o\b|months?\b|mos?\b|met\b|items|objects|words|bottles|cultures|correct"
    r"|criteria|negative|ns\b|length|full|way\b)"
)
_HALF_OF_DAY = re.compile(r"\s?(?:am|pm|a\.m\.|p\.m\.)(?![^\W_])")
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
# The words with which a holiday begins.
_FESTIVE = words(
    "christmas xmas boxing new thanksgiving easter good independence halloween valentine "
    "valentines st labor labour memorial veterans mother mothers father fathers presidents martin "
    "mlk columbus juneteenth mardi ash palm cinco canada bastille yom rosh passover diwali eid"
)
# What every day after a month begins with, and what every day before one has in it.
_DAY_FOLLOWS = re.compile(r"\.?[\s,/-]{0,3}(?:[tT][hH][eE]\s)?[\dfstenFSTEN]")
_DAY_NEAR = re.compile(r"\d|st|nd|rd|th", re.IGNORECASE)
_OF_BIRTH = 0.9
# Around the clock, and "secondary to".
_PHRASES = ("24/7", "2/2")
_POSTOPERATIVE = re.compile(r"\b(?:pod|hd|dol|day)\s?#?\s?\d{1,3}[\s(,:-]{1,3}$")
_FULL_YEAR = re.compile(r"(?:19|20)\d\d$")
_WEEK = re.compile(r"W[0-5]\d")
_ON_DAY = words("am vom seit bis zum den ab")
_ON = re.compile(r"\b(?:on|since|until|by|before|after)\s$")


def detect(page: Page) -> Iterator[Span]:
    """Dates in figures, with named months, and holidays."""
    known = scan(page)
    yield from _in_figures(known)
    if not MONTHS.keys().isdisjoint(known.words):
        yield from _with_months(known)
    if _FESTIVE.isdisjoint(known.words):
        return
    lower = known.lower
    for place in standing(page, _FESTIVE):
        match = _HOLIDAYS.match(lower, page.starts[place])
        if match is None:
            continue
        if match["year"]:
            yield _date(match.start(), match.end(), 0.88, "holiday with year")
        elif _ON.search(lower, max(0, match.start() - 8), match.start()):
            yield _date(match.start(), match.end(), 0.7, "on a holiday")


def _date(start: int, end: int, certainty: float, rule: str) -> Span:
    return Span(start, end, Kind.DATE, certainty, "dates", rule)


def _whole(page: Page, start: int, end: int, certainty: float, rule: str) -> Span:
    """A date with day, month and year; one of birth is left to those who know births better."""
    if certainty > _OF_BIRTH and read_cue(page, start).family == "birth":
        return _date(start, end, _OF_BIRTH, "of birth")
    return _date(start, end, certainty, rule)


def _in_figures(known: Scan) -> Iterator[Span]:
    text = known.page.text
    for match in matches(FIGURES, text, known.mixed):
        start, end = match.span("date")
        yield _whole(known.page, *_with_time(known, start, end), *_figures(match))
    for match in matches(COMPACT, text, known.rich):
        dated = _DATING.search(known.lower, max(0, match.start() - 20), match.start())
        yield _date(*match.span(), 0.9 if dated else 0.72, "compact dated" if dated else "compact")
    if _WEEK.search(text):
        for match in matches(ISO_WEEK, text, known.mixed):
            yield _date(*match.span(), 0.9, "iso week")
    if not _ON_DAY.isdisjoint(known.words):
        for match in matches(DOTTED, text, known.mixed):
            if known.page.lower[known.page.token_at(match.start()) - 1] in _ON_DAY:
                yield _date(*match.span(), 0.85, "day and month with dots")
    if "/" not in text:
        return
    last, earlier = 0, 0.0
    for match in matches(MONTH_DAY, text, known.mixed):
        start, end = _with_time(known, *match.span())
        rule, certainty = _month_and_day(match, known.lower, start < match.start()) or ("", 0.0)
        if rule and earlier > certainty and _LISTED.fullmatch(known.lower, last, start):
            rule, certainty = "listed month and day", earlier
        last, earlier = match.end(), certainty
        if rule:
            yield _date(start, end, certainty, rule)


def _figures(match: re.Match[str]) -> tuple[float, str]:
    """The certainty and rule for a date in figures with its year."""
    if match["c1"]:
        return 0.97, "iso"
    if len(match.group()) > 7 and _FULL_YEAR.search(match.group()):
        return 0.97, "figures"
    separator = (match["a1"] or match["b1"]).strip()
    if separator == "/":
        return 0.95, "short year"
    return (0.85, "short dashes") if separator == "-" else (0.75, "short dots")


def _with_time(known: Scan, start: int, end: int) -> tuple[int, int]:
    """A date in figures with the weekday before it and the half of the day after it."""
    if known.lower[end : end + 3].strip()[:1] in ("a", "p"):
        half = _HALF_OF_DAY.match(known.lower, end)
        end = half.end() if half else end
    page = known.page
    place = page.token_at(start) - 1
    while place > 0 and page.lower[place] in (",", "."):
        place -= 1
    if place >= 0 and page.lower[place] in WEEKDAY_WORDS and start - page.ends[place] < 4:
        start = page.starts[place]
    return start, end


def _month_and_day(match: re.Match[str], lower: str, on_weekday: bool) -> tuple[str, float] | None:
    """A date without a year, told from fractions, scores, doses and blood pressures."""
    start, end = match.span()
    first, second = match["first"], match["second"]
    month, date = int(first), int(second)
    if min(month, date) > 12:
        return None
    if on_weekday:
        return "dated month and day", 0.9
    before = lower[max(0, start - 60) : start]
    after = lower[end : end + 24]
    if "." in before:
        before = before[max(before.rfind(". "), before.rfind(".\n")) + 1 :]
    if second == "10" and "/10" in before:
        return None
    if _SCORE.search(before) or _COUNTED.match(after):
        return None
    if match["to"]:
        return None if match["to"].endswith("/10") and date == 10 else ("month and day range", 0.88)
    thought = _NEW_THOUGHT.search(after)
    if _SCORE.search(after[: thought.start()] if thought else after):
        return None
    if second in _DENOMINATORS and _MIXED.search(before) and not _POSTOPERATIVE.search(before):
        return None
    if _INTERVAL.search(before) and second in ("7", "12", "52"):
        return None
    firm = _FIRM.search(before) is not None
    dating = firm or _DATING.search(before) is not None
    loose = not firm and _LOOSE.search(before) is not None
    fraction = month <= date and date in (2, 3, 4, 5, 6, 8, 10) and "0" not in (first[0], second[0])
    if match.group() in _PHRASES and not _ON.search(before):
        return None
    timed = _TIME_AFTER.match(after) is not None
    if month > 12 and not (dating or timed):
        return None
    if dating and not loose:
        return ("dated month and day", 0.9) if not fraction else ("dated fraction", 0.82)
    if timed and not fraction:
        return "timed month and day", 0.85
    if fraction:
        by = before.endswith("by ") and not _CHANGED_BY.search(before)
        return ("by a day", 0.74) if by else ("bare fraction", 0.5)
    if dating:
        return "loosely dated", 0.82
    clearly = "0" in (first[0], second[0]) or date > 12
    return ("month and day", 0.8) if clearly else ("bare month and day", 0.72)


def _with_months(known: Scan) -> Iterator[Span]:
    page, text, reached = known.page, known.page.text, 0
    weekdays = not WEEKDAY_WORDS.isdisjoint(known.words)
    for place in standing(page, MONTHS):
        word, start, end = page.lower[place], page.starts[place], page.ends[place]
        if start < reached:
            continue
        doubtful = word in WORDS_TOO and not text[start].isupper()
        doubtful = doubtful or (word in WORDS_TOO and page.shouting)
        found = _around(text, start, end, reached, doubtful)
        if found:
            begin, stop, rule, certainty = found
            weekday = weekdays and WEEKDAY_BEFORE.search(text, max(0, begin - 18), begin)
            reached = stop
            yield _whole(page, weekday.start() if weekday else begin, stop, certainty, rule)


def _around(
    text: str, start: int, end: int, reached: int, doubtful: bool
) -> tuple[int, int, str, float] | None:
    """A day before or after the month that stands from `start` to `end`."""
    after = AFTER_MONTH.match(text, end) if _DAY_FOLLOWS.match(text, end) else None
    if after and not day(after["day"]):
        after = None
    if after and after["year"]:
        return start, after.end(), "month day year", 0.97
    before = None
    if _DAY_NEAR.search(text, max(reached, start - 20), start):
        before = BEFORE_MONTH.search(text, max(reached, start - 30), start)
        if before and not day(before["day"]):
            before = None
    year = YEAR_BEFORE.search(text, max(reached, start - 8), start) if after else None
    if after and year:
        return year.start(), after.end(), "year month day", 0.95
    if before:
        later = YEAR_AFTER.match(text, end)
        if later and later["year"]:
            return before.start(), later.end(), "day month year", 0.97
        if not doubtful or before["ordinal"] or " of " in before.group():
            stop = after.end() if after else end
            return before.start(), stop, "day month", 0.88
    if after and not (doubtful and not after["ordinal"]):
        figures = after["day"].isdigit()
        rule, certainty = ("month day", 0.92) if figures else ("month day in words", 0.8)
        return start, after.end(), rule, certainty
    return None
