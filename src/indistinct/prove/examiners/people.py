"""Visits are no patients: whether every class of the released file has records of k people.

Among the private data's own people and in registers `verify` counts people already, by what the
labels leave possible. Here the people are counted whose records really are in a class: by the
holder's knowledge of which record each was made from, and by a number of people that was released
itself, such as a pseudonym. Such a number also lets anybody put a person's records together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from indistinct.core import Ints
from indistinct.files import Source
from indistinct.keys import class_of_records, person_of_records, several_records
from indistinct.naming import find_person, with_person
from indistinct.prove.examiners.every import register_examiner
from indistinct.prove.opinion import Opinion, Trial
from indistinct.prove.promise import Promise

__all__ = ["examine_people", "with_undecided"]


@register_examiner(place=80)
def examine_people(trial: Trial) -> Opinion:
    """Count the people of every released class, where it can be told whose its records are."""
    promise, release, engine = trial.promise, trial.release, trial.engine
    found = Opinion()
    if not release.records:
        return found
    for name in promise.undecided:
        found = found.reserving(
            "people-not-said",
            f"several records share their {name}: if these are of one person, some combinations "
            f"of {', '.join(promise.key)} are those of fewer than {promise.k:,} people, as every "
            "record was counted as one; name the column that says whose each is, if there is one",
        )
    private, person, origin = trial.private, promise.person, trial.origin
    if private is not None and origin is not None and len(origin) == release.records:
        real = origin >= 0
        # one record, one person: whoever left twice is one, whatever the private data number
        whose, by = origin[real], "the holder's ledger"
        if person is not None:
            whose, by = person_of_records(engine, private, person)[whose], f"'{person}'"
        if person is not None or len(np.unique(whose)) < len(whose):
            classes = class_of_records(engine.count(release, promise.key))
            found = _counted(found, trial, classes[real], whose, by)
    numbered, released = _released_person(trial)
    if released is not None:
        whose = person_of_records(engine, numbered, released)
        classes = class_of_records(engine.count(release, promise.key))
        found = _counted(found, trial, classes, whose, f"'{released}'")
        return _put_together(found, trial, classes, whose, released)
    if person is not None and private is None:
        said = (
            f"people have several records, by '{person}', which is not released: whose the records "
            "are can be counted with the private data"
        )
        return replace(found, notes=(*found.notes, said))
    return found


def with_undecided(trial: Trial, names: Sequence[str]) -> Promise:
    """Return the promise with those ids by which a class would have fewer than k people.

    The holder alone can count it, so the promise says it to everybody else.
    """
    promise, private, origin = trial.promise, trial.private, trial.origin
    if private is None or promise.person is not None or not promise.claims_k:
        return promise
    if not names or not trial.release.records:
        return promise
    few = list(names)
    if origin is not None and len(origin) == trial.release.records:
        real = origin >= 0
        classes = class_of_records(trial.engine.count(trial.release, promise.key))[real]
        few = []
        for name in names:
            whose = person_of_records(trial.engine, private, name)[origin[real]]
            people = np.bincount(_pairs(classes, whose)[0])
            if people[people > 0].min(initial=promise.k) < promise.k:
                few.append(name)
    return replace(promise, undecided=tuple(few))


def _released_person(trial: Trial) -> tuple[Source, str | None]:
    """Return a released column that numbers people who have several records, and the records.

    What two columns told in the private data, a household and a line in it, they tell here too.
    """
    engine, promise, release = trial.engine, trial.promise, trial.release
    person = promise.person
    parts = [part.strip() for part in person.split(",")] if person is not None else []
    together = len(parts) > 1 and all(part in release.variables for part in parts)
    release = with_person(engine, release, person if together else None, key=promise.key)
    if person is None or person not in release.variables or person in promise.key:
        person = find_person(engine, release, key=promise.key)
    if person is None or not several_records(engine, release, person):
        return release, None
    return release, person


def _counted(found: Opinion, trial: Trial, classes: Ints, whose: Ints, by: str) -> Opinion:
    """Add the fewest people of a class, and a finding where they are too few."""
    of_class, _ = _pairs(classes, whose)
    if not len(of_class):
        return found
    people = np.bincount(of_class)
    fewest = int(people[people > 0].min())
    wanted = trial.promise.k
    if trial.promise.claims_k and fewest < wanted:
        found = found.finding(
            f"some combinations of {', '.join(trial.promise.key)} are those of fewer than "
            f"{wanted:,} people, who have several records each: by {by} the fewest are "
            f"{fewest:,}"
        )
    least = fewest if found.k is None else min(found.k, fewest)
    return replace(found, k=least)


def _put_together(found: Opinion, trial: Trial, classes: Ints, whose: Ints, person: str) -> Opinion:
    """Reserve that whoever knows several of a person's records may tell her from others."""
    of_class, of_person = _pairs(classes, whose)
    if np.bincount(of_person).max(initial=0) < 2:
        return found
    # a set of classes is the sum of fixed random words, whatever their order
    words = np.random.default_rng(0).integers(0, 1 << 62, int(classes.max()) + 1, dtype=np.uint64)
    sets = np.zeros(int(of_person.max()) + 1, dtype=np.uint64)
    np.add.at(sets, of_person, words[of_class])
    _, which, sizes = np.unique(sets, return_inverse=True, return_counts=True)
    alike = sizes[which.reshape(-1)]
    few = int((alike < trial.promise.k).sum())
    if not few:
        return found
    return found.reserving(
        "records-linked",
        f"'{person}' is released and tells which records are of one person: whoever knows several "
        f"combinations of {', '.join(trial.promise.key)} of somebody may find fewer than "
        f"{trial.promise.k:,} people with all of them",
    )


def _pairs(classes: Ints, whose: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of a class and a person in it, each once."""
    size = int(whose.max(initial=0)) + 1
    of_class, of_person = np.divmod(np.unique(classes * size + whose), size)
    return of_class, of_person
