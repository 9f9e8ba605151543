"""Local recoding as a method: its options, and how it decides."""

from __future__ import annotations

from indistinct.options import register_method
from indistinct.protect.deciding import LIMITS, LOSS, WEIGHTS, Decision, Records, cell_loss
from indistinct.protect.methods.bounds import cell_level_least
from indistinct.protect.methods.recoding_locally.local_recoding import LocalRecodingStep
from indistinct.protect.plan import Plan
from indistinct.protect.request import Request

__all__ = ["decide_local_recoding"]


@register_method(
    "local-recoding",
    "lets every record climb only as far as its own class needs",
    options=(LOSS, LIMITS, WEIGHTS),
    place=6,
)
def decide_local_recoding(records: Records, asked: Request) -> Decision:
    """Plan the recoding, cell by cell."""
    keys, loss = records.keys, cell_loss(asked[LOSS], "local-recoding", usually="loss")
    step = LocalRecodingStep(
        keys.names,
        asked.k,
        keys.hierarchies,
        loss=loss,
        limits=dict(asked[LIMITS]),
        weights=dict(asked[WEIGHTS]),
    )
    least = cell_level_least(keys, k=asked.k, limits=asked[LIMITS], loss=loss)
    return Decision(Plan((step,)), measure=loss, least=least)
