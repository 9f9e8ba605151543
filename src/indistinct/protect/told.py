"""What becomes of a release whose classes tell a sensitive value: refused, blanked, or allowed.

What anybody knows by a rule that is true of everybody is told by no class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indistinct.core import GuaranteeError, InputError, Seed
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable
from indistinct.options import Told
from indistinct.protect.plan import Plan
from indistinct.protect.protected import Protected
from indistinct.protect.steps.blank_told import BlankTold, told_records
from indistinct.risk import PublicRule, against_rule, split_told, unmet_labels

__all__ = ["PublicRule", "keep_untold", "true_rules"]


def keep_untold(
    engine: Engine,
    done: Protected,
    sensitive: Sequence[str],
    *,
    told: Told | None = None,
    confidence: float = 1.0,
    public: Sequence[PublicRule] = (),
    seed: Seed,
) -> Protected:
    """Return what was protected with nothing told of sensitive variables, or refuse it.

    Parameters
    ----------
    sensitive
        The variables of which nothing may be learnt; those that are not released do not matter.
    told
        ``blank`` (by default, where k is claimed) blanks the sensitive cells of the classes that
        tell them, and of as many others; ``refuse`` raises an error that says what would help;
        ``allow`` leaves all to the judge.
    confidence
        From which share of a class's values on one counts as told; 1 is for certain.
    public
        What anybody knows of everybody, and no class tells.
    seed
        Which others are blanked is drawn.
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
        name: len(
            told_records(engine, done.source, key, name, confidence=confidence, public=public)
        )
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
    named = tuple(rule for rule in public if rule.variable in found)
    step = BlankTold(key, tuple(found), confidence, named)
    applied = Plan((step,)).apply(engine, done.source, seed=seed, first=len(done.plan))
    return replace(
        done,
        plan=done.plan.with_step(step),
        source=applied.source,
        receipts=done.receipts + applied.receipts,
    )


def true_rules(
    engine: Engine, private: Source, rules: Sequence[PublicRule]
) -> tuple[PublicRule, ...]:
    """Return rules that are true of everybody in the private data; others are refused."""
    for rule in rules:
        private.check_columns([rule.variable, rule.given])
        table = KeyTable.from_tally(engine.count(private, [rule.given, rule.variable]))
        split = split_told(table, (rule.given,), rule.variable, private.variables[rule.variable])
        unmet = unmet_labels(split.table.values(rule.given), rule)
        if unmet:
            raise InputError(
                f"[public]: nobody's '{rule.given}' in the data is {' or '.join(unmet)}, so that "
                f"it cannot be seen whether {rule.describe()}. Write labels as the data have them."
            )
        against = against_rule(split, rule)
        if against:
            raise InputError(
                f"[public]: {against:,} records of the data speak against it that "
                f"{rule.describe()}. Take the rule out, or mend the records."
            )
    return tuple(rules)
