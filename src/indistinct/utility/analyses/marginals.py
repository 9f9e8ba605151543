"""Every variable by itself: counts, means, quantiles, in the original and the released file."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from indistinct.core import Floats, InputError, SmallInts, did_you_mean
from indistinct.keys import Coded, CodedColumn, Side
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.results.figures import bars, marginal
from indistinct.utility.analyses.binning import as_factor, percentile_bins
from indistinct.utility.analyses.cells import hellinger, joint_cells, total_variation
from indistinct.utility.analyses.printing import by_side, plain, share

__all__ = [
    "QUANTILES",
    "Marginal",
    "Marginals",
    "Moments",
    "bin_names",
    "compare_marginals",
    "roundest",
]


# What bins of numbers are called: by their bounds, the outermost open.


def bin_names(column: CodedColumn, table: SmallInts, bins: int) -> list[Any]:
    """Return a name for each bin, then the values that are no numbers, None for the missing one.

    A bound is the roundest number that parts the values of both files into the same bins; so it is
    seldom anybody's value. The first and the last bin are open, and do not tell the smallest and
    the largest value.

    Parameters
    ----------
    table
        The bin of every code, as `percentile_bins` gives it; codes that are no numbers follow.

    >>> import pyarrow as pa
    >>> codes, ages = np.arange(6, dtype=np.int32), pa.array([17, 19, 30, 41, 68, 93])
    >>> age = CodedColumn("age", "numeric", ages, False, codes, codes, ages.to_numpy() * 1.0)
    >>> bin_names(age, np.array([0, 0, 1, 1, 2, 2], dtype=np.int32), 3)
    ['below 30', '30–49', '50 and more']
    """
    numbers = column.scores()
    real = np.flatnonzero(~np.isnan(numbers))
    places, values = table[real], numbers[real]
    order = np.argsort(values, kind="stable")
    places, values = places[order], values[order]
    starts = np.searchsorted(places, np.arange(1, bins))
    labels = column.labels()
    if column.level == "date":
        names = _dates([labels[real[order[i]]] for i in starts])
    else:
        whole = bool((values == np.floor(values)).all())
        names = _numbers([roundest(float(values[i - 1]), float(values[i])) for i in starts], whole)
    special = np.flatnonzero(np.isnan(numbers))
    return [*names, *(labels[i] for i in special)]


def roundest(below: float, at: float) -> float:
    """Return the number above the one and not above the other that has the fewest digits.

    >>> roundest(19, 20), roundest(41, 68), roundest(1234.1, 1234.7), roundest(-12, -3)
    (20.0, 50.0, 1234.5, -10.0)
    """
    most = max(abs(below), abs(at))
    exponent = math.floor(math.log10(most)) if most else 0
    for power in range(exponent + 1, exponent - 16, -1):
        for part in (1.0, 0.5):
            step = part * 10.0**power
            found = float(f"{math.floor(at / step) * step:.15g}")
            if below < found <= at:
                return found
    return at


def _numbers(bounds: list[float], whole: bool) -> list[str]:
    if not bounds:
        return ["any number"]
    names = [f"below {_written(bounds[0])}"]
    for low, high in itertools.pairwise(bounds):
        if not whole:
            names.append(f"{_written(low)} to below {_written(high)}")
        elif high - low == 1:
            names.append(_written(low))
        else:
            names.append(f"{_written(low)}–{_written(high - 1)}")
    return [*names, f"{_written(bounds[-1])} and more"]


def _dates(bounds: list[Any]) -> list[str]:
    if not bounds:
        return ["any date"]
    between = [f"{low} to before {high}" for low, high in itertools.pairwise(bounds)]
    return [f"before {bounds[0]}", *between, f"{bounds[-1]} and later"]


def _written(value: float) -> str:
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}" if abs(value) >= 10_000 else f"{int(value)}"
    return f"{value:,.15g}"


QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

_LISTED = 200
"""Values whose counts `to_dict` lists; variables with more give their commonest."""


@dataclass(frozen=True)
class Moments(Part):
    """Mean, standard deviation and quantiles of the numbers of one file.

    `left_out` counts the records that have none.
    """

    mean: float
    sd: float
    quantiles: tuple[float, ...]
    left_out: int

    FACTS = facts(
        "mean sd",
        Fact(
            "*",
            lambda found: {
                f"q{round(100 * q)}": v for q, v in zip(QUANTILES, found.quantiles, strict=True)
            },
            spread=True,
        ),
        "left_out",
    )


@dataclass(frozen=True, eq=False)
class Marginal:
    """One variable in both files.

    Parameters
    ----------
    same
        Whether every value has the same number of records in both.
    total_variation, hellinger
        Between the shares; numbers with many values in bins of the original's quantiles.
    bins
        The number of such bins, or 0.
    largest, at
        The largest difference of a share, and of which value; None for the missing value, and a
        bin's name for bins.
    labels
        The values, None for the missing one. Bins are named by their bounds, the first and the
        last open ("below 20", "20–24", "60 and more"), which tells no smallest or largest value.
    p, q
        Their shares in the original and the released file.
    ks
        The Kolmogorov-Smirnov distance of numbers, over their values and not the bins.
    original, released
        Moments of numbers.
    """

    name: str
    same: bool
    total_variation: float
    hellinger: float
    bins: int
    largest: float
    at: Any
    labels: tuple[Any, ...] = field(repr=False)
    p: Floats = field(repr=False)
    q: Floats = field(repr=False)
    ks: float | None = None
    original: Moments | None = None
    released: Moments | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return original, released and difference."""
        commonest = np.argsort(-np.maximum(self.p, self.q), kind="stable")[:_LISTED]
        sides: dict[str, Any] = {}
        for side, shares, moments in (
            ("original", self.p, self.original),
            ("released", self.q, self.released),
        ):
            sides[side] = {"shares": plain({self.labels[i]: shares[i] for i in commonest})}
            if moments is not None:
                sides[side] |= moments.to_dict()
        difference: dict[str, Any] = {
            "same": self.same,
            "total_variation": self.total_variation,
            "hellinger": self.hellinger,
            "largest": self.largest,
            "at": plain(self.at),
        }
        if self.original is not None and self.released is not None:
            difference |= {
                "ks": self.ks,
                "mean": plain(self.released.mean - self.original.mean),
                "sd": plain(self.released.sd - self.original.sd),
            }
        return sides | {"difference": difference, "bins": self.bins}


@result
class Marginals(Result):
    """All variables, one by one."""

    variables: tuple[Marginal, ...]
    weighted: bool = False

    FACTS = facts(
        Fact(
            "*",
            lambda found: by_side({one.name: one.to_dict() for one in found.variables}),
            spread=True,
        ),
        "mean",
        Fact("worst", "worst.name"),
        "same weighted",
    )

    def __getitem__(self, name: str) -> Marginal:
        """Return one variable by its name."""
        for found in self.variables:
            if found.name == name:
                return found
        names = [found.name for found in self.variables]
        raise InputError(f"There is no marginal of '{name}'. {did_you_mean(name, names)}")

    @property
    def same(self) -> bool:
        """Whether all variables have exactly the same counts in both files."""
        return all(found.same for found in self.variables)

    @property
    def worst(self) -> Marginal:
        """The variable whose shares differ most."""
        return max(self.variables, key=lambda found: found.total_variation)

    @property
    def mean(self) -> float:
        """The mean total variation distance."""
        return float(np.mean([found.total_variation for found in self.variables]))

    def plot(self, name: str | None = None) -> str:
        """Draw the shares of a variable in both files, the worst by default; return the SVG."""
        found = self.worst if name is None else self[name]
        return marginal(
            f"{found.name}: per cent of the records",
            ["missing" if label is None else str(label) for label in found.labels],
            found.p.tolist(),
            found.q.tolist(),
            most=25,
            width=640,
        )

    def _lines(self) -> list[str]:
        lines = [
            f"Marginals of {len(self.variables)} variables"
            + (", weighted" if self.weighted else "")
            + (": exactly the same" if self.same else f": mean distance {share(self.mean)}")
        ]
        ordered = sorted(self.variables, key=lambda found: -found.total_variation)
        for found in ordered[:10]:
            line = f"  {found.name:<20} TV {share(found.total_variation):>8}"
            line += f"  Hellinger {found.hellinger:.4f}"
            if found.original is not None and found.released is not None:
                line += f"  mean {found.original.mean:,.4g} / {found.released.mean:,.4g}"
                line += f"  KS {found.ks:.4f}"
            lines.append(line)
        if len(ordered) > 10:
            lines.append(f"  and {len(ordered) - 10} that differ less")
        return lines

    def _tables(self) -> list[Table]:
        ordered = sorted(self.variables, key=lambda found: -found.total_variation)
        return [
            Table(
                "Distance of the shares of each variable, the largest first",
                (
                    "variable",
                    "total variation",
                    "Hellinger",
                    "mean, original",
                    "mean, released",
                    "KS",
                ),
                [
                    (
                        found.name,
                        found.total_variation,
                        found.hellinger,
                        found.original.mean if found.original else None,
                        found.released.mean if found.released else None,
                        found.ks,
                    )
                    for found in ordered
                ],
                {"total variation": ".4f", "Hellinger": ".4f", "KS": ".4f"},
            )
        ]

    def _figures(self) -> list[str]:
        # shares of single categories are for those who ask for `plot`
        ordered = sorted(self.variables, key=lambda found: -found.total_variation)[:25]
        return [
            bars(
                "Distance of each variable from the original: total variation, per cent",
                [found.name for found in ordered],
                [100 * found.total_variation for found in ordered],
            )
        ]


def compare_marginals(
    coded: Coded, *, variables: Sequence[str] | None = None, bins: int = 20
) -> Marginals:
    """Compare every variable by itself.

    Total variation ½ Σ |p − q|, Hellinger √(1 − Σ √(pq)) and the largest |p − q| over values; for
    numbers also mean, standard deviation (n − 1), quantiles (the smallest value with at least
    that share of the records at or below it) and max |F − G|. Weights count instead of records
    where the files were read with them.
    """
    found = tuple(_marginal(coded, column, bins) for column in coded.chosen(variables))
    return Marginals(found, coded.weights_original is not None)


def _marginal(coded: Coded, column: CodedColumn, bins: int) -> Marginal:
    factor = as_factor(column, bins=bins)
    cells = joint_cells([factor], weights=both_weights(coded))
    p, q = cells.p, cells.q
    labels: list[Any] = column.labels()
    if factor.bins:
        labels = bin_names(column, percentile_bins(column, bins=bins)[0], factor.bins)
    labels = [labels[i] for i in cells.positions]
    gaps = np.abs(p - q)
    most = int(np.argmax(gaps)) if len(gaps) else 0
    counts = [column.counts(side, coded.weights(side)) for side in _SIDES]
    numeric = column.is_numeric
    return Marginal(
        column.name,
        bool(np.array_equal(counts[0], counts[1])),
        total_variation(p, q),
        hellinger(p, q),
        factor.bins,
        float(gaps[most]) if len(gaps) else 0.0,
        labels[most] if len(gaps) else None,
        tuple(labels),
        p,
        q,
        _ks(column, counts) if numeric else None,
        _moments(coded, column, "original", counts[0]) if numeric else None,
        _moments(coded, column, "released", counts[1]) if numeric else None,
    )


_SIDES: tuple[Side, Side] = ("original", "released")


def both_weights(coded: Coded) -> tuple[Floats, Floats] | None:
    """Return the weights of both files, where there are any."""
    if coded.weights_original is None or coded.weights_released is None:
        return None
    return coded.weights_original, coded.weights_released


def _moments(coded: Coded, column: CodedColumn, side: Side, counts: Floats) -> Moments:
    numbers = column.scores()
    real = ~np.isnan(numbers)
    x, w = numbers[real], counts[real]
    total = float(w.sum())
    plain_counts = column.counts(side)
    left_out = int(plain_counts[~real].sum())
    if total == 0:
        return Moments(np.nan, np.nan, (np.nan,) * len(QUANTILES), left_out)
    mean = float(x @ w / total)
    present = float(plain_counts[real].sum())
    spread = float((x - mean) ** 2 @ w / total)
    # the n - 1 of the records, also where weights count
    sd = float(np.sqrt(spread * present / (present - 1))) if present > 1 else np.nan
    reached = np.cumsum(w)
    at = [
        min(int(np.searchsorted(reached, q * total * (1 - 1e-12))), len(x) - 1) for q in QUANTILES
    ]
    return Moments(mean, sd, tuple(float(x[i]) for i in at), left_out)


def _ks(column: CodedColumn, counts: Sequence[Floats]) -> float:
    real = ~np.isnan(column.scores())
    reached = [np.cumsum(w[real]) / max(float(w[real].sum()), 1e-300) for w in counts]
    return float(np.abs(reached[0] - reached[1]).max(initial=0.0))
