"""Leaving out the records that are still in unsafe classes once values have been generalised."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from indistinct.core import InputError, Ints
from indistinct.engine import Engine
from indistinct.files import Source, open_data
from indistinct.hierarchy import Hierarchies, Hierarchy, as_texts
from indistinct.keys import Generalisable, KeyTable, group_rows
from indistinct.protect.models import Grouping, PrivacyModel, unsafe_classes
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.risk import SensitiveCounts, split_told

__all__ = ["DropUnsafe"]


@dataclass(frozen=True)
class DropUnsafe(Step, kind="drop-unsafe"):
    """Leave out the records of every class that one of the models calls unsafe.

    Parameters
    ----------
    key
        The variables that make the classes, as they are when the step comes: labels, if they
        were generalised before.
    models
        What is asked of a class, and of the file.
    hierarchies, levels
        How the key was generalised before. Only a model that compares with a register needs to
        know, since the register's values are generalised alike.

    >>> from indistinct.protect.models import KAnonymity
    >>> DropUnsafe(("zip", "sex"), (KAnonymity(3),)).describe()
    'leave out the records in classes of zip, sex that are not safe: k=3'
    """

    truthful = True

    key: tuple[str, ...]
    models: tuple[PrivacyModel, ...]
    hierarchies: tuple[Hierarchy, ...] = ()
    levels: tuple[int, ...] = ()

    finds_uniques = True

    def __post_init__(self) -> None:
        """Refuse a step without key or models, and a register that cannot be found again."""
        problems = []
        if isinstance(self.key, str) or not self.key or len(set(self.key)) < len(self.key):
            problems.append("The key must be a list of at least one variable, each once.")
        if not self.models:
            problems.append("Name at least one privacy model, such as KAnonymity(5).")
        if any(model.needs_register for model in self.models):
            if any(getattr(model, "register", "") is None for model in self.models):
                problems.append("A plan must know the register's path: KMap(k, register='...').")
            named = tuple(hierarchy.name for hierarchy in self.hierarchies)
            if named != tuple(self.key) or len(self.levels) != len(self.key):
                problems.append("With a register, give a hierarchy and a level for each variable.")
        if problems:
            raise InputError(" ".join(problems))

    def describe(self) -> str:
        """Say what is done."""
        asked = ", ".join(model.describe() for model in self.models)
        return (
            f"leave out the records in classes of {', '.join(self.key)} that are not safe: {asked}"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Count, judge, and keep the rest."""
        if not source.records:
            return source, Receipt(self.kind, 0, 0, residual=0)
        sensitive = tuple(dict.fromkeys(m.looks_at for m in self.models if m.looks_at))
        source.check_columns([*self.key, *sensitive])
        tally = engine.count(source, [*self.key, *sensitive])
        counted = KeyTable.from_tally(tally)
        # the same classes, whatever is told of one or of another variable
        known = {name: source.variables[name] for name in sensitive}
        splits = {name: split_told(counted, self.key, name, known[name]) for name in sensitive}
        classes, class_of = _classes(counted, splits)
        people = self._people(engine, classes)
        unsafe = unsafe_classes(
            self.models, Grouping(classes.counts, people, splits), most=source.records
        )
        if not unsafe.any():
            return source, Receipt(self.kind, source.records, source.records, residual=0)
        keep = np.concatenate(list(tally.per_record(~unsafe[class_of])))
        result = engine.keep(source, keep)
        rows = np.flatnonzero(keep)
        return result, Receipt(self.kind, source.records, result.records, residual=0, rows=rows)

    def _people(self, engine: Engine, classes: KeyTable) -> Ints | None:
        """Return how many people of the register share each class."""
        registers = {m.register for m in self.models if m.needs_register}  # type: ignore[attr-defined]
        if not registers:
            return None
        if len(registers) > 1:
            raise InputError("All k-map models of a step must be about one register.")
        register = open_data(Path(registers.pop()), workspace=engine.workspace)
        register.check_columns(self.key)
        table = KeyTable.from_tally(engine.count(register, self.key))
        people = Generalisable.of(table, Hierarchies(self.hierarchies))
        nodes = people.nodes(self.levels)
        groups = group_rows(nodes.astype(np.int64))
        totals = np.bincount(groups, weights=people.counts).astype(np.int64)
        _, first = np.unique(groups, return_index=True)
        labels = [
            [people.labels(j)[node] for node in nodes[first, j]] for j in range(len(self.key))
        ]
        known = dict(zip(zip(*labels, strict=True), totals.tolist(), strict=True))
        own = [as_texts(classes.values(name)) for name in self.key]
        return np.array([known.get(row, 0) for row in zip(*own, strict=True)], dtype=np.int64)


def _classes(counted: KeyTable, splits: dict[str, SensitiveCounts]) -> tuple[KeyTable, Ints]:
    """Return the classes of the key, and the class of each row that was counted."""
    for split in splits.values():
        return split.table, split.class_of
    return counted, np.arange(counted.classes)
