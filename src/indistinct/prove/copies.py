"""Copies, found by counting: a released variable that tells what was coarsened in another.

A date of birth beside an age in groups, an area beside its county, a decile beside an amount: the
one says what was taken from the other. Whether two variables belong together so closely is seen
in the private data, by how much better than chance one is read off the other. Whether that does
harm is counted: each label of the coarsened variable is met with what the copy says, and people
are counted again. Pairs of variables that tell a third only together are not looked for.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from indistinct import progress
from indistinct.files.source import Source
from indistinct.hierarchy import Hierarchy
from indistinct.prove.cover import Cover, cover, texts_of
from indistinct.prove.links import members_of_groups
from indistinct.prove.opinion import Trial
from indistinct.prove.possible import Coded, coded_column, people_in_classes, people_of

__all__ = ["Copy", "Relation", "find_copies", "related"]

IntArray = NDArray[np.int64]

TELLS = 0.9
"""How much better than chance one variable must be read off another, from 0 to 1."""

_FOLLOWS = 0.98
"""The rank correlation from which an amount follows another."""

_SAMPLE = 5_000
_EVIDENCE = 8.0
"""Records that would be read wrong by chance; with fewer, reading them right means nothing."""

_LABELS_AT_MOST = 20_000
"""Different released values of a copy that are laid beside the private ones by their form."""

_BINS = 1_000
_AT_ONCE = 8
"""Columns that are read together: quicker than one by one, and no whole file in memory."""


@dataclass(frozen=True)
class Relation:
    """How closely one variable belongs to another.

    Parameters
    ----------
    tells
        Whether the other is read off it (an area tells its county).
    follows
        Whether it is read off the other (an age group follows from the age).
    slack
        Where only their order agrees: by what share of the records the ranks differ, for nine of
        ten; None where values tell values.
    """

    tells: bool
    follows: bool
    slack: float | None = None


@dataclass(frozen=True)
class Copy:
    """A released variable that tells more of others than their own released cells do.

    Parameters
    ----------
    name
        The variable.
    of
        What it tells, of what was coarsened or altered.
    altered
        Those of them whose released values are not the true ones, or that are not of the key.
    cells
        Cells that it tells more exactly than the release does.
    exposed, k
        Records that are narrowed down below the k promised, and to how few people.
    coarser
        Whether it follows from what it tells, as an age group does from an age.
    """

    name: str
    of: tuple[str, ...]
    altered: tuple[str, ...] = ()
    cells: int = 0
    exposed: int = 0
    k: int | None = None
    coarser: bool = False

    @property
    def breaks_k(self) -> bool:
        """Whether it breaks what was promised."""
        return self.exposed > 0

    @property
    def harms(self) -> bool:
        """Whether it must not be released without a word."""
        return self.breaks_k or bool(self.altered)

    @property
    def sentence(self) -> str:
        """What it does, without a value of a cell."""
        named = ", ".join(self.of)
        if self.breaks_k:
            return (
                f"{self.name} tells {self.cells:,} cells of {named} more exactly than the release "
                f"does, and {self.exposed:,} {'record is' if self.exposed == 1 else 'records are'} "
                f"narrowed down to as few as {self.k:,} {'person' if self.k == 1 else 'people'}"
            )
        if self.altered:
            return (
                f"{self.name} is released as it was and tells {', '.join(self.altered)}, which "
                f"{'was' if len(self.altered) == 1 else 'were'} coarsened or altered"
            )
        return f"{self.name} tells {named} more exactly than the release does, and all keep k"


def find_copies(trial: Trial) -> tuple[Copy, ...]:
    """Find the released variables that undo what was done to others.

    The private data are needed: they say what belongs together. Without them nothing is found.
    """
    private, promise = trial.private, trial.promise
    if private is None or not private.records or not trial.release.records:
        return ()
    altered = {*promise.perturbed, *promise.encrypted, *promise.substituted}
    apart = {promise.household, promise.person}
    names = [n for n in trial.release.variables if n in private.variables and n not in apart]
    targets, sampled = _compared(private, trial.release, names, altered)
    # what stands in the key is told in every class already
    beside = [name for name in names if name not in altered and name not in promise.key]
    # a copy that was coarsened with the key is weighed by what it tells of the key
    of_key = [name for name in targets if name in promise.key]
    targets = [
        name
        for name in targets
        if name in of_key
        or name in altered
        or not any(related(sampled[one], sampled[name]) for one in of_key)
    ]
    if not targets or not beside:
        return ()
    columns = _Columns(private, trial.release)
    found = []
    for name in progress.each(beside, "looking for copies", unit="variables"):
        told = {
            of: relation
            for of in targets
            if of != name and (relation := related(sampled[of], sampled[name])) is not None
        }
        if told and (copy := _weighed(trial, columns, name, told, altered)) is not None:
            found.append(copy)
    return tuple(found)


class _Columns:
    """Columns of both files as codes, each read once."""

    def __init__(self, private: Source, release: Source) -> None:
        self.private = cache(lambda name: coded_column(private, name))
        self.released = cache(lambda name: coded_column(release, name))


def _compared(
    private: Source, release: Source, names: Sequence[str], altered: set[str]
) -> tuple[list[str], dict[str, IntArray]]:
    """Return the variables of which the release tells other things, and some private records.

    A variable was changed if cells are empty that were not, or hold what no private cell holds.
    """
    drawn = _drawn(private.records)
    changed, sampled = [], {}
    for start in range(0, len(names), _AT_ONCE):
        some = list(names[start : start + _AT_ONCE])
        old, own = private.table(some), release.table(some)
        for name in some:
            before, after = _plain(old.column(name)), _plain(own.column(name))
            if name in altered or _tells_otherwise(before, after):
                changed.append(name)
            sampled[name] = _ordered(before.take(drawn))
    return changed, sampled


def _tells_otherwise(before: pa.Array, after: pa.Array) -> bool:
    if after.null_count > before.null_count:
        return True
    known, values = pc.unique(before), pc.unique(after).drop_null()
    if values.type != known.type:
        return not set(texts_of(values.to_pylist())) <= set(texts_of(known.to_pylist()))
    return not pc.all(pc.is_in(values, value_set=known), min_count=0).as_py()


def related(told: IntArray, by: IntArray) -> Relation | None:
    """Say how closely two columns belong together, given as codes in the order of their values.

    A column tells another when the most frequent value beside each of its own values is right far
    more often than if the columns had been shuffled; when the other, in its order, hardly ever
    changes; or when their ranks agree. Codes below 0 are missing, and the order of the records
    must say nothing.

    >>> rng = np.random.default_rng(1)
    >>> age = rng.integers(0, 90, 500)
    >>> related(age, age // 10), related(age, rng.integers(0, 9, 500))
    (Relation(tells=False, follows=True, slack=None), None)
    """
    both = (told >= 0) & (by >= 0)
    one, other = told[both], by[both]
    if len(one) < _EVIDENCE or one.min() == one.max() or other.min() == other.max():
        return None
    shuffled = np.random.default_rng(len(one)).permutation(other)
    tells = _beyond_chance(_read_off(one, other), _read_off(one, shuffled), len(one))
    follows = _beyond_chance(_read_off(other, one), _read_off(shuffled, one), len(one))
    if not tells and not follows:
        tells = _beyond_chance(_unbroken(one, other), _agreeing(one), len(one))
        follows = _beyond_chance(_unbroken(other, one), _agreeing(other), len(one))
    if tells or follows:
        return Relation(tells, follows)
    ranks, others = _ranks(one), _ranks(other)
    correlation = float(np.corrcoef(ranks, others)[0, 1])
    if abs(correlation) < _FOLLOWS:
        return None
    if correlation < 0:
        others = len(others) - others
    slack = float(np.quantile(np.abs(ranks - others), TELLS)) / len(ranks)
    return Relation(False, False, slack)


def _beyond_chance(right: float, by_chance: float, records: int) -> bool:
    wrong = 1 - by_chance
    return records * wrong >= _EVIDENCE and right - by_chance >= TELLS * wrong


def _read_off(told: IntArray, by: IntArray) -> float:
    """Return the share of records whose value is the most frequent one beside the other's."""
    size = int(told.max()) + 1
    pairs, counts = np.unique(by * size + told, return_counts=True)
    best = np.zeros(int(by.max()) + 1, dtype=np.int64)
    np.maximum.at(best, pairs // size, counts)
    return int(best.sum()) / len(told)


def _unbroken(told: IntArray, by: IntArray) -> float:
    """Return the share of records that have the value of the one before, in the other's order."""
    inside = told[np.argsort(by, kind="stable")]
    return float((inside[1:] == inside[:-1]).mean())


def _agreeing(codes: IntArray) -> float:
    shares = np.bincount(codes) / len(codes)
    return float(shares @ shares)


def _ranks(codes: IntArray) -> NDArray[np.float64]:
    counts = np.bincount(codes)
    return np.asarray((np.cumsum(counts) - counts / 2)[codes])


def _drawn(records: int) -> pa.Array:
    """Draw records, in an order that says nothing."""
    size = min(records, _SAMPLE)
    return pa.array(np.random.default_rng(records).choice(records, size, replace=False))


def _plain(column: pa.ChunkedArray) -> pa.Array:
    array, kind = column.combine_chunks(), column.type
    return array.cast(kind.value_type) if pa.types.is_dictionary(kind) else array


def _ordered(column: pa.Array) -> IntArray:
    """Return values as places in their order; -1 is missing."""
    values = column.dictionary_encode()
    place = np.empty(len(values.dictionary) + 1, dtype=np.int64)
    place[_order(values.dictionary)] = np.arange(len(values.dictionary))
    place[-1] = -1
    codes = values.indices.fill_null(len(place) - 1).to_numpy(zero_copy_only=False)
    return np.asarray(place[codes])


def _order(values: pa.Array) -> IntArray:
    """Return the order of values: texts that are all numbers as numbers."""
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        with contextlib.suppress(pa.ArrowInvalid):
            values = values.cast(pa.float64())
    try:
        return np.asarray(pc.sort_indices(values).to_numpy(), dtype=np.int64)
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return np.arange(len(values), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _Told:
    """What a copy leaves possible of one variable, for every released record.

    `marks` is the same for records that leave the same values possible.
    """

    marks: IntArray = field(repr=False)
    narrowed: NDArray[np.bool_] = field(repr=False)


def _weighed(
    trial: Trial, columns: _Columns, name: str, told: dict[str, Relation], altered: set[str]
) -> Copy | None:
    """Count again with what a copy tells; None where it tells nothing that matters."""
    promise = trial.promise
    counts_k = promise.claims_k and promise.population is None
    coarsened, others, cells = {}, [], 0
    for of, relation in told.items():
        if of in altered:
            others.append(of)
            continue
        found = _tell(columns, trial.hierarchies, name, of, relation)
        if found is None or not found.narrowed.any():
            continue
        cells += int(found.narrowed.sum())
        if of in promise.key and counts_k:
            coarsened[of] = found
        else:
            others.append(of)
    if not coarsened and not others:
        return None
    every = (*coarsened, *others)
    coarser = all(told[one].follows for one in every)
    if not coarsened:
        return Copy(name, every, tuple(others), cells, coarser=coarser)
    key = [one for one in promise.key if one in trial.release.variables]
    own = {one: columns.released(one).codes for one in key}
    people = people_of(trial)
    before, first = people_in_classes(np.stack(list(own.values()), axis=1), people)
    own |= {one: found.marks for one, found in coarsened.items()}
    classes, counts = people_in_classes(np.stack(list(own.values()), axis=1), people)
    exposed = (counts[classes] < promise.k) & (first[before] >= promise.k)
    k = int(counts[classes][exposed].min()) if exposed.any() else None
    return Copy(name, every, tuple(others), cells, int(exposed.sum()), k, coarser)


def _tell(
    columns: _Columns, trees: Mapping[str, Hierarchy], name: str, of: str, relation: Relation
) -> _Told | None:
    """Meet every released label of a variable with what the copy beside it says."""
    values, labels = columns.private(of), columns.released(of)
    meeting = cover(labels.values, values.values, name=of, hierarchy=trees.get(of))
    by, released = columns.private(name), columns.released(name)
    between = _meanings(released, by, trees.get(name))
    if between is None:
        return None
    saying, said = between
    codes = by.codes
    if relation.slack is not None:
        bins = _bins(by, relation.slack)
        codes, said = bins[codes], bins[said]
    whose, values_told = _told_values(codes, values)
    # of each released value of the copy, the values that it tells
    at, found = members_of_groups(said, whose, groups=int(codes.max()) + 1)
    saying, tells = saying[at], values_told[found]
    room = len(values.values)
    saying, tells = np.divmod(np.unique(saying * room + tells), room)
    # of each pair of a label and what stands beside it, the values that both leave possible
    pairs, pair_of = np.unique(
        labels.codes * len(released.values) + released.codes, return_inverse=True
    )
    label, beside = np.divmod(pairs, len(released.values))
    at, found = members_of_groups(beside, saying, groups=len(released.values))
    met = meeting.meets(label[at], tells[found])
    at, possible = at[met], tells[found][met]
    own, sizes = _own_marks(meeting)
    words = _words(room)
    marks = np.zeros(len(pairs), dtype=np.uint64)
    np.add.at(marks, at, words[possible])
    left = np.bincount(at, minlength=len(pairs))
    # a blank cell of the copy says nothing, and neither does one that contradicts the label
    silent = np.array([value is None for value in released.values], dtype=bool)[beside]
    narrowed = (left > 0) & (left < sizes[label]) & ~silent
    marks = np.where(narrowed, marks, own[label])
    numbers = np.unique(marks, return_inverse=True)[1].reshape(-1).astype(np.int64)
    which = pair_of.reshape(-1)
    return _Told(numbers[which], narrowed[which])


def _meanings(
    released: Coded, private: Coded, hierarchy: Hierarchy | None
) -> tuple[IntArray, IntArray] | None:
    """Pair the released values of a copy with the private ones that they may stand for."""
    codes = {value: code for code, value in enumerate(private.values)}
    places = np.array([codes.get(value, -1) for value in released.values], dtype=np.int64)
    unknown = (places < 0) & np.array([value is not None for value in released.values])
    if not unknown.any():
        said = np.flatnonzero(places >= 0)
        return said, places[said]
    if len(released.values) > _LABELS_AT_MOST or len(private.values) > _LABELS_AT_MOST:
        return None
    meeting = cover(released.values, private.values, hierarchy=hierarchy)
    pairs = [
        (label, value)
        for level in meeting.levels
        for label, value in _pairs_of_level(meeting, level)
    ]
    return tuple(np.array(pairs, dtype=np.int64).reshape(-1, 2).T)  # type: ignore[return-value]


def _pairs_of_level(meeting: Cover, level: IntArray) -> list[tuple[int, int]]:
    labels_of: dict[int, list[int]] = {}
    for label, group in enumerate(meeting.group_of.tolist()):
        labels_of.setdefault(group, []).append(label)
    return [
        (label, value)
        for value, group in enumerate(level.tolist())
        if group >= 0
        for label in labels_of.get(group, ())
    ]


def _told_values(by: IntArray, told: Coded) -> tuple[IntArray, IntArray]:
    """Pair the values of a copy with those beside them, exceptions left out.

    A pair is an exception if neither of its values is mostly found beside the other.
    """
    present = np.array([value is not None for value in told.values], dtype=bool)[told.codes]
    present &= by >= 0
    size = len(told.values)
    pairs, counts = np.unique(by[present] * size + told.codes[present], return_counts=True)
    one, other = np.divmod(pairs, size)
    most_one = np.zeros(int(by.max(initial=0)) + 1, dtype=np.int64)
    np.maximum.at(most_one, one, counts)
    most_other = np.zeros(size, dtype=np.int64)
    np.maximum.at(most_other, other, counts)
    usual = (counts == most_one[one]) | (counts == most_other[other])
    return one[usual], other[usual]


def _bins(column: Coded, slack: float) -> IntArray:
    """Put the values of an amount into as many bins, by rank, as its order is worth."""
    order = _order(pa.array(column.values))
    missing = np.array([value is None for value in column.values], dtype=bool)
    counts = np.bincount(column.codes, minlength=len(column.values))
    counts[missing] = 0
    number = int(min(_BINS, max(2, 0.5 / max(slack, 1e-9))))
    ranks = np.empty(len(column.values), dtype=np.float64)
    ranks[order] = np.cumsum(counts[order]) - counts[order] / 2
    bins = np.minimum((ranks * number / max(1, counts.sum())).astype(np.int64), number - 1)
    bins[missing] = -1
    return np.asarray(bins)


def _own_marks(meeting: Cover) -> tuple[NDArray[np.uint64], IntArray]:
    """Return a mark for the values that each label leaves possible, and their number."""
    told = np.array([value is not None for value in meeting.values], dtype=bool)
    words = np.where(told, _words(len(meeting.values)), np.uint64(0))
    marks = np.zeros(len(meeting.level_of) + 1, dtype=np.uint64)
    sizes = np.zeros(len(meeting.level_of) + 1, dtype=np.int64)
    for level in meeting.levels:
        here = (level >= 0) & told
        np.add.at(marks, level[here], words[here])
        np.add.at(sizes, level[here], 1)
    # a label that meets nothing is one of its own
    unmet = np.arange(len(meeting.labels), dtype=np.uint64) + np.uint64(1)
    nowhere = meeting.group_of < 0
    return (
        np.where(nowhere, unmet, marks[meeting.group_of]),
        np.where(nowhere, 0, sizes[meeting.group_of]),
    )


def _words(number: int) -> NDArray[np.uint64]:
    """Return random words: a set of values is known by the sum of its members' words."""
    return np.random.default_rng(number).integers(1, 1 << 64, size=number, dtype=np.uint64)
