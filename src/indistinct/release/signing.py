"""Signatures: who holds the file and can write a certificate anew still cannot sign it.

Decisions about security: Ed25519 (RFC 8032) from `cryptography`; key files are PEM as other
programs write them. A signing key is created with mode 600 and never overwritten, and one that
others can read, or that lies in the release folder, is refused. The public key is no secret, but
a recipient must have it from the holder by another way than the folder.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from indistinct.core import InputError
from indistinct.core.doors import write_whole
from indistinct.files import read_key_file, write_key_file

__all__ = ["PublicKey", "SigningKey"]


class PublicKey:
    """The key with which signatures are checked."""

    __slots__ = ("_raw",)

    def __init__(self, raw: bytes) -> None:
        if len(raw) != 32:
            raise InputError(f"A public key has 32 bytes. Got {len(raw)}.")
        self._raw = bytes(raw)

    def __repr__(self) -> str:
        return f"PublicKey({self.fingerprint[:16]}…)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PublicKey) and self._raw == other._raw

    def __hash__(self) -> int:
        return hash(self._raw)

    def hex(self) -> str:
        """Return the key in hexadecimal."""
        return self._raw.hex()

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the key: short enough to be read out on the telephone."""
        return hashlib.sha256(self._raw).hexdigest()

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Say whether the owner of this key signed these bytes."""
        try:
            Ed25519PublicKey.from_public_bytes(self._raw).verify(signature, message)
        except InvalidSignature:
            return False
        return True

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the key as PEM, for whoever is to check signatures."""
        text = Ed25519PublicKey.from_public_bytes(self._raw).public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return write_whole(path, text, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path) -> PublicKey:
        """Read a public key from a PEM file."""
        path = Path(path)
        try:
            found: Any = serialization.load_pem_public_key(read_key_file(path, secret=False))
        except (ValueError, UnsupportedAlgorithm):
            raise InputError(f"{path} is not a public key in PEM form.") from None
        if not isinstance(found, Ed25519PublicKey):
            raise InputError(f"{path} is a public key, but not of the kind Ed25519.")
        return cls(found.public_bytes_raw())


class SigningKey:
    """The holder's key, with which certificates are signed.

    >>> key = SigningKey.fresh()
    >>> key
    SigningKey(hidden)
    >>> key.public.verifies(key.sign(b"released"), b"released")
    True
    """

    __slots__ = ("_key",)

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key

    @classmethod
    def fresh(cls) -> SigningKey:
        """Make a new key."""
        return cls(Ed25519PrivateKey.generate())

    def __repr__(self) -> str:
        return "SigningKey(hidden)"

    def __reduce__(self) -> str:
        raise TypeError("A signing key is not pickled: save it with SigningKey.save.")

    @property
    def public(self) -> PublicKey:
        """The key with which others check what this one signed."""
        return PublicKey(self._key.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        """Return the signature of some bytes."""
        return self._key.sign(message)

    def save(
        self, path: str | Path, *, password: str | None = None, release: str | Path | None = None
    ) -> Path:
        """Write the key to a new file of mode 600, outside the release folder."""
        hidden = (
            serialization.BestAvailableEncryption(password.encode())
            if password
            else serialization.NoEncryption()
        )
        text = self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, hidden
        )
        return write_key_file(path, text, release=release)

    @classmethod
    def load(
        cls, path: str | Path, *, password: str | None = None, release: str | Path | None = None
    ) -> SigningKey:
        """Read a key from its file; refuse one that others can read."""
        text = read_key_file(path, release=release)
        try:
            found: Any = serialization.load_pem_private_key(
                text, password=password.encode() if password else None
            )
        except TypeError:
            raise InputError(f"The key {path} needs its password, or has none.") from None
        except (ValueError, UnsupportedAlgorithm):
            raise InputError(
                f"{path} is not a signing key in PEM form, or the password is wrong."
            ) from None
        if not isinstance(found, Ed25519PrivateKey):
            raise InputError(f"{path} is a key, but not of the kind Ed25519.")
        return cls(found)
