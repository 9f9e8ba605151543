"""What a plan promises besides k, as a certificate says it: plain values, no value of a cell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from indistinct.protect.dropping import DropUnsafe
from indistinct.protect.methods.local_suppression.suppress_step import Suppress
from indistinct.protect.methods.whole_variables.optimal import Optimum
from indistinct.protect.models import KAnonymity, PrivacyModel
from indistinct.protect.plan import Plan
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Step
from indistinct.protect.steps.blank_told import BlankTold

__all__ = ["promised_models", "reads_blanks_as_wildcards"]

_VALUES = ("hierarchy", "order", "register")
"""Fields of models that hold values of cells or paths: a certificate does not."""


def promised_models(
    plan: Plan, *, left_out: float = 0.0, result: Any = None, receipts: Sequence[Receipt] = ()
) -> tuple[dict[str, Any], ...]:
    """Return the models that a plan's steps enforce, for `indistinct.prove.Promise.models`.

    Parameters
    ----------
    left_out
        The share of records that were left out: what is compared with the whole file is
        compared with the file as it was before.
    result
        What the method itself returned (`Protected.result`): an optimum says whether it went
        further than k needs because of a sensitive variable. Of a plan that was replayed nobody
        knows how its levels were decided.
    receipts
        What came of the steps: blanks tell what they hide where a class has no partner.

    >>> from indistinct.protect.models import KAnonymity, LDiversity
    >>> plan = Plan((DropUnsafe(("zip",), (KAnonymity(5), LDiversity("ill", 2))),))
    >>> promised_models(plan)
    ({'model': 'l-diversity', 'variable': 'ill', 'l': 2, 'form': 'distinct', 'c': 2.0, \
'minimal': True},)
    """
    forced = not isinstance(result, Optimum) or result.forced
    asked = tuple(
        _described(model, left_out=left_out, forced=forced)
        for step in _every_step(plan.steps)
        if isinstance(step, DropUnsafe)
        for model in step.models
        if not isinstance(model, KAnonymity) and not model.needs_register
    )
    blanked = (
        name
        for step, receipt in zip(plan.steps, receipts, strict=False)
        if isinstance(step, BlankTold) and (receipt.residual or step.confidence < 1)
        for name, cells in receipt.cells_changed.items()
        if cells
    )
    untold = ({"model": "untold", "variable": n, "minimal": True} for n in dict.fromkeys(blanked))
    return (*asked, *untold)


def _every_step(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield the steps, and those inside steps of steps."""
    for step in steps:
        yield step
        yield from _every_step(getattr(step, "steps", ()))


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
