"""People who are not in the release: what an attack says of them, it says by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, above, check_number
from indistinct.engine import Engine
from indistinct.files import Source, open_table
from indistinct.prove.registers import Register, as_text_column

__all__ = ["hold_out", "register_with_control"]


def hold_out(
    engine: Engine, private: Source, *, share: float = 0.1, rng: np.random.Generator
) -> tuple[Source, Source]:
    """Part private records at random into those to protect and release, and a control.

    The control must be put aside before anything is protected; whoever was left out of a release
    for standing out is no control, being unlike the others.

    >>> import indistinct, pyarrow as pa
    >>> with indistinct.open_data(pa.table({"age": list(range(40))})) as data:
    ...     kept, control = hold_out(
    ...         data.engine, data.source, share=0.25, rng=np.random.default_rng(1))
    >>> kept.records, control.records
    (30, 10)
    """
    check_number("The share held out", share, above(0, below=1))
    size = round(private.records * share)
    if not 0 < size < private.records:
        raise InputError(
            f"{private.origin} has {private.records:,} records: a share of {share:g} leaves none "
            "on one side. Choose another share."
        )
    aside = np.zeros(private.records, dtype=bool)
    aside[rng.choice(private.records, size=size, replace=False, shuffle=False)] = True
    return engine.keep(private, ~aside), engine.keep(private, aside)


def register_with_control(
    engine: Engine, register: Register, control: Source, attributes: Sequence[str]
) -> tuple[Register, int]:
    """Add the people of a control file to a register; return it, and its first row of a control.

    The attack treats all alike. A person who is in both is taken from the control.
    """
    person = register.person if register.person in control.variables else None
    names = [*attributes, *([register.person] if register.person else [])]
    control.check_columns(attributes)
    own = register.source.table(names)
    if person is not None:
        theirs = as_text_column(control.table([person]).column(0)).combine_chunks()
        own = own.filter(pc.invert(pc.is_in(as_text_column(own.column(person)), value_set=theirs)))
    columns = {}
    added = control.table([name for name in names if name in control.variables])
    for name in names:
        old = own.column(name)
        new = (
            added.column(name)
            if name in added.column_names
            else pa.chunked_array([pa.nulls(control.records)])
        )
        if name == register.person:
            old, new = as_text_column(old), _ids(new)
        elif old.type != new.type:
            old, new = old.cast(pa.large_string()), new.cast(pa.large_string())
        columns[name] = pa.chunked_array([*old.chunks, *new.chunks], type=old.type)
    name = f"{register.name} with the control"
    source = open_table(pa.table(columns), workspace=engine.workspace, origin=name)
    return Register(source, name, register.person), own.num_rows


def _ids(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return ids of control people, made up where they have none."""
    if pa.types.is_null(column.type):
        made = pa.array([f"control {i + 1}" for i in range(len(column))], type=pa.large_string())
        return pa.chunked_array([made])
    return as_text_column(column)
