"""Scrub as a detective: the people found, as a private table that a linking attack starts from."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from indistinct.core import InputError, Variable, Variables, for_csv
from indistinct.files import parquet_writer, written_whole
from indistinct.scrub.documents import Treated
from indistinct.scrub.text.detective import SCHEMA

__all__ = ["IdentifierTable", "check_format"]

_BATCH = 10_000
_SIMPLE = pa.schema(
    [pa.field("id", pa.string())]
    + [pa.field(f.name, pa.string() if pa.types.is_list(f.type) else f.type) for f in SCHEMA]
)

Write = Callable[[list[dict[str, Any]]], None]


def check_format(path: Path) -> None:
    """Refuse a table that is neither CSV nor Parquet, by its name."""
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise InputError(f"The table of identifiers must be a .csv or .parquet file. Got {path}.")


class IdentifierTable:
    """A row for each person that was found, with what is written about them; see `opened`."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._waiting: list[dict[str, Any]] = []

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[IdentifierTable]:
        """Write to a file that appears when all went well."""
        check_format(path)
        with _parquet(path) if path.suffix.lower() == ".parquet" else _csv(path) as write:
            table = cls(write)
            yield table
            table._flush()

    def write(self, treated: Treated) -> None:
        """Add the people of one document."""
        people: list[Mapping[str, Any]] = treated.outcome.facts.get("people", [])
        for person in people:
            dates = person.get("dates")
            self._waiting.append(
                {
                    **person,
                    "id": str(treated.document.id),
                    "document": treated.document.number,
                    "dates": "; ".join(dates) if dates else None,
                }
            )
        if len(self._waiting) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._write(self._waiting)
            self._waiting = []


@contextmanager
def _parquet(path: Path) -> Iterator[Write]:
    variables = Variables(Variable(name) for name in _SIMPLE.names)
    with parquet_writer(path, _SIMPLE, variables, private=True) as writer:

        def write(rows: list[dict[str, Any]]) -> None:
            writer.write(pa.Table.from_pylist(rows, schema=_SIMPLE))
            writer.flush()

        yield write


@contextmanager
def _csv(path: Path) -> Iterator[Write]:
    with (
        written_whole(path, private=True) as aside,
        aside.open("w", encoding="utf-8", newline="") as file,
    ):
        rows = csv.DictWriter(file, _SIMPLE.names, lineterminator="\n")
        rows.writeheader()

        def write(found: list[dict[str, Any]]) -> None:
            rows.writerows(
                {n: for_csv(v) if isinstance(v, str) else v for n, v in row.items()}
                for row in found
            )

        yield write
