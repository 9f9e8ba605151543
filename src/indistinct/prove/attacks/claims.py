"""What a linking attack claims of released records, whether it is right, and a few examples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from indistinct.core import Floats, InputError, Ints
from indistinct.results import Part

__all__ = [
    "CONTROL",
    "NOBODY",
    "RIGHT",
    "TARGET",
    "UNKNOWN",
    "WITNESSES",
    "WRONG",
    "LinkWitness",
    "Links",
    "Verdicts",
    "verdicts_by_truth",
    "witnesses_of",
]

Verdicts = NDArray[np.int8]
NOBODY = -1
UNKNOWN = -2
"""In a list of true persons: not in the register; not known."""
RIGHT, WRONG = 1, 0
TARGET, CONTROL = 1, 0
"""What a person of the register is: in the data, or certainly not."""
WITNESSES = 20


@dataclass(frozen=True, eq=False)
class Links:
    """What an attack claims of every released record.

    Parameters
    ----------
    candidates
        How many people of the register the record may belong to.
    person
        The register's row of the person, where there is one candidate; -1 otherwise.
    certainty
        How likely the best guess is right, as the intruder sees it; 0 where there is none.
    """

    candidates: Ints = field(repr=False)
    person: Ints = field(repr=False)
    certainty: Floats = field(repr=False)

    @classmethod
    def equal_chances(cls, candidates: Ints, person: Ints) -> Links:
        """Return links among whose candidates nothing tells: certainty is 1/candidates."""
        chance = np.zeros(len(candidates))
        np.divide(1.0, candidates, out=chance, where=candidates > 0)
        return cls(candidates, np.where(candidates == 1, person, NOBODY), chance)

    @classmethod
    def from_pairs(cls, left: Ints, right: Ints, certainty: Floats, *, records: int) -> Links:
        """Return the links of a list of pairs (released record, register's row, probability).

        >>> links = Links.from_pairs(
        ...     np.array([0, 2, 2]), np.array([7, 1, 4]), np.array([0.9, 0.5, 0.4]), records=3)
        >>> links.candidates.tolist(), links.person.tolist(), links.certainty.tolist()
        ([1, 0, 2], [7, -1, -1], [0.9, 0.0, 0.5])
        """
        candidates = np.bincount(left, minlength=records).astype(np.int64)
        person = np.full(records, NOBODY, dtype=np.int64)
        person[left] = right
        best = np.zeros(records)
        np.maximum.at(best, left, certainty)
        return cls(candidates, np.where(candidates == 1, person, NOBODY), best)


@dataclass(frozen=True)
class LinkWitness(Part):
    """A released record (from 1) that names one person, and what is known of it."""

    record: int
    person: str
    certainty: float
    verdict: Literal["right", "wrong", "not judged"]

    def __repr__(self) -> str:
        sure = "" if self.certainty >= 1 else f", certainty {self.certainty:.3f}"
        return f"record {self.record:,} is {self.person}: {self.verdict}{sure}"


def verdicts_by_truth(links: Links, truth: Ints) -> Verdicts:
    """Judge unique links by the register's row of the true person of every record.

    `NOBODY` means that the true person is not in the register, so that any name is wrong;
    `UNKNOWN` that it is not known who it is. Records without a unique link are not judged.
    """
    if len(truth) != len(links.candidates):
        raise InputError(
            f"There must be a true person for each of {len(links.candidates):,} released records. "
            f"Got {len(truth):,}."
        )
    verdicts = np.where(links.person == truth, RIGHT, WRONG).astype(np.int8)
    verdicts[(links.candidates != 1) | (truth == UNKNOWN)] = UNKNOWN
    return verdicts


def witnesses_of(
    links: Links, verdicts: Verdicts, names: Callable[[list[int]], list[str]] | None
) -> tuple[LinkWitness, ...]:
    """Return right links before such that cannot be judged, and these before wrong ones."""
    words: dict[int, Literal["right", "wrong", "not judged"]] = {
        RIGHT: "right",
        UNKNOWN: "not judged",
        WRONG: "wrong",
    }
    unique = links.candidates == 1
    chosen: list[int] = []
    for verdict in words:
        found = np.flatnonzero(unique & (verdicts == verdict))
        chosen += found[: WITNESSES - len(chosen)].tolist()
    rows = links.person[chosen].tolist()
    called = names(rows) if names is not None else [f"row {row + 1:,}" for row in rows]
    return tuple(
        LinkWitness(record + 1, name, float(links.certainty[record]), words[int(verdicts[record])])
        for record, name in zip(chosen, called, strict=True)
    )
