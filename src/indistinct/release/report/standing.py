"""Where one candidate stands: the numbers by which releases are put side by side."""

from __future__ import annotations

from collections.abc import Sequence

from indistinct.release.few import added, share
from indistinct.release.report.facts import Measured
from indistinct.release.report.folder import ReleaseFacts

__all__ = [
    "cells_changed",
    "cells_kept",
    "generalised",
    "left_out",
    "linkage",
    "perturbed",
    "promised_k",
    "right_guesses",
    "same_key",
    "standing_out",
    "utility_measure",
]


def same_key(found: Sequence[Measured]) -> bool:
    """Say whether all are protected against an intruder who knows the same."""
    return len({frozenset(m.risk.key) for m in found}) <= 1


def perturbed(measured: Measured) -> bool:
    """Say whether values were altered or exchanged, so that counts of combinations tell little."""
    return any(step.perturbs for step in measured.steps) or not measured.claims_k


def generalised(measured: Measured) -> bool:
    """Say whether tables were compared in the release's own categories, not in the original's."""
    return bool(measured.utility and measured.utility.generalised)


def promised_k(facts: ReleaseFacts) -> int:
    """Return the k that was asked for and is proved; 0 where none is, or only with reservations."""
    if not facts.holds:
        return 0
    return facts.certificate.k or 0


def standing_out(measured: Measured) -> int | None:
    """Return how many released records stand out; None where that tells little."""
    return None if perturbed(measured) else measured.risk.after.at_risk


def right_guesses(measured: Measured) -> float | None:
    """Return the share of people whom an intruder is expected to guess rightly.

    Where values were perturbed, that is by the best of the ways that were tried.
    """
    if perturbed(measured):
        return max((link.after for link in measured.risk.linkage), default=None)
    return share(measured.risk.expected_after, measured.risk.before.records)


def linkage(measured: Measured, how: str) -> float | None:
    """Return the share of people whom one kind of linkage finds, where that was tried."""
    return next((link.after for link in measured.risk.linkage if link.how == how), None)


def left_out(measured: Measured) -> float | None:
    """Return the share of records that were left out."""
    return share(measured.changes.lost, measured.changes.records_before)


def cells_changed(measured: Measured) -> float | None:
    """Return the share of released cells that were changed; None where that is not told."""
    changes = measured.changes
    if any(change.cells is None for change in changes.variables):
        return None
    changed = added(change.cells or 0 for change in changes.variables)
    return share(changed, changes.records_after * len(changes.variables))


def cells_kept(measured: Measured) -> int | None:
    """Return how many cells are released as they were; None where that is not told."""
    changes = measured.changes
    if any(change.cells is None for change in changes.variables):
        return None
    changed = sum(change.cells or 0 for change in changes.variables)
    return changes.records_after * len(changes.variables) - changed


def utility_measure(measured: Measured, name: str) -> float | None:
    """Return how far a measure of utility is from its best; None where it was not taken."""
    measures = measured.utility.measures if measured.utility else ()
    one = next((m for m in measures if m.name == name), None)
    if one is None or one.difference is None:
        return None
    # a pMSE ratio below that of chance is as good as chance
    return max(0.0, one.difference) if name == "propensity" else abs(one.difference)
