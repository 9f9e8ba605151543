"""Tables with totals, hierarchies and links as systems of cells, straight from their counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from indistinct.tables.system import CellSystem


def axis_nodes(size: int, groups: Sequence[int] | None) -> tuple[np.ndarray, list[list[int]]]:
    """The members of every node, the total last, and the sums: parts with their whole last."""
    members = [np.eye(size)]
    sums = []
    parts = list(range(size))
    if groups is not None:
        of = np.asarray(groups)
        number = int(of.max()) + 1
        members.append((of[None, :] == np.arange(number)[:, None]).astype(float))
        sums = [[*np.flatnonzero(of == g).tolist(), size + g] for g in range(number)]
        parts = [size + g for g in range(number)]
    members.append(np.ones((1, size)))
    total = sum(len(m) for m in members) - 1
    return np.vstack(members), [*sums, [*parts, total]]


def cube(
    inner: np.ndarray,
    groups: Sequence[Sequence[int] | None] | None = None,
    published: Callable[[tuple[int, ...], tuple[int, ...]], bool] | None = None,
) -> CellSystem:
    """The cells of a table with all totals, of which some may not be published at all.

    `published` is asked for each cell, with its position along every axis and the totals' ones.
    """
    chosen = groups or [None] * inner.ndim
    axes = [axis_nodes(n, g) for n, g in zip(inner.shape, chosen, strict=True)]
    full = inner.astype(float)
    for k, (members, _) in enumerate(axes):
        full = np.moveaxis(np.tensordot(members, full, axes=(1, k)), 0, k)
    totals = tuple(n - 1 for n in full.shape)
    number = np.full(full.shape, -1)
    for at in np.ndindex(full.shape):
        if published is None or published(at, totals):
            number[at] = number.max() + 1
    rows = []
    for k, (_, sums) in enumerate(axes):
        lines = np.moveaxis(number, k, 0).reshape(full.shape[k], -1)
        for one in sums:
            for line in lines.T[:, one]:
                if (line >= 0).all():
                    row = np.zeros(number.max() + 1)
                    row[line[:-1]], row[line[-1]] = 1.0, -1.0
                    rows.append(row)
    order = np.argsort(number[number >= 0])
    return CellSystem(full[number >= 0][order], sparse.csr_matrix(np.array(rows)))


def random_cube(number: int) -> CellSystem:
    """One of five kinds of small tables: two-way, three-way, hierarchical (2), linked."""
    rng = np.random.default_rng([17, number])
    kind = number % 5
    shape = [(4, 5), (3, 3, 3), (4, 6), (2, 3, 4), (3, 3, 4)][kind]
    groups = [None, None, [None, np.arange(6) // 2], [None, None, np.arange(4) // 2], None][kind]
    # zeros, small counts and large ones
    inner = rng.poisson(rng.gamma(0.8, rng.choice([6.0, 15.0]), size=shape))
    if kind < 4:
        return cube(inner, groups)
    # age by sex and age by ethnic group, say, with the totals that they share
    return cube(inner, None, lambda at, total: at[1] == total[1] or at[2] == total[2])


def slow_interval(
    system: CellSystem, suppressed: np.ndarray, cell: int, known: Sequence[int] = ()
) -> tuple[float, float]:
    """The attacker's interval by SciPy, over all cells and all sums."""
    fixed = ~suppressed
    fixed[list(known)] = True
    bounds = [(v, v) if f else (0, None) for v, f in zip(system.values, fixed, strict=True)]
    ends = []
    for sign in (1.0, -1.0):
        goal = np.zeros(len(system))
        goal[cell] = sign
        found = linprog(
            goal, A_eq=system.relations, b_eq=np.zeros(system.relations.shape[0]), bounds=bounds
        )
        ends.append(sign * found.fun if found.status == 0 else -sign * np.inf)
    return ends[0], ends[1]
