"""The protection report: what changed between the original and the released file."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.prove.changes.compare import changes
    from indistinct.prove.changes.exact import ExactMatches, exact_matches
    from indistinct.prove.changes.groups import Rule, who
    from indistinct.prove.changes.linkage import LINKAGES, Linkage, LinkageDistance, link_own
    from indistinct.prove.changes.pairing import Match, pair_records
    from indistinct.prove.changes.permutation import (
        PermutationDistances,
        VariablePermutation,
        permutation_distances,
        rank_displacement,
        reverse_mapped,
    )
    from indistinct.prove.changes.report import ProtectionReport, protection_report
    from indistinct.prove.changes.result import Changes, GroupChanges, VariableChanges
    from indistinct.prove.changes.shares import (
        CoupleShares,
        ExpectedShares,
        HouseholdShares,
        couple_shares,
        expected_shares,
        household_shares,
    )
    from indistinct.prove.changes.spread import Spread

open_doorway(__name__)
