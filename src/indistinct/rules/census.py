"""Rules that hold in every census: about marriage, parents, spouses and heads."""

from __future__ import annotations

import keyword
from collections.abc import Sequence

from indistinct.core import InputError, Value
from indistinct.households import HouseholdColumns
from indistinct.rules.rules import Rule, Rules

__all__ = ["census_rules", "one_of", "quoted_name"]


def census_rules(
    columns: HouseholdColumns,
    *,
    youngest_married: int = 15,
    youngest_head: int = 12,
    least_years: int = 12,
    most_years: int = 54,
) -> Rules:
    """Return the usual demographic rules, as far as the columns allow them.

    Parameters
    ----------
    columns
        Which columns there are and what their codes mean.
    youngest_married, youngest_head
        Nobody younger is married, separated, divorced or widowed, a spouse, or a head.
    least_years, most_years
        By how many years at least and at most a mother is older than her child; a father is
        older by the least at least.

    >>> census_rules(HouseholdColumns("hid", "rel", "sex", "age", head=(1,), spouse=(2,)))
    6 rules; impossible is
      young spouse: age < 15 and rel == 2  (a spouse is at least 15)
      young head: age < 12 and rel == 1  (a head is at least 12)
      young mother: mother.age - age < 12  (a mother is at least 12 years older)
      old mother: mother.age - age > 54  (a mother is at most 54 years older)
      young father: father.age - age < 12  (a father is at least 12 years older)
      several heads: count(rel == 1) > 1  (a household has one head at most)
    """
    if columns.age is None:
        raise InputError("The demographic rules speak of age. Say which column holds it.")
    age, found = quoted_name(columns.age), []

    def add(name: str, impossible: str, reason: str) -> None:
        found.append(Rule(name, impossible, reason))

    ever = (*columns.married, *columns.formerly_married)
    if columns.marital is not None and ever:
        add(
            "child married",
            f"{age} < {youngest_married} and {one_of(columns.marital, ever)}",
            f"nobody under {youngest_married} is or was married",
        )
    relationship = columns.relationship
    if relationship is not None and columns.spouse:
        add(
            "young spouse",
            f"{age} < {youngest_married} and {one_of(relationship, columns.spouse)}",
            f"a spouse is at least {youngest_married}",
        )
    if relationship is not None:
        add(
            "young head",
            f"{age} < {youngest_head} and {one_of(relationship, columns.head)}",
            f"a head is at least {youngest_head}",
        )
    add(
        "young mother",
        f"mother.{age} - {age} < {least_years}",
        f"a mother is at least {least_years} years older",
    )
    add(
        "old mother",
        f"mother.{age} - {age} > {most_years}",
        f"a mother is at most {most_years} years older",
    )
    add(
        "young father",
        f"father.{age} - {age} < {least_years}",
        f"a father is at least {least_years} years older",
    )
    if relationship is not None:
        add(
            "several heads",
            f"count({one_of(relationship, columns.head)}) > 1",
            "a household has one head at most",
        )
    return Rules(found)


def quoted_name(name: str) -> str:
    """Write a variable's name as a rule does: in backticks if it is no word.

    >>> quoted_name("age"), quoted_name("Marital Status"), quoted_name("class")
    ('age', '`Marital Status`', '`class`')
    """
    if "`" in name:
        raise InputError(f"A rule cannot speak of {name!r}: a name must be without backticks.")
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"`{name}`"


def one_of(name: str, codes: Sequence[Value]) -> str:
    """Write that a variable has one of some codes.

    >>> one_of("rel", (1,)), one_of("rel", ("a", "b"))
    ('rel == 1', "rel in ('a', 'b')")
    """
    test = f"== {codes[0]!r}" if len(codes) == 1 else f"in {tuple(codes)!r}"
    return f"{quoted_name(name)} {test}"
