"""``[household]`` and ``[rules.NAME]``: who lives with whom, and what cannot be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, get_args

from indistinct.core import InputError, Value
from indistinct.files import Source
from indistinct.households import KIN, HouseholdColumns, Pointers, guess_household
from indistinct.options import Where
from indistinct.project.settings import Place, Problems, choice, header, setting, text, value_list
from indistinct.rules import Rule, Rules, read_expression

if TYPE_CHECKING:
    from indistinct.project.model import Project

__all__ = [
    "DeclaredRule",
    "Household",
    "check_household",
    "household_columns",
    "made_rules",
    "named_in_household",
]

_NAMED = (
    "household",
    "relationship",
    "sex",
    "age",
    "marital",
    "person",
    "spouse_pointer",
    "mother_pointer",
    "father_pointer",
)
_GROUPS = (KIN, ("male", "female"), ("married", "formerly_married", "never_married"))


def _codes(meaning: str) -> Any:
    return setting(value_list, f"the codes that mean {meaning}")


@dataclass(frozen=True)
class Household:
    """``[household]``: which variables say who lives with whom, and what their codes mean."""

    household: str | None = setting(text, "the variable that numbers the households")
    relationship: str | None = setting(text, "the relationship to the head")
    sex: str | None = setting(text, "the sex")
    age: str | None = setting(text, "the age in years")
    marital: str | None = setting(text, "the marital status")
    person: str | None = setting(text, "the number of the person within the household")
    spouse_pointer: str | None = setting(text, "the number of the spouse")
    mother_pointer: str | None = setting(text, "the number of the mother")
    father_pointer: str | None = setting(text, "the number of the father")
    pointers: Pointers | None = setting(
        choice(*get_args(Pointers)),
        "what pointers hold: numbers of persons within the household, or of records from 1",
    )
    head: tuple[Value, ...] | None = _codes("head of the household")
    spouse: tuple[Value, ...] | None = _codes("spouse or partner of the head")
    child: tuple[Value, ...] | None = _codes("child of the head or spouse")
    child_in_law: tuple[Value, ...] | None = _codes("child-in-law of the head")
    grandchild: tuple[Value, ...] | None = _codes("grandchild of the head")
    parent: tuple[Value, ...] | None = _codes("parent of the head")
    parent_in_law: tuple[Value, ...] | None = _codes("parent-in-law of the head")
    sibling: tuple[Value, ...] | None = _codes("sibling of the head")
    male: tuple[Value, ...] | None = _codes("male")
    female: tuple[Value, ...] | None = _codes("female")
    married: tuple[Value, ...] | None = _codes("married now")
    formerly_married: tuple[Value, ...] | None = _codes("separated, divorced or widowed")
    never_married: tuple[Value, ...] | None = _codes("never married")


def _expression(value: Any, place: Place) -> str | None:
    found = text(value, place)
    if found is None:
        return None
    rule = str(place.where[1])
    try:
        read_expression(found, rule=rule)
    except InputError as error:
        place.say(str(error).removeprefix(f"Rule '{rule}' "))
        return None
    return found


@dataclass(frozen=True)
class DeclaredRule:
    """``[rules.NAME]``: something that cannot be."""

    impossible: str = setting(
        _expression, "what cannot be, as age < 15 and marital == 2", default="", required=True
    )
    reason: str | None = setting(text, "why not, for people")


def made_rules(declared: Mapping[str, DeclaredRule]) -> Rules:
    """Return the rules of which the expression was understood."""
    return Rules(
        Rule(name, rule.impossible, rule.reason or "")
        for name, rule in declared.items()
        if rule.impossible
    )


def check_household(project: Project, problems: Problems) -> None:
    """Find codes that are said to mean two things."""
    for group in _GROUPS:
        meaning: dict[Value, str] = {}
        for kind in group:
            for position, code in enumerate(getattr(project.household, kind) or ()):
                if meaning.setdefault(code, kind) != kind:
                    problems.add(
                        ("household", kind, position),
                        f"[household] {kind}: the code {code!r} means {meaning[code]} already. "
                        "Take it out of one.",
                    )


def named_in_household(project: Project) -> Iterator[tuple[Where, str, str]]:
    """Go through the variables that the two sections name: where, how it is called, the name."""
    for column in _NAMED:
        name = getattr(project.household, column)
        if name is not None:
            yield ("household", column), f"[household] {column}", name
    for rule in project.rules.values():
        where = ("rules", rule.name)
        for name in rule.expression.variables:
            yield (*where, "impossible"), f"{header(where)} impossible", name


def household_columns(project: Project, source: Source) -> HouseholdColumns:
    """Return the columns of households: what the file says, and what it leaves out guessed."""
    settings = {f.name: getattr(project.household, f.name) for f in fields(Household)}
    try:
        return guess_household(source, **{n: v for n, v in settings.items() if v is not None})
    except InputError as error:
        raise InputError(f"{project.path}: {error}") from None
