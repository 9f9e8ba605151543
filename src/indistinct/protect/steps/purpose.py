"""The purpose check: what a plan does to the use the recipient has in mind (section 4.1).

Usefulness "is determined from the point of view of a recipient": perturbation ruins what is
learned of single entities, suppression ruins statistics, and an attribute that the task needs must
not go. A holder decides beforehand; two versions for two uses could be linked.

The vocabulary of Figure 14: thirteen techniques, and two circumstances that need them.

Sweeney (2001, section 4.1): query restriction and summaries "are not disclosure limitation
techniques but rather special circumstances in which disclosure control is required".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from indistinct.core import InputError, check_whole
from indistinct.options import Use
from indistinct.protect.blank import Blank
from indistinct.protect.deidentify import Deidentify
from indistinct.protect.destroy import Destroy
from indistinct.protect.encrypt import Encrypt
from indistinct.protect.generalise import Generalise
from indistinct.protect.perturb import Perturb
from indistinct.protect.plan import Plan
from indistinct.protect.recode import RecodingStep
from indistinct.protect.step import Step
from indistinct.protect.steps.add_records import AddRecords
from indistinct.protect.steps.generalise_cells import GeneraliseCells
from indistinct.protect.steps.keeping import PerturbKeeping
from indistinct.protect.steps.noise import AddNoise
from indistinct.protect.steps.outliers import OutliersToMedians
from indistinct.protect.steps.rounding import Round
from indistinct.protect.steps.sample import Sample
from indistinct.protect.steps.scramble import ScrambleOrder
from indistinct.protect.steps.substitute import Substitute
from indistinct.protect.steps.suppress import (
    SuppressAttribute,
    SuppressCells,
    SuppressRecords,
)
from indistinct.protect.steps.swap import SwapValues

__all__ = ["CIRCUMSTANCES", "TECHNIQUES", "Use", "purpose_warnings", "reach_warning"]

TECHNIQUES: Mapping[str, tuple[type[Step], ...]] = MappingProxyType(
    {
        "De-identification": (Deidentify,),
        "Suppression": (SuppressCells, SuppressAttribute, SuppressRecords, Blank, Destroy),
        "Encryption": (Encrypt,),
        "Swap values": (SwapValues,),
        "Generalize values": (Generalise, GeneraliseCells),
        "Substitution": (Substitute,),
        "Outlier to medians": (OutliersToMedians,),
        "Perturbation": (PerturbKeeping, Perturb),
        "Rounding": (Round,),
        "Additive noise": (AddNoise,),
        "Sampling": (Sample,),
        "Add tuples": (AddRecords,),
        "Scramble tuples": (ScrambleOrder,),
    }
)
"""The steps by Figure 14's names: ten that change values and attributes, three for tuples."""

CIRCUMSTANCES: tuple[str, ...] = ("Query restriction", "Summaries")
"""Figure 14's other entries: ways of release that need techniques, and are none."""


# Which step for which purpose --------------------------------------------------------------------

# by kind, because systems have steps of their own that are made of techniques
_SUPPRESSES = {
    *(step.kind for step in TECHNIQUES["Suppression"]),
    "drop-unsafe",
    "drop-outliers",
    "suppress",
    "argus",
}
_PERTURBS = {
    *(
        step.kind
        for name in ("Perturbation", "Additive noise", "Swap values", "Outlier to medians")
        for step in TECHNIQUES[name]
    ),
    AddRecords.kind,
    "microaggregate",
}


def purpose_warnings(
    plan: Plan, *, needed: Sequence[str] = (), use: Use | None = None
) -> tuple[str, ...]:
    """Say where a plan is at odds with what the recipient wants to do.

    Parameters
    ----------
    needed
        The variables that the task needs: ZIP for cancer near waste sites, ethnicity for heart
        disease by group.
    use
        ``statistics``, of the whole file or of groups; or ``records``, what single records say.

    >>> plan = Plan((SuppressAttribute(("zip",)),))
    >>> for warning in purpose_warnings(plan, needed=["zip"], use="statistics"):
    ...     print(warning)
    Step 1 suppresses zip, which the task needs.
    Step 1 (suppress-attribute) suppresses, and suppression ruins statistics: what is missing ...
    """
    if use not in (None, "statistics", "records"):
        raise InputError(f"The use must be statistics or records. Got '{use}'.")
    warnings = []
    for number, step in enumerate(plan.steps, 1):
        for name in needed:
            harm = _harm(step, name)
            if harm:
                warnings.append(f"Step {number} {harm}, which the task needs.")
        if use == "statistics" and step.kind in _SUPPRESSES:
            warnings.append(
                f"Step {number} ({step.kind}) suppresses, and suppression ruins statistics: what "
                "is missing is not missing at random. Generalise, or tell how much is gone."
            )
        if use == "records" and _perturbs(step):
            warnings.append(
                f"Step {number} ({step.kind}) perturbs, and perturbation ruins what single records "
                "say: a value may be made up or another's. Generalise or suppress instead."
            )
    return tuple(warnings)


def _perturbs(step: Step) -> bool:
    return step.kind in _PERTURBS or (isinstance(step, Round) and step.to == "random")


def _harm(step: Step, name: str) -> str | None:
    """Say what a step does to one variable that makes it useless, or as good as."""
    if isinstance(step, Generalise) and step.hierarchy.name == name:
        return f"generalises {name} to the root" if step.level == step.hierarchy.height else None
    if isinstance(step, Blank):
        blanked = step.variables if step.part == "given" else step.key
        if name in blanked:
            return f"suppresses {name} in the records that stand out"
    if isinstance(step, Deidentify | SuppressAttribute) and name in step.variables:
        return f"suppresses {name}"
    if isinstance(step, SuppressCells) and any(name == other for _, other in step.cells):
        return f"suppresses cells of {name}"
    if isinstance(step, GeneraliseCells):
        heights = {hierarchy.name: hierarchy.height for hierarchy in step.hierarchies}
        if any(n == name and level == heights[n] for _, n, level in step.cells):
            return f"generalises cells of {name} to the root"
    if step.kind == "select":
        kept = getattr(step, "variables", ())
        return f"leaves out {name}" if kept and name not in kept else None
    if isinstance(step, Encrypt) and name in step.variables:
        return f"encrypts {name}"
    if isinstance(step, Substitute) and step.variable == name:
        return f"replaces {name} by made-up values"
    if isinstance(step, RecodingStep) and name in step.key and not _is_limited(step, name):
        return f"may generalise {name} up to the root"
    return None


def _is_limited(step: RecodingStep, name: str) -> bool:
    """Say whether a method's own limits keep a variable from climbing to the root."""
    height = next((h.height for h in step.hierarchies if h.name == name), 0)
    limits = getattr(step, "limits", None) or {}
    return bool(dict(limits).get(name, height) < height)


def reach_warning(k: int, reach: int) -> str | None:
    """Say whether an intruder can ask everybody whom a record may be about.

    Sweeney (2001, section 4.2): the right k depends on "direct and economical communication
    connections" to the subjects. A description that fitted about 100 of the 1,000 members of a
    department was sent to all of them in one message, and the right man was named.

    Parameters
    ----------
    reach
        How many people the intruder can address at once at little cost: the members of a mailing
        list, the inhabitants of a village.

    >>> reach_warning(100, reach=1000)[:47]
    'somebody who can address 1,000 people at once a'
    >>> reach_warning(100, reach=50)
    """
    for name, value in (("k", k), ("reach", reach)):
        check_whole(name, value, 1)
    if k > reach:
        return None
    return (
        f"somebody who can address {reach:,} people at once asks all {k:,} whom a record may be "
        "about and needs one answer, so k alone does not protect them (Sweeney 2001, section 4.2). "
        f"Take a k above {reach:,}, or keep such recipients from the data by contract."
    )
