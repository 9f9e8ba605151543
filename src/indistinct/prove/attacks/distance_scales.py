"""Numeric records as points: the scales on which an intruder may measure distance.

| distance | what it does |
| --- | --- |
| standardised | subtracts the register's mean, divides by its standard deviation |
| robust | subtracts the median, divides by the interquartile range over 1.349 |
| rank | replaces values by their mid-rank in their own file, as a share of its records |
| mahalanobis | whitens by the register's covariance, so that correlated variables count once |
| gower | divides by the range of both files; categories differ by 0 or 1; the mean over variables |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Floats, InputError, did_you_mean, holds_numbers

__all__ = ["DISTANCES", "Distance", "points_of"]

Distance = Literal["standardised", "robust", "rank", "mahalanobis", "gower"]

DISTANCES: tuple[Distance, ...] = get_args(Distance)


def points_of(
    released: pa.Table, register: pa.Table, attributes: Sequence[str], distance: Distance
) -> tuple[Floats, Floats, int]:
    """Return the records of both files as points and the columns that are categories (the last).

    Euclidean distance between points is the distance asked for; with `gower` it is the city-block
    distance, where a category's number has to be compared as equal or not. Missing is NaN.
    """
    numeric: list[str] = []
    categorical: list[str] = []
    for name in attributes:
        for side, table in (("released", released), ("register's", register)):
            if name not in table.column_names:
                raise InputError(
                    f"There is no attribute '{name}' in the {side} table. "
                    f"{did_you_mean(name, table.column_names)}"
                )
        both = (released.schema.field(name).type, register.schema.field(name).type)
        (numeric if all(holds_numbers(t) for t in both) else categorical).append(name)
    if categorical and distance != "gower":
        raise InputError(
            f"Attribute '{categorical[0]}' is not numeric, and the {distance} distance needs "
            "numbers. Use distance='gower' for mixed attributes."
        )
    a = np.column_stack([_floats(released, n) for n in numeric] or [np.empty((len(released), 0))])
    b = np.column_stack([_floats(register, n) for n in numeric] or [np.empty((len(register), 0))])
    if distance == "rank":
        a, b = _ranks(a), _ranks(b)
    elif distance == "mahalanobis":
        a, b = _whitened(a, b)
    else:
        a, b = _scaled(a, b, distance)
    if distance == "gower":
        codes = [_codes(released.column(n), register.column(n)) for n in categorical]
        a = np.column_stack([a, *(c[0] for c in codes)]) / len(attributes)
        b = np.column_stack([b, *(c[1] for c in codes)]) / len(attributes)
    return a, b, len(categorical)


def _floats(table: pa.Table, name: str) -> Floats:
    column = pc.cast(table.column(name), pa.float64())
    found: Floats = column.to_numpy().astype(np.float64)
    return np.where(np.isfinite(found), found, np.nan)


def _codes(released: pa.ChunkedArray, register: pa.ChunkedArray) -> tuple[Floats, Floats]:
    sides = [pc.cast(column, pa.string()).to_pylist() for column in (released, register)]
    number_of = {v: float(i) for i, v in enumerate(sorted({*sides[0], *sides[1]} - {None, "*"}))}
    a, b = (np.array([number_of.get(v, np.nan) for v in side], dtype=np.float64) for side in sides)
    return a, b


def _scaled(a: Floats, b: Floats, distance: Distance) -> tuple[Floats, Floats]:
    centre, spread = np.zeros(b.shape[1]), np.ones(b.shape[1])
    for j in range(b.shape[1]):
        known = b[np.isfinite(b[:, j]), j]
        if not len(known):
            continue
        if distance == "robust":
            low, centre[j], high = np.quantile(known, [0.25, 0.5, 0.75])
            # where half the values are equal, the spread of the others still says something
            spread[j] = (high - low) / 1.349 or float(known.std())
        elif distance == "gower":
            other = a[np.isfinite(a[:, j]), j]
            centre[j] = min(known.min(), other.min(initial=np.inf))
            spread[j] = max(known.max(), other.max(initial=-np.inf)) - centre[j]
        else:
            centre[j], spread[j] = float(known.mean()), float(known.std())
    # a constant says nothing, but the release may differ from it; its own unit will do
    spread[spread == 0] = 1.0
    return (a - centre) / spread, (b - centre) / spread


def _ranks(points: Floats) -> Floats:
    """Mid-ranks over the number of records known, between 0 and 1."""
    # imported here, because scipy.stats takes long to import and few runs come here
    from scipy.stats import rankdata

    out = np.full(points.shape, np.nan)
    for j in range(points.shape[1]):
        known = np.isfinite(points[:, j])
        if known.any():
            out[known, j] = (rankdata(points[known, j]) - 0.5) / known.sum()
    return out


def _whitened(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    for name, points in (("released", a), ("register's", b)):
        if not np.isfinite(points).all():
            raise InputError(
                f"The mahalanobis distance needs complete records; some of the {name} are not. "
                "Use another distance, or leave out attributes with missing values."
            )
    centre = b.mean(axis=0)
    covariance = np.atleast_2d(np.cov(b, rowvar=False, bias=True))
    values, vectors = np.linalg.eigh(covariance)
    kept = values > values.max() * 1e-12
    if not kept.any():
        raise InputError("All attributes of the register are constant: nothing can be linked.")
    axes = vectors[:, kept] / np.sqrt(values[kept])
    return (a - centre) @ axes, (b - centre) @ axes
