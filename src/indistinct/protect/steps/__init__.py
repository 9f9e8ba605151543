"""Techniques: one small module each, every one a step of a plan."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.protect.steps.add_records import AddRecords
    from indistinct.protect.steps.blank_told import BlankTold, told_records
    from indistinct.protect.steps.columns import with_columns
    from indistinct.protect.steps.correlated_noise import CorrelatedNoise, Moments
    from indistinct.protect.steps.generalise_cells import GeneraliseCells
    from indistinct.protect.steps.keeping import Aggregate, PerturbKeeping
    from indistinct.protect.steps.multiply_noise import MultiplyNoise
    from indistinct.protect.steps.noise import AddNoise, Distribution, NoiseUnit
    from indistinct.protect.steps.outlier_noise import NoiseOnOutliers, robust_distances
    from indistinct.protect.steps.outliers import OutlierRule, OutliersToMedians
    from indistinct.protect.steps.pram import (
        Pram,
        PramEstimate,
        PramMethod,
        PramOutcome,
        TransitionMatrix,
        pram_estimate,
    )
    from indistinct.protect.steps.proximity_swap import ProximitySwap, ProximityUnit
    from indistinct.protect.steps.purpose import (
        CIRCUMSTANCES,
        TECHNIQUES,
        Use,
        purpose_warnings,
        reach_warning,
    )
    from indistinct.protect.steps.rank_swap import Extremes, RankSwap
    from indistinct.protect.steps.rounding import Round, RoundTo
    from indistinct.protect.steps.sample import Sample
    from indistinct.protect.steps.scramble import ScrambleOrder
    from indistinct.protect.steps.substitute import Form, Substitute
    from indistinct.protect.steps.suppress import SuppressAttribute, SuppressCells, SuppressRecords
    from indistinct.protect.steps.swap import SwapValues
    from indistinct.protect.steps.top_bottom import CodedAs, Side, TopBottomCode
    from indistinct.protect.steps.weak import (
        WeakEncryption,
        break_by_frequency,
        break_by_pairs,
        find_weak_encryption,
        undone,
        weak_encryption_warning,
    )

open_doorway(__name__)
