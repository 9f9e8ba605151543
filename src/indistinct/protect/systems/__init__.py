"""Systems built of the techniques: methods that decide how to change a file until k holds."""

from indistinct.arguments import check_arguments
from indistinct.protect.systems.argus import Argus, ArgusResult, argus
from indistinct.protect.systems.argus_session import ArgusSession
from indistinct.protect.systems.datafly import DataflyResult, datafly
from indistinct.protect.systems.datafly_outliers import DropOutliers
from indistinct.protect.systems.datafly_profile import (
    CARETAKER,
    CONTRACT_BOUND,
    PUBLIC_USE,
    Profile,
    percent_of_records,
)
from indistinct.protect.systems.datafly_request import datafly_request
from indistinct.protect.systems.datafly_table import AnonymityTable, anonymity_table
from indistinct.protect.systems.k_similar import (
    KSimilar,
    KSimilarStep,
    homogeneous_clusters,
    k_similar,
)
from indistinct.protect.systems.k_similar_optimum import k_similar_optimum
from indistinct.protect.systems.local_recoding import (
    LocalRecoding,
    LocalRecodingStep,
    local_recoding,
)
from indistinct.protect.systems.mdav import Microaggregation, mdav, microaggregation
from indistinct.protect.systems.microaggregate import Microaggregate
from indistinct.protect.systems.mondrian import Mondrian, MondrianStep, mondrian
from indistinct.protect.systems.optimal import Optimum, optimal
from indistinct.protect.systems.suppress import (
    Meaning,
    Suppression,
    importance_weights,
    suppress,
    suppression_keys,
)
from indistinct.protect.systems.suppress_step import Suppress

PRESETS = {"caretaker": CARETAKER, "researcher": CONTRACT_BOUND, "public": PUBLIC_USE}
"""Datafly's recipients by a short name."""

__all__ = [
    "PRESETS",
    "AnonymityTable",
    "Argus",
    "ArgusResult",
    "ArgusSession",
    "DataflyResult",
    "DropOutliers",
    "KSimilar",
    "KSimilarStep",
    "LocalRecoding",
    "LocalRecodingStep",
    "Meaning",
    "Microaggregate",
    "Microaggregation",
    "Mondrian",
    "MondrianStep",
    "Optimum",
    "Profile",
    "Suppress",
    "Suppression",
    "anonymity_table",
    "argus",
    "datafly",
    "datafly_request",
    "homogeneous_clusters",
    "importance_weights",
    "k_similar",
    "k_similar_optimum",
    "local_recoding",
    "mdav",
    "microaggregation",
    "mondrian",
    "optimal",
    "percent_of_records",
    "suppress",
    "suppression_keys",
]

check_arguments(__name__)
