"""How far every record was moved: masking seen as a permutation and a little noise.

J. Domingo-Ferrer and K. Muralidhar (2016), "New directions in anonymization: permutation paradigm,
verifiability by subjects and intruders, transparency to users", *Information Sciences* 337-338,
11-24. Whatever was done to a variable, its released values can be sorted and replaced by the
original values of the same rank (*reverse mapping*): what is left is a permutation of the original
values, and residual noise. The permutation is what protects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from indistinct.core import (
    Bools,
    Floats,
    InputError,
    Ints,
    Level,
    between,
    check_number,
    did_you_mean,
    progress,
)
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.prove.changes.pairing import Match, pair_keys, pair_records, shared_variables
from indistinct.prove.changes.printing import percent
from indistinct.prove.changes.scales import Scale
from indistinct.prove.changes.spread import Spread, measure_spread
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = [
    "PermutationDistances",
    "Ties",
    "VariablePermutation",
    "permutation_distances",
    "rank_displacement",
    "reverse_mapped",
]


Ties = Literal["interval", "middle"]
"""Where equal values stand: anywhere among their ranks, so that the least displacement counts; or
at the middle of them."""


@dataclass(frozen=True)
class VariablePermutation(Part):
    """How far the values of one ordered variable were moved, as shares of the file's ranks.

    Parameters
    ----------
    displacement
        |rank of the original value − rank of the released value| / n, over all records that have
        both.
    unplaced
        Records with a value that is missing, or has no rank, in one of the files or in both.
    noise
        The residual noise of the reverse mapping: the mean of |y_(k) − x_(k)| over the sorted
        values, 0 where the released values are a permutation of the original ones.
    moved
        The share f of records displaced by at least d.
    variance
        The least variance v, over records, of released values within d ranks of the record's own,
        as a share of the variable's variance.
    """

    name: str
    displacement: Spread
    unplaced: int
    noise: float
    moved: float
    variance: float

    FACTS = facts(
        "displacement",
        Fact("without_rank", "unplaced"),
        Fact("residual_noise", "noise"),
        Fact("f", "moved"),
        Fact("v", "variance"),
    )


@result
class PermutationDistances(Result):
    """The displacement of every record, over the ordered variables, and what changed of the others.

    Parameters
    ----------
    d
        The displacement asked for, as a share of the file's ranks.
    moved
        The share of records that are displaced by at least d in some variable.
    largest, mean
        Over the ordered variables, for every original record; NaN where no value has a rank.
    nominal
        The variables without an order, and the share of records changed in each.
    nominal_changed
        In how many of these each original record is changed.
    """

    records: int
    ties: Ties
    d: float
    moved: float
    variables: tuple[VariablePermutation, ...]
    nominal: dict[str, float]
    largest: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    mean: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    nominal_changed: NDArray[np.int16] = field(default_factory=lambda: np.empty(0, np.int16))

    FACTS = facts(
        "records ties d",
        Fact("f", "moved"),
        Fact("variables", lambda found: {v.name: v for v in found.variables}),
        Fact("nominal_changed", "nominal"),
        Fact("largest", lambda found: _spread_of_known(found.largest)),
        Fact("mean", lambda found: _spread_of_known(found.mean)),
    )

    def _lines(self) -> list[str]:
        lines = [
            f"Permutation distance of {self.records:,} records, per cent of ranks "
            f"(ties: {self.ties})"
        ]
        wide = max((len(v.name) for v in self.variables), default=0)
        for v in self.variables:
            noise = "a permutation" if v.noise == 0 else f"noise {v.noise:.3g}"
            lines.append(
                f"  {v.name:<{wide}}  mean {percent(v.displacement.mean):>7}  median "
                f"{percent(v.displacement.median):>7}  moved by {percent(self.d)} or more: "
                f"{percent(v.moved):>7}  {noise}"
            )
        lines.append(
            f"  moved by {percent(self.d)} or more in some variable: {percent(self.moved)}"
        )
        if self.nominal:
            told = ", ".join(f"{name} {percent(share)}" for name, share in self.nominal.items())
            lines.append(f"  without order, changed: {told}")
        return lines

    def plot(self) -> str:
        """Draw the mean displacement of each variable in per cent of the ranks, as SVG."""
        known = [v for v in self.variables if v.displacement.records]
        return bars(
            "Mean displacement, per cent of the ranks",
            [v.name for v in known],
            [100 * v.displacement.mean for v in known],
        )

    def to_arrow(self) -> pa.Table:
        """Return one row per original record, with its largest and its mean displacement."""
        return pa.table(
            {
                "record": np.arange(len(self.largest)),
                "largest_displacement": self.largest,
                "mean_displacement": self.mean,
                "nominal_changed": self.nominal_changed,
            }
        )

    def _tables(self) -> list[Table]:
        far = f"moved by {percent(self.d)} or more"
        rows: list[tuple[object, ...]] = [
            (v.name, v.displacement.mean, v.displacement.median, v.moved, v.noise)
            for v in self.variables
        ]
        tables = [
            Table(
                "Permutation distance, as shares of the ranks",
                ("variable", "mean", "median", far, "residual noise"),
                rows,
                {"mean": ".2%", "median": ".2%", far: ".2%"},
            )
        ]
        if self.nominal:
            tables.append(
                Table(
                    "Variables without order",
                    ("variable", "changed"),
                    list(self.nominal.items()),
                    {"changed": ".2%"},
                )
            )
        return tables


def permutation_distances(
    engine: Engine,
    original: Source,
    released: Source,
    *,
    variables: Sequence[str] | None = None,
    ties: Ties = "interval",
    d: float = 0.01,
    match: Match | None = None,
    levels: Mapping[str, Level] | None = None,
) -> PermutationDistances:
    """Find how far every record was moved in the order of each variable.

    The value x that n_x placed values of the original file do not exceed, and which a − 1 of them
    are below, stands at the ranks [a, b]; so does the released value y in its own file. With
    ``ties="interval"`` the displacement is the distance of the two intervals, 0 where they meet,
    as a share of the records: the least that any way of breaking ties gives. With
    ``ties="middle"`` it is the distance of their middles. Variables without an order are changed
    or not.

    Parameters
    ----------
    d
        The displacement, as a share of ranks, for the summary in the manner of (d, v, f)-permuted
        privacy: f is the share of records moved by at least d, v the least variance of released
        values within d ranks.

    >>> import indistinct, pyarrow as pa
    >>> before, after = pa.table({"income": [1, 2, 3, 4]}), pa.table({"income": [20, 10, 30, 40]})
    >>> with indistinct.open_data(before) as a, indistinct.open_data(after) as b:
    ...     found = permutation_distances(a.engine, a.source, b.source)
    >>> found.largest.tolist(), found.variables[0].noise
    ([0.25, 0.25, 0.0, 0.0], 22.5)
    """
    if ties not in get_args(Ties):
        raise InputError(
            f"ties must be 'interval' or 'middle'. Got '{ties}'. "
            f"{did_you_mean(ties, get_args(Ties))}"
        )
    check_number("d", d, between(0, 1, "It is a share of the ranks."))
    names = shared_variables(original, released, variables, match=match)
    partner = pair_records(original, released, match=match)
    kept = np.ones(original.records, bool) if partner is None else partner >= 0
    records = int(kept.sum())
    found, nominal = [], {}
    largest = np.full(original.records, -np.inf, dtype=np.float32)
    total = np.zeros(original.records)
    placed = np.zeros(original.records, dtype=np.int16)
    changed = np.zeros(original.records, dtype=np.int16)
    reached = np.zeros(original.records, dtype=bool)
    for name in progress.each(names, "comparing ranks", unit="variables"):
        pairs = pair_keys(engine, original, released, [name], partner=partner, levels=levels)
        scale, (mine, theirs) = pairs.scales[0], pairs.code(0)
        if not scale.ordered:
            flags = mine != theirs
            changed += flags
            nominal[name] = int(flags[kept].sum()) / max(1, records)
            continue
        far = _displacement(scale.place, mine, theirs, kept, ties)
        known = np.isfinite(far)
        reached |= _at_least(far, d)
        np.fmax(largest, far.astype(np.float32), out=largest)
        total[known] += far[known]
        placed += known
        found.append(_summary(scale, mine, theirs, kept, far, d))
    largest[placed == 0] = np.nan
    with np.errstate(invalid="ignore"):
        mean = (total / placed).astype(np.float32)
    moved = int(reached.sum()) / max(1, records)
    return PermutationDistances(
        records, ties, d, moved, tuple(found), nominal, largest, mean, changed
    )


def rank_displacement(
    original: ArrayLike, released: ArrayLike, *, ties: Ties = "interval"
) -> Floats:
    """Return the displacement of each value as a share of ranks; NaN where one is NaN.

    >>> rank_displacement([1, 2, 2, 3], [2, 2, 3, 1]).tolist()
    [0.25, 0.0, 0.25, 0.75]
    >>> rank_displacement([1, 2, 2, 3], [2, 2, 3, 1], ties="middle").tolist()
    [0.375, 0.0, 0.375, 0.75]
    """
    x, y = (np.asarray(side, dtype=np.float64) for side in (original, released))
    places, codes = np.unique(np.concatenate([x, y]), return_inverse=True)
    mine, theirs = codes[: len(x)], codes[len(x) :]
    return _displacement(places, mine, theirs, np.ones(len(x), dtype=bool), ties)


def reverse_mapped(original: ArrayLike, released: ArrayLike) -> Floats:
    """Return the original values in the order of the released ones: the permutation that was made.

    The k-th smallest released value is replaced by the k-th smallest original one. Equal released
    values are told apart by the original ones, so that as little as possible is permuted.

    >>> reverse_mapped([10, 20, 30], [7.2, 3.1, 9.9]).tolist()
    [20.0, 10.0, 30.0]
    """
    x, y = (np.asarray(side, dtype=np.float64) for side in (original, released))
    if x.shape != y.shape or x.ndim != 1 or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("Reverse mapping needs two lists of as many numbers, none missing.")
    found = np.empty(len(x))
    found[np.lexsort((x, y))] = np.sort(x)
    return found


def _displacement(place: Floats, mine: Ints, theirs: Ints, kept: Bools, ties: Ties) -> Floats:
    x, y = (
        _rank_span(place, np.bincount(side[kept], minlength=len(place))) for side in (mine, theirs)
    )
    far = _apart((x[0][mine], x[1][mine]), (y[0][theirs], y[1][theirs]), ties)
    return np.where(kept, far, np.nan)


def _rank_span(place: Floats, counts: Ints) -> tuple[Floats, Floats]:
    """Return the first and the last rank of every code, as shares of the ranks of its file."""
    placed = np.isfinite(place)
    values, at = np.unique(place[placed], return_inverse=True)
    times = np.bincount(at, weights=counts[placed], minlength=len(values))
    reached = np.cumsum(times)
    n = max(1.0, float(times.sum()))
    first, last = np.full(len(place), np.nan), np.full(len(place), np.nan)
    first[placed] = ((reached - times + 1) / n)[at]
    last[placed] = (reached / n)[at]
    return first, last


def _apart(x: tuple[Floats, Floats], y: tuple[Floats, Floats], ties: Ties) -> Floats:
    if ties == "middle":
        return np.abs((x[0] + x[1]) - (y[0] + y[1])) / 2
    return np.maximum(np.maximum(x[0] - y[1], y[0] - x[1]), 0.0)


def _summary(
    scale: Scale, mine: Ints, theirs: Ints, kept: Bools, far: Floats, d: float
) -> VariablePermutation:
    known = np.isfinite(far)
    x, y = (np.sort(scale.place[side[kept]]) for side in (mine, theirs))
    x, y = x[np.isfinite(x)], y[np.isfinite(y)]
    return VariablePermutation(
        scale.name,
        measure_spread(far[known]),
        int((kept & ~known).sum()),
        _noise(x, y),
        int(_at_least(far, d).sum()) / max(1, int(known.sum())),
        _least_variance(y, d),
    )


def _at_least(far: Floats, d: float) -> Bools:
    with np.errstate(invalid="ignore"):
        return far >= d - 1e-12


def _noise(x: Floats, y: Floats) -> float:
    if not len(x) or not len(y):
        return 0.0
    if len(x) == len(y):
        return float(np.abs(x - y).mean())
    # imported here, because scipy.stats takes long to import and few runs come here
    from scipy.stats import wasserstein_distance

    # where values were suppressed, the order statistics are compared at equal shares
    return float(wasserstein_distance(x, y))


def _least_variance(ordered: Floats, d: float) -> float:
    """Return the least variance of sorted values within d of the ranks, over that of all."""
    n = len(ordered)
    overall = float(ordered.var()) if n else 0.0
    if overall == 0:
        return 0.0
    values = np.unique(ordered)
    reach = int(np.floor(d * n + 1e-9))
    low = np.maximum(0, np.searchsorted(ordered, values, "left") - reach)
    high = np.minimum(n, np.searchsorted(ordered, values, "right") + reach)
    # centred first, so that the difference of sums keeps its digits
    centred = ordered - ordered.mean()
    sums = np.concatenate([[0.0], np.cumsum(centred)])
    squares = np.concatenate([[0.0], np.cumsum(centred**2)])
    size = high - low
    mean = (sums[high] - sums[low]) / size
    variance = (squares[high] - squares[low]) / size - mean**2
    return max(0.0, float(variance.min())) / overall


def _spread_of_known(values: Floats) -> Spread:
    return measure_spread(values[np.isfinite(values)].astype(np.float64))
