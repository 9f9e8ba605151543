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
from numpy.typing import NDArray

from indistinct.core import Bools, Floats, InputError, Ints, SmallInts, did_you_mean, holds_numbers
from indistinct.prove.attacks.fs_dates import date_order, dates_as_digits
from indistinct.prove.attacks.fs_kernels import CODE, DATE, LONGEST, NAME, NUMBER, TEXT, compare

__all__ = ["LEVELS", "Attribute", "Kind", "attributes_of", "kind_of"]

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
