"""The method for people who name none, by what the file is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from indistinct.core import InputError
from indistinct.options import known_methods, method_options

__all__ = ["Usual", "usual_method"]

_FEW = 1_000
"""Records below which a search can afford to look for the least loss of single cells."""


@dataclass(frozen=True)
class Usual:
    """A method, and why it serves."""

    method: str
    reason: str


def usual_method(
    *, records: int, weighted: bool, several_records: bool, options: Collection[str] = ()
) -> Usual:
    """Return the method for a file of a kind; it knows the options that were asked for.

    Where tables will be made, of surveys and censuses, the values of a column keep one level and
    nobody is left out, so that sums are sums of the same people.

    Parameters
    ----------
    weighted
        Whether records have weights.
    several_records
        Whether people have several records each.
    options
        Options of methods that are asked for, by keyword.

    >>> usual_method(records=40_000, weighted=True, several_records=False).method
    'suppress'
    >>> usual_method(records=40_000, weighted=True, several_records=False, options=["l"]).method
    'optimal'
    """
    if weighted:
        first = Usual("suppress", "the records have weights, which add up while all of them stay")
    elif several_records:
        first = Usual("local-recoding", "people have several records, which climb together")
    elif records < _FEW:
        first = Usual("k-similar", "the records are few, so that the least loss can be searched")
    else:
        first = Usual(
            "suppress",
            "tables can be made of it: nobody is left out, and a column keeps to one level",
        )
    asked = [option for option in method_options() if option.name in options]
    needed = {option.name: option.typed_as for option in asked if not option.for_all}
    knowing = [
        name
        for name, one in known_methods("generalising").items()
        if all(one.option(option) for option in needed)
    ]
    if first.method in knowing:
        return first
    typed = ", ".join(sorted(needed.values()))
    if not knowing:
        raise InputError(f"No method knows {typed} together. Say which with --method.")
    method = "optimal" if "optimal" in knowing else knowing[0]
    return Usual(method, f"it knows {typed}")
