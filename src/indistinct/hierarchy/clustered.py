"""A hierarchy for categories that nobody gave one for, made from how often they occur with others.

Two categories are alike when the records that have them are alike in all else. Joining *a* and *b*
loses what they told of the other variables,

    (n_a + n_b) · JS(p_a, p_b),

the Jensen-Shannon divergence of their distributions by how many records have them: the information
about the others that is lost (N. Slonim and N. Tishby, "Agglomerative information bottleneck",
1999). The pair that loses least is joined first, so that rare categories and those that are alike
climb together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from indistinct.core import Floats, InputError
from indistinct.hierarchy.hierarchy import SUPPRESSED, Hierarchy
from indistinct.hierarchy.special import distinct_texts, rule_hierarchy
from indistinct.hierarchy.text import as_texts

__all__ = ["FEWEST_CLUSTERED", "MOST_CLUSTERED", "clustered_hierarchy"]

FEWEST_CLUSTERED = 4
MOST_CLUSTERED = 1_000
"""Categories for which there are levels between all and nothing, in reasonable time."""
_LONGEST = 80
"""Characters of a label that names all of its members."""
_PLAIN_WEIGHT = 1e-9
"""What joining large groups costs besides, so that among equals the rarest are joined."""


def clustered_hierarchy(
    values: Sequence[object],
    counts: Floats,
    *,
    name: str = "",
    special: Iterable[object] = (),
    root: str = SUPPRESSED,
) -> Hierarchy:
    """Return the hierarchy that joins categories whose records are alike, half as many each level.

    Parameters
    ----------
    values
        The categories.
    counts
        For each of them (rows) how many records have each category of other variables (columns);
        each other variable has columns of its own.
    special
        Values that are no categories (codes for *unknown*): they stay as they are.

    >>> found = np.array([[50, 2], [48, 3], [1, 60], [0, 55]])
    >>> tree = clustered_hierarchy(["nurse", "midwife", "welder", "fitter"], found, name="job")
    >>> tree.ancestors("nurse"), tree.ancestors("fitter")
    (('nurse', '{midwife, nurse}', '*'), ('fitter', '{fitter, welder}', '*'))
    """
    table = np.asarray(counts, dtype=float)
    if table.ndim != 2 or len(table) != len(values):
        raise InputError(f"counts of '{name}' must have a row for each of its values.")
    ordinary, apart = distinct_texts(values, special=special, root=root)
    row_of = {text: row for row, text in enumerate(as_texts(values)) if text is not None}
    steps = _levels(len(ordinary))
    joined = _joined([row_of[text] for text in ordinary], table, steps)
    labels = [_label_groups(ordinary, groups, {*ordinary, *apart}) for groups in joined]
    return rule_hierarchy(
        ordinary,
        apart,
        lambda text: [level[text] for level in labels],
        steps=len(steps),
        root=root,
        name=name,
        ordered=False,
    )


def _levels(categories: int) -> list[int]:
    """Return how many groups each level has: half as many every time, two at the least."""
    found = []
    groups = -(-categories // 2)
    while categories >= FEWEST_CLUSTERED and groups >= 2:
        found.append(groups)
        groups = -(-groups // 2) if groups > 2 else 0
    return found


def _joined(rows: Sequence[int], table: Floats, steps: Sequence[int]) -> list[list[list[int]]]:
    """Return the groups of places at each number of groups, joined two at a time."""
    counts = table[list(rows)].copy()
    total = max(counts.sum(), 1.0)
    groups: list[list[int] | None] = [[place] for place in range(len(rows))]
    cost = np.full((len(rows), len(rows)), np.inf)
    for one in range(len(rows) - 1):
        cost[one, one + 1 :] = _losses(counts, one, np.arange(one + 1, len(rows)), total)
    found, alive = [], len(rows)
    for wanted in steps:
        while alive > wanted:
            first, second = divmod(int(cost.argmin()), len(rows))
            groups[first] = [*(groups[first] or ()), *(groups[second] or ())]
            groups[second] = None
            counts[first] += counts[second]
            cost[second, :] = cost[:, second] = np.inf
            others = np.array([o for o, g in enumerate(groups) if g is not None and o != first])
            if len(others):
                anew = _losses(counts, first, others, total)
                cost[np.minimum(others, first), np.maximum(others, first)] = anew
            alive -= 1
        found.append([sorted(group) for group in groups if group is not None])
    return found


def _losses(counts: Floats, one: int, others: np.ndarray, total: float) -> Floats:
    """Return what joining a group with each of some others loses, in nats by record."""
    own, theirs = counts[one], counts[others]
    both = own + theirs
    loss: Floats = _entropies(both) - _entropies(theirs) - _entropies(own[None])[0]
    loss += _PLAIN_WEIGHT * both.sum(axis=1) ** 2 / total
    return loss


def _entropies(counts: Floats) -> Floats:
    """Return n · H(p) of each row: n log n − Σ c log c."""
    sums = counts.sum(axis=1)
    inner = counts * np.log(counts, out=np.zeros_like(counts), where=counts > 0)
    outer = sums * np.log(sums, out=np.zeros_like(sums), where=sums > 0)
    found: Floats = outer - inner.sum(axis=1)
    return found


def _label_groups(
    ordinary: Sequence[str], groups: Sequence[Sequence[int]], taken: set[str]
) -> dict[str, str]:
    """Return the label of each value's group; a group of one keeps its own."""
    found: dict[str, str] = {}
    used = set(taken)
    for group in groups:
        members = sorted(ordinary[place] for place in group)
        label = _label(members)
        number = 2
        while len(members) > 1 and label in used:
            label = f"{_label(members)} ({number})"
            number += 1
        used.add(label)
        found |= dict.fromkeys(members, label)
    return found


def _label(members: Sequence[str]) -> str:
    if len(members) == 1:
        return members[0]
    whole = f"{{{', '.join(members)}}}"
    if len(whole) <= _LONGEST and not any(set(",{}") & set(member) for member in members):
        return whole
    rest = len(members) - 1
    return f"{members[0]} and {rest} other{'s' if rest > 1 else ''}"
