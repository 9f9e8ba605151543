"""The key of a release: made fresh, kept by the holder in a file nobody else can read.

Decisions about security: the key is 512 random bits (AES-SIV with AES-256, RFC 5297). It is in
no plan, receipt, message or `repr`. Its file is created with mode 600 and never overwritten; a
file that others can read, or that lies in the release folder, is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from pathlib import Path

from indistinct.core import InputError
from indistinct.files import read_key_file, write_key_file

__all__ = ["ReleaseKey"]

_HEAD = "indistinct-release-key-1"
_BYTES = 64


class ReleaseKey:
    """The key with which one release is encrypted and decrypted.

    >>> ReleaseKey.fresh()
    ReleaseKey(hidden)
    """

    __slots__ = ("_material",)

    def __init__(self, material: bytes) -> None:
        if len(material) != _BYTES:
            raise InputError(f"A release key has {_BYTES} bytes. Got {len(material)}.")
        self._material = bytes(material)

    @classmethod
    def fresh(cls) -> ReleaseKey:
        """Make a new key; a key serves one release only."""
        return cls(secrets.token_bytes(_BYTES))

    def __repr__(self) -> str:
        return "ReleaseKey(hidden)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReleaseKey) and secrets.compare_digest(
            self._material, other._material
        )

    def __hash__(self) -> int:
        return hash(self._material)

    def __reduce__(self) -> str:
        raise TypeError("A release key is not pickled: save it with ReleaseKey.save.")

    def material(self, purpose: str) -> bytes:
        """Return 64 bytes for one purpose; purposes do not reveal each other."""
        return hashlib.blake2b(purpose.encode(), key=self._material, digest_size=_BYTES).digest()

    def save(self, path: str | Path, *, release: str | Path | None = None) -> Path:
        """Write the key to a new file of mode 600, outside the release folder."""
        text = f"{_HEAD} {base64.urlsafe_b64encode(self._material).decode()}\n"
        return write_key_file(path, text.encode("ascii"), release=release)

    @classmethod
    def load(cls, path: str | Path, *, release: str | Path | None = None) -> ReleaseKey:
        """Read a key from its file; refuse one that others can read."""
        text = read_key_file(path, release=release)
        head, _, body = text.decode("ascii", errors="replace").strip().partition(" ")
        try:
            if head != _HEAD:
                raise ValueError
            return cls(base64.b64decode(body, altchars=b"-_", validate=True))
        except (ValueError, binascii.Error, InputError):
            raise InputError(f"{path} is not a release key, or not a whole one.") from None
