"""Leaving out the records whose quasi-identifiers are still too rare: Datafly's last act."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from indistinct.core import GuaranteeError, InputError
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable
from indistinct.protect.methods.datafly_ii.datafly_profile import exact_share
from indistinct.protect.methods.datafly_ii.datafly_rollup import outliers
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step, check_key

__all__ = ["DropOutliers", "allowed_drop"]


@dataclass(frozen=True)
class DropOutliers(Step, kind="drop-outliers"):
    """Leave out the records in classes smaller than k by any of several quasi-identifiers.

    Leaving out a record for one quasi-identifier may bring a class of another below k, so the
    search is repeated until all hold at once. More than `max_drop` records are never left out:
    on other data, where that would be needed, the step refuses.

    Parameters
    ----------
    quasi_identifiers
        Lists of variables; in what stays, the values of each list together occur k times.
    k
        A class is safe with at least k records.
    max_drop
        The most records that may go.
    max_share
        The most records that may go, as a share of the file. It goes before `max_drop`.
    """

    truthful = True

    quasi_identifiers: tuple[tuple[str, ...], ...]
    k: int
    max_drop: int = 0
    max_share: float | None = None

    finds_uniques = True

    def __post_init__(self) -> None:
        """Refuse wrong quasi-identifiers, k or limits."""
        if not self.quasi_identifiers:
            raise InputError("Name at least one quasi-identifier.")
        for key in self.quasi_identifiers:
            check_key(key, self.k)
        allowed_drop(self.max_drop if self.max_share is None else self.max_share, 0)

    def describe(self) -> str:
        """Say what is done."""
        names = " and by ".join(", ".join(key) for key in self.quasi_identifiers)
        most = f"{self.max_drop:,}" if self.max_share is None else f"{self.max_share:.4%}"
        return f"leave out the records in classes smaller than {self.k} by {names}, at most {most}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Leave the records out."""
        names = list(dict.fromkeys(name for key in self.quasi_identifiers for name in key))
        tally = engine.count(source, names)
        table = KeyTable.from_tally(tally)
        columns = [[names.index(name) for name in key] for key in self.quasi_identifiers]
        gone = outliers(table.codes, table.counts, columns, self.k)
        number = int(table.counts[gone].sum())
        limit = self.max_drop if self.max_share is None else self.max_share
        most = allowed_drop(limit, source.records)
        if number > most:
            raise GuaranteeError(
                f"{number:,} of {source.records:,} records are in classes smaller than {self.k}, "
                f"and at most {most:,} may be left out. Generalise further, or allow {number:,}."
            )
        if number and number == source.records:
            raise GuaranteeError(
                f"All {number:,} records are in classes smaller than {self.k}, so none would be "
                "left. Generalise further, or ask for a smaller k."
            )
        result, rows = source, None
        if number:
            keep = np.concatenate([~part for part in tally.per_record(gone)])
            result, rows = engine.keep(source, keep), np.flatnonzero(keep)
        return result, Receipt(self.kind, source.records, result.records, residual=0, rows=rows)


def allowed_drop(max_drop: float, records: int) -> int:
    """Return how many records may go: a count as it is, a share times the records, rounded down.

    >>> allowed_drop(3, 12), allowed_drop(0.29, 100)
    (3, 29)
    """
    if isinstance(max_drop, bool) or not isinstance(max_drop, int | float):
        raise InputError(f"max_drop must be a number of records or a share. Got {max_drop!r}.")
    if isinstance(max_drop, int):
        if max_drop < 0:
            raise InputError(f"max_drop must not be negative. Got {max_drop}.")
        return max_drop
    if not 0 <= max_drop <= 1:
        raise InputError(
            f"max_drop as a share must be from 0 to 1. Got {max_drop}. "
            "A number of records is given as a whole number."
        )
    return math.floor(exact_share(max_drop) * records)
