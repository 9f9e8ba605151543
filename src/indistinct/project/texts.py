"""``[text]``: the text columns of the records, and how the people in them are replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from indistinct.options import Where
from indistinct.project.settings import (
    choice,
    existing_file,
    listed,
    number,
    path,
    setting,
    text,
    yes_or_no,
)

__all__ = ["Dates", "Scope", "TextSettings", "named_in_text"]

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
