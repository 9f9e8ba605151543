"""How uncertain a revealed table is when the published ones were perturbed.

Openshaw et al. (1997), section 4, point 5: for tables revealed for new areas "the degree of
uncertainty which is attached to the data will be equal to the sum of the uncertainties of the two
source tables used". With independent errors it is variances that add up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from indistinct.core import InputError, above, check_number
from indistinct.results import Fact, Result, facts, result

__all__ = ["RevealedVariance", "Variance", "revealed_variance"]

Variance = Callable[[float], float]
"""The variance of a published count, given the true one."""


@result(eq=True)
class RevealedVariance(Result):
    """The uncertainty of a count that was worked out by subtraction.

    Parameters
    ----------
    count
        The true count: what was added minus what was subtracted.
    variance
        Its variance.
    terms
        Published counts it was worked out from.
    most_error
        The relative standard error up to which a count is of use.
    """

    count: float
    variance: float
    terms: int
    most_error: float

    FACTS = facts(
        "count",
        "variance",
        "error",
        Fact(
            "relative_error",
            lambda found: None if math.isinf(found.relative_error) else found.relative_error,
        ),
        "terms",
        "is_usable",
        shown=True,
    )

    def sentence(self) -> str:
        """Say how uncertain the revealed count is."""
        word = "still usable" if self.is_usable else "of no use"
        relative = self.relative_error
        share = "no bound" if math.isinf(relative) else f"{relative:.0%}"
        return (
            f"RevealedVariance({self.count:g} from {self.terms:,} published counts: standard error "
            f"{self.error:.3g}, {share} of the count, {word})"
        )

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)

    @property
    def relative_error(self) -> float:
        """The standard error over the count; infinite where a count of 0 is uncertain."""
        if self.variance == 0:
            return 0.0
        return self.error / abs(self.count) if self.count else math.inf

    @property
    def is_usable(self) -> bool:
        """Whether the count still says something to whoever worked it out."""
        return self.relative_error <= self.most_error


def revealed_variance(
    added: Sequence[float],
    subtracted: Sequence[float],
    variance: Variance,
    variance_subtracted: Variance | None = None,
    *,
    most_error: float = 0.5,
) -> RevealedVariance:
    """Work out the uncertainty of a revealed count from those of the published ones.

    Var(Σ added - Σ subtracted) = Σ Var(added) + Σ Var(subtracted), for errors that are drawn
    independently. They are not where the perturbation of a cell depends on who is in it (cell
    keys): then errors of people who are in both partly cancel, and this is an upper bound only if
    they are not opposed.

    Parameters
    ----------
    added, subtracted
        The true counts, of one cell, in the zones that are added and in those that are subtracted.
    variance, variance_subtracted
        The variance of a published count, for each of the two sources; the first for both where
        the second is not given.
    most_error
        The relative standard error up to which the revealed count is said to be usable.

    Counts to which -1, 0 or 1 is added, with a third each:

    >>> revealed_variance([10], [4, 4], lambda count: 2 / 3)
    RevealedVariance(2 from 3 published counts: standard error 1.41, 71% of the count, of no use)
      count                2
      variance             2
      error            1.414
      relative error  0.7071
      terms                3
      is usable           no
    """
    check_number("most_error", most_error, above(0))
    parts = [variance(count) for count in added]
    parts += [(variance_subtracted or variance)(count) for count in subtracted]
    if not all(part >= 0 for part in parts):
        raise InputError("A variance is negative or no number. Give a function with values ≥ 0.")
    return RevealedVariance(
        float(sum(added) - sum(subtracted)), float(math.fsum(parts)), len(parts), most_error
    )
