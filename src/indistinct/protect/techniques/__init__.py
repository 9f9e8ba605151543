"""Techniques: one small module each, every one a step of a plan."""

from indistinct.arguments import check_arguments
from indistinct.protect.techniques.add_records import AddRecords
from indistinct.protect.techniques.blank_told import BlankTold, told_records
from indistinct.protect.techniques.correlated_noise import CorrelatedNoise, Moments
from indistinct.protect.techniques.generalise_cells import GeneraliseCells
from indistinct.protect.techniques.keeping import Aggregate, PerturbKeeping
from indistinct.protect.techniques.multiply_noise import MultiplyNoise
from indistinct.protect.techniques.noise import AddNoise, Distribution, NoiseUnit
from indistinct.protect.techniques.outlier_noise import NoiseOnOutliers, robust_distances
from indistinct.protect.techniques.outliers import OutlierRule, OutliersToMedians
from indistinct.protect.techniques.pram import Pram, PramOutcome
from indistinct.protect.techniques.pram_matrix import (
    PramEstimate,
    PramMethod,
    TransitionMatrix,
    pram_estimate,
)
from indistinct.protect.techniques.proximity_swap import ProximitySwap, ProximityUnit
from indistinct.protect.techniques.purpose import Use, purpose_warnings, reach_warning
from indistinct.protect.techniques.rank_swap import Extremes, RankSwap
from indistinct.protect.techniques.rounding import Round, RoundTo
from indistinct.protect.techniques.sample import Sample
from indistinct.protect.techniques.scramble import ScrambleOrder
from indistinct.protect.techniques.substitute import Form, Substitute
from indistinct.protect.techniques.suppress import (
    SuppressAttribute,
    SuppressCells,
    SuppressRecords,
)
from indistinct.protect.techniques.swap import SwapValues
from indistinct.protect.techniques.top_bottom import CodedAs, Side, TopBottomCode
from indistinct.protect.techniques.vocabulary import CIRCUMSTANCES, TECHNIQUES
from indistinct.protect.techniques.weak import (
    WeakEncryption,
    break_by_frequency,
    break_by_pairs,
    find_weak_encryption,
    undone,
    weak_encryption_warning,
)

__all__ = [
    "CIRCUMSTANCES",
    "TECHNIQUES",
    "AddNoise",
    "AddRecords",
    "Aggregate",
    "BlankTold",
    "CodedAs",
    "CorrelatedNoise",
    "Distribution",
    "Extremes",
    "Form",
    "GeneraliseCells",
    "Moments",
    "MultiplyNoise",
    "NoiseOnOutliers",
    "NoiseUnit",
    "OutlierRule",
    "OutliersToMedians",
    "PerturbKeeping",
    "Pram",
    "PramEstimate",
    "PramMethod",
    "PramOutcome",
    "ProximitySwap",
    "ProximityUnit",
    "RankSwap",
    "Round",
    "RoundTo",
    "Sample",
    "ScrambleOrder",
    "Side",
    "Substitute",
    "SuppressAttribute",
    "SuppressCells",
    "SuppressRecords",
    "SwapValues",
    "TopBottomCode",
    "TransitionMatrix",
    "Use",
    "WeakEncryption",
    "break_by_frequency",
    "break_by_pairs",
    "find_weak_encryption",
    "pram_estimate",
    "purpose_warnings",
    "reach_warning",
    "robust_distances",
    "told_records",
    "undone",
    "weak_encryption_warning",
]

check_arguments(__name__)
