"""Minimal local suppression: blank as few cells as possible so that k-anonymity holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Literal

import numpy as np

from indistinct.core import ClassSize, GuaranteeError, InputError, Ints
from indistinct.hierarchy import SUPPRESSED, as_texts, suppression_only
from indistinct.keys import Generalisable, KeyTable, Recoding, counts_by_row
from indistinct.protect.methods.local_suppression.suppress_optimum import (
    MOST_PAIRS,
    best_suppression,
    strict_bound,
)
from indistinct.protect.methods.local_suppression.suppress_problem import Problem, Rows
from indistinct.protect.methods.local_suppression.suppress_strict import suppress_strictly
from indistinct.protect.methods.local_suppression.suppress_wildcard import (
    hold_against_elimination,
    suppress_by_wildcard,
    wildcard_bound,
    wildcard_counts,
)
from indistinct.results import Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["Meaning", "Suppression", "importance_weights", "suppress", "suppression_keys"]

Meaning = Literal["strict", "wildcard"]
"""What a suppressed cell counts as: a value of its own, or any value."""

TOLERANCE = 1e-6


@result
class Suppression(Result):
    """Which cells are suppressed, and how far that is from the fewest there could be.

    Parameters
    ----------
    recoding
        The decision. In the strict meaning a value that was missing before stands at the same
        level as a suppressed one wherever its variable has both, because a file shows them alike.
    k, meaning, alpha
        What was asked.
    cells
        Suppressed cells by variable, without those that were missing before.
    weight
        The cells' weights added up: the number of cells where all weigh 1.
    bound
        A weight below which no suppression with the same promise stays.
    at_risk
        Records that did not keep the promise before.
    records_changed
        Records that lose at least one cell.
    smallest
        In the strict meaning the smallest class of the release; in the wildcard meaning the
        fewest records that agree with a record.
    """

    recoding: Recoding = field(repr=False)
    k: int
    meaning: Meaning
    alpha: float
    cells: Mapping[str, int]
    weight: float
    bound: float
    at_risk: int
    records_changed: int
    smallest: int

    FACTS = facts(
        "k meaning alpha cells total weight bound proved at_risk records_changed",
        "smallest strictly_at_risk",
    )

    @property
    def total(self) -> int:
        """The number of suppressed cells."""
        return sum(self.cells.values())

    @property
    def proved(self) -> bool:
        """Whether no suppression with the same promise is lighter."""
        return self.weight <= self.bound + TOLERANCE

    @property
    def gap(self) -> float:
        """How much lighter the lightest could be at most, as a share of the weight."""
        return max(0.0, self.weight - self.bound) / self.weight if self.weight else 0.0

    @cached_property
    def strictly_at_risk(self) -> int:
        """Records in classes smaller than k when a blank is counted as a value of its own."""
        sizes = _strict_sizes(self.recoding)
        return int(self.recoding.counts[sizes < self.k].sum())

    def plot(self) -> str:
        """Draw the suppressed cells of each variable, as SVG."""
        return bars("Cells suppressed", list(self.cells), list(self.cells.values()))

    def sentence(self) -> str:
        """Say how many cells it took."""
        how = "the fewest possible" if self.proved else f"at most {self.gap:.1%} above the fewest"
        return (
            f"Suppression to k={self.k} ({self.meaning}): {self.total:,} cells of "
            f"{self.records_changed:,} records, {how}"
        )

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                f"Cells suppressed to k = {self.k} ({self.meaning})",
                ("variable", "cells"),
                list(self.cells.items()),
            ),
            Table.facts(
                "All of it",
                {
                    "cells": self.total,
                    "records changed": self.records_changed,
                    "smallest class": self.smallest,
                    "weight": self.weight,
                    "least possible, at least": self.bound,
                    "the fewest": self.proved,
                },
            ),
        ]


def suppress(
    keys: Generalisable,
    *,
    k: ClassSize,
    meaning: Meaning = "strict",
    weights: Mapping[str, float] | None = None,
    limits: Mapping[str, int] | None = None,
    optimal: bool | None = None,
    alpha: float = 1.0,
    against_elimination: bool = True,
) -> Suppression:
    """Suppress few cells so that k-anonymity holds.

    In the *strict* meaning a suppressed cell is a value of its own: records form a class if they
    have the same cells suppressed and agree in all others, and every class has k records or
    more. Equal records may go different ways. Classes of k and more lend records where that
    saves cells in all.

    In the *wildcard* meaning (sdcMicro's `kAnon`) a suppressed cell agrees with anything, and
    every record agrees with k records or more, itself included. Each record that did not before
    gives up cells of its own, and no other does.

    Parameters
    ----------
    keys
        The classes; `suppression_keys` makes them from a key table.
    weights
        What it costs to suppress a cell of each variable, 1 by default.
    limits
        0 for variables of which no cell may be suppressed, such as strata.
    optimal
        In the strict meaning: True seeks the optimum and refuses a file too large for that,
        False takes what the heuristics find, None seeks it for small files. Work is bounded by
        counts, so `proved` may still be false.
    alpha
        In the wildcard meaning: what a record counts that agrees only because of a blank of its
        own or because both have one; see `wildcard_frequencies`.
    against_elimination
        In the wildcard meaning: also hold against an intruder who knows all people and takes
        those away that other records must be about. More cells are blanked where that is needed;
        where it does not help, the strict meaning is taken. sdcMicro does not do it.

    >>> from indistinct import open_data
    >>> with open_data({"age": [30, 30, 30, 40, 40, 50], "sex": [1, 1, 1, 1, 2, 2]}) as data:
    ...     keys = suppression_keys(data.key_table(["age", "sex"]))
    >>> suppress(keys, k=2)
    Suppression to k=2 (strict): 4 cells of 4 records, the fewest possible
    Cells suppressed to k = 2 (strict)
      variable  cells
      age           4
      sex           0
    All of it
      cells                       4
      records changed             4
      smallest class              2
      weight                      4
      least possible, at least    4
      the fewest                yes
    >>> suppress(keys, k=2, meaning="wildcard", against_elimination=False).total
    3
    >>> suppress(keys, k=2, meaning="wildcard").total
    4
    """
    if meaning not in ("strict", "wildcard"):
        raise InputError(f"meaning must be strict or wildcard. Got '{meaning}'.")
    if meaning == "strict" and alpha != 1:
        raise InputError("alpha belongs to the wildcard meaning. Leave it out, or ask for that.")
    problem = Problem.of(keys, k=k, weights=weights, limits=limits)
    if not keys.records:
        rows, bound = Rows.untouched(problem), 0.0
    elif meaning == "strict":
        rows, bound = _strict(problem, optimal)
    else:
        if optimal:
            raise InputError("The optimum is sought in the strict meaning only.")
        blank = suppress_by_wildcard(problem, alpha=alpha)
        rows = Rows(np.arange(len(blank)), blank, problem.counts)
        if against_elimination:
            held = hold_against_elimination(problem, blank)
            if held is not blank:
                strictly = suppress(keys, k=k, weights=weights, limits=limits)
                if held is None:
                    return strictly
                rows = Rows(rows.classes, held, problem.counts)
                if strictly.weight <= rows.weight(problem):
                    return strictly
        bound = wildcard_bound(problem, alpha=alpha)
    if (problem.weights == np.rint(problem.weights)).all():
        bound = float(math.ceil(bound - TOLERANCE))
    return _described(keys, problem, rows, bound, meaning, alpha)


def _strict(problem: Problem, optimal: bool | None) -> tuple[Rows, float]:
    bound, least = strict_bound(problem)
    rows = suppress_strictly(problem, bound=bound)
    weight = rows.weight(problem)
    if optimal is False or weight <= bound + TOLERANCE:
        return rows, bound
    best = best_suppression(
        problem,
        rows,
        bound=bound,
        least=least,
        asked=bool(optimal),
    )
    if best is None:
        if optimal:
            raise InputError(
                "The file is too large for the optimum to be sought: there are more than "
                f"{MOST_PAIRS:,} pairs of a class and a set of variables that it may give up. "
                "Use optimal=None."
            )
        return rows, bound
    return best.rows, best.bound


def _described(
    keys: Generalisable, problem: Problem, rows: Rows, bound: float, meaning: Meaning, alpha: float
) -> Suppression:
    heights = np.array(keys.heights, dtype=np.int16)
    away = rows.blank
    if meaning == "strict":
        # where a variable has suppressed cells, its missing values look like them in the file
        away = away | (problem.missing[rows.classes] & rows.blank.any(axis=0))
    levels = np.where(away, heights, np.int16(0)).astype(np.int16)
    recoding = Recoding(keys, rows.classes.astype(np.int64), levels, rows.counts)
    cells = (rows.blank * rows.counts[:, None]).sum(axis=0)
    if meaning == "strict":
        sizes = _strict_sizes(recoding)
        at_risk = int(problem.counts[problem.counts < problem.k].sum())
    else:
        sizes = wildcard_counts(problem, rows.blank, alpha=alpha)
        before = wildcard_counts(problem, np.zeros_like(problem.missing), alpha=alpha)
        at_risk = int(problem.counts[before < problem.k].sum())
    if len(sizes) and sizes.min() < problem.k:
        raise GuaranteeError(
            f"No suppression to k={problem.k} was found within the work allowed. Generalise a "
            "variable with many categories first, or take one out of the key."
        )
    return Suppression(
        recoding=recoding,
        k=problem.k,
        meaning=meaning,
        alpha=alpha,
        cells=dict(zip(keys.names, cells.tolist(), strict=True)),
        weight=rows.weight(problem),
        bound=bound,
        at_risk=at_risk,
        records_changed=int(rows.counts[rows.blank.any(axis=1)].sum()),
        smallest=int(sizes.min()) if len(sizes) else 0,
    )


def _strict_sizes(recoding: Recoding) -> Ints:
    """Return for each row how many records look like it, blanks of either origin being equal."""
    nodes = recoding.nodes.astype(np.int64)
    for j in range(nodes.shape[1]):
        climb = recoding.keys.climb(j)
        nodes[nodes[:, j] == climb[-1, 0], j] = climb[0, -1]
    return counts_by_row(nodes, recoding.counts)


def suppression_keys(table: KeyTable) -> Generalisable:
    """Put on every variable of a key table the hierarchy that knows nothing but suppression.

    >>> from indistinct import open_data
    >>> with open_data({"sex": ["m", "f", None]}) as data:
    ...     suppression_keys(data.key_table(["sex"])).hierarchies
    (Hierarchy('sex', 2 values, height 1),)
    """
    hierarchies = {}
    for j, coding in enumerate(table.coding.variables):
        values = coding.decode(np.unique(table.codes[:, j]))
        texts = {text for text in as_texts(values) if text is not None}
        root = SUPPRESSED
        while root in texts:
            root += SUPPRESSED
        hierarchies[coding.name] = suppression_only(
            values if texts else ["no value"], name=coding.name, root=root
        )
    return Generalisable.of(table, hierarchies)


def importance_weights(importance: Mapping[str, int]) -> dict[str, float]:
    """Return weights for an order of importance, 1 being the most important variable.

    As in sdcMicro, cells of the variable with the highest number are suppressed first. One cell
    of any variable still weighs less than two of others.

    >>> importance_weights({"age": 1, "sex": 2})
    {'age': 1.5, 'sex': 1.0}
    """
    number = len(importance)
    if sorted(importance.values()) != list(range(1, number + 1)):
        raise InputError(
            f"The importance of {number} variables must be the numbers 1 to {number}, each once."
        )
    return {name: 1 + (number - place) / number for name, place in importance.items()}
