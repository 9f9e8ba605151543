"""Swapping: two tuples exchange values, so every margin stays (Sweeney 2001, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.core import Bools, InputError, Ints
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable
from indistinct.protect.cells import LEAVE, NewCells, replace_cells
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import (
    check_records,
    check_share,
    check_variables,
    class_numbers,
    group_numbers,
    values_of,
)

__all__ = ["SwapValues"]


@dataclass(frozen=True)
class SwapValues(Step, kind="swap-values"):
    """Exchange values between pairs of records.

    What the first had becomes what the second has, and the other way round. Counts of every
    variable stay, of the variables swapped together also their joint counts; a missing value is
    exchanged like any other. Ints that are given undo themselves when swapped again.

    Parameters
    ----------
    variables
        What is exchanged.
    pairs
        Ints of record numbers, from 0; no record twice. Or else
    share
        the share of records that are swapped, in pairs drawn at random.
    within
        For drawn pairs: both records agree on these variables, so that counts by them stay too.
    together
        Exchange all variables as a unit. False draws pairs for each by itself.
    """

    variables: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...] = ()
    share: float | None = None
    within: tuple[str, ...] = ()
    together: bool = True

    draws_at_random = True
    perturbs = True

    def __post_init__(self) -> None:
        """Refuse variables twice, neither pairs nor share, and a record in two pairs."""
        object.__setattr__(self, "pairs", tuple((a, b) for a, b in self.pairs))
        object.__setattr__(self, "draws_at_random", self.share is not None)
        check_variables(self.variables, "swapping")
        if bool(self.pairs) == (self.share is not None):
            raise InputError("Swapping needs either pairs or a share of the records.")
        if self.share is not None:
            check_share(self.share, "share of records to swap")
        both = set(self.variables) & set(self.within)
        if both:
            raise InputError(f"'{min(both)}' cannot be swapped within itself.")
        if self.pairs and (self.within or not self.together):
            raise InputError("within and together=False are for pairs that are drawn.")
        named = [n for pair in self.pairs for n in pair]
        if len(set(named)) < len(named):
            raise InputError("A record is named in two pairs, or twice in one. Name each once.")

    def describe(self) -> str:
        """Say what is done, without the records' numbers."""
        named = ", ".join(self.variables)
        if self.share is None:
            number = len(self.pairs)
            what = "one pair" if number == 1 else f"{number:,} pairs"
            return f"swap {named} between {what} of records named by the holder"
        how = "" if len(self.variables) == 1 else (" together" if self.together else " one by one")
        agree = f" that agree on {', '.join(self.within)}" if self.within else ""
        return (
            f"swap {named}{how} between pairs of records drawn at random{agree}, "
            f"{self.share:.2%} of the records"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Exchange the values."""
        source.check_columns([*self.variables, *self.within])
        check_records(source, [n for pair in self.pairs for n in pair])
        units = [self.variables] if self.together else [(name,) for name in self.variables]
        groups = group_numbers(engine, source, self.within) if self.share else None
        result = source
        cells: dict[str, int] = {}
        touched = np.zeros(source.records, dtype=bool)
        pairs_in_all = 0
        for unit in units:
            if groups is None or self.share is None:
                pairs = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
            else:
                pairs = _drawn(groups, self.share, context.draws(), "+".join(unit))
            pairs_in_all += len(pairs)
            records, new, changed = _exchanged(engine, source, unit, pairs)
            result = replace_cells(engine, result, records, new)
            cells |= dict(zip(unit, changed.sum(axis=0).tolist(), strict=True))
            touched[records] |= changed.any(axis=1)
        return self.with_receipt(
            source,
            result,
            records_changed=int(touched.sum()),
            cells_changed=cells,
            notes=(f"{pairs_in_all:,} pairs were swapped; where both had the same, nothing moved",),
        )


def _drawn(groups: Ints, share: float, draws: Draws, stream: str) -> Ints:
    """Pair records of the same group: in each the share, rounded to whole pairs without bias."""
    numbers = np.arange(len(groups))
    order = np.lexsort((numbers, draws.words(stream, numbers), groups))
    sizes = np.bincount(groups)
    chance = draws.uniform(f"{stream}/pairs", np.arange(len(sizes)))
    wanted = np.minimum(sizes // 2, np.floor(sizes * share / 2 + chance).astype(np.int64))
    place = np.arange(len(groups)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chosen = order[place < 2 * wanted[groups[order]]]
    return chosen.reshape(-1, 2)


def _exchanged(
    engine: Engine, source: Source, unit: tuple[str, ...], pairs: Ints
) -> tuple[Ints, dict[str, NewCells], Bools]:
    """Return the records of pairs, their new cells, and which of these differ."""
    if not len(pairs):
        return np.empty(0, dtype=np.int64), {}, np.zeros((0, len(unit)), dtype=bool)
    tally = engine.count(source, unit)
    table, classes = KeyTable.from_tally(tally), class_numbers(tally)
    records = np.concatenate([pairs[:, 0], pairs[:, 1]])
    partners = np.concatenate([pairs[:, 1], pairs[:, 0]])
    order = np.argsort(records)
    records, partners = records[order], partners[order]
    codes = table.codes[classes[partners]]
    changed = codes != table.codes[classes[records]]
    new, schema = {}, source.schema
    for j, name in enumerate(unit):
        if changed[:, j].any():
            used, choice = np.unique(codes[:, j], return_inverse=True)
            values = values_of(table.coding.variables[j], used, schema.field(name).type)
            new[name] = NewCells(np.where(changed[:, j], choice.reshape(-1), LEAVE), values)
    return records, new, changed
