"""Log-linear models whose interactions are shrunk by as much as the data say.

Maximum likelihood follows every margin to the letter: a sample unique that is also alone in a
two-way margin gets a mean near 1, and so, at a sampling fraction of 1 %, a hundred expected
doubles; its risk vanishes. Here an interaction is a factor θ of every cell of its margin, drawn
from a gamma distribution of mean 1 and shape κ. The margin's count is then negative binomial,
which gives κ by maximum likelihood, and the factor is estimated by

    θ̂ = (n + κ) / (e + κ),

where n is the observed margin and e the margin fitted without the factor: large margins are
followed, small ones drawn towards what the rest of the model expects. An interaction that the data
do not show gets an infinite κ and leaves the model. Each update maximises the likelihood times
the gamma densities of log θ, which is concave in the logarithms of the factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod

import numpy as np
from scipy import optimize, special

from indistinct.core import Floats, Ints
from indistinct.keys import KeyTable
from indistinct.risk.formula import Model, model_of
from indistinct.risk.sparse import Factors, SparseFit
from indistinct.risk.support import Support, all_cells, drawn_cells

__all__ = ["FULL_CELLS", "ShrunkenModel", "dispersion_shape", "full_support"]


FULL_CELLS = 5_000_000
"""The largest cross-product whose cells are all taken; beyond, cells are drawn."""

NO_INTERACTION = 1e5
"""A shape beyond which factors stay at one."""

WORTH = 1.92
"""Log-likelihood that an interaction must gain: half the 95 % point of chi-square with one degree
of freedom."""

SHARE_OUT_OF_PLACE = 1e-3
"""Records that the last cycle moved, as a share of all: where the cycles end."""


def full_support(table: KeyTable, *, draws: int, seed: int) -> Support:
    """Return all cells where they can be held, and weighted drawn ones otherwise."""
    sizes = [len(np.unique(table.codes[:, j])) for j in range(len(table.names))]
    if prod(sizes) <= FULL_CELLS:
        return all_cells(table)
    # shrunk interactions give cells under a zero margin a mean above zero
    return drawn_cells(table, draws=draws, rng=np.random.default_rng(seed), mixed=0.1)


def dispersion_shape(observed: Floats, expected: Floats) -> tuple[float, float]:
    """Return the shape κ of negative binomial counts, and the log-likelihood gained over Poisson.

    >>> rng = np.random.default_rng(1)
    >>> expected = np.full(20_000, 5.0)
    >>> counts = rng.poisson(expected * rng.gamma(2.0, 0.5, 20_000)).astype(float)
    >>> round(dispersion_shape(counts, expected)[0], 1)
    2.0
    """
    live = expected > 0
    n, e = observed[live], expected[live]

    def gain(shape: float) -> float:
        return float(
            (special.gammaln(n + shape) - special.gammaln(shape) - n * np.log(e + shape)).sum()
            - (shape * np.log1p(e / shape)).sum()
            + e.sum()
        )

    found = optimize.minimize_scalar(
        lambda log_shape: -gain(float(np.exp(log_shape))),
        bounds=(-7.0, np.log(NO_INTERACTION)),
        method="bounded",
        options={"xatol": 1e-3},
    )
    gained = -float(found.fun)
    return (float(np.exp(found.x)), gained) if gained > WORTH else (inf, max(gained, 0.0))


class ShrunkenModel:
    """Main effects by maximum likelihood, and interactions that are added and shrunk.

    With `shrink=False` interactions are fitted by maximum likelihood too.
    """

    def __init__(self, table: KeyTable, support: Support, *, shrink: bool = True) -> None:
        self.table, self.support, self.shrink = table, support, shrink
        self.interactions: list[tuple[int, ...]] = []
        self.shapes: dict[tuple[int, ...], float] = {}
        self.cycles, self.share = 0, 0.0
        n = table.records
        means = np.full(support.cells, float(n))
        self._single: list[tuple[int, ...]] = [(j,) for j in range(len(support.sizes))]
        parts = Factors(support, self._single, means)
        for j in range(len(support.sizes)):
            table_j = parts.target[parts.starts[j] : parts.starts[j + 1]] / n
            means *= table_j[support.codes[j]]
        self.parts = parts
        if not support.exact:
            self.refit(10)

    @property
    def means(self) -> Floats:
        """The fitted mean of every cell of the support."""
        return self.parts.means

    def model(self) -> Model:
        """The model as its margins."""
        return model_of([*self._single, *self.interactions], self.table.names)

    def tried(self, margin: tuple[int, ...]) -> tuple[Floats, float] | None:
        """Return the means with one more interaction, before the others adjust, and its gain.

        None where the data do not show the interaction.
        """
        observed, fitted, place = self._margin(margin)
        shape, gain = dispersion_shape(observed, fitted)
        if not np.isfinite(shape):
            return None
        shape = shape if self.shrink else 0.0
        ratio = (observed + shape) / np.maximum(fitted + shape, 1e-300)
        return self.means * ratio[place], gain

    def gain(self, margin: tuple[int, ...]) -> float:
        """Return the log-likelihood gained by a dispersed margin; 0 where it is not worth it."""
        observed, fitted, _ = self._margin(margin)
        shape, gained = dispersion_shape(observed, fitted)
        return gained if np.isfinite(shape) else 0.0

    def add(self, margins: Sequence[tuple[int, ...]], *, cycles: int = 25) -> None:
        """Add interactions and fit all margins anew, from where they stand."""
        self.interactions += margins
        old = self.parts
        self.parts = Factors(self.support, [*self._single, *self.interactions], old.means)
        self.parts.factors[: len(old.factors)] = old.factors
        self.refit(cycles)

    def refit(self, cycles: int, *, tolerance: float = SHARE_OUT_OF_PLACE) -> None:
        """Cycle through all margins; the shapes are estimated anew in the first of the cycles."""
        for used in range(cycles):
            if self.shrink and used in SHAPES_ANEW:
                self._shapes()
            _, self.share = self.parts.cycle()
            self.cycles += 1
            if self.share <= tolerance and used > max(SHAPES_ANEW):
                break

    def fit(self) -> SparseFit:
        """Return what was fitted, in the form of any fit."""
        support, target = self.support, self.parts.target
        cells = prod(support.sizes)
        mass = (self.means * support.weights)[self.table.classes :]
        return SparseFit(
            model=self.model(),
            means=self.means[: self.table.classes].copy(),
            parameters=round(self.effective_parameters()),
            cells=cells,
            zero_cells=cells - self.table.classes,
            margin_cells=len(target),
            zero_margins=int((target == 0).sum()),
            structural_zeros=0,
            vanishing=0,
            cycles=self.cycles,
            deviation=self.share,
            tolerance=SHARE_OUT_OF_PLACE,
            converged=self.share <= SHARE_OUT_OF_PLACE,
            how="enumerated" if support.exact else "drawn",
            support_cells=support.cells,
            effective_draws=float(mass.sum() ** 2 / max(float((mass**2).sum()), 1e-300)),
        )

    def uncertainty(self) -> Floats:
        """Return the squared coefficient of variation of every class's mean, given the data.

        Given the data a factor is gamma with shape n + κ. Of the factors of a class the most
        uncertain one counts alone: they rest on the same records, and adding their variances as
        if they were independent overstates.
        """
        found = np.zeros(self.table.classes)
        if self.shrink:
            for j, margin in enumerate(self.interactions, start=len(self._single)):
                seen = self.parts.target[self.parts.starts[j] : self.parts.starts[j + 1]]
                place = self.support.places(margin)[: self.table.classes]
                found = np.maximum(found, 1 / (seen + self.parts.kappa[j])[place])
        return found

    def risks(self, fraction: float) -> tuple[Floats, Floats]:
        """Return Pr(F = 1 | f = 1) and E(1/F | f = 1) of the sample uniques, 0 for others.

        With a = (1-π)μ̂/π and a mean that is uncertain by a gamma distribution with squared
        coefficient of variation s, they are (1 + sa)^(-1/s), and its integral over a from 0 to a
        divided by a, [1 - (1 + sa)^(1 - 1/s)] / [a (1 - s)]; for s → 0, e^-a and (1 - e^-a)/a.
        """
        alone = self.table.counts == 1
        a = np.maximum((1 - fraction) / fraction * self.means[: self.table.classes][alone], 1e-12)
        s = np.maximum(self.uncertainty()[alone], 1e-9)
        s = np.where(np.abs(s - 1) < 1e-6, 1 - 1e-6, s)
        long = np.log1p(s * a)
        unique, match = np.zeros(self.table.classes), np.zeros(self.table.classes)
        unique[alone] = np.exp(-long / s)
        match[alone] = np.expm1((1 - 1 / s) * long) / (a * (s - 1))
        return unique, match

    def effective_parameters(self) -> float:
        """Return the number of parameters, each shrunk factor counting e/(e + κ)."""
        total = 1.0 + sum(size - 1 for size in self.support.sizes)
        for j, margin in enumerate(self.interactions, start=len(self._single)):
            shape = self.parts.kappa[j]
            free = prod(self.support.sizes[at] - 1 for at in margin)
            if np.isfinite(shape):
                expected = self.parts.fitted(j)
                total += free * float(np.mean(expected / np.maximum(expected + shape, 1e-300)))
        return total

    def _margin(self, margin: tuple[int, ...]) -> tuple[Floats, Floats, Ints]:
        place = self.support.places(margin)
        cells = prod(self.support.sizes[at] for at in margin)
        mass = self.means * self.support.weights
        fitted = np.bincount(place, weights=mass, minlength=cells).astype(np.float64)
        seen = self.table.classes
        observed = np.bincount(
            place[:seen], weights=self.support.counts[:seen], minlength=cells
        ).astype(np.float64)
        return observed, fitted, place

    def _shapes(self) -> None:
        parts = self.parts
        for j, margin in enumerate(self.interactions, start=len(self._single)):
            span = slice(parts.starts[j], parts.starts[j + 1])
            without = parts.fitted(j) / np.maximum(parts.factors[span], 1e-300)
            shape, _ = dispersion_shape(parts.target[span], without)
            if not np.isfinite(shape):
                # the factors of an interaction that leaves the model leave the means too
                parts.means /= np.maximum(parts.factors[span], 1e-300)[self.support.places(margin)]
                parts.factors[span] = 1.0
            parts.kappa[j] = self.shapes[margin] = shape


SHAPES_ANEW = (0, 2, 5)
"""The cycles before which the shapes are estimated."""
