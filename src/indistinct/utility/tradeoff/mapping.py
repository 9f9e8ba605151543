"""Apply every candidate to a copy of the records, and measure all of them alike."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np
import pyarrow as pa

from indistinct.core import (
    Floats,
    GuaranteeError,
    InputError,
    Ints,
    Seed,
    Variable,
    Variables,
    did_you_mean,
    progress,
)
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.keys import Uniques, group_rows, read_coded, uniques
from indistinct.protect import Plan, decide
from indistinct.prove import linking_totals
from indistinct.prove.changes import link_own
from indistinct.utility.analyses import compare_propensity
from indistinct.utility.tradeoff.candidates import Candidate
from indistinct.utility.tradeoff.labelled import (
    Labelled,
    Original,
    draw_values,
    read_labelled,
    read_original,
)
from indistinct.utility.tradeoff.points import (
    MapPoint,
    Refused,
    RiskMeasure,
    RiskUtilityMap,
    UtilityMeasure,
    place_points,
)

__all__ = ["TARGETS", "Finds", "Tables", "intruder_finds", "propensity_utility", "risk_utility_map"]


# How far the released file's two-way tables are from the original's.


@dataclass(eq=False)
class Tables:
    """The original's tables of all pairs of some variables, counted when first asked for."""

    original: Original
    names: Sequence[str]
    _known: dict[tuple[str, str], Floats] = field(default_factory=dict)

    def closeness(self, columns: Sequence[Labelled]) -> tuple[float, float]:
        """Return what is kept of the tables, and the K-marginal score.

        Kept is 1 − mean total variation ½ Σ |p − q|, with labels dealt out equally over the
        values that they stand for. The K-marginal score is 1000 times the same with every label
        that is no value as a category of its own, as NIST's SDNist counts.
        """
        apart, strict, pairs = 0.0, 0.0, 0
        for a, b in itertools.combinations(columns, 2):
            p = self._table(a, b)
            counted = _counted(
                (a.category[a.released], b.category[b.released]), (len(a.spread), len(b.spread))
            )
            dealt = counted
            if len(a.spread) > a.size or len(b.spread) > b.size:
                dealt = a.spread.T @ counted @ b.spread
            inside = counted[: a.size, : b.size]
            # what is dealt out to no value, or is no value, is missing from the tables
            apart += float(np.abs(p - dealt).sum()) + 1 - float(dealt.sum())
            strict += float(np.abs(p - inside).sum()) + 1 - float(inside.sum())
            pairs += 1
        return 1 - apart / 2 / pairs, 1000 * (1 - strict / 2 / pairs)

    def _table(self, a: Labelled, b: Labelled) -> Floats:
        at = (a.name, b.name)
        if at not in self._known:
            codes = a.bins[a.original], b.bins[b.original]
            self._known[at] = _counted(codes, (a.size, b.size))
        return self._known[at]


def _counted(codes: tuple[Ints, Ints], sizes: tuple[int, int]) -> Floats:
    cells = np.bincount(codes[0] * sizes[1] + codes[1], minlength=sizes[0] * sizes[1])
    shares: Floats = cells.reshape(sizes) / max(1, len(codes[0]))
    return shares


def propensity_utility(
    engine: Engine,
    original: Original,
    released: Source,
    columns: Sequence[Labelled],
    *,
    seed: int,
) -> float:
    """Return 1 − pMSE / (c(1 − c)): 1 where no model of main effects tells the files apart."""
    drawn = draw_values(engine, original, released, columns, seed=seed)
    names = [column.name for column in columns if column.name in drawn.variables]
    levels = {name: original.coded[name].level for name in names}
    coded = read_coded(original.source, drawn, variables=names, levels=levels)
    found = compare_propensity(coded, seed=seed)
    c = found.records[1] / sum(found.records)
    return 1 - found.pmse / (c * (1 - c))


# What an intruder finds who knows everybody's true key, whatever was done to the file.


TARGETS = 100_000
"""So many keys, at most, are looked for where labels stand for several values; more are sampled."""


@dataclass(frozen=True)
class Finds:
    """What the intruder finds.

    Parameters
    ----------
    expected
        The share of the original records that he is expected to get right: Σ 1/F over the records
        whose own released record agrees with their true key, F being all released records that do.
    uniques
        Records that are alone with their key in the original.
    unchanged
        The share of these whose own released record has the same values.
    present
        The share of these whose values some released record has, whoever's it is.
    changed, cells
        The share of records with a changed cell in the key (or left out), and of changed cells.
    """

    expected: float
    uniques: int
    unchanged: float
    present: float
    changed: float
    cells: float


def intruder_finds(key: Sequence[Labelled], partner: Ints, *, seed: int = 0) -> Finds:
    """Let an intruder look for every original record's true key among the released ones.

    A released record agrees with a key when each label may stand for the key's value. With exact
    labels that is equality, and 1/F is the chance of `indistinct.prove.changes.exact_matches`.

    Parameters
    ----------
    key
        The variables that the intruder knows.
    partner
        The released record of every original one; -1 where it was left out.
    """
    true = np.stack([column.original for column in key], axis=1)
    kept = np.flatnonzero(partner >= 0)
    theirs = partner[kept]
    agrees = np.ones(len(kept), dtype=bool)
    same = np.zeros((len(kept), len(key)), dtype=bool)
    for j, column in enumerate(key):
        own = column.original[kept]
        label = column.released[theirs]
        same[:, j] = column.equal[label] == own
        agrees &= same[:, j] if column.exact else column.cover.meets(label, own)
    values = np.stack([column.equal[column.released] for column in key], axis=1)
    readable = np.flatnonzero((values >= 0).all(axis=1))
    row = group_rows(np.concatenate([true, values[readable]]))
    classes = int(row.max(initial=-1)) + 1
    person, written = row[: len(true)], row[len(true) :]
    before, after = (np.bincount(rows, minlength=classes) for rows in (person, written))
    mine = kept[agrees]
    if all(column.exact for column in key):
        right = np.bincount(person[mine], minlength=classes)
        expected = float((right / np.maximum(1, after)).sum())
    else:
        expected = _among_labels(key, true, person, mine, seed)
    alone = before[person] == 1
    uniques = int(alone.sum())
    unchanged = int((same.all(axis=1) & alone[kept]).sum())
    present = int((after[person[alone]] > 0).sum())
    records, cells = max(1, len(true)), max(1, true.size)
    return Finds(
        expected / records,
        uniques,
        unchanged / max(1, uniques),
        present / max(1, uniques),
        1 - int(same.all(axis=1).sum()) / records,
        1 - int(same.sum()) / cells,
    )


def _among_labels(
    key: Sequence[Labelled], true: Ints, person: Ints, mine: Ints, seed: int
) -> float:
    """Add up 1/F over records whose own agrees, F counted among labels of every kind."""
    looked_for, first, people = np.unique(person[mine], return_index=True, return_counts=True)
    if len(looked_for) > TARGETS:
        drawn = np.random.default_rng(seed).choice(len(looked_for), TARGETS, replace=False)
        scale = len(looked_for) / TARGETS
        first, people = first[drawn], people[drawn]
    else:
        scale = 1.0
    labels = np.stack([column.released for column in key], axis=1)
    row = group_rows(labels)
    kinds = np.empty((int(row.max(initial=-1)) + 1, len(key)), dtype=np.int64)
    kinds[row] = labels
    counts = np.bincount(row)
    among = linking_totals(
        kinds, true[mine[first]], [column.cover for column in key], counts[:, None]
    )[:, 0]
    return float((people / np.maximum(1, among)).sum()) * scale


MOST_CATEGORIES = 1_000
"""Variables with more categories are left out of the tables unless they are named."""

_NUMBER = "record number of the risk-utility map"


def risk_utility_map(
    engine: Engine,
    source: Source,
    candidates: Sequence[Candidate],
    *,
    key: Sequence[str],
    seed: Seed,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    utility: UtilityMeasure = "pairs",
    risk: RiskMeasure = "exact",
    features: Sequence[str] | None = None,
    max_risk: float | None = None,
) -> RiskUtilityMap:
    """Apply each candidate to a copy, and measure risk and utility the same way for all.

    Parameters
    ----------
    candidates
        What to try; `standard_candidates` makes a grid.
    key
        The variables whose true values the intruder knows, of everybody.
    seed
        For whatever draws at random.
    hierarchies
        What generalised labels stand for, by variable; also for the methods that climb them.
    utility, risk
        What the axes measure.
    features
        The variables of the two-way tables. By default all but identifiers, weights, household
        numbers and those with more than a thousand categories.
    max_risk
        The largest risk that the proposed candidate may have.

    A candidate that refuses, or whose input is wrong, is listed with its reason.

    >>> import indistinct, pyarrow as pa
    >>> from indistinct.protect import Plan, Pram
    >>> people = pa.table({"sex": ["m", "f"] * 50, "town": ["a", "b", "c", "a", "a"] * 20})
    >>> with indistinct.open_data(people) as data:
    ...     found = risk_utility_map(
    ...         data.engine, data.source, key=["sex", "town"], seed=1, candidates=[
    ...             Candidate("original", Plan(())),
    ...             Candidate("PRAM", Plan((Pram(("sex", "town"), keep=0.5),)))])
    >>> found["original"].risk, found["original"].utility
    (0.06, 1.0)
    >>> found["PRAM"].risk < 0.06, found["PRAM"].dominated
    (True, False)
    """
    _check(source, candidates, key, utility, risk, max_risk)
    names, notes = _features(source, features)
    original = read_original(source, list(dict.fromkeys([*key, *names])))
    if features is None:
        wide = [name for name in names if original.categories(name) > MOST_CATEGORIES]
        notes += [f"{name} is left out of the tables: too many categories." for name in wide]
        names = [name for name in names if name not in wide]
    if len(names) < 2:
        raise InputError("Two-way tables need two variables at least. Name features.")
    counted = uniques(engine, source, key, k=2)
    trial = _Trial(
        engine,
        original,
        _numbered(engine, source),
        counted,
        tuple(key),
        Tables(original, names),
        dict(hierarchies or {}),
        utility,
        risk,
        seed,
    )
    points, refused = [], []
    for candidate in progress.each(candidates, "trying candidates", unit="candidates"):
        try:
            points.append(trial.of(candidate))
        except (GuaranteeError, InputError) as error:
            refused.append(Refused(candidate.name, str(error)))
    return RiskUtilityMap(
        tuple(key),
        tuple(names),
        source.records,
        counted.unique,
        risk,
        utility,
        place_points(points, max_risk=max_risk),
        tuple(refused),
        max_risk,
        tuple(notes),
    )


@dataclass(frozen=True, eq=False)
class _Trial:
    """What every candidate is tried and measured by."""

    engine: Engine
    original: Original
    numbered: Source
    counted: Uniques
    key: tuple[str, ...]
    tables: Tables
    hierarchies: Mapping[str, Hierarchy]
    utility: UtilityMeasure
    risk: RiskMeasure
    seed: int

    def of(self, candidate: Candidate) -> MapPoint:
        """Apply a candidate and measure it."""
        began = time.perf_counter()
        released = self._plan(candidate).apply(self.engine, self.numbered, seed=self.seed).source
        seconds = time.perf_counter() - began
        if not released.records:
            raise InputError("No record is left.")
        partner = _partner(self.original.records, released)
        every = dict.fromkeys([*self.key, *self.tables.names])
        columns = {
            column.name: column
            for column in read_labelled(
                self.original, released, list(every), hierarchies=self.hierarchies
            )
        }
        key = [columns[name] for name in self.key]
        shown = [columns[name] for name in self.tables.names]
        finds = intruder_finds(key, partner, seed=self.seed)
        pairs, score = self.tables.closeness(shown)
        return MapPoint(
            candidate.name,
            candidate.told,
            self._risk(finds, released, key),
            self._utility(pairs, score, released, shown),
            finds.expected,
            finds.unchanged,
            finds.present,
            pairs,
            score,
            finds.changed,
            finds.cells,
            released.records,
            seconds,
        )

    def _plan(self, candidate: Candidate) -> Plan:
        if candidate.plan is not None:
            return candidate.plan
        assert candidate.method is not None
        assert candidate.request is not None
        lacking = [name for name in self.key if name not in self.hierarchies]
        if lacking and candidate.method not in ("suppress", "argus"):
            raise InputError(f"'{lacking[0]}' has no hierarchy for '{candidate.method}' to climb.")
        return decide(self.counted, candidate.method, self.hierarchies, candidate.request).plan

    def _risk(self, finds: Finds, released: Source, key: Sequence[Labelled]) -> float:
        if self.risk == "exact":
            return finds.expected
        if self.risk == "uniques":
            return finds.unchanged
        drawn = draw_values(self.engine, self.original, released, key, seed=self.seed)
        names = [name for name in self.key if name in drawn.variables]
        linked = link_own(
            self.engine, self.numbered, drawn, names, match=_NUMBER, seed=self.seed
        ).share
        return max(linked, finds.expected)

    def _utility(
        self, pairs: float, score: float, released: Source, shown: Sequence[Labelled]
    ) -> float:
        if self.utility == "pairs":
            return pairs
        if self.utility == "k-marginal":
            return score / 1000
        return propensity_utility(self.engine, self.original, released, shown, seed=self.seed)


def _check(
    source: Source,
    candidates: Sequence[Candidate],
    key: Sequence[str],
    utility: str,
    risk: str,
    max_risk: float | None,
) -> None:
    if not key:
        raise InputError("Name at least one variable that the intruder knows.")
    source.check_columns(key)
    if not candidates:
        raise InputError("Give at least one candidate; standard_candidates makes a grid.")
    names = [candidate.name for candidate in candidates]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"Two candidates are called '{twice[0]}'. Give each its own name.")
    for word, given, known in (
        ("utility", utility, get_args(UtilityMeasure)),
        ("risk", risk, get_args(RiskMeasure)),
    ):
        if given not in known:
            raise InputError(
                f"The {word} must be one of {', '.join(known)}. Got '{given}'. "
                f"{did_you_mean(given, known)}"
            )
    if max_risk is not None and not 0 <= max_risk <= 1:
        raise InputError(f"The largest risk must be from 0 to 1. Got {max_risk}.")


def _features(source: Source, features: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Return the variables of the tables, and what was left out."""
    if features is not None:
        source.check_columns(features)
        return list(dict.fromkeys(features)), []
    coded = read_coded(source, source)
    return coded.names, list(coded.notes)


def _numbered(engine: Engine, source: Source) -> Source:
    """Return the records with their numbers, by which a released record is known to be whose."""
    if _NUMBER in source.variables:
        raise InputError(f"{source.origin} has a column called '{_NUMBER}'. Rename it.")
    entry = pa.field(_NUMBER, pa.int64())

    def change(batch: pa.RecordBatch, numbers: Ints) -> pa.RecordBatch:
        return batch.append_column(entry, pa.array(numbers))

    variables = Variables([*source.variables.values(), Variable(_NUMBER, role="identifier")])
    return engine.transform(source, change, schema=source.schema.append(entry), variables=variables)


def _partner(records: int, released: Source) -> Ints:
    """Return the released record of every original one; -1 where it was left out."""
    if _NUMBER not in released.variables:
        if released.records == records:
            return np.arange(records)
        raise InputError(
            "The plan leaves out records and all columns that say which. Put such steps last."
        )
    column = released.table([_NUMBER]).column(0)
    numbers = column.fill_null(-1).to_numpy().astype(np.int64)
    partner = np.full(records, -1, dtype=np.int64)
    mine = np.flatnonzero(numbers >= 0)
    partner[numbers[mine]] = mine
    return partner
