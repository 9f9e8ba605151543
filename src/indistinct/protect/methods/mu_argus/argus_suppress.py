"""Giving up values until no outlier is whole: the greedy heart of µ-Argus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from indistinct.core import Floats, InputError, Ints, Words, above, check_number, did_you_mean
from indistinct.protect.methods.mu_argus.argus_bins import Cells
from indistinct.protect.methods.mu_argus.argus_kernels import suppress_cells

__all__ = ["suppress_outliers", "tie_ranks", "variable_weights"]


def suppress_outliers(
    cells: Cells,
    combinations: Sequence[tuple[int, ...]],
    k: int,
    *,
    flags: Words,
    names: Sequence[str],
    ties: str | Sequence[str],
    weights: Mapping[str, float],
    recount: bool,
) -> int:
    """Suppress cells in place, and return how often the bins were counted."""
    with_variable = np.zeros((len(names), flags.shape[1]), dtype=np.uint64)
    for c, combination in enumerate(combinations):
        for j in combination:
            with_variable[j, c >> 6] |= np.uint64(1 << (c & 63))
    alone = np.zeros_like(with_variable)
    for c, combination in enumerate(combinations):
        if len(combination) == 1:
            alone[combination[0], c >> 6] |= np.uint64(1 << (c & 63))
    frequencies, starts = cells.frequencies()
    ranks = tie_ranks(names, ties)
    if ties != "frequent":
        frequencies[:] = 0
    heaviness = variable_weights(names, weights)
    rounds = 1
    while True:
        touched = np.zeros(len(names), dtype=bool)
        # a value that is rare by itself must go whatever else goes
        for j in range(len(names)):
            rare = (flags & alone[j]).any(axis=1)
            if rare.any():
                cells.codes[j, rare] = -1
                flags[rare] &= ~with_variable[j]
                touched[j] = True
        suppress_cells(
            cells.codes, flags, with_variable, heaviness, frequencies, starts, ranks, touched
        )
        if not recount or not touched.any():
            return rounds
        # bins of combinations that lost no cell are as they were, and all of them safe
        only = [bool(touched[list(combination)].any()) for combination in combinations]
        flags = cells.examine(combinations, k, only=only).flags
        rounds += 1


def tie_ranks(names: Sequence[str], ties: str | Sequence[str]) -> Ints:
    """Return the rank of each variable between values that are otherwise equal; 0 goes first."""
    order = np.arange(len(names))
    if ties in ("frequent", "leftmost"):
        return order
    if ties == "rightmost":
        return order[::-1].copy()
    if isinstance(ties, str):
        known = ["frequent", "leftmost", "rightmost"]
        raise InputError(
            f"ties must be frequent, leftmost, rightmost or a list of variables. Got '{ties}'. "
            f"{did_you_mean(ties, known)}"
        )
    for name in ties:
        if name not in names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, names)}")
    first = [names.index(name) for name in dict.fromkeys(ties)]
    ranked = first + [j for j in range(len(names)) if j not in first]
    return np.argsort(ranked)


def variable_weights(names: Sequence[str], weights: Mapping[str, float]) -> Floats:
    """Return the weight of each variable, 1 where none is given."""
    for name, weight in weights.items():
        if name not in names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, names)}")
        check_number(f"The weight of '{name}'", weight, above(0))
    return np.array([float(weights.get(name, 1.0)) for name in names])
