"""One machine: DuckDB for queries, compiled loops for counting, Arrow batches for changing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from indistinct import progress
from indistinct.engine.approaches import count_words
from indistinct.engine.base import Change, Engine, EngineName, numbered
from indistinct.engine.coding import key_coding
from indistinct.engine.cost import cheapest, check_catalogue
from indistinct.engine.tally import Approach, Tally
from indistinct.errors import InputError
from indistinct.files import dialect_of, parquet_writer
from indistinct.files.source import Source
from indistinct.variables import Variables

__all__ = ["DuckDBEngine"]


class DuckDBEngine(Engine):
    """The embedded engine."""

    name: EngineName = "duckdb"

    def __init__(self, workspace: Path, *, memory: int, threads: int) -> None:
        super().__init__(workspace, memory=memory, threads=threads)
        self._connection = duckdb.connect(
            config={
                "memory_limit": f"{memory // 10**6}MB",
                "threads": threads,
                "temp_directory": str(workspace / "spill"),
            }
        )

    def close(self) -> None:
        """Close the connection; spilled files go with it."""
        self._connection.close()

    def sql(self, query: str, **sources: Source) -> pa.Table:
        """Run a query over sources by name."""
        cursor = self._connection.cursor()
        for name, source in sources.items():
            if len({column.lower() for column in source.variables}) < len(source.variables):
                raise InputError(
                    f"{source.origin}: two columns differ in capital letters only, which queries "
                    "cannot tell apart. Rename one."
                )
            relation = cursor.read_parquet(str(source.path))
            relation.create_view(name, replace=True)
        return cursor.sql(query).to_arrow_table()

    def count(
        self, source: Source, key: Sequence[str], *, approach: Approach | None = None
    ) -> Tally:
        """Count the records by a key with compiled loops."""
        coding = key_coding(source, key)
        chosen = approach or cheapest(
            records=source.records, sizes=coding.sizes, memory=self.memory
        )
        if chosen == "catalogue":
            check_catalogue(coding.sizes, self.memory)
        return count_words(
            source,
            coding,
            approach=chosen,
            threads=self.threads,
            memory=self.memory,
            scratch=self.workspace,
        )

    def transform(
        self, source: Source, change: Change, *, schema: pa.Schema, variables: Variables
    ) -> Source:
        """Pass every record through a function, a batch at a time."""
        path = self.new_path()
        kept = 0
        with (
            progress.task("changing records", total=source.records, unit="records") as changing,
            parquet_writer(path, schema, variables, dialect=dialect_of(source)) as writer,
        ):
            for batch, start in numbered(source.batches()):
                changed = change(batch, np.arange(start, start + batch.num_rows))
                writer.write(changed)
                kept += changed.num_rows
                changing.advance(batch.num_rows)
        return Source(path, source.origin, variables, kept, source.notes)
