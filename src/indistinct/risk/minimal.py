"""Minimal sample uniques: the smallest sets of key variables on which a record stands alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core import Array, Floats, InputError, Ints, check_whole, progress
from indistinct.keys import KeyTable
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.risk.minimal_search import gather_by_class, search

__all__ = ["MinimalUniques", "minimal_uniques"]

MOST_SUBSETS = 1 << 22
"""Beyond four million sets of variables the search is refused; a size limit makes it small."""

MEMORY = 1 << 29
"""Bytes for what is remembered of sets already counted; with more records they go in turns."""

MOST_VARIABLES = 62
"""A set of variables is kept as a mask in a signed 64-bit word."""


ASSUMPTIONS = (
    "Unique means unique in the file: in a sample that need not be unique in the population.",
    "The intruder may know any of the key variables, exactly as they are in the file.",
    "A missing value never helps to single out: it enters no minimal unique, and a record that "
    "has it agrees on that variable with no record that has a value.",
)


@result
class MinimalUniques(Result):
    """The minimal sample uniques (MSUs) of every class, and what they say of the file.

    Class `c` has the MSUs ``masks[offsets[c]:offsets[c + 1]]``, smallest first; bit j of a mask
    says that key variable j is in the set. A class with two or more records has none.
    """

    table: KeyTable
    max_size: int
    offsets: Ints
    masks: Ints
    assumptions: tuple[str, ...] = ASSUMPTIONS

    FACTS = facts(
        Fact("records", "table.records"),
        Fact("key", "table.names"),
        "max_size",
        Fact("sample_uniques", shown="records unique on the whole key"),
        Fact("special_uniques", shown="of them special uniques"),
        Fact("minimal_uniques", lambda found: len(found)),
        "sizes",
        "by_smallest",
        "assumptions",
    )

    def sentence(self) -> str:
        """Say how many there are, and up to which size."""
        reach = "all sizes" if self.max_size == len(self.table.names) else f"≤ {self.max_size}"
        return (
            f"{len(self):,} minimal uniques ({reach}) of {self.table.records:,} records by "
            f"{len(self.table.names)} variables"
        )

    def __len__(self) -> int:
        return len(self.masks)

    @cached_property
    def sample_uniques(self) -> int:
        """Records that are alone with the whole key."""
        return int((self.table.counts == 1).sum())

    @cached_property
    def number(self) -> Ints:
        """The number of MSUs of each class."""
        return np.diff(self.offsets)

    @cached_property
    def size(self) -> Ints:
        """The size of every MSU, in the order of `masks`."""
        return np.bitwise_count(self.masks).astype(np.int64)

    @cached_property
    def smallest(self) -> Ints:
        """The size of each class's smallest MSU, 0 where it has none."""
        found = np.zeros(self.table.classes, dtype=np.int64)
        some = self.number > 0
        found[some] = self.size[self.offsets[:-1][some]]
        return found

    @property
    def sizes(self) -> dict[int, int]:
        """How many MSUs have one variable, two variables, and so on."""
        return _histogram(self.size, self.max_size)

    @property
    def by_smallest(self) -> dict[int, int]:
        """How many records have their smallest MSU of one variable, two variables, and so on."""
        return _histogram(self.smallest, self.max_size)

    @cached_property
    def special_uniques(self) -> int:
        """Records unique on their whole key and already on some of its variables.

        Elliot's *special uniques*: their uniqueness does not come of the key's detail, so it is
        likely to hold in the population. Only sets of up to `max_size` variables were searched.
        """
        whole = len(self.table.names)
        return int(((self.smallest > 0) & (self.smallest < whole)).sum())

    def variables(self, mask: int) -> tuple[str, ...]:
        """Return the names of the variables in a set."""
        return tuple(name for j, name in enumerate(self.table.names) if mask >> j & 1)

    def of(self, row: int) -> list[tuple[str, ...]]:
        """Return the MSUs of one class, smallest first."""
        first, last = self.offsets[row], self.offsets[row + 1]
        return [self.variables(mask) for mask in self.masks[first:last].tolist()]

    def combinations(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Give each set of variables with the records it is an MSU of, most records first."""
        masks, records = np.unique(self.masks, return_counts=True)
        for at in np.lexsort((masks, -records)):
            yield self.variables(int(masks[at])), int(records[at])

    def to_frame(self) -> Any:
        """Return one row per set of variables: its names, its size, and the records it singles
        out that no smaller part of it does (a pandas frame)."""
        found = list(self.combinations())
        columns = {
            "variables": [" × ".join(names) for names, _ in found],
            "size": [len(names) for names, _ in found],
            "records": [records for _, records in found],
        }
        return pa.table(columns).to_pandas()

    def plot(self) -> str:
        """Draw the records by the size of their smallest minimal unique, as SVG."""
        found = self.by_smallest
        return bars(
            "Records by the variables of their smallest minimal unique",
            [str(size) for size in found],
            list(found.values()),
        )

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                "By size",
                ("variables", "minimal uniques", "records whose smallest it is"),
                [
                    (size, msus, self.by_smallest.get(size, 0))
                    for size, msus in self.sizes.items()
                    if msus
                ],
            )
        ]


def minimal_uniques(table: KeyTable, *, max_size: int | None = None) -> MinimalUniques:
    """Find every minimal sample unique of every record.

    A set of key variables S is a *minimal sample unique* of a record when no other record has
    the same values on S, and on every proper subset of S some other record has (Elliot, Manning
    and Ford 2002; Manning, Haglin and Keane 2008, who call the search SUDA2).

    Sets are visited so that all subsets of a set come before it. A record alone on a subset of T
    agrees on T with nobody, so it needs neither be asked nor be counted there: at T only the
    records are compared that stand alone on no part of it, within their groups on T without
    its last variable. Groups that can give nothing more are left out on the way, so that the
    work shrinks as sets grow.

    Parameters
    ----------
    max_size
        The largest set of variables to look at; all by default.

    >>> import indistinct, pyarrow as pa
    >>> people = {"age": [16, 16, 40, 40, 40], "sex": [1, 2, 1, 2, 2], "widowed": [1, 0, 0, 0, 0]}
    >>> with indistinct.open_data(pa.table(people)) as data:
    ...     found = minimal_uniques(data.key_table(["age", "sex", "widowed"]))
    >>> found.special_uniques, found.by_smallest
    (3, {1: 1, 2: 2, 3: 0})
    >>> found.of(0), found.of(1)
    ([('widowed',), ('age', 'sex')], [('age', 'sex'), ('age', 'widowed')])
    """
    variables = len(table.names)
    size = _checked_size(variables, max_size)
    subsets = sum(comb(variables, s) for s in range(size + 1))
    if subsets > MOST_SUBSETS:
        raise InputError(
            f"A key of {variables} variables has {subsets:,} sets of up to {size} variables, too "
            f"many to look at. Give a smaller max_size (4, say), or leave variables out."
        )
    # the variable that splits least comes first: sets are refined by it last, when lists are short
    order = np.argsort(_splitting(table), kind="stable")
    alone = np.flatnonzero(table.counts == 1)
    others = np.flatnonzero(table.counts != 1)
    # sets of the largest size are remembered for nobody, since no larger one will ask
    remembered = sum(comb(variables, s) for s in range(size))
    turn = max(64, MEMORY * 8 // remembered // 64 * 64)
    binomials = np.array([[comb(n, r) for r in range(size + 2)] for n in range(variables + 1)])
    widest = max(coding.size for coding in table.coding.variables)
    classes, masks = [], []
    if table.records == 1:
        # alone in the file: every variable that it has is enough
        present = [j for j in range(variables) if not _is_missing(table, 0, j)]
        classes.append(np.zeros(len(present), np.int64))
        masks.append(np.array([1 << j for j in present], np.int64))
        alone = alone[:0]
    starts = range(0, len(alone), turn)
    for start in progress.each(starts, "searching for minimal uniques", unit="parts"):
        asked = alone[start : start + turn]
        rows = np.concatenate([asked, alone[:start], alone[start + turn :], others])
        codes, missing = _columns(table, rows, order)
        found, sets = search(codes, missing, widest, len(asked), size, remembered, binomials)
        classes.append(rows[found])
        masks.append(_reordered(sets, order))
    offsets, ordered = gather_by_class(
        np.concatenate(classes) if classes else np.empty(0, np.int64),
        np.concatenate(masks) if masks else np.empty(0, np.int64),
        table.classes,
    )
    return MinimalUniques(table, size, offsets, ordered)


def _checked_size(variables: int, max_size: int | None) -> int:
    if variables > MOST_VARIABLES:
        raise InputError(
            f"Minimal uniques are found for at most {MOST_VARIABLES} key variables. "
            f"Got {variables}. Leave some out."
        )
    if max_size is None:
        return variables
    hint = "It is the largest number of variables looked at together; leave it out for all."
    check_whole("max_size", max_size, 1, hint=hint)
    return min(int(max_size), variables)


def _is_missing(table: KeyTable, row: int, j: int) -> bool:
    coding = table.coding.variables[j]
    return bool(coding.missing and table.codes[row, j] == coding.size - 1)


def _splitting(table: KeyTable) -> Floats:
    """Return, for each variable, minus the chance that two classes agree on it."""
    classes = max(1, table.classes)
    found = [
        -float(((np.bincount(table.codes[:, j]) / classes) ** 2).sum())
        for j in range(len(table.names))
    ]
    return np.array(found)


def _columns(table: KeyTable, rows: Ints, order: Ints) -> tuple[Array, Ints]:
    """Return the codes by variable, in the order of the search, and the code that is missing."""
    codings = [table.coding.variables[j] for j in order]
    widest = max(c.size for c in codings)
    kind = np.uint16 if widest < 1 << 16 else np.uint32
    codes = np.ascontiguousarray(table.codes[rows][:, order].T.astype(kind))
    return codes, np.array([c.size - 1 if c.missing else widest for c in codings], dtype=np.int64)


def _reordered(masks: Ints, order: Ints) -> Ints:
    """Return masks over the variables of the key, from masks over those of the search."""
    moved = np.zeros_like(masks)
    for position, j in enumerate(order.tolist()):
        moved |= (masks >> position & 1) << j
    return moved


def _histogram(sizes: Ints, largest: int) -> dict[int, int]:
    return dict(enumerate(np.bincount(sizes, minlength=largest + 1).tolist()[1:], start=1))
