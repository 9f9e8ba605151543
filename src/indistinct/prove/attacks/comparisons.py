"""Attributes as a linker sees them: their kind, their distinct values, and levels of agreement.

| kind | levels, from the strongest |
| --- | --- |
| name | equal; near (Jaro-Winkler 0.92, or one typing error); like (0.85); a part or initial; alike (0.75); different |
| text | equal; near (one or two typing errors); like (Jaro-Winkler 0.92); different |
| date | equal; one error, or day and month swapped; two parts of three equal; agrees where coarser; within a year; different |
| number | equal; within the range of the coarser; near; close; different |
| code | equal; agrees where coarser; one typing error; different |

A missing value, or one suppressed with ``*``, is no evidence either way.
"""  # noqa: E501

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit
from numpy.typing import NDArray

from indistinct.core import (
    Array,
    Bools,
    Floats,
    InputError,
    Ints,
    SmallInts,
    did_you_mean,
    holds_numbers,
)

__all__ = [
    "CODE",
    "DATE",
    "LEVELS",
    "LONGEST",
    "NAME",
    "NUMBER",
    "TEXT",
    "Attribute",
    "Kind",
    "Order",
    "attributes_of",
    "compare",
    "date_order",
    "dates_as_digits",
    "edits",
    "kind_of",
    "similarity",
]


# Compiled comparisons of values: string similarity, dates with errors, numbers, codes.
#
# Distinct values are stored once, as character codes end to end; a pair of values is a pair of
# their numbers. Every loop is a pure function of its arrays.


LONGEST = 63
"""Characters of a value that are compared; matched characters are kept as bits of one word."""

NAME, TEXT, DATE, NUMBER, CODE = range(5)

_NEAR, _LIKE, _ALIKE = 0.92, 0.85, 0.75


@njit(cache=True, nogil=True)
def similarity(chars: Array, a: int, a_end: int, b: int, b_end: int) -> float:
    """Jaro's similarity with Winkler's bonus of 0.1 for each of up to four equal first letters."""
    la, lb = a_end - a, b_end - b
    if la == 0 or lb == 0:
        return 0.0
    window = max(max(la, lb) // 2 - 1, 0)
    one = np.uint64(1)
    seen_a, seen_b = np.uint64(0), np.uint64(0)
    common = 0
    for i in range(la):
        for j in range(max(0, i - window), min(lb, i + window + 1)):
            bit = one << np.uint64(j)
            if chars[a + i] == chars[b + j] and not (seen_b & bit):
                seen_a |= one << np.uint64(i)
                seen_b |= bit
                common += 1
                break
    if common == 0:
        return 0.0
    crossed, j = 0, 0
    for i in range(la):
        if seen_a & (one << np.uint64(i)):
            while not (seen_b & (one << np.uint64(j))):
                j += 1
            if chars[a + i] != chars[b + j]:
                crossed += 1
            j += 1
    jaro = (common / la + common / lb + (common - crossed / 2) / common) / 3
    start = 0
    while start < min(4, la, lb) and chars[a + start] == chars[b + start]:
        start += 1
    return jaro + start * 0.1 * (1 - jaro)


@njit(cache=True, nogil=True)
def edits(chars: Array, a: int, a_end: int, b: int, b_end: int, limit: int, rows: Array) -> int:
    """Count insertions, deletions, replacements and swaps of neighbours, up to `limit` + 1.

    The restricted Damerau-Levenshtein distance; `rows` is room for three lines of its table.
    """
    la, lb = a_end - a, b_end - b
    if abs(la - lb) > limit:
        return limit + 1
    for j in range(lb + 1):
        rows[1, j] = j
    for i in range(1, la + 1):
        now, before, earlier = (i + 1) % 3, i % 3, (i + 2) % 3
        rows[now, 0] = i
        least = i
        for j in range(1, lb + 1):
            cost = 0 if chars[a + i - 1] == chars[b + j - 1] else 1
            best = min(rows[before, j] + 1, rows[now, j - 1] + 1, rows[before, j - 1] + cost)
            if (
                i > 1
                and j > 1
                and chars[a + i - 1] == chars[b + j - 2]
                and chars[a + i - 2] == chars[b + j - 1]
            ):
                best = min(best, rows[earlier, j - 2] + 1)
            rows[now, j] = best
            least = min(least, best)
        if least > limit:
            return limit + 1
    return min(int(rows[(la + 1) % 3, lb]), limit + 1)


@njit(cache=True, nogil=True)
def _starts_with(chars: Array, a: int, a_end: int, b: int, b_end: int) -> bool:
    i, size = 0, min(a_end - a, b_end - b)
    while i < size and chars[a + i] == chars[b + i]:
        i += 1
    return i == size


@njit(cache=True, nogil=True)
def _part_of(chars: Array, a: int, a_end: int, b: int, b_end: int) -> bool:
    """Say whether one value is an initial, the first word or the last word of the other."""
    if a_end - a > b_end - b:
        a, a_end, b, b_end = b, b_end, a, a_end
    la, lb = a_end - a, b_end - b
    if la == lb:
        return False
    if _starts_with(chars, a, a_end, b, b_end) and (la == 1 or chars[b + la] == 32):
        return True
    for i in range(la):
        if chars[a + i] != chars[b_end - la + i]:
            return False
    return bool(chars[b_end - la - 1] == 32)


@njit(cache=True, nogil=True)
def _name(chars: Array, a: int, a_end: int, b: int, b_end: int, rows: Array) -> int:
    if min(a_end - a, b_end - b) > 1:
        like = similarity(chars, a, a_end, b, b_end)
        if like >= _NEAR or edits(chars, a, a_end, b, b_end, 1, rows) <= 1:
            return 4
        if like >= _LIKE:
            return 3
        if not _part_of(chars, a, a_end, b, b_end):
            return 1 if like >= _ALIKE else 0
        return 2
    return 2 if _part_of(chars, a, a_end, b, b_end) else 0


@njit(cache=True, nogil=True)
def _text(chars: Array, a: int, a_end: int, b: int, b_end: int, rows: Array) -> int:
    allowed = 1 if max(a_end - a, b_end - b) < 8 else 2
    if edits(chars, a, a_end, b, b_end, allowed, rows) <= allowed:
        return 2
    return 1 if similarity(chars, a, a_end, b, b_end) >= _NEAR else 0


@njit(cache=True, nogil=True)
def _two(chars: Array, at: int) -> int:
    x, y = chars[at] - 48, chars[at + 1] - 48
    return -1000 if x < 0 or x > 9 or y < 0 or y > 9 else x * 10 + y


@njit(cache=True, nogil=True)
def _days(chars: Array, at: int) -> int:
    """Days since some day, to within one; negative where a character is no digit."""
    years = _two(chars, at) * 100 + _two(chars, at + 2)
    months, days = _two(chars, at + 4), _two(chars, at + 6)
    if min(years, months, days) < 0:
        return -1
    return int(years * 365.25 + (months - 1) * 30.44 + days)


@njit(cache=True, nogil=True)
def _date(chars: Array, a: int, a_end: int, b: int, b_end: int, rows: Array) -> int:
    la, lb = a_end - a, b_end - b
    if la == 8 and lb == 8:
        swapped = _starts_with(chars, a, a + 4, b, b + 4)
        for i in range(2):
            swapped &= chars[a + 4 + i] == chars[b + 6 + i] and chars[a + 6 + i] == chars[b + 4 + i]
        if swapped:
            return 4
    elif min(la, lb) in (4, 6) and max(la, lb) in (6, 8):
        return 2 if _starts_with(chars, a, a_end, b, b_end) else 0
    wrong = edits(chars, a, a_end, b, b_end, 2, rows)
    if wrong <= 1:
        return 4
    if la == 8 and lb == 8:
        equal = int(_starts_with(chars, a, a + 4, b, b + 4))
        equal += int(_starts_with(chars, a + 4, a + 6, b + 4, b + 6))
        equal += int(_starts_with(chars, a + 6, a + 8, b + 6, b + 8))
        if equal == 2:
            return 3
        first, second = _days(chars, a), _days(chars, b)
        if first >= 0 and second >= 0 and abs(first - second) <= 366:
            return 1
    return 1 if wrong <= 2 else 0


@njit(cache=True, nogil=True)
def compare(
    kind: int,
    chars: Array,
    offsets: Array,
    ranges: Array,
    general: Array,
    near: float,
    a_codes: Array,
    b_codes: Array,
) -> Array:
    """Return the level of agreement of every pair; -1 where one value is missing.

    `general` marks labels that stand for several values: a code of which the start is known, or
    a range of numbers (`ranges` holds its ends).
    """
    n = a_codes.shape[0]
    out = np.empty(n, dtype=np.int8)
    rows = np.zeros((3, LONGEST + 2), dtype=np.int64)
    for p in range(n):
        x, y = a_codes[p], b_codes[p]
        if x < 0 or y < 0:
            out[p] = -1
            continue
        a, a_end, b, b_end = offsets[x], offsets[x + 1], offsets[y], offsets[y + 1]
        if kind == NUMBER:
            if general[x] or general[y]:
                meet = ranges[x, 0] <= ranges[y, 1] and ranges[y, 0] <= ranges[x, 1]
                out[p] = 3 if meet else 0
            else:
                gap = abs(ranges[x, 0] - ranges[y, 0])
                out[p] = 4 if gap == 0 else 2 if gap <= near else 1 if gap <= 5 * near else 0
        elif kind == CODE:
            if general[x] or general[y]:
                out[p] = 2 if _starts_with(chars, a, a_end, b, b_end) else 0
            elif x == y:
                out[p] = 3
            else:
                long = min(a_end - a, b_end - b) >= 4
                out[p] = 1 if long and edits(chars, a, a_end, b, b_end, 1, rows) <= 1 else 0
        elif x == y:
            out[p] = 5 if kind != TEXT else 3
        elif kind == NAME:
            out[p] = _name(chars, a, a_end, b, b_end, rows)
        elif kind == TEXT:
            out[p] = _text(chars, a, a_end, b, b_end, rows)
        else:
            out[p] = _date(chars, a, a_end, b, b_end, rows)
    return out


# Dates as they are written, damaged ones too, brought to year, month and day.


Order = Literal["ymd", "mdy", "dmy"]
"""The order in which year, month and day are written."""

ORDERS: tuple[Order, ...] = get_args(Order)

_SEPARATED = re.compile(r"^(\w{1,4})[-/. ](\w{1,3})[-/. ](\w{1,4})(?:[T ]\d\d:.*)?$")
_YEAR = re.compile(r"^(1[6-9]|20)\d\d$")
_YEAR_MONTH = re.compile(r"^((?:1[6-9]|20)\d\d)-(0[1-9]|1[0-2])$")


def date_order(values: Sequence[str]) -> Order | None:
    """Find the order of day, month and year in which most values can be dates; None if none.

    >>> date_order(["05/06/1994", "09/29/1994"]), date_order(["1961-05-03"]), date_order(["3 km"])
    ('mdy', 'ymd', None)
    """
    best, dated = _best_order(values)
    dated += sum(1 for value in values if _YEAR_MONTH.match(value))
    return best if values and dated >= 0.6 * len(values) else None


def dates_as_digits(values: Sequence[str]) -> list[str]:
    """Write dates as ``YYYYMMDD``, shorter where only the year or month is known.

    The order of the parts is found from all values together. Where a character is wrong the
    others keep their places.

    >>> dates_as_digits(["05/06/1994", "09/2q/1994", "1994", "*"])
    ['19940506', '1994092q', '1994', '']
    """
    order, _ = _best_order(values)
    return [_digits(value.strip().lower(), order) for value in values]


def _best_order(values: Sequence[str]) -> tuple[Order, int]:
    """Return the order in which most values are dates, and how many are."""
    fits = {order: sum(1 for value in values if _is_date(_parts(value, order))) for order in ORDERS}
    best = max(ORDERS, key=lambda order: fits[order])
    return best, fits[best]


def _digits(value: str, order: str) -> str:
    if not value.strip("*"):
        return ""
    if _YEAR.match(value):
        return value
    month = _YEAR_MONTH.match(value)
    if month:
        return month[1] + month[2]
    parts = _parts(value, order)
    return "".join(parts) if parts else "".join(c for c in value if c.isalnum())


def _parts(value: str, order: str) -> tuple[str, str, str] | None:
    """Return year, month and day as written, padded with zeros."""
    found = _SEPARATED.match(value)
    if found:
        pieces = dict(zip(order, found.groups(), strict=True))
    elif len(value) == 8 and value.isalnum():
        at = {"ymd": (0, 4, 6), "mdy": (0, 2, 4), "dmy": (0, 2, 4)}[order]
        ends = (*at[1:], 8)
        pieces = {part: value[a:b] for part, a, b in zip(order, at, ends, strict=True)}
    else:
        return None
    return pieces["y"].zfill(4), pieces["m"].zfill(2), pieces["d"].zfill(2)


def _is_date(parts: tuple[str, str, str] | None) -> bool:
    if parts is None or not all(p.isdigit() for p in parts):
        return False
    year, month, day = (int(p) for p in parts)
    return 1600 <= year <= 2200 and 1 <= month <= 12 and 1 <= day <= 31


Kind = Literal["name", "text", "date", "number", "code"]
"""What an attribute holds, and so how two of its values are compared."""

KINDS: tuple[Kind, ...] = get_args(Kind)

LEVELS: dict[Kind, tuple[str, ...]] = {
    "name": ("different", "alike", "part or initial", "like", "near", "equal"),
    "text": ("different", "like", "near", "equal"),
    "date": (
        "different",
        "within a year",
        "agrees where coarser",
        "two parts equal",
        "one error or swapped",
        "equal",
    ),
    "number": ("different", "close", "near", "in the coarser range", "equal"),
    "code": ("different", "one error", "agrees where coarser", "equal"),
}
"""The levels of agreement of each kind, from the weakest to the strongest."""

_NUMBER_OF_KIND = {"name": NAME, "text": TEXT, "date": DATE, "number": NUMBER, "code": CODE}

_RANGE = re.compile(r"^[\[(]?\s*(-?\d+(?:\.\d+)?)\s*(?:,|-|–|to)\s*(-?\d+(?:\.\d+)?)\s*([\])]?)$")
_PERSON = re.compile(r"surname|forename|given|initial|(first|last|middle|maiden|family|full).?name")
_NOT_A_NUMBER = re.compile(r"zip|post|code|phone|ssn|number|(^|_)(id|nr|no)($|_)|area|county|sex")
_AMOUNT = re.compile(r"(^|_)(age|income|wages?|hours|weight|height|year|amount|salary)($|_)")


@dataclass(frozen=True, eq=False)
class Attribute:
    """One attribute of both files: distinct values, and each record's value by number.

    `left` and `right` number the values of the records, -1 where missing; `chars` and `offsets`
    hold the values, `ranges` the numbers they stand for, `general` which are coarser labels.
    """

    name: str
    kind: Kind
    left: SmallInts = field(repr=False)
    right: SmallInts = field(repr=False)
    values: tuple[str, ...] = field(repr=False)
    chars: SmallInts = field(repr=False)
    offsets: Ints = field(repr=False)
    ranges: Floats = field(repr=False)
    general: Bools = field(repr=False)
    near: float = field(repr=False)

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of agreement, from the weakest."""
        return LEVELS[self.kind]

    def compare(self, left: SmallInts, right: SmallInts) -> NDArray[np.int8]:
        """Return the level of agreement of pairs of records; -1 where one is missing."""
        found: NDArray[np.int8] = compare(
            _NUMBER_OF_KIND[self.kind],
            self.chars,
            self.offsets,
            self.ranges,
            self.general,
            self.near,
            self.left[left],
            self.right[right],
        )
        return found

    def frequencies(self) -> Floats:
        """Return the share of the records of both files that have each value."""
        codes = np.concatenate([self.left, self.right])
        counts = np.bincount(codes[codes >= 0], minlength=len(self.values))
        return np.asarray((counts + 1.0) / (len(codes) + 1.0), dtype=np.float64)


def attributes_of(
    left: pa.Table, right: pa.Table, wanted: Mapping[str, Kind] | Sequence[str]
) -> list[Attribute]:
    """Read the attributes that two tables have in common; choose kinds that are not given."""
    kinds = dict(wanted) if isinstance(wanted, Mapping) else dict.fromkeys(wanted)
    if not kinds:
        raise InputError("Linking needs at least one attribute. Got none.")
    for name, kind in kinds.items():
        for side, table in (("left", left), ("right", right)):
            if name not in table.column_names:
                raise InputError(
                    f"There is no attribute '{name}' in the {side} table. "
                    f"{did_you_mean(name, table.column_names)}"
                )
        if kind is not None and kind not in KINDS:
            raise InputError(
                f"The kind of attribute '{name}' must be one of {', '.join(KINDS)}. Got '{kind}'."
            )
    return [
        _attribute(name, kind, left.column(name), right.column(name))
        for name, kind in kinds.items()
    ]


def kind_of(name: str, values: Sequence[str], *, numeric: bool = False) -> Kind:
    """Choose how an attribute is compared, from its name and its distinct values.

    >>> kind_of("last_name", ["Todd", "Thomas"]), kind_of("born", ["1961-05-03", "1962-05-29"])
    ('name', 'date')
    >>> kind_of("zip", ["02138", "0213*"]), kind_of("age", ["[20, 30)", "31"])
    ('code', 'number')
    """
    lowered = name.lower()
    sample = values[:: max(1, len(values) // 2000)]
    if not sample:
        return "code"
    if _PERSON.search(lowered) or lowered in ("name", "names"):
        return "name"
    if date_order(sample) and not (numeric and not re.search("birth|date|dob|born", lowered)):
        return "date"
    amounts = sum(1 for v in sample if _number(v) is not None) / len(sample)
    if amounts > 0.9:
        if _AMOUNT.search(lowered):
            return "number"
        padded = any(re.match(r"0\d", v) for v in sample)
        plain = (numeric and len(values) > 50) or any("." in v for v in sample)
        return "number" if plain and not padded and not _NOT_A_NUMBER.search(lowered) else "code"
    letters = sum(1 for v in sample if sum(c.isalpha() for c in v) >= 3) / len(sample)
    return "text" if letters > 0.5 and len(values) > 30 else "code"


def _attribute(
    name: str, kind: Kind | None, left: pa.ChunkedArray, right: pa.ChunkedArray
) -> Attribute:
    numeric = holds_numbers(left.type)
    texts, numbers = zip(*(_distinct(column) for column in (left, right)), strict=True)
    if kind is None:
        # each file by itself: they may write dates differently
        kinds = [kind_of(name, sorted({*side} - {""}), numeric=numeric) for side in texts]
        kind = "date" if "date" in kinds else kinds[0]
    plain = [
        dates_as_digits(values) if kind == "date" else [_plain(v) for v in values]
        for values in texts
    ]
    distinct = sorted({v for values in plain for v in values if v})
    number_of: dict[str | None, int] = {v: i for i, v in enumerate(distinct)}
    sides = []
    for values, codes in zip(plain, numbers, strict=True):
        coded = np.array([number_of.get(v, -1) for v in values] + [-1], dtype=np.int32)
        sides.append(coded[codes])
    general = np.array([kind == "code" and v.endswith("*") for v in distinct], dtype=bool)
    ranges = np.full((len(distinct), 2), np.nan)
    if kind == "number":
        for i, value in enumerate(distinct):
            found = _number(value)
            if found is not None:
                ranges[i] = found
                general[i] = found[1] > found[0]
    shown = [v.rstrip("*")[:LONGEST] for v in distinct]
    offsets = np.zeros(len(distinct) + 1, dtype=np.int64)
    np.cumsum([len(v) for v in shown], out=offsets[1:])
    chars = np.frombuffer("".join(shown).encode("utf-32-le"), dtype=np.int32)
    return Attribute(
        name,
        kind,
        sides[0],
        sides[1],
        tuple(distinct),
        chars,
        offsets,
        ranges,
        general,
        _near(ranges, sides),
    )


def _near(ranges: Floats, sides: Sequence[SmallInts]) -> float:
    """A twentieth of the standard deviation: a year, where the numbers are ages."""
    held = np.concatenate([ranges[codes[codes >= 0], 0] for codes in sides])
    held = held[np.isfinite(held)]
    return float(np.std(held) / 20) if len(held) else 0.0


def _distinct(column: pa.ChunkedArray) -> tuple[list[str], Ints]:
    """Return the distinct values as text and the number of each record's, -1 where missing."""
    if pa.types.is_date(column.type) or pa.types.is_timestamp(column.type):
        column = pc.strftime(column, "%Y-%m-%d")
    elif pa.types.is_floating(column.type):
        column = pa.chunked_array([pc.if_else(pc.is_nan(column), None, column).combine_chunks()])
    encoded = column.combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = pa.concat_arrays(encoded.chunks) if encoded.num_chunks else pa.array([], "string")
    if not pa.types.is_dictionary(encoded.type):
        encoded = encoded.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return ["" if v is None else str(v) for v in encoded.dictionary.to_pylist()], codes


def _plain(value: str) -> str:
    """Return a value without case, accents and doubled spaces; nothing where it is suppressed."""
    if not value.isascii():
        parts = unicodedata.normalize("NFKD", value)
        value = "".join(c for c in parts if not unicodedata.combining(c))
    plain = " ".join(value.casefold().split())
    return "" if not plain.strip("*") or plain in ("nan", "none", "null", "<na>") else plain


def _number(value: str) -> tuple[float, float] | None:
    """Return the ends of the range that a label stands for; equal where it is one number."""
    try:
        alone = float(value)
        return (alone, alone) if np.isfinite(alone) else None
    except ValueError:
        pass
    match = _RANGE.match(value.strip())
    if match is None:
        return None
    low, high = float(match[1]), float(match[2])
    return (low, float(np.nextafter(high, low))) if match[3] == ")" and high > low else (low, high)
