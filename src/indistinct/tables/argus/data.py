"""Microdata of the ARGUS programs, in fixed positions or fields, opened by their metadata."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from indistinct.core import InputError, Level, Role, Value, Variable, Variables, progress
from indistinct.core.doors import open_file
from indistinct.files import Source, is_number, parquet_writer, staging_path
from indistinct.tables.argus.metadata import ArgusMetadata, ArgusVariable, read_codelist, read_rda

__all__ = ["open_argus"]

_BLOCK = 1 << 24
"""Bytes parsed at a time; no record can be longer."""

_NO_DELIMITER = "\x1f"
"""Stands in no record: a line of fixed positions is one field."""


def open_argus(
    rda: str | Path | ArgusMetadata,
    data: str | Path,
    *,
    workspace: Path,
    encoding: str | None = None,
) -> Source:
    """Open microdata that a `.rda` file describes.

    Codes are text, without the blanks around them; numbers are numbers, whose decimals follow a
    point; what is blank is missing, and so is a number that the metadata call missing. A first line
    that holds the names of the variables is no record.

    Parameters
    ----------
    rda
        The metadata, or their file.
    data
        The records: lines of fixed positions, or of fields.
    workspace
        The private folder for the Parquet copy (see `indistinct.files.workspaces`).
    encoding
        Of the records; UTF-8, or else Windows-1252, if not given.
    """
    metadata = rda if isinstance(rda, ArgusMetadata) else read_rda(rda)
    path = Path(data)
    encoding = encoding or _encoding(path)
    variables = Variables(_variable(one) for one in metadata.variables)
    schema = pa.schema(
        [(v.name, pa.float64() if v.is_number else pa.string()) for v in metadata.variables]
    )
    target = staging_path(workspace, path.name)
    fields = _fixed if metadata.separator is None else _separated
    records = 0
    with (
        progress.task(f"reading {path.name}"),
        parquet_writer(target, schema, variables) as writer,
    ):
        for batch in fields(path, metadata, encoding):
            columns = [
                _converted(pc.utf8_trim_whitespace(texts), one, path, records)
                for one, texts in zip(metadata.variables, batch.columns, strict=True)
            ]
            writer.write(pa.record_batch(columns, schema=schema))
            records += batch.num_rows
        if not records:
            raise InputError(f"{path} has no records.")
    notes = (f"described by {metadata.path}", f"encoding {encoding}", *metadata.notes)
    return Source(target, str(path), variables, records, notes)


def _variable(one: ArgusVariable) -> Variable:
    roles: dict[str, Role] = {"weight": "weight", "holding": "household", "household": "household"}
    level: Level = "nominal"
    if one.is_number:
        level = "numeric"
    elif one.is_hierarchical:
        level = "taxonomy"
    labels: dict[Value, str] = {}
    if one.codelist is not None:
        labels.update(read_codelist(one.codelist))
    return Variable(
        one.name,
        role=roles.get(one.kind, "other"),
        level=level,
        labels=labels,
        user_missing=() if one.is_number else one.missing,
        format=f"0.{'0' * one.decimals}#" if one.is_number and one.decimals else "",
    )


def _converted(texts: pa.Array, one: ArgusVariable, path: Path, before: int) -> pa.Array:
    none = pa.scalar(None, pa.string())
    texts = pc.if_else(pc.equal(texts, ""), none, texts)
    if not one.is_number:
        return texts
    if one.missing:
        texts = pc.if_else(pc.is_in(texts, pa.array(one.missing)), none, texts)
    wrong = pc.fill_null(pc.invert(is_number(texts)), False)
    first = pc.index(wrong, True).as_py()
    if first >= 0:
        raise InputError(
            f"{path}: variable '{one.name}' must hold numbers, but record {before + first + 1:,} "
            "does not. Correct the record, or its place in the metadata."
        )
    return pc.cast(texts, pa.float64())


def _fixed(path: Path, metadata: ArgusMetadata, encoding: str) -> Iterator[pa.RecordBatch]:
    """Yield the fields of records of fixed positions, as text."""
    spans = [((one.start or 1) - 1, one.length) for one in metadata.variables]
    names = [one.name for one in metadata.variables]
    longest = 0
    for batch in _parsed(path, encoding, _NO_DELIMITER, ["record"]):
        lines = batch.column(0)
        longest = max(longest, pc.max(pc.utf8_length(lines)).as_py() or 0)
        fields = [pc.utf8_slice_codeunits(lines, start, start + length) for start, length in spans]
        yield pa.record_batch(fields, names=names)
    last = max(metadata.variables, key=lambda one: one.start or 1)
    if 0 < longest < (last.start or 1):
        raise InputError(
            f"{path}: the longest record has {longest} characters, and '{last.name}' begins at "
            f"{last.start} ({metadata.path}, line {last.line}). Are these the metadata of this "
            "file?"
        )


def _separated(path: Path, metadata: ArgusMetadata, encoding: str) -> Iterator[pa.RecordBatch]:
    """Yield the fields of records with a separator, as text."""
    separator = metadata.separator or ";"
    names = [one.name for one in metadata.variables]
    with io.TextIOWrapper(open_file(path), encoding=encoding) as file:
        first = [field.strip().strip('"').lower() for field in next(file, "").split(separator)]
    header = first == [name.lower() for name in names]
    yield from _parsed(path, encoding, separator, names, header=header)


def _parsed(
    path: Path, encoding: str, delimiter: str, names: list[str], *, header: bool = False
) -> Iterator[pa.RecordBatch]:
    whole = delimiter == _NO_DELIMITER
    wrong: list[Any] = []

    def note(row: Any) -> str:
        wrong.append(row)
        return "error"

    handler: Callable[[Any], str] = note
    try:
        reader = pacsv.open_csv(
            str(path),
            read_options=pacsv.ReadOptions(
                block_size=_BLOCK,
                encoding="utf-8" if encoding == "utf-8-sig" else encoding,
                column_names=names,
                skip_rows=int(header),
                use_threads=False,
            ),
            parse_options=pacsv.ParseOptions(
                delimiter=delimiter,
                quote_char=False if whole else '"',
                invalid_row_handler=handler,
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
        yield from (batch for batch in reader if batch.num_rows)
    except pa.ArrowInvalid as error:
        if "Empty CSV file" in str(error):
            return
        # Arrow's own message shows the record: it must not be passed on.
        if wrong:
            where = "" if wrong[0].number is None else f" {wrong[0].number - int(header):,}"
            raise InputError(
                f"{path}: record{where} has {wrong[0].actual_columns} fields, and the metadata "
                f"have {len(names)} variables. Correct one of them."
            ) from None
        raise InputError(
            f"{path} cannot be read as {encoding} text with records of less than "
            f"{_BLOCK // 2**20} MB. Give its encoding."
        ) from None


def _encoding(path: Path) -> str:
    """Return UTF-8 if the file is that, and else Windows-1252."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with open_file(path) as file:
            start = file.read(3)
            marked = start == codecs.BOM_UTF8
            decoder.decode(start)
            while block := file.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}). Check the path.") from None
    return "utf-8-sig" if marked else "utf-8"
