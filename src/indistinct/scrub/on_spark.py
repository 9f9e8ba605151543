"""The same on a cluster: chunks are the records of a file, and Spark hands out its row groups.

A chunk is treated by itself and is the same as on one machine, so that the result is too, to the
byte. The secret travels to the tasks with their code; all else stays in the private workspace,
which every machine of the cluster must see.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import asdict

import pyarrow as pa

from indistinct.core import Variable, Variables
from indistinct.engine import Part, SparkEngine, parts_of
from indistinct.files import Source, parquet_writer, written_whole
from indistinct.scrub.documents import Document, Outcome, Treated
from indistinct.scrub.streaming import Chunk, Treatment, chunks_of, paired, treat_chunk

__all__ = ["treat_on_spark"]

CHUNKS_PER_TASK = 16
_SCHEMA = pa.schema([("chunk", pa.string())])
_VARIABLES = Variables([Variable("chunk")])


def treat_on_spark(
    documents: Iterable[Document], treatment: Treatment, engine: SparkEngine
) -> Iterator[Treated]:
    """Give every document with what came of it, in order, treated by the cluster."""
    path, folder = engine.new_path(), engine.new_folder()
    chunks = 0
    with parquet_writer(path, _SCHEMA, _VARIABLES) as writer:
        for chunks, chunk in enumerate(chunks_of(documents), 1):
            writer.write(pa.record_batch([[_packed(chunk)]], schema=_SCHEMA))
            if chunks % CHUNKS_PER_TASK == 0:
                writer.flush()
    if not chunks:
        return
    staged = Source(path, "letters", _VARIABLES, chunks)

    def work(part: Part) -> Iterator[pa.RecordBatch]:
        treater = treatment.start()
        with (
            written_whole(folder / f"{part.number}") as aside,
            aside.open("w", encoding="utf-8") as file,
        ):
            for batch in part.batches(records=1):
                packed = batch.column(0)[0].as_py()
                outcomes = treat_chunk(treater, _unpacked(packed))
                line = json.dumps([outcome.to_dict() for outcome in outcomes])
                file.write(f"{packed}\t{line}\n")
        return iter(())

    try:
        engine.each_part(staged, work, "nothing long")
        for part in parts_of(staged):
            with (folder / f"{part.number}").open(encoding="utf-8") as file:
                for line in file:
                    packed, _, outcomes = line.partition("\t")
                    found = [Outcome.from_dict(one) for one in json.loads(outcomes)]
                    yield from paired(_unpacked(packed), found)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        path.unlink(missing_ok=True)


def _packed(chunk: Chunk) -> str:
    # ASCII, so that neither tabs nor line ends of any kind stand in it
    return json.dumps([[asdict(document) for document in group] for group in chunk])


def _unpacked(packed: str) -> Chunk:
    return [[Document(**document) for document in group] for group in json.loads(packed)]
