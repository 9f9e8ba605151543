"""The final step: act on the records that stand out, search again, until none is left (6.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

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
from indistinct.options import (
    Option,
    a_switch,
    a_word,
    known_method,
    names,
    only_by_keyword,
    register_method,
)
from indistinct.protect.blank import Blank, Part
from indistinct.protect.deciding import Decision, Records
from indistinct.protect.destroy import Destroy
from indistinct.protect.encrypt import Encrypt
from indistinct.protect.perturb import How, Perturb
from indistinct.protect.plan import Plan, Receipt
from indistinct.protect.protected import Cost, Protected
from indistinct.protect.request import Request
from indistinct.protect.secret import ReleaseKey

__all__ = ["ACTIONS", "Action", "protect_uniques", "repeat_until_safe"]

Action = Literal["destroy", "blank", "perturb", "encrypt"]
ACTIONS: tuple[Action, ...] = get_args(Action)

VARIABLES: Option[tuple[str, ...]] = Option(
    "variables", names, "the part of the key to blank or perturb, or the columns to encrypt"
)
PART: Option[Part | None] = Option(
    "part", a_word(Part), "blank the whole key, the variables given, or the fewest"
)
HOW: Option[How] = Option(
    "how",
    a_word(How, unset="nearest"),
    "where perturbed values come from; the nearest by default",
)
DOMAINS: Option[tuple[str, ...]] = Option(
    "domains", names, "study domains, whose share of destroyed records is told"
)
RANDOMISED: Option[bool] = Option("randomised", a_switch, "encrypt equal values differently")
WARN_ABOVE: Option[float] = Option(
    "warn_above", only_by_keyword(float, 0.05), "the share of a domain that is told as a warning"
)
MAX_ROUNDS: Option[int] = Option(
    "max_rounds", only_by_keyword(int, 50), "how often it may be tried again"
)


@register_method(
    "destroy",
    "leaves out the records that stand out",
    options=(DOMAINS, WARN_ABOVE, MAX_ROUNDS),
    family="acting",
    climbs=False,
    place=1,
)
def decide_destroy(records: Records, asked: Request) -> Decision:
    """Plan to leave records out."""
    step = Destroy(records.key, asked.k, tuple(asked[DOMAINS]), asked[WARN_ABOVE])
    hint = "Use fewer key variables or coarser categories."
    return Decision(Plan((step,)), again=asked[MAX_ROUNDS], hint=hint)


@register_method(
    "blank",
    "blanks cells of the records that stand out",
    options=(VARIABLES, PART, MAX_ROUNDS),
    family="acting",
    climbs=False,
    place=2,
)
def decide_blank(records: Records, asked: Request) -> Decision:
    """Plan to blank cells: of the whole key, of some variables, or the fewest."""
    variables = tuple(asked[VARIABLES])
    part = asked[PART] or ("given" if variables else "whole")
    step = Blank(records.key, asked.k, part, variables)
    hint = "Blank more variables, or the whole key (part='whole')."
    return Decision(Plan((step,)), again=asked[MAX_ROUNDS], hint=hint)


@register_method(
    "perturb",
    "gives the records that stand out values of others",
    options=(VARIABLES, HOW, MAX_ROUNDS),
    family="acting",
    climbs=False,
    place=3,
)
def decide_perturb(records: Records, asked: Request) -> Decision:
    """Plan to exchange values; the step itself draws again."""
    step = Perturb(records.key, asked.k, tuple(asked[VARIABLES]), asked[HOW], asked[MAX_ROUNDS])
    hint = "Let more variables change, use how='nearest', or blank the rest."
    return Decision(Plan((step,)), hint=hint)


@register_method(
    "encrypt",
    "encrypts the key, for somebody who has the secret",
    options=(VARIABLES, RANDOMISED, MAX_ROUNDS),
    family="acting",
    promises="nobody reads the columns without the key of the release; no k is promised",
    climbs=False,
    place=4,
)
def decide_encrypt(records: Records, asked: Request) -> Decision:
    """Plan to encrypt; that is not judged by k."""
    step = Encrypt(tuple(asked[VARIABLES]) or records.key, asked[RANDOMISED])
    return Decision(Plan((step,)), promises=False)


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
    **options: Any,
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
    options
        Those that the action declares; see `Blank`, `Perturb`, `Destroy` and `Encrypt`.

    When records remain at risk, it raises a `GuaranteeError` that says how many, and what would
    help. Encryption is not repeated and not judged by k.
    """
    safe_from = threshold(k, at_most)
    for what, given in (("key", key), *options.items()):
        if what in ("key", "variables", "domains") and isinstance(given, str):
            raise InputError(f"{what} must be a list of names. Got one text: put it in a list.")
    if action not in ACTIONS:
        raise InputError(
            f"The action must be one of {', '.join(ACTIONS)}. Got '{action}'. "
            f"{did_you_mean(str(action), ACTIONS)}"
        )
    asked = Request(safe_from, **options)
    check_whole("max_rounds", asked[MAX_ROUNDS], 1)
    decision = known_method(action).decide(Records(tuple(key), lambda names: {}), asked)
    before = uniques(engine, source, key, k=safe_from)
    return repeat_until_safe(
        engine, source, decision, action, before, k=safe_from, seed=seed, secrets=secrets
    )


def repeat_until_safe(
    engine: Engine,
    source: Source,
    decision: Decision,
    action: str,
    before: Uniques,
    *,
    k: int,
    seed: int | None,
    secrets: ReleaseKey | None = None,
) -> Protected:
    """Apply what was decided, again and again as often as may be, until nobody stands out."""
    plan = Plan()
    receipts: list[Receipt] = []
    current, found = source, before
    for rounds in range(1, decision.again + 1):
        # the steps before are pure and done: only the new ones are applied, at their place
        applied = decision.plan.apply(engine, current, seed=seed, secrets=secrets, first=len(plan))
        plan = Plan((*plan.steps, *decision.plan.steps))
        current = applied.source
        receipts += applied.receipts
        at_risk, found = found.at_risk, uniques(engine, current, before.key, k=k)
        if not decision.promises or not found.at_risk:
            break
        if found.at_risk >= at_risk:
            raise GuaranteeError(_not_reached(action, k, before, found, receipts, rounds, decision))
    else:
        raise GuaranteeError(_not_reached(action, k, before, found, receipts, rounds, decision))
    return Protected(
        action,
        k,
        plan,
        current,
        tuple(receipts),
        rounds,
        before,
        found,
        guaranteed=decision.promises and not found.at_risk,
        claims_k=decision.promises,
        cost=_cost(before, receipts),
    )


def _cost(before: Uniques, receipts: Sequence[Receipt]) -> Cost | None:
    """Return the share of key cells that are gone; None where cells were exchanged or hidden."""
    if any(receipt.kind not in ("destroy", "blank") for receipt in receipts):
        return None
    cells = before.records * len(before.key)
    destroyed = sum(receipt.records_lost for receipt in receipts)
    blanked = sum(receipt.cells for receipt in receipts if receipt.kind == "blank")
    lost = (destroyed * len(before.key) + blanked) / cells if cells else 0.0
    return Cost(1 - lost, {"precision": lost, "loss": lost}, destroyed, blanked)


def _not_reached(
    action: str,
    k: int,
    before: Uniques,
    found: Uniques,
    receipts: Sequence[Receipt],
    rounds: int,
    decision: Decision,
) -> str:
    notes = "; ".join(receipts[-1].notes)
    return (
        f"{found.at_risk:,} of the {before.at_risk:,} records at risk are still in classes smaller "
        f"than {k} after {rounds} round{'' if rounds == 1 else 's'} of '{action}'"
        f"{f' ({notes})' if notes else ''}. {decision.hint}"
    )
