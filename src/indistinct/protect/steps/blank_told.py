"""Blanking what a class tells: the sensitive cells of classes in which there is one value alone.

Blanks in these classes and nowhere else would say that all of them had the same, and whoever knows
how often each value occurs would say which. So every such class gets a *partner* that is blanked
with it: one with several values, drawn at random among those that could have been told in its
stead. If v is what the class of m people has, a class in which at most m people have another value
than v could have had v alone, and the class its values: the same classes would be blank. Partners
are not shared, so that what could have been is blanked alike for the other classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from indistinct.core import Bools, InputError, Ints
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable
from indistinct.protect.cells import LEAVE, NewCells, replace_cells
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import check_share, filled
from indistinct.risk import PublicRule, SensitiveCounts, known_by_rule, split_told, telling_classes

__all__ = ["BlankTold", "partners", "told_records"]


def told_records(
    engine: Engine,
    source: Source,
    key: tuple[str, ...],
    sensitive: str,
    *,
    confidence: float = 1.0,
    public: Sequence[PublicRule] = (),
) -> Ints:
    """Return the records in classes of the key that tell the value of a sensitive variable.

    A file in which everybody has one value tells it of everybody; its classes add nothing, and
    neither do those that tell what a public rule says of everybody.
    """
    tally = engine.count(source, [*key, sensitive])
    if not source.records:
        return np.zeros(0, dtype=np.int64)
    split = split_told(KeyTable.from_tally(tally), key, sensitive, source.variables[sensitive])
    telling = telling_classes(split, confidence=confidence) & ~known_by_rule(split, public)
    return np.flatnonzero(np.concatenate(list(tally.per_record(telling[split.class_of]))))


@dataclass(frozen=True)
class BlankTold(Step, kind="blank-told"):
    """Blank a sensitive variable in classes that would tell its value, and in a partner of each.

    Of two classes that are blank nobody can tell which had one value alone. A class for which
    there is no partner is blanked all the same: `residual` counts the records of such classes.

    Parameters
    ----------
    key
        The variables that make the classes, as they are when the step comes.
    sensitive
        The variables to blank.
    confidence
        From which share of a class's values on one counts as told; 1 is for certain.
    public
        What anybody knows: classes that tell it are left as they are.
    """

    key: tuple[str, ...]
    sensitive: tuple[str, ...]
    confidence: float = 1.0
    public: tuple[PublicRule, ...] = ()

    truthful = True
    draws_at_random = True

    def __post_init__(self) -> None:
        """Refuse no key, no sensitive variable, and one that is both."""
        if not self.key or not self.sensitive or set(self.key) & set(self.sensitive):
            raise InputError(
                "Blanking what is told needs a key and sensitive variables that are not in it."
            )
        check_share(self.confidence, "confidence")

    def describe(self) -> str:
        """Say what is done."""
        how = "" if self.confidence >= 1 else f" to {self.confidence:.0%}"
        said = "; ".join(rule.describe() for rule in self.public)
        known = f", but for what anybody knows: {said}" if said else ""
        return (
            f"blank {', '.join(self.sensitive)} in classes of {', '.join(self.key)} that would "
            f"tell it{how}{known}, and in as many others"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Find the classes and their partners, and blank the cells."""
        source.check_columns([*self.key, *self.sensitive])
        blank_in: dict[str, Bools] = {}
        cells, lonely = {}, 0
        for number, name in enumerate(self.sensitive):
            if not source.records:
                break
            tally = engine.count(source, [*self.key, name])
            table = KeyTable.from_tally(tally)
            split = split_told(table, self.key, name, source.variables[name])
            telling = telling_classes(split, confidence=self.confidence)
            telling &= ~known_by_rule(split, self.public)
            if not telling.any():
                continue
            partner = partners(split, telling, context.inner(number).generator())
            blank = telling.copy()
            blank[partner[partner >= 0]] = True
            lonely += int(split.table.counts[np.flatnonzero(telling)[partner < 0]].sum())
            there = np.concatenate(list(tally.per_record(blank[split.class_of])))
            blank_in[name] = there & filled(source.table([name]).column(0))
            cells[name] = int(blank_in[name].sum())
        nobody = np.zeros(source.records, dtype=bool)
        records = np.flatnonzero(np.logical_or.reduce([nobody, *blank_in.values()]))
        new = {
            name: NewCells(
                np.where(blanked[records], 0, LEAVE),
                pa.nulls(1, type=source.schema.field(name).type),
            )
            for name, blanked in blank_in.items()
            if cells[name]
        }
        result = replace_cells(engine, source, records, new)
        return self.with_receipt(
            source, result, records_changed=len(records), cells_changed=cells, residual=lonely
        )


def partners(split: SensitiveCounts, telling: Bools, rng: np.random.Generator) -> Ints:
    """Draw a partner for every class that tells its value; -1 where there is none left.

    Classes with one value are served from the smallest on: whoever could be the partner of a small
    one could be that of a larger one with the same value.
    """
    told = split.telling
    sizes, several = told.table.counts, np.diff(told.starts) > 1
    asking = np.flatnonzero(telling)
    # with less than certainty there are several values in a class; the most frequent is told
    most = np.array([told.starts[c] + told.counts[told.starts[c] : told.starts[c + 1]].argmax()
                     for c in asking], dtype=np.int64)  # fmt: skip
    found = np.full(len(asking), -1, dtype=np.int64)
    free = several & ~telling
    value_of = told.values[most]
    for value in rng.permutation(np.unique(value_of)):
        others = sizes.copy()
        here = np.flatnonzero(told.values == value)
        others[np.searchsorted(told.starts, here, side="right") - 1] -= told.counts[here]
        able = np.flatnonzero(free)
        able = able[np.argsort(others[able], kind="stable")]
        mine = np.flatnonzero(value_of == value)
        pool: list[int] = []
        place = 0
        for at in mine[np.argsort(sizes[asking[mine]], kind="stable")]:
            while place < len(able) and others[able[place]] <= sizes[asking[at]]:
                pool.append(int(able[place]))
                place += 1
            if pool:
                drawn = int(rng.integers(len(pool)))
                pool[drawn], pool[-1] = pool[-1], pool[drawn]
                found[at] = pool.pop()
                free[found[at]] = False
    return found
