"""False matches: how many people the ones of a set of tables could belong to, and how many exist.

An intruder who looks for a person that stands alone in every table takes a cell with a count of one
from each and hopes that they belong together. Openshaw, Duke-Williams and Rees (1997), section 5.3,
multiply the numbers of ones (6 · 7 · 4 = 168, for which the right number is 6 · 6 · 4 = 144) and
take all but the three that are people for a safeguard. But the tables share variables, and a man of
the first cannot be a woman of the third: 6 combinations are left, 3 of which are people.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from indistinct.core import InputError, Ints, check_whole, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables.counting import Counted
from indistinct.tables.matching.atoms import TooManyAtoms, axes_of
from indistinct.tables.matching.combining import feasible_combinations, ones_of
from indistinct.tables.uniques import TabularUniques, tabular_uniques

__all__ = ["MOST_STATES", "FalseMatches", "false_matches"]

MOST_STATES = 20_000
"""States an area may have while its combinations are counted."""

_EXACT = 2**53


@result
class FalseMatches(Result):
    """How many combinations of ones there are, how many are possible, and how many are people.

    Parameters
    ----------
    uniques
        The full record tabular uniques.
    combinations_per_area
        All combinations of a one from every table, and of "not counted there" for tables that do
        not count everybody: the paper's safeguard.
    feasible_per_area
        Those in which some person could stand, going by what the tables say of their variables;
        None where it was not counted.
    most_states
        How many states an area might have, beyond which it was not counted.
    """

    uniques: TabularUniques
    combinations_per_area: tuple[int, ...]
    feasible_per_area: tuple[int | None, ...]
    most_states: int

    FACTS = facts(
        Fact("ones", lambda found: found.ones_per_table.sum(axis=1)),
        Fact("combinations", lambda found: _plain(found.combinations)),
        Fact("log10_combinations", lambda found: _log10(found.combinations)),
        Fact("feasible", lambda found: _plain(found.feasible)),
        Fact("log10_feasible", lambda found: _log10(found.feasible)),
        # numbers without end are written as powers for people
        Fact(
            "all",
            lambda found: _words(found.combinations),
            shown="combinations of ones",
            told=False,
        ),
        Fact(
            "possible",
            lambda found: _words(found.feasible_where_counted),
            shown="that could be somebody",
            told=False,
        ),
        Fact("true", shown="that are somebody"),
        Fact("false", lambda found: _plain(found.false)),
        Fact("success", shown="an intruder is right", form=".1%"),
        Fact("success_by_chance", shown="by any combination", form=".2g"),
        Fact("areas_not_counted", "not_counted", shown="areas not counted"),
    )

    def to_frame(self) -> Any:
        """Return one row with every number, as a pandas frame."""
        return Table.facts("False matches", self.to_dict()).to_frame()

    def sentence(self) -> str:
        """Say how many tables and areas there are."""
        return (
            f"FalseMatches({len(self.counted.layouts)} tables, {len(self.counted.areas):,} areas)"
        )

    @property
    def counted(self) -> Counted:
        """The tables."""
        return self.uniques.counted

    @property
    def ones_per_table(self) -> Ints:
        """Cells with a count of one, for each table (rows) and area (columns)."""
        return self.uniques.ones_per_table

    @cached_property
    def true_per_area(self) -> Ints:
        """The combinations that are people: full uniques whose records were not modified."""
        area = self.counted.area[self.uniques.at_risk]
        return np.bincount(area, minlength=len(self.counted.areas)).astype(np.int64)

    @cached_property
    def not_counted(self) -> int:
        """The number of areas whose feasible combinations were too many to count."""
        return sum(n is None for n in self.feasible_per_area)

    @cached_property
    def combinations(self) -> int:
        """All combinations, of all areas."""
        return sum(self.combinations_per_area)

    @cached_property
    def true(self) -> int:
        """The matches that are people."""
        return int(self.true_per_area.sum())

    @property
    def feasible(self) -> int | None:
        """The feasible combinations of all areas; None where some area was not counted."""
        return None if self.not_counted else self.feasible_where_counted

    @property
    def false(self) -> int | None:
        """The feasible combinations that are nobody; None where some area was not counted."""
        return None if self.feasible is None else self.feasible - self.true

    @cached_property
    def feasible_where_counted(self) -> int:
        """The feasible combinations of the areas that were counted."""
        return sum(n for n in self.feasible_per_area if n is not None)

    @cached_property
    def true_where_counted(self) -> int:
        """The matches that are people, in the areas that were counted."""
        counted = np.array([n is not None for n in self.feasible_per_area], dtype=bool)
        return int(self.true_per_area[counted].sum())

    @property
    def success(self) -> float | None:
        """How often an intruder is right who picks a feasible combination, in the counted areas."""
        feasible = self.feasible_where_counted
        return self.true_where_counted / feasible if feasible else None

    @property
    def success_by_chance(self) -> float | None:
        """How often an intruder is right who picks any combination: the paper's safeguard."""
        return self.true / self.combinations if self.combinations else None

    def _row_tables(self) -> list[Table]:
        ones = self.ones_per_table.sum(axis=1).tolist()
        per_table = [(one.name, n) for one, n in zip(self.counted.layouts, ones, strict=True)]
        true = self.true_per_area
        order = sorted(
            range(len(self.counted.areas)),
            key=lambda n: (-int(true[n]), -(self.feasible_per_area[n] or 0), n),
        )
        rows = [
            (
                self.counted.areas[n],
                _words(self.combinations_per_area[n]),
                None if (feasible := self.feasible_per_area[n]) is None else _words(feasible),
                int(true[n]),
                int(true[n]) / feasible if feasible else None,
            )
            for n in order
        ]
        headings = ("area", "combinations", "possible", "people", "success")
        return [
            Table("Areas, most exposed first", headings, rows, {"success": ".1%"}),
            Table("Cells with a count of one", ("table", "cells"), per_table),
        ]

    def plot(self) -> str:
        """Return a figure: areas by how many of their feasible combinations are people."""
        labels = ["nothing fits", "nobody", "under half", "half and more", "all", "not counted"]
        numbers = [0] * len(labels)
        for feasible, true in zip(self.feasible_per_area, self.true_per_area.tolist(), strict=True):
            if feasible is None:
                kind = 5
            elif feasible == 0:
                kind = 0
            elif true == 0:
                kind = 1
            else:
                kind = 4 if true == feasible else 3 if 2 * true >= feasible else 2
            numbers[kind] += 1
        return bars("Areas by how often a possible match is a person", labels, numbers)


def false_matches(
    counted: Counted, uniques: TabularUniques | None = None, *, most_states: int = MOST_STATES
) -> FalseMatches:
    """Count the combinations of ones, those that could be somebody, and those that are.

    A combination says for every table in which of its cells with a count of one a person stands;
    for a table with a universe it may say that the person is not counted there. One in which every
    table says so is none. It is feasible when some values of the variables, of those that occur in
    the file, lead to it. Every full record tabular unique is one feasible combination. Records that
    were modified or imputed make ones like any other, and a match with them is a false one.

    Parameters
    ----------
    uniques
        The uniques of the same tables, if they were looked for already.
    most_states
        States an area may have while its combinations are counted; with more it is given up, and
        said to be.
    """
    check_whole("most_states", most_states, 1)
    if uniques is None:
        uniques = tabular_uniques(counted)
    elif uniques.counted is not counted:
        raise InputError("The uniques were found in other tables than those that are given.")
    areas = len(counted.areas)
    try:
        axes = axes_of(counted, joined=True)
    except TooManyAtoms:
        unknown = (None,) * areas
        sided = [bool(layout.table.universe) for layout in counted.layouts]
        return FalseMatches(uniques, _products(uniques, sided), unknown, most_states)
    tables = list(enumerate(axes.uses))
    ones = [
        ones_of(counted, position, uses)
        for position, uses in progress.each(tables, "gathering cells of one", unit="tables")
    ]
    sided = [any(use.limits for use in uses) for uses in axes.uses]
    found = feasible_combinations(axes, ones, areas, most_states=most_states)
    return FalseMatches(uniques, _products(uniques, sided), tuple(found), most_states)


def _products(uniques: TabularUniques, sided: list[bool]) -> tuple[int, ...]:
    """Multiply the ones of all tables; one choice more where a table does not count everybody."""
    choices = uniques.ones_per_table + np.array(sided, dtype=np.int64)[:, None]
    nowhere = int(all(sided))
    return tuple(math.prod(column) - nowhere for column in choices.T.tolist())


def _plain(number: int | None) -> int | None:
    return None if number is None or number > _EXACT else number


def _log10(number: int | None) -> float | None:
    return math.log10(number) if number else None


def _words(number: int) -> str:
    return f"{number:,}" if number < 10**12 else f"10^{math.log10(number):.1f}"
