"""The final step: act on the records that stand out, search again, until none is left (6.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from indistinct.core import (
    AtMost,
    ClassSize,
    GuaranteeError,
    InputError,
    Seed,
    check_whole,
    did_you_mean,
)
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import Uniques, threshold, uniques
from indistinct.protect.blank import Blank, Part
from indistinct.protect.destroy import Destroy
from indistinct.protect.encrypt import Encrypt
from indistinct.protect.perturb import How, Perturb
from indistinct.protect.plan import Plan, Receipt
from indistinct.protect.protected import Cost, Protected
from indistinct.protect.secret import ReleaseKey
from indistinct.protect.step import Step

__all__ = ["ACTIONS", "Action", "protect_uniques"]

Action = Literal["destroy", "blank", "perturb", "encrypt"]
ACTIONS: tuple[Action, ...] = get_args(Action)

_HELP = {
    "destroy": "Use fewer key variables or coarser categories.",
    "blank": "Blank more variables, or the whole key (part='whole').",
    "perturb": "Let more variables change, use how='nearest', or blank the rest.",
}


def protect_uniques(
    engine: Engine,
    source: Source,
    key: Sequence[str],
    *,
    action: Action,
    k: ClassSize | None = None,
    at_most: AtMost | None = None,
    seed: Seed | None = None,
    secrets: ReleaseKey | None = None,
    variables: Sequence[str] = (),
    part: Part | None = None,
    how: How = "nearest",
    domains: Sequence[str] = (),
    warn_above: float = 0.05,
    randomised: bool = False,
    max_rounds: int = 50,
) -> Protected:
    """Act on the records whose key fewer than k share, and search again until none is left.

    Parameters
    ----------
    key
        The variables an intruder may know.
    action
        ``destroy``, ``blank``, ``perturb`` or ``encrypt``.
    k, at_most
        A class is safe with at least k records; `at_most` is Dalenius' way of saying it.
    seed
        For ``blank`` and ``perturb``. Keep it: the plan with the seed gives the same bytes.
    secrets
        For ``encrypt``: the key of the release.
    variables
        The part of the key to blank or perturb, or the columns to encrypt (the key by default).
    part, how, domains, warn_above, randomised
        See `Blank`, `Perturb`, `Destroy` and `Encrypt`.
    max_rounds
        How often ``perturb`` may draw again (marginal), and how often the whole is repeated.

    When records remain at risk, it raises a `GuaranteeError` that says how many, and what would
    help. Encryption is not repeated and not judged by k.
    """
    safe_from = threshold(k, at_most)
    for what, names in (("key", key), ("variables", variables), ("domains", domains)):
        if isinstance(names, str):
            raise InputError(f"{what} must be a list of names. Got one text: put it in a list.")
    check_whole("max_rounds", max_rounds, 1)
    step = _step(
        action,
        tuple(key),
        safe_from,
        variables=tuple(variables),
        part=part,
        how=how,
        domains=tuple(domains),
        warn_above=warn_above,
        randomised=randomised,
        rounds=max_rounds,
    )
    before = uniques(engine, source, key, k=safe_from)
    plan = Plan()
    receipts: list[Receipt] = []
    current, found = source, before
    for rounds in range(1, max_rounds + 1):
        plan = plan.with_step(step)
        # the steps before are pure and done: only the new one is applied, at its place
        applied = Plan((step,)).apply(
            engine, current, seed=seed, secrets=secrets, first=len(plan) - 1
        )
        current = applied.source
        receipts += applied.receipts
        at_risk, found = found.at_risk, uniques(engine, current, key, k=safe_from)
        if action == "encrypt" or not found.at_risk:
            break
        if found.at_risk >= at_risk or action == "perturb":
            raise GuaranteeError(_not_reached(action, safe_from, before, found, receipts, rounds))
    else:
        raise GuaranteeError(_not_reached(action, safe_from, before, found, receipts, rounds))
    return Protected(
        action,
        safe_from,
        plan,
        current,
        tuple(receipts),
        rounds,
        before,
        found,
        guaranteed=action != "encrypt" and not found.at_risk,
        claims_k=action != "encrypt",
        cost=_cost(action, before, receipts),
    )


def _cost(action: Action, before: Uniques, receipts: Sequence[Receipt]) -> Cost | None:
    """Return the share of key cells that are gone; None where cells were exchanged or hidden."""
    if action not in ("destroy", "blank"):
        return None
    cells = before.records * len(before.key)
    destroyed = sum(receipt.records_lost for receipt in receipts)
    blanked = sum(receipt.cells for receipt in receipts if receipt.kind == "blank")
    lost = (destroyed * len(before.key) + blanked) / cells if cells else 0.0
    return Cost(1 - lost, {"precision": lost, "loss": lost}, destroyed, blanked)


def _not_reached(
    action: Action,
    k: int,
    before: Uniques,
    found: Uniques,
    receipts: Sequence[Receipt],
    rounds: int,
) -> str:
    notes = "; ".join(receipts[-1].notes)
    return (
        f"{found.at_risk:,} of the {before.at_risk:,} records at risk are still in classes smaller "
        f"than {k} after {rounds} round{'' if rounds == 1 else 's'} of '{action}'"
        f"{f' ({notes})' if notes else ''}. {_HELP[action]}"
    )


def _step(
    action: Action,
    key: tuple[str, ...],
    k: int,
    *,
    variables: tuple[str, ...],
    part: Part | None,
    how: How,
    domains: tuple[str, ...],
    warn_above: float,
    randomised: bool,
    rounds: int,
) -> Step:
    if action == "destroy":
        return Destroy(key, k, domains, warn_above)
    if action == "blank":
        return Blank(key, k, part or ("given" if variables else "whole"), variables)
    if action == "perturb":
        return Perturb(key, k, variables, how, rounds)
    if action == "encrypt":
        return Encrypt(variables or key, randomised)
    raise InputError(
        f"The action must be one of {', '.join(ACTIONS)}. Got '{action}'. "
        f"{did_you_mean(str(action), ACTIONS)}"
    )
