"""Risk against the number of tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from indistinct.core import InputError, Ints, Seed, check_whole, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import Line, lines
from indistinct.tables.counting import Counted
from indistinct.tables.matching.matches import MOST_STATES, false_matches

__all__ = ["RiskByTables", "TablesRisk", "risk_by_tables"]


@dataclass(frozen=True)
class TablesRisk:
    """Who stands out in the first so many tables.

    Parameters
    ----------
    tables, cells
        Their number, and that of their cells in the mean of the orders.
    frtu, lowest, highest
        Full record tabular uniques: in the mean of the orders, and in those with least and most.
    prtu
        Part record tabular uniques, in the mean.
    log10_combinations, feasible, success
        In the first order: the combinations of ones, those that could be somebody, and how often an
        intruder who picks one of these is right; None where they were not counted.
    """

    tables: int
    cells: float
    frtu: float
    lowest: int
    highest: int
    prtu: float
    log10_combinations: float | None = None
    feasible: int | None = None
    success: float | None = None


@result(eq=True)
class RiskByTables(Result):
    """The risk of the first table, of the first two, and so on.

    Parameters
    ----------
    records, areas
        The people and areas.
    orders
        The orders in which tables were added.
    points
        What was found, for one table, two, and so on.
    """

    records: int
    areas: int
    orders: tuple[tuple[str, ...], ...]
    points: tuple[TablesRisk, ...]

    FACTS = facts("records areas", Fact("orders", lambda found: len(found.orders)), "points")

    def sentence(self) -> str:
        """Say what was looked at."""
        return (
            f"{self.records:,} people in {self.areas:,} areas, table by table in "
            f"{len(self.orders)} orders"
        )

    def _row_tables(self) -> list[Table]:
        headings = ("tables", "cells", "full uniques", "least", "most", "risk", "part uniques")
        rows = [
            (p.tables, p.cells, p.frtu, p.lowest, p.highest, p.frtu / self.records, p.prtu)
            for p in self.points
        ]
        tables = [Table("Risk by number of tables", headings, rows, {"risk": ".4%"})]
        matched = [p for p in self.points if p.log10_combinations is not None]
        if matched:
            names = ("tables", "log10 of combinations", "possible", "success")
            each = [(p.tables, p.log10_combinations, p.feasible, p.success) for p in matched]
            caption = "False matches, in the first order"
            tables.append(Table(caption, names, each, {"success": ".2%"}))
        return tables

    def plot(self) -> str:
        """Return a figure: full and part uniques against the number of tables."""
        number = [float(point.tables) for point in self.points]
        return lines(
            "People who stand out, by number of tables",
            [
                Line("full uniques", number, [p.frtu / self.records for p in self.points]),
                Line("part uniques", number, [p.prtu / self.records for p in self.points]),
            ],
            x="tables",
            y="share of people",
            zero=True,
            share=True,
        )


def risk_by_tables(
    counted: Counted,
    *,
    orders: int | Sequence[Sequence[str]] = 10,
    matches: Sequence[int] = (),
    most_states: int = MOST_STATES,
    seed: Seed = 1,
) -> RiskByTables:
    """Count who stands out in the first table, in the first two, and so on.

    Openshaw et al. (1997), section 5.4, suspect that the risk falls when more cells are used. Where
    every table counts everybody full uniques can only become fewer: each has to be alone in one
    table more. What part uniques tell grows.

    Parameters
    ----------
    orders
        How many random orders of the tables are tried, or the orders, as names of tables.
    matches
        Numbers of tables for which, in the first order, false matches are counted too.
    """
    names = [layout.name for layout in counted.layouts]
    if isinstance(orders, int):
        check_whole("orders", orders, 1)
        rng = np.random.default_rng(seed)
        sequences = [rng.permutation(len(names)) for _ in range(orders)]
    else:
        sequences = [np.array([_position(names, name) for name in order]) for order in orders]
        if not sequences or any(len(set(s.tolist())) != len(names) for s in sequences):
            raise InputError(f"An order must name each of the {len(names)} tables once.")
    wrong = [n for n in matches if not 1 <= n <= len(names)]
    if wrong:
        raise InputError(f"There are {len(names)} tables; matches were asked for {wrong[0]}.")
    full, part = _cumulated(counted, sequences)
    sizes = np.array([layout.cells for layout in counted.layouts])
    cells = np.mean([np.cumsum(sizes[order]) for order in sequences], axis=0)
    points = []
    for n in range(1, len(names) + 1):
        point = TablesRisk(
            n,
            float(cells[n - 1]),
            float(full[:, n - 1].mean()),
            int(full[:, n - 1].min()),
            int(full[:, n - 1].max()),
            float(part[:, n - 1].mean()),
        )
        if n in matches:
            first = counted.tables.only([names[t] for t in sequences[0][:n]])
            found = false_matches(counted.with_tables(first), most_states=most_states)
            told = found.to_dict()
            point = replace(
                point,
                log10_combinations=told["log10_combinations"] or 0.0,
                feasible=found.feasible,
                success=found.success,
            )
        points.append(point)
    named = tuple(tuple(names[t] for t in order) for order in sequences)
    return RiskByTables(counted.records, len(counted.areas), named, tuple(points))


def _position(names: Sequence[str], name: str) -> int:
    if name not in names:
        raise InputError(f"There is no table '{name}'.")
    return names.index(name)


def _cumulated(counted: Counted, sequences: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return full and part uniques in the first tables, for each order (rows) and number.

    A person is a full unique from the first table that counts them until the first in which they
    are not alone; so three places in the order say everything, and one pass over the tables finds
    them for all orders.
    """
    tables = len(counted.layouts)
    place = np.empty((len(sequences), tables), dtype=np.int16)
    for row, order in enumerate(sequences):
        place[row, order] = np.arange(tables)
    counts, alone, crowded = (
        np.full((len(sequences), counted.classes), tables, dtype=np.int16) for _ in range(3)
    )
    positions = range(tables)
    for position in progress.each(list(positions), "adding tables", unit="tables"):
        own = counted.own_counts(position)
        for kept, rows in ((counts, own > 0), (alone, own == 1), (crowded, own > 1)):
            at = np.flatnonzero(rows)
            for row in range(len(sequences)):
                kept[row, at] = np.minimum(kept[row, at], place[row, position])
    full = np.zeros((len(sequences), tables), dtype=np.int64)
    some = np.zeros_like(full)
    for row in range(len(sequences)):
        begins = np.bincount(counts[row][counts[row] < crowded[row]], minlength=tables + 1)
        ends = np.bincount(crowded[row][counts[row] < crowded[row]], minlength=tables + 1)
        full[row] = np.cumsum(begins - ends)[:tables]
        some[row] = np.cumsum(np.bincount(alone[row], minlength=tables + 1))[:tables]
    return full, some - full
