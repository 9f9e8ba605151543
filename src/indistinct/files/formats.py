"""The formats of files of records, and the endings that tell them."""

from __future__ import annotations

from pathlib import PurePath
from typing import Literal

__all__ = [
    "ARROW",
    "BY_SUFFIX",
    "DATABASES",
    "FIXED_WIDTH",
    "FORMATS",
    "JSON_LINES",
    "KNOWN",
    "PACKED",
    "STATISTICAL",
    "SUFFIX_OF",
    "TEXT",
    "WORKBOOKS",
    "Format",
    "is_database_file",
    "written_like",
]

Format = Literal["parquet", "csv", "stata", "spss", "xlsx"]

SUFFIX_OF: dict[Format, str] = {
    "parquet": ".parquet",
    "csv": ".csv",
    "stata": ".dta",
    "spss": ".sav",
    "xlsx": ".xlsx",
}
FORMATS: tuple[Format, ...] = tuple(SUFFIX_OF)
BY_SUFFIX: dict[str, Format] = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".dta": "stata",
    ".sav": "spss",
    ".zsav": "spss",
    ".xlsx": "xlsx",
}
"""The formats in which records are written, by the ending of the file's name."""

STATISTICAL = {
    ".dta": "Stata",
    ".sav": "SPSS",
    ".zsav": "SPSS",
    ".por": "SPSS",
    ".sas7bdat": "SAS",
    ".xpt": "SAS",
}
"""The files of statistical packages that are read, by the ending of the name."""

TEXT = (".csv", ".tsv", ".txt")
FIXED_WIDTH = (".dat", ".asc", ".fwf")
"""Text in columns of fixed width, which a dictionary describes; ``.txt`` may be that too."""
WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".ods")
ARROW = (".arrow", ".feather", ".ipc")
JSON_LINES = (".jsonl", ".ndjson")
DATABASES = (".sqlite", ".sqlite3", ".db", ".duckdb")
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
"""The endings of what holds a file of another format."""

_PLAIN = (
    *(*TEXT, ".parquet", *STATISTICAL, *WORKBOOKS, *ARROW, *JSON_LINES, *DATABASES),
    *FIXED_WIDTH,
)
KNOWN = (*_PLAIN, *(f"{plain}{packed}" for plain in _PLAIN for packed in PACKED), ".zip")
"""All endings that are read."""


def is_database_file(path: str | PurePath) -> bool:
    """Say whether a file is a database by its name, so that a query can be asked of it.

    >>> is_database_file("census.sqlite"), is_database_file("census.csv")
    (True, False)
    """
    return PurePath(path).suffix.lower() in DATABASES


def written_like(origin: str) -> Format:
    """Return the format in which a release is written of what was read by this name.

    What comes from a program gets back to it: a file of CSV, Stata or SPSS, and a workbook for
    every workbook. All else becomes Parquet, which keeps all types and every program of statistics
    reads.

    >>> written_like("people.sav"), written_like("people.dta.gz"), written_like("people.ods")
    ('spss', 'stata', 'xlsx')
    >>> written_like("people.csv.zip"), written_like("postgresql://localhost/census")
    ('csv', 'parquet')
    """
    path = PurePath(origin)
    if path.suffix.lower() in PACKED:
        path = path.with_suffix("")
    suffix = path.suffix.lower()
    if suffix in WORKBOOKS:
        return "xlsx"
    return BY_SUFFIX.get(suffix, "parquet")
