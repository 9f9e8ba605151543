"""µ-Argus as a method: its options, and how it decides."""

from __future__ import annotations

from collections.abc import Mapping

from indistinct.options import Option, numbers_by_variable, only_by_keyword, register_method
from indistinct.protect.deciding import WEIGHTS, Decision, Records
from indistinct.protect.methods.mu_argus.argus import Argus
from indistinct.protect.methods.mu_argus.argus_bins import Reading
from indistinct.protect.plan import Plan
from indistinct.protect.request import Request

__all__ = ["COMBINATIONS", "IDENTIFICATION", "decide_argus"]

IDENTIFICATION: Option[Mapping[str, int]] = Option(
    "identification",
    numbers_by_variable(least=0, most=3, whole=True),
    "0 not, 1 identifying, 2 more, 3 most: ssn=3,zip=2,sex=1",
    setting="variables.identification",
)
COMBINATIONS: Option[Reading | None] = Option(
    "combinations", only_by_keyword(Reading | None), "which combinations are examined"
)


@register_method(
    "argus",
    "suppresses values until no combination of three is rare",
    options=(IDENTIFICATION, COMBINATIONS, WEIGHTS),
    promises="no combination of up to three variables is rare; k of the whole key is not promised",
    climbs=False,
    place=2,
)
def decide_argus(records: Records, asked: Request) -> Decision:
    """Plan the suppression; k of the whole key is not promised."""
    names = records.table.names
    rated = asked[IDENTIFICATION] or dict.fromkeys(names, 2)
    asked_for = asked[COMBINATIONS]
    step = Argus(
        names,
        asked.k,
        tuple(rated.get(name, 0) for name in names),
        combinations=asked_for or "all",
        weights=dict(asked[WEIGHTS]),
    )
    return Decision(Plan((step,)), measure="precision", promises=False)
