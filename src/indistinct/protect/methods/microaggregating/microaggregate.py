"""Microaggregation as a step of a plan.

Microaggregation: numbers become the means of small clusters of records.

Domingo-Ferrer and Mateo-Sanz (2002); MDAV, *maximum distance to average vector*, in the generic
form of Domingo-Ferrer and Torra (2005). While at least 3k records are left, take the record
farthest from their centroid and the record farthest from that one, and make a cluster of each with
its k − 1 nearest; of 2k to 3k − 1 records make one more such cluster; the rest is the last. Every
cluster has k to 2k − 1 records, and all of them get its mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from indistinct.core import (
    Bools,
    ClassSize,
    Floats,
    GuaranteeError,
    InputError,
    Ints,
    Variable,
    check_whole,
    holds_numbers,
    progress,
)
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.methods.microaggregating.mdav_kernels import mdav_clusters, optimal_groups
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.results import Fact, Result, facts, result
from indistinct.results.figures import bars

__all__ = ["Microaggregate", "Microaggregation", "mdav", "microaggregation", "optimal_1d"]


@dataclass(frozen=True)
class Microaggregate(Step, kind="microaggregate"):
    """Replace numbers by the means of clusters of at least k records.

    Parameters
    ----------
    variables
        Columns of numbers. With ``mdav`` records are clustered by all of them together, and at
        least k records share every released combination. With ``optimal-1d`` each variable is
        clustered by itself: at least k records share every value, not every combination.
    k
        The least number of records in a cluster.
    method
        ``mdav``, or ``optimal-1d`` for the least loss of each variable alone.
    strata
        A variable; only records with the same value of it are put into one cluster.
    round
        Whether whole numbers stay whole: means of integer columns are rounded. Otherwise these
        columns become decimal.
    missing
        ``refuse`` records with a missing value in one of the variables, or ``leave`` them as they
        are, unprotected.
    standardise
        Whether each variable is divided by its standard deviation before distances are taken.
    """

    variables: tuple[str, ...]
    k: int
    method: Method = "mdav"
    strata: str | None = None
    round: bool = False
    missing: Literal["refuse", "leave"] = "refuse"
    standardise: bool = True

    def __post_init__(self) -> None:
        """Refuse wrong variables, k and words."""
        check_size(self.k)
        if isinstance(self.variables, str) or not self.variables:
            raise InputError("The variables must be a list of at least one name.")
        if len(set(self.variables)) < len(self.variables):
            raise InputError("A variable to microaggregate is named twice. Name each once.")
        if self.strata in self.variables:
            raise InputError(f"'{self.strata}' cannot be both stratum and microaggregated.")
        if self.method not in ("mdav", "optimal-1d"):
            raise InputError(f"method must be mdav or optimal-1d. Got '{self.method}'.")
        if self.missing not in ("refuse", "leave"):
            raise InputError(f"missing must be refuse or leave. Got '{self.missing}'.")

    def describe(self) -> str:
        """Say what is done."""
        together = "together" if self.method == "mdav" else "each by itself"
        if len(self.variables) == 1:
            together = "in order" if self.method == "optimal-1d" else "by distance"
        within = f", within {self.strata}" if self.strata else ""
        whole = ", rounded where they were whole" if self.round else ""
        return (
            f"replace {', '.join(self.variables)} by means of clusters of at least {self.k} "
            f"records, clustered {together}{within}{whole}"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Cluster the records and put the means in."""
        asked = [*self.variables, *([self.strata] if self.strata else [])]
        source.check_columns(asked)
        table = source.table(asked)
        values = np.stack(
            [
                _numbers(table.column(name), source, source.variables[name])
                for name in self.variables
            ],
            axis=1,
        )
        there = self._present(source, values)
        strata = _codes(table.column(self.strata)) if self.strata else np.zeros(len(values), int)
        new = self._means(source, values, there, strata)
        whole = [pa.types.is_integer(source.schema.field(name).type) for name in self.variables]
        if self.round:
            new[:, whole] = np.rint(new[:, whole])
        losses = [
            _lost(values[there][:, part], new[there][:, part], self.standardise)
            for part in self._parts()
        ]
        changed = (new != values) & there[:, None]
        result = self._put(engine, source, new, there)
        left = int((~there).sum())
        warnings = []
        if left:
            warnings.append(
                f"{left:,} records have a missing value and are left as they are, unprotected"
            )
        return self.with_receipt(
            source,
            result,
            records_changed=int(changed.any(axis=1).sum()),
            cells_changed=dict(zip(self.variables, changed.sum(axis=0).tolist(), strict=True)),
            residual=left,
            notes=self._notes(losses),
            warnings=tuple(warnings),
        )

    def _present(self, source: Source, values: Floats) -> Bools:
        there = np.asarray(np.isfinite(values).all(axis=1))
        if there.all() or self.missing == "leave":
            return there
        gone = ~np.isfinite(values)
        record, at = (int(i) for i in np.argwhere(gone)[0])
        raise InputError(
            f"{source.origin}: '{self.variables[at]}' is missing in record {record + 1:,}, and "
            f"{int((~there).sum()):,} records in all lack a value to be averaged. Impute them, or "
            "say missing='leave' to leave these records as they are, unprotected."
        )

    def _means(
        self,
        source: Source,
        values: Floats,
        there: Bools,
        strata: Ints,
    ) -> Floats:
        """Return the values with those of complete records replaced by means."""
        present = strata[there]
        sizes = np.bincount(present)
        small = int(((sizes > 0) & (sizes < self.k)).sum())
        if small or not len(present):
            where = f"{small:,} values of '{self.strata}' have" if self.strata else "there are"
            raise GuaranteeError(
                f"{source.origin}: a cluster needs {self.k} records with all values, and {where} "
                "fewer. Take a smaller k, or coarser strata or none."
            )
        new = values.copy()
        by_stratum = np.split(
            np.flatnonzero(there)[np.argsort(present, kind="stable")], np.cumsum(sizes)[:-1]
        )
        for columns in progress.each(self._parts(), "finding clusters", unit="parts"):
            for records in by_stratum:
                if len(records):
                    cells = np.ix_(records, columns)
                    found = microaggregation(
                        values[cells], self.k, method=self.method, standardise=self.standardise
                    )
                    new[cells] = found.values
        return new

    def _parts(self) -> list[NDArray[np.intp]]:
        """Return the positions of the variables that are clustered together."""
        every = np.arange(len(self.variables))
        return [every] if self.method == "mdav" else np.split(every, len(every))

    def _put(self, engine: Engine, source: Source, new: Floats, there: Bools) -> Source:
        schema, variables = source.schema, source.variables
        columns = []
        for j, name in enumerate(self.variables):
            position = schema.get_field_index(name)
            old = schema.field(position).type
            keep = pa.types.is_floating(old) or (self.round and pa.types.is_integer(old))
            field = schema.field(position).with_type(old if keep else pa.float64())
            schema = schema.set(position, field)
            # a mean is not one of the categories that were declared, and labels are of whole codes
            variables = variables.updated(
                {name: {"categories": None} | ({} if keep else {"labels": {}})}
            )
            columns.append((position, field, new[:, j]))

        def change(batch: pa.RecordBatch, records: Ints) -> pa.RecordBatch:
            inside = pa.array(there[records])
            for position, field, means in columns:
                before = batch.column(position).cast(field.type, safe=False)
                after = pa.array(means[records]).cast(field.type, safe=False)
                cells = pc.if_else(inside, after, before)
                batch = batch.set_column(position, field, cells)
            return batch

        return engine.transform(source, change, schema=schema, variables=variables)

    def _notes(self, losses: list[float]) -> tuple[str, ...]:
        if self.method == "mdav":
            return (f"information loss (SSE/SST) {losses[0]:.3f} %",)
        notes = [
            f"information loss (SSE/SST) of {name} {lost:.3f} %"
            for name, lost in zip(self.variables, losses, strict=True)
        ]
        if len(notes) > 1:
            notes.append("each value is shared by k records, a combination of values need not be")
        return tuple(notes)


def _lost(before: Floats, after: Floats, standardise: bool) -> float:
    """Return SSE / SST in percent over the whole file, whatever the strata."""
    around = ((before - before.mean(axis=0)) ** 2).sum(axis=0)
    within = ((before - after) ** 2).sum(axis=0)
    varies = around > 0
    if not varies.any():
        return 0.0
    if standardise:
        return 100.0 * float((within[varies] / around[varies]).mean())
    return 100.0 * float(within.sum() / around.sum())


def _numbers(column: pa.ChunkedArray, source: Source, variable: Variable) -> Floats:
    """Return a column as numbers; missing values and the codes that mean so are no numbers."""
    kind = column.type
    if not holds_numbers(kind):
        raise InputError(
            f"{source.origin}: '{variable.name}' must be a column of numbers to be averaged. "
            f"Got {kind}."
        )
    values = np.array(column.cast(pa.float64()).to_numpy(), dtype=np.float64)
    for code in variable.user_missing:
        low, high = code if isinstance(code, tuple) else (code, code)
        if not isinstance(low, str) and not isinstance(high, str):
            values[(values >= low) & (values <= high)] = np.nan
    return values


def _codes(column: pa.ChunkedArray) -> Ints:
    """Number the values of a column; records without one are a stratum of their own."""
    coded: Any = column.combine_chunks()
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode(null_encoding="encode")
    values = coded.indices.fill_null(len(coded.dictionary))
    return np.asarray(values.to_numpy(zero_copy_only=False).astype(np.int64))


# Microaggregation --------------------------------------------------------------------------------


Method = Literal["mdav", "optimal-1d"]


@result
class Microaggregation(Result):
    """Clusters of records and their means.

    Parameters
    ----------
    clusters
        The cluster of each record, numbered from 0.
    centroids
        The mean of each cluster (rows) in each variable, in the unit of the data.
    information_loss
        SSE / SST in percent: the part of the records' variation around the overall mean that is
        within clusters and is lost. 0 for the original values, 100 for a single cluster. Each
        variable is divided by its standard deviation first, unless `standardise` was off.
    """

    clusters: Ints = field(repr=False)
    centroids: Floats = field(repr=False)
    information_loss: float

    FACTS = facts(
        Fact("records", lambda found: len(found.clusters), shown="records"),
        Fact("variables", lambda found: found.centroids.shape[1], shown="variables"),
        Fact("clusters", lambda found: len(found.centroids), shown="clusters"),
        Fact("smallest", lambda found: int(found.sizes.min()), shown="smallest"),
        Fact("largest", lambda found: int(found.sizes.max()), shown="largest"),
        Fact("information_loss", shown="information loss", form=".3f"),
    )

    @cached_property
    def sizes(self) -> Ints:
        """The records in each cluster."""
        return np.bincount(self.clusters, minlength=len(self.centroids))

    @property
    def values(self) -> Floats:
        """The released values: for each record the mean of its cluster."""
        return np.asarray(self.centroids[self.clusters])

    def plot(self) -> str:
        """Draw how many clusters there are of each size, as SVG."""
        sizes, numbers = np.unique(self.sizes, return_counts=True)
        return bars("Clusters by size", [str(s) for s in sizes.tolist()], numbers.tolist())

    def sentence(self) -> str:
        """Say how many clusters there are and what is lost."""
        return "Clusters of records; the information loss is in per cent"


def mdav(values: ArrayLike, k: ClassSize, *, standardise: bool = True) -> Microaggregation:
    """Cluster records of numbers by MDAV.

    The clusters are those of an exhaustive search in double precision, found without one. Records
    are taken in the order of their values, and of records that are equally far or near the one
    that comes first in that order: the released table does not depend on the order of the
    records, except that of records with equal values it is the first in the file that goes to the
    cluster made first.

    Parameters
    ----------
    values
        One row for each record, one column for each variable; finite numbers.
    k
        The least number of records in a cluster.
    standardise
        Whether each variable is divided by its standard deviation before distances are taken.

    >>> found = mdav([[1, 10], [2, 11], [3, 12], [7, 50], [8, 51], [9, 52]], k=3)
    >>> found
    Clusters of records; the information loss is in per cent
      records               6
      variables             2
      clusters              2
      smallest              3
      largest               3
      information loss  3.531
    >>> found.values.tolist()
    [[2.0, 11.0], [2.0, 11.0], [2.0, 11.0], [8.0, 51.0], [8.0, 51.0], [8.0, 51.0]]
    """
    given = _checked(values, k)
    order = np.lexsort(given.T[::-1])
    ordered = given[order]
    scaled = _scaled(ordered, standardise)
    return _result(given, ordered, scaled, order, mdav_clusters(scaled, k))


def optimal_1d(values: ArrayLike, k: int) -> Microaggregation:
    """Cluster the records of one variable such that the information loss is the least.

    Hansen and Mukherjee (2003): the shortest path over runs of k to 2k − 1 ordered values.

    >>> optimal_1d([1, 2, 3, 100, 101, 7, 8], k=2).values.ravel().tolist()
    [2.0, 2.0, 2.0, 100.5, 100.5, 7.5, 7.5]
    """
    given = _checked(values, k)
    if given.shape[1] != 1:
        raise InputError(
            f"Optimal microaggregation takes one variable. Got {given.shape[1]}. Use MDAV for "
            "several together, or one at a time."
        )
    order = np.argsort(given[:, 0], kind="stable")
    ordered = given[order]
    groups = optimal_groups(ordered[:, 0] - ordered[:, 0].mean(), k)
    return _result(given, ordered, _scaled(ordered, True), order, groups)


def microaggregation(
    values: ArrayLike, k: ClassSize, *, method: Method = "mdav", standardise: bool = True
) -> Microaggregation:
    """Cluster records by a method of the given name."""
    if method == "mdav":
        return mdav(values, k, standardise=standardise)
    if method == "optimal-1d":
        return optimal_1d(values, k)
    raise InputError(f"method must be mdav or optimal-1d. Got '{method}'.")


def check_size(k: int) -> None:
    """Refuse a k that is not a whole number of at least 2."""
    check_whole("k", k, 2)


def _checked(values: ArrayLike, k: int) -> Floats:
    check_size(k)
    try:
        given = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("Microaggregation takes numbers only.") from None
    if given.ndim == 1:
        given = given[:, None]
    if given.ndim != 2 or not given.shape[1]:
        raise InputError("The values must be a table of records and at least one variable.")
    bad = ~np.isfinite(given)
    if bad.any():
        record, variable = (int(at) + 1 for at in np.argwhere(bad)[0])
        raise InputError(
            f"Variable {variable} of record {record:,} is missing or infinite, as are "
            f"{int(bad.any(axis=1).sum()):,} records in all. A mean needs all values: impute "
            "them, or leave those records out."
        )
    if len(given) < k:
        raise GuaranteeError(
            f"A cluster needs {k} records, and there are {len(given):,}. Take a smaller k or "
            "more records."
        )
    # minus zero would be another value than zero in the order of records
    return given + 0.0


def _scaled(ordered: Floats, standardise: bool) -> Floats:
    centred = ordered - ordered.mean(axis=0)
    if not standardise:
        return np.ascontiguousarray(ordered)
    spread = ordered.std(axis=0)
    constant = (ordered == ordered[0]).all(axis=0)
    centred[:, constant] = 0.0
    return np.ascontiguousarray(centred / np.where(constant | (spread == 0), 1.0, spread))


def _result(
    given: Floats,
    ordered: Floats,
    scaled: Floats,
    order: NDArray[np.intp],
    found: Ints,
) -> Microaggregation:
    means = _means(ordered, found)
    within = scaled - _means(scaled, found)[found]
    around = scaled - scaled.mean(axis=0)
    total = float((around * around).sum())
    lost = 100.0 * float((within * within).sum()) / total if total > 0 else 0.0
    clusters = np.empty(len(given), dtype=np.int64)
    clusters[order] = found
    return Microaggregation(clusters, means, lost)


def _means(values: Floats, clusters: Ints) -> Floats:
    """Return the mean of each cluster, added up as distances from its first member.

    So the mean of equal values is that very value, and large values lose no digits.
    """
    _, firsts, sizes = np.unique(clusters, return_index=True, return_counts=True)
    start = values[firsts]
    away = values - start[clusters]
    means = np.empty_like(start)
    for j in range(values.shape[1]):
        means[:, j] = start[:, j] + np.bincount(clusters, weights=away[:, j]) / sizes
    return means
