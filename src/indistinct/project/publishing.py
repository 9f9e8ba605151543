"""``[publish]``, ``[tables.NAME]`` and ``[recodes.NAME]``: tables for areas, and how they are made.

What is asked for is kept as it stands in the file; `tables.publishing` makes tables of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from indistinct.core import did_you_mean
from indistinct.project.settings import (
    Check,
    Place,
    Problems,
    choice,
    header,
    listed,
    missing_codes,
    number,
    path,
    setting,
    text,
    whole,
    yes_or_no,
)

if TYPE_CHECKING:
    from indistinct.project.model import Project

__all__ = [
    "DeclaredRecode",
    "DeclaredTable",
    "Publish",
    "Stop",
    "TableFormat",
    "TableMethod",
    "check_publishing",
]

TableMethod = Literal[
    "none", "suppress", "round", "small-counts", "cell-key", "modify", "random-round"
]
"""How the numbers of tables are protected."""

TableFormat = Literal["csv", "parquet"]
"""The format of published tables."""

Stop = Literal["refuse", "merge", "leave-out", "allow"]
"""What is done about a further geography from which small zones can be had by subtraction."""


def _items(value: Any, place: Place) -> dict[str, tuple[Any, ...]] | None:
    """Take a table from names to values, or to lists of values and ranges."""
    if not isinstance(value, dict) or not value:
        place.wrong('a table of names and values, as { age = ["16-74"], sex = 2 }', value)
        return None
    found = {name: missing_codes(items, place.at(name)) for name, items in value.items()}
    return {name: items for name, items in found.items() if items is not None}


def _rising(value: Any, place: Place) -> tuple[float, ...] | None:
    """Take a list of rising numbers."""
    numbers = isinstance(value, list) and all(
        isinstance(one, (int, float)) and not isinstance(one, bool) for one in value
    )
    if numbers and value and all(a < b for a, b in pairwise(value)):
        return tuple(value)
    place.wrong("a list of rising numbers, as [0, 15, 30, 65]", value)
    return None


def _pair(what: str, first: Check, second: Check) -> Check:
    def check(value: Any, place: Place) -> tuple[Any, Any] | None:
        if isinstance(value, list) and len(value) == 2:
            return first(value[0], place.at(0)), second(value[1], place.at(1))
        place.wrong(what, value)
        return None

    return check


_PERCENT = number(least=0, most=100)


@dataclass(frozen=True)
class Publish:
    """``[publish]``: for which areas tables are published, and what protects them."""

    area: str | None = setting(
        text, "the geography: a variable, a level as county@1, a recode, or persons for one area"
    )
    also: tuple[str, ...] | None = setting(
        listed(text, "geographies"), "further geographies that get the same tables"
    )
    match_keys: tuple[str, ...] | None = setting(
        listed(text, "variable names"), "what an intruder can know, if not everything in the tables"
    )
    modified: Mapping[str, tuple[Any, ...]] | None = setting(
        _items, "the variable that flags modified or imputed records, and its values that say so"
    )
    threshold: int = setting(whole(least=2), "a count from 1 to below this is small", default=3)
    smallest_zone: int = setting(
        whole(least=2), "people below which a zone had by subtraction is too small", default=10
    )
    method: TableMethod | None = setting(
        choice(*get_args(TableMethod)), "how the numbers are protected"
    )
    merge: bool = setting(
        yes_or_no, "whether areas are merged until nobody is a full record unique", default=False
    )
    within: str | None = setting(text, "the coarser geography within which areas are merged")
    least_people: int = setting(whole(least=0), "people that a merged area has at least", default=0)
    stop: Stop = setting(
        choice(*get_args(Stop)),
        "what is done about a further geography that reveals small zones",
        default="refuse",
    )
    base: int | None = setting(whole(least=2), "the base of rounding")
    width: float | None = setting(
        number(least=1), "how wide an attacker's interval for a suppressed cell must be at least"
    )
    zeros: bool = setting(
        yes_or_no,
        "whether empty cells may be suppressed too, to protect others",
        default=True,
    )
    variance: float | None = setting(number(least=0), "the variance of the noise of cell keys")
    probability: float | None = setting(
        number(least=0, most=1), "how probable it is that a count is modified by one"
    )
    additive: bool = setting(
        yes_or_no, "whether totals are made the sums of perturbed cells", default=True
    )
    dominance: tuple[int, float] | None = setting(
        _pair("a number and a percentage, as [2, 85]", whole(least=1), _PERCENT),
        "a sum is sensitive if the largest n make up more than k per cent: [n, k]",
    )
    p_percent: float | None = setting(
        _PERCENT, "a sum is sensitive if one contributor can be estimated to within p per cent"
    )
    pq: tuple[float, float] | None = setting(
        _pair("two percentages, as [10, 50]", _PERCENT, _PERCENT),
        "the same where others know every contributor to within q per cent: [p, q]",
    )
    contributor: str | None = setting(
        text, "the variable that says which records belong to one contributor"
    )
    seed: int | None = setting(whole(least=0), "for repeating a run; it stays private")
    out: Path | None = setting(path, "the folder to write the tables to")
    format: TableFormat | None = setting(
        choice(*get_args(TableFormat)), "the format of the published tables"
    )
    published: Path | None = setting(
        path, "the private record of everything published so far, which this is checked against"
    )


@dataclass(frozen=True)
class DeclaredRecode:
    """``[recodes.NAME]``: one way of grouping a variable, for tables."""

    variable: str = setting(text, "the variable", default="", required=True)
    bands: tuple[float, ...] | None = setting(
        _rising, "lower bounds of bands; the last has no upper end"
    )
    width: float | None = setting(number(least=0), "bands of this width, from 0 on")
    groups: Mapping[str, tuple[Any, ...]] | None = setting(
        _items, "labels, and the values or ranges that belong to each"
    )
    level: int | None = setting(whole(least=0), "a level of the variable's hierarchy")


@dataclass(frozen=True)
class DeclaredTable:
    """``[tables.NAME]``: one table."""

    dimensions: tuple[str, ...] = setting(
        listed(text, "dimensions"),
        "its dimensions, the row variable first: variables, recodes, age:5, county@1, persons",
        default=(),
        required=True,
    )
    universe: Mapping[str, tuple[Any, ...]] | None = setting(
        _items, "who is counted, by variable: everybody by default"
    )
    value: str | None = setting(text, "what is added up, such as income, instead of people")
    weight: str | None = setting(text, "the variable by which people count")
    margins: bool = setting(yes_or_no, "whether totals are published too", default=True)


def check_publishing(project: Project, problems: Problems) -> None:
    """Check what tables and recodes say of each other and of the declared variables."""
    declared = project.variables
    if project.tables and project.publish.area is None:
        problems.add(
            ("tables",), '[tables] needs areas: write [publish] area = "NAME", or "persons".'
        )
    named: list[tuple[tuple[str | int, ...], str, str]] = []
    for name, recode in project.recodes.items():
        where = ("recodes", name)
        ways = [
            way for way in ("bands", "width", "groups", "level") if getattr(recode, way) is not None
        ]
        if len(ways) > 1:
            problems.add(
                where,
                f"{header(where)} says twice how values are grouped: {' and '.join(ways)}. "
                "Leave one out.",
            )
        if not ways:
            problems.add(
                where,
                f"{header(where)} does not say how values are grouped. Give bands, width, groups "
                "or level; a variable as it is needs no recode.",
            )
        named.append(((*where, "variable"), header(where), recode.variable))
    for name, table in project.tables.items():
        place = ("tables", name)
        for use in ("value", "weight"):
            if getattr(table, use):
                named.append(((*place, use), f"{header(place)} {use}", getattr(table, use)))
        for variable in table.universe or ():
            named.append(((*place, "universe"), f"{header(place)} universe", variable))
    for at, label, variable in named:
        if declared and variable and variable not in declared:
            problems.add(
                at,
                f"{label} names {variable!r}, which has no section "
                f"{header(('variables', variable))}. {did_you_mean(variable, declared)}",
            )
