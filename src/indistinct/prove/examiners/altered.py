"""What altered values protect from: an intruder who knows the true ones is let loose on them.

Noise, swaps and shuffles prove nothing. What can be said is what was measured: how often the
released record that is nearest to what the intruder knows is the person's own. Variables of the
key that were not altered must agree, so that they narrow the choice before anything is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, Floats, Ints, decoded, values_and_codes
from indistinct.files import Source
from indistinct.keys import person_of_records
from indistinct.prove.attacks.nearest import Nearest, TrueValues, look_for
from indistinct.prove.covering import Cover, cover
from indistinct.prove.examiners.every import register_examiner
from indistinct.prove.exposure import expose_alone
from indistinct.prove.opinion import Opinion, Trial
from indistinct.prove.true_values import agreement

__all__ = ["examine_altered", "nearest_share"]


TARGETS = 1000
"""People who are looked for, drawn at random."""

ENOUGH = 3
"""A bound is asked for from so many times k people on: of fewer, none found would exceed it."""

MOST = 0.5
"""The share of people whose record must be known, for what is found of them to count."""

COMPARISONS = 200_000_000
"""Comparisons of a person with a record, at most: of a large file fewer people are looked for."""


@register_examiner(place=100)
def examine_altered(trial: Trial) -> Opinion:
    """Measure what is found in spite of altered values of the key; without them nothing is."""
    promise, found = trial.promise, Opinion()
    altered = [n for n in promise.key if n in promise.perturbed and n in trial.release.variables]
    if not altered:
        return found
    words = f"values of {', '.join(altered)} were altered"
    kept = [n for n in promise.key if n not in _changed(trial) and n in trial.release.variables]
    if kept:
        found = _by_what_was_kept(trial, kept, found)
    if trial.private is None:
        return found.reserving(
            "perturbed",
            f"{words}, which proves no k: what an intruder with the true values finds can be "
            "measured with the private data alone",
        )
    measured = nearest_share(trial, altered, kept)
    if measured is None:
        return found.reserving(
            "perturbed",
            f"{words}, which proves no k, and which released record is whose is not known here, "
            "so that nobody could say how often an intruder is right",
        )
    more = [n for n in trial.release.variables if n in promise.perturbed and n not in altered]
    known_more = nearest_share(trial, [*altered, *more], kept) if more else None
    parts = {"nearest": measured, **({"nearest_with_more": known_more} if known_more else {})}
    found = Opinion(found.findings, parts=parts)
    limit, looked_for = 1 / promise.k, f"who are looked for by {', '.join(measured.key)}"
    if measured.share > limit:
        found = found.finding(
            f"{words} too little: to {measured.share:.1%} of people {looked_for} the nearest "
            f"record is their own, more than 1 in {promise.k:,}"
        )
    elif measured.bound > limit and measured.targets >= ENOUGH * promise.k:
        found = found.finding(
            f"{words} too little: to {measured.share:.1%} of {measured.targets:,} people "
            f"{looked_for} the nearest record is their own, which may as well be "
            f"{measured.bound:.1%}, more than 1 in {promise.k:,}"
        )
    if measured.sure:
        found = found.finding(
            f"{words}, and of the {measured.sure:,} people {looked_for} of whom an intruder is "
            f"surest {measured.sure_right:,.0f} are found, more than 1 in {promise.k:,}"
        )
    if found.findings:
        return found
    besides = ""
    if known_more is not None:
        besides = f"; to whoever knows {', '.join(more)} too, that of {known_more.share:.1%}"
    return found.reserving(
        "perturbed",
        f"{words}, which proves no k; measured: to {measured.share:.1%} of {measured.targets:,} "
        f"people {looked_for} the nearest record is their own ({measured.bound:.1%} at most), "
        f"less than 1 in {promise.k:,}{besides}",
    )


def _changed(trial: Trial) -> set[str]:
    promise = trial.promise
    return {*promise.perturbed, *promise.encrypted, *promise.substituted}


def _by_what_was_kept(trial: Trial, kept: Sequence[str], found: Opinion) -> Opinion:
    """Count by the variables of the key that were not altered: they find people for certain."""
    promise = trial.promise
    away = {*promise.key, *_changed(trial)}
    beside = [name for name in trial.release.variables if name not in away]
    classes = expose_alone(trial.engine, trial.release, kept).people
    few = int(classes[classes < promise.k].sum())
    if not few or not beside:
        return found
    return found.finding(
        f"{few:,} {'record is' if few == 1 else 'records are'} among fewer than {promise.k:,} by "
        f"{', '.join(kept)} alone, which {'was' if len(kept) == 1 else 'were'} not altered, and "
        f"{'tells' if few == 1 else 'tell'} {', '.join(beside[:5])}"
        f"{' …' if len(beside) > 5 else ''} besides"
    )


def nearest_share(trial: Trial, altered: Sequence[str], kept: Sequence[str]) -> Nearest | None:
    """Look for people by the true values of their key; None where nobody knows who is right.

    Records must agree on the variables that were kept; among those that do, the nearest is taken
    (`look_for`).
    """
    private, release = trial.private, trial.release
    assert private is not None
    altered = [name for name in altered if name in private.variables]
    kept = [name for name in kept if name in private.variables]
    own = _own_records(trial)
    people = np.flatnonzero(own >= 0) if own is not None else np.zeros(0, dtype=np.int64)
    if not altered or own is None or not len(people):
        return None
    whose = _whose(trial, own)
    if whose is not None:  # one of a person's records is looked for
        numbers = whose[own[people]]
        again = np.ones(len(people), dtype=bool)
        again[np.unique(numbers, return_index=True)[1]] = False
        own[people[again]] = -1
    wanted = max(100, min(TARGETS, COMPARISONS // max(1, release.records)))
    same = [_Kept.of(trial, name) for name in kept]
    return look_for(
        [_true_values(private, release, name, own) for name in altered],
        (*kept, *altered),
        own,
        lambda person: _candidates(same, person, release.records),
        k=trial.promise.k,
        targets=wanted,
        whose=whose,
    )


def _whose(trial: Trial, own: Ints) -> Ints | None:
    """Return the person of each released record, -1 where not known; None where all have one."""
    private, person = trial.private, trial.promise.person
    if private is None or person is None or person not in private.variables:
        return None
    numbers = person_of_records(trial.engine, private, person)
    whose = np.full(trial.release.records, -1, dtype=np.int64)
    made = np.flatnonzero(own >= 0)
    whose[own[made]] = numbers[made]
    return whose


def _candidates(same: Sequence[_Kept], person: int, records: int) -> Ints:
    if not same:
        return np.arange(records)
    there = same[0].agrees(person)
    for variable in same[1:]:
        there &= variable.agrees(person)
    return np.flatnonzero(there)


@dataclass(frozen=True, eq=False)
class _Kept:
    """A variable that was not altered: which released labels may stand for a person's value."""

    found: Cover
    labels: Ints = field(repr=False)
    values: Ints = field(repr=False)

    @classmethod
    def of(cls, trial: Trial, name: str) -> _Kept:
        assert trial.private is not None
        labels, at = _coded(trial.release, name)
        values, own = _coded(trial.private, name)
        found = cover(labels, values, name=name, hierarchy=trial.hierarchies.get(name))
        return cls(found, at, own)

    def agrees(self, person: int) -> Bools:
        """Say of released records whether they may be about a person."""
        codes = np.arange(len(self.found.labels))
        meets = self.found.meets(codes, np.full(len(codes), self.values[person]))
        return np.asarray(meets[self.labels])


def _true_values(private: Source, release: Source, name: str, own: Ints) -> TrueValues:
    """Return an altered variable as numbers of both files; or as codes, equal or not."""
    mine, theirs = _numbers(private, name), _numbers(release, name)
    if mine is not None and theirs is not None:
        return TrueValues.of(mine, theirs, own, ordered=True)
    (values, held), (labels, at) = (_coded(source, name) for source in (private, release))
    number = {value: code for code, value in enumerate(values)}
    codes = np.array([number.get(label, -1) for label in labels], dtype=np.float64)
    return TrueValues.of(held.astype(np.float64), codes[at], own, ordered=False)


def _numbers(source: Source, name: str) -> Floats | None:
    column = decoded(source.table([name]).column(0))
    if pa.types.is_boolean(column.type):
        return None
    try:
        if pa.types.is_temporal(column.type):
            column = column.cast(pa.timestamp("us")).cast(pa.int64())
        numbers: Floats = column.cast(pa.float64()).to_numpy().astype(np.float64)
        return numbers
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _coded(source: Source, name: str) -> tuple[list[object], Ints]:
    return values_and_codes(source.table([name]).column(0))


def _own_records(trial: Trial) -> Ints | None:
    """Return the released record of each private one, -1 where there is none or it is not known.

    Without the holder's ledger, records that are alone in both files by what was not altered, and
    equal in it, are each other's.
    """
    private, release = trial.private, trial.release
    assert private is not None
    own = np.full(private.records, -1, dtype=np.int64)
    # numbers of households are made anew when they leave
    away = {*_changed(trial), trial.promise.household, *private.variables.names(role="household")}
    names = [n for n in release.variables if n in private.variables and n not in away]
    if trial.origin is not None and _fits(trial, trial.origin, names):
        made = trial.origin >= 0
        own[trial.origin[made]] = np.flatnonzero(made)
        return own
    if not names:
        return None
    codes = np.zeros(private.records + release.records, dtype=np.int64)
    for name in names:
        columns = [
            pc.cast(decoded(column), pa.string())
            for column in (private.table([name]).column(0), release.table([name]).column(0))
        ]
        joined = pa.chunked_array([c for column in columns for c in column.chunks], pa.string())
        coded = joined.combine_chunks().dictionary_encode(null_encoding="encode")
        codes = np.unique(
            codes * (len(coded.dictionary) + 1) + coded.indices.to_numpy(), return_inverse=True
        )[1].astype(np.int64)
    mine, theirs = codes[: private.records], codes[private.records :]
    size = int(codes.max(initial=-1)) + 1
    times = [np.bincount(side, minlength=size) for side in (mine, theirs)]
    alone = (times[0] == 1) & (times[1] == 1)
    record = np.full(size, -1, dtype=np.int64)
    record[theirs] = np.arange(len(theirs))
    own = np.where(alone[mine], record[mine], -1)
    # the few who are alone by what was kept say nothing of the others
    return own if (own >= 0).mean() >= MOST else None


def _fits(trial: Trial, origin: Ints, names: Sequence[str]) -> bool:
    """Say whether the ledger is about these private data: what was not altered must agree."""
    private, release = trial.private, trial.release
    assert private is not None
    made = np.flatnonzero(origin >= 0)
    if len(origin) != release.records or origin.max(initial=-1) >= private.records:
        return False
    if not len(made) or not names:
        return bool(len(made))
    rows = made[:: max(1, len(made) // 1000)]
    tables = [
        source.table(list(names[:12])).take(pa.array(numbers))
        for source, numbers in ((release, rows), (private, origin[rows]))
    ]
    places = np.arange(len(rows))
    agree, _ = agreement(tables[0], tables[1], places, places, trial.hierarchies)
    return bool(agree.mean() > 0.5)
