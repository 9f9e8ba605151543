"""The formats of files of records, and the endings that tell them."""

from __future__ import annotations

from typing import Literal

__all__ = ["BY_SUFFIX", "FORMATS", "STATISTICAL", "SUFFIX_OF", "Format"]

Format = Literal["parquet", "csv", "stata", "spss"]

SUFFIX_OF: dict[Format, str] = {
    "parquet": ".parquet",
    "csv": ".csv",
    "stata": ".dta",
    "spss": ".sav",
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
