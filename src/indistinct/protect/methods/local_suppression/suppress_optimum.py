"""The fewest blanks there are, where a blank is a value of its own: an integer programme.

For every class c and every set of blank variables m that it may have, x[c, m] records go that
way; y[g] says whether group g of the release exists ::

    minimise    sum of w(c, m) x[c, m]
    subject to  sum over m of x[c, m] = n[c]              for every class
                sum over c of x[c, g] >= k y[g]           for every group
                x[c, g] <= n[c] y[g]                      for every class and group

Left out is only what the best suppression does not need: groups whose members also agree on a
variable of m; pairs whose share (see `strict_bound`) no suppression that is better than the known
one can afford; and, where a class can lend records to all groups that may ask, other lenders
that are no cheaper. What is left falls into parts that share no class, solved one by one.

A weight below which no suppression to k can stay, where a blank is a value of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array

from indistinct.core import Bools, Floats, Ints, LinearProgram
from indistinct.protect.methods.local_suppression.suppress_kernels import number_groups
from indistinct.protect.methods.local_suppression.suppress_problem import Problem, Rows

__all__ = ["AUTOMATIC_PAIRS", "MOST_PAIRS", "Optimum", "best_suppression", "strict_bound"]

AUTOMATIC_PAIRS = 3_000
"""Up to so many pairs of a class and a set of variables the optimum is sought unasked."""
MOST_PAIRS = 100_000
NODE_PAIRS, AUTOMATIC_NODE_PAIRS = 1_000_000, 60_000
"""Branches of the search tree of one part, times its pairs: when asked for, and unasked."""
TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best suppression found, and a weight that none stays below."""

    rows: Rows
    bound: float


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Classes that may go to groups: one entry each."""

    row: Ints
    group: Ints
    cost: Floats
    bits: Ints  # by group

    def __len__(self) -> int:
        return len(self.row)

    def kept(self, which: Bools) -> _Pairs:
        return _Pairs(self.row[which], self.group[which], self.cost[which], self.bits)


def best_suppression(
    problem: Problem, known: Rows, *, bound: float, least: Floats, asked: bool
) -> Optimum | None:
    """Return the optimum, or the best that bounded work finds; None if there are too many pairs.

    Parameters
    ----------
    known
        A suppression; nothing worse comes back.
    asked
        Whether the optimum was asked for, and may take its time.
    bound, least
        What `strict_bound` returns.
    """
    if not problem.all_masks:
        return None
    weight = known.weight(problem)
    pairs = _pairs(problem, weight - bound, least, MOST_PAIRS if asked else AUTOMATIC_PAIRS)
    if pairs is None:
        return None
    pairs, lends = _without_needless_lenders(problem, pairs)
    work = NODE_PAIRS if asked else AUTOMATIC_NODE_PAIRS
    total, below = 0.0, 0.0
    chosen = np.zeros(len(pairs), dtype=np.int64)
    for part in _parts(pairs, lends):
        solved = _solve(problem, pairs.kept(part), lends, work)
        if solved is None:
            # no suppression keeps within the known one's weight, so none is better
            return Optimum(known, weight)
        below += solved[1]
        total += solved[2]
        chosen[part] = solved[0]
    below = max(bound, min(below, weight))
    if total >= weight - TOLERANCE:
        return Optimum(known, below)
    return Optimum(_rows(problem, pairs, chosen), below)


def _pairs(problem: Problem, gap: float, least: Floats, most: int) -> _Pairs | None:
    small = problem.counts < problem.k
    base = problem.base
    rows_found, groups_found, costs_found, bits_found = [], [], [], []
    pairs = groups = 0
    every = [0, *(bits for band in problem.bands() for bits in band)]
    words, fields = problem.bit_fields()
    n = len(small)
    hashing = (np.zeros(max(4, 4 * n), np.int64), np.zeros(n, np.int64))
    ids = np.zeros(n, dtype=np.int64)
    for bits in every:
        rows = np.flatnonzero((base & ~np.int64(bits)) == 0)
        if not len(rows):
            continue
        field = problem.kept_field(fields, bits)
        number = number_groups(words, rows, field, *hashing, ids)
        group = ids[: len(rows)]
        total = np.bincount(group, weights=problem.counts[rows], minlength=number)
        wanted = total >= problem.k
        for j in problem.open:
            if bits >> j & 1:
                wanted &= _varies(problem, rows, group, number, j)
        affordable = np.zeros(n, dtype=bool)
        for _, some, _, shares in shares_of_masks(problem, [bits]):
            affordable[some] = shares - least[some] <= gap + TOLERANCE
        asked = np.zeros(number, dtype=bool)
        asked[group[affordable[rows]]] = True
        native = base[rows] == bits
        # a safe class may always stay as it is
        home = np.zeros(number, dtype=bool)
        home[group[native & ~small[rows]]] = True
        keep = (wanted & asked)[group] & (affordable[rows] | ~small[rows])
        keep |= home[group] & native & ~small[rows]
        pairs += int(keep.sum())
        if pairs > most:
            return None
        used, renumbered = np.unique(group[keep], return_inverse=True)
        in_mask = np.array([bits >> j & 1 for j in range(len(problem.names))], dtype=bool)
        rows_found.append(rows[keep])
        groups_found.append(renumbered.reshape(-1) + groups)
        costs_found.append((in_mask & ~problem.missing[rows[keep]]) @ problem.weights)
        bits_found.append(np.full(len(used), bits, dtype=np.int64))
        groups += len(used)
    return _Pairs(
        np.concatenate(rows_found),
        np.concatenate(groups_found),
        np.concatenate(costs_found),
        np.concatenate(bits_found),
    )


def _varies(problem: Problem, rows: Ints, group: Ints, number: int, j: int) -> Bools:
    """Say of every group whether its members differ in a variable, or all lack it."""
    codes = problem.codes[rows, j]
    low = np.full(number, np.iinfo(np.int64).max)
    high = np.full(number, -1, dtype=np.int64)
    np.minimum.at(low, group, codes)
    np.maximum.at(high, group, codes)
    lacking = np.zeros(number, dtype=bool)
    lacking[group[problem.missing[rows, j]]] = True
    return np.asarray((low != high) | lacking)


def _without_needless_lenders(problem: Problem, pairs: _Pairs) -> tuple[_Pairs, Bools]:
    """Keep one lender per group where a class has enough for all; say which classes have.

    A class has enough if k stay when every group it fits in takes k - 1. A lender is needless
    if in each of its groups such a class lends at no higher cost: its records can stay at home.
    """
    small = problem.counts < problem.k
    lender = ~small[pairs.row]
    away = lender & (pairs.cost > 0)
    asked = np.bincount(pairs.row[away], minlength=len(small))
    enough = ~small & (problem.counts - problem.k >= (problem.k - 1) * asked)
    groups = len(pairs.bits)
    cheapest = np.full(groups, np.inf)
    can = away & enough[pairs.row]
    np.minimum.at(cheapest, pairs.group[can], pairs.cost[can])
    needed = np.zeros(len(small), dtype=bool)
    needed[pairs.row[away & (pairs.cost < cheapest[pairs.group])]] = True
    needed |= small
    # among equals the first class lends
    first = np.full(groups, len(small), dtype=np.int64)
    ties = can & (pairs.cost <= cheapest[pairs.group])
    np.minimum.at(first, pairs.group[ties], pairs.row[ties])
    lends = enough & ~needed
    keep = ~away | needed[pairs.row] | (first[pairs.group] == pairs.row)
    return pairs.kept(keep), lends


def _parts(pairs: _Pairs, lends: Bools) -> Iterator[Bools]:
    """Yield the pairs of each part; classes that lend to all who ask do not tie parts together."""
    from scipy.sparse.csgraph import connected_components  # few runs come here; long to load

    rows, groups = len(lends), len(pairs.bits)
    tie = ~lends[pairs.row]
    graph = coo_array(
        (np.ones(int(tie.sum())), (pairs.row[tie], rows + pairs.group[tie])),
        shape=(rows + groups, rows + groups),
    )
    _, part = connected_components(graph, directed=False)
    of_pair = part[rows + pairs.group]
    for number in np.unique(of_pair):
        yield np.asarray(of_pair == number)


def _solve(
    problem: Problem, pairs: _Pairs, lends: Bools, work: int
) -> tuple[Ints, float, float] | None:
    """Return how many records of each pair, a lower bound, and the weight; None if impossible."""
    k, n = problem.k, len(pairs)
    tied = ~lends[pairs.row]
    classes, row = np.unique(pairs.row[tied], return_inverse=True)
    used, group = np.unique(pairs.group, return_inverse=True)
    group = group.reshape(-1)
    # at home a lending class has all it needs, and k for whoever comes to it
    at_home = ~tied & (pairs.cost == 0)
    if at_home.all():
        return problem.counts[pairs.row], 0.0, 0.0
    wanted = np.full(len(used), float(k))
    wanted[group[at_home]] = 0.0
    most = np.where(tied, problem.counts[pairs.row], np.where(at_home, 0, k - 1)).astype(float)
    here = np.flatnonzero(tied)
    each = np.arange(n)
    columns = np.concatenate([here, each, n + np.arange(len(used)), each, n + group])
    lines = np.concatenate(
        [
            row.reshape(-1),
            len(classes) + group,
            len(classes) + np.arange(len(used)),
            np.tile(len(classes) + len(used) + each, 2),
        ]
    )
    ones = np.ones(n)
    values = np.concatenate([np.ones(len(here)), ones, -wanted, ones, -most])
    lines_total = len(classes) + len(used) + n
    matrix = coo_array((values, (lines, columns)), shape=(lines_total, n + len(used))).tocsc()
    counts = problem.counts[classes].astype(float)
    lower = np.concatenate([counts, np.zeros(len(used)), np.full(n, -np.inf)])
    upper = np.concatenate([counts, np.full(len(used), np.inf), np.zeros(n)])
    program = LinearProgram(
        low=np.zeros(n + len(used)),
        high=np.concatenate([most, np.ones(len(used))]),
        cost=np.concatenate([pairs.cost, np.zeros(len(used))]),
        rows=matrix,
        right=(lower, upper),
        whole=True,
        options={"mip_max_nodes": max(1, work // n), "mip_rel_gap": 0.0},
    )
    ended = program.solve()
    if ended.endswith("no solution"):
        return None
    if not program.has_values:
        return np.zeros(n, dtype=np.int64), 0.0, np.inf
    chosen = np.rint(program.values[:n]).astype(np.int64)
    below = program.objective if ended == "solved" else max(0.0, program.proved_bound)
    return chosen, float(below), float((chosen * pairs.cost).sum())


def _rows(problem: Problem, pairs: _Pairs, chosen: Ints) -> Rows:
    """Return what was decided; what is not sent anywhere stays as it is."""
    away = (chosen > 0) & (pairs.cost > 0)
    home = problem.counts - np.bincount(
        pairs.row[away], weights=chosen[away], minlength=len(problem.counts)
    ).astype(np.int64)
    staying = np.flatnonzero(home)
    classes = np.concatenate([pairs.row[away], staying])
    bits = (
        np.concatenate(
            [pairs.bits[pairs.group[away]], problem.base[staying]],
        )
        & ~problem.base[classes]
    )
    counts = np.concatenate([chosen[away], home[staying]])
    order = np.lexsort((bits, classes))
    blank = (bits[order][:, None] >> np.arange(len(problem.names))) & 1 == 1
    return Rows(classes[order], np.asarray(blank), counts[order])


WORK = 100_000_000
"""How many classes, counted once for every set of variables, are looked at."""

Shares = tuple[int, Ints, Ints, Floats]
"""A set of variables, the classes that can have it, their groups, and their shares."""


def strict_bound(problem: Problem) -> tuple[float, Floats]:
    """Return the bound, and what one record of each small class pays at least.

    A record that must give up cells ends in a group of at least k. Let the group's variables be
    blank, t be the records of small classes that could be in it, and c the least that any other
    record pays there. At most t share what its at least k - t others pay, so each accounts for ::

        own weight + max(0, k - t) · c / t

    or more, and no less than the smallest such share over all groups that have k records to
    draw from. The sum over the records of small classes is a bound for the file.
    """
    small = problem.counts < problem.k
    least = np.full(len(small), np.inf)
    untried = 0.0
    work = 0
    for band in problem.bands() if problem.all_masks else _by_size(problem):
        work += len(band) * len(small)
        if work > WORK or not (least[small] > problem.mask_weight(band[0])).any():
            untried = problem.mask_weight(band[0])
            break
        for _, rows, _, shares in shares_of_masks(problem, band):
            least[rows] = np.minimum(least[rows], shares)
    else:
        lightest = np.sort(problem.weights[list(problem.open)])
        untried = np.inf if problem.all_masks else float(lightest[:4].sum())
    # heavier sets cost at least their weight without what was blank before
    if untried < np.inf:
        before = problem.missing @ problem.weights
        least = np.minimum(least, np.maximum(untried - before, 0.0))
    least[~small] = 0.0
    return float((least * problem.counts)[small].sum()), least


def _by_size(problem: Problem) -> Iterator[list[int]]:
    """Yield sets of variables that are lighter than all that come after them."""
    weights = sorted(problem.weights[list(problem.open)])
    for size in (1, 2, 3):
        band = sorted(problem.of_size(size), key=problem.mask_weight)
        heavier = sum(weights[: size + 1])
        yield [bits for bits in band if problem.mask_weight(bits) <= heavier] or band[:1]


def shares_of_masks(problem: Problem, masks: list[int]) -> Iterator[Shares]:
    """Yield for each set of variables the small classes' shares, infinite where k is not met."""
    words, fields = problem.bit_fields()
    base, n = problem.base, len(problem.counts)
    slots, first, ids = np.zeros(max(4, 4 * n), np.int64), np.zeros(n, np.int64), np.zeros(n, int)
    small = problem.counts < problem.k
    for bits in masks:
        rows = np.flatnonzero((base & ~np.int64(bits)) == 0)
        field = problem.kept_field(fields, bits)
        number = number_groups(words, rows, field, slots, first, ids)
        group = ids[: len(rows)].copy()
        in_mask = np.array([bits >> j & 1 for j in range(len(problem.names))], dtype=bool)
        own = (in_mask & ~problem.missing[rows]) @ problem.weights
        total = np.bincount(group, weights=problem.counts[rows], minlength=number)
        sharing = np.bincount(
            group, weights=np.where(small[rows], problem.counts[rows], 0), minlength=number
        )
        filler = np.full(number, np.inf)
        others = ~small[rows]
        np.minimum.at(filler, group[others], own[others])
        filler[np.isinf(filler)] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            extra = np.maximum(0, problem.k - sharing) * filler / sharing
        shares = np.where(total[group] >= problem.k, own + extra[group], np.inf)
        chosen = small[rows]
        yield bits, rows[chosen], group[chosen], shares[chosen]
