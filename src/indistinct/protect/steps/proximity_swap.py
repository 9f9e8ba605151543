"""Proximity swapping: values change places with values that are near (Dalenius and Reiss 1982)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from indistinct.core import InputError, Ints, above, check_number
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import check_variables, group_numbers, rewritten
from indistinct.protect.steps.ordered import Ordered, read_ordered
from indistinct.protect.steps.proximity_pairs import near_pairs

__all__ = ["ProximitySwap", "ProximityUnit"]

ProximityUnit = Literal["absolute", "range", "deviation"]

_MANY = 0.05


@dataclass(frozen=True)
class ProximitySwap(Step, kind="proximity-swap"):
    """Exchange each value with one that differs from it by at most a bound.

    Swapping keeps every margin (T. Dalenius and S. P. Reiss 1982, *Data-swapping: a technique for
    disclosure control*); a bound on the difference keeps a record near its truth, as the rank does
    in rank swapping (K. Muralidhar, R. Sarathy and R. Dandekar 2006). Pairs are drawn at random
    among the near ones. A value that has none stays, as do missing values and codes that mean
    *missing*.

    Parameters
    ----------
    bound, unit
        The largest difference: ``absolute``, in the variable's own unit (days for dates, places
        for ordered categories); as a share of its ``range``; or of its standard ``deviation``.
    near
        Further variables, which are not swapped, on which the two records must be near too, each
        with a bound in its own unit: ``(("age", 5.0),)``. A record that misses one of them stays.
    within
        Variables on which they must be equal.
    together
        Exchange all variables as a unit: the two records are near on each. False draws pairs for
        each variable by itself.
    """

    variables: tuple[str, ...]
    bound: float
    unit: ProximityUnit = "absolute"
    near: tuple[tuple[str, float], ...] = ()
    within: tuple[str, ...] = ()
    together: bool = False

    draws_at_random = True
    perturbs = True

    def __post_init__(self) -> None:
        """Refuse bounds that are none, unknown units, and a variable in two parts."""
        object.__setattr__(self, "near", tuple((name, float(b)) for name, b in self.near))
        check_variables(self.variables, "proximity swapping")
        check_number("The bound of proximity swapping", self.bound, above(0))
        if self.unit not in ("absolute", "range", "deviation"):
            raise InputError(f"The unit must be absolute, range or deviation. Got '{self.unit}'.")
        for name, bound in self.near:
            if not 0 <= bound < np.inf:
                raise InputError(f"The bound of '{name}' must be 0 or more. Got {bound:g}.")
        named = [*self.variables, *(name for name, _ in self.near), *self.within]
        check_variables(named, "swapping, nearness and strata together")

    def describe(self) -> str:
        """Say what is done."""
        how = "together" if self.together else "each by itself"
        named = ", ".join(self.variables) + (f", {how}," if len(self.variables) > 1 else "")
        size = {
            "absolute": f"{self.bound:g}",
            "range": f"{self.bound:.2%} of the range",
            "deviation": f"{self.bound:g} standard deviations",
        }[self.unit]
        agree = [f"{name} (at most {bound:g})" for name, bound in self.near]
        close = f", between records near on {', '.join(agree)}" if agree else ""
        where = f", within {', '.join(self.within)}" if self.within else ""
        return f"swap {named} with values that differ by at most {size}{close}{where}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Exchange the values."""
        draws = context.draws()
        source.check_columns([*self.variables, *self.within])
        doing = "proximity swapping"
        groups = group_numbers(engine, source, self.within)
        further = [read_ordered(source, name, doing=doing) for name, _ in self.near]
        units = [self.variables] if self.together else [(name,) for name in self.variables]
        columns, changes = {}, {}
        notes: list[str] = []
        warnings: list[str] = []
        for unit in units:
            own = [read_ordered(source, name, doing=doing) for name in unit]
            whole = np.logical_and.reduce([column.present for column in (*own, *further)])
            records = np.flatnonzero(whole)
            bounds = [self._bound(column) for column in own] + [bound for _, bound in self.near]
            places = [column.at(records) for column in (*own, *further)]
            pairs = near_pairs(places, bounds, groups[records], records, draws, "+".join(unit))
            origin = np.arange(source.records)
            origin[records[pairs[:, 0]]] = records[pairs[:, 1]]
            origin[records[pairs[:, 1]]] = records[pairs[:, 0]]
            for column in own:
                columns[column.name] = column.column.take(pa.array(origin))
                changed = column.codes[origin] != column.codes
                changes[column.name] = changed
            told = _told(", ".join(unit), own, records, pairs)
            few = len(records) - 2 * len(pairs) <= max(1, _MANY * len(records))
            (notes if few else warnings).extend(told)
        return rewritten(
            self.kind, engine, source, columns, changes, notes=notes, warnings=warnings
        )

    def _bound(self, column: Ordered) -> float:
        if self.unit == "absolute" or not len(column.scale):
            return self.bound
        if self.unit == "range":
            return float(self.bound * np.ptp(column.scale))
        return float(self.bound * np.std(column.at(np.flatnonzero(column.present))))


def _told(name: str, own: list[Ordered], records: Ints, pairs: Ints) -> list[str]:
    alone = len(records) - 2 * len(pairs)
    incomplete = int(np.logical_or.reduce([c.present for c in own]).sum()) - len(records)
    told = []
    if alone:
        told.append(f"{alone:,} records found no free partner near on {name}, and stayed")
    if incomplete:
        told.append(f"{incomplete:,} records miss a value that must be near, and kept {name}")
    return told
