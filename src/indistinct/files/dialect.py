"""How a CSV file is written: delimiter, encoding, decimal sign, line ends; found from the file.

The delimiter and the decimal sign are found from the first records, the encoding from a byte
order mark or from every byte of the file. What is found is shown to the user, who can overrule
it.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from indistinct.core import InputError, from_csv
from indistinct.core.doors import open_file

__all__ = ["DELIMITERS", "Dialect", "Layout", "find_layout", "quote_fault"]

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_BYTES = 1 << 18
_SAMPLE_RECORDS = 1000
_CHUNK = 1 << 22
_NAMES = {"\t": "tab", ",": "','", ";": "';'", "|": "'|'"}
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written.

    `keep_formulas` writes cells that begin like a formula as they are; by default an apostrophe
    marks them as text, and they are read as what they were.

    >>> print(Dialect(delimiter=";", encoding="cp1252", decimal=","))
    delimiter ';', encoding cp1252, decimal comma
    """

    delimiter: str = ","
    encoding: str = "utf-8"
    decimal: str = "."
    line_end: str = "\n"
    keep_formulas: bool = False

    def __post_init__(self) -> None:
        """Refuse what no CSV file can have."""
        if len(self.delimiter) != 1 or self.delimiter in '"\r\n':
            raise InputError(
                f"The delimiter must be one character. Got {self.delimiter!r}. "
                "Use ',', ';', '|' or a tab."
            )
        if self.decimal not in (".", ","):
            raise InputError(f"The decimal sign must be '.' or ','. Got {self.decimal!r}.")
        try:
            codecs.lookup(self.encoding)
        except LookupError:
            raise InputError(
                f"There is no encoding {self.encoding!r}. Use utf-8, cp1252, latin-1 or utf-16."
            ) from None

    def __str__(self) -> str:
        delimiter = _NAMES.get(self.delimiter, repr(self.delimiter))
        point = "comma" if self.decimal == "," else "point"
        return f"delimiter {delimiter}, encoding {self.encoding}, decimal {point}"


@dataclass(frozen=True)
class Layout:
    """A file's dialect, its header, and whether any field is quoted."""

    dialect: Dialect
    header: tuple[str, ...]
    quoted: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns: on one line each, and without the mark of a text."""
        return tuple(_name(text) for text in self.header)


def _name(text: str) -> str:
    return from_csv(" ".join(text.splitlines()))


def find_layout(
    path: Path, *, delimiter: str | None, encoding: str | None, decimal: str | None
) -> Layout:
    """Find how the file is written, and refuse what cannot be read without guessing."""
    given = Dialect(delimiter or ",", encoding or "utf-8", decimal or ".")
    try:
        with open_file(path, "data") as file:
            start = file.read(_SAMPLE_BYTES)
            whole = not file.read(1)
    except OSError as error:
        raise _unreadable(path, error) from None
    if not start.strip():
        raise InputError(f"{path} is empty. It needs a header and at least one record.")
    marked = next((name for mark, name in _MARKS if start.startswith(mark)), None)
    if b"\0" in start and marked != "utf-16" and encoding is None:
        raise _binary(path, start[: start.index(b"\0")].count(b"\n") + 1)

    guess = encoding or marked or "utf-8"
    # Only the separators matter here, and they are ASCII in every encoding of one byte.
    sample = codecs.getincrementaldecoder(guess)(errors="replace").decode(start)
    found = delimiter or _find_delimiter(sample, whole=whole)
    rows = _sample_rows(sample, found, whole=whole)
    encoding_found, quoted, odd = _scan(path, found, encoding, marked)
    if decimal is None:
        decimal = _find_decimal(rows[1:]) if found != "," else "."
    dialect = Dialect(found, encoding_found, decimal, _find_line_end(sample))
    if odd:
        fault = quote_fault(path, dialect, fields=None)
        if fault:
            raise InputError(fault)
    return Layout(dialect, _header(path, dialect, given), quoted)


def _rows(sample: str, delimiter: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    except csv.Error:
        return


def _sample_rows(sample: str, delimiter: str, *, whole: bool) -> list[list[str]]:
    rows = [row for row in _rows(sample, delimiter) if row]
    # The sample may end in the middle of a record.
    rows = rows if whole or len(rows) < 2 else rows[:-1]
    return rows[:_SAMPLE_RECORDS]


def _find_delimiter(sample: str, *, whole: bool) -> str:
    """Choose the delimiter that gives most records the same number (over 1) of fields."""
    scores = {}
    for delimiter in DELIMITERS:
        widths = [len(row) for row in _sample_rows(sample, delimiter, whole=whole)]
        if not widths:
            continue
        common, times = Counter(widths).most_common(1)[0]
        several = common > 1
        # Where the records have one field whatever the delimiter, the header may still have
        # several: then it is better refused as ragged than read as one column.
        scores[delimiter] = (several, times / len(widths) if several else 0, max(common, widths[0]))
    return max(scores, key=lambda delimiter: scores[delimiter]) if scores else ","


def _find_decimal(rows: list[list[str]]) -> str:
    signs: Counter[str] = Counter()
    for column in zip(*rows, strict=False):
        values = [value for value in column if value]
        for sign in ".,":
            numbers = re.compile(rf"[+-]?\d+({re.escape(sign)}\d+)?(e[+-]?\d+)?", re.IGNORECASE)
            if any(sign in value for value in values) and all(map(numbers.fullmatch, values)):
                signs[sign] += 1
    return "," if signs[","] > signs["."] else "."


def _find_line_end(sample: str) -> str:
    match = re.search(r"\r\n|\n|\r", sample)
    return match[0] if match else "\n"


def _scan(
    path: Path, delimiter: str, encoding: str | None, marked: str | None
) -> tuple[str, bool, bool]:
    """Read every byte once: (encoding, are there quotes, are some where they should not be)."""
    name = encoding or marked or "utf-8"
    if name.replace("_", "-").lower() in ("utf-8", "utf8") and marked == "utf-8-sig":
        name = "utf-8-sig"
    wide = codecs.lookup(name).name.startswith(("utf-16", "utf-32"))
    decoder = codecs.getincrementaldecoder(name)()
    quotes = _Quotes(delimiter)
    position, lines, accented, first = 0, 1, False, True
    try:
        with open_file(path, "data") as file:
            while True:
                chunk = file.read(_CHUNK)
                held = len(decoder.getstate()[0])
                try:
                    text = decoder.decode(chunk, final=not chunk)
                except UnicodeDecodeError as error:
                    bad = position - held + error.start
                    if encoding is None and marked is None and not accented:
                        before = error.object[: error.start]
                        if before.isascii():
                            # No byte beyond ASCII was UTF-8 so far: an 8-bit encoding.
                            name = _eight_bit(path)
                            decoder = codecs.getincrementaldecoder(name)()
                            text = decoder.decode(error.object)
                            accented = True
                        else:
                            raise _bad_byte(path, name, bad, lines + before.count(b"\n")) from None
                    else:
                        where = lines + error.object[: error.start].count(b"\n")
                        raise _bad_byte(path, name, bad, where) from None
                raw = text.encode() if wide else chunk
                if b"\0" in raw:
                    raise _binary(path, lines + raw[: raw.index(b"\0")].count(b"\n"))
                if name == "utf-8" and not accented:
                    accented = not chunk.isascii()
                if first and marked == "utf-8-sig":
                    raw = raw.removeprefix(codecs.BOM_UTF8)
                quotes.feed(raw)
                lines += raw.count(b"\n")
                position += len(chunk)
                first = False
                if not chunk:
                    break
    except OSError as error:
        raise _unreadable(path, error) from None
    return name, quotes.seen, quotes.odd()


def _eight_bit(path: Path) -> str:
    """cp1252 leaves five bytes undefined; a file with one of them is latin-1."""
    undefined = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])
    with open_file(path, "data") as file:
        while chunk := file.read(_CHUNK):
            if len(chunk.translate(None, undefined)) < len(chunk):
                return "latin-1"
    return "cp1252"


class _Quotes:
    """Sees whether every quote opens, closes or doubles a field's quotes.

    Quotes toggle between outside and inside (a doubled quote toggles twice). One that opens
    must follow a delimiter, a line end or a quote; one that closes must precede one.
    """

    def __init__(self, delimiter: str) -> None:
        self._may_touch = np.zeros(256, dtype=bool)
        self._may_touch[[*delimiter.encode()[:1], *b'\r\n"']] = True
        self._carry = b"\n"
        self._inside = 0
        self._wrong = False
        self.seen = False

    def feed(self, chunk: bytes) -> None:
        data = self._carry + chunk
        # The last byte waits until its successor is known.
        self._carry = data[-2:]
        if b'"' not in data:
            return
        self.seen = True
        bytes_ = np.frombuffer(data, dtype=np.uint8)
        at = np.flatnonzero(bytes_[1:-1] == ord('"')) + 1
        opens = (np.arange(len(at)) + self._inside) % 2 == 0
        touching = np.where(opens, bytes_[at - 1], bytes_[np.minimum(at + 1, len(bytes_) - 1)])
        self._wrong |= not self._may_touch[touching].all()
        self._inside = (self._inside + len(at)) % 2

    def odd(self) -> bool:
        self.feed(b"\n")
        return self._wrong or self._inside == 1


def quote_fault(path: Path, dialect: Dialect, *, fields: int | None) -> str:
    """Find the first record with a misplaced quote or (given `fields`) too many or few fields.

    The slow, exact way, for files that a fast reader stumbled on. Quotes inside an unquoted
    field are text and no fault.
    """
    record, line = 0, 1
    with io.TextIOWrapper(open_file(path, "data"), encoding=dialect.encoding, newline="") as text:
        reader = csv.reader(text, delimiter=dialect.delimiter, strict=True)
        try:
            for row in reader:
                if row and fields is not None and len(row) != fields:
                    return (
                        f"{path}: record {record:,} (line {line:,}) has {len(row)} fields, the "
                        f"header has {fields}. Correct that line, or quote the fields that "
                        "contain the delimiter."
                    )
                if row or fields == 1:
                    record += 1
                line = reader.line_num + 1
        except csv.Error as error:
            what = (
                "text after a closing quote"
                if "expected after" in str(error)
                else "a quote that is never closed"
            )
            place = f"record {record:,} (line {line:,})" if record else "the header"
            return f"{path}: {place} has {what}. Correct that line, or double the quotes in it."
    return ""


def _header(path: Path, dialect: Dialect, given: Dialect) -> tuple[str, ...]:
    with io.TextIOWrapper(open_file(path, "data"), encoding=dialect.encoding, newline="") as text:
        reader = csv.reader(text, delimiter=dialect.delimiter)
        names = next((row for row in reader if row), [])
    for number, name in enumerate(names, start=1):
        if not name.strip():
            raise InputError(
                f"{path}: column {number} of {len(names)} has no name in the header. "
                "Give it one, or remove the column."
            )
    clean = [_name(name) for name in names]
    twice = [name for name, times in Counter(clean).items() if times > 1]
    if twice:
        at = [str(number) for number, name in enumerate(clean, start=1) if name == twice[0]]
        raise InputError(
            f"{path}: the header has the name '{twice[0]}' twice, in columns {' and '.join(at)}. "
            "Names must differ: rename one."
        )
    return tuple(names)


def _bad_byte(path: Path, encoding: str, position: int, line: int) -> InputError:
    return InputError(
        f"{path} is not {encoding} throughout: byte {position + 1:,}, on line {line:,}, is not. "
        "Say encoding= (cp1252, latin-1, …), or save the file anew as UTF-8."
    )


def _binary(path: Path, line: int) -> InputError:
    return InputError(
        f"{path} has a NUL byte on line {line:,}, so it is no text file. "
        "Give a CSV file, or name the file by its format (.parquet, .dta, .sav, .sas7bdat)."
    )


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError(f"{path} cannot be read: {error.strerror or 'reading failed'}.")
