"""Whether the order of the records tells whose they are.

A file sorted by name gives everybody away by position, whatever its cells say. The holder's ledger
knows which record became which; without it, released records that agree with the private ones
place by place show the order.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from indistinct.core import Ints
from indistinct.prove.examiners.every import register_examiner
from indistinct.prove.opinion import Opinion, Trial
from indistinct.prove.true_values import agreement

__all__ = ["agree_by_place", "examine_order", "follows"]

FEWEST = 10
"""Records of which chance does not keep the order: one order of 3.6 million is that of the file."""

FOLLOWS = 0.5
"""The correlation of two orders, from which on one tells of the other."""

LOOKED_AT = 20_000
"""Records that are compared place by place."""

COLUMNS = 12

AGREE_BY_PLACE = 0.05
"""The share of records that agree with the private one at their place, and not by chance, from
which on the order tells whose they are; chosen by `tools/calibrate_judge.py`."""


@register_examiner(place=90)
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
            "more records agree with the private one at their place than by chance: they stand, "
            "at least in part, in the same order, which may tell whose they are",
        )
    return found


def follows(origin: Ints) -> bool:
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
        int(agreement(*tables, places, others, trial.hierarchies)[0].sum())
        for others in (places, np.roll(places, len(rows) // 2))
    )
    return agree_by_place(by_place, elsewhere, len(rows)) > AGREE_BY_PLACE


def agree_by_place(by_place: int, elsewhere: int, records: int) -> float:
    """Return the share of records that agree with the private one at their place.

    0 where twice as many do not agree there as at a place that has nothing to do with theirs, or
    where the difference may be chance: it is less than three times its standard deviation.

    >>> agree_by_place(12, 0, 12), agree_by_place(3, 1, 60), agree_by_place(60, 55, 60)
    (1.0, 0.0, 0.0)
    """
    beyond = by_place - elsewhere
    if elsewhere >= by_place / 2 or beyond < 3 * (by_place + elsewhere) ** 0.5:
        return 0.0
    return by_place / records
