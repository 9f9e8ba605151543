"""What runs in the process apart: reads a question, and answers it from the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from indistinct.core import InputError
from indistinct.files import Source
from indistinct.query.bound import Bound
from indistinct.query.coding import Range
from indistinct.query.exact import answer_exactly
from indistinct.query.guarded import Guarded, Told
from indistinct.query.language import read_question

__all__ = ["Answering"]


class Answering:
    """Answers questions about records, exactly or with noise.

    Parameters
    ----------
    bound
        What is promised of people; None for exact answers.
    secret, ranges, person, why
        See `Guarded`.
    people
        A file that numbers the person of each record.
    """

    def __init__(
        self,
        source: Source,
        smallest: int,
        bound: Bound | None = None,
        secret: bytes = b"",
        ranges: Mapping[str, Range] | None = None,
        person: str | None = None,
        people: Path | None = None,
        why: str = "",
    ) -> None:
        self._source, self._smallest, self._guarded = source, smallest, None
        if bound is not None:
            numbers = None if people is None else np.load(people).astype(np.int64)
            self._guarded = Guarded(
                source, bound, secret, smallest, ranges or {}, person, numbers, why
            )

    def __call__(self, question: str, opened: Sequence[str]) -> Told:
        """Answer a question, or say why not."""
        try:
            asked = read_question(question)
            if self._guarded is not None:
                return self._guarded.ask(asked, opened)
            return Told(answer_exactly(self._source, asked, smallest=self._smallest), "", ())
        except InputError as error:
            return Told(None, str(error), ())
