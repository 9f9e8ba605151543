"""Attribute disclosure: what is learnt of people whose record nobody can single out."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from indistinct.core import LEVELS, Bools, InputError, Ints, Level, did_you_mean
from indistinct.hierarchy import Hierarchy
from indistinct.keys import KeyTable
from indistinct.results import Shown, Table
from indistinct.results.figures import bars
from indistinct.risk.closeness import Closeness, closeness_of
from indistinct.risk.diversity import (
    Diversity,
    SensitiveCounts,
    check_names,
    diversity_of,
    multi_l_diversity,
    split_table,
)
from indistinct.risk.likenesses import Likeness, likeness_of

__all__ = ["AttributeRisk", "SensitiveRisk", "attribute_disclosure"]

ORDERED_LEVELS = ("ordinal", "numeric", "date")


@dataclass(frozen=True, eq=False)
class SensitiveRisk(Shown):
    """What is learnt about one sensitive variable.

    `disclosed` counts people in classes of two or more who all have the same value: nobody can
    tell which record is theirs, and everybody can tell what it says.
    """

    name: str
    diversity: Diversity = field(repr=False)
    closeness: Closeness = field(repr=False)
    likeness: Likeness = field(repr=False)

    @property
    def homogeneous(self) -> Bools:
        """Say of every class whether two or more records share it, and one value."""
        shared = self.diversity.table.counts > 1
        homogeneous: Bools = shared & (self.diversity.distinct == 1)
        return homogeneous

    @property
    def disclosed(self) -> int:
        """People whose value is told although their record cannot be singled out."""
        return int(self.diversity.table.counts[self.homogeneous].sum())

    def to_dict(self) -> dict[str, Any]:
        """Return the facts by their fixed names."""
        facts: dict[str, Any] = {
            "sensitive": self.name,
            "homogeneous_classes": int(self.homogeneous.sum()),
            "disclosed": self.disclosed,
        }
        shared = ("key", "sensitive", "records", "classes", "assumptions")
        for part in ("diversity", "closeness", "likeness"):
            found = getattr(self, part).to_dict()
            facts[part] = {name: value for name, value in found.items() if name not in shared}
        return facts

    def __repr__(self) -> str:
        return self._short()

    def _lines(self) -> list[str]:
        diversity, likeness = self.diversity, self.likeness
        return [
            f"{self.name}: l = {diversity.least('distinct'):g} distinct, "
            f"{diversity.least('entropy'):.3g} entropy, "
            f"{diversity.least('recursive'):g} recursive; "
            f"t = {self.closeness.largest:.3g} ({self.closeness.distance}); "
            f"β = {likeness.gain.max():.3g}; δ = {likeness.log_ratio.max():.3g}; "
            f"{self.disclosed:,} people disclosed"
        ]

    def _tables(self) -> list[Table]:
        return [
            Table.facts(
                f"What is learnt about {self.name}, at the worst class",
                {
                    "distinct l": self.diversity.least("distinct"),
                    "entropy l": self.diversity.least("entropy"),
                    "recursive l": self.diversity.least("recursive"),
                    "t": self.closeness.largest,
                    "β": float(self.likeness.gain.max()),
                    "δ": float(self.likeness.log_ratio.max()),
                    "people disclosed": self.disclosed,
                },
            )
        ]


@dataclass(frozen=True, eq=False)
class AttributeRisk(Shown):
    """What is learnt about all sensitive variables, one by one and together."""

    table: KeyTable = field(repr=False)
    """The classes of the key."""
    variables: tuple[SensitiveRisk, ...]
    together: Diversity
    """The diversity of every variable with the others known; the same as its own where there is
    one variable only."""
    l: float | None
    t: float | None
    assumptions: tuple[str, ...]
    class_of: Ints = field(repr=False)
    """For every row of the table that was measured, its class: ``values[class_of]`` hands a
    measure back to those rows, and the tally's `per_record` to the records."""

    def __getitem__(self, name: str) -> SensitiveRisk:
        """Return what was found about one variable."""
        by_name = {variable.name: variable for variable in self.variables}
        if name not in by_name:
            raise InputError(f"'{name}' was not measured. {did_you_mean(name, by_name)}")
        return by_name[name]

    @property
    def homogeneous(self) -> Bools:
        """Say of every class of two or more whether some variable has one value in it."""
        anywhere = np.zeros(self.table.classes, dtype=bool)
        for variable in self.variables:
            anywhere |= variable.homogeneous
        return anywhere

    @property
    def disclosed(self) -> int:
        """People of whom some value is told although their record cannot be singled out."""
        return int(self.table.counts[self.homogeneous].sum())

    @property
    def failing(self) -> Bools:
        """Say of every class whether it fails the distinct l or the t that were given."""
        failing = np.zeros(self.table.classes, dtype=bool)
        for variable in self.variables:
            if self.l is not None:
                failing |= variable.diversity.failing("distinct")
            if self.t is not None:
                failing |= variable.closeness.failing()
        return failing

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about people whose value is told without a link to their record."""
        warnings = []
        for variable in self.variables:
            if variable.disclosed:
                warnings.append(
                    f"'{variable.name}' of {variable.disclosed:,} people is told although each "
                    f"shares the key with others: {int(variable.homogeneous.sum()):,} classes have "
                    "a single value."
                )
        return tuple(warnings)

    def to_dict(self) -> dict[str, Any]:
        """Return the facts by their fixed names."""
        facts: dict[str, Any] = {
            "key": list(self.table.names),
            "records": self.table.records,
            "classes": self.table.classes,
            "disclosed": self.disclosed,
            "variables": [variable.to_dict() for variable in self.variables],
            "together": self.together.to_dict(),
            "l": self.l,
            "t": self.t,
        }
        if self.l is not None or self.t is not None:
            facts["classes_failing"] = int(self.failing.sum())
            facts["records_failing"] = int(self.table.counts[self.failing].sum())
        return {**facts, "warnings": list(self.warnings), "assumptions": list(self.assumptions)}

    def to_frame(self) -> Any:
        """Return one row per class: its key, its size and the measures of every variable."""
        frame = self.table.to_frame()
        for variable in self.variables:
            frame[f"{variable.name}_distinct_l"] = variable.diversity.distinct
            frame[f"{variable.name}_entropy_l"] = variable.diversity.entropy_l
            frame[f"{variable.name}_recursive_l"] = variable.diversity.recursive
            frame[f"{variable.name}_t"] = variable.closeness.distances
            frame[f"{variable.name}_beta"] = variable.likeness.gain
            frame[f"{variable.name}_delta"] = variable.likeness.log_ratio
        return frame

    def plot(self) -> str:
        """Draw the people whose value is told without a unique link, by variable, as SVG."""
        return bars(
            "People whose value is told although others share their key",
            [variable.name for variable in self.variables],
            [variable.disclosed for variable in self.variables],
        )

    def __repr__(self) -> str:
        return self._short()

    def _lines(self, most: int = 4) -> list[str]:
        lines = [
            f"{self.table.records:,} records by {', '.join(self.table.names)}: "
            f"{self.table.classes:,} classes"
        ]
        lines += [f"  {variable.details()}" for variable in self.variables[:most]]
        if len(self.variables) > most:
            lines.append(f"  and {len(self.variables) - most} variables more")
        if len(self.variables) > 1:
            lines.append(
                f"  together: l = {self.together.least('distinct'):g} distinct, "
                f"{self.together.least('entropy'):.3g} entropy, "
                f"{self.together.least('recursive'):g} recursive"
            )
        if self.l is not None or self.t is not None:
            bounds = (("l", self.l), ("t", self.t))
            asked = [f"{name} = {bound:g}" for name, bound in bounds if bound is not None]
            lines.append(
                f"  {' and '.join(asked)} {'fail' if asked[1:] else 'fails'} in "
                f"{int(self.failing.sum()):,} classes, "
                f"{int(self.table.counts[self.failing].sum()):,} records"
            )
        if self.disclosed:
            lines.append(
                f"  warning: a value of {self.disclosed:,} people is told without a unique link"
            )
        return [*lines, *(f"  note: {note}" for note in self.assumptions)]

    def details(self) -> str:
        """Return everything in words, every variable among it."""
        return "\n".join(self._lines(len(self.variables)))

    def _tables(self) -> list[Table]:
        return [
            Table(
                f"What is learnt by {', '.join(self.table.names)}, at the worst class",
                ("variable", "distinct l", "entropy l", "recursive l", "t", "β", "δ", "disclosed"),
                [
                    (
                        v.name,
                        v.diversity.least("distinct"),
                        v.diversity.least("entropy"),
                        v.diversity.least("recursive"),
                        v.closeness.largest,
                        float(v.likeness.gain.max()),
                        float(v.likeness.log_ratio.max()),
                        v.disclosed,
                    )
                    for v in self.variables
                ],
            )
        ]


def attribute_disclosure(
    table: KeyTable,
    key: Sequence[str],
    sensitive: Sequence[str],
    *,
    l: float | None = None,
    t: float | None = None,
    c: float = 2.0,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    levels: Mapping[str, Level] | None = None,
) -> AttributeRisk:
    """Measure l-diversity, t-closeness, β-likeness and δ-disclosure of all sensitive variables.

    The distance between values, for t-closeness, follows from what is known of a variable: the
    ordered one for the levels ordinal, numeric and date, and for decimals and dates of which no
    level is told; the hierarchical one where there is a hierarchy; else the equal one. Text that
    is ordinal takes its order from an ordered hierarchy.

    Parameters
    ----------
    table
        The records counted by the key and the sensitive variables together.
    key, sensitive
        What an intruder knows, and what he is after.
    l, t
        The diversity and the closeness that are asked for, if any.
    c
        The constant of recursive (c, l)-diversity.
    hierarchies, levels
        Hierarchies and levels of measurement of sensitive variables, by name.

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"age": [30, 30, 30, 41, 41], "illness": [*"aab", *"cc"]})
    >>> with indistinct.open_data(people) as data:
    ...     table = data.key_table(["age", "illness"])
    >>> found = attribute_disclosure(table, ["age"], ["illness"], l=2)
    >>> found.disclosed, found.failing
    (2, array([False,  True]))
    >>> found.warnings[0]
    "'illness' of 2 people is told although each shares the key with others: 1 classes have a
    single value."
    """
    check_names(table, key, sensitive)
    hierarchies, levels = hierarchies or {}, levels or {}
    for name in [*hierarchies, *levels]:
        if name not in sensitive:
            raise InputError(
                f"A hierarchy or a level is given for '{name}', which is not one of the sensitive "
                f"variables. {did_you_mean(name, sensitive)}"
            )
    found = []
    for name in sensitive:
        split = split_table(table, key, name)
        found.append(
            SensitiveRisk(
                name,
                diversity_of(split, l=l, c=c),
                _closeness(split, hierarchies.get(name), levels.get(name), t),
                likeness_of(split),
            )
        )
    together = multi_l_diversity(table, key, sensitive, l=l, c=c)
    notes: dict[str, None] = {}
    for variable in found:
        notes |= dict.fromkeys(variable.closeness.assumptions)
        notes |= dict.fromkeys(variable.diversity.assumptions)
    classes = found[0].diversity
    return AttributeRisk(
        classes.table, tuple(found), together, l, t, tuple(notes), classes.class_of
    )


def _closeness(
    split: SensitiveCounts, hierarchy: Hierarchy | None, level: Level | None, t: float | None
) -> Closeness:
    if level is not None and level not in LEVELS:
        raise InputError(
            f"The level of '{split.sensitive}' must be one of {', '.join(LEVELS)}. "
            f"Got '{level}'. {did_you_mean(level, LEVELS)}"
        )
    first = split.example()
    measured = isinstance(first, float | Decimal | datetime.date | datetime.time)
    if level in ORDERED_LEVELS or (level is None and hierarchy is None and measured):
        order = None
        if isinstance(first, str) and hierarchy is not None and hierarchy.ordered:
            order = hierarchy.values
        return closeness_of(split, distance="ordered", order=order, t=t)
    return closeness_of(split, hierarchy=hierarchy, t=t)
