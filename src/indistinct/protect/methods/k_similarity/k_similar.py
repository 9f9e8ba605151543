"""k-Similar: clusters of records that are close in their hierarchies, changed cell by cell.

How k-Similar makes its first clusters: grown greedily, or swept up level by level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from indistinct.core import ClassSize, GuaranteeError, InputError, Ints, SmallInts, did_you_mean
from indistinct.hierarchy import Hierarchy
from indistinct.keys import Generalisable, Recoding, group_rows
from indistinct.protect.methods.k_similarity.k_similar_bound import cheapest_groups
from indistinct.protect.methods.k_similarity.k_similar_kernels import form_groups, grow_greedily
from indistinct.protect.methods.k_similarity.k_similar_search import finished
from indistinct.protect.methods.k_similarity.k_similar_space import (
    FORBIDDEN,
    Space,
    SpaceLoss,
    build_space,
)
from indistinct.protect.recode import RecodingStep
from indistinct.results import Fact, Result, Table, facts, result

__all__ = ["KSimilar", "KSimilarStep", "SimilarMethod", "homogeneous_clusters", "k_similar"]

SimilarMethod = Literal["auto", "greedy", "sweep", "optimum"]
"""How clusters are found; see `k_similar`."""

GREEDY_CLASSES = 1_000
"""Up to this many classes `auto` grows clusters greedily."""


@result
class KSimilar(Result):
    """Clusters of at least k records, and what it costs to make each cluster's records equal.

    Parameters
    ----------
    recoding
        How far each cell climbs.
    k
        What was asked for.
    space
        In what distances were measured.
    method
        How the clusters were found.
    proved_bound
        A lower bound on the distortion, in units, where one was proved by search.
    """

    recoding: Recoding
    k: int
    space: Space = field(repr=False)
    method: SimilarMethod
    proved_bound: int | None = None

    FACTS = facts(
        Fact("method", lambda _: "k-similar"),
        Fact("clustering", "method"),
        Fact("k", shown="k"),
        Fact("records", "recoding.keys.records", shown="records"),
        Fact("clusters", shown="clusters"),
        Fact("smallest", "recoding.smallest", shown="smallest cluster"),
        Fact("distortion", shown="distortion", form=",.4f"),
        Fact("precision", shown="precision", form=".4f"),
        Fact("proved", shown="least possible"),
        Fact("suppressed_cells", lambda found: sum(found.recoding.cells_suppressed().values())),
        Fact(
            "*",
            lambda found: (
                {"bound": found.bound, "gap": found.gap} if found.proved_bound is not None else {}
            ),
            spread=True,
        ),
    )

    @cached_property
    def units(self) -> int:
        """The total distortion in whole units of the space."""
        return int((self.space.costs[self._nodes].sum(axis=1) * self.recoding.counts).sum())

    @cached_property
    def _nodes(self) -> SmallInts:
        rows, levels = self.recoding.classes, self.recoding.levels
        columns = [
            nodes[levels[:, j], self.space.leaves[j][rows]]
            for j, nodes in enumerate(self.space.nodes)
        ]
        return np.stack(columns, axis=1)

    @property
    def distortion(self) -> float:
        """The sum over cells of the distance to what is released, weights included."""
        return self.space.whole(self.units)

    @cached_property
    def precision(self) -> float:
        """Sweeney's precision, 1 − Σ level/height, over all cells, without weights (Figure 32)."""
        keys, counts = self.recoding.keys, self.recoding.counts
        if not keys.records:
            return 1.0
        lost = [
            float((self.recoding.levels[:, j] * counts).sum()) / max(height, 1)
            for j, height in enumerate(keys.heights)
        ]
        return 1 - sum(lost) / (keys.records * len(keys.names))

    @cached_property
    def bound(self) -> float:
        """A distortion that no release with these hierarchies and limits can fall below.

        What the search for the optimum proved, or else what everybody's cheapest group of k costs.
        """
        if self.proved_bound is not None:
            return self.space.whole(self.proved_bound)
        floor = cheapest_groups(self.space, k=self.k)
        return self.space.whole(int((floor * self.recoding.keys.counts).sum()))

    @property
    def proved(self) -> bool:
        """Whether no release with less distortion exists."""
        return self.proved_bound is not None and self.proved_bound >= self.units

    @property
    def gap(self) -> float:
        """By which share of the distortion the optimum could be lower, at most."""
        return 1 - self.bound / self.distortion if self.units else 0.0

    @property
    def clusters(self) -> int:
        """The number of different keys released."""
        return len(self.recoding.group_counts)

    def plot(self) -> str:
        """Draw the cells of each variable that are changed, and those suppressed, as SVG."""
        return self.recoding.plot()

    def sentence(self) -> str:
        """Say what was made."""
        return f"k-Similar, k={self.k}: {self.clusters:,} clusters"

    def _row_tables(self) -> Sequence[Table]:
        return self.recoding._tables()


def k_similar(
    keys: Generalisable,
    *,
    k: ClassSize,
    limits: Mapping[str, int] | None = None,
    weights: Mapping[str, float] | None = None,
    loss: SpaceLoss = "precision",
    improve: bool = True,
    method: SimilarMethod = "auto",
) -> KSimilar:
    """Make clusters of at least k records that are near each other, and make each one's keys equal.

    Sweeney's k-Similar (2001, section 6.4). The distance of a value to what is released for it is
    the number of levels it climbs, divided by the height of its hierarchy, whose root is the
    suppressed value (Figure 31). Each cell climbs to the lowest common ancestor of its cluster. A
    suppressed cell is a value like any other, and appears k times because its cluster does.

    Parameters
    ----------
    limits
        The highest level a variable may climb to; 0 locks it.
    weights
        How much a variable's distances count, 1 by default. A weight just above 1 decides
        between equals only, as the recipient's preferences do in the paper.
    loss
        What is made small: `precision` is Sweeney's distance; `loss` the share of its variable's
        values that a released value may be, (values under the node − 1) / (values − 1).
    improve
        Whether records change places afterwards as long as the distortion falls.
    method
        `greedy` is the paper's growing of clusters; `sweep` looks at all level vectors from the
        cheapest on, and is for large files; `optimum` proves the least distortion, for small ones
        (see `k_similar_optimum`). `auto` sweeps; up to 1,000 classes it is greedy, and with
        `improve` the better of both.

    >>> from indistinct.hierarchy import code_hierarchy
    >>> from indistinct import open_data
    >>> zips = code_hierarchy(["02138", "02139", "02141", "02142"], name="zip", digits=(4, 3))
    >>> with open_data({"zip": ["02138", "02139", "02141", "02142", "02142"]}) as data:
    ...     keys = Generalisable.of(data.key_table(["zip"]), {"zip": zips})
    >>> k_similar(keys, k=2)
    k-Similar, k=2: 2 clusters
      k                      2
      records                5
      clusters               2
      smallest cluster       2
      distortion        1.6667
      precision         0.6667
      least possible        no
    Cells of the records that are kept
      variable  changed  suppressed
      zip             5           0
    """
    if method not in get_args(SimilarMethod):
        known = get_args(SimilarMethod)
        raise InputError(
            f"method must be one of {', '.join(known)}. Got '{method}'. "
            f"{did_you_mean(str(method), known)}"
        )
    if method == "optimum":
        # the search starts from what this function finds
        from indistinct.protect.methods.k_similarity.k_similar_optimum import k_similar_optimum

        return k_similar_optimum(keys, k=k, limits=limits, weights=weights, loss=loss)
    space = build_space(keys, k=k, limits=limits, weights=weights, loss=loss)
    found = [
        _clustered(space, k, chosen, improve) for chosen in _chosen(method, keys.classes, improve)
    ]
    return min(found, key=lambda result: result.units)


def _chosen(method: SimilarMethod, classes: int, improve: bool) -> list[SimilarMethod]:
    if method != "auto":
        return [method]
    if classes > GREEDY_CLASSES:
        return ["sweep"]
    return ["greedy", "sweep"] if improve else ["greedy"]


def _clustered(space: Space, k: int, method: SimilarMethod, improve: bool) -> KSimilar:
    make = greedy_clusters if method == "greedy" else sweep_clusters
    recoding = finished(space, make(space, k=k), k=k, improve=improve)
    if space.keys.records and (recoding.smallest < k or (recoding.levels > space.limits).any()):
        raise GuaranteeError(
            f"k={k} could not be reached within the limits. Let a variable climb further."
        )
    return KSimilar(recoding, k, space, method)


def homogeneous_clusters(
    recoding: Recoding, sensitive: NDArray[np.integer], *, classes: NDArray[np.integer]
) -> Ints:
    """Return the released classes in which a sensitive variable surely has one value only.

    Whoever is known to be in such a class is known to have the value, whatever k is. A class
    whose equal records go different ways counts for all of these.

    Parameters
    ----------
    sensitive
        The code of the sensitive value of each record.
    classes
        The class of each record in the key table.
    """
    lowest = np.full(recoding.keys.classes, np.iinfo(np.int64).max)
    highest = np.full(recoding.keys.classes, np.iinfo(np.int64).min)
    np.minimum.at(lowest, classes, sensitive)
    np.maximum.at(highest, classes, sensitive)
    kept = ~recoding.dropped
    groups, rows = recoding.groups[kept], recoding.classes[kept]
    number = len(recoding.group_counts)
    least = np.full(number, np.iinfo(np.int64).max)
    most = np.full(number, np.iinfo(np.int64).min)
    np.minimum.at(least, groups, lowest[rows])
    np.maximum.at(most, groups, highest[rows])
    return np.flatnonzero(least == most)


@dataclass(frozen=True)
class KSimilarStep(RecodingStep, kind="k-similar"):
    """Protect records by k-Similar; see `k_similar` for the parameters."""

    truthful = True

    key: tuple[str, ...]
    k: int
    hierarchies: tuple[Hierarchy, ...]
    limits: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    loss: SpaceLoss = "precision"
    improve: bool = True
    method: SimilarMethod = "auto"

    def describe(self) -> str:
        """Say what is done."""
        return (
            f"k-Similar with k={self.k} on {', '.join(self.key)}: cells climb to what the nearest "
            f"{self.k} records or more have in common"
        )

    def recoding(self, keys: Generalisable) -> Recoding:
        """Cluster the classes."""
        return k_similar(
            keys,
            k=self.k,
            limits=self.limits,
            weights=self.weights,
            loss=self.loss,
            improve=self.improve,
            method=self.method,
        ).recoding


# How k-Similar makes its first clusters ----------------------------------------------------------


_WORK = 3_000_000_000
"""Classes looked at, over all level vectors, before the sweep gives up looking for the best."""

_VECTOR = 10_000
"""What a level vector counts for beside its classes, so that their number is bounded too."""


def greedy_clusters(space: Space, *, k: int) -> Ints:
    """Grow clusters by the distance to the common ancestor; return each class's cluster.

    As the text of section 6.4 has it: of all pairs of clusters, at least one of them smaller than
    k, the pair is joined whose records are nearest to their common ancestor, until every cluster
    has k records. Takes time in the square of the number of classes, and more where many are
    equally near.
    """
    joined = grow_greedily(
        space.own,
        space.keys.counts.astype(np.int64),
        k,
        space.parents,
        space.levels,
        space.costs,
        FORBIDDEN,
    )
    for unit in range(len(joined)):
        # a class is joined to an earlier one, whose own place is known by now
        joined[unit] = joined[joined[unit]]
    return np.unique(joined, return_inverse=True)[1].reshape(-1).astype(np.int64)


def sweep_clusters(space: Space, *, k: int) -> Ints:
    """Sweep the level vectors from the cheapest on; return each class's cluster, -1 for none.

    At each vector the classes that are still free and agree at it are a cluster if they have k
    records. A record is thus in the cheapest cluster that free records could still make with it.
    The few left over at the end, fewer than k in each locked category, have no cluster.
    """
    keys = space.keys
    number = keys.classes
    words, _ = space.packed()
    starts = np.cumsum([0, *(word.shape[1] for word in words)])[:-1]
    room = 1 << max(1, (2 * number - 1).bit_length())
    slots, totals = np.empty(room, np.uint64), np.empty(room, np.int64)
    place, active = np.empty(number, np.int64), np.arange(number)
    clusters = np.full(number, -1, dtype=np.int64)
    made, work = 0, 0
    for vector in space.vectors():
        if not number or work > _WORK:
            break
        work += number + _VECTOR
        packed = np.concatenate([word[level] for word, level in zip(words, vector, strict=True)])
        number, made = form_groups(
            space.leaves,
            packed,
            starts,
            keys.counts,
            k,
            active,
            number,
            slots,
            totals,
            place,
            clusters,
            made,
        )
    return _cut(space, clusters, np.sort(active[:number]), k=k)


def _cut(space: Space, clusters: Ints, free: Ints, *, k: int) -> Ints:
    """Cut what an unfinished sweep left free into runs of neighbours, within the limits."""
    if not len(free):
        return clusters
    columns = [
        np.stack([space.nodes[j][level][space.leaves[j][free]] for level in (limit, 0)])
        for j, limit in enumerate(space.limits)
    ]
    locked = group_rows(np.stack([c[0] for c in columns], axis=1).astype(np.int64))
    order = np.lexsort([*(c[1] for c in reversed(columns)), locked])
    free, locked = free[order], locked[order]
    made, run, members = int(clusters.max(initial=-1)) + 1, 0, []
    for at, unit in enumerate(free.tolist()):
        members.append(unit)
        run += int(space.keys.counts[unit])
        last = at + 1 == len(free) or locked[at + 1] != locked[at]
        if run >= k:
            clusters[members] = made
            made, run, members = made + 1, 0, []
        elif last:
            run, members = 0, []
    return clusters
