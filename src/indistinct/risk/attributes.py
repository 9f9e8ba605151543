"""Attribute disclosure: what is learnt of people whose record nobody can single out."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from indistinct.core import LEVELS, Bools, InputError, Ints, Level, did_you_mean
from indistinct.hierarchy import Hierarchy
from indistinct.keys import KeyTable
from indistinct.results import Fact, Result, Table, facts, result
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


WORST: dict[str, Callable[[Any], float]] = {
    "distinct l": lambda found: found.diversity.least("distinct"),
    "entropy l": lambda found: found.diversity.least("entropy"),
    "recursive l": lambda found: found.diversity.least("recursive"),
    "t": lambda found: found.closeness.largest,
    "β": lambda found: float(found.likeness.gain.max()),
    "δ": lambda found: float(found.likeness.log_ratio.max()),
    "people disclosed": lambda found: found.disclosed,
}
"""What people read of a variable: its measures at the worst class."""


@result
class SensitiveRisk(Result):
    """What is learnt about one sensitive variable.

    `disclosed` counts people in classes of two or more who all have the same value: nobody can
    tell which record is theirs, and everybody can tell what it says.
    """

    name: str
    diversity: Diversity
    closeness: Closeness
    likeness: Likeness

    FACTS = facts(
        Fact("sensitive", "name"),
        Fact("homogeneous_classes", lambda found: int(found.homogeneous.sum())),
        "disclosed",
        Fact("diversity", lambda found: found._own("diversity")),
        Fact("closeness", lambda found: found._own("closeness")),
        Fact("likeness", lambda found: found._own("likeness")),
        *(Fact(name, source, shown=name, told=False) for name, source in WORST.items()),
    )

    def _own(self, part: str) -> dict[str, Any]:
        """What a part says that the others do not say too."""
        shared = ("key", "sensitive", "records", "classes", "assumptions")
        told = getattr(self, part).to_dict()
        return {name: value for name, value in told.items() if name not in shared}

    def _lines(self) -> list[str]:
        return [self.sentence()]

    def sentence(self) -> str:
        """Say what is learnt at the worst class."""
        diversity, likeness = self.diversity, self.likeness
        return (
            f"{self.name}: l = {diversity.least('distinct'):g} distinct, "
            f"{diversity.least('entropy'):.3g} entropy, "
            f"{diversity.least('recursive'):g} recursive; "
            f"t = {self.closeness.largest:.3g} ({self.closeness.distance}); "
            f"β = {likeness.gain.max():.3g}; δ = {likeness.log_ratio.max():.3g}; "
            f"{self.disclosed:,} people disclosed"
        )

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


@result
class AttributeRisk(Result):
    """What is learnt about all sensitive variables, one by one and together."""

    table: KeyTable
    """The classes of the key."""
    variables: tuple[SensitiveRisk, ...]
    together: Diversity
    """The diversity of every variable with the others known; the same as its own where there is
    one variable only."""
    l: float | None
    t: float | None
    assumptions: tuple[str, ...]
    class_of: Ints
    """For every row of the table that was measured, its class: ``values[class_of]`` hands a
    measure back to those rows, and the tally's `per_record` to the records."""

    FACTS = facts(
        Fact("key", "table.names"),
        Fact("records", "table.records"),
        Fact("classes", "table.classes"),
        "disclosed",
        "variables",
        "together",
        "l",
        "t",
        Fact("classes_failing", lambda found: int(found.failing.sum()), when="_asked"),
        Fact(
            "records_failing",
            lambda found: int(found.table.counts[found.failing].sum()),
            when="_asked",
        ),
        "warnings",
        "assumptions",
    )

    @property
    def _asked(self) -> bool:
        return self.l is not None or self.t is not None

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                f"What is learnt by {', '.join(self.table.names)}, at the worst class",
                ("variable", *WORST),
                [(v.name, *(worst(v) for worst in WORST.values())) for v in self.variables],
            )
        ]

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
        if self._asked:
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
