"""Action 1: leave out the records that stand out (Dalenius 1986, section 6.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.core import GuaranteeError, between, check_number
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import uniques
from indistinct.protect.cells import members
from indistinct.protect.losses import losses
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step, check_key

__all__ = ["Destroy"]


@dataclass(frozen=True)
class Destroy(Step, kind="destroy"):
    """Leave out the records in classes smaller than k.

    Whole classes go, so every class that stays has k records. The receipt says what share of
    the records went, in all and in each study domain, and how the statistics moved; its private
    part is a `Losses` with every category.

    Parameters
    ----------
    key, k
        Which records: those whose key fewer than k records share.
    domains
        The variables by which the records will be broken down.
    warn_above
        Warn of a category of a domain that loses a larger share than this, and than the file.
    """

    truthful = True

    key: tuple[str, ...]
    k: int
    domains: tuple[str, ...] = ()
    warn_above: float = 0.05

    finds_uniques = True

    def __post_init__(self) -> None:
        """Refuse a wrong key, k or share."""
        check_key(self.key, self.k)
        check_number("warn_above", self.warn_above, between(0, 1))

    def describe(self) -> str:
        """Say what is done."""
        return f"leave out the records in classes smaller than {self.k} by {', '.join(self.key)}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Leave the records out."""
        source.check_columns(self.domains)
        found = uniques(engine, source, self.key, k=self.k)
        gone = found.key_table.smaller_than(self.k)
        if found.at_risk == source.records:
            raise GuaranteeError(
                f"All {source.records:,} records are in classes smaller than {self.k}, so none "
                "would be left. Use fewer key variables or coarser categories first."
            )
        reduced, rows = source, None
        if found.at_risk:
            keep = np.ones(source.records, dtype=bool)
            keep[members(found, gone)[0]] = False
            reduced, rows = engine.keep(source, keep), np.flatnonzero(keep)
        effect = losses(
            engine, source, reduced, table=found.key_table, gone=gone, domains=self.domains
        )
        return reduced, Receipt(
            self.kind,
            source.records,
            reduced.records,
            residual=0,
            notes=effect.notes() if found.at_risk else (),
            warnings=effect.warnings(limit=self.warn_above),
            private=effect,
            rows=rows,
        )
