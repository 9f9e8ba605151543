"""The three demographic tests of two files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints, Value
from indistinct.files import Source
from indistinct.households import (
    NOBODY,
    Column,
    HouseholdColumns,
    Kinship,
    find_kin,
    guess_household,
    read_columns,
)
from indistinct.results import MOST_LINES, Result, Table, facts, folded, result
from indistinct.results.figures import stacked
from indistinct.utility.demography.age_gaps import AgeGap, Reference, age_gap
from indistinct.utility.demography.counts import couple_ages, couple_education, own_children
from indistinct.utility.demography.fertility import Fertility, own_child_fertility
from indistinct.utility.demography.homogamous import AGE_GROUPS, Homogamy, Statistic, homogamy
from indistinct.utility.demography.rates import Survival
from indistinct.utility.demography.words import verdict

__all__ = [
    "DemographicTests",
    "KinshipOf",
    "People",
    "demographic_tests",
    "levels_of",
    "read_people",
]


# What the demographic tests need of a file: kinship, age, sex and education, as arrays.


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


KinshipOf = Literal["own", "original"]
"""Whose kinship the released file is given: found anew in it, or the original's."""


@result
class DemographicTests(Result):
    """Age gap, own-child fertility and homogamy, original against released.

    Parameters
    ----------
    age_gap, fertility
        The first two tests.
    homogamy
        The third, if a variable of education was named.
    notes
        Sentences for people: what could not be told.
    education
        The variable of homogamy.
    """

    age_gap: AgeGap
    fertility: Fertility
    homogamy: Homogamy | None
    notes: tuple[str, ...] = ()
    education: str | None = None

    FACTS = facts("passed suggestions age_gap fertility homogamy notes")

    @property
    def results(self) -> tuple[AgeGap | Fertility | Homogamy, ...]:
        """The tests that were made."""
        found = (self.age_gap, self.fertility, self.homogamy)
        return tuple(result for result in found if result is not None)

    @property
    def passed(self) -> bool | None:
        """Whether all passed; None if none failed and one could not be made."""
        verdicts = [result.passed for result in self.results]
        return False if False in verdicts else None if None in verdicts else True

    @property
    def suggestions(self) -> tuple[str, ...]:
        """What to do about the tests that did not pass."""
        return tuple(result.suggestion for result in self.results if result.suggestion)

    def plot(self) -> str:
        """Draw all tests below each other as SVG."""
        return stacked("Demographic tests", [result.plot() for result in self.results])

    def __repr__(self) -> str:
        lines = [self._head()]
        lines += [f"  {result._headline()}" for result in self.results]
        return folded([*lines, *(f"  → {text}" for text in self.suggestions)], most=MOST_LINES)

    def _head(self) -> str:
        good = sum(result.passed is True for result in self.results)
        return f"Demographic tests: {good} of {len(self.results)} passed"

    def _lines(self) -> list[str]:
        lines = [self._head(), *(result.details() for result in self.results)]
        return [*lines, *(f"note: {note}" for note in self.notes)]

    def _tables(self) -> list[Table]:
        rows = [
            (
                result.to_dict()["measure"],
                verdict(result.passed),
                result.to_dict()["max_difference"],
                result.threshold,
            )
            for result in self.results
        ]
        head = ("test", "verdict", "largest difference", "allowed")
        return [
            Table("Demographic tests", head, rows),
            *(table for result in self.results for table in result._tables()),
        ]

    def _notes(self) -> list[str]:
        return [*self.suggestions, *self.notes]


def demographic_tests(
    original: Source,
    released: Source,
    columns: HouseholdColumns | None = None,
    *,
    education: str | None = None,
    levels: Sequence[Value] | None = None,
    kinship: KinshipOf = "own",
    references: Sequence[Reference] = ("wife", "husband"),
    gap_threshold: float = 0.5,
    gap_least: int = 200,
    fertility_threshold: float = 0.05,
    child_survival: Survival | None = None,
    women_survival: Survival | None = None,
    census_year: int | None = None,
    down_from: Value | None = None,
    age_groups: Sequence[tuple[int, int]] = AGE_GROUPS,
    statistic: Statistic = "observed/expected",
    odds_threshold: float = 0.2,
    odds_least: int = 50,
) -> DemographicTests:
    """Make the three tests of McCaa and others (2013, section 5) of a released file.

    Parameters
    ----------
    original, released
        The two files, with the same variables.
    columns
        The columns of households and their codes; guessed from the original if not given.
    education
        The variable of homogamy; without it that test is left out.
    levels
        The codes of education, the lowest first. If not given: the variable's categories, else
        its numbers in their order.
    kinship
        "own" finds couples and mothers anew in each file. "original" takes those of the original
        for both, which must have the same records in the same order: for a released file that
        lost its pointers or relationships.
    references, gap_threshold, gap_least
        See `age_gap`.
    fertility_threshold, child_survival, women_survival, census_year
        See `own_child_fertility`.
    down_from, age_groups, statistic, odds_threshold, odds_least
        See `homogamy`.

    >>> from indistinct import open_data
    >>> from indistinct.census import census_table
    >>> columns = HouseholdColumns(
    ...     "household", "relationship", "sex", "age", head=(1,), spouse=(2, 3), child=(4,),
    ...     male=(1,), female=(2,))
    >>> with open_data(census_table(3000, seed=1, names=False)) as data:
    ...     found = demographic_tests(data.source, data.source, columns, education="education")
    >>> found.fertility.passed, found.fertility.largest
    (True, 0.0)
    """
    if kinship not in get_args(KinshipOf):
        raise InputError(f"kinship must be 'own' or 'original'. Got '{kinship}'.")
    if kinship == "original" and released.records != original.records:
        raise InputError(
            "The kinship of the original needs the same records in both files. Got "
            f"{original.records:,} and {released.records:,}. Use kinship='own'."
        )
    columns = guess_household(original) if columns is None else columns
    before = read_people(original, columns, education=education)
    theirs = before.kinship if kinship == "original" else None
    after = read_people(released, columns, education=education, kinship=theirs)
    both = (before, after)
    notes = _notes(before.kinship.notes, after.kinship.notes)
    married: Homogamy | None = None
    if education is not None:
        counted, others = _by_education(original, education, both, levels)
        married = homogamy(
            *counted,
            down_from=None if down_from is None else str(down_from),
            groups=age_groups,
            statistic=statistic,
            threshold=odds_threshold,
            least=odds_least,
        )
        notes += [
            f"{where}: {other:,} records have an education that is none of the levels"
            for where, other in zip(("original", "released"), others, strict=True)
            if other
        ]
    return DemographicTests(
        age_gap(
            *(couple_ages(p.kinship, p.age, p.woman) for p in both),
            references=references,
            least=gap_least,
            threshold=gap_threshold,
        ),
        own_child_fertility(
            *(own_children(p.kinship, p.age, p.woman) for p in both),
            threshold=fertility_threshold,
            child_survival=child_survival,
            women_survival=women_survival,
            census_year=census_year,
        ),
        married,
        tuple(notes),
        education,
    )


def _notes(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Say once what both files have in common."""
    return [
        *(note for note in before if note in after),
        *(f"original: {note}" for note in before if note not in after),
        *(f"released: {note}" for note in after if note not in before),
    ]


def _by_education(
    original: Source,
    education: str,
    both: tuple[People, People],
    levels: Sequence[Value] | None,
) -> tuple[list[Any], list[int]]:
    column = both[0].education
    assert column is not None
    chosen = levels_of(original, education, column, levels)
    counted, others = [], []
    for p in both:
        positions, other = p.positions(chosen)
        counted.append(
            couple_education(p.kinship, positions, p.age, p.woman, levels=[str(c) for c in chosen])
        )
        others.append(other)
    return counted, others
