"""Whether a label lies within another: whomever the first may mean, the second may mean too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indistinct.core import Bools, Ints
from indistinct.hierarchy.hierarchy import Hierarchy
from indistinct.hierarchy.labels import (
    Kind,
    common_kind,
    is_suppressed,
    members_of,
    prefix_of,
    span_of,
)
from indistinct.hierarchy.text import as_texts

__all__ = ["Nesting"]


class Nesting:
    """Decides for the labels of one attribute in two releases which lie within which.

    Labels are sets of original values, as `hierarchy.labels.stands_for` reads them. Where form and
    hierarchy tell nothing, a label lies within itself and within suppressed cells only.

    >>> zips = Nesting(["02138", "0213*"], ["0213*", "021**", None])
    >>> [zips.within(label, other) for label in range(2) for other in range(3)]
    [True, True, True, True, True, True]
    >>> Nesting(["021**", None], ["0213*"]).within(0, 0)
    False
    """

    def __init__(
        self,
        inner: Sequence[object],
        outer: Sequence[object],
        *,
        hierarchy: Hierarchy | None = None,
    ) -> None:
        self.inner = _compared(inner)
        self.outer = _compared(outer)
        self.hierarchy = hierarchy
        self.kind: Kind = common_kind(self.inner, self.outer)
        self._under: dict[str, frozenset[int]] = {}
        if hierarchy is not None:
            self._under = _leaves(hierarchy, {*self.inner, *self.outer})

    def within(self, inner: int, outer: int) -> bool:
        """Say whether an inner label, by code, lies within an outer one."""
        a, b = self.inner[inner], self.outer[outer]
        if is_suppressed(b, self.hierarchy):
            return True
        if is_suppressed(a, self.hierarchy):
            return False
        assert a is not None
        assert b is not None
        if a == b:
            return True
        if a in self._under and b in self._under:
            return self._under[a] <= self._under[b]
        outside = members_of(b) or (b,)
        return all(
            any(_inside(one, other, self.kind) for other in outside)
            for one in members_of(a) or (a,)
        )

    def of_pairs(self, inner: Ints, outer: Ints) -> Bools:
        """Say it of many pairs; each different pair is looked at once."""
        codes, place = np.unique(inner * len(self.outer) + outer, return_inverse=True)
        decided = np.array([self.within(*divmod(int(c), len(self.outer))) for c in codes], bool)
        return decided[place.reshape(-1)] if len(codes) else np.zeros(0, dtype=bool)


def _compared(labels: Sequence[object]) -> tuple[str | None, ...]:
    return tuple(None if text is None else text.strip() or None for text in as_texts(labels))


def _inside(a: str, b: str, kind: Kind) -> bool:
    if a == b:
        return True
    if (stem := prefix_of(b)) is not None:
        return (prefix_of(a) or a).startswith(stem)
    one, other = span_of(a, kind), span_of(b, kind)
    return one is not None and other is not None and other[0] <= one[0] and one[1] <= other[1]


def _leaves(tree: Hierarchy, wanted: set[str | None]) -> dict[str, frozenset[int]]:
    """Return the values under each label that the hierarchy knows and somebody uses."""
    under: dict[str, frozenset[int]] = {}
    for level in tree.levels:
        nodes = tree.level_codes(level)
        labels = tree.level_labels(level)
        order = np.argsort(nodes, kind="stable")
        bounds = np.searchsorted(nodes[order], np.arange(len(labels) + 1))
        for code, label in enumerate(labels):
            if label is not None and label in wanted and label not in under:
                under[label] = frozenset(order[bounds[code] : bounds[code + 1]].tolist())
    return under
