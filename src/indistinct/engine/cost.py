"""What counting will cost, by each approach: the cost function that Dalenius (1986, 5.3) missed.

*"To make a rational choice … it is desirable to have a cost function that relates the cost of
identification to the number of records, the number of variables … and the computer memory."*
The unit costs are measured once on the machine (a fraction of a second, once compiled) and kept
in the user's cache directory; the estimates are formulas in N, P and the numbers of categories.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from indistinct.core import InputError
from indistinct.engine import kernels
from indistinct.engine.approaches import PROGRAM_MEMORY
from indistinct.engine.limits import show_size
from indistinct.engine.tally import Approach

__all__ = [
    "LARGEST_CATALOGUE",
    "Estimate",
    "Representation",
    "UnitCosts",
    "bits_needed",
    "cheapest",
    "estimates",
    "unit_costs",
]

Representation = Literal["integers", "T1", "T2"]
"""How a key is written as one number: the digits of the first variant, or the sums of the
second."""

LARGEST_CATALOGUE = 1 << 31
"""Counters in a catalogue at the most, whatever the memory: class numbers have 32 bits."""

_SMALL_CELLS, _LARGE_CELLS = 1 << 14, 1 << 24


@dataclass(frozen=True)
class UnitCosts:
    """Nanoseconds on this machine, per record."""

    pack: float
    """to append one variable to a word"""
    sort: float
    """to sort, per word and per doubling of the number of records"""
    tally: float
    """to deal into parts and tally, per word"""
    cell_near: float
    """to count into a catalogue that stays in cache"""
    cell_far: float
    """to count into one of 2²⁴ counters"""


@dataclass(frozen=True)
class Estimate:
    """Time and memory that one way of counting is expected to take."""

    representation: Representation
    approach: Approach
    bits: int
    seconds: float
    memory: int
    possible: bool
    why: str = ""

    def __repr__(self) -> str:
        tail = "" if self.possible else f", not possible: {self.why}"
        return (
            f"Estimate({self.representation}, {self.approach}, {self.seconds:.3g} s, "
            f"{show_size(self.memory)}{tail})"
        )


def bits_needed(sizes: Sequence[int], representation: Representation) -> int:
    """Return the bits of the largest number that the representation can give.

    The case of the paper's section 5.1, 20 variables of 10 categories:

    >>> bits_needed([10] * 20, "T1"), bits_needed([10] * 20, "T2")
    (180, 67)
    """
    if representation == "T1":
        return sum(size - 1 for size in sizes)
    if representation == "T2":
        return (math.prod(sizes) - 1).bit_length()
    digits = sum(len(str(size - 1)) for size in sizes)
    return int(10**digits - 1).bit_length()


def estimates(
    *, records: int, sizes: Sequence[int], memory: int, costs: UnitCosts | None = None
) -> list[Estimate]:
    """Estimate every way of counting `records` records by variables with `sizes` categories.

    >>> costs = UnitCosts(pack=1, sort=2, tally=20, cell_near=2, cell_far=20)
    >>> ways = estimates(records=1000, sizes=[2, 4, 3], memory=10**9, costs=costs)
    >>> [e.approach for e in ways if e.representation == "T2"]
    ['sort', 'tally', 'catalogue']
    """
    costs = costs or unit_costs()
    cells = math.prod(sizes)
    classes = min(records, cells)
    found = []
    for representation in get_args(Representation):
        bits = bits_needed(sizes, representation)
        words = max(1, -(-bits // 64))
        pack = costs.pack * len(sizes) * max(1, words / 2)
        doublings = math.log2(max(2, records))
        per_record = {
            "sort": pack + costs.sort * words * doublings,
            "tally": pack + costs.tally * words,
            "catalogue": pack + _cell_cost(cells, costs),
        }
        held = {
            "sort": records * (8 * words + 8 + 4 + 8),
            "tally": records * (4 + 2 + 8 * words) + classes * 4,
            "catalogue": cells * 8 + records * 4,
        }
        spills = PROGRAM_MEMORY + held["tally"] > memory
        if spills:
            held["tally"] -= records * 8 * words
        for approach in get_args(Approach):
            seconds = records * per_record[approach] / 1e9
            if approach == "catalogue":
                seconds += cells * 2e-9
            possible, why = True, ""
            if held[approach] > memory:
                possible, why = False, f"needs {show_size(held[approach])} of memory"
            if approach == "catalogue" and cells > LARGEST_CATALOGUE:
                possible, why = False, f"needs {cells:.3g} counters"
            if approach == "tally":
                possible, why = True, "words on disk" if spills else ""
            found.append(
                Estimate(representation, approach, bits, seconds, held[approach], possible, why)
            )
    return found


def cheapest(
    *, records: int, sizes: Sequence[int], memory: int, costs: UnitCosts | None = None
) -> Approach:
    """Return the approach with the smallest estimated time among those that fit in memory."""
    ways = estimates(records=records, sizes=sizes, memory=memory, costs=costs)
    possible = [e for e in ways if e.possible and e.representation == "T2"]
    return min(possible, key=lambda e: e.seconds).approach


def check_catalogue(sizes: Sequence[int], memory: int) -> None:
    """Refuse a catalogue that would not fit, before anything is allocated."""
    cells = math.prod(sizes)
    if cells > LARGEST_CATALOGUE or cells * 8 > memory:
        raise InputError(
            f"A catalogue of all possible keys would need {cells:.3g} counters, more than fit in "
            f"{show_size(memory)}. Use the tally or the sort approach, or fewer categories."
        )


@lru_cache(maxsize=1)
def unit_costs() -> UnitCosts:
    """Return this machine's unit costs, measured now if they never were."""
    path = _cache_path()
    try:
        return UnitCosts(**json.loads(path.read_bytes())[_machine()])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    costs = _measure()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(f".{os.getpid()}")
        aside.write_bytes(json.dumps({_machine(): asdict(costs)}, indent=1).encode())
        aside.replace(path)
    except OSError:
        # a home directory that cannot be written costs a fraction of a second each time, no more
        pass
    return costs


def _cell_cost(cells: int, costs: UnitCosts) -> float:
    """Cost of counting into a catalogue: rises with its logarithm as it outgrows the caches."""
    low, high = math.log2(_SMALL_CELLS), math.log2(_LARGE_CELLS)
    share = (math.log2(max(1, cells)) - low) / (high - low)
    return costs.cell_near + max(0.0, share) * (costs.cell_far - costs.cell_near)


def _measure(records: int = 1 << 19) -> UnitCosts:
    rng = np.random.default_rng(1)
    column = rng.integers(0, 100, records).astype(np.uint8)
    words = rng.integers(0, 1 << 40, (records, 1)).astype(np.uint64)
    out = np.empty_like(words)
    parts = np.empty(records, dtype=np.uint16)
    bounds = np.empty(33, dtype=np.int64)

    def pack() -> None:
        kernels.pack_codes(column, 0, 100, True, out[:, 0])

    def sort() -> None:
        order = np.argsort(words[:, 0])
        members, counts = np.empty(records, np.uint32), np.empty(records, np.int64)
        kernels.number_runs(words, order, members, counts)

    def tally() -> None:
        kernels.partition(words, 5, parts, bounds, out)
        for start, end in itertools.pairwise(bounds.tolist()):
            n = end - start
            kernels.count_words(
                out[start:end],
                np.zeros(1 << (2 * n - 1).bit_length(), np.uint32),
                np.empty((n, 1), np.uint64),
                np.empty(n, np.int32),
                np.empty(n, np.uint32),
            )

    def cells(number: int) -> Callable[[], None]:
        counters = np.zeros(number, dtype=np.uint32)
        small = words % np.uint64(number)
        members = np.empty(records, dtype=np.uint32)
        return lambda: kernels.count_cells(small, counters, members)

    def nanoseconds(work: Callable[[], None]) -> float:
        work()  # compiles, and warms the cache
        best = math.inf
        for _ in range(3):
            start = time.perf_counter()
            work()
            best = min(best, time.perf_counter() - start)
        return best / records * 1e9

    return UnitCosts(
        pack=nanoseconds(pack),
        sort=nanoseconds(sort) / math.log2(records),
        tally=nanoseconds(tally),
        cell_near=nanoseconds(cells(_SMALL_CELLS)),
        cell_far=nanoseconds(cells(_LARGE_CELLS)),
    )


def _machine() -> str:
    return f"{platform.node()} {platform.machine()} {os.cpu_count()} numpy {np.__version__}"


def _cache_path() -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return home / "indistinct" / "unit-costs.json"
