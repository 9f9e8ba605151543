"""Distributions behind households: age of heads, marital status, fertility, ethnic groups."""

from __future__ import annotations

import numpy as np

from indistinct.census.sampling import AliasTable, Array, interpolate

__all__ = [
    "FERTILITY",
    "FOREIGN_CUSTOM",
    "HEAD_AGE",
    "MARITAL_ALONE",
    "PARENT_MARITAL",
    "fertility_row",
    "household_ethnic",
    "marital_row",
    "partner_ethnic",
]

_HEAD_YEARS = np.arange(17, 101)
HEAD_AGE = AliasTable(
    interpolate(
        _HEAD_YEARS.astype(float),
        {
            17: 0.01,
            18: 0.15,
            22: 1.0,
            26: 1.9,
            32: 2.4,
            45: 2.5,
            56: 2.35,
            66: 2.0,
            74: 1.6,
            82: 1.0,
            90: 0.3,
            100: 0.01,
        },
    ),
    _HEAD_YEARS,
)

_YEARS = np.arange(15, 105, dtype=float)


def _marital_alone() -> AliasTable:
    """Never married, married but apart, separated, divorced, widowed: by sex and year of age."""
    rows = []
    for woman in (False, True):
        never = interpolate(_YEARS, {19: 1, 25: 0.96, 30: 0.86, 40: 0.52, 55: 0.26, 75: 0.13})
        widowed = interpolate(
            _YEARS,
            {19: 0, 21: 1e-4, 30: 0.002, 40: 0.012, 50: 0.06, 60: 0.2, 70: 0.45, 80: 0.72, 90: 0.84}
            if woman
            else {19: 0, 24: 1e-4, 35: 0.002, 50: 0.025, 60: 0.08, 70: 0.25, 80: 0.55, 90: 0.75},
        )
        apart = interpolate(_YEARS, {18: 0, 20: 0.004, 30: 0.03, 45: 0.05, 70: 0.03, 90: 0.03})
        separated = interpolate(_YEARS, {19: 0, 22: 0.004, 30: 0.035, 45: 0.09, 65: 0.05, 90: 0.01})
        divorced = interpolate(
            _YEARS, {20: 0, 23: 0.003, 30: 0.07, 45: 0.4, 60: 0.42, 75: 0.18, 90: 0.06}
        )
        rows.append(np.stack([never, apart, separated, divorced, widowed], axis=1))
    return AliasTable(np.stack(rows), [1, 2, 3, 4, 5])


MARITAL_ALONE = _marital_alone()
"""Marital status of people who do not live with a spouse; rows by `marital_row`."""

PARENT_MARITAL = AliasTable([0.03, 0.12, 0.02, 0.13, 0.7], [1, 2, 3, 4, 5])


def marital_row(age: Array, sex: Array) -> Array:
    """Return the row of `MARITAL_ALONE`."""
    year = np.clip(age.astype(np.int32) - 15, 0, len(_YEARS) - 1)
    return (sex.astype(np.int32) - 1) * len(_YEARS) + year


FERTILITY = AliasTable(
    np.array(
        [
            # couple; the same where large families are the custom
            [14, 19, 41, 17, 6, 2, 0.7, 0.3],
            [9, 13, 30, 24, 13, 6, 3, 2],
            # woman alone who never married; who did
            [66, 19, 10, 3.5, 1, 0.3, 0.1, 0.1],
            [16, 24, 37, 15, 5, 2, 0.7, 0.3],
            # man alone who never married; who did
            [97, 2, 0.8, 0.2, 0, 0, 0, 0],
            [84, 8, 6, 1.5, 0.4, 0.1, 0, 0],
        ]
    )
)
"""Children ever born, 0 to 7; rows by `fertility_row`."""


def fertility_row(couple: Array, sex: Array, marital: Array, custom: Array) -> Array:
    """Return the row of `FERTILITY`."""
    alone = 2 + 2 * (sex == 1) + (marital != 1)
    return np.where(couple, custom, alone).astype(np.int32)


# Ethnic groups (codes 1-10). Shares of the minorities in the whole country, up to scale.
# Share and concentration were set so that 450,000 people fall into the 83,600 cells of Skinner
# and Holmes much as their population did (see docs/methods/census.md).
_MINORITY = 0.05
_SHARES = np.array([0, 34, 24, 4, 9, 3, 11, 2, 9, 4], dtype=float)
_BY_REGION = np.ones((8, 10))
_BY_REGION[:, 8] = (0.25, 0.1, 0.1, 0.15, 0.1, 0.05, 1.2, 9.0)  # the borderland minority
_BY_REGION[0, 4:6] = 2.2
_BY_REGION[3, 2] = 2.6
_BY_REGION[4, 6] = 2.0
_BY_REGION[2, 3] = 1.8
_BY_REGION[6, 7] = 1.7

FOREIGN_CUSTOM = np.array([0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0], dtype=np.uint8)
"""By ethnic code: 1 where large and three-generation households are the custom."""

_MINORITY_GROUP = AliasTable(_BY_REGION * _SHARES, np.arange(1, 11))


def household_ethnic(rng: np.random.Generator, region: Array, tilt: Array) -> Array:
    """Return the ethnic group of a household's head, given its area."""
    minority = rng.random(len(region)) < np.minimum(_MINORITY * tilt, 0.9)
    group = _MINORITY_GROUP.draw(rng, region.astype(np.int32) - 1)
    return np.where(minority, group, 1).astype(np.uint8)


def partner_ethnic(rng: np.random.Generator, ethnic: Array, region: Array) -> Array:
    """Return the ethnic group of the head's partner: mostly the head's own."""
    u = rng.random(len(ethnic))
    group = _MINORITY_GROUP.draw(rng, region.astype(np.int32) - 1)
    out_of_majority = (ethnic == 1) & (u < 0.012)
    into_majority = (ethnic != 1) & (u < 0.12)
    return np.where(out_of_majority, group, np.where(into_majority, 1, ethnic)).astype(np.uint8)
