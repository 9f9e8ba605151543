"""Log-linear models of a key table, fitted by iterative proportional fitting (IPF).

The fitted mean of a cell is the expected number of *sample* records with that key; the means of
the population are these divided by the sampling fraction.

Two things are done beyond the textbook's cycle, and neither changes what it converges to, because
every iterate remains a product of functions of the margins, and IPF reaches the same maximum of
the likelihood from any such product:

- the cycles are extrapolated on the log scale (the squared extrapolation of Varadhan and Roland
  2008), and an extrapolation that lowers the likelihood is thrown away;
- in sparse tables the likelihood may have its maximum only where some cells with no record vanish,
  though no margin of theirs is zero. IPF approaches such zeros no faster than 1/cycles. They are
  told by their fall: the log means of these cells go on falling while all others stand still. The
  difference of two iterates is itself a direction of the model, and shows that the cells can be
  sent to zero together with nothing else changed; they are then set to zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numba import njit

from indistinct.core import Floats, InputError, Ints, SmallInts
from indistinct.keys import KeyTable
from indistinct.results import Fact, Result, facts, result
from indistinct.risk.formula import Model

__all__ = ["DENSE_CELLS", "Fit", "fit"]


DENSE_CELLS = 5_000_000
"""The largest cross-product that is held as an array."""

KEPT_CELLS = 2_000_000
"""The largest cross-product of a main-effects model whose cells are all kept with the fit."""

FIRST_LOOK = 24
"""Cycles between the first two looks for vanishing cells; each look comes after twice as many."""

FALLING, STILL = 0.4, 0.15
"""By how much a log mean falls between looks to be vanishing (1/cycles falls by log 2 = 0.69), and
what all others may change at most for the look to count."""

LOWEST = 1e-300


@result
class Fit(Result):
    """A fitted log-linear model.

    Parameters
    ----------
    model
        The model.
    means
        The fitted mean of every class of the key table, in its order.
    parameters
        Independent parameters of the model, by the categories that occur.
    cells, zero_cells
        Cells of the cross-product of the categories that occur, and those without a record.
    margin_cells, zero_margins
        Cells of the margins, and those without a record.
    structural_zeros
        Cells whose mean is zero because one of their margins is.
    vanishing
        Cells beyond these whose mean is zero where the likelihood is largest.
    cycles, deviation, tolerance, converged
        Cycles of IPF; the largest deviation of a fitted margin, relative to the observed one, that
        remains; the deviation asked for; whether it was reached. Main effects need no cycle.
    dense, dense_counts
        Means and counts of all cells, one axis to a variable with the categories that occur in
        order; None where there are too many cells to hold.
    """

    model: Model
    means: Floats
    parameters: int
    cells: int
    zero_cells: int
    margin_cells: int
    zero_margins: int
    structural_zeros: int
    vanishing: int
    cycles: int
    deviation: float
    tolerance: float
    converged: bool
    dense: Floats | None = None
    dense_counts: Ints | None = None

    FACTS = facts(
        Fact("model", "model.text", shown="model"),
        Fact("parameters", shown="parameters"),
        Fact("cells", shown="cells"),
        Fact("zero_cells", shown="zero cells"),
        Fact("margin_cells", shown="margin cells"),
        Fact("zero_margins", shown="zero margins"),
        Fact("structural_zeros", shown="structural zeros"),
        Fact("vanishing", shown="vanishing"),
        Fact("cycles", shown="cycles"),
        Fact("deviation", shown="deviation", form=".1e"),
        Fact("tolerance", shown="tolerance", form=".1e"),
        Fact("converged", shown="converged"),
    )

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of the model."""
        return self.model.notes

    def sentence(self) -> str:
        """Say which model, and its size."""
        reached = "" if self.converged else ", NOT converged"
        return f"Log-linear model {self.model.text}: {self.parameters:,} parameters{reached}"


def fit(
    table: KeyTable,
    model: Model,
    *,
    tolerance: float = 1e-8,
    cycles: int = 1000,
    accept: bool = False,
) -> Fit:
    """Fit a log-linear model by maximum likelihood.

    Main effects have a closed form, n times the product of the marginal proportions (Skinner and
    Holmes 1998, section 3), whatever the number of cells. All other models are fitted by IPF on
    the cross-product of the categories that occur; a cell under a margin without a record is a
    structural zero (their section 4).

    Parameters
    ----------
    tolerance
        The largest deviation of a fitted margin from the observed one, relative to it.
    cycles
        The most cycles through all margins.
    accept
        Return what was reached after that many cycles, instead of an error.

    >>> from indistinct.risk.formula import parse_model
    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"sex": [1, 1, 1, 2], "job": [1, 1, 2, 2]})
    >>> with indistinct.open_data(people) as data:
    ...     table = data.key_table(["sex", "job"])
    >>> fit(table, parse_model("main", table.names)).means
    array([1.5, 1.5, 0.5])
    >>> fit(table, parse_model("sex*job", table.names)).means.round(9)
    array([2., 1., 1.])
    """
    if not table.classes:
        raise InputError("A log-linear model needs at least one record. The table has none.")
    if tolerance <= 0 or cycles < 1:
        raise InputError(
            f"IPF needs a tolerance above 0 and at least one cycle. Got {tolerance} and {cycles}."
        )
    codes, sizes = observed_categories(table)
    if model.is_main_effects:
        return _main_effects(table, model, codes, sizes, tolerance)
    if prod(sizes) > DENSE_CELLS:
        raise InputError(
            f"The model {model.text} on {len(sizes)} variables has {prod(sizes):,} cells, more "
            f"than the {DENSE_CELLS:,} that are held as an array. Use the sparse fit, or main "
            "effects."
        )
    return _dense(table, model, codes, sizes, tolerance, cycles, accept)


def observed_categories(table: KeyTable) -> tuple[list[Ints], list[int]]:
    """Return the codes of each variable counted over the categories that occur, and their number.

    A category that no record has would be a margin of zero, and all its cells structural zeros.
    """
    codes, sizes = [], []
    for j in range(len(table.names)):
        occurring, code = np.unique(table.codes[:, j], return_inverse=True)
        codes.append(code.astype(np.int64))
        sizes.append(len(occurring))
    return codes, sizes


def _main_effects(
    table: KeyTable, model: Model, codes: list[Ints], sizes: list[int], tolerance: float
) -> Fit:
    n = table.records
    shares = [
        np.bincount(code, weights=table.counts, minlength=size) / n
        for code, size in zip(codes, sizes, strict=True)
    ]
    means = np.full(table.classes, float(n))
    for code, share in zip(codes, shares, strict=True):
        means *= share[code]
    dense = counts = None
    if prod(sizes) <= KEPT_CELLS:
        dense = np.array(float(n))
        for share in shares:
            dense = dense[..., None] * share
        counts = _spread(table, codes, sizes)
    return Fit(
        model=model,
        means=means,
        parameters=model.parameters(sizes),
        cells=prod(sizes),
        zero_cells=prod(sizes) - table.classes,
        margin_cells=model.margin_cells(sizes),
        zero_margins=0,
        structural_zeros=0,
        vanishing=0,
        cycles=0,
        deviation=0.0,
        tolerance=tolerance,
        converged=True,
        dense=dense,
        dense_counts=counts,
    )


def _spread(table: KeyTable, codes: list[Ints], sizes: list[int]) -> Ints:
    counts = np.zeros(sizes, dtype=np.int64)
    counts[tuple(codes)] = table.counts
    return counts


def _dense(
    table: KeyTable,
    model: Model,
    codes: list[Ints],
    sizes: list[int],
    tolerance: float,
    cycles: int,
    accept: bool,
) -> Fit:
    counts = _spread(table, codes, sizes)
    margins = [counts.sum(axis=_others(margin, len(sizes))) for margin in model.margins]
    live = np.ones(sizes, dtype=bool)
    for margin, seen in zip(model.margins, margins, strict=True):
        live &= np.expand_dims(seen > 0, _others(margin, len(sizes)))
    at = np.flatnonzero(live)
    places, starts = np.empty((len(margins), len(at)), dtype=np.int32), [0]
    for j, (margin, seen) in enumerate(zip(model.margins, margins, strict=True)):
        numbers = np.arange(starts[-1], starts[-1] + seen.size, dtype=np.int32).reshape(seen.shape)
        spread = np.broadcast_to(np.expand_dims(numbers, _others(margin, len(sizes))), sizes)
        places[j] = spread[live]
        starts.append(starts[-1] + seen.size)
    target = np.concatenate([seen.ravel() for seen in margins]).astype(np.float64)
    found = proportional_fit(
        counts.ravel()[at],
        places,
        np.array(starts),
        target,
        tolerance=tolerance,
        cycles=cycles,
    )
    if found.deviation > tolerance and not accept:
        raise InputError(
            f"IPF of the model {model.text} did not converge: after {found.cycles} cycles a fitted "
            f"margin still deviates by {found.deviation:.1e} of the observed one (asked for: "
            f"{tolerance:.0e}). Allow more cycles, a larger tolerance or fewer interactions."
        )
    dense = np.zeros(counts.size)
    dense[at] = found.means
    dense = dense.reshape(sizes)
    return Fit(
        model=model,
        means=dense[tuple(codes)],
        parameters=model.parameters(sizes),
        cells=counts.size,
        zero_cells=counts.size - table.classes,
        margin_cells=len(target),
        zero_margins=int((target == 0).sum()),
        structural_zeros=counts.size - len(at),
        vanishing=found.vanishing,
        cycles=found.cycles,
        deviation=found.deviation,
        tolerance=tolerance,
        converged=found.deviation <= tolerance,
        dense=dense,
        dense_counts=counts,
    )


def _others(margin: Sequence[int], variables: int) -> tuple[int, ...]:
    return tuple(axis for axis in range(variables) if axis not in margin)


@dataclass(frozen=True, eq=False)
class Proportional:
    """What IPF reached: means of the cells given, cycles, remaining deviation, vanished cells."""

    means: Floats
    cycles: int
    deviation: float
    vanishing: int


def proportional_fit(
    counts: Ints,
    places: SmallInts,
    starts: Ints,
    target: Floats,
    *,
    tolerance: float,
    cycles: int,
) -> Proportional:
    """Scale cells to their margins until all margins fit.

    Parameters
    ----------
    counts
        Records in each cell.
    places
        Place of every cell (columns) in `target`, by margin (rows).
    starts
        Where each margin starts in `target`, and its end.
    target
        Observed margins, above zero wherever a cell lies under them.
    """
    means = np.ones(len(counts))
    seen = counts > 0
    records = counts[seen].astype(np.float64)
    vanishing, longest = 0, 1.0
    old = np.zeros(len(counts))
    last_look, interval, used = old, FIRST_LOOK, 0
    next_look = FIRST_LOOK
    while used < cycles:
        _cycle(means, places, starts, target)
        first = np.log(np.maximum(means, LOWEST))
        moved = _cycle(means, places, starts, target)
        second = np.log(np.maximum(means, LOWEST))
        used += 2
        # what the cycle had to correct is about what remains; the exact deviation costs a pass
        if moved <= tolerance and _deviation(means, places, starts, target) <= tolerance:
            break
        if used >= next_look:
            fall = last_look - second
            gone = (fall > FALLING) & ~seen & (means > 0)
            if gone.any() and used > FIRST_LOOK and np.abs(fall[~gone & (means > 0)]).max() < STILL:
                means[gone] = 0.0
                second = np.log(np.maximum(means, LOWEST))
                vanishing += int(gone.sum())
                old, last_look, interval = second, second, FIRST_LOOK
                next_look = used + FIRST_LOOK
                continue
            last_look, next_look, interval = second, used + interval, interval * 2
        step, bend = first - old, second - 2 * first + old
        length = np.sqrt(_sum(step * step) / max(_sum(bend * bend), LOWEST))
        length = min(max(float(length), 1.0), longest)
        longest = 4 * longest if length == longest else longest
        if length == 1.0:
            old = second
            continue
        further = np.where(means > 0, old + 2 * length * step + length**2 * bend, -np.inf)
        trial = np.exp(np.minimum(further, 700.0))
        _cycle(trial, places, starts, target)
        used += 1
        reached = np.log(np.maximum(trial, LOWEST))
        gain = _sum(records * (reached[seen] - second[seen])) - (_sum(trial) - _sum(means))
        if gain >= 0.0:
            means, old = trial, reached
        else:
            old, longest = second, max(1.0, longest / 4)
    return Proportional(means, used, _deviation(means, places, starts, target), vanishing)


def _sum(values: Floats) -> float:
    # not a dot product: that wakes threads, whose time exceeds that of the sum
    return float(values.sum())


@njit(cache=True, nogil=True)
def _cycle(means, places, starts, target):  # type: ignore[no-untyped-def]
    """Scale the cells to every margin in turn; return the largest correction made."""
    margins, cells = places.shape
    fitted = np.zeros(len(target))
    worst = 0.0
    for c in range(cells):
        fitted[places[0, c]] += means[c]
    for j in range(margins):
        for i in range(starts[j], starts[j + 1]):
            if fitted[i] > 0.0:
                fitted[i] = target[i] / fitted[i]
                worst = max(worst, abs(fitted[i] - 1.0))
        if j + 1 < margins:
            for c in range(cells):
                means[c] *= fitted[places[j, c]]
                fitted[places[j + 1, c]] += means[c]
        else:
            for c in range(cells):
                means[c] *= fitted[places[j, c]]
    return worst


@njit(cache=True, nogil=True)
def _deviation(means, places, starts, target):  # type: ignore[no-untyped-def]
    """Return the largest deviation of a fitted margin, relative to the observed one."""
    margins, cells = places.shape
    worst = 0.0
    for j in range(margins):
        fitted = np.zeros(len(target))
        for c in range(cells):
            fitted[places[j, c]] += means[c]
        for i in range(starts[j], starts[j + 1]):
            if target[i] > 0.0:
                worst = max(worst, abs(fitted[i] / target[i] - 1.0))
    return worst
