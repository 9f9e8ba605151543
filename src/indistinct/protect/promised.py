"""What a plan promises besides k, as a certificate says it: plain values, no value of a cell."""

from __future__ import annotations

import math
from typing import Any

from indistinct.protect.dropping import DropUnsafe
from indistinct.protect.models import KAnonymity, PrivacyModel
from indistinct.protect.plan import Plan
from indistinct.protect.systems.optimal import Optimum
from indistinct.protect.systems.suppress_step import Suppress

__all__ = ["promised_models", "reads_blanks_as_wildcards"]

_VALUES = ("hierarchy", "order", "register")
"""Fields of models that hold values of cells or paths: a certificate does not."""


def promised_models(
    plan: Plan, *, left_out: float = 0.0, result: Any = None
) -> tuple[dict[str, Any], ...]:
    """Return the models that a plan's steps enforce, for `indistinct.prove.Promise.models`.

    Parameters
    ----------
    left_out
        The share of records that were left out: what is compared with the whole file is
        compared with the file as it was before.
    result
        What the method itself returned (`Protected.result`): an optimum says whether it went
        further than k needs because of a sensitive variable.

    >>> from indistinct.protect.models import KAnonymity, LDiversity
    >>> plan = Plan((DropUnsafe(("zip",), (KAnonymity(5), LDiversity("ill", 2))),))
    >>> promised_models(plan)
    ({'model': 'l-diversity', 'variable': 'ill', 'l': 2, 'form': 'distinct', 'c': 2.0},)
    """
    forced = isinstance(result, Optimum) and result.forced
    return tuple(
        _described(model, left_out=left_out, forced=forced)
        for step in plan.steps
        if isinstance(step, DropUnsafe)
        for model in step.models
        if not isinstance(model, KAnonymity) and not model.needs_register
    )


def reads_blanks_as_wildcards(plan: Plan) -> bool:
    """Say whether k is counted with blanks that agree with anything, for `Promise.wildcard`."""
    return any(isinstance(s, Suppress) and s.meaning == "wildcard" for s in plan.steps)


def _described(model: PrivacyModel, *, left_out: float, forced: bool) -> dict[str, Any]:
    content = {n: v for n, v in model.to_dict().items() if n not in (*_VALUES, "kind", "sensitive")}
    told: dict[str, Any] = {"model": model.kind}
    if model.looks_at is not None:
        told["variable"] = model.looks_at
    told |= content
    if model.kind == "t-closeness" and left_out > 0:
        told["left_out"] = math.ceil(left_out * 100) / 100  # how many exactly is not told
    if model.looks_at is not None and forced:
        told["minimal"] = True
    return told
