"""Local suppression as a method: its options, and how it decides."""

from __future__ import annotations

from indistinct.options import Option, a_word, register_method
from indistinct.protect.deciding import LIMITS, WEIGHTS, Decision, Records
from indistinct.protect.methods.local_suppression.suppress import Meaning
from indistinct.protect.methods.local_suppression.suppress_step import Suppress
from indistinct.protect.plan import Plan
from indistinct.protect.request import Request

__all__ = ["MEANING", "decide_suppress"]

MEANING: Option[Meaning] = Option(
    "meaning",
    a_word(Meaning, unset="strict"),
    "what a suppressed cell counts as; strict by default",
)


@register_method(
    "suppress",
    "suppresses the fewest cells, and generalises nothing",
    options=(LIMITS, WEIGHTS, MEANING),
    climbs=False,
    place=7,
)
def decide_suppress(records: Records, asked: Request) -> Decision:
    """Plan the suppression of the fewest cells."""
    step = Suppress(
        records.table.names,
        asked.k,
        meaning=asked[MEANING],
        weights=dict(asked[WEIGHTS]),
        limits=dict(asked[LIMITS]),
    )
    wildcard = asked[MEANING] == "wildcard"
    return Decision(Plan((step,)), measure="precision", wildcard=wildcard)
