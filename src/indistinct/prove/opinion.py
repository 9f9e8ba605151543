"""What an examiner says of a release: what breaks the promise, and what must be taken on trust."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from indistinct.core import Ints
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.prove.attacks.minimality import Replay
from indistinct.prove.promise import Promise
from indistinct.prove.registers import Register
from indistinct.results import Part

__all__ = [
    "RESERVATIONS",
    "STATES",
    "Opinion",
    "Reservation",
    "State",
    "Trial",
    "together",
]

State = Literal["holds", "reservations", "fails"]
STATES: tuple[State, ...] = ("fails", "reservations", "holds")
"""From the worst to the best. Only the last is green."""
RESERVATIONS = (
    "copies",
    "elimination-not-tried",
    "encrypted",
    "households",
    "identifier-released",
    "key-not-confirmed",
    "labels-of-nobody",
    "minimality",
    "model-not-checked",
    "order-kept",
    "people-not-said",
    "perturbed",
    "population",
    "records-linked",
    "register-lacks",
    "sensitive-told",
    "text-scrubbed",
    "wildcard",
)
"""The code of every reservation, as docs/methods/verdict.md explains them."""


@dataclass(frozen=True)
class Reservation(Part):
    """Something that the verdict rests on and that the file cannot show.

    Parameters
    ----------
    code
        By which it is accepted: ``key-not-confirmed``.
    sentence
        What it is, in words that a recipient may read: names of variables, no value of a cell.
    """

    code: str
    sentence: str


@dataclass(frozen=True, eq=False)
class Trial:
    """A released file before its judge, and all that is known about it.

    Parameters
    ----------
    release
        The released file, read again.
    private
        The data that it was made from, where the judge may see them.
    registers
        Lists of people that an intruder may hold.
    hierarchies
        What generalised labels stand for.
    origin
        For each released record the number of the private record that it was made from, where
        the holder's ledger tells it. An intruder does not have it: it says who was right.
    replay
        How the method would have decided for other sensitive values, where it looked at them.
    """

    engine: Engine
    release: Source
    promise: Promise
    private: Source | None = None
    registers: Sequence[Register] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    origin: Ints | None = None
    replay: Replay | None = None


@dataclass(frozen=True)
class Opinion:
    """What one examiner found.

    Parameters
    ----------
    findings
        Sentences: each is a promise that is broken. One is enough for *does not hold*.
    reservations
        What must be taken on trust.
    notes
        What is worth knowing and changes nothing.
    k
        The fewest people that this examiner could narrow a record down to; None where it does
        not count.
    parts
        Results to be shown with the verdict, by name.
    """

    findings: tuple[str, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    notes: tuple[str, ...] = ()
    k: int | None = None
    parts: Mapping[str, Any] = field(default_factory=dict)

    def finding(self, sentence: str) -> Opinion:
        """Return the opinion with one finding more."""
        return replace(self, findings=(*self.findings, sentence))

    def reserving(self, code: str, sentence: str) -> Opinion:
        """Return the opinion with one reservation more."""
        return replace(self, reservations=(*self.reservations, Reservation(code, sentence)))


def together(opinions: Sequence[Opinion]) -> Opinion:
    """Put opinions together: all that any of them says, and the fewest people."""
    counted = [opinion.k for opinion in opinions if opinion.k is not None]
    return Opinion(
        tuple(dict.fromkeys(s for o in opinions for s in o.findings)),
        tuple(dict.fromkeys(r for o in opinions for r in o.reservations)),
        tuple(dict.fromkeys(s for o in opinions for s in o.notes)),
        min(counted, default=None),
        {name: part for o in opinions for name, part in o.parts.items()},
    )
