"""Kinds of reference, and a reference found: where it is, what it is, how certain, who says so."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

# What annotated corpora call these kinds, and what `--spans` writes as `label`.
NAME, LOCATION, ORG, DATE, PHONE, EMAIL, URL, ID, AGE90 = (
    "NAME", "LOCATION", "ORG", "DATE", "PHONE", "EMAIL", "URL", "ID", "AGE90",
)  # fmt: skip


class Kind(StrEnum):
    """The fields that a detector may recognise; the paper's, and those of the HIPAA list."""

    FULL_NAME = "full name"
    FIRST_NAME = "first name"
    LAST_NAME = "last name"
    NICKNAME = "nickname"
    INITIALS = "initials"
    ADDRESS = "address block"
    STREET = "street"
    CITY = "city"
    STATE = "state"
    ZIP = "zip"
    PLACE = "place"
    ORGANISATION = "organisation"
    HOSPITAL = "hospital"
    WARD = "ward"
    EMPLOYER = "employer"
    SCHOOL = "school"
    TEAM = "team"
    DATE = "date"
    BIRTH_DATE = "date of birth"
    PHONE = "phone"
    FAX = "fax"
    EMAIL = "e-mail"
    WEB = "web address"
    RECORD_NUMBER = "record number"
    LICENCE = "licence number"
    IDENTITY_NUMBER = "identity number"
    ACCOUNT = "account"
    VEHICLE = "vehicle"
    DEVICE = "device"
    AGE = "age over 89"

    @property
    def label(self) -> str:
        """The coarse label that annotated corpora use for this kind."""
        return _LABELS[self]


_LABELS = {
    **dict.fromkeys(
        (Kind.FULL_NAME, Kind.FIRST_NAME, Kind.LAST_NAME, Kind.NICKNAME, Kind.INITIALS), NAME
    ),
    **dict.fromkeys(
        (Kind.ADDRESS, Kind.STREET, Kind.CITY, Kind.STATE, Kind.ZIP, Kind.PLACE), LOCATION
    ),
    **dict.fromkeys(
        (Kind.ORGANISATION, Kind.HOSPITAL, Kind.WARD, Kind.EMPLOYER, Kind.SCHOOL, Kind.TEAM), ORG
    ),
    **dict.fromkeys((Kind.DATE, Kind.BIRTH_DATE), DATE),
    **dict.fromkeys((Kind.PHONE, Kind.FAX), PHONE),
    Kind.EMAIL: EMAIL,
    Kind.WEB: URL,
    **dict.fromkeys(
        (
            Kind.RECORD_NUMBER,
            Kind.LICENCE,
            Kind.IDENTITY_NUMBER,
            Kind.ACCOUNT,
            Kind.VEHICLE,
            Kind.DEVICE,
        ),
        ID,
    ),
    Kind.AGE: AGE90,
}


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` (exclusive) refer to somebody, says `detector`.

    `rule` names the detector's rule that fired, for calibration and for whoever asks why.
    """

    start: int
    end: int
    kind: Kind
    certainty: float
    detector: str
    rule: str = ""

    @property
    def label(self) -> str:
        """The coarse label of the kind."""
        return _LABELS[self.kind]

    def overlaps(self, other: Span) -> bool:
        """Whether both claim a character."""
        return self.start < other.end and other.start < self.end
