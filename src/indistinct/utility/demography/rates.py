"""Own-child fertility of one file: births of past years from children who live with their mothers.

Children aged x at the census were born x to x + 1 years before it. A mother of age α at the birth
is α + x or α + x + 1 at the census, so that with B(x, a) children aged x of mothers aged a

    f_x(α) = ½ [B(x, α+x) + B(x, α+x+1)] · u_x / S(x) / W_x(α)
    W_x(α) = ½ [W(α+x) L(α)/L(α+x) + W(α+x+1) L(α)/L(α+x+1)]
    TFR_x  = Σ over α of f_x(α)

where u_x is all children aged x over those matched with a mother, S(x) the share of births alive
at completed age x, W(a) the women aged a and L(a) the share of women alive at completed age a
(Cho, Retherford and Choe 1986; McCaa and others 2013, section 5.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from indistinct.core import Floats, InputError, Ints
from indistinct.utility.demography.counts import OLDEST, OwnChildren

__all__ = ["FertilitySeries", "Survival", "fertility_series"]


Survival = Sequence[float] | Callable[[int], float]
"""The share of births still alive at completed age 0, 1, 2, …: a list, or a function of age.
Of a life table, take L(a)/l(0) for single years, which is near ½ [l(a) + l(a+1)] / l(0)."""


@dataclass(frozen=True, eq=False)
class FertilitySeries:
    """Fertility of the years before a census.

    Parameters
    ----------
    ages
        Completed ages at birth, α.
    rates
        f_x(α): rows are years before the census x, columns ages.
    exposed
        W_x(α), women who were α years old x years before.
    births
        ½ [B(x, α+x) + B(x, α+x+1)], before any adjustment.
    matched
        Of all children aged x, the share matched with their mother.
    """

    ages: Ints
    rates: Floats
    exposed: Floats
    births: Floats
    matched: Floats

    @property
    def years(self) -> int:
        """The number of years."""
        return len(self.rates)

    @property
    def total(self) -> Floats:
        """The total fertility rate of every year before the census; NaN where none is known."""
        return np.asarray(self.rates.sum(axis=1))

    @property
    def error(self) -> Floats:
        """The standard error of `total`, if births are Poisson counts."""
        return np.asarray(np.sqrt((self.rates**2 / np.maximum(self.births, 0.5)).sum(axis=1)))

    def group(self, first: int, last: int) -> Floats:
        """Return the rates of ages `first` to `last`, added up, by year before the census."""
        inside = (self.ages >= first) & (self.ages <= last)
        return np.asarray(self.rates[:, inside].sum(axis=1))

    def slope(self, first: int, last: int) -> tuple[float, float]:
        """Return the change a year of some ages' rates by least squares, and its standard error."""
        rates = self.group(first, last)
        year = -np.arange(self.years, dtype=np.float64)
        known = np.isfinite(rates)
        if known.sum() < 3:
            return float("nan"), float("nan")
        t, y = year[known] - year[known].mean(), rates[known] - rates[known].mean()
        slope = float(t @ y / (t @ t))
        rest = y - slope * t
        return slope, float(rest @ rest / (len(t) - 2) / (t @ t)) ** 0.5


def fertility_series(
    counted: OwnChildren,
    *,
    ages: tuple[int, int] = (15, 49),
    child_survival: Survival | None = None,
    women_survival: Survival | None = None,
) -> FertilitySeries:
    """Estimate fertility by age for every year before the census that children's ages reach.

    Parameters
    ----------
    ages
        The first and last age at birth.
    child_survival, women_survival
        S and L above. Without them nobody is taken to have died.

    >>> women, births = np.full(131, 1000.0), np.zeros((2, 131))
    >>> births[0, 20:31], births[1, 21:32] = 100, 80
    >>> series = fertility_series(OwnChildren(births, births.sum(axis=1) * 1.25, women))
    >>> series.total.round(3).tolist()
    [1.375, 1.1]
    """
    first, last = ages
    years = len(counted.children)
    if not 0 <= first <= last or last + years >= len(counted.women):
        raise InputError(
            f"Ages at birth must be from 0 to {OLDEST - years}, the first not above the last. "
            f"Got {first} to {last}."
        )
    alpha = np.arange(first, last + 1)
    x = np.arange(years)[:, None]
    born = _survival(child_survival, "child_survival", years)
    alive = _survival(women_survival, "women_survival", last + years + 1)
    now, later = alpha + x, alpha + x + 1
    births = (counted.matched[x, now] + counted.matched[x, later]) / 2
    exposed = (
        counted.women[now] * alive[alpha] / alive[now]
        + counted.women[later] * alive[alpha] / alive[later]
    ) / 2
    found = counted.matched.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        # no children at all is a rate of 0; children of whom none is matched leave it unknown
        matched = np.where(counted.children > 0, found / counted.children, 1.0)
        adjust = np.where(matched > 0, 1 / matched, np.nan) / born
        rates = np.where(exposed > 0, births / exposed, 0.0) * adjust[:, None]
    return FertilitySeries(alpha, rates, exposed, births, matched)


def _survival(given: Survival | None, name: str, needed: int) -> Floats:
    if given is None:
        return np.ones(needed)
    values = [given(age) for age in range(needed)] if callable(given) else list(given)[:needed]
    shares = np.asarray(values, dtype=np.float64)
    if len(shares) < needed:
        raise InputError(
            f"{name} must have a share for every age from 0 to {needed - 1}. Got {len(shares)}."
        )
    if not ((shares > 0) & (shares <= 1)).all() or (np.diff(shares) > 1e-12).any():
        raise InputError(
            f"{name} must be shares above 0 and at most 1 that do not rise with age: of births, "
            "those still alive. For a life table with 100,000 births, divide by them."
        )
    return shares
