"""A file that one process at a time adds to."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from indistinct.core import InputError, systems
from indistinct.core.doors import check_new_file, note_place

__all__ = ["locked"]


@contextlib.contextmanager
def locked(path: Path) -> Iterator[int]:
    """Open a file for adding, made with mode 600 if it is not there; others wait meanwhile."""
    try:
        check_new_file(path, own=True)
        note_place(path)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        systems.lock(handle, wait=True)
        yield handle
    finally:
        os.close(handle)
