"""Value labels of the short code lists, and the two recodes that papers use."""

from __future__ import annotations

import numpy as np

from indistinct.census.places import GEOGRAPHY_OF_REGION, REGIONS
from indistinct.census.sampling import Array

__all__ = [
    "AGE_GROUPS",
    "AGE_GROUP_STARTS",
    "ARRIVALS",
    "CLASSES_OF_WORKER",
    "ECONOMIC",
    "EDUCATION",
    "ETHNIC",
    "FIELDS_OF_STUDY",
    "HEALTH",
    "HOURS",
    "LANGUAGES",
    "MARITAL",
    "OLDEST",
    "RELATIONSHIPS",
    "RELIGIONS",
    "SCHOOL",
    "SEXES",
    "TENURES",
    "TRAVEL",
    "age_group_19",
    "geography_4",
]

OLDEST = 85
"""The top code of age: 85 and over."""

AGE_GROUP_STARTS = (0, 5, 10, 16, 18, *range(20, 85, 5), OLDEST)
"""First year of each of the 19 age groups; 16 and 18 are where school and full age begin."""

AGE_GROUPS = {
    number: f"{start}-{end - 1}" if end else f"{start}+"
    for number, (start, end) in enumerate(
        zip(AGE_GROUP_STARTS, (*AGE_GROUP_STARTS[1:], 0), strict=True), 1
    )
}


def _numbered(text: str, first: int = 1) -> dict[int, str]:
    return dict(enumerate(text.split("; "), first))


SEXES = _numbered("Male; Female")
MARITAL = _numbered("Never married; Married; Separated; Divorced; Widowed")
EDUCATION = _numbered(
    "No schooling completed; Primary; Lower secondary; Upper secondary; "
    "Post-secondary vocational; First degree; Higher degree"
)
ECONOMIC = _numbered(
    "Employee full-time; Employee part-time; Self-employed with employees; "
    "Self-employed without employees; Apprentice or trainee; Unemployed; Student; "
    "Permanently sick; Retired; Looking after home; Child under 16"
)
ETHNIC = _numbered(
    "Majority; Other European; South Asian; East and South-East Asian; Black African; "
    "Caribbean; Middle Eastern; Latin American; Borderland minority; Mixed or other"
)
RELATIONSHIPS = _numbered(
    "Head; Spouse; Unmarried partner; Child; Child-in-law; Grandchild; Parent; Sibling; "
    "Other relative; Lodger or flatmate; Domestic employee; Resident of an institution"
)
TENURES = _numbered(
    "Owned outright; Owned with mortgage; Rented from public landlord; Rented privately; "
    "Rent free; Institution"
)
HEALTH = _numbered("Very good; Good; Fair; Bad; Very bad")
FIELDS_OF_STUDY = _numbered(
    "Not applicable; General; Education; Arts and humanities; Social sciences and law; "
    "Business; Natural sciences; Information technology; Engineering and construction; "
    "Agriculture; Health and welfare",
    0,
)
CLASSES_OF_WORKER = _numbered(
    "Not applicable; Private employee; Public employee; Non-profit employee; Employer; "
    "Own account; Family worker",
    0,
)
HOURS = _numbered("Not applicable; 1-15; 16-29; 30-36; 37-40; 41-48; 49 and more", 0)
TRAVEL = _numbered(
    "Not applicable; Works at home; Train; Metro or tram; Bus; Car driver; Car passenger; "
    "Motorcycle; Bicycle; On foot",
    0,
)
RELIGIONS = _numbered(
    "None; Protestant; Catholic; Orthodox; Muslim; Hindu; Buddhist; Jewish; Other or not stated"
)
LANGUAGES = _numbered(
    "Home language; Borderland language; German; French; English; Italian; Spanish; Portuguese; "
    "Other Western European; Polish; Romanian; Russian; Other Eastern European; Turkish; Arabic; "
    "Persian; African languages; Indic languages; Chinese; Other Asian"
)
ARRIVALS = _numbered(
    "Born here; Under 2 years ago; 2-4 years ago; 5-9 years ago; 10-19 years ago; "
    "20-29 years ago; 30-39 years ago; 40 and more years ago",
    0,
)
SCHOOL = _numbered("Not attending; Nursery; School; College or university")

_GROUP_OF_AGE = np.searchsorted(AGE_GROUP_STARTS, np.arange(OLDEST + 1), side="right").astype(
    np.uint8
)
_GEOGRAPHY = np.array([0, *(GEOGRAPHY_OF_REGION[r] for r in REGIONS)], dtype=np.uint8)


def age_group_19(age: Array) -> Array:
    """Return the 19 age groups of `AGE_GROUPS` for single years of age (0 to 85).

    >>> age_group_19(np.array([0, 15, 16, 17, 20, 84, 85])).tolist()
    [1, 3, 4, 4, 6, 18, 19]
    """
    return _GROUP_OF_AGE[age]


def geography_4(region: Array) -> Array:
    """Return the four broad areas for the eight regions.

    >>> geography_4(np.array([1, 2, 3, 8])).tolist()
    [1, 1, 2, 4]
    """
    return _GEOGRAPHY[region]
