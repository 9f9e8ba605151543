"""Generalising an attribute: every value climbs to the same level of its hierarchy."""

from __future__ import annotations

from dataclasses import dataclass

from indistinct.core import check_whole
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.keys import Generalisable, KeyTable, Recoding
from indistinct.protect.receipt import Receipt
from indistinct.protect.recode import apply_recoding
from indistinct.protect.step import Context, Step

__all__ = ["Generalise"]


@dataclass(frozen=True)
class Generalise(Step, kind="generalise"):
    """Replace every value of a variable by its label at one level of a hierarchy.

    Sweeney (2001, sections 4.1 and 4.2). At the highest level every value is the root, which
    tells as little as leaving the variable out.

    Parameters
    ----------
    hierarchy
        The hierarchy; its name is the variable's.
    level
        From 1, one step up, to the height of the hierarchy.
    """

    truthful = True

    hierarchy: Hierarchy
    level: int

    def __post_init__(self) -> None:
        """Refuse a level that the hierarchy does not have."""
        check_whole(f"The level of '{self.hierarchy.name}'", self.level, 1, self.hierarchy.height)

    def describe(self) -> str:
        """Say what is done."""
        tree = self.hierarchy
        words = tree.level_words(self.level)
        means = "" if words is None else f" ({words})"
        return f"generalise {tree.name} to level {self.level} of {tree.height}{means}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Recode the column."""
        name = self.hierarchy.name
        source.check_columns([name])
        tally = engine.count(source, [name])
        keys = Generalisable.of(KeyTable.from_tally(tally), {name: self.hierarchy})
        recoding = Recoding.full_domain(keys, [self.level])
        result = apply_recoding(engine, source, tally, recoding)
        cells = recoding.cells_changed()
        return self.with_receipt(source, result, records_changed=cells[name], cells_changed=cells)
