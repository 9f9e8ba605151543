"""Cells as ciphertext, and back: AES-SIV over single values (RFC 5297).

Decisions about security:

- AES-SIV needs no nonce and does not break when one repeats. Without a nonce equal values of a
  variable have equal ciphertexts, which is what a deterministic scheme is for, and what it
  reveals. With a nonce (16 bytes derived from the key and the record's number) they differ.
- The variable's name is associated data: a cell moved to another column does not decrypt.
- Values are padded to one length per variable (in steps of that length where texts are longer
  than 256 bytes), and a missing value is encrypted like any other: neither the length of a text,
  nor the digits of a number, nor who did not answer can be seen.
- The type travels inside, encrypted, so that decryption gives back type and value.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from indistinct.core import InputError

__all__ = [
    "CellCipher",
    "from_plain",
    "longest_text",
    "padded_length",
    "restored",
    "to_plain",
    "type_of_plain",
]

_SAME, _DIFFERENT = 1, 2
_NONCE = 16
_LONGEST_BLOCK = 256
_HEAD = 4


class CellCipher:
    """Encrypts and decrypts the values of one variable."""

    def __init__(self, key: bytes, nonce_key: bytes, variable: str) -> None:
        self._siv = AESSIV(key)
        self._nonce_key = nonce_key
        self._name = variable.encode()

    def encrypt(self, plain: bytes) -> str:
        """Return the ciphertext of a value, the same for equal values."""
        return _text(bytes([_SAME]) + self._siv.encrypt(plain, [bytes([_SAME]), self._name]))

    def encrypt_differently(self, plain: bytes, record: int) -> str:
        """Return the ciphertext of a value, another in every record."""
        mark = bytes([_DIFFERENT])
        hashed = hashlib.blake2b(self._name, key=self._nonce_key, digest_size=_NONCE)
        hashed.update(b"\0" + record.to_bytes(8, "little"))
        nonce = hashed.digest()
        return _text(mark + nonce + self._siv.encrypt(plain, [mark, self._name, nonce]))

    def decrypt(self, cell: str) -> bytes:
        """Return the plain bytes; ValueError where key, variable or cell do not fit."""
        try:
            raw = base64.b64decode(cell + "=" * (-len(cell) % 4), altchars=b"-_", validate=True)
            mark, body = raw[:1], raw[1:]
            if mark == bytes([_SAME]):
                return self._siv.decrypt(body, [mark, self._name])
            if mark == bytes([_DIFFERENT]):
                nonce, body = body[:_NONCE], body[_NONCE:]
                return self._siv.decrypt(body, [mark, self._name, nonce])
        except (InvalidTag, ValueError, binascii.Error):
            pass
        raise ValueError


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def padded_length(longest: int) -> int:
    """Return the length to which values are padded, or a step of it for long texts.

    >>> padded_length(3), padded_length(17), padded_length(5000)
    (16, 32, 256)
    """
    return max(16, -(-min(longest, _LONGEST_BLOCK) // 16) * 16)


def to_plain(values: pa.Array, *, length: int) -> list[bytes]:
    """Return every value with its type as bytes, padded."""
    kind = str(values.type).encode()
    plain = []
    for value in _storable(values).to_pylist():
        if value is None:
            body = b""
        elif isinstance(value, str):
            body = b"=" + value.encode()
        else:
            body = b"=" + value.to_bytes(8, "little", signed=True)
        blocks = max(1, -(-(len(body) - 1) // length))
        content = len(body).to_bytes(_HEAD, "little") + body.ljust(1 + blocks * length, b"\0")
        # the type is the same in the whole column, so its length tells nothing
        plain.append(kind + b"\0" + content)
    return plain


def type_of_plain(plain: bytes) -> pa.DataType:
    """Return the type of a value."""
    return _type(plain.partition(b"\0")[0].decode())


def from_plain(plain: bytes, kind: pa.DataType) -> Any:
    """Return the stored form of a value (see `restored`); ValueError where its type is another."""
    prefix = str(kind).encode() + b"\0"
    if not plain.startswith(prefix):
        raise ValueError
    start = len(prefix) + _HEAD
    size = int.from_bytes(plain[len(prefix) : start], "little")
    if not size:
        return None
    body = plain[start + 1 : start + size]
    if pa.types.is_string(_stored_type(kind)):
        return body.decode()
    return int.from_bytes(body, "little", signed=True)


def restored(kind: pa.DataType, values: list[Any]) -> pa.Array:
    """Return stored values as their own type again."""
    stored = pa.array(values, type=_stored_type(kind))
    if stored.type == kind:
        return stored
    if pa.types.is_boolean(kind) or pa.types.is_decimal(kind) or pa.types.is_large_string(kind):
        return stored.cast(kind)
    return stored.view(kind)


def _storable(values: pa.Array) -> pa.Array:
    stored = _stored_type(values.type)
    if values.type == stored:
        return values
    kind = values.type
    if pa.types.is_boolean(kind) or pa.types.is_decimal(kind) or pa.types.is_large_string(kind):
        return values.cast(stored)
    # bits as they are: a rounding or a merging of 0.0 and -0.0 would not be reversible
    return values.view(stored)


def _stored_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_decimal(kind):
        return pa.string()
    if pa.types.is_boolean(kind):
        return pa.int8()
    try:
        return {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[kind.bit_width]
    except (KeyError, ValueError):
        raise InputError(f"A column of type {kind} cannot be encrypted.") from None


def _type(name: str) -> pa.DataType:
    if found := re.fullmatch(r"timestamp\[(\w+), tz=(.+)\]", name):
        return pa.timestamp(found[1], tz=found[2])
    if found := re.fullmatch(r"decimal(32|64|128|256)\((\d+), (-?\d+)\)", name):
        make = getattr(pa, f"decimal{found[1]}")
        return make(int(found[2]), int(found[3]))
    return pa.type_for_alias(name)


def longest_text(values: pa.Array) -> int:
    """Return the bytes of the longest value."""
    stored = _stored_type(values.type)
    if not pa.types.is_string(stored):
        return 8
    return int(pc.max(pc.binary_length(_storable(values))).as_py() or 0)
