"""Columns that hold what another member of the household has: the age of its head, or of a partner.

Beside a released household number such a column tells of the other member what was coarsened there.
It is looked for in the private data in two ways. Members have places in their household, by the
order of the records and of the values: whether a column tells the value of whoever has a place is
seen as for any pair of variables, among people who themselves have about the same value, so that
what members share is not taken for it. And where the place differs, as that of a partner does, it
is counted how often the cell is the value of one of the others, and how often by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from indistinct.core import Bools, Ints
from indistinct.prove.pairs import TOGETHER, columns_that_tell_beside
from indistinct.prove.possible import Coded

__all__ = ["columns_of_members"]

_STRATA = 8
"""Groups of people who have about the same value themselves."""

_EVIDENCE = 24.0
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
        if names and some.sum() >= _EVIDENCE:
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
        if len(said) < _EVIDENCE:
            return False
        shuffled = np.random.default_rng(len(said)).permutation(said)
        right, by_chance = (float(self._are(records, c).mean()) for c in (said, shuffled))
        wrong = 1 - by_chance
        return len(said) * wrong >= _EVIDENCE and right - by_chance >= TOGETHER * wrong

    def _are(self, records: Ints, codes: Ints) -> Bools:
        wanted = self._homes[records] * self._room + codes + 1
        at = np.minimum(np.searchsorted(self._pairs, wanted), len(self._pairs) - 1)
        return np.asarray((self._pairs[at] == wanted) & (codes >= 0))
