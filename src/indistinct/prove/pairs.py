"""Two variables that tell a third only together: a year and a date of birth tell the age.

Records are put in the order of one variable within each value of another. If the two tell a third,
it hardly changes from one record to the next: hardly more often than it must, to take all the
values that it has there, and far less often than if the records of each value were shuffled. Where
the order says nothing (the blocks of a district), neighbours that agree on both are looked at.
Neighbours are different people, so two variables that are another for everybody, and seem to
determine everything, gain nothing by it.

A pair may tell only for some: years that are the age of the dead, and something else of the living.
So each value of the one is looked at by itself, and all but the usual one together.

Amounts that are another for everybody have no such neighbours. There it is looked for sums and
differences: a third amount that is one times a number and another times a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from indistinct.core import Floats, Ints

__all__ = [
    "TOGETHER",
    "Within",
    "columns_that_tell_beside",
    "pairs_that_add_up",
    "pairs_that_tell",
    "pairs_that_tell_within",
]

Codes = NDArray[np.uint16]
"""Values as places in their order, from 1; 0 is missing."""

TOGETHER = 0.9
"""The share of avoidable changes that the order of a pair must avoid."""

_EVIDENCE = 24.0
"""Changes that chance would make and order could avoid; with fewer, avoiding them means little."""

_ADDS_UP = 0.999
"""The share of an amount's variance that a sum of two others must leave no doubt of."""

_UNUSUAL = 0.97
"""Orders in which a target changes about as often as by chance are not looked at any further."""

_NEEDED = 0.5
"""A pair leaves at most this share of the changes that either variable leaves by itself."""


class _Avoided(NamedTuple):
    """Shares of avoidable changes that are avoided: between neighbours, and between equals."""

    in_order: float
    in_value: float


@dataclass(frozen=True, eq=False)
class Within:
    """For which values of one variable another tells a third.

    Parameters
    ----------
    values
        The values, as codes; -1 is missing.
    in_order
        Whether that is seen from the order of the values, so that values which only one person
        has tell something, too.
    """

    values: Ints
    in_order: bool


class _Sorted:
    """Some records' columns as codes in the order of their values; -1 is missing."""

    def __init__(self, columns: Mapping[str, Ints]) -> None:
        # 16 bits are sorted by counting, which is far quicker than by comparing
        self._codes = {name: (codes + 1).astype(np.uint16) for name, codes in columns.items()}
        self._gaps = {name: bool((codes < 0).any()) for name, codes in columns.items()}
        self._order: dict[str, Ints] = {}
        self._usual: dict[tuple[str, str], float] = {}
        self._usual_within: dict[tuple[str, str], Floats] = {}

    def avoided(self, targets: Sequence[str], inner: str, outer: str | None) -> list[_Avoided]:
        """Return for each target the shares of avoidable changes that are avoided.

        The order is that of one variable within each value of another, or by itself.
        """
        order, strata = self._in_order(inner, outer)
        values = self._codes[inner][order]
        if self._gaps[inner] or (outer is not None and self._gaps[outer]):
            known = (strata > 0) & (values > 0)
            order, strata, values = order[known], strata[known], values[known]
        together = strata[1:] == strata[:-1]
        neighbours = int(together.sum())
        found = []
        for target in targets:
            told = self._codes[target][order]
            changing = (told[1:] != told[:-1]) & together
            changes = int(np.count_nonzero(changing))
            if changes > _UNUSUAL * neighbours * self._usually(target, outer):
                found.append(_Avoided(0.0, 0.0))
                continue
            alike = together & (values[1:] == values[:-1])
            by_chance, least = _changes(told, strata)
            rates = by_chance / np.maximum(1, np.bincount(strata) - 1)
            found.append(
                _Avoided(
                    _share(float(by_chance.sum()), changes, int(least.sum())),
                    _share(float(rates[strata[1:][alike]].sum()), int((changing & alike).sum())),
                )
            )
        return found

    def within(self, targets: Sequence[str], inner: str, outer: str) -> dict[str, Within]:
        """Return for which values of one variable another tells the targets."""
        order, strata = self._in_order(inner, outer)
        values = self._codes[inner][order]
        if self._gaps[inner]:
            order, strata, values = order[values > 0], strata[values > 0], values[values > 0]
        number = int(self._codes[outer].max(initial=0)) + 1
        sizes = np.bincount(strata, minlength=number)
        rest = np.arange(number) != sizes.argmax()
        together = strata[1:] == strata[:-1]
        found = {}
        for target in targets:
            told = self._codes[target][order]
            changing = (told[1:] != told[:-1]) & together
            changes = np.bincount(strata[1:][changing], minlength=number)
            usual = self._usually_within(target, outer) * np.maximum(sizes - 1, 0)
            fewer = (usual >= _EVIDENCE) & (changes <= _UNUSUAL * usual)
            pooled = usual[rest].sum() >= _EVIDENCE
            pooled &= changes[rest].sum() <= _UNUSUAL * usual[rest].sum()
            if not (pooled or fewer.any()):
                continue
            alike = together & (values[1:] == values[:-1])
            by_chance, least = _changes(told, strata, number)
            rates = by_chance / np.maximum(1, sizes - 1)
            equals = rates * np.bincount(strata[1:][alike], minlength=number)
            unequal = np.bincount(strata[1:][alike & changing], minlength=number)
            for in_order, chance, seen, must in (
                (True, by_chance, changes, least),
                (False, equals, unequal, np.zeros(number, dtype=np.int64)),
            ):
                some = _shares(chance, seen, must) >= TOGETHER
                if _share(chance[rest].sum(), seen[rest].sum(), must[rest].sum()) >= TOGETHER:
                    some |= rest & (sizes > 0)
                if some.any():
                    found[target] = Within(np.flatnonzero(some) - 1, in_order)
                    break
        return found

    def _in_order(self, inner: str, outer: str | None) -> tuple[Ints, Codes]:
        """Return the records in the order of one variable within another, and the other's codes."""
        if inner not in self._order:
            self._order[inner] = np.argsort(self._codes[inner], kind="stable")
        order = self._order[inner]
        if outer is None:
            return order, np.ones(len(order), dtype=np.uint16)
        strata = self._codes[outer]
        order = _placed(order, strata, int(strata.max(initial=0)) + 1)
        return order, strata[order]

    def _usually_within(self, target: str, outer: str) -> Floats:
        """Return how often a target changes by chance from one record of a value to the next."""
        if (target, outer) not in self._usual_within:
            strata = self._codes[outer]
            by_chance, _ = _changes(self._codes[target], strata)
            rates = by_chance / np.maximum(1, np.bincount(strata) - 1)
            self._usual_within[target, outer] = rates
        return self._usual_within[target, outer]

    def by_one_of(self, target: str, inner: str, outer: str) -> float:
        """Return the share of changes between equals that the values of one of both avoid as well.

        Whoever has no pay has no way to work: that is not told by the pay and the county together.
        """
        told = self._codes[target].astype(np.int64)
        pair = self._codes[inner].astype(np.int64) * (1 << 16) + self._codes[outer]
        known = (self._codes[inner] > 0) & (self._codes[outer] > 0)
        _, group, sizes = np.unique(pair, return_inverse=True, return_counts=True)
        equals = known & (sizes[group.reshape(-1)] > 1)
        if not equals.any():
            return 0.0
        by_chance = _disagreeing(told, self._codes[outer] * 0)[equals].mean()
        left = [
            _disagreeing(told, self._codes[name])[equals].mean() / max(by_chance, 1e-9)
            for name in (inner, outer)
        ]
        return float(1 - min(left))

    def _usually(self, target: str, outer: str | None) -> float:
        """Return how often a target changes from one record to the next by chance."""
        if outer is None:
            return 1.0
        if (target, outer) not in self._usual:
            strata = self._codes[outer]
            by_chance, _ = _changes(self._codes[target], strata)
            neighbours = len(strata) - len(np.unique(strata))
            self._usual[target, outer] = float(by_chance.sum()) / max(1, neighbours)
        return self._usual[target, outer]


def _changes(told: Codes, strata: Codes, number: int = 0) -> tuple[Floats, Ints]:
    """Return how often values change in each stratum by chance, and at the least."""
    sizes = np.bincount(strata, minlength=number)
    kinds, agreeing = _agreeing(told, strata, sizes, int(told.max(initial=0)) + 1)
    return np.maximum(sizes - 1, 0) - agreeing, kinds - (sizes > 0)


@njit(cache=True, nogil=True)
def _agreeing(told: Codes, strata: Codes, sizes: Ints, room: int) -> tuple[Ints, Floats]:
    """Count the values of each stratum, and the neighbours that agree in a random order."""
    placed = _placed(np.arange(len(strata)), strata, len(sizes))
    kinds = np.zeros(len(sizes), dtype=np.int64)
    agreeing = np.zeros(len(sizes), dtype=np.float64)
    counts = np.zeros(room, dtype=np.int64)
    start = 0
    for stratum in range(len(sizes)):
        size = sizes[stratum]
        for at in range(start, start + size):
            value = told[placed[at]]
            kinds[stratum] += counts[value] == 0
            counts[value] += 1
        for at in range(start, start + size):
            value = told[placed[at]]
            agreeing[stratum] += counts[value] * (counts[value] - 1) / size
            counts[value] = 0
        start += size
    return kinds, agreeing


@njit(cache=True, nogil=True)
def _placed(order: Ints, strata: Codes, number: int) -> Ints:
    """Return records that are in some order by their strata, each stratum in that order."""
    starts = np.zeros(number + 1, dtype=np.int64)
    for record in order:
        starts[strata[record] + 1] += 1
    starts = np.cumsum(starts)
    placed = np.empty(len(order), dtype=np.int64)
    for record in order:
        placed[starts[strata[record]]] = record
        starts[strata[record]] += 1
    return placed


def _disagreeing(told: Ints, groups: Codes) -> Floats:
    """Return for each record how many of the others in its group have another value."""
    pairs = groups.astype(np.int64) * (int(told.max(initial=0)) + 1) + told
    _, cell, alike = np.unique(pairs, return_inverse=True, return_counts=True)
    size = np.bincount(groups)[groups]
    return np.asarray((size - alike[cell.reshape(-1)]) / np.maximum(size - 1, 1))


def _share(by_chance: float, changes: int, least: int = 0) -> float:
    return float(_shares(np.float64(by_chance), changes, least))


def _shares(by_chance: Floats | np.float64, changes: Ints | int, least: Ints | int) -> Floats:
    """Return the shares of avoidable changes that are avoided; 0 where there are too few."""
    avoidable = by_chance - least
    enough = avoidable >= _EVIDENCE
    return np.where(enough, (by_chance - changes) / np.where(enough, avoidable, 1.0), 0.0)


def pairs_that_tell(
    columns: Mapping[str, Ints], targets: Sequence[str], pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], dict[str, bool]]:
    """Return the pairs of variables that tell a target far better together than each by itself.

    Parameters
    ----------
    columns
        Some records' values as codes in the order of the values, at most 65,534 of each; -1 is
        missing. No two records are of the same household.
    targets
        What may be told.
    pairs
        Those that are looked at.

    Returns
    -------
    For each pair what it tells, and whether that is seen from the order of the values, so that
    values which only one person has tell something, too.

    >>> rng = np.random.default_rng(1)
    >>> year, born = rng.integers(0, 3, 900), rng.integers(0, 30, 900)
    >>> columns = {"age": 10 * year + 30 - born, "year": year, "born": born}
    >>> pairs_that_tell(columns, ["age"], [("year", "born")])
    {('year', 'born'): {'age': True}}
    """
    records = _Sorted(columns)
    found = {}
    for pair in pairs:
        # within the coarser one there are more neighbours
        outer, inner = sorted(pair, key=lambda name: int(columns[name].max(initial=0)))
        wanted = [name for name in targets if name not in pair]
        told = {
            target: score.in_order >= TOGETHER
            for target, score in zip(wanted, records.avoided(wanted, inner, outer), strict=True)
            if max(score) >= TOGETHER
            and all(
                1 - max(score) <= _NEEDED * (1 - max(records.avoided([target], name, None)[0]))
                for name in pair
            )
            and (
                score.in_order >= TOGETHER
                or _NEEDED * (1 - records.by_one_of(target, inner, outer)) >= 1 - TOGETHER
            )
        }
        if told:
            found[pair] = told
    return found


def pairs_that_tell_within(
    columns: Mapping[str, Ints], targets: Sequence[str], pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], dict[str, Within]]:
    """Return the pairs of which one tells a target among those who share some value of the other.

    Parameters
    ----------
    columns, targets, pairs
        As for `pairs_that_tell`.

    Returns
    -------
    For each pair, the variable first that tells, what it tells and beside which values.

    >>> rng = np.random.default_rng(1)
    >>> age, dead = rng.integers(0, 90, 900), rng.integers(0, 5, 900) == 0
    >>> years = np.where(dead, age, rng.integers(0, 90, 900))
    >>> columns = {"age": age, "dead": dead.astype(np.int64), "years": years}
    >>> found = pairs_that_tell_within(columns, ["age"], [("dead", "years")])
    >>> found["years", "dead"]["age"].values.tolist()
    [1]
    """
    records = _Sorted(columns)
    found = {}
    for one, other in pairs:
        wanted = [name for name in targets if name not in (one, other)]
        for inner, outer in ((one, other), (other, one)):
            if told := records.within(wanted, inner, outer):
                found[inner, outer] = told
    return found


def columns_that_tell_beside(columns: Mapping[str, Ints], told: Ints, beside: Ints) -> list[str]:
    """Return the columns that tell a target among records that agree on something else.

    All are given as for `pairs_that_tell`; what every record has beside it is not missing.
    """
    names = {f"column {name}": codes for name, codes in columns.items()}
    records = _Sorted({**names, "told": told, "beside": beside})
    return [
        name
        for name in columns
        if max(records.avoided(["told"], f"column {name}", "beside")[0]) >= TOGETHER
    ]


def pairs_that_add_up(
    numbers: Mapping[str, Floats],
    targets: Sequence[str],
    pairs: Iterable[tuple[str, str]],
) -> dict[tuple[str, str], dict[str, tuple[float, float]]]:
    """Return the pairs of amounts of which a target is a sum, and what each is multiplied by.

    Parameters
    ----------
    numbers
        Some records' values; not-a-number where there is none.
    targets, pairs
        As for `pairs_that_tell`; those that are no numbers are passed over.

    >>> rng = np.random.default_rng(1)
    >>> wages, rents = rng.lognormal(size=(2, 400))
    >>> columns = {"wages": wages, "rents": rents, "income": wages + rents}
    >>> found = pairs_that_add_up(columns, ["income"], [("wages", "rents")])
    >>> [round(number, 6) for number in found["wages", "rents"]["income"]]
    [1.0, 1.0]
    """
    found: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
    wanted = [name for name in targets if name in numbers]
    for pair in pairs if wanted else ():
        if not (pair[0] in numbers and pair[1] in numbers):
            continue
        for target in wanted:
            if target in pair:
                continue
            columns = np.stack([numbers[name] for name in (*pair, target)])
            columns = columns[:, np.isfinite(columns).all(axis=0)]
            if columns.shape[1] >= 2 * _EVIDENCE and (weights := _weights(columns)) is not None:
                found.setdefault(pair, {})[target] = weights
    return found


def _weights(columns: Floats) -> tuple[float, float] | None:
    """Return what two columns are multiplied by to give a third, where both are needed for it."""
    centred = columns - columns.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1)
    if not spread.all():
        return None
    one, other, told = centred / spread[:, None]
    size = len(told)
    a, b, both = one @ told / size, other @ told / size, one @ other / size
    if max(abs(a), abs(b)) >= _ADDS_UP or abs(both) >= _ADDS_UP:
        return None
    first, second = (a - both * b) / (1 - both**2), (b - both * a) / (1 - both**2)
    if first * a + second * b < _ADDS_UP**2:
        return None
    return float(first * spread[2] / spread[0]), float(second * spread[2] / spread[1])
