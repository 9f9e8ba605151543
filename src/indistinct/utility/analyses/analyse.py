"""All measures of general utility at once, with a reading in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from indistinct.core import Level, Seed, progress
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import Coded, read_coded
from indistinct.results import MOST_LINES, Fact, Result, Table, facts, folded, result
from indistinct.results.figures import stacked
from indistinct.utility.analyses.association import (
    Associations,
    compare_associations,
    compare_correlations,
)
from indistinct.utility.analyses.information_loss import (
    InformationLoss,
    compare_numbers,
    varying_numbers,
)
from indistinct.utility.analyses.k_marginals import KMarginal, k_marginal
from indistinct.utility.analyses.marginals import Marginals, compare_marginals
from indistinct.utility.analyses.printing import share
from indistinct.utility.analyses.propensity import Null, Propensity, compare_propensity
from indistinct.utility.analyses.regression import Regressions, compare_regressions
from indistinct.utility.analyses.tables import Tables, compare_tables

__all__ = ["Utility", "analyse_utility"]

_BYTES_A_CELL = 16
"""What a cell takes at most while it is read and coded."""

_MEASURES = 10

_MOST_KEYS = 8
"""Key variables that explain an outcome where nobody named predictors."""


@result
class Utility(Result):
    """Every measure of how far results from the released file would be the same.

    Measures that do not apply are None: no two ordered variables, no numbers.
    """

    original: str
    released: str
    records: tuple[int, int]
    variables: tuple[str, ...]
    marginals: Marginals
    pairs: Tables | None
    triples: Tables | None
    k_marginal: KMarginal | None
    correlations: Associations | None
    associations: Associations | None
    regressions: Regressions | None
    propensity: Propensity
    interactions: Propensity | None
    numbers: InformationLoss | None
    notes: tuple[str, ...] = ()

    FACTS = facts(Fact("*", "measures", spread=True))

    @property
    def telling(self) -> Propensity:
        """The model that tells the files apart best: what one cannot see, another may."""
        models = [m for m in (self.propensity, self.interactions) if m is not None]
        return max(models, key=lambda model: model.ratio)

    @property
    def measures(self) -> dict[str, Any]:
        """The measures that apply, by name."""
        named = {
            "marginals": self.marginals,
            "pairs": self.pairs,
            "triples": self.triples,
            "k_marginal": self.k_marginal,
            "correlations": self.correlations,
            "associations": self.associations,
            "regressions": self.regressions,
            "propensity": self.propensity,
            "interactions": self.interactions,
            "numbers": self.numbers,
        }
        return {name: found for name, found in named.items() if found is not None}

    def sentences(self) -> list[str]:
        """Say in words what the measures found."""
        found = [_of_marginals(self.marginals)]
        if self.pairs is not None:
            found.append(_of_pairs(self.pairs))
        if self.k_marginal is not None and self.k_marginal.score < 1000:
            found.append(_of_score(self.k_marginal))
        if self.regressions is not None and self.regressions.coefficients:
            every = self.regressions.coefficients
            signs = sum(c.same_sign for c in every)
            kept = sum(c.significant[0] == c.significant[1] for c in every)
            found.append(
                f"Of {len(every)} regression coefficients {signs} keep their sign and {kept} their "
                f"significance; the intervals overlap by {self.regressions.overlap:.2f}."
            )
        found.append(self.telling.sentence)
        return found

    def plot(self) -> str:
        """Draw how far each variable and the worst pairs are, and the propensities, as SVG."""
        parts = (self.pairs, self.telling)
        drawn = [part.plot() for part in parts if part is not None]
        return stacked("Utility", [*self.marginals._figures(), *drawn])

    def __repr__(self) -> str:
        lines = self._summary()
        lines += [f"  {len(self.notes)} notes: details()"] if self.notes else []
        return folded(lines, most=MOST_LINES)

    def _summary(self) -> list[str]:
        lines = [
            f"Utility of {self.released} against {self.original}: {self.records[1]:,} and "
            f"{self.records[0]:,} records, {len(self.variables)} variables",
            f"  {'':<32}{'original':>10}{'released':>10}{'difference':>12}",
        ]
        for what, original, released, difference, worst in self._rows():
            line = f"  {what:<32}{original:>10}{released:>10}{difference:>12}"
            lines.append(line + (f"  {worst}" if worst else ""))
        return lines

    def _lines(self) -> list[str]:
        lines = [*self._summary(), *(f"  {sentence}" for sentence in self.sentences())]
        return [*lines, *(f"  note: {note}" for note in self.notes)]

    def _rows(self) -> list[tuple[str, str, str, str, str]]:
        worst = self.marginals.worst
        rows = [
            (
                "marginals, mean distance",
                "",
                "",
                f"{self.marginals.mean:.4f}",
                f"worst {worst.total_variation:.4f} {worst.name}",
            )
        ]
        for name, tables in (("pairs", self.pairs), ("triples", self.triples)):
            if tables is not None:
                table = tables.worst
                told = f"worst {table.total_variation:.4f} {table.title}"
                rows.append((f"{name}, mean distance", "", "", f"{tables.mean:.4f}", told))
        if self.k_marginal is not None:
            score = self.k_marginal.score
            rows.append(("K-marginal score", "1000", f"{score:.0f}", f"{score - 1000:+.1f}", ""))
        for name, found in (
            ("rank correlation, worst pair", self.correlations),
            ("Cramér's V, worst pair", self.associations),
        ):
            if found is not None and found.worst is not None:
                i, j = (found.names.index(n) for n in found.worst)
                a, b = found.original[i, j], found.released[i, j]
                pair = " x ".join(found.worst)
                rows.append((name, f"{a:.3f}", f"{b:.3f}", f"{b - a:+.3f}", pair))
        if self.regressions is not None and self.regressions.models:
            overlap = self.regressions.overlap
            told = f"{len(self.regressions.models)} models"
            rows.append(
                (
                    "regressions, interval overlap",
                    "1",
                    f"{overlap:.3f}",
                    f"{overlap - 1:+.3f}",
                    told,
                )
            )
        for name, model in (("main effects", self.propensity), ("two-way", self.interactions)):
            if model is not None:
                rows.append(
                    (
                        f"pMSE, {name}",
                        f"{model.expected:.1e}",
                        f"{model.pmse:.1e}",
                        f"{model.pmse - model.expected:+.1e}",
                        f"ratio {model.ratio:.3g} to the null ({model.null})",
                    )
                )
        if self.numbers is not None:
            loss = self.numbers.il1s_mean
            if loss is not None:
                rows.append(("numbers, IL1s of a mean cell", "0", f"{loss:.4f}", f"{loss:.4f}", ""))
            rows.append(("numbers, eigenvalues", "", "", f"{self.numbers.eigen:.4f}", ""))
        return rows

    def _tables(self) -> list[Table]:
        return [
            Table(
                f"{self.released} against {self.original}",
                ("measure", "original", "released", "difference", "where"),
                self._numbers(),
            ),
            *self.marginals._tables(),
        ]

    def _numbers(self) -> list[tuple[str, float | None, float | None, float | None, str]]:
        """The rows of the summary, before they are rounded."""
        worst = self.marginals.worst.name
        rows: list[tuple[str, float | None, float | None, float | None, str]] = [
            ("marginals, mean distance", None, None, self.marginals.mean, worst)
        ]
        for name, tables in (("pairs", self.pairs), ("triples", self.triples)):
            if tables is not None:
                found = tables.worst.title
                rows.append((f"{name}, mean distance", None, None, tables.mean, found))
        if self.k_marginal is not None:
            score = self.k_marginal.score
            rows.append(("K-marginal score", 1000.0, score, score - 1000, ""))
        for name, matrix in (
            ("rank correlation, worst pair", self.correlations),
            ("Cramér's V, worst pair", self.associations),
        ):
            if matrix is not None and matrix.worst is not None:
                i, j = (matrix.names.index(n) for n in matrix.worst)
                a, b = float(matrix.original[i, j]), float(matrix.released[i, j])
                rows.append((name, a, b, b - a, " x ".join(matrix.worst)))
        if self.regressions is not None and self.regressions.models:
            overlap = self.regressions.overlap
            rows.append(("regressions, interval overlap", 1.0, overlap, overlap - 1, ""))
        for name, model in (("main effects", self.propensity), ("two-way", self.interactions)):
            if model is not None:
                expected, found_ = model.expected, model.pmse
                rows.append((f"pMSE, {name}", expected, found_, found_ - expected, ""))
        if self.numbers is not None:
            loss = self.numbers.il1s_mean
            if loss is not None:
                rows.append(("numbers, IL1s of a mean cell", 0.0, loss, loss, ""))
            rows.append(("numbers, eigenvalues", None, None, self.numbers.eigen, ""))
        return rows

    def _notes(self) -> list[str]:
        return [*self.sentences(), *self.notes]


def _of_marginals(marginals: Marginals) -> str:
    if marginals.same:
        return "The marginals are exactly the same."
    differing = sum(not m.same for m in marginals.variables)
    worst = marginals.worst
    return (
        f"The marginals of {differing} of {len(marginals.variables)} variables differ, most in "
        f"{worst.name} (total variation {share(worst.total_variation)})."
    )


def _of_pairs(pairs: Tables) -> str:
    worst = pairs.worst
    if worst.total_variation == 0:
        return "All tables of two variables are the same."
    sizeable = pairs.worst_for_its_size
    words = (
        f"The worst pair of variables is {worst.title} (total variation "
        f"{share(worst.total_variation)}, the mean pair {share(pairs.mean)})"
    )
    return words + (f"; for its size, {sizeable.title}." if sizeable != worst else ".")


def _of_score(score: KMarginal) -> str:
    equivalent, least = score.equivalent_fraction or 0.0, min(score.subsamples)
    as_good = f"about {100 * equivalent:.3g} %"
    if equivalent <= least:
        as_good = f"{100 * least:g} % or less"
    return f"Its pairs are as near to the original as those of a random subsample of {as_good}."


def analyse_utility(
    engine: Engine,
    original: Source,
    released: Source,
    *,
    variables: Sequence[str] | None = None,
    levels: Mapping[str, Level] | None = None,
    weights: str | None = None,
    targets: Sequence[str] = (),
    predictors: Sequence[str] = (),
    by: str | None = None,
    null: Null = "synthesis",
    interactions: bool = True,
    triples: int = 300,
    bins: int = 10,
    seed: Seed = 0,
) -> Utility:
    """Compare a released file with its original by every measure that applies.

    Both files are read once. If their codes would not fit in half of the engine's memory, random
    records of both are compared instead, and the result says so.

    Parameters
    ----------
    variables, levels, weights
        See `read_coded`.
    targets, predictors
        Outcomes and predictors of the regressions; by default the sensitive and the key variables.
    by
        A variable, such as a region, whose values get K-marginal scores of their own.
    null
        What the pMSE is compared with; see `compare_propensity`.
    interactions
        Whether a propensity model with all two-way interactions is fitted too.
    triples
        Tables of three variables at most; 0 for none.
    bins
        For numbers in tables and associations (K-marginal has 20 of its own).
    seed
        For whatever is drawn; the same seed gives the same result.
    """
    notes: list[str] = []
    compared = len(variables) if variables is not None else len(original.variables)
    share_read = (
        engine.memory
        / 2
        / ((original.records + released.records) * max(compared, 1) * _BYTES_A_CELL)
    )
    if share_read < 1:
        # the same records of both, where they are the same number
        original, released = (
            engine.sample(source, fraction=share_read, rng=np.random.default_rng(seed))
            for source in (original, released)
        )
        notes.append(f"A random {share(share_read)} of the records of both files was compared.")
    coded = read_coded(original, released, variables=variables, levels=levels, weights=weights)
    names = coded.names
    roles = {name: original.variables[name].role for name in names}
    with progress.task("comparing by general measures", total=_MEASURES, unit="measures") as going:
        return Utility(
            original.origin,
            released.origin,
            (coded.records_original, coded.records_released),
            tuple(names),
            going.passed(compare_marginals(coded)),
            going.passed(compare_tables(coded, bins=bins, seed=seed)) if len(names) > 1 else None,
            going.passed(compare_tables(coded, ways=3, most=triples, bins=bins, seed=seed))
            if len(names) > 2 and triples
            else None,
            going.passed(k_marginal(coded, by=by, seed=seed))
            if len(names) - (by in names) > 1
            else None,
            going.passed(compare_correlations(coded)) if _ordered(coded) > 1 else None,
            going.passed(compare_associations(coded, bins=bins)) if len(names) > 1 else None,
            going.passed(
                compare_regressions(
                    coded,
                    outcomes=targets or [n for n in names if roles[n] == "sensitive"],
                    predictors=predictors or [n for n in names if roles[n] == "key"][:_MOST_KEYS],
                )
            )
            if len(names) > 1
            else None,
            going.passed(compare_propensity(coded, null=null, seed=seed)),
            going.passed(compare_propensity(coded, interactions=True, null=null, seed=seed))
            if interactions and len(names) > 1
            else None,
            going.passed(compare_numbers(coded)) if varying_numbers(coded) else None,
            (*notes, *coded.notes),
        )


def _ordered(coded: Coded) -> int:
    return sum(column.is_ordered for column in coded.columns.values())
