"""A file that is damaged inside is a matter of the file, and said so.

Footers are checked when a file is opened; what a page holds is only seen when it is read. Messages
of Arrow may show a value, so none of them is passed on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from indistinct.core import InputError

__all__ = ["reading_records"]


@contextmanager
def reading_records(origin: str) -> Iterator[None]:
    """Read records inside; what cannot be read is told as a damage of the file.

    >>> with reading_records("people.parquet"):
    ...     raise OSError("Unexpected end of stream")
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: people.parquet is damaged: some of its records cannot be ...
    """
    try:
        yield
    except (
        pa.ArrowInvalid,
        pa.ArrowNotImplementedError,
        pa.ArrowSerializationError,
        OSError,
    ) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the disk, not of the file
        raise InputError(
            f"{origin} is damaged: some of its records cannot be read. Get a whole copy of the "
            "file, or write it anew."
        ) from None
