"""Which attributes and which records are eligible for release at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from indistinct.core import Bools, InputError, Ints, Variables
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import as_texts
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step

__all__ = ["Select"]


@dataclass(frozen=True)
class Select(Step, kind="select"):
    """Keep some columns, and of the records those whose values are among the ones named.

    The first of Datafly's five inputs (Sweeney 2001, section 6.2): attributes and tuples that
    are not declared eligible are absent from the release, and from N.

    Parameters
    ----------
    variables
        The columns to keep, in file order whatever the order here; none means all.
    where
        For some variables the values a record may have, as text (12, 12.0 and "12" are all
        "12"). A record must satisfy every condition; a missing value satisfies none.

    >>> from indistinct import open_data
    >>> step = Select(("age", "sex"), {"region": ("north",)})
    >>> step
    Select(variables=('age', 'sex'), where={'region': ('north',)})
    >>> with open_data({"age": [30, 41], "sex": [1, 2], "region": ["north", "south"]}) as data:
    ...     kept, receipt = step.apply(data.engine, data.source, Context())
    ...     kept.table().to_pylist(), receipt.records_after
    ([{'age': 30, 'sex': 1}], 1)
    """

    truthful = True

    variables: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a step that selects nothing, and conditions that no record can satisfy."""
        if isinstance(self.variables, str) or len(set(self.variables)) < len(self.variables):
            raise InputError("The variables to keep must be a list that names each once.")
        if not self.variables and not self.where:
            raise InputError("Name the variables to keep, or a condition on the records.")
        for name, values in self.where.items():
            if isinstance(values, str) or not values:
                raise InputError(f"The condition on '{name}' must be a list of at least one value.")
        texts = {name: tuple(map(str, as_texts(values))) for name, values in self.where.items()}
        object.__setattr__(self, "where", texts)

    def describe(self) -> str:
        """Say what is done."""
        parts = []
        if self.variables:
            parts.append(f"keep the variables {', '.join(self.variables)}")
        for name, values in self.where.items():
            parts.append(f"keep the records whose {name} is {' or '.join(values)}")
        return "; ".join(parts)

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Leave out the other columns and records."""
        source.check_columns([*self.variables, *self.where])
        kept = [name for name in source.variables if not self.variables or name in self.variables]
        conditions = [
            (source.schema.get_field_index(name), frozenset(values))
            for name, values in self.where.items()
        ]

        def change(batch: pa.RecordBatch, numbers: Ints) -> pa.RecordBatch:
            eligible = np.ones(batch.num_rows, dtype=bool)
            for position, allowed in conditions:
                eligible &= _among(batch.column(position), allowed)
            return batch.filter(pa.array(eligible)).select(kept)

        schema = source.schema
        result = engine.transform(
            source,
            change,
            schema=pa.schema([schema.field(name) for name in kept]),
            variables=Variables(source.variables[name] for name in kept),
        )
        gone = [name for name in source.variables if name not in kept]
        notes = (f"left out the columns {', '.join(gone)}",) if gone else ()
        rows = self._rows(source) if self.where else None
        return result, Receipt(self.kind, source.records, result.records, notes=notes, rows=rows)

    def _rows(self, source: Source) -> Ints:
        """Return the numbers of the records that are kept."""
        kept = [np.zeros(0, dtype=bool)]
        for batch in source.batches(list(self.where)):
            among = [_among(batch.column(n), frozenset(v)) for n, v in self.where.items()]
            kept.append(np.logical_and.reduce(among))
        return np.flatnonzero(np.concatenate(kept))


def _among(column: pa.Array, allowed: frozenset[str]) -> Bools:
    """Say of each cell whether its text is allowed; each distinct value is spelt once."""
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    fits = np.array([text in allowed for text in as_texts(coded.dictionary)] + [False])
    codes = coded.indices.fill_null(len(fits) - 1).to_numpy(zero_copy_only=False)
    return np.asarray(fits[codes])
