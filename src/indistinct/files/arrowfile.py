"""Arrow files: Feather and the IPC formats, streamed into Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.feather as feather

from indistinct.core import InputError, progress
from indistinct.core.doors import open_file
from indistinct.files.parquet import (
    parquet_writer,
    simple_schema,
    staging_path,
    variables_from_schema,
)
from indistinct.files.source import Source

__all__ = ["read_arrow"]


def read_arrow(path: Path, *, workspace: Path) -> Source:
    """Read an Arrow file or stream, or a Feather file, into the workspace."""
    target = staging_path(workspace, path.name)
    with (
        open_file(path, "data") as file,
        progress.task(f"reading {path.name}", unit="records") as reading,
    ):
        try:
            schema, batches = _batches(file)
            plain = simple_schema(schema, str(path))
            if not len(plain):
                raise InputError(f"{path} has no variables.")
            variables = variables_from_schema(plain, schema.metadata)
            with parquet_writer(target, plain, variables) as writer:
                for batch in batches:
                    batch.validate(full=True)  # a stranger's offsets may point anywhere
                    writer.write(pa.Table.from_batches([batch]).cast(plain))
                    reading.advance(batch.num_rows)
        except (pa.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno:
                raise
            # Arrow's message may show a value.
            raise InputError(
                f"{path} is not an Arrow file, or not a whole one. Check how it was made or copied."
            ) from None
    if not writer.records:
        raise InputError(f"{path} has no records.")
    return Source(target, str(path), variables, writer.records, ("Arrow file",))


def _batches(file: IO[bytes]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    start = file.read(6)
    file.seek(0)
    if start.startswith(b"ARROW1"):
        reader = pa.ipc.open_file(file)
        return reader.schema, (reader.get_batch(n) for n in range(reader.num_record_batches))
    if start.startswith(b"FEA1"):
        table = feather.read_table(file)
        return table.schema, iter(table.to_batches())
    stream = pa.ipc.open_stream(file)
    return stream.schema, iter(stream)
