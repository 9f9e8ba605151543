"""What belongs together in the private data: which variables tell others, alone or in pairs.

Everything here is a function of the private data alone, and is worked out once for them however
often a release is looked at: before it is written, after copies were blanked, and by the judge, who
reads the released file himself and shares nothing else with whoever made it.

Columns that hold what another member of the household has: the age of its head, or of a partner.

Beside a released household number such a column tells of the other member what was coarsened there.
It is looked for in the private data in two ways. Members have places in their household, by the
order of the records and of the values: whether a column tells the value of whoever has a place is
seen as for any pair of variables, among people who themselves have about the same value, so that
what members share is not taken for it. And where the place differs, as that of a partner does, it
is counted how often the cell is the value of one of the others, and how often by chance.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, Floats, Ints, decoded, holds_numbers, holds_text
from indistinct.files import Source
from indistinct.households import household_numbers
from indistinct.prove.covering import texts_of
from indistinct.prove.pairs import (
    TOGETHER,
    columns_that_tell_beside,
    pairs_that_add_up,
    pairs_that_tell,
    pairs_that_tell_within,
)
from indistinct.prove.possible import Coded, coded

__all__ = [
    "Belonging",
    "Occurring",
    "Relation",
    "Sampled",
    "as_numbers",
    "belonging_in",
    "order_of_values",
    "related",
    "told_by_values",
]

Pair = tuple[str, str]
Told = dict[Pair, dict[str, "Relation"]]

TELLS = 0.9
"""How much better than chance one variable must be read off another, from 0 to 1."""

_FOLLOWS = 0.98
"""The rank correlation from which an amount follows another."""

_SAMPLE = 5_000

_EVIDENCE = 8.0
"""Records that would be read wrong by chance; with fewer, reading them right means nothing."""

_TELLS_ALONE, _EVIDENCE_ALONE = 0.98, 20.0
"""The same for single values of a variable, of which there are many to be taken in by."""

_AMOUNTS = 20
"""Numbers with fewer different values are no amounts that might be added."""


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


class Belonging:
    """What belongs together in one file, each thing worked out when it is first asked for."""

    def __init__(self, private: Source, apart: Sequence[str]) -> None:
        self._private = private
        self._drawn = drawn_records(private.records)
        self._strangers = _strangers(private, apart)
        self.records = np.asarray(self._drawn.to_numpy()[self._strangers], dtype=np.int64)
        self.sampled: dict[str, Sampled] = {}
        self.occurring: dict[str, Occurring] = {}
        self._some: dict[str, Sampled] = {}
        self._related: dict[Pair, Relation | None] = {}
        self._partly: dict[Pair, bool] = {}
        self._together: dict[tuple[Pair, str], Told] = {}
        self._within: dict[tuple[Pair, str], Told] = {}
        self._of_members: dict[tuple[str, str, str], bool] = {}
        self._homes: dict[str, _Homes] = {}

    def read(self, names: Sequence[str]) -> None:
        """Read private columns, so far as they are not known: their values, and the sample."""
        unknown = [name for name in names if name not in self.sampled]
        if not unknown:
            return
        table = self._private.table(unknown)
        for name in unknown:
            column = decoded(table.column(name).combine_chunks())
            self.sampled[name] = Sampled.of(column.take(self._drawn))
            self._some[name] = self.sampled[name].take(self._strangers)
            self.occurring[name] = Occurring.of(column)

    def related(self, of: str, name: str) -> Relation | None:
        """Say how closely a variable belongs to another."""
        if (of, name) not in self._related:
            self._related[of, name] = related(self.sampled[of].codes, self.sampled[name].codes)
        return self._related[of, name]

    def tells_by_some_values(self, of: str, name: str) -> bool:
        """Say whether some values of a variable tell another, among strangers."""
        if (of, name) not in self._partly:
            told = _telling(self._some[of].codes, self._some[name].codes)
            self._partly[of, name] = bool(told.any())
        return self._partly[of, name]

    def tells_of(self, of: str, name: str) -> bool:
        """Say whether a variable tells another in any way."""
        if self.related(of, name) is not None:
            return True
        return bool(_telling(self.sampled[of].codes, self.sampled[name].codes).any())

    def told_together(self, targets: Sequence[str], pairs: Sequence[Pair]) -> Told:
        """Return what pairs tell that neither variable tells by itself."""

        def work(targets: Sequence[str], pairs: Sequence[Pair]) -> Told:
            return _told_together(self._some, targets, pairs)

        return _remembered(self._together, work, targets, pairs)

    def told_within(self, targets: Sequence[str], pairs: Sequence[Pair]) -> Told:
        """Return what a variable tells beside some values of another."""

        def work(targets: Sequence[str], pairs: Sequence[Pair]) -> Told:
            return _told_within(self._some, targets, pairs, self.records)

        return _remembered(self._within, work, targets, pairs)

    def told_of_members(self, household: str, of: str, names: Sequence[str]) -> list[str]:
        """Return the variables that tell what another member of the household has."""
        unknown = [name for name in names if (household, of, name) not in self._of_members]
        if unknown:
            if household not in self._homes:
                self._homes[household] = _Homes(self._private, household, self.records)
            homes = self._homes[household]
            columns = {name: homes.column(name) for name in unknown}
            found = columns_of_members(homes.numbers, homes.column(of), columns, homes.drawn)
            self._of_members |= {(household, of, name): name in found for name in unknown}
        return [name for name in names if self._of_members[household, of, name]]


class _Homes:
    """The households that drawn people live in, whole, and what their members have."""

    def __init__(self, private: Source, household: str, drawn: Ints) -> None:
        numbers = household_numbers(private, household)
        looked_at = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=bool)
        looked_at[numbers[drawn]] = True
        members = np.flatnonzero(looked_at[numbers])
        self.numbers = numbers[members]
        self.drawn: Ints = np.searchsorted(members, drawn).astype(np.int64)
        self._private, self._members = private, pa.array(members)
        self._columns: dict[str, Coded] = {}

    def column(self, name: str) -> Coded:
        """Return what the members have of a variable, its values in their order."""
        if name not in self._columns:
            column = self._private.table([name]).column(0).combine_chunks()
            self._columns[name] = _in_order(coded(column.take(self._members)))
        return self._columns[name]


_LAST: dict[object, Belonging] = {}


def belonging_in(private: Source, apart: Sequence[str]) -> Belonging:
    """Return what belongs together in a file; what was found is kept for the file asked last.

    Parameters
    ----------
    apart
        Columns by which records belong to one household or person: no two such are compared.
    """
    key = (*private.identity, *apart)
    if key not in _LAST:
        _LAST.clear()
        _LAST[key] = Belonging(private, apart)
    return _LAST[key]


def _remembered(
    known: dict[tuple[Pair, str], Told],
    work: Callable[[Sequence[str], Sequence[Pair]], Told],
    targets: Sequence[str],
    pairs: Sequence[Pair],
) -> Told:
    """Return what pairs tell, and work out only what is not known yet; no pair minds another."""
    missing: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs:
        wanted = tuple(of for of in targets if (pair, of) not in known)
        missing.setdefault(wanted, []).append(pair)
    for wanted, some in missing.items():
        found = work(wanted, some) if wanted else {}
        for one, other in some:
            ways = [way for way in ((one, other), (other, one)) if way in found]
            for of in wanted:
                told = {way: {of: found[way][of]} for way in ways if of in found[way]}
                known[(one, other), of] = told
    together: Told = {}
    for pair in pairs:
        for of in targets:
            for way, relations in known[pair, of].items():
                together.setdefault(way, {}).update(relations)
    return together


def _told_together(
    some: Mapping[str, Sampled], targets: Sequence[str], pairs: Sequence[tuple[str, str]]
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
    some: Mapping[str, Sampled],
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


def _tells(told: Ints, by: Ints) -> bool:
    relation = related(told, by)
    return relation is not None and relation.tells


@dataclass(frozen=True, eq=False)
class Occurring:
    """What occurs in a column: its values, each once, and how many cells are missing."""

    values: pa.Array = field(repr=False)
    missing: int

    @classmethod
    def of(cls, column: pa.Array) -> Occurring:
        """Read the cells; not-a-number is missing."""
        if pa.types.is_floating(column.type):
            column = pa.array(column.to_numpy(zero_copy_only=False), from_pandas=True)
        return cls(pc.unique(column).drop_null(), column.null_count)

    def known_to(self, other: Occurring) -> Bools:
        """Say of each value whether it occurs in another column too."""
        if self.values.type == other.values.type:
            found = pc.is_in(self.values, value_set=other.values)
            return np.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)
        known = set(texts_of(other.values.to_pylist()))
        texts = texts_of(self.values.to_pylist())
        return np.array([text in known for text in texts], dtype=bool)


@dataclass(frozen=True, eq=False)
class Sampled:
    """Some records' cells of one variable: places in the order of the values, and numbers."""

    codes: Ints = field(repr=False)
    numbers: Floats | None = field(repr=False)

    @classmethod
    def of(cls, column: pa.Array) -> Sampled:
        """Read the cells."""
        return cls(_ordered(column), as_numbers(column))

    def take(self, places: Ints) -> Sampled:
        """Return some of the cells."""
        numbers = self.numbers
        return Sampled(self.codes[places], None if numbers is None else numbers[places])


def as_numbers(column: pa.Array) -> Floats | None:
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


def _ranked(numbers: Floats) -> Ints:
    """Return numbers as places in their order; -1 where there is none."""
    codes = np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return np.where(np.isnan(numbers), -1, codes)


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
    return told_by_values(told, by)[0]


def told_by_values(told: Ints, by: Ints) -> tuple[Bools, Ints]:
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


def drawn_records(records: int) -> pa.Array:
    """Draw records, in an order that says nothing."""
    size = min(records, _SAMPLE)
    return pa.array(np.random.default_rng(records).choice(records, size, replace=False))


def _strangers(private: Source, apart: Sequence[str]) -> Ints:
    """Return places of drawn records no two of which are of the same household or person.

    Members of a household agree in much that does not tell anything of anybody else.
    """
    drawn = drawn_records(private.records)
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
    place[order_of_values(values.dictionary)] = np.arange(len(values.dictionary))
    place[-1] = -1
    codes = values.indices.fill_null(len(place) - 1).to_numpy(zero_copy_only=False)
    return np.asarray(place[codes])


def order_of_values(values: pa.Array) -> Ints:
    """Return the order of values: texts that are all numbers as numbers."""
    if holds_text(values.type):
        with contextlib.suppress(pa.ArrowInvalid):
            values = values.cast(pa.float64())
    try:
        return np.asarray(pc.sort_indices(values).to_numpy(), dtype=np.int64)
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return np.arange(len(values), dtype=np.int64)


def _in_order(column: Coded) -> Coded:
    """Return a column whose values are in their order."""
    order = order_of_values(pa.array(column.values))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return Coded(tuple(column.values[at] for at in order.tolist()), place[column.codes])


# Columns that hold what another member of the household has --------------------------------------


_STRATA = 8
"""Groups of people who have about the same value themselves."""

_EVIDENCE_TOGETHER = 24.0
"""Cells that would not be another member's value by chance; with fewer it means little."""


def columns_of_members(
    homes: Ints, told: Coded, columns: Mapping[str, Coded], records: Ints
) -> tuple[str, ...]:
    """Return the columns that tell what other members of the household have.

    Parameters
    ----------
    homes
        The number of the household of every record.
    told
        What may be told, its values in their order.
    columns
        What may tell it, their values in their order.
    records
        Those that are looked at, no two of the same household.

    >>> rng = np.random.default_rng(1)
    >>> homes, age = np.repeat(np.arange(600), 3), rng.integers(0, 90, 1800)
    >>> coded = {
    ...     name: Coded(tuple(range(90)), codes)
    ...     for name, codes in {"head": np.repeat(age[::3], 3), "own": age}.items()
    ... }
    >>> columns_of_members(homes, Coded(tuple(range(90)), age), coded, np.arange(1, 1800, 3))
    ('head',)
    """
    own = _places(told)
    few = own.max(initial=-1) < _STRATA
    ranks = np.argsort(np.argsort(own[records], kind="stable"), kind="stable")
    strata = own[records] if few else ranks * _STRATA // max(1, len(ranks))
    sampled = {name: _places(column)[records] for name, column in columns.items()}
    found = set()
    for member in _members(homes, own):
        theirs = np.where(member >= 0, own[member], -1)[records]
        # who has many values and shares them with the others does not need to be told them
        some = (theirs >= 0) & (own[records] >= 0) & (few | (theirs != own[records]))
        names = {name: _few(codes[some]) for name, codes in sampled.items() if name not in found}
        if names and some.sum() >= _EVIDENCE_TOGETHER:
            found.update(columns_that_tell_beside(names, _few(theirs[some]), strata[some]))
    held = _Held(homes, told)
    found.update(name for name in columns if held.elsewhere(columns[name], records))
    return tuple(name for name in columns if name in found)


def _places(column: Coded) -> Ints:
    """Return the codes of a column, -1 where there is no value."""
    present = np.array([value is not None for value in column.values], dtype=bool)
    return np.where(present[column.codes], column.codes, -1)


def _few(codes: Ints) -> Ints:
    """Return codes of some records in the same order, from 0 without gaps; -1 stays."""
    values, places = np.unique(codes, return_inverse=True)
    return places.reshape(-1).astype(np.int64) - int(len(values) > 0 and values[0] < 0)


def _members(homes: Ints, own: Ints) -> Iterator[Ints]:
    """Give for each place in a household the record of whoever has it; -1 where it is one's own."""
    number = len(homes)
    records = np.arange(number)
    for order in (np.argsort(homes, kind="stable"), np.lexsort((own, homes))):
        inside = homes[order]
        starts = np.flatnonzero(np.append(True, inside[1:] != inside[:-1]))
        sizes = np.diff(np.append(starts, number))
        ends = starts + sizes - 1
        for ends_at in (starts, ends):
            member = np.empty(number, dtype=np.int64)
            member[order] = np.repeat(order[ends_at], sizes)
            yield np.where(member == records, -1, member)
    order = np.argsort(homes, kind="stable")
    alike = homes[order][1:] == homes[order][:-1]
    for one, other in ((order[:-1], order[1:]), (order[1:], order[:-1])):
        member = np.full(number, -1, dtype=np.int64)
        member[one[alike]] = other[alike]
        yield member


class _Held:
    """The values that the members of each household have."""

    def __init__(self, homes: Ints, told: Coded) -> None:
        self._homes, self._own = homes, _places(told)
        self._code_of = {value: n for n, value in enumerate(told.values) if value is not None}
        self._room = len(told.values) + 1
        self._pairs = np.unique(homes * self._room + self._own + 1)

    def elsewhere(self, column: Coded, records: Ints) -> bool:
        """Say whether cells that are not one's own value are mostly another member's."""
        codes = np.array([self._code_of.get(v, -1) for v in column.values], dtype=np.int64)
        said = codes[column.codes[records]]
        there = _places(column)[records] >= 0
        records, said = records[there], said[there]
        others = said != self._own[records]
        records, said = records[others], said[others]
        if len(said) < _EVIDENCE_TOGETHER:
            return False
        shuffled = np.random.default_rng(len(said)).permutation(said)
        right, by_chance = (float(self._are(records, c).mean()) for c in (said, shuffled))
        wrong = 1 - by_chance
        return len(said) * wrong >= _EVIDENCE_TOGETHER and right - by_chance >= TOGETHER * wrong

    def _are(self, records: Ints, codes: Ints) -> Bools:
        wanted = self._homes[records] * self._room + codes + 1
        at = np.minimum(np.searchsorted(self._pairs, wanted), len(self._pairs) - 1)
        return np.asarray((self._pairs[at] == wanted) & (codes >= 0))
