"""Protection: plans made of steps, and the actions that keep people from standing out."""

from indistinct.arguments import check_arguments
from indistinct.protect.avoid_uniques import AvoidUniques
from indistinct.protect.blank import Blank, Part
from indistinct.protect.by_plan import altered_variables, protect_by_plan
from indistinct.protect.compare import ActionCost, Comparison, compare_actions
from indistinct.protect.deidentify import Deidentify
from indistinct.protect.destroy import Destroy
from indistinct.protect.dropping import DropUnsafe
from indistinct.protect.encrypt import Encrypt, decrypt
from indistinct.protect.follow import FollowLabel
from indistinct.protect.generalise import Generalise
from indistinct.protect.household_steps import (
    SIZE,
    GroupQuarters,
    SampleHouseholds,
    ScrambleHouseholds,
    SwapHouseholds,
    people_with,
)
from indistinct.protect.households_alike import AlikeInHousehold, settle_households
from indistinct.protect.keep_rules import KeepRules
from indistinct.protect.loop import ACTIONS, Action, protect_uniques
from indistinct.protect.losses import Losses, Shares
from indistinct.protect.methods import protect_by_method
from indistinct.protect.models import (
    AverageRisk,
    KAnonymity,
    KMap,
    LDiversity,
    MaximumRisk,
    PopulationUniques,
    PrivacyModel,
    SampleUniques,
    TCloseness,
)
from indistinct.protect.people import ForPeople, Units, for_people, protect_people
from indistinct.protect.perturb import How, Perturb
from indistinct.protect.plan import Applied, Plan, fresh_seed
from indistinct.protect.promised import promised_models, reads_blanks_as_wildcards
from indistinct.protect.protected import Cost, Protected
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt, origin_of
from indistinct.protect.recode import RecodingStep, apply_recoding
from indistinct.protect.renumber import RenumberHouseholds
from indistinct.protect.request import METHODS, Method, Request, check_options
from indistinct.protect.rounding import Rounded, round_counts
from indistinct.protect.secret import ReleaseKey
from indistinct.protect.select import Select
from indistinct.protect.shuffling import CensusShares, CensusVariables, Shuffle, census_shuffle
from indistinct.protect.side_by_side import (
    MethodCost,
    SideBySide,
    compare_methods,
    write_comparison,
)
from indistinct.protect.step import Context, Step
from indistinct.protect.systems import (
    PRESETS,
    ArgusSession,
    Meaning,
    Profile,
    anonymity_table,
    argus,
    datafly,
    k_similar,
    k_similar_optimum,
    local_recoding,
    mdav,
    mondrian,
    optimal,
    percent_of_records,
)
from indistinct.protect.techniques import (
    CIRCUMSTANCES,
    TECHNIQUES,
    AddNoise,
    AddRecords,
    BlankTold,
    CorrelatedNoise,
    GeneraliseCells,
    MultiplyNoise,
    NoiseOnOutliers,
    OutliersToMedians,
    PerturbKeeping,
    Pram,
    ProximitySwap,
    RankSwap,
    Round,
    Sample,
    ScrambleOrder,
    Substitute,
    SuppressAttribute,
    SuppressCells,
    SuppressRecords,
    SwapValues,
    TopBottomCode,
    TransitionMatrix,
    Use,
    pram_estimate,
    purpose_warnings,
    reach_warning,
    weak_encryption_warning,
)
from indistinct.protect.told import PublicRule, Told, keep_untold, true_rules

__all__ = [
    "ACTIONS",
    "CIRCUMSTANCES",
    "METHODS",
    "PRESETS",
    "SIZE",
    "TECHNIQUES",
    "Action",
    "ActionCost",
    "AddNoise",
    "AddRecords",
    "AlikeInHousehold",
    "Applied",
    "ArgusSession",
    "AverageRisk",
    "AvoidUniques",
    "Blank",
    "BlankTold",
    "CensusShares",
    "CensusVariables",
    "Comparison",
    "Context",
    "CorrelatedNoise",
    "Cost",
    "Deidentify",
    "Destroy",
    "Draws",
    "DropUnsafe",
    "Encrypt",
    "FollowLabel",
    "ForPeople",
    "Generalise",
    "GeneraliseCells",
    "GroupQuarters",
    "How",
    "KAnonymity",
    "KMap",
    "KeepRules",
    "LDiversity",
    "Losses",
    "MaximumRisk",
    "Meaning",
    "Method",
    "MethodCost",
    "MultiplyNoise",
    "NoiseOnOutliers",
    "OutliersToMedians",
    "Part",
    "Perturb",
    "PerturbKeeping",
    "Plan",
    "PopulationUniques",
    "Pram",
    "PrivacyModel",
    "Profile",
    "Protected",
    "ProximitySwap",
    "PublicRule",
    "RankSwap",
    "Receipt",
    "RecodingStep",
    "ReleaseKey",
    "RenumberHouseholds",
    "Request",
    "Round",
    "Rounded",
    "Sample",
    "SampleHouseholds",
    "SampleUniques",
    "ScrambleHouseholds",
    "ScrambleOrder",
    "Select",
    "Shares",
    "Shuffle",
    "SideBySide",
    "Step",
    "Substitute",
    "SuppressAttribute",
    "SuppressCells",
    "SuppressRecords",
    "SwapHouseholds",
    "SwapValues",
    "TCloseness",
    "Told",
    "TopBottomCode",
    "TransitionMatrix",
    "Units",
    "Use",
    "altered_variables",
    "anonymity_table",
    "apply_recoding",
    "argus",
    "census_shuffle",
    "check_options",
    "compare_actions",
    "compare_methods",
    "datafly",
    "decrypt",
    "for_people",
    "fresh_seed",
    "k_similar",
    "k_similar_optimum",
    "keep_untold",
    "local_recoding",
    "mdav",
    "mondrian",
    "optimal",
    "origin_of",
    "people_with",
    "percent_of_records",
    "pram_estimate",
    "promised_models",
    "protect_by_method",
    "protect_by_plan",
    "protect_people",
    "protect_uniques",
    "purpose_warnings",
    "reach_warning",
    "reads_blanks_as_wildcards",
    "round_counts",
    "settle_households",
    "true_rules",
    "weak_encryption_warning",
    "write_comparison",
]

check_arguments(__name__)
