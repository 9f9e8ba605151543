"""µ-Argus: suppress single values until no combination of up to three is rare.

Giving up values until no outlier is whole: the greedy heart of µ-Argus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from indistinct.core import (
    Bools,
    ClassSize,
    Floats,
    InputError,
    Ints,
    Words,
    above,
    check_number,
    did_you_mean,
)
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import SUPPRESSED, suppression_only
from indistinct.keys import Generalisable, KeyTable, Recoding, counts_by_row
from indistinct.protect.generalise import Generalise
from indistinct.protect.methods.mu_argus.argus_bins import (
    Cells,
    Reading,
    UnsafeCombinations,
    check_identification,
    combinations_examined,
    summary,
)
from indistinct.protect.methods.mu_argus.argus_kernels import suppress_cells
from indistinct.protect.plan import Plan
from indistinct.protect.receipt import Receipt
from indistinct.protect.recode import RecodingStep, apply_recoding, recoding_receipt
from indistinct.protect.step import Context, Step, check_key
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["Argus", "ArgusResult", "argus"]

RATINGS = (
    "different identification ratings give different results, and combinations of more than "
    "three variables are not examined"
)


@result
class ArgusResult(Result):
    """The cells that µ-Argus suppresses, and what it does not see.

    Parameters
    ----------
    keys
        The classes and their hierarchies.
    k
        Every examined combination of values that is released occurs at least k times.
    identification
        The level of each variable: 0 not, 1, 2 more, 3 most identifying.
    levels
        The levels to which the user generalised.
    before, after
        The unsafe combinations, before suppression and in the release.
    suppressed
        Whether each cell is suppressed (rows: classes, columns: variables). Private.
    rounds
        How often the bins were counted.
    """

    techniques: ClassVar[tuple[str, ...]] = ("de-identification", "generalisation", "suppression")
    """Disclosure limitation techniques of the system (Sweeney 2001, section 6.3)."""

    keys: Generalisable
    k: int
    identification: Mapping[str, int]
    levels: Mapping[str, int]
    before: UnsafeCombinations
    after: UnsafeCombinations
    suppressed: Bools = field(repr=False)
    rounds: int
    options: Mapping[str, Any] = field(default_factory=dict)

    FACTS = facts(
        Fact("method", lambda _: "argus"),
        "k",
        Fact("records_in", "keys.records"),
        Fact("records_out", "keys.records"),
        Fact("suppressed_records", lambda _: 0),
        Fact("suppressed_cells", lambda found: sum(found.cells_suppressed().values())),
        Fact("suppressed_by_variable", lambda found: found.cells_suppressed()),
        "identification levels before after residual",
        Fact("k_holds", lambda found: not found.residual),
        "rounds warnings techniques",
    )

    @cached_property
    def recoding(self) -> Recoding:
        """What happens to every class: a suppressed cell climbs to the root."""
        levels = np.array([self.levels[name] for name in self.keys.names], dtype=np.int16)
        rows = np.where(self.suppressed, np.array(self.keys.heights, dtype=np.int16), levels)
        return Recoding(self.keys, np.arange(self.keys.classes), rows, self.keys.counts)

    def cells_suppressed(self) -> dict[str, int]:
        """Return the suppressed cells of each variable."""
        cells = self.keys.counts @ self.suppressed
        return dict(zip(self.keys.names, cells.tolist(), strict=True))

    @cached_property
    def small_classes(self) -> Ints:
        """The classes whose whole identifying key fewer than k records share. Private.

        A suppressed cell counts as a value of its own here.
        """
        columns = [j for j, name in enumerate(self.keys.names) if self.identification[name]]
        nodes = self.recoding.nodes[:, columns].astype(np.int64)
        return np.flatnonzero(counts_by_row(nodes, self.keys.counts) < self.k)

    @property
    def small_and_whole(self) -> Ints:
        """Of `small_classes` those in which nothing but what all records lack is suppressed."""
        everywhere = np.asarray(self.suppressed.all(axis=0))
        touched = np.asarray((self.suppressed & ~everywhere).any(axis=1))
        return self.small_classes[~touched[self.small_classes]]

    @property
    def residual(self) -> int:
        """Records whose whole identifying key fewer than k records share in the release."""
        return int(self.keys.counts[self.small_classes].sum())

    @property
    def warnings(self) -> tuple[str, ...]:
        """What µ-Argus does not promise, with this file's numbers."""
        number = self.residual
        if not number:
            return ()
        whole = int(self.keys.counts[self.small_and_whole].sum())
        return (
            f"{number:,} records are still in classes smaller than {self.k} by their whole key, "
            f"{whole:,} of them without a suppressed cell: k is not enforced on the whole key",
            RATINGS,
        )

    def plan(self) -> Plan:
        """Return the steps: what the user generalised, then local suppression."""
        heights = dict(zip(self.keys.names, self.keys.heights, strict=True))
        steps: list[Step] = [
            Generalise(hierarchy, self.levels[name])
            for name, hierarchy in zip(self.keys.names, self.keys.hierarchies, strict=True)
            if self.levels[name]
        ]
        key = tuple(
            name
            for name in self.keys.names
            if self.identification[name] and self.levels[name] < heights[name]
        )
        if key:
            levels = tuple(self.identification[name] for name in key)
            known = {**self.options, "order": _kept(self.options["order"], key)}
            known["weights"] = {n: w for n, w in known["weights"].items() if n in key}
            known["without"] = tuple(c for c in known["without"] if set(c) <= set(key))
            steps.append(Argus(key, self.k, levels, **known))
        return Plan(tuple(steps))

    def plot(self) -> str:
        """Draw the suppressed cells of each variable, as SVG."""
        cells = self.cells_suppressed()
        return bars("Cells suppressed", list(cells), list(cells.values()))

    def sentence(self) -> str:
        """Say what was examined and what it took."""
        return (
            f"µ-Argus (k = {self.k}): {len(self.before.combinations)} combinations of "
            f"{self.keys.records:,} records examined, {sum(self.cells_suppressed().values()):,} "
            "cells suppressed"
        )

    def _row_tables(self) -> list[Table]:
        cells = self.cells_suppressed()
        return [
            Table(
                f"Cells suppressed at k = {self.k}, of {self.keys.records:,} records",
                ("variable", "identifying", "level", "cells suppressed"),
                [(n, self.identification[n], self.levels[n], cells[n]) for n in self.keys.names],
            ),
            Table(
                "Unsafe combinations before and after",
                ("", "bins", "records"),
                [
                    ("before", self.before.bins, self.before.records),
                    ("after", self.after.bins, self.after.records),
                ],
            ),
        ]


def argus(
    keys: Generalisable,
    *,
    k: ClassSize,
    identification: Mapping[str, int],
    combinations: Reading = "all",
    largest: int = 3,
    without: Sequence[Sequence[str]] = (),
    ties: str | Sequence[str] = "frequent",
    levels: Mapping[str, int] | None = None,
    recount: bool = True,
    weights: Mapping[str, float] | None = None,
) -> ArgusResult:
    """Suppress values until every examined combination of those that are left occurs k times.

    The approach of µ-Argus as Sweeney describes it (2001, section 6.3). Each combination of up
    to three identifying variables sorts the records into bins; a bin with fewer than k records
    is an *outlier*. First values that are rare by themselves go; then, record by record, the
    value that is in most of the record's outliers, until none of them is whole.

    All records and variables stay. A suppressed or missing value is in no bin: unlike elsewhere
    here, suppressed values need not occur k times. **k is not promised for the whole key**;
    `residual` counts the records for which it fails.

    Parameters
    ----------
    identification
        The level of variables: 0 not identifying (the default; never touched), 1 identifying,
        2 more, 3 most identifying.
    combinations, largest, without
        Which combinations are examined; see `combinations_examined`. The default examines most.
    ties
        Between values in equally many outliers: ``frequent``, the value most frequent in the
        file and then the leftmost; ``leftmost`` or ``rightmost`` in the key; or the variables in
        the order in which they are given up.
    levels
        The levels to which the user has generalised variables.
    recount
        Whether the bins are counted again in what is left, until no value need be suppressed
        any more. Otherwise they are counted once, in the file as it was; a value that was given
        up in one record then makes the bins of others smaller.
    weights
        A variable with weight 2 is given up where another is in half as many outliers.

    >>> from indistinct import open_data
    >>> people = {"race": list("bbbwwww"), "sex": list("mmmfmmm")}
    >>> with open_data(people) as data:
    ...     table = data.key_table(["race", "sex"])
    ...     keys = Generalisable.of(table, {n: suppression_only(people[n], name=n) for n in people})
    >>> argus(keys, k=2, identification={"race": 1, "sex": 2})
    µ-Argus (k = 2): 3 combinations of 7 records examined, 1 cells suppressed
      warning: 1 records are still in classes smaller than 2 by their whole key, 0 of them ...
      warning: different identification ratings give different results, and ...
      Cells suppressed at k = 2, of 7 records
        variable  identifying  level  cells suppressed
        race                1      0                 0
        sex                 2      0                 1
      Unsafe combinations before and after
                bins  records
        before     2        1
        after      0        0
    """
    check_key(keys.names, k)
    rated = check_identification(keys.names, identification)
    at = keys.check_levels(levels or {})
    excluded = [frozenset(keys.table.position(n) for n in names) for names in without]
    examined = combinations_examined(rated, reading=combinations, largest=largest, without=excluded)
    # what is generalised to the root tells nothing, and its cells are in no bin
    cells = Cells(keys, at)
    original = cells.codes >= 0
    before = cells.examine(examined, k)
    told_before = summary(keys.names, examined, k, before, keys.counts)
    rounds = suppress_outliers(
        cells,
        examined,
        k,
        flags=before.flags,
        names=keys.names,
        ties=ties,
        weights=weights or {},
        recount=recount,
    )
    after = cells.examine(examined, k) if not recount else None
    options = {
        "combinations": combinations,
        "largest": largest,
        "without": tuple(tuple(names) for names in without),
        "ties": ties if isinstance(ties, str) else "frequent",
        "order": () if isinstance(ties, str) else tuple(ties),
        "recount": recount,
        "weights": dict(weights or {}),
    }
    safe = replace(
        told_before,
        combinations=tuple(replace(c, bins=0, records=0) for c in told_before.combinations),
        records=0,
    )
    return ArgusResult(
        keys,
        k,
        dict(zip(keys.names, rated, strict=True)),
        dict(zip(keys.names, at, strict=True)),
        told_before,
        summary(keys.names, examined, k, after, keys.counts) if after else safe,
        (original & (cells.codes < 0)).T,
        rounds,
        options,
    )


def _kept(order: Sequence[str], key: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in order if name in key)


@dataclass(frozen=True)
class Argus(RecodingStep, kind="argus"):
    """Suppress single values by `argus`, on columns as they are; a suppressed cell is empty.

    Generalising comes before, in steps of its own. The step's fields hold no value of the
    records. The receipt's residual counts the records whose whole key fewer than k share; its
    private part is the recoding, and `decide` gives the result with the classes that are small.

    Parameters
    ----------
    key, k
        The identifying variables, and the smallest bin that is safe.
    identification
        The level of each of them.
    combinations, largest, without, ties, recount, weights
        See `argus`.
    order
        The variables in the order in which they are given up; goes before `ties`.
    """

    truthful = True

    key: tuple[str, ...]
    k: int
    identification: tuple[int, ...]
    combinations: Reading = "all"
    largest: int = 3
    without: tuple[tuple[str, ...], ...] = ()
    ties: str = "frequent"
    order: tuple[str, ...] = ()
    recount: bool = True
    weights: Mapping[str, float] = field(default_factory=dict)

    draws_at_random = False
    blanks = True

    def __post_init__(self) -> None:
        """Refuse a wrong key, k or identification."""
        check_key(self.key, self.k)
        if len(self.identification) != len(self.key):
            raise InputError("There must be one identification level for each key variable.")
        rated = check_identification(self.key, self._rated)
        combinations_examined(rated, reading=self.combinations, largest=self.largest)
        tie_ranks(self.key, self.order or self.ties)
        variable_weights(self.key, self.weights)
        for name in (name for names in self.without for name in names):
            if name not in self.key:
                raise InputError(f"'{name}' is not in the key. {did_you_mean(name, self.key)}")

    @property
    def _rated(self) -> dict[str, int]:
        return dict(zip(self.key, self.identification, strict=True))

    def describe(self) -> str:
        """Say what is done."""
        rated = ", ".join(f"{name} ({level})" for name, level in self._rated.items())
        return (
            f"suppress values until every combination of up to {self.largest} of {rated} "
            f"occurs {self.k} times (µ-Argus)"
        )

    def decide(self, keys: Generalisable) -> ArgusResult:
        """Return what is suppressed."""
        return argus(
            keys,
            k=self.k,
            identification=self._rated,
            combinations=self.combinations,
            largest=self.largest,
            without=self.without,
            ties=self.order or self.ties,
            recount=self.recount,
            weights=self.weights,
        )

    def recoding(self, keys: Generalisable) -> Recoding:
        """Decide which cells climb to the root."""
        return self.decide(keys).recoding

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Count, decide, and suppress."""
        tally = engine.count(source, self.key)
        table = KeyTable.from_tally(tally)
        hierarchies = {
            name: suppression_only(
                [*coding.decode(np.unique(table.codes[:, j])), SUPPRESSED], name=name
            )
            for j, (name, coding) in enumerate(zip(self.key, table.coding.variables, strict=True))
        }
        result = self.decide(Generalisable.of(table, hierarchies))
        changed = apply_recoding(engine, source, tally, result.recoding, blank=True)
        receipt = recoding_receipt(self.kind, result.recoding, k=self.k, private=result.recoding)
        return changed, replace(
            receipt,
            residual=result.residual,
            notes=(f"{len(result.before.combinations)} combinations were examined",),
            warnings=result.warnings,
        )


# Giving up values until no outlier is whole ------------------------------------------------------


def suppress_outliers(
    cells: Cells,
    combinations: Sequence[tuple[int, ...]],
    k: int,
    *,
    flags: Words,
    names: Sequence[str],
    ties: str | Sequence[str],
    weights: Mapping[str, float],
    recount: bool,
) -> int:
    """Suppress cells in place, and return how often the bins were counted."""
    with_variable = np.zeros((len(names), flags.shape[1]), dtype=np.uint64)
    for c, combination in enumerate(combinations):
        for j in combination:
            with_variable[j, c >> 6] |= np.uint64(1 << (c & 63))
    alone = np.zeros_like(with_variable)
    for c, combination in enumerate(combinations):
        if len(combination) == 1:
            alone[combination[0], c >> 6] |= np.uint64(1 << (c & 63))
    frequencies, starts = cells.frequencies()
    ranks = tie_ranks(names, ties)
    if ties != "frequent":
        frequencies[:] = 0
    heaviness = variable_weights(names, weights)
    rounds = 1
    while True:
        touched = np.zeros(len(names), dtype=bool)
        # a value that is rare by itself must go whatever else goes
        for j in range(len(names)):
            rare = (flags & alone[j]).any(axis=1)
            if rare.any():
                cells.codes[j, rare] = -1
                flags[rare] &= ~with_variable[j]
                touched[j] = True
        suppress_cells(
            cells.codes, flags, with_variable, heaviness, frequencies, starts, ranks, touched
        )
        if not recount or not touched.any():
            return rounds
        # bins of combinations that lost no cell are as they were, and all of them safe
        only = [bool(touched[list(combination)].any()) for combination in combinations]
        flags = cells.examine(combinations, k, only=only).flags
        rounds += 1


def tie_ranks(names: Sequence[str], ties: str | Sequence[str]) -> Ints:
    """Return the rank of each variable between values that are otherwise equal; 0 goes first."""
    order = np.arange(len(names))
    if ties in ("frequent", "leftmost"):
        return order
    if ties == "rightmost":
        return order[::-1].copy()
    if isinstance(ties, str):
        known = ["frequent", "leftmost", "rightmost"]
        raise InputError(
            f"ties must be frequent, leftmost, rightmost or a list of variables. Got '{ties}'. "
            f"{did_you_mean(ties, known)}"
        )
    for name in ties:
        if name not in names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, names)}")
    first = [names.index(name) for name in dict.fromkeys(ties)]
    ranked = first + [j for j in range(len(names)) if j not in first]
    return np.argsort(ranked)


def variable_weights(names: Sequence[str], weights: Mapping[str, float]) -> Floats:
    """Return the weight of each variable, 1 where none is given."""
    for name, weight in weights.items():
        if name not in names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, names)}")
        check_number(f"The weight of '{name}'", weight, above(0))
    return np.array([float(weights.get(name, 1.0)) for name in names])
