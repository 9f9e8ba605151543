"""A census shuffled as McCaa et al. (2013) did: couples, singles and children each in their way.

What the paper did is the default; what its section 6 plans for the final round are settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from indistinct.core import InputError
from indistinct.hierarchy import Hierarchy
from indistinct.households import HouseholdColumns
from indistinct.protect.shuffling.step import Shuffle

__all__ = ["CensusShares", "CensusVariables", "census_shuffle"]


@dataclass(frozen=True)
class CensusShares:
    """How many of those who are shuffled shall have another value.

    The paper changed the age of 50.1 % of all people, of 70.8 % of husbands and of 70.6 % of
    wives; the sex of 49 % of children; education 8.1, industry 13.7 and occupation 12.4 % of all
    people, most of them adults. Sex is shuffled at the highest level, which changes it for about
    half, unless a share is given.
    """

    age_of_couples: float = 0.708
    age_of_others: float = 0.43
    age_of_children: float = 0.12
    sex_of_children: float | None = None
    education_of_couples: float = 0.12
    education_of_others: float = 0.08
    industry: float = 0.18
    occupation: float = 0.163


@dataclass(frozen=True)
class CensusVariables:
    """The variables beside those of households; what is None is not shuffled.

    Parameters
    ----------
    given
        What the associations of age, education and work are kept to.
    alike
        What people must have in common when they exchange ages, such as the number of children:
        the ages of mothers and of their children then stay in step.
    working
        Who has an occupation, as a rule: ``occupation > 0``.
    with_work
        What occupation and industry are associated with: class of worker, segment, disability.
    with_education
        What education is associated with: the field of study.
    """

    education: str | None = None
    industry: str | None = None
    occupation: str | None = None
    given: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    working: str | None = None
    with_work: tuple[str, ...] = ()
    with_education: tuple[str, ...] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)


def census_shuffle(
    households: HouseholdColumns,
    variables: CensusVariables,
    *,
    shares: CensusShares | None = None,
    adult: int = 20,
    spouses: Literal["table", "ranks", "apart"] = "table",
    sex_given_education: bool = True,
    industry_level: int | None = None,
    occupation_level: int | None = None,
) -> tuple[Shuffle, ...]:
    """Return the shuffles of a census, in their order.

    Parameters
    ----------
    adult
        From this age on people are no children.
    spouses
        How husbands' and wives' education hold together; ``apart`` shuffles it person by person,
        as the paper's first round did.
    sex_given_education
        Refinement 1a: the sex of children is shuffled given their education.
    industry_level, occupation_level
        Refinement 1b: the level of the hierarchy at which an industry or occupation stays in its
        group, and is taken into account where others are shuffled.
    """
    shares = shares or CensusShares()
    if households.age is None or households.sex is None:
        raise InputError("Shuffling a census needs its columns of age and sex.")
    age, sex, relationship = households.age, households.sex, households.relationship
    others = tuple(n for n in (households.marital, relationship) if n is not None)
    grown = f"{_named(age)} >= {adult}"
    # the ages of mothers and of their children stay in step
    youngest = f"youngest {age}"
    derived = {youngest: f"minimum({_named(age)})"}
    steps = [
        Shuffle(
            (age,),
            _known((*variables.given, youngest), variables.education),
            variables.alike,
            of="couples",
            shares={age: shares.age_of_couples},
            derived=derived,
            households=households,
        ),
        Shuffle(
            (age,),
            _known((*variables.given, *others, youngest), variables.education),
            (sex, *variables.alike),
            of="singles",
            where=grown,
            shares={age: shares.age_of_others},
            derived=derived,
            households=households,
        ),
        Shuffle(
            (age,),
            _known((), variables.education),
            (sex, *([relationship] if relationship else [])),
            of="singles",
            where=f"{_named(age)} < {adult}",
            shares={age: shares.age_of_children},
            households=households,
        ),
    ]
    if relationship is not None and households.child:
        wanted = shares.sex_of_children
        children = ", ".join(repr(code) for code in households.child)
        steps.append(
            Shuffle(
                (sex,),
                _known((), variables.education if sex_given_education else None),
                (age,),
                of="singles",
                where=f"{_named(age)} < {adult} and {_named(relationship)} in ({children},)",
                shares={} if wanted is None else {sex: wanted},
                households=households,
            )
        )
    levels = {
        name: level
        for name, level in (
            (variables.industry, industry_level),
            (variables.occupation, occupation_level),
        )
        if name is not None and level is not None
    }
    if variables.education is not None:
        steps += _education(households, variables, shares, grown, spouses, levels)
    work = tuple(n for n in (variables.industry, variables.occupation) if n is not None)
    if work:
        each = {variables.industry: shares.industry, variables.occupation: shares.occupation}
        steps.append(
            Shuffle(
                work,
                _known((age, sex, *variables.with_work), variables.education),
                where=variables.working,
                shares={name: each[name] for name in work},
                hierarchies={n: h for n, h in variables.hierarchies.items() if n in work},
                stay=levels,
            )
        )
    return tuple(steps)


def _education(
    households: HouseholdColumns,
    variables: CensusVariables,
    shares: CensusShares,
    grown: str,
    spouses: Literal["table", "ranks", "apart"],
    levels: Mapping[str, int],
) -> Sequence[Shuffle]:
    education, age, sex = variables.education, households.age, households.sex
    if education is None or age is None or sex is None:
        return ()
    given = _known((age, *variables.given, *variables.with_education), variables.occupation)
    hierarchies = {n: h for n, h in variables.hierarchies.items() if n in given}
    at = {n: level for n, level in levels.items() if n in given}
    if spouses == "apart":
        share = (shares.education_of_couples + shares.education_of_others) / 2
        apart = Shuffle(
            (education,),
            given,
            (sex,),
            where=grown,
            shares={education: share},
            hierarchies=hierarchies,
            at=at,
        )
        return (apart,)
    return (
        Shuffle(
            (education,),
            given,
            (age,),
            of="couples",
            hold=spouses,
            bands={age: 5},
            shares={education: shares.education_of_couples},
            households=households,
            hierarchies=hierarchies,
            at=at,
        ),
        Shuffle(
            (education,),
            given,
            (sex,),
            of="singles",
            where=grown,
            shares={education: shares.education_of_others},
            households=households,
            hierarchies=hierarchies,
            at=at,
        ),
    )


def _known(names: Sequence[str], also: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*names, *([also] if also is not None else []))))


def _named(variable: str) -> str:
    """Write a variable as the language of rules takes any name."""
    return variable if variable.isidentifier() else f"`{variable}`"
