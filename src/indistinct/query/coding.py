"""The categories by which a variable is asked, and the category of every record.

Which categories, or which records, meet the conditions of a question.

A comparison with a missing value is neither met nor not met, as in SQL: what is known of a
condition are two masks, where it is met and where it is not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from indistinct.core import Array, Bools, Floats, InputError, Ints, Variable, decoded, did_you_mean
from indistinct.files import Source
from indistinct.query.language import Comparison, Condition, Joined, Negated, Value

__all__ = [
    "OTHER",
    "Categories",
    "Range",
    "as_ranges",
    "column_of",
    "met_by",
    "numbers_of",
    "read_values",
]

OTHER = "(other)"
"""What categories are called together that too few people have to be named."""
MOST_CLASSES = 1_000
LARGEST = 1e100
"""The largest number of a range: what is added up of many must be a number still."""

Kind = Literal["number", "text", "truth", "class"]


@dataclass(frozen=True)
class Range:
    """Between which numbers a variable lies, as somebody says who has not looked at the data.

    Values outside count as the nearest that is inside. With a `step` the variable can be asked in
    classes of that width.
    """

    low: float
    high: float
    step: float | None = None

    def __post_init__(self) -> None:
        """Refuse what is no range."""
        given = [self.low, self.high, *([] if self.step is None else [self.step])]
        for value in given:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise InputError(f"A range is made of numbers: low, high, step. Got {value!r}.")
        if not all(map(math.isfinite, given)) or not self.low < self.high:
            raise InputError("A range goes from a number to a larger one: 0:100000 or 0:100:10.")
        if max(abs(self.low), abs(self.high)) > LARGEST:
            raise InputError(f"A range lies between -{LARGEST:g} and {LARGEST:g}.")
        if self.step is not None:
            if not 0 < self.step <= self.high - self.low:
                raise InputError("The step of a range is above 0, and not wider than the range.")
            if (self.high - self.low) / self.step > MOST_CLASSES:
                raise InputError(f"A range has at most {MOST_CLASSES:,} classes. Widen the step.")

    @property
    def edges(self) -> list[float]:
        """Where the classes begin; the last one ends at `high`."""
        assert self.step is not None
        number = math.ceil((self.high - self.low) / self.step - 1e-9)
        return [self.low + i * self.step for i in range(number)]

    @property
    def ends(self) -> str:
        """The ends to the last digit: another range is another table."""
        return f"{float(self.low)!r}:{float(self.high)!r}"


def as_ranges(given: Mapping[str, Any] | None, known: Sequence[str]) -> dict[str, Range]:
    """Read ranges by variable: ``{"income": (0, 100000), "age": (0, 100, 10)}``."""
    found = {}
    for name, value in (given or {}).items():
        if name not in known:
            raise InputError(
                f"A range is given of '{name}', which is not there. {did_you_mean(name, known)}"
            )
        if isinstance(value, Range):
            found[name] = value
        elif isinstance(value, (list, tuple)) and len(value) in (2, 3):
            found[name] = Range(*value)
        else:
            raise InputError(f"The range of '{name}' must be low and high, or low, high and step.")
    return found


def column_of(name: str, known: Sequence[str]) -> str:
    """Return the variable that is meant, whatever its capitals."""
    if name in known:
        return name
    alike = [other for other in known if other.lower() == name.lower()]
    if len(alike) == 1:
        return alike[0]
    raise InputError(f"There is no variable {name!r}. {did_you_mean(name, known)}")


@dataclass(frozen=True, eq=False)
class Categories:
    """The categories of a variable.

    Parameters
    ----------
    values
        What is compared: the categories in order; of classes their lower ends.
    shown
        What stands in an answer, for each code.
    codes
        For each record the number of its category. Codes beyond `values` are no category that
        could be compared: rare ones together, and missing values, which are the last.
    kind
        What the values are.
    ends
        Of classes, their upper ends.
    strict
        Whether a value that is not among the categories is refused, or simply found nowhere.
    """

    name: str
    values: Array
    shown: tuple[Any, ...]
    codes: Ints
    kind: Kind
    ends: Array | None = None
    strict: bool = True

    @property
    def number(self) -> int:
        """How many categories there are, rare ones together and missing among them."""
        return len(self.shown)

    def compare(self, asked: Comparison) -> Masks:
        """Say which categories meet a comparison, and which do not."""
        unknown = np.zeros(self.number - len(self.values), dtype=bool)
        if asked.operator == "is null":
            missing = np.arange(self.number) == self.number - 1
            return missing, ~missing
        if self.kind == "class":
            met = self._met_by_class(asked)
        elif asked.operator in ("=", "<>", "in") and OTHER in asked.values and OTHER in self.shown:
            return self._compare_other(asked)
        else:
            met = self._met(asked)
        return np.concatenate([met, unknown]), np.concatenate([~met, unknown])

    def _compare_other(self, asked: Comparison) -> Masks:
        if len(asked.values) > 1:
            raise InputError(f"'{OTHER}' is asked by itself: {self.name} = '{OTHER}'.")
        same = np.array([value == OTHER for value in self.shown])
        there = np.arange(self.number) < self.number - 1
        met, not_met = same, ~same & there
        return (not_met, met) if asked.operator == "<>" else (met, not_met)

    def _met(self, asked: Comparison) -> Bools:
        given = [self._fitting(value) for value in asked.values]
        if asked.operator in ("=", "<>", "in"):
            if self.strict:
                self._check_named(given)
            kind = float if self.kind == "number" else self.values.dtype
            met = np.isin(self.values.astype(kind), np.array(given, dtype=kind))
            return ~met if asked.operator == "<>" else met
        (limit,) = given
        compared: dict[str, Callable[[], Any]] = {
            "<": lambda: self.values < limit,
            "<=": lambda: self.values <= limit,
            ">": lambda: self.values > limit,
            ">=": lambda: self.values >= limit,
        }
        return np.asarray(compared[asked.operator](), dtype=bool)

    def _fitting(self, value: Value) -> Value:
        if self.kind == "truth":
            if value in (True, False, "true", "false"):
                return value in (True, "true")
        elif (self.kind == "text") == isinstance(value, str) and not isinstance(value, bool):
            return value
        needed = {"text": "text 'in single quotes'", "number": "numbers"}.get(
            self.kind, "true or false"
        )
        raise InputError(f"'{self.name}' is compared with {needed}.")

    def _check_named(self, given: Sequence[Value]) -> None:
        if not all(np.any(self.values == value) for value in given):
            raise InputError(
                f"'{self.name}' has no category of that name that enough people have. There are: "
                f"{_listed(self.shown)}."
            )

    def _met_by_class(self, asked: Comparison) -> Bools:
        ends = self.ends
        assert ends is not None
        if asked.operator in ("=", "<>", "in"):
            if not set(asked.values) <= set(self.shown):
                raise InputError(
                    f"'{self.name}' is asked in classes: {_listed(self.shown)}. Ask for them by "
                    f"name, or by their ends: {self.name} >= {self.values[0]:g} and {self.name} < "
                    f"{ends[0]:g}."
                )
            met = np.array([label in asked.values for label in self.shown[: len(self.values)]])
            return ~met if asked.operator == "<>" else met
        (limit,) = asked.values
        if (
            isinstance(limit, str)
            or asked.operator in ("<=", ">")
            or not (np.any(self.values == limit) or limit == ends[-1])
        ):
            raise InputError(
                f"'{self.name}' is asked in classes that begin at "
                f"{', '.join(f'{value:g}' for value in self.values[:30])}: use >= and < with these "
                "numbers."
            )
        return np.asarray(self.values >= limit if asked.operator == ">=" else ends <= limit)


def _listed(shown: Sequence[Any], most: int = 30) -> str:
    told = [json.dumps(str(v), ensure_ascii=True) for v in shown if v is not None]
    return ", ".join(told[:most]) + (f" and {len(told) - most:,} more" if len(told) > most else "")


def read_values(source: Source, name: str, *, strict: bool) -> Categories:
    """Read a variable with every value that occurs as a category, in order."""
    variable = source.variables[name]
    column, kind = _column(source, name)
    encoded = column.dictionary_encode()
    raw = encoded.dictionary.to_numpy(zero_copy_only=False)
    codes = encoded.indices.fill_null(len(raw)).to_numpy(zero_copy_only=False).astype(np.int64)
    there = np.array([not _absent(variable, value) for value in raw.tolist()], dtype=bool)
    order = np.flatnonzero(there)[np.argsort(raw[there], kind="stable")]
    new = np.full(len(raw) + 1, len(order), dtype=np.int64)
    new[order] = np.arange(len(order))
    values = raw[order]
    return Categories(name, values, (*values.tolist(), None), new[codes], kind, strict=strict)


def _absent(variable: Variable, value: Any) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        return True
    try:
        return variable.is_missing(value)
    except TypeError:  # a code of another type than the values
        return False


def _column(source: Source, name: str) -> tuple[pa.Array, Kind]:
    column = decoded(source.table([name]).column(0).combine_chunks())
    kind = column.type
    if pa.types.is_boolean(kind):
        return column, "truth"
    if pa.types.is_integer(kind):
        return column.cast(pa.int64(), safe=False), "number"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.float64(), safe=False), "number"
    try:
        return column.cast(pa.string()), "text"
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(f"'{name}' is neither text nor numbers, and cannot be asked.") from None


def numbers_of(source: Source, name: str) -> Floats:
    """Read a variable as numbers, NaN where one is missing; refuse text."""
    column, kind = _column(source, name)
    if kind not in ("number", "truth"):
        raise InputError(f"'{name}' holds text: its sum and mean cannot be asked.")
    numbers: Floats = np.array(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))
    variable = source.variables[name]
    if variable.user_missing:
        for value in np.unique(numbers[np.isfinite(numbers)]).tolist():
            if _absent(variable, value):
                numbers[numbers == value] = np.nan
    numbers[~np.isfinite(numbers)] = np.nan
    return numbers


def in_classes(name: str, numbers: Floats, limits: Range) -> Categories:
    """Put numbers into the classes of a range."""
    edges = np.array(limits.edges)
    ends = np.append(edges[1:], limits.high)
    held = np.clip(np.nan_to_num(numbers), limits.low, limits.high)
    codes = np.clip(np.searchsorted(edges, held, side="right") - 1, 0, len(edges) - 1)
    codes[np.isnan(numbers)] = len(edges)
    shown = [f"{a:g} to under {b:g}" for a, b in zip(edges, ends, strict=True)]
    return Categories(name, edges, (*shown, None), codes.astype(np.int64), "class", ends)


def with_declared(read: Categories, declared: Sequence[Value]) -> Categories:
    """Take the categories that are declared, whether anybody has them or not."""
    if read.kind == "text":
        declared = [str(value) for value in declared]
    elif any(isinstance(value, str) for value in declared):
        raise InputError(f"'{read.name}' holds numbers, and its declared categories are text.")
    values = np.array(sorted(set(declared)), dtype=object if read.kind == "text" else float)
    new = np.full(read.number, len(values), dtype=np.int64)
    at = np.searchsorted(values, read.values)
    inside = at < len(values)
    inside[inside] = np.asarray(values[at[inside]] == read.values[inside], dtype=bool)
    new[:-1][inside] = at[inside]
    new[-1] = len(values) + 1
    shown = (*values.tolist(), OTHER, None)
    return Categories(read.name, values, shown, new[read.codes], read.kind)


def with_named(read: Categories, named: Bools) -> Categories:
    """Keep the categories that may be named, and pool the others."""
    new = np.full(read.number, int(named.sum()), dtype=np.int64)
    new[:-1][named] = np.arange(int(named.sum()))
    new[-1] = int(named.sum()) + 1
    values = read.values[named]
    return Categories(
        read.name, values, (*values.tolist(), OTHER, None), new[read.codes], read.kind
    )


# Which categories, or which records, meet the conditions of a question ---------------------------


Masks = tuple[Bools, Bools]
"""Where a condition is met, and where it is not; where neither, nothing is known."""


def met_by(condition: Condition, compare: Callable[[Comparison], Masks]) -> Masks:
    """Put the masks of single comparisons together.

    >>> from indistinct.query.language import read_question
    >>> ages = np.array([20, 30, 40])
    >>> where = read_question("select count(*) where not (age = 30 or age = 40)").where
    >>> met_by(where, lambda one: (ages == one.values[0], ages != one.values[0]))[0]
    array([ True, False, False])
    """
    if isinstance(condition, Comparison):
        return compare(condition)
    if isinstance(condition, Negated):
        met, not_met = met_by(condition.part, compare)
        return not_met, met
    assert isinstance(condition, Joined)
    parts = [met_by(part, compare) for part in condition.parts]
    all_met = reduce(np.bitwise_and, [met for met, _ in parts])
    one_met = reduce(np.bitwise_or, [met for met, _ in parts])
    all_not = reduce(np.bitwise_and, [not_met for _, not_met in parts])
    one_not = reduce(np.bitwise_or, [not_met for _, not_met in parts])
    return (all_met, one_not) if condition.word == "and" else (one_met, all_not)
