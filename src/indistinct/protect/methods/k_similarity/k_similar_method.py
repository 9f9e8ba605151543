"""k-Similar as a method: its options, and how it decides."""

from __future__ import annotations

from indistinct.options import register_method
from indistinct.protect.deciding import LIMITS, LOSS, WEIGHTS, Decision, Records, cell_loss
from indistinct.protect.methods.bounds import cell_level_least
from indistinct.protect.methods.k_similarity.k_similar import KSimilarStep
from indistinct.protect.plan import Plan
from indistinct.protect.request import Request

__all__ = ["decide_k_similar"]


@register_method(
    "k-similar",
    "clusters records that are close in their hierarchies",
    options=(LOSS, LIMITS, WEIGHTS),
    place=3,
)
def decide_k_similar(records: Records, asked: Request) -> Decision:
    """Plan clusters of at least k, changed cell by cell."""
    keys, loss = records.keys, cell_loss(asked[LOSS], "k-similar", usually="precision")
    step = KSimilarStep(
        keys.names,
        asked.k,
        keys.hierarchies,
        limits=dict(asked[LIMITS]),
        weights=dict(asked[WEIGHTS]),
        loss=loss,
    )
    least = cell_level_least(keys, k=asked.k, limits=asked[LIMITS], loss=loss)
    return Decision(Plan((step,)), measure=loss, least=least)
