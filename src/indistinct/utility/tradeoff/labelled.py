"""What every person has and what was released of them, as codes: values, labels, bins.

A released cell is a *label*: one of the original values, a generalisation of some, a number that
nobody had, or nothing at all. What a label stands for is found once here; risk and utility are
then measured alike of every method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from indistinct.core import Array, Floats, Ints, Variables
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.keys import Coded, CodedColumn, read_coded
from indistinct.protect.steps import with_columns
from indistinct.prove import Cover, cover
from indistinct.utility.analyses.binning import percentile_bins

__all__ = ["BINS", "Labelled", "Original", "draw_values", "read_labelled", "read_original"]


BINS = 20
"""Numbers with more different values are put into so many bins by their percentile, as NIST's
K-marginal score does."""

_READ_BY_HIERARCHY = 10_000
"""New numbers, at most, that are looked for in a hierarchy."""


@dataclass(frozen=True, eq=False)
class Original:
    """The original records, read once.

    Parameters
    ----------
    coded
        The variables as codes of the values that occur, missing among them.
    bins
        For every variable the table category of each code.
    """

    source: Source
    coded: Coded
    bins: Mapping[str, Ints] = field(repr=False)

    @property
    def records(self) -> int:
        """The number of records."""
        return self.source.records

    def categories(self, name: str) -> int:
        """Return the number of table categories of a variable."""
        return int(self.bins[name].max(initial=-1)) + 1


def read_original(source: Source, names: Sequence[str]) -> Original:
    """Read the original records into codes and bins."""
    coded = read_coded(source, source, variables=names)
    return Original(source, coded, {name: _bins(coded[name]) for name in names})


def _bins(column: CodedColumn) -> Ints:
    distinct = 0 if column.numbers is None else int((~np.isnan(column.numbers)).sum())
    if column.is_numeric and distinct > BINS:
        return percentile_bins(column, bins=BINS)[0].astype(np.int64)
    return np.arange(column.size)


@dataclass(frozen=True, eq=False)
class Labelled:
    """One variable of the original and of a released file.

    Parameters
    ----------
    original
        The value of every original record; as many as `bins` has entries.
    released
        The label of every released record.
    equal
        The value that a label is; -1 where it is none.
    cover
        Which values each label may stand for.
    bins
        The table category of each value.
    category
        The table category of each label: one of the values', or a further one for labels that
        stand for several values, or for none.
    spread
        How a label's category is dealt out over the values' (rows: categories of labels): equally
        over the values that it stands for.
    exact
        Whether no label stands for more than one value.
    """

    name: str
    original: Ints = field(repr=False)
    released: Ints = field(repr=False)
    equal: Ints = field(repr=False)
    cover: Cover = field(repr=False)
    bins: Ints = field(repr=False)
    category: Ints = field(repr=False)
    spread: Floats = field(repr=False)
    exact: bool = True

    @property
    def size(self) -> int:
        """The number of table categories of the values."""
        return int(self.spread.shape[1])


def read_labelled(
    original: Original,
    released: Source,
    names: Sequence[str],
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> list[Labelled]:
    """Read a released file, and what its labels stand for.

    A released cell without a value is suppressed, and may stand for any value, where the file has
    more of them than the original; else it is the category *missing*. A variable that the released
    file does not have is suppressed throughout.
    """
    trees = dict(hierarchies or {})
    here = [name for name in names if name in released.variables]
    levels = {name: original.coded[name].level for name in here}
    joint = read_coded(original.source, released, variables=here, levels=levels) if here else None
    found = []
    for name in names:
        if joint is not None and name in here:
            found.append(_labelled(original, joint[name], trees.get(name)))
        else:
            found.append(_left_out(original, name, released.records))
    return found


def _labelled(original: Original, joint: CodedColumn, hierarchy: Hierarchy | None) -> Labelled:
    own = original.coded[joint.name]
    bins = original.bins[joint.name]
    equal = np.full(joint.size, -1, dtype=np.int64)
    equal[joint.original] = own.original
    used = np.bincount(joint.released, minlength=joint.size) > 0
    new = np.flatnonzero((equal < 0) & used)
    category = np.append(bins, -1)[equal]
    values, parts = own.size, [np.arange(own.size)]
    group_of, level_of = equal.copy(), np.zeros(own.size, dtype=np.int64)
    members: list[Ints] = []
    absent = joint.size - 1 if joint.missing else -1
    suppressed = joint.missing and _missing(joint.released, absent) > _missing(
        joint.original, absent
    )
    new = new[new != absent]
    if joint.is_numeric and len(np.unique(bins)) < own.size and len(new):
        # a number that nobody had is told from the others by the tables' bins, and matches nobody
        near = percentile_bins(joint, bins=BINS)[0][new]
        category[new] = np.where(near <= bins.max(), near, -1)
    elif len(new) and (pa.types.is_string(joint.values.type) or _readable(hierarchy, new)):
        texts = joint.values.take(pa.array(new)).to_pylist()
        read = cover(texts, own.labels(), name=joint.name, hierarchy=hierarchy)
        group_of[new] = np.where(read.group_of < 0, -1, read.group_of + values)
        level_of = np.append(level_of, read.level_of + 1)
        parts += [np.where(level < 0, -1, level + values) for level in read.levels]
        members = [
            np.flatnonzero(read.levels[level] == group) for group, level in enumerate(read.level_of)
        ]
    if suppressed:
        group_of[absent] = len(level_of)
        level_of = np.append(level_of, len(parts))
        parts.append(np.full(values, len(level_of) - 1, dtype=np.int64))
        members.append(np.arange(values))
        category[absent] = -1
    size = int(bins.max(initial=-1)) + 1
    further = category < 0
    category[further] = size + np.where(
        group_of[further] >= values, group_of[further] - values, len(members)
    )
    told = np.arange(values) if not own.missing else np.arange(values - 1)
    spread = np.zeros((size + len(members) + 1, size))
    spread[:size] = np.eye(size)
    for number, stands_for in enumerate(members):
        inside = np.intersect1d(stands_for, told) if len(told) else stands_for
        inside = inside if len(inside) else stands_for
        spread[size + number] = np.bincount(bins[inside], minlength=size) / len(inside)
    return Labelled(
        joint.name,
        own.original.astype(np.int64),
        joint.released.astype(np.int64),
        equal,
        _as_cover(joint.name, group_of, level_of, parts),
        bins,
        category,
        spread,
        exact=not members,
    )


def _readable(hierarchy: Hierarchy | None, new: Ints) -> bool:
    return hierarchy is not None and len(new) <= _READ_BY_HIERARCHY


def _missing(codes: Array, absent: int) -> int:
    return int((codes == absent).sum())


def _left_out(original: Original, name: str, records: int) -> Labelled:
    """Return a variable of which nothing was released."""
    own, bins = original.coded[name], original.bins[name]
    size = int(bins.max(initial=-1)) + 1
    told = bins[: own.size - int(own.missing)] if own.size > int(own.missing) else bins
    spread = np.append(np.eye(size), [np.bincount(told, minlength=size) / len(told)], axis=0)
    everything = np.zeros(own.size, dtype=np.int64)
    return Labelled(
        name,
        own.original.astype(np.int64),
        np.zeros(records, dtype=np.int64),
        np.full(1, -1, dtype=np.int64),
        _as_cover(name, np.zeros(1, np.int64), np.zeros(1, np.int64), [everything]),
        bins,
        np.full(1, size, dtype=np.int64),
        spread,
        exact=False,
    )


def _as_cover(name: str, group_of: Ints, level_of: Ints, levels: Sequence[Ints]) -> Cover:
    telling = np.ones(len(group_of), dtype=bool)
    return Cover(name, (), (), group_of, level_of, tuple(levels), telling)


def draw_values(
    engine: Engine,
    original: Original,
    released: Source,
    columns: Sequence[Labelled],
    *,
    seed: int,
) -> Source:
    """Replace labels that stand for several values by one of these, drawn at random.

    For measures that need a file of values: nearest records, propensity scores.
    """
    rng = np.random.default_rng(seed)
    new = {}
    for column in columns:
        if column.exact:
            continue
        own = original.coded[column.name]
        codes = column.equal[column.released]
        open_groups = column.cover.group_of[column.released]
        places = rng.random(len(codes))
        for group in np.unique(open_groups[open_groups >= 0]):
            level = column.cover.levels[column.cover.level_of[group]]
            values = np.flatnonzero(level == group)
            here = np.flatnonzero(open_groups == group)
            codes[here] = values[(places[here] * len(values)).astype(np.int64)]
        # the code beyond the last value is that of a missing one, and of a label that means nothing
        absent = (codes < 0) | (codes >= len(own.values))
        new[column.name] = own.values.take(pa.array(np.where(absent, 0, codes), mask=absent))
    replaced = {name: values for name, values in new.items() if name in released.variables}
    if not replaced:
        return released
    variables = Variables(
        original.source.variables[v.name] if v.name in replaced else v
        for v in released.variables.values()
    )
    return with_columns(engine, released, replaced, variables=variables)
