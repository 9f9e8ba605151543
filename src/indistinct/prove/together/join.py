"""Which records of one release may be about the same person as which of another.

Two records *meet* when their labels meet on every attribute that the releases share: some original
value lies in both. Here both sides are releases, so both may be coarse and both may have suppressed
cells, which meet anything. Work is done on distinct rows of the shared attributes, never on
records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from indistinct.core import GOLDEN, Bools, Ints, mixed
from indistinct.hierarchy import Hierarchy, is_suppressed
from indistinct.keys import group_rows
from indistinct.prove.covering import Cover, cover, texts_of
from indistinct.prove.links import linked_pairs, linked_totals, members_of_groups

__all__ = [
    "AT_MOST_PAIRS",
    "Layer",
    "Sets",
    "Store",
    "distinct_rows",
    "layers_of",
    "listed_pairs",
    "meeting_pairs",
    "meeting_totals",
    "members_by",
    "unique",
]


AT_MOST_PAIRS = 20_000_000
"""Pairs of rows that meet which are listed for two releases: about a gigabyte while it lasts."""

FEW_LEVELS = 4
"""Labels of the other side that overlap more than so deep are taken in layers, coarse ones apart:
otherwise a single coarse label would part all the fine ones that it meets."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Some labels of the right side, and how the left side's labels meet them.

    `cover` is None for suppressed labels, which meet everything; `place` is the position of each
    label of the right side in the cover, -1 where it is in another layer.
    """

    cover: Cover | None
    place: Ints = field(repr=False)


def layers_of(
    left: Sequence[object],
    right: Sequence[object],
    *,
    name: str = "",
    hierarchy: Hierarchy | None = None,
) -> tuple[tuple[Layer, ...], bool]:
    """Deal the right side's labels into layers; say also whether the two have nothing in common.

    >>> layers, apart = layers_of(["02138", "0214*"], ["0213*", "*"], name="zip")
    >>> [layer.place.tolist() for layer in layers], apart
    ([[-1, 0], [0, -1]], False)
    """
    texts = texts_of(right)
    hidden = np.array([is_suppressed(text, hierarchy) for text in texts], dtype=bool)
    layers = []
    if hidden.any():
        layers.append(Layer(None, _places(np.flatnonzero(hidden), len(texts))))
    told = np.flatnonzero(~hidden)
    if not len(told):
        return tuple(layers), False
    whole = cover(left, [texts[c] for c in told], name=name, hierarchy=hierarchy)
    rest = np.arange(len(told))
    while len(rest):
        found = _restricted(whole, rest)
        depth = np.zeros(len(rest), dtype=np.int64)
        for level in found.levels:
            depth += level >= 0
        shallow = depth <= FEW_LEVELS
        if shallow.all() or not shallow.any():
            shallow[:] = True
        else:
            found = _restricted(whole, rest[shallow])
        layers.append(Layer(found, _places(told[rest[shallow]], len(texts))))
        rest = rest[~shallow]
    return tuple(layers), whole.apart


def _restricted(whole: Cover, values: Ints) -> Cover:
    """Return how labels meet some of the values only, in as few levels as these need."""
    place = _places(values, len(whole.values))
    met: list[Ints] = [np.zeros(0, dtype=np.int64)] * len(whole.level_of)
    for level in whole.levels:
        own = np.flatnonzero((level >= 0) & (place >= 0))
        order = own[np.argsort(level[own], kind="stable")]
        groups, first = np.unique(level[order], return_index=True)
        bounds = np.append(first, len(order)).tolist()
        for at, group in enumerate(groups.tolist()):
            met[group] = np.sort(place[order[bounds[at] : bounds[at + 1]]])
    number_of: dict[bytes, int] = {}
    number = [number_of.setdefault(own.tobytes(), len(number_of)) for own in met]
    groups_of: dict[int, Ints] = dict(zip(number, met, strict=True))
    levels: list[Ints] = []
    level_of = np.zeros(len(groups_of), dtype=np.int64)
    for group in sorted(groups_of, key=lambda g: (len(groups_of[g]), g)):
        own = groups_of[group]
        if not len(own):
            continue
        at = next((n for n, level in enumerate(levels) if (level[own] < 0).all()), len(levels))
        if at == len(levels):
            levels.append(np.full(len(values), -1, dtype=np.int64))
        levels[at][own] = group
        level_of[group] = at
    empty = np.array([not len(groups_of[n]) for n in number], dtype=bool)
    new = np.append(np.where(empty, -1, np.array(number, dtype=np.int64)), -1)  # -1 finds itself
    return Cover(
        whole.name,
        whole.labels,
        tuple(whole.values[v] for v in values.tolist()),
        new[whole.group_of],
        level_of,
        tuple(levels),
        whole.telling,
    )


def _places(codes: Ints, size: int) -> Ints:
    places = np.full(size, -1, dtype=np.int64)
    places[codes] = np.arange(len(codes))
    return places


def distinct_rows(codes: Ints) -> tuple[Ints, Ints]:
    """Return the different rows of codes, and for each row its number among them.

    >>> rows, number = distinct_rows(np.array([[1, 5], [0, 7], [1, 5]]))
    >>> rows.tolist(), number.tolist()
    ([[0, 7], [1, 5]], [1, 0, 1])
    """
    if not codes.shape[1]:
        return np.zeros((min(1, len(codes)), 0), dtype=np.int64), np.zeros(len(codes), np.int64)
    number = group_rows(codes)
    first = np.zeros(int(number.max(initial=-1)) + 1, dtype=np.int64)
    first[number[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return codes[first], number


def meeting_pairs(left: Ints, right: Ints, layers: Sequence[Sequence[Layer]]) -> tuple[Ints, Ints]:
    """Return the pairs of rows that meet, by position on either side."""
    pairs = []
    for rows, codes, used, covers in _patterns(right, layers):
        if not covers:
            pairs.append((np.repeat(np.arange(len(left)), len(rows)), np.tile(rows, len(left))))
            continue
        for one, other in linked_pairs(left[:, used], codes, covers):
            pairs.append((one, rows[other]))
    if not pairs:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return np.concatenate([a for a, _ in pairs]), np.concatenate([b for _, b in pairs])


def meeting_totals(
    left: Ints, right: Ints, layers: Sequence[Sequence[Layer]], amounts: Ints
) -> Ints:
    """Add up, for every row of the left side, what the rows that it meets bring."""
    totals = np.zeros(len(left), dtype=np.int64)
    for rows, codes, used, covers in _patterns(right, layers):
        if covers:
            own = amounts[rows].reshape(-1, 1)
            totals += linked_totals(left[:, used], codes, covers, own)[:, 0]
        else:
            totals += amounts[rows].sum()
    return totals


def _patterns(
    right: Ints, layers: Sequence[Sequence[Layer]]
) -> Iterator[tuple[Ints, Ints, list[int], list[Cover]]]:
    """Yield the right side's rows by the layers of their labels, with what to compare."""
    layer_of = np.zeros(right.shape, dtype=np.int64)
    for j, own in enumerate(layers):
        for number, layer in enumerate(own):
            layer_of[layer.place[right[:, j]] >= 0, j] = number
    patterns, pattern_of = distinct_rows(layer_of)
    for number, pattern in enumerate(patterns.tolist()):
        rows = np.flatnonzero(pattern_of == number)
        chosen = [(j, layers[j][at]) for j, at in enumerate(pattern)]
        used = [(j, layer, layer.cover) for j, layer in chosen if layer.cover is not None]
        codes = np.stack(
            [np.zeros(len(rows), np.int64), *(layer.place[right[rows, j]] for j, layer, _ in used)],
            axis=1,
        )[:, 1:]
        yield rows, codes, [j for j, _, _ in used], [found for _, _, found in used]


def listed_pairs(
    left: Ints,
    right: Ints,
    layers: Sequence[Sequence[Layer]],
    *,
    weight: Ints,
    limit: int,
) -> tuple[Ints, Ints, Bools]:
    """Return the pairs that meet, and of which rows of the left side all partners are listed.

    `weight` says how many entries a row of the right side stands for. If all of them are more
    than `limit`, the rows of the left side with the most partners get a part of them only, every
    n-th row of the right side. Whoever counts people through some partners counts no more than
    through all.
    """
    totals = meeting_totals(left, right, layers, weight)
    if totals.sum() <= limit:
        return *meeting_pairs(left, right, layers), np.ones(len(left), dtype=bool)
    order = np.argsort(totals, kind="stable")
    fits = np.cumsum(totals[order]) <= limit // 2
    low, high = np.sort(order[fits]), np.sort(order[~fits])
    step = -(-int(totals[high].sum()) // max(1, limit // 2))
    some = np.arange(0, len(right), step)
    one, other = meeting_pairs(left[low], right, layers)
    third, fourth = meeting_pairs(left[high], right[some], layers)
    complete = np.zeros(len(left), dtype=bool)
    complete[low] = True
    return np.concatenate([low[one], high[third]]), np.concatenate([other, some[fourth]]), complete


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of numbers: set s holds ``members[starts[s]:starts[s + 1]]``, rising."""

    starts: Ints
    members: Ints
    complete: Bools

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> Ints:
        return self.members[self.starts[number] : self.starts[number + 1]]

    @property
    def sizes(self) -> Ints:
        """How many numbers each set holds."""
        return np.diff(self.starts)

    @classmethod
    def of_pairs(
        cls, rows: Ints, members: Ints, *, size: int, complete: Bools | None = None
    ) -> Sets:
        """Collect the members of each row, each once."""
        room = int(members.max(initial=0)) + 1
        pairs = unique(rows * room + members)
        starts = np.searchsorted(pairs, np.arange(size + 1) * room)
        whole = np.ones(size, dtype=bool) if complete is None else complete
        return cls(starts.astype(np.int64), pairs % room, whole)

    def through(self, other: Sets) -> tuple[Ints, Ints]:
        """Replace every member by its own members in another family; pairs, not yet unique."""
        rows = np.repeat(np.arange(len(self)), self.sizes)
        lengths = other.sizes[self.members]
        starts = other.starts[self.members] - (np.cumsum(lengths) - lengths)
        places = np.repeat(starts, lengths) + np.arange(int(lengths.sum()))
        return np.repeat(rows, lengths), other.members[places]


def unique(numbers: Ints) -> Ints:
    """Return different numbers, rising; by sorting, which here is many times faster than NumPy's.

    >>> unique(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ranked = np.sort(numbers)
    fresh = np.ones(len(ranked), dtype=bool)
    fresh[1:] = ranked[1:] != ranked[:-1]
    return ranked[fresh]


class Store:
    """Different sets, each kept once: equal sets get equal numbers.

    Sets are told apart by two sums of 64-bit mixtures of their members.
    """

    def __init__(self) -> None:
        self._families: list[Sets] = []
        self._size = 0

    def add(self, sets: Sets) -> Ints:
        """Keep the sets of a family and return the number of each."""
        marks = np.zeros((len(sets), 2), dtype=np.uint64)
        bounds = sets.starts
        for column, salt in enumerate((GOLDEN, np.uint64(0xC2B2AE3D27D4EB4F))):
            words = mixed(sets.members.astype(np.uint64) + salt)
            sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(words, dtype=np.uint64)])
            marks[:, column] = sums[bounds[1:]] - sums[bounds[:-1]]
        shape = np.stack([sets.sizes, sets.complete.astype(np.int64)], axis=1)
        first, number = _different(np.concatenate([marks.view(np.int64), shape], axis=1))
        lengths = sets.sizes[first]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.repeat(sets.starts[first] - starts[:-1], lengths) + np.arange(starts[-1])
        self._families.append(Sets(starts, sets.members[places], sets.complete[first]))
        self._size += len(first)
        return number + (self._size - len(first))

    def all(self) -> Sets:
        """Return everything that was kept."""
        none = np.zeros(0, dtype=np.int64)
        lengths = np.concatenate([none, *(family.sizes for family in self._families)])
        return Sets(
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            np.concatenate([none, *(family.members for family in self._families)]),
            np.concatenate([none.astype(bool), *(f.complete for f in self._families)]),
        )


def _different(rows: Ints) -> tuple[Ints, Ints]:
    """Return the first place of each different row, and the number of every row among them."""
    order = np.lexsort(rows.T)
    fresh = np.ones(len(rows), dtype=bool)
    fresh[1:] = (rows[order[1:]] != rows[order[:-1]]).any(axis=1)
    number = np.empty(len(rows), dtype=np.int64)
    number[order] = np.cumsum(fresh) - 1
    return order[fresh], number


def members_by(group_of: Ints, groups: int) -> Sets:
    """Return the positions of each group's members.

    >>> members_by(np.array([1, 0, 1]), 2)[1].tolist()
    [0, 2]
    """
    _, places = members_of_groups(np.arange(groups), group_of, groups=groups)
    starts = np.concatenate([[0], np.cumsum(np.bincount(group_of, minlength=groups))])
    return Sets(starts.astype(np.int64), places.astype(np.int64), np.ones(groups, dtype=bool))
