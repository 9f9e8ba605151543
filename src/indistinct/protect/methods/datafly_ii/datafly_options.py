"""What Datafly is asked, checked and put into numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from indistinct.core import InputError, between, check_number, check_whole, did_you_mean
from indistinct.keys import Generalisable
from indistinct.protect.methods.datafly_ii.datafly_profile import (
    AnonymityMapping,
    Profile,
    check_profile,
)

__all__ = ["counting_groups", "highest_levels", "preference", "wanted_k", "whole_profile"]


def wanted_k(
    k: int | None, anonymity: float | None, mapping: AnonymityMapping, records: int
) -> int | None:
    """Return the k to enforce, or None for a level at which none is."""
    if (k is None) == (anonymity is None):
        raise InputError("Give either k or an anonymity level.")
    if anonymity is None:
        check_whole("k", k, 2, hint="For the original data: anonymity=0.")
        return k
    check_number("The anonymity level", anonymity, between(0, 1))
    if anonymity in (0, 1) or not records:
        return None
    mapped = mapping(anonymity, records)
    if isinstance(mapped, bool) or not isinstance(mapped, int) or mapped < 2:
        # k below 2 would be the original data, which nobody asked for
        raise InputError(
            f"The anonymity level {anonymity:g} of {records:,} records must map to a k of at "
            f"least 2. Got {mapped}. Raise the level, give another mapping, or give k."
        )
    return mapped


def whole_profile(
    profile: Profile | Mapping[str, float] | None,
    linking: Mapping[str, float] | None,
    per_attribute: bool,
    names: Sequence[str],
) -> Profile:
    """Return what is known of the recipient, in one profile of attributes that exist."""
    made = profile if isinstance(profile, Profile) else Profile(tolerance=dict(profile or {}))
    made = made.with_values(linking=linking)
    if per_attribute and not made.per_attribute:
        made = Profile.from_dict({**made.to_dict(), "per_attribute": True})
    check_profile(made, names)
    return made


def highest_levels(keys: Generalisable, limits: Mapping[str, int] | None) -> tuple[int, ...]:
    """Return the highest level of each attribute: its limit, or the top of its hierarchy."""
    given = limits or {}
    checked = keys.check_levels(given)
    return tuple(
        checked[j] if name in given else keys.heights[j] for j, name in enumerate(keys.names)
    )


def counting_groups(
    keys: Generalisable, groups: Sequence[Sequence[str]] | None, profile: Profile
) -> list[list[int]]:
    """Return the quasi-identifiers by position, without attributes that are trusted."""
    if groups is not None and (
        not groups or isinstance(groups, str) or any(isinstance(g, str) or not g for g in groups)
    ):
        raise InputError("quasi_identifiers must be a list of at least one list of attributes.")
    given = groups if groups is not None else [keys.names]
    if profile.per_attribute:
        given = [[name] for name in dict.fromkeys(name for group in given for name in group)]
    counting = [
        sorted({keys.table.position(name) for name in group if profile.linking_of(name) > 0})
        for group in given
    ]
    return [group for group in counting if group]


def preference(names: Sequence[str], ties: str | Sequence[str]) -> list[int]:
    """Return positions in the key, the one that wins a tie first."""
    if ties in ("rightmost", "leftmost"):
        order = list(range(len(names)))
        return order[::-1] if ties == "rightmost" else order
    if isinstance(ties, str):
        raise InputError(
            f"ties must be rightmost, leftmost or a list of attributes. Got '{ties}'. "
            f"{did_you_mean(ties, ['rightmost', 'leftmost'])}"
        )
    for name in ties:
        if name not in names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, names)}")
    given = [names.index(name) for name in dict.fromkeys(ties)]
    return given + [j for j in range(len(names)) if j not in given]
