"""Files that hold a secret key: never overwritten, never in a release, nobody else's to read."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from indistinct.errors import InputError

__all__ = ["read_key_file", "write_key_file"]

_LONGEST = 100_000


def write_key_file(path: str | Path, content: bytes, *, release: str | Path | None = None) -> Path:
    """Write a key to a new file of mode 600, outside the release folder."""
    path = Path(path)
    _check_outside(path, release)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InputError(
            f"{path} exists already. A key is never overwritten: choose another name."
        ) from None
    except OSError as error:
        raise InputError(f"The key cannot be written to {path}: {error.strerror}.") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise InputError(f"The key cannot be written to {path}: {error.strerror}.") from None
    return path


def read_key_file(
    path: str | Path, *, release: str | Path | None = None, secret: bool = True
) -> bytes:
    """Read a key from its file; refuse a secret one that others can read."""
    path = Path(path)
    _check_outside(path, release)
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read(_LONGEST)
    except OSError as error:
        raise InputError(f"The key {path} cannot be read: {error.strerror}.") from None
    if secret and os.name == "posix" and mode & 0o077:
        raise InputError(
            f"The key {path} can be read or changed by others (mode {mode & 0o777:o}). Make it "
            "yours alone with chmod 600. If others may have read it, make a new one."
        )
    return content


def _check_outside(path: Path, release: str | Path | None) -> None:
    if release is not None and path.resolve().is_relative_to(Path(release).resolve()):
        raise InputError(
            f"The key {path} would be in the release folder {release}, and leave with it. "
            "Keep it elsewhere."
        )
