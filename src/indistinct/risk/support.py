"""The cells that a log-linear model is fitted on: all of them, or a weighted sample.

A support is a set of cells x with weights w(x) such that Σ w(x) g(x) over the support is, or
estimates without bias, Σ g(x) over every cell of the cross-product. With it, IPF needs neither the
cross-product nor any array as large as it: the fitted mean of a cell is a product of one factor
from each margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numba import njit

from indistinct.core import Floats, InputError, Ints, SmallInts
from indistinct.engine import Coding, KeyCoding
from indistinct.keys import KeyTable

__all__ = ["LARGEST_MARGIN", "Support", "all_cells", "drawn_cells", "live_cells", "margin_table"]


LARGEST_MARGIN = 50_000_000
"""The largest margin that is held as an array."""


@dataclass(frozen=True, eq=False)
class Support:
    """Cells, the observed classes first and in their order, with counts and weights.

    Parameters
    ----------
    codes
        SmallInts of the cells over the categories that occur (rows: variables, columns: cells).
    sizes
        Number of categories that occur, by variable.
    counts
        Records in each cell.
    weights
        Cells that each stands for.
    exact
        Whether every cell with a positive mean is there.
    draws
        Cells drawn, where they were.
    """

    codes: SmallInts = field(repr=False)
    sizes: tuple[int, ...]
    counts: Floats = field(repr=False)
    weights: Floats = field(repr=False)
    exact: bool
    draws: int = 0

    @property
    def cells(self) -> int:
        """The number of cells held."""
        return int(self.codes.shape[1])

    def places(self, margin: Sequence[int]) -> Ints:
        """Return every cell's place in a margin."""
        place = np.zeros(self.cells, dtype=np.int64)
        for at in margin:
            place *= self.sizes[at]
            place += self.codes[at]
        return place


def occurring(table: KeyTable) -> tuple[SmallInts, tuple[int, ...]]:
    """Return codes over the categories that occur (rows: variables), and how many occur."""
    found = [np.unique(table.codes[:, j], return_inverse=True) for j in range(len(table.names))]
    codes = np.stack([inverse for _, inverse in found]).astype(np.int32)
    return codes, tuple(len(values) for values, _ in found)


def margin_table(
    codes: SmallInts, sizes: Sequence[int], margin: Sequence[int], amounts: Any
) -> Floats:
    """Add up amounts by the categories of a margin; a flat array, the last variable fastest."""
    cells = prod(sizes[at] for at in margin)
    if cells > LARGEST_MARGIN:
        raise InputError(
            f"A margin of the model has {cells:,} cells, more than the {LARGEST_MARGIN:,} that are "
            "held. Group the categories of its variables, or leave the interaction out."
        )
    place = np.zeros(codes.shape[1], dtype=np.int64)
    for at in margin:
        place *= sizes[at]
        place += codes[at]
    return np.bincount(place, weights=amounts, minlength=cells).astype(np.float64)


def all_cells(table: KeyTable) -> Support:
    """Return every cell of the cross-product of the categories that occur."""
    codes, sizes = occurring(table)
    cells = prod(sizes)
    seen = np.ravel_multi_index(tuple(codes), sizes)
    rest = np.ones(cells, dtype=bool)
    rest[seen] = False
    order = np.concatenate([seen, np.flatnonzero(rest)])
    everywhere = np.stack(np.unravel_index(order, sizes)).astype(np.int32)
    return Support(everywhere, sizes, _counts(table, cells), np.ones(cells), exact=True)


def live_cells(table: KeyTable, margins: Sequence[Sequence[int]], *, limit: int) -> Support | None:
    """Return every cell under none but nonzero margins, or None where they exceed the limit.

    Cells are extended by one variable at a time; a partial cell that lies under a zero of any
    margin, or of a margin of a margin, is never extended.
    """
    codes, sizes = occurring(table)
    pairs = {pair for margin in margins for pair in combinations(sorted(margin), 2)}
    seen = {
        part: margin_table(codes, sizes, part, table.counts) > 0
        for part in pairs | {tuple(margin) for margin in margins if len(margin) > 2}
    }
    partial = np.zeros((0, 1), dtype=np.int32)
    for at, size in enumerate(sizes):
        if partial.shape[1] * size > 8 * limit:
            return None
        partial = np.vstack(
            [np.repeat(partial, size, axis=1), np.tile(np.arange(size), partial.shape[1])[None]]
        ).astype(np.int32)
        for part, alive in seen.items():
            if max(part) == at:
                place = np.zeros(partial.shape[1], dtype=np.int64)
                for variable in part:
                    place = place * sizes[variable] + partial[variable]
                partial = partial[:, alive[place]]
        if partial.shape[1] > limit:
            return None
    merged, rows = _merged(codes, partial, sizes)
    keep = np.ones(merged.shape[1], dtype=bool)
    keep[rows[: table.classes]] = False
    cells = np.concatenate([codes, merged[:, keep]], axis=1)
    number = cells.shape[1]
    return Support(cells, sizes, _counts(table, number), np.ones(number), exact=True)


def drawn_cells(
    table: KeyTable, *, draws: int, rng: np.random.Generator, mixed: float = 0.0
) -> Support:
    """Return the observed classes and cells drawn from a tree of the strongest associations.

    The proposal q is the product of p(root) and of p(child | parent) along the spanning tree of
    largest mutual information (Chow and Liu 1968), each conditional mixed with a share `mixed` of
    the child's own margin. A cell with f records that was drawn d times in M draws has the weight
    (f + d) / (f + M q), whose mean over the draws is 1 for every cell of the cross-product.
    """
    codes, sizes = occurring(table)
    tree = _tree(codes, sizes, table.counts)
    conditionals = _conditionals(codes, sizes, table.counts, tree, mixed)
    drawn = np.empty((len(sizes), draws), dtype=np.int32)
    for (child, parent), chances in zip(tree, conditionals, strict=True):
        row = np.zeros(draws, dtype=np.int64) if parent < 0 else drawn[parent].astype(np.int64)
        steps = np.cumsum(chances, axis=1)
        steps /= steps[:, -1:]
        flat = (steps + np.arange(len(steps))[:, None]).ravel()
        at = np.searchsorted(flat, row + rng.random(draws), side="right")
        drawn[child] = np.clip(at - row * sizes[child], 0, sizes[child] - 1)
    merged, rows = _merged(codes, drawn, sizes)
    times = np.bincount(rows[codes.shape[1] :], minlength=merged.shape[1]).astype(np.float64)
    records = np.zeros(merged.shape[1])
    records[rows[: codes.shape[1]]] = table.counts
    chance = np.ones(merged.shape[1])
    for (child, parent), chances in zip(tree, conditionals, strict=True):
        chance *= chances[0 if parent < 0 else merged[parent], merged[child]]
    weights = (records + times) / (records + draws * chance)
    first = rows[: codes.shape[1]]
    rest = np.ones(merged.shape[1], dtype=bool)
    rest[first] = False
    order = np.concatenate([first, np.flatnonzero(rest)])
    return Support(
        np.ascontiguousarray(merged[:, order]), sizes, records[order], weights[order], False, draws
    )


def _counts(table: KeyTable, cells: int) -> Floats:
    counts = np.zeros(cells)
    counts[: table.classes] = table.counts
    return counts


def _merged(codes: SmallInts, others: SmallInts, sizes: Sequence[int]) -> tuple[SmallInts, Ints]:
    """Return the distinct cells of two lists, and the row there of every one of both."""
    coding = KeyCoding(tuple(Coding(str(j), size, False) for j, size in enumerate(sizes)))
    both = np.concatenate([codes, others], axis=1).T.astype(np.int64)
    distinct, rows = KeyTable(coding, both, np.ones(len(both), dtype=np.int64)).rollup()
    return np.ascontiguousarray(distinct.codes.T.astype(np.int32)), rows


def _tree(codes: SmallInts, sizes: Sequence[int], counts: Any) -> list[tuple[int, int]]:
    """Return (variable, parent) along the tree of largest mutual information, the root first."""
    n = float(np.sum(counts))
    shares = [margin_table(codes, sizes, (j,), counts) / n for j in range(len(sizes))]
    strength = np.full((len(sizes), len(sizes)), -1.0)
    for i, j in combinations(range(len(sizes)), 2):
        joint = margin_table(codes, sizes, (i, j), counts).reshape(sizes[i], sizes[j]) / n
        alone = np.outer(shares[i], shares[j])
        live = joint > 0
        information = float((joint[live] * np.log(joint[live] / alone[live])).sum())
        strength[i, j] = strength[j, i] = information
    root = int(strength.sum(axis=1).argmax())
    tree = [(root, -1)]
    while len(tree) < len(sizes):
        inside = [variable for variable, _ in tree]
        outside = [j for j in range(len(sizes)) if j not in inside]
        block = strength[np.ix_(outside, inside)]
        at = np.unravel_index(int(block.argmax()), block.shape)
        tree.append((outside[int(at[0])], inside[int(at[1])]))
    return tree


def _conditionals(
    codes: SmallInts, sizes: Sequence[int], counts: Any, tree: list[tuple[int, int]], mixed: float
) -> list[Floats]:
    """Return p(child | parent) as tables, one row for each category of the parent."""
    tables = []
    for child, parent in tree:
        alone = margin_table(codes, sizes, (child,), counts)[None, :]
        alone /= alone.sum()
        if parent < 0:
            tables.append(alone)
            continue
        joint = margin_table(codes, sizes, (parent, child), counts)
        given = joint.reshape(sizes[parent], sizes[child])
        given = given / given.sum(axis=1, keepdims=True)
        tables.append((1 - mixed) * given + mixed * alone)
    return tables


@njit(cache=True, nogil=True)
def cycle(codes, weights, means, variables, strides, starts, target, kappa, factors):  # type: ignore[no-untyped-def]
    """Scale weighted cells to every margin in turn; return the largest correction.

    The correction is given in records, for one cell of a margin, and as a share of all records,
    for a whole margin.

    A margin's factors become target/fitted where `kappa` is 0, and (target + kappa) / (fitted
    without the factor + kappa) where it is positive; an infinite kappa leaves them alone.
    """
    margins, cells = len(starts) - 1, codes.shape[1]
    worst, share = 0.0, 0.0
    for j in range(margins):
        if np.isinf(kappa[j]):
            continue
        fitted = np.zeros(starts[j + 1] - starts[j])
        a, b, c = variables[j]
        p, q, r = strides[j]
        for x in range(cells):
            if means[x] > 0.0:
                fitted[codes[a, x] * p + codes[b, x] * q + codes[c, x] * r] += weights[x] * means[x]
        ratio = np.ones(len(fitted))
        misplaced, records = 0.0, 0.0
        for i in range(len(fitted)):
            goal, old = target[starts[j] + i], factors[starts[j] + i]
            if kappa[j] == 0.0:
                if fitted[i] > 0.0:
                    ratio[i] = goal / fitted[i]
            elif old > 0.0:
                ratio[i] = (goal + kappa[j]) / (fitted[i] / old + kappa[j]) / old
            factors[starts[j] + i] = old * ratio[i]
            moved = abs(ratio[i] - 1.0) * fitted[i]
            worst = max(worst, moved)
            misplaced += moved
            records += goal
        share = max(share, misplaced / records)
        for x in range(cells):
            means[x] *= ratio[codes[a, x] * p + codes[b, x] * q + codes[c, x] * r]
    return worst, share
