"""Whether a released file tells more beside its cells than in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from indistinct.files import Source, described_but_absent
from indistinct.hierarchy import as_texts
from indistinct.prove.examiners.every import register_examiner
from indistinct.prove.opinion import Opinion, Trial

__all__ = ["examine_metadata"]


@register_examiner(place=70)
def examine_metadata(trial: Trial) -> Opinion:
    """Find labels, categories and dictionaries of values that no released record has.

    Who left may be told by the label of a value that only they had: with the private data that is
    seen, and is a finding. Otherwise a codebook may simply list all that could have been, which
    nobody can know from the file: a reservation.
    """
    opinion = Opinion()
    absent: dict[str, set[Any]] = dict(described_but_absent(trial.release))
    for name, values in _dictionaries_beyond(Path(trial.release.origin)).items():
        absent[name] = absent.get(name, set()) | values
    for name, values in absent.items():
        if trial.private is not None and _somebody_had(trial.private, name, values):
            opinion = opinion.finding(
                f"{name} has labels of values that somebody in the private data has and nobody in "
                "the release"
            )
        else:
            opinion = opinion.reserving(
                "labels-of-nobody",
                f"{name} has labels of values that nobody in the release has: they may be those of "
                "people who left",
            )
    return opinion


def _somebody_had(private: Source, name: str, values: set[Any]) -> bool:
    """Say whether any of some values occurs in a column of the private data."""
    if name not in private.variables:
        return False
    sought = {text for text in as_texts(values) if text is not None}
    occurring = pc.unique(private.table([name]).column(0)).to_pylist()
    return not sought.isdisjoint(text for text in as_texts(occurring) if text is not None)


def _dictionaries_beyond(path: Path) -> dict[str, set[Any]]:
    """Return by column what dictionaries of a Parquet file hold beyond its cells.

    Only a column that was written as a dictionary, such as a category of pandas, can have one.
    """
    if path.suffix != ".parquet" or not path.is_file():
        return {}
    names = [f.name for f in pq.read_schema(path) if pa.types.is_dictionary(f.type)]
    beyond: dict[str, set[Any]] = {}
    for name in names:
        column = pq.read_table(path, columns=[name]).column(0)
        used = set(column.unique().to_pylist())
        held = {v for chunk in column.chunks for v in chunk.dictionary.to_pylist()}
        if held - used:
            beyond[name] = held - used
    return beyond
