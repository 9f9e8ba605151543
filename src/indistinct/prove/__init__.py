"""Proof from the released file: protection models, linking attacks, several releases together."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
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
    from indistinct.prove.covering import Cover, cover
    from indistinct.prove.examiners.every import check_codes
    from indistinct.prove.examiners.minimality import with_replay
    from indistinct.prove.examiners.people import with_undecided
    from indistinct.prove.exposure import Exposure, expose, expose_alone
    from indistinct.prove.judging import judge
    from indistinct.prove.knowing_too import known_too
    from indistinct.prove.links import linked_pairs, linked_totals, linking_totals
    from indistinct.prove.models import MODELS, Decision, Model, decide
    from indistinct.prove.opinion import STATES, Opinion, Reservation, State, Trial
    from indistinct.prove.promise import Promise
    from indistinct.prove.registers import Register, join_registers
    from indistinct.prove.together import (
        Associations,
        Edition,
        Together,
        check_together,
        inferred_associations,
    )
    from indistinct.prove.trusting import Trust, trust
    from indistinct.prove.varying import KnownToo, Sensitivity, sensitivity
    from indistinct.prove.verification import Verification, Witness
    from indistinct.prove.verifying import assumptions, doubts, verify

open_doorway(__name__)
