"""What minimal suppression is asked: classes as bit fields, what a blank costs, what is locked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from indistinct.core import (
    Bools,
    Floats,
    GuaranteeError,
    InputError,
    Ints,
    Words,
    above,
    check_number,
    check_whole,
)
from indistinct.keys import Generalisable, KeyTable, group_rows

__all__ = ["Problem", "Rows", "missing_cells"]

ALL_MASKS = 1 << 12
"""Up to so many sets of variables are all tried; of more, those that extend the best smaller."""
EXTENDED = 64


def missing_cells(table: KeyTable) -> Bools:
    """Say of every cell of a key table whether it has no value."""
    found = np.zeros(table.codes.shape, dtype=bool)
    for j, coding in enumerate(table.coding.variables):
        if coding.missing:
            found[:, j] = table.codes[:, j] == coding.size - 1
    return found


@dataclass(frozen=True, eq=False)
class Problem:
    """Classes to make k-anonymous by blanking cells.

    Parameters
    ----------
    names
        The variables.
    codes, counts
        The classes.
    missing
        The cells that have no value before.
    k
        The smallest class that may be released.
    weights
        What blanking one cell of each variable costs.
    open
        The variables of which cells may be blanked. A missing value of another variable is a
        category like any other.
    """

    names: tuple[str, ...]
    codes: Ints
    counts: Ints
    missing: Bools
    k: int
    weights: Floats
    open: tuple[int, ...]

    @classmethod
    def of(
        cls,
        keys: Generalisable,
        *,
        k: int,
        weights: Mapping[str, float] | None = None,
        limits: Mapping[str, int] | None = None,
    ) -> Problem:
        """Check what was asked, and refuse what no suppression can reach."""
        check_whole("k", k, 2)
        if len(keys.names) > 60:
            raise InputError(f"A key may have at most 60 variables here. Got {len(keys.names)}.")
        limits = dict(limits or {})
        keys.check_levels(limits)
        for name, weight in (weights or {}).items():
            keys.table.position(name)
            check_number(f"The weight of '{name}'", weight, above(0))
        locked = {name for name, limit in limits.items() if limit == 0}
        problem = cls(
            keys.names,
            keys.table.codes,
            keys.counts,
            missing_cells(keys.table),
            k,
            np.array([float((weights or {}).get(name, 1.0)) for name in keys.names]),
            tuple(j for j, name in enumerate(keys.names) if name not in locked),
        )
        problem.missing[:, [j for j in range(len(keys.names)) if j not in problem.open]] = False
        if keys.records:
            problem._refuse_impossible()
        return problem

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def base(self) -> Ints:
        """For each class the open variables that have no value before, as bits."""
        bits = np.int64(1) << np.arange(len(self.names), dtype=np.int64)
        return np.asarray((self.missing * bits).sum(axis=1), dtype=np.int64)

    def bit_fields(self) -> tuple[Words, Words]:
        """Return each class as words of bit fields, and the bits of each variable."""
        places, word, room = [], 0, 64
        for j in range(len(self.names)):
            need = max(1, int(self.codes[:, j].max(initial=0)).bit_length())
            if need > room:
                word, room = word + 1, 64
            room -= need
            places.append((word, room, need))
        words = np.zeros((len(self.codes), word + 1), dtype=np.uint64)
        fields = np.zeros((len(self.names), word + 1), dtype=np.uint64)
        for j, (at, shift, need) in enumerate(places):
            words[:, at] |= self.codes[:, j].astype(np.uint64) << np.uint64(shift)
            fields[j, at] = np.uint64(((1 << need) - 1) << shift)
        return words, fields

    def kept_field(self, fields: Words, bits: int) -> Words:
        """Return the bits of a class that stay when a set of variables is blank."""
        kept = [j for j in range(len(self.names)) if not bits >> j & 1]
        return np.asarray(np.bitwise_or.reduce(fields[kept], axis=0, initial=0), dtype=np.uint64)

    def mask_weight(self, bits: int) -> float:
        """Return what one record pays for a set of variables."""
        return float(sum(self.weights[j] for j in self.open if bits >> j & 1))

    @property
    def all_masks(self) -> bool:
        """Whether every set of variables is tried."""
        return 1 << len(self.open) <= ALL_MASKS

    def bands(self) -> Iterator[list[int]]:
        """Yield the non-empty sets of open variables by rising weight, equal ones together."""
        masks = [
            (round(self.mask_weight(bits), 9), size, bits)
            for size in range(1, len(self.open) + 1)
            for bits in self.of_size(size)
        ]
        band: list[int] = []
        last = None
        for weight, _, bits in sorted(masks):
            if weight != last and band:
                yield band
                band = []
            band.append(bits)
            last = weight
        if band:
            yield band

    def of_size(self, size: int, best: list[int] | None = None) -> list[int]:
        """Return the sets of so many variables, or those that extend the best smaller ones."""
        if self.all_masks or best is None or math.comb(len(self.open), size) <= ALL_MASKS // 4:
            return [sum(1 << j for j in chosen) for chosen in combinations(self.open, size)]
        longer = {bits | 1 << j for bits in best[:EXTENDED] for j in self.open if not bits >> j & 1}
        return sorted(longer)

    def _refuse_impossible(self) -> None:
        if self.records < self.k:
            raise GuaranteeError(
                f"k={self.k} cannot be reached: the file has {self.records} records. Use a smaller "
                "k."
            )
        locked = [j for j in range(len(self.names)) if j not in self.open]
        if not locked:
            return
        smallest = self._smallest(locked)
        if smallest >= self.k:
            return
        alone = [j for j in locked if self._smallest([j]) < self.k] or locked
        named = ", ".join(f"'{self.names[j]}'" for j in alone)
        which = (
            f"a category of {named} has"
            if len(alone) == 1
            else f"a combination of the locked variables {named} has"
        )
        raise GuaranteeError(
            f"k={self.k} cannot be reached by suppression: {which} {smallest} records and may not "
            "be suppressed. Allow it to be suppressed, generalise it first, or leave these records "
            "out."
        )

    def _smallest(self, variables: list[int]) -> int:
        groups = group_rows(self.codes[:, variables])
        return int(np.bincount(groups, weights=self.counts).min())


@dataclass(frozen=True, eq=False)
class Rows:
    """What is decided: some records of a class, and the cells they give up.

    Rows are sorted by class; the records of a class may go different ways.
    """

    classes: Ints
    blank: Bools
    counts: Ints

    @classmethod
    def untouched(cls, problem: Problem) -> Rows:
        """Return the decision to suppress nothing."""
        classes = np.arange(len(problem.counts))
        return cls(classes, np.zeros_like(problem.missing), problem.counts)

    def weight(self, problem: Problem) -> float:
        """Return the weight of all cells that are given up."""
        return float((self.blank @ problem.weights * self.counts).sum())
