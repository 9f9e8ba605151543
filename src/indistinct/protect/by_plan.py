"""Applying a plan and counting what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from indistinct.engine import Engine
from indistinct.files.source import Source
from indistinct.keys import uniques
from indistinct.protect.plan import Plan
from indistinct.protect.protected import Protected
from indistinct.protect.receipt import Receipt
from indistinct.protect.secret import ReleaseKey

__all__ = ["protect_by_plan"]


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


def _may_promise(plan: Plan, receipts: Sequence[Receipt], key: Sequence[str]) -> bool:
    """Say whether classes of k in the released file mean anything."""
    pairs = list(zip(plan.steps, receipts, strict=True))
    if any(step.perturbs and set(receipt.cells_changed) & set(key) for step, receipt in pairs):
        return False
    others = [step for step, _ in pairs if not step.perturbs]
    return len(others) == len(pairs) or any(
        step.kind not in ("select", "deidentify") for step in others
    )
