"""Writing records in any format: whole or not at all, the same table as the same bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, Variable, Variables, progress
from indistinct.core.doors import written_whole
from indistinct.files.csvfile import write_csv
from indistinct.files.dialect import Dialect
from indistinct.files.formats import BY_SUFFIX, FORMATS, SUFFIX_OF, Format
from indistinct.files.parquet import dialect_of, parquet_writer
from indistinct.files.source import Source

__all__ = ["counted_from_one", "write_data"]

Records: TypeAlias = Iterable[pa.RecordBatch] | pa.Table | Source


def counted_from_one(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Number records as people do, in the column ``record``: Python's 0 is the first record.

    >>> batch = pa.record_batch({"record": [0, 1], "risk": [0.5, 1.0]})
    >>> next(counted_from_one([batch])).column("record").to_pylist()
    [1, 2]
    """
    for batch in batches:
        at = batch.schema.get_field_index("record")
        if at >= 0:
            batch = batch.set_column(at, "record", pc.add(batch.column(at), pa.scalar(1)))
        yield batch


def write_data(
    records: Records,
    path: str | Path,
    *,
    variables: Variables | None = None,
    format: Format | None = None,
    dialect: Dialect | None = None,
    increasing: Sequence[str] = (),
    private: bool = False,
    overwrite: bool = False,
    coded: bool = False,
) -> Path:
    """Write records to a file.

    Parameters
    ----------
    records
        Batches of one schema, a table, or a source.
    variables
        What is known of the columns; a source brings its own. Variables that are not among the
        columns are left out, columns that are not among the variables are written plain.
    format
        By the suffix of `path` unless given.
    dialect
        For CSV. A source that was a CSV file brings its own; else UTF-8, commas and points.
    increasing
        For Parquet: columns of whole numbers that go up, such as record numbers.

    private
        Whether it can be read by its owner alone.
    overwrite
        Whether a file that stands there is replaced; never one that is read.
    coded
        For Stata and SPSS: write categories that protection made of codes as codes with labels.

    Parquet, CSV and workbooks are streamed; Stata and SPSS files are made in memory.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> path = write_data(pa.table({"age": [40, None], "name": ["A, B", "C"]}), folder / "x.csv")
    >>> print(path.read_text(), end="")
    age,name
    40,"A, B"
    ,C
    """
    path = Path(path)
    chosen = _format(path, format)
    if isinstance(records, Source):
        if os.path.exists(path) and os.path.samefile(path, records.path):
            raise InputError(f"{path} is the file being read. Choose another name for the output.")
        variables = records.variables if variables is None else variables
        dialect = dialect or dialect_of(records)
    schema, stream = _stream(records, path)
    batches = progress.each(
        stream,
        f"writing {path.name}",
        total=_records(records),
        unit="records",
        amount=lambda batch: int(batch.num_rows),
    )
    variables = _of_columns(schema, variables)
    if chosen == "parquet":
        with parquet_writer(
            path, schema, variables, increasing=increasing, private=private, overwrite=overwrite
        ) as writer:
            for batch in batches:
                writer.write(batch)
        return path
    if dialect is None:
        dialect = Dialect("\t" if path.suffix.lower() == ".tsv" else ",")
    with written_whole(path, private=private, overwrite=overwrite) as aside:
        if chosen == "xlsx":
            from indistinct.files.xlsxwrite import write_xlsx

            write_xlsx(batches, aside, schema=schema, variables=variables)
        elif chosen == "csv":
            with aside.open("wb") as file:
                write_csv(batches, file, schema=schema, variables=variables, dialect=dialect)
        else:
            table = pa.Table.from_batches(batches, schema)
            compress = path.suffix.lower() == ".zsav"
            _write_stat(table, aside, variables, chosen, compress=compress, coded=coded)
    return path


def _write_stat(
    table: pa.Table,
    path: Path,
    variables: Variables,
    format: Format,
    *,
    compress: bool,
    coded: bool,
) -> None:
    import pyreadstat  # loads pandas, which CSV and Parquet do not need

    from indistinct.files.coded import MARK, with_codes
    from indistinct.files.statwrite import write_spss, write_stata

    label = MARK if coded else ""
    if coded:
        table, variables = with_codes(table, variables)
    try:
        if format == "stata":
            write_stata(table, path, variables=variables, file_label=label)
        else:
            write_spss(table, path, variables=variables, compress=compress, file_label=label)
    except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError) as error:
        if "write" in str(error).lower():
            # ReadStat has one word for every failure of the disk.
            raise InputError(
                f"The disk is full or failed while writing {SUFFIX_OF[format][1:]}: nothing was "
                "written. Free some space or choose another folder."
            ) from None
        raise InputError(
            f"The records cannot be written as a {format} file: a name, a label or a text is not "
            "allowed there. Write csv or parquet, or shorten the labels."
        ) from None


def _format(path: Path, format: Format | None) -> Format:
    if format is not None:
        if format not in FORMATS:
            raise InputError(f"The format must be one of {', '.join(FORMATS)}. Got '{format}'.")
        return format
    found = BY_SUFFIX.get(path.suffix.lower())
    if found is None:
        raise InputError(
            f"The format of {path.name} cannot be told from its name. "
            f"Use one of {', '.join(BY_SUFFIX)}, or say format=."
        )
    return found


def _stream(records: Records, path: Path) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    if isinstance(records, Source):
        return records.schema, records.batches()
    if isinstance(records, pa.Table):
        return records.schema, iter(records.to_batches(max_chunksize=1 << 18))
    stream = iter(records)
    first = next(stream, None)
    if first is None:
        raise InputError(f"There are no records to write to {path}.")
    return first.schema, chain([first], stream)


def _records(records: Records) -> int | None:
    """Say how many there are, where that is known beforehand."""
    if isinstance(records, Source):
        return records.records
    return int(records.num_rows) if isinstance(records, pa.Table) else None


def _of_columns(schema: pa.Schema, variables: Variables | None) -> Variables:
    known = variables if variables is not None else Variables([])
    return Variables(known[n] if n in known else Variable(n) for n in schema.names)
