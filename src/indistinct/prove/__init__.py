"""Proof from the released file: protection models, linking attacks, several releases together."""

from indistinct.arguments import check_arguments
from indistinct.hierarchy.labels import is_suppressed, stands_for
from indistinct.prove.assumptions import assumptions, doubts
from indistinct.prove.attacks.minimality import Replay
from indistinct.prove.changes import (
    Changes,
    ExactMatches,
    Linkage,
    PermutationDistances,
    ProtectionReport,
    exact_matches,
    link_own,
    permutation_distances,
    protection_report,
)
from indistinct.prove.copies import Copy, find_copies
from indistinct.prove.cover import Cover, cover
from indistinct.prove.examiners.minimality import with_replay
from indistinct.prove.examiners.people import with_undecided
from indistinct.prove.exposure import Exposure, expose, expose_alone
from indistinct.prove.judge import judge
from indistinct.prove.known_too import known_too
from indistinct.prove.links import linked_pairs, linked_totals, linking_totals
from indistinct.prove.models import MODELS, Decision, Model, decide
from indistinct.prove.opinion import STATES, Opinion, Reservation, State, Trial, check_codes
from indistinct.prove.promise import Promise
from indistinct.prove.registers import Register, join_registers
from indistinct.prove.sensitivity import KnownToo, Sensitivity, sensitivity
from indistinct.prove.together import (
    Associations,
    Edition,
    Together,
    check_together,
    inferred_associations,
)
from indistinct.prove.trust import Trust, trust
from indistinct.prove.verification import Verification, Witness
from indistinct.prove.verify import verify

__all__ = [
    "MODELS",
    "STATES",
    "Associations",
    "Changes",
    "Copy",
    "Cover",
    "Decision",
    "Edition",
    "ExactMatches",
    "Exposure",
    "KnownToo",
    "Linkage",
    "Model",
    "Opinion",
    "PermutationDistances",
    "Promise",
    "ProtectionReport",
    "Register",
    "Replay",
    "Reservation",
    "Sensitivity",
    "State",
    "Together",
    "Trial",
    "Trust",
    "Verification",
    "Witness",
    "assumptions",
    "check_codes",
    "check_together",
    "cover",
    "decide",
    "doubts",
    "exact_matches",
    "expose",
    "expose_alone",
    "find_copies",
    "inferred_associations",
    "is_suppressed",
    "join_registers",
    "judge",
    "known_too",
    "link_own",
    "linked_pairs",
    "linked_totals",
    "linking_totals",
    "permutation_distances",
    "protection_report",
    "sensitivity",
    "stands_for",
    "trust",
    "verify",
    "with_replay",
    "with_undecided",
]

check_arguments(__name__)
