"""Records for the tests of questions, and a way to ask them without a process for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from indistinct.core.variables import Variables
from indistinct.files import open_table, workspace
from indistinct.query import Bound, QuerySession
from indistinct.query.coding import as_ranges
from indistinct.query.guarded import Guarded, Told
from indistinct.query.language import read_question


@contextmanager
def session(columns: Mapping[str, Sequence[Any]], **options: Any) -> Iterator[QuerySession]:
    """Start a session on columns by name; exact unless said otherwise."""
    with workspace() as folder:
        source = open_table(pa.table(dict(columns)), workspace=folder)
        with QuerySession(source, **{"exact": True, **options}) as started:
            yield started


class Asked:
    """Records with noise, asked in this process; remembers the tables that were told."""

    def __init__(
        self,
        columns: Mapping[str, Sequence[Any]],
        folder: Path,
        *,
        secret: bytes = b"secret",
        bound: Bound | None = None,
        declared: bool = True,
        measured: Sequence[str] = (),
        **options: Any,
    ) -> None:
        source = open_table(pa.table(dict(columns)), workspace=folder)
        if declared:
            source = replace(
                source,
                variables=Variables(
                    replace(variable, categories=tuple(sorted(set(columns[variable.name]))))
                    if variable.name not in measured
                    else variable
                    for variable in source.variables.values()
                ),
            )
        ranges = as_ranges(options.pop("ranges", None), list(source.variables))
        self.of = Guarded(source, bound or Bound(), secret, 1, ranges, **options)
        self.opened: list[str] = []

    def ask(self, question: str) -> Told:
        told = self.of.ask(read_question(question), self.opened)
        self.opened += [table for table in told.tables if table not in self.opened]
        return told
