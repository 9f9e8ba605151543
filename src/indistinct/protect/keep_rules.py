"""Steps under edit rules: what they change must not become impossible.

The steps are applied. Where a record then breaks a rule that it did not break before, a changed
cell of its household gets its own value back, in exchange with a record that holds that value,
so that every value stays as frequent as the steps left it. The other record is one that the same
step changed, in the same stratum, so what a step left alone stays alone. An exchange that would
break a rule elsewhere is taken back. Where that finds nobody in some rounds, any record that some
step changed will do; what then is left is put back alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, Floats, InputError, Ints, progress
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.households import HouseholdColumns, Kinship, read_kinship
from indistinct.protect.receipt import Receipt
from indistinct.protect.shuffling.step import Shuffle
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import group_numbers, with_columns
from indistinct.rules import Column, Rules

__all__ = ["KeepRules"]

_ROUNDS = 40


@dataclass(frozen=True)
class KeepRules(Step, kind="keep-rules"):
    """Apply steps, and mend what they made impossible.

    Parameters
    ----------
    steps
        Steps that keep the number and the order of the records.
    rules
        What no record may say.
    households
        Which columns say who lives with whom, where the rules speak of relatives.
    """

    steps: tuple[Step, ...]
    rules: Rules
    households: HouseholdColumns | None = None

    draws_at_random = True
    perturbs = True

    def __post_init__(self) -> None:
        """Refuse no steps and no rules."""
        if not self.steps or not len(self.rules):
            raise InputError("Keeping edit rules needs at least one step and one rule.")

    def order_problem(self, later: Step) -> str | None:
        """Say what the steps say."""
        return next((why for step in self.steps if (why := step.order_problem(later))), None)

    def describe(self) -> str:
        """Say what is done."""
        done = "; ".join(step.describe() for step in self.steps)
        return f"{done}; mend what then breaks an edit rule ({', '.join(self.rules)})"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Apply the steps and mend."""
        self.rules.check_variables(source.variables)
        kinship = None
        if self.rules.needs_kinship:
            if self.households is None:
                raise InputError("The rules speak of relatives. Say which columns are households.")
            kinship = read_kinship(source, self.households)
        changed, receipts = source, []
        circles = _Circles(self.rules.variables, source.records)
        steps = progress.each(self.steps, "changing under edit rules", unit="steps")
        for number, step in enumerate(steps):
            before = changed
            changed, receipt = step.apply(engine, before, context.inner(number))
            if changed.records != source.records:
                raise InputError(
                    "Steps under edit rules must keep every record. Put others outside."
                )
            circles.add(engine, step, before, changed, receipt)
            receipts.append(receipt)
        mending = _Mending(
            self.rules, source, changed, kinship, context.generator(), circles.numbers
        )
        mending.run()
        result = mending.written(engine, changed)
        names = list(dict.fromkeys(n for r in receipts for n in r.cells_changed))
        cells, touched = _compared(source, result, names)
        return self.with_receipt(
            source,
            result,
            records_changed=int(touched.sum()),
            cells_changed=cells,
            notes=(*(note for r in receipts for note in r.notes), *mending.notes),
            warnings=tuple(w for r in receipts for w in r.warnings),
            private=[r.private for r in receipts],
        )


@dataclass(eq=False)
class _Circles:
    """Who may exchange with whom: for every variable, records that the same step changed in the
    same stratum have the same number; 0 where no step changed anything."""

    variables: Sequence[str]
    records: int
    numbers: dict[str, Ints] = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = {name: np.zeros(self.records, dtype=np.int64) for name in self.variables}

    def add(
        self, engine: Engine, step: Step, before: Source, after: Source, receipt: Receipt
    ) -> None:
        touched = [name for name in self.variables if receipt.cells_changed.get(name)]
        if not touched:
            return
        group = group_numbers(engine, before, _kept_apart(step, before))
        for name in touched:
            circle = self.numbers[name]
            moved = _differing(before, after, name)
            circle[moved] = circle.max() + 1 + group[moved]


def _kept_apart(step: Step, source: Source) -> list[str]:
    """Return the variables between whose values a step exchanges nothing."""
    named = [*getattr(step, "within", ()), *getattr(step, "apart", ())]
    if isinstance(step, Shuffle) and step.of == "couples" and step.households is not None:
        named.append(step.households.sex)  # husbands with husbands, wives with wives
    bands = getattr(step, "bands", {})
    return [name for name in dict.fromkeys(named) if name in source.variables and name not in bands]


@dataclass(eq=False)
class _Mending:
    rules: Rules
    source: Source
    changed: Source
    kinship: Kinship | None
    rng: np.random.Generator
    circles: Mapping[str, Ints]
    notes: tuple[str, ...] = ()
    columns: dict[str, _Cells] = field(default_factory=dict)

    def run(self) -> None:
        old = self.rules.read(self.source)
        now = self.rules.read(self.changed)
        self.columns = {
            name: _Cells.of(name, old[name], now[name], self.circles[name]) for name in old
        }
        before = self.rules.violations(old, self.kinship)
        self.allowed = before.by_rule
        first = self._new()
        broken = sum(int(mask.sum()) for mask in first.values())
        exchanged = across = alone = 0
        rounds = progress.each(range(2 * _ROUNDS), "keeping the edit rules", unit="rounds")
        for turn in rounds:
            if not any(mask.any() for mask in self._new().values()):
                break
            if turn == _ROUNDS:
                for cells in self.columns.values():
                    cells.widen()
            done = self._exchange()
            exchanged, across = exchanged + done, across + (done if turn >= _ROUNDS else 0)
        while any(mask.any() for mask in self._new().values()):
            alone += self._put_back()
        self.notes = (
            f"edit rules: {sum(before.counts.values()):,} violations before; the steps made "
            f"{broken:,} more, of which none is left ({exchanged:,} values were exchanged back, "
            f"{across:,} of them across strata, {alone:,} put back alone)",
        )

    def written(self, engine: Engine, changed: Source) -> Source:
        """Write the columns in which something was mended."""
        moved = {n: c for n, c in self.columns.items() if not c.as_left()}
        if not moved:
            return changed
        table, old = changed.table(list(moved)), self.source.table(list(moved))
        new = {}
        for name, cells in moved.items():
            here = table.column(name).combine_chunks()
            both = pa.concat_arrays([here, old.column(name).combine_chunks().cast(here.type)])
            new[name] = both.take(pa.array(cells.index))
        return with_columns(engine, changed, new)

    def _new(self) -> dict[str, Bools]:
        """Return, by rule, the records that break it and did not before."""
        found = self.rules.violations(self._current(), self.kinship).by_rule
        return {name: mask & ~self.allowed[name] for name, mask in found.items()}

    def _current(self) -> Mapping[str, Column]:
        return {name: cells.current() for name, cells in self.columns.items()}

    def _household(self) -> Ints:
        if self.kinship is None:
            return np.arange(self.source.records)
        return self.kinship.household

    def _candidates(self) -> dict[str, Ints]:
        """Return, by variable, the changed cells of households that break a rule anew."""
        house = self._household()
        found: dict[str, Bools] = {}
        for rule, mask in self._new().items():
            bad = np.zeros(int(house.max()) + 1, dtype=bool)
            bad[house[mask]] = True
            for name in self.rules[rule].expression.variables:
                cells = self.columns[name].differing() & bad[house]
                found[name] = found.get(name, np.zeros(len(house), dtype=bool)) | cells
        return {name: np.flatnonzero(mask) for name, mask in found.items()}

    def _exchange(self) -> int:
        """Exchange one changed cell of every broken household back; return how many stayed so."""
        house = self._household()
        done = 0
        for name, rows in self._candidates().items():
            if not len(rows):
                continue
            before = self._broken_households()
            # one cell of a household at a time
            rows = self.rng.permutation(rows)
            rows = rows[np.unique(house[rows], return_index=True)[1]]
            cells = self.columns[name]
            partners = cells.holders(rows, self.rng)
            usable = (partners >= 0) & ~before[house[partners]]
            rows, partners = rows[usable], partners[usable]
            keep = np.unique(partners, return_index=True)[1]
            rows, partners = rows[keep], partners[keep]
            cells.swap(rows, partners)
            after = self._broken_households()
            worse = after[house[partners]]
            cells.swap(rows[worse], partners[worse])
            done += int((~worse).sum())
        return done

    def _put_back(self) -> int:
        """Give the changed cells of broken households their own values back, alone."""
        done = 0
        for name, rows in self._candidates().items():
            self.columns[name].restore(rows)
            done += len(rows)
        return done

    def _broken_households(self) -> Bools:
        house = self._household()
        broken = np.zeros(int(house.max()) + 1, dtype=bool)
        for mask in self._new().values():
            broken[house[mask]] = True
        return broken


@dataclass(eq=False)
class _Cells:
    """One variable: what every record had, and where what it has now stands.

    `index` below n is a record of the changed file, from n on one of the original.
    """

    pool: Floats | Ints
    present: Bools
    texts: tuple[str, ...] | None
    circle: Ints
    index: Ints

    @classmethod
    def of(cls, name: str, old: Column, now: Column, circle: Ints) -> _Cells:
        if (old.texts is None) != (now.texts is None):
            raise InputError(
                f"Steps under edit rules made numbers of the texts of '{name}', or texts of its "
                "numbers, so the rules do not fit both. Put such a step outside."
            )
        texts: tuple[str, ...] | None = None
        if old.texts is not None and now.texts is not None:
            texts = tuple(dict.fromkeys((*now.texts, *old.texts)))
            place = {text: number for number, text in enumerate(texts)}
            pool = np.concatenate(
                [np.array([place[t] for t in c.texts or ()] + [0])[c.values] for c in (now, old)]
            )
        else:
            pool = np.concatenate([now.values, old.values])
        present = np.concatenate([now.holds(), old.holds()])
        return cls(pool, present, texts, circle, np.arange(len(now)))

    def current(self) -> Column:
        return Column(self.pool[self.index], self.present[self.index], self.texts)

    def as_left(self) -> bool:
        return bool((self.index == np.arange(len(self.index))).all())

    def differing(self) -> Bools:
        """Say which records have another value than at the beginning."""
        own = np.arange(len(self.index)) + len(self.index)
        here, there = self.present[self.index], self.present[own]
        return np.asarray((here != there) | (here & (self.pool[self.index] != self.pool[own])))

    @cached_property
    def _codes(self) -> Ints:
        """A number for every value of the pool."""
        return np.unique(self.pool, return_inverse=True)[1].astype(np.int64)

    def holders(self, rows: Ints, rng: np.random.Generator) -> Ints:
        """Return for each record another of its circle that now holds its own value, at random;
        -1 for nobody."""
        others = np.flatnonzero((self.circle > 0) & self.present[self.index])
        size = int(self._codes.max()) + 1
        now = self.circle[others] * size + self._codes[self.index[others]]
        order = np.argsort(now, kind="stable")
        own = rows + len(self.index)
        wanted = self.circle[rows] * size + self._codes[own]
        first, last = (np.searchsorted(now[order], wanted, side=s) for s in ("left", "right"))
        place = first + (rng.random(len(rows)) * (last - first)).astype(np.int64)
        some = (last > first) & self.present[own] & (self.circle[rows] > 0)
        found = np.full(len(rows), -1, dtype=np.int64)
        found[some] = others[order[place[some]]]
        return np.where(found == rows, -1, found)

    def widen(self) -> None:
        """Let all records exchange that any step changed, whatever their strata."""
        self.circle = (self.circle > 0).astype(np.int64)

    def swap(self, rows: Ints, partners: Ints) -> None:
        self.index[rows], self.index[partners] = self.index[partners], self.index[rows]

    def restore(self, rows: Ints) -> None:
        self.index[rows] = rows + len(self.index)


def _compared(source: Source, result: Source, names: Sequence[str]) -> tuple[dict[str, int], Bools]:
    """Return how many cells of each variable differ, and which records have one."""
    touched = np.zeros(source.records, dtype=bool)
    cells = {}
    for name in names:
        differs = _differing(source, result, name)
        cells[name] = int(differs.sum())
        touched |= differs
    return cells, touched


def _differing(source: Source, result: Source, name: str) -> Bools:
    """Say which records have another value of a variable in the result."""
    before = source.table([name]).column(0).combine_chunks()
    after = result.table([name]).column(0).combine_chunks()
    if before.type != after.type:
        before = before.cast(after.type)
    was, now = (column.is_null(nan_is_null=True) for column in (before, after))
    other = pc.and_not(pc.fill_null(pc.not_equal(before, after), False), pc.and_(was, now))
    return np.asarray(pc.or_(other, pc.xor(was, now)).to_numpy(zero_copy_only=False))
