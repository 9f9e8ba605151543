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

from indistinct.core import Bools, InputError, Seed, progress
from indistinct.tables.counting import Counted
from indistinct.tables.derived.clusters import cluster_codes
from indistinct.tables.derived.composite import (
    INDEX_MEAN,
    Scores,
    component_scores,
    index_scores,
    standardised,
)
from indistinct.tables.derived.direct import Direct, chi_squares, percentages
from indistinct.tables.derived.inferring import leaves_open
from indistinct.tables.derived.models import Parameter, fit_model
from indistinct.tables.derived.result import Column, Derived, Loading
from indistinct.tables.derived.shares import (
    Floats,
    Ints,
    Share,
    ShareCounts,
    count_shares,
    inside,
    people_of,
)
from indistinct.tables.derived.specification import DerivedSpec, output_class

__all__ = ["derive"]


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
