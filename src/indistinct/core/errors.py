"""Errors that a user can act on: what is wrong, what was got, what to do next.

No message holds the value of a private cell. Messages name the file, the variable and the
record number (from 1, as people count), never what stands in the cell. Category codes that a
user declared (in a project file or a hierarchy) may be named.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "ArgumentError",
    "GuaranteeError",
    "IndistinctError",
    "InputError",
    "Interrupted",
    "did_you_mean",
]


class IndistinctError(Exception):
    """Base of all errors this package raises on purpose; `exit_code` is the command line's."""

    exit_code = 2


class InputError(IndistinctError):
    """The request or its input was wrong. Nothing was written."""

    exit_code = 2


class ArgumentError(InputError, TypeError, ValueError):
    """A function was called with an argument that is not of the kind or the size it takes, or
    without one that it needs. Python has two names for that, and either catches it."""


class GuaranteeError(IndistinctError):
    """The request was right, but the promise it asks for cannot be kept. Nothing was released."""

    exit_code = 1


class Interrupted(IndistinctError):
    """The user broke the work off where something had been done that must be told."""

    exit_code = 130


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint with the nearest known name, or the known names when none is near.

    >>> did_you_mean("aeg", ["age", "sex"])
    "Did you mean 'age'?"
    >>> did_you_mean("zzz", ["age", "sex"])
    'There are: age, sex.'
    """
    names = list(known)
    lowered = {candidate.lower(): candidate for candidate in names}
    near = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.5)
    if near:
        return f"Did you mean '{lowered[near[0]]}'?"
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return f"There are: {shown}." if names else "There are none."
