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
from numpy.typing import NDArray

from indistinct import progress
from indistinct.files.source import Source
from indistinct.prove.cover import Cover, cover
from indistinct.prove.exposure import expose_alone
from indistinct.prove.opinion import Opinion, Trial
from indistinct.prove.true_values import agreement

__all__ = ["Nearest", "examine_altered", "nearest_share"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TARGETS = 2000
"""People who are looked for, drawn at random."""

MOST = 0.5
"""The share of people whose record must be known, for what is found of them to count."""

COMPARISONS = 200_000_000
"""Comparisons of a person with a record, at most: of a large file fewer people are looked for."""


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
    found = Opinion(found.findings, parts={"nearest": measured})
    if measured.share > 1 / promise.k:
        return found.finding(
            f"{words} too little: to {measured.share:.1%} of people who are looked for by "
            f"{', '.join(measured.key)} the nearest record is their own, more than 1 in "
            f"{promise.k:,}"
        )
    return found.reserving(
        "perturbed",
        f"{words}, which proves no k; measured: to {measured.share:.1%} of {measured.targets:,} "
        f"people who are looked for by {', '.join(measured.key)} the nearest record is their own, "
        f"less than 1 in {promise.k:,}",
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


@dataclass(frozen=True)
class Nearest:
    """How often the released record nearest to what is known of a person is their own.

    Parameters
    ----------
    share
        The share of the people looked for; one among t equally near records counts as 1/t.
    targets
        How many were looked for.
    """

    key: tuple[str, ...]
    share: float
    targets: int

    def to_dict(self) -> dict[str, object]:
        """Return the facts by name."""
        return {"key": list(self.key), "share": self.share, "targets": self.targets}

    def __repr__(self) -> str:
        return (
            f"nearest record by {', '.join(self.key)}: the own one of {self.share:.1%} of "
            f"{self.targets:,} people"
        )


def nearest_share(trial: Trial, altered: Sequence[str], kept: Sequence[str]) -> Nearest | None:
    """Look for people by the true values of their key; None where nobody knows who is right.

    Records must agree on the variables that were kept. Among those that do, the nearest is taken
    by the sum of differences of the altered ones, as shares of their range or of the ranks: the
    intruder uses the way that finds more.
    """
    private, release = trial.private, trial.release
    assert private is not None
    altered = [name for name in altered if name in private.variables]
    kept = [name for name in kept if name in private.variables]
    own = _own_records(trial)
    people = np.flatnonzero(own >= 0) if own is not None else np.zeros(0, dtype=np.int64)
    if not altered or own is None or not len(people):
        return None
    wanted = max(100, min(TARGETS, COMPARISONS // max(1, release.records)))
    if len(people) > wanted:
        people = np.sort(np.random.default_rng(1).choice(people, wanted, replace=False))
    same = [_Kept.of(trial, name) for name in kept]
    near = [_Altered.of(private, release, name) for name in altered]
    right = np.zeros((2, len(people)))
    seeking = progress.each(people.tolist(), "looking for the nearest record", unit="people")
    for number, person in enumerate(seeking):
        candidates = _candidates(same, person, release.records)
        mine = int(own[person])
        for way in (0, 1):
            far = np.zeros(len(candidates))
            for variable in near:
                far += variable.distance(person, candidates, by_rank=way == 1)
            at = np.flatnonzero(candidates == mine)
            if len(at):
                closest = far.min()
                ties = int((far <= closest + 1e-12).sum())
                right[way, number] = (far[at[0]] <= closest + 1e-12) / ties
    return Nearest((*kept, *altered), float(right.mean(axis=1).max()), len(people))


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


@dataclass(frozen=True, eq=False)
class _Altered:
    """A variable that was altered, as numbers of both files; or as codes, equal or not."""

    own: Floats = field(repr=False)
    theirs: Floats = field(repr=False)
    ranks: tuple[Floats, Floats] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, private: Source, release: Source, name: str) -> _Altered:
        own, theirs = _numbers(private, name), _numbers(release, name)
        if own is None or theirs is None:
            (values, mine), (labels, at) = (_coded(source, name) for source in (private, release))
            number = {value: code for code, value in enumerate(values)}
            codes = np.array([number.get(label, -1) for label in labels], dtype=np.float64)
            return cls(mine.astype(np.float64), codes[at])
        there = np.concatenate([own, theirs])
        there = there[np.isfinite(there)]
        wide = (float(np.ptp(there)) if len(there) else 0.0) or 1.0
        return cls(own / wide, theirs / wide, (_ranks(own), _ranks(theirs)))

    def distance(self, person: int, records: Ints, *, by_rank: bool) -> Floats:
        """Return how far some records are from what is known of a person; at most 1."""
        own, theirs = self.ranks if by_rank and self.ranks is not None else (self.own, self.theirs)
        known, told = own[person], theirs[records]
        if self.ranks is None:
            return np.where(told == known, 0.0, 1.0)
        if np.isnan(known):
            return np.where(np.isnan(told), 0.0, 1.0)
        return np.where(np.isnan(told), 1.0, np.abs(told - known))


def _ranks(values: Floats) -> Floats:
    """Return the middle rank of each number, as a share of all."""
    placed = np.isfinite(values)
    found = np.full(len(values), np.nan)
    _, at, times = np.unique(values[placed], return_inverse=True, return_counts=True)
    if len(times):
        found[placed] = ((np.cumsum(times) - times / 2) / times.sum())[at.reshape(-1)]
    return found


def _numbers(source: Source, name: str) -> Floats | None:
    column = source.table([name]).column(0)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
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
    column = source.table([name]).column(0)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    coded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    return coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64)


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
            pc.cast(column.cast(column.type.value_type), pa.string())
            if pa.types.is_dictionary(column.type)
            else pc.cast(column, pa.string())
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
