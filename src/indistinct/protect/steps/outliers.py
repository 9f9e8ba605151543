"""Outliers to medians: unusual values become usual ones (Sweeney 2001, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from indistinct.core import Bools, GuaranteeError, InputError, above, check_number
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable
from indistinct.protect.cells import NewCells, replace_cells
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import (
    Numbers,
    check_variables,
    class_numbers,
    read_numbers,
    values_of,
    with_columns,
)

__all__ = ["OutlierRule", "OutliersToMedians"]

OutlierRule = Literal["iqr", "quantiles", "mad", "rare"]

_USUAL: dict[str, float] = {"iqr": 1.5, "quantiles": 0.01, "mad": 3.5, "rare": 5.0}

_NORMAL = 1.4826
"""The median absolute deviation of a normal variable times this is its standard deviation."""

_MANY = 0.1


@dataclass(frozen=True)
class OutliersToMedians(Step, kind="outliers-to-medians"):
    """Find unusual values, and replace numbers by the median, categories by the mode.

    Missing values, and codes that mean *missing*, are neither unusual nor counted. The median of
    whole numbers is the lower of the two in the middle, a value that occurs.

    Parameters
    ----------
    rule, limit
        What is unusual, by a limit c:
        ``iqr``, numbers outside [Q₁ − c·(Q₃ − Q₁), Q₃ + c·(Q₃ − Q₁)], c = 1.5 (Tukey);
        ``quantiles``, numbers below the c-quantile or above the (1−c)-quantile, c = 0.01;
        ``mad``, numbers further than c·1.4826·MAD from the median, c = 3.5;
        ``rare``, values of any type that fewer than c records have, c = 5.
    """

    variables: tuple[str, ...]
    rule: OutlierRule = "iqr"
    limit: float | None = None

    def __post_init__(self) -> None:
        """Refuse a rule that is none, and a limit that does not fit it."""
        check_variables(self.variables, "outliers")
        if self.rule not in _USUAL:
            raise InputError(f"The rule must be one of {', '.join(_USUAL)}. Got '{self.rule}'.")
        limit = _USUAL[self.rule] if self.limit is None else self.limit
        check_number("The limit of outliers", limit, above(0))
        if self.rule == "quantiles" and limit >= 0.5:
            raise InputError(f"The limit of quantiles must be below 0.5. Got {limit}.")
        object.__setattr__(self, "limit", float(limit))

    def describe(self) -> str:
        """Say what is done."""
        named, c = ", ".join(self.variables), f"{self.limit:g}"
        if self.rule == "rare":
            return f"replace values of {named} that fewer than {c} records have by the commonest"
        what = {
            "iqr": f"more than {c} interquartile ranges outside the quartiles",
            "quantiles": f"outside the quantiles {c} and {1 - (self.limit or 0):g}",
            "mad": f"more than {c} scaled median absolute deviations from the median",
        }[self.rule]
        return f"replace numbers of {named} {what} by the median"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Replace the values."""
        if self.rule == "rare":
            return self._rare(engine, source)
        columns, cells, warnings, limits = {}, {}, [], {}
        touched = np.zeros(source.records, dtype=bool)
        for name in self.variables:
            numbers = read_numbers(source, name, doing="finding outliers")
            low, high, middle = self._limits(source, numbers)
            unusual = numbers.present & ((numbers.floats() < low) | (numbers.floats() > high))
            changed = unusual & (numbers.values != middle)
            columns[name] = numbers.replaced(np.where(changed, middle, numbers.values))
            cells[name], limits[name] = int(changed.sum()), (low, high)
            touched |= changed
            if changed.sum() > _MANY * max(1, numbers.present.sum()):
                warnings.append(_many(name, int(changed.sum())))
        result = with_columns(engine, source, columns) if touched.any() else source
        return self.with_receipt(
            source,
            result,
            records_changed=int(touched.sum()),
            cells_changed=cells,
            warnings=tuple(warnings),
            private=limits,
        )

    def _limits(self, source: Source, numbers: Numbers) -> tuple[float, float, Any]:
        values = numbers.floats()[numbers.present]
        c = self.limit or 0.0
        if not len(values):
            return -np.inf, np.inf, 0
        if self.rule == "quantiles":
            low, high = np.quantile(values, [c, 1 - c])
            return float(low), float(high), _median(numbers)
        median = float(np.median(values))
        if self.rule == "iqr":
            first, third = np.quantile(values, [0.25, 0.75])
            spread = third - first
            low, high = first - c * spread, third + c * spread
        else:
            spread = _NORMAL * np.median(np.abs(values - median))
            low, high = median - c * spread, median + c * spread
        if not spread and values.min() < values.max():
            raise InputError(
                f"{source.origin}: half of the values of '{numbers.name}' or more are equal, so by "
                f"the rule '{self.rule}' all others would be outliers. Use quantiles or rare."
            )
        return float(low), float(high), _median(numbers)

    def _rare(self, engine: Engine, source: Source) -> tuple[Source, Receipt]:
        source.check_columns(self.variables)
        cells, warnings, result = {}, [], source
        touched = np.zeros(source.records, dtype=bool)
        for name in self.variables:
            tally = engine.count(source, [name])
            table = KeyTable.from_tally(tally)
            coding, kind = table.coding.variables[0], source.schema.field(name).type
            values = values_of(coding, table.codes[:, 0], kind)
            ordinary = _ordinary(source, name, values)
            rare = ordinary & (table.counts < (self.limit or 0.0))
            records = np.flatnonzero(rare[class_numbers(tally)])
            cells[name] = len(records)
            if not len(records):
                continue
            mode = int(np.argmax(np.where(ordinary, table.counts, 0)))
            if rare[mode]:
                raise GuaranteeError(
                    f"{source.origin}: no value of '{name}' is had by {self.limit:g} records, so "
                    "there is none to replace the rare ones by. Lower the limit, or generalise."
                )
            chosen = np.zeros(len(records), dtype=np.int64)
            new = {name: NewCells(chosen, values.slice(mode, 1))}
            result = replace_cells(engine, result, records, new)
            touched[records] = True
            if len(records) > _MANY * source.records:
                warnings.append(_many(name, len(records)))
        return self.with_receipt(
            source,
            result,
            records_changed=int(touched.sum()),
            cells_changed=cells,
            warnings=tuple(warnings),
        )


def _ordinary(source: Source, name: str, values: pa.Array) -> Bools:
    variable = source.variables[name]
    if not variable.user_missing:
        return np.asarray(values.is_valid().to_numpy(zero_copy_only=False))
    return np.array([not variable.is_missing(v) for v in values.to_pylist()], dtype=bool)


def _median(numbers: Numbers) -> Any:
    present = numbers.values[numbers.present]
    if numbers.places is None:
        return np.median(present)
    return np.sort(present)[(len(present) - 1) // 2]


def _many(name: str, number: int) -> str:
    return (
        f"{number:,} values of {name} were replaced, more than a tenth: they are hardly outliers, "
        "and its distribution is not what it was"
    )
