"""One machine: DuckDB for queries, compiled loops for counting, Arrow batches for changing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, Variables, progress
from indistinct.engine.approaches import count_words
from indistinct.engine.base import Change, ColumnFacts, Engine, EngineName, numbered
from indistinct.engine.coding import key_coding
from indistinct.engine.cost import cheapest, check_catalogue
from indistinct.engine.tally import Approach, Tally
from indistinct.files import Source, Values, dialect_of, parquet_writer, values_of

__all__ = ["DuckDBEngine"]

FEW_RECORDS = 100_000
"""Records up to which columns are described in memory."""


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
        try:
            return cursor.sql(query).to_arrow_table()
        except duckdb.OutOfMemoryException:
            raise MemoryError from None
        except duckdb.Error:
            for source in sources.values():
                source.check_readable()
            raise

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

    def _describe(self, source: Source, kinds: Mapping[str, pa.DataType]) -> list[ColumnFacts]:
        # a distinct count costs DuckDB 40 ms a column, however few records there are
        if source.records > FEW_RECORDS:
            return super()._describe(source, kinds)
        return [_facts_of(name, kinds[name], of) for name, of in values_of(source, list(kinds))]

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


def _facts_of(name: str, kind: pa.DataType, counted: Values) -> ColumnFacts:
    """Describe a column as SQL would: a not-a-number is missing, and −0 is 0."""
    values = counted.values
    if pa.types.is_floating(kind):
        values = pc.unique(pc.add(values, pa.scalar(0, kind)))
    ends = pc.min_max(values).as_py() if len(values) else {"min": None, "max": None}
    return ColumnFacts(name, str(kind), len(values), counted.nothing, ends["min"], ends["max"])
