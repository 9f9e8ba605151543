"""Which combinations µ-Argus examines, and which of their bins are too small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations as subsets
from typing import Literal, get_args

import numpy as np

from indistinct.core import Array, InputError, Ints, Words, did_you_mean, progress
from indistinct.keys import Generalisable, group_rows
from indistinct.protect.methods.mu_argus.argus_kernels import flag_dense, flag_hashed
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = [
    "Cells",
    "Examined",
    "Reading",
    "UnsafeCombination",
    "UnsafeCombinations",
    "check_identification",
    "combinations_examined",
]

Reading = Literal["all", "described", "with-most"]
READINGS: tuple[Reading, ...] = get_args(Reading)

MORE, MOST = 2, 3
_DENSE_ROOM = 1 << 22
_LARGEST_INDEX = 1 << 62


def check_identification(names: Sequence[str], identification: Mapping[str, int]) -> list[int]:
    """Return the identification level of every variable, 0 where none is given."""
    for name, level in identification.items():
        if name not in names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, names)}")
        if isinstance(level, bool) or level not in (0, 1, 2, 3):
            raise InputError(
                f"The identification level of '{name}' must be 0 (not identifying), 1 "
                f"(identifying), 2 (more) or 3 (most identifying). Got {level}."
            )
    levels = [identification.get(name, 0) for name in names]
    if not any(levels):
        raise InputError("At least one variable must be identifying (level 1, 2 or 3).")
    return levels


def combinations_examined(
    identification: Sequence[int],
    *,
    reading: Reading = "all",
    largest: int = 3,
    without: Sequence[frozenset[int]] = (),
) -> tuple[tuple[int, ...], ...]:
    """Return the combinations of variables whose values must occur k times together.

    Sweeney (2001, section 6.3): each identifying variable alone; each pair that contains a
    *most* or *more* identifying variable; 3-combinations "that include the most and more
    identifying" ones, which can be read in three ways:

    - ``all``: triples with a most or a more identifying variable, as for pairs;
    - ``described``: triples with a most and a more identifying variable;
    - ``with-most``: triples with a most identifying variable.

    Parameters
    ----------
    identification
        The level of each variable, 0 to 3.
    largest
        The most variables in a combination, 1 to 3.
    without
        Combinations that are not examined.

    >>> combinations_examined([3, 1, 2])
    ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
    """
    if reading not in READINGS:
        raise InputError(
            f"combinations must be one of {', '.join(READINGS)}. Got '{reading}'. "
            f"{did_you_mean(str(reading), READINGS)}"
        )
    if isinstance(largest, bool) or largest not in (1, 2, 3):
        raise InputError(f"largest must be 1, 2 or 3 variables. Got {largest}.")
    rated = [j for j, level in enumerate(identification) if level > 0]

    def examined(chosen: tuple[int, ...]) -> bool:
        levels = [identification[j] for j in chosen]
        if frozenset(chosen) in without:
            return False
        if len(chosen) == 1:
            return True
        if len(chosen) == 2 or reading == "all":
            return max(levels) >= MORE
        return MOST in levels and (reading == "with-most" or MORE in levels)

    sizes = range(1, largest + 1)
    return tuple(c for size in sizes for c in subsets(rated, size) if examined(c))


@dataclass(frozen=True)
class UnsafeCombination:
    """A combination of variables: how many of its bins are smaller than k, and their records."""

    variables: tuple[str, ...]
    bins: int
    records: int


@result(eq=True)
class UnsafeCombinations(Result):
    """The combinations examined, and in how far each is unsafe. It holds no value.

    Parameters
    ----------
    k
        Bins smaller than k are unsafe.
    combinations
        Every combination examined.
    records
        Records with at least one unsafe combination.
    """

    k: int
    combinations: tuple[UnsafeCombination, ...]
    records: int

    FACTS = facts(
        "k",
        Fact("examined", lambda found: len(found.combinations)),
        Fact(
            "unsafe",
            lambda found: [
                {"variables": list(u.variables), "bins": u.bins, "records": u.records}
                for u in found.unsafe
            ],
        ),
        "bins records",
    )

    @property
    def bins(self) -> int:
        """Unsafe bins of all combinations."""
        return sum(each.bins for each in self.combinations)

    @property
    def unsafe(self) -> tuple[UnsafeCombination, ...]:
        """The combinations with an unsafe bin."""
        return tuple(each for each in self.combinations if each.bins)

    def plot(self) -> str:
        """Draw the records of the unsafe combinations, the worst first, as SVG."""
        worst = sorted(self.unsafe, key=lambda u: -u.records)[:20]
        return bars(
            f"Records in bins smaller than {self.k}",
            [" × ".join(each.variables) for each in worst],
            [each.records for each in worst],
        )

    def sentence(self) -> str:
        """Say how many combinations are unsafe."""
        return (
            f"{len(self.unsafe)} of {len(self.combinations)} combinations have bins smaller than "
            f"{self.k}: {self.bins:,} bins, {self.records:,} records"
        )

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                f"Combinations with bins smaller than {self.k}",
                ("combination", "bins", "records"),
                [
                    (" × ".join(u.variables), u.bins, u.records)
                    for u in sorted(self.unsafe, key=lambda u: -u.records)
                ],
            )
        ]


@dataclass(frozen=True, eq=False)
class Examined:
    """What an examination found.

    `flags` has a bit for each combination (columns: words of 64) in the row of each class that
    is in an unsafe bin of it; `bins` and `records` are by combination.
    """

    flags: Words = field(repr=False)
    bins: Ints
    records: Ints

    def outliers(self) -> Ints:
        """Return pairs of class and combination, by combination."""
        pairs = [
            np.stack([rows, np.full(len(rows), c)], axis=1)
            for c in range(len(self.bins))
            for rows in [np.flatnonzero(self.flags[:, c >> 6] & np.uint64(1 << (c & 63)))]
        ]
        return np.concatenate(pairs) if pairs else np.empty((0, 2), dtype=np.int64)


class Cells:
    """The values of a key table at given levels, some of which may be suppressed.

    A missing value, and one that tells nothing because it is the root, is in no combination.

    Parameters
    ----------
    keys
        The classes.
    levels
        One level for each variable.
    """

    def __init__(self, keys: Generalisable, levels: Sequence[int]) -> None:
        self.counts = keys.counts
        nodes = keys.nodes(levels)
        self.codes = np.full((len(keys.names), keys.classes), -1, dtype=np.int32)
        self.sizes = np.ones(len(keys.names), dtype=np.int64)
        for j in range(len(keys.names)):
            tells = np.array([label is not None for label in keys.labels(j)])
            tells[keys.climb(j)[-1, 0]] = False
            present, codes = np.unique(nodes[:, j], return_inverse=True)
            number = np.where(tells[present], np.cumsum(tells[present]) - 1, -1)
            self.codes[j] = number[codes.reshape(-1)]
            self.sizes[j] = max(1, int(tells[present].sum()))

    def frequencies(self) -> tuple[Ints, Ints]:
        """Return how many records have each value, one variable after the other, and starts."""
        starts = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        found = np.zeros(starts[-1], dtype=np.int64)
        for j, codes in enumerate(self.codes):
            told = codes >= 0
            np.add.at(found, starts[j] + codes[told], self.counts[told])
        return found, starts[:-1]

    def examine(
        self,
        combinations: Sequence[tuple[int, ...]],
        k: int,
        *,
        only: Sequence[bool] | None = None,
    ) -> Examined:
        """Count the bins of combinations, and flag the classes in bins smaller than k.

        Parameters
        ----------
        only
            Whether each combination needs counting; the others are known to be safe.
        """
        words = max(1, (len(combinations) + 63) // 64)
        flags = np.zeros((len(self.counts), words), dtype=np.uint64)
        bins = np.zeros(len(combinations), dtype=np.int64)
        records = np.zeros(len(combinations), dtype=np.int64)
        examined = progress.each(combinations, "examining combinations", unit="combinations")
        for c, combination in enumerate(examined):
            if only is None or only[c]:
                bit = np.uint64(1 << (c & 63))
                bins[c], records[c] = self._flag(combination, k, flags, c >> 6, bit)
        return Examined(flags, bins, records)

    def _flag(
        self,
        combination: tuple[int, ...],
        k: int,
        flags: Words,
        word: int,
        bit: np.uint64,
    ) -> tuple[int, int]:
        codes: Array = self.codes
        columns = np.array(combination, dtype=np.int64)
        sizes = self.sizes[columns]
        room = 1
        for size in sizes.tolist():
            room *= size
        if room >= _LARGEST_INDEX:
            codes = self._numbered(columns)
            columns, room = np.zeros(1, dtype=np.int64), len(self.counts)
            sizes = np.array([room], dtype=np.int64)
        if room <= max(_DENSE_ROOM, 2 * len(self.counts)):
            table = np.zeros(room, dtype=np.int64)
            return flag_dense(codes, columns, sizes, self.counts, k, table, flags, word, bit)
        slots = 1 << (2 * len(self.counts)).bit_length()
        keys = np.full(slots, -1, dtype=np.int64)
        table = np.zeros(slots, dtype=np.int64)
        return flag_hashed(codes, columns, sizes, self.counts, k, keys, table, flags, word, bit)

    def _numbered(self, columns: Ints) -> Ints:
        """Return the combination as one variable, where its possible bins are beyond numbers."""
        chosen = self.codes[columns].T.astype(np.int64)
        told = (chosen >= 0).all(axis=1)
        numbers = np.full((1, len(chosen)), -1, dtype=np.int64)
        numbers[0, told] = group_rows(chosen[told])
        return numbers


def summary(
    names: Sequence[str],
    combinations: Sequence[tuple[int, ...]],
    k: int,
    examined: Examined,
    counts: Ints,
) -> UnsafeCombinations:
    """Put what an examination found into numbers that may be told."""
    return UnsafeCombinations(
        k,
        tuple(
            UnsafeCombination(tuple(names[j] for j in combination), int(bins), int(records))
            for combination, bins, records in zip(
                combinations, examined.bins, examined.records, strict=True
            )
        ),
        int(counts[(examined.flags != 0).any(axis=1)].sum()),
    )
