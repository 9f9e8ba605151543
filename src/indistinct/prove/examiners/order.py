"""Whether the order of the records tells whose they are.

A file sorted by name gives everybody away by position, whatever its cells say. The holder's ledger
knows which record became which; without it, released records that agree with the private ones
place by place show the order.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.prove.opinion import Opinion, Trial
from indistinct.prove.true_values import agreement

__all__ = ["examine_order"]

FEWEST = 10
"""Records of which chance does not keep the order: one order of 3.6 million is that of the file."""

FOLLOWS = 0.5
"""The correlation of two orders, from which on one tells of the other."""

LOOKED_AT = 20_000
"""Records that are compared place by place."""

COLUMNS = 12


def examine_order(trial: Trial) -> Opinion:
    """Say whether records stand in the order of the private file."""
    promise, found = trial.promise, Opinion()
    if promise.keeps_order:
        return found.reserving(
            "order-kept",
            "the records stand in the order of the private file: whoever knows that order, or by "
            "what it was sorted, may tell whose they are",
        )
    if trial.origin is not None:
        if not follows(trial.origin):
            return found
        return found.finding(
            "the records were to leave in an order that says nothing, and stand in that of the "
            "private file"
        )
    if trial.private is not None and _agree_by_place(trial):
        return found.reserving(
            "order-kept",
            "record by record the release agrees with the private file: it stands in the same "
            "order, which may tell whose the records are",
        )
    return found


def follows(origin: NDArray[np.int64]) -> bool:
    """Say whether the order of released records tells that of the private ones.

    >>> follows(np.arange(20)), follows(np.arange(20)[::-1]), follows(np.arange(3))
    (True, True, False)
    """
    numbers = origin[origin >= 0]
    if len(numbers) < FEWEST:
        return False
    steps = np.diff(numbers)
    if (steps >= 0).all() or (steps <= 0).all():
        return True
    # among few records, chance makes orders that are somewhat alike
    if len(numbers) < FEWEST**2:
        return False
    return bool(abs(np.corrcoef(numbers, np.arange(len(numbers)))[0, 1]) > FOLLOWS)


def _agree_by_place(trial: Trial) -> bool:
    """Say whether records agree by place, and not just because all are alike."""
    private, release, promise = trial.private, trial.release, trial.promise
    assert private is not None
    records = release.records
    if records != private.records or records < FEWEST:
        return False
    changed = {*promise.perturbed, *promise.encrypted, *promise.substituted}
    shared = [n for n in release.variables if n in private.variables and n not in changed]
    key = [n for n in shared if n in promise.key]
    columns = [*key, *(n for n in shared if n not in promise.key)][:COLUMNS]
    if not columns:
        return False
    rows = np.arange(records)
    if records > LOOKED_AT:
        rows = np.sort(np.random.default_rng(1).choice(records, LOOKED_AT, replace=False))
    at = pa.array(rows)
    tables = release.table(columns).take(at), private.table(columns).take(at)
    places = np.arange(len(rows))
    by_place, elsewhere = (
        float(agreement(*tables, places, others, trial.hierarchies)[0].mean())
        for others in (places, np.roll(places, len(rows) // 2))
    )
    return by_place > 0.95 and elsewhere < by_place / 2
