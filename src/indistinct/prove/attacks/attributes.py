"""What is learnt of people's sensitive values from a release without finding their record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial

import numpy as np

from indistinct.core import (
    Bools,
    Floats,
    InputError,
    Ints,
    Missing,
    between,
    check_number,
    holds_numbers,
)
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy, as_number, as_text, is_suppressed
from indistinct.keys import group_rows
from indistinct.prove.attacks.disclosed import (
    AttributeDisclosure,
    DisclosureWitness,
    Intervals,
    SensitiveKind,
    Shares,
)
from indistinct.prove.attacks.exact import name_people
from indistinct.prove.attacks.rates import Rate
from indistinct.prove.covering import Cover, cover, texts_of
from indistinct.prove.exposure import Counted, count_by, expose
from indistinct.prove.links import linked_pairs, members_of_groups
from indistinct.prove.registers import Register

__all__ = ["Beliefs", "Ranges", "ToldByKey", "attribute_disclosure", "told_by_key"]


# What an intruder believes of people's sensitive value who knows their key and has the release.


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


WITNESSES = 20
_NAMED = 20
_FEW_VALUES = 20
"""Numbers with no more different values than this are taken for codes."""
_POSTERIORS = (0.75, 0.9, 0.99, 1.0)
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class _People:
    """Classes of people by key, and what the release makes believe of them.

    Of a number it is its range that is told, of anything else how likely each value is.
    """

    counts: Ints
    believed: Beliefs | Ranges
    counted: Counted | None = None
    notes: tuple[str, ...] = ()

    @property
    def records(self) -> Ints:
        """Released records that may be theirs."""
        return self.believed.records

    @property
    def sure(self) -> Bools:
        """Whether all of these tell one and the same value."""
        found: Bools
        if isinstance(self.believed, Ranges):
            found = self.believed.width == 0
        else:
            found = (self.believed.values == 1) & (self.believed.top >= 0)
        return found


@dataclass(frozen=True)
class _Attack:
    """The release as an intruder holds it, with what does not change from people to people."""

    engine: Engine
    release: Source
    key: tuple[str, ...]
    sensitive: str
    labels: tuple[tuple[object, ...], ...]
    told: ToldByKey
    numbers: Floats | None
    hierarchies: Mapping[str, Hierarchy]
    missing: Missing

    def on_released(self) -> _People:
        told = self.told
        counts = np.zeros(len(told.codes), dtype=np.int64)
        np.add.at(counts, told.key_of, told.counts)
        if self.numbers is not None:
            return _People(counts, told.ranges(self.numbers))
        return _People(counts, told.of_released())

    def on(self, register: Register) -> _People:
        exposure = expose(
            self.engine,
            self.release,
            register,
            self.key,
            hierarchies=self.hierarchies,
            missing=self.missing,
            unmet="excluding",
        )
        known = exposure.known
        assert known is not None
        return self._believing(known, known.codes, exposure.covers, exposure.notes)

    def trial(self, source: Source) -> tuple[_People, Ints, Counted]:
        """Return people whose true value is known, and the key class of each class of theirs."""
        counted = count_by(self.engine, source, [*self.key, self.sensitive])
        class_of = group_rows(counted.codes[:, :-1])
        first = np.zeros(int(class_of.max()) + 1, dtype=np.int64)
        first[class_of] = np.arange(len(class_of))
        codes = counted.codes[first, :-1]
        covers = [
            self._cover_of(source, j, name, counted.values[j]) for j, name in enumerate(self.key)
        ]
        return self._believing(None, codes, covers), class_of, counted

    def _cover_of(self, source: Source, j: int, name: str, values: Sequence[object]) -> Cover:
        found = cover(self.labels[j], values, name=name, hierarchy=self.hierarchies.get(name))
        # a private file's values are not shown
        if found.apart:
            raise InputError(
                f"'{name}' is coded differently in {self.release.origin} and {source.origin}: no "
                "value of one is a value of the other. Recode one, or give a hierarchy that knows "
                "both codings."
            )
        if found.unread:
            raise InputError(
                f"'{name}' in {self.release.origin}: it is not known what '{found.unread[0]}' "
                f"stands for, which {source.origin} does not have. Give the hierarchies that were "
                "used with --hierarchies."
            )
        return found

    def _believing(
        self,
        counted: Counted | None,
        codes: Ints,
        covers: Sequence[Cover],
        notes: tuple[str, ...] = (),
    ) -> _People:
        believed: Beliefs | Ranges
        if self.numbers is not None:
            believed = self.told.ranges(self.numbers, codes, covers, missing=self.missing)
        else:
            believed = self.told.of_people(codes, covers, missing=self.missing)
        counts = counted.counts if counted is not None else np.ones(len(codes), dtype=np.int64)
        return _People(counts, believed, counted, notes)


def attribute_disclosure(
    engine: Engine,
    release: Source,
    *,
    key: Sequence[str],
    sensitive: str,
    register: Register | None = None,
    private: Source | None = None,
    control: Source | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    kind: SensitiveKind | None = None,
    certain: float = 0.9,
    unlikely: float = 0.5,
    narrow: float = 0.1,
    missing: Missing = "own",
    confidence: float = 0.95,
) -> AttributeDisclosure:
    """Find out what the release tells of a sensitive variable about people whose key is known.

    An intruder who knows somebody's key looks at the released records that may be theirs. If all
    tell the same value it is told for certain, however many there are. Otherwise its share of
    these records is the intruder's posterior, and its share of the file what was believed before.

    Parameters
    ----------
    register
        The people to look at. By default everybody in the file, by their released key.
    private
        Records with key and sensitive value of the people in the release: how often the guess is
        right.
    control
        The same of people who are not in the release: how often the guess is right about them, it
        is so by what holds for everybody.
    kind
        ``"number"`` or ``"category"``; by default numbers of more than 20 different values are
        numbers.
    certain, unlikely
        A value is taken for told where the posterior is at least `certain` though the prior was
        at most `unlikely`.
    narrow
        A number is taken for told where the records that may be somebody's span at most this
        share of the file's span.

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"birth": [1965, 1965, 1967, 1967],
    ...                    "problem": ["obesity", "asthma", "chest pain", "chest pain"]})
    >>> with indistinct.open_data(people) as data:
    ...     found = attribute_disclosure(
    ...         data.engine, data.source, key=["birth"], sensitive="problem")
    >>> found.witnesses
    (records 3, 4: 'chest pain' for certain (prior 50.0 %, 2 records),)
    """
    _check(release, key, sensitive, private, control)
    for name, share in (("certain", certain), ("unlikely", unlikely), ("narrow", narrow)):
        check_number(name, share, between(0, 1))
    counted = count_by(engine, release, [*key, sensitive])
    told = told_by_key(counted)
    chosen = kind or _kind(release, sensitive, told)
    numbers = _numbers(told.labels) if chosen == "number" else None
    attack = _Attack(
        engine,
        release,
        tuple(key),
        sensitive,
        counted.values[:-1],
        told,
        numbers,
        hierarchies or {},
        missing,
    )
    people = attack.on_released() if register is None else attack.on(register)
    counts, linked = people.counts, people.records > 0
    several = people.sure & (people.records > 1)
    telling = np.flatnonzero(told.telling)
    commonest = int(telling[np.argmax(told.prior[telling])]) if len(telling) else -1
    tried = partial(
        _trial, attack, commonest=commonest, narrow=narrow, certain=certain, confidence=confidence
    )
    attacked = None if private is None else tried(private)
    held_out = None if control is None else tried(control)
    return AttributeDisclosure(
        release=release.origin,
        register=None if register is None else register.name,
        key=tuple(key),
        sensitive=sensitive,
        kind=chosen,
        records=release.records,
        people=int(counts.sum()),
        linked=int(counts[linked].sum()),
        alone=int(counts[people.sure & (people.records == 1)].sum()),
        homogeneous=int(counts[several].sum()),
        homogeneous_classes=int(several.sum()),
        certain=certain,
        unlikely=unlikely,
        shares=_shares(people, told, certain, unlikely),
        intervals=None if numbers is None else _intervals(people, numbers, narrow),
        baseline=_baseline(attack, private, commonest, confidence),
        attack=None if attacked is None else attacked[0],
        control=None if held_out is None else held_out[0],
        attack_certain=None if attacked is None else attacked[1],
        control_certain=None if held_out is None else held_out[1],
        witnesses=_witnesses(attack, people, several, counted, register),
        notes=people.notes,
    )


def _check(
    release: Source,
    key: Sequence[str],
    sensitive: str,
    private: Source | None,
    control: Source | None,
) -> None:
    if not key:
        raise InputError("The key must name at least one variable.")
    if sensitive in key:
        raise InputError(f"'{sensitive}' is sensitive, so it cannot be in the key as well.")
    for source in (release, private, control):
        if source is not None:
            source.check_columns([*key, sensitive])
    if control is not None and private is None:
        raise InputError(
            "A control is compared with people who are in the release: give the private data too."
        )


def _kind(release: Source, sensitive: str, told: ToldByKey) -> SensitiveKind:
    kind = release.schema.field(sensitive).type
    is_number = holds_numbers(kind)
    return "number" if is_number and len(told.labels) > _FEW_VALUES else "category"


def _numbers(labels: Sequence[object]) -> Floats:
    """Return labels as numbers, not-a-number where they are none."""
    read = [as_number(text) if (text := as_text(label)) is not None else None for label in labels]
    return np.array([np.nan if number is None else float(number) for number in read])


def _shares(people: _People, told: ToldByKey, certain: float, unlikely: float) -> Shares | None:
    beliefs = people.believed
    if isinstance(beliefs, Ranges):
        return None
    counts, linked = people.counts, beliefs.records > 0
    prior = np.append(told.prior, 1.0)  # -1, no value, was never unlikely
    unexpected = prior[beliefs.top] <= unlikely
    surprises = {
        level: int(counts[unexpected & (beliefs.posterior >= level - _ROUNDING)].sum())
        for level in sorted({*_POSTERIORS, certain})
    }
    total = int(counts[linked].sum())
    if not total:
        return Shares(surprises, 0.0, 0, 0.0, 0.0)
    return Shares(
        surprises,
        float(counts @ beliefs.gain / total),
        int(beliefs.values[linked].min()),
        float(beliefs.effective[linked].min()),
        float(counts @ beliefs.effective / total),
    )


def _intervals(people: _People, numbers: Floats, narrow: float) -> Intervals | None:
    if np.isnan(numbers).all() or not isinstance(people.believed, Ranges):
        return None
    span = float(np.nanmax(numbers) - np.nanmin(numbers))
    linked = people.records > 0
    widths, counts = people.believed.width[linked], people.counts[linked]
    if not len(widths):
        return Intervals(span, narrow, 0, 0.0)
    order = np.argsort(widths, kind="stable")
    reached = np.cumsum(counts[order])
    middle = float(widths[order[np.searchsorted(reached, reached[-1] / 2)]])
    within = int(counts[widths <= narrow * span].sum())
    return Intervals(span, narrow, within, middle / span if span else 0.0)


def _trial(
    attack: _Attack,
    source: Source,
    *,
    commonest: int,
    narrow: float,
    certain: float,
    confidence: float,
) -> tuple[Rate, Rate]:
    """Return how often the guess is right, and how often it is right and made with certainty."""
    people, at, counted = attack.trial(source)
    believed, weight = people.believed, counted.counts
    if isinstance(believed, Ranges):
        assert attack.numbers is not None
        true = _numbers(counted.values[-1])[counted.codes[:, -1]]
        inside = (believed.low[at] <= true) & (true <= believed.high[at])
        span = float(np.nanmax(attack.numbers) - np.nanmin(attack.numbers))
        right = inside & (believed.width[at] <= narrow * span)
        sure = inside & (believed.width[at] == 0)
    else:
        code_of = {text: code for code, text in enumerate(texts_of(attack.told.labels))}
        code_of.pop(None, None)
        texts = texts_of(counted.values[-1])
        true_code = np.array([code_of.get(text, -2) for text in texts], dtype=np.int64)
        # whoever meets no record is guessed to have what most have, in the release or not
        guess = np.where(believed.records > 0, believed.top, commonest)[at]
        right = guess == true_code[counted.codes[:, -1]]
        sure = right & (believed.records[at] > 0) & (believed.posterior[at] >= certain - _ROUNDING)
    trials = int(weight.sum())
    return (
        Rate(int(weight[right].sum()), trials, confidence),
        Rate(int(weight[sure].sum()), trials, confidence),
    )


def _baseline(
    attack: _Attack, private: Source | None, commonest: int, confidence: float
) -> Rate | None:
    """Return how often the file's commonest value is right about everybody."""
    if private is None or attack.numbers is not None or commonest < 0:
        return None
    counted = count_by(attack.engine, private, [attack.sensitive])
    guess = texts_of([attack.told.labels[commonest]])[0]
    texts = texts_of(counted.values[0])
    same = np.array([text == guess for text in texts], dtype=bool)[counted.codes[:, 0]]
    return Rate(int(counted.counts[same].sum()), int(counted.counts.sum()), confidence)


def _witnesses(
    attack: _Attack,
    people: _People,
    several: Bools,
    counted: Counted,
    register: Register | None,
) -> tuple[DisclosureWitness, ...]:
    """Return classes that are told for certain, the least expected value first."""
    told, top = attack.told, _told_value(attack, people, several)
    prior = told.prior
    chosen = np.flatnonzero(several)
    chosen = chosen[np.argsort(prior[top[chosen]], kind="stable")][:WITNESSES]
    found = []
    for number in chosen.tolist():
        if people.counted is None or register is None:
            rows, _ = counted.records_in(np.flatnonzero(told.key_of == number))
            who = [f"{row + 1:,}" for row in np.sort(rows)[:_NAMED].tolist()]
        else:
            rows, _ = people.counted.records_in(np.array([number]))
            who = name_people(register, np.sort(rows)[:_NAMED].tolist())
        found.append(
            DisclosureWitness(
                tuple(who),
                register is not None,
                int(people.counts[number]),
                int(people.records[number]),
                str(told.labels[int(top[number])]),
                float(prior[top[number]]),
            )
        )
    return tuple(found)


def _told_value(attack: _Attack, people: _People, told: Bools) -> Ints:
    """Return the number of the value that classes are told for certain."""
    if not isinstance(people.believed, Ranges):
        return people.believed.top
    assert attack.numbers is not None
    order = np.argsort(attack.numbers, kind="stable")
    top = np.zeros(len(told), dtype=np.int64)
    top[told] = order[np.searchsorted(attack.numbers[order], people.believed.low[told])]
    return top
