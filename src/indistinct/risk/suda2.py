"""SUDA scores: how special a record's uniqueness is, and what it comes from."""

from __future__ import annotations

from functools import cached_property
from math import comb, prod
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
from numba import njit

from indistinct.core import Array, Floats, InputError, above, check_number
from indistinct.keys import KeyTable
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.risk.minimal import ASSUMPTIONS, MinimalUniques, minimal_uniques

__all__ = ["Scoring", "Suda", "data_intrusion_simulation", "msu_weight", "suda"]

Scoring = Literal["elliot", "ihsn"]


@result
class Suda(Result):
    """SUDA and DIS-SUDA scores of every class, and the share of each variable in them.

    `contributions` has a row for each class and a column for each key variable: the share of the
    class's score that comes of minimal uniques with that variable. Shares of a row add to more
    than one, as a minimal unique counts for each of its variables.
    """

    uniques: MinimalUniques
    scoring: Scoring
    dis_fraction: float
    dis: float
    """The probability that a match of a sample unique is right, for the file as a whole."""
    score: Floats
    dis_score: Floats
    contributions: Floats
    assumptions: tuple[str, ...]

    FACTS = facts(
        Fact("uniques", spread=True),
        Fact("scoring", shown="scoring"),
        Fact("scored", shown="records scored"),
        Fact(
            "max_score",
            lambda found: float(found.score.max(initial=0.0)),
            shown="highest score",
            form=",.6g",
        ),
        Fact("sum_score", lambda found: float(found.score.sum()), shown="sum", form=",.6g"),
        Fact("dis_fraction", shown="sampling fraction"),
        Fact("dis", shown="DIS, that a match of a unique is right", form=".4g"),
        Fact(
            "max_dis_score",
            lambda found: float(found.dis_score.max(initial=0.0)),
            shown="highest DIS-SUDA",
            form=".4g",
        ),
        Fact("sum_dis_score", lambda found: float(found.dis_score.sum())),
        Fact("contributions", "variable_contributions"),
        "assumptions",
    )

    @property
    def table(self) -> KeyTable:
        """The key table that was scored."""
        return self.uniques.table

    @property
    def scored(self) -> int:
        """Records with a score above 0."""
        return int((self.score > 0).sum())

    @cached_property
    def variable_contributions(self) -> dict[str, float]:
        """Per cent of the sum of scores that comes of minimal uniques with each variable."""
        total = self.score.sum()
        amounts = self.score @ self.contributions
        percent = 100 * amounts / total if total else amounts
        return dict(zip(self.table.names, percent.tolist(), strict=True))

    def value_contributions(self, name: str) -> Any:
        """Return how a variable's contribution divides over its values, in per cent.

        A pandas frame with `value`, `records`, `contribution`, for the values that occur. It
        holds private values: it stays with the holder of the data.
        """
        at = self.table.position(name)
        coding, codes = self.table.coding.variables[at], self.table.codes[:, at]
        amounts = np.bincount(
            codes, weights=self.score * self.contributions[:, at], minlength=coding.size
        )
        records = np.bincount(codes, weights=self.table.counts, minlength=coding.size)
        occurs = np.flatnonzero(records)
        total = amounts.sum()
        percent = 100 * amounts / total if total else amounts
        columns = {
            "value": coding.decode(occurs),
            "records": records[occurs].astype(np.int64),
            "contribution": percent[occurs],
        }
        return pa.table(columns).to_pandas()

    def to_frame(self) -> Any:
        """Return one row per class: records, scores, number and smallest size of its minimal
        uniques, and each variable's share of the score (a pandas frame)."""
        columns: dict[str, Any] = {
            "class": np.arange(self.table.classes),
            "records": self.table.counts,
            "score": self.score,
            "dis_score": self.dis_score,
            "minimal_uniques": self.uniques.number,
            "smallest": self.uniques.smallest,
        }
        for j, name in enumerate(self.table.names):
            columns[f"{name}_contribution"] = self.contributions[:, j]
        return pa.table(columns).to_pandas()

    def top(self, n: int = 10) -> Any:
        """Return the n classes with the highest scores, as `to_frame` does, highest first."""
        order = np.argsort(-self.score, kind="stable")[: max(0, n)]
        return self.to_frame().iloc[order[self.score[order] > 0]]

    def plot(self) -> str:
        """Draw each variable's per cent of the scores, as SVG."""
        ranked = self._ranked()
        return bars("Per cent of the scores", [n for n, _ in ranked], [p for _, p in ranked])

    def _ranked(self) -> list[tuple[str, float]]:
        return sorted(self.variable_contributions.items(), key=lambda pair: -pair[1])

    def sentence(self) -> str:
        """Say how many minimal uniques there are."""
        return self.uniques.sentence()

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                "Where the scores come from",
                ("variable", "per cent of the scores"),
                self._ranked(),
                {"per cent of the scores": ".1f"},
            ),
            *self.uniques._row_tables(),
        ]


def suda(
    table: KeyTable,
    *,
    max_size: int | None = None,
    dis: float = 0.01,
    scoring: Scoring = "elliot",
) -> Suda:
    r"""Score every record by its minimal sample uniques (MSUs).

    A record's score is the sum of `msu_weight` over its MSUs: few variables that single it out,
    and many such sets, make it high. DIS-SUDA spreads the file's probability that a match is
    right (`data_intrusion_simulation`) over the records by their scores: with s the score,
    P the number of records in pairs, f the fraction and Q = 1 + (8 − ATT)/20,

    .. math:: 1 \Big/ \Big(1 + \frac{P (1-f)/f}{s^Q \sum_u s_u^{-Q}}\Big),

    summed over the records with a score. Elliot, Manning and Ford (2002); the powers as in
    SUDA's and sdcMicro's programs.

    Parameters
    ----------
    max_size
        The largest MSU to look for; all sizes by default.
    dis
        The fraction f of the population that the intruder's file holds.
    scoring
        See `msu_weight`.

    >>> import indistinct, pyarrow as pa
    >>> people = {"age": [16, 16, 40, 40, 40], "sex": [1, 2, 1, 2, 2], "widowed": [1, 0, 0, 0, 0]}
    >>> with indistinct.open_data(pa.table(people)) as data:
    ...     found = suda(data.key_table(["age", "sex", "widowed"]))
    >>> found.score.tolist()
    [3.0, 2.0, 2.0, 0.0]
    >>> {name: round(percent) for name, percent in found.variable_contributions.items()}
    {'age': 57, 'sex': 57, 'widowed': 57}
    """
    hint = "It is the fraction of the population that the intruder's file is taken to hold."
    check_number("dis", dis, above(0, below=1, hint=f"{hint} Usual is 0.01."))
    if scoring not in get_args(Scoring):
        raise InputError(f"scoring must be elliot or ihsn. Got '{scoring}'.")
    variables = len(table.names)
    uniques = minimal_uniques(table, max_size=max_size)
    weights = np.array(
        [0.0]
        + [
            msu_weight(size, variables, max_size=uniques.max_size, scoring=scoring)
            for size in range(1, uniques.max_size + 1)
        ]
    )
    score, contributions = _scores(uniques.offsets, uniques.masks, weights, variables)
    pairs = 2 * int((table.counts == 2).sum())
    return Suda(
        uniques=uniques,
        scoring=scoring,
        dis_fraction=dis,
        dis=data_intrusion_simulation(uniques.sample_uniques, pairs, fraction=dis),
        score=score,
        dis_score=_dis_scores(score, variables, pairs, dis),
        contributions=contributions,
        assumptions=_assumptions(dis, pairs),
    )


def msu_weight(
    size: int, variables: int, *, max_size: int | None = None, scoring: Scoring = "elliot"
) -> float:
    r"""Return what a minimal sample unique of k of ATT variables adds to the score.

    ``elliot``
        :math:`\prod_{i=k}^{M} (ATT - i)` with M the largest size looked for, at most ATT − 1
        (Elliot, Manning and Ford 2002): with all sizes, (ATT − k)!, the number of ways to come
        from the set to the whole key one variable at a time.
    ``ihsn``
        :math:`(2^{ATT-k} - 1) / \binom{ATT}{k}`, the larger sets that it makes unique over the
        sets of its own size; whatever M.

    >>> [msu_weight(k, 7) for k in (1, 2, 6, 7)], msu_weight(2, 7, max_size=3)
    ([720.0, 120.0, 1.0, 1.0], 20.0)
    >>> round(msu_weight(3, 7, scoring="ihsn"), 6)
    0.428571
    """
    if scoring == "ihsn":
        return float((2 ** (variables - size) - 1) / comb(variables, size))
    largest = min(variables - 1, variables if max_size is None else max_size)
    return float(prod(variables - i for i in range(size, largest + 1)))


def data_intrusion_simulation(unique: int, paired: int, *, fraction: float) -> float:
    """Return the probability that a match between a sample unique and the population is right.

    The special case of Data Intrusion Simulation (Skinner and Elliot 2002): with U sample
    uniques, P records in pairs and sampling fraction f, U·f / (U·f + P·(1 − f)).

    >>> round(data_intrusion_simulation(157, 124, fraction=0.01), 6)
    0.012628
    """
    certain = unique * fraction
    return certain / (certain + paired * (1 - fraction)) if unique else 0.0


def _dis_scores(score: Floats, variables: int, pairs: int, fraction: float) -> Floats:
    """Spread DIS by score; the U of DIS cancels from the formula as it is published."""
    found = np.zeros_like(score)
    some = score > 0
    power = score[some] ** (1 + (8 - variables) / 20)
    odds = pairs * (1 - fraction) / fraction
    found[some] = 1 / (1 + odds / (power * (1 / power).sum()))
    return found


def _assumptions(fraction: float, pairs: int) -> tuple[str, ...]:
    own = [
        *ASSUMPTIONS,
        f"DIS takes the file for a simple random sample of {fraction:.4g} of the population; its "
        "spread over records by score is a convention, not an estimate: use it to rank.",
    ]
    if not pairs:
        own.append("No two records share their key, so DIS is 1 for every record scored.")
    return tuple(own)


@njit(cache=True, nogil=True)
def _scores(offsets: Array, masks: Array, weights: Array, variables: int) -> tuple[Array, Array]:
    """Add the weights of each class's MSUs, and find each variable's share."""
    classes = len(offsets) - 1
    score = np.zeros(classes)
    shares = np.zeros((classes, variables))
    for c in range(classes):
        for i in range(offsets[c], offsets[c + 1]):
            size = 0
            for j in range(variables):
                size += masks[i] >> j & 1
            score[c] += weights[size]
            for j in range(variables):
                if masks[i] >> j & 1:
                    shares[c, j] += weights[size]
        if score[c] > 0:
            shares[c] /= score[c]
    return score, shares
