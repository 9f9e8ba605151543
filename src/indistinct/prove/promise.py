"""What a release promises, and what was done to keep it: all that its judge is told.

The certificate holds it, so that whoever verifies the file later judges it by the same words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

__all__ = ["Promise"]


@dataclass(frozen=True, kw_only=True)
class Promise:
    """What is promised of a released file; plain values alone, no value of a cell.

    Parameters
    ----------
    key, k
        Whoever knows the key of a person finds no fewer than k people.
    person, household
        The columns of the private data that say who the people are and who lives together; None
        where a record is a person, or nobody is known to live with anybody.
    sensitive
        Variables of which nothing may be learnt for certain.
    confidence
        From which share of a class on a sensitive value counts as learnt: 1 is for certain.
    models
        What was promised besides k: ``{"model": "l-diversity", "variable": "ill", "l": 2}``.
    perturbed, encrypted, substituted
        Variables whose released values are not, or not all, the true ones.
    kept
        Identifiers that are released because somebody asked for it.
    scrubbed
        Text in which Scrub replaced what refers to people.
    keeps_order
        Whether records left in the order of the private file.
    confirmed
        Whether a person said that the key is what an intruder may know.
    wildcard
        Whether a blank in the key counts as any value when k is counted, not as one of its own.
    population
        The register that k was counted in (k-map); None where it is counted in the file itself.
    accepted
        The reservations that the holder knows and takes upon himself, by code.
    """

    key: tuple[str, ...]
    k: int
    person: str | None = None
    household: str | None = None
    sensitive: tuple[str, ...] = ()
    confidence: float = 1.0
    models: tuple[Mapping[str, Any], ...] = ()
    perturbed: tuple[str, ...] = ()
    encrypted: tuple[str, ...] = ()
    substituted: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    scrubbed: tuple[str, ...] = ()
    keeps_order: bool = False
    confirmed: bool = True
    wildcard: bool = False
    population: str | None = None
    accepted: tuple[str, ...] = ()

    @property
    def claims_k(self) -> bool:
        """Whether k is claimed: what is altered is measured, and never claimed."""
        return not set(self.key) & {*self.perturbed, *self.encrypted, *self.substituted}

    def to_dict(self) -> dict[str, Any]:
        """Return the facts by name, as JSON knows them."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Promise:
        """Make the promise that `to_dict` described; what it does not know is left out.

        >>> Promise.from_dict(Promise(key=("age",), k=5).to_dict()) == Promise(key=("age",), k=5)
        True
        """
        known = {field.name for field in fields(cls)}
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in content.items()
            if name in known
        }
        return cls(**given)
