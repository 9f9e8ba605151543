"""What a released cell stands for: one label against one value, the reference reading.

A label is a value, a generalisation of it, or nothing at all. Everything that links asks one
question of a label and a register's value: can both come from the same original value? This
module answers it for a single pair, as plainly as possible, and reads the forms of labels for
whoever answers it for a whole variable at once.

Whether a label lies within another: whomever the first may mean, the second may mean too.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import inf, nextafter
from typing import Literal

import numpy as np

from indistinct.core import Bools, Ints
from indistinct.hierarchy.hierarchy import Hierarchy
from indistinct.hierarchy.intervals import as_number
from indistinct.hierarchy.text import as_text, as_texts

__all__ = [
    "Kind",
    "Nesting",
    "Span",
    "common_kind",
    "forms_of",
    "is_suppressed",
    "members_of",
    "prefix_of",
    "span_of",
    "stands_for",
]

Kind = Literal["number", "date", "text"]
"""What digits mean in a variable: ``1961`` is one number, all days of a year, or four letters."""

Span = tuple[float, float]
"""The first and the last number, or day number, that a label stands for."""

# leading zeros belong to codes (02139-4307), which are no amounts and no ranges
_NUMBER = r"(-?(?:0|[1-9]\d*)(?:\.\d+)?)"
_PLAIN = re.compile(_NUMBER)
_RANGE = re.compile(rf"{_NUMBER}(?:-|–| to ){_NUMBER}")
_BRACKETS = re.compile(rf"([\[(]){_NUMBER}, ?{_NUMBER}([\])])")
_BOUND = re.compile(rf"(<=|>=|<|>|≤|≥) ?{_NUMBER}")
_AND_MORE = re.compile(rf"{_NUMBER}\+")
_DASHED = re.compile(r"(0|[1-9]\d*)-(0|[1-9]\d*)")
_SIGNED = re.compile(r"[\[(<>≤≥+–.]| to ")
_DIGITS = 15
"""Longer numbers are codes: a float would not tell them apart."""

_MASKED = re.compile(r"([^*]*)\*[*.\-/ ]*")

_ISO_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ].*)?")
_ISO_MONTHS = re.compile(r"(\d{4})-(\d\d)(?:/(\d\d))?")
_ISO_RANGE = re.compile(r"(\d{4}-\d\d(?:-\d\d)?)-(\d{4}-\d\d(?:-\d\d)?)")
_AMERICAN_DAY = re.compile(r"(\d\d?)/(\d\d?)/(\d{4}|\d\d)")
_POINTED_DAY = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})")
_AMERICAN_MONTH = re.compile(r"(\d\d?)/(\d{4})")
_DECADE = re.compile(r"(\d{3}0)s")
_YEARS = re.compile(r"\D*\d{4}(?:\D+\d{4})?\D*")
_LAST_CENTURY = 30

_FORMS = (
    (_PLAIN, "numbers"),
    (_ISO_DAY, "year-month-day"),
    (_POINTED_DAY, "day.month.year"),
    (_AMERICAN_DAY, "month/day/year"),
    (_ISO_MONTHS, "year-month"),
    (_AMERICAN_MONTH, "month/year"),
)
"""A year of two digits from here on is one of 1900, below of 2000."""


def stands_for(
    label: object, value: object, hierarchy: Hierarchy | None = None, *, kind: Kind | None = None
) -> bool:
    """Say whether a released label and a value can come from the same original value.

    Both are read as sets of original values, and the sets must meet. So it does not matter
    which of the two is coarser: a register may know the year where the release tells the day.

    - Missing, empty, ``*`` and the root of the hierarchy are anything.
    - Equal texts (`as_text`) are the same.
    - If the hierarchy knows both, some value must lie under both, and nothing else counts.
    - ``0213*``, ``021**``, ``A*``: whatever begins so.
    - ``20-24``, ``-5 to -1``, ``[0.3, 0.4)``, ``<15``, ``≥85``, ``85+``: the numbers between. A
      range of whole numbers holds what lies before the next whole number: ``20-24`` is [20, 25).
    - ``1961``, ``1965-03``, ``1965-03/04``, ``1965-1969``, ``1960s``: the days between.
      ``10/2/61`` is read month first, a year of two digits as one from 1930 to 2029;
      ``2.10.1961`` day first.
    - ``{a, b}``: what a stands for and what b stands for.

    Parameters
    ----------
    label, value
        What stands in the release and in the register.
    hierarchy
        The variable's hierarchy, if there is one. Where it knows one of the two only, forms
        decide: a register holds values that the private file had not.
    kind
        What digits mean; by default as `common_kind` reads these two, without others beside them.

    >>> stands_for("0213*", "02138"), stands_for("0213*", "02141"), stands_for(None, "02141")
    (True, False, True)
    >>> stands_for("1961", "10/2/61"), stands_for("1965-03/04", "1965-05-01")
    (True, False)
    >>> stands_for("20-24", 24), stands_for("[20, 25)", "20-24"), stands_for("≥85", 84)
    (True, True, False)
    """
    if is_suppressed(label, hierarchy) or is_suppressed(value, hierarchy):
        return True
    a, b = as_text(label), as_text(value)
    assert a is not None
    assert b is not None
    if a == b:
        return True
    if hierarchy is not None and _knows(hierarchy, a) and _knows(hierarchy, b):
        return any(a in path and b in path for path in hierarchy.rows())
    if kind is None:
        kind = common_kind([a], [b])
    return any(
        one == other or _same_beginning(one, other) or _same_place(one, other, kind)
        for one in members_of(a) or [a]
        for other in members_of(b) or [b]
    )


def is_suppressed(label: object, hierarchy: Hierarchy | None = None) -> bool:
    """Say whether a cell tells nothing: missing, empty, stars only, or the hierarchy's root.

    >>> is_suppressed(None), is_suppressed("*****"), is_suppressed("0213*")
    (True, True, False)
    """
    text = as_text(label)
    if text is None or (hierarchy is not None and text == hierarchy.root):
        return True
    masked = _MASKED.fullmatch(text)
    return masked is not None and not masked[1]


def prefix_of(text: str | None) -> str | None:
    """Return what stands before the stars at a label's end, None where there are none.

    >>> prefix_of("021**"), prefix_of("E1*.**"), prefix_of("02138"), prefix_of("*")
    ('021', 'E1', None, None)
    """
    masked = _MASKED.fullmatch(text or "")
    return masked[1] or None if masked else None


def members_of(text: str | None) -> tuple[str, ...] | None:
    """Return the labels that a set of labels holds, None for a single label.

    >>> members_of("{nurse, doctor}"), members_of("nurse")
    (('nurse', 'doctor'), None)
    """
    if text is None or not (text.startswith("{") and text.endswith("}")):
        return None
    return tuple(member.strip() for member in text[1:-1].split(","))


def common_kind(labels: Iterable[object], values: Iterable[object]) -> Kind:
    """Say whether digits mean dates, numbers, or nothing but themselves in a variable.

    They are dates if any text tells a month. Else they are numbers, unless the only ranges are
    two numbers with a dash, as ``12-345``, which may as well be a code. Such are ranges if one
    follows another (``20-24``, ``25-29``), or if of labels or of values half are plain numbers.

    >>> common_kind(["1961"], ["1961-10-02"]), common_kind(["20-24"], [21, 40])
    ('date', 'number')
    >>> common_kind(["20-29", "30-39"], ["25-34"]), common_kind(["12-345"], ["12-345", "12-346"])
    ('number', 'text')
    """
    sides = [_parts(labels), _parts(values)]
    if any(_calendar(text) for side in sides for text in side):
        return "date"
    dashed = [[m for text in side if (m := _DASHED.fullmatch(text))] for side in sides]
    if not any(dashed):
        return "number"
    for side, codes in zip(sides, dashed, strict=True):
        plain = sum(_PLAIN.fullmatch(text) is not None for text in side)
        if plain and plain >= len(codes):
            return "number"
        if any(_SIGNED.search(text) and _numbers(text) for text in side):
            return "number"
    starts = {int(match[1]) for side in dashed for match in side}
    follows = any(int(match[2]) + 1 in starts for side in dashed for match in side)
    return "number" if follows else "text"


@lru_cache(maxsize=65_536)
def span_of(text: str | None, kind: Kind) -> Span | None:
    """Return the numbers or the days that a label stands for, None where it tells neither.

    >>> span_of("20-24", "number") == (20, nextafter(25, -inf)), span_of("02138", "number")
    (True, None)
    >>> first, last = span_of("1965", "date")
    >>> datetime.date.fromordinal(int(first)).isoformat(), int(last - first + 1)
    ('1965-01-01', 365)
    """
    if text is None:
        return None
    if kind == "date":
        return _calendar(text) or _years(text)
    return _numbers(text) if kind == "number" else None


def forms_of(values: Iterable[object], *, most: int = 3) -> str:
    """Say how values are written without telling any: for messages about private values.

    >>> forms_of(["02138", "02139"]), forms_of(["2.10.1961", "Boston"])
    ('5 digits', 'day.month.year or words')
    """
    texts = {text for value in values if (text := as_text(value)) is not None}
    counted = Counter(_form(text) for text in texts if not is_suppressed(text))
    named = [form for form, _ in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))]
    if not named:
        return "no values"
    more = " or others" if len(named) > most else ""
    return f"{' or '.join(named[:most])}{more}"


def _form(text: str) -> str:
    if text.isdecimal():
        return "1 digit" if len(text) == 1 else f"{len(text)} digits"
    for form, name in _FORMS:
        if form.fullmatch(text):
            return name
    if prefix_of(text):
        return "beginnings with stars"
    if _numbers(text) is not None:
        return "ranges of numbers"
    if not any(letter.isdecimal() for letter in text):
        return "words"
    return "words with digits" if " " in text else "codes of letters, digits and signs"


def _parts(cells: Iterable[object]) -> set[str]:
    texts = {as_text(cell) for cell in cells}
    return {part for text in texts if text is not None for part in members_of(text) or [text]}


def _knows(hierarchy: Hierarchy, text: str) -> bool:
    return any(text in labels for labels in hierarchy.labels)


def _same_beginning(a: str, b: str) -> bool:
    first, second = prefix_of(a), prefix_of(b)
    return (first is not None and (second or b).startswith(first)) or (
        second is not None and (first or a).startswith(second)
    )


def _same_place(a: str, b: str, kind: Kind) -> bool:
    one, other = span_of(a, kind), span_of(b, kind)
    return one is not None and other is not None and max(one[0], other[0]) <= min(one[1], other[1])


def _numbers(text: str) -> Span | None:
    if _PLAIN.fullmatch(text):
        number = as_number(text)
        assert number is not None
        short = len(number.as_tuple().digits) <= _DIGITS
        return (float(text), float(text)) if short else None
    if match := _RANGE.fullmatch(text):
        low, high = float(match[1]), float(match[2])
        return (
            _span(low, high if "." in text else nextafter(high + 1, -inf)) if low <= high else None
        )
    if match := _BRACKETS.fullmatch(text):
        low, high = float(match[2]), float(match[3])
        return _span(
            low if match[1] == "[" else nextafter(low, inf),
            high if match[4] == "]" else nextafter(high, -inf),
        )
    if match := _AND_MORE.fullmatch(text):
        return float(match[1]), inf
    if match := _BOUND.fullmatch(text):
        sign, bound = match[1], float(match[2])
        if sign in ("<", "<=", "≤"):
            return -inf, nextafter(bound, -inf) if sign == "<" else bound
        return nextafter(bound, inf) if sign == ">" else bound, inf
    return None


def _span(first: float, last: float) -> Span | None:
    return (first, last) if first <= last else None


def _calendar(text: str) -> Span | None:
    """Return the days of a text that tells a month, or a decade by name."""
    if match := _ISO_DAY.fullmatch(text):
        return _day(int(match[1]), int(match[2]), int(match[3]))
    if match := _AMERICAN_DAY.fullmatch(text):
        year = int(match[3])
        if len(match[3]) == 2:
            year += 1900 if year >= _LAST_CENTURY else 2000
        return _day(year, int(match[1]), int(match[2]))
    if match := _POINTED_DAY.fullmatch(text):
        return _day(int(match[3]), int(match[2]), int(match[1]))
    if match := _ISO_MONTHS.fullmatch(text):
        return _months(int(match[1]), int(match[2]), int(match[3] or match[2]))
    if match := _AMERICAN_MONTH.fullmatch(text):
        return _months(int(match[2]), int(match[1]), int(match[1]))
    if match := _ISO_RANGE.fullmatch(text):
        first, last = _calendar(match[1]), _calendar(match[2])
        return None if first is None or last is None else _span(first[0], last[1])
    if match := _DECADE.fullmatch(text):
        return _years(f"{match[1]}-{int(match[1]) + 9}")
    return None


def _day(year: int, month: int, day: int) -> Span | None:
    try:
        number = float(datetime.date(year, month, day).toordinal())
    except ValueError:
        return None
    return number, number


def _months(year: int, first: int, last: int) -> Span | None:
    if not 1 <= last <= 12:
        return None
    start = _day(year, first, 1)
    after = _day(year + last // 12, last % 12 + 1, 1)
    return None if start is None or after is None else _span(start[0], after[0] - 1)


def _years(text: str) -> Span | None:
    """Return the days of a year, a range of years, or the years beyond a bound."""
    if not _YEARS.fullmatch(text):
        return None
    years = _numbers(text)
    if years is None:
        return None
    first, last = years
    start = (-inf, -inf) if first == -inf else _day(-int(-first // 1), 1, 1)
    end = (inf, inf) if last == inf else _day(int(last // 1), 12, 31)
    return None if start is None or end is None else _span(start[0], end[1])


# Whether a label lies within another -------------------------------------------------------------


class Nesting:
    """Decides for the labels of one attribute in two releases which lie within which.

    Labels are sets of original values, as `hierarchy.labels.stands_for` reads them. Where form and
    hierarchy tell nothing, a label lies within itself and within suppressed cells only.

    >>> zips = Nesting(["02138", "0213*"], ["0213*", "021**", None])
    >>> [zips.within(label, other) for label in range(2) for other in range(3)]
    [True, True, True, True, True, True]
    >>> Nesting(["021**", None], ["0213*"]).within(0, 0)
    False
    """

    def __init__(
        self,
        inner: Sequence[object],
        outer: Sequence[object],
        *,
        hierarchy: Hierarchy | None = None,
    ) -> None:
        self.inner = _compared(inner)
        self.outer = _compared(outer)
        self.hierarchy = hierarchy
        self.kind: Kind = common_kind(self.inner, self.outer)
        self._under: dict[str, frozenset[int]] = {}
        if hierarchy is not None:
            self._under = _leaves(hierarchy, {*self.inner, *self.outer})

    def within(self, inner: int, outer: int) -> bool:
        """Say whether an inner label, by code, lies within an outer one."""
        a, b = self.inner[inner], self.outer[outer]
        if is_suppressed(b, self.hierarchy):
            return True
        if is_suppressed(a, self.hierarchy):
            return False
        assert a is not None
        assert b is not None
        if a == b:
            return True
        if a in self._under and b in self._under:
            return self._under[a] <= self._under[b]
        outside = members_of(b) or (b,)
        return all(
            any(_inside(one, other, self.kind) for other in outside)
            for one in members_of(a) or (a,)
        )

    def of_pairs(self, inner: Ints, outer: Ints) -> Bools:
        """Say it of many pairs; each different pair is looked at once."""
        codes, place = np.unique(inner * len(self.outer) + outer, return_inverse=True)
        decided = np.array([self.within(*divmod(int(c), len(self.outer))) for c in codes], bool)
        return decided[place.reshape(-1)] if len(codes) else np.zeros(0, dtype=bool)


def _compared(labels: Sequence[object]) -> tuple[str | None, ...]:
    return tuple(None if text is None else text.strip() or None for text in as_texts(labels))


def _inside(a: str, b: str, kind: Kind) -> bool:
    if a == b:
        return True
    if (stem := prefix_of(b)) is not None:
        return (prefix_of(a) or a).startswith(stem)
    one, other = span_of(a, kind), span_of(b, kind)
    return one is not None and other is not None and other[0] <= one[0] and one[1] <= other[1]


def _leaves(tree: Hierarchy, wanted: set[str | None]) -> dict[str, frozenset[int]]:
    """Return the values under each label that the hierarchy knows and somebody uses."""
    under: dict[str, frozenset[int]] = {}
    for level in tree.levels:
        nodes = tree.level_codes(level)
        labels = tree.level_labels(level)
        order = np.argsort(nodes, kind="stable")
        bounds = np.searchsorted(nodes[order], np.arange(len(labels) + 1))
        for code, label in enumerate(labels):
            if label is not None and label in wanted and label not in under:
                under[label] = frozenset(order[bounds[code] : bounds[code + 1]].tolist())
    return under
