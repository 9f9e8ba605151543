"""The pull-out list: who the risky records are, for the data holder alone.

Dalenius (1986, 5.2): records should not be de-identified before the uniques are found, because
the formal identifiers (name, address, registration number) are what the census forms of those
people are found by.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from indistinct.core import InputError
from indistinct.files import counted_from_one, write_data
from indistinct.keys.standing_out import Uniques

__all__ = ["pull_out", "write_pull_out"]

_LISTED = ("record", "frequency", "case")


def pull_out(found: Uniques, identifiers: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """List record number, frequency, case and formal identifiers of every record at risk.

    Records are numbered from 0; in the file that `write_pull_out` writes, from 1.

    Parameters
    ----------
    identifiers
        The columns that name a person; by default the variables with that role.
    """
    source = found.source
    columns = list(identifiers) if identifiers else source.variables.names(role="identifier")
    if not columns:
        raise InputError(
            f"{source.origin} has no identifiers to pull out. Find the people who stand out "
            "before the file is de-identified, and name the identifiers with --identifiers or in "
            "the project file."
        )
    source.check_columns(columns)
    taken = set(_LISTED) & set(columns)
    if taken:
        raise InputError(
            f"An identifier is called '{min(taken)}', as a column of the list is. Rename it."
        )
    facts = found.per_record(_LISTED)
    held = next(facts, None)
    for batch in source.batches(columns):
        at = 0
        while at < batch.num_rows and held is not None:
            rows = min(batch.num_rows - at, held.num_rows)
            mine, theirs = batch.slice(at, rows), held.slice(0, rows)
            risky = pa.array(np.asarray(theirs.column("frequency")) < found.k)
            kept = theirs.filter(risky)
            listed = mine.filter(risky)
            yield pa.RecordBatch.from_arrays(
                [*kept.columns, *listed.columns], names=[*kept.schema.names, *columns]
            )
            at += rows
            held = held.slice(rows) if rows < held.num_rows else next(facts, None)


def write_pull_out(
    found: Uniques,
    path: str | Path,
    *,
    identifiers: Sequence[str] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the pull-out list to a file that nobody but its owner can read; records from 1."""
    table = pa.Table.from_batches(counted_from_one(pull_out(found, identifiers)))
    return write_data(table, path, private=True, overwrite=overwrite)
