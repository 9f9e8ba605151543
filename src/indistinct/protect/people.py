"""Protecting people who have several records: k people in every class, not k records.

A *unit* is one person with one combination of the key, however many records. A method works on a
table of units, and what it decides for a unit is done to all its records. Where a person has one
combination, as with sex and year of birth, a class of k units is a class of k people. Where one
has up to m, a class of n units has at least n / m people: the method is asked for more units
until every class has k people, which (k - 1) m + 1 units always are.

Records that do not say whose they are may all be of one person, and are counted as one. They may
have any number of combinations, so they are no reason to ask for more units: a class that has
too few people because of them is left out at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import (
    Bools,
    ClassSize,
    GuaranteeError,
    InputError,
    Ints,
    Seed,
    Variable,
    Variables,
)
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import people_by_class, person_of_records, uniques
from indistinct.protect.plan import Plan
from indistinct.protect.protected import Cost, Protected
from indistinct.protect.receipt import Receipt
from indistinct.protect.secret import ReleaseKey
from indistinct.protect.step import Context, Step, check_key
from indistinct.protect.steps.columns import group_numbers, with_columns

__all__ = ["ForPeople", "Units", "for_people", "protect_people"]


UNIT = "__unit__"
"""A column that numbers the units while a method works on them; it is never released."""


@dataclass(frozen=True, eq=False)
class Units:
    """People with one combination of the key each.

    Parameters
    ----------
    source
        One record of each unit, with all its columns and the number of the unit.
    unit_of
        The unit of every record.
    most
        The most units that a person has, of those who are named.
    most_records
        The most records that a unit has.
    """

    source: Source
    unit_of: Ints
    most: int
    most_records: int

    @classmethod
    def of(cls, engine: Engine, source: Source, key: Sequence[str], person: str) -> Units:
        """Find the units of a file."""
        source.check_columns([*key, person])
        if UNIT in source.variables:
            raise InputError(f"{source.origin} has a column '{UNIT}'. Rename it.")
        people = person_of_records(engine, source, person)
        found = group_numbers(engine, source, key) * (int(people.max(initial=0)) + 1) + people
        first, unit_of = np.unique(found, return_index=True, return_inverse=True)[1:]
        # units are numbered in the order of their first records, in which the table has them
        order = np.argsort(first)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        unit_of, first = rank[unit_of.reshape(-1)], np.sort(first)
        whose = people[first]
        named = source.table([person]).column(0).take(pa.array(first)).is_valid()
        named_units = np.bincount(whose[named.to_numpy(zero_copy_only=False)], minlength=1)
        return cls(
            _first_records(engine, source, first),
            unit_of,
            max(1, int(named_units.max())),
            int(np.bincount(unit_of, minlength=1).max()),
        )


def _first_records(engine: Engine, source: Source, first: Ints) -> Source:
    """Return the records with these numbers, numbered anew in a column of their own."""
    schema = source.schema.append(pa.field(UNIT, pa.int64()))

    def change(batch: pa.RecordBatch, numbers: Ints) -> pa.RecordBatch:
        at = np.searchsorted(first, numbers)
        at[at == len(first)] = 0
        here = np.flatnonzero(first[at] == numbers)
        kept = batch.take(pa.array(here))
        return pa.RecordBatch.from_arrays([*kept.columns, pa.array(at[here])], schema=schema)

    variables = Variables([*source.variables.values(), Variable(UNIT)])
    return engine.transform(source, change, schema=schema, variables=variables)


@dataclass(frozen=True)
class ForPeople(Step, kind="for-people"):
    """Apply steps to people instead of records, so that every class has k people.

    Parameters
    ----------
    person
        The column that says whose record each is.
    key, k
        In what stays, each combination of the key is that of at least k people.
    steps
        What is done to the units. Of the variables they change those of the key.
    enforces
        Whether records of classes that still have fewer than k people are left out.
    """

    person: str
    key: tuple[str, ...]
    k: int
    steps: tuple[Step, ...]
    enforces: bool = True

    finds_uniques = True
    draws_at_random = True

    def __post_init__(self) -> None:
        """Refuse a wrong key or k, and no steps."""
        check_key(self.key, self.k)
        if not self.steps:
            raise InputError("Protecting people needs at least one step.")
        if self.person in self.key:
            raise InputError(f"'{self.person}' says who people are and cannot be in the key.")
        # a step of steps alters values if one of them does
        object.__setattr__(self, "truthful", all(step.truthful for step in self.steps))

    def order_problem(self, later: Step) -> str | None:
        """Say what the steps say."""
        return next((why for step in self.steps if (why := step.order_problem(later))), None)

    def describe(self) -> str:
        """Say what is done."""
        done = "; ".join(step.describe() for step in self.steps)
        last = f"; leave out classes of fewer than {self.k} people" if self.enforces else ""
        return f"for people (by {self.person}) instead of records: {done}{last}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Apply the steps to the units, give their records what they got, and count people."""
        units = Units.of(engine, source, self.key, self.person)
        changed, receipts = units.source, []
        for number, step in enumerate(self.steps):
            changed, receipt = step.apply(engine, changed, context.inner(number))
            receipts.append(receipt)
        stays = changed.table([UNIT]).column(0).to_numpy()
        row_of = np.full(units.source.records, -1, dtype=np.int64)
        row_of[stays] = np.arange(len(stays))
        row = row_of[units.unit_of]
        result, differs = self._returned(engine, source, units, changed, row)
        rows = np.flatnonzero(row >= 0)
        few = np.zeros(result.records, dtype=bool)
        if result.records:
            people = people_by_class(engine, result, self.key, self.person)
            few = people[group_numbers(engine, result, self.key)] < self.k
        if self.enforces and few.any():
            if few.all():
                raise GuaranteeError(
                    f"Every class has fewer than {self.k} people by '{self.person}', so no record "
                    "would be left. Use fewer key variables or coarser categories first."
                )
            result = engine.keep(result, ~few)
            differs = {name: mask[~few] for name, mask in differs.items()}
            rows = rows[~few]
        touched = np.zeros(result.records, dtype=bool)
        for mask in differs.values():
            touched |= mask
        return self.with_receipt(
            source,
            result,
            records_changed=int(touched.sum()),
            cells_changed={name: int(mask.sum()) for name, mask in differs.items()},
            residual=0 if self.enforces else int(few.sum()),
            notes=(*self._notes(units, int(few.sum())), *(n for r in receipts for n in r.notes)),
            warnings=tuple(w for r in receipts for w in r.warnings),
            private=[r.private for r in receipts],
            rows=rows if len(rows) < source.records else None,
        )

    def _returned(
        self, engine: Engine, source: Source, units: Units, changed: Source, row: Ints
    ) -> tuple[Source, dict[str, Bools]]:
        """Give every record what its unit got; leave out the records of units that left."""
        kept = row >= 0
        result = source if kept.all() else engine.keep(source, kept)
        row, unit = row[kept], units.unit_of[kept]
        before, after = (s.table(list(self.key)).combine_chunks() for s in (units.source, changed))
        differs: dict[str, Bools] = {}
        new: dict[str, pa.ChunkedArray] = {}
        for name in self.key:
            old, now = before.column(name), after.column(name)
            mask = _differing(old.take(pa.array(unit)), now.take(pa.array(row)))
            differs[name] = mask
            if mask.any() or old.type != now.type:
                new[name] = now.take(pa.array(row))
        if new and result.records:
            described = Variables(
                changed.variables[name] if name in new else variable
                for name, variable in result.variables.items()
            )
            result = with_columns(engine, result, new, variables=described)
        return result, differs

    def _notes(self, units: Units, few: int) -> tuple[str, ...]:
        known = f"{units.source.records:,} people and combinations of the key"
        said = f"{len(units.unit_of):,} records of {known}, which were protected as one each"
        if not self.enforces or not few:
            return (said,)
        return said, f"{few:,} records of classes with fewer than {self.k} people were left out"


def _differing(before: pa.ChunkedArray, after: pa.ChunkedArray) -> Bools:
    """Say which cells are not what they were; a label is compared with the text of a value."""
    if before.type != after.type:
        before = before.cast(after.type)
    was, now = (column.is_null(nan_is_null=True) for column in (before, after))
    other = pc.and_not(pc.fill_null(pc.not_equal(before, after), False), pc.and_(was, now))
    return np.asarray(pc.or_(other, pc.xor(was, now)).to_numpy())


def for_people(plan: Plan, person: str) -> Plan:
    """Return a plan whose steps that look for small classes count people.

    >>> from indistinct.protect import Destroy
    >>> for_people(Plan((Destroy(("sex",), 3),)), "patient").steps[0].kind
    'for-people'
    """
    return Plan(
        tuple(
            ForPeople(person, key, k, (step,))
            if step.finds_uniques and (key := _key_of(step)) and (k := getattr(step, "k", 0)) > 1
            else step
            for step in plan.steps
        )
    )


def _key_of(step: Step) -> tuple[str, ...]:
    key: tuple[str, ...] = () if isinstance(step, ForPeople) else getattr(step, "key", ())
    return key


def protect_people(
    engine: Engine,
    source: Source,
    key: Sequence[str],
    *,
    person: str,
    k: ClassSize,
    protect: Callable[[Units, int], Protected],
    seed: Seed,
    secrets: ReleaseKey | None = None,
    only_k: bool = False,
    first: int = 0,
) -> Protected:
    """Let a method protect people instead of records, and count people before and after.

    Parameters
    ----------
    protect
        What the method makes of the units, when it is asked for classes of so many of them.
    only_k
        Whether the method is asked for k units and no more, and what then has too few people is
        left out: for a method that leaves records out anyhow.
    first
        The place of the step, where steps before it have been applied already.
    """
    before = uniques(engine, source, key, k=k, person=person)
    units = Units.of(engine, source, key, person)
    best: Protected | None = None
    for asked in [k] if only_k else _attempts(k, units):
        try:
            inner = protect(units, asked)
        except (GuaranteeError, InputError):
            if best is None:
                raise
            break  # so many units cannot be had; what was found before is taken
        step = ForPeople(person, tuple(key), k, inner.plan.steps, enforces=inner.guaranteed)
        applied = Plan((step,)).apply(engine, source, seed=seed, secrets=secrets, first=first)
        found = replace(
            inner, k=k, plan=Plan((step,)), source=applied.source, receipts=applied.receipts
        )
        if best is None or found.source.records > best.source.records:
            best = found
        if not inner.guaranteed or _records_of(units, inner.source) == found.source.records:
            break  # nothing is promised, or all that the method kept has k people
    if best is None:
        raise InputError("There is no number of units to ask for.")
    after = uniques(engine, best.source, key, k=k, person=person)
    return replace(
        best,
        before=before,
        after=after,
        guaranteed=not after.at_risk,
        cost=_of_records(best.cost, source.records - best.source.records),
    )


def _attempts(k: int, units: Units) -> Iterator[int]:
    """Yield how many units to ask for: k, then twice as many, until that must be k people."""
    surely = (k - 1) * units.most + 1
    asked = k
    while asked < surely:
        yield asked
        asked *= 2
    yield surely


def _records_of(units: Units, kept: Source) -> int:
    """Return how many records the units have that a method kept."""
    sizes = np.bincount(units.unit_of, minlength=units.source.records)
    return int(sizes[kept.table([UNIT]).column(0).to_numpy()].sum())


def _of_records(cost: Cost | None, left_out: int) -> Cost | None:
    """Return what a method took away with the records that were left out in the end."""
    return None if cost is None else replace(cost, suppressed_records=left_out)
