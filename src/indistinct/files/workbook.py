"""Workbooks: one sheet of an Excel or OpenDocument file, read into Parquet.

What is decided here: nothing of a workbook is run, and nothing that it points to is followed; what
a formula gave when the workbook was saved is its value. The reader (calamine, by fastexcel) gives
cells in the types that the workbook has, and a column

- is *integer*, *decimal*, *boolean*, *date* or *time stamp* where all of its cells are;
- is text as soon as one of its cells is: a code such as ``007`` that was typed as text stays so.

The files that a workbook is made of are looked through before they are read: for what they hold
when unpacked, for entities that XML could be made to open, for merged cells and for errors.
"""

from __future__ import annotations

import datetime
import logging
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, Level, Variable, Variables, holds_numbers, progress
from indistinct.core.doors import open_file
from indistinct.files.packed import Bound, several_tables
from indistinct.files.parquet import parquet_writer, staging_path
from indistinct.files.source import Source

__all__ = ["read_workbook"]

_LARGEST = 8_000_000_000
"""Bytes of XML that a workbook may be: a sheet that is full to the last cell of a million rows
and a hundred columns has some five."""
_CHUNK = 1 << 20
_OVERLAP = 256
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = b"PK\x03\x04"
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell ref="[A-Z]+(\d+):[A-Z]+(\d+)"')
_SPANNED = re.compile(rb'table:number-(?:columns|rows)-spanned="(?:[2-9]|\d\d)')
_ODS_ERROR = b'calcext:value-type="error"'
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


@dataclass
class _Contents:
    """What was seen in the files that a workbook is made of."""

    merged: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """First and last line of merged cells, by the file of a sheet; of OpenDocument by ``""``."""
    sheets: dict[str, str] = field(default_factory=dict)
    """The file of every sheet, by its name."""
    filled: set[str] = field(default_factory=set)
    """The files of the sheets that have a cell."""
    errors: int = 0
    notes: list[str] = field(default_factory=list)


def read_workbook(
    path: Path, *, workspace: Path, table: str | None = None, header_row: int | None = None
) -> Source:
    """Read one sheet of a workbook into the workspace.

    Parameters
    ----------
    table
        The name of the sheet, where there are several that hold something.
    header_row
        The line of the names of columns, as the program counts its lines; by default the first
        that is not empty.
    """
    with open_file(path, "data") as file:
        contents = _look_through(path, file)
        file.seek(0)
        book = _opened(path, file.read())
    name = _sheet_name(path, book, table, contents)
    _check_merged(path, book, name, contents, header_row)
    with progress.task(f"reading {path.name}, sheet {name}", unit="records"):
        sheet = _loaded(path, book, name, header_row)
        batch, faults = _records(path, sheet)
    found = pa.Table.from_batches([batch])
    _check_header(path, book, name, sheet, found, header_row)
    if path.suffix.lower() == ".ods":
        found = _with_stamps(book, name, found, header_row)
    columns, notes = _kept(path, sheet, found, faults)
    blanks = sum("String(" in fault.detail for fault in faults)
    errors = contents.errors or len(faults) - blanks
    if errors:
        notes.append(
            f"{errors:,} {'cell holds' if errors == 1 else 'cells hold'} the error of a formula "
            "(such as #N/A): missing"
        )
    schema = pa.schema([(column.name, column.values.type) for column in columns])
    variables = Variables(column.variable() for column in columns)
    target = staging_path(workspace, path.name)
    made = pa.table([column.values for column in columns], schema=schema)
    with parquet_writer(target, schema, variables) as writer:
        writer.write(made)
    said = (f"sheet '{name}'", *contents.notes, *notes)
    return Source(target, str(path), variables, made.num_rows, said)


def _look_through(path: Path, file: IO[bytes]) -> _Contents:
    """Look through the files of a workbook, and refuse what no honest workbook is."""
    start = file.read(8)
    contents = _Contents()
    if start == _OLE:
        if path.suffix.lower() != ".xls" or _is_encrypted(file):
            raise InputError(
                f"{path} is protected by a password, or is not what its name says. Save it "
                "without a password, and under the ending of its format."
            )
        return contents
    if not start.startswith(_ZIP):
        raise _broken(path)
    bound = Bound(path, largest=_LARGEST)
    try:
        with zipfile.ZipFile(file) as packed:
            for entry in packed.infolist():
                if entry.flag_bits & 1:
                    raise _protected(path)
                with packed.open(entry) as part:
                    _look_at(path, entry.filename, part, bound, contents)
            names = packed.namelist()
            if "xl/workbook.xml" in names and "xl/_rels/workbook.xml.rels" in names:
                contents.sheets = _sheet_files(
                    packed.read("xl/workbook.xml"), packed.read("xl/_rels/workbook.xml.rels")
                )
    except (
        *(OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError),
        *(ElementTree.ParseError, KeyError),
    ):
        raise _broken(path) from None
    if any(name.endswith("vbaProject.bin") for name in names):
        contents.notes.append("its macros are not run")
    if any(name.startswith("xl/externalLinks/") for name in names):
        contents.notes.append("its links to other files are not followed")
    return contents


def _look_at(path: Path, name: str, part: IO[bytes], bound: Bound, contents: _Contents) -> None:
    is_xml = name.endswith((".xml", ".rels"))
    is_sheet = name.startswith("xl/worksheets/")
    is_ods = name == "content.xml"
    before = b""
    while chunk := part.read(_CHUNK):
        bound.add(len(chunk))
        if is_xml and not before and re.search(rb"<!(DOCTYPE|ENTITY)", chunk[:4096]):
            raise InputError(
                f"{path} declares entities, which no program that saves workbooks does and which "
                "could reach into other files. It was not read. Save it anew."
            )
        seen = before + chunk
        if is_sheet and b"<c " in seen:
            contents.filled.add(name)
        if is_sheet and b"mergeCell " in seen:
            found = contents.merged.setdefault(name, [])
            found += [(int(m[1]), int(m[2])) for m in _MERGED.finditer(seen)]
        if is_ods:
            if _SPANNED.search(seen):
                contents.merged[""] = [(1, 1 << 20)]
            contents.errors += seen.count(_ODS_ERROR) - before.count(_ODS_ERROR)
        if name == "META-INF/manifest.xml" and b"encryption-data" in seen:
            raise _protected(path)
        before = seen[-_OVERLAP:]


def _is_encrypted(file: IO[bytes]) -> bool:
    """Say whether an old workbook, or the hull of a new one, is encrypted."""
    file.seek(0)
    return "EncryptedPackage".encode("utf-16-le") in file.read()


def _sheet_files(workbook: bytes, relations: bytes) -> dict[str, str]:
    # the files were looked through: they declare no entities
    targets = {
        relation.get("Id"): relation.get("Target", "")
        for relation in ElementTree.fromstring(relations)
    }
    found = {}
    for sheet in ElementTree.fromstring(workbook).iter(f"{_MAIN}sheet"):
        target = targets.get(sheet.get(_RELATION), "")
        found[sheet.get("name", "")] = "xl/" + target.removeprefix("/xl/").removeprefix("xl/")
    return found


def _opened(path: Path, content: bytes) -> Any:
    import fastexcel

    logging.getLogger("fastexcel").setLevel(logging.ERROR)  # it tells of columns without values
    try:
        return fastexcel.read_excel(content)
    except fastexcel.FastExcelError as error:
        if "password" in str(error).lower():
            raise _protected(path) from None
        raise _broken(path) from None


def _protected(path: Path) -> InputError:
    return InputError(
        f"{path} is protected by a password. Save it without one, or save the sheet as CSV."
    )


def _broken(path: Path) -> InputError:
    return InputError(
        f"{path} is not a workbook, or not a whole one. Open it in a spreadsheet program and save "
        "it anew."
    )


def _sheet_name(path: Path, book: Any, table: str | None, contents: _Contents) -> str:
    names = list(book.sheet_names)
    if table is not None:
        if table not in names:
            raise several_tables(path, "sheet", names, table)
        return table
    if len(names) == 1:
        return str(names[0])
    # a sheet that was never filled is no table: programs make three of them for every workbook
    filled = [
        name
        for name in names
        if (
            contents.sheets[name] in contents.filled
            if name in contents.sheets
            else _has(book, name)
        )
    ]
    if len(filled) == 1:
        return str(filled[0])
    raise several_tables(path, "sheet", filled or names, None)


def _has(book: Any, name: str) -> bool:
    """Say whether a sheet has a cell that is filled."""
    import fastexcel

    try:
        sheet = book.load_sheet(name, header_row=None, n_rows=1, dtypes="string")
    except fastexcel.FastExcelError:
        return False  # a sheet of a chart, or of macros
    return bool(sheet.height and sheet.width)


def _loaded(path: Path, book: Any, name: str, header_row: int | None) -> Any:
    import fastexcel

    try:
        return book.load_sheet(
            name,
            header_row=0 if header_row is None else header_row - 1,
            schema_sample_rows=None,
            whitespace_as_null=True,
        )
    except fastexcel.FastExcelError:
        place = "" if header_row is None else f" from line {header_row:,} on"
        raise InputError(
            f"{path}: the sheet '{name}' has no records{place}, or cannot be read. Give a sheet "
            "with a line of names and at least one record."
        ) from None


def _check_header(
    path: Path, book: Any, name: str, sheet: Any, table: pa.Table, header_row: int | None
) -> None:
    """Refuse a header with columns that have no name, or the same."""
    columns = sheet.available_columns()
    names = [column.name for column in columns]
    nameless = [
        column
        for number, column in enumerate(columns)
        if _is_nameless(column) and table.column(number).null_count < len(table)
    ]
    # the reader calls a second x by the name of x_1
    doubtful = any(re.fullmatch(r"(.*)_\d+", n) and n.rpartition("_")[0] in names for n in names)
    if not nameless and not doubtful:
        return
    lines = _first_lines(book, name)
    at = _header_line(lines, header_row)
    if nameless:
        likely = next(
            (
                number + 1
                for number, cells in enumerate(lines)
                if number > at and all(cells) and len(set(cells)) == len(cells)
            ),
            None,
        )
        hint = ""
        if likely is not None and header_row is None:
            hint = (
                f" The names may stand in line {likely}: then say --header-row {likely} (in "
                "Python header_row=, in a project file [data] header_row)."
            )
        raise InputError(
            f"{path}: in line {at + 1} of the sheet '{name}', {len(nameless):,} of "
            f"{len(columns):,} columns have no name; the first is column "
            f"{_letters(nameless[0].absolute_index)}. Is that line a title, or are its cells "
            f"merged? Give every column one name.{hint}"
        )
    header = lines[at] if at < len(lines) else []
    for number, cell in enumerate(header):
        if cell and cell in header[:number]:
            raise InputError(
                f"{path}: line {at + 1} of the sheet '{name}' has the name '{cell}' twice, in "
                f"columns {_letters(columns[header.index(cell)].absolute_index)} and "
                f"{_letters(columns[number].absolute_index)}. Names must differ: rename one."
            )


def _is_nameless(column: Any) -> bool:
    return column.column_name_from == "generated" or not column.name.strip()


def _first_lines(book: Any, name: str) -> list[list[str]]:
    """Return the texts of the first lines, empty ones too."""
    sheet = book.load_sheet(name, header_row=None, skip_rows=0, n_rows=200, dtypes="string")
    texts = [[cell or "" for cell in column.to_pylist()] for column in sheet.to_arrow().columns]
    return [list(line) for line in zip(*texts, strict=True)]


def _header_line(lines: list[list[str]], header_row: int | None) -> int:
    """Return the line of the names, counted from 0."""
    first = next((number for number, cells in enumerate(lines) if any(cells)), 0)
    return first if header_row is None else max(first, header_row - 1)


def _letters(index: int) -> str:
    """Return how spreadsheets call a column.

    >>> _letters(0), _letters(27)
    ('A', 'AB')
    """
    letters, index = "", index + 1
    while index:
        index, letter = divmod(index - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def _check_merged(
    path: Path, book: Any, name: str, contents: _Contents, header_row: int | None
) -> None:
    found = contents.merged.get(contents.sheets.get(name, ""), [])
    if not found:
        return
    header = _header_line(_first_lines(book, name), header_row) + 1
    lines = [first for first, last in found if last >= header]
    if lines:
        where = f", the first in line {min(lines):,}" if contents.sheets else ""
        raise InputError(
            f"{path}: the sheet '{name}' has merged cells{where}. A merged cell holds one value "
            "for several: unmerge them, and fill in what each of them holds."
        )


def _with_stamps(book: Any, name: str, table: pa.Table, header_row: int | None) -> pa.Table:
    """Return the table with time stamps where the reader made texts of days and times together."""
    shape = r"^\d{4}-\d\d-\d\d(T[\d:.]+)?$"
    alike = [
        number
        for number, column in enumerate(table.columns)
        if pa.types.is_string(column.type)
        and pc.any(pc.match_substring(column, "T")).as_py()
        and pc.all(pc.match_substring_regex(column, shape)).as_py()
    ]
    for number in alike:
        sheet = book.load_sheet(
            name,
            header_row=0 if header_row is None else header_row - 1,
            use_columns=[number],
            dtypes="datetime",
        )
        _, faults = sheet.to_arrow_with_errors()
        if faults is None or not any("String(" in fault.detail for fault in faults.errors):
            stamps = table.column(number).cast(pa.timestamp("us"))
            table = table.set_column(number, table.field(number).name, stamps)
    return table


def _records(path: Path, sheet: Any) -> tuple[pa.RecordBatch, list[Any]]:
    import fastexcel

    try:
        batch, faults = sheet.to_arrow_with_errors()
    except fastexcel.FastExcelError:
        raise _broken(path) from None
    return batch, list(faults.errors) if faults else []


@dataclass
class _Column:
    """One column, in the narrowest type that all of its cells have."""

    name: str
    values: pa.ChunkedArray

    def variable(self) -> Variable:
        type = self.values.type
        level: Level = "nominal"
        if pa.types.is_temporal(type):
            level = "date"
        elif holds_numbers(type):
            level = "numeric"
        return Variable(self.name, level=level)


def _kept(
    path: Path, sheet: Any, table: pa.Table, faults: list[Any]
) -> tuple[list[_Column], list[str]]:
    """Return the columns in their types, without empty lines and nameless empty columns."""
    said: list[str] = []
    infos = sheet.available_columns()
    empty = [
        _is_nameless(info) and table.column(number).null_count == table.num_rows
        for number, info in enumerate(infos)
    ]
    if any(empty):
        said.append(f"{sum(empty):,} empty columns without a name left out")
    table = table.select([number for number, is_empty in enumerate(empty) if not is_empty])
    filled = np.zeros(table.num_rows, dtype=bool)
    filled[[fault.offset_position[0] for fault in faults if "String(" not in fault.detail]] = True
    for column in table.columns:
        if filled.all():
            break
        filled |= column.is_valid().to_numpy()
    if not filled.all():
        table = table.filter(pa.array(filled))
        said.append(f"{int((~filled).sum()):,} empty lines left out")
    if not table.num_rows or not table.num_columns:
        raise InputError(f"{path} has no records. It needs a line of names and a record below it.")
    names = [" ".join(name.splitlines()) for name in table.column_names]
    return [
        _Column(name, _narrowed(values)) for name, values in zip(names, table.columns, strict=True)
    ], said


def _narrowed(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return whole numbers as integers, whole days as dates, times of day as text."""
    type = values.type
    if pa.types.is_null(type):
        return values.cast(pa.string())
    if pa.types.is_string(type) or pa.types.is_large_string(type):
        texts = values.cast(pa.string())
        return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
    if pa.types.is_floating(type):
        whole = pc.all(pc.equal(values, pc.floor(values)), min_count=0).as_py()
        low, high = pc.min_max(values).as_py().values()
        fits = low is None or (abs(low) < 2**53 and abs(high) < 2**53)
        return values.cast(pa.int64()) if whole and fits else values
    if pa.types.is_duration(type):
        return pa.chunked_array([pa.array(map(_clock, values.to_pylist()), pa.string())])
    if pa.types.is_timestamp(type):
        days = pc.floor_temporal(values, unit="day")
        latest = pc.max(values).as_py()
        if latest is not None and latest < datetime.datetime(1900, 1, 1):
            # a time of day is a part of the day before the first
            return pc.strftime(values.cast(pa.timestamp("s"), safe=False), format="%H:%M:%S")
        if pc.all(pc.equal(values, days), min_count=0).as_py():
            return values.cast(pa.date32())
        return values.cast(pa.timestamp("us"))
    return values


def _clock(time: datetime.timedelta | None) -> str | None:
    if time is None:
        return None
    seconds = round(time.total_seconds())
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
