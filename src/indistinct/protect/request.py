"""What a data holder asks of a method that generalises and suppresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

from indistinct.core import ClassSize, InputError, did_you_mean
from indistinct.keys import KeyTable
from indistinct.keys.losses import LossName
from indistinct.protect.methods.local_suppression.suppress import Meaning
from indistinct.protect.methods.mu_argus.argus_bins import Reading

__all__ = ["METHODS", "Method", "Request", "check_method", "check_options"]

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

    holds_settings: ClassVar[bool] = True

    k: ClassSize
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


_KNOWN: Mapping[Method, tuple[str, ...]] = {
    "datafly": ("max_drop", "limits", "profile", "linking", "anonymity", "quasi_identifiers"),
    "argus": ("identification", "combinations", "weights"),
    "k-similar": ("loss", "limits", "weights"),
    "optimal": (
        *("max_drop", "loss", "limits", "weights", "models", "sensitive", "register", "checks"),
    ),
    "mondrian": ("limits", "weights", "relaxed"),
    "local-recoding": ("loss", "limits", "weights"),
    "suppress": ("limits", "weights", "meaning"),
}


def check_method(method: str) -> None:
    """Refuse a method that does not exist."""
    if method not in METHODS:
        raise InputError(
            f"The method must be one of {', '.join(METHODS)}. Got '{method}'. "
            f"{did_you_mean(method, METHODS)}"
        )


def check_options(method: Method, options: Mapping[str, Any]) -> None:
    """Refuse what a method does not know: somebody would believe that it was done.

    >>> check_options("k-similar", {"max_drop": 5})
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: 'k-similar' does not know the option max_drop; 'datafly' ...
    """
    check_method(method)
    for name, value in options.items():
        unset = value is None or value is False or value == "strict" or not _filled(value)
        if unset or name in _KNOWN[method]:
            continue
        others = " and ".join(f"'{m}'" for m, known in _KNOWN.items() if name in known)
        hint = f"; {others} {'do' if ' and ' in others else 'does'}" if others else ""
        raise InputError(
            f"'{method}' does not know the option {name}{hint}. Leave it out, or take another "
            "method."
        )


def _filled(value: Any) -> bool:
    """Say whether a list or mapping holds anything; numbers and all else always do."""
    return not isinstance(value, (Mapping, tuple, list)) or bool(value)
