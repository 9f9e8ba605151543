"""``[recipients.NAME]``: who may ask questions, and the version of the data that each gets.

Sweeney's Datafly decides "at the time of database access, so the approach can be incorporated into
role-based security within an institution" (2001, section 6.2). A recipient here is a role: what it
may see, how far it is trusted, how much distortion it bears.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from indistinct.core import did_you_mean
from indistinct.project.settings import (
    Problems,
    choice,
    header,
    listed,
    number,
    ranges,
    setting,
    shares,
    text,
    whole,
    yes_or_no,
)

if TYPE_CHECKING:
    from indistinct.project.model import Project

__all__ = ["Access", "Preset", "Recipient", "check_recipients"]

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
