"""Perturbed tables: rounding, small counts, cell keys, random modification, and what they leave."""

from indistinct.arguments import check_arguments
from indistinct.tables.perturb.cellkey import CellKeys, class_keys, perturb_by_cell_key
from indistinct.tables.perturb.design import CellKeyDesign, design_perturbation
from indistinct.tables.perturb.leaves import PerturbedRisk, perturbed_risk
from indistinct.tables.perturb.margins import Margin, margins
from indistinct.tables.perturb.modification import (
    RandomModification,
    RandomRounding,
    random_modification,
    random_rounding,
)
from indistinct.tables.perturb.noise import (
    Exact,
    Noise,
    PublishedVariance,
    Uncertainty,
    summed_variance,
    uncertainty,
    variances,
)
from indistinct.tables.perturb.published import Perturbation, PerturbedTables, PublishedCells
from indistinct.tables.perturb.rounding import Rounded, controlled_rounding
from indistinct.tables.perturb.rounding_attack import RoundedIntervals, rounded_intervals
from indistinct.tables.perturb.small_counts import SmallCounts, small_count_rounding
from indistinct.tables.perturb.small_counts_of_system import (
    SmallCountsOfSystem,
    small_count_rounding_of_system,
)

__all__ = [
    "CellKeyDesign",
    "CellKeys",
    "Exact",
    "Margin",
    "Noise",
    "Perturbation",
    "PerturbedRisk",
    "PerturbedTables",
    "PublishedCells",
    "PublishedVariance",
    "RandomModification",
    "RandomRounding",
    "Rounded",
    "RoundedIntervals",
    "SmallCounts",
    "SmallCountsOfSystem",
    "Uncertainty",
    "class_keys",
    "controlled_rounding",
    "design_perturbation",
    "margins",
    "perturb_by_cell_key",
    "perturbed_risk",
    "random_modification",
    "random_rounding",
    "rounded_intervals",
    "small_count_rounding",
    "small_count_rounding_of_system",
    "summed_variance",
    "uncertainty",
    "variances",
]

check_arguments(__name__)
