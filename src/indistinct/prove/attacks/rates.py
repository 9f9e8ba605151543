"""How often an attack succeeds, how sure that is, and how much of it the release is to blame for.

Giomi, Boenisch, Wehmeyer and Tasnádi, "A unified framework for quantifying privacy risk in
synthetic data", *PoPETs* 2023(2), 312-328: an attack that also succeeds on people who are not in
the data has learnt something about the population; only the excess is a risk of the release.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from indistinct.core import InputError, above, check_number
from indistinct.results import Fact, Part, facts

__all__ = ["Excess", "Rate", "excess"]


@dataclass(frozen=True)
class Rate(Part):
    """Successes among trials, with a Wilson score interval (Wilson 1927).

    With s successes of n, z the normal quantile of the confidence::

        centre = (s + z²/2) / (n + z²),   half = z/(n + z²) · √(s(n − s)/n + z²/4)

    >>> rate = Rate(40, 100)
    >>> rate
    40 of 100 (40.0 %, 30.9 % to 49.8 %)
    >>> Rate(0, 20).high < 0.17
    True
    """

    successes: int
    trials: int
    confidence: float = 0.95

    FACTS = facts("successes trials", Fact("rate", "value"), "low high confidence")

    def __post_init__(self) -> None:
        """Refuse what cannot be a rate."""
        if not 0 <= self.successes <= self.trials:
            raise InputError(
                f"Successes must be between 0 and the {self.trials:,} trials. "
                f"Got {self.successes:,}."
            )
        check_number("The confidence", self.confidence, above(0, below=1))

    @property
    def value(self) -> float:
        """The share of trials that succeeded; 0 without trials."""
        return self.successes / self.trials if self.trials else 0.0

    @property
    def centre(self) -> float:
        """The middle of the interval; one half without trials."""
        z2 = self._z**2
        return (self.successes + z2 / 2) / (self.trials + z2)

    @property
    def half(self) -> float:
        """Half the length of the interval."""
        z2 = self._z**2
        spread = self.successes * (1 - self.value) + z2 / 4
        return self._z / (self.trials + z2) * sqrt(spread)

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return max(0.0, self.centre - self.half)

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return min(1.0, self.centre + self.half)

    @property
    def _z(self) -> float:
        return NormalDist().inv_cdf((1 + self.confidence) / 2)

    def __repr__(self) -> str:
        if not self.trials:
            return "0 of 0"
        return (
            f"{self.successes:,} of {self.trials:,} "
            f"({_percent(self.value)}, {_percent(self.low)} to {_percent(self.high)})"
        )


@dataclass(frozen=True)
class Excess(Part):
    """How much better an attack does on people in the data than without them, and how sure that is.

    May be negative, where chance had it that the attack did worse.
    """

    value: float
    half: float
    confidence: float = 0.95

    FACTS = facts("value low high confidence")

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.value - self.half

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return min(1.0, self.value + self.half)

    @property
    def shown(self) -> bool:
        """Whether the interval is wholly above 0: the attack does better, and not by chance."""
        return self.low > 0

    def __repr__(self) -> str:
        return f"{_percent(self.value)} ({_percent(self.low)} to {_percent(self.high)})"


def excess(attack: Rate, reference: Rate | float) -> Excess | None:
    """Return the risk (a − c)/(1 − c) of an attack's rate a beyond a reference rate c.

    Giomi et al. (2023), section 4.1: a and c are the centres of the Wilson intervals, and their
    half lengths are propagated by the derivatives 1/(1 − c) and (a − 1)/(1 − c)². A reference
    that is a plain number, such as the chance of a guess, is known without error.

    None where there was no trial, or where the reference always succeeds: nothing is left to
    excel in.

    >>> excess(Rate(40, 100), Rate(10, 100))
    32.6 % (21.1 % to 44.2 %)
    >>> excess(Rate(45, 50), Rate(90, 100)).shown
    False
    """
    if isinstance(reference, Rate):
        trials, c, error = reference.trials, reference.centre, reference.half
    else:
        trials, c, error = 1, reference, 0.0
    if not attack.trials or not trials or c >= 1:
        return None
    a = attack.centre
    half = sqrt((attack.half / (1 - c)) ** 2 + (error * (a - 1) / (1 - c) ** 2) ** 2)
    return Excess((a - c) / (1 - c), half, attack.confidence)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
