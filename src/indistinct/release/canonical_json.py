"""One way to write a thing as bytes, so that its hash means something."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from indistinct.core import InputError, for_json
from indistinct.core.doors import open_file

__all__ = ["canonical", "digest", "file_digest", "is_digest", "pretty"]

_DIGEST = re.compile(r"[0-9a-f]{64}")


def canonical(content: Any) -> bytes:
    """Write JSON without blanks, names in order, ASCII: equal contents give equal bytes.

    >>> canonical({"b": [1, None], "a": "é"})
    b'{"a":"\\\\u00e9","b":[1,null]}'
    """
    try:
        written = json.dumps(
            content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
        )
    except (TypeError, ValueError) as error:
        raise InputError(f"content must be plain values that JSON knows. {error}.") from None
    return written.encode("ascii")


def pretty(content: Any) -> bytes:
    """Write JSON for people, in the order given; also one way only, to the byte."""
    return (for_json(content, indent=2, allow_nan=False) + "\n").encode()


def digest(content: Any) -> str:
    """Return the SHA-256 of the canonical form, in hexadecimal.

    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(canonical(content)).hexdigest()


def file_digest(path: str | Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    try:
        with open_file(path, kept=True) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None


def is_digest(text: object) -> bool:
    """Say whether this is a SHA-256 as written here."""
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None
