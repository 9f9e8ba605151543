"""Replacement: made-up people, numbers, dates and places that read as the true ones did."""

from __future__ import annotations

from indistinct.arguments import check_arguments
from indistinct.text.replace.ages import generalised_age
from indistinct.text.replace.choosing import Choices
from indistinct.text.replace.dates import generalised_date, shifted_date, weeks_of
from indistinct.text.replace.network import made_up_email, made_up_user, made_up_web
from indistinct.text.replace.numbers import made_up_number
from indistinct.text.replace.organisations import made_up_organisation, made_up_ward
from indistinct.text.replace.persons import Cast, Role
from indistinct.text.replace.phones import made_up_phone
from indistinct.text.replace.places import (
    generalised_zip,
    made_up_address,
    made_up_city,
    made_up_place,
    made_up_street,
)
from indistinct.text.replace.secret import Secret
from indistinct.text.replace.style import SUPPRESSED

__all__ = [
    "SUPPRESSED",
    "Cast",
    "Choices",
    "Role",
    "Secret",
    "generalised_age",
    "generalised_date",
    "generalised_zip",
    "made_up_address",
    "made_up_city",
    "made_up_email",
    "made_up_number",
    "made_up_organisation",
    "made_up_phone",
    "made_up_place",
    "made_up_street",
    "made_up_user",
    "made_up_ward",
    "made_up_web",
    "shifted_date",
    "weeks_of",
]

check_arguments(__name__)
