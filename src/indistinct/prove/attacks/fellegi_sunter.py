"""Probabilistic record linkage: who is who in two files that do not quite agree.

After I. P. Fellegi and A. B. Sunter (1969), "A theory for record linkage", *Journal of the
American Statistical Association* 64, 1183–1210. As an attack: an intruder with a register links a
released file to it although names are misspelt, dates mistaken and addresses old.

Nothing needs to be known of the truth. Attributes are compared by levels (`comparisons`), pairs
come from blocks (`blocking`), probabilities of levels from EM (`fs_model`); equal rare values weigh
more than equal common ones (Winkler 2000); what is left is a probability for every pair, from
which follows how many of the links chosen are expected to be right.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.core import (
    Array,
    Floats,
    InputError,
    Seed,
    SmallInts,
    above,
    check_number,
    progress,
)
from indistinct.prove.attacks.blocking import Blocking, Rule, choose_rules
from indistinct.prove.attacks.comparisons import Attribute, Kind, attributes_of
from indistinct.prove.attacks.fs_choosing import (
    chosen_one_to_one,
    least_probability,
    shared_probability,
)
from indistinct.prove.attacks.fs_model import LinkageModel, Patterns, fit_model, random_levels
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = [
    "LinkageQuality",
    "ProbabilisticLinks",
    "evaluate",
    "link_probabilistically",
    "told_by_others",
]


# Attributes that tell each other: an equal area tells an equal county, a birth date the age.
#
# Levels are multiplied as if attributes were independent. Where one value follows from another, the
# second is no further evidence, and counting it would make pairs look truer than they are.


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


_TRAINING_PAIRS = 4_000_000
_LEAST_ODDS = 1e-3


@result
class ProbabilisticLinks(Result):
    """Pairs of records taken for the same person, the likeliest first.

    Parameters
    ----------
    left, right
        Record numbers, from 0.
    weight
        log₂ of the ratio of the pair's pattern among true pairs and among others.
    probability
        That the pair is true; given that a record has one partner at most, if `one_to_one`.
    expected_precision
        The mean of the probabilities: the share of the links expected to be right.
    expected_links
        How many true pairs there are, by the model.
    threshold
        The probability from which pairs were taken.
    """

    left: SmallInts = field(repr=False)
    right: SmallInts = field(repr=False)
    weight: Floats = field(repr=False)
    probability: Floats = field(repr=False)
    expected_precision: float
    expected_links: float
    threshold: float
    one_to_one: bool
    pairs_compared: int
    records: tuple[int, int]
    model: LinkageModel = field(repr=False)
    blocking: Blocking = field(repr=False)

    FACTS = facts(
        Fact("links", lambda found: len(found)),
        "records expected_precision expected_links threshold one_to_one pairs_compared",
        Fact("blocking", "blocking.rules"),
        Fact("pairs_left_out", "blocking.skipped"),
        "model",
    )

    def __len__(self) -> int:
        return len(self.left)

    def _lines(self) -> list[str]:
        kinds = ", ".join(f"{a.name} ({a.kind})" for a in self.model.attributes)
        left, right = self.records
        doubt = (
            ["  doubtful: the likeliest pairs agree on too little; perhaps nobody is in both files"]
            if self.model.doubtful
            else []
        )
        return [
            f"{len(self):,} links of {left:,} with {right:,} records by {kinds}",
            f"  expected to be right        {self.expected_precision:8.2%}",
            f"  true pairs by the model     {self.expected_links:8,.0f}",
            *doubt,
            f"  taken from probability      {self.threshold:8.3f}",
            f"  pairs compared              {self.pairs_compared:8,}, which meet in",
            *(f"    {line}" for line in repr(self.blocking).splitlines()),
        ]

    def plot(self) -> str:
        """Draw the links by their probability, as SVG."""
        counted, edges = np.histogram(self.probability, bins=10, range=(0, 1))
        return bars(
            "Links by the probability that they are right",
            [f"{low:.1f}–{high:.1f}" for low, high in itertools.pairwise(edges)],
            counted.tolist(),
        )

    def _tables(self) -> list[Table]:
        facts = {
            "links": len(self),
            "records": self.records[0],
            "register": self.records[1],
            "expected to be right": self.expected_precision,
            "true pairs by the model": self.expected_links,
            "taken from probability": self.threshold,
            "pairs compared": self.pairs_compared,
        }
        formats = {"expected to be right": ".2%"}
        tables = [Table.facts("Links by probability", facts, formats=formats)]
        return tables + list(self.model._tables())


@result(eq=True)
class LinkageQuality(Result):
    """Links held against the truth."""

    links: int
    right: int
    there: int

    FACTS = facts(
        Fact("links", shown="links"),
        Fact("right", shown="right"),
        Fact("there", shown="there"),
        Fact("recall", shown="recall", form=".2%"),
        Fact("precision", shown="precision", form=".2%"),
    )

    @property
    def recall(self) -> float:
        """The share of the links that are there that were found."""
        return self.right / self.there if self.there else 0.0

    @property
    def precision(self) -> float:
        """The share of the links found that are right."""
        return self.right / self.links if self.links else 0.0

    def sentence(self) -> str:
        """Say how many links are right."""
        return "Links held against the truth"


def link_probabilistically(
    left: pa.Table,
    right: pa.Table,
    attributes: Mapping[str, Kind] | Sequence[str],
    *,
    blocking: Sequence[Rule | str] | None = None,
    threshold: float | None = None,
    precision: float = 0.95,
    one_to_one: bool = True,
    seed: Seed = 1,
) -> ProbabilisticLinks:
    """Link the records of two files that belong to the same person, as far as it can be told.

    Parameters
    ----------
    attributes
        What both tables have, by the same names; with kinds, or with names only and kinds chosen
        from names and content.
    blocking
        Sets of attributes or views (``("surname:sound", "birth:year")``) on which records must
        agree to be compared; chosen by themselves by default.
    threshold
        The probability from which a pair is a link. By default the least, from 0.5, at which the
        share of links expected to be right is at least `precision`.
    one_to_one
        Whether a record has one partner at most; the likeliest pairs are taken first.
    seed
        For the random pairs and the records from which the model is estimated.

    >>> from indistinct.census import census_table
    >>> known = ["given_name", "surname", "date_of_birth", "area"]
    >>> people = census_table(3_000, seed=1).select(known)
    >>> links = link_probabilistically(people.slice(0, 2_000), people.slice(1_000), known)
    >>> evaluate(links, range(2_000), range(1_000, 3_000))
    Links held against the truth
      links        1,000
      right        1,000
      there        1,000
      recall     100.00%
      precision  100.00%
    """
    _check(left, right, threshold, precision)
    known = attributes_of(left, right, attributes)
    plan = choose_rules(known, rules=blocking)
    rng = np.random.default_rng(seed)
    told = told_by_others(known)
    model = _trained(known, plan, told, rng)
    found = _Pairs(known, told, model)
    pairs = progress.each(
        plan.pairs(), "comparing pairs", unit="pairs", amount=lambda pair: len(pair[0])
    )
    for some_left, some_right in pairs:
        found.add(some_left, some_right)
    a, b, weight, odds = found.all()
    if one_to_one:
        probability = shared_probability(a, b, odds)
        kept = chosen_one_to_one(a, b, probability, weight)
    else:
        probability = odds / (1 + odds)
        kept = np.lexsort((b, a, -weight, -probability))
    a, b, weight, probability = a[kept], b[kept], weight[kept], probability[kept]
    least = least_probability(probability, precision) if threshold is None else threshold
    taken = probability >= least
    a, b, weight, probability = a[taken], b[taken], weight[taken], probability[taken]
    return ProbabilisticLinks(
        a,
        b,
        weight,
        probability,
        float(probability.mean()) if len(probability) else 0.0,
        model.true_share * len(left) * len(right),
        float(least),
        one_to_one,
        found.compared,
        (len(left), len(right)),
        model,
        plan,
    )


def evaluate(
    links: ProbabilisticLinks, truth_left: Sequence[Any], truth_right: Sequence[Any]
) -> LinkageQuality:
    """Hold links against true identities, one for each record of either file.

    The links that are there: the pairs with the same identity; where links are one to one, as
    many of a person's as can be linked so.
    """
    sides = [pa.array(list(side)) for side in (truth_left, truth_right)]
    for side, n in zip(sides, links.records, strict=True):
        if len(side) != n:
            raise InputError(f"There must be one true identity for each of {n:,} records.")
    both = pa.chunked_array(sides).combine_chunks()
    both = both if isinstance(both, pa.Array) else pa.concat_arrays(both.chunks)
    codes = both.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    a, b = codes[: links.records[0]], codes[links.records[0] :]
    size = int(codes.max(initial=-1)) + 1
    counts = np.bincount(a, minlength=size), np.bincount(b, minlength=size)
    there = np.minimum(*counts) if links.one_to_one else counts[0] * counts[1]
    right = int((a[links.left] == b[links.right]).sum())
    return LinkageQuality(len(links), right, int(there.sum()))


def _check(left: pa.Table, right: pa.Table, threshold: float | None, precision: float) -> None:
    for side, table in (("left", left), ("right", right)):
        if not len(table):
            raise InputError(f"The {side} table has no records to link.")
    for name, share in (("threshold", threshold), ("precision", precision)):
        if share is not None:
            check_number(name, share, above(0, 1))


def _levels(
    known: Sequence[Attribute],
    told: Sequence[tuple[str, ...]],
    left: SmallInts,
    right: SmallInts,
) -> list[NDArray[np.int8]]:
    """Compare pairs on all attributes; what another equal attribute tells is no evidence."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        compared = threads.map(lambda a: a.compare(left, right), known)
        found = {a.name: level for a, level in zip(known, compared, strict=True)}
    top = {a.name: len(a.levels) - 1 for a in known}
    levels = []
    for attribute, others in zip(known, told, strict=True):
        level = found[attribute.name]
        for other in others:
            level = np.where(found[other] == top[other], np.int8(-1), level)
        levels.append(level)
    return levels


def _trained(
    known: Sequence[Attribute],
    plan: Blocking,
    told: Sequence[tuple[str, ...]],
    rng: np.random.Generator,
) -> LinkageModel:
    """Estimate the model from the pairs of all left records, or of as many as will do."""
    records = len(known[0].left)
    only, used = None, max(min(records, 1000), records * _TRAINING_PAIRS // max(1, plan.most_pairs))
    if used < records:
        only = np.zeros(records, dtype=bool)
        only[rng.permutation(records)[:used]] = True
    used = min(used, records)
    random = random_levels(known, rng)
    rare = [np.log(a.frequencies() / shares[-1]) for a, shares in zip(known, random, strict=True)]
    patterns = Patterns([len(a.levels) for a in known])
    for left, right in plan.pairs(only):
        if len(left):
            levels = _levels(known, told, left, right)
            patterns.add(left, right, levels, _rarity(known, rare, levels, left, right))
    return fit_model(known, patterns, random, records=(used, len(known[0].right)), told_by=told)


def _rarity(
    known: Sequence[Attribute],
    rare: Sequence[Floats],
    levels: Sequence[NDArray[np.int8]],
    left: SmallInts,
    right: SmallInts,
) -> Floats:
    """Return how much rarer than usual the equal values of pairs are: at random, and among kin.

    Kin have a rare surname or street in common as easily as a common one, so names and texts
    say nothing there.
    """
    found = np.zeros((2, len(left)))
    for attribute, table, level in zip(known, rare, levels, strict=True):
        code = attribute.left[left]
        equal = (level == len(attribute.levels) - 1) & (code == attribute.right[right])
        extra = np.where(equal, table[code], 0.0)
        found[0] += extra
        if attribute.kind not in ("name", "text"):
            found[1] += extra
    return found


class _Pairs:
    """Pairs that may be true, with their weights, collected chunk by chunk."""

    def __init__(
        self, known: Sequence[Attribute], told: Sequence[tuple[str, ...]], model: LinkageModel
    ) -> None:
        self.known, self.told, self.model = known, told, model
        self.compared = 0
        self.kept: list[tuple[Array, ...]] = []
        # the first entry is for a level of -1: missing, no evidence
        self.tables = [
            tuple(np.log2(np.array([1.0, *shares])) for shares in (a.m, a.u, a.kin))
            for a in model.attributes
        ]
        self.rare = [
            np.log(a.frequencies() / p.u[-1]) for a, p in zip(known, model.attributes, strict=True)
        ]
        share = model.true_share + model.kin_share
        self.prior = np.log2([model.true_share, max(1 - share, 0.5), model.kin_share])

    def add(self, left: SmallInts, right: SmallInts) -> None:
        """Weigh a chunk of pairs and keep those that may be true."""
        self.compared += len(left)
        if not len(left):
            return
        m, u, kin = (np.zeros(len(left)) for _ in range(3))
        levels = _levels(self.known, self.told, left, right)
        for level, tables in zip(levels, self.tables, strict=True):
            m += tables[0][level + 1]
            u += tables[1][level + 1]
            kin += tables[2][level + 1]
        extra = _rarity(self.known, self.rare, levels, left, right) / np.log(2)
        u, kin = u + extra[0], kin + extra[1]
        others = np.logaddexp2(self.prior[1] + u, self.prior[2] + kin)
        odds = np.exp2(np.minimum(self.prior[0] + m - others, 500.0))
        likely = odds >= _LEAST_ODDS
        weight = m - (others - np.logaddexp2(self.prior[1], self.prior[2]))
        self.kept.append((left[likely], right[likely], weight[likely], odds[likely]))

    def all(self) -> tuple[Array, Array, Array, Array]:
        """Return left, right, weight and odds of the pairs kept."""
        if not self.kept:
            none = np.empty(0, dtype=np.int32)
            return none, none, np.empty(0), np.empty(0)
        a, b, weight, odds = (np.concatenate(column) for column in zip(*self.kept, strict=True))
        return a, b, weight, odds
