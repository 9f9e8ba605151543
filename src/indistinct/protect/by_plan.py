"""Applying a plan and counting what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from indistinct.core import AtMost, ClassSize, InputError, Seed
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import uniques
from indistinct.protect.encrypt import Encrypt
from indistinct.protect.plan import Applied, Plan
from indistinct.protect.protected import Protected
from indistinct.protect.receipt import Receipt
from indistinct.protect.secret import ReleaseKey
from indistinct.protect.steps import Substitute

__all__ = ["altered_variables", "protect_by_plan"]

_LEAVING = (
    *("renumber-households", "blank-told", "select", "substitute", "deidentify", "follow-label"),
    *("suppress-attribute", "scramble-order"),
)


def protect_by_plan(
    engine: Engine,
    source: Source,
    key: Sequence[str],
    plan: Plan,
    *,
    method: str = "plan",
    k: ClassSize | None = None,
    at_most: AtMost | None = None,
    seed: Seed | None = None,
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
