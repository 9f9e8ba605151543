"""Putting a recoding on the records, and the base of every step that decides one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, Ints, SmallInts, Variable, holds_text
from indistinct.engine import Engine, Tally
from indistinct.files import Source, is_number_format
from indistinct.hierarchy import Hierarchies, Hierarchy
from indistinct.keys import Generalisable, KeyTable, Recoding
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step, check_key

__all__ = ["RecodingStep", "apply_recoding", "generalised_variable"]


class RecodingStep(Step):
    """A step that counts the records by a key, decides a recoding, and puts it on them.

    A subclass is a frozen dataclass with at least the fields `key` (tuple of names), `k` and
    `hierarchies` (tuple of `Hierarchy`, in key order), and says in `recoding` what it decides.
    The receipt's `private` part is the `Recoding`.
    """

    key: tuple[str, ...]
    k: int
    hierarchies: tuple[Hierarchy, ...]
    finds_uniques = True
    draws_at_random = True
    blanks = False
    """Whether a suppressed cell is released as no value instead of the hierarchy's root."""

    def __post_init__(self) -> None:
        """Refuse a wrong key or k, and hierarchies of other variables."""
        check_key(self.key, self.k)
        if tuple(hierarchy.name for hierarchy in self.hierarchies) != tuple(self.key):
            raise InputError("There must be one hierarchy for each key variable, in their order.")

    @abstractmethod
    def recoding(self, keys: Generalisable) -> Recoding:
        """Decide how far each cell climbs; the same table gives the same recoding."""

    def notes(self, recoding: Recoding) -> tuple[str, ...]:
        """Say what people should know of a recoding, without a value of a cell."""
        return ()

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Count, decide, and recode."""
        tally = engine.count(source, self.key)
        keys = Generalisable.of(KeyTable.from_tally(tally), Hierarchies(self.hierarchies))
        recoding = self.recoding(keys)
        draws = context.draws() if context.seed is not None else None
        result = apply_recoding(engine, source, tally, recoding, draws=draws, blank=self.blanks)
        return result, recoding_receipt(
            self.kind, recoding, k=self.k, notes=self.notes(recoding), private=recoding
        )


def recoding_receipt(
    kind: str, recoding: Recoding, *, k: int, notes: tuple[str, ...] = (), private: Any = None
) -> Receipt:
    """Say in numbers what a recoding did."""
    own = np.stack(
        [
            recoding.keys.climb(j)[0][recoding.keys.leaves[recoding.classes, j]]
            for j in range(len(recoding.keys.names))
        ],
        axis=1,
    )
    changed = (recoding.nodes != own).any(axis=1) & ~recoding.dropped
    sizes = recoding.group_counts
    return Receipt(
        kind,
        recoding.keys.records,
        recoding.keys.records - recoding.records_dropped,
        records_changed=int(recoding.counts[changed].sum()),
        cells_changed=recoding.cells_changed(),
        residual=int(sizes[sizes < k].sum()),
        notes=notes,
        private=private,
    )


def apply_recoding(
    engine: Engine,
    source: Source,
    tally: Tally,
    recoding: Recoding,
    *,
    draws: Draws | None = None,
    blank: bool = False,
) -> Source:
    """Give every record the labels its row of the recoding says; leave out dropped records.

    A column of which no cell changes is left as it is, type and all; another becomes text.

    Parameters
    ----------
    tally
        The count from which the recoding's key table was made.
    draws
        Which records of a class with several rows go which way is drawn; None takes them in
        file order.
    blank
        Whether a cell that has become the root is released as no value. All other cells of its
        variable must then be untouched, and the column keeps its type.
    """
    rows = _rows_of_records(tally, recoding, draws)
    schema, variables = source.schema, source.variables
    columns = []
    changed = recoding.cells_changed()
    kept = ~recoding.dropped
    for j, name in enumerate(recoding.keys.names):
        if not changed[name]:
            continue
        position = schema.get_field_index(name)
        nodes = recoding.nodes[:, j]
        if blank:
            own = recoding.keys.climb(j)[0][recoding.keys.leaves[recoding.classes, j]]
            gone = np.asarray(nodes != own)
            if (nodes[gone & kept] != recoding.keys.climb(j)[-1, 0]).any():
                raise InputError(f"'{name}' is generalised, not only suppressed, by this recoding.")
            field = schema.field(position).with_nullable(True)
            columns.append((position, field, gone, None))
        else:
            labels = pa.array(recoding.keys.labels(j), type=pa.string())
            field = pa.field(name, pa.string())
            columns.append((position, field, np.maximum(nodes, 0), labels))
            old = schema.field(position).type
            variables = variables.updated({name: generalised_variable(variables[name], old)})
        schema = schema.set(position, field)
    if not columns and kept.all():
        return source
    every = bool(kept.all())

    def change(batch: pa.RecordBatch, records: Ints) -> pa.RecordBatch:
        row = rows[records]
        for position, field, content, labels in columns:
            if labels is None:
                column = batch.column(position)
                empty = pa.nulls(1, type=column.type)[0]
                new = pc.if_else(pa.array(content[row]), empty, column)
            else:
                new = pa.DictionaryArray.from_arrays(pa.array(content[row]), labels).cast(
                    pa.string()
                )
            batch = batch.set_column(position, field, new)
        return batch if every else batch.filter(pa.array(kept[row]))

    return engine.transform(source, change, schema=schema, variables=variables)


def generalised_variable(variable: Variable, kind: pa.DataType) -> dict[str, Any]:
    """Return the properties of a variable once its values have become labels of a hierarchy.

    Codes that were numbers are text now, so what counts with the numbers goes. Their labels stay,
    and how a statistical package shows them: some codes may be left, and a file of that package
    has them as numbers again. A release is cut to the labels of what occurs.
    """
    level = "ordinal" if variable.level in ("numeric", "date") else variable.level
    changes: dict[str, Any] = {"level": level, "categories": None, "format": ""}
    if not holds_text(kind):
        changes["user_missing"] = ()
        if is_number_format(variable.format):
            changes["format"] = variable.format
    return changes


def _rows_of_records(tally: Tally, recoding: Recoding, draws: Draws | None) -> SmallInts:
    """Return for each record its row of the recoding."""
    first = np.searchsorted(recoding.classes, np.arange(recoding.keys.classes)).astype(np.int32)
    rows = _joined(tally.per_record(first))
    several = np.bincount(recoding.classes, minlength=recoding.keys.classes) > 1
    if not several.any():
        return rows
    records = np.flatnonzero(several[recoding.classes[rows]])
    start = rows[records]
    ties = draws.words("recode", records) if draws else np.zeros(len(records), dtype=np.uint64)
    order = np.lexsort((records, ties, start))
    # in the order drawn within each class, rows are filled one after the other
    rows_of_split = np.flatnonzero(several[recoding.classes])
    filled = np.repeat(rows_of_split, recoding.counts[rows_of_split]).astype(np.int32)
    rows[records[order]] = filled
    return rows


def _joined(batches: Any) -> SmallInts:
    parts: Sequence[SmallInts] = list(batches)
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
