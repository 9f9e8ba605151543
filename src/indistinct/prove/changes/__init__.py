"""The protection report: what changed between the original and the released file."""

from indistinct.arguments import check_arguments
from indistinct.prove.changes.compare import changes
from indistinct.prove.changes.exact import ExactMatches, exact_matches
from indistinct.prove.changes.groups import Rule, who
from indistinct.prove.changes.linkage import LINKAGES, Linkage, LinkageDistance, link_own
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

__all__ = [
    "LINKAGES",
    "Changes",
    "CoupleShares",
    "ExactMatches",
    "ExpectedShares",
    "GroupChanges",
    "HouseholdShares",
    "Linkage",
    "LinkageDistance",
    "PermutationDistances",
    "ProtectionReport",
    "Rule",
    "Spread",
    "VariableChanges",
    "VariablePermutation",
    "changes",
    "couple_shares",
    "exact_matches",
    "expected_shares",
    "household_shares",
    "link_own",
    "permutation_distances",
    "protection_report",
    "rank_displacement",
    "reverse_mapped",
    "who",
]

check_arguments(__name__)
