"""Combinations of facts that occur in one document only, counted in bounded memory.

Of all combinations of two and three facts of a document, those with the smallest hashes are kept,
a fixed number. A combination that is kept at the end was kept since it first occurred, so that its
count is exact, and what is kept is a random sample of the distinct combinations (a bottom-k sketch:
Cohen and Kaplan 2007). Sketches of parts of a corpus merge to the sketch of the whole.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from indistinct.core import mixed
from indistinct.scrub.text.events import Fact

__all__ = ["Combination", "RareCombinations"]

KEPT = 4096
_SPACE = 2.0**64


@dataclass(frozen=True)
class Combination:
    """Facts that only one document (number from 1) holds together; values only if asked for."""

    document: int
    kinds: tuple[str, ...]
    values: tuple[str, ...] | None = None


@dataclass
class _Kept:
    document: int
    codes: tuple[int, ...]
    kinds: tuple[str, ...]
    values: tuple[str, ...] | None
    documents: int = 1


@dataclass
class RareCombinations:
    """A sample of the combinations of facts in documents, with exact counts.

    >>> rare = RareCombinations()
    >>> rare.add([Fact("age", "40"), Fact("sex", "F")], document=1)
    >>> rare.add([Fact("age", "40"), Fact("sex", "F"), Fact("origin", "thai")], document=2)
    >>> rare.distinct, rare.in_one_document
    (4.0, 3.0)
    >>> [(one.document, one.kinds) for one in rare.examples()]
    [(2, ('age', 'origin')), (2, ('sex', 'origin'))]
    """

    kept: int = KEPT
    keep_values: bool = False
    _found: dict[int, _Kept] = field(default_factory=dict)
    _largest: list[int] = field(default_factory=list)  # negated hashes: a heap, the largest first

    def add(self, facts: Sequence[Fact], *, document: int) -> None:
        """Count the combinations of a document's facts (each fact once)."""
        if len(facts) < 2:
            return
        codes = np.array([_code(fact) for fact in facts], dtype=np.uint64)
        chosen = _choices(len(facts))
        hashes = np.concatenate([mixed(codes[rows].sum(axis=1)) for rows in chosen])
        limit = self._limit
        few = np.flatnonzero(hashes <= np.uint64(limit)) if limit < 2**64 else range(len(hashes))
        for place in few:
            pairs = len(chosen[0])
            rows = chosen[0][place] if place < pairs else chosen[1][place - pairs]
            held = [facts[row] for row in rows]
            values = tuple(fact.value for fact in held) if self.keep_values else None
            kept = _Kept(
                document,
                tuple(_code(fact) for fact in held),
                tuple(fact.kind for fact in held),
                values,
            )
            self._keep(int(hashes[place]), kept)

    @property
    def _limit(self) -> int:
        return -self._largest[0] if len(self._found) >= self.kept else 2**64

    def _keep(self, code: int, one: _Kept) -> None:
        known = self._found.get(code)
        if known is not None:
            known.documents += one.documents
            known.document = min(known.document, one.document)
        elif code < self._limit:
            if len(self._found) >= self.kept:
                del self._found[-heapq.heappop(self._largest)]
            self._found[code] = one
            heapq.heappush(self._largest, -code)

    def merge(self, other: RareCombinations) -> None:
        """Add the combinations of other documents."""
        for code, one in other._found.items():
            self._keep(code, replace(one))

    @property
    def distinct(self) -> float:
        """Number of distinct combinations: exact while all are kept, (k − 1)/U₍ₖ₎ from then on."""
        if len(self._found) < self.kept:
            return float(len(self._found))
        return (self.kept - 1) / (self._limit / _SPACE)

    @property
    def in_one_document(self) -> float:
        """Number of distinct combinations that occur in one document only, as estimated."""
        alone = sum(1 for one in self._found.values() if one.documents == 1)
        return self.distinct * alone / max(1, len(self._found))

    def examples(self) -> Iterator[Combination]:
        """Combinations that occur in one document only, by document, the smaller first.

        Three facts of which two are known to be rare together are not listed again.
        """
        alone = [one for one in self._found.values() if one.documents == 1]
        pairs = {frozenset(one.codes) for one in alone if len(one.codes) == 2}
        alone.sort(key=lambda one: (one.document, len(one.kinds), one.kinds, one.codes))
        for one in alone:
            smaller = combinations(one.codes, 2) if len(one.codes) == 3 else ()
            if not any(frozenset(pair) in pairs for pair in smaller):
                yield Combination(one.document, one.kinds, one.values)


@lru_cache(maxsize=65536)
def _code(fact: Fact) -> int:
    told = f"{fact.kind}\x1f{fact.value}".encode()
    return int.from_bytes(blake2b(told, digest_size=8).digest(), "little")


@lru_cache(maxsize=64)
def _choices(size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of all pairs and of all triples."""
    pairs = np.array(list(combinations(range(size), 2)), dtype=np.intp).reshape(-1, 2)
    triples = np.array(list(combinations(range(size), 3)), dtype=np.intp).reshape(-1, 3)
    return pairs, triples
