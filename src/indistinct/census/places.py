"""The made-up country: 4 broad areas, 8 regions, 35 counties; and the countries of the world.

Small areas of a few hundred people, nested in counties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.census.sampling import AliasTable, Array

__all__ = [
    "ABROAD",
    "AREA_FACTOR",
    "CHUNK_PEOPLE",
    "COUNTIES",
    "COUNTRIES",
    "COUNTRY_GROUPS",
    "COUNTRY_GROUP_OF",
    "COUNTRY_WEIGHT",
    "COUNTY_WEIGHT",
    "GEOGRAPHIES",
    "GEOGRAPHY_OF_REGION",
    "HOME",
    "NATIONALITIES",
    "NATIONALITY_OF_COUNTRY",
    "REGIONS",
    "Areas",
    "area_counts",
    "chunk_sizes",
]

GEOGRAPHIES = {1: "Capital and east", 2: "North", 3: "West", 4: "South"}

_COUNTIES = """
1|Capital region|Inner Capital 16; Outer Capital 13; Rivermouth 5; Eastgate 4
1|Eastern plain|Plainshire 6; Aldermark 4; Millbeck 3; Saltmarsh 2
2|Northern coast|Northport 6; Cape Weald 3; Gullhaven 3; Frostfell 1
2|Northern hills|Coalbrook 7; Ironvale 5; Highmoor 2; Dalewick 2; Pinefell 1
3|Western valleys|Westmere 5; Oakenvale 3; Thornbury 3; Greenholm 2
3|Western isles|Port Isle 3; Longstrand 2; Outer Isles 1; Seaholm 1
4|Southern lakes|Lakeside 5; Vineland 4; Southmere 3; Stonebridge 3; Willowdale 2
4|Southern border|Bordertown 5; Highpass 2; Sunfield 3; Redrock 2; Mosswood 2
"""

REGIONS: dict[int, str] = {}
"""Region (1-8) and name."""

GEOGRAPHY_OF_REGION: dict[int, int] = {}

COUNTIES: dict[int, str] = {}
"""County code and name; ``code // 10`` is the region."""

COUNTY_WEIGHT: dict[int, float] = {}
"""County code and its share of the people, up to scale."""

for _region, _line in enumerate(_COUNTIES.strip().splitlines(), 1):
    _geography, _name, _counties = _line.split("|")
    REGIONS[_region] = _name
    GEOGRAPHY_OF_REGION[_region] = int(_geography)
    for _digit, _item in enumerate(_counties.split("; "), 1):
        _county, _, _weight = _item.rpartition(" ")
        COUNTIES[10 * _region + _digit] = _county
        COUNTY_WEIGHT[10 * _region + _digit] = float(_weight)

HOME = 1
"""The code of the made-up country itself, in countries and nationalities."""

ABROAD = 9
"""Region of birth of those born abroad."""

COUNTRY_GROUPS = {
    "W": "Western Europe",
    "E": "Eastern Europe",
    "M": "Middle East and North Africa",
    "A": "Sub-Saharan Africa",
    "S": "South Asia",
    "X": "East and South-East Asia",
    "N": "North America and Oceania",
    "L": "Latin America",
    "C": "Caribbean",
}

# Number of people born there, up to scale within the group; a star marks the small countries
# whose nationals are counted as "other" of the group.
_COUNTRIES = """
W|Germany 20; France 14; United Kingdom 14; Italy 12; Spain 10; Ireland 10; Netherlands 6; Portugal 6; Austria 5; Switzerland 4; Belgium 3; Sweden 3; Denmark 3; Norway* 2; Greece 3; Finland* 1; Iceland* 1; Luxembourg* 1; Malta* 1; Cyprus* 1
E|Poland 22; Romania 16; Ukraine 12; Russia 9; Hungary 6; Bulgaria 6; Czechia 5; Serbia 5; Lithuania 4; Bosnia 4; Slovakia 3; Croatia* 3; Albania 3; Latvia* 2; Moldova* 2; Slovenia* 1
M|Turkey 20; Morocco 12; Iraq 9; Iran 9; Syria 12; Egypt 6; Algeria 6; Lebanon 4; Afghanistan 9; Tunisia* 2; Israel* 2; Jordan* 1
A|Nigeria 16; Ghana 10; Somalia 10; Kenya 8; South Africa 9; Ethiopia 6; Eritrea 6; Congo 5; Uganda* 3; Zimbabwe* 3; Senegal* 2
S|India 30; Pakistan 22; Bangladesh 13; Sri Lanka 8; Nepal* 3
X|China 24; Philippines 14; Vietnam 14; Thailand 7; Japan 5; South Korea 5; Malaysia 5; Indonesia* 3; Singapore* 3
N|United States 12; Canada 6; Australia 6; New Zealand 3; Fiji* 1
L|Brazil 14; Colombia 8; Chile 6; Mexico 6; Argentina 5; Peru* 4; Ecuador* 3
C|Jamaica 12; Trinidad 5; Haiti* 2; Barbados* 2
"""  # noqa: E501

COUNTRIES: dict[int, str] = {HOME: "Home country"}
"""Country code (1-90) and name."""

COUNTRY_GROUP_OF: dict[int, str] = {}
"""Country code and letter of its group; the home country has none."""

COUNTRY_WEIGHT: dict[int, float] = {}

NATIONALITIES: dict[int, str] = {HOME: "Home country"}
"""Nationality code (1-75) and name."""

NATIONALITY_OF_COUNTRY: dict[int, int] = {HOME: HOME}
"""Country code and the nationality that those born there usually have."""

for _line in _COUNTRIES.strip().splitlines():
    _group, _items = _line.split("|")
    _other = 0
    for _item in _items.split("; "):
        _country, _, _weight = _item.rpartition(" ")
        _code = len(COUNTRIES) + 1
        COUNTRIES[_code] = _country.rstrip("*")
        COUNTRY_GROUP_OF[_code] = _group
        COUNTRY_WEIGHT[_code] = float(_weight)
        if not _country.endswith("*"):
            _nationality = len(NATIONALITIES) + 1
            NATIONALITIES[_nationality] = _country
        else:
            _other = _other or len(NATIONALITIES) + 1
            _nationality = _other
            NATIONALITIES[_other] = f"Other {COUNTRY_GROUPS[_group]}"
        NATIONALITY_OF_COUNTRY[_code] = _nationality


# Small areas of a few hundred people, nested in counties -----------------------------------------


CHUNK_PEOPLE = 1 << 18
"""The most people made at once: the memory needed does not grow with the census."""

PEOPLE_PER_AREA = 350

AREA_FACTOR = 100_000
"""An area's code is its county's code times this plus a running number."""

# How much more or less common minorities are in a region than in the whole country.
_MINORITY_TILT = (2.1, 0.5, 0.75, 0.6, 0.7, 0.3, 0.9, 0.8)
_STANDING = (0.25, 0.0, -0.1, -0.25, 0.0, -0.15, 0.1, -0.1)


@dataclass(frozen=True)
class Areas:
    """The areas of one chunk: code, county, region, and what makes them differ."""

    code: Array
    county: Array
    region: Array
    standing: Array
    minority_tilt: Array
    size: AliasTable

    @classmethod
    def make(cls, rng: np.random.Generator, *, people: int, chunk: int) -> Areas:
        """Lay out the areas of chunk number `chunk` (from 0), which holds `people` people."""
        counts = area_counts(people)
        county = np.repeat(np.array(list(COUNTIES), dtype=np.uint8), counts)
        running = np.concatenate([np.arange(count) for count in counts])
        start = chunk * np.repeat(area_counts(CHUNK_PEOPLE), counts)
        region = county // 10
        weight = np.repeat([COUNTY_WEIGHT[c] for c in COUNTIES] / counts, counts)
        total = len(county)
        return cls(
            code=(county.astype(np.int32) * AREA_FACTOR + start + running + 1).astype(np.int32),
            county=county,
            region=region,
            standing=np.array(_STANDING)[region - 1] + rng.normal(0, 0.45, total),
            minority_tilt=np.array(_MINORITY_TILT)[region - 1]
            * np.exp(rng.normal(-0.18, 0.6, total)),
            size=AliasTable(weight * np.exp(rng.normal(0, 0.25, total)), np.arange(total)),
        )


def chunk_sizes(people: int) -> list[int]:
    """Split a census into chunks of nearly equal size, none larger than `CHUNK_PEOPLE`.

    >>> chunk_sizes(1_000_000)
    [250000, 250000, 250000, 250000]
    """
    chunks = -(-people // CHUNK_PEOPLE)
    share, rest = divmod(people, chunks)
    return [share + (number < rest) for number in range(chunks)]


def area_counts(people: int) -> Array:
    """Return the number of areas in each county for a chunk of `people` people.

    >>> int(area_counts(100).sum()), int(area_counts(200_000).sum())
    (35, 575)
    """
    share = np.array([COUNTY_WEIGHT[c] for c in COUNTIES])
    counts: Array = np.rint(share / share.sum() * people / PEOPLE_PER_AREA).astype(int)
    counts[counts == 0] = 1
    return counts
