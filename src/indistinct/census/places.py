"""The made-up country: 4 broad areas, 8 regions, 35 counties; and the countries of the world."""

from __future__ import annotations

__all__ = [
    "ABROAD",
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
