"""Documents through the scrubber, a chunk at a time, in order, by several processes.

What is decided here: a chunk is made of the documents alone, so that the result does not depend on
the number of processes; few chunks are under way at any time, so that memory does not depend on the
number of documents; what fails is withheld, and never passed on as it was.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from itertools import chain
from typing import Protocol

from indistinct.scrub.documents import Document, Group, Outcome, Treated
from indistinct.scrub.limits import has_alarm

__all__ = ["Chunk", "Treater", "Treatment", "chunks_of", "paired", "treat_all", "treat_chunk"]

CHUNK_DOCUMENTS = 64
CHUNK_CHARACTERS = 200_000
GROUP_DOCUMENTS = 500
GROUP_CHARACTERS = 2_000_000
AHEAD = 2
"""Chunks that wait for each process, beside the one that it has."""

Chunk = list[Group]


class Treater(Protocol):
    """Takes the people out of documents."""

    def treat(self, group: Group) -> list[Outcome]:
        """Return what comes of each document of a group; never raises for a document's sake."""


class Treatment(Protocol):
    """What is done to documents, small enough to be sent to another process."""

    def start(self) -> Treater:
        """Get ready, in the process where it is done."""


def groups_of(documents: Iterable[Document]) -> Iterator[Group]:
    """Put documents together that follow each other and belong together, up to a bound."""
    group: Group = []
    characters = 0
    for document in documents:
        size = len(document.text or "")
        apart = (
            not group
            or document.together is None
            or document.together != group[-1].together
            or len(group) == GROUP_DOCUMENTS
            or characters + size > GROUP_CHARACTERS
        )
        if apart and group:
            yield group
        if apart:
            group, characters = [], 0
        group.append(document)
        characters += size
    if group:
        yield group


def chunks_of(documents: Iterable[Document]) -> Iterator[Chunk]:
    """Put groups together until there is enough work for sending them elsewhere to be worth it."""
    chunk: Chunk = []
    count = characters = 0
    for group in groups_of(documents):
        size = sum(len(document.text or "") for document in group)
        if chunk and (count + len(group) > CHUNK_DOCUMENTS or characters + size > CHUNK_CHARACTERS):
            yield chunk
            chunk, count, characters = [], 0, 0
        chunk.append(group)
        count += len(group)
        characters += size
    if chunk:
        yield chunk


def treat_chunk(treater: Treater, chunk: Chunk) -> list[Outcome]:
    """Treat the documents of every group that could be read; the others stay withheld."""
    outcomes = []
    for group in chunk:
        readable = [document for document in group if document.text is not None]
        treated = iter(treater.treat(readable)) if readable else iter(())
        outcomes += [
            next(treated) if document.text is not None else Outcome(None, reason=document.reason)
            for document in group
        ]
    return outcomes


def paired(chunk: Chunk, outcomes: Iterable[Outcome]) -> Iterator[Treated]:
    """Give each document of a chunk with what came of it."""
    documents = chain.from_iterable(chunk)
    for document, outcome in zip(documents, outcomes, strict=True):
        yield Treated(document, outcome)


def treat_all(
    documents: Iterable[Document], treatment: Treatment, *, threads: int
) -> Generator[Treated, None, None]:
    """Give every document with what came of it, in order.

    Few documents are treated in this process. At most ``threads × (AHEAD + 1)`` chunks are held.
    """
    from indistinct.scrub.workers import Workers

    chunks = chunks_of(documents)
    first = list(_take(chunks, 2))
    if has_alarm() and (threads == 1 or len(first) < 2):
        treater = treatment.start()
        for chunk in chain(first, chunks):
            yield from paired(chunk, treat_chunk(treater, chunk))
        return
    if not first:
        return
    with Workers(treatment, threads if len(first) == 2 else 1) as workers:
        waiting = deque((chunk, workers.treat(chunk)) for chunk in first)
        for chunk in chunks:
            waiting.append((chunk, workers.treat(chunk)))
            if len(waiting) > threads * (AHEAD + 1) - 1:
                oldest, outcomes = waiting.popleft()
                yield from paired(oldest, outcomes.result())
        while waiting:
            oldest, outcomes = waiting.popleft()
            yield from paired(oldest, outcomes.result())


def _take(chunks: Iterator[Chunk], most: int) -> Iterator[Chunk]:
    for _ in range(most):
        chunk = next(chunks, None)
        if chunk is None:
            return
        yield chunk
