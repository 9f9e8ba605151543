"""Whom the data are for: Datafly's profiles, and the anonymity level that becomes a k."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from indistinct.core import InputError, did_you_mean
from indistinct.results import Part, facts

__all__ = [
    "CARETAKER",
    "CONTRACT_BOUND",
    "PRESETS",
    "PUBLIC_USE",
    "AnonymityMapping",
    "Profile",
    "check_profile",
    "exact_share",
    "percent_of_records",
]

AnonymityMapping = Callable[[float, int], int]
"""From an anonymity level A between 0 and 1 and the number of records to k."""


@dataclass(frozen=True)
class Profile(Part):
    """What a recipient tolerates and is trusted with, from 0 to 1 for each attribute.

    Sweeney (2001, section 6.2) asks the data holder for two lists of numbers.

    Parameters
    ----------
    tolerance
        How much distortion of the attribute the recipient tolerates. Of the attributes that
        could be generalised, one with the highest tolerance is: 1 goes first, 0 is left alone
        as long as another can still climb. At anonymity level 1 an attribute with tolerance t
        climbs to level ⌊t · height⌋, the most general data the profile allows.
    linking
        How likely the recipient is to link on the attribute: 0 is full trust, and the attribute
        is released as it is and counts in no quasi-identifier; above 0 it counts, whole. Among
        attributes of equal tolerance the one with the highest value is generalised first.
    other_tolerance, other_linking
        The values of attributes that are not named.
    per_attribute
        Whether k is asked of every attribute by itself instead of across each quasi-identifier.
    name
        For people.

    >>> doctor = Profile(linking={"zip": 0.0}, name="own doctor")
    >>> doctor.linking_of("zip"), doctor.linking_of("birth")
    (0.0, 1.0)
    >>> Profile(tolerance={"zip": 1.5})
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: The tolerance of 'zip' must be from 0 to 1. Got 1.5.
    """

    tolerance: Mapping[str, float] = field(default_factory=dict)
    linking: Mapping[str, float] = field(default_factory=dict)
    other_tolerance: float = 1.0
    other_linking: float = 1.0
    per_attribute: bool = False
    name: str = ""

    FACTS = facts("name tolerance linking other_tolerance other_linking per_attribute")

    def __post_init__(self) -> None:
        """Refuse numbers outside 0 to 1."""
        for what, values, other in (
            ("tolerance", self.tolerance, self.other_tolerance),
            ("linking", self.linking, self.other_linking),
        ):
            for name, value in {**values, "other attributes": other}.items():
                wrong = isinstance(value, bool) or not isinstance(value, int | float)
                if wrong or not 0 <= value <= 1:
                    of = f"'{name}'" if name in values else name
                    raise InputError(f"The {what} of {of} must be from 0 to 1. Got {value}.")

    def tolerance_of(self, name: str) -> float:
        """Return the distortion tolerated in an attribute."""
        return self.tolerance.get(name, self.other_tolerance)

    def linking_of(self, name: str) -> float:
        """Return how likely an attribute is to be used for linking."""
        return self.linking.get(name, self.other_linking)

    def with_values(
        self,
        *,
        tolerance: Mapping[str, float] | None = None,
        linking: Mapping[str, float] | None = None,
    ) -> Profile:
        """Return the profile with the values of some attributes set."""
        return replace(
            self,
            tolerance={**self.tolerance, **(tolerance or {})},
            linking={**self.linking, **(linking or {})},
        )

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Profile:
        """Make the profile that `to_dict` described."""
        known = list(cls().to_dict())
        for name in content:
            if name not in known:
                raise InputError(f"A profile has no field '{name}'. {did_you_mean(name, known)}")
        return cls(**content)


CARETAKER = Profile(other_tolerance=0.0, other_linking=0.0, name="caretaker")
"""The patient has agreed: the profile is 0 throughout, and the original data are given."""

CONTRACT_BOUND = Profile(
    other_tolerance=0.5, other_linking=0.5, per_attribute=True, name="contract-bound researcher"
)
"""Bound not to link, so "each sensitive attribute adheres only to the minimum k requirement":
every attribute by itself, not their combinations."""

PUBLIC_USE = Profile(name="public use")
"""Nobody is trusted: the profile is 1 throughout, and k holds across each quasi-identifier."""

"""The three recipients that Sweeney describes, by name."""


def check_profile(profile: Profile, names: Iterable[str]) -> None:
    """Refuse a profile that names an attribute which is not there."""
    known = list(names)
    for name in (*profile.tolerance, *profile.linking):
        if name not in known:
            raise InputError(
                f"The profile names '{name}', which is not in the key. {did_you_mean(name, known)}"
            )


def percent_of_records(anonymity: float, records: int) -> int:
    """Return k = ⌊A · N / 100⌋, the mapping behind Figure 27 (Sweeney 2001).

    The paper leaves the mapping to the institution and does not state this rule; it gives all
    nine values of k that the figure prints. A is taken as it is written, in decimals.

    >>> [percent_of_records(a / 10, 54_805) for a in range(9, 0, -1)]
    [493, 438, 383, 328, 274, 219, 164, 109, 54]
    """
    return math.floor(exact_share(anonymity) * records / 100)


def exact_share(value: float) -> Fraction:
    """Return the decimal number as it is written, so that 0.29 of 100 is 29 and not 28."""
    return Fraction(repr(float(value)))


PRESETS = {"caretaker": CARETAKER, "researcher": CONTRACT_BOUND, "public": PUBLIC_USE}
"""Datafly's recipients by a short name."""
