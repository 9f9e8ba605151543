"""The secret that made-up names and numbers are drawn with.

Every draw is HMAC-SHA256(secret, what is replaced): whoever has the secret draws the same again,
so that a project's letters agree with each other; whoever has not learns nothing from a made-up
name, and two releases under two secrets share no pseudonyms.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from indistinct.core import InputError, Seed
from indistinct.core.doors import read_file, write_whole

_BYTES = 32


@lru_cache(maxsize=8)
def _keyed(key: bytes) -> tuple[hashlib._Hash, hashlib._Hash]:
    """HMAC's two hashes after the key (RFC 2104), which takes longer than short messages do."""
    block = (key if len(key) <= 64 else hashlib.sha256(key).digest()).ljust(64, b"\0")
    return (
        hashlib.sha256(bytes(byte ^ 0x36 for byte in block)),
        hashlib.sha256(bytes(byte ^ 0x5C for byte in block)),
    )


@dataclass(frozen=True)
class Secret:
    """A key of 32 bytes, never shown.

    >>> secret = Secret.from_seed(7)
    >>> secret
    Secret(hidden)
    >>> secret.number("surname", "long", below=1000) == secret.number("surname", "long", below=1000)
    True
    """

    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse a key that could be guessed."""
        if len(self.key) < _BYTES:
            raise InputError(
                f"A secret must have at least {_BYTES} bytes. Got {len(self.key)}. "
                "Make one with Secret.random()."
            )

    def __repr__(self) -> str:
        return "Secret(hidden)"

    @classmethod
    def random(cls) -> Secret:
        """A new secret from the machine's source of randomness."""
        return cls(secrets.token_bytes(_BYTES))

    @classmethod
    def from_seed(cls, seed: Seed) -> Secret:
        """The secret of a seed: for tests and demonstrations, since seeds can be tried out."""
        return cls(hashlib.sha256(f"indistinct scrub seed {seed}".encode()).digest())

    @classmethod
    def from_file(cls, path: str | Path) -> Secret:
        """The secret that `to_file` wrote."""
        written = read_file(path, "secret", limit=100_000, kept=True)
        try:
            return cls(bytes.fromhex(written.decode("ascii").strip()))
        except (ValueError, InputError):
            raise InputError(
                f"{path} holds no secret: it must have {2 * _BYTES} hexadecimal digits or more. "
                "Make one with Secret.random().to_file(path)."
            ) from None

    def to_file(self, path: str | Path) -> Path:
        """Write the secret where only its owner can read it; never over another one."""
        if os.path.lexists(path):
            raise InputError(
                f"{path} exists. A secret is not written over: without it, earlier releases "
                "cannot be continued."
            )
        return write_whole(path, self.key.hex() + "\n", private=True)

    def draw(self, *what: str, size: int = _BYTES) -> bytes:
        """Bytes that depend on the secret and on what is replaced, on nothing else."""
        message = "\0".join(what).encode("utf-8", "surrogatepass")
        drawn = self._digest(message)
        while len(drawn) < size:
            drawn += self._digest(drawn[-_BYTES:] + message)
        return drawn

    def _digest(self, message: bytes) -> bytes:
        inner, outer = (keyed.copy() for keyed in _keyed(self.key))
        inner.update(message)
        outer.update(inner.digest())
        return outer.digest()

    def number(self, *what: str, below: int) -> int:
        """A number from 0 to `below` − 1."""
        return _drawn(self, what) % below


@lru_cache(maxsize=8192)
def _drawn(secret: Secret, what: tuple[str, ...]) -> int:
    """The first eight bytes of a draw, kept for the names that return in letter after letter."""
    return int.from_bytes(secret.draw(*what)[:8], "big")
