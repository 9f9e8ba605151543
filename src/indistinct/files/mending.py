"""Mending records on the way in: what a project file says of values that are not as they should be.

The file itself is never changed. A mended copy stands in the workspace, and whatever reads it, on
one machine or a cluster, reads the same. Every value is mended by itself, by what is said of its
variable; only which spelling is kept depends on how many records have it. A clean file stays as
it is.

In this order: cells that say nothing become empty; blanks; spellings; recodings; what has no label;
dates and numbers that are text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import (
    Bools,
    InputError,
    Ints,
    Value,
    Variable,
    holds_numbers,
    holds_text,
    progress,
)
from indistinct.files.parquet import dialect_of, parquet_writer, staging_path
from indistinct.files.source import Source

__all__ = [
    "DATE_FORMATS",
    "Mend",
    "Values",
    "in_one_spelling",
    "mended",
    "plain_numbers",
    "read_dates",
    "read_numbers",
    "repeated_records",
    "values_of",
]

DATE_FORMATS: Mapping[str, str] = {
    "%Y-%m-%d": r"^(?P<y>[0-9]{4})-(?P<m>[0-9]{1,2})-(?P<d>[0-9]{1,2})$",
    "%Y/%m/%d": r"^(?P<y>[0-9]{4})/(?P<m>[0-9]{1,2})/(?P<d>[0-9]{1,2})$",
    "%Y.%m.%d": r"^(?P<y>[0-9]{4})\.(?P<m>[0-9]{1,2})\.(?P<d>[0-9]{1,2})$",
    "%d.%m.%Y": r"^(?P<d>[0-9]{1,2})\.(?P<m>[0-9]{1,2})\.(?P<y>[0-9]{4})$",
    "%d/%m/%Y": r"^(?P<d>[0-9]{1,2})/(?P<m>[0-9]{1,2})/(?P<y>[0-9]{4})$",
    "%m/%d/%Y": r"^(?P<m>[0-9]{1,2})/(?P<d>[0-9]{1,2})/(?P<y>[0-9]{4})$",
    "%d-%m-%Y": r"^(?P<d>[0-9]{1,2})-(?P<m>[0-9]{1,2})-(?P<y>[0-9]{4})$",
    "%m-%d-%Y": r"^(?P<m>[0-9]{1,2})-(?P<d>[0-9]{1,2})-(?P<y>[0-9]{4})$",
    "%Y%m%d": r"^(?P<y>[0-9]{4})(?P<m>[0-9]{2})(?P<d>[0-9]{2})$",
}
"""The forms of dates that are read, by what they are called in a project file."""

_COUNTED_AT_ONCE = 1 << 24
"""Cells that are held at once where values are counted."""


@dataclass(frozen=True)
class Mend:
    """How the values of one variable are mended; what is not said leaves them as they are.

    Parameters
    ----------
    trim
        Leave out blanks before and after, and all but one in between.
    fold
        The same, and take the spelling that most records have for all that differ in capital
        letters or blanks alone; one of `known` goes before.
    recode
        Values, and what is read instead.
    empty
        Values that say nothing, read as empty cells.
    dates
        Forms of dates (`DATE_FORMATS`): what has one is written as ISO writes dates.
    numbers
        Read text as numbers.
    known
        The values that are labelled or declared.
    outside
        Read what is not among `known`, and what is no date or number where it must be one, as
        empty cells.
    """

    trim: bool = False
    fold: bool = False
    recode: Mapping[Value, Value] = field(default_factory=dict)
    empty: tuple[Value, ...] = ()
    dates: tuple[str, ...] = ()
    numbers: bool = False
    known: tuple[Value, ...] = ()
    outside: bool = False

    def __bool__(self) -> bool:
        said = (self.trim, self.fold, self.recode, self.empty, self.dates, self.numbers)
        return any(said) or (self.outside and bool(self.known))

    def applied(self, values: pa.Array, counts: Ints, *, decimal: str = ".") -> pa.Array:
        """Return what is read instead of distinct values, given the records that have each.

        >>> values = pa.array(["m", "M", " m", "weiblich", "w", "n/a"])
        >>> mend = Mend(fold=True, recode={"weiblich": "w"}, empty=("n/a",))
        >>> mend.applied(values, np.array([5, 2, 1, 1, 9, 3])).to_pylist()
        ['m', 'm', 'm', 'w', 'w', None]
        >>> Mend(numbers=True).applied(pa.array(["1", " 2.0"]), np.array([1, 1])).to_pylist()
        [1, 2]
        """
        if holds_text(values.type):
            return self._text(values.cast(pa.string()), counts, decimal)
        if not holds_numbers(values.type):
            return values
        values = _without(values, _is_one_of(values, self.empty))
        values = _recoded(values, self.recode)
        if self.outside and self.known:
            values = _without(values, pc.invert(_is_one_of(values, self.known)))
        return values

    def _text(self, values: pa.Array, counts: Ints, decimal: str) -> pa.Array:
        if self.empty:
            nothing = [str(value).strip() for value in self.empty]
            values = _without(values, _is_one_of(pc.utf8_trim_whitespace(values), nothing))
        if self.trim or self.fold or self.dates or self.numbers:
            values = _trimmed(values)
        if self.fold:
            values = in_one_spelling(values, counts, known=self.known)
        values = _recoded(values, self.recode)
        if self.outside and self.known:
            values = _without(values, pc.invert(_is_one_of(values, self.known)))
        if self.dates:
            found = read_dates(values, self.dates)
        elif self.numbers:
            found = read_numbers(values, decimal=decimal)
        else:
            return values
        unread = pc.and_(pc.is_null(found), pc.is_valid(values))
        if not self.outside and pc.any(unread, min_count=0).as_py():
            raise _Unread(pc.index(unread, True).as_py())
        return found


class _Unread(Exception):
    """A value, by its position, that is no date or number where it must be one."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def _is_one_of(values: pa.Array, some: Iterable[Value]) -> pa.Array:
    """Say which values are among some; what cannot be in such a column is not."""
    found = (_of_kind(value, values.type) for value in some)
    kept = [value for value in found if value is not None]
    return pc.is_in(values, value_set=pa.array(kept, values.type), skip_nulls=True)


def _of_kind(value: Value, kind: pa.DataType) -> Any:
    """Return a declared value as a column holds it, or None: keys of a TOML table are all text."""
    if holds_text(kind):
        return str(value)
    try:
        number = float(value) if isinstance(value, str) else value
        if pa.types.is_integer(kind) and number == int(number):
            number = int(number)
        return pa.scalar(number, kind).as_py()
    except (ValueError, OverflowError, pa.ArrowException):
        return None


def _without(values: pa.Array, which: pa.Array) -> pa.Array:
    if not pc.any(which, min_count=0).as_py():
        return values
    return pc.if_else(which, pa.scalar(None, values.type), values)


def _trimmed(values: pa.Array) -> pa.Array:
    """Return texts without blanks before and after, and one in between; no text is null."""
    values = pc.utf8_trim_whitespace(values)
    inner = pc.replace_substring_regex(values, r"[\s\p{Zs}]+", " ")
    return _without(inner, pc.fill_null(pc.equal(inner, ""), False))


def _recoded(values: pa.Array, recode: Mapping[Value, Value]) -> pa.Array:
    if not recode:
        return values
    pairs = [
        (_of_kind(old, values.type), _of_kind(new, values.type)) for old, new in recode.items()
    ]
    fitting = [pair for pair in pairs if None not in pair]
    old = pa.array([pair[0] for pair in fitting], values.type)
    new = pa.array([pair[1] for pair in fitting], values.type)
    at = pc.index_in(values, value_set=old, skip_nulls=True)
    return pc.if_else(pc.is_valid(at), new.take(at), values)


def in_one_spelling(values: pa.Array, counts: Ints, *, known: Sequence[Value] = ()) -> pa.Array:
    """Return texts in one spelling for all that differ in capital letters alone.

    It is one of `known`, or that which most records have; of equals the first by its letters.

    >>> in_one_spelling(pa.array(["Paris", "PARIS", "Lyon"]), np.array([3, 1, 1])).to_pylist()
    ['Paris', 'Paris', 'Lyon']
    """
    folded = pc.utf8_lower(values)
    kept = _of_most(values, folded, counts)
    if not known:
        return kept
    declared = pa.array([str(value) for value in known])
    at = pc.index_in(folded, value_set=pc.utf8_lower(declared), skip_nulls=True)
    kept = pc.if_else(pc.is_valid(at), declared.take(at), kept)
    return pc.if_else(pc.is_in(values, value_set=declared), values, kept)


def _of_most(values: pa.Array, folded: pa.Array, counts: Ints) -> pa.Array:
    """Return for each text that which most records have, of those that are the same when folded."""
    coded = folded.dictionary_encode()
    if len(coded.dictionary) == len(folded) - folded.null_count:
        return values
    codes = coded.indices.fill_null(-1).to_numpy()
    several = np.flatnonzero(np.bincount(codes[codes >= 0]) > 1)
    at = np.flatnonzero(np.isin(codes, several))
    texts = values.take(pa.array(at)).to_pylist()
    groups: dict[int, dict[str, int]] = {}
    for position, text in zip(at, texts, strict=True):
        of = groups.setdefault(int(codes[position]), {})
        of[text] = of.get(text, 0) + int(counts[position])
    kept: dict[Value, Value] = {}
    for of in groups.values():
        kept |= dict.fromkeys(of, min(of, key=lambda text: (-of[text], text)))
    return _recoded(values, kept)


def read_dates(values: pa.Array, formats: Sequence[str]) -> pa.Array:
    """Return dates as ISO writes them; what is no day in any of the formats becomes null.

    >>> written = pa.array(["7.3.1965", "1965-03-08", "31.2.1965"])
    >>> read_dates(written, ["%d.%m.%Y", "%Y-%m-%d"]).to_pylist()
    ['1965-03-07', '1965-03-08', None]
    """
    found = pa.nulls(len(values), pa.string())
    for one in formats:
        found = pc.coalesce(found, _days(values, DATE_FORMATS[one]))
    return found


def _days(values: pa.Array, pattern: str) -> pa.Array:
    parts = pc.extract_regex(values, pattern)
    valid = pc.is_valid(parts).to_numpy(zero_copy_only=False)
    if not valid.any():
        return pa.nulls(len(values), pa.string())
    year, month, day = (
        np.where(valid, pc.fill_null(pc.struct_field(parts, part), "0"), "1").astype(np.int64)
        for part in "ymd"
    )
    begins = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = begins.astype("datetime64[D]") + (day - 1)
    right = valid & (year > 0) & (month >= 1) & (month <= 12) & (day >= 1)
    right &= days.astype("datetime64[M]") == begins
    return pa.array(np.where(right, days.astype(str), ""), pa.string(), mask=~right)


_NUMBER = r"^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
_PARTED = r"^[+-]?[0-9]{1,3}([ '\x{2019}\x{A0}\x{202F}][0-9]{3})+([.,][0-9]+)?$"
_COMMA = r"^[+-]?[0-9]+,[0-9]+$"
_THOUSAND = r"^[+-]?[0-9]{1,3},[0-9]{3}$"


def plain_numbers(values: pa.Array, *, decimal: str) -> Bools:
    """Say which texts are numbers as the file writes them, with nothing around."""
    pattern = _NUMBER if decimal == "." else _NUMBER.replace(r"\.", ",")
    plain = pc.match_substring_regex(values, pattern)
    found: Bools = pc.fill_null(plain, False).to_numpy(zero_copy_only=False)
    return found


def read_numbers(values: pa.Array, *, decimal: str = ".") -> pa.Array:
    """Return the numbers that texts are, whole ones if all are; other texts become null.

    Points and commas are read as decimal signs, blanks and apostrophes between thousands are left
    out. ``1,234`` is a number where commas are the file's decimal sign, and unsure elsewhere.

    >>> read_numbers(pa.array(["12", " 3,5", "1'200", "1,234", "many"])).to_pylist()
    [12.0, 3.5, 1200.0, None, None]
    """
    texts = pc.utf8_trim_whitespace(values)
    parted = pc.match_substring_regex(texts, _PARTED)
    joined = pc.replace_substring_regex(texts, r"[ '\x{2019}\x{A0}\x{202F}]", "")
    texts = pc.if_else(parted, joined, texts)
    comma = pc.match_substring_regex(texts, _COMMA)
    if decimal == ".":
        comma = pc.and_not(comma, pc.match_substring_regex(texts, _THOUSAND))
    texts = pc.if_else(comma, pc.replace_substring(texts, ",", "."), texts)
    texts = pc.if_else(pc.match_substring_regex(texts, _NUMBER), texts, None)
    texts = pc.replace_substring_regex(texts, r"^\+", "")
    numbers = pc.cast(texts, pa.float64())
    numbers = pc.if_else(pc.is_finite(numbers), numbers, None)
    largest = pc.max(pc.abs(numbers)).as_py() or 0
    if largest < 2**53 and pc.all(pc.equal(pc.floor(numbers), numbers), min_count=0).as_py():
        return numbers.cast(pa.int64())
    return numbers


# Counting values ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Values:
    """The distinct values of a column, how many records have each, and how many have none."""

    values: pa.Array
    counts: Ints
    nothing: int

    @property
    def records(self) -> int:
        """The records that have a value."""
        return int(self.counts.sum())

    def only(self, which: Bools) -> Values:
        """Return some of the values."""
        return Values(self.values.filter(pa.array(which)), self.counts[which], self.nothing)


def values_of(source: Source, names: Sequence[str]) -> Iterator[tuple[str, Values]]:
    """Count the values of columns; some columns at a time are held.

    >>> from indistinct.files import open_table, workspace
    >>> with workspace() as folder:
    ...     source = open_table({"sex": ["m", "w", "m", None]}, workspace=folder)
    ...     found = dict(values_of(source, ["sex"]))["sex"]
    >>> found.values.to_pylist(), found.counts.tolist(), found.nothing
    (['m', 'w'], [2, 1], 1)
    """
    schema = source.schema
    at_once = max(1, _COUNTED_AT_ONCE // max(source.records, 1))
    with progress.task("counting values", total=len(names), unit="variables") as task:
        for start in range(0, len(names), at_once):
            some = list(names[start : start + at_once])
            texts = [name for name in some if pa.types.is_string(schema.field(name).type)]
            counted: dict[str, list[Values]] = {name: [] for name in some}
            for batch in source.batches(some, as_dictionary=texts):
                for name in some:
                    counted[name].append(_counted(batch.column(name)))
            for name in some:
                yield name, _joined(counted.pop(name))
            task.advance(len(some))


def _counted(column: pa.Array) -> Values:
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    nothing = column.null_count
    if pa.types.is_dictionary(column.type):
        codes = column.indices.drop_null().to_numpy()
        counts = np.bincount(codes, minlength=len(column.dictionary)).astype(np.int64)
        used = np.flatnonzero(counts)
        if len(used) < len(counts):
            return Values(column.dictionary.take(pa.array(used)), counts[used], nothing)
        return Values(column.dictionary, counts, nothing)
    found = column.drop_null().value_counts()
    counts = found.field("counts").to_numpy().astype(np.int64)
    return Values(found.field("values"), counts, nothing)


def _joined(parts: Sequence[Values]) -> Values:
    if len(parts) == 1:
        return parts[0]
    coded = pa.chunked_array([part.values for part in parts]).combine_chunks().dictionary_encode()
    counts = np.bincount(
        coded.indices.to_numpy(),
        weights=np.concatenate([part.counts for part in parts]),
        minlength=len(coded.dictionary),
    )
    nothing = sum(part.nothing for part in parts)
    return Values(coded.dictionary, counts.astype(np.int64), nothing)


# Mending a source --------------------------------------------------------------------------------


def mended(
    source: Source,
    mends: Mapping[str, Mend],
    *,
    workspace: Path,
    same_twice: str | None = None,
    one_each: str | None = None,
) -> Source:
    """Return a mended copy of the records; the source itself where there is nothing to mend.

    Parameters
    ----------
    mends
        What is done to the values of variables.
    same_twice
        The column that numbers the people: a record that is the same as an earlier one in every
        variable, this one too, is left out.
    one_each
        The column that numbers the people: of the records with one number the first is kept.
    """
    source.check_columns([*mends, *(n for n in (same_twice, one_each) if n is not None)])
    changes = _changes(source, {name: mend for name, mend in mends.items() if mend})
    if changes:
        source = _rewritten(source, changes, np.zeros(0, np.int64), workspace)
    for number, same in ((same_twice, True), (one_each, False)):
        if number is not None:
            later = repeated_records(source, number, same=same)
            if len(later):
                source = _rewritten(source, {}, later, workspace)
    return source


@dataclass(frozen=True, eq=False)
class _Change:
    """The values of a column, what is read instead, and what changes of its variable."""

    old: pa.Array
    new: pa.Array
    described: Mapping[str, Any]


def _changes(source: Source, mends: Mapping[str, Mend]) -> dict[str, _Change]:
    """Return, for every column that changes, its values and what is read instead."""
    dialect = dialect_of(source)
    decimal = dialect.decimal if dialect else "."
    found: dict[str, _Change] = {}
    for name, counted in values_of(source, list(mends)):
        mend = mends[name]
        try:
            new = mend.applied(counted.values, counted.counts, decimal=decimal)
        except _Unread as unread:
            record = _first(source, name, counted.values[unread.position])
            what = "a date in one of its forms" if mend.dates else "a number"
            raise InputError(
                f"{source.origin}: variable '{name}' must hold {what}, but record {record:,} does "
                "not. Say what it means with recode or empty, or read all such values as empty "
                'cells with outside = "empty".'
            ) from None
        if not new.equals(counted.values):
            described = _described(source.variables[name], mend, counted.values.type, new.type)
            found[name] = _Change(counted.values, new, described)
    return found


def _first(source: Source, name: str, value: pa.Scalar) -> int:
    before = 0
    for batch in source.batches([name]):
        at = pc.index(batch.column(0), value).as_py()
        if at >= 0:
            return before + int(at) + 1
        before += batch.num_rows
    raise AssertionError("the values were counted in this source")


def _rewritten(
    source: Source, changes: Mapping[str, _Change], later: Ints, workspace: Path
) -> Source:
    schema = source.schema
    for name, change in changes.items():
        schema = schema.set(schema.get_field_index(name), pa.field(name, change.new.type))
    variables = source.variables.updated({n: change.described for n, change in changes.items()})
    keep = np.ones(source.records, dtype=bool)
    keep[later] = False
    target = staging_path(workspace, "mended")
    before = 0
    with (
        progress.task("mending records", total=source.records, unit="records") as mending,
        parquet_writer(target, schema, variables, dialect=dialect_of(source)) as writer,
    ):
        for batch in source.batches():
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            for name, change in changes.items():
                at = pc.index_in(columns[name], value_set=change.old, skip_nulls=True)
                columns[name] = change.new.take(at)
            piece = pa.record_batch([columns[n] for n in schema.names], names=schema.names)
            if len(later):
                piece = piece.filter(pa.array(keep[before : before + batch.num_rows]))
            writer.write(piece)
            before += batch.num_rows
            mending.advance(batch.num_rows)
    said = _told(changes, later)
    notes = (*source.notes, said)
    return replace(source, path=target, variables=variables, records=int(keep.sum()), notes=notes)


def _told(changes: Mapping[str, Any], later: Ints) -> str:
    if changes:
        return f"mended as the project file says: {', '.join(changes)}"
    return f"records left out that were there before: {len(later):,}"


def _described(
    variable: Variable, mend: Mend, old: pa.DataType, new: pa.DataType
) -> Mapping[str, Any]:
    """Return what changes of a variable whose text became numbers, or dates of one form."""
    if mend.dates:
        return {"level": "date"}
    if holds_text(old) and holds_numbers(new):
        ranges = tuple(code for code in variable.user_missing if isinstance(code, tuple))
        return {"level": "numeric", "labels": {}, "user_missing": ranges, "format": ""}
    return {}


def repeated_records(source: Source, number: str, *, same: bool) -> Ints:
    """Return the records, from 0, whose number an earlier record has; or all that it has.

    >>> from indistinct.files import open_table, workspace
    >>> table = {"patient": [1, 2, 2, 2], "sex": ["m", "w", "w", "m"]}
    >>> with workspace() as folder:
    ...     source = open_table(table, workspace=folder)
    ...     [repeated_records(source, "patient", same=same).tolist() for same in (True, False)]
    [[2], [2, 3]]
    """
    counted = dict(values_of(source, [number]))[number]
    several = counted.values.filter(pa.array(counted.counts > 1))
    if not len(several):
        return np.zeros(0, np.int64)
    there: set[tuple[Any, ...]] = set()
    later: list[int] = []
    before = 0
    for batch in source.batches(None if same else [number]):
        which = pc.is_in(batch.column(number), value_set=several, skip_nulls=True)
        at = np.flatnonzero(which.to_numpy(zero_copy_only=False))
        if len(at):
            some = batch.take(pa.array(at))
            rows = zip(*(_comparable(column) for column in some.columns), strict=True)
            for position, row in zip(chain(at), rows, strict=True):
                if row in there:
                    later.append(before + int(position))
                there.add(row)
        before += batch.num_rows
    return np.array(later, dtype=np.int64)


def _comparable(column: pa.Array) -> list[Any]:
    if pa.types.is_floating(column.type):  # no number is the same as no number
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    values: list[Any] = column.to_pylist()
    return values
