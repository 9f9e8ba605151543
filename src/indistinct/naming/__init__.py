"""What the columns of a file are, from their names and content: for drafts, releases and judges."""

from indistinct.naming.columns import Naming, columns_that_name, is_amount
from indistinct.naming.guessing import Guess, guess_variables

__all__ = ["Guess", "Naming", "columns_that_name", "guess_variables", "is_amount"]
