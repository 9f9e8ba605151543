"""A generalisation hierarchy: for each value of a variable, its ever more general ancestors."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from indistinct.core import InputError, SmallInts
from indistinct.hierarchy.levelwords import words_of_labels
from indistinct.hierarchy.text import as_text, as_texts
from indistinct.results import Fact, Result, Table, facts, result

__all__ = ["SUPPRESSED", "Hierarchy", "IntArray", "Node"]

SUPPRESSED = "*"
"""The label of the usual root: a value of which nothing is told any more."""

IntArray = SmallInts

_NAMED_UNKNOWNS = 3


@dataclass(frozen=True)
class Node:
    """One place in a hierarchy: a value, or a generalisation that stands for several.

    Parameters
    ----------
    label
        What is written in the released cell; None for a value that is missing.
    level
        How many steps above the values it stands; 0 is a value itself.
    code
        Its position in `Hierarchy.level_labels(level)`.
    size
        How many values it stands for.
    """

    label: str | None
    level: int
    code: int
    size: int


@result
class Hierarchy(Result):
    """The values of one variable and their ancestors, level by level, up to one root.

    Sweeney's value generalisation hierarchy (2001, section 4.2): level 0 is the value itself,
    each level above is a function of the level below, and at the highest level, the `height`,
    all values have become the root. Build one with `table_hierarchy`, `csv_hierarchy` or
    another of the builders, which check all that; the constructor takes it as given.

    A missing value is known to every hierarchy. It stays missing (label None) at all levels
    but the root, unless a row of the hierarchy says otherwise.

    Parameters
    ----------
    name
        The variable.
    labels
        For each level the labels of its nodes. Level 0 ends with None, the missing value.
    codes
        For each level an array: the code of a value, as `encode` gives it, to the code of its
        node at that level.
    ordered
        Whether the order of the values means something, as with numbers and dates.
    level_names
        What a label is at levels 1, 2, … below the root (``("UN sub-region", "UN region")``),
        where the builder knows. Two hierarchies that differ in these words alone are equal.

    >>> from indistinct.hierarchy import code_hierarchy
    >>> zips = code_hierarchy(["02138", "02139", "02141", "02142"], name="zip", digits=(4, 3))
    >>> zips
    Hierarchy('zip', 4 values, height 3)
    >>> zips.generalise("02138", 1), zips.common_ancestor(["02138", "02142"]).label
    ('0213*', '021**')
    """

    name: str
    labels: tuple[tuple[str | None, ...], ...]
    codes: tuple[IntArray, ...]
    ordered: bool = False
    level_names: tuple[str, ...] = ()

    FACTS = facts(
        "name",
        "ordered",
        Fact("rows", lambda found: found._all_rows()),
        Fact("level_names", when="level_names"),
    )

    def sentence(self) -> str:
        """Say of what it is, and how high."""
        return f"Hierarchy({self.name!r}, {len(self.values):,} values, height {self.height})"

    def _lines(self) -> list[str]:
        return [self.sentence()]  # its labels are shown to whoever asks for the table

    def _all_rows(self) -> list[tuple[str | None, ...]]:
        missing = self._path(len(self.values))
        return [*self.rows(), *([missing] if any(missing[:-1]) else [])]

    def __str__(self) -> str:
        counts = " → ".join(f"{self.node_count(level):,}" for level in self.levels)
        return f"{self.name}: {counts} ({self.root})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return (
            (self.name, self.ordered, self.labels) == (other.name, other.ordered, other.labels)
        ) and all(np.array_equal(a, b) for a, b in zip(self.codes, other.codes, strict=True))

    def __hash__(self) -> int:
        return hash((self.name, self.labels))

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Hierarchy:
        """Make the hierarchy that `to_dict` described, with every check of a new one."""
        # the checks are written on top of this class
        from indistinct.hierarchy.table import table_hierarchy

        try:
            name, ordered, rows = content["name"], content["ordered"], content["rows"]
            texts = [tuple(row) for row in rows]
        except (KeyError, TypeError):
            raise InputError("A hierarchy needs name, ordered and rows.") from None
        tree = table_hierarchy(texts, name=str(name), ordered=bool(ordered))
        names = tuple(str(word) for word in content.get("level_names", ()))
        if names and len(names) != tree.height - 1:
            raise InputError(
                f"level_names of {tree._what} must be {tree.height - 1} names, one for each level "
                f"between the values and the root. Got {len(names)}."
            )
        return replace(tree, level_names=names)

    @property
    def height(self) -> int:
        """The number of steps from a value to the root."""
        return len(self.labels) - 1

    @property
    def levels(self) -> range:
        """The levels, from 0 (the values) to the height (the root)."""
        return range(len(self.labels))

    @property
    def root(self) -> str:
        """The label that all values have at the highest level."""
        return str(self.labels[-1][0])

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The values it knows, in their order, without the missing one."""
        return tuple(label for label in self.labels[0] if label is not None)

    def __contains__(self, value: object) -> bool:
        return as_text(value) in self._leaves

    def rows(self) -> Iterator[tuple[str | None, ...]]:
        """Yield each value with its ancestors, in the order of the values."""
        for leaf in range(len(self.values)):
            yield self._path(leaf)

    def node_count(self, level: int) -> int:
        """Return how many different labels values have at a level, the missing not counted."""
        level = self._checked(level)
        return len(self.labels[level]) - (None in self.labels[level])

    def level_words(self, level: int) -> str | None:
        """Say what a label of a level is ("bands of 5", "UN region"); None where nobody knows.

        >>> from indistinct.hierarchy import interval_hierarchy
        >>> interval_hierarchy([3, 17, 30], widths=(5, 10)).level_words(2)
        'bands of 10'
        """
        level = self._checked(level)
        if level in (0, self.height):
            return "as it is" if level == 0 else "nothing is told"
        if self.level_names:
            return self.level_names[level - 1]
        return words_of_labels(label for label in self.labels[level] if label is not None)

    # One value at a time

    def generalise(self, value: object, level: int) -> str | None:
        """Return the label that a value has at a level."""
        level = self._checked(level)
        return self.labels[level][int(self.codes[level][self._leaf(value)])]

    def ancestors(self, value: object) -> tuple[str | None, ...]:
        """Return the labels of a value at levels 0, 1, … up to the height."""
        return self._path(self._leaf(value))

    def find(self, label: object) -> Node:
        """Return the lowest node with this label: a value, or one of the generalisations."""
        text = as_text(label)
        try:
            level, code = self._nodes[text]
        except KeyError:
            raise self._unknown_label(text) from None
        return self._node(level, code)

    def parent(self, label: object) -> str | None:
        """Return the next more general label, or None for the root.

        Where a hierarchy repeats a label to fill its levels, the repetitions are passed over.
        """
        node = self.find(label)
        leaf = self._representatives[node.level][node.code]
        return next((up for up in self._path(leaf)[node.level :] if up != node.label), None)

    def common_ancestor(self, values: Iterable[object]) -> Node:
        """Return the lowest node that stands for all of some values or generalisations."""
        nodes = [self.find(value) for value in values]
        if not nodes:
            raise InputError("A common ancestor needs at least one value. Got none.")
        leaves = np.array([self._representatives[n.level][n.code] for n in nodes], dtype=np.int32)
        level = max(self.common_level(leaves), *(n.level for n in nodes))
        return self._node(level, int(self.codes[level][leaves[0]]))

    def common_labels(self, one: Iterable[object], other: Iterable[object]) -> list[str | None]:
        """Return the label of the lowest node that stands for both of each pair of labels.

        None where a label is not of this hierarchy.

        >>> from indistinct.hierarchy import code_hierarchy
        >>> zips = code_hierarchy(["02138", "02139", "02141"], name="zip", digits=(4, 3))
        >>> zips.common_labels(["02138", "0213*", "x"], ["02139", "02141", "02138"])
        ['0213*', '021**', None]
        """
        known = [[self._nodes.get(text) for text in as_texts(labels)] for labels in (one, other)]
        pairs = [(at, a, b) for at, (a, b) in enumerate(zip(*known, strict=True)) if a and b]
        found: list[str | None] = [None] * len(known[0])
        places = np.array([at for at, _, _ in pairs], dtype=np.int64)
        lowest = np.array([max(a[0], b[0]) for _, a, b in pairs], dtype=np.int64)
        left = np.array([self._representatives[level][code] for _, (level, code), _ in pairs])
        right = np.array([self._representatives[level][code] for _, _, (level, code) in pairs])
        for level in self.levels if pairs else ():
            codes = self.codes[level]
            here = (lowest <= level) & (codes[left] == codes[right])
            for at, code in zip(places[here].tolist(), codes[left[here]].tolist(), strict=True):
                found[at] = self.labels[level][code]
            places, lowest, left, right = (part[~here] for part in (places, lowest, left, right))
        return found

    def distance(self, value: object, other: object) -> int:
        """Return how many levels `value` climbs until its node stands for `other` too.

        `other` is a value or a generalisation. From 02138 it is one level to 0213*, and one to
        02139, whose lowest common ancestor is 0213*.
        """
        return self.common_ancestor([value, other]).level - self.find(value).level

    # Many values at once

    def encode(self, values: Iterable[object], *, first_record: int | None = None) -> IntArray:
        """Return the code of each value: its position in `values`, the missing one last.

        Values that the hierarchy does not know are an error. It names none of them, since they
        are private, but their first records if `first_record`, the number of the first from 0,
        is given; `unknown` lists them.
        """
        texts = as_texts(values)
        codes = np.array([self._leaves.get(text, -1) for text in texts], dtype=np.int32)
        if (codes < 0).any():
            raise self._unknown_values(texts, first_record)
        return codes

    def unknown(self, values: Iterable[object]) -> list[str]:
        """Return the values that the hierarchy does not know, each once: for the holder's eyes."""
        return [t for t in dict.fromkeys(as_texts(values)) if t and t not in self._leaves]

    def level_codes(self, level: int) -> IntArray:
        """Return the array that leads from the code of a value to that of its node at a level.

        Its last element is the missing value's.
        """
        return self.codes[self._checked(level)]

    def level_labels(self, level: int) -> tuple[str | None, ...]:
        """Return the labels of the nodes at a level, by code."""
        return self.labels[self._checked(level)]

    def parents(self, level: int) -> IntArray:
        """Return the array that leads from the nodes of a level to those of the next."""
        level = self._checked(level)
        if level == self.height:
            raise InputError(f"The root of {self._what} has no parent. Ask for a lower level.")
        return self.codes[level + 1][self._representatives[level]]

    def sizes(self, level: int) -> IntArray:
        """Return how many values each node of a level stands for.

        A node that holds the missing value alone has size 1, so that it costs nothing.
        """
        return self._sizes[self._checked(level)]

    def common_level(self, codes: npt.ArrayLike) -> int:
        """Return the lowest level at which values, given by code, share one node."""
        leaves = np.asarray(codes)
        return next(
            level
            for level in self.levels
            if (self.codes[level][leaves] == self.codes[level][leaves[:1]]).all()
        )

    def recode(self, values: Iterable[object], level: int) -> list[str | None]:
        """Return the label at a level of each of many values."""
        labels = np.array(self.level_labels(level), dtype=object)
        recoded: list[str | None] = labels[self.level_codes(level)[self.encode(values)]].tolist()
        return recoded

    # Behind the doors

    @cached_property
    def _leaves(self) -> dict[str | None, int]:
        return {label: code for code, label in enumerate(self.labels[0])}

    @cached_property
    def _nodes(self) -> dict[str | None, tuple[int, int]]:
        lowest: dict[str | None, tuple[int, int]] = {}
        for level, labels in enumerate(self.labels):
            for code, label in enumerate(labels):
                lowest.setdefault(label, (level, code))
        return lowest

    @cached_property
    def _representatives(self) -> tuple[IntArray, ...]:
        """For each level, one value under each node."""
        return tuple(np.unique(c, return_index=True)[1].astype(np.int32) for c in self.codes)

    @cached_property
    def _sizes(self) -> tuple[IntArray, ...]:
        return tuple(
            np.maximum(np.bincount(codes[:-1], minlength=len(labels)), 1).astype(np.int32)
            for codes, labels in zip(self.codes, self.labels, strict=True)
        )

    @property
    def _what(self) -> str:
        return f"the hierarchy of '{self.name}'" if self.name else "the hierarchy"

    def _leaf(self, value: object) -> int:
        text = as_text(value)
        if text not in self._leaves:
            raise self._unknown_label(text)
        return self._leaves[text]

    def _path(self, leaf: int) -> tuple[str | None, ...]:
        pairs = zip(self.labels, self.codes, strict=True)
        return tuple(labels[codes[leaf]] for labels, codes in pairs)

    def _node(self, level: int, code: int) -> Node:
        return Node(self.labels[level][code], level, code, int(self._sizes[level][code]))

    def _checked(self, level: int) -> int:
        number = operator.index(level)
        if 0 <= number <= self.height:
            return number
        raise InputError(
            f"A level of {self._what} must be from 0 (the value) to {self.height} "
            f"('{self.root}'). Got {number}."
        )

    def _unknown_label(self, label: str | None) -> InputError:
        """Name what a caller asked for: this is no value of the data."""
        return InputError(
            f"{self._what[0].upper()}{self._what[1:]} does not know '{label}'. Add a row for it, "
            "with its ancestors."
        )

    def _unknown_values(self, texts: list[str | None], first_record: int | None) -> InputError:
        first: dict[str, int] = {}
        for position, text in enumerate(texts):
            if text is not None and text not in self._leaves:
                first.setdefault(text, position)
        where = ""
        if first_record is not None:
            records = [
                f"{first_record + at + 1:,}" for at in list(first.values())[:_NAMED_UNKNOWNS]
            ]
            more = ", …" if len(first) > _NAMED_UNKNOWNS else ""
            where = f" (record {', '.join(records)}{more})"
        count = "1 value" if len(first) == 1 else f"{len(first):,} values"
        return InputError(
            f"{self._what[0].upper()}{self._what[1:]} does not know {count} of the data{where}. "
            "Add a row for each, with its ancestors; `Hierarchy.unknown` lists them."
        )

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                f"{self.name}, level by level",
                tuple(f"level {level}" for level in self.levels),
                list(self.rows()),
            )
        ]
