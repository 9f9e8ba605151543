"""What the columns of a file are, from their names and content: for drafts, releases and judges."""

from indistinct.arguments import check_arguments
from indistinct.naming.columns import Naming, columns_that_name, is_amount
from indistinct.naming.guessing import Guess, guess_variables
from indistinct.naming.people import find_person, may_number_people

__all__ = [
    "Guess",
    "Naming",
    "columns_that_name",
    "find_person",
    "guess_variables",
    "is_amount",
    "may_number_people",
]

check_arguments(__name__)
