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

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, Floats, Ints, Words, decoded, holds_numbers, holds_text, progress
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.households import household_numbers
from indistinct.prove.covering import Cover, cover, texts_of
from indistinct.prove.links import members_of_groups
from indistinct.prove.members import columns_of_members
from indistinct.prove.opinion import Trial
from indistinct.prove.pairs import pairs_that_add_up, pairs_that_tell, pairs_that_tell_within
from indistinct.prove.possible import Coded, coded_column, people_in_classes, people_of

__all__ = ["PAIRS_AT_MOST", "Copy", "Relation", "find_copies", "pairs_passed_over", "related"]


TELLS = 0.9
"""How much better than chance one variable must be read off another, from 0 to 1."""

_FOLLOWS = 0.98
"""The rank correlation from which an amount follows another."""

_SAMPLE = 5_000
_EVIDENCE = 8.0
"""Records that would be read wrong by chance; with fewer, reading them right means nothing."""

_TELLS_ALONE, _EVIDENCE_ALONE = 0.98, 20.0
"""The same for single values of a variable, of which there are many to be taken in by."""

_LABELS_AT_MOST = 20_000
"""Different released values of a copy that are laid beside the private ones by their form."""

_MEANINGS_AT_MOST = 5_000_000
"""Pairs of values that the labels of two variables may stand for together."""

PAIRS_AT_MOST = 10_000
"""Pairs of variables that are looked at: all of 141 variables, of more those that stand nearest."""

_AMOUNTS = 20
"""Numbers with fewer different values are no amounts that might be added."""

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
    least
        Values that fewer records have tell nothing.
    weights
        Of two amounts whose sum it is, what each is multiplied by.
    partly
        Whether only some of its values tell, or that there is none.
    within
        Of two variables of which the first tells only beside some values of the second: private
        records that have these values.
    """

    tells: bool
    follows: bool
    slack: float | None = None
    least: int = field(default=1, repr=False)
    weights: tuple[float, float] | None = field(default=None, repr=False)
    partly: bool = field(default=False, repr=False)
    within: tuple[int, ...] | None = field(default=None, repr=False)


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
        or not any(_tells_of(sampled[one].codes, sampled[name].codes) for one in of_key)
    ]
    # but the true value of what was altered is told in none, if it is not of the key
    hidden = [name for name in targets if name in altered and name not in promise.key]
    known = [name for name in names if name in promise.key and name not in altered and hidden]
    if not targets or not (beside or known):
        return ()
    columns = _Columns(private, trial.release, trial.hierarchies)
    strangers = _strangers(private, [name for name in apart if name in private.variables])
    some = {name: column.take(strangers) for name, column in sampled.items()}
    found = []
    for name in progress.each(beside, "looking for copies", unit="variables"):
        told = {
            of: relation
            for of in targets
            if of != name
            and (relation := related(sampled[of].codes, sampled[name].codes)) is not None
        }
        if told and (copy := _weighed(trial, columns, (name,), told, altered)) is not None:
            found.append(copy)
        for of in of_key:
            if of in told or of == name or of in altered:
                continue
            if not _telling(some[of].codes, some[name].codes).any():
                continue
            partly = {of: Relation(tells=True, follows=False, partly=True)}
            copy = _weighed(trial, columns, (name,), partly, altered)
            if copy is not None and copy.breaks_k:
                found.append(replace(copy, open_labels=_labels_told(columns, name, of, partly[of])))
    for name in known:
        told = {
            of: relation
            for of in hidden
            if (relation := related(sampled[of].codes, sampled[name].codes)) is not None
            and relation.tells
        }
        if told and (copy := _weighed(trial, columns, (name,), told, altered)) is not None:
            found.append(copy)
    # with what is a copy by itself, any other variable makes a pair
    copies = {*altered, *(copy.name for copy in found if copy.harms)}
    pairs = [
        _finer_first((one, other), sampled, promise.key)
        for one, other in _nearest_pairs([name for name in names if name not in copies])
        if one in beside or other in beside
    ]
    for pair, told in _told_together(some, targets, pairs).items():
        if (copy := _weighed(trial, columns, pair, told, altered)) is not None:
            found.append(copy)
    records = np.asarray(_drawn(private.records).to_numpy()[strangers], dtype=np.int64)
    told_already = {frozenset((copy.name, copy.beside)): copy.of for copy in found}
    for pair, told in _told_within(some, targets, pairs, records).items():
        more = {of: told[of] for of in told if of not in told_already.get(frozenset(pair), ())}
        if more and (copy := _weighed(trial, columns, pair, more, altered)) is not None:
            found.append(copy)
    left = [name for name in beside if name not in {copy.name for copy in found if copy.harms}]
    found += _told_of_members(trial, columns, targets, left, records)
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
    trial: Trial, columns: _Columns, targets: Sequence[str], names: Sequence[str], records: Ints
) -> list[Copy]:
    """Return the columns that tell what was coarsened of another member of the household."""
    household, private = trial.promise.household, trial.private
    if household is None or private is None or household not in private.variables:
        return []
    if household not in trial.release.variables:
        return []
    homes = household_numbers(private, household)
    # what was recoded itself is no longer what the other member has
    told = {
        name: _in_order(columns.private(name))
        for name in names
        if _mostly_as_it_was(columns.private(name), columns.released(name))
    }
    found: dict[str, list[str]] = {}
    for of in targets:
        own = _in_order(columns.private(of))
        others = {name: column for name, column in told.items() if name != of}
        for name in columns_of_members(homes, own, others, records):
            found.setdefault(name, []).append(of)
    return [
        Copy(name, tuple(of), tuple(of), household=household) for name, of in sorted(found.items())
    ]


def _in_order(column: Coded) -> Coded:
    """Return a column whose values are in their order."""
    order = _order(pa.array(column.values))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return Coded(tuple(column.values[at] for at in order.tolist()), place[column.codes])


def _mostly_as_it_was(private: Coded, released: Coded) -> bool:
    known = {value for value in private.values if value is not None}
    values = [value for value in released.values if value is not None]
    return bool(values) and 2 * sum(value in known for value in values) >= len(values)


def _finer_first(
    pair: tuple[str, str], sampled: Mapping[str, _Sampled], key: Sequence[str]
) -> tuple[str, str]:
    """Return a pair in the order in which one of it might stay behind."""
    one, other = sorted(pair, key=lambda name: (name in key, -int(sampled[name].codes.max())))
    return one, other


def _told_together(
    some: Mapping[str, _Sampled], targets: Sequence[str], pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], dict[str, Relation]]:
    """Return what pairs tell that neither variable tells by itself."""
    found: dict[tuple[str, str], dict[str, Relation]] = {}
    codes = {name: column.codes for name, column in some.items()}
    for pair, told in pairs_that_tell(codes, targets, pairs).items():
        for of, in_order in told.items():
            if not any(_tells(codes[of], codes[one]) for one in pair):
                relation = Relation(tells=True, follows=False, least=1 if in_order else 2)
                found.setdefault(pair, {})[of] = relation
    numbers = {
        name: column.numbers
        for name, column in some.items()
        if column.numbers is not None and column.codes.max() >= _AMOUNTS
    }
    for pair, sums in pairs_that_add_up(numbers, targets, pairs).items():
        for of, weights in sums.items():
            if of in found.get(pair, {}):
                continue
            reckoned = _ranked(weights[0] * numbers[pair[0]] + weights[1] * numbers[pair[1]])
            sums_to = related(codes[of], reckoned)
            if sums_to is not None and all(related(codes[of], codes[one]) is None for one in pair):
                found.setdefault(pair, {})[of] = replace(sums_to, weights=weights)
    return found


def _told_within(
    some: Mapping[str, _Sampled],
    targets: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    records: Ints,
) -> dict[tuple[str, str], dict[str, Relation]]:
    """Return what a variable tells beside some values of another; `records` are those sampled."""
    codes = {name: column.codes for name, column in some.items()}
    found: dict[tuple[str, str], dict[str, Relation]] = {}
    for pair, told in pairs_that_tell_within(codes, targets, pairs).items():
        values, first = np.unique(codes[pair[1]], return_index=True)
        for of, beside in told.items():
            if not any(_tells(codes[of], codes[one]) for one in pair):
                having = records[first[np.isin(values, beside.values)]]
                found.setdefault(pair, {})[of] = Relation(
                    tells=True,
                    follows=False,
                    least=1 if beside.in_order else 2,
                    within=tuple(having.tolist()),
                )
    return found


def _tells_of(told: Ints, by: Ints) -> bool:
    return related(told, by) is not None or bool(_telling(told, by).any())


def _tells(told: Ints, by: Ints) -> bool:
    relation = related(told, by)
    return relation is not None and relation.tells


@dataclass(frozen=True, eq=False)
class _Sampled:
    """Some records' cells of one variable: places in the order of the values, and numbers."""

    codes: Ints = field(repr=False)
    numbers: Floats | None = field(repr=False)

    @classmethod
    def of(cls, column: pa.Array) -> _Sampled:
        """Read the cells."""
        return cls(_ordered(column), _as_numbers(column))

    def take(self, places: Ints) -> _Sampled:
        """Return some of the cells."""
        numbers = self.numbers
        return _Sampled(self.codes[places], None if numbers is None else numbers[places])


def _as_numbers(column: pa.Array) -> Floats | None:
    """Return numbers and dates as numbers; None of what is neither."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        column = column.cast(pa.int64())
    elif pa.types.is_date(kind):
        column = column.cast(pa.date32()).cast(pa.int32())
    elif not holds_numbers(kind):
        return None
    numbers = column.cast(pa.float64(), safe=False).fill_null(np.nan)
    return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)


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
    parts = [_as_numbers(pa.array(column.values)) for column in (one, other)]
    sums = np.full(len(one.codes), np.nan)
    if parts[0] is not None and parts[1] is not None:
        sums = weights[0] * parts[0][one.codes] + weights[1] * parts[1][other.codes]
    values, codes = np.unique(sums, return_inverse=True)
    told = tuple(None if np.isnan(value) else value for value in values.tolist())
    return Coded(told, codes.reshape(-1).astype(np.int64))


def _ranked(numbers: Floats) -> Ints:
    """Return numbers as places in their order; -1 where there is none."""
    codes = np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return np.where(np.isnan(numbers), -1, codes)


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


def _compared(
    private: Source, release: Source, names: Sequence[str], altered: set[str]
) -> tuple[list[str], dict[str, _Sampled]]:
    """Return the variables of which the release tells other things, and some private records.

    A variable was changed if cells are empty that were not, or hold what no private cell holds.
    """
    drawn = _drawn(private.records)
    changed, sampled = [], {}
    for start in range(0, len(names), _AT_ONCE):
        some = list(names[start : start + _AT_ONCE])
        old, own = private.table(some), release.table(some)
        for name in some:
            before, after = (decoded(t.column(name).combine_chunks()) for t in (old, own))
            if name in altered or _tells_otherwise(before, after):
                changed.append(name)
            sampled[name] = _Sampled.of(before.take(drawn))
    return changed, sampled


def _tells_otherwise(before: pa.Array, after: pa.Array) -> bool:
    if after.null_count > before.null_count:
        return True
    known, values = pc.unique(before), pc.unique(after).drop_null()
    if values.type != known.type:
        return not set(texts_of(values.to_pylist())) <= set(texts_of(known.to_pylist()))
    return not pc.all(pc.is_in(values, value_set=known), min_count=0).as_py()


def related(told: Ints, by: Ints) -> Relation | None:
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


def _telling(told: Ints, by: Ints) -> Bools:
    """Say of every value of a column whether it tells another column's; the first is *missing*.

    Both are given as codes, below 0 where missing. A value tells where what is most frequent
    beside it is right nearly always, and would by chance be wrong often. So do all values but the
    usual one together, or all that are not missing: numbers of births are many, and few women
    have each, but whoever has one is a woman.

    >>> rng = np.random.default_rng(1)
    >>> sex = rng.integers(0, 2, 500)
    >>> _telling(sex, np.where(sex == 1, rng.integers(0, 4, 500), -1)).tolist()
    [True, True, True, True, True]
    >>> _telling(sex, rng.integers(0, 2, 500)).tolist()
    [False, False, False]
    """
    return _told_by_values(told, by)[0]


def _told_by_values(told: Ints, by: Ints) -> tuple[Bools, Ints]:
    """Return which values tell, the first being *missing*, and the value that each tells."""
    number = int(by.max(initial=-1)) + 2
    present = told >= 0
    one, other = told[present], by[present] + 1
    if not len(one) or one.min() == one.max():
        return np.zeros(number, dtype=bool), np.zeros(number, dtype=np.int64)
    shares = np.bincount(one) / len(one)
    tells, values = _told_by_groups(one, other, number, shares)
    for apart in (int(np.bincount(other).argmax()), 0):
        rest = np.arange(number) != apart
        both, value = _told_by_groups(one, rest[other].astype(np.int64), 2, shares)
        if both[1]:
            values = np.where(rest & ~tells, value[1], values)
            tells = tells | rest
    return tells, values


def _told_by_groups(told: Ints, groups: Ints, number: int, shares: Floats) -> tuple[Bools, Ints]:
    size = len(shares)
    pairs, counts = np.unique(groups * size + told, return_counts=True)
    order = np.argsort(counts, kind="stable")
    value = np.zeros(number, dtype=np.int64)
    right = np.zeros(number, dtype=np.int64)
    value[pairs[order] // size] = pairs[order] % size  # the most frequent is written last
    right[pairs[order] // size] = counts[order]
    records, by_chance = np.bincount(groups, minlength=number), shares[value]
    wrong = records * (1 - by_chance)
    beyond = right - records * by_chance
    return (wrong >= _EVIDENCE_ALONE) & (beyond >= _TELLS_ALONE * wrong), value


def _beyond_chance(right: float, by_chance: float, records: int) -> bool:
    wrong = 1 - by_chance
    return records * wrong >= _EVIDENCE and right - by_chance >= TELLS * wrong


def _read_off(told: Ints, by: Ints) -> float:
    """Return the share of records whose value is the most frequent one beside the other's."""
    size = int(told.max()) + 1
    pairs, counts = np.unique(by * size + told, return_counts=True)
    best = np.zeros(int(by.max()) + 1, dtype=np.int64)
    np.maximum.at(best, pairs // size, counts)
    return int(best.sum()) / len(told)


def _unbroken(told: Ints, by: Ints) -> float:
    """Return the share of records that have the value of the one before, in the other's order."""
    inside = told[np.argsort(by, kind="stable")]
    return float((inside[1:] == inside[:-1]).mean())


def _agreeing(codes: Ints) -> float:
    shares = np.bincount(codes) / len(codes)
    return float(shares @ shares)


def _ranks(codes: Ints) -> Floats:
    counts = np.bincount(codes)
    return np.asarray((np.cumsum(counts) - counts / 2)[codes])


def _drawn(records: int) -> pa.Array:
    """Draw records, in an order that says nothing."""
    size = min(records, _SAMPLE)
    return pa.array(np.random.default_rng(records).choice(records, size, replace=False))


def _strangers(private: Source, apart: Sequence[str]) -> Ints:
    """Return places of drawn records no two of which are of the same household or person.

    Members of a household agree in much that does not tell anything of anybody else.
    """
    drawn = _drawn(private.records)
    left = np.arange(len(drawn), dtype=np.int64)
    for name in apart:
        column = (
            decoded(private.table([name]).column(0).combine_chunks())
            .take(drawn)
            .take(pa.array(left))
        )
        codes = _ordered(column)
        first = np.unique(codes, return_index=True)[1]
        left = left[(codes < 0) | np.isin(np.arange(len(codes)), first)]
    return left


def _ordered(column: pa.Array) -> Ints:
    """Return values as places in their order; -1 is missing."""
    values = column.dictionary_encode()
    place = np.empty(len(values.dictionary) + 1, dtype=np.int64)
    place[_order(values.dictionary)] = np.arange(len(values.dictionary))
    place[-1] = -1
    codes = values.indices.fill_null(len(place) - 1).to_numpy(zero_copy_only=False)
    return np.asarray(place[codes])


def _order(values: pa.Array) -> Ints:
    """Return the order of values: texts that are all numbers as numbers."""
    if holds_text(values.type):
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
    tells, which = _told_by_values(told, places[by.codes])
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
