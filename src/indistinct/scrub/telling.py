"""What goes with the letters: what was done to them, and what they are not."""

from __future__ import annotations

from typing import Any

from indistinct.scrub.asked import Asked
from indistinct.scrub.tallying import Tally
from indistinct.scrub.text.judging import DE_IDENTIFIED

__all__ = ["ABOUT", "about", "told_verdict"]

ABOUT = "about.md"

_DATES = {
    "month": "Dates are given by month and year.",
    "year": "Dates are given by year.",
    "shift": "Dates are shifted, all dates of a person by the same number of days: intervals are "
    "right, dates are not.",
}
_SCOPES = {
    "project": "The same person has the same made-up name in all of them.",
    "patient": "The same person has the same made-up name in the documents about one patient, and "
    "another one elsewhere.",
}


def about(tally: Tally, asked: Asked) -> str:
    """Return the note that goes with scrubbed letters. It tells no count of what was found."""
    lines = [
        "# About these documents",
        "",
        f"{tally.written:,} {'document' if tally.written == 1 else 'documents'}. Names, "
        "addresses, numbers and other references to people were looked for by a program "
        "and replaced by made-up ones; what could not be replaced "
        f"safely was left out. {_DATES[asked.dates]} {_SCOPES[asked.scope]}",
        "",
        f"They are {DE_IDENTIFIED}: whoever knows from elsewhere some of what a document tells, "
        "such as a sequence of events, may still recognise the person. Nobody is to try.",
        "",
    ]
    return "\n".join(lines)


def told_verdict() -> dict[str, Any]:
    """Return what the certificate of scrubbed letters says of them: never that they are proved."""
    sentence = f"the letters are {DE_IDENTIFIED}: what Scrub did not find is in them"
    return {
        "state": "reservations",
        "reservations": [{"code": "text-scrubbed", "sentence": sentence}],
        "accepted": [],
    }
