"""``[contract]``: the terms that bind whoever gets the release, as a project file states them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indistinct.core import did_you_mean
from indistinct.options import Where
from indistinct.project.settings import Place, Problems, listed, setting, text, whole

if TYPE_CHECKING:
    from indistinct.project.model import Project

__all__ = ["NAMED", "Contract", "calendar_date", "check_contract", "named_variables"]

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
        if key and name not in key:
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
