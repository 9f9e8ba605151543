"""Techniques: one small module each, every one a step of a plan."""

from indistinct.protect.techniques.add_records import AddRecords
from indistinct.protect.techniques.generalise_cells import GeneraliseCells
from indistinct.protect.techniques.keeping import Aggregate, PerturbKeeping
from indistinct.protect.techniques.noise import AddNoise, Distribution, NoiseUnit
from indistinct.protect.techniques.outliers import OutlierRule, OutliersToMedians
from indistinct.protect.techniques.purpose import Use, purpose_warnings, reach_warning
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
    "Distribution",
    "Form",
    "GeneraliseCells",
    "NoiseUnit",
    "OutlierRule",
    "OutliersToMedians",
    "PerturbKeeping",
    "Round",
    "RoundTo",
    "Sample",
    "ScrambleOrder",
    "Substitute",
    "SuppressAttribute",
    "SuppressCells",
    "SuppressRecords",
    "SwapValues",
    "Use",
    "WeakEncryption",
    "break_by_frequency",
    "break_by_pairs",
    "find_weak_encryption",
    "purpose_warnings",
    "reach_warning",
    "undone",
    "weak_encryption_warning",
]
