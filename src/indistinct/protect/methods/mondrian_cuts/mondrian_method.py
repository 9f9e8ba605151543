"""Mondrian as a method: its options, and how it decides."""

from __future__ import annotations

from indistinct.options import Option, a_switch, register_method
from indistinct.protect.deciding import LIMITS, WEIGHTS, Decision, Records
from indistinct.protect.methods.bounds import cell_level_least
from indistinct.protect.methods.mondrian_cuts.mondrian import MondrianStep
from indistinct.protect.plan import Plan
from indistinct.protect.request import Request

__all__ = ["RELAXED", "decide_mondrian"]

RELAXED: Option[bool] = Option("relaxed", a_switch, "equal values may go either way")


@register_method(
    "mondrian",
    "cuts the space of the key into ever smaller parts",
    options=(LIMITS, WEIGHTS, RELAXED),
    place=5,
)
def decide_mondrian(records: Records, asked: Request) -> Decision:
    """Plan the cuts."""
    keys = records.keys
    step = MondrianStep(
        keys.names,
        asked.k,
        keys.hierarchies,
        strict=not asked[RELAXED],
        limits=dict(asked[LIMITS]),
        weights=dict(asked[WEIGHTS]),
    )
    least = cell_level_least(keys, k=asked.k, limits=asked[LIMITS], loss="loss")
    return Decision(Plan((step,)), measure="loss", least=least)
