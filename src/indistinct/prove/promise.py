"""What a release promises, and what was done to keep it: all that its judge is told.

The certificate holds it, so that whoever verifies the file later judges it by the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from indistinct.risk import is_public_rule

__all__ = ["UNTOLD", "Promise"]

UNTOLD = "untold"
"""The model of a variable that was blanked where everybody in a class had the same, and the blanks
say so."""

_FORMS: Mapping[str, Callable[[Any], bool]] = {
    "tuple[str, ...]": lambda v: isinstance(v, tuple) and all(isinstance(n, str) for n in v),
    "tuple[Mapping[str, Any], ...]": lambda v: (
        isinstance(v, tuple)
        and all(isinstance(m, Mapping) and isinstance(m.get("model"), str) for m in v)
    ),
    "tuple[Mapping[str, str | Sequence[str]], ...]": lambda v: (
        isinstance(v, tuple) and all(isinstance(m, Mapping) and is_public_rule(m) for m in v)
    ),
    "Mapping[str, str]": lambda v: (
        isinstance(v, Mapping) and all(isinstance(n, str) for pair in v.items() for n in pair)
    ),
    "int": lambda v: isinstance(v, int) and not isinstance(v, bool) and v >= 1,
    "float": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool) and 0 <= v <= 1,
    "bool": lambda v: isinstance(v, bool),
    "str | None": lambda v: v is None or isinstance(v, str),
}
"""What a field of each type may hold."""


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
    undecided
        Ids that several records share, if nobody said whether they are of one person, and some
        classes have records of fewer than k people if they are.
    sensitive
        Variables of which nothing may be learnt for certain.
    confidence
        From which share of a class on a sensitive value counts as learnt: 1 is for certain.
    public
        What anybody knows of everybody, by a rule, and no class tells: `PublicRule.to_dict`.
    models
        What was promised besides k: ``{"model": "l-diversity", "variable": "ill", "l": 2}``. With
        ``"minimal": True`` for what the method decided with a look at sensitive values, and
        ``"replayed": True`` where the holder let it decide again and nothing was learnt.
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
    labels
        The labels of released variables that say of an amount what its name does not: a file
        without labels is read with them.
    """

    key: tuple[str, ...]
    k: int
    person: str | None = None
    household: str | None = None
    undecided: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    confidence: float = 1.0
    public: tuple[Mapping[str, str | Sequence[str]], ...] = ()
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
    labels: Mapping[str, str] = field(default_factory=dict)

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

        A field that cannot be what it says is a `TypeError`.

        >>> Promise.from_dict(Promise(key=("age",), k=5).to_dict()) == Promise(key=("age",), k=5)
        True
        """
        known = {one.name for one in fields(cls)}
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in content.items()
            if name in known
        }
        for one in fields(cls):
            if one.name in given and not _FORMS[str(one.type)](given[one.name]):
                raise TypeError(f"'{one.name}' of a promise must be {one.type}")
        return cls(**given)
