"""How dates are written: in figures, with months by name, in six languages."""

from __future__ import annotations

import re

from indistinct.scrub.text.detectors._number_cues import words

MONTHS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner janvier janv enero ene gennaio gen janeiro januari",
            "february feb febr februar février fevrier févr febrero febbraio fevereiro februari",
            "march mar märz maerz marz mrz mär mars marzo março maart",
            "april apr avril avr abril abr aprile",
            "may mai mayo maggio mag maio mei",
            "june jun juni juin junio giugno giu junho",
            "july jul juli juillet juil julio luglio lug julho",
            "august aug août aout agosto ago augustus",
            "september sep sept septembre septiembre setiembre settembre setembro",
            "october oct oktober okt octobre octubre ottobre ott outubro",
            "november nov novembre noviembre novembro",
            "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
# Words of the language too: in small letters they need more than a number beside them.
WORDS_TOO = words("may march mar jan jun dec sep mai mars mag ago gen ene lug giu abr set")
WEEKDAY_WORDS = words(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri "
    "sat sun montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi "
    "jeudi vendredi samedi dimanche lunes martes miércoles miercoles jueves viernes sábado sabado "
    "domingo lunedì lunedi martedì martedi mercoledì mercoledi giovedì giovedi venerdì venerdi "
    "sabato domenica"
)
WEEKDAYS = "(?:" + "|".join(sorted(WEEKDAY_WORDS, key=len, reverse=True)) + ")"
_DAY_WORDS = (
    r"(?:twenty|thirty)[\s-](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)"
    r"|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
    r"|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth"
    r"|thirtieth"
)
_ORDINAL = r"(?:\s?(?:st|nd|rd|th|er|re|º|ª|°|o|a)(?![^\W_])|\.)?"
_YEAR = r"(?:\d{4}(?!\d)|'\s?\d{2}(?!\d))"
_NOT_A_DAY = (
    r"(?!\d|[.,]\d|:\d|\s?%|\s?/(?!\d{1,4}(?![\d/]))|\s?(?:mg|mcg|ml|g|kg|lbs?|cc|units?|tabs?|tablets?|pills?|caps?"
    r"|capsules?|times|days?|weeks?|months?|years?|hours?|hrs?|minutes?|mins?|percent|patients"
    r"|people|puffs?|drops|doses?|more|of\sthe|or\smore)(?![^\W_]))"
)
# After the month: a day, a stretch of days, and the year.
AFTER_MONTH = re.compile(
    rf"\.?[\s,/-]{{0,3}}(?:the\s)?(?P<day>\d{{1,2}}|{_DAY_WORDS})(?P<ordinal>{_ORDINAL}){_NOT_A_DAY}"
    rf"(?:\s?(?:-|/|&|to|and|or|through|thru|until)\s?(?:the\s)?(?:\d{{1,2}}(?:st|nd|rd|th)(?!\w)"
    rf"|\d{{1,2}}{_ORDINAL}(?=\s?(?:[,;.)\n]|\d{{4}}|$))|(?<=[/-])\d(?=\s))(?!/))?"
    rf"(?P<year>(?:[\s,./-]{{1,3}}|\s(?:of|in)\s){_YEAR}|[/-]\d{{2}}(?![\d/-]))?",
    re.IGNORECASE,
)
# Before the month, ending at it: a day or a stretch of days.
BEFORE_MONTH = re.compile(
    rf"(?<![\w.,:/$%#+'-])(?:the\s)?(?:\d{{1,2}}{_ORDINAL}\s?(?:-|/|&|to|and|or|bis|au|al|y|et)\s?)?"
    rf"(?P<day>\d{{1,2}}|(?<!\w)(?:{_DAY_WORDS}))(?P<ordinal>{_ORDINAL})"
    r"[\s-]{0,2}/?(?:(?:of|de|di|day of|of the)\s)?$",
    re.IGNORECASE,
)
YEAR_AFTER = re.compile(
    rf"\.?(?P<year>(?:[\s,/.-]{{0,3}}|\s(?:of|de|del|in)\s){_YEAR}|[/-]\d{{2}}(?![\d/-])|"
    r"\s\d{2}(?![\w:%.,/-]|\s(?:mg|mcg|ml|years|days|weeks|months|at)))?",
    re.IGNORECASE,
)
YEAR_BEFORE = re.compile(r"(?<![\w.,/-])(?:19|20)\d\d(?:,?\s|-)$")
WEEKDAY_BEFORE = re.compile(rf"(?<!\w){WEEKDAYS}\.?,?\s(?:the\s|den\s|le\s|el\s)?$", re.IGNORECASE)

_MONTH = r"(?:0?[1-9]|1[0-2])"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_FULL = (
    rf"(?:{_MONTH}(?P<a{{n}}>\s?[/.-]\s?){_DAY}(?P=a{{n}})(?:(?:19|20)\d\d|\d\d)"
    rf"|{_DAY}(?P<b{{n}}>\s?[/.-]\s?){_MONTH}(?P=b{{n}})(?:(?:19|20)\d\d|\d\d)"
    rf"|(?:18|19|20)\d\d(?P<c{{n}}>[/.-]){_MONTH}(?P=c{{n}}){_DAY})"
)
# Dates in figures, two of them where one follows the other ("5/1/20-5/7/20").
FIGURES = re.compile(
    rf"(?<![\d/.])(?<!\d[-,])(?<![A-Za-z][-_])(?P<date>{_FULL.format(n=1)}"
    rf"(?P<clock>T\d{{2}}:?\d{{2}}(?::?\d{{2}}(?:\.\d{{1,9}})?)?(?:Z|[+-]\d{{2}}:?\d{{2}})?)?"
    rf"(?:\s?(?:-|to|through)\s?{_FULL.format(n=2)})?)(?![\d/]|[.,-]\d|-?[A-Za-z]\d)"
)
# The day of a week or the week itself (ISO 8601), and a day and month with dots.
ISO_WEEK = re.compile(r"(?<![\w.-])(?:19|20)\d\d-?W(?:0[1-9]|[1-4]\d|5[0-3])(?:-?[1-7])?(?![\w-])")
DOTTED = re.compile(rf"(?<![\w.,-]){_DAY}\.\s?{_MONTH}\.(?!\s?\d)")
COMPACT = re.compile(
    r"(?<![\w.,-])(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?![\w-]|[.,]\d)"
)
MONTH_DAY = re.compile(
    rf"(?<![\w./$%#+-])(?P<first>{_MONTH}|{_DAY})/(?P<second>{_DAY}|{_MONTH})"
    rf"(?P<to>\s?(?:-|to|through|thru)\s?{_MONTH}/{_DAY})?(?![\w/%]|[.,-]\d|\s?/)"
)
ANY_NAMED = re.compile(
    r"(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")(?![^\W\d_])", re.IGNORECASE
)


def day(text: str) -> bool:
    """Whether a number or a word is a day of a month.

    >>> day("31"), day("32"), day("third")
    (True, False, True)
    """
    return not text.isdigit() or 1 <= int(text) <= 31


def date_at(text: str, start: int) -> int | None:
    """Where a date that begins at `start` ends; None where there is none.

    >>> date_at("DOB: 05/04/66 (59)", 5), date_at("born 2 May 1968", 5), date_at("DOB: see", 5)
    (13, 15, None)
    """
    match = FIGURES.match(text, start) or COMPACT.match(text, start)
    if match:
        return match.end()
    if weekday := _WEEKDAY_HERE.match(text, start):
        start = weekday.end()
    if month := ANY_NAMED.match(text, start):
        after = AFTER_MONTH.match(text, month.end())
        return after.end() if after and day(after["day"]) else None
    if lead := _DAY_FIRST.match(text, start):
        month = ANY_NAMED.match(text, lead.end())
        if month and day(lead["day"]):
            after = YEAR_AFTER.match(text, month.end())
            return after.end() if after and after["year"] else month.end()
    return None


_WEEKDAY_HERE = re.compile(rf"{WEEKDAYS}\.?,?\s(?:the\s)?", re.IGNORECASE)
_DAY_FIRST = re.compile(
    rf"(?:the\s)?(?P<day>\d{{1,2}}|{_DAY_WORDS}){_ORDINAL}[\s,-]{{0,2}}/?"
    r"(?:(?:of|de|di|day of)\s)?",
    re.IGNORECASE,
)
