"""A cluster: Spark hands out the row groups of the Parquet file and sums what comes back.

Tasks read their row group with Arrow and run the very loops that one machine runs, so that
values, types and results are the same; Spark does the scheduling, the shuffling and the
queries. The file and the workspace must be at the same path on every machine of the cluster,
and each machine must have this package.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.core import (
    Array,
    GuaranteeError,
    IndistinctError,
    InputError,
    Ints,
    Variables,
    Words,
    progress,
)
from indistinct.core.doors import written_whole
from indistinct.engine.base import Change, Engine, EngineName
from indistinct.engine.coding import (
    Distinct,
    DistinctColumns,
    KeyCoding,
    distinct_values,
    key_coding,
    text_columns,
)
from indistinct.engine.spark_failures import telling_failures
from indistinct.engine.spark_session import start_session
from indistinct.engine.spark_tasks import (
    Part,
    class_numbers,
    packed,
    parts_of,
    ranking,
    serialised,
    stream,
    tallied,
)
from indistinct.engine.tally import BLOCK_RECORDS, Approach, Tally
from indistinct.files import BATCH_RECORDS, Source, dialect_of, parquet_writer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["SparkEngine", "SparkTally"]

TASKS_PER_CORE = 8
"""A task takes several row groups when a file has very many; starting one costs milliseconds."""

_ERRORS: dict[str, type[IndistinctError]] = {
    kind.__name__: kind for kind in (InputError, GuaranteeError, IndistinctError)
}


Work = Callable[[Part], Iterator[pa.RecordBatch]]
"""What a task does with a part. It runs elsewhere: it must not hold the engine."""


class SparkEngine(Engine):
    """The engine for a cluster, or for this machine with ``local[threads]``.

    Parameters
    ----------
    workspace
        A private directory that all machines of the cluster see at the same path.
    memory
        Bytes for this process and its Java; a cluster's machines have their own limits.
    threads
        Tasks at a time without a master.
    master
        The cluster's address, such as ``spark://host:7077``.
    """

    name: EngineName = "spark"

    def __init__(
        self, workspace: Path, *, memory: int, threads: int, master: str | None = None
    ) -> None:
        super().__init__(workspace.resolve(), memory=memory, threads=threads)
        with telling_failures(self.workspace):
            self._session, self._started = start_session(
                self.workspace, memory=memory, threads=threads, master=master
            )

    def close(self) -> None:
        """Stop Spark, if this engine started it."""
        if self._started:
            self._started = False
            with contextlib.suppress(InputError), telling_failures():  # it may have ended already
                self._session.stop()

    def sql(self, query: str, **sources: Source) -> pa.Table:
        """Run a query over sources by name."""
        from pyspark.errors import AnalysisException

        for name, source in sources.items():
            try:
                frame = self._session.read.parquet(source.path.resolve().as_uri())
            except AnalysisException:
                raise InputError(
                    f"{source.origin}: Spark cannot read one of the column types (times of day, "
                    "half-precision numbers). Use the duckdb engine, or convert the column."
                ) from None
            frame.createOrReplaceTempView(name)
        with telling_failures(self.workspace):
            return self._session.sql(query).toArrow()

    def count(
        self, source: Source, key: Sequence[str], *, approach: Approach | None = None
    ) -> Tally:
        """Count the records by a key: tasks tally their part, Spark adds equal keys up.

        An approach is a matter of one machine; a cluster always sorts and merges.
        """
        coding = key_coding(source, key, distinct=self._distinct)
        text = text_columns(source.schema, coding.names)
        width = len(coding.groups)
        words = [f"word{j}" for j in range(width)]

        def tally(part: Part) -> Iterator[pa.RecordBatch]:
            for block in packed(part, coding, text):
                keys, counts = tallied(block)
                columns = [pa.array(keys[:, j].view(np.int64)) for j in range(width)]
                yield pa.record_batch([*columns, pa.array(counts)], names=[*words, "records"])

        def add(frame: DataFrame) -> DataFrame:
            return frame.groupBy(*words).agg({"records": "sum"})

        schema = ", ".join(f"{name} long" for name in [*words, "records"])
        with progress.task(f"counting by {', '.join(coding.names)} on the cluster"):
            found = self.each_part(source, tally, schema, then=add)
        table = np.empty((found.num_rows, width), dtype=np.uint64)
        for j in range(width):
            table[:, j] = found.column(j).to_numpy().view(np.uint64)
        order = np.lexsort(table.T[::-1])
        counts = found.column(width).to_numpy()[order]
        return SparkTally(coding, source.records, counts, table[order], source, self)

    def transform(
        self, source: Source, change: Change, *, schema: pa.Schema, variables: Variables
    ) -> Source:
        """Pass every record through a function; parts are changed apart and joined in order."""
        folder = self.new_folder()

        def rewrite(part: Part) -> Iterator[pa.RecordBatch]:
            with written_whole(folder / f"{part.number}") as aside, aside.open("wb") as file:
                at, writer = part.start, None
                for batch in part.batches(records=BATCH_RECORDS):
                    changed = change(batch, np.arange(at, at + batch.num_rows))
                    writer = writer or pa.ipc.new_stream(file, changed.schema)
                    writer.write_batch(changed)
                    at += batch.num_rows
                if writer is not None:
                    writer.close()
            return iter(())

        path = self.new_path()
        kept = 0
        try:
            with progress.task("changing records on the cluster"):
                self.each_part(source, rewrite, "nothing long")
            with parquet_writer(path, schema, variables, dialect=dialect_of(source)) as writer:
                for part in progress.each(parts_of(source), "gathering changed records"):
                    for batch in stream(folder / f"{part.number}"):
                        writer.write(batch)
                        kept += batch.num_rows
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return Source(path, source.origin, variables, kept, source.notes)

    def new_folder(self) -> Path:
        """Make a folder in the workspace, for what tasks leave behind."""
        folder = self.new_path().with_suffix("")
        folder.mkdir()
        return folder

    def each_part(
        self,
        source: Source,
        work: Work,
        schema: str,
        *,
        then: Callable[[DataFrame], DataFrame] = lambda frame: frame,
    ) -> pa.Table:
        """Run work on every part of a source, and return the rows it gives.

        An error that work raises on purpose is raised here. When several parts raise one, it is
        that of the first part, as on one machine.
        """
        parts = parts_of(source)
        folder = self.new_folder()

        def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    for shared in (parts[number].path, folder):
                        if not shared.exists():
                            raise FileNotFoundError(shared)
                    try:
                        yield from work(parts[number])
                    except IndistinctError as error:
                        text = f"{type(error).__name__}\n{error}"
                        (folder / f"{number:09}").write_text(text, encoding="utf-8", newline="\n")

        try:
            with telling_failures(source.path, self.workspace):
                parallel = self._session.sparkContext.defaultParallelism
                tasks = max(1, min(len(parts), TASKS_PER_CORE * parallel))
                numbers = self._session.range(0, len(parts), 1, tasks)
                found = then(numbers.mapInArrow(task, schema)).toArrow()
            for path in sorted(folder.iterdir()):
                kind, _, text = path.read_text(encoding="utf-8").partition("\n")
                raise _ERRORS.get(kind, IndistinctError)(text)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return found

    def _distinct(self, source: Source, names: Sequence[str]) -> Distinct:
        """Return the distinct values of columns; each task finds those of its part."""
        schema = source.schema
        text = text_columns(schema, names)

        def find(part: Part) -> Iterator[pa.RecordBatch]:
            batches = part.batches(names, records=BATCH_RECORDS, text=text)
            for name, (values, missing) in distinct_values(batches, schema, names).items():
                content = serialised(pa.record_batch([values], names=[name]))
                yield pa.record_batch(
                    [[name], [missing], [content]], names=["name", "missing", "content"]
                )

        rows = self.each_part(source, find, "name string, missing boolean, content binary")
        columns = DistinctColumns(schema, names)
        for row in rows.to_pylist():
            for batch in pa.ipc.open_stream(row["content"]):
                columns.add(row["name"], batch.column(0), row["missing"])
        return columns.found()


@dataclass(frozen=True, eq=False)
class SparkTally(Tally):
    """Classes counted by a cluster: sorted on the driver, looked up by the tasks."""

    coding: KeyCoding
    records: int
    counts: Ints
    words: Words
    source: Source = field(repr=False)
    engine: SparkEngine = field(repr=False)
    approach: str = "cluster"

    def sorted_words(self) -> Words:
        """The words of the classes, sorted."""
        return self.words

    def sorted_counts(self) -> Ints:
        """The counts of the classes, in the order of `sorted_words`."""
        return self.counts

    def per_record(self, values: Array) -> Iterator[Array]:
        """Give every record the value of its class, in record order, a batch at a time."""
        for path in self._members:
            with path.open("rb") as file:
                while len(block := np.fromfile(file, dtype=np.uint32, count=BLOCK_RECORDS)):
                    yield values[block]

    @cached_property
    def _members(self) -> list[Path]:
        """Files with the class number of each record, one for each part."""
        folder = self.engine.new_folder()
        tables = []
        for i, array in enumerate(ranking(self.words)):
            tables.append(folder / f"rank{i}.npy")
            np.save(tables[i], array)
        coding = self.coding
        text = text_columns(self.source.schema, coding.names)

        def find(part: Part) -> Iterator[pa.RecordBatch]:
            arrays = [np.load(path, mmap_mode="r") for path in tables]
            with written_whole(folder / f"{part.number}") as aside, aside.open("wb") as file:
                for block in packed(part, coding, text):
                    file.write(class_numbers(arrays, block).astype(np.uint32).data)
            return iter(())

        self.engine.each_part(self.source, find, "nothing long")
        return [folder / f"{part.number}" for part in parts_of(self.source)]
