"""``[text]``: the text columns of the records, and how the people in them are replaced.

``[steps.NAME]``: what is done to the records, one step of a plan after the other.

``[report]``: what the report of a run measures, and how it is written.

``[recipients.NAME]``: who may ask questions, and the version of the data that each gets.

Sweeney's Datafly decides "at the time of database access, so the approach can be incorporated into
role-based security within an institution" (2001, section 6.2). A recipient here is a role: what it
may see, how far it is trusted, how much distortion it bears.

``[contract]``: the terms that bind whoever gets the release, as a project file states them.

``[household]`` and ``[rules.NAME]``: who lives with whom, and what cannot be.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from indistinct.core import InputError, Value, did_you_mean
from indistinct.files import Source
from indistinct.households import KIN, HouseholdColumns, Pointers, guess_household
from indistinct.options import Where
from indistinct.project.settings import (
    Place,
    Problems,
    choice,
    count_or_share,
    existing_file,
    header,
    listed,
    number,
    path,
    ranges,
    setting,
    shares,
    shown,
    text,
    value_list,
    whole,
    yes_or_no,
)
from indistinct.rules import Rule, Rules, read_expression

if TYPE_CHECKING:
    from indistinct.project.model import Project

__all__ = [
    "NAMED",
    "Access",
    "Contract",
    "Dates",
    "DeclaredRule",
    "DeclaredStep",
    "Household",
    "Recipient",
    "ReportSettings",
    "Scope",
    "TextSettings",
    "check_contract",
    "check_household",
    "check_recipients",
    "household_columns",
    "made_rules",
    "named_in_household",
    "named_in_text",
    "named_variables",
    "read_steps",
]

Dates = Literal["month", "year", "shift"]
"""What becomes of dates: month and year, the year, or a shift that is constant for a patient."""

Scope = Literal["project", "patient"]
"""Where the same person has the same made-up name."""


@dataclass(frozen=True)
class TextSettings:
    """``[text]``: the text columns of the records, and how the people in them are replaced."""

    columns: tuple[str, ...] | None = setting(
        listed(text, "variable names"), "the columns with letters and notes"
    )
    threshold: float | None = setting(
        number(least=0, most=1), "the certainty from which a reference is taken for one"
    )
    reduce: bool | None = setting(
        yes_or_no, "whether there are second thoughts about what was found with little certainty"
    )
    dates: Dates | None = setting(choice(*get_args(Dates)), "what becomes of dates")
    scope: Scope | None = setting(
        choice(*get_args(Scope)), "where the same person has the same made-up name"
    )
    patient: str | None = setting(text, "the column that says whom a record is about")
    identities: Path | None = setting(
        existing_file, "a table of known people, who are looked for in every text"
    )
    secret: Path | None = setting(
        path, "what made-up names are drawn with; made where there is none, and kept private"
    )


def named_in_text(settings: TextSettings) -> Iterator[tuple[Where, str, str]]:
    """Yield where a variable is named, under which setting, and its name."""
    for position, name in enumerate(settings.columns or ()):
        yield ("text", "columns", position), "[text] columns", name
    if settings.patient is not None:
        yield ("text", "patient"), "[text] patient", settings.patient


# ``[steps.NAME]`` --------------------------------------------------------------------------------


@dataclass(frozen=True)
class DeclaredStep:
    """``[steps.NAME]``: one step. The settings beside its kind are the step's own."""

    kind: str = setting(
        text, "what is done, such as shuffle or rank-swap", default="", required=True
    )


def read_steps(given: Any, problems: Problems) -> Mapping[str, Mapping[str, Any]]:
    """Return the steps as they stand; what their kinds take is checked where kinds are known."""
    if not isinstance(given, dict):
        problems.add(("steps",), f"[steps.NAME] must be a section. Got {shown(given)}.")
        return {}
    for name, step in given.items():
        where: Where = ("steps", name)
        if not isinstance(step, dict):
            problems.add(where, f"{header(where)} must be a section. Got {shown(step)}.")
        elif not isinstance(step.get("kind"), str):
            problems.add(where, f'{header(where)} needs its kind, as kind = "shuffle".')
    return given


# ``[report]`` ------------------------------------------------------------------------------------


def _language(value: Any, place: Place) -> str | Path | None:
    """Take the code of a language, or a catalogue file that exists."""
    if isinstance(value, str) and value.endswith(".toml"):
        return existing_file(value, place)
    return text(value, place)


def _address(value: Any, place: Place) -> str | None:
    """Take the address of a page on the web."""
    if isinstance(value, str) and value.startswith(("https://", "http://")):
        return value
    place.wrong('an address such as "https://example.org/docs"', value)
    return None


@dataclass(frozen=True)
class ReportSettings:
    """``[report]``: what is measured for the report, and in which forms it is written."""

    utility: bool = setting(
        yes_or_no, "whether the release is compared with the original", default=True
    )
    map: bool = setting(
        yes_or_no,
        "whether copies are protected in other ways too, for a map of risk and utility",
        default=False,
    )
    shareable: bool = setting(
        yes_or_no, "whether an edition without private values is written too", default=True
    )
    pdf: bool = setting(yes_or_no, "whether every edition is also printed to PDF", default=False)
    language: str | Path = setting(
        _language, "the language: en, or a catalogue file (.toml)", default="en"
    )
    docs: str | None = setting(_address, "where the documentation is, for the report's links")


# ``[recipients.NAME]`` ---------------------------------------------------------------------------


Access = Literal["private", "semi-private", "semi-public", "public"]
"""Who may get the release: Sweeney's (2001) four degrees, from the holder alone to everybody."""

Preset = Literal["caretaker", "researcher", "public"]
"""The recipients that Sweeney describes: a patient's own doctor, a researcher who is bound by
contract not to link, and everybody."""


@dataclass(frozen=True)
class Recipient:
    """``[recipients.NAME]``: a role, and the version of the data that its questions see."""

    access: Access | None = setting(choice(*get_args(Access)), "how far the recipient is trusted")
    preset: Preset | None = setting(choice(*get_args(Preset)), "whom Datafly protects the data for")
    k: int | None = setting(
        whole(least=2, hint="A class of 1 is a person who stands out."),
        "how many records a class must have at least; by default that of [release]",
    )
    method: str | None = setting(text, "how the data are protected; by default datafly")
    columns: tuple[str, ...] | None = setting(
        listed(text, "variable names"), "what may be seen; by default all but identifiers"
    )
    distortion: Mapping[str, float] | None = setting(
        shares, "how much distortion is borne in variables, from 0 to 1"
    )
    max_drop: float | None = setting(
        count_or_share, "how many records may be left out: a number, or a share: 0.05 or '5%'"
    )
    smallest: int | None = setting(
        whole(least=1), "the fewest people, as they show, of a row that is told; by default k"
    )
    listing: bool | None = setting(
        yes_or_no,
        "whether single records may be seen and answers are exact; by default if the version holds",
    )
    guess: float | None = setting(
        number(least=0.51, most=0.99),
        "how often somebody may be right about one person from answers with noise; 0.5 is a coin",
    )
    tables: int | None = setting(whole(least=1), "how many tables with noise are told")
    most: int | None = setting(
        whole(least=1), "in how many cells of a table a person with several records counts"
    )
    ranges: Mapping[str, tuple[float, ...]] | None = setting(
        ranges, "between which numbers variables lie, and the step of their classes"
    )


def check_recipients(project: Project, problems: Problems) -> None:
    """Find what does not fit together in the sections of recipients."""
    declared = project.variables
    for name, recipient in project.recipients.items():
        where = ("recipients", name)
        label = header(where)
        if recipient.preset == "caretaker" and recipient.access != "private":
            problems.add(
                (*where, "preset"),
                f'{label} preset = "caretaker" gives the data as they are. Say that this is meant '
                'with access = "private".',
            )
        if recipient.preset == "researcher" and recipient.access == "public":
            problems.add(
                (*where, "preset"),
                f'{label} preset = "researcher" trusts a contract, which nobody signs where access '
                'is "public".',
            )
        if recipient.method not in (None, "datafly"):
            for setting_name in ("preset", "distortion"):
                if getattr(recipient, setting_name) is not None:
                    problems.add(
                        (*where, setting_name),
                        f"{label} {setting_name} is for the method datafly. Got "
                        f'method = "{recipient.method}".',
                    )
        for position, column in enumerate(recipient.columns or ()):
            place = (*where, "columns", position)
            if column in declared and declared[column].role == "identifier":
                problems.add(
                    place,
                    f"{label} columns names {column!r}, which is an identifier and never leaves. "
                    "Leave it out.",
                )
        for setting_name in ("distortion", "ranges"):
            for column in getattr(recipient, setting_name) or ():
                if recipient.columns is not None and column not in recipient.columns:
                    problems.add(
                        (*where, setting_name, column),
                        f"{label} {setting_name} names {column!r}, which is not among the columns. "
                        f"{did_you_mean(column, recipient.columns)}",
                    )


# ``[contract]`` ----------------------------------------------------------------------------------


NAMED = ("needed", "could_link", "will_link")
"""The settings that name variables."""


def calendar_date(value: Any, place: Place) -> dt.date | None:
    """Take a date as TOML writes it, without quotes and without a time."""
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    place.wrong("a date such as 2027-12-31, without quotes", value)
    return None


@dataclass(frozen=True)
class Contract:
    """``[contract]``: Sweeney's (2001, Figure 35) requirements, as far as they can be filled in."""

    needed: tuple[str, ...] | None = setting(
        listed(text, "variable names"), "the variables that the purpose needs"
    )
    could_link: tuple[str, ...] | None = setting(
        listed(text, "variable names"),
        "the variables on which the recipient could link other data, intended or not",
    )
    will_link: tuple[str, ...] | None = setting(
        listed(text, "variable names"), "the variables on which the recipient will link other data"
    )
    lifetime: dt.date | None = setting(
        calendar_date, "until when the recipient works with the data"
    )
    destroy_by: dt.date | None = setting(calendar_date, "when every copy must be destroyed")
    review_days: int | None = setting(
        whole(least=0), "how many days before publication the holder gets to read it"
    )
    security: str | None = setting(text, "how the recipient keeps the data safe")
    sanctions: str | None = setting(text, "what follows if the terms are broken")


def named_variables(contract: Contract) -> Iterator[tuple[Where, str, str]]:
    """Yield where a variable is named, under which setting, and its name."""
    for setting_name in NAMED:
        for position, name in enumerate(getattr(contract, setting_name) or ()):
            yield ("contract", setting_name, position), f"[contract] {setting_name}", name


def check_contract(project: Project, problems: Problems) -> None:
    """Tell what the section says against itself or against the key of the release."""
    contract, release = project.contract, project.release
    declared = [name for name, variable in project.variables.items() if variable.role == "key"]
    key = list(release.key or declared)
    could = contract.could_link or ()
    if release.access == "public":
        for name in ("could_link", "will_link"):
            if getattr(contract, name):
                problems.add(
                    ("contract", name),
                    f'[contract] {name} means nothing for access = "public": nobody is bound, and '
                    "anybody can link on every variable. Leave it out, or restrict the access.",
                )
        return
    for position, name in enumerate(could):
        by_pattern = not release.key and getattr(project.variables.get(name), "role", "") == "key"
        if key and name not in key and not by_pattern:
            problems.add(
                ("contract", "could_link", position),
                f"[contract] could_link names {name!r}, which is not in the key. Add it to the "
                "key, or leave it out of the release.",
            )
    for position, name in enumerate(contract.will_link or ()):
        if name not in could:
            problems.add(
                ("contract", "will_link", position),
                f"[contract] will_link names {name!r}, which could_link does not. "
                f"{did_you_mean(name, could) if could else 'Name it there too.'}",
            )
    if contract.lifetime and contract.destroy_by and contract.lifetime > contract.destroy_by:
        problems.add(
            ("contract", "lifetime"),
            f"[contract] lifetime ({contract.lifetime}) ends after destroy_by "
            f"({contract.destroy_by}). Destroy later, or work shorter.",
        )


# ``[household]`` and ``[rules.NAME]`` ------------------------------------------------------------


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
