"""Qualitative flags, kept beside the numbers: records that somebody might simply recognise.

Skinner and Holmes (1998, section 1): "it may also be useful to flag records qualitatively. For
example, figures in the public eye, and records which are potentially spontaneously recognisable,
such as someone living on the fifth floor in a rural area". A flag does not depend on any measure
of risk and changes none; what became of it is kept by `followup`.
"""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import (
    Bools,
    InputError,
    Ints,
    Variable,
    decoded,
    did_you_mean,
    held_kind,
    holds_numbers,
    holds_text,
)
from indistinct.core.doors import read_text
from indistinct.files import BATCH_RECORDS, Source
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

_LONGEST = 1_000_000

__all__ = [
    "Condition",
    "FlagRule",
    "Operation",
    "RecordFlags",
    "flag_records",
    "load_flag_rules",
    "read_flag_rules",
]

Operation = Literal["equals", "in", "above", "below", "between", "missing"]
OPERATIONS: tuple[str, ...] = get_args(Operation)


@dataclass(frozen=True)
class Condition:
    """What one variable of a record must be. A missing value meets no condition but `missing`."""

    variable: str
    operation: Operation
    value: Any

    def __repr__(self) -> str:
        return f"{self.variable} {self.operation} {self.value!r}"

    def holds(self, column: pa.Array, variable: Variable) -> Bools:
        """Say of every value of a column whether it meets the condition."""
        column = decoded(column)
        missing = _missing(column, variable)
        if self.operation == "missing":
            return missing if self.value else ~missing
        met = self._met(column).fill_null(False).to_numpy(zero_copy_only=False)
        return np.asarray(met & ~missing, dtype=np.bool_)

    def _met(self, column: pa.Array) -> pa.Array:
        if self.operation == "equals":
            return pc.equal(column, _scalar(self.value, column.type))
        if self.operation == "above":
            return pc.greater(column, _scalar(self.value, column.type))
        if self.operation == "below":
            return pc.less(column, _scalar(self.value, column.type))
        values = [_scalar(value, column.type) for value in self.value]
        if self.operation == "between":
            return pc.and_(pc.greater_equal(column, values[0]), pc.less_equal(column, values[1]))
        met = pa.array(np.zeros(len(column), dtype=bool))
        for value in values:
            met = pc.or_kleene(met, pc.equal(column, value))
        return met


def _missing(column: pa.Array, variable: Variable) -> Bools:
    """Absent, not a number, or a code that means missing."""
    missing = np.asarray(column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False))
    for code in variable.user_missing:
        low, high = code if isinstance(code, tuple) else (code, code)
        if isinstance(low, str) != holds_text(column.type):
            continue
        inside = pc.and_(
            pc.greater_equal(column, _scalar(low, column.type)),
            pc.less_equal(column, _scalar(high, column.type)),
        )
        missing = missing | inside.fill_null(False).to_numpy(zero_copy_only=False)
    return np.asarray(missing, dtype=np.bool_)


def _scalar(value: Any, kind: pa.DataType) -> pa.Scalar:
    """Return a value to compare a column with; a date may be written as text."""
    if isinstance(value, str) and pa.types.is_temporal(kind):
        return pa.scalar(value).cast(kind)
    if pa.types.is_floating(kind):
        # a file's single-precision 0.1 is not the double 0.1 of a rule
        return pa.scalar(float(value), kind)
    return pa.scalar(value)


@dataclass(frozen=True)
class FlagRule:
    """A reason to look at a record: `all` conditions hold, and one of `any` where there are some.

    >>> FlagRule(
    ...     "rural tower",
    ...     "lives high above a village",
    ...     all=(Condition("floor", "above", 4), Condition("area_type", "equals", "rural")),
    ... )
    rural tower (lives high above a village): floor above 4 and area_type equals 'rural'
    """

    name: str
    reason: str
    all: tuple[Condition, ...] = ()
    any: tuple[Condition, ...] = ()

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that the rule looks at, each once."""
        return tuple(dict.fromkeys(c.variable for c in self.all + self.any))

    def holds(self, batch: pa.RecordBatch, source: Source) -> Bools:
        """Say of every record of a batch whether the rule applies."""

        def met(condition: Condition) -> Bools:
            name = condition.variable
            return condition.holds(batch.column(name), source.variables[name])

        held = np.ones(len(batch), dtype=bool)
        for condition in self.all:
            held &= met(condition)
        if self.any:
            held &= np.logical_or.reduce([met(condition) for condition in self.any])
        return held

    def __repr__(self) -> str:
        parts = [repr(condition) for condition in self.all]
        if self.any:
            parts.append(f"({' or '.join(map(repr, self.any))})")
        return f"{self.name} ({self.reason}): {' and '.join(parts)}"


def read_flag_rules(declared: Sequence[Any], source: Source) -> tuple[FlagRule, ...]:
    """Read rules as a project file declares them, for a file; all mistakes are told at once.

    In TOML a rule is::

        [[flags]]
        name = "rural tower"
        reason = "lives high above a village"
        all = [{variable = "floor", above = 4}, {variable = "area_type", equals = "rural"}]

    A condition has a variable and one of `equals`, `in` (a list), `above`, `below` (not the value
    itself), `between` (two values, both included) and `missing` (true or false).
    """
    problems: list[str] = []
    rules: list[FlagRule] = []
    for number, rule in enumerate(declared, start=1):
        where = f"Flag {number}"
        if not isinstance(rule, Mapping):
            problems.append(f"{where} must be a table with name, reason, and all or any.")
            continue
        name, reason = rule.get("name"), rule.get("reason")
        for word, value in (("name", name), ("reason", reason)):
            if not isinstance(value, str) or not value.strip():
                problems.append(f"{where}: '{word}' must be a text of at least one letter.")
        if isinstance(name, str) and name.strip():
            where = f"Flag '{name}'"
            if name in (made.name for made in rules):
                problems.append(f"{where} is declared twice. Give each a name of its own.")
        for word in rule:
            if word not in ("name", "reason", "all", "any"):
                hint = did_you_mean(word, ("name", "reason", "all", "any"))
                problems.append(f"{where}: there is no setting '{word}'. {hint}")
        parts = {
            word: _conditions(rule.get(word, ()), f"{where}, {word}", source, problems)
            for word in ("all", "any")
        }
        if not rule.get("all") and not rule.get("any"):
            problems.append(f"{where} has no condition. Give it 'all' or 'any'.")
        rules.append(FlagRule(str(name), str(reason), **parts))
    if problems:
        raise InputError("\n".join(problems))
    return tuple(rules)


def load_flag_rules(path: str | Path, source: Source) -> tuple[FlagRule, ...]:
    """Read the rules of a TOML file, one table ``[[flags]]`` each, for a file of records."""
    try:
        declared = tomllib.loads(read_text(path, "file of rules", limit=_LONGEST))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path} is not TOML: {error}.") from None
    rules = declared.get("flags")
    if not isinstance(rules, list) or not rules:
        raise InputError(f"{path} has no rules. Write each as a table [[flags]].")
    return read_flag_rules(rules, source)


def _conditions(
    declared: Any, where: str, source: Source, problems: list[str]
) -> tuple[Condition, ...]:
    if not isinstance(declared, (list, tuple)):
        problems.append(f"{where} must be a list of conditions.")
        return ()
    found = []
    for number, condition in enumerate(declared, start=1):
        place = f"{where}, condition {number}"
        if not isinstance(condition, Mapping):
            problems.append(f"{place} must be a table such as {{variable = 'floor', above = 4}}.")
            continue
        said = len(problems)
        variable = condition.get("variable")
        operations = [word for word in condition if word != "variable"]
        if not isinstance(variable, str) or variable not in source.variables:
            hint = did_you_mean(str(variable), source.variables)
            problems.append(f"{place}: there is no variable '{variable}'. {hint}")
        for word in operations:
            if word not in OPERATIONS:
                hint = did_you_mean(word, OPERATIONS)
                problems.append(f"{place}: there is no operation '{word}'. {hint}")
        if len(operations) != 1:
            problems.append(
                f"{place} must have one operation ({', '.join(OPERATIONS)}). Got {len(operations)}."
            )
        if len(problems) == said:
            operation = operations[0]
            kind = source.schema.field(variable).type
            wrong = _unfit(operation, condition[operation], kind)
            if wrong:
                problems.append(f"{place}: '{operation}' of '{variable}' {wrong}")
            else:
                value = condition[operation]
                value = tuple(value) if isinstance(value, list) else value
                found.append(Condition(variable, operation, value))  # type: ignore[arg-type]
    return tuple(found)


def _unfit(operation: str, value: Any, kind: pa.DataType) -> str:
    """Say why a value cannot be compared with a column of this type, or nothing."""
    if operation == "missing":
        return "" if isinstance(value, bool) else "must be true or false."
    if operation in ("in", "between"):
        if not isinstance(value, (list, tuple)) or not value:
            return "must be a list of values."
        if operation == "between" and len(value) != 2:
            return f"must be two values, the lowest and the highest. Got {len(value)}."
    values = value if operation in ("in", "between") else [value]
    kind = held_kind(kind)
    ordered = operation in ("above", "below", "between")
    if holds_numbers(kind):
        if any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in values):
            return "must be a number, since the variable is one."
        return "" if all(abs(v) < 1 << 63 for v in values) else "must be smaller than 2⁶³."
    if pa.types.is_temporal(kind):
        return "" if all(_is_date(v, kind) for v in values) else "must be a date (2001-12-31)."
    if ordered:
        return "needs a number or a date. The variable is neither: use 'equals' or 'in'."
    if pa.types.is_boolean(kind):
        return "" if all(isinstance(v, bool) for v in values) else "must be true or false."
    fits = all(isinstance(v, str) for v in values)
    return "" if fits else "must be a text in quotes, since the variable holds text."


def _is_date(value: Any, kind: pa.DataType) -> bool:
    try:
        _scalar(value, kind).cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return False
    return isinstance(value, (str, datetime.date, datetime.time))


@result
class RecordFlags(Result):
    """The records that rules apply to. Records are numbered from 0, as everywhere in files."""

    rules: tuple[FlagRule, ...]
    records: int
    found: Mapping[str, Ints]
    """The numbers of the records of each rule, increasing."""
    assumptions: tuple[str, ...] = (
        "Flags are the judgement of those who wrote the rules; no measure of risk uses them.",
        "A missing value meets no condition but 'missing'.",
    )

    FACTS = facts(
        "records",
        Fact("flagged", lambda found: len(found.flagged)),
        Fact(
            "flags",
            lambda found: [
                {"name": r.name, "reason": r.reason, "records": found.counts[r.name]}
                for r in found.rules
            ],
        ),
        "assumptions",
    )

    @cached_property
    def flagged(self) -> Ints:
        """The numbers of the records with at least one flag."""
        parts = [np.empty(0, dtype=np.int64), *self.found.values()]
        return np.unique(np.concatenate(parts))

    @property
    def counts(self) -> dict[str, int]:
        """The number of records of each rule."""
        return {rule.name: len(self.found[rule.name]) for rule in self.rules}

    def names(self, start: int, end: int) -> list[str]:
        """The names of the flags of each record of a span, joined; empty where there are none."""
        found: list[list[str]] = [[] for _ in range(end - start)]
        for rule in self.rules:
            numbers = self.found[rule.name]
            low, high = np.searchsorted(numbers, (start, end))
            for record in numbers[low:high]:
                found[record - start].append(rule.name)
        return ["; ".join(one) for one in found]

    def per_record(self) -> Iterator[pa.RecordBatch]:
        """One row per record: its number, and the names of its flags; a batch at a time."""
        for start in range(0, self.records, BATCH_RECORDS):
            end = min(self.records, start + BATCH_RECORDS)
            yield pa.RecordBatch.from_arrays(
                [pa.array(np.arange(start, end)), pa.array(self.names(start, end))],
                names=["record", "flags"],
            )

    def to_frame(self) -> Any:
        """Return one row per rule (pandas must be installed)."""
        rows = [
            {"flag": r.name, "reason": r.reason, "records": self.counts[r.name]} for r in self.rules
        ]
        return pa.Table.from_pylist(rows).to_pandas()

    def plot(self) -> str:
        """Draw the records of each rule, as SVG."""
        return bars(
            "Records with a flag", [rule.name for rule in self.rules], list(self.counts.values())
        )

    def sentence(self) -> str:
        """Say how many records carry a flag."""
        return f"{len(self.flagged):,} of {self.records:,} records carry a flag"

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                "Rules, and the records they apply to",
                ("flag", "reason", "records"),
                [(rule.name, rule.reason, self.counts[rule.name]) for rule in self.rules],
            )
        ]


def flag_records(source: Source, rules: Sequence[FlagRule]) -> RecordFlags:
    """Find the records that rules apply to, reading only the columns they look at.

    >>> import indistinct
    >>> homes = pa.table({"floor": [1, 5, 7], "area_type": ["rural", "rural", "urban"]})
    >>> with indistinct.open_data(homes) as data:
    ...     rules = read_flag_rules([{"name": "rural tower", "reason": "stands out",
    ...         "all": [{"variable": "floor", "above": 4},
    ...                 {"variable": "area_type", "equals": "rural"}]}], data.source)
    ...     flags = flag_records(data.source, rules)
    >>> flags.found["rural tower"].tolist()
    [1]
    """
    columns = list(dict.fromkeys(name for rule in rules for name in rule.variables))
    found: dict[str, list[Ints]] = {rule.name: [] for rule in rules}
    start = 0
    for batch in source.batches(columns) if columns else ():
        for rule in rules:
            found[rule.name].append(np.flatnonzero(rule.holds(batch, source)) + start)
        start += len(batch)
    empty = np.empty(0, dtype=np.int64)
    numbers = {name: np.concatenate([empty, *parts]) for name, parts in found.items()}
    return RecordFlags(tuple(rules), source.records, numbers)
