"""How likely each level of agreement is among true pairs and among others, without any truth.

Fellegi and Sunter (1969) weigh a pair by the ratio of two probabilities of its pattern of
agreement γ, m(γ) if it is a true pair and u(γ) if not. Attributes are taken as independent within
a class of pairs. Members of a family break that: they are not the same person and yet agree on
surname and address. So there are three classes, as in Winkler's and in Larsen and Rubin's (2001)
work: true pairs (m), random pairs (u) and *kin* (c), pairs that agree on much without being true:

    odds = π_m m(γ) / (π_u u(γ) + π_c c(γ)),    m(γ) = ∏ m_a(γ_a), and so on.

u comes from random pairs (equal values: from the files' frequencies), less the true pairs among
them; m, c and the sizes π by EM over the pairs that meet in a block. The chance that a pair is
true is its odds over 1 + the odds of all pairs with one of its records, which have one partner at
most: people with much in common (children without work or income) are not taken for one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indistinct.core import Array, Floats, Ints, SmallInts
from indistinct.prove.attacks.comparisons import Attribute, Kind
from indistinct.prove.attacks.fs_choosing import sums_and_best
from indistinct.results import Fact, Result, Table, facts, result

__all__ = ["LinkageModel", "Patterns", "fit_model", "random_levels"]


_STEPS, _STILL = 300, 1e-5
_LEAST = 1e-7


@dataclass(frozen=True)
class LevelProbabilities:
    """The probabilities of one attribute's levels, from the weakest, in the three classes."""

    name: str
    kind: Kind
    levels: tuple[str, ...]
    m: tuple[float, ...]
    u: tuple[float, ...]
    kin: tuple[float, ...]
    told_by: tuple[str, ...] = ()

    @property
    def agreement(self) -> float:
        """The share of true pairs at levels that they reach more often than random pairs do."""
        return sum(m for m, u in self.shares if m > max(0.01, 1.5 * u))

    @property
    def information(self) -> float:
        """−log₂ of the chance that a random pair reaches the best level that any pair does."""
        return float(-np.log2([u for m, u in self.shares if m > 0.01 or u > 1e-5][-1]))

    @property
    def shares(self) -> tuple[tuple[float, float], ...]:
        """m and u of every level."""
        return tuple(zip(self.m, self.u, strict=True))

    @property
    def weights(self) -> tuple[float, ...]:
        """log₂ m/u of every level."""
        return tuple(float(np.log2(m / u)) for m, u in self.shares)


@result
class LinkageModel(Result):
    """What was estimated: level probabilities of every attribute, and how many pairs are true.

    An attribute that another tells (the county, given the area) counts only where that other
    does not agree.
    """

    attributes: tuple[LevelProbabilities, ...]
    true_share: float
    kin_share: float

    FACTS = facts(
        "true_share kin_share agreement doubtful",
        Fact(
            "attributes",
            lambda found: {
                a.name: {
                    "kind": a.kind,
                    "told_by": list(a.told_by),
                    "levels": {
                        level: {"m": m, "u": u, "kin": kin}
                        for level, m, u, kin in zip(a.levels, a.m, a.u, a.kin, strict=True)
                    },
                }
                for a in found.attributes
            },
        ),
    )

    @property
    def agreement(self) -> float:
        """The share of what could agree that does among true pairs, weighed by information.

        An attribute weighs −log₂ of the chance that random pairs agree on it.
        """
        weights = [a.information for a in self.attributes]
        agreed = sum(w * a.agreement for w, a in zip(weights, self.attributes, strict=True))
        return float(agreed / (sum(weights) or 1.0))

    @property
    def doubtful(self) -> bool:
        """Whether what was taken for true pairs may be relatives or neighbours instead.

        Where two files have nobody in common, members of the same families are the likeliest
        pairs there are. They agreed on 0.48 of what identifies people, true pairs with many
        errors on 0.68 and more.
        """
        return self.agreement < 0.6

    def _lines(self) -> list[str]:
        lines = [
            f"{self.true_share:.3g} of all pairs true, {self.kin_share:.3g} kin",
            "  attribute       kind   level                      m         u     kin    log2",
        ]
        for a in self.attributes:
            rows = zip(a.levels, a.m, a.u, a.kin, a.weights, strict=True)
            for i, (level, m, u, kin, weight) in enumerate(reversed(list(rows))):
                name, kind = (a.name, a.kind) if i == 0 else ("", "")
                lines.append(
                    f"  {name:<15} {kind:<6} {level:<20} "
                    f"{m:7.4f} {u:9.2g} {kin:7.4f} {weight:+7.2f}"
                )
            if a.told_by:
                lines.append(f"  {'':<15} counts where {' and '.join(a.told_by)} disagree")
        return lines

    def _tables(self) -> list[Table]:
        return [
            Table(
                f"Levels of agreement; {self.true_share:.3g} of all pairs true",
                ("attribute", "kind", "level", "m", "u", "kin", "log2 weight"),
                [
                    (a.name, a.kind, level, float(m), float(u), float(kin), float(weight))
                    for a in self.attributes
                    for level, m, u, kin, weight in zip(
                        a.levels, a.m, a.u, a.kin, a.weights, strict=True
                    )
                ],
                {"log2 weight": "+.2f"},
            )
        ]


class Patterns:
    """The patterns of agreement of pairs of records, gathered chunk by chunk."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = list(sizes)
        self._words: list[Ints] = []
        self._records: list[SmallInts] = []
        self._rarity: list[Floats] = []

    def add(
        self,
        left: SmallInts,
        right: SmallInts,
        levels: Sequence[NDArray[np.int8]],
        rarity: Floats,
    ) -> None:
        """Note the patterns of a chunk of pairs, and how much rarer than usual equal values are.

        `rarity` has two rows, for random pairs and for kin: natural logarithms of the chance of
        the values found equal over the chance that values are equal at all.
        """
        words = np.zeros(len(left), dtype=np.int64)
        for size, level in zip(self.sizes, levels, strict=True):
            words = words * (size + 1) + (level + 1)
        self._words.append(words)
        self._records.append(np.stack([left, right]))
        self._rarity.append(rarity)

    def table(self) -> tuple[Ints, Ints]:
        """Return the levels of each pattern, and the pattern of each pair."""
        none = np.empty(0, dtype=np.int64)
        words, of_pair = np.unique(np.concatenate([none, *self._words]), return_inverse=True)
        levels = np.empty((len(words), len(self.sizes)), dtype=np.int64)
        for at in range(len(self.sizes) - 1, -1, -1):
            words, levels[:, at] = np.divmod(words, self.sizes[at] + 1)
        return levels - 1, of_pair

    def rivals(self) -> tuple[Ints, Ints, Floats]:
        """Return, for each pair, the number of its left and right record, and its rarity."""
        records = np.concatenate([np.empty((2, 0), np.int32), *self._records], axis=1)
        left, right = (np.unique(side, return_inverse=True)[1] for side in records)
        return left, right, np.concatenate([np.empty((2, 0)), *self._rarity], axis=1)


def random_levels(attributes: Sequence[Attribute], rng: np.random.Generator) -> list[Floats]:
    """Estimate how often random pairs reach each level, by a million of them.

    The share of pairs with equal values is taken from the frequencies instead, for it can be
    smaller than a million pairs show.
    """
    sides = [len(attributes[0].left), len(attributes[0].right)]
    left, right = (rng.integers(0, n, 1_000_000).astype(np.int32) for n in sides)
    found = []
    for attribute in attributes:
        level = attribute.compare(left, right)
        counts = np.bincount(level[level >= 0], minlength=len(attribute.levels)) + 0.5
        shares = counts / counts.sum()
        if not attribute.general.any():
            size = len(attribute.values)
            f = [np.bincount(c[c >= 0], minlength=size) for c in (attribute.left, attribute.right)]
            equal = float((f[0] * f[1]).sum()) / max(1.0, float(f[0].sum()) * float(f[1].sum()))
            equal = min(max(equal, _LEAST), 0.9999)
            shares[-1] = 0
            shares *= (1 - equal) / shares.sum()
            shares[-1] = equal
        found.append(shares)
    return found


def fit_model(
    attributes: Sequence[Attribute],
    patterns: Patterns,
    random: Sequence[Floats],
    *,
    records: tuple[int, int],
    told_by: Sequence[tuple[str, ...]],
) -> LinkageModel:
    """Estimate m, u and kin by EM (Dempster, Laird and Rubin 1977) over patterns."""
    levels, of_pair = patterns.table()
    left, right, rarity = patterns.rivals()
    counts = np.bincount(of_pair, minlength=len(levels)).astype(np.float64)
    everything = float(records[0]) * records[1]
    sizes = patterns.sizes
    m = [_rising(levels[:, a], size) for a, size in enumerate(sizes)]
    kin = _level_shares(levels, sizes, counts)
    u = [np.asarray(r) for r in random]
    true = 0.3 * min(records)
    of_kin = 0.3 * counts.sum()
    for _ in range(_STEPS):
        f_m = np.log(true / everything) + _log_joint(levels, m)
        f_k = np.log(of_kin / everything) + _log_joint(levels, kin)
        f_u = np.log1p(-min(0.5, (true + of_kin) / everything)) + _log_joint(levels, u)
        of_random, of_family = f_u[of_pair] + rarity[0], f_k[of_pair] + rarity[1]
        others = np.logaddexp(of_family, of_random)
        odds = np.exp(np.minimum(f_m[of_pair] - others, 30.0))
        # a record has one partner at most: those who look alike share
        all_left, best_left = sums_and_best(left, odds)
        all_right, best_right = sums_and_best(right, odds)
        each = odds / (1 + all_left + all_right - odds)
        as_true = np.bincount(of_pair, weights=each, minlength=len(levels))
        # kin are learnt from pairs that are not each other's best, so that the class cannot
        # drift to the true ones
        kinship = (1 - each) * np.exp(of_family - others)
        kinship[(odds == best_left) & (odds == best_right)] = 0.0
        as_kin = np.bincount(of_pair, weights=kinship, minlength=len(levels))
        before = true
        true = max(float(as_true.sum()), 1.0)
        of_kin = max(float(as_kin.sum()), 1.0)
        m = _level_shares(levels, sizes, as_true)
        kin = _level_shares(levels, sizes, as_kin)
        u = [_without(r, p, true / everything) for r, p in zip(random, m, strict=True)]
        if abs(true - before) <= _STILL * true:
            break
    return LinkageModel(
        tuple(
            LevelProbabilities(
                a.name,
                a.kind,
                a.levels,
                m=tuple(m[i].tolist()),
                u=tuple(u[i].tolist()),
                kin=tuple(kin[i].tolist()),
                told_by=told,
            )
            for i, (a, told) in enumerate(zip(attributes, told_by, strict=True))
        ),
        true / everything,
        of_kin / everything,
    )


def _rising(seen: Ints, size: int) -> Floats:
    """Where EM starts: true pairs mostly agree as far as any pair does.

    Coarser labels are never equal to a value; agreement with them is the best there is.
    """
    shares = np.full(size, 0.15 / (size - 1))
    shares[max(1, int(seen.max(initial=-1)))] += 0.85
    start: Floats = shares / shares.sum()
    return start


def _level_shares(levels: Ints, sizes: Sequence[int], counts: Array) -> list[Floats]:
    """Return the share of each level, half a pair added to each; missing values do not count."""
    found = []
    for a, size in enumerate(sizes):
        # added up in the order of patterns, so that threads cannot change a sum
        pairs = np.bincount(levels[:, a] + 1, weights=counts, minlength=size + 1)[1:] + 0.5
        found.append(pairs / pairs.sum())
    return found


def _without(random: Floats, m: Floats, share: float) -> Floats:
    """Take the true pairs out of random pairs: u = (r − λ m) / (1 − λ), in a small file a lot."""
    left = np.maximum(random - share * m, np.minimum(random, _LEAST))
    shares: Floats = left / left.sum()
    return shares


def _log_joint(levels: Ints, shares: Sequence[Floats]) -> Floats:
    total: Floats = np.zeros(len(levels))
    for a, p in enumerate(shares):
        total += np.append(np.log(p), 0.0)[levels[:, a]]
    return total
