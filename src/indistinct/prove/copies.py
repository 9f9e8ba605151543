"""Copies, found by counting: a released variable that tells what was coarsened in another.

A date of birth beside an age in groups, an area beside its county, a decile beside an amount: the
one says what was taken from the other. Whether two variables belong together so closely is seen
in the private data, by how much better than chance one is read off the other. Whether that does
harm is counted: each label of the coarsened variable is met with what the copy says, and people
are counted again. Two variables that tell a third only together are a copy too (`pairs`), and so
is one that tells another only by some of its values (births are asked of women alone), or only
beside some values of a third (years that are the age of the dead). Beside a household number,
columns are looked at that hold what another member has (`members`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations

import numpy as np
import pyarrow as pa

from indistinct.core import Bools, Ints, Words, decoded, progress
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.prove.belonging import (
    Belonging,
    Occurring,
    Relation,
    Sampled,
    as_numbers,
    belonging_in,
    order_of_values,
    told_by_values,
)
from indistinct.prove.covering import Cover, cover, texts_of
from indistinct.prove.links import members_of_groups
from indistinct.prove.opinion import Trial
from indistinct.prove.possible import Coded, coded_column, people_in_classes, people_of

__all__ = ["PAIRS_AT_MOST", "Copy", "find_copies", "pairs_passed_over"]


_LABELS_AT_MOST = 20_000
"""Different released values of a copy that are laid beside the private ones by their form."""

_MEANINGS_AT_MOST = 5_000_000
"""Pairs of values that the labels of two variables may stand for together."""

PAIRS_AT_MOST = 10_000
"""Pairs of variables that are looked at: all of 141 variables, of more those that stand nearest."""


_BINS = 1_000
_CELLS_AT_ONCE = 1 << 23
"""Cells that are read together, of whole columns: every reading costs, and memory has an end."""


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
    beside
        The other released variable that it needs in order to tell.
    open_labels
        Where only some of its values tell: the released labels beside which they do, an empty one
        for a blank.
    household
        The released household number by which it tells of another member.
    """

    name: str
    of: tuple[str, ...]
    altered: tuple[str, ...] = ()
    cells: int = 0
    exposed: int = 0
    k: int | None = None
    coarser: bool = False
    beside: str | None = None
    open_labels: tuple[str, ...] = field(default=(), repr=False)
    household: str | None = None

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
        named, both = ", ".join(self.of), self.beside is not None
        if self.household is not None:
            return (
                f"{self.name} is released as it was and tells {named} of another member of the "
                f"household, whom {self.household} finds, where it was coarsened or altered"
            )
        name = f"{self.name} and {self.beside} together" if both else self.name
        tell = "tell" if both else "tells"
        if self.breaks_k:
            return (
                f"{name} {tell} {self.cells:,} {'cell' if self.cells == 1 else 'cells'} of {named} "
                f"more exactly than the release does, and {self.exposed:,} "
                f"{'record is' if self.exposed == 1 else 'records are'} narrowed down to as few as "
                f"{self.k:,} {'person' if self.k == 1 else 'people'}"
            )
        if self.altered:
            return (
                f"{name} {'are released as they were' if both else 'is released as it was'} and "
                f"{tell} {', '.join(self.altered)}, which "
                f"{'was' if len(self.altered) == 1 else 'were'} coarsened or altered"
            )
        return f"{name} {tell} {named} more exactly than the release does, and all keep k"


def find_copies(trial: Trial) -> tuple[Copy, ...]:
    """Find the released variables that undo what was done to others.

    The private data are needed: they say what belongs together. Without them nothing is found.
    """
    private, promise = trial.private, trial.promise
    if private is None or not private.records or not trial.release.records:
        return ()
    altered = {*promise.perturbed, *promise.encrypted, *promise.substituted}
    apart = [name for name in (promise.household, promise.person) if name is not None]
    names = [n for n in trial.release.variables if n in private.variables and n not in apart]
    belonging = belonging_in(private, [name for name in apart if name in private.variables])
    released = _occurring(trial.release, names, belonging)
    targets = [name for name in names if name in altered or released[name].tells_otherwise]
    # what stands in the key is told in every class already
    beside = [name for name in names if name not in altered and name not in promise.key]
    # a copy that was coarsened with the key is weighed by what it tells of the key
    of_key = [name for name in targets if name in promise.key]
    targets = [
        name
        for name in targets
        if name in of_key
        or name in altered
        or not any(belonging.tells_of(one, name) for one in of_key)
    ]
    # but the true value of what was altered is told in none, if it is not of the key
    hidden = [name for name in targets if name in altered and name not in promise.key]
    known = [name for name in names if name in promise.key and name not in altered and hidden]
    if not targets or not (beside or known):
        return ()
    columns = _Columns(private, trial.release, trial.hierarchies)
    found = []
    for name in progress.each(beside, "looking for copies", unit="variables"):
        told = {
            of: relation
            for of in targets
            if of != name and (relation := belonging.related(of, name)) is not None
        }
        if told and (copy := _weighed(trial, columns, (name,), told, altered)) is not None:
            found.append(copy)
        for of in of_key:
            if of in told or of == name or of in altered:
                continue
            if not belonging.tells_by_some_values(of, name):
                continue
            partly = {of: Relation(tells=True, follows=False, partly=True)}
            copy = _weighed(trial, columns, (name,), partly, altered)
            if copy is not None and copy.breaks_k:
                found.append(replace(copy, open_labels=_labels_told(columns, name, of, partly[of])))
    for name in known:
        told = {
            of: relation
            for of in hidden
            if (relation := belonging.related(of, name)) is not None and relation.tells
        }
        if told and (copy := _weighed(trial, columns, (name,), told, altered)) is not None:
            found.append(copy)
    # with what is a copy by itself, any other variable makes a pair
    copies = {*altered, *(copy.name for copy in found if copy.harms)}
    pairs = [
        _finer_first((one, other), belonging.sampled, promise.key)
        for one, other in _nearest_pairs([name for name in names if name not in copies])
        if one in beside or other in beside
    ]
    for pair, told in belonging.told_together(targets, pairs).items():
        if (copy := _weighed(trial, columns, pair, told, altered)) is not None:
            found.append(copy)
    told_already = {frozenset((copy.name, copy.beside)): copy.of for copy in found}
    for pair, told in belonging.told_within(targets, pairs).items():
        more = {of: told[of] for of in told if of not in told_already.get(frozenset(pair), ())}
        if more and (copy := _weighed(trial, columns, pair, more, altered)) is not None:
            found.append(copy)
    left = [name for name in beside if name not in {copy.name for copy in found if copy.harms}]
    # what was recoded itself is no longer what the other member has
    left = [name for name in left if released[name].mostly_as_it_was]
    found += _told_of_members(trial, belonging, targets, left)
    return tuple(found)


def _nearest_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of variables, or `PAIRS_AT_MOST` of those that stand nearest in the file."""
    if len(names) * (len(names) - 1) // 2 <= PAIRS_AT_MOST:
        return list(combinations(names, 2))
    near = PAIRS_AT_MOST // len(names) + 1
    pairs = [
        (one, names[at + step])
        for step in range(1, near + 1)
        for at, one in enumerate(names[: len(names) - step])
    ]
    return pairs[:PAIRS_AT_MOST]


def pairs_passed_over(trial: Trial) -> int:
    """Return how many pairs of variables are too many to be looked at."""
    if trial.private is None:
        return 0
    number = sum(name in trial.private.variables for name in trial.release.variables)
    return max(0, number * (number - 1) // 2 - PAIRS_AT_MOST)


def _told_of_members(
    trial: Trial, belonging: Belonging, targets: Sequence[str], names: Sequence[str]
) -> list[Copy]:
    """Return the columns that tell what was coarsened of another member of the household."""
    household, private = trial.promise.household, trial.private
    if household is None or private is None or household not in private.variables:
        return []
    if household not in trial.release.variables:
        return []
    found: dict[str, list[str]] = {}
    for of in targets:
        others = [name for name in names if name != of]
        for name in belonging.told_of_members(household, of, others):
            found.setdefault(name, []).append(of)
    return [
        Copy(name, tuple(of), tuple(of), household=household) for name, of in sorted(found.items())
    ]


def _finer_first(
    pair: tuple[str, str], sampled: Mapping[str, Sampled], key: Sequence[str]
) -> tuple[str, str]:
    """Return a pair in the order in which one of it might stay behind."""
    one, other = sorted(pair, key=lambda name: (name in key, -int(sampled[name].codes.max())))
    return one, other


@dataclass(frozen=True, eq=False)
class _Beside:
    """What stands beside a coarsened cell: one variable, or two as one, in both files.

    `label` and `value` pair the released values with the private ones that they may stand for.
    """

    private: Coded
    released: Coded
    label: Ints = field(repr=False)
    value: Ints = field(repr=False)


class _Columns:
    """Columns of both files as codes, each read once."""

    def __init__(self, private: Source, release: Source, trees: Mapping[str, Hierarchy]) -> None:
        self.private = cache(lambda name: coded_column(private, name))
        self.released = cache(lambda name: coded_column(release, name))
        self.trees = trees
        self._one = cache(self._alone)

    def beside(self, names: tuple[str, ...], relation: Relation) -> _Beside | None:
        """Return what one variable says, or two together; None where that cannot be read."""
        weights = relation.weights
        if weights is not None:
            private, released = (
                _added(read(names[0]), read(names[1]), weights)
                for read in (self.private, self.released)
            )
            meanings = _meanings(released, private, None)
            return None if meanings is None else _Beside(private, released, *meanings)
        alone = [self._one(name) for name in names]
        if any(one is None for one in alone):
            return None
        first, *second = [one for one in alone if one is not None]
        gaps = relation.within is not None  # a blank is a value beside which another may tell
        return _both(first, second[0], gaps=gaps) if second else first

    def _alone(self, name: str) -> _Beside | None:
        private, released = self.private(name), self.released(name)
        meanings = _meanings(released, private, self.trees.get(name))
        return None if meanings is None else _Beside(private, released, *meanings)


def _both(one: _Beside, other: _Beside, *, gaps: bool) -> _Beside | None:
    """Return two variables as one, whose values are those that are found together."""
    private, at_private = _paired(one.private, other.private, gaps=gaps)
    released, at_released = _paired(one.released, other.released, gaps=gaps)
    first, second = np.divmod(at_released, len(other.released.values))
    # of each released pair of labels, all private pairs of values that they may stand for
    labels, found = members_of_groups(first, one.label, groups=len(one.released.values))
    means = np.bincount(other.label, minlength=len(other.released.values))
    if int(means[second[labels]].sum()) > _MEANINGS_AT_MOST:
        return None
    values = one.value[found]
    at, found = members_of_groups(second[labels], other.label, groups=len(other.released.values))
    wanted = values[at] * len(other.private.values) + other.value[found]
    place = np.minimum(np.searchsorted(at_private, wanted), max(len(at_private) - 1, 0))
    there = at_private[place] == wanted
    return _Beside(private, released, labels[at][there], place[there])


def _added(one: Coded, other: Coded, weights: tuple[float, float]) -> Coded:
    """Return the sum of two amounts as a column; what is no number adds up to nothing."""
    parts = [as_numbers(pa.array(column.values)) for column in (one, other)]
    sums = np.full(len(one.codes), np.nan)
    if parts[0] is not None and parts[1] is not None:
        sums = weights[0] * parts[0][one.codes] + weights[1] * parts[1][other.codes]
    values, codes = np.unique(sums, return_inverse=True)
    told = tuple(None if np.isnan(value) else value for value in values.tolist())
    return Coded(told, codes.reshape(-1).astype(np.int64))


def _paired(one: Coded, other: Coded, *, gaps: bool) -> tuple[Coded, Ints]:
    """Return two columns as one of pairs, and the numbers of the pairs.

    A gap leaves no pair, unless it is one of the second column and `gaps` are values there.
    """
    room = len(other.values)
    pairs, codes = np.unique(one.codes * room + other.codes, return_inverse=True)
    values = tuple(
        None if one.values[a] is None or not (gaps or other.values[b] is not None) else (a, b)
        for a, b in zip(*(part.tolist() for part in np.divmod(pairs, room)), strict=True)
    )
    return Coded(values, codes.reshape(-1).astype(np.int64)), pairs


@dataclass(frozen=True)
class _Released:
    """What became of a variable: whether its cells say other things, and whether few of them."""

    tells_otherwise: bool
    mostly_as_it_was: bool


def _occurring(release: Source, names: Sequence[str], belonging: Belonging) -> dict[str, _Released]:
    """Lay the released values of variables beside the private ones, which are sampled.

    A variable tells otherwise if cells are empty that were not, or hold what no private cell holds.
    """
    found = {}
    at_once = max(1, _CELLS_AT_ONCE // max(1, release.records))
    for start in range(0, len(names), at_once):
        some = list(names[start : start + at_once])
        belonging.read(some)
        table = release.table(some)
        for name in some:
            before = belonging.occurring[name]
            after = Occurring.of(decoded(table.column(name).combine_chunks()))
            known = after.known_to(before)
            found[name] = _Released(
                after.missing > before.missing or not known.all(),
                len(known) > 0 and 2 * int(known.sum()) >= len(known),
            )
    return found


@dataclass(frozen=True, eq=False)
class _Told:
    """What a copy leaves possible of one variable, for every released record.

    `marks` is the same for records that leave the same values possible.
    """

    marks: Ints = field(repr=False)
    narrowed: Bools = field(repr=False)


def _weighed(
    trial: Trial,
    columns: _Columns,
    names: tuple[str, ...],
    told: dict[str, Relation],
    altered: set[str],
) -> Copy | None:
    """Count again with what a copy tells; None where it tells nothing that matters."""
    promise = trial.promise
    counts_k = promise.claims_k and promise.population is None
    name, beside = names[0], names[1] if len(names) > 1 else None
    coarsened, others, cells = {}, [], 0
    for of, relation in told.items():
        if of in altered:
            others.append(of)
            continue
        found = _tell(columns, names, of, relation)
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
        return Copy(name, every, tuple(others), cells, coarser=coarser, beside=beside)
    key = [one for one in promise.key if one in trial.release.variables]
    own = {one: columns.released(one).codes for one in key}
    people = people_of(trial)
    before, first = people_in_classes(np.stack(list(own.values()), axis=1), people)
    own |= {one: found.marks for one, found in coarsened.items()}
    classes, counts = people_in_classes(np.stack(list(own.values()), axis=1), people)
    exposed = (counts[classes] < promise.k) & (first[before] >= promise.k)
    k = int(counts[classes][exposed].min()) if exposed.any() else None
    return Copy(name, every, tuple(others), cells, int(exposed.sum()), k, coarser, beside)


def _tell(columns: _Columns, names: tuple[str, ...], of: str, relation: Relation) -> _Told | None:
    """Meet every released label of a variable with what the copy beside it says."""
    values, labels = columns.private(of), columns.released(of)
    meeting = cover(labels.values, values.values, name=of, hierarchy=columns.trees.get(of))
    copy = columns.beside(names, relation)
    if copy is None:
        return None
    by, released, saying, said = copy.private, copy.released, copy.label, copy.value
    codes = by.codes
    if relation.slack is not None:
        bins = _bins(by, relation.slack)
        codes, said = bins[codes], bins[said]
        saying, said = saying[said >= 0], said[said >= 0]
    mute = np.zeros(len(released.values), dtype=bool)
    if relation.within is not None:
        having = np.unique(columns.private(names[1]).codes[list(relation.within)])
        pairs_of = [pair if isinstance(pair, tuple) else (-1, -1) for pair in by.values]
        second = np.array([at for _, at in pairs_of], dtype=np.int64)
        telling = np.isin(second, having)
        codes = np.where(telling[codes], codes, -1)
        mute[saying[~telling[said]]] = True
    if relation.partly:
        tells_alone, told_alone = _told_in_full(values, by)
        whose, values_told = np.flatnonzero(tells_alone), told_alone[tells_alone]
        mute[saying[~tells_alone[said]]] = True
    else:
        whose, values_told = _told_values(codes, values, relation.least)
    # of each released value of the copy, the values that it tells
    groups = max(int(codes.max()), int(said.max(initial=0))) + 1
    at, found = members_of_groups(said, whose, groups=groups)
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
    silent = ~_present(released)[beside]
    if relation.partly:  # unless others are not blank beside the same label
        silent &= np.bincount(label, ~silent, minlength=len(labels.values))[label] == 0
    narrowed = (left > 0) & (left < sizes[label]) & ~mute[beside] & ~silent
    marks = np.where(narrowed, marks, own[label])
    numbers = np.unique(marks, return_inverse=True)[1].reshape(-1).astype(np.int64)
    which = pair_of.reshape(-1)
    return _Told(numbers[which], narrowed[which])


def _told_in_full(values: Coded, by: Coded) -> tuple[Bools, Ints]:
    """Return which values of a variable tell another's, of all private records, and which."""
    told = np.where(_present(values)[values.codes], values.codes, -1)
    there = _present(by)
    places = np.where(there, np.cumsum(there) - 1, -1)
    tells, which = told_by_values(told, places[by.codes])
    return tells[places + 1], which[places + 1]


def _present(column: Coded) -> Bools:
    return np.array([value is not None for value in column.values], dtype=bool)


def _labels_told(columns: _Columns, name: str, of: str, relation: Relation) -> tuple[str, ...]:
    """Return the labels of a variable beside which another tells more, as texts."""
    told, labels = _tell(columns, (name,), of, relation), columns.released(of)
    if told is None:
        return ()
    texts = texts_of(labels.values)
    return tuple(texts[code] or "" for code in np.unique(labels.codes[told.narrowed]))


def _meanings(
    released: Coded, private: Coded, hierarchy: Hierarchy | None
) -> tuple[Ints, Ints] | None:
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


def _pairs_of_level(meeting: Cover, level: Ints) -> list[tuple[int, int]]:
    labels_of: dict[int, list[int]] = {}
    for label, group in enumerate(meeting.group_of.tolist()):
        labels_of.setdefault(group, []).append(label)
    return [
        (label, value)
        for value, group in enumerate(level.tolist())
        if group >= 0
        for label in labels_of.get(group, ())
    ]


def _told_values(by: Ints, told: Coded, least: int) -> tuple[Ints, Ints]:
    """Pair the values of a copy with those beside them, exceptions left out.

    A pair is an exception if neither of its values is mostly found beside the other.
    """
    present = np.array([value is not None for value in told.values], dtype=bool)[told.codes]
    present &= by >= 0
    present &= np.bincount(np.maximum(by, 0))[by] >= least
    size = len(told.values)
    pairs, counts = np.unique(by[present] * size + told.codes[present], return_counts=True)
    one, other = np.divmod(pairs, size)
    most_one = np.zeros(int(by.max(initial=0)) + 1, dtype=np.int64)
    np.maximum.at(most_one, one, counts)
    most_other = np.zeros(size, dtype=np.int64)
    np.maximum.at(most_other, other, counts)
    usual = (counts == most_one[one]) | (counts == most_other[other])
    return one[usual], other[usual]


def _bins(column: Coded, slack: float) -> Ints:
    """Put the values of an amount into as many bins, by rank, as its order is worth."""
    order = order_of_values(pa.array(column.values))
    missing = np.array([value is None for value in column.values], dtype=bool)
    counts = np.bincount(column.codes, minlength=len(column.values))
    counts[missing] = 0
    number = int(min(_BINS, max(2, 0.5 / max(slack, 1e-9))))
    ranks = np.empty(len(column.values), dtype=np.float64)
    ranks[order] = np.cumsum(counts[order]) - counts[order] / 2
    bins = np.minimum((ranks * number / max(1, counts.sum())).astype(np.int64), number - 1)
    bins[missing] = -1
    return np.asarray(bins)


def _own_marks(meeting: Cover) -> tuple[Words, Ints]:
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


def _words(number: int) -> Words:
    """Return random words: a set of values is known by the sum of its members' words."""
    return np.random.default_rng(number).integers(1, 1 << 64, size=number, dtype=np.uint64)
