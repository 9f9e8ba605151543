"""Hierarchies in CSV files: a value and its ancestors per line, without a header."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

from indistinct.core import InputError, for_csv, from_csv
from indistinct.core.doors import read_text, write_whole
from indistinct.hierarchy.hierarchy import SUPPRESSED, Hierarchy
from indistinct.hierarchy.table import Row, build

__all__ = ["CsvRows", "csv_hierarchy", "read_rows", "write_csv"]

_DELIMITERS = (";", "\t", ",")
"""Tried in this order: commas are common within labels, semicolons and tabs are not."""

_PLAIN = re.compile(r"[\w.*+/()<>=≥–-]+(?: [\w.*+/()<>=≥–-]+)*")
"""A field that no reader can misunderstand without quotes."""


@dataclass(frozen=True)
class CsvRows:
    """The rows of a CSV file with the line on which each begins; empty fields are None."""

    rows: list[Row]
    lines: list[int]


def csv_hierarchy(
    path: str | Path,
    *,
    name: str | None = None,
    ordered: bool = False,
    root: str = SUPPRESSED,
    text: str | None = None,
) -> Hierarchy:
    """Return the hierarchy that a CSV file spells out.

    Each line is a value and its ancestors, one per level: ``02138,0213*,021**``. There is no
    header. Fields are parted by semicolons, tabs or commas, whichever gives all lines the same
    number of fields; the text is UTF-8. The last column is one label, the root; a file of
    values alone gets `root`. A line that begins with an empty field says what becomes of missing
    values.

    Parameters
    ----------
    path
        The file.
    name
        The variable; the file's name without its ending if not given.
    ordered
        Whether the order of the lines means something.
    root
        The label of the root where the file has values alone.
    text
        What the file holds, where it stands inside another.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "zip.csv"
    >>> _ = path.write_text("02138;0213*;*\\n02139;0213*;*\\n02141;0214*;*\\n")
    >>> csv_hierarchy(path).ancestors("02138")
    ('02138', '0213*', '*')
    """
    path = Path(path)
    found = read_rows(path, text)
    rows = found.rows
    if {len(row) for row in rows} == {1}:
        rows = [(*row, root) for row in rows]
    elif len({len(row) for row in rows}) == 1:
        ends = {row[-1] for row in rows}
        if root in ends and len(ends) > 1:
            odd = next(i for i, row in enumerate(rows) if row[-1] != root)
            header = " If it is a header, delete it." if odd == 0 else ""
            raise InputError(
                f"{path}: line {found.lines[odd]} ends with '{rows[odd][-1] or ''}', but others "
                f"with the root '{root}'. A hierarchy has one root: end every line with it.{header}"
            )
        if len(ends) > 1:
            raise InputError(
                f"{path}: the lines end with {len(ends):,} different labels. A hierarchy has one "
                f"root: add a last column with the same label, such as '{root}', in every line."
            )
    return build(
        rows,
        name=path.stem if name is None else name,
        ordered=ordered,
        lines=found.lines,
        origin=str(path),
    )


def write_csv(hierarchy: Hierarchy, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a hierarchy as `csv_hierarchy` reads it, so that people can edit it.

    The file appears whole or not at all: it is written aside, then renamed.
    """
    lines = [",".join(_field(label) for label in row) for row in hierarchy.rows()]
    missing = hierarchy.ancestors(None)
    if any(label is not None for label in missing[:-1]):
        lines.append(",".join(_field(label) for label in missing))
    write_whole(path, "\n".join(lines) + "\n", overwrite=overwrite)


def read_rows(path: Path, text: str | None = None) -> CsvRows:
    """Read the rows of a delimited file, finding out the delimiter; empty lines are left out."""
    if text is None:
        text = read_text(path, "hierarchy")
    attempts: list[CsvRows] = []
    failure: InputError | None = None
    for delimiter in _DELIMITERS:
        try:
            attempt = _parse(text, delimiter)
        except csv.Error as error:
            failure = InputError(f"{path}: {error}. Check the quotation marks there.")
            continue
        widths = {len(row) for row in attempt.rows}
        if len(widths) == 1 and widths != {1}:
            return attempt
        attempts.append(attempt)
    if not attempts:
        assert failure is not None
        raise failure
    # no delimiter fits all lines: the caller tells which are ragged, by the likeliest one
    likeliest = max(attempts, key=lambda a: len(a.rows[0]) if a.rows else 0)
    if not likeliest.rows:
        raise InputError(f"{path}: the file is empty. Give a line for each value, with ancestors.")
    return likeliest


def _parse(text: str, delimiter: str) -> CsvRows:
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True
    )
    rows: list[Row] = []
    lines: list[int] = []
    begin = 1
    try:
        for fields in reader:
            if fields:
                rows.append(tuple(from_csv(field) or None for field in fields))
                lines.append(begin)
            begin = reader.line_num + 1
    except csv.Error as error:
        raise csv.Error(f"line {begin}: {error}") from None
    return CsvRows(rows, lines)


def _field(label: str | None) -> str:
    if label is None:
        return ""
    cell = for_csv(label)
    return cell if _PLAIN.fullmatch(cell) else '"' + cell.replace('"', '""') + '"'
