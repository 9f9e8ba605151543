"""What a data holder asks of a method that generalises and suppresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from indistinct.keys import KeyTable
from indistinct.protect.systems.argus_bins import Reading
from indistinct.protect.systems.suppress import Meaning
from indistinct.utility import LossName

__all__ = ["METHODS", "Method", "Request"]

Method = Literal[
    "datafly", "argus", "k-similar", "optimal", "mondrian", "local-recoding", "suppress"
]
"""The methods that generalise and suppress."""

METHODS: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True)
class Request:
    """What is asked for; a method takes of it what it knows.

    Parameters
    ----------
    k
        A class is safe with at least k records.
    max_drop
        How many records may be left out: a whole number, or a share below 1. For ``datafly`` and
        ``optimal``; the other methods keep every record.
    loss
        The measure that is made least, where the method can choose one.
    limits
        The highest level that a variable may climb to; 0 locks it.
    weights
        The importance of variables, 1 by default.
    profile, linking, anonymity, quasi_identifiers
        Datafly's inputs; see `datafly`.
    identification, combinations
        µ-Argus' inputs; see `argus`.
    models
        Further privacy models, for ``optimal``.
    sensitive, register
        What the models need beside the key table: the key with the sensitive variables counted,
        and a register counted by the key.
    relaxed
        Mondrian: equal values may go either way.
    meaning
        Suppress: what a suppressed cell counts as.
    checks
        Optimal: how many points of the lattice may be looked at.
    """

    k: int
    max_drop: float = 0
    loss: LossName | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    profile: Any = None
    linking: Mapping[str, float] = field(default_factory=dict)
    anonymity: float | None = None
    quasi_identifiers: tuple[tuple[str, ...], ...] = ()
    identification: Mapping[str, int] = field(default_factory=dict)
    combinations: Reading | None = None
    models: tuple[Any, ...] = ()
    sensitive: KeyTable | None = None
    register: KeyTable | None = None
    relaxed: bool = False
    meaning: Meaning = "strict"
    checks: int | None = None
