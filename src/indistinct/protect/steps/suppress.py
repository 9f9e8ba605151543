"""Suppression: of cells, of whole attributes, of whole tuples (Sweeney 2001, sections 3.2, 4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from indistinct.core import GuaranteeError, InputError
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.cells import LEAVE, NewCells, replace_cells
from indistinct.protect.deidentify import Deidentify
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import (
    check_records,
    check_variables,
    filled,
    with_columns,
)

__all__ = ["SuppressAttribute", "SuppressCells", "SuppressRecords"]


@dataclass(frozen=True)
class SuppressCells(Step, kind="suppress-cells"):
    """Leave no value in cells that are named one by one.

    Parameters
    ----------
    cells
        Pairs of a record's number, from 0, and a variable.
    """

    truthful = True

    cells: tuple[tuple[int, str], ...]

    def __post_init__(self) -> None:
        """Refuse no cells."""
        object.__setattr__(self, "cells", tuple((n, name) for n, name in self.cells))
        if not self.cells:
            raise InputError("Name at least one cell to suppress: (record, variable).")

    def describe(self) -> str:
        """Say what is done, without the records' numbers."""
        number = len(set(self.cells))
        names = ", ".join(dict.fromkeys(name for _, name in self.cells))
        return f"suppress {number:,} single cell{'' if number == 1 else 's'} of {names}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Blank the cells."""
        names = list(dict.fromkeys(name for _, name in self.cells))
        source.check_columns(names)
        check_records(source, [n for n, _ in self.cells])
        records = np.unique(np.array([n for n, _ in self.cells], dtype=np.int64))
        schema = source.schema
        new, changed = {}, np.zeros((len(records), len(names)), dtype=bool)
        for j, name in enumerate(names):
            own = np.array([n for n, other in self.cells if other == name], dtype=np.int64)
            chosen = np.isin(records, own)
            empty = pa.nulls(1, type=schema.field(name).type)
            new[name] = NewCells(np.where(chosen, 0, LEAVE), empty)
            held = filled(source.table([name]).column(0).take(pa.array(records)))
            changed[:, j] = chosen & held
        result = replace_cells(engine, source, records, new)
        return self.with_receipt(
            source,
            result,
            records_changed=int(changed.any(axis=1).sum()),
            cells_changed=dict(zip(names, changed.sum(axis=0).tolist(), strict=True)),
        )


@dataclass(frozen=True)
class SuppressAttribute(Step, kind="suppress-attribute"):
    """Leave no value in whole columns, or leave the columns out.

    Generalising to the root gives nearly the same protection and distortion (section 4.2): every
    record has the same cell then too.

    Parameters
    ----------
    how
        ``blank`` keeps the columns, empty; ``drop`` leaves them out.
    """

    truthful = True

    variables: tuple[str, ...]
    how: Literal["blank", "drop"] = "blank"

    def __post_init__(self) -> None:
        """Refuse no variables, and a word that says nothing."""
        check_variables(self.variables, "suppression")
        if self.how not in ("blank", "drop"):
            raise InputError(f"how must be blank or drop. Got '{self.how}'.")

    def describe(self) -> str:
        """Say what is done."""
        named = ", ".join(self.variables)
        return f"blank all of {named}" if self.how == "blank" else f"leave out {named}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Blank the columns, or leave them out."""
        source.check_columns(self.variables)
        held = {name: int(filled(source.table([name]).column(0)).sum()) for name in self.variables}
        if self.how == "drop":
            result, _ = Deidentify(self.variables).apply(engine, source, context)
        else:
            schema = source.schema
            empty = {
                name: pa.nulls(source.records, type=schema.field(name).type)
                for name in self.variables
            }
            result = with_columns(engine, source, empty)
        return self.with_receipt(
            source,
            result,
            records_changed=source.records if any(held.values()) else 0,
            cells_changed=held,
        )


@dataclass(frozen=True)
class SuppressRecords(Step, kind="suppress-records"):
    """Leave out tuples that are named by number, from 0."""

    truthful = True

    records: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse no records."""
        object.__setattr__(self, "records", tuple(self.records))
        if not self.records:
            raise InputError("Name at least one record to suppress, by its number from 0.")

    def describe(self) -> str:
        """Say what is done, without the records' numbers."""
        number = len(set(self.records))
        return f"leave out {number:,} record{'' if number == 1 else 's'} named by the holder"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Leave the records out."""
        check_records(source, self.records)
        keep = np.ones(source.records, dtype=bool)
        keep[list(self.records)] = False
        if not keep.any():
            raise GuaranteeError(
                f"All {source.records:,} records would be left out. Suppress fewer."
            )
        result = engine.keep(source, keep)
        rows = np.flatnonzero(keep)
        return result, Receipt(self.kind, source.records, result.records, rows=rows)
