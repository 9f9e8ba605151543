"""Applying a plan and counting what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from indistinct.engine import Engine
from indistinct.errors import InputError
from indistinct.files.source import Source
from indistinct.keys import uniques
from indistinct.protect.plan import Applied, Plan
from indistinct.protect.protected import Protected
from indistinct.protect.receipt import Receipt
from indistinct.protect.secret import ReleaseKey

__all__ = ["protect_by_plan"]

_LEAVING = ("select", "deidentify", "substitute", "scramble-order")


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
    person: str | None = None,
) -> Protected:
    """Apply a plan to a copy of the records, and count by the key before and after.

    Parameters
    ----------
    claims_k
        Whether k may be promised; where key variables are perturbed, or nothing else is done, it
        is not in any case.
    person
        The column by which people are counted, where they have several records.
    """
    before = uniques(engine, source, key, k=k, at_most=at_most, person=person)
    # whose records stay is counted before their column leaves with the last steps
    last = _leaving(plan) if person is not None else 0
    applied = plan.undo(last).apply(engine, source, seed=seed, secrets=secrets)
    if person is not None and person not in applied.source.variables:
        raise InputError(
            f"The plan leaves '{person}' out before its end, so it cannot be counted whose records "
            "stay. Leave it out with the last step, or let the release do it."
        )
    after = uniques(engine, applied.source, key, k=before.k, person=person)
    if last:
        rest = Plan(plan.steps[len(plan) - last :]).apply(
            engine, applied.source, seed=seed, secrets=secrets, first=len(plan) - last
        )
        applied = Applied(rest.source, applied.receipts + rest.receipts)
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


def _leaving(plan: Plan) -> int:
    """Return how many steps at the end only leave columns out, rename or reorder."""
    kinds = [step.kind in _LEAVING for step in reversed(plan.steps)]
    return next((number for number, leaves in enumerate(kinds) if not leaves), len(kinds))


def _may_promise(plan: Plan, receipts: Sequence[Receipt], key: Sequence[str]) -> bool:
    """Say whether classes of k in the released file mean anything."""
    pairs = list(zip(plan.steps, receipts, strict=True))
    if any(step.perturbs and set(receipt.cells_changed) & set(key) for step, receipt in pairs):
        return False
    others = [step for step, _ in pairs if not step.perturbs]
    return len(others) == len(pairs) or any(
        step.kind not in ("select", "deidentify") for step in others
    )
