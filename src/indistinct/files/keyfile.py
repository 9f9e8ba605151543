"""Files that hold a secret key: never overwritten, never in a release, nobody else's to read."""

from __future__ import annotations

import os
from pathlib import Path

from indistinct.core import InputError, systems
from indistinct.core.doors import open_file, write_whole

__all__ = ["read_key_file", "write_key_file"]

_LONGEST = 100_000


def write_key_file(path: str | Path, content: bytes, *, release: str | Path | None = None) -> Path:
    """Write a key to a new file of mode 600, outside the release folder."""
    path = Path(path)
    _check_outside(path, release)
    if os.path.lexists(path):
        raise InputError(f"{path} exists already. A key is never overwritten: choose another name.")
    return write_whole(path, content, private=True)


def read_key_file(
    path: str | Path, *, release: str | Path | None = None, secret: bool = True
) -> bytes:
    """Read a key from its file; refuse a secret one that others can read."""
    path = Path(path)
    _check_outside(path, release)
    with open_file(path, "key") as file:
        status = os.fstat(file.fileno())
        content = file.read(_LONGEST)
    if secret and systems.is_open_to_others(status):
        raise InputError(
            f"The key {path} can be read or changed by others (mode {status.st_mode & 0o777:o}). "
            "Make it yours alone with chmod 600. If others may have read it, make a new one."
        )
    return content


def _check_outside(path: Path, release: str | Path | None) -> None:
    if release is not None and path.resolve().is_relative_to(Path(release).resolve()):
        raise InputError(
            f"The key {path} would be in the release folder {release}, and leave with it. "
            "Keep it elsewhere."
        )
