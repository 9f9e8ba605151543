"""The text columns of a table: every cell is a document, and goes back to where it stood.

What is decided here: a cell that was not treated, for whatever reason, is written as missing. Of
the other columns only those that the user names are written: they may say who it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import pyarrow as pa
import pyarrow.parquet as pq

from indistinct.core import InputError, Variables, holds_text
from indistinct.files import (
    ParquetWriter,
    Source,
    dialect_of,
    parquet_writer,
    reading_records,
    write_data,
)
from indistinct.scrub.documents import Document, Treated

__all__ = ["TableLetters", "TableWriter", "batches_of", "is_table"]

BATCH = 1024
"""Records that are held at a time; a text may be long."""

_TABLES = (".csv", ".tsv", ".gz", ".parquet", ".dta", ".sav", ".zsav", ".sas7bdat", ".xpt", ".por")


def is_table(path: Path) -> bool:
    """Say whether a file is a table, by its name."""
    return path.suffix.lower() in _TABLES


@dataclass
class TableLetters:
    """The text cells of a table as documents.

    Parameters
    ----------
    source
        The records.
    columns
        The text columns.
    patient_field
        The column that says whom a record is about. Records of a patient that follow each other
        share what is known of people, and the cells of one record always do.
    keep_fields
        Columns that are written as they are.
    """

    source: Source
    columns: Sequence[str]
    patient_field: str | None = None
    keep_fields: tuple[str, ...] = ()
    max_characters: int = 10_000_000

    def __post_init__(self) -> None:
        """Refuse columns that are not there, or hold no text."""
        named = [*self.columns, *self.keep_fields]
        self.source.check_columns([*named, *([self.patient_field] if self.patient_field else [])])
        for name in dict.fromkeys(self.columns):
            kind = self.source.schema.field(name).type
            if not holds_text(kind):
                raise InputError(
                    f"{self.source.origin}: '{name}' holds {kind}, not text. Name the columns with "
                    "letters or notes."
                )
            if list(self.columns).count(name) > 1 or name in self.keep_fields:
                raise InputError(f"The column '{name}' is named twice. Name it once.")

    def documents(self) -> Iterator[Document]:
        """Give every cell that is not missing, record by record."""
        wanted = list(dict.fromkeys([*self.columns, *filter(None, [self.patient_field])]))
        number = 0
        for batch, start in batches_of(self.source, wanted):
            patients = batch.column(self.patient_field) if self.patient_field else None
            cells = {name: batch.column(name) for name in self.columns}
            for row in range(batch.num_rows):
                record = start + row + 1
                about = None if patients is None else patients[row].as_py()
                own = f"record {record}" if len(self.columns) > 1 else None
                for name, column in cells.items():
                    text = column[row].as_py()
                    if text is None:
                        continue
                    number += 1
                    reason = ""
                    if len(text) > self.max_characters:
                        reason = f"has more than {self.max_characters:,} characters"
                    elif "\0" in text:
                        reason = "is not text but binary data"
                    yield Document(
                        number,
                        self.source.origin,
                        f"{record}:{name}" if len(self.columns) > 1 else record,
                        None if reason else text,
                        reason,
                        line=record,
                        column=name,
                        patient=own if about is None else str(about),
                        together=f"record {record}" if about is None else f"patient {about}",
                    )

    def notes(self) -> Iterator[str]:
        """Give what is to be told, for people."""
        kept = {*self.columns, *self.keep_fields}
        left = [name for name in self.source.variables if name not in kept]
        if left:
            names = ", ".join(left[:20]) + (", …" if len(left) > 20 else "")
            yield f"columns that were left out: {names}; keep them with --keep-fields"


class TableWriter:
    """Puts treated cells back into their records; see `opened`."""

    def __init__(self, letters: TableLetters, name: str) -> None:
        self._letters = letters
        self._name = name
        kept = {*letters.columns, *letters.keep_fields}
        self._names = [name for name in letters.source.variables if name in kept]
        self._batches = batches_of(letters.source, self._names)
        self._batch: pa.RecordBatch | None = None
        self._cells: dict[str, list[str | None]] = {}
        self._start = self._end = 0
        self._writer: ParquetWriter

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, letters: TableLetters, *, name: str) -> Iterator[TableWriter]:
        """Take cells in the order of reading; the table is written at the end of the block."""
        made, source = cls(letters, name), letters.source
        schema = pa.schema([source.schema.field(name) for name in made._names])
        variables = Variables(source.variables[name] for name in made._names)
        aside = source.path.with_name(f"{source.path.stem}-{token_hex(4)}.parquet")
        dialect = dialect_of(source)
        with parquet_writer(aside, schema, variables, dialect=dialect) as made._writer:
            yield made
            made._rest()
        try:
            write_data(Source(aside, source.origin, variables, source.records), folder / name)
        finally:
            aside.unlink()

    def write(self, treated: Treated) -> str | None:
        """Keep a cell until its batch is complete."""
        document = treated.document
        while document.line > self._end:
            self._next()
        self._cells[document.column][document.line - 1 - self._start] = treated.text
        return None if treated.text is None else self._name

    def _rest(self) -> None:
        """Write the records after the last cell."""
        while self._end < self._letters.source.records:
            self._next()
        self._flush()

    def _next(self) -> None:
        self._flush()
        self._batch, self._start = next(self._batches)
        self._end = self._start + self._batch.num_rows
        self._cells = {name: [None] * self._batch.num_rows for name in self._letters.columns}

    def _flush(self) -> None:
        if self._batch is None:
            return
        columns = [
            pa.array(self._cells[name], self._batch.schema.field(name).type)
            if name in self._cells
            else self._batch.column(name)
            for name in self._names
        ]
        self._writer.write(pa.record_batch(columns, names=self._names))
        self._writer.flush()
        self._batch = None


def batches_of(source: Source, columns: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Give small batches with the number of their first record; texts may be long."""
    start = 0
    with reading_records(source.origin), pq.ParquetFile(source.path) as file:
        for batch in file.iter_batches(BATCH, columns=list(columns)):
            # Parquet gives columns in the file's order, whatever the order asked for
            yield batch.select(list(columns)), start
            start += batch.num_rows
