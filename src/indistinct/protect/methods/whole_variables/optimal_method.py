"""The optimum over whole variables as a method: its options, and how it decides."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from indistinct.core import InputError
from indistinct.keys import KeyTable, Recoding
from indistinct.options import (
    Option,
    a_name,
    a_number,
    a_whole_number,
    only_by_keyword,
    register_method,
)
from indistinct.protect.deciding import LIMITS, LOSS, MAX_DROP, WEIGHTS, Decision, Records
from indistinct.protect.methods.whole_variables.optimal import optimal
from indistinct.protect.models import LDiversity, PrivacyModel, TCloseness
from indistinct.protect.request import Request
from indistinct.risk import with_missing_codes

__all__ = ["CHECKS", "MODELS", "REGISTER", "SENSITIVE", "L", "T", "decide_optimal"]

SENSITIVE: Option[Any] = Option(
    "sensitive",
    # Python may give the key with it counted
    replace(a_name, holds=Any),
    "a sensitive variable: no class tells it; for --l and --t",
    for_all=True,
)
L: Option[int | None] = Option("l", a_whole_number(2), "different sensitive values in a class")
T: Option[float | None] = Option(
    "t", a_number(0, 1), "the distance from the sensitive values of the file"
)
MODELS: Option[tuple[PrivacyModel, ...]] = Option(
    "models", only_by_keyword(tuple[PrivacyModel, ...], ()), "further privacy models"
)
REGISTER: Option[KeyTable | None] = Option(
    "register", only_by_keyword(KeyTable | None), "a register of people, counted by the key"
)
CHECKS: Option[int | None] = Option(
    "checks", only_by_keyword(int | None), "how many points of the lattice may be looked at"
)


@register_method(
    "optimal",
    "finds the best generalisation of whole variables, proved",
    options=(MAX_DROP, LOSS, LIMITS, WEIGHTS, SENSITIVE, L, T, MODELS, REGISTER, CHECKS),
    place=4,
)
def decide_optimal(records: Records, asked: Request) -> Decision:
    """Find the optimum under all models, and whether those on values have changed it."""
    loss = asked[LOSS] or "loss"
    models, sensitive = _models(records, asked)

    best = partial(
        optimal,
        records.keys,
        k=asked.k,
        loss=loss,
        max_drop=asked[MAX_DROP],
        limits=asked[LIMITS] or None,
        weights=asked[WEIGHTS] or None,
        register=asked[REGISTER],
        checks=asked[CHECKS],
    )
    result = best(models=models, sensitive=sensitive)
    sizes = [model for model in models if model.looks_at is None]
    if len(sizes) < len(models):
        result = replace(
            result,
            forced=not best(models=sizes, sensitive=sensitive).releases_like(result),
            sensitive=sensitive,
            again=lambda other: best(models=models, sensitive=other),
        )

    def least(recoding: Recoding) -> tuple[float, bool] | None:
        # with weights the search has made another sum least than the one that is reported
        return None if asked[WEIGHTS] else (result.bound, result.proved)

    return Decision(result.plan(), result.recoding, result, measure=loss, least=least)


def _models(records: Records, asked: Request) -> tuple[tuple[PrivacyModel, ...], KeyTable | None]:
    """Return the models asked for, and the key counted with the sensitive variable."""
    models, sensitive = tuple(asked[MODELS]), asked[SENSITIVE]
    different, distance = asked[L], asked[T]
    if different is None and distance is None and not isinstance(sensitive, KeyTable):
        return models, None
    if sensitive is None:
        raise InputError("--l and --t need the sensitive variable: --sensitive NAME.")
    if not isinstance(sensitive, KeyTable):
        own = (LDiversity(sensitive, different),) if different is not None else ()
        far = (TCloseness(sensitive, distance),) if distance is not None else ()
        models = (*own, *far, *models)
        sensitive = records.count([*records.key, sensitive])
    if records.source is not None:
        sensitive = with_missing_codes(sensitive, records.source.variables)
    return models, sensitive
