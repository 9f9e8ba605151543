"""What is said of how data are read, where the file does not say it itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from indistinct.options.kinds import a_path, a_text, a_whole_number
from indistinct.options.option import Option

__all__ = ["READING"]

_ALL: tuple[Option[Any], ...] = (
    Option("query", a_text, "what to ask a database", setting="data.query"),
    Option(
        "table",
        a_text,
        "which sheet of a workbook, file of a zip file or table of a database",
        setting="data.table",
        metavar="NAME",
    ),
    Option(
        "header_row",
        a_whole_number(1),
        "the line of a sheet in which the names of the columns stand; by default the first that "
        "is filled",
        setting="data.header_row",
    ),
    Option(
        "dictionary",
        a_path,
        "for text in columns of fixed width: a CSV file with name,start,length[,type,label] of "
        "every variable, or a TOML file",
        setting="data.dictionary",
    ),
)

READING: Mapping[str, Option[Any]] = {option.name: option for option in _ALL}
"""The options by name."""
