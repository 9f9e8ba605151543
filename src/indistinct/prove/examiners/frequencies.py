"""Codes read by counting: equal values that have equal codes are as frequent as their codes.

Encryption and made-up values that are one to one leave every frequency as it was. Whoever knows
how frequent values are in the file, alone and together with what else is known of people, lays
the counts beside each other: a code can only stand for a value with the same *profile*, which is
how often it occurs with each combination of the other variables. Since the values have the codes'
profiles, the file itself shows how many values a code may stand for: as many as codes share its
profile. Codes that occur once each tell nothing by their frequency.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indistinct.core import Ints
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable, group_rows
from indistinct.prove.examiners.every import register_examiner
from indistinct.prove.opinion import Opinion, Trial

__all__ = ["examine_frequencies"]

ROUNDS = 10
"""How often profiles are refined by each other."""


@register_examiner(place=50)
def examine_frequencies(trial: Trial) -> Opinion:
    """Find the codes that frequencies read, and whom they lead to.

    >>> import indistinct
    >>> from indistinct.prove import Promise
    >>> promise = Promise(key=("town",), k=2, encrypted=("town",))
    >>> with indistinct.open_data({"town": ["x9", "x9", "q1"]}) as data:
    ...     found = examine_frequencies(Trial(data.engine, data.source, promise))
    >>> found.findings
    ("whoever knows how frequent the values of 'town' are reads the codes: 1 of 3 records then ...
    """
    promise, release, engine = trial.promise, trial.release, trial.engine
    altered = [
        name
        for name in dict.fromkeys((*promise.encrypted, *promise.substituted))
        if name in release.variables and name not in promise.perturbed
    ]
    repeated = [name for name in altered if _repeats(engine, release, name)]
    found = Opinion()
    if not repeated:
        return found
    found = found.reserving(
        "encrypted",
        f"equal values of {', '.join(repeated)} have equal codes, so that whoever knows how "
        "frequent the values are may read some",
    )
    known = [name for name in repeated if name in promise.key]
    if known:
        # what is encrypted at random, or unique in every record, is no help to anybody
        plain = [name for name in promise.key if name not in altered]
        found = _key_read(found, trial, known, plain)
    for name in repeated:
        if name in known:
            continue
        naming = name in promise.substituted or release.variables[name].role == "identifier"
        if naming:
            plain = [other for other in promise.key if other not in altered]
            found = _names_read(found, trial, name, plain)
        elif name in promise.sensitive:
            found = _values_read(found, trial, name)
    return found


def _repeats(engine: Engine, release: Source, name: str) -> bool:
    """Say whether a code occurs more than once, so that it can be counted."""
    if not release.records:
        return False
    counts = KeyTable.from_tally(engine.count(release, [name])).counts
    return bool((counts > 1).any()) and len(counts) > 1


def _key_read(found: Opinion, trial: Trial, codes: Sequence[str], plain: Sequence[str]) -> Opinion:
    """Count the records that look like each, by the profiles of its codes and all else."""
    promise = trial.promise
    table, colours = _profiles(trial.engine, trial.release, codes, plain)
    rows = [colour[table.codes[:, j]] for j, colour in enumerate(colours)]
    # one to one, so that a class has as many records as the people of its values
    look = group_rows(np.stack([*rows, table.counts], axis=1))
    people = np.bincount(look, weights=table.counts).astype(np.int64)[look]
    few = int(table.counts[people < promise.k].sum())
    if not few:
        return found
    named = ", ".join(f"'{name}'" for name in codes)
    return found.finding(
        f"whoever knows how frequent the values of {named} are reads the codes: {few:,} of "
        f"{trial.release.records:,} records then lead to fewer than {promise.k:,} people"
    )


def _names_read(found: Opinion, trial: Trial, name: str, plain: Sequence[str]) -> Opinion:
    """Count how many people have the profile of a code that stands for a person."""
    promise = trial.promise
    table, colours = _profiles(trial.engine, trial.release, [name], plain)
    own = np.unique(table.codes[:, 0])
    alike = np.bincount(colours[0][own])[colours[0]]
    told = np.array([v is not None for v in table.values(name)], dtype=bool)
    few = int(table.counts[told & (alike[table.codes[:, 0]] < promise.k)].sum())
    if not few:
        return found
    return found.finding(
        f"the made-up values of '{name}' tie the records of a person together: by what is known of "
        f"people, {few:,} of {trial.release.records:,} records lead to fewer than {promise.k:,}"
    )


def _values_read(found: Opinion, trial: Trial, name: str) -> Opinion:
    """Count the records whose code has a frequency that no other has."""
    table = KeyTable.from_tally(trial.engine.count(trial.release, [name]))
    _, place, number = np.unique(table.counts, return_inverse=True, return_counts=True)
    few = int(table.counts[number[place.reshape(-1)] == 1].sum())
    if not few:
        return found
    return found.finding(
        f"whoever knows how frequent the values of '{name}' are reads the codes of {few:,} of "
        f"{trial.release.records:,} records"
    )


def _profiles(
    engine: Engine, release: Source, codes: Sequence[str], plain: Sequence[str]
) -> tuple[KeyTable, list[Ints]]:
    """Give equal colours to codes that counting cannot tell apart; a plain label is its own.

    Colours of one variable are refined by those of the others in turn until none is left to
    refine (colour refinement, Weisfeiler and Leman 1968).
    """
    table = KeyTable.from_tally(engine.count(release, [*codes, *plain]))
    colours: list[Ints] = []
    for j, coding in enumerate(table.coding.variables):
        size = coding.size
        colours.append(np.zeros(size, np.int64) if j < len(codes) else np.arange(size))
    before = 0
    for _ in range(ROUNDS):
        for j in range(len(codes)):
            colours[j] = _refined(table, colours, j)
        after = sum(int(colour.max()) + 1 for colour in colours)
        if after == before:
            break
        before = after
    return table, colours


def _refined(table: KeyTable, colours: Sequence[Ints], j: int) -> Ints:
    others = [colour[table.codes[:, i]] for i, colour in enumerate(colours) if i != j]
    rows = np.stack(others, axis=1) if others else np.zeros((table.classes, 1), dtype=np.int64)
    mark = np.random.default_rng(0).integers(1, 2**63, size=table.classes, dtype=np.uint64)
    # a profile is a sum of random words that wraps around: equal profiles have equal sums
    sums = np.zeros(len(colours[j]), dtype=np.uint64)
    np.add.at(sums, table.codes[:, j], table.counts.astype(np.uint64) * mark[group_rows(rows)])
    return np.unique(sums, return_inverse=True)[1].reshape(-1).astype(np.int64)
