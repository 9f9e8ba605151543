"""Action 4: encrypt columns reversibly (section 6.5), and decrypt them with the release's key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from indistinct.core import InputError, Ints, Variable, Variables
from indistinct.engine import Change, Engine
from indistinct.files import Source
from indistinct.protect.cipher import (
    CellCipher,
    from_plain,
    longest_text,
    padded_length,
    restored,
    to_plain,
    type_of_plain,
)
from indistinct.protect.receipt import Receipt
from indistinct.protect.secret import ReleaseKey
from indistinct.protect.step import Context, Step

__all__ = ["Encrypt", "decrypt"]

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
        return result, Receipt(
            self.kind,
            source.records,
            result.records,
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
