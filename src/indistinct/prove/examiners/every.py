"""Every examiner, in the order in which a released file is looked at.

An examiner is a function of a `Trial` to an `Opinion`, in a module of this folder that registers
it. Certificate, `verify` and report all hear it, because all ask `judge`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from indistinct.core import InputError, did_you_mean, load_every_module
from indistinct.prove.opinion import RESERVATIONS, Opinion, Trial

__all__ = ["Examiner", "all_examiners", "check_codes", "register_examiner"]

Examiner = Callable[[Trial], Opinion]

_EXAMINERS: dict[str, tuple[int, Examiner, tuple[str, ...]]] = {}


def register_examiner(
    *, place: int = 1_000, reserves: Sequence[str] = ()
) -> Callable[[Examiner], Examiner]:
    """Register a function that examines a released file.

    Parameters
    ----------
    place
        Where it stands among the others; by default at the end.
    reserves
        The codes of reservations that it alone makes, by which they are accepted.
    """

    def register(examine: Examiner) -> Examiner:
        _EXAMINERS[examine.__name__] = (place, examine, tuple(reserves))
        return examine

    return register


def all_examiners() -> tuple[Examiner, ...]:
    """Return every examiner, in the order of their places.

    >>> [examine.__name__ for examine in all_examiners()][:2]
    ['examine_terms', 'examine_sensitive']
    """
    load_every_module("indistinct.prove.examiners")
    ordered = sorted(_EXAMINERS.values(), key=lambda registered: registered[0])
    return tuple(examine for _, examine, _ in ordered)


def check_codes(codes: Sequence[str]) -> None:
    """Refuse codes of reservations that there are none of: accepting them would be ignored."""
    if set(codes) <= set(RESERVATIONS):
        return
    all_examiners()
    known = (*RESERVATIONS, *(code for *_, own in _EXAMINERS.values() for code in own))
    unknown = [code for code in codes if code not in known]
    if unknown:
        raise InputError(
            f"There is no reservation '{unknown[0]}' to accept. {did_you_mean(unknown[0], known)}"
        )
