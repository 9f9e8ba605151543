"""Which households are alike: similarity profiles.

A profile is a list of terms. A term is

- a variable: its value where all of the household have the same (tenure), else how many of the
  household's people have which value (sex: two men and a woman);
- ``(size)``: the number of people;
- ``(age 0..14)``: the number of people whose age is from 0 to 14, bounds included.

Two households are alike in a profile when they agree on all of its terms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from indistinct.core import InputError
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.steps.columns import group_numbers, read_numbers
from indistinct.protect.steps.households.groups import Households, Ints

__all__ = ["SIZE", "check_profiles", "people_with", "profile_classes"]

SIZE = "(size)"
"""The term for the number of people in a household."""

_RANGE = re.compile(r"\((?P<name>.+) (?P<low>-?\d+)\.\.(?P<high>-?\d+)\)")

_LARGEST = 1 << 62


def people_with(variable: str, low: int, high: int) -> str:
    """Return the term for the number of people with a number from `low` to `high`.

    >>> people_with("age", 0, 14)
    '(age 0..14)'
    """
    return f"({variable} {low}..{high})"


def check_profiles(profiles: Sequence[Sequence[str]]) -> None:
    """Refuse profiles without terms, and terms that cannot be read."""
    if isinstance(profiles, str) or not profiles:
        raise InputError(
            "similar must be a list of at least one similarity profile, each a list of terms."
        )
    for profile in profiles:
        if isinstance(profile, str) or not profile:
            raise InputError("A similarity profile must be a list of at least one term.")
        if len(set(profile)) < len(profile):
            raise InputError("A similarity profile names a term twice. Name each once.")
        for term in profile:
            if term.startswith("(") and term != SIZE and not _RANGE.fullmatch(term):
                raise InputError(
                    f"'{term}' is no term of a similarity profile. Give a variable, '{SIZE}', or "
                    f"a number of people such as '{people_with('age', 0, 14)}'."
                )


def profile_classes(
    engine: Engine, source: Source, households: Households, profiles: Sequence[Sequence[str]]
) -> list[Ints]:
    """Return the class of every household in each profile, numbered from 0."""
    terms = dict.fromkeys(term for profile in profiles for term in profile)
    values = {term: _term(engine, source, households, term) for term in terms}
    return [combined([values[term] for term in profile]) for profile in profiles]


def combined(columns: Sequence[Ints]) -> Ints:
    """Number the combinations of columns of codes from 0 on, in sorted order, without gaps."""
    codes, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        radix = int(column.max(initial=0)) + 1
        if size * radix > _LARGEST:
            codes = _dense(codes, size)
            size = int(codes.max(initial=0)) + 1
        codes = codes * radix + column
        size *= radix
    return _dense(codes, size)


def _dense(codes: Ints, size: int) -> Ints:
    if size <= 4 * len(codes) + 1024:
        there = np.zeros(size, dtype=bool)
        there[codes] = True
        numbers: Ints = np.cumsum(there) - 1
        return numbers[codes]
    return np.asarray(np.unique(codes, return_inverse=True)[1].reshape(-1), dtype=np.int64)


def _term(engine: Engine, source: Source, households: Households, term: str) -> Ints:
    if term == SIZE:
        return households.sizes
    found = _RANGE.fullmatch(term)
    if found:
        return _people_between(
            source, households, found["name"], int(found["low"]), int(found["high"])
        )
    codes = group_numbers(engine, source, [term])
    own = codes[households.first]
    if (own[households.of_record] == codes).all():
        return own
    return _composition(households, codes)


def _people_between(source: Source, households: Households, name: str, low: int, high: int) -> Ints:
    numbers = read_numbers(source, name, doing="counting people of a household")
    values = numbers.floats()
    inside = numbers.present & (values >= low) & (values <= high)
    return np.bincount(households.of_record[inside], minlength=len(households)).astype(np.int64)


def _composition(households: Households, codes: Ints) -> Ints:
    """Number the households by the multiset of their people's codes."""
    order = np.lexsort((codes, households.of_record))
    starts = np.cumsum(households.sizes) - households.sizes
    classes = households.sizes.copy()
    unused = int(households.sizes.max(initial=0)) + 1
    for position in range(unused - 1):
        # those with as many people or fewer are told apart already, by size and codes before
        longer = np.flatnonzero(households.sizes > position)
        finer = combined([classes[longer], codes[order[starts[longer] + position]]])
        classes[longer] = finer + unused
        unused += int(finer.max(initial=-1)) + 1
    return _dense(classes, unused)
