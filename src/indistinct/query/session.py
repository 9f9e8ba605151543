"""A conversation with released records: exact where they are proved, else with noise."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from indistinct.core import InputError, check_whole
from indistinct.engine import Apart
from indistinct.files import Source
from indistinct.query.answer import Answer
from indistinct.query.bound import Bound
from indistinct.query.coding import as_ranges
from indistinct.query.guarded import Told
from indistinct.query.language import LONGEST
from indistinct.query.log import Conversation, Log, who_asks
from indistinct.release import file_digest

__all__ = ["QuerySession"]


class QuerySession:
    """Questions to released records, each worked out in a process apart.

    Parameters
    ----------
    source
        The released records.
    exact
        Whether they may be seen one by one, so that answers are exact. Otherwise they are asked
        through tables with noise, and `bound` is the promise.
    smallest
        Rows of fewer records than this are withheld; with noise, of fewer people as they show.
    bound
        What may be learnt of one person from all answers together.
    ranges
        Between which numbers variables lie, said without looking at the data: ``{"income": (0,
        100000), "age": (0, 100, 10)}``.
    person
        The column that says whose record each is, where people have several.
    people
        A NumPy file with a number for the person of each record, where no column says it.
    log
        A private file that keeps the conversation. Without one it ends with the session, and the
        next session is a further promise about the same people.
    records
        The hash of the records, by which the log knows them; by default that of the file.
    who
        Who asks, for the log; by default the user of the machine.
    why_not
        If answers are not exact, why.
    notes
        What every answer is to say.

    >>> from indistinct.files import open_table, workspace
    >>> people = {"sex": [*"mf"] * 500, "town": [*"aaab"] * 250}
    >>> with workspace() as folder:
    ...     source = open_table(people, workspace=folder)
    ...     with QuerySession(source, exact=True) as session:
    ...         session.ask("select sex, count(*) as n from data where town = 'a' group by sex")
    ...     with QuerySession(source) as session:
    ...         once = session.ask("select count(*) from data where sex = 'f'").rows
    ...         again = session.ask("select count(*) from data where not (sex <> 'f')").rows
    sex  n
    ---  ---
    f    250
    m    500
    2 rows (exact)
    >>> once == again
    True
    """

    def __init__(
        self,
        source: Source,
        *,
        exact: bool = False,
        smallest: int | None = None,
        bound: Bound | None = None,
        ranges: Mapping[str, Any] | None = None,
        person: str | None = None,
        people: Path | None = None,
        log: Path | None = None,
        records: str | None = None,
        who: str | None = None,
        why_not: str = "they are not proved safe one by one",
        notes: Sequence[str] = (),
    ) -> None:
        if smallest is None:
            smallest = 1 if exact else 5
        check_whole("smallest", smallest, 1)
        names = list(source.variables)
        if len({name.lower() for name in names}) < len(names):
            raise InputError(
                f"{source.origin}: two columns differ in capital letters only, which questions "
                "cannot tell apart. Rename one."
            )
        if person is not None:
            source.check_columns([person])
        several = person is not None or people is not None
        self.exact = exact
        self.bound = None if exact else bound or Bound(most=4 if several else 1)
        self._who = who_asks(who)
        self._notes = tuple(notes)
        if not exact:
            self._notes += (f"Answers have noise, and single records are not told: {why_not}.",)
        self._source = source
        self._parts = (as_ranges(ranges, names), person, people, why_not)
        self._smallest = smallest
        self._memory = Conversation(self.bound)
        self._log = None
        if log is not None:
            digest = records or file_digest(source.path)
            self._log = Log(Path(log), records=digest, bound=self.bound, person=person)
        self._apart: Apart | None = None
        self._secret: bytes | None = None

    def __enter__(self) -> QuerySession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget the records."""
        if self._apart is not None:
            self._apart.close()
            self._apart = None

    @property
    def smallest(self) -> int:
        """The fewest records, or people as they show, of a row that is told."""
        return self._smallest

    def ask(self, question: str) -> Answer:
        """Answer one question about the records."""
        kept = question[:LONGEST]
        with self._conversation() as conversation:
            try:
                told = self._told(question, conversation)
            except InputError:
                conversation.add(self._who, kept, (), answered=False)
                raise
            conversation.add(self._who, kept, told.tables, answered=told.answer is not None)
        if told.answer is None:
            raise InputError(told.refused)
        return replace(told.answer, notes=(*told.answer.notes, *self._notes))

    @contextlib.contextmanager
    def _conversation(self) -> Iterator[Conversation]:
        if self._log is None:
            yield self._memory
            return
        with self._log.open() as conversation:
            yield conversation

    def _told(self, question: str, conversation: Conversation) -> Told:
        if self._secret not in (None, conversation.secret):
            raise InputError(
                "The log of these questions was replaced by another one meanwhile, which is "
                "another promise about the same people. Put it back, or open the records anew."
            )
        if self._apart is None:
            self._secret = conversation.secret
            self._apart = Apart(
                "indistinct.query.answering:Answering",
                *(self._source, self._smallest, self.bound, conversation.secret),
                *self._parts,
            )
        told: Told = self._apart.call(question, tuple(conversation.tables))
        return told
