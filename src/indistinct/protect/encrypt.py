"""Action 4: encrypt columns reversibly (section 6.5), and decrypt them with the release's key."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from indistinct.core import InputError, Ints, Variable, Variables
from indistinct.engine import Change, Engine
from indistinct.files import Source
from indistinct.protect.receipt import Receipt
from indistinct.protect.secret import ReleaseKey
from indistinct.protect.step import Context, Step

__all__ = [
    "CellCipher",
    "Encrypt",
    "decrypt",
    "from_plain",
    "longest_text",
    "padded_length",
    "restored",
    "to_plain",
    "type_of_plain",
]


# Cells as ciphertext, and back: AES-SIV over single values (RFC 5297).
#
# Decisions about security:
#
# - AES-SIV needs no nonce and does not break when one repeats. Without a nonce equal values of a
#   variable have equal ciphertexts, which is what a deterministic scheme is for, and what it
#   reveals. With a nonce (16 bytes derived from the key and the record's number) they differ.
# - The variable's name is associated data: a cell moved to another column does not decrypt.
# - Values are padded to one length per variable (in steps of that length where texts are longer
#   than 256 bytes), and a missing value is encrypted like any other: neither the length of a text,
#   nor the digits of a number, nor who did not answer can be seen.
# - The type travels inside, encrypted, so that decryption gives back type and value.


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


_STRUCTURE = (
    "equal values have equal ciphertexts, so the classes and their sizes remain: this protects "
    "against those who do not have the key, and who know no counts. It does not make a class "
    "larger."
)


@dataclass(frozen=True)
class Encrypt(Step, kind="encrypt"):
    """Encrypt whole columns with the key of the release.

    The columns become text (base64url). Missing values are encrypted too.

    Parameters
    ----------
    variables
        The columns.
    randomised
        Equal values get different ciphertexts, so that nothing can be counted or joined.
    """

    variables: tuple[str, ...]
    randomised: bool = False

    def __post_init__(self) -> None:
        """Refuse no variables, and a variable twice."""
        if isinstance(self.variables, str) or not self.variables:
            raise InputError("Name at least one variable to encrypt.")
        if len(set(self.variables)) < len(self.variables):
            raise InputError("A variable to encrypt is named twice. Name each once.")

    def describe(self) -> str:
        """Say what is done."""
        how = ", equal values differently" if self.randomised else ", equal values equally"
        return f"encrypt {', '.join(self.variables)} (AES-SIV){how}"

    def order_problem(self, later: Step) -> str | None:
        """Refuse to come before a search for uniques by what would be different everywhere."""
        key = getattr(later, "key", ())
        shared = [name for name in self.variables if name in key]
        if not (self.randomised and later.finds_uniques and shared):
            return None
        return (
            f"'{later.kind}' counts by {', '.join(shared)}, and after randomised encryption every "
            "record would stand out. Encrypt later."
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Encrypt the columns."""
        if context.secrets is None:
            raise InputError(
                "Encryption needs the key of the release. Make one with ReleaseKey.fresh(), and "
                "save it where only you can read it."
            )
        source.check_columns(self.variables)
        schema = source.schema
        columns = []
        for name in self.variables:
            field = schema.field(name)
            longest = max((longest_text(b.column(0)) for b in source.batches([name])), default=0)
            columns.append((name, schema.get_field_index(name), padded_length(longest)))
            schema = schema.set(columns[-1][1], pa.field(name, pa.string(), field.nullable))
        change = _encrypting(columns, _materials(context.secrets), randomised=self.randomised)
        plain = {name: Variable(name, role=source.variables[name].role) for name in self.variables}
        result = engine.transform(
            source,
            change,
            schema=schema,
            variables=Variables(plain.get(n, v) for n, v in source.variables.items()),
        )
        return self.with_receipt(
            source,
            result,
            records_changed=source.records,
            cells_changed=dict.fromkeys(self.variables, source.records),
            notes=("reversible with the key of the release, which stays with the holder",),
            warnings=() if self.randomised else (_STRUCTURE,),
        )


def decrypt(
    engine: Engine,
    source: Source,
    variables: Sequence[str],
    *,
    secrets: ReleaseKey,
    known: Variables | None = None,
) -> Source:
    """Give encrypted columns their types and values back.

    A cell that was blanked after encryption stays missing. Labels and levels are not in the
    ciphertext: give the original's variables as `known` to have them back.
    """
    source.check_columns(variables)
    schema = source.schema
    columns = []
    for name in variables:
        if not pa.types.is_string(schema.field(name).type):
            raise InputError(
                f"{source.origin}: '{name}' is not encrypted, it holds {schema.field(name).type}."
            )
        position = schema.get_field_index(name)
        kind = _first_type(source, name, secrets)
        columns.append((name, position, kind))
        schema = schema.set(position, pa.field(name, kind))
    change = _decrypting(columns, _materials(secrets), source.origin)
    decrypted = {
        name: known[name]
        if known is not None and name in known
        else Variable(name, role=source.variables[name].role)
        for name in variables
    }
    return engine.transform(
        source,
        change,
        schema=schema,
        variables=Variables(decrypted.get(n, v) for n, v in source.variables.items()),
    )


def _materials(secrets: ReleaseKey) -> tuple[bytes, bytes]:
    return secrets.material("cells"), secrets.material("nonces")


def _encrypting(
    columns: list[tuple[str, int, int]], materials: tuple[bytes, bytes], *, randomised: bool
) -> Change:
    def change(batch: pa.RecordBatch, numbers: Ints) -> pa.RecordBatch:
        for name, position, length in columns:
            cipher = CellCipher(*materials, name)
            coded = _bits(batch.column(position)).dictionary_encode(null_encoding="encode")
            values = coded.dictionary
            plain = to_plain(_typed(values, batch.column(position).type), length=length)
            indices = coded.indices
            if randomised:
                pairs = zip(indices.to_pylist(), numbers.tolist(), strict=True)
                cells = pa.array(
                    [cipher.encrypt_differently(plain[i], n) for i, n in pairs], pa.string()
                )
            else:
                cells = pa.array([cipher.encrypt(p) for p in plain], pa.string()).take(indices)
            field = pa.field(name, pa.string(), batch.schema.field(position).nullable)
            batch = batch.set_column(position, field, cells)
        return batch

    return change


def _bits(column: pa.Array) -> pa.Array:
    """Return floating numbers as their bits, so that -0.0 and 0.0 are two values."""
    if pa.types.is_float64(column.type):
        return column.view(pa.int64())
    if pa.types.is_float32(column.type):
        return column.view(pa.int32())
    return column


def _typed(values: pa.Array, kind: pa.DataType) -> pa.Array:
    return values if values.type == kind else values.view(kind)


def _first_type(source: Source, name: str, secrets: ReleaseKey) -> pa.DataType:
    cipher = CellCipher(*_materials(secrets), name)
    start = 0
    for batch in source.batches([name]):
        for i, cell in enumerate(batch.column(0)):
            if cell.is_valid:
                try:
                    return type_of_plain(cipher.decrypt(cell.as_py()))
                except ValueError:
                    raise _unreadable(source.origin, name, start + i) from None
        start += batch.num_rows
    raise InputError(f"{source.origin}: all cells of '{name}' are missing, none is encrypted.")


def _decrypting(
    columns: list[tuple[str, int, pa.DataType]], materials: tuple[bytes, bytes], origin: str
) -> Change:
    def change(batch: pa.RecordBatch, numbers: Ints) -> pa.RecordBatch:
        for name, position, kind in columns:
            cipher = CellCipher(*materials, name)
            coded = batch.column(position).dictionary_encode()
            values = []
            for i, cell in enumerate(coded.dictionary.to_pylist()):
                try:
                    values.append(from_plain(cipher.decrypt(cell), kind))
                except ValueError:
                    at = int(np.argmax(coded.indices.fill_null(-1).to_numpy() == i))
                    raise _unreadable(origin, name, int(numbers[at])) from None
            column = restored(kind, values).take(coded.indices)
            batch = batch.set_column(position, pa.field(name, kind), column)
        return batch

    return change


def _unreadable(origin: str, name: str, record: int) -> InputError:
    return InputError(
        f"{origin}: the cell of '{name}' in record {record + 1:,} cannot be decrypted. The key is "
        "not that of this release, the variable was renamed, or the cell was changed."
    )
