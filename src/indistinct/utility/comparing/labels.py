"""Generalised variables: the original recoded as the release was, so that both can be compared.

A released label such as ``20-29`` is no value of the original, and by every measure that compares
values all would be lost. Labels and values that have something in common are put together: a
category is a set of labels and the original values that they stand for, no two categories share a
value, and both files are recoded to them. What labels stand for is said by a hierarchy or by
their form (`indistinct.prove.covering`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Ints, decoded, held_kind, holds_numbers, holds_text
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy, as_text, is_suppressed, span_of
from indistinct.prove import Cover, cover

__all__ = ["Generalised", "Prepared", "kind_of_values", "prepare"]

Trees = Callable[[str, Sequence[Any]], Hierarchy | None]
"""Returns the hierarchy of a variable, given the values that occur in the original."""

_ORDERED = ("numeric", "date", "ordinal")


@dataclass(frozen=True)
class Generalised:
    """A variable that was released as labels, and the categories that both files were recoded to.

    Parameters
    ----------
    values
        How many values the original has.
    categories
        How many categories there are now.
    """

    name: str
    values: int
    categories: int

    def __str__(self) -> str:
        return f"{self.name} ({self.values:,} values, {self.categories:,} categories)"


@dataclass(frozen=True)
class Prepared:
    """Two files that can be compared, and what had to be done to them.

    Parameters
    ----------
    generalised
        Variables that were recoded in both files.
    unread
        Variables whose labels cannot be matched with the original's values.
    silent
        Variables of which nothing at all is told any more.
    suppressed
        Released cells that tell nothing and count as missing, by variable.
    """

    original: Source
    released: Source
    generalised: tuple[Generalised, ...] = ()
    unread: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    suppressed: Mapping[str, int] = field(default_factory=dict)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The variables that cannot be compared."""
        return self.unread + self.silent

    @property
    def labelled(self) -> set[str]:
        """The variables whose released values are labels, or none."""
        return {found.name for found in self.generalised} | set(self.left_out)

    def notes(self) -> Iterator[str]:
        """Say what was done."""
        if self.generalised:
            yield (
                f"Generalised: {', '.join(map(str, self.generalised))}. The original was recoded "
                "in the same way, so what is compared are the categories; precision and loss "
                "measure what recoding costs."
            )
        if self.unread:
            yield (
                f"Generalised and left out: {', '.join(self.unread)}. The released labels do not "
                "occur in the original and cannot be matched with its values; hierarchies "
                "(--hierarchies DIR) would say what they stand for."
            )
        if self.silent:
            yield f"Suppressed altogether and left out: {', '.join(self.silent)}."
        if self.suppressed:
            told = ", ".join(f"{name} {count:,}" for name, count in self.suppressed.items())
            yield f"Suppressed cells count as missing: {told}."


@dataclass(frozen=True)
class _Recoding:
    """What becomes of a column's values: `new[i]` of `old[i]`."""

    old: pa.Array
    new: pa.Array
    changes: dict[str, Any] = field(default_factory=dict)


def prepare(
    engine: Engine,
    original: Source,
    released: Source,
    names: Sequence[str],
    trees: Trees,
) -> Prepared:
    """Recode both files so that generalised variables can be compared.

    Numbers among numbers are never taken for labels: they may be rounded, noisy or averaged.
    Only labels and codes that the original does not have are.

    Parameters
    ----------
    names
        The variables to look at, which both files have.
    trees
        Hierarchies that say what labels stand for.
    """
    before: dict[str, _Recoding] = {}
    after: dict[str, _Recoding] = {}
    generalised: list[Generalised] = []
    unread: list[str] = []
    empty: list[str] = []
    suppressed: dict[str, int] = {}
    schemas = original.schema, released.schema
    for name in names:
        kinds = [kind_of_values(schema.field(name).type) for schema in schemas]
        level = original.variables[name].level
        if kinds[0] == kinds[1] and kinds[0] != "text" and level not in ("nominal", "taxonomy"):
            continue
        values, labels = _distinct(original, name), _distinct(released, name)
        if not len(labels) and len(values):
            empty.append(name)
            continue
        known = {as_text(value) for value in values.to_pylist()}
        new = [label for label in labels.to_pylist() if as_text(label) not in known]
        if not new:
            continue
        tree = trees(name, values.to_pylist())
        silent = [label for label in new if is_suppressed(label, tree)]
        if len(silent) == len(labels):
            empty.append(name)
            continue
        if silent:
            suppressed[name] = _count(released, name, silent)
        if any(_is_label(label, known) for label in new if label not in silent):
            found = _categories(values, labels, tree, ordered=level in _ORDERED)
            if found is None:
                unread.append(name)
                suppressed.pop(name, None)
                continue
            before[name], after[name] = found
            generalised.append(Generalised(name, len(values), len(pc.unique(before[name].new))))
        elif silent:
            after[name] = _without(labels, silent, schemas[0].field(name).type)
            if kind_of_values(after[name].new.type) == kinds[0]:
                after[name].changes["level"] = level
                after[name].changes["user_missing"] = original.variables[name].user_missing
    return Prepared(
        _recoded(engine, original, before),
        _recoded(engine, released, after),
        tuple(generalised),
        tuple(unread),
        tuple(empty),
        suppressed,
    )


def _distinct(source: Source, name: str) -> pa.Array:
    parts = [pc.unique(batch.column(0)) for batch in source.batches([name])]
    every = decoded(pc.unique(pa.concat_arrays(parts)).drop_null())
    # as in counting, a not-a-number is a missing value
    return every.filter(pc.invert(pc.is_nan(every))) if pa.types.is_floating(every.type) else every


def _count(source: Source, name: str, values: Sequence[Any]) -> int:
    wanted = pa.array(values, type=source.schema.field(name).type)
    return sum(
        int(pc.sum(pc.is_in(batch.column(0), value_set=wanted)).as_py() or 0)
        for batch in source.batches([name])
    )


def _is_label(value: Any, known: set[str | None]) -> bool:
    """Say whether a new value is a label: a number is not, where the original has numbers."""
    if not _is_number(as_text(value)):
        return True
    numbers = sum(_is_number(text) for text in known)
    return 2 * numbers < len(known)


def _is_number(text: str | None) -> bool:
    span = span_of(text, "number")
    return span is not None and span[0] == span[1]


def _without(labels: pa.Array, silent: Sequence[Any], kind: pa.DataType) -> _Recoding:
    """Make suppressed labels missing, and the others what the original's column holds."""
    left = pc.if_else(pc.is_in(labels, value_set=pa.array(silent, labels.type)), None, labels)
    try:
        return _Recoding(labels, left.cast(kind))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return _Recoding(labels, left)


def _categories(
    values: pa.Array, labels: pa.Array, tree: Hierarchy | None, *, ordered: bool
) -> tuple[_Recoding, _Recoding] | None:
    """Put labels and values that meet into categories; None where that cannot be done."""
    values = values.take(pc.sort_indices(values))
    found = cover(labels.to_pylist(), values.to_pylist(), hierarchy=tree)
    telling = np.flatnonzero(found.telling)
    if found.unread or (found.group_of[telling] < 0).any():
        return None
    of_group, of_value = _joined(found)
    count = int(max(of_group.max(initial=-1), of_value.max(initial=-1))) + 1
    if count < 2 <= len(values):
        return None
    names = _names(found, of_group, of_value, count)
    new_values = pa.array([names[at] for at in of_value], pa.string())
    new_labels = [
        names[of_group[group]] if tells else None
        for group, tells in zip(found.group_of, found.telling, strict=True)
    ]
    changes: dict[str, Any] = {
        "level": "nominal",
        "labels": {},
        "user_missing": (),
        "categories": None,
        "format": "",
    }
    # the values stand in their order, so a category is an interval where it is one run of them
    runs = of_value[np.append(True, of_value[1:] != of_value[:-1])] if len(of_value) else of_value
    if ordered and len(np.unique(runs)) == len(runs):
        changes |= {"level": "ordinal", "categories": tuple(names[at] for at in runs)}
    return (
        _Recoding(values, new_values, changes),
        _Recoding(labels, pa.array(new_labels, pa.string()), changes),
    )


def _joined(found: Cover) -> tuple[Ints, Ints]:
    """Number the categories: of every group of labels, and of every value.

    Groups that have a value in common are in the same category. A value that no label stands
    for is a category of its own.
    """
    parent = np.arange(len(found.level_of))

    def top(group: int) -> int:
        while parent[group] != group:
            parent[group] = parent[parent[group]]
            group = int(parent[group])
        return group

    telling = np.unique(found.group_of[found.telling & (found.group_of >= 0)])
    counts = np.zeros(len(parent), dtype=bool)
    counts[telling] = True
    first = np.full(len(found.values), -1, dtype=np.int64)
    for level in found.levels:
        for value in np.flatnonzero((level >= 0) & counts[level]):
            group = top(int(level[value]))
            if first[value] < 0:
                first[value] = group
            else:
                parent[group] = top(int(first[value]))
    tops = np.array([top(group) for group in range(len(parent))], dtype=np.int64)
    numbers = {group: n for n, group in enumerate(np.unique(tops[telling]).tolist())}
    of_group = np.array([numbers.get(group, -1) for group in tops.tolist()], dtype=np.int64)
    alone = iter(range(len(numbers), len(numbers) + len(first)))
    of_value = [numbers[int(tops[g])] if g >= 0 else next(alone) for g in first]
    return of_group, np.array(of_value, dtype=np.int64)


def _names(found: Cover, of_group: Ints, of_value: Ints, count: int) -> list[str]:
    """Name every category: by the label that stands for all of it, by its labels, by its value."""
    labels: list[list[tuple[int, str]]] = [[] for _ in range(count)]
    sizes = np.bincount(of_value, minlength=count)
    held = np.zeros(len(found.level_of), dtype=np.int64)
    for level in found.levels:
        held += np.bincount(level[level >= 0], minlength=len(held))
    for label, group in zip(found.labels, found.group_of, strict=True):
        if group >= 0 and of_group[group] >= 0 and label is not None:
            labels[of_group[group]].append((int(held[group]), label))
    names = [""] * count
    for at, value in zip(of_value, found.values, strict=True):
        names[at] = names[at] or str(value)
    for at, inside in enumerate(labels):
        if not inside:
            continue
        most, widest = max(inside, key=lambda pair: (pair[0], pair[1]))
        texts = sorted(text for _, text in inside)
        several = ", ".join(texts[:3]) + (", …" if len(texts) > 3 else "")
        names[at] = widest if most == sizes[at] else f"{{{several}}}"
    return names


def _recoded(engine: Engine, source: Source, recodings: Mapping[str, _Recoding]) -> Source:
    if not recodings:
        return source
    schema = source.schema
    places = [(schema.get_field_index(name), name, found) for name, found in recodings.items()]
    for position, name, found in places:
        schema = schema.set(position, pa.field(name, found.new.type))

    def change(batch: pa.RecordBatch, records: Ints) -> pa.RecordBatch:
        for position, name, found in places:
            column = batch.column(position)
            column = decoded(column)
            at = pc.index_in(column, value_set=found.old, skip_nulls=True)
            batch = batch.set_column(position, pa.field(name, found.new.type), found.new.take(at))
        return batch

    changes = {name: found.changes for name, found in recodings.items() if found.changes}
    variables = source.variables.updated(changes)
    made = engine.transform(source, change, schema=schema, variables=variables)
    return replace(made, origin=source.origin)


def kind_of_values(type: pa.DataType) -> str:
    """Return what values of an Arrow type are: numbers, dates, text."""
    type = held_kind(type)
    if holds_numbers(type):
        return "number"
    if pa.types.is_temporal(type):
        return "date"
    return "text" if holds_text(type) else str(type)
