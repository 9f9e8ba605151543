"""Replacement: made-up people, numbers, dates and places that read as the true ones did."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.scrub.text.replace.choosing import Choices
    from indistinct.scrub.text.replace.dates import (
        generalised_age,
        generalised_date,
        shifted_date,
        weeks_of,
    )
    from indistinct.scrub.text.replace.network import (
        made_up_email,
        made_up_phone,
        made_up_user,
        made_up_web,
    )
    from indistinct.scrub.text.replace.numbers import made_up_number
    from indistinct.scrub.text.replace.organisations import made_up_organisation, made_up_ward
    from indistinct.scrub.text.replace.persons import Cast, Role
    from indistinct.scrub.text.replace.places import (
        generalised_zip,
        made_up_address,
        made_up_city,
        made_up_place,
        made_up_street,
    )
    from indistinct.scrub.text.replace.secret import Secret
    from indistinct.scrub.text.replace.style import SUPPRESSED

open_doorway(__name__)
