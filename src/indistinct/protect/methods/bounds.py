"""The least that any release of a kind loses, to compare what a method reached with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from indistinct.core import InputError
from indistinct.keys import Generalisable, Recoding
from indistinct.keys.losses import LossName
from indistinct.protect.methods.k_similarity.k_similar_bound import cheapest_groups
from indistinct.protect.methods.k_similarity.k_similar_optimum import k_similar_optimum
from indistinct.protect.methods.k_similarity.k_similar_space import build_space
from indistinct.protect.methods.whole_variables.optimal import optimal

__all__ = ["Least", "cell_level_least", "full_domain_least"]

PROVED_CLASSES = 50
"""Up to so many classes the optimum cell by cell is searched for, to compare with."""

Least = Callable[[Recoding], tuple[float, bool] | None]
"""Gives a loss that no release of a kind goes below, and whether one has it."""


def full_domain_least(
    keys: Generalisable,
    *,
    k: int,
    loss: LossName,
    max_drop: float,
    limits: Mapping[str, int],
) -> Least:
    """Return a function for the optimum over whole variables, with as many records left out."""

    def least(recoding: Recoding) -> tuple[float, bool] | None:
        best = optimal(keys, k=k, loss=loss, max_drop=max_drop, limits=limits or None)
        return best.bound, best.proved

    return least


def cell_level_least(
    keys: Generalisable, *, k: int, limits: Mapping[str, int], loss: Literal["loss", "precision"]
) -> Least:
    """Return a function for a bound on what any release cell by cell loses."""

    def least(recoding: Recoding) -> tuple[float, bool] | None:
        if not keys.records:
            return None
        cells = keys.records * len(keys.names)
        if keys.classes <= PROVED_CLASSES:
            try:
                best = k_similar_optimum(keys, k=k, limits=limits or None, loss=loss, nodes=1_000)
            except InputError:
                pass  # too many ways to search; the bound for large files is left
            else:
                return best.bound / cells, best.proved
        space = build_space(keys, k=k, limits=limits or None, loss=loss)
        floor = cheapest_groups(space, k=k)
        return space.whole(int((floor * keys.counts).sum())) / cells, False

    return least
