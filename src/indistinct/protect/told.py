"""What becomes of a release whose classes tell a sensitive value: refused, blanked, or allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from indistinct.engine import Engine
from indistinct.errors import GuaranteeError, InputError
from indistinct.protect.plan import Plan
from indistinct.protect.protected import Protected
from indistinct.protect.techniques.blank_told import BlankTold, told_records

__all__ = ["Told", "keep_untold"]

Told = Literal["refuse", "blank", "allow"]


def keep_untold(
    engine: Engine,
    done: Protected,
    sensitive: Sequence[str],
    *,
    told: Told | None = None,
    confidence: float = 1.0,
) -> Protected:
    """Return what was protected with nothing told of sensitive variables, or refuse it.

    Parameters
    ----------
    sensitive
        The variables of which nothing may be learnt; those that are not released do not matter.
    told
        ``blank`` (by default, where k is claimed) blanks the sensitive cells of the classes that
        tell them, ``refuse`` raises an error that says what would help, ``allow`` leaves all to
        the judge.
    confidence
        From which share of a class's values on one counts as told; 1 is for certain.
    """
    if told not in (None, "refuse", "blank", "allow"):
        raise InputError(f"told must be refuse, blank or allow. Got '{told}'.")
    key = tuple(name for name in done.before.key if name in done.source.variables)
    names = [n for n in sensitive if n in done.source.variables and n not in key]
    if told in (None, "refuse") and not done.claims_k:
        told = "allow"  # of an altered key nothing is certain; the judge says what it is
    if told == "allow" or not names or not key:
        return done
    found = {
        name: len(told_records(engine, done.source, key, name, confidence=confidence))
        for name in names
    }
    found = {name: records for name, records in found.items() if records}
    if not found:
        return done
    if told == "refuse":
        what = " and ".join(f"'{name}' of {records:,}" for name, records in found.items())
        raise GuaranteeError(
            f"Classes of {', '.join(key)} would tell {what} of {done.source.records:,} records: "
            "everybody in them has the same. Ask for different values with --method optimal "
            f"--sensitive {next(iter(found))} --l 2, blank these cells with --told blank, or allow "
            "it with --told allow, and the verdict will say so."
        )
    step = BlankTold(key, tuple(found), confidence)
    applied = Plan((step,)).apply(engine, done.source, first=len(done.plan))
    return replace(
        done,
        plan=done.plan.with_step(step),
        source=applied.source,
        receipts=done.receipts + applied.receipts,
    )
