"""What is learnt from a method's own decision, by whoever knows the method and everybody's key.

A method that looks at sensitive values goes further than k needs because of them, and that it did
so tells of them (Wong, Fu, Wang, Pei 2007: the minimality attack). The intruder thinks of every
placement of the values that the released classes allow, lets the method decide again for each,
and strikes out those for which it would have released something else. He knows the margins, so
values of people who were left out are known too, and whose they are is not.

People with the same key are one to the method. So tables of keys and values are counted, each as
often as there are placements that give it. Where there are too many, some are tried: each that
leads to the same release shows for certain that what it says is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product
from math import factorial, prod

import numpy as np

from indistinct.core import Bools, Floats, Ints, progress

__all__ = ["Replay", "Worlds"]


MOST_DECISIONS = 2000
"""How often a method is asked to decide again, where all placements are tried."""
MOST_SAMPLED = 400
"""How often it is, where only some are."""
MOST_WORK = 4_000_000
"""Classes that are counted for it, at most: of a large file fewer placements are tried."""


@dataclass(frozen=True, eq=False)
class Worlds:
    """The placements of sensitive values that would have led to the same release.

    Parameters
    ----------
    every
        Whether all placements were tried.
    placements, left
        How many there are, and how many lead to this release; the second only if all were tried.
    seen
        Which values are possible for people of each class of the key, as far as was found.
    chances
        How likely each is, if every placement was as likely as another; only if all were tried.
    """

    every: bool
    placements: int
    left: int | None
    seen: Bools = field(repr=False)
    chances: Floats | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Replay:
    """A decision that was taken with a look at sensitive values, and can be taken again.

    Parameters
    ----------
    variables, values
        The sensitive variables, and their combinations that occur.
    held
        People by the class of their key (rows) and the combination that they have (columns).
    groups
        The released class of each class of the key; those that were left out are in one.
    alike
        Whether the method would have released the same if people had had these values.
    work
        How many classes are counted for one decision, about.
    """

    variables: tuple[str, ...]
    values: tuple[tuple[object, ...], ...] = field(repr=False)
    held: Ints = field(repr=False)
    groups: Ints = field(repr=False)
    alike: Callable[[Ints], bool] = field(repr=False)
    work: int = 1

    @cached_property
    def worlds(self) -> Worlds:
        """What an intruder who lets the method decide again is left with."""
        found = self._all_tried()
        return self._some_tried() if found is None else found

    @property
    def placements(self) -> int:
        """In how many ways the values can be placed that the released classes have."""
        return prod(
            _arrangements(self.held[self.groups == group].sum(axis=0))
            for group in np.unique(self.groups)
        )

    def _all_tried(self) -> Worlds | None:
        """Try every table; None where there are too many."""
        parts: list[tuple[Ints, list[Ints]]] = []
        tables, most = 1, min(MOST_DECISIONS, MOST_WORK // self.work)
        for group in np.unique(self.groups):
            rows = np.flatnonzero(self.groups == group)
            ways = tables_with(self.held[rows].sum(axis=1), self.held[rows].sum(axis=0))
            listed = list(islice(ways, most + 1))
            tables *= len(listed)
            if tables > most:
                return None
            parts.append((rows, listed))
        left, weights = 0, np.zeros(self.held.shape, dtype=object)
        every = progress.each(
            list(product(*(listed for _, listed in parts))), "deciding again", unit="placements"
        )
        for chosen in every:
            table = np.empty_like(self.held)
            for (rows, _), part in zip(parts, chosen, strict=True):
                table[rows] = part
            if self.alike(table):
                times = prod(_arrangements(row) for row in table)
                left += times
                weights += table.astype(object) * times
        people = np.maximum(1, self.held.sum(axis=1)).astype(object)[:, None]
        chances = (weights / (people * max(1, left))).astype(np.float64)
        return Worlds(True, self.placements, left, weights > 0, chances)

    def _some_tried(self) -> Worlds:
        """Exchange values of people whom one released class holds, and see what is possible."""
        rng = np.random.default_rng(1)
        seen, tries = self.held > 0, range(min(MOST_SAMPLED, MOST_WORK // self.work))
        for number in progress.each(tries, "deciding again", unit="placements"):
            table = self._mixed(rng) if number % 8 == 0 else self._exchanged(rng, seen)
            if table is not None and self.alike(table):
                seen = seen | (table > 0)
        return Worlds(False, self.placements, None, seen)

    def _mixed(self, rng: np.random.Generator) -> Ints:
        """Place all values anew at random."""
        table = np.zeros_like(self.held)
        for group in np.unique(self.groups):
            rows = np.flatnonzero(self.groups == group)
            people = np.repeat(rows, self.held[rows].sum(axis=1))
            total = self.held[rows].sum(axis=0)
            values = rng.permutation(np.repeat(np.arange(len(total)), total))
            np.add.at(table, (people, values), 1)
        return table

    def _exchanged(self, rng: np.random.Generator, seen: Bools) -> Ints | None:
        """Let a class of which least is known to be possible exchange a value with another."""
        fewest = seen.sum(axis=1) + rng.random(len(seen))
        _, at, members = np.unique(self.groups, return_inverse=True, return_counts=True)
        alone = members[at.reshape(-1)] == 1
        fewest[alone] = np.inf
        mine = int(fewest.argmin())
        others = np.flatnonzero((self.groups == self.groups[mine]) & (np.arange(len(seen)) != mine))
        if alone[mine] or not len(others):
            return None
        theirs = int(rng.choice(others))
        given = np.flatnonzero(self.held[mine])
        taken = np.flatnonzero((self.held[theirs] > 0) & ~seen[mine])
        if not len(taken):
            taken = np.flatnonzero(self.held[theirs])
        give, take = int(rng.choice(given)), int(rng.choice(taken))
        if give == take:
            return None
        table = self.held.copy()
        table[mine, give] -= 1
        table[mine, take] += 1
        table[theirs, take] -= 1
        table[theirs, give] += 1
        return table


def tables_with(rows: Ints, columns: Ints) -> Iterator[Ints]:
    """Yield every table of whole numbers with these sums of rows and columns.

    >>> [t.tolist() for t in tables_with(np.array([1, 1]), np.array([1, 1]))]
    [[[0, 1], [1, 0]], [[1, 0], [0, 1]]]
    """
    if len(rows) == 1:
        yield np.array([columns])
        return
    for first in _rows_of(int(rows[0]), columns.tolist()):
        for rest in tables_with(rows[1:], columns - np.array(first)):
            yield np.vstack([first, rest])


def _rows_of(total: int, most: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to share a number out among columns that take so much each at most."""
    if len(most) == 1:
        if total <= most[0]:
            yield (total,)
        return
    after = sum(most[1:])
    for here in range(max(0, total - after), min(total, most[0]) + 1):
        for rest in _rows_of(total - here, most[1:]):
            yield (here, *rest)


def _arrangements(counts: Ints) -> int:
    """Return in how many ways people can have these values, so many each."""
    return factorial(int(counts.sum())) // prod(factorial(int(n)) for n in counts)
