"""Deriving statistics for areas inside, so that no count behind them leaves.

Section 3.1 of Openshaw, Duke-Williams and Rees (1997): derived statistics may be published for
small areas provided that they "cannot be decomposed to accurately reveal the constituent raw
counts". What is returned here holds no counts but those of people and households, and every other
number is released so coarsely that several counts lead to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from indistinct.core import Bools, Floats, GuaranteeError, InputError, Ints, Seed, progress
from indistinct.tables.counting import Counted
from indistinct.tables.derived.direct import (
    Direct,
    chi_squares,
    finest_step,
    leaves_open,
    percentages,
)
from indistinct.tables.derived.models import Parameter, fit_model
from indistinct.tables.derived.result import Column, Derived, Loading
from indistinct.tables.derived.specification import (
    DerivedSpec,
    Share,
    ShareCounts,
    count_shares,
    inside,
    output_class,
    people_of,
)

__all__ = ["cluster_codes", "derive", "k_means"]


# Statistics of several shares together: an integer index, and principal component scores.

# A classification of areas: k-means on standardised shares.

STARTS = 10
MOST_ROUNDS = 200


def k_means(points: Floats, clusters: int, random: np.random.Generator) -> tuple[Ints, float]:
    """Return the cluster of every point and the sum of squared distances to the centres.

    Lloyd (1982), started as Arthur and Vassilvitskii (2007) propose (k-means++): each further
    centre is drawn with a chance in proportion to the squared distance from the nearest before.
    The best of several starts.
    """
    best: tuple[Ints, float] | None = None
    for _ in range(STARTS):
        found = _lloyd(points, _first_centres(points, clusters, random))
        if best is None or found[1] < best[1] - 1e-9:
            best = found
    assert best is not None
    return best


def _distances(points: Floats, centres: Floats) -> Floats:
    squares = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)[None, :]
    found: Floats = np.maximum(squares - 2 * points @ centres.T, 0.0)
    return found


def _first_centres(points: Floats, clusters: int, random: np.random.Generator) -> Floats:
    chosen = [int(random.integers(len(points)))]
    nearest = _distances(points, points[chosen])[:, 0]
    while len(chosen) < clusters:
        total = nearest.sum()
        chances = nearest / total if total > 0 else None
        chosen.append(int(random.choice(len(points), p=chances)))
        nearest = np.minimum(nearest, _distances(points, points[chosen[-1:]])[:, 0])
    return points[chosen]


def _lloyd(points: Floats, centres: Floats) -> tuple[Ints, float]:
    """Move every point to its nearest centre and every centre to its points' mean, until still."""
    own = np.full(len(points), -1, dtype=np.int64)
    for _ in range(MOST_ROUNDS):
        distances = _distances(points, centres)
        nearest = np.argmin(distances, axis=1)
        if (nearest == own).all():
            break
        own = nearest
        sizes = np.bincount(own, minlength=len(centres))
        sums = np.zeros_like(centres)
        np.add.at(sums, own, points)
        there = sizes > 0
        centres = centres.copy()
        centres[there] = sums[there] / sizes[there, None]
    loss = float(((points - centres[own]) ** 2).sum())
    return own, loss


def cluster_codes(
    name: str, points: Floats, *, clusters: int, least_areas: int, random: np.random.Generator
) -> Ints:
    """Return the cluster of every area as a code from 1 on, the largest cluster first.

    A cluster with fewer than `least_areas` is dissolved: its areas go to the nearest of the
    others, which are then fitted again.
    """
    if len(points) < clusters * least_areas:
        raise GuaranteeError(
            f"'{name}' cannot have {clusters} clusters of {least_areas} areas or more: "
            f"{len(points)} areas have enough people. Ask for fewer clusters."
        )
    own, _ = k_means(points, clusters, random)
    while True:
        codes, sizes = np.unique(own, return_counts=True)
        if sizes.min() >= least_areas:
            break
        kept = codes[np.arange(len(codes)) != np.argmin(sizes)]
        own, _ = _lloyd(points, np.array([points[own == code].mean(axis=0) for code in kept]))
    codes, first, sizes = np.unique(own, return_index=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    ranks = np.empty(int(codes.max()) + 1, dtype=np.int64)
    ranks[codes[order]] = np.arange(1, len(codes) + 1)
    return ranks[own]


SCORE_STEPS = (0.05, 0.1, 0.2, 0.5, 1.0)
INDEX_MEAN = 100


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores that are sums over shares, before they are rounded.

    Parameters
    ----------
    scores
        Areas × scores.
    slopes
        Areas × shares × scores: what one person more changes.
    step
        The steps in which they are released.
    released
        The areas for which one person changes no score by more than a t-th of a step.
    loadings
        Shares × scores: how much each standardised share counts.
    explained
        Of each component the share of the variance.
    """

    columns: tuple[str, ...]
    scores: Floats
    slopes: Floats
    step: float
    released: Bools
    loadings: Floats
    explained: tuple[float, ...] = ()


def standardised(name: str, counts: ShareCounts, eligible: Bools) -> tuple[Floats, Floats]:
    """Return shares with mean 0 and standard deviation 1 over the areas, and the deviations."""
    if int(eligible.sum()) < 3:
        raise InputError(
            f"'{name}' needs three areas or more that have enough people. "
            f"Got {int(eligible.sum())}."
        )
    shares = counts.values()
    mean, spread = shares[eligible].mean(axis=0), shares[eligible].std(axis=0)
    if (spread < 1e-12).any():
        same = counts.names[int(np.argmin(spread))]
        raise InputError(f"The share '{same}' of '{name}' is the same in all areas. Leave it out.")
    return (shares - mean) / spread, spread


def index_scores(
    name: str,
    counts: ShareCounts,
    *,
    weights: Sequence[float],
    possible: int,
    eligible: Bools,
    step: float | None = None,
) -> Scores:
    """Return the weighted sum of standardised shares, itself standardised.

    Released as an integer, 100 + score/step rounded: with a step of 0.1 its mean is 100 and its
    standard deviation 10.
    """
    z, spread = standardised(name, counts, eligible)
    given = np.array(weights or [1.0] * len(counts.names))
    total = z @ given
    scale = float(total[eligible].std())
    if scale < 1e-12:
        raise InputError(f"The shares of '{name}' cancel each other out. Change its weights.")
    loadings = (given / scale)[:, None]
    return _scores((name,), counts, z, spread, loadings, possible, eligible, step, ())


def component_scores(
    name: str,
    counts: ShareCounts,
    *,
    components: int,
    possible: int,
    eligible: Bools,
    step: float | None = None,
) -> Scores:
    """Return the first principal components of the shares' correlations over areas.

    The sign of a component is such that its largest loading is positive.
    """
    z, spread = standardised(name, counts, eligible)
    correlation = z[eligible].T @ z[eligible] / int(eligible.sum())
    variances, vectors = np.linalg.eigh(correlation)
    order = np.argsort(-variances, kind="stable")[:components]
    loadings = vectors[:, order]
    # of loadings that are equal but for rounding the first decides, on every machine
    largest = np.argmax(np.abs(loadings) > np.abs(loadings).max(axis=0) - 1e-9, axis=0)
    loadings = loadings * np.sign(loadings[largest, np.arange(loadings.shape[1])])
    columns = (name,) if components == 1 else tuple(f"{name} {n + 1}" for n in range(components))
    explained = tuple((variances[order] / len(counts.names)).tolist())
    return _scores(columns, counts, z, spread, loadings, possible, eligible, step, explained)


def _scores(
    columns: tuple[str, ...],
    counts: ShareCounts,
    z: Floats,
    spread: Floats,
    loadings: Floats,
    possible: int,
    eligible: Bools,
    step: float | None,
    explained: tuple[float, ...],
) -> Scores:
    scores = np.where(eligible[:, None], np.nan_to_num(z) @ loadings, 0.0)
    per_person = 1.0 / (np.maximum(counts.whole, 1) * spread)
    slopes = per_person[:, :, None] * loadings[None, :, :]
    steepest = np.abs(slopes).max(axis=(1, 2))
    steps = SCORE_STEPS if step is None else (step,)
    enough = [eligible & (steepest * possible <= s) for s in steps]
    chosen = finest_step(steps, [e[eligible] for e in enough])
    return Scores(columns, scores, slopes, steps[chosen], enough[chosen], loadings, explained)


def derive(
    counted: Counted,
    specs: Sequence[DerivedSpec],
    *,
    least_people: int = 10,
    least_possible: int = 3,
    seed: Seed = 0,
) -> Derived:
    """Compute derived statistics for every area, and release them where they hide the counts.

    Parameters
    ----------
    counted
        People counted by area and by every variable that the statistics need.
    specs
        What is asked for.
    least_people
        Areas with fewer people, and shares among fewer, are withheld; so many people a parameter of
        a model must rest on, with the outcome and without.
    least_possible
        How many counts must lead to a released value, everything else being known.
    seed
        For the starts of the classification.
    """
    _check(specs, least_people, least_possible)
    if counted.tables.area.variable is None:
        raise InputError("Derived statistics are made for areas, and these tables have none.")
    work = _Work(counted, least_people, least_possible)
    work.check_independent(specs)
    for spec in progress.each(list(specs), "deriving statistics", unit="statistics"):
        work.add(spec, seed)
    return work.result()


def _check(specs: Sequence[DerivedSpec], least_people: int, least_possible: int) -> None:
    if not specs:
        raise InputError("No statistic is asked for. Give at least one DerivedSpec.")
    for spec in specs:
        if output_class(spec) != "derived":
            raise InputError(
                "A table of counts is no derived statistic. Publish it as a table, where it is "
                "checked for uniques."
            )
    names = [spec.name for spec in specs]
    if len(set(names)) < len(names):
        raise InputError("Two statistics have the same name. Give each its own.")
    if sum(spec.kind == "counts" for spec in specs) > 1:
        raise InputError("People and households are counted once: give one statistic of counts.")
    if least_people < 1 or least_possible < 2:
        raise InputError(
            "least_people must be 1 or more and least_possible 2 or more. "
            f"Got {least_people} and {least_possible}."
        )
    direct = [
        s for spec in specs if spec.kind in ("percentages", "chi-square") for s in spec.shares
    ]
    whose = [(share.of, share.among) for share in direct]
    twice = next((s for s, key in zip(direct, whose, strict=True) if whose.count(key) > 1), None)
    if twice is not None:
        raise InputError(
            f"The share '{twice.name}' is asked for in two percentages or chi-squares. Together "
            "they would tell more than each: ask for one."
        )
    parts = {(share.of, share.among) for spec in specs if spec.parts for share in spec.shares}
    for spec in specs:
        if spec.kind in ("index", "components"):
            for share in spec.shares:
                if (share.of, share.among) in parts:
                    raise InputError(
                        f"The share '{share.name}' of '{spec.name}' is also released as part of a "
                        "whole that adds up. Ask for percentages with parts=False."
                    )


@dataclass(eq=False)
class _Work:
    """Statistics under way, with the counts behind them."""

    counted: Counted
    least_people: int
    least_possible: int
    columns: list[Column] = field(default_factory=list)
    windows: dict[object, tuple[Ints, Ints]] = field(default_factory=dict)
    composites: list[tuple[DerivedSpec, Scores, ShareCounts, int]] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)
    loadings: list[Loading] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.enough: Bools = self.counted.area_sizes >= self.least_people
        if not self.enough.any():
            raise InputError(f"No area has {self.least_people:,} people. Merge areas first.")

    def add(self, spec: DerivedSpec, seed: int) -> None:
        if spec.kind == "counts":
            self._counts(spec)
            return
        if spec.kind == "model":
            self.parameters += fit_model(
                self.counted, spec, eligible=self.enough, least_people=self.least_people
            )
            return
        counts = count_shares(self.counted, spec.shares)
        eligible = self.enough & (counts.whole >= self.least_people).all(axis=1)
        if spec.kind in ("percentages", "chi-square"):
            self._direct(spec, counts, eligible)
        elif spec.kind == "clusters":
            self._clusters(spec, counts, eligible, seed)
        else:
            self._scores(spec, counts, eligible)

    def _column(self, spec: DerivedSpec, name: str, values: Floats, step: float) -> None:
        whole = bool(np.isclose(values[~np.isnan(values)] % 1, 0).all())
        self.columns.append(Column(name, spec.kind, values, step, whole))

    def _counts(self, spec: DerivedSpec) -> None:
        people = self.counted.area_sizes.astype(np.float64)
        people[~self.enough] = np.nan
        self._column(spec, spec.name, people, 1.0)
        if spec.households is not None:
            heads = people_of(self.counted, inside(self.counted, spec.households))
            households = heads.astype(np.float64)
            households[~self.enough | (heads < self.least_possible)] = np.nan
            self._column(spec, f"{spec.name}: households", households, 1.0)

    def _direct(self, spec: DerivedSpec, counts: ShareCounts, eligible: Bools) -> None:
        found: Direct
        if spec.kind == "percentages":
            found = percentages(
                spec.name,
                counts,
                possible=self.least_possible,
                eligible=eligible,
                step=spec.step,
                parts=spec.parts,
            )
        else:
            found = chi_squares(
                spec.name, counts, possible=self.least_possible, eligible=eligible, step=spec.step
            )
        for n, name in enumerate(found.columns):
            self._column(spec, name, found.values[:, n], found.step)
        for n, share in enumerate(spec.shares):
            self.windows[share.of, share.among] = found.low[:, n], found.high[:, n]

    def _scores(self, spec: DerivedSpec, counts: ShareCounts, eligible: Bools) -> None:
        if spec.kind == "index":
            found = index_scores(
                spec.name,
                counts,
                weights=spec.weights,
                possible=self.least_possible,
                eligible=eligible,
                step=spec.step,
            )
        else:
            found = component_scores(
                spec.name,
                counts,
                components=spec.components,
                possible=self.least_possible,
                eligible=eligible,
                step=spec.step,
            )
            for q, column in enumerate(found.columns):
                self.loadings += [
                    Loading(column, name, round(float(found.loadings[k, q]), 2))
                    for k, name in enumerate(counts.names)
                ]
            shares = ", ".join(f"{share:.0%}" for share in found.explained)
            self.notes.append(f"{spec.name} explains {shares} of the variance")
        self.composites.append((spec, found, counts, len(self.columns)))
        for name in found.columns:
            # a place among the columns; filled when all scores are known
            self.columns.append(Column(name, spec.kind, np.empty(0), found.step, True))

    def _clusters(self, spec: DerivedSpec, counts: ShareCounts, eligible: Bools, seed: int) -> None:
        z, _ = standardised(spec.name, counts, eligible)
        codes = np.full(len(z), np.nan)
        codes[eligible] = cluster_codes(
            spec.name,
            z[eligible],
            clusters=spec.clusters,
            least_areas=spec.least_areas,
            random=np.random.default_rng(seed),
        )
        if (found := int(np.nanmax(codes))) < spec.clusters:
            self.notes.append(
                f"{spec.name} has {found} clusters: others had fewer than {spec.least_areas} areas"
            )
        self._column(spec, spec.name, codes, 1.0)

    def _finish_scores(self) -> None:
        """Round the scores, and withhold those of areas where they leave too little open."""
        shares: dict[object, int] = {}
        for spec, _, _, _ in self.composites:
            for share in spec.shares:
                shares.setdefault((share.of, share.among), len(shares))
        areas = len(self.counted.areas)
        number = sum(len(scores.columns) for _, scores, _, _ in self.composites)
        count = np.zeros((areas, len(shares)), dtype=np.int64)
        low, high = count.copy(), count.copy()
        slopes = np.zeros((areas, len(shares), number))
        raw, steps, at = np.zeros((areas, number)), np.zeros(number), 0
        for spec, scores, counts, _ in self.composites:
            own = slice(at, at + len(scores.columns))
            raw[:, own] = np.where(scores.released[:, None], scores.scores, 0.0)
            steps[own] = scores.step
            for k, share in enumerate(spec.shares):
                key = (share.of, share.among)
                column = shares[key]
                count[:, column], high[:, column] = counts.part[:, k], counts.whole[:, k]
                if key in self.windows:
                    low[:, column], high[:, column] = self.windows[key]
                slopes[:, column, own] = scores.slopes[:, k] * scores.released[:, None]
            at = own.stop
        passed = leaves_open(raw, slopes, steps, low, count, high, self.least_possible)
        at = 0
        for spec, scores, _, place in self.composites:
            for q, name in enumerate(scores.columns):
                units = np.floor(raw[:, at] / scores.step + 0.5)
                values = units + INDEX_MEAN if spec.kind == "index" else units * scores.step
                values = np.round(values, 10)
                values[~(scores.released & passed)] = np.nan
                whole = spec.kind == "index"
                self.columns[place + q] = Column(name, spec.kind, values, scores.step, whole)
                at += 1

    def check_independent(self, specs: Sequence[DerivedSpec]) -> None:
        """Refuse shares that follow from each other: their released values could be combined."""
        found: dict[object, Share] = {}
        for spec in specs:
            if spec.kind in ("percentages", "chi-square", "index", "components"):
                for share in spec.shares[: -1 if spec.parts else None]:
                    found.setdefault((share.of, share.among), share)
        if not found:
            return
        counts = count_shares(self.counted, list(found.values()))
        wholes = np.unique(counts.whole, axis=1)
        if len(counts.part) <= wholes.shape[1] + counts.part.shape[1]:
            self.notes.append(
                "too few areas to see whether shares follow from each other: leave one part of "
                "every whole out"
            )
            return
        vectors, sizes, _ = np.linalg.svd(wholes / np.linalg.norm(wholes, axis=0), False)
        basis = vectors[:, sizes > 1e-9]
        for n, share in enumerate(found.values()):
            column = counts.part[:, n] / np.linalg.norm(counts.part[:, n])
            for _ in range(2):  # once more against what rounding left
                column = column - basis @ (basis.T @ column)
            if (size := float(np.linalg.norm(column))) < 1e-7:
                raise InputError(
                    f"The share '{share.name}' follows from the others in every area: it is the "
                    "rest of a whole, or one of them again. Leave it out, or ask for percentages "
                    "with parts=True."
                )
            basis = np.column_stack([basis, column / size])

    def result(self) -> Derived:
        if self.composites:
            self._finish_scores()
        return Derived(
            areas=self.counted.areas,
            columns=tuple(self.columns),
            parameters=tuple(self.parameters),
            loadings=tuple(self.loadings),
            least_people=self.least_people,
            least_possible=self.least_possible,
            notes=tuple(self.notes),
        )
