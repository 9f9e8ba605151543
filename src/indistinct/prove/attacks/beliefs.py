"""What an intruder believes of people's sensitive value who knows their key and has the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np

from indistinct.core import Bools, Floats, Ints, Missing
from indistinct.hierarchy import is_suppressed
from indistinct.keys import group_rows
from indistinct.prove.covering import Cover
from indistinct.prove.exposure import Counted
from indistinct.prove.links import linked_pairs, members_of_groups

__all__ = ["Beliefs", "Ranges", "ToldByKey", "told_by_key"]

_ENTRIES = 1 << 22
"""Counts of values held at once."""


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What is believed of each class of people.

    Parameters
    ----------
    records
        Released records that may be theirs.
    values
        Different values among these; a suppressed one counts as one more.
    top
        The commonest value by number; -1 where no record tells one.
    posterior
        Its share of the records.
    gain
        The largest rise of any value's share above its share of the file.
    effective
        exp(entropy) of the shares: so many equally frequent values would leave as much open.
    """

    records: Ints = field(repr=False)
    values: Ints = field(repr=False)
    top: Ints = field(repr=False)
    posterior: Floats = field(repr=False)
    gain: Floats = field(repr=False)
    effective: Floats = field(repr=False)


@dataclass(frozen=True, eq=False)
class Ranges:
    """Where the number of each class of people lies, by the released records that may be theirs."""

    records: Ints = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)

    @property
    def width(self) -> Floats:
        """The length of the interval; infinite where nothing is told."""
        return np.where(self.records > 0, self.high - self.low, np.inf)


@dataclass(frozen=True, eq=False)
class ToldByKey:
    """Released records counted by key and sensitive value.

    `codes` are the labels of each distinct key, and the entries (`key_of`, `value_of`, `counts`)
    say how many of its records have a value; `labels` are the values, `telling` says which of
    them tell anything.
    """

    codes: Ints = field(repr=False)
    key_of: Ints = field(repr=False)
    value_of: Ints = field(repr=False)
    counts: Ints = field(repr=False)
    labels: tuple[object, ...] = field(repr=False)
    telling: Bools = field(repr=False)

    @cached_property
    def prior(self) -> Floats:
        """The share of the file's records that have each value."""
        totals = np.bincount(self.value_of, weights=self.counts, minlength=len(self.labels))
        shares: Floats = totals / totals.sum()
        return shares

    def of_released(self) -> Beliefs:
        """Return what is believed of people of whom it is known which released key is theirs."""
        return self._believed(self.key_of, self.value_of, self.counts, len(self.codes))

    def of_people(
        self, values: Ints, covers: Sequence[Cover], *, missing: Missing = "own"
    ) -> Beliefs:
        """Return what is believed of classes of people, by the codes of what is known of them.

        Whoever meets the same released keys is believed the same, so that it is reckoned once.
        """
        keys, people, alike = self._meeting(values, covers, missing)
        size = int(alike.max(initial=-1)) + 1
        order = np.argsort(self.key_of, kind="stable")
        bounds = np.searchsorted(self.key_of[order], np.arange(len(self.codes) + 1))
        lengths = np.diff(bounds)[keys]
        reached = np.cumsum(np.bincount(people, weights=lengths, minlength=size))
        parts = []
        start = 0
        while start < size:
            before = reached[start - 1] if start else 0
            end = max(start + 1, int(np.searchsorted(reached, before + _ENTRIES, side="right")))
            first, last = np.searchsorted(people, [start, end])
            own, many = keys[first:last], lengths[first:last]
            at = np.repeat(bounds[own] - (np.cumsum(many) - many), many)
            entries = order[at + np.arange(len(at))]
            group = np.repeat(people[first:last] - start, many)
            parts.append(self._summed(group, entries, end - start))
            start = end
        names = [f.name for f in fields(Beliefs)]
        whole = {n: np.concatenate([getattr(part, n) for part in parts]) for n in names}
        return Beliefs(**{name: found[alike] for name, found in whole.items()})

    def ranges(
        self,
        numbers: Floats,
        values: Ints | None = None,
        covers: Sequence[Cover] = (),
        *,
        missing: Missing = "own",
    ) -> Ranges:
        """Return the records that may be theirs, the smallest and the largest number of these.

        `numbers` are the sensitive values as numbers, not-a-number where they tell none; a record
        that tells none may hold any number.
        """
        entries = numbers[self.value_of]
        records = _added(self.key_of, self.counts, len(self.codes))
        low, high = np.full(len(self.codes), np.inf), np.full(len(self.codes), -np.inf)
        np.minimum.at(low, self.key_of, np.where(np.isnan(entries), -np.inf, entries))
        np.maximum.at(high, self.key_of, np.where(np.isnan(entries), np.inf, entries))
        if values is None:
            return Ranges(records, low, high)
        keys, people, alike = self._meeting(values, covers, missing)
        size = int(alike.max(initial=-1)) + 1
        least, largest = np.full(size, np.inf), np.full(size, -np.inf)
        np.minimum.at(least, people, low[keys])
        np.maximum.at(largest, people, high[keys])
        return Ranges(_added(people, records[keys], size)[alike], least[alike], largest[alike])

    def _meeting(
        self, values: Ints, covers: Sequence[Cover], missing: Missing
    ) -> tuple[Ints, Ints, Ints]:
        """Return pairs (released key, kind of people), by kind, and the kind of each class.

        Two classes of people are of one kind if they meet the same released keys. Sets of keys
        are told apart by 128 random bits for each key, added up.
        """
        # keys that meet the same people are one for this
        groups = np.stack([c.group_of[self.codes[:, j]] + 1 for j, c in enumerate(covers)], axis=1)
        merged = group_rows(groups)
        some = np.zeros(int(merged.max(initial=-1)) + 1, dtype=np.int64)
        some[merged] = np.arange(len(merged))
        bits = np.random.default_rng(0).integers(0, 1 << 64, (len(some), 2), dtype=np.uint64)
        marks = np.zeros((len(values), 2), dtype=np.uint64)
        for left, right in linked_pairs(self.codes[some], values, covers, missing=missing):
            np.add.at(marks, right, bits[left])
        _, first, alike = np.unique(
            marks.view([("a", np.uint64), ("b", np.uint64)]).reshape(-1),
            return_index=True,
            return_inverse=True,
        )
        pairs = list(linked_pairs(self.codes[some], values[first], covers, missing=missing))
        left = np.concatenate([np.zeros(0, np.int64), *(pair[0] for pair in pairs)])
        right = np.concatenate([np.zeros(0, np.int64), *(pair[1] for pair in pairs)])
        at, keys = members_of_groups(left, merged, groups=len(some))
        order = np.argsort(right[at], kind="stable")
        return keys[order], right[at][order], alike.reshape(-1).astype(np.int64)

    def _summed(self, group: Ints, entries: Ints, size: int) -> Beliefs:
        """Add up entries of the same value, which come from several keys, and believe them."""
        room = len(self.labels)
        both, at = np.unique(group * room + self.value_of[entries], return_inverse=True)
        counts = _added(at.reshape(-1), self.counts[entries], len(both))
        return self._believed(both // room, both % room, counts, size)

    def _believed(self, group: Ints, value: Ints, counts: Ints, size: int) -> Beliefs:
        """Return what is believed of groups, of whose records so many tell a value."""
        records = _added(group, counts, size)
        n = np.maximum(records, 1)
        spread = np.bincount(group, weights=counts * np.log(counts), minlength=size)
        # entropy = ln n − Σ c ln c / n
        effective = np.where(records > 0, np.exp(np.log(n) - spread / n), 0.0)
        different = np.bincount(group, minlength=size).astype(np.int64)
        tells = self.telling[value]
        group, value, counts = group[tells], value[tells], counts[tells]
        gain = np.zeros(size)
        np.maximum.at(gain, group, counts / n[group] - self.prior[value])
        order = np.lexsort((value, -counts, group))
        first = order[np.unique(group[order], return_index=True)[1]]
        top, most = np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=np.int64)
        top[group[first]], most[group[first]] = value[first], counts[first]
        return Beliefs(records, different, top, most / n, gain, effective)


def told_by_key(counted: Counted) -> ToldByKey:
    """Read what a count by key and sensitive variable, the last, tells."""
    keys = counted.codes[:, :-1]
    key_of = group_rows(keys)
    first = np.zeros(int(key_of.max(initial=-1)) + 1, dtype=np.int64)
    first[key_of] = np.arange(len(key_of))
    labels = counted.values[-1]
    telling = np.array([not is_suppressed(label) for label in labels], dtype=bool)
    return ToldByKey(keys[first], key_of, counted.codes[:, -1], counted.counts, labels, telling)


def _added(group: Ints, amounts: Ints, size: int) -> Ints:
    totals = np.zeros(size, dtype=np.int64)
    np.add.at(totals, group, amounts)
    return totals
