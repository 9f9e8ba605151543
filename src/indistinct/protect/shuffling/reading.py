"""Columns of a file as codes in the order in which they are shuffled, and back.

Numbers for the codes of a taxonomy (Domingo-Ferrer, Muralidhar and Rufian-Torrell 2012).

The marginality of a code is the sum of its semantic distances to the codes of all records: the
more a code lies at the margin of the sample, the larger. Distance is a function of the ancestors
that two codes do not share, log₂(1 + |A Δ B| / |A ∪ B|). Codes are placed so that those of one
branch are neighbours, and branches and codes within a branch follow each other by marginality.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import (
    Array,
    Bools,
    Floats,
    InputError,
    Ints,
    Variable,
    between,
    check_number,
    holds_numbers,
    holds_text,
)
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy, as_texts
from indistinct.households import HouseholdColumns, read_kinship
from indistinct.keys import KeyTable
from indistinct.protect.shuffling.margins import Codes
from indistinct.protect.steps.columns import class_numbers, read_numbers, values_of
from indistinct.rules import Measure

__all__ = [
    "ShuffledColumn",
    "check_levels",
    "marginality",
    "read_bands",
    "read_column",
    "taxonomic_order",
]

_FEW = 12


@dataclass(eq=False)
class ShuffledColumn:
    """A column while it is shuffled.

    Parameters
    ----------
    codes
        The place of every record's value in the order; -1 where it is missing or must stay.
    size
        How many places there are.
    values
        The values by place, in the column's own type.
    groups
        For every place the branch of the taxonomy that a value may not leave, or None.
    nominal
        Whether the order means nothing.
    left
        A number for every value that stays, where there are several; -1 where it may move.
    """

    name: str
    codes: Codes
    size: int
    values: pa.Array
    nominal: bool
    groups: Codes | None = None
    warnings: tuple[str, ...] = ()
    left: Codes | None = None
    original: Codes = field(init=False)

    def __post_init__(self) -> None:
        """Keep what the file holds."""
        self.original = self.codes

    def kinds(self, records: Ints) -> tuple[Codes, int]:
        """Return a number for the values of some records, also of those that stay, and how many
        numbers there are; -1 where all that stay are alike."""
        codes = self.codes[records]
        if self.left is None:
            return codes, self.size
        left = self.left[records]
        return np.where(codes < 0, self.size + left, codes), self.size + int(self.left.max()) + 1

    def changed(self) -> Bools:
        """Say of every record whether its value is another than at the beginning."""
        return np.asarray(self.codes != self.original)

    def renewed(self, column: pa.ChunkedArray) -> pa.Array:
        """Return the column of the file with the new values; all else stays as it is."""
        old = column.combine_chunks()
        moved = pa.array(self.changed())
        places = pa.array(np.where(self.codes < 0, 0, self.codes))
        return pc.if_else(moved, self.values.take(places), old)


def read_column(
    engine: Engine,
    source: Source,
    name: str,
    *,
    hierarchy: Hierarchy | None = None,
    at: int | None = None,
    stay: int | None = None,
    leave: Collection[str] = (),
    nominal: bool | None = None,
) -> ShuffledColumn:
    """Read a column.

    Parameters
    ----------
    hierarchy
        The taxonomy that gives the values their order.
    at
        The level of the hierarchy at which values are told apart, for a column that only others
        are shuffled by. Its order means nothing then.
    stay
        The level of the hierarchy at which a value may not leave its branch.
    leave
        Values, as text, that stay where they are, such as *not applicable*.
    nominal
        Whether the order means nothing; by default what the variable's level says.
    """
    source.check_columns([name])
    tally = engine.count(source, [name])
    table = KeyTable.from_tally(tally)
    classes, counts = class_numbers(tally), table.counts
    kind = source.schema.field(name).type
    values = values_of(table.coding.variables[0], table.codes[:, 0], kind)
    _check_finite(source, name, values, classes)
    if at is not None:
        if hierarchy is None:
            raise InputError(f"'{name}' is to be taken at a level of its hierarchy, and has none.")
        return _at_level(name, hierarchy, at, as_texts(values.to_pylist()), classes)
    if stay is not None and hierarchy is None:
        raise InputError(
            f"'{name}' should stay within a branch of its hierarchy, and has none. Give it one."
        )
    variable = source.variables[name]
    stays = _staying(variable, values, leave)
    moving = np.flatnonzero(~stays)
    warnings: tuple[str, ...] = ()
    groups = None
    if hierarchy is not None:
        nominal = bool(nominal)
        leaves = hierarchy.encode(values.take(pa.array(moving)).to_pylist())
        held = np.bincount(leaves, weights=counts[moving], minlength=len(hierarchy.values))
        sorting = np.argsort(taxonomic_order(hierarchy, held.astype(np.int64))[leaves])
        moving = moving[sorting]
        if stay is not None:
            groups = hierarchy.level_codes(stay)[leaves[sorting]].astype(np.int32)
    else:
        if nominal is None:
            nominal = _is_nominal(source, name, len(moving))
        if not nominal:
            moving = moving[_by_category(source, variable, values.take(pa.array(moving)))]
        elif len(moving) >= MANY_INDICATORS:
            warnings = (
                f"{name} has {len(moving):,} values and no hierarchy, so it is treated as as many "
                "indicators. Give it its hierarchy (level taxonomy): codes of one branch are then "
                "exchanged with each other first",
            )
    order = np.full(len(counts), -1, dtype=np.int32)
    order[moving] = np.arange(len(moving), dtype=np.int32)
    return ShuffledColumn(
        name,
        order[classes],
        len(moving),
        values.take(pa.array(moving)),
        nominal,
        groups,
        warnings,
        _left(stays, classes),
    )


def _check_finite(source: Source, name: str, values: pa.Array, classes: Ints) -> None:
    if not pa.types.is_floating(values.type):
        return
    endless = np.flatnonzero(pc.is_inf(values).fill_null(False).to_numpy(zero_copy_only=False))
    if len(endless):
        record = int(np.argmax(np.isin(classes, endless))) + 1
        raise InputError(
            f"{source.origin}: '{name}' is infinite in record {record:,}. Correct it, or leave the "
            "record out."
        )


def _staying(variable: Variable, values: pa.Array, leave: Collection[str]) -> Bools:
    """Say which values stay where they are: missing ones, and those to leave."""
    stays: Bools = values.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)
    if not variable.user_missing and not leave:
        return stays
    plain = values.to_pylist()
    return np.array(
        [
            variable.is_missing(value) or text in leave
            for value, text in zip(plain, as_texts(plain), strict=True)
        ],
        dtype=bool,
    )


def _left(stays: Bools, classes: Ints) -> Codes | None:
    """Number the values that stay, where there are several; -1 where a value may move."""
    if stays.sum() < 2:
        return None
    number = np.where(stays, np.cumsum(stays) - 1, -1).astype(np.int32)
    return np.asarray(number[classes])


def _by_category(source: Source, variable: Variable, values: pa.Array) -> Ints:
    """Sort values, which are in rising order, by their declared categories where texts have some
    or the level is ordinal."""
    text = holds_text(values.type)
    if variable.categories is None or not (text or variable.level == "ordinal"):
        return np.arange(len(values))
    place = {category: number for number, category in enumerate(variable.categories)}
    found = [place.get(value, -1) for value in values.to_pylist()]
    if min(found, default=0) < 0:
        raise InputError(
            f"{source.origin}: '{variable.name}' holds a value that is not one of its declared "
            "categories, so it has no place in their order. Declare it, or correct the file."
        )
    return np.argsort(found)


def read_measure(
    source: Source, measure: Measure, households: HouseholdColumns | None
) -> ShuffledColumn:
    """Compute a measure of every record, as a column that only others are shuffled by."""
    kinship = None
    if measure.needs_kinship and households is not None:
        kinship = read_kinship(source, households)
    found = measure.read(source, kinship)
    values, places = np.unique(found.values, return_inverse=True)
    codes = np.where(found.holds(), places, -1).astype(np.int32)
    return ShuffledColumn(
        measure.name, codes, len(values), pa.array(values), nominal=found.texts is not None
    )


def read_bands(source: Source, name: str, width: float) -> ShuffledColumn:
    """Read a column of numbers in bands: [0, width), [width, 2·width) and so on."""
    numbers = read_numbers(source, name, doing="bands")
    band = np.floor(numbers.floats() / width)
    band[~numbers.present] = -np.inf  # missing is a band of its own
    found, codes = np.unique(band, return_inverse=True)
    return ShuffledColumn(name, codes.astype(np.int32), len(found), pa.array(found), nominal=False)


def _at_level(
    name: str,
    hierarchy: Hierarchy,
    level: int,
    texts: Sequence[str | None],
    classes: Ints,
) -> ShuffledColumn:
    """Return the branches that the values belong to, as a column of its own."""
    nodes, places = np.unique(
        hierarchy.level_codes(level)[hierarchy.encode(texts)], return_inverse=True
    )
    labels = [hierarchy.level_labels(level)[node] for node in nodes]
    codes = places.astype(np.int32)[classes]
    return ShuffledColumn(name, codes, len(nodes), pa.array(labels, pa.string()), nominal=True)


def _is_nominal(source: Source, name: str, size: int) -> bool:
    """Say whether the order of a variable's values means nothing.

    A file without levels calls everything nominal; a column of many numbers without labels is
    taken as what it looks like.
    """
    variable = source.variables[name]
    if variable.level not in ("nominal", "taxonomy"):
        return False
    kind = source.schema.field(name).type
    number = holds_numbers(kind)
    return not (number and size > _FEW and not variable.labels and variable.level == "nominal")


def check_levels(levels: Mapping[str, float], names: Collection[str], what: str) -> None:
    """Refuse a level or share that is none, or that is not of a shuffled variable."""
    for name, value in levels.items():
        if name not in names:
            raise InputError(f"'{name}' has a {what}, and is not among the shuffled variables.")
        check_number(f"The {what} of '{name}'", value, between(0, 1))


MANY_INDICATORS = 90
"""A nominal variable with so many values should be given its hierarchy."""


def marginality(hierarchy: Hierarchy, counts: Ints) -> Floats:
    """Return the marginality of every value of a hierarchy, given how many records have it.

    >>> from indistinct.hierarchy import table_hierarchy
    >>> tree = table_hierarchy([("11", "1", "*"), ("12", "1", "*"), ("21", "2", "*")], name="x")
    >>> marginality(tree, np.array([5, 5, 1])).round(2).tolist()
    [3.77, 3.77, 8.48]
    """
    leaves = len(hierarchy.values)
    paths = np.stack([hierarchy.level_codes(level)[:leaves] for level in hierarchy.levels])
    found = np.zeros(leaves)
    for leaf in range(leaves):
        shared = (paths == paths[:, [leaf]]).sum(axis=0)
        union = 2 * len(paths) - shared
        found[leaf] = counts @ np.log2(1.0 + (union - shared) / union)
    return found


def taxonomic_order(hierarchy: Hierarchy, counts: Ints) -> Ints:
    """Return the place of every value in an order that keeps each branch together."""
    leaves = len(hierarchy.values)
    margin = marginality(hierarchy, counts)
    keys: list[Array] = [np.arange(leaves), margin]
    for level in list(hierarchy.levels)[1:-1]:
        nodes = hierarchy.level_codes(level)[:leaves]
        weight = np.bincount(nodes, weights=counts)
        total = np.bincount(nodes, weights=counts * margin)
        plain = np.bincount(nodes, weights=margin) / np.maximum(1, np.bincount(nodes))
        mean = np.where(weight > 0, total / np.maximum(weight, 1), plain)
        keys += [nodes, mean[nodes]]
    # the last key sorts first: the branches of the highest level
    place = np.empty(leaves, dtype=np.int64)
    place[np.lexsort(keys)] = np.arange(leaves)
    return place
