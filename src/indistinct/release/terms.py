"""The terms of a release: for what and for whom it is, and what binds the recipient.

Sweeney (2001, section 7): a holder cannot know what else a recipient has, so that the recipient
must say on which variables other data could be linked. That is a claim about the key, and it
can be checked.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, fields

from indistinct.core import InputError, did_you_mean
from indistinct.project import Access, Project

__all__ = ["Terms", "check_terms"]


@dataclass(frozen=True)
class Terms:
    """What is agreed between the holder and the recipient; what is not known yet is None.

    Parameters
    ----------
    purpose, needed
        What the data are for, and the variables which that needs.
    recipient, holder
        Who gets the data, and who answers for them.
    access
        Who may get the data at all: Sweeney's (2001, Figure 8) four degrees.
    security
        How the recipient keeps the data safe.
    could_link, will_link
        Variables on which the recipient could link other data, and those where it will.
    lifetime, destroy_by
        Until when the recipient works with the data; when every copy must be gone.
    review_days
        How many days before publication the holder gets to read it.
    sanctions
        What follows if the terms are broken.

    >>> Terms(recipient="The registry", access="semi-private").could_link is None
    True
    """

    purpose: str | None = None
    needed: tuple[str, ...] | None = None
    recipient: str | None = None
    holder: str | None = None
    access: Access | None = None
    security: str | None = None
    could_link: tuple[str, ...] | None = None
    will_link: tuple[str, ...] | None = None
    lifetime: dt.date | None = None
    destroy_by: dt.date | None = None
    review_days: int | None = None
    sanctions: str | None = None

    @classmethod
    def from_project(cls, project: Project | None) -> Terms:
        """Take the terms from ``[release]`` and ``[contract]`` of a project file."""
        if project is None:
            return cls()
        parts = (project.contract, project.release)
        found = {
            field.name: next(getattr(p, field.name) for p in parts if hasattr(p, field.name))
            for field in fields(cls)
        }
        return cls(**found)

    @property
    def public(self) -> bool:
        """Whether anybody may get the data, so that nobody is bound."""
        return self.access == "public"


def check_terms(
    terms: Terms,
    *,
    released: Sequence[str],
    key: Sequence[str],
    identifiers: Sequence[str] = (),
    today: dt.date | None = None,
) -> tuple[str, ...]:
    """Refuse terms that the release does not keep, all at once; return what is to be warned of.

    Parameters
    ----------
    released
        The variables of the released file.
    key
        The variables against whose linking the release is protected.
    identifiers
        Those of the released variables that name a person outright.

    >>> check_terms(Terms(could_link=("age", "zip")), released=["age", "zip"], key=["age"])
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: The recipient could link on 'zip', which is not in the ...
    so the release is not protected against it. Add it to the key and protect again, or leave it
    out.
    """
    today = today or dt.date.today()
    problems = [
        f"'{name}' names people outright and is in the release. Leave it out, or substitute it."
        for name in identifiers
        if name in released
    ]
    problems += _of_public(terms) if terms.public else _of_links(terms, released, key)
    problems += _of_dates(terms, today)
    if problems:
        raise InputError("\n".join(problems))
    warnings = [
        f"The purpose needs '{name}', which is not released."
        for name in terms.needed or ()
        if name not in released
    ]
    if terms.public:
        idle = [
            n
            for n in ("lifetime", "destroy_by", "review_days", "sanctions", "security")
            if getattr(terms, n) is not None
        ]
        if idle:
            warnings.append(
                f"The release is public, so that nobody is bound: {', '.join(idle)} of the "
                "contract have no effect."
            )
    return tuple(warnings)


def _of_public(terms: Terms) -> list[str]:
    return [
        f"{name} means nothing for a public release: anybody can link on every variable. "
        "Leave it out, or restrict the access."
        for name in ("could_link", "will_link")
        if getattr(terms, name)
    ]


def _of_links(terms: Terms, released: Sequence[str], key: Sequence[str]) -> list[str]:
    problems = []
    for name in terms.could_link or ():
        if name not in released:
            problems.append(
                f"The recipient could link on '{name}', which is not in the released file. "
                f"{did_you_mean(name, released)}"
            )
        elif name not in key:
            problems.append(
                f"The recipient could link on '{name}', which is not in the key "
                f"({', '.join(key)}), so the release is not protected against it. Add it to the "
                "key and protect again, or leave it out."
            )
    for name in terms.will_link or ():
        if name not in (terms.could_link or ()):
            problems.append(
                f"The recipient will link on '{name}', but could_link does not name it. "
                "Name it there too."
            )
    return problems


def _of_dates(terms: Terms, today: dt.date) -> list[str]:
    problems = []
    for name, what in (("destroy_by", "must be destroyed"), ("lifetime", "are worked with")):
        date = getattr(terms, name)
        if date is not None and date < today:
            problems.append(
                f"{name} is the day until which the data {what}, and {date} has passed. "
                "Give a day to come."
            )
    if terms.lifetime and terms.destroy_by and terms.lifetime > terms.destroy_by:
        problems.append(
            f"The lifetime of the data ({terms.lifetime}) ends after they are destroyed "
            f"({terms.destroy_by}). Destroy later, or work shorter."
        )
    return problems
