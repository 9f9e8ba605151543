"""Datafly as a method: its options, and how it decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from indistinct.options import (
    Option,
    a_number,
    a_word,
    groups_of_names,
    numbers_by_variable,
    register_method,
)
from indistinct.protect.deciding import LIMITS, MAX_DROP, Decision, Records
from indistinct.protect.methods.bounds import full_domain_least
from indistinct.protect.methods.datafly_ii.datafly import datafly
from indistinct.protect.methods.datafly_ii.datafly_profile import PRESETS
from indistinct.protect.request import Request

__all__ = ["ANONYMITY", "LINKING", "PRESET", "PROFILE", "QUASI_IDENTIFIERS", "decide_datafly"]

Preset = Literal["caretaker", "researcher", "public"]

PROFILE: Option[Any] = Option(
    "profile",
    # Python may give a whole profile
    replace(numbers_by_variable(least=0, most=1), holds=Any, unset=None),
    "the distortion tolerated, 0 to 1: zip=1,birth=0.2",
    setting="variables.distortion",
)
PRESET: Option[Preset | None] = Option("preset", a_word(Preset), "whom the data are for")
LINKING: Option[Mapping[str, float]] = Option(
    "linking",
    numbers_by_variable(least=0, most=1),
    "how likely variables are to be linked on, from 0 to 1",
)
ANONYMITY: Option[float | None] = Option(
    "anonymity", a_number(0, 1), "an anonymity level from 0 to 1 instead of k"
)
QUASI_IDENTIFIERS: Option[tuple[tuple[str, ...], ...]] = Option(
    "quasi_identifiers",
    groups_of_names,
    "variables that are known together; may be given several times",
    flag="--quasi-identifier",
    metavar="NAMES",
)


@register_method(
    "datafly",
    "generalises the variable with the most values until k holds",
    options=(MAX_DROP, LIMITS, PROFILE, LINKING, PRESET, ANONYMITY, QUASI_IDENTIFIERS),
    place=1,
)
def decide_datafly(records: Records, asked: Request) -> Decision:
    """Let Datafly decide, and compare with the optimum over whole variables."""
    keys, anonymity, profile = records.keys, asked[ANONYMITY], asked[PROFILE]
    preset = asked[PRESET]
    if preset is not None:
        profile = PRESETS[preset].with_values(tolerance=profile or {})
    result = datafly(
        keys,
        k=None if anonymity is not None else asked.k,
        anonymity=anonymity,
        max_drop=asked[MAX_DROP],
        profile=profile,
        linking=asked[LINKING] or None,
        quasi_identifiers=asked[QUASI_IDENTIFIERS] or None,
        limits=asked[LIMITS] or None,
    )
    whole = result.quasi_identifiers == (keys.names,) and result.k is not None
    decision = Decision(result.plan(), result.recoding, result, measure="precision", promises=whole)
    if not whole:
        return decision
    least = full_domain_least(
        keys,
        k=result.k or asked.k,
        loss="precision",
        max_drop=asked[MAX_DROP],
        limits=asked[LIMITS],
    )
    return replace(decision, least=least)
