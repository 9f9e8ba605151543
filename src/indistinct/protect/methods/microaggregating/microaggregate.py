"""Microaggregation as a step of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from indistinct.core import (
    Bools,
    Floats,
    GuaranteeError,
    InputError,
    Ints,
    Variable,
    holds_numbers,
    progress,
)
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.methods.microaggregating.mdav import Method, check_size, microaggregation
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step

__all__ = ["Microaggregate"]


@dataclass(frozen=True)
class Microaggregate(Step, kind="microaggregate"):
    """Replace numbers by the means of clusters of at least k records.

    Parameters
    ----------
    variables
        Columns of numbers. With ``mdav`` records are clustered by all of them together, and at
        least k records share every released combination. With ``optimal-1d`` each variable is
        clustered by itself: at least k records share every value, not every combination.
    k
        The least number of records in a cluster.
    method
        ``mdav``, or ``optimal-1d`` for the least loss of each variable alone.
    strata
        A variable; only records with the same value of it are put into one cluster.
    round
        Whether whole numbers stay whole: means of integer columns are rounded. Otherwise these
        columns become decimal.
    missing
        ``refuse`` records with a missing value in one of the variables, or ``leave`` them as they
        are, unprotected.
    standardise
        Whether each variable is divided by its standard deviation before distances are taken.
    """

    variables: tuple[str, ...]
    k: int
    method: Method = "mdav"
    strata: str | None = None
    round: bool = False
    missing: Literal["refuse", "leave"] = "refuse"
    standardise: bool = True

    def __post_init__(self) -> None:
        """Refuse wrong variables, k and words."""
        check_size(self.k)
        if isinstance(self.variables, str) or not self.variables:
            raise InputError("The variables must be a list of at least one name.")
        if len(set(self.variables)) < len(self.variables):
            raise InputError("A variable to microaggregate is named twice. Name each once.")
        if self.strata in self.variables:
            raise InputError(f"'{self.strata}' cannot be both stratum and microaggregated.")
        if self.method not in ("mdav", "optimal-1d"):
            raise InputError(f"method must be mdav or optimal-1d. Got '{self.method}'.")
        if self.missing not in ("refuse", "leave"):
            raise InputError(f"missing must be refuse or leave. Got '{self.missing}'.")

    def describe(self) -> str:
        """Say what is done."""
        together = "together" if self.method == "mdav" else "each by itself"
        if len(self.variables) == 1:
            together = "in order" if self.method == "optimal-1d" else "by distance"
        within = f", within {self.strata}" if self.strata else ""
        whole = ", rounded where they were whole" if self.round else ""
        return (
            f"replace {', '.join(self.variables)} by means of clusters of at least {self.k} "
            f"records, clustered {together}{within}{whole}"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Cluster the records and put the means in."""
        asked = [*self.variables, *([self.strata] if self.strata else [])]
        source.check_columns(asked)
        table = source.table(asked)
        values = np.stack(
            [
                _numbers(table.column(name), source, source.variables[name])
                for name in self.variables
            ],
            axis=1,
        )
        there = self._present(source, values)
        strata = _codes(table.column(self.strata)) if self.strata else np.zeros(len(values), int)
        new = self._means(source, values, there, strata)
        whole = [pa.types.is_integer(source.schema.field(name).type) for name in self.variables]
        if self.round:
            new[:, whole] = np.rint(new[:, whole])
        losses = [
            _lost(values[there][:, part], new[there][:, part], self.standardise)
            for part in self._parts()
        ]
        changed = (new != values) & there[:, None]
        result = self._put(engine, source, new, there)
        left = int((~there).sum())
        warnings = []
        if left:
            warnings.append(
                f"{left:,} records have a missing value and are left as they are, unprotected"
            )
        return result, Receipt(
            self.kind,
            source.records,
            result.records,
            records_changed=int(changed.any(axis=1).sum()),
            cells_changed=dict(zip(self.variables, changed.sum(axis=0).tolist(), strict=True)),
            residual=left,
            notes=self._notes(losses),
            warnings=tuple(warnings),
        )

    def _present(self, source: Source, values: Floats) -> Bools:
        there = np.asarray(np.isfinite(values).all(axis=1))
        if there.all() or self.missing == "leave":
            return there
        gone = ~np.isfinite(values)
        record, at = (int(i) for i in np.argwhere(gone)[0])
        raise InputError(
            f"{source.origin}: '{self.variables[at]}' is missing in record {record + 1:,}, and "
            f"{int((~there).sum()):,} records in all lack a value to be averaged. Impute them, or "
            "say missing='leave' to leave these records as they are, unprotected."
        )

    def _means(
        self,
        source: Source,
        values: Floats,
        there: Bools,
        strata: Ints,
    ) -> Floats:
        """Return the values with those of complete records replaced by means."""
        present = strata[there]
        sizes = np.bincount(present)
        small = int(((sizes > 0) & (sizes < self.k)).sum())
        if small or not len(present):
            where = f"{small:,} values of '{self.strata}' have" if self.strata else "there are"
            raise GuaranteeError(
                f"{source.origin}: a cluster needs {self.k} records with all values, and {where} "
                "fewer. Take a smaller k, or coarser strata or none."
            )
        new = values.copy()
        by_stratum = np.split(
            np.flatnonzero(there)[np.argsort(present, kind="stable")], np.cumsum(sizes)[:-1]
        )
        for columns in progress.each(self._parts(), "finding clusters", unit="parts"):
            for records in by_stratum:
                if len(records):
                    cells = np.ix_(records, columns)
                    found = microaggregation(
                        values[cells], self.k, method=self.method, standardise=self.standardise
                    )
                    new[cells] = found.values
        return new

    def _parts(self) -> list[NDArray[np.intp]]:
        """Return the positions of the variables that are clustered together."""
        every = np.arange(len(self.variables))
        return [every] if self.method == "mdav" else np.split(every, len(every))

    def _put(self, engine: Engine, source: Source, new: Floats, there: Bools) -> Source:
        schema, variables = source.schema, source.variables
        columns = []
        for j, name in enumerate(self.variables):
            position = schema.get_field_index(name)
            old = schema.field(position).type
            keep = pa.types.is_floating(old) or (self.round and pa.types.is_integer(old))
            field = schema.field(position).with_type(old if keep else pa.float64())
            schema = schema.set(position, field)
            # a mean is not one of the categories that were declared, and labels are of whole codes
            variables = variables.updated(
                {name: {"categories": None} | ({} if keep else {"labels": {}})}
            )
            columns.append((position, field, new[:, j]))

        def change(batch: pa.RecordBatch, records: Ints) -> pa.RecordBatch:
            inside = pa.array(there[records])
            for position, field, means in columns:
                before = batch.column(position).cast(field.type, safe=False)
                after = pa.array(means[records]).cast(field.type, safe=False)
                cells = pc.if_else(inside, after, before)
                batch = batch.set_column(position, field, cells)
            return batch

        return engine.transform(source, change, schema=schema, variables=variables)

    def _notes(self, losses: list[float]) -> tuple[str, ...]:
        if self.method == "mdav":
            return (f"information loss (SSE/SST) {losses[0]:.3f} %",)
        notes = [
            f"information loss (SSE/SST) of {name} {lost:.3f} %"
            for name, lost in zip(self.variables, losses, strict=True)
        ]
        if len(notes) > 1:
            notes.append("each value is shared by k records, a combination of values need not be")
        return tuple(notes)


def _lost(before: Floats, after: Floats, standardise: bool) -> float:
    """Return SSE / SST in percent over the whole file, whatever the strata."""
    around = ((before - before.mean(axis=0)) ** 2).sum(axis=0)
    within = ((before - after) ** 2).sum(axis=0)
    varies = around > 0
    if not varies.any():
        return 0.0
    if standardise:
        return 100.0 * float((within[varies] / around[varies]).mean())
    return 100.0 * float(within.sum() / around.sum())


def _numbers(column: pa.ChunkedArray, source: Source, variable: Variable) -> Floats:
    """Return a column as numbers; missing values and the codes that mean so are no numbers."""
    kind = column.type
    if not holds_numbers(kind):
        raise InputError(
            f"{source.origin}: '{variable.name}' must be a column of numbers to be averaged. "
            f"Got {kind}."
        )
    values = np.array(column.cast(pa.float64()).to_numpy(), dtype=np.float64)
    for code in variable.user_missing:
        low, high = code if isinstance(code, tuple) else (code, code)
        if not isinstance(low, str) and not isinstance(high, str):
            values[(values >= low) & (values <= high)] = np.nan
    return values


def _codes(column: pa.ChunkedArray) -> Ints:
    """Number the values of a column; records without one are a stratum of their own."""
    coded: Any = column.combine_chunks()
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode(null_encoding="encode")
    values = coded.indices.fill_null(len(coded.dictionary))
    return np.asarray(values.to_numpy(zero_copy_only=False).astype(np.int64))
