"""Which categories, or which records, meet the conditions of a question.

A comparison with a missing value is neither met nor not met, as in SQL: what is known of a
condition are two masks, where it is met and where it is not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from indistinct.core import Bools
from indistinct.query.language import Comparison, Condition, Joined, Negated

__all__ = ["Masks", "met_by"]

Masks = tuple[Bools, Bools]
"""Where a condition is met, and where it is not; where neither, nothing is known."""


def met_by(condition: Condition, compare: Callable[[Comparison], Masks]) -> Masks:
    """Put the masks of single comparisons together.

    >>> from indistinct.query.language import read_question
    >>> ages = np.array([20, 30, 40])
    >>> where = read_question("select count(*) where not (age = 30 or age = 40)").where
    >>> met_by(where, lambda one: (ages == one.values[0], ages != one.values[0]))[0]
    array([ True, False, False])
    """
    if isinstance(condition, Comparison):
        return compare(condition)
    if isinstance(condition, Negated):
        met, not_met = met_by(condition.part, compare)
        return not_met, met
    assert isinstance(condition, Joined)
    parts = [met_by(part, compare) for part in condition.parts]
    all_met = reduce(np.bitwise_and, [met for met, _ in parts])
    one_met = reduce(np.bitwise_or, [met for met, _ in parts])
    all_not = reduce(np.bitwise_and, [not_met for _, not_met in parts])
    one_not = reduce(np.bitwise_or, [not_met for _, not_met in parts])
    return (all_met, one_not) if condition.word == "and" else (one_met, all_not)
