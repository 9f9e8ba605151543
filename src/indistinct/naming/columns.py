"""Which columns name people. Whatever releases, drafts or judges a file asks here."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from indistinct.core import holds_numbers
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.naming.amounts import with_amounts
from indistinct.naming.births import birth_words, born_by_age, born_on, born_on_parts
from indistinct.naming.concepts import A_NAME, concept_of, says_amount
from indistinct.naming.content import NAMES, SAMPLE, Content, glance_at
from indistinct.naming.guessing import DECLARED, Guess, guess_roles, points_to_people, spelt_out
from indistinct.naming.made_of_names import made_of_names

__all__ = ["Naming", "columns_that_name", "is_amount"]


@dataclass(frozen=True)
class Naming:
    """A column that names people, and why it is thought so; no value of a cell."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


def columns_that_name(
    engine: Engine, source: Source, *, key: Collection[str], person: str | None = None
) -> tuple[Naming, ...]:
    """Return the columns that name people, in file order.

    These are declared identifiers; what names and forms say to be names, addresses, numbers of
    people or free text; dates of birth to the day; and codes and texts that are another for nearly
    every person. Measured amounts are not among them, nor the key, weights, the number of the
    household and what is declared sensitive, which is what the data are for, unless its cells spell
    out who somebody is.

    Parameters
    ----------
    key
        Variables that are never said to name people, because they are protected.
    person
        The column that says who the people are, where somebody may have several records.

    >>> import indistinct
    >>> people = {"patient_id": [f"P{i:05}" for i in range(40)], "age": [30, 41] * 20,
    ...           "code": range(500, 540), "pay": range(2000, 2040)}
    >>> with indistinct.open_data(people) as data:
    ...     for naming in columns_that_name(data.engine, data.source, key=["age"]):
    ...         print(naming)
    patient_id: name says a number of a person
    code: unique in every record: it points to one person
    """
    said = tuple((name, one.role, one.label) for name, one in source.variables.items())
    asked = (*source.identity, said, frozenset(key), person)
    if asked not in _KNOWN:
        while len(_KNOWN) >= _MOST_KNOWN:
            del _KNOWN[next(iter(_KNOWN))]
        _KNOWN[asked] = _naming_columns(engine, source, key, person)
    return _KNOWN[asked]


_KNOWN: dict[object, tuple[Naming, ...]] = {}
_MOST_KNOWN = 4
"""Files of which it is remembered what names people in them: it is asked before and after."""


def _naming_columns(
    engine: Engine, source: Source, key: Collection[str], person: str | None
) -> tuple[Naming, ...]:
    contents = with_amounts(source, glance_at(engine, source, person=person))
    guesses = guess_roles(source, contents)
    by_age = born_by_age(source, contents)
    labels = {one.name: one.label for one in guesses}
    parts = born_on_parts(source, contents, labels, by_age=by_age)
    found = {}
    for guess, content in zip(guesses, contents, strict=True):
        if guess.name in key or not content.facts.distinct:
            continue
        reason = _why(guess, content, parts, by_age=guess.name in by_age)
        if reason is None and guess.name == person:
            reason = "it says whose record each is"
        if reason is not None:
            found[guess.name] = reason
    found |= _made_of_names(source, guesses, contents, {*key, *found})
    return tuple(Naming(one.name, found[one.name]) for one in guesses if one.name in found)


def _made_of_names(
    source: Source, guesses: Sequence[Guess], contents: Sequence[Content], apart: Collection[str]
) -> dict[str, str]:
    """Return the columns that are made of names which stand beside them, and how that is seen."""
    names, others = [], []
    for guess, content in zip(guesses, contents, strict=True):
        concept = concept_of(guess.name)
        called = concept is not None and concept.about == A_NAME
        if content.is_text and (
            called or (guess.role == "identifier" and content.persons == NAMES)
        ):
            names.append(guess.name)
        elif guess.name not in apart and guess.role not in ("weight", "household"):
            others.append(guess.name)
    household = next((guess.name for guess in guesses if guess.role == "household"), None)
    return made_of_names(source, names, others, household=household)


def _why(guess: Guess, content: Content, parts: Mapping[str, str], *, by_age: bool) -> str | None:
    """Say why a column names people; None if it does not. Dates in parts were looked for."""
    if guess.role == "identifier":
        return "it is declared an identifier" if guess.reason == DECLARED else guess.reason
    # whoever declared another role meant something else by it: no word makes a name none
    declared = guess.reason == DECLARED
    if declared and guess.role != "household" and (spelt := spelt_out(content)) is not None:
        return spelt
    birth = born_on(content, guess.label, by_age=by_age)
    if declared and birth is not None and birth_words(guess.name, guess.label):
        return birth
    if guess.role in ("weight", "household", "relationship"):
        return None
    if declared and guess.role == "sensitive":
        return None
    if birth is not None:
        return birth
    if guess.name in parts:
        return parts[guess.name]
    return points_to_people(content, guess.label)


def is_amount(source: Source, name: str) -> bool:
    """Say whether a column holds numbers that are measured, going by its name, label and sample.

    Ages and sizes of households are numbers that everybody may be grouped by, and no amounts.
    """
    kind = source.schema.field(name).type
    if not holds_numbers(kind):
        return False
    concept = concept_of(name)
    if concept is not None and concept.role != "key" and says_amount(name):
        return True
    sample = source.spread(SAMPLE).column(name).drop_null().to_pylist()
    return any(math.isfinite(value) and value != int(value) for value in sample)
