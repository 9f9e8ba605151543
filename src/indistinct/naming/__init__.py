"""What the columns of a file are, from their names and content: for drafts, releases and judges."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.naming.columns import Naming, columns_that_name, is_amount
    from indistinct.naming.concepts import says_amount
    from indistinct.naming.guessing import Certainty, Guess, guess_variables
    from indistinct.naming.joined_person import with_person
    from indistinct.naming.people import find_person, may_number_people

open_doorway(__name__)
