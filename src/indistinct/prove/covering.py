"""Which values of a register a released label may stand for, a whole variable at a time.

A released cell is a label: a value, a generalisation of values, or nothing at all. A label and a
value *meet* when both can come from the same original value: usually the label is the coarser,
but a register may be coarser than the release. `labels.stands_for` says it of one pair; here
it is said of all pairs, without looking at each.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache

import numpy as np

from indistinct.core import Bools, Ints, SmallInts
from indistinct.hierarchy import (
    Hierarchy,
    Kind,
    as_texts,
    common_kind,
    is_suppressed,
    members_of,
    prefix_of,
    span_of,
)

__all__ = ["Cover", "cover", "texts_of"]

Texts = Sequence[str | None]
_LAST = "\U0010ffff"
_KEPT = 256
"""Covers that are kept for whoever asks of the same labels and values again."""


@dataclass(frozen=True, eq=False)
class Cover:
    """The labels of one released variable and the register's values that each meets.

    Labels that meet the same values are one *group*. Groups are dealt into *levels*, such that
    the groups of a level have no value in common: at a level, a value belongs to one group at
    most. A variable recoded as a whole has one level; one recoded cell by cell has about as many
    as its hierarchy.

    A value that is missing or suppressed in the register meets suppressed labels only. (Whoever
    takes it for anything links without the variable instead.)

    Parameters
    ----------
    labels, values
        What stands in the release and in the register, as text; None is missing.
    group_of
        The group of each label; -1 where it meets no value.
    level_of
        The level of each group.
    levels
        For each level, the group of each value; -1 where it has none.
    telling
        Whether each label says anything.
    unread
        Labels that are no value of the register, no node of the hierarchy, and have no form that
        says what they stand for.
    """

    name: str
    labels: tuple[str | None, ...]
    values: tuple[str | None, ...]
    group_of: Ints = field(repr=False)
    level_of: Ints = field(repr=False)
    levels: tuple[Ints, ...] = field(repr=False)
    telling: Bools = field(repr=False)
    unread: tuple[str, ...] = ()

    @property
    def unmet(self) -> list[str]:
        """The labels that say something and meet no value."""
        pairs = zip(self.labels, self.group_of, strict=True)
        return [label for label, group in pairs if group < 0 and label is not None]

    @property
    def apart(self) -> bool:
        """Whether labels say something, and none that does meets a value."""
        return bool(self.telling.any()) and not bool((self.group_of[self.telling] >= 0).any())

    def ignoring_unmet(self) -> Cover:
        """Return the cover in which labels that meet nothing count as suppressed."""
        if not (self.group_of < 0).any():
            return self
        group, level = len(self.level_of), len(self.levels)
        anything = np.full(len(self.values), group, dtype=np.int64)
        return replace(
            self,
            group_of=np.where(self.group_of < 0, group, self.group_of),
            level_of=np.append(self.level_of, level),
            levels=(*self.levels, anything),
        )

    def meets(self, labels: Ints, values: Ints) -> Bools:
        """Say of pairs of codes whether label and value meet."""
        groups = self.group_of[labels]
        found = np.zeros(len(groups), dtype=bool)
        level_of = np.append(self.level_of, -1)  # -1 finds itself
        for number, level in enumerate(self.levels):
            here = level_of[groups] == number
            found[here] = level[values[here]] == groups[here]
        return found


def cover(
    labels: Iterable[object],
    values: Iterable[object],
    *,
    name: str = "",
    hierarchy: Hierarchy | None = None,
) -> Cover:
    """Find out which values of a register each released label meets.

    Where a hierarchy knows both, a value must lie under both. Otherwise a label is read by its
    form, as `labels.stands_for` reads it.

    >>> ages = cover(["20-29", "31", None], [22, 29, 31, 40], name="age")
    >>> [np.flatnonzero(ages.meets(np.full(4, label), np.arange(4))).tolist() for label in range(3)]
    [[0, 1], [2], [0, 1, 2, 3]]
    """
    given, known = tuple(labels), tuple(values)
    # True and 1 are equal in Python and are not the same text
    kinds = frozenset(map(type, given)), frozenset(map(type, known))
    return replace(_cover(given, known, kinds, hierarchy), name=name)


@lru_cache(maxsize=_KEPT)
def _cover(
    labels: tuple[object, ...],
    values: tuple[object, ...],
    kinds: tuple[frozenset[type], frozenset[type]],
    hierarchy: Hierarchy | None,
) -> Cover:
    """Find it out once: whoever asks what if more were known asks of the same labels again."""
    texts, others = texts_of(labels), texts_of(values)
    if hierarchy is None and (plain := _plain(texts, others)) is not None:
        return plain
    meeting = _Meeting(texts, others, hierarchy)
    meeting.equal()
    known: tuple[set[int], set[int]] = (set(), set())
    if hierarchy is not None:
        known = meeting.by_hierarchy(hierarchy)
    unread = meeting.by_form(*known)
    groups: dict[bytes, int] = {}
    members: list[Ints] = []
    group_of = np.full(len(texts), -1, dtype=np.int64)
    for code in range(len(texts)):
        found = meeting.of(code)
        if not len(found):
            continue
        mark = found.tobytes()
        if mark not in groups:
            groups[mark] = len(members)
            members.append(found)
        group_of[code] = groups[mark]
    level_of, levels = _deal(members, len(others))
    telling = np.zeros(len(texts), dtype=bool)
    telling[meeting.telling] = True
    return Cover("", texts, others, group_of, level_of, levels, telling, unread)


def _plain(labels: Texts, values: Texts) -> Cover | None:
    """Return the cover of labels and values none of which stands for more than one value."""
    kind = common_kind(labels, values)
    own, theirs = _points(labels, kind), _points(values, kind)
    if own is None or theirs is None:
        return None
    groups: dict[str | float, int] = {}
    level = np.full(len(values), -1, dtype=np.int64)
    for code, point in enumerate(theirs):
        if point is not None:
            level[code] = groups.setdefault(point, len(groups))
    met = [-1 if point is None else groups.get(point, -1) for point in own]
    group_of = np.array(met, dtype=np.int64)
    unread = tuple(
        str(labels[code])
        for code, point in enumerate(own)
        if isinstance(point, str) and group_of[code] < 0
    )
    levels, level_of = [level], np.zeros(len(groups), dtype=np.int64)
    silent = np.array([point is None for point in own], dtype=bool)
    if silent.any() and len(values):
        group_of[silent] = len(groups)
        levels.append(np.full(len(values), len(groups), dtype=np.int64))
        level_of = np.append(level_of, 1)
    texts, others = tuple(labels), tuple(values)
    return Cover("", texts, others, group_of, level_of, tuple(levels), ~silent, unread)


def _points(texts: Texts, kind: Kind) -> list[str | float | None] | None:
    """Return what each text is, None where it tells nothing; None if any is more than a point."""
    points: list[str | float | None] = []
    for text in texts:
        if text is None or is_suppressed(text):
            points.append(None)
            continue
        span = span_of(text, kind)
        if prefix_of(text) or members_of(text) or (span is not None and span[0] != span[1]):
            return None
        points.append(text if span is None else span[0])
    return points


def texts_of(values: Iterable[object]) -> tuple[str | None, ...]:
    """Return values as the text by which they are compared."""
    return tuple(None if text is None else text.strip() or None for text in as_texts(values))


def _deal(members: Sequence[Ints], values: int) -> tuple[Ints, tuple[Ints, ...]]:
    """Put every group into the first level where none of its values is taken."""
    level_of = np.zeros(len(members), dtype=np.int64)
    levels: list[Ints] = []
    for group in sorted(range(len(members)), key=lambda group: (len(members[group]), group)):
        own = members[group]
        free = (number for number, level in enumerate(levels) if (level[own] < 0).all())
        number = next(free, len(levels))
        if number == len(levels):
            levels.append(np.full(values, -1, dtype=np.int64))
        levels[number][own] = group
        level_of[group] = number
    return level_of, tuple(levels)


class _Meeting:
    """Collects, for every label, the codes of the values that it meets."""

    def __init__(self, labels: Texts, values: Texts, hierarchy: Hierarchy | None) -> None:
        self.labels = labels
        self.values = values
        self.found: list[list[Ints]] = [[] for _ in labels]
        self.telling = [c for c, label in enumerate(labels) if not is_suppressed(label, hierarchy)]
        self.open = frozenset(self.telling)
        self.told = [c for c, value in enumerate(values) if not is_suppressed(value, hierarchy)]

    def of(self, label: int) -> Ints:
        """Return the values that a label meets, by rising code."""
        if label not in self.open:
            return np.arange(len(self.values), dtype=np.int64)
        parts = self.found[label]
        return np.unique(np.concatenate(parts)).astype(np.int64) if parts else np.arange(0)

    def equal(self) -> None:
        """Equal texts meet."""
        code_of = {self.values[code]: code for code in self.told}
        for label in self.telling:
            if (code := code_of.get(self.labels[label])) is not None:
                self._add(label, [code])

    def by_hierarchy(self, tree: Hierarchy) -> tuple[set[int], set[int]]:
        """A node meets what lies under it and what it lies under; return what the tree knows."""
        places = _places(tree)
        known_labels = [code for code in self.telling if self.labels[code] in places]
        known_values = [code for code in self.told if self.values[code] in places]
        codes = np.array(known_values, dtype=np.int64)
        placed = np.array([places[self.values[c]] for c in known_values], dtype=np.int64)
        heights, leaves = placed.reshape(-1, 2).T

        @cache
        def lookup(level: int, at: int) -> _Lookup:
            # values no higher than the label lie under its node, higher ones above it
            held = heights <= level if at == level else heights == at
            return _Lookup(tree.level_codes(at)[leaves[held]], codes[held])

        for label in known_labels:
            level, leaf = places[self.labels[label]]
            for at in tree.levels[level:]:
                self._add(label, lookup(level, at)[int(tree.level_codes(at)[leaf])])
        return set(known_labels), set(known_values)

    def by_form(self, known_labels: set[int], known_values: set[int]) -> tuple[str, ...]:
        """Read what labels and values look like; return the labels that cannot be read."""
        kind = common_kind(self.labels, self.values)
        values = _Forms({code: self.values[code] or "" for code in self.told}, kind)
        # what the hierarchy knows on both sides it has decided
        outside = _Forms(
            {code: self.values[code] or "" for code in self.told if code not in known_values}, kind
        )
        unread = []
        for label in self.telling:
            text = self.labels[label] or ""
            forms = outside if label in known_labels else values
            read = False
            for member in members_of(text) or [text]:
                found, has_form = forms.meeting(member)
                read |= has_form
                self._add(label, found)
            if not read and label not in known_labels and not self.found[label]:
                unread.append(text)
        return tuple(unread)

    def _add(self, label: int, codes: Sequence[int] | Ints) -> None:
        if len(codes):
            self.found[label].append(np.asarray(codes, dtype=np.int64))


class _Forms:
    """Values, ready to be asked which of them a form meets."""

    def __init__(self, texts: dict[int, str], kind: Kind) -> None:
        parts = [(c, member) for c, text in texts.items() for member in members_of(text) or [text]]
        self.kind = kind
        self.codes = np.array([code for code, _ in parts], dtype=np.int64)
        ranked = sorted((member, code) for code, member in parts)
        self.ranked = [member for member, _ in ranked]
        self.ranked_codes = np.array([code for _, code in ranked], dtype=np.int64)
        self.starred: dict[str, list[int]] = {}
        for code, member in parts:
            if (stem := prefix_of(member)) is not None:
                self.starred.setdefault(stem, []).append(code)
        self.longest = max(map(len, self.starred), default=0)
        spans = [(code, *span) for code, m in parts if (span := span_of(m, kind)) is not None]
        codes = np.array([code for code, _, _ in spans], dtype=np.int64)
        low, high = (np.array([span[end] for span in spans]) for end in (1, 2))
        points = low == high
        order = np.argsort(low[points], kind="stable")
        self.at, self.at_codes = low[points][order], codes[points][order]
        self.low, self.high, self.wide_codes = low[~points], high[~points], codes[~points]

    def meeting(self, text: str) -> tuple[Ints, bool]:
        """Return the values that a label's form meets, and whether it has a form at all."""
        stem, span = prefix_of(text), span_of(text, self.kind)
        first = bisect_left(self.ranked, stem or text)
        last = bisect_right(self.ranked, stem + _LAST if stem else text)
        found = [self.ranked_codes[first:last]]
        own = stem or text
        for length in range(1, min(self.longest, len(own)) + 1):
            found.append(np.array(self.starred.get(own[:length], ()), dtype=np.int64))
        if span is not None:
            start, end = span
            inside = slice(np.searchsorted(self.at, start), np.searchsorted(self.at, end, "right"))
            found.append(self.at_codes[inside])
            found.append(self.wide_codes[(self.low <= end) & (self.high >= start)])
        return np.concatenate(found), stem is not None or span is not None


class _Lookup:
    """Codes by the node that they belong to."""

    def __init__(self, nodes: SmallInts, codes: Ints) -> None:
        order = np.argsort(nodes, kind="stable")
        self.nodes, self.codes = nodes[order], codes[order]

    def __getitem__(self, node: int) -> Ints:
        first, last = np.searchsorted(self.nodes, [node, node + 1])
        return self.codes[first:last]


def _places(tree: Hierarchy) -> dict[str | None, tuple[int, int]]:
    """Return for every label its lowest level, and one value under it."""
    places: dict[str | None, tuple[int, int]] = {}
    for level in tree.levels:
        _, first = np.unique(tree.level_codes(level), return_index=True)
        for label, leaf in zip(tree.level_labels(level), first.tolist(), strict=True):
            if label is not None:
                places.setdefault(label, (level, leaf))
    return places
