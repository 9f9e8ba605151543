"""What a rule tells of everybody is told by no class: children under 15 have no income.

A value that a class tells is learnt from the release only if it was not known before. Where the
holder declares a rule that anybody knows (children do not earn; men do not give birth), a class
that lies wholly within the rule and has the rule's value tells nothing by it. A rule that is not
true of everybody is none, and a class that may reach beyond it is not excused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from indistinct.core import Bools, InputError
from indistinct.hierarchy import Nesting, as_text, is_suppressed
from indistinct.keys import KeyTable
from indistinct.risk.diversity import SensitiveCounts
from indistinct.risk.folding import fold_text

__all__ = ["PublicRule", "against_rule", "is_public_rule", "known_by_rule", "unmet_labels"]

_TEXTS = ("variable", "value", "given")


@dataclass(frozen=True)
class PublicRule:
    """Everybody whose `given` lies within one of `labels` has this value of a sensitive variable.

    Labels are read by their form: ``<15``, ``0-14``, ``{a, b}``, or a value itself.

    >>> PublicRule("income", "0", "age", ("<15",)).describe()
    "everybody whose 'age' is <15 has 'income' 0"
    """

    variable: str
    value: str
    given: str
    labels: tuple[str, ...]

    def describe(self) -> str:
        """Say it in words."""
        return (
            f"everybody whose '{self.given}' is {' or '.join(self.labels)} has "
            f"'{self.variable}' {self.value}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the facts by name, as JSON knows them."""
        return {**asdict(self), "labels": list(self.labels)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> PublicRule:
        """Make the rule that `to_dict` described."""
        if not is_public_rule(content):
            raise InputError("A public rule has the texts variable, value and given, and labels.")
        variable, value, given = (str(content[name]) for name in _TEXTS)
        return cls(variable, value, given, tuple(content["labels"]))


def is_public_rule(content: Mapping[str, Any]) -> bool:
    """Say whether `PublicRule.to_dict` may have made this."""
    labels = content.get("labels")
    listed = isinstance(labels, (list, tuple)) and all(isinstance(one, str) for one in labels)
    return listed and all(isinstance(content.get(name), str) for name in _TEXTS)


def known_by_rule(split: SensitiveCounts, rules: Sequence[PublicRule]) -> Bools:
    """Say of every class whether a rule tells the one value that it has.

    A rule that somebody in the same file contradicts excuses nothing.

    Parameters
    ----------
    split
        What `split_told` returns: classes of released labels, and what they tell.

    >>> import indistinct
    >>> from indistinct.risk.folding import split_told
    >>> people = {"age": ["0-9", "0-9", "10-19", "10-19"], "income": [0, 0, 0, 0]}
    >>> with indistinct.open_data(people) as data:
    ...     split = split_told(data.key_table(["age", "income"]), ["age"], "income")
    >>> known_by_rule(split, [PublicRule("income", "0", "age", ("<15",))])
    array([ True, False])
    """
    found = np.zeros(len(split.starts) - 1, dtype=bool)
    about = [r for r in rules if r.variable == split.sensitive and r.given in split.table.names]
    if not about:
        return found
    told = split.telling
    single = np.flatnonzero(np.diff(told.starts) == 1)
    texts = [fold_text(as_text(value)) for value in told.decoded()]
    values = told.values[told.starts[single]]
    for rule in about:
        says = np.array([text == fold_text(rule.value) for text in texts], dtype=bool)
        if says.any() and not against_rule(split, rule):
            found[single] |= _within(split.table, rule)[single] & says[values]
    return found


def against_rule(split: SensitiveCounts, rule: PublicRule) -> int:
    """Count the records within a rule that have another value than it says."""
    told = split.telling
    if rule.given not in split.table.names or not len(told.values):
        return 0
    texts = [fold_text(as_text(value)) for value in told.decoded()]
    other = np.array([text != fold_text(rule.value) for text in texts], dtype=bool)
    within = np.repeat(_within(split.table, rule), np.diff(told.starts))
    return int(told.counts[within & other[told.values]].sum())


def unmet_labels(values: Sequence[object], rule: PublicRule) -> tuple[str, ...]:
    """Return the labels of a rule that no value lies within: nobody can say whether it is true."""
    nesting = Nesting(values, rule.labels)
    return tuple(
        label
        for j, label in enumerate(rule.labels)
        if is_suppressed(label) or not any(nesting.within(i, j) for i in range(len(values)))
    )


def _within(table: KeyTable, rule: PublicRule) -> Bools:
    """Say of every class whether all that its label may stand for lies within the rule."""
    at = table.position(rule.given)
    codes, place = np.unique(table.codes[:, at], return_inverse=True)
    labels = table.coding.variables[at].decode(codes)
    known = [label for label in rule.labels if not is_suppressed(label)]
    nesting = Nesting(labels, known)
    inside = [
        label is not None and any(nesting.within(i, j) for j in range(len(known)))
        for i, label in enumerate(labels)
    ]
    return np.array(inside, dtype=bool)[place.reshape(-1)]
