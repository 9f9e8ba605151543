"""Whether a released file tells more beside its cells than in them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from indistinct.files.occurring import described_but_absent
from indistinct.prove.opinion import Opinion, Trial

__all__ = ["examine_metadata"]


def examine_metadata(trial: Trial) -> Opinion:
    """Find labels, categories and dictionaries of values that no released record has.

    Who left may be told by the label of a value that only they had.
    """
    opinion = Opinion()
    for name in described_but_absent(trial.release):
        opinion = opinion.finding(f"{name} has labels of values that nobody in the release has")
    for name in _dictionaries_beyond(Path(trial.release.origin)):
        opinion = opinion.finding(f"the dictionary of {name} holds values that nobody has")
    return opinion


def _dictionaries_beyond(path: Path) -> list[str]:
    """Return the dictionary columns of a Parquet file whose dictionaries hold more than cells do.

    Only a column that was written as a dictionary, such as a category of pandas, can have one.
    """
    if path.suffix != ".parquet" or not path.is_file():
        return []
    names = [f.name for f in pq.read_schema(path) if pa.types.is_dictionary(f.type)]
    beyond = []
    for name in names:
        column = pq.read_table(path, columns=[name]).column(0)
        used = set(column.unique().to_pylist())
        held = {v for chunk in column.chunks for v in chunk.dictionary.to_pylist()}
        if held - used:
            beyond.append(name)
    return beyond
