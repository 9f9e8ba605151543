"""Edit rules: what a record may not say, and which records say it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from indistinct.core import Array, InputError, did_you_mean
from indistinct.files import Source
from indistinct.households import Column, Kinship, Records, read_columns
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.rules.language import Expression, Scope, Truths, read_expression

__all__ = ["Rule", "RuleCheck", "Rules"]


@dataclass(frozen=True)
class Rule:
    """Something that cannot be: a name, an expression that is true where it is, and why.

    >>> Rule("young mother", "mother.age - age < 12")
    Rule('young mother', 'mother.age - age < 12')
    """

    name: str
    impossible: str
    reason: str = ""
    expression: Expression = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read the expression; refuse what is not understood."""
        if not isinstance(self.name, str) or not self.name:
            raise InputError("A rule needs a name. Got an empty one.")
        expression = read_expression(self.impossible, rule=self.name)
        object.__setattr__(self, "expression", expression)

    def __repr__(self) -> str:
        return f"Rule({self.name!r}, {self.impossible!r})"


class Rules(Mapping[str, Rule]):
    """Rules in their order, by name.

    >>> rules = Rules([Rule("child married", "age < 15 and marital != 1"),
    ...                Rule("heads", "count(relationship == 1) > 1")])
    >>> rules.variables
    ('age', 'marital', 'relationship')
    >>> Rules.from_dict(rules.to_dict()) == rules
    True
    """

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self._by_name: dict[str, Rule] = {}
        for rule in rules:
            if rule.name in self._by_name:
                raise InputError(f"There are two rules '{rule.name}'. Names must differ.")
            self._by_name[rule.name] = rule

    def __getitem__(self, name: str) -> Rule:
        if name not in self._by_name:
            raise InputError(f"There is no rule '{name}'. {did_you_mean(name, self._by_name)}")
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rules):
            return NotImplemented
        return list(self.values()) == list(other.values())

    def __hash__(self) -> int:
        return hash(tuple(self.values()))

    def __repr__(self) -> str:
        lines = [f"{len(self)} rules; impossible is"]
        for rule in self.values():
            reason = f"  ({rule.reason})" if rule.reason else ""
            lines.append(f"  {rule.name}: {rule.impossible}{reason}")
        return "\n".join(lines)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that the rules speak of, once each."""
        return tuple(dict.fromkeys(v for r in self.values() for v in r.expression.variables))

    @property
    def relatives(self) -> tuple[str, ...]:
        """The relatives that the rules speak of, once each."""
        return tuple(dict.fromkeys(v for r in self.values() for v in r.expression.relatives))

    @property
    def needs_kinship(self) -> bool:
        """Whether a rule speaks of relatives or of the household."""
        return any(rule.expression.needs_kinship for rule in self.values())

    def about(self, variables: Iterable[str]) -> Rules:
        """Return the rules that speak of some of these variables: the others need no new look
        when these have changed."""
        wanted = set(variables)
        return Rules(r for r in self.values() if wanted & set(r.expression.variables))

    def read(self, source: Source) -> dict[str, Column]:
        """Read the columns that the rules speak of."""
        self.check_variables(source.variables, origin=source.origin)
        return read_columns(source, self.variables)

    def check_variables(self, known: Iterable[str], *, origin: str = "") -> None:
        """Refuse rules that speak of variables which the data do not have, all at once."""
        names = list(known)
        problems = [
            f"{origin + ': ' if origin else ''}Rule '{rule.name}' speaks of '{variable}', which is "
            f"no variable of the data. {did_you_mean(variable, names)}"
            for rule in self.values()
            for variable in rule.expression.variables
            if variable not in names
        ]
        if problems:
            raise InputError("\n".join(problems))

    def violations(
        self, columns: Mapping[str, Array | Column], kinship: Kinship | None = None
    ) -> RuleCheck:
        """Say for every record which rules it breaks.

        >>> people = {"age": np.array([30, 8, 9]), "marital": np.array([2, 1, 2])}
        >>> check = Rules([Rule("child married", "age < 15 and marital != 1")]).violations(people)
        >>> check.any.tolist()
        [False, False, True]
        """
        self.check_variables(columns)
        if kinship is None:
            for rule in self.values():
                if rule.expression.needs_kinship:
                    raise InputError(
                        f"Rule '{rule.name}' speaks of relatives or of the household, and who "
                        "lives with whom is not known. Give the kinship of the records."
                    )
        read = {name: Column.of(columns[name]) for name in self.variables}
        records = _records(read, columns, kinship)
        scope = Scope(read, kinship, records)
        found: dict[str, Truths] = {}
        for rule in self.values():
            try:
                found[rule.name] = rule.expression.answer(scope)
            except InputError as error:
                raise InputError(
                    f"Rule '{rule.name}': {error}. Compare text with text in quotes."
                ) from None
        return RuleCheck(records, found, None if kinship is None else kinship.household)

    def to_dict(self) -> dict[str, dict[str, str]]:
        """Return the rules as a project file states them."""
        return {
            rule.name: {"impossible": rule.impossible}
            | ({"reason": rule.reason} if rule.reason else {})
            for rule in self.values()
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Mapping[str, str]]) -> Rules:
        """Make them again from what `to_dict` returned."""
        for name, rule in given.items():
            if not isinstance(rule, Mapping) or not {"impossible"} <= set(rule) <= {
                "impossible",
                "reason",
            }:
                raise InputError(f"Rule '{name}' must have impossible, and may have reason.")
        return cls(Rule(n, rule["impossible"], rule.get("reason", "")) for n, rule in given.items())


def _records(
    read: Mapping[str, Column], columns: Mapping[str, Any], kinship: Kinship | None
) -> int:
    lengths = {name: len(column) for name, column in read.items()}
    if kinship is not None:
        lengths["the kinship"] = kinship.records
    elif not lengths and columns:
        lengths = {name: len(Column.of(column)) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} {length:,}" for name, length in lengths.items())
        raise InputError(f"Columns and kinship must be of the same records. Got lengths: {said}.")
    return next(iter(lengths.values()), 0)


@result
class RuleCheck(Result):
    """Which records break which rule.

    Parameters
    ----------
    records
        The number of records.
    by_rule
        For each rule, whether a record breaks it.
    household
        The household of every record, where it is known.
    """

    records: int
    by_rule: Mapping[str, Truths]
    household: Records | None = None

    FACTS = facts(
        "records",
        Fact("impossible", "broken"),
        Fact(
            "rules",
            lambda found: {name: {"records": count} for name, count in found.counts.items()},
        ),
        Fact(
            "households",
            lambda found: len(found.violating_households),
            when=lambda found: found.household is not None,
        ),
    )

    def sentence(self) -> str:
        """Say how many records break a rule."""
        where = "" if self.household is None else f", {len(self.violating_households):,} households"
        return f"{self.broken:,} of {self.records:,} records break a rule{where}"

    @property
    def broken(self) -> int:
        """The records that break a rule."""
        return int(np.count_nonzero(self.any))

    @property
    def any(self) -> Truths:
        """Whether a record breaks any rule."""
        found = np.zeros(self.records, dtype=bool)
        for broken in self.by_rule.values():
            found |= broken
        return found

    @property
    def counts(self) -> dict[str, int]:
        """How many records break each rule."""
        return {name: int(np.count_nonzero(broken)) for name, broken in self.by_rule.items()}

    @property
    def violating_households(self) -> Records:
        """The numbers of the households with a record that breaks a rule, in rising order."""
        if self.household is None:
            raise InputError("Households are not known. Check the rules with a kinship.")
        return np.unique(self.household[self.any])

    def plot(self) -> str:
        """Draw the records that break each rule, as SVG."""
        return bars("Records that break a rule", list(self.counts), list(self.counts.values()))

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                f"Records that break each rule, of {self.records:,}",
                ("rule", "records"),
                list(self.counts.items()),
            )
        ]
