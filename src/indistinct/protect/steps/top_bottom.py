"""Top and bottom coding: the ends of an order become one category each, none of them sparse."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, Floats, GuaranteeError, InputError, Ints, Variables, check_whole
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import (
    check_share,
    check_variables,
    rewritten,
)
from indistinct.protect.steps.ordered import Ordered, read_ordered

__all__ = ["CodedAs", "Side", "TopBottomCode"]

Side = Literal["both", "top", "bottom"]
CodedAs = Literal["threshold", "mean", "median"]

_SAME = 1e-9


@dataclass(frozen=True)
class TopBottomCode(Step, kind="top-bottom-code"):
    """Merge the end categories of ordered variables until none of them is sparse.

    The top category is {x ≥ u} with the largest u that leaves at least `fewest` records in it, the
    bottom category {x ≤ l} with the smallest such l. All records of a category get the same value.
    Missing values, and codes that mean *missing*, are neither counted nor coded. Numbers, dates and
    ordered categories have ends; what lies between them stays.

    Parameters
    ----------
    fewest
        Records that an end category must have, or
    share
        their share of the records that have a value.
    lowest, highest
        Fixed thresholds for numbers (for ordered categories: their places, from 0): all at or
        beyond them belong to the end category, and more where that is sparse.
    side
        Code both ends, or one.
    to
        What the records of an end category get: the ``threshold`` itself (85 means *85 or more*),
        or their ``mean`` (numbers only) or (lower) ``median``.
    """

    variables: tuple[str, ...]
    fewest: int | None = None
    share: float | None = None
    lowest: float | None = None
    highest: float | None = None
    side: Side = "both"
    to: CodedAs = "threshold"

    perturbs = True

    def __post_init__(self) -> None:
        """Refuse no rule, two rules for one thing, and unknown words."""
        check_variables(self.variables, "top and bottom coding")
        if self.fewest is not None and self.share is not None:
            raise InputError("Give either fewest or share, not both.")
        if all(rule is None for rule in (self.fewest, self.share, self.lowest, self.highest)):
            raise InputError("Top and bottom coding needs fewest, share, lowest or highest.")
        if self.fewest is not None:
            check_whole("fewest", self.fewest, 1)
        if self.share is not None:
            check_share(self.share, "share of records in an end category")
        if self.side not in ("both", "top", "bottom"):
            raise InputError(f"side must be both, top or bottom. Got '{self.side}'.")
        if self.to not in ("threshold", "mean", "median"):
            raise InputError(f"to must be threshold, mean or median. Got '{self.to}'.")
        for bound, other in ((self.lowest, "top"), (self.highest, "bottom")):
            if bound is not None and self.side == other:
                raise InputError(f"A bound is given for the end that side='{other}' leaves.")
        low, high = self.lowest, self.highest
        if low is not None and high is not None and not low < high:
            raise InputError("lowest must be below highest.")

    def describe(self) -> str:
        """Say what is done."""
        side = self.side
        if self.fewest is None and self.share is None and None in (self.lowest, self.highest):
            side = "top" if self.lowest is None else "bottom"  # only this end has a rule
        ends = {"both": "both ends", "top": "the top", "bottom": "the bottom"}[side]
        rules = []
        if self.lowest is not None:
            rules.append(f"at {self.lowest:.10g} and below")
        if self.highest is not None:
            rules.append(f"at {self.highest:.10g} and above")
        if self.fewest is not None:
            rules.append(f"as far as an end category has at least {self.fewest:,} records")
        if self.share is not None:
            rules.append(f"as far as an end category has at least {self.share:.2%} of the records")
        value = {"threshold": "its threshold", "mean": "its mean", "median": "its median"}[self.to]
        return (
            f"code {', '.join(self.variables)} at {ends}, {' and '.join(rules)}; a coded value is "
            f"{value}"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Code the ends."""
        columns, changes, notes, found = {}, {}, [], {}
        variables = source.variables
        for name in self.variables:
            ordered = read_ordered(source, name, doing="top and bottom coding")
            self._check(source, ordered)
            low, high = self._ends(source, ordered)
            columns[name], changed, values = self._coded(ordered, low, high)
            changes[name], found[name] = changed, values
            if self.to == "threshold":
                variables = _labelled(variables, name, ordered, low, high)
            for word, beyond in (
                ("bottom", 0 if low is None else int((ordered.codes[changed] <= low).sum())),
                ("top", 0 if high is None else int((ordered.codes[changed] >= high).sum())),
            ):
                if beyond:
                    notes.append(f"{beyond:,} records of {name} were coded at the {word}")
        return rewritten(
            self.kind,
            engine,
            source,
            columns,
            changes,
            variables=variables,
            notes=notes,
            private=found,
        )

    def _check(self, source: Source, ordered: Ordered) -> None:
        if self.to == "mean" and not ordered.is_number:
            raise InputError(
                f"{source.origin}: '{ordered.name}' holds no numbers, so its ends have no mean. "
                "Use the threshold or the median."
            )
        bounded = self.lowest is not None or self.highest is not None
        if bounded and pa.types.is_temporal(ordered.values.type):
            raise InputError(
                f"{source.origin}: '{ordered.name}' holds dates; lowest and highest are for "
                "numbers and ordered categories. Use fewest or share."
            )

    def _ends(self, source: Source, ordered: Ordered) -> tuple[int | None, int | None]:
        """Return the places of the last value of the bottom and the first of the top."""
        counts = np.bincount(ordered.codes[ordered.present], minlength=len(ordered.values))
        records = int(counts.sum())
        need = self.fewest
        if self.share is not None:
            need = max(1, int(np.ceil(self.share * records - _SAME)))
        if not records:
            return None, None
        if need is not None and need > records:
            raise GuaranteeError(
                f"{source.origin}: '{ordered.name}' has fewer than {need:,} values, so no end "
                "category can have as many. Lower fewest, or leave the variable out."
            )
        low = high = -1
        if self.side != "top":
            if need is not None:
                low = int(np.searchsorted(np.cumsum(counts), need))
            if self.lowest is not None:
                low = max(low, int((ordered.scale <= self.lowest).sum()) - 1)
        if self.side != "bottom":
            if need is not None:
                high = int(np.searchsorted(np.cumsum(counts[::-1]), need))
            if self.highest is not None:
                high = max(high, int((ordered.scale >= self.highest).sum()) - 1)
        top = len(counts) - 1 - high
        if low > top:
            raise GuaranteeError(
                f"{source.origin}: the end categories of '{ordered.name}' would overlap: its "
                "records are too few for two of them. Lower fewest or share, or code one side."
            )
        return None if low < 0 else low, None if high < 0 else top

    def _coded(
        self, ordered: Ordered, low: int | None, high: int | None
    ) -> tuple[pa.Array, Bools, tuple[Any, Any]]:
        """Return the new column, which cells changed, and the values of the two ends."""
        codes = ordered.codes
        if low is None and high is None:
            return ordered.column, np.zeros(len(codes), dtype=bool), (None, None)
        new, values = codes.copy(), ordered.values
        coded: list[Any] = [None, None]
        # where the thresholds are the same, all records are one category
        one = low is not None and low == high
        for end, place in enumerate((low, high)):
            if place is None or (one and end):
                continue
            beyond = codes <= place if end == 0 else codes >= place
            inside = ordered.present & (beyond | one)
            number = self._number(ordered, codes[inside], place, end, one)
            if number is not None:
                choice = len(values)
                values = pa.concat_arrays([values, number])
            elif self.to == "median":
                within = np.sort(codes[inside])
                choice = int(within[(len(within) - 1) // 2])
            else:
                choice = place
            new[inside] = choice
            coded[end] = values[choice].as_py()
        scale = np.concatenate([ordered.scale, _numbers(values, len(ordered.values))])
        changed = ordered.present & (scale[new] != ordered.scale[codes])
        column = values.take(pa.array(new, mask=~ordered.present))
        column = pc.if_else(pa.array(changed), column, ordered.column)
        return column, changed, (coded[0], coded[1])

    def _number(
        self, ordered: Ordered, codes: Ints, place: int, end: int, one: bool
    ) -> pa.Array | None:
        """Return the mean or the fixed threshold, which may be no value of the column."""
        kind = ordered.values.type
        if self.to == "mean":
            return _of_type(float(ordered.scale[codes].mean()), kind)
        fixed = (self.lowest, self.highest)[end]
        if self.to != "threshold" or fixed is None or one or not ordered.is_number:
            return None
        edge = float(ordered.scale[place])
        if (edge > fixed) if end == 0 else (edge < fixed):
            return None  # the category had to be widened
        if pa.types.is_integer(kind):
            fixed = float(np.floor(fixed) if end == 0 else np.ceil(fixed))
        return _of_type(fixed, kind)


def _of_type(number: float, kind: pa.DataType) -> pa.Array:
    """Return one number in a column's type."""
    if pa.types.is_integer(kind):
        return pa.array([round(number)]).cast(kind)
    if pa.types.is_decimal(kind):
        return pa.array([Decimal(f"{number:.{kind.scale}f}")]).cast(kind)
    return pa.array([number]).cast(kind)


def _numbers(values: pa.Array, start: int) -> Floats:
    """Return the numbers that were put after the distinct values."""
    if len(values) == start:
        return np.empty(0)
    return np.asarray(values.slice(start).cast(pa.float64()), dtype=np.float64)


def _labelled(
    variables: Variables, name: str, ordered: Ordered, low: int | None, high: int | None
) -> Variables:
    """Let value labels say what the thresholds now mean."""
    labels = dict(variables[name].labels)
    for place, words in ((low, "or less"), (high, "or more")):
        last = 0 if words == "or less" else len(ordered.values) - 1
        if place is None or place == last:
            continue
        value = ordered.values[place].as_py()
        if value in labels:
            labels[value] = f"{labels[value]} {words}"
    return variables.updated({name: {"labels": labels}})
