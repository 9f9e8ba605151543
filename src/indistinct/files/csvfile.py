"""CSV: read in batches of bounded size into Parquet, and written back the way it was.

Cells that a spreadsheet would run, marked as text when they are written and read as they were.

`indistinct.core.harmless` says what such a cell is and how one is marked; here whole columns are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from indistinct.core import FORMULA, NUMBER, InputError, Variables, did_you_mean, progress
from indistinct.files.columns import TextColumn, decimals_of, number_text
from indistinct.files.dialect import Dialect, Layout, find_layout, quote_fault
from indistinct.files.parquet import parquet_writer, staging_path
from indistinct.files.source import Source
from indistinct.files.tags import tag_letters

__all__ = ["marked", "read_csv", "unmarked", "write_csv"]

_BLOCK = 1 << 24
"""Bytes parsed at a time; no record can be longer."""


def read_csv(
    path: Path,
    *,
    workspace: Path,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    text_columns: Sequence[str] = (),
) -> Source:
    """Read a CSV file with a header into the workspace.

    An empty cell is missing. A column becomes a number column only where writing gives the same
    text again (see `columns`); `text_columns` stay text whatever they hold.
    """
    layout = find_layout(path, delimiter=delimiter, encoding=encoding, decimal=decimal)
    dialect = layout.dialect
    for name in text_columns:
        if name not in layout.names:
            raise InputError(
                f"{path} has no column '{name}' to keep as text. {did_you_mean(name, layout.names)}"
            )
    columns = [
        TextColumn(name, decimal=dialect.decimal, keep_text=name in text_columns)
        for name in layout.names
    ]
    target = staging_path(workspace, path.name)
    while not (records := _stage(path, layout, columns, target)):
        pass
    variables = Variables(column.variable() for column in columns)
    notes = [str(dialect)]
    kept = [column.name for column in columns if column.kept_numbers_as_text]
    if kept:
        notes.append(
            f"kept as text, because the numbers would be written differently: {', '.join(kept)}"
        )
    return Source(target, str(path), variables, records, tuple(notes))


def _stage(path: Path, layout: Layout, columns: list[TextColumn], target: Path) -> int:
    """Write the records in the types found so far; 0 when a type had to fall back."""
    for column in columns:
        column.start()
    batches = _text_batches(path, layout)
    first = next(batches, None)
    if first is None:
        raise InputError(f"{path} has a header but no records.")
    converted = _convert(first, columns)
    schema = pa.schema([(column.name, column.type) for column in columns])
    records = first.num_rows
    done = False
    with parquet_writer(
        target, schema, final=lambda: (_found(columns), layout.dialect), overwrite=True
    ) as writer:
        writer.write(pa.record_batch(converted, schema=schema))
        for batch in batches:
            converted = _convert(batch, columns)
            records += batch.num_rows
            if not any(column.changed for column in columns):
                writer.write(pa.record_batch(converted, schema=schema))
        done = not any(column.changed for column in columns)
    return records if done else 0


def _found(columns: list[TextColumn]) -> Variables:
    return Variables(column.variable() for column in columns)


def _convert(batch: pa.RecordBatch, columns: list[TextColumn]) -> list[pa.Array]:
    return [
        column.convert(unmarked(texts))
        for column, texts in zip(columns, batch.columns, strict=True)
    ]


def _text_batches(path: Path, layout: Layout) -> Iterator[pa.RecordBatch]:
    """Stream the records, every cell as text."""
    dialect = layout.dialect
    encoding = "utf-8" if dialect.encoding == "utf-8-sig" else dialect.encoding
    try:
        reader = pacsv.open_csv(
            pa.input_stream(str(path)),
            read_options=pacsv.ReadOptions(block_size=_BLOCK, encoding=encoding),
            parse_options=pacsv.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char='"' if layout.quoted else False,
                newlines_in_values=layout.quoted,
                # In a file of one column an empty line is a record whose value is missing.
                ignore_empty_lines=len(layout.header) > 1,
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(layout.header, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
        size = path.stat().st_size
        with progress.task(f"reading {path.name}", total=size, unit="bytes") as reading:
            for batch in reader:
                if batch.num_rows:
                    yield batch
                # Arrow has an offset of four bytes where the file has a delimiter.
                reading.advance(batch.nbytes - 3 * batch.num_rows * batch.num_columns)
    except (pa.ArrowInvalid, OSError) as error:
        if "Empty CSV file" in str(error):
            return
        # Arrow's own message shows the record: it must not be passed on.
        fault = quote_fault(path, dialect, fields=len(layout.header))
        raise InputError(
            fault or f"{path} has a record of more than {_BLOCK // 2**20} MB. Is a quote missing?"
        ) from None


def write_csv(
    batches: Iterable[pa.RecordBatch],
    file: IO[bytes],
    *,
    schema: pa.Schema,
    variables: Variables,
    dialect: Dialect,
) -> None:
    """Write batches as CSV. Fields are quoted where they must be, and nowhere else."""
    encode = "" if dialect.encoding in ("utf-8", "utf-8-sig") else dialect.encoding
    if dialect.encoding == "utf-8-sig":
        file.write(b"\xef\xbb\xbf")
    elif encode and encode.replace("_", "-").lower() == "utf-16":
        # The codec would put a byte order mark before every batch.
        file.write(b"\xff\xfe")
        encode = "utf-16-le"
    header = [
        marked(pa.array([name], pa.string()), only_marked=dialect.keep_formulas)
        for name in schema.names
    ]
    file.write(_lines(header, schema.names, dialect, encode))
    for batch in _bounded(batches):
        texts = [
            _texts(batch.column(name), variables[name].format, dialect, _tags(variables, name))
            for name in schema.names
        ]
        file.write(_lines(texts, schema.names, dialect, encode))


def _bounded(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Cut batches of long texts: Arrow joins up to 2 GB at a time."""
    for batch in batches:
        step = max(1, (batch.num_rows << 28) // max(batch.nbytes, 1 << 28))
        for start in range(0, batch.num_rows, step):
            yield batch.slice(start, step)


def _tags(variables: Variables, name: str) -> dict[int | float, str]:
    return {code: f".{letter}" for code, letter in tag_letters(variables[name]).items()}


def _texts(
    values: pa.Array, format: str, dialect: Dialect, tags: dict[int | float, str]
) -> pa.Array:
    type = values.type
    if pa.types.is_dictionary(type):
        values = values.dictionary_decode()
        type = values.type
    if pa.types.is_string(type):
        return marked(values, only_marked=dialect.keep_formulas)
    if pa.types.is_floating(type) or pa.types.is_decimal(type):
        texts = number_text(values, decimals=decimals_of(format), decimal=dialect.decimal)
    elif pa.types.is_timestamp(type):
        whole = pc.all(pc.equal(pc.subsecond(values), 0.0)).as_py() in (True, None)
        texts = pc.cast(pc.cast(values, pa.timestamp("s")) if whole else values, pa.string())
    else:
        texts = pc.cast(values, pa.string())
    for code, tag in tags.items():
        if pa.types.is_integer(type) and isinstance(code, float):
            continue
        texts = pc.if_else(pc.fill_null(pc.equal(values, code), False), tag, texts)
    return texts


def _lines(texts: list[pa.Array], names: list[str], dialect: Dialect, encode: str) -> bytes:
    """Return the bytes of some records; `encode` is empty for UTF-8."""
    cells = [_quoted(column, dialect.delimiter, alone=len(texts) == 1) for column in texts]
    lines = pc.binary_join_element_wise(
        *cells, dialect.delimiter, null_handling="replace", null_replacement=""
    )
    joined = _bytes(pc.binary_join_element_wise(lines, "", dialect.line_end))
    if not encode:
        return joined
    try:
        return joined.decode().encode(encode)
    except UnicodeEncodeError:
        for name, column in zip(names, texts, strict=True):
            try:
                "".join(pc.unique(column).drop_null().to_pylist()).encode(encode)
            except UnicodeEncodeError:
                raise InputError(
                    f"Variable '{name}' has characters that {dialect.encoding} cannot write. "
                    "Write the file in utf-8."
                ) from None
        raise


def _bytes(texts: pa.Array) -> bytes:
    """Return the bytes of all texts, one after the other."""
    offsets = np.frombuffer(texts.buffers()[1], dtype=np.int32)
    data = texts.buffers()[2]
    start, end = int(offsets[texts.offset]), int(offsets[texts.offset + len(texts)])
    return data[start:end].to_pybytes() if data is not None else b""


def _quoted(texts: pa.Array, delimiter: str, *, alone: bool) -> pa.Array:
    """Quote the fields that hold a delimiter, a quote or a line end, or are empty text.

    A lone empty field is quoted too: an empty line would be no record to many readers.
    """
    if alone:
        texts = pc.fill_null(texts, "")
    specials = [delimiter, '"', "\r", "\n"]
    empty = pc.equal(pc.binary_length(texts), 0)
    together = _bytes(texts)
    if not any(c.encode() in together for c in specials) and not pc.any(empty).as_py():
        return texts
    must = empty
    for special in specials:
        must = pc.or_(must, pc.match_substring(texts, special))
    marked = pc.binary_join_element_wise('"', pc.replace_substring(texts, '"', '""'), '"', "")
    return pc.if_else(must, marked, texts)


def _running(texts: pa.Array) -> pa.Array:
    """Say of each text whether it would run, however often it is marked; null is not."""
    begins = pc.match_substring_regex(texts, FORMULA)
    if not pc.any(begins).as_py():
        return pc.fill_null(begins, False)
    number = pc.match_substring_regex(texts, NUMBER)
    return pc.fill_null(pc.and_not(begins, number), False)


def marked(texts: pa.Array | pa.ChunkedArray, *, only_marked: bool = False) -> pa.Array:
    """Return texts that no spreadsheet runs; or mark only those again that have a mark already.

    >>> marked(pa.array(["=1+1", "-5", None, "'@x"])).to_pylist()
    ["'=1+1", '-5', None, "''@x"]
    >>> marked(pa.array(["=1+1", "'@x"]), only_marked=True).to_pylist()
    ['=1+1', "''@x"]
    """
    running = _running(texts)
    if only_marked:
        running = pc.and_(running, pc.fill_null(pc.starts_with(texts, "'"), False))
    if not pc.any(running).as_py():
        return texts
    return pc.if_else(running, pc.binary_join_element_wise("'", texts, ""), texts)


def unmarked(texts: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return what the cells say, which `marked` wrote.

    >>> unmarked(marked(pa.array(["=1+1", "'@x", "'tis", None]))).to_pylist()
    ['=1+1', "'@x", "'tis", None]
    """
    has_mark = pc.fill_null(pc.starts_with(texts, "'"), False)
    if not pc.any(has_mark).as_py():
        return texts
    return pc.if_else(pc.and_(has_mark, _running(texts)), pc.utf8_slice_codeunits(texts, 1), texts)
