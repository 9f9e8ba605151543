"""What the demographic tests need of a file: kinship, age, sex and education, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints, Value
from indistinct.files import Source
from indistinct.households import (
    NOBODY,
    Column,
    HouseholdColumns,
    Kinship,
    find_kin,
    read_columns,
)

__all__ = ["People", "levels_of", "read_people"]

MOST_LEVELS = 100
"""Levels of education, at most: more are codes that have no order."""


@dataclass(frozen=True, eq=False)
class People:
    """The people of a file.

    Parameters
    ----------
    kinship
        Who lives with whom.
    age
        In years, -1 where it is not known.
    woman
        Who is a woman. Somebody of unknown sex is given the spouse's, so that the couple is set
        apart as one that is not known to be of a husband and a wife.
    education
        The column of education, if one was asked for.
    """

    kinship: Kinship
    age: Floats
    woman: Bools
    education: Column | None

    def positions(self, levels: Sequence[Value]) -> tuple[Ints, int]:
        """Return everybody's position among the levels, and how many have another code."""
        if self.education is None:
            raise InputError("No variable of education was named.")
        found = self.education.recoded({level: i for i, level in enumerate(levels, 1)})
        other = int(((found == 0) & self.education.holds()).sum())
        return found.astype(np.int64) - 1, other


def read_people(
    source: Source,
    columns: HouseholdColumns,
    *,
    education: str | None = None,
    kinship: Kinship | None = None,
) -> People:
    """Read the people of a file, and find their kin unless it is given."""
    if columns.sex is None or columns.age is None or not columns.female:
        raise InputError(
            "Demographic tests need the columns of sex and age, and which codes mean female. "
            "Give them in the columns of the household."
        )
    names = [columns.sex, columns.age] if kinship is not None else list(columns.names)
    cells = read_columns(source, [*names, *([education] if education else [])])
    kin = kinship if kinship is not None else _kin(source, columns, cells)
    years, present, _ = cells[columns.age].numbers()
    age = np.where(True if present is None else present, years, -1.0).astype(np.float64)
    sex = cells[columns.sex].recoded(columns.codes("male", "female"))
    woman = sex == 2
    unknown = (sex == 0) & (kin.spouse != NOBODY)
    woman[unknown] = woman[kin.spouse[unknown]]
    return People(kin, age, woman, cells[education] if education else None)


def _kin(source: Source, columns: HouseholdColumns, cells: dict[str, Column]) -> Kinship:
    try:
        return find_kin(columns, cells)
    except InputError as error:
        raise InputError(f"{source.origin}: {error}") from None


def levels_of(
    source: Source, education: str, column: Column, levels: Sequence[Value] | None
) -> tuple[Value, ...]:
    """Return the levels of education, the lowest first.

    As given; else the categories declared for the variable; else the numbers that occur, in
    their order. Text has no order of its own.
    """
    declared = source.variables[education].categories
    if levels is None and declared is None and column.numbers()[2]:
        raise InputError(
            f"The levels of '{education}' are text and have no order. Give levels, the lowest "
            "first."
        )
    chosen: Sequence[Value]
    if levels is not None or declared is not None:
        chosen = list(levels if levels is not None else declared or ())
    else:
        values, present, _ = column.numbers()
        chosen = np.unique(values if present is None else values[present]).tolist()
    if not 2 <= len(chosen) <= MOST_LEVELS:
        raise InputError(
            f"Education must have 2 to {MOST_LEVELS} levels. '{education}' has {len(chosen):,}. "
            "Give levels, the lowest first, or another variable."
        )
    return tuple(int(v) if isinstance(v, float) and v.is_integer() else v for v in chosen)
