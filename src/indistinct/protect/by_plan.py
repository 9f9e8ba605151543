"""Applying a plan and counting what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from indistinct.engine import Engine
from indistinct.files.source import Source
from indistinct.keys import uniques
from indistinct.protect.encrypt import Encrypt
from indistinct.protect.plan import Plan
from indistinct.protect.protected import Protected
from indistinct.protect.receipt import Receipt
from indistinct.protect.secret import ReleaseKey
from indistinct.protect.techniques import Substitute

__all__ = ["altered_variables", "protect_by_plan"]


def protect_by_plan(
    engine: Engine,
    source: Source,
    key: Sequence[str],
    plan: Plan,
    *,
    method: str = "plan",
    k: int | None = None,
    at_most: int | None = None,
    seed: int | None = None,
    secrets: ReleaseKey | None = None,
    claims_k: bool = True,
) -> Protected:
    """Apply a plan to a copy of the records, and count by the key before and after.

    Parameters
    ----------
    claims_k
        Whether k may be promised; where key variables are perturbed, or nothing else is done, it
        is not in any case.
    """
    before = uniques(engine, source, key, k=k, at_most=at_most)
    applied = plan.apply(engine, source, seed=seed, secrets=secrets)
    after = uniques(engine, applied.source, key, k=before.k)
    return Protected(
        method,
        before.k,
        plan,
        applied.source,
        applied.receipts,
        1,
        before,
        after,
        guaranteed=not after.at_risk,
        claims_k=claims_k and _may_promise(plan, applied.receipts, key),
    )


def altered_variables(
    plan: Plan, receipts: Sequence[Receipt], *, key: Sequence[str] = ()
) -> list[str]:
    """Return the variables whose released values need not be the true ones.

    Records that nobody is behind make every class look larger than it is, so where a step adds
    some, the whole key is altered. What is encrypted or substituted is told apart from this.
    """
    altered: dict[str, None] = {}
    for step, receipt in zip(plan.steps, receipts, strict=True):
        if step.truthful or isinstance(step, (Encrypt, Substitute)):
            continue
        altered.update((name, None) for name, cells in receipt.cells_changed.items() if cells)
        if receipt.records_after > receipt.records_before:
            altered.update((name, None) for name in key)
    return list(altered)


def _may_promise(plan: Plan, receipts: Sequence[Receipt], key: Sequence[str]) -> bool:
    """Say whether classes of k in the released file mean anything."""
    if set(altered_variables(plan, receipts, key=key)) & set(key):
        return False
    return not plan.steps or any(step.truthful for step in plan.steps)
