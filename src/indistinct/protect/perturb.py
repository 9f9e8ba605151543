"""Action 3: replace values of the records that stand out by other values (section 6.4)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
import pyarrow as pa

from indistinct.core import Bools, GuaranteeError, InputError, Ints, check_whole, did_you_mean
from indistinct.engine import Coding, Engine
from indistinct.files import Source
from indistinct.keys import KeyTable, counts_by_row, group_rows, uniques
from indistinct.protect.cells import (
    LEAVE,
    NewCells,
    blank_codes,
    members,
    replace_cells,
)
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step, check_key

__all__ = ["How", "Perturb", "nearest_safe_classes"]


# The nearest safe class: for records that stand out, the classes that differ in fewest variables.
#
# Two ways give the same classes. *Joining* takes each set of m variables in turn and matches the
# small classes with the safe ones on all others. *Comparing* looks at every pair. Joining is
# cheaper for small m, comparing when few small classes are left.


_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class _Seekers:
    """The records that seek a class: their numbers, and the row of their class."""

    records: Ints
    rows: Ints

    def of(self, rows: Bools) -> Ints:
        return np.flatnonzero(rows[self.rows])


def nearest_safe_classes(
    small: Ints,
    safe: Ints,
    blank: Ints,
    *,
    records: Ints,
    rows: Ints,
    free: tuple[int, ...],
    draws: Draws,
) -> Ints:
    """Return for every record the row in `safe` of the class it moves to, -1 where there is none.

    Parameters
    ----------
    small, safe
        Ints of the classes that are too small and of those that are not.
    blank
        The code of *no value* of each variable. No value is changed to it: that is blanking.
    records, rows
        The numbers of the records in small classes, and the row in `small` of each.
    free
        The variables that may change; all others must agree.
    draws
        Breaks ties: among classes at the same distance each is as likely.
    """
    seekers = _Seekers(records, rows)
    target = np.full(len(records), -1, dtype=np.int64)
    left = np.ones(len(small), dtype=bool)
    for size in range(1, len(free) + 1):
        if not left.any() or not len(safe):
            break
        pairs = int(left.sum()) * len(safe) * small.shape[1]
        if pairs <= comb(len(free), size) * (int(left.sum()) + len(safe)) * 20:
            _compare(small, safe, blank, left, free, seekers, draws, target)
            break
        seen = np.zeros(len(small), dtype=np.int64)
        for number, chosen in enumerate(combinations(free, size)):
            _join(small, safe, blank, left, chosen, number, seen, seekers, draws, target)
        left &= seen == 0
    return target


def _join(
    small: Ints,
    safe: Ints,
    blank: Ints,
    left: Bools,
    chosen: tuple[int, ...],
    number: int,
    seen: Ints,
    seekers: _Seekers,
    draws: Draws,
    target: Ints,
) -> None:
    """Offer the safe classes that agree on all variables but the chosen.

    Offers come in turns; the n-th lot replaces what was chosen before with the probability of
    its share in all offers so far, so that in the end each offer is as likely (a reservoir).
    """
    columns = list(chosen)
    others = [j for j in range(small.shape[1]) if j not in chosen]
    valid = np.flatnonzero((safe[:, columns] != blank[columns]).all(axis=1))
    seeking = np.flatnonzero(left)
    both = np.concatenate([small[seeking][:, others], safe[valid][:, others]])
    groups = group_rows(both)
    safe_groups = groups[len(seeking) :]
    order = np.argsort(safe_groups, kind="stable")
    ordered = safe_groups[order]
    starts = np.zeros(len(small), dtype=np.int64)
    offers = np.zeros(len(small), dtype=np.int64)
    starts[seeking] = np.searchsorted(ordered, groups[: len(seeking)], side="left")
    ends = np.searchsorted(ordered, groups[: len(seeking)], side="right")
    offers[seeking] = ends - starts[seeking]
    seen += offers
    at = seekers.of(offers > 0)
    rows, records = seekers.rows[at], seekers.records[at]
    takes = draws.below(seen[rows], "nearest-lot", records, turn=number) < offers[rows]
    at, rows, records = at[takes], rows[takes], records[takes]
    pick = draws.below(offers[rows], "nearest-pick", records, turn=number)
    target[at] = valid[order[starts[rows] + pick]]


def _compare(
    small: Ints,
    safe: Ints,
    blank: Ints,
    left: Bools,
    free: tuple[int, ...],
    seekers: _Seekers,
    draws: Draws,
    target: Ints,
) -> None:
    width = small.shape[1]
    far = width + 1
    of_class = np.argsort(seekers.rows, kind="stable")
    bounds = np.searchsorted(seekers.rows[of_class], np.arange(len(small) + 1))
    seeking = np.flatnonzero(left)
    step = max(1, _BLOCK // max(1, len(safe)))
    for start in range(0, len(seeking), step):
        block = seeking[start : start + step]
        distance = np.zeros((len(block), len(safe)), dtype=np.int16)
        for j in range(width):
            differs = small[block, j][:, None] != safe[:, j]
            if j in free:
                distance += differs
                differs &= safe[:, j] == blank[j]
            distance[differs] = far
            # far may grow by the variables that follow; it stays below 2 · far
        nearest = distance.min(axis=1)
        for i, row in enumerate(block):
            if nearest[i] >= far:
                continue
            offers = np.flatnonzero(distance[i] == nearest[i])
            at = of_class[bounds[row] : bounds[row + 1]]
            limits = np.full(len(at), len(offers), dtype=np.int64)
            target[at] = offers[draws.below(limits, "nearest-compare", seekers.records[at])]


How = Literal["nearest", "marginal"]


@dataclass(frozen=True)
class Perturb(Step, kind="perturb"):
    """Replace key values of the records in classes smaller than k.

    A changed value always differs from the original one, and is a value that another record has.

    Parameters
    ----------
    key, k
        Which records: those whose key fewer than k records share.
    variables
        The key variables that may change; all by default.
    how
        ``nearest`` moves a record into a class that is safe already and differs in the fewest
        variables; ties are drawn. ``marginal`` draws every named variable from its distribution
        in the file, the record's own value excluded, and draws again while the record is in a
        small class.
    rounds
        How often ``marginal`` draws before it leaves the rest as they are.
    """

    key: tuple[str, ...]
    k: int
    variables: tuple[str, ...] = ()
    how: How = "nearest"
    rounds: int = 50

    finds_uniques = True
    draws_at_random = True

    def __post_init__(self) -> None:
        """Refuse a wrong key, k, variable or number of rounds."""
        check_key(self.key, self.k)
        for name in self.variables:
            if name not in self.key:
                raise InputError(f"'{name}' is not in the key. {did_you_mean(name, self.key)}")
        if len(set(self.variables)) < len(self.variables):
            raise InputError("A variable to perturb is named twice. Name each once.")
        if self.how not in ("nearest", "marginal"):
            raise InputError(f"how must be nearest or marginal. Got '{self.how}'.")
        check_whole("rounds", self.rounds, 1)

    def describe(self) -> str:
        """Say what is done."""
        which = ", ".join(self.variables or self.key)
        source = {
            "nearest": "by those of the nearest class that is large enough",
            "marginal": "by other values drawn from the file",
        }[self.how]
        return (
            f"replace values of {which} {source}, in the records in classes smaller than "
            f"{self.k} by {', '.join(self.key)}"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Replace the values."""
        found = uniques(engine, source, self.key, k=self.k)
        if not found.at_risk:
            return source, Receipt(self.kind, source.records, source.records, residual=0)
        table = found.key_table
        small = table.smaller_than(self.k)
        records, classes = members(found, small)
        free = tuple(self.key.index(name) for name in self.variables or self.key)
        draws = context.draws()
        if self.how == "nearest":
            codes, drawn = _nearest(table, small, records, classes, free, draws), 1
        else:
            codes, drawn = _marginal(
                table, small, records, classes, free, draws, k=self.k, rounds=self.rounds
            )
        changed = codes != table.codes[classes]
        result = replace_cells(engine, source, records, _new_cells(source, table, codes, changed))
        left = _still_small(table, small, codes, k=self.k)
        notes = [f"values were drawn in {drawn} rounds"] if self.how == "marginal" else []
        if left.any():
            notes.append(self._stuck(int(left.sum())))
        return self.with_receipt(
            source,
            result,
            records_changed=int(changed.any(axis=1).sum()),
            cells_changed=dict(zip(self.key, changed.sum(axis=0).tolist(), strict=True)),
            residual=int(left.sum()),
            notes=tuple(notes),
        )

    def _stuck(self, number: int) -> str:
        if self.how == "nearest":
            return (
                f"{number:,} records found no safe class that agrees with them on the other key "
                "variables; let more variables change, or take another action"
            )
        return (
            f"{number:,} records were still in small classes after {self.rounds} rounds; draw "
            "fewer variables, or use how='nearest'"
        )


def _nearest(
    table: KeyTable,
    small: Bools,
    records: Ints,
    classes: Ints,
    free: tuple[int, ...],
    draws: Draws,
) -> Ints:
    safe = table.codes[~small]
    row_of = np.cumsum(small) - 1
    target = nearest_safe_classes(
        table.codes[small],
        safe,
        blank_codes(table),
        records=records,
        rows=row_of[classes],
        free=free,
        draws=draws,
    )
    codes = table.codes[classes]
    codes[target >= 0] = safe[target[target >= 0]]
    return codes


def _marginal(
    table: KeyTable,
    small: Bools,
    records: Ints,
    classes: Ints,
    free: tuple[int, ...],
    draws: Draws,
    *,
    k: int,
    rounds: int,
) -> tuple[Ints, int]:
    original = table.codes[classes]
    codes = original.copy()
    blank = blank_codes(table)
    totals = [_category_totals(table, j, int(blank[j])) for j in free]
    again = np.ones(len(records), dtype=bool)
    for turn in range(rounds):
        at = np.flatnonzero(again)
        for j, counts in zip(free, totals, strict=True):
            name = table.names[j]
            codes[at, j] = _drawn(counts, original[at, j], name, records[at], draws, turn)
        again = _still_small(table, small, codes, k=k)
        if not again.any():
            break
    return codes, turn + 1


def _category_totals(table: KeyTable, j: int, blank: int) -> Ints:
    """Count the records of each category, and none for *no value*, which is never drawn."""
    counts = np.zeros(blank + 1, dtype=np.int64)
    np.add.at(counts, table.codes[:, j], table.counts)
    counts[blank] = 0
    return counts


def _drawn(
    counts: Ints,
    own: Ints,
    name: str,
    records: Ints,
    draws: Draws,
    turn: int,
) -> Ints:
    """Draw a category in proportion to its count, never a record's own."""
    ends = np.cumsum(counts)
    others = ends[-1] - counts[own]
    if (others == 0).any():
        raise GuaranteeError(
            f"'{name}' has no other value that could replace that of a record that stands out. "
            "Perturb other variables, or take another action."
        )
    ticket = draws.below(others, f"marginal-{name}", records, turn=turn)
    # tickets from the record's own category on belong to the categories behind it
    ticket += np.where(ticket >= ends[own] - counts[own], counts[own], 0)
    return np.searchsorted(ends, ticket, side="right").astype(np.int64)


def _still_small(table: KeyTable, small: Bools, codes: Ints, *, k: int) -> Bools:
    rows = np.concatenate([codes, table.codes[~small]])
    counts = np.concatenate([np.ones(len(codes), dtype=np.int64), table.counts[~small]])
    return counts_by_row(rows, counts)[: len(codes)] < k


def _new_cells(source: Source, table: KeyTable, codes: Ints, changed: Bools) -> dict[str, NewCells]:
    schema = source.schema
    new = {}
    for j, name in enumerate(table.names):
        if not changed[:, j].any():
            continue
        used, choice = np.unique(codes[:, j], return_inverse=True)
        values = _values(table.coding.variables[j], used, schema.field(name).type)
        new[name] = NewCells(
            np.where(changed[:, j], choice.reshape(-1), LEAVE),
            values,
        )
    return new


def _values(coding: Coding, codes: Ints, kind: pa.DataType) -> pa.Array:
    """Return the values of codes in the column's own type, without a way through Python."""
    no_value = (codes == coding.size - 1) if coding.missing else np.zeros(len(codes), dtype=bool)
    if coding.values is None:
        return pa.array(codes + coding.low, mask=no_value).cast(kind)
    return coding.values.take(pa.array(codes, mask=no_value)).cast(kind)
