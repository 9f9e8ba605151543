"""Which private record each released one was made from, kept in the holder's part of a release.

Released records leave in an order that says nothing. The holder must still be able to tell whose
they are: to say what changed in which record, and whether an intruder who links is right.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from indistinct.core import Ints
from indistinct.release import parts

__all__ = ["read_origin", "write_origin"]

_COLUMN = "record"


def write_origin(folder: Path, origin: Ints) -> None:
    """Write the private record, from 0, of each released one; -1 where it was made up."""
    pq.write_table(pa.table({_COLUMN: origin}), folder / parts.ORIGIN)


def read_origin(folder: str | Path, *, records: int) -> Ints | None:
    """Read it again; None where it is not there, or is not about so many released records."""
    path = Path(folder) / parts.ORIGIN
    if not path.is_file():
        return None
    try:
        found = pq.read_table(path).column(_COLUMN).to_numpy()
    except (OSError, KeyError, pa.ArrowException):
        return None  # it was changed, which the folder's check has found
    return found.astype(np.int64) if len(found) == records else None
