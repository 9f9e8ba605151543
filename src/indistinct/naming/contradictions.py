"""What cannot be what its name says: times of day are no countries, and fractions are no sexes."""

from __future__ import annotations

from indistinct.naming.concepts import NUMBER_OF_A_PERSON, Concept
from indistinct.naming.content import Content

__all__ = ["contradiction"]

_OF_TIME = frozenset(
    {
        "the date of birth",
        "the year of birth",
        "the month or day of birth",
        "the time of the survey",
        "health",
        "a number of a visit or sample",
        NUMBER_OF_A_PERSON,
    }
)
"""What dates may be about."""

_MEASURED = frozenset(
    {
        "age",
        "education",
        "hours of work",
        "money",
        "health",
        "the make-up of the household",
        "how densely a place is settled",
        "the date of birth",
        "the year of birth",
        "an address",
        "a sampling weight",
        "housing that can be seen",
        "opinion, sexuality or crime",
    }
)
"""What may have fractions."""

_MOST = {"sex": 15, "marital status": 40, "the make-up of the household": 100, "religion": 300}
"""How many different values something has, at most; codes for *missing* are among them."""

_OLDEST = 130
_NO_AGE = 900
"""From here on numbers among ages are codes for *missing*."""

_SENTENCES = 300
"""Different texts of many words from which on they are told freely."""


def contradiction(concept: Concept, content: Content, *, labelled: bool = False) -> str | None:
    """Say what a column holds that cannot be what its name or label says; None if it may be.

    What is only not known to agree is no contradiction: a missed key variable protects nobody.
    `labelled` says whether most of its values have labels: they are categories, and number nobody.
    """
    if concept.role == "other":
        return None
    if concept.about not in _OF_TIME:
        if content.has_times:
            return "times of day"
        if content.holds_dates and (
            concept.role != "identifier" or concept.about == "a person's name"
        ):
            return "dates"
    if content.has_fractions and concept.about not in _MEASURED:
        return "numbers with fractions"
    if concept.about == "a person's name" and content.is_number:
        return "numbers"
    if labelled and concept.role in ("identifier", "household", "weight"):
        return "categories that have labels"
    if content.facts.distinct > _MOST.get(concept.about, content.facts.distinct):
        return "too many different values"
    if concept.about == "age" and _too_old(content):
        return "numbers that are no ages"
    if concept.role == "key" and content.is_free_text and content.facts.distinct > _SENTENCES:
        return "sentences"
    return None


def _too_old(content: Content) -> bool:
    """Say whether many numbers are above every age, and below the codes for *missing*."""
    if not content.is_number:
        return False
    numbers = [value for value in content.sample.unique().to_pylist() if value < _NO_AGE]
    above = sum(value > _OLDEST for value in numbers)
    return above > 1 and above >= 0.05 * len(numbers) if numbers else content.present > 0
