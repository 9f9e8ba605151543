"""Which pairs are worth comparing: rules that bring records together, chosen by themselves.

A *rule* is a set of views, such as the sound of the surname with the year of birth: two records
meet when they agree on all of them. A true pair is lost only when every rule fails it. Rules are
chosen greedily from all single views, pairs and triples: errors are drawn for imaginary true
pairs (an attribute as a whole fails with chance 0.1, each view of it with 0.06 or 0.12 besides),
and the rule that catches most of those not caught yet, for its number of pairs, is taken next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import njit

from indistinct.core import (
    GOLDEN,
    STIR,
    Bools,
    InputError,
    Ints,
    SmallInts,
    Words,
    did_you_mean,
    finished,
)
from indistinct.prove.attacks.comparisons import Attribute, Kind

__all__ = ["VIEWS", "Blocking", "Rule", "choose_rules", "soundex", "view"]


# Coarser views of values, on which records are brought together: sounds, beginnings, years.


_SOUNDS = {
    letter: str(digit)
    for digit, letters in enumerate(("bfpv", "cgjkqsxz", "dt", "l", "mn", "r"), start=1)
    for letter in letters
}


def soundex(word: str) -> str:
    """Return the American Soundex code of the first word of a name; empty if it has no letter.

    >>> [soundex(w) for w in ("robert", "rupert", "ashcraft", "tymczak", "pfister", "van dyk")]
    ['r163', 'r163', 'a261', 't522', 'p236', 'v500']
    """
    letters = [c for c in word.split(" ")[0] if "a" <= c <= "z"] if word else []
    if not letters:
        return ""
    digits, last = "", _SOUNDS.get(letters[0], "")
    for letter in letters[1:]:
        sound = _SOUNDS.get(letter, "")
        if sound and sound != last:
            digits += sound
        if letter not in "hw":
            last = sound
    return (letters[0] + digits + "000")[:4]


def _whole(value: str) -> str:
    return "" if value.endswith("*") else value


def _start(size: int) -> Callable[[str], str]:
    return lambda value: value[:size] if len(value.rstrip("*")) >= size else ""


def _month_and_day(value: str) -> str:
    # sorted, so that a swapped day and month still meet
    return "".join(sorted((value[4:6], value[6:8]))) if len(value) == 8 else ""


VIEWS: dict[Kind, dict[str, Callable[[str], str]]] = {
    "name": {"whole": _whole, "sound": soundex, "start": _start(3), "initial": _start(1)},
    "text": {"whole": _whole, "start": _start(5)},
    "date": {
        "whole": lambda value: value if len(value) > 6 else "",
        "year": _start(4),
        "month": _start(6),
        "day": _month_and_day,
    },
    "number": {"whole": _whole},
    "code": {"whole": _whole, "start": _start(3)},
}
"""For each kind the views of a value; a value without a view brings nobody together."""


def view(attribute: Attribute, name: str) -> tuple[Words, Words]:
    """Return the number of the view's value for the records of both files; 0 where there is none.

    Numbers are dense and start at 1, so that they can be packed.
    """
    see = VIEWS[attribute.kind][name]
    usable = (
        ~attribute.general if attribute.kind == "number" else np.ones(len(attribute.values), bool)
    )
    seen = [see(value) if ok else "" for value, ok in zip(attribute.values, usable, strict=True)]
    number_of = {v: i for i, v in enumerate(sorted({*seen} - {""}), start=1)}
    codes = np.array([number_of.get(v, 0) for v in seen] + [0], dtype=np.uint64)
    return codes[attribute.left], codes[attribute.right]


Rule = tuple[str, ...]
"""Views as ``attribute:view``; the attribute alone is its whole value."""


_TRIALS = 4000
_ATTRIBUTE_FAILS, _WHOLE_FAILS, _VIEW_FAILS = 0.10, 0.12, 0.06
_LEAST_GAIN, _MOST_RULES, _SAMPLE = 0.0005, 16, 20_000
_LARGEST_BLOCK = 1_000_000
_CHUNK = 1 << 20


@dataclass(frozen=True, eq=False)
class Blocking:
    """Rules and, for every rule, a key of each record; equal keys meet, 0 meets nobody.

    `skipped` counts, for every rule, the pairs in blocks too large to be compared; `most_pairs`
    the others, some of them under several rules.
    """

    rules: tuple[Rule, ...]
    left: Words = field(repr=False)
    right: Words = field(repr=False)
    orders: tuple[tuple[SmallInts, SmallInts], ...] = field(repr=False)
    skipped: tuple[int, ...]
    most_pairs: int

    def pairs(self, only: Bools | None = None) -> Iterator[tuple[SmallInts, SmallInts]]:
        """Stream all pairs that meet, each once, of all left records or of `only` some."""
        for number, (left_order, right_order) in enumerate(self.orders):
            if only is not None:
                left_order = left_order[only[left_order]]
            at, pairs = _blocks(self.left[number][left_order], self.right[number][right_order])
            for first, last in _chunks(pairs):
                yield _meet(
                    left_order,
                    right_order,
                    at[:, first:last],
                    self.left[:number],
                    self.right[:number],
                    int(pairs[first:last].sum()),
                )

    def __repr__(self) -> str:
        lines = [" and ".join(rule) for rule in self.rules]
        for i, skipped in enumerate(self.skipped):
            if skipped:
                lines[i] += f" ({skipped:,} pairs in large blocks left out)"
        return "\n".join(lines)


def _sorted(keys: Words) -> SmallInts:
    """Return the records that have a key, in its order."""
    order = np.argsort(keys, kind="stable")
    return order[np.searchsorted(keys, 1, sorter=order) :].astype(np.int32)


def _blocks(left: Words, right: Words) -> tuple[Ints, Ints]:
    """Find the keys that two sorted lists share: start and number in both, and their pairs."""
    (starts_l, counts_l), (starts_r, counts_r) = _runs(left), _runs(right)
    _, a, b = np.intersect1d(
        left[starts_l], right[starts_r], assume_unique=True, return_indices=True
    )
    at = np.stack([starts_l[a], counts_l[a], starts_r[b], counts_r[b]])
    return at, at[1] * at[3]


def _runs(ordered: Words) -> tuple[Ints, Ints]:
    if not len(ordered):
        none = np.empty(0, dtype=np.int64)
        return none, none
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return starts, np.diff(np.append(starts, len(ordered)))


def _chunks(pairs: Ints) -> Iterator[tuple[int, int]]:
    """Deal blocks into ranges with about as many pairs as are compared at once."""
    total = np.cumsum(pairs)
    first = 0
    while first < len(total):
        before = int(total[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(total, before + _CHUNK, side="right")))
        yield first, last
        first = last


@njit(cache=True, nogil=True)
def _meet(
    left_order: Any, right_order: Any, at: Any, left_keys: Any, right_keys: Any, most: int
) -> Any:
    """List the pairs of some blocks that no earlier rule has brought together."""
    left, right = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
    n = 0
    for block in range(at.shape[1]):
        for i in range(at[0, block], at[0, block] + at[1, block]):
            x = left_order[i]
            for j in range(at[2, block], at[2, block] + at[3, block]):
                y = right_order[j]
                met = False
                for rule in range(left_keys.shape[0]):
                    if left_keys[rule, x] != 0 and left_keys[rule, x] == right_keys[rule, y]:
                        met = True
                        break
                if not met:
                    left[n], right[n] = x, y
                    n += 1
    return left[:n], right[:n]


class _Views:
    """All views of all attributes, with how often they can agree at all."""

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        self.names: list[str] = []
        self.owner: list[int] = []
        self.keys: list[tuple[Words, Words]] = []
        self.reach: list[float] = []
        for number, attribute in enumerate(attributes):
            for name in VIEWS[attribute.kind]:
                left, right = view(attribute, name)
                size = int(max(left.max(initial=0), right.max(initial=0))) + 1
                if size <= 2:
                    continue
                both = [np.bincount(k.astype(np.int64), minlength=size) > 0 for k in (left, right)]
                shared = both[0] & both[1]
                shared[0] = False
                # coarser labels agree with no whole value: such a view would cost and catch nothing
                reach = max(
                    shared[left.astype(np.int64)].mean(), shared[right.astype(np.int64)].mean()
                )
                if reach > 0.01:
                    self.names.append(f"{attribute.name}:{name}")
                    self.owner.append(number)
                    self.keys.append((left, right))
                    self.reach.append(float(reach))

    def packed(self, rule: Sequence[int], steps: Sequence[int] = (1, 1)) -> tuple[Words, Words]:
        """Return one key for a set of views, 0 where one is absent; of every so many records."""
        sides = []
        for side, step in enumerate(steps):
            columns = [self.keys[v][side][::step] for v in rule]
            key = np.zeros(len(columns[0]), np.uint64)
            for codes in columns:
                key = finished(((key ^ codes) + GOLDEN) * STIR)
            absent = np.logical_or.reduce([codes == 0 for codes in columns])
            sides.append(np.where(absent, np.uint64(0), key | np.uint64(1)))
        return sides[0], sides[1]

    def fails(self) -> Bools:
        """Draw, for imaginary true pairs, which views fail."""
        rng = np.random.default_rng(1969)
        whole = rng.random((max(self.owner, default=0) + 1, _TRIALS)) < _ATTRIBUTE_FAILS
        drawn = rng.random((len(self.names), _TRIALS))
        return np.array(
            [
                whole[owner]
                | (drawn[v] < (_WHOLE_FAILS if name.endswith(":whole") else _VIEW_FAILS))
                | (rng.random(_TRIALS) > self.reach[v])
                for v, (name, owner) in enumerate(zip(self.names, self.owner, strict=True))
            ]
        )


def choose_rules(
    attributes: Sequence[Attribute],
    *,
    rules: Sequence[Rule | str] | None = None,
    most_pairs: int | None = None,
) -> Blocking:
    """Choose blocking rules, or take those given, and give every record its keys.

    Parameters
    ----------
    rules
        Sets of attributes or views (``"surname:sound"``) to be used instead of choosing.
    most_pairs
        About how many pairs may be compared; 40 a record and at least ten million by default.
    """
    views = _Views(attributes)
    records = [len(attributes[0].left), len(attributes[0].right)]
    if rules is None:
        budget = most_pairs or max(10_000_000, 40 * max(records))
        chosen = _greedy(views, records, budget)
    else:
        chosen = [_named(views, (rule,) if isinstance(rule, str) else rule) for rule in rules]
    left = np.zeros((len(chosen), records[0]), np.uint64)
    right = np.zeros((len(chosen), records[1]), np.uint64)
    skipped, orders, most = [], [], 0
    for number, rule in enumerate(chosen):
        left[number], right[number] = views.packed(rule)
        sides = [(left[number], _sorted(left[number])), (right[number], _sorted(right[number]))]
        at, pairs = _blocks(*(keys[order] for keys, order in sides))
        large = np.flatnonzero(pairs > _LARGEST_BLOCK)
        for (keys, order), starts, counts in zip(
            sides, at[::2, large], at[1::2, large], strict=True
        ):
            for start, count in zip(starts, counts, strict=True):
                keys[order[start : start + count]] = 0
        skipped.append(int(pairs[large].sum()))
        most += int(pairs.sum()) - skipped[-1]
        orders.append(tuple(order[keys[order] != 0] for keys, order in sides))
    named = tuple(tuple(views.names[v].removesuffix(":whole") for v in rule) for rule in chosen)
    return Blocking(named, left, right, tuple((a, b) for a, b in orders), tuple(skipped), most)


def _named(views: _Views, rule: Sequence[str]) -> tuple[int, ...]:
    full = [name if ":" in name else f"{name}:whole" for name in rule]
    for name in full:
        if name not in views.names:
            raise InputError(
                f"There is no view '{name}' to block on, or no value of it is in both files. "
                f"{did_you_mean(name, views.names)}"
            )
    return tuple(views.names.index(name) for name in full)


def _greedy(views: _Views, records: Sequence[int], budget: int) -> list[tuple[int, ...]]:
    fails = views.fails()
    candidates = _affordable(views, records, budget // 4)
    caught = np.zeros(_TRIALS, dtype=bool)
    catches = {rule: ~fails[list(rule)].any(axis=0) for rule in candidates}
    chosen: list[tuple[int, ...]] = []
    spent = 0.0
    while len(chosen) < _MOST_RULES:
        best, best_worth, best_gain = None, 0.0, 0.0
        for rule, cost in candidates.items():
            gain = float((catches[rule] & ~caught).mean())
            # a rule costs the sorting of both files even if it brings nobody together
            worth = gain / (cost + sum(records))
            if spent + cost <= budget and gain >= _LEAST_GAIN and worth > best_worth:
                best, best_worth, best_gain = rule, worth, gain
        if best is None or not best_gain:
            break
        chosen.append(best)
        caught |= catches[best]
        spent += candidates[best]
    if not chosen:
        raise InputError(
            "No attribute tells few enough records apart to compare them. Give attributes with "
            "more values, or rules with blocking=."
        )
    return chosen


def _affordable(views: _Views, records: Sequence[int], most: float) -> dict[tuple[int, ...], float]:
    """Find the sets of up to three views that bring at most so many pairs together."""
    found: dict[tuple[int, ...], float] = {}
    open_sets: list[tuple[int, ...]] = [(v,) for v in range(len(views.names))]
    steps = [max(1, n // _SAMPLE) for n in records]
    for size in (1, 2, 3):
        larger: set[tuple[int, ...]] = set()
        for rule in open_sets:
            left, right = views.packed(rule, steps)
            pairs = _count_pairs(left, right) * (records[0] / max(1, len(left)))
            pairs *= records[1] / max(1, len(right))
            if pairs <= most:
                found[rule] = pairs
            elif size < 3:
                owners = {views.owner[v] for v in rule}
                larger |= {
                    tuple(sorted((*rule, v)))
                    for v in range(len(views.names))
                    if views.owner[v] not in owners
                }
        open_sets = sorted(rule for rule in larger if not _contains(rule, found))
    return found


def _contains(rule: tuple[int, ...], found: dict[tuple[int, ...], float]) -> bool:
    """Say whether a part of a set of views is affordable already: it catches no less."""
    parts = [(v,) for v in rule] + [rule[:i] + rule[i + 1 :] for i in range(len(rule))]
    return any(part in found for part in parts)


def _count_pairs(left: Words, right: Words) -> int:
    ordered = np.sort(right[right != 0])
    asked = np.sort(left[left != 0])
    counts = np.searchsorted(ordered, asked, "right") - np.searchsorted(ordered, asked, "left")
    return int(counts.sum())
