"""Fitting log-linear models whose cross-product is too large to hold.

Twelve key variables have 10¹² to 10¹⁸ cells; a million records occupy fewer than a million of
them. IPF needs sums of fitted means over all cells, not the cells themselves, and gets them in one
of two ways:

- *enumerated*: where the cells that lie under no zero margin can be listed, the sums are exact and
  the answer is that of the dense fit;
- *drawn*: otherwise over the observed classes and cells drawn from a tree of the strongest
  associations, weighted so that every sum is unbiased (see `indistinct.risk.support`). Observed
  classes are all there, so no margin with a record is without support.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal

import numpy as np

from indistinct.core import Floats, InputError, Ints, Seed, check_whole
from indistinct.keys import KeyTable
from indistinct.results import Fact, facts, result
from indistinct.risk.formula import Model, parse_model
from indistinct.risk.loglinear import DENSE_CELLS, Fit, fit, proportional_fit
from indistinct.risk.support import Support, cycle, drawn_cells, live_cells, margin_table

__all__ = ["ENUMERATED_CELLS", "Factors", "SparseFit", "fit_model", "fit_sparse"]


ENUMERATED_CELLS = 3_000_000
"""The most cells that are listed; with more of them the sums are estimated."""

DRAWN_TOLERANCE = 2e-3
"""Drawn cells carry an error of their own, below which more cycles are of no use."""


@result
class SparseFit(Fit):
    """A fitted log-linear model, with what its sums were taken over.

    Parameters
    ----------
    how
        "enumerated" (exact) or "drawn" (estimated).
    support_cells
        Cells that the sums were taken over.
    effective_draws
        Draws that, were each of the same importance, would estimate as well: (Σ wμ)² / Σ (wμ)²
        over the cells without a record.
    monte_carlo_error
        Standard error of log μ̂ from the drawing, the median over the classes: half the difference
        of the fits on two halves of the draws.
    """

    how: Literal["enumerated", "drawn"] = "enumerated"
    support_cells: int = 0
    effective_draws: float = float("nan")
    monte_carlo_error: float = 0.0

    FACTS = facts(
        *Fit.FACTS,
        Fact("how", shown="how"),
        Fact("support_cells", shown="support cells"),
        Fact(
            "effective_draws",
            lambda found: found.effective_draws if found.how == "drawn" else None,
            shown="effective draws",
            form=",.0f",
        ),
        Fact("monte_carlo_error", shown="monte carlo error", form=".1%"),
    )


@dataclass(eq=False)
class Factors:
    """A model on a support: the means of its cells, and the factors of its margins."""

    support: Support
    margins: list[tuple[int, ...]]
    means: Floats
    target: Floats = field(init=False)
    factors: Floats = field(init=False)
    starts: Ints = field(init=False)
    kappa: Floats = field(init=False)

    def __post_init__(self) -> None:
        sizes, seen = self.support.sizes, self.support.counts > 0
        codes, counts = self.support.codes[:, seen], self.support.counts[seen]
        tables = [margin_table(codes, sizes, margin, counts) for margin in self.margins]
        self.starts = np.cumsum([0, *(len(table) for table in tables)]).astype(np.int64)
        self.target = np.concatenate(tables)
        self.factors = np.ones(len(self.target))
        self.kappa = np.zeros(len(self.margins))
        self._variables, self._strides = _layout(self.margins, sizes)

    def cycle(self) -> tuple[float, float]:
        """Go once through all margins; return the largest correction (see `cycle`)."""
        worst, share = cycle(
            self.support.codes,
            self.support.weights,
            self.means,
            self._variables,
            self._strides,
            self.starts,
            self.target,
            self.kappa,
            self.factors,
        )
        return float(worst), float(share)

    def fitted(self, j: int) -> Floats:
        """Return the fitted margin j."""
        place = self.support.places(self.margins[j])
        cells = int(self.starts[j + 1] - self.starts[j])
        mass = self.means * self.support.weights
        return np.bincount(place, weights=mass, minlength=cells).astype(np.float64)


def fit_model(table: KeyTable, model: Model | str, *, seed: Seed = 0) -> Fit:
    """Fit a log-linear model on its cross-product where that can be held, and sparsely otherwise.

    >>> import indistinct, pyarrow as pa
    >>> with indistinct.open_data(pa.table({"sex": [1, 1, 2], "job": [1, 2, 2]})) as data:
    ...     table = data.key_table(["sex", "job"])
    >>> fit_model(table, "sex*job").means.round(9)
    array([1., 1., 1.])
    """
    chosen = parse_model(model, table.names) if isinstance(model, str) else model
    cells = prod(len(np.unique(table.codes[:, j])) for j in range(len(table.names)))
    if cells <= DENSE_CELLS or chosen.is_main_effects:
        return fit(table, chosen)
    return fit_sparse(table, chosen, seed=seed)


def fit_sparse(
    table: KeyTable,
    model: Model,
    *,
    draws: int = 1_000_000,
    seed: Seed = 0,
    tolerance: float = 1e-8,
    cycles: int = 1000,
    limit: int = ENUMERATED_CELLS,
) -> Fit:
    """Fit a log-linear model without its cross-product.

    Parameters
    ----------
    draws, seed
        Cells to draw where they cannot be listed, and the seed.
    tolerance
        The largest deviation of a fitted margin, relative to the observed one; at least 0.002
        where cells are drawn.
    cycles
        The most cycles through all margins.
    limit
        The most cells to list.

    >>> from indistinct.risk.formula import parse_model
    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"sex": [1, 1, 1, 2], "job": [1, 1, 2, 2], "town": [1, 2, 1, 2]})
    >>> with indistinct.open_data(people) as data:
    ...     table = data.key_table(["sex", "job", "town"])
    >>> fit_sparse(table, parse_model("sex*job + town", table.names)).means.round(9)
    array([1. , 1. , 0.5, 0.5])
    """
    check_whole("draws", draws, 1_000)
    if any(len(margin) > 3 for margin in model.margins):
        raise InputError(
            f"The sparse fit holds interactions of at most three variables. Got {model.text}."
        )
    if model.is_main_effects:
        return fit(table, model, tolerance=tolerance, cycles=cycles)
    support = live_cells(table, model.margins, limit=limit)
    if support is not None:
        return _enumerated(table, model, support, tolerance, cycles)
    return _drawn(table, model, draws, seed, max(tolerance, DRAWN_TOLERANCE), cycles)


def _enumerated(
    table: KeyTable, model: Model, support: Support, tolerance: float, cycles: int
) -> SparseFit:
    parts = Factors(support, list(model.margins), np.ones(support.cells))
    places = np.stack(
        [
            support.places(margin) + start
            for margin, start in zip(model.margins, parts.starts[:-1], strict=True)
        ]
    ).astype(np.int32)
    found = proportional_fit(
        support.counts.astype(np.int64),
        places,
        parts.starts,
        parts.target,
        tolerance=tolerance,
        cycles=cycles,
    )
    if found.deviation > tolerance:
        raise _unconverged(model, found.cycles, found.deviation, tolerance)
    facts = _facts(table, model, support.sizes, parts.target, support)
    return SparseFit(
        model=model,
        means=found.means[: table.classes],
        vanishing=found.vanishing,
        cycles=found.cycles,
        deviation=found.deviation,
        tolerance=tolerance,
        converged=True,
        how="enumerated",
        support_cells=support.cells,
        **facts,
    )


def _drawn(
    table: KeyTable, model: Model, draws: int, seed: int, tolerance: float, cycles: int
) -> SparseFit:
    halves = np.random.SeedSequence(seed).spawn(2)
    support = drawn_cells(table, draws=draws, rng=np.random.default_rng(halves[0]))
    parts = Factors(support, list(model.margins), _start(support, model))
    used, deviation = _run(parts, tolerance, cycles)
    if deviation > tolerance:
        raise _unconverged(model, used, deviation, tolerance)
    means = parts.means[: table.classes]
    mass = (parts.means * support.weights)[table.classes :]
    effective = float(mass.sum() ** 2 / max(float((mass**2).sum()), 1e-300))
    target = parts.target
    facts = _facts(table, model, support.sizes, target, None)
    held = support.cells
    logs = []
    rng = np.random.default_rng(halves[1])
    half = np.concatenate([np.zeros(table.classes), rng.integers(1, 3, held - table.classes)])
    for side in (1, 2):
        # a half of the drawn cells, each standing for twice as many
        keep = (half == 0) | (half == side)
        weights = np.where(half[keep] == 0, 1.0, 2.0) * support.weights[keep]
        codes = np.ascontiguousarray(support.codes[:, keep])
        part = Support(codes, support.sizes, support.counts[keep], weights, False, draws // 2)
        again = Factors(part, list(model.margins), parts.means[keep].copy())
        _run(again, tolerance, HALF_CYCLES)
        logs.append(np.log(np.maximum(again.means[: table.classes], 1e-300)))
    return SparseFit(
        model=model,
        means=means,
        vanishing=0,
        cycles=used,
        deviation=deviation,
        tolerance=tolerance,
        converged=True,
        how="drawn",
        support_cells=held,
        effective_draws=effective,
        monte_carlo_error=float(np.median(np.abs(logs[0] - logs[1]))) / 2 / MEDIAN_OF_NORMAL,
        **facts,
    )


HALF_CYCLES = 8
"""Cycles of the fits on half the draws, which start at the fit on all."""

MEDIAN_OF_NORMAL = 0.6745
"""The median of |z| for a standard normal z."""


def _run(parts: Factors, tolerance: float, cycles: int) -> tuple[int, float]:
    """Cycle until no margin has a larger share of the records out of place than the tolerance."""
    share = np.inf
    for used in range(1, cycles + 1):
        _, share = parts.cycle()
        if share <= tolerance:
            return used, share
    return cycles, share


def _start(support: Support, model: Model) -> Floats:
    """Return means of independence, zero under a zero margin."""
    n = support.counts.sum()
    means = np.full(support.cells, float(n))
    seen = support.counts > 0
    codes, counts = support.codes[:, seen], support.counts[seen]
    for j in range(len(support.sizes)):
        share = margin_table(codes, support.sizes, (j,), counts) / n
        means *= share[support.codes[j]]
    for margin in model.margins:
        alive = margin_table(codes, support.sizes, margin, counts) > 0
        means[~alive[support.places(margin)]] = 0.0
    return means


def _facts(
    table: KeyTable, model: Model, sizes: Sequence[int], target: Floats, support: Support | None
) -> dict[str, Any]:
    cells = prod(sizes)
    return {
        "parameters": model.parameters(sizes),
        "cells": cells,
        "zero_cells": cells - table.classes,
        "margin_cells": len(target),
        "zero_margins": int((target == 0).sum()),
        "structural_zeros": cells - support.cells if support is not None else 0,
    }


def _layout(margins: Sequence[Sequence[int]], sizes: Sequence[int]) -> tuple[Ints, Ints]:
    """Return up to three variables of every margin and their strides, padded by stride 0."""
    variables = np.zeros((len(margins), 3), dtype=np.int64)
    strides = np.zeros((len(margins), 3), dtype=np.int64)
    for j, margin in enumerate(margins):
        steps = [prod(sizes[at] for at in margin[i + 1 :]) for i in range(len(margin))]
        variables[j, : len(margin)] = margin
        strides[j, : len(margin)] = steps
    return variables, strides


def _unconverged(model: Model, cycles: int, deviation: float, tolerance: float) -> InputError:
    return InputError(
        f"IPF of the model {model.text} did not converge: after {cycles} cycles a fitted margin "
        f"still deviates by {deviation:.1e} of the observed one (asked for: {tolerance:.0e}). "
        "Allow more cycles, a larger tolerance or fewer interactions."
    )
