"""``[text]``: the text columns of the records, and how the people in them are replaced.

``[steps.NAME]``: what is done to the records, one step of a plan after the other.

``[report]``: what the report of a run measures, and how it is written.

``[recipients.NAME]``: who may ask questions, and the version of the data that each gets.

Sweeney's Datafly decides "at the time of database access, so the approach can be incorporated into
role-based security within an institution" (2001, section 6.2). A recipient here is a role: what it
may see, how far it is trusted, how much distortion it bears.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from indistinct.core import did_you_mean
from indistinct.options import Where
from indistinct.project.settings import (
    Place,
    Problems,
    choice,
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
    whole,
    yes_or_no,
)

if TYPE_CHECKING:
    from indistinct.project.model import Project

__all__ = [
    "Access",
    "Dates",
    "DeclaredStep",
    "Recipient",
    "ReportSettings",
    "Scope",
    "TextSettings",
    "check_recipients",
    "named_in_text",
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
        number(least=0), "how many records may be left out: a number, or a share below 1"
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
