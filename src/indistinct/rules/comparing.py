"""Rules before and after protection: a release must not make impossible people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from indistinct.core import Array, InputError
from indistinct.files import Source
from indistinct.households import Column, Kinship, Records, read_columns, read_kinship
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.rules.language import Numbers, Scope, Texts, Value, _Reader, translated
from indistinct.rules.rules import RuleCheck, Rules

__all__ = ["Measure", "RulesReport", "compare_rules"]


# Measures: numbers made of variables in the language of rules, such as the youngest's age.


@dataclass(frozen=True)
class Measure:
    """A number for every record: ``minimum(age)``, ``mother.age - age``.

    >>> Measure("gap", "spouse.age - age").of(
    ...     {"age": np.array([40, 37])}, Kinship(*map(np.array, ([0, 0], [0, 0], [1, 0], [-1, -1],
    ...     [-1, -1])))
    ... ).values.tolist()
    [-3, 3]
    """

    name: str
    text: str
    variables: tuple[str, ...] = field(init=False)
    needs_kinship: bool = field(init=False)
    answer: Value = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read the expression; refuse what is not understood."""
        reader, answer = translated(self.text, f"Measure '{self.name}'", _Reader.value)
        object.__setattr__(self, "variables", tuple(reader.variables))
        object.__setattr__(self, "needs_kinship", reader.needs_kinship)
        object.__setattr__(self, "answer", answer)

    def read(self, source: Source, kinship: Kinship | None = None) -> Column:
        """Compute the measure for the records of a file."""
        source.check_columns(self.variables)
        return self.of(read_columns(source, self.variables), kinship)

    def of(
        self, columns: Mapping[str, Column | np.ndarray], kinship: Kinship | None = None
    ) -> Column:
        """Compute the measure from columns."""
        if self.needs_kinship and kinship is None:
            raise InputError(
                f"Measure '{self.name}' speaks of relatives or of the household, and who lives "
                "with whom is not known. Say which columns these are."
            )
        read = {name: Column.of(columns[name]) for name in self.variables}
        records = kinship.records if kinship is not None else len(next(iter(read.values())))
        found = self.answer(Scope(read, kinship, records))
        if isinstance(found, Texts):
            return found.column
        if not isinstance(found, Numbers):
            raise InputError(f"Measure '{self.name}' is a text, not a number of the records.")
        return Column(np.broadcast_to(found.values, (records,)), found.present)


Data = Source | Mapping[str, Array | Column]


@result
class RulesReport(Result):
    """How many records break each rule before and after.

    Parameters
    ----------
    rules
        The rules.
    before, after
        Who broke which rule.
    became
        For each rule, the records that break it now and did not before; from 0.
    """

    rules: Rules
    before: RuleCheck
    after: RuleCheck
    became: Mapping[str, Records] = field(default_factory=dict)

    FACTS = facts(
        Fact("records", "before.records"),
        Fact("original", "before.broken"),
        Fact("released", "after.broken"),
        Fact("difference", lambda found: found.after.broken - found.before.broken),
        Fact("became_impossible", lambda found: len(found.became_impossible)),
        Fact("threshold", lambda found: 0),
        "passed",
        Fact("rules", lambda found: {name: found._of_rule(name) for name in found.rules}),
    )

    def _of_rule(self, name: str) -> dict[str, object]:
        before, after = self.before.counts[name], self.after.counts[name]
        return {
            "original": before,
            "released": after,
            "difference": after - before,
            "became": len(self.became[name]),
            "impossible": self.rules[name].impossible,
            "reason": self.rules[name].reason,
            "passed": after <= before,
        }

    @property
    def passed(self) -> bool:
        """Whether no rule is broken by more records than before."""
        after = self.after.counts
        return all(after[name] <= count for name, count in self.before.counts.items())

    @property
    def became_impossible(self) -> Records:
        """The records that break some rule now and none before; from 0."""
        return np.flatnonzero(self.after.any & ~self.before.any)

    def plot(self) -> str:
        """Draw the records that break each rule before and after, as SVG."""
        before, after = self.before.counts, self.after.counts
        return bars(
            "Records that break a rule",
            list(before),
            list(before.values()),
            beside=[after[name] for name in before],
            names=("original", "released"),
        )

    def _lines(self) -> list[str]:
        before, after = self.before.counts, self.after.counts
        became = {name: len(records) for name, records in self.became.items()}
        width = max((len(name) for name in self.rules), default=4)
        verdict = "never more than before" if self.passed else "MORE than before"
        impossible = len(self.became_impossible)
        lines = [
            f"Rules, {self.before.records:,} records: broken {verdict}; "
            f"{impossible:,} became impossible",
            f"  {'rule':<{width}} {'original':>10} {'released':>10} {'new':>10}",
        ]
        lines += [
            f"  {name:<{width}} {before[name]:>10,} {after[name]:>10,} {became[name]:>10,}"
            for name in self.rules
        ]
        return lines

    def _row_tables(self) -> list[Table]:
        before, after = self.before.counts, self.after.counts
        return [
            Table(
                f"Records that break each rule, of {self.before.records:,}",
                ("rule", "original", "released", "new"),
                [(name, before[name], after[name], len(self.became[name])) for name in self.rules],
            )
        ]


def compare_rules(
    rules: Rules,
    before: Data,
    after: Data,
    *,
    kinship: Kinship | None = None,
    kinship_after: Kinship | None = None,
) -> RulesReport:
    """Count who breaks the rules in the original and in the released records.

    Both hold the same records in the same order. The kin are those of the original unless
    `kinship_after` gives others; where rules need them and none are given, they are found in the
    original data set.

    >>> from indistinct.rules import Rule
    >>> rules = Rules([Rule("child married", "age < 15 and marital != 1")])
    >>> original = {"age": np.array([8, 40, 9]), "marital": np.array([1, 2, 1])}
    >>> compare_rules(rules, original, original | {"marital": np.array([2, 1, 1])})
    Rules, 3 records: broken MORE than before; 1 became impossible
      rule            original   released        new
      child married          0          1          1
    """
    if rules.needs_kinship and kinship is None and isinstance(before, Source):
        kinship = read_kinship(before)
    kinship_after = kinship if kinship_after is None else kinship_after
    first = rules.violations(_columns(rules, before), kinship)
    second_columns = _columns(rules, after)
    lengths = {len(Column.of(column)) for column in second_columns.values()}
    if rules and lengths and lengths != {first.records}:
        raise InputError(
            "Rules are compared record by record, so both data sets must have the same records. "
            f"Got {first.records:,} and {max(lengths):,}."
        )
    second = rules.violations(second_columns, kinship_after)
    became = {name: np.flatnonzero(second.by_rule[name] & ~first.by_rule[name]) for name in rules}
    return RulesReport(rules, first, second, became)


def _columns(rules: Rules, data: Data) -> Mapping[str, Any]:
    return rules.read(data) if isinstance(data, Source) else data
