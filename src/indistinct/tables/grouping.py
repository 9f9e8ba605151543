"""Groupings: how the values of one variable become the categories of a table.

The same variable is often coded differently in different tables (age in five-year groups here, in
stages of life there), so a grouping has a name of its own beside its variable's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints, above, check_number
from indistinct.hierarchy import Hierarchy, as_text
from indistinct.results import Fact, Part, facts

__all__ = ["MISSING", "PERSONS", "Categories", "Grouping", "Item", "persons"]

PERSONS = "persons"
"""The dimension that breaks nothing down: everybody in one category."""

MISSING = "missing"
"""The label of the category of missing values; it is there only where values are missing."""

Item = Any
"""A member of a group: a value, a range as text (``"0-14"``, ``"65+"``) or as ``[low, high]``."""

MOST_BANDS = 100_000
"""Bands that a recode by width may have."""

_RANGE = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(?:[-–]\s*(-?\d+(?:\.\d+)?)|(\+|[-–]))\s*")


@dataclass(frozen=True)
class Categories:
    """A grouping applied to the values that a file has.

    Parameters
    ----------
    labels
        The categories, in the order in which cells are numbered.
    codes
        The category of every value, in the order of the values.
    """

    labels: tuple[str, ...]
    codes: Ints

    @property
    def size(self) -> int:
        """The number of categories."""
        return len(self.labels)


@dataclass(frozen=True)
class Grouping(Part):
    """One dimension of a table: a variable, and how its values are grouped.

    Exactly one of `bands`, `width`, `groups`, `level` says how; none of them takes the values as
    they are.

    Parameters
    ----------
    name
        What the dimension is called in tables: two codings of a variable have different names.
    variable
        The variable; None for everybody together (``persons``).
    bands
        Lower bounds of bands of numbers, rising; the last has no upper end.
    width
        Bands of this width from zero on, as far as the values go.
    groups
        Labels and what belongs to them: values, ranges ``"0-14"``, ``"65+"``, ``[low, high]``.
    level
        A level of the variable's hierarchy.
    hierarchy
        The hierarchy, where `level` is given.

    >>> age = Grouping("stage", "age", bands=(0, 15, 30, 65))
    >>> age.categories([3, 40, 90])
    Categories(labels=('0–14', '15–29', '30–64', '65+'), codes=array([0, 2, 3]))
    """

    name: str
    variable: str | None
    bands: tuple[float, ...] | None = None
    width: float | None = None
    groups: tuple[tuple[str, tuple[Item, ...]], ...] | None = None
    level: int | None = None
    hierarchy: Hierarchy | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        ways = [w for w in (self.bands, self.width, self.groups, self.level) if w is not None]
        if len(ways) > 1:
            raise InputError(
                f"The recode '{self.name}' says twice how its values are grouped. "
                "Give one of bands, width, groups, level."
            )
        if self.bands is not None and (
            not self.bands or any(b <= a for a, b in zip(self.bands, self.bands[1:], strict=False))
        ):
            raise InputError(f"The bands of the recode '{self.name}' must rise.")
        if self.width is not None:
            check_number(f"The width of the recode '{self.name}'", self.width, above(0))
        if self.groups is not None and not self.groups:
            raise InputError(f"The recode '{self.name}' has no groups.")

    @property
    def takes_values(self) -> bool:
        """Whether its categories are the values as they are."""
        return self.variable is not None and all(
            way is None for way in (self.bands, self.width, self.groups, self.level)
        )

    # a hierarchy is named by its level alone
    FACTS = facts(
        "name",
        "variable",
        Fact("bands", when=lambda found: found.bands is not None),
        Fact("width", when=lambda found: found.width is not None),
        Fact("level", when=lambda found: found.level is not None),
        Fact(
            "groups",
            lambda found: dict(found.groups),
            when=lambda found: found.groups is not None,
        ),
    )

    def categories(self, values: Sequence[Any]) -> Categories:
        """Group the distinct values of the variable; None is a missing value.

        A value that belongs nowhere is refused.
        """
        if self.variable is None:
            return Categories((PERSONS,), np.zeros(len(values), dtype=np.int64))
        missing = [n for n, value in enumerate(values) if value is None]
        if self.groups is not None:
            found = self._by_groups(values)
        elif self.level is not None:
            found = self._by_level(values)
        elif self.bands is not None or self.width is not None:
            found = self._by_bands(values)
        else:
            labels = tuple(as_text(value) or "" for value in values if value is not None)
            codes = np.cumsum([value is not None for value in values]) - 1
            found = Categories(labels, codes.astype(np.int64))
        codes = found.codes.copy()
        left_out = [n for n in np.flatnonzero(codes < 0).tolist() if values[n] is not None]
        if left_out:
            raise InputError(
                f"The recode '{self.name}' of '{self.variable}' leaves out {len(left_out)} of the "
                f"{len(values) - len(missing)} values in the data. Give every value a group."
            )
        loose = [n for n in missing if codes[n] < 0 or self.groups is None]
        if not loose:
            return Categories(found.labels, codes)
        codes[loose] = len(found.labels)
        return Categories((*found.labels, MISSING), codes)

    def _numbers(self, values: Sequence[Any]) -> Floats:
        try:
            return np.array([math.nan if v is None else float(v) for v in values])
        except (TypeError, ValueError):
            raise InputError(
                f"The recode '{self.name}' needs numbers, and '{self.variable}' has values that "
                "are none. Group them with groups = { … }."
            ) from None

    def _by_bands(self, values: Sequence[Any]) -> Categories:
        numbers = self._numbers(values)
        if self.bands is not None:
            bounds = np.array(self.bands, dtype=np.float64)
            open_end = True
        else:
            width = self.width or 1.0
            present = numbers[~np.isnan(numbers)]
            if len(present) and not abs(present).max() / width < MOST_BANDS:
                raise InputError(
                    f"The recode '{self.name}' of '{self.variable}' would have more than "
                    f"{MOST_BANDS:,} bands. Make them wider, or give their bounds."
                )
            low = math.floor(present.min() / width) if len(present) else 0
            high = math.floor(present.max() / width) if len(present) else 0
            bounds = np.arange(min(low, 0), high + 1) * width
            open_end = False
        codes = np.searchsorted(bounds, numbers, side="right") - 1
        codes[np.isnan(numbers)] = -1
        known = numbers[~np.isnan(numbers)]
        step = (bounds % 1 == 0).all() and (known % 1 == 0).all()
        labels = []
        for n, low in enumerate(bounds):
            last = n == len(bounds) - 1
            if last and open_end:
                labels.append(f"{low:g}+")
                continue
            end = bounds[n + 1] if not last else low + (self.width or 1.0)
            if step:
                labels.append(f"{low:g}" if end - 1 == low else f"{low:g}–{end - 1:g}")
            else:
                labels.append(f"{low:g} to below {end:g}")
        return Categories(tuple(labels), codes.astype(np.int64))

    def _by_level(self, values: Sequence[Any]) -> Categories:
        if self.hierarchy is None or self.level is None:
            raise InputError(
                f"'{self.variable}' has no hierarchy, so '{self.name}' has no level "
                f"{self.level}. Name a folder with --hierarchies, or declare one."
            )
        known = [n for n, value in enumerate(values) if value is not None]
        codes = np.full(len(values), -1, dtype=np.int64)
        leaves = self.hierarchy.encode([values[n] for n in known])
        codes[known] = self.hierarchy.level_codes(self.level)[leaves]
        labels = self.hierarchy.level_labels(self.level)
        kept = [n for n, label in enumerate(labels) if label is not None]
        order = np.full(len(labels) + 1, -1, dtype=np.int64)
        order[kept] = np.arange(len(kept))
        return Categories(tuple(str(labels[n]) for n in kept), order[codes])

    def _by_groups(self, values: Sequence[Any]) -> Categories:
        assert self.groups is not None
        codes = np.full(len(values), -1, dtype=np.int64)
        members = _Members(values)
        for code, (label, items) in enumerate(self.groups):
            inside = members.positions(items)
            twice = inside[codes[inside] >= 0]
            if len(twice):
                other = self.groups[int(codes[twice[0]])][0]
                raise InputError(
                    f"The recode '{self.name}' puts a value of '{self.variable}' into both "
                    f"'{other}' and '{label}'. A value belongs to one group."
                )
            codes[inside] = code
        return Categories(tuple(label for label, _ in self.groups), codes)


class _Members:
    """Finds the values that belong to items; thousands of groups take one look at the values."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = values
        self.where: dict[str | None, list[int]] = {}
        for n, value in enumerate(values):
            self.where.setdefault(as_text(value), []).append(n)

    @cached_property
    def numbers(self) -> Floats:
        return np.array([_number(value) for value in self.values])

    def positions(self, items: Sequence[Item]) -> Ints:
        """Return the positions of the values that are among the items, rising."""
        found: set[int] = set()
        for item in items:
            if isinstance(item, (list, tuple)):
                low, high = float(item[0]), float(item[1])
            else:
                same = self.where.get(as_text(item), [])
                if item == MISSING:
                    same = same + [n for n, value in enumerate(self.values) if value is None]
                found.update(same)
                if same or not isinstance(item, str) or not (span := _RANGE.fullmatch(item)):
                    continue
                low = float(span[1])
                high = float(span[2]) if span[2] is not None else math.inf
            within = (self.numbers >= low) & (self.numbers <= high)
            found.update(np.flatnonzero(within).tolist())
        return np.array(sorted(found), dtype=np.int64)


def belongs(values: Sequence[Any], items: Sequence[Item]) -> Bools:
    """Say of every value whether it is among the items: values, or ranges of numbers.

    >>> belongs([1, 5, 70, None], ["0-4", "65+"]).tolist()
    [True, False, True, False]
    """
    inside = np.zeros(len(values), dtype=bool)
    inside[_Members(values).positions(items)] = True
    return inside


def _number(value: Any) -> float:
    try:
        return math.nan if value is None else float(value)
    except (TypeError, ValueError):
        return math.nan


def persons() -> Grouping:
    """Return the dimension that breaks nothing down."""
    return Grouping(PERSONS, None)


def grouping_from_text(
    text: str, *, hierarchies: Mapping[str, Hierarchy] | None = None
) -> Grouping:
    """Read a dimension as it is written on the command line.

    ``age`` takes the values as they are, ``age:5`` bands of five, ``age[0,15,30,65]`` bands with
    these lower bounds, ``county@1`` level 1 of its hierarchy, ``persons`` everybody.

    >>> grouping_from_text("age[0,15,65]").categories([7, 70]).labels
    ('0–14', '15–64', '65+')
    """
    text = text.strip()
    if text == PERSONS:
        return persons()
    try:
        if match := re.fullmatch(r"(.+)\[([^\]]*)\]", text):
            return Grouping(text, match[1], bands=tuple(float(b) for b in match[2].split(",")))
        if match := re.fullmatch(r"(.+):([\d.]+)", text):
            return Grouping(text, match[1], width=float(match[2]))
    except ValueError:
        raise InputError(f"'{text}' is not a dimension. Bands are numbers: age[0,15,65].") from None
    if match := re.fullmatch(r"(.+)@(\d+)", text):
        name, level = match[1], int(match[2])
        return Grouping(text, name, level=level, hierarchy=(hierarchies or {}).get(name))
    if not text:
        raise InputError("A dimension has no name. Write a table as --table age,sex.")
    return Grouping(text, text)
