"""A key table whose values can climb their hierarchies: what every generalising method works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indistinct.core import InputError, Ints, SmallInts
from indistinct.hierarchy import Hierarchy
from indistinct.keys.table import KeyTable

__all__ = ["Generalisable"]


@dataclass(frozen=True, eq=False)
class Generalisable:
    """A key table together with a hierarchy for each of its variables.

    Every cell of the table is a *leaf* of its variable's hierarchy, and can climb to a *node* at
    any level. Nodes are numbered per variable such that two cells have the same number exactly
    if the same label would be released for them, whatever their levels.

    Parameters
    ----------
    table
        The classes and their counts.
    hierarchies
        One for each variable, in the order of the key.
    leaves
        The leaf of each cell (rows: classes, columns: variables), as `Hierarchy.encode` codes it.

    >>> from indistinct.hierarchy import code_hierarchy
    >>> from indistinct import open_data
    >>> zips = code_hierarchy(["02138", "02139", "02141"], name="zip", digits=(4,))
    >>> with open_data({"zip": ["02138", "02139", "02141", "02141"]}) as data:
    ...     keys = Generalisable.of(data.key_table(["zip"]), {"zip": zips})
    >>> keys.nodes([1]).ravel().tolist(), keys.labels(0)[keys.nodes([1])[0, 0]]
    ([4, 4, 5], '0213*')
    """

    table: KeyTable
    hierarchies: tuple[Hierarchy, ...]
    leaves: SmallInts = field(repr=False)

    @classmethod
    def of(cls, table: KeyTable, hierarchies: Mapping[str, Hierarchy]) -> Generalisable:
        """Put hierarchies on a key table; a value that its hierarchy does not know is refused."""
        missing = [name for name in table.names if name not in hierarchies]
        if missing:
            raise InputError(
                f"There is no hierarchy of {', '.join(repr(name) for name in missing)}. Every key "
                "variable needs one; suppression_only makes one that knows nothing but '*'."
            )
        chosen = tuple(hierarchies[name] for name in table.names)
        leaves = np.empty(table.codes.shape, dtype=np.int32)
        for j, (coding, hierarchy) in enumerate(zip(table.coding.variables, chosen, strict=True)):
            present = np.unique(table.codes[:, j])
            leaf_of = np.zeros(coding.size, dtype=np.int32)
            leaf_of[present] = hierarchy.encode(coding.decode(present))
            leaves[:, j] = leaf_of[table.codes[:, j]]
        return cls(table, chosen, leaves)

    @property
    def names(self) -> tuple[str, ...]:
        """The key variables."""
        return self.table.names

    @property
    def counts(self) -> Ints:
        """Records in each class."""
        return self.table.counts

    @property
    def records(self) -> int:
        """The number of records."""
        return self.table.records

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.table.classes

    @cached_property
    def heights(self) -> tuple[int, ...]:
        """The height of each variable's hierarchy."""
        return tuple(hierarchy.height for hierarchy in self.hierarchies)

    def climb(self, variable: int) -> SmallInts:
        """Return the node of every leaf at every level (rows: levels, columns: leaves)."""
        return self._climbs[variable]

    def labels(self, variable: int) -> tuple[str | None, ...]:
        """Return the label of every node of a variable; None is the missing value."""
        return self._labels[variable]

    def sizes(self, variable: int) -> SmallInts:
        """Return how many values every node of a variable stands for (a missing one: 1)."""
        return self._sizes[variable]

    def nodes(self, levels: Sequence[int] | NDArray[np.integer]) -> SmallInts:
        """Return the node of every cell.

        Parameters
        ----------
        levels
            One level for each variable, or one for each cell (rows: classes).
        """
        given = np.asarray(levels)
        result = np.empty(self.leaves.shape, dtype=np.int32)
        for j in range(len(self.names)):
            result[:, j] = self._climbs[j][given[..., j], self.leaves[:, j]]
        return result

    def check_levels(self, levels: Mapping[str, int]) -> tuple[int, ...]:
        """Return one level per variable, 0 where none is given; refuse what does not exist."""
        for name, level in levels.items():
            height = self.heights[self.table.position(name)]
            if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= height:
                raise InputError(
                    f"The level of '{name}' must be from 0 (the value) to {height}. Got {level}."
                )
        return tuple(levels.get(name, 0) for name in self.names)

    @cached_property
    def _numbered(self) -> list[dict[str | None, int]]:
        numbered = []
        for hierarchy in self.hierarchies:
            number: dict[str | None, int] = {}
            for level in hierarchy.levels:
                for label in hierarchy.level_labels(level):
                    number.setdefault(label, len(number))
            numbered.append(number)
        return numbered

    @cached_property
    def _labels(self) -> list[tuple[str | None, ...]]:
        return [tuple(number) for number in self._numbered]

    @cached_property
    def _climbs(self) -> list[SmallInts]:
        climbs = []
        for hierarchy, number in zip(self.hierarchies, self._numbered, strict=True):
            rows = []
            for level in hierarchy.levels:
                here = np.array([number[x] for x in hierarchy.level_labels(level)], dtype=np.int32)
                rows.append(here[hierarchy.level_codes(level)])
            climbs.append(np.stack(rows))
        return climbs

    @cached_property
    def _sizes(self) -> list[SmallInts]:
        found = []
        for hierarchy, number in zip(self.hierarchies, self._numbered, strict=True):
            sizes = np.ones(len(number), dtype=np.int32)
            for level in hierarchy.levels:
                for label, size in zip(
                    hierarchy.level_labels(level), hierarchy.sizes(level), strict=True
                ):
                    sizes[number[label]] = max(sizes[number[label]], size)
            found.append(sizes)
        return found
