"""Generalisation hierarchies of the census variables, as plain rows and as files."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from indistinct.census.codes import OLDEST
from indistinct.census.occupations import (
    BROAD_OF_SECTION,
    INDUSTRIES,
    OCCUPATION_GROUPS,
    OCCUPATIONS,
    SECTIONS,
)
from indistinct.census.places import (
    ABROAD,
    AREA_FACTOR,
    CHUNK_PEOPLE,
    COUNTIES,
    COUNTRIES,
    COUNTRY_GROUP_OF,
    COUNTRY_GROUPS,
    GEOGRAPHIES,
    GEOGRAPHY_OF_REGION,
    HOME,
    NATIONALITIES,
    NATIONALITY_OF_COUNTRY,
    REGIONS,
    area_counts,
    chunk_sizes,
)
from indistinct.census.schema import LABELS
from indistinct.core import InputError, did_you_mean
from indistinct.core.doors import write_whole

__all__ = ["HIERARCHIES", "hierarchy_rows", "write_hierarchies"]

_ROOT = "*"

# Second level of the short lists: codes and what they become.
_GROUPED: dict[str, dict[str, tuple[int, ...]]] = {
    "relationship": {
        "Head": (1,),
        "Partner": (2, 3),
        "Child": (4,),
        "Other relative": (5, 6, 7, 8, 9),
        "Not related": (10, 11, 12),
    },
    "marital": {"Never married": (1,), "Married": (2, 3), "Formerly married": (4, 5)},
    "education": {"Low": (1, 2, 3), "Middle": (4, 5), "High": (6, 7)},
    "economic": {
        "In work": (1, 2, 3, 4, 5),
        "Unemployed": (6,),
        "Not active": (7, 8, 9, 10, 11),
    },
    "ethnic": {
        "Majority": (1,),
        "European minority": (2, 9),
        "Asian": (3, 4, 7),
        "African or American": (5, 6, 8),
        "Mixed or other": (10,),
    },
    "age_group": {
        "0-15": (1, 2, 3),
        "16-29": (4, 5, 6, 7),
        "30-44": (8, 9, 10),
        "45-64": (11, 12, 13, 14),
        "65+": (15, 16, 17, 18, 19),
    },
    "tenure": {"Owned": (1, 2), "Rented": (3, 4, 5), "Institution": (6,)},
    "health": {"Good": (1, 2), "Fair": (3,), "Bad": (4, 5)},
    "hours": {"Not applicable": (0,), "Part-time": (1, 2), "Full-time": (3, 4, 5, 6)},
    "travel": {
        "Not applicable": (0,),
        "At home": (1,),
        "Public": (2, 3, 4),
        "Motor": (5, 6, 7),
        "Own power": (8, 9),
    },
    "arrival": {"Born here": (0,), "Under 10 years ago": (1, 2, 3), "Earlier": (4, 5, 6, 7)},
    "language": {
        "Home languages": (1, 2),
        "European": tuple(range(3, 14)),
        "Other": tuple(range(14, 21)),
    },
    "class_of_worker": {"Not applicable": (0,), "Employee": (1, 2, 3), "Independent": (4, 5, 6)},
}

HIERARCHIES: tuple[str, ...] = (*LABELS, "area")
"""The variables that have a hierarchy; that of areas depends on the size of the census."""


def hierarchy_rows(variable: str, *, people: int | None = None) -> list[list[str]]:
    """Return one row per value: the value as it stands in the file, its ancestors, the root.

    >>> hierarchy_rows("age")[23]
    ['23', '20-24', '20-29', '20-39', '*']
    >>> hierarchy_rows("occupation")[1]
    ['10', 'Managers', '*']

    Which small areas there are depends on how many people the census has, so `area` needs
    `people`.
    """
    if variable == "area":
        return _areas(people)
    if variable not in LABELS:
        raise InputError(
            f"The census has no hierarchy for variable '{variable}'. "
            f"{did_you_mean(variable, HIERARCHIES)}"
        )
    return [[str(code), *_ancestors(variable, code), _ROOT] for code in LABELS[variable]]


def write_hierarchies(
    directory: str | Path, *, people: int | None = None, overwrite: bool = False
) -> list[Path]:
    """Write ``<variable>.csv`` for every hierarchy, without a header; return the paths.

    That of areas is written when `people` is given. Files that are there are replaced if told so.
    """
    folder = Path(directory)
    if not folder.is_dir():
        raise InputError(
            f"The directory for the hierarchies must exist. Got {folder}. Create it first."
        )
    paths = []
    for variable in HIERARCHIES:
        if variable == "area" and people is None:
            continue
        path = folder / f"{variable}.csv"
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows(hierarchy_rows(variable, people=people))
        paths.append(write_whole(path, text.getvalue(), overwrite=overwrite))
    return paths


def _ancestors(variable: str, code: int) -> list[str]:
    match variable:
        case "age":
            return [_band(code, width) for width in (5, 10, 20)]
        case "occupation":
            return [OCCUPATION_GROUPS[code // 10] if code in OCCUPATIONS else "Not applicable"]
        case "industry":
            if code not in INDUSTRIES:
                return ["Not applicable"] * 2
            return [SECTIONS[code // 10], BROAD_OF_SECTION[code // 10]]
        case "county":
            return [REGIONS[code // 10], GEOGRAPHIES[GEOGRAPHY_OF_REGION[code // 10]]]
        case "region":
            return [GEOGRAPHIES[GEOGRAPHY_OF_REGION[code]]]
        case "region_of_birth":
            return ["Abroad" if code == ABROAD else GEOGRAPHIES[GEOGRAPHY_OF_REGION[code]]]
        case "country_of_birth" | "country_of_residence":
            return _country(code)
        case "nationality":
            return _country(_COUNTRY_OF_NATIONALITY[code])
    for title, members in _GROUPED.get(variable, {}).items():
        if code in members:
            return [title]
    return []


_COUNTRY_OF_NATIONALITY = {
    nationality: next(c for c in COUNTRIES if NATIONALITY_OF_COUNTRY[c] == nationality)
    for nationality in NATIONALITIES
}


def _country(code: int) -> list[str]:
    if code == HOME:
        return [COUNTRIES[HOME], COUNTRIES[HOME]]
    return [COUNTRY_GROUPS[COUNTRY_GROUP_OF[code]], "Abroad"]


def _band(age: int, width: int) -> str:
    start = age - age % width
    return f"{start}+" if start + width > OLDEST else f"{start}-{start + width - 1}"


def _areas(people: int | None) -> list[list[str]]:
    if people is None:
        raise InputError(
            "The hierarchy of areas depends on the size of the census. Give people=…, "
            "the number of people it was made with."
        )
    rows = []
    stride = area_counts(CHUNK_PEOPLE)
    for chunk, size in enumerate(chunk_sizes(people)):
        for county, step, count in zip(COUNTIES, stride, area_counts(size), strict=True):
            above = [COUNTIES[county], *_ancestors("county", county), _ROOT]
            first = county * AREA_FACTOR + chunk * int(step) + 1
            rows += [[str(first + number), *above] for number in range(int(count))]
    return sorted(rows)
