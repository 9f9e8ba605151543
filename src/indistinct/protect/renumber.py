"""New numbers for households: who lives together stays, which household it was does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from indistinct.core import Ints
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.households.groups import (
    fresh_identities,
    plain_column,
    read_households,
    shuffled,
)

__all__ = ["RenumberHouseholds"]


@dataclass(frozen=True)
class RenumberHouseholds(Step, kind="renumber-households"):
    """Replace the households' numbers by others, one to one, drawn at random.

    People of a household still have the same number. A record without one stays without.
    """

    household: str

    draws_at_random = True
    truthful = True

    def describe(self) -> str:
        """Say what is done."""
        return f"give the households new numbers ({self.household}), drawn at random"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Draw who gets which number, and write."""
        found = read_households(engine, source, self.household)
        column = plain_column(source, self.household)
        variable = source.variables[self.household]
        homes = np.flatnonzero(~found.alone)
        rank = np.zeros(len(found), dtype=np.int64)
        rank[homes[shuffled(context.draws(), "number", found.first[homes])]] = np.arange(len(homes))
        new = fresh_identities(variable, column, len(homes), beside=False)
        kind = new.type if pa.types.is_integer(new.type) else column.type
        position = source.schema.get_field_index(self.household)
        field = pa.field(self.household, kind)
        places, alone = rank[found.of_record], found.alone[found.of_record]

        def change(batch: pa.RecordBatch, records: Ints) -> pa.RecordBatch:
            chosen = pa.array(places[records], mask=alone[records])
            return batch.set_column(position, field, new.take(chosen).cast(kind))

        schema = source.schema.set(position, field)
        variables = source.variables.updated({self.household: {"labels": {}, "categories": None}})
        result = engine.transform(source, change, schema=schema, variables=variables)
        return self.with_receipt(
            source,
            result,
            records_changed=int((~alone).sum()),
            cells_changed={self.household: int((~alone).sum())},
            notes=(f"{len(homes):,} households have new numbers",),
        )
