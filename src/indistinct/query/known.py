"""What has been answered so far, as sets of records; and which further answers are safe with it."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import InputError
from indistinct.files import written_whole
from indistinct.query.small_counts import weak_combinations

__all__ = ["KnownSets", "Layer"]

EVERYBODY = 0
"""The answer that is known before any question: how many records the release has."""


@dataclass(frozen=True)
class Layer:
    """One set of records for each row of an answer; no record is in two of them.

    Parameters
    ----------
    records
        The numbers of the records, those of the first row first.
    sizes
        How many of them each row has.
    """

    records: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def rows(self, records: int) -> NDArray[np.int64]:
        """Return the row of each record of the release, -1 where it is in none."""
        row = np.full(records, -1, dtype=np.int64)
        row[self.records] = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return row


class KnownSets:
    """The sets of records that answers rest on, kept as a division of the records into atoms.

    Counts can be added and subtracted, and so can sums of the same variable; but counts and sums,
    or sums of different variables, cannot be mixed. Each kind of thing has a *space* of its own,
    counts the space ``""``.

    Parameters
    ----------
    records
        How many records the release has; that is known to everybody.
    smallest
        The fewest records that anything may rest on which can be worked out of the answers.

    >>> def layer(*rows):
    ...     return Layer(np.concatenate(rows).astype(np.int64), np.array([len(r) for r in rows]))
    >>> known = KnownSets(20, smallest=3)
    >>> known.admit({"": [layer(range(0, 9), range(9, 11), range(11, 20))]})  # 9, 2, 9 records
    array([False, False,  True])
    >>> known.admit({"": [layer(range(0, 11))]})  # is known: it is everybody but the third row
    array([ True])
    >>> known.admit({"": [layer(range(0, 10))]})  # one fewer
    array([False])
    """

    def __init__(self, records: int, *, smallest: int) -> None:
        self.records = records
        self.smallest = smallest
        self._spaces = {"": _Space(records, [frozenset({EVERYBODY})])}

    def admit(self, layers: Mapping[str, Sequence[Layer]]) -> NDArray[np.bool_]:
        """Say which rows of an answer may be told, and keep in mind that they are.

        A row is told if every set behind it is large enough, and nothing small can be worked out
        from it together with all that is known: earlier answers, the number of records, and what
        the question as a whole is about. Where something could be, the smallest of the new rows
        that take part is withheld, until nothing can.

        Parameters
        ----------
        layers
            By space; the first of the counts holds the records of each row.
        """
        sizes = layers[""][0].sizes
        told = np.ones(len(sizes), dtype=bool)
        for layer in (layer for several in layers.values() for layer in several):
            told &= (layer.sizes == 0) | (layer.sizes >= self.smallest)
        steps = []
        for name, several in layers.items():
            space = self._spaces.setdefault(name, _Space(self.records, [frozenset()]))
            step = _Step(space, several)
            # what is withheld for the sake of one space leaves less to add up in the others
            step.withhold(told, sizes, self.smallest)
            steps.append(step)
        for step in steps:
            step.keep(told)
        return told

    def save(self, path: Path) -> None:
        """Write what is known to a file, which is as private as the records."""
        content: dict[str, NDArray[Any]] = {
            "facts": np.array([self.records, self.smallest], dtype=np.int64),
            "names": np.array(list(self._spaces)),
        }
        for number, space in enumerate(self._spaces.values()):
            lengths = [len(answers) for answers in space.answers]
            content[f"atom{number}"] = space.atom
            content[f"ends{number}"] = np.cumsum([0, *lengths])
            content[f"answers{number}"] = np.array(
                [a for answers in space.answers for a in sorted(answers)], dtype=np.int64
            )
            content[f"next{number}"] = np.array([space.next])
        with written_whole(path) as aside, aside.open("wb") as file:
            np.savez_compressed(file, **content)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path, *, records: int, smallest: int) -> KnownSets:
        """Read what `save` wrote; refuse what belongs to other records or another threshold."""
        known = cls(records, smallest=smallest)
        try:
            with np.load(path) as content:
                facts = content["facts"].tolist()
                for number, name in enumerate(content["names"].tolist()):
                    ends = content[f"ends{number}"].tolist()
                    told = content[f"answers{number}"].tolist()
                    answers = [frozenset(told[low:high]) for low, high in pairwise(ends)]
                    space = _Space(records, answers)
                    space.atom = content[f"atom{number}"]
                    space.next = int(content[f"next{number}"][0])
                    known._spaces[name] = space
        except (OSError, ValueError, KeyError, IndexError, zipfile.BadZipFile, EOFError):
            raise InputError(
                f"{path} is not a log of answers. Name the file that earlier questions wrote."
            ) from None
        if facts != [records, smallest]:
            raise InputError(
                f"{path} is the log of a release of {facts[0]:,} records with no answer on fewer "
                f"than {facts[1]}. Here it is {records:,} records and {smallest}: use another log."
            )
        return known


class _Space:
    """The records divided into atoms by the answers of one kind."""

    def __init__(self, records: int, answers: list[frozenset[int]]) -> None:
        self.atom = np.zeros(records, dtype=np.int64)
        self.answers = answers
        self.next = EVERYBODY + 1


class _Step:
    """What one question adds to a space."""

    def __init__(self, space: _Space, layers: Sequence[Layer]) -> None:
        self.space = space
        self.start, self.width = space.next, len(layers)
        self.whole = self.start + self.width * len(layers[0].sizes)
        self.division = _Division(space, layers, self.start, self.whole)
        self.known = set(range(self.start))

    def withhold(self, told: NDArray[np.bool_], sizes: NDArray[np.int64], smallest: int) -> None:
        """Withhold rows until nothing small can be worked out in this space."""
        known, whole = self.known, self.whole
        # what the question as a whole is about can be asked by itself, if it is safe to tell
        if not self.division.weak(lambda a: a in known or a == whole, smallest):
            known.add(whole)
        while found := self.division.weak(self._counting(told), smallest):
            for answers in found:
                rows = {self._row(a) for a in answers if self.start <= a < whole}
                if not rows:  # a search that was cut short names no row: then none is told
                    told[:] = False
                elif all(told[row] for row in rows):
                    told[min(rows, key=lambda row: (sizes[row], row))] = False

    def keep(self, told: NDArray[np.bool_]) -> None:
        """Keep in mind which rows were told."""
        self.space.atom, self.space.answers = self.division.kept(self._counting(told))
        self.space.next = self.whole + 1

    def _row(self, answer: int) -> int:
        return (answer - self.start) // self.width

    def _counting(self, told: NDArray[np.bool_]) -> Callable[[int], bool]:
        def counts(answer: int) -> bool:
            new = self.start <= answer < self.whole
            return bool(told[self._row(answer)]) if new else answer in self.known

        return counts


class _Division:
    """The records divided by everything known and everything that is asked."""

    def __init__(self, space: _Space, layers: Sequence[Layer], start: int, whole: int) -> None:
        rows = [layer.rows(len(space.atom)) for layer in layers]
        code = space.atom
        for row in rows:
            _, code = np.unique(code * (len(layers[0].sizes) + 1) + row + 1, return_inverse=True)
        _, first, self.atom, sizes = np.unique(
            code, return_index=True, return_inverse=True, return_counts=True
        )
        self.sizes = sizes.tolist()
        step = len(layers)
        self.answers = []
        for record in first.tolist():
            added = {start + int(row[record]) * step + j for j, row in enumerate(rows)}
            added = {a for a in added if a >= start}
            if rows[0][record] >= 0:
                added.add(whole)
            self.answers.append(space.answers[space.atom[record]] | added)

    def weak(self, counts: Callable[[int], bool], smallest: int) -> list[frozenset[int]]:
        """Return what the answers that count give away together."""
        atoms: dict[frozenset[int], int] = {}
        for answers, size in zip(self.answers, self.sizes, strict=True):
            left = frozenset(filter(counts, answers))
            atoms[left] = atoms.get(left, 0) + size
        return weak_combinations(atoms, smallest=smallest)

    def kept(self, counts: Callable[[int], bool]) -> tuple[NDArray[np.int64], list[frozenset[int]]]:
        """Return the atoms by the answers that count alone."""
        number: dict[frozenset[int], int] = {}
        new = [
            number.setdefault(frozenset(filter(counts, answers)), len(number))
            for answers in self.answers
        ]
        return np.array(new, dtype=np.int64)[self.atom], list(number)
