"""The columns of the census and of the register, their roles and labels, and published keys."""

from __future__ import annotations

import pyarrow as pa

from indistinct.census import codes
from indistinct.census.occupations import INDUSTRIES, OCCUPATIONS
from indistinct.census.places import (
    ABROAD,
    COUNTIES,
    COUNTRIES,
    GEOGRAPHIES,
    NATIONALITIES,
    REGIONS,
)
from indistinct.core import Level, Role, Value, Variable, Variables

__all__ = [
    "CENSUS_SCHEMA",
    "IDENTIFYING",
    "KEYS_6",
    "KEYS_12",
    "KEYS_20",
    "LABELS",
    "MCCAA_KEY",
    "REGISTER_SCHEMA",
    "SKINNER_HOLMES_KEY",
    "census_schema",
    "census_variables",
    "register_variables",
]

SKINNER_HOLMES_KEY = ("age_group", "sex", "ethnic", "marital", "economic", "geography")
"""The key of Skinner and Holmes (1998): 19 x 2 x 10 x 5 x 11 x 4 = 83,600 cells."""

MCCAA_KEY = (
    "sex",
    "age",
    "marital",
    "nationality",
    "ethnic",
    "education",
    "occupation",
    "industry",
    "region",
    "region_of_birth",
    "country_of_residence",
    "country_of_birth",
)
"""The conservative key of McCaa: twelve variables, in full detail."""

KEYS_6 = SKINNER_HOLMES_KEY
KEYS_12 = MCCAA_KEY
KEYS_20 = (
    *MCCAA_KEY,
    "relationship",
    "economic",
    "tenure",
    "household_size",
    "class_of_worker",
    "hours",
    "religion",
    "language",
)

LABELS: dict[str, dict[int, str]] = {
    "relationship": codes.RELATIONSHIPS,
    "geography": GEOGRAPHIES,
    "region": REGIONS,
    "county": COUNTIES,
    "sex": codes.SEXES,
    "age": {age: str(age) for age in range(codes.OLDEST)} | {codes.OLDEST: "85 and over"},
    "age_group": codes.AGE_GROUPS,
    "marital": codes.MARITAL,
    "education": codes.EDUCATION,
    "economic": codes.ECONOMIC,
    "occupation": {0: "Not applicable"} | {o.code: o.title for o in OCCUPATIONS.values()},
    "industry": {0: "Not applicable"} | INDUSTRIES,
    "ethnic": codes.ETHNIC,
    "country_of_birth": COUNTRIES,
    "nationality": NATIONALITIES,
    "region_of_birth": REGIONS | {ABROAD: "Abroad"},
    "country_of_residence": COUNTRIES,
    "arrival": codes.ARRIVALS,
    "language": codes.LANGUAGES,
    "religion": codes.RELIGIONS,
    "tenure": codes.TENURES,
    "health": codes.HEALTH,
    "school": codes.SCHOOL,
    "field_of_study": codes.FIELDS_OF_STUDY,
    "class_of_worker": codes.CLASSES_OF_WORKER,
    "hours": codes.HOURS,
    "travel": codes.TRAVEL,
}
"""Value labels of every coded column."""

# Name, Arrow type, role, level, label; in file order.
_COLUMNS: tuple[tuple[str, pa.DataType, Role, Level, str], ...] = (
    ("household", pa.int32(), "household", "nominal", "Number of the household"),
    ("person", pa.uint8(), "other", "ordinal", "Number of the person within the household"),
    ("relationship", pa.uint8(), "relationship", "nominal", "Relationship to the head"),
    ("geography", pa.uint8(), "key", "nominal", "Broad area of residence"),
    ("region", pa.uint8(), "key", "nominal", "Region of usual residence"),
    ("county", pa.uint8(), "key", "taxonomy", "County of residence"),
    ("area", pa.int32(), "key", "taxonomy", "Small area of residence"),
    ("sex", pa.uint8(), "key", "nominal", "Sex"),
    ("age", pa.uint8(), "key", "numeric", "Age in completed years; 85 and over together"),
    ("age_group", pa.uint8(), "key", "ordinal", "Age in 19 groups"),
    ("marital", pa.uint8(), "key", "nominal", "Marital status"),
    ("education", pa.uint8(), "key", "ordinal", "Highest education"),
    ("economic", pa.uint8(), "key", "nominal", "Economic activity"),
    ("occupation", pa.uint8(), "key", "taxonomy", "Present or last occupation"),
    ("industry", pa.uint8(), "key", "taxonomy", "Present or last industry"),
    ("ethnic", pa.uint8(), "key", "nominal", "Ethnic group"),
    ("country_of_birth", pa.uint8(), "key", "taxonomy", "Country of birth"),
    ("nationality", pa.uint8(), "key", "taxonomy", "Nationality"),
    ("region_of_birth", pa.uint8(), "key", "nominal", "Region of birth"),
    ("country_of_residence", pa.uint8(), "key", "taxonomy", "Country of usual residence"),
    ("arrival", pa.uint8(), "key", "ordinal", "Time of arrival in the country"),
    ("language", pa.uint8(), "key", "nominal", "Language spoken at home"),
    ("religion", pa.uint8(), "sensitive", "nominal", "Religion"),
    ("tenure", pa.uint8(), "key", "nominal", "Tenure of the dwelling"),
    ("household_size", pa.uint8(), "key", "numeric", "Number of people in the household"),
    ("children", pa.uint8(), "key", "numeric", "Number of the head's children in the household"),
    ("health", pa.uint8(), "sensitive", "ordinal", "General health"),
    ("school", pa.uint8(), "key", "nominal", "School attendance"),
    ("field_of_study", pa.uint8(), "key", "nominal", "Field of study"),
    ("class_of_worker", pa.uint8(), "key", "nominal", "Class of worker"),
    ("hours", pa.uint8(), "key", "ordinal", "Weekly hours of work"),
    ("travel", pa.uint8(), "key", "nominal", "Means of travel to work"),
    ("income", pa.int32(), "sensitive", "numeric", "Yearly income"),
    ("identity_number", pa.int64(), "identifier", "nominal", "Identity number"),
    ("given_name", pa.string(), "identifier", "nominal", "Given name"),
    ("surname", pa.string(), "identifier", "nominal", "Surname"),
    ("date_of_birth", pa.date32(), "key", "date", "Date of birth"),
)

IDENTIFYING = ("identity_number", "given_name", "surname", "date_of_birth")
"""The columns that `names=False` leaves out."""

CENSUS_SCHEMA = pa.schema([(name, kind) for name, kind, *_ in _COLUMNS])

REGISTER_SCHEMA = pa.schema(
    [
        *(CENSUS_SCHEMA.field(name) for name in IDENTIFYING),
        *(CENSUS_SCHEMA.field(name) for name in ("sex", "marital", "county", "area")),
        ("address", pa.string()),
    ]
)


def census_schema(*, names: bool = True) -> pa.Schema:
    """Return the Arrow schema of the census, with or without the identifying columns."""
    if names:
        return CENSUS_SCHEMA
    return pa.schema([field for field in CENSUS_SCHEMA if field.name not in IDENTIFYING])


def census_variables(*, names: bool = True) -> Variables:
    """Return role, level, label and value labels of every column of the census.

    >>> census_variables()["marital"].labels[5]
    'Widowed'
    >>> census_variables().names(role="identifier")
    ['identity_number', 'given_name', 'surname']
    """
    return Variables(
        Variable(name, role=role, level=level, label=label, labels=_labels(name))
        for name, _, role, level, label in _COLUMNS
        if names or name not in IDENTIFYING
    )


def register_variables() -> Variables:
    """Return role, level, label and value labels of every column of the register."""
    census = census_variables()
    address = Variable("address", role="identifier", label="Street and number")
    return Variables(
        address if name == "address" else census[name] for name in REGISTER_SCHEMA.names
    )


def _labels(name: str) -> dict[Value, str]:
    return dict(LABELS.get(name, {}).items())
