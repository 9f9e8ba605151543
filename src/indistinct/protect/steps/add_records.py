"""Added tuples: made-up records among the real ones, chosen to keep aggregates (section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core import GuaranteeError, InputError, Ints, Variable, Variables, check_whole
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import Numbers, check_variables, read_numbers, values_of

__all__ = ["AddRecords"]


@dataclass(frozen=True)
class AddRecords(Step, kind="add-records"):
    """Put made-up records at random places among the real ones.

    A made-up record is a mixture: its values come from records drawn for each variable (or set of
    variables) by itself. A set in `shares` is given out by quota: of M made-up records,
    M·n_c/N have combination c, which n_c of the N records have, rounded by largest remainders. A
    variable in `means` is shifted such that the mean stays.

    Parameters
    ----------
    records
        How many records are made up.
    shares
        Sets of variables whose joint shares stay, each set drawn together.
    means
        Variables of numbers whose mean stays.
    exact
        Refuse a number of records with which shares (and means of whole numbers) cannot stay
        exactly equal, and say which number can.
    flag
        The name of a new column that is true for made-up records. Its role is *identifier*, so
        that `Deidentify` leaves it out: with it the step is in vain.
    """

    records: int
    shares: tuple[tuple[str, ...], ...] = ()
    means: tuple[str, ...] = ()
    exact: bool = False
    flag: str | None = None

    draws_at_random = True

    def __post_init__(self) -> None:
        """Refuse less than one record, and a variable with two rules."""
        check_whole("The number of records to add", self.records, 1)
        sets = tuple((s,) if isinstance(s, str) else tuple(s) for s in self.shares)
        object.__setattr__(self, "shares", sets)
        check_variables([*self.means, *(n for s in sets for n in s)], "adding records", some=False)
        if any(not s for s in sets):
            raise InputError("A set of variables whose shares stay has no variable.")

    def describe(self) -> str:
        """Say what is done."""
        kept = [f"the shares of {' by '.join(s)}" for s in self.shares]
        kept += [f"the mean of {name}" for name in self.means]
        how = f", so that {' and '.join(kept)} stay" if kept else ""
        return f"add {self.records:,} made-up records among the real ones{how}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Make the records up, and put them among the others."""
        source.check_columns([*self.means, *(n for s in self.shares for n in s)])
        if self.flag is not None and self.flag in source.variables:
            raise InputError(f"{source.origin}: there is a variable '{self.flag}' already.")
        if not source.records:
            raise InputError(f"{source.origin} has no records, so there is nothing to mix.")
        draws, schema = context.draws(), source.schema
        columns: dict[str, pa.Array] = {}
        notes, moved = [], 0.0
        for unit in (*self.shares, *((name,) for name in source.variables)):
            if unit[0] in columns or unit[0] in self.means:
                continue
            by_quota = unit in self.shares
            table = KeyTable.from_tally(engine.count(source, unit))
            chosen = (
                self._by_quota(table, draws, unit)
                if by_quota
                else _donors(table.counts, draws, f"donor-{unit[0]}", self.records)
            )
            if by_quota:
                moved = max(moved, _largest_move(table.counts, chosen))
            for j, name in enumerate(unit):
                coding = table.coding.variables[j]
                columns[name] = values_of(coding, table.codes[chosen, j], schema.field(name).type)
        for name in self.means:
            columns[name] = self._with_mean(
                read_numbers(source, name, doing="keeping a mean"), draws
            )
        if self.shares:
            notes.append(f"no share that was to stay moved by more than {moved:.2g}")
        result, rows = self._among(engine, source, columns, draws)
        named = source.variables.names(role="identifier")
        warnings = []
        if named:
            warnings.append(
                f"the made-up records have identifiers of real ones ({', '.join(named)}): leave "
                "them out, or made-up records can be told by their doubles"
            )
        if self.flag is not None:
            warnings.append(f"the column {self.flag} tells which records are made up: leave it out")
        share = source.records / result.records
        notes.append(f"{share:.1%} of the records are real")
        return self.with_receipt(
            source, result, notes=tuple(notes), warnings=tuple(warnings), rows=rows
        )

    def _by_quota(self, table: KeyTable, draws: Draws, unit: tuple[str, ...]) -> Ints:
        """Return a class for each made-up record, in an order drawn at random."""
        total, counts = table.records, table.counts
        exact_step = total // int(np.gcd.reduce(counts))
        if self.exact and self.records % exact_step:
            raise GuaranteeError(_no_exact(" by ".join(unit), "shares", exact_step))
        quotas, rest = np.divmod(counts * self.records, total)
        classes = np.arange(len(counts))
        stream = "+".join(unit)
        ties = draws.words(f"remainder-{stream}", classes)
        first = np.lexsort((ties, -rest))[: self.records - int(quotas.sum())]
        quotas[first] += 1
        given = np.repeat(classes, quotas)
        places = draws.words(f"place-{stream}", np.arange(self.records))
        return np.asarray(given[np.argsort(places, kind="stable")])

    def _with_mean(self, numbers: Numbers, draws: Draws) -> pa.Array:
        """Return numbers of real records, shifted such that their mean is that of all."""
        present = numbers.values[numbers.present]
        if not len(present):
            raise InputError(f"'{numbers.name}' has no value, so no mean can stay.")
        ones = np.ones(len(present), dtype=np.int64)
        chosen = present[_donors(ones, draws, f"mean-{numbers.name}", self.records)]
        if numbers.places is None:
            # twice: what rounding leaves of the first shift is taken out by the second
            for _ in range(2):
                chosen = chosen + (present.mean() - chosen.mean())
            return pa.array(chosen).cast(numbers.kind)
        total = sum(present.tolist())
        wanted, rest = divmod(total * self.records, len(present))
        if rest and self.exact:
            step = len(present) // int(np.gcd(len(present), total % len(present)))
            raise GuaranteeError(_no_exact(numbers.name, "mean", step))
        every, some = divmod(wanted - sum(chosen.tolist()), self.records)
        shifted = chosen + every
        shifted[np.argsort(chosen, kind="stable")[:some]] += 1
        return Numbers(
            numbers.name,
            numbers.kind,
            shifted,
            np.ones(self.records, dtype=bool),
            numbers.places,
            pa.chunked_array([pa.nulls(self.records, numbers.kind)]),
        ).replaced(shifted)

    def _among(
        self, engine: Engine, source: Source, columns: dict[str, pa.Array], draws: Draws
    ) -> tuple[Source, Ints]:
        schema, variables = source.schema.remove_metadata(), source.variables
        fields = []
        for entry in schema:
            new = columns[entry.name].type
            fields.append(entry if new == entry.type else pa.field(entry.name, new))
        arrays = [_one(columns[name]) for name in schema.names]
        if self.flag is not None:
            fields.append(pa.field(self.flag, pa.bool_()))
            arrays.append(pa.array(np.ones(self.records, dtype=bool)))
            flag = Variable(self.flag, role="identifier")
            variables = Variables([*variables.values(), flag])
        schema = pa.schema([entry.with_nullable(True) for entry in fields])
        # a made-up record stands before the real one of this number
        limits = np.full(self.records, source.records, dtype=np.int64)
        before = np.sort(draws.below(limits, "among", np.arange(self.records)))
        made = pa.table(arrays, schema=schema)
        flagged = self.flag is not None

        def change(batch: pa.RecordBatch, numbers: Ints) -> pa.RecordBatch:
            if flagged:
                real = pa.array(np.zeros(batch.num_rows, dtype=bool))
                batch = pa.record_batch([*batch.columns, real], names=schema.names)
            if not batch.num_rows:
                return pa.Table.from_batches([batch]).cast(schema).to_batches()[0]
            first, last = np.searchsorted(before, [numbers[0], numbers[-1] + 1])
            both = pa.concat_tables(
                [made.slice(first, last - first), pa.Table.from_batches([batch]).cast(schema)]
            )
            order = np.argsort(np.concatenate([before[first:last], numbers]), kind="stable")
            return both.take(pa.array(order)).combine_chunks().to_batches()[0]

        numbers = np.arange(source.records)
        places = np.argsort(np.concatenate([before, numbers]), kind="stable") - self.records
        result = engine.transform(source, change, schema=schema, variables=variables)
        return result, np.maximum(places, -1)


def _donors(counts: Ints, draws: Draws, stream: str, number: int) -> Ints:
    """Return classes of records drawn at random, with replacement."""
    ends = np.cumsum(counts)
    limits = np.full(number, int(ends[-1]), dtype=np.int64)
    tickets = draws.below(limits, stream, np.arange(number))
    return np.asarray(np.searchsorted(ends, tickets, side="right"))


def _largest_move(counts: Ints, chosen: Ints) -> float:
    after = counts + np.bincount(chosen, minlength=len(counts))
    return float(np.abs(after / after.sum() - counts / counts.sum()).max())


def _no_exact(what: str, aggregate: str, step: int) -> str:
    return (
        f"The {aggregate} of {what} can stay exactly equal only if the number of made-up records "
        f"is a multiple of {step:,}. Add so many, or allow a small difference with exact=False."
    )


def _one(column: Any) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
