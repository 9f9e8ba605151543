"""Generalising single cells: each climbs its variable's hierarchy as far as it is told to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from indistinct.core import InputError
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.keys import Generalisable, KeyTable
from indistinct.protect.receipt import Receipt
from indistinct.protect.recode import generalised_variable
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import check_records, class_numbers, with_columns

__all__ = ["GeneraliseCells"]


@dataclass(frozen=True)
class GeneraliseCells(Step, kind="generalise-cells"):
    """Replace cells that are named one by one by their labels at a level of a hierarchy.

    Sweeney (2001, section 4.1); a whole attribute is generalised by `Generalise`. The columns
    become text.

    Parameters
    ----------
    cells
        Triples of a record's number, from 0, a variable and a level.
    hierarchies
        One for each variable that is named.
    """

    truthful = True

    cells: tuple[tuple[int, str, int], ...]
    hierarchies: tuple[Hierarchy, ...]

    def __post_init__(self) -> None:
        """Refuse cells without a hierarchy, named twice, or at a level that does not exist."""
        cells = tuple((n, name, level) for n, name, level in self.cells)
        object.__setattr__(self, "cells", cells)
        heights = {hierarchy.name: hierarchy.height for hierarchy in self.hierarchies}
        if not cells:
            raise InputError("Name at least one cell to generalise: (record, variable, level).")
        if len({(n, name) for n, name, _ in cells}) < len(cells):
            raise InputError("A cell to generalise is named twice. Name each once.")
        for name, level in {(name, level) for _, name, level in cells}:
            if name not in heights:
                raise InputError(f"There is no hierarchy of '{name}'. Give one for each variable.")
            if isinstance(level, bool) or not 0 <= level <= heights[name]:
                raise InputError(
                    f"The level of '{name}' must be from 0 (the value) to {heights[name]}. "
                    f"Got {level}."
                )

    def describe(self) -> str:
        """Say what is done, without the records' numbers."""
        number = len(self.cells)
        names = ", ".join(dict.fromkeys(name for _, name, _ in self.cells))
        return f"generalise {number:,} single cell{'' if number == 1 else 's'} of {names}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Recode the cells."""
        names = list(dict.fromkeys(name for _, name, _ in self.cells))
        source.check_columns(names)
        check_records(source, [n for n, _, _ in self.cells])
        schema, variables = source.schema, source.variables
        columns, cells_changed = {}, {}
        touched = np.zeros(source.records, dtype=bool)
        for name in names:
            tally = engine.count(source, [name])
            hierarchy = next(h for h in self.hierarchies if h.name == name)
            keys = Generalisable.of(KeyTable.from_tally(tally), {name: hierarchy})
            levels = np.zeros(source.records, dtype=np.int64)
            for n, other, level in self.cells:
                if other == name:
                    levels[n] = level
            leaves = keys.leaves[class_numbers(tally), 0]
            nodes = keys.climb(0)[levels, leaves]
            changed = np.asarray(nodes != keys.climb(0)[0, leaves])
            cells_changed[name] = int(changed.sum())
            touched |= changed
            if changed.any():
                labels = pa.array(keys.labels(0), type=pa.string())
                columns[name] = labels.take(pa.array(nodes))
                old = schema.field(name).type
                variables = variables.updated({name: generalised_variable(variables[name], old)})
        result = with_columns(engine, source, columns, variables=variables) if columns else source
        return self.with_receipt(
            source, result, records_changed=int(touched.sum()), cells_changed=cells_changed
        )
