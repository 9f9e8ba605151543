"""Case 5: a draft reads what categories say, whatever a variable is called, coded or not."""

from __future__ import annotations

import random
from dataclasses import replace

import pyarrow as pa
import pytest
from small_data import open_small

from indistinct.naming import guess_variables

CATEGORIES = {
    "citizenship": ["Germany", "France", "Poland", "Other country", "No answer"],
    "Staatsangehörigkeit": ["Deutschland", "Türkei", "Italien", "Polen", "keine Angabe"],
    "where one lives": ["urban", "rural"],
    "region": ["North", "South-East", "Central region", "Capital"],
    "état matrimonial": ["Marié(e)", "Célibataire", "Veuf/veuve", "Divorcé(e)", "Ne sait pas"],
    "marital status": ["married", "never married", "widowed", "divorced", "refused"],
    "religion": ["Roman Catholic", "Protestant", "Muslim", "No religion", "Other"],
    "occupation": ["Managers", "Professionals", "Clerks", "Craft and related trades", "Other"],
    "industry": ["Agriculture", "Manufacturing", "Construction", "Retail trade", "Unknown"],
    "schooling": ["Primary", "Lower secondary", "Upper secondary", "Tertiary", "None"],
    "work": ["Employed full-time", "Unemployed", "Retired", "Student", "Other"],
    "sex": ["Hombre", "Mujer"],
    "home": ["Owner", "Tenant", "Rent free"],
}
OPINIONS = {
    "scale": ["strongly agree", "agree", "disagree", "strongly disagree"],
    "yes or no": ["yes", "no", "don't know"],
    "how often": ["daily", "weekly", "monthly", "never"],
    "rating": ["very good", "good", "fair", "bad", "very bad"],
}


def guessed(categories: list[str], *, coded: bool) -> str:
    """Guess a variable whose name says nothing, as codes with labels or as the texts themselves."""
    rng = random.Random(1)
    drawn = [rng.randrange(len(categories)) for _ in range(300)]
    values = drawn if coded else [categories[code] for code in drawn]
    with open_small(pa.table({"v214": values})) as data:
        labels = {"labels": dict(enumerate(categories))} if coded else {}
        variables = data.source.variables.updated({"v214": labels})
        (guess,) = guess_variables(data.engine, replace(data.source, variables=variables))
        return guess.role


@pytest.mark.parametrize("coded", [True, False], ids=["codes", "texts"])
@pytest.mark.parametrize("about", CATEGORIES)
def test_what_an_intruder_may_know_is_key(about, coded):
    assert guessed(CATEGORIES[about], coded=coded) == "key"


@pytest.mark.parametrize("coded", [True, False], ids=["codes", "texts"])
@pytest.mark.parametrize("about", OPINIONS)
def test_opinions_are_not(about, coded):
    assert guessed(OPINIONS[about], coded=coded) == "other"
