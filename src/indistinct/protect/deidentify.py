"""Leaving out what names a person outright: the last step, never the first.

Dalenius (1986, 5.2): the formal identifiers are needed until the unique records are found.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from indistinct.core import InputError, Ints, Variables
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step

__all__ = ["Deidentify"]


@dataclass(frozen=True)
class Deidentify(Step, kind="deidentify"):
    """Leave out columns: those named, or all whose role is *identifier*."""

    truthful = True

    variables: tuple[str, ...] = ()

    def describe(self) -> str:
        """Say what is done."""
        named = " " + ", ".join(self.variables) if self.variables else ""
        return f"leave out the identifiers{named}"

    def order_problem(self, later: Step) -> str | None:
        """Refuse to come before a step that must find the uniques."""
        if not later.finds_uniques:
            return None
        return (
            f"'{later.kind}' has yet to find the records that stand out, and the identifiers are "
            "needed until they are found (to tell who they are, and to look them up). "
            "De-identify last."
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Leave the columns out."""
        source.check_columns(self.variables)
        dropped = list(self.variables) or source.variables.names(role="identifier")
        if not dropped:
            raise InputError(
                f"{source.origin}: no variable has the role identifier. Name the variables to "
                "leave out, or give them that role."
            )
        kept = [name for name in source.variables if name not in dropped]
        if not kept:
            raise InputError(f"{source.origin}: no variable would be left. Name fewer.")

        def change(batch: pa.RecordBatch, numbers: Ints) -> pa.RecordBatch:
            return batch.select(kept)

        schema = source.schema
        result = engine.transform(
            source,
            change,
            schema=pa.schema([schema.field(name) for name in kept]),
            variables=Variables(source.variables[name] for name in kept),
        )
        note = f"left out the columns {', '.join(dropped)}"
        return result, Receipt(self.kind, source.records, result.records, notes=(note,))
