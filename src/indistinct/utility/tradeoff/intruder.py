"""What an intruder finds who knows everybody's true key, whatever was done to the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indistinct.core import Ints
from indistinct.keys import group_rows
from indistinct.prove import linking_totals
from indistinct.utility.tradeoff.labelled import Labelled

__all__ = ["TARGETS", "Finds", "intruder_finds"]


TARGETS = 100_000
"""So many keys, at most, are looked for where labels stand for several values; more are sampled."""


@dataclass(frozen=True)
class Finds:
    """What the intruder finds.

    Parameters
    ----------
    expected
        The share of the original records that he is expected to get right: Σ 1/F over the records
        whose own released record agrees with their true key, F being all released records that do.
    uniques
        Records that are alone with their key in the original.
    unchanged
        The share of these whose own released record has the same values.
    present
        The share of these whose values some released record has, whoever's it is.
    changed, cells
        The share of records with a changed cell in the key (or left out), and of changed cells.
    """

    expected: float
    uniques: int
    unchanged: float
    present: float
    changed: float
    cells: float


def intruder_finds(key: Sequence[Labelled], partner: Ints, *, seed: int = 0) -> Finds:
    """Let an intruder look for every original record's true key among the released ones.

    A released record agrees with a key when each label may stand for the key's value. With exact
    labels that is equality, and 1/F is the chance of `indistinct.prove.changes.exact_matches`.

    Parameters
    ----------
    key
        The variables that the intruder knows.
    partner
        The released record of every original one; -1 where it was left out.
    """
    true = np.stack([column.original for column in key], axis=1)
    kept = np.flatnonzero(partner >= 0)
    theirs = partner[kept]
    agrees = np.ones(len(kept), dtype=bool)
    same = np.zeros((len(kept), len(key)), dtype=bool)
    for j, column in enumerate(key):
        own = column.original[kept]
        label = column.released[theirs]
        same[:, j] = column.equal[label] == own
        agrees &= same[:, j] if column.exact else column.cover.meets(label, own)
    values = np.stack([column.equal[column.released] for column in key], axis=1)
    readable = np.flatnonzero((values >= 0).all(axis=1))
    row = group_rows(np.concatenate([true, values[readable]]))
    classes = int(row.max(initial=-1)) + 1
    person, written = row[: len(true)], row[len(true) :]
    before, after = (np.bincount(rows, minlength=classes) for rows in (person, written))
    mine = kept[agrees]
    if all(column.exact for column in key):
        right = np.bincount(person[mine], minlength=classes)
        expected = float((right / np.maximum(1, after)).sum())
    else:
        expected = _among_labels(key, true, person, mine, seed)
    alone = before[person] == 1
    uniques = int(alone.sum())
    unchanged = int((same.all(axis=1) & alone[kept]).sum())
    present = int((after[person[alone]] > 0).sum())
    records, cells = max(1, len(true)), max(1, true.size)
    return Finds(
        expected / records,
        uniques,
        unchanged / max(1, uniques),
        present / max(1, uniques),
        1 - int(same.all(axis=1).sum()) / records,
        1 - int(same.sum()) / cells,
    )


def _among_labels(
    key: Sequence[Labelled], true: Ints, person: Ints, mine: Ints, seed: int
) -> float:
    """Add up 1/F over records whose own agrees, F counted among labels of every kind."""
    looked_for, first, people = np.unique(person[mine], return_index=True, return_counts=True)
    if len(looked_for) > TARGETS:
        drawn = np.random.default_rng(seed).choice(len(looked_for), TARGETS, replace=False)
        scale = len(looked_for) / TARGETS
        first, people = first[drawn], people[drawn]
    else:
        scale = 1.0
    labels = np.stack([column.released for column in key], axis=1)
    row = group_rows(labels)
    kinds = np.empty((int(row.max(initial=-1)) + 1, len(key)), dtype=np.int64)
    kinds[row] = labels
    counts = np.bincount(row)
    among = linking_totals(
        kinds, true[mine[first]], [column.cover for column in key], counts[:, None]
    )[:, 0]
    return float((people / np.maximum(1, among)).sum()) * scale
