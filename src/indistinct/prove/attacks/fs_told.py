"""Attributes that tell each other: an equal area tells an equal county, a birth date the age.

Levels are multiplied as if attributes were independent. Where one value follows from another, the
second is no further evidence, and counting it would make pairs look truer than they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indistinct.core import SmallInts
from indistinct.prove.attacks.comparisons import Attribute

__all__ = ["told_by_others"]

_FOLLOWS, _ENOUGH, _SAMPLE = 0.95, 100, 50_000


def told_by_others(attributes: Sequence[Attribute]) -> list[tuple[str, ...]]:
    """Return, for each attribute, the names of those whose value tells it.

    B is told by A when, among random pairs of records of a file that have the same A, at least 95 %
    have the same B, and fewer than 90 % of all pairs have. Where each tells
    the other, the one with more values stays.
    """
    found: list[tuple[str, ...]] = []
    for b in attributes:
        told = []
        for a in attributes:
            if a is b or not _tells(a, b):
                continue
            if len(a.values) > len(b.values) or not _tells(b, a):
                told.append(a.name)
        found.append(tuple(told))
    return found


def _tells(a: Attribute, b: Attribute) -> bool:
    same = pairs = 0
    alone: list[float] = []
    for x, y in ((a.left, b.left), (a.right, b.right)):
        # shuffled, for next to each other in the file are members of one household
        both = np.random.default_rng(1).permutation(len(x))[:_SAMPLE]
        both = both[(x[both] >= 0) & (y[both] >= 0)]
        order = both[np.argsort(x[both], kind="stable")]
        here = x[order][1:] == x[order][:-1]
        same += int((y[order][1:] == y[order][:-1])[here].sum())
        pairs += int(here.sum())
        alone.append(_agreement(y[both], len(b.values)))
    return pairs >= _ENOUGH and same >= _FOLLOWS * pairs and max(alone) < 0.9


def _agreement(codes: SmallInts, size: int) -> float:
    shares = np.bincount(codes, minlength=size) / max(1, len(codes))
    return float((shares**2).sum())
