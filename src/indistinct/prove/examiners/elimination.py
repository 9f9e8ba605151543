"""Who is left when everybody whom other records must be about is taken away.

In a file whose classes all have k records, blanks being values of their own, elimination finds
nobody: the people behind a class are at least as many as its records. Where k was counted in
another way, with blanks that agree with anything or among the people of a register, it may.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from indistinct.core import Ints
from indistinct.keys import MOST_LINKS, KeyTable, possible_links, wildcard_frequencies
from indistinct.prove.covering import cover
from indistinct.prove.examiners.every import register_examiner
from indistinct.prove.exposure import Counted, count_by
from indistinct.prove.links import linked_pairs, linked_totals, members_of_groups
from indistinct.prove.opinion import Opinion, Trial
from indistinct.prove.registers import Register, as_text_column

__all__ = ["examine_elimination"]


@register_examiner(place=40)
def examine_elimination(trial: Trial) -> Opinion:
    """Count the people who may be behind each record after elimination.

    Of ten people with ten different ages, nine are released with their age and one with a blank:
    all ten people agree with the blank, and it is the tenth's.

    >>> import indistinct
    >>> from indistinct.prove import Promise
    >>> promise = Promise(key=("age",), k=2, wildcard=True)
    >>> with indistinct.open_data({"age": [*range(20, 29), None]}) as data:
    ...     private = indistinct.files.open_table({"age": [*range(20, 30)]},
    ...         workspace=data.engine.workspace, origin="private")
    ...     found = examine_elimination(Trial(data.engine, data.source, promise, private))
    >>> found.k, found.findings
    (1, ('whoever takes away the people whom other records must be about narrows 10 ...
    """
    promise, release = trial.promise, trial.release
    if not promise.claims_k or not release.records:
        return Opinion()
    table = KeyTable.from_tally(trial.engine.count(release, promise.key))
    smallest = int(table.counts.min())
    if smallest >= promise.k:
        return Opinion(k=smallest) if promise.population is None else Opinion()
    found = Opinion()
    if promise.wildcard:
        found = Opinion(k=int(wildcard_frequencies(table).min())).reserving(
            "wildcard",
            "a blank counts as any value: read as a value of its own, it leaves records in "
            f"classes smaller than {promise.k:,}, and an intruder who knows more than the key may "
            "read it so",
        )
    elif promise.population is None:
        return found  # the count of the file itself has found them
    for people in _universes(trial):
        found = _eliminated(found, trial, people)
    return found


def _universes(trial: Trial) -> list[Register]:
    """Return lists that are known to hold everybody whom a record may be about."""
    promise = trial.promise
    if promise.population is not None:
        named = Path(promise.population).name
        return [r for r in trial.registers if Path(r.name).name == named]
    return [] if trial.private is None else [Register.of_private(trial.private, promise.person)]


def _eliminated(found: Opinion, trial: Trial, people: Register) -> Opinion:
    promise = trial.promise
    key = [name for name in promise.key if name in people.source.variables]
    released = count_by(trial.engine, trial.release, key)
    known = count_by(trial.engine, people.source, key)
    left = _people_left(trial, released, known, people)
    if left is None:
        return found.reserving(
            "elimination-not-tried",
            f"whether taking people of {people.name} away, one after the other, leaves fewer than "
            f"{promise.k:,} was not worked out: too many agree with too many records, or labels "
            "cannot be read",
        )
    fewest = int(left.min())
    found = Opinion(
        found.findings,
        found.reservations,
        found.notes,
        fewest if found.k is None else min(found.k, fewest),
        found.parts,
    )
    narrowed = int(released.counts[left < promise.k].sum())
    if not narrowed:
        return found
    return found.finding(
        "whoever takes away the people whom other records must be about narrows "
        f"{narrowed:,} of {trial.release.records:,} records down to fewer than {promise.k:,} "
        f"people, the worst to {fewest:,}"
    )


def _people_left(trial: Trial, released: Counted, known: Counted, people: Register) -> Ints | None:
    """Return for each released class the people who may be behind it; None where nobody can say."""
    key = [name for name in trial.promise.key if name in people.source.variables]
    covers = [
        cover(released.values[j], known.values[j], name=name, hierarchy=trial.hierarchies.get(name))
        for j, name in enumerate(key)
    ]
    ones = np.ones((len(known.counts), 1), dtype=np.int64)
    if int(linked_totals(released.codes, known.codes, covers, ones).sum()) > MOST_LINKS:
        return None
    pairs = list(linked_pairs(released.codes, known.codes, covers))
    empty = np.zeros(0, dtype=np.int64)
    links = (
        np.concatenate([empty, *(records for records, _ in pairs)]),
        np.concatenate([empty, *(classes for _, classes in pairs)]),
    )
    possible = possible_links(released.counts, known.counts, links)
    if possible is None:
        return None
    records, classes = links[0][possible], links[1][possible]
    if people.person is not None:
        return _persons(records, classes, known, people, len(released.counts))
    left = np.bincount(records, weights=known.counts[classes], minlength=len(released.counts))
    return left.astype(np.int64)


def _persons(
    records: Ints, classes: Ints, known: Counted, people: Register, released: int
) -> Ints | None:
    """Count persons, not their records, behind each released class."""
    column = as_text_column(people.source.table([people.person or ""]).column(0))
    numbers = column.combine_chunks().dictionary_encode().indices.fill_null(-1).to_numpy()
    width = int(numbers.max(initial=0)) + 2
    held = np.unique(known.class_of_records() * width + numbers + 1)
    many = np.bincount(held // width, minlength=len(known.counts))
    if int(many[classes].sum()) > MOST_LINKS:
        return None
    at, member = members_of_groups(classes, held // width, groups=len(known.counts))
    pairs = np.unique(records[at] * width + held[member] % width)
    return np.bincount(pairs // width, minlength=released).astype(np.int64)
