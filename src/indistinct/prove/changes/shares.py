"""What changed in couples and households, and what it would be if people changed independently.

McCaa et al. (2013, section 4): what is masked of persons adds up in households. Where each of two
children has their sex changed with a chance of 49 %, one of them has in half of the families.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from indistinct.core import Bools, InputError, Ints, check_whole
from indistinct.households import Couples
from indistinct.results import Part, facts

__all__ = [
    "CoupleShares",
    "ExpectedShares",
    "HouseholdShares",
    "couple_shares",
    "expected_shares",
    "household_shares",
    "restricted",
]


@dataclass(frozen=True)
class ExpectedShares(Part):
    """How likely it is that none, exactly one, at least one, all of some people are changed."""

    none: float
    exactly_one: float
    at_least_one: float
    all: float


def expected_shares(chances: ArrayLike) -> ExpectedShares:
    """Return what holds of people who are changed independently, each with a chance of their own.

    With chances p_i: none Π(1 − p_i); exactly one Σ_i p_i Π_{j≠i}(1 − p_j); all Π p_i.

    >>> two = expected_shares([0.49, 0.49])
    >>> round(two.exactly_one, 2), round(two.at_least_one, 2)
    (0.5, 0.74)

    Husbands' ages were changed for 70.8 %, wives' for 70.6 % (McCaa et al. 2013, section 4): if
    independently, then both for 50.0 %.

    >>> round(100 * expected_shares([0.708, 0.706]).all, 1)
    50.0
    """
    p = np.atleast_1d(np.asarray(chances, dtype=np.float64))
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise InputError("Chances must be numbers between 0 and 1, one for each person.")
    none, one = 1.0, 0.0
    for chance in p.tolist():
        none, one = none * (1 - chance), one * (1 - chance) + none * chance
    return ExpectedShares(none, one, 1 - none, float(p.prod()))


@dataclass(frozen=True)
class CoupleShares(Part):
    """Shares of couples in which a variable changed; `expected_both` if independently.

    `expected_both` is the product of the shares of husbands and of wives that changed.
    """

    pairs: int
    both: float
    husband_only: float
    wife_only: float

    FACTS = facts("pairs both husband_only wife_only at_least_one expected_both")

    @property
    def at_least_one(self) -> float:
        """The share of couples in which it changed for husband or wife or both."""
        return self.both + self.husband_only + self.wife_only

    @property
    def expected_both(self) -> float:
        """The share in which it would have changed for both, were they changed independently."""
        return expected_shares([self.both + self.husband_only, self.both + self.wife_only]).all


def couple_shares(changed: Bools, couples: Couples) -> CoupleShares:
    """Count the couples in which both, only the husband or only the wife is changed.

    >>> changed = np.array([True, True, True, False])
    >>> found = couple_shares(changed, Couples(np.array([0, 2]), np.array([1, 3])))
    >>> found.both, found.husband_only, found.wife_only, found.at_least_one
    (0.5, 0.5, 0.0, 1.0)
    """
    husband, wife = changed[couples.husband], changed[couples.wife]
    pairs = max(1, len(couples))
    return CoupleShares(
        len(couples),
        int((husband & wife).sum()) / pairs,
        int((husband & ~wife).sum()) / pairs,
        int((~husband & wife).sum()) / pairs,
    )


@dataclass(frozen=True)
class HouseholdShares(Part):
    """Shares of households with exactly one, and at least one, member that is changed.

    `chance` is the share of members that are changed; `expected` what would hold of the same
    households if every member were changed with this chance, independently.
    """

    households: int
    exactly_one: float
    at_least_one: float
    chance: float
    expected_exactly_one: float
    expected_at_least_one: float


def household_shares(
    changed: Bools,
    household: Ints,
    *,
    among: Bools | None = None,
    members: int | None = None,
) -> HouseholdShares:
    """Count the households in which one member, or at least one, is changed.

    With s members each and a chance p: exactly one s p (1 − p)^(s − 1), at least one
    1 − (1 − p)^s, averaged over the households.

    Parameters
    ----------
    among
        The members that count, such as children; households without any are not counted.
    members
        Only households with so many of them.

    >>> changed, household = np.array([1, 0, 0, 0, 1, 1], dtype=bool), np.array([0, 0, 1, 1, 2, 2])
    >>> found = household_shares(changed, household, members=2)
    >>> round(found.exactly_one, 3), round(found.at_least_one, 3), found.expected_at_least_one
    (0.333, 0.667, 0.75)
    """
    if members is not None:
        check_whole("members", members, 1)
    rows = np.arange(len(household)) if among is None else np.flatnonzero(among)
    sizes = np.bincount(household[rows])
    numbers = np.bincount(household[rows], weights=changed[rows]).astype(np.int64)
    counted = sizes > 0 if members is None else sizes == members
    sizes, numbers = sizes[counted], numbers[counted]
    if not len(sizes):
        return HouseholdShares(0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance = float(numbers.sum() / sizes.sum())
    return HouseholdShares(
        len(sizes),
        float((numbers == 1).mean()),
        float((numbers >= 1).mean()),
        chance,
        float((sizes * chance * (1 - chance) ** (sizes - 1)).mean()),
        float((1 - (1 - chance) ** sizes).mean()),
    )


def restricted(couples: Couples, kept: Bools) -> Couples:
    """Leave out couples of whom one was left out of the release."""
    both = kept[couples.husband] & kept[couples.wife]
    return Couples(couples.husband[both], couples.wife[both], couples.same_sex)
