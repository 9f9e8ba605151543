"""A conversation with released records, in which nothing small can be worked out."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa

from indistinct.engine.sandbox import Sandbox
from indistinct.errors import GuaranteeError, InputError
from indistinct.files import Source
from indistinct.query.answer import Answer, plain
from indistinct.query.known import KnownSets
from indistinct.query.layers import layers_of
from indistinct.query.sqlcheck import MOST_GROUPS, MOST_ROWS, Question, read_question
from indistinct.release.locking import locked

__all__ = ["QuerySession"]


class QuerySession:
    """Questions to released records, each answered with all earlier answers in mind.

    Parameters
    ----------
    source
        The released records.
    smallest
        The fewest records that anything may rest on which the answers tell or let be worked out;
        1 for no control.
    listing
        Whether rows that are records may be told.
    why_not
        If not, why, in a sentence.
    log
        A private file that keeps what was answered, so that later sessions have it in mind.
    notes
        What every answer is to say.

    >>> from indistinct.files import open_table, workspace
    >>> people = {"sex": [*"mmmmmmffffff"], "town": [*"aaaabbaaaaaa"]}
    >>> with workspace() as folder:
    ...     source = open_table(people, workspace=folder)
    ...     with QuerySession(source, smallest=3) as session:
    ...         session.ask("select sex, count(*) as n from data group by sex")
    ...         session.ask("select count(*) from data where sex = 'm' and town = 'a'").summary
    sex  n
    ---  -
    f    6
    m    6
    2 rows (no answer on fewer than 3 records)
    '0 rows, 1 withheld (no answer on fewer than 3 records)'
    """

    def __init__(
        self,
        source: Source,
        *,
        smallest: int,
        listing: bool = False,
        why_not: str = "",
        log: Path | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        if isinstance(smallest, bool) or not isinstance(smallest, int) or smallest < 1:
            raise InputError(f"smallest must be an integer of at least 1. Got {smallest}.")
        if source.records < smallest:
            raise GuaranteeError(
                f"{source.origin} has fewer than {smallest} records: no answer can rest on so many."
            )
        self.smallest = smallest
        self.listing = listing
        self._why_not = why_not
        self._notes = tuple(notes)
        self._log = log
        self._known = KnownSets(source.records, smallest=smallest)
        kinds = source.schema
        self._columns = {name: _is_number(kinds.field(name).type) for name in source.variables}
        lowered = {name.lower() for name in self._columns}
        if len(lowered) < len(self._columns):
            raise InputError(
                f"{source.origin}: two columns differ in capital letters only, which questions "
                "cannot tell apart. Rename one."
            )
        self._sandbox = Sandbox(source)

    def __enter__(self) -> QuerySession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Forget the records."""
        self._sandbox.close()

    def ask(self, sql: str) -> Answer:
        """Answer one SELECT about the table `data`."""
        question = read_question(self._sandbox.parse(sql), sql, self._columns)
        if (question.listing or question.shows_records) and not self.listing:
            raise InputError(
                "The question asks for single records, which are not told here"
                f"{': ' + self._why_not if self._why_not else ''}. Ask for counts and means: "
                '"select sex, count(*) from data group by sex".'
            )
        self._sandbox.check(question.untried)
        if question.listing:
            return self._listed(question)
        with self._remembering():
            return self._grouped(question)

    @contextlib.contextmanager
    def _remembering(self) -> Iterator[None]:
        """Have in mind what other sessions answered, and let them know what this one does."""
        log = self._log
        if log is None or self.smallest == 1:
            yield
            return
        with locked(log.with_name(f"{log.name}.lock")):
            if log.exists():
                self._known = KnownSets.load(
                    log, records=self._known.records, smallest=self.smallest
                )
            yield
            self._known.save(log)

    def _listed(self, question: Question) -> Answer:
        table = self._sandbox.run(question.sql)
        rows = _rows(table, len(question.columns))
        notes = list(self._notes)
        if len(rows) > MOST_ROWS:
            rows = rows[:MOST_ROWS]
            notes.append(_cut(MOST_ROWS))
        return self._answer(question, rows, (1,) * len(rows), 0, notes)

    def _grouped(self, question: Question) -> Answer:
        table = self._sandbox.run(question.sql)
        if table.num_rows > MOST_GROUPS:
            raise InputError(
                f"The answer would have more than {MOST_GROUPS:,} rows. Group by less, or ask "
                "about fewer records."
            )
        width = len(question.columns)
        layers = layers_of(table.select(range(width + 1, table.num_columns)), question.supports)
        told = np.ones(table.num_rows, dtype=bool)
        if self.smallest > 1 and table.num_rows:
            told = self._known.admit(layers)
        withheld = int(np.count_nonzero(~told))
        wanted = np.asarray(table.column(width).to_numpy(zero_copy_only=False), dtype=bool) & told
        chosen = np.flatnonzero(wanted)[question.offset :]
        notes = list(self._notes)
        if question.limit is not None:
            chosen = chosen[: question.limit]
        if len(chosen) > MOST_ROWS:
            chosen = chosen[:MOST_ROWS]
            notes.append(_cut(MOST_ROWS))
        if withheld:
            notes.append(
                f"{'1 row is' if withheld == 1 else f'{withheld:,} rows are'} withheld, because "
                f"fewer than {self.smallest} records stand behind such a row, or could be told "
                "apart by it together with what else is known."
            )
        elif not len(chosen):
            notes.append("The answer is empty: no record, or no group, meets the conditions.")
        rows = _rows(table.take(chosen), width)
        records = tuple(layers[""][0].sizes[chosen].tolist())
        return self._answer(question, rows, records, withheld, notes)

    def _answer(
        self,
        question: Question,
        rows: tuple[tuple[object, ...], ...],
        records: tuple[int, ...],
        withheld: int,
        notes: Sequence[str],
    ) -> Answer:
        return Answer(question.columns, rows, records, withheld, self.smallest, tuple(notes))


def _cut(most: int) -> str:
    return f"The answer is cut after {most:,} rows. Ask about fewer records, or page with OFFSET."


def _rows(table: pa.Table, width: int) -> tuple[tuple[object, ...], ...]:
    columns = [[plain(v) for v in table.column(j).to_pylist()] for j in range(width)]
    return tuple(zip(*columns, strict=True))


def _is_number(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
    )
