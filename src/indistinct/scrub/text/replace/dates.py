"""Dates to month and year, to the year, or moved by a patient's own number of weeks.

Ages over 89, which are written as one: 90 or older (45 CFR 164.514(b)(2)(i)(C)).
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from indistinct.knowledge import MONTHS, WEEKDAYS
from indistinct.scrub.text.replace.calendar import Written, dates_in
from indistinct.scrub.text.replace.secret import Secret
from indistinct.scrub.text.replace.style import SUPPRESSED

_NAMES = {
    number: name
    for name, number in reversed(MONTHS.items())
    if len(name) > 4 or name in ("may", "june", "july")
}
_BETWEEN = re.compile(
    r"[\s,;/&()-]*(?:to|and|through|thru|until|till|from|between|or|on|of|the|since)?[\s,;/&()-]*",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    rf"(?:[\s,;/&()-]|\b(?:{'|'.join(sorted(WEEKDAYS, key=len, reverse=True))}"
    r"|to|and|through|thru|until|till|from|between|or|on|of|the|since)\b)*",
    re.IGNORECASE,
)
_YEARS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_TWICE = re.compile(
    rf"{re.escape(SUPPRESSED)}(?:\W{{0,3}}(?:to|and)?\W{{0,3}}{re.escape(SUPPRESSED)})+"
)
_OLDEST = 90
_WEEKS = 52


def generalised_date(text: str, *, to: str = "month", latest: int | None = None) -> str:
    """The date without its day, or without its month too, in the style that it was written.

    What is no date in any form that is known is suppressed.

    >>> generalised_date("Wednesday, February 2, 1994"), generalised_date("05/26/86")
    ('February, 1994', '05/86')
    >>> generalised_date("2026-02-09T22:50:00Z"), generalised_date("9/12"), generalised_date("Xmas")
    ('2026-02', 'September', '[removed]')
    """
    pieces, seen = [], False
    for piece in dates_in(text, latest=latest):
        if isinstance(piece, str):
            pieces.append(piece)
            continue
        seen = True
        pieces.append("\0" + (_month(piece) if to == "month" else _year(piece)) + "\0")
    return _joined("".join(pieces)) if seen else SUPPRESSED


def _joined(text: str) -> str:
    """Dates put together with what joined them; a word that is neither is taken out."""
    parts = text.split("\0")
    for place in range(0, len(parts), 2):
        if not _BETWEEN.fullmatch(parts[place]):
            lead, trail = parts[place][:1].isspace(), parts[place][-1:].isspace()
            parts[place] = " " * lead + SUPPRESSED + " " * trail
    # May 3 to May 5 is May.
    if len(parts) == 5 and parts[1] == parts[3]:
        parts[2:4] = ["", ""]
    return _TWICE.sub(SUPPRESSED, "".join(parts).strip())


def _month(written: Written) -> str:
    if written.day is None:
        return written.found.group()
    name, year = _name(written), written.group("year")
    if not year:
        return name or _NAMES[written.month or 1].capitalize()
    if name:
        order = written.found.start("name") < written.found.start("day")
        gap = written.group("s2")
        if not order and not gap.strip():
            gap = gap or written.group("s1")
        return name + (" " if name.endswith(".") else gap) + year
    if written.found.start("year") == written.found.start():
        return f"{year}{written.group('s1') or '-'}{written.group('month')}"
    month = written.group("b" if written.a_is_day else "a")
    gap = written.group("s2") or "/"
    # 5.23 would be read as a number.
    return month + ("/" if "." in gap and len(year) == 2 else gap) + year


def _name(written: Written) -> str:
    """The month's name as written, with the point of an abbreviation."""
    name = written.group("name")
    if not name:
        return ""
    end = written.found.end("name")
    pointed = written.found.string[end : end + 1] == "." and len(name) < 5
    return name + "." * pointed


def _year(written: Written) -> str:
    return SUPPRESSED if written.year is None else str(written.year)


def latest_year(text: str) -> int | None:
    """The last year that a document speaks of, by which two digits are read as a year.

    >>> latest_year("Born 1931. Seen on 3/2/2019, again in 2021.")
    2021
    """
    years = [int(year) for year in _YEARS.findall(text)]
    return max(years) if years else None


def birth_of_the_oldest(text: str, latest: int | None) -> str | None:
    """One class for everybody over 89: born 90 years before the document's latest, or earlier."""
    if latest is None:
        return None
    for piece in dates_in(text, latest=latest):
        if isinstance(piece, Written) and piece.year is not None:
            born = piece.year
            return f"{latest - _OLDEST} or earlier" if born <= latest - _OLDEST else None
    return None


def weeks_of(secret: Secret, whose: str) -> int:
    """By how many days all dates of somebody are moved: whole weeks, up to a year, never none."""
    drawn = secret.number("shift", whose, below=2 * _WEEKS)
    return 7 * (drawn - _WEEKS if drawn < _WEEKS else drawn - _WEEKS + 1)


def shifted_date(text: str, days: int, *, latest: int | None = None) -> str:
    """The date moved by so many days, written exactly as it was; weekdays stay true.

    >>> shifted_date("Wednesday, February 2, 1994", 7), shifted_date("05/26/86", -7)
    ('Wednesday, February 9, 1994', '05/19/86')
    """
    pieces, between = [], ""
    for piece in dates_in(text, latest=latest):
        if isinstance(piece, str):
            between += piece
            pieces.append(piece)
            continue
        moved = _moved(piece, days, latest)
        if moved is None:
            return SUPPRESSED
        between += " "
        pieces.append(moved)
    # A word or number that is no date might say the true day.
    return "".join(pieces) if _KNOWN.fullmatch(between) else SUPPRESSED


def _moved(written: Written, days: int, latest: int | None) -> str | None:
    if written.month is None:
        return written.found.group()
    try:
        # Without a day the middle of the month stands for it, without a year the latest one.
        true = date(written.year or latest or 2001, written.month, written.day or 15)
        new = true + timedelta(days=days)
    except (ValueError, OverflowError):
        return None
    if written.group("until"):
        return _moved_range(written, true, days)
    return _put(written, _fields(written, new))


def _moved_range(written: Written, first: date, days: int) -> str | None:
    """May 3-5 moved: both days while they stay in one month."""
    try:
        last = first.replace(day=int(written.group("until"))) + timedelta(days=days)
    except (ValueError, OverflowError):
        return None
    new = first + timedelta(days=days)
    if new.month != last.month:
        return None
    return _put(
        written,
        _fields(written, new)
        | {
            "until": f"{last.day:02d}" if _is_padded(written) else str(last.day),
            "last": _ordinal(last.day),
        },
    )


def _fields(written: Written, new: date) -> dict[str, str]:
    numbers = {"day": new.day, "month": new.month, "a": new.month, "b": new.day}
    if written.a_is_day:
        numbers["a"], numbers["b"] = new.day, new.month
    if written.day is None and written.group("b"):
        numbers["b"] = new.year % 100
    padded = _is_padded(written)
    parts = {name: f"{number:02d}" if padded else str(number) for name, number in numbers.items()}
    year = written.group("year")
    if year:
        digits = len(year.lstrip("'"))
        parts["year"] = "'" * year.startswith("'") + (
            f"{new.year % 100:02d}" if digits == 2 else f"{new.year:04d}"
        )
    if written.group("name"):
        parts["name"] = _like_name(written.group("name"), new.month)
    if written.group("ordinal"):
        parts["ordinal"] = written.group("ordinal")[:-2] + _ordinal(new.day)
    return parts


def _is_padded(written: Written) -> bool:
    """Whether a 7 would be written 07: by its other fields, else as people mostly do."""
    fields = [written.group(name) for name in ("day", "month", "a", "b", "until")]
    if any(len(field) == 1 for field in fields):
        return False
    joined = not written.group("s1").strip(" \tofthe")
    return not (written.group("name") and joined) or any(field[:1] == "0" for field in fields)


def _like_name(true: str, month: int) -> str:
    name = _NAMES[month]
    if len(true) == 3 and true.lower() != "may":
        name = name[:3]
    elif len(true) == 4 and true.lower() == "sept":
        name = name[:4] if month in (6, 7, 9) else name[:3]
    if true.isupper():
        return name.upper()
    return name if true.islower() else name.capitalize()


def _ordinal(day: int) -> str:
    return "th" if 10 < day % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _put(written: Written, parts: dict[str, str]) -> str:
    """The match with its fields exchanged, everything else as it was."""
    found = written.found
    known = found.re.groupindex
    places = sorted(
        (found.start(name), found.end(name), text)
        for name, text in parts.items()
        if name in known and found.start(name) >= 0
    )
    result, place = "", found.start()
    for start, end, text in places:
        result += found.string[place:start] + text
        place = end
    return result + found.string[place : found.end()]


# Ages over 89 ------------------------------------------------------------------------------------


_AGE = re.compile(
    r"\d{2,3}|ninety(?:[-\s](?:one|two|three|four|five|six|seven|eight|nine))?"
    r"|(?:one|a)\s+hundred(?:(?:\s+and)?[-\s](?!y)\w{2,9})?",
    re.IGNORECASE,
)
_OLD = re.compile(r"[\s-]{0,2}(?:y|F\b|M\b)", re.IGNORECASE)


def generalised_age(text: str, after: str = "") -> str:
    """The age as 90 or older, in the style it was written; `after` is what follows it.

    >>> generalised_age("92-year-old"), generalised_age("97", " y/o man"), generalised_age("93")
    ('90+-year-old', '90+', '90 or older')
    """

    def written(found: re.Match[str]) -> str:
        if found.group().isdigit() and int(found.group()) < 90:
            return found.group()
        return "90+" if _OLD.match(text[found.end() :] + after) else "90 or older"

    return _AGE.sub(written, text) if _AGE.search(text) else "90 or older"
